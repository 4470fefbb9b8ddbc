"""Rates of false and of missed stars of `mesonet.analysis.main_effects` and `fit_model`, by simulation.

`make verify` compares each measured rate with its row of docs/explanation/effects.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mesonet import designs
from mesonet.analysis import fit_model, main_effects

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "effects.md"
FRACTION = designs.by_runs(9, 32).matrix.astype(float)
PAIRS = list(combinations(range(9), 2))
FULL = designs.two_level(4).matrix.astype(float)
REPEATS = 400
Floats = np.ndarray


def stars(design: object, values: Floats, factors: list[int], mode: str = "replicates") -> list[bool]:
    found = main_effects(design, values, mode=mode)
    return [bool(found.stars[factor]) for factor in factors]


def lost(runs: int, conditions: int) -> Iterator[list[bool]]:
    """Inert factors of a 2^(9-4) in two replicates: 40 % of the interactions are as large as three standard errors."""
    rng = np.random.default_rng(runs + 10 * conditions)
    for _ in range(REPEATS):
        y = rng.normal(size=(32, 2))
        for i, j in PAIRS:
            y += 3 / np.sqrt(64) * rng.choice((-1, 1)) * (rng.random() < 0.4) * FRACTION[:, [i]] * FRACTION[:, [j]]
        y.ravel()[rng.permutation(64)[:runs]] = np.nan
        y[rng.permutation(32)[:conditions]] = np.nan
        yield stars(FRACTION, y, list(range(9)))


def noisy(kind: str, replicates: int) -> Iterator[list[bool]]:
    """Three inert factors of a 2^4, with noise that differs between the conditions."""
    rng = np.random.default_rng(replicates)
    for _ in range(REPEATS * 3):
        y = rng.normal(size=(16, replicates))
        if kind == "15 times in one condition":
            y[3] *= 15
        elif kind == "10 times at one level":
            y[FULL[:, 0] > 0] *= 10
        elif kind == "in proportion to the mean":
            y = np.exp(1.5 * FULL[:, [0]] + 0.8 * y)
        yield stars(FULL, y, [1, 2, 3])


def modelled(kind: str, replicates: int, errors: str) -> Iterator[list[bool]]:
    """Inert factors of a 2^4 in a linear model of all, with 4 of its runs lost."""
    rng = np.random.default_rng(replicates)
    x = np.tile(FULL, (replicates, 1))
    names = ["a", "b", "c", "d"]
    for _ in range(REPEATS):
        y = rng.normal(size=len(x))
        y[(x == 1).all(axis=1) if kind == "15 times in one condition" else x[:, 0] > 0] *= 1 if kind == "equal" else 15
        y[rng.permutation(len(x))[:4]] = np.nan
        table = {name: x[:, place] for place, name in enumerate(names)} | {"y": y}
        yield [test.p < 0.05 for test in fit_model(table, "y", terms="linear", errors=errors).tests]  # type: ignore[arg-type]


def blocked(seen: bool, mode: str) -> Iterator[list[bool]]:
    """2^5 in two blocks that differ by 100 standard deviations; one effect of four standard errors."""
    design = designs.blocks(designs.two_level(5), 2).design
    rng = np.random.default_rng(7)
    for _ in range(REPEATS):
        y = rng.normal(size=32) + 100 * np.array(design.block) + 4 / np.sqrt(32) * design.matrix[:, 0]
        found = main_effects(
            SimpleNamespace(matrix=design.matrix, factors=design.factors, block=design.block), y, mode=mode
        )
        yield [bool(found.stars[0])] if seen else [bool(each) for each in found.stars[1:]]


MEASURED: dict[str, Callable[[], Iterator[list[bool]]]] = {
    **{
        f"model, `{errors}`, noise {kind}, {number} replicates": (
            lambda kind=kind, number=number, errors=errors: modelled(kind, number, errors)  # type: ignore[misc]
        )
        for errors in ("equal", "hc3")
        for kind in ("equal", "15 times in one condition", "15 times at one level")
        for number in (2, 4)
    },
    "no run lost": lambda: lost(0, 0),
    "three runs lost": lambda: lost(3, 0),
    "one condition lost": lambda: lost(0, 1),
    "three conditions lost": lambda: lost(0, 3),
    **{
        f"noise {kind}, {number} replicates": lambda kind=kind, number=number: noisy(kind, number)  # type: ignore[misc]
        for kind in ("equal", "15 times in one condition", "10 times at one level", "in proportion to the mean")
        for number in (2, 4, 10)
    },
    **{
        f"blocks, `{mode}`, {what}": lambda mode=mode, seen=seen: blocked(seen, mode)  # type: ignore[misc]
        for mode in ("nist", "full")
        for what, seen in (("inert factors", False), ("the effect", True))
    },
}


def listed(case: str) -> float:
    row = re.search(rf"^\| {re.escape(case)} \| ([0-9.]+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert row, f"{PAGE}: no row {case!r}"
    return float(row[1])


@pytest.mark.parametrize("case", MEASURED)
def test_rates_are_as_listed(case: str) -> None:
    rate = 100 * np.mean(list(MEASURED[case]()))
    assert rate == pytest.approx(listed(case), abs=1.5)
