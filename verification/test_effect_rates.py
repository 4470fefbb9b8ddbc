"""Rates of false and of missed stars of `mesonet.analysis.main_effects`, by simulation.

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
from mesonet.analysis import main_effects

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
