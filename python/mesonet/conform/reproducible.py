"""Checks of the contract that compare bytes: one seed twice, threads and engines, a resume."""

from __future__ import annotations

import hashlib
import io
from typing import Any

import numpy as np

from mesonet import core
from mesonet.conform.bench import SEED, Bench
from mesonet.conform.finding import FAIL, PASS, SKIPPED, Outcome
from mesonet.simulation.result import TABLES
from mesonet.simulation.simulate import simulate

SCENARIO = "crowd"
"""Scenario of the comparisons."""
_SNAPSHOT_S = 3.7


def again(bench: Bench) -> Outcome:
    first, second = (_digest(simulate(bench.scenario(SCENARIO), SEED)) for _ in range(2))
    other = _digest(simulate(bench.scenario(SCENARIO), SEED + 1))
    if first != second:
        return FAIL, f"tables {_unequal(first, second)} differ between two runs with one seed", {}
    if first == other:
        return FAIL, "another seed gives the same tables: the comparison proves nothing", {}
    return PASS, "all tables are equal, and differ with another seed", {}


def engines(bench: Bench) -> Outcome:
    chosen = bench.scenario(SCENARIO)
    one = _digest(simulate(chosen, SEED))
    for words, other in (
        ("4 threads", simulate(chosen, SEED, threads=4)),
        ("the reference engine", simulate(chosen, SEED, engine="reference")),
    ):
        if (found := _digest(other)) != one:
            return FAIL, f"tables {_unequal(one, found)} differ with {words}", {}
    return PASS, "1 thread, 4 threads and the reference engine give equal tables", {}


def resume(bench: Bench) -> Outcome:
    chosen = bench.scenario(SCENARIO)
    text, end = chosen.to_json(), float(chosen.value("time.duration"))
    make = core.module().Simulation
    whole = make(text, SEED)
    whole.advance(end)
    before = make(text, SEED)
    before.advance(_SNAPSHOT_S)
    try:
        state = before.snapshot()
        after = make(text, SEED, 1, "domains", state)
    except ValueError as error:
        return SKIPPED, f"no snapshot: {error}", {}
    after.advance(end)
    results = [run.finish(TABLES) for run in (whole, after)]
    unequal = [name for name in results[0] if not _same(results[0][name], results[1][name])]
    if unequal:
        return FAIL, f"tables {', '.join(unequal)} differ after a resume at {_SNAPSHOT_S} s", {}
    return PASS, f"a resume at {_SNAPSHOT_S} s gives equal tables", {}


def _digest(result: Any) -> dict[str, str]:
    """Return the SHA-256 of the bytes of each table."""
    found = {}
    for name in TABLES:
        content = io.BytesIO()
        getattr(result, name).frame.write_ipc_stream(content)
        found[name] = hashlib.sha256(content.getbuffer()).hexdigest()
    return found


def _unequal(one: dict[str, str], other: dict[str, str]) -> str:
    return ", ".join(name for name in one if one[name] != other[name])


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return set(one) == set(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))
    return bool(one == other)
