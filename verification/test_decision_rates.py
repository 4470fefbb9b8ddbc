"""Rates of false and of missed verdicts of `mesonet.analysis.decisions`, by simulation of its noise.

Noise is normal, Student's t with four degrees of freedom, or zero in four of five pairs with t4 noise in the rest, as
paired runs have it. Its standard deviation differs between conditions by a log-normal factor. `make verify` runs this.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from mesonet import designs
from mesonet.analysis import Course, model_effects, until_decided
from mesonet.analysis.decisions.course import LOOKS
from mesonet.analysis.decisions.decision import BETTER, DEPENDS, NO_WORSE, WORSE

FRACTION = np.array(designs.by_runs(9, 32).matrix)
FULL = np.array(list(product((-1, 1), repeat=4)))
FEW = np.array(list(product((-1, 1), repeat=2)))
DELTA = np.log(1.1)
FALSE = 0.05
"""Largest rate of false verdicts of a response over all looks."""

NOISES: dict[str, Callable[[np.random.Generator, tuple[int, int]], np.ndarray]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "t4": lambda rng, shape: rng.standard_t(4, size=shape) / np.sqrt(2),
    "ties": lambda rng, shape: (rng.random(shape) < 0.2) * rng.standard_t(4, size=shape) / np.sqrt(2) / np.sqrt(0.2),
}


def courses(mean, design, noise, sd, allocation, repeats, seed=1) -> list[Course]:
    """Return courses of comparisons with a mean log ratio by condition, and noise of the median deviation `sd`."""
    rng = np.random.default_rng(seed)
    mean = np.broadcast_to(mean, len(design))[:, None]
    found = []
    for _ in range(repeats):
        spread = sd * np.exp(0.7 * rng.normal(size=mean.shape))
        y = 100 * np.exp(0.3 * rng.normal(size=(len(design), LOOKS[-1])))
        x = y * np.exp(mean + spread * NOISES[noise](rng, y.shape))
        found.append(until_decided(x[:, :, None], y[:, :, None], design=design, allocation=allocation))
    return found


def rate(found: list[Course], *labels: str) -> float:
    """Return the share of the courses with one of the labels at any look."""
    return float(np.mean([any(look.decisions[0].label in labels for look in each.looks) for each in found]))


def size(found: list[Course]) -> float:
    """Return the mean share of the runs of a full course."""
    return float(np.mean([each.looks[-1].counts.mean() for each in found])) / LOOKS[-1]


@pytest.mark.parametrize("allocation", ["equal", "adaptive"])
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("design", [FEW, FULL, FRACTION], ids=["four", "sixteen", "fraction"])
@pytest.mark.parametrize("sd", [0.03, 0.15])
def test_false_verdicts_are_rare(allocation, noise, design, sd):
    """No difference, and a difference that is exactly the margin, over all looks."""
    repeats = 600 if len(design) < 32 else 300
    null = courses(0.0, design, noise, sd, allocation, repeats)
    assert rate(null, WORSE, BETTER, DEPENDS) <= FALSE
    margin = courses(DELTA, design, noise, sd, allocation, repeats, seed=2)
    assert rate(margin, WORSE, BETTER, DEPENDS, NO_WORSE) <= FALSE
    other = courses(-DELTA, design, noise, sd, allocation, repeats, seed=3)
    assert rate(other, WORSE, BETTER, DEPENDS) <= FALSE


@pytest.mark.parametrize("allocation", ["equal", "adaptive"])
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("sd", [0.03, 0.1])
def test_a_change_that_depends_on_a_factor_is_found(allocation, noise, sd):
    """+27 % at one level and -53 % at the other: named in 95 % of the courses, with at most 40 % of the runs."""
    mean = np.where(FRACTION[:, 0] < 0, np.log(1.27), np.log(0.47))
    found = courses(mean, FRACTION, noise, sd, allocation, 200)
    assert np.mean([each.decisions[0].depends_on == ("x1",) for each in found]) >= 0.95
    assert size(found) <= 0.4


@pytest.mark.parametrize("allocation", ["equal", "adaptive"])
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("sd", [0.03, 0.1, 0.3])
def test_an_interaction_is_never_no_worse(allocation, noise, sd):
    """+25 % and -20 % by the product of two factors cancel at every level of both."""
    for design in (FULL, FRACTION):
        mean = np.log(1.25) * design[:, 0] * design[:, 1]
        found = courses(mean, design, noise, sd, allocation, 200)
        assert rate(found, NO_WORSE) == 0
        if sd <= 0.1:
            assert rate(found, DEPENDS) >= 0.95


@pytest.mark.parametrize("noise", NOISES)
def test_equal_scenarios_are_settled_with_few_runs(noise):
    """Noise of the median condition as measured, .03: a margin of 10 % is settled with at most 42 % of the runs."""
    found = courses(0.0, FRACTION, noise, 0.03, "equal", 200)
    assert np.mean([each.decisions[0].label == NO_WORSE for each in found]) >= 0.95
    assert size(found) <= 0.42


@pytest.mark.parametrize("lost", [0, 1, 2, 3])
@pytest.mark.parametrize("ratio", [1, 15])
@pytest.mark.parametrize("unequal", [False, True])
@pytest.mark.parametrize("common", [False, True])
def test_stars_are_right(lost, ratio, unequal, common):
    """Inert factors of a 2^(9-4) in two blocks that differ by 100 SD; one factor and one interaction have effects."""
    rng = np.random.default_rng(lost)
    design = FRACTION.astype(float)
    blocks = (design[:, 0] * design[:, 1] * design[:, 4] > 0).astype(int)
    inert = [0, 1, 3, 4, 5, 6, 7, 8]
    found, seen = [], []
    for _ in range(500):
        sd = np.where(rng.random(32) < 0.5, 1.0, ratio)
        error = float(2 * np.sqrt(np.mean(sd**2 / 4) / 32))
        y = sd[:, None] * rng.normal(size=(32, 4)) + 100 * sd.max() * blocks[:, None]
        y += 2 * error * design[:, [2]] + 4 * error * design[:, [0]] * design[:, [4]]
        if common:
            y += 100 * sd.max() * rng.normal(size=4)
        if unequal:
            y[np.arange(4) >= rng.integers(2, 5, size=32)[:, None]] = np.nan
        y[rng.permutation(32)[:lost]] = np.nan
        each = model_effects(design, y, blocks=blocks, common_replicates=common)
        found.append(each.p[inert])
        seen.append(each.p[2] <= 0.05)
    assert np.mean(np.array(found) <= 0.05) <= 0.065
    assert np.mean(np.array(found) <= 0.01) <= 0.02
    # The errors of fewer replicates are larger, and with lost conditions each effect shares theirs.
    assert unequal or np.mean(seen) >= (0.65 if lost else 0.83)
