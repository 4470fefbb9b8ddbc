"""Checks of the contract that compare bytes: one seed twice, threads and engines, a resume."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
from typing import Any

import numpy as np
import polars as pl

from mesonet import core, processes
from mesonet.conform.bench import SEED, Bench
from mesonet.conform.finding import FAIL, PASS, SKIPPED, Outcome
from mesonet.simulation.result import TABLES
from mesonet.simulation.simulate import simulate

SCENARIO = "crowd"
"""Scenario of the comparisons."""
_SNAPSHOT_S = 3.7


def again(bench: Bench) -> Outcome:
    one, two = (simulate(bench.scenario(SCENARIO), SEED) for _ in range(2))
    first, second = _digest(one), _digest(two)
    other = _digest(simulate(bench.scenario(SCENARIO), SEED + 1))
    if first != second:
        names = _unequal(first, second)
        table = names.partition(", ")[0]
        at = _first_difference(*(getattr(each, table).frame for each in (one, two)))
        return FAIL, f"tables {names} differ between two runs with one seed: {table} has {at}", {}
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


def elsewhere(bench: Bench) -> str:
    """Return the tables that differ if another process simulates, separated by commas; empty if none does."""
    here = _digest(simulate(bench.scenario(SCENARIO), SEED))
    given = json.dumps({"algorithm": bench.algorithm, "values": dict(bench.values)})
    command = processes.python("mesonet.conform.reproducible")
    run = subprocess.run(command, input=given, capture_output=True, text=True, check=False, env=processes.environment())
    if run.returncode:
        raise RuntimeError(f"the other process ended with {run.returncode}: {run.stderr.strip()[-500:]}")
    return _unequal(here, json.loads(run.stdout))


def _first_difference(one: pl.DataFrame, other: pl.DataFrame) -> str:
    """Return the first difference of two tables in words."""
    if one.height != other.height:
        return f"{one.height} and {other.height} rows"
    for row, (before, after) in enumerate(zip(one.iter_rows(), other.iter_rows(), strict=True), 1):
        for column, *pair in zip(one.columns, before, after, strict=True):
            if repr(pair[0]) != repr(pair[1]):  # NaN is equal to itself
                return f"{column} {pair[0]} and {pair[1]} in row {row}"
    return "other columns"


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


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    scenario = Bench(asked["algorithm"], values=asked["values"]).scenario(SCENARIO)
    json.dump(_digest(simulate(scenario, SEED)), sys.stdout)
