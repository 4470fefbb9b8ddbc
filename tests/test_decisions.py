"""Comparisons of two scenarios: verdicts by hand, mirrors, looks, the check of the duration, effects of one model.

The rates of false verdicts are in `verification/test_decision_rates.py`.
"""

from __future__ import annotations

from dataclasses import fields
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from scipy import stats

from mesonet import designs
from mesonet.analysis import decide, length_check, log_ratios, model_effects, needed, until_decided
from mesonet.analysis.decisions.course import LOOKS
from mesonet.analysis.decisions.decision import (
    AT_MARGIN,
    BETTER,
    CANNOT_TELL,
    DEPENDS,
    FLOOR,
    NO_WORSE,
    OWN_LEVEL,
    WORSE,
    Decision,
)
from mesonet.analysis.decisions.estimands import WHOLE
from mesonet.analysis.decisions.length import AGREES, OBJECTS
from mesonet.analysis.decisions.pairs import bounded_harm
from mesonet.errors import InputError

FULL = np.array(list(product((-1, 1), repeat=4)))
DELTA = np.log(1.1)


def pairs(mean, sd, n=3, *, seed=1, level=100.0):
    """x and y with the mean log ratio of each condition, and noise of x: shape (conditions, n)."""
    rng = np.random.default_rng(seed)
    mean = np.broadcast_to(np.asarray(mean, dtype=float), (16,))
    y = level * np.exp(0.3 * rng.normal(size=(16, n)))
    return y * np.exp(mean[:, None] + sd * rng.normal(size=(16, n))), y


def decided(mean, sd=0.01, n=3, **options):
    return decide(*pairs(mean, sd, n), design=FULL, **options)


def same(one: Decision, other: Decision) -> None:
    for field in fields(Decision):
        here, there = getattr(one, field.name), getattr(other, field.name)
        if field.name in ("own_levels", "estimands", "sides"):
            continue
        if field.name == "by_condition":
            assert np.array_equal(here.mean, there.mean)
            np.testing.assert_allclose(here.sd, there.sd)
        elif isinstance(here, np.ndarray):
            np.testing.assert_allclose(here, there, rtol=1e-12, atol=1e-15)
        else:
            assert here == there, field.name


EFFECTS = {
    WORSE: np.log(1.2),
    BETTER: np.log(0.8),
    NO_WORSE: 0.0,
    "depends on x2": np.where(FULL[:, 1] > 0, np.log(1.27), np.log(0.47)),
    "depends on x1 and x3": np.log(1.25) * FULL[:, 0] * FULL[:, 2],
    AT_MARGIN: DELTA,
}


@pytest.mark.parametrize("verdict", EFFECTS)
@pytest.mark.parametrize("more_is_better", [False, True])
def test_each_verdict(verdict, more_is_better):
    x, y = pairs(EFFECTS[verdict], 0.01)
    x, y = (y, x) if more_is_better else (x, y)
    found = decide(x, y, design=FULL, more_is_better=more_is_better)
    assert found.verdict == verdict
    assert not found.why


@pytest.mark.parametrize("mean", EFFECTS.values())
@pytest.mark.parametrize("sd", [0.0, 0.02, 0.2])
def test_exchanged_scenarios_have_the_mirrored_verdict(mean, sd):
    x, y = pairs(mean, sd)
    one, other = decide(x, y, design=FULL, atol=0.5), decide(y, x, design=FULL, atol=0.5)
    same(one.mirrored(), other)
    same(one, other.mirrored())
    words = {WORSE: BETTER, BETTER: WORSE, DEPENDS: DEPENDS}
    if one.label in words:
        assert (other.label, other.depends_on) == (words[one.label], one.depends_on)


@pytest.mark.parametrize("mean", EFFECTS.values())
@pytest.mark.parametrize("allocation", ["equal", "adaptive"])
def test_exchanged_scenarios_stop_at_the_same_look(mean, allocation):
    x, y = (each[:, :, None] for each in pairs(mean, 0.1, 12))
    one = until_decided(x, y, design=FULL, allocation=allocation)
    other = until_decided(y, x, design=FULL, allocation=allocation)
    assert len(one.looks) == len(other.looks)
    assert np.array_equal(one.counts, other.counts)
    same(one.decisions[0].mirrored(), other.decisions[0])


def test_a_ratio_of_means_that_misleads_is_shown_beside_the_mean_of_ratios():
    """A congested condition rules the ratio of means; all others are better."""
    y = np.full((16, 3), 1.0)
    y[0] = 1000.0
    x = 0.8 * y
    x[0] = 1300.0
    found = decide(x, y)
    assert found.weighted == pytest.approx((1300 + 15 * 0.8) / 1015 - 1)
    assert np.expm1(found.mean[0]) == pytest.approx(0.8 ** (15 / 16) * 1.3 ** (1 / 16) - 1)
    assert (found.worse_conditions, len(found.better_conditions)) == ((1,), 15)
    assert found.label in (BETTER, DEPENDS)
    table = found.to_polars()
    assert table["change"][0] == pytest.approx(100 * np.expm1(found.mean[0]))


def test_the_tolerance_is_a_part_of_the_margin():
    """The log ratio is beyond the margin exactly where x - y exceeds margin * y + atol."""
    y = np.array([0.0, 0.0, 2.0, 2.0, 100.0, 100.0])
    x = np.array([0.99, 1.01, 3.19, 3.21, 110.99, 111.01])
    assert (log_ratios(x, y, margin=0.1, atol=1.0) > DELTA).tolist() == [False, True] * 3
    assert (log_ratios(y, x, margin=0.1, atol=1.0) < -DELTA).tolist() == [False, True] * 3
    assert (log_ratios(y, x, atol=1.0, more_is_better=True) > DELTA).tolist() == [False, True] * 3
    assert log_ratios([0.0, np.nan], [0.0, 1.0])[0] == 0
    assert np.isnan(log_ratios([0.0, np.nan], [0.0, 1.0])[1])


def test_intervals_are_those_of_welch_and_hold_together():
    x, y = pairs(0.0, 0.05, 4)
    x[0, 3] = np.nan
    x[1] = np.exp(5 * np.log(x[1] / y[1])) * y[1]
    found = decide(x, y, design=FULL, responses=3, looks=2)
    d = np.log(x) - np.log(y)
    inside = FULL[:, 1] > 0
    place = [each.title for each in found.estimands.each].index("x2 = 1")
    n = np.isfinite(d[inside]).sum(axis=1)
    squares = np.maximum(np.nanstd(d[inside], axis=1, ddof=1), FLOOR * DELTA) ** 2 / n / 64
    freedom = squares.sum() ** 2 / (squares**2 / (n - 1)).sum()
    half = stats.t.ppf(1 - 0.02 / 8 / 3 / 2 / 2, freedom) * np.sqrt(squares.sum())
    mean = np.nanmean(d[inside], axis=1).mean()
    assert (found.low[place], found.high[place]) == pytest.approx((mean - half, mean + half))
    assert len(found.mean) == 1 + 8 + 24 + 6
    assert found.alpha.sum() == pytest.approx(WHOLE / 6)


def test_factors_of_several_levels_and_of_text():
    levels = np.array([[speed, path] for speed in ("10", "100", "1000") for path in ("long", "short")] * 2)
    mean = np.where(levels[:, 0] == "1000", 0.3, 0.0)
    y = np.full((12, 3), 5.0)
    x = y * np.exp(mean[:, None] + 0.01 * np.random.default_rng(2).normal(size=y.shape))
    found = decide(x, y, design=levels, factors=["speed", "path"])
    assert found.verdict == "depends on speed"
    titles = [each.title for each in found.estimands.each]
    assert {"speed = 10", "speed = 100", "speed = 1000", "speed = 10, path = long"} <= set(titles)
    assert found.is_worse[titles.index("speed = 1000")]
    assert found.is_no_worse[titles.index("speed = 10")]
    assert [titles[place] for place in found.sides] in (
        [["speed = 1000", each] for each in ("speed = 10", "speed = 100")]
    )


def test_aliases_of_a_pair_are_listed():
    """In this fraction x1 * x2 and its aliases have one column: none of them can be ruled out."""
    design = designs.by_runs(9, 32)
    signs = np.array(design.matrix)
    y = np.full((32, 3), 10.0)
    x = y * np.exp(np.log(1.25) * (signs[:, 0] * signs[:, 1])[:, None])
    found = decide(x, y, design=design)
    assert found.label == DEPENDS
    assert ("X1", "X2") in (found.depends_on, *found.also)
    assert len(found.also) == 3


def test_a_change_that_depends_on_the_level_of_the_response():
    rng = np.random.default_rng(4)
    level = np.exp(np.linspace(0, 5, 16))[rng.permutation(16)]
    y = level[:, None] * np.exp(0.1 * rng.normal(size=(16, 3)))
    x = y * np.where(level > np.sort(level)[7], 1.3, 1.0)[:, None] * np.exp(0.01 * rng.normal(size=y.shape))
    found = decide(x, y)
    assert (found.label, found.depends_on) == (DEPENDS, (OWN_LEVEL,))
    ordered = np.sort(y.mean(axis=1))
    assert ordered[7] < found.own_levels[1] < ordered[8]
    same(found.mirrored(), decide(y, x))


def test_noise_of_the_level_is_no_dependence():
    """Conditions that are high by chance look better than they are: regression to the mean."""
    rng = np.random.default_rng(7)
    for _ in range(20):
        x, y = 100 * np.exp(0.4 * rng.normal(size=(2, 16, 8)))
        assert decide(x, y).label != DEPENDS


def test_one_replicate_takes_conditions_as_a_sample():
    found = decided(0.0, 0.02, 1)
    assert not found.replicated
    assert found.label == NO_WORSE
    values = found.by_condition.mean
    half = stats.t.ppf(1 - 0.01, 15) * values.std(ddof=1) / 4
    assert (found.low[0], found.high[0]) == pytest.approx((values.mean() - half, values.mean() + half))
    noisy = decided(0.0, 0.3, 1)
    assert noisy.label == CANNOT_TELL
    assert needed(noisy).replicates == 2
    assert "excluded" in noisy.why


def test_what_cannot_be_said_has_its_reason():
    assert decide([[1.1]], [[1.0]]).why == "a single pair of runs has no noise to compare with"
    assert decide([[np.nan] * 2], [[1.0, 1.0]]).why == "no pair of runs has values"
    x, y = pairs(0.0, 0.01)
    x[3] = np.nan
    lost = decide(x, y)
    assert (lost.label, lost.why) == (CANNOT_TELL, "1 condition has values in one scenario only")
    assert (
        decide(*(each * np.where(np.arange(16) == 3, np.nan, 1)[:, None] for each in pairs(0, 0.01))).label == NO_WORSE
    )
    worse = decide(*(x * 1.5, y))
    assert worse.label == WORSE, "lost conditions excuse no harm"


def test_ties_are_no_proof_of_equality():
    y = np.full((2, 3), 7.0)
    found = decide(y, y)
    assert found.label == NO_WORSE
    half = stats.t.ppf(1 - 0.025, 4) * FLOOR * DELTA / np.sqrt(3) / np.sqrt(2)
    assert found.high[0] == pytest.approx(half)
    assert decide(y[:, :2], y[:, :2], looks=1000).label == CANNOT_TELL


def test_no_worse_lists_single_conditions():
    mean = np.zeros(16)
    mean[[4, 9]] = 0.15, -0.15
    found = decided(mean, 0.005)
    assert found.label == NO_WORSE
    assert (found.worse_conditions, found.better_conditions) == ((5,), (10,))


def test_needed_replicates_settle_the_verdict():
    """The stated runs, with the same means and variances, give a decision; half of them do not."""
    x, y = pairs(0.0, 0.1, 3, seed=3)
    found = decide(x, y, design=FULL)
    more = needed(found)
    assert found.label == CANNOT_TELL
    assert f"{found.harm_not_excluded:.0%}" in found.why
    d = np.log(x / y)
    chosen = np.array(more.conditions) - 1

    def with_more(extra):
        """Pairs of the same mean and standard deviation, extra more in the chosen conditions."""
        wide = np.full((16, 3 + extra), np.nan)
        wide[:, :3] = d
        for row in chosen:
            pattern = np.resize([-1.0, 1.0], 3 + extra)
            pattern -= pattern.mean()
            wide[row] = d[row].mean() + d[row].std(ddof=1) * pattern / pattern.std(ddof=1)
        return decide(np.where(np.isfinite(wide), np.exp(wide), np.nan), np.ones(wide.shape), design=FULL)

    assert not with_more(more.replicates).is_blocking.any()
    assert with_more(more.replicates // 2).is_blocking.any()


def test_identical_scenarios_are_decided_at_the_first_look():
    y = np.random.default_rng(1).exponential(size=(16, 12, 2))
    found = until_decided(y, y, design=FULL, atol=(0.0, 0.1), more_is_better=(False, True))
    assert found.status == "decided"
    assert [each.label for each in found.decisions] == [NO_WORSE] * 2
    assert (len(found.looks), found.counts.max()) == (1, LOOKS[0])


@pytest.mark.parametrize("allocation", ["equal", "adaptive"])
def test_a_course_follows_from_its_values(allocation):
    """Runs that arrive look by look lead through the same looks as all runs at once."""
    x, y = pairs(0.08, 0.08, 12)
    x[:8] = y[:8] * 1.09
    whole = until_decided(x[:, :, None], y[:, :, None], design=FULL, allocation=allocation)
    assert len(whole.looks) > 2
    counts = np.full(16, LOOKS[0])
    for _ in LOOKS:
        there = np.arange(counts.max()) < counts[:, None]
        seen = [np.where(there, each[:, : counts.max()], np.nan)[:, :, None] for each in (x, y)]
        part = until_decided(*seen, design=FULL, allocation=allocation)
        if part.status != "open":
            break
        counts = part.counts
    assert part.status == whole.status
    assert np.array_equal(part.counts, whole.counts)
    for here, there in zip(part.looks, whole.looks, strict=True):
        assert np.array_equal(here.counts, there.counts)
        same(here.decisions[0], there.decisions[0])
    if allocation == "adaptive":
        assert whole.counts[:8].max() == 4 < whole.counts[8:].mean(), "noise gets the runs"


def test_intervals_of_looks_only_shrink():
    x, y = pairs(0.0, 0.15, 12)
    looks = until_decided(x[:, :, None], y[:, :, None], design=FULL).looks
    for before, after in pairwise(looks):
        here, there = before.decisions[0], after.decisions[0]
        assert (there.low >= here.low).all()
        assert (there.high <= here.high).all()


def test_hopeless_comparisons_end():
    x, y = pairs(0.0, 1.5, 12)
    found = until_decided(x[:, :, None], y[:, :, None], design=FULL)
    assert found.status == "futile"
    assert found.counts.max() < 12
    assert found.decisions[0].label == CANNOT_TELL


def test_a_first_look_without_runs_is_open():
    y = np.ones((4, 2, 1))
    found = until_decided(y, y)
    assert (found.status, found.looks, found.decisions, found.counts.tolist()) == ("open", (), (), [3] * 4)


def test_intervals_of_noisy_conditions_stay_bounded():
    """Six pairs with a standard deviation of .25: 99.8 % intervals of the harm are narrower than 1."""
    rng = np.random.default_rng(1)
    for n, shift in product((6, 10), (-1.0, -0.3, 0.0, 0.3, 1.0)):
        d = rng.normal(size=(1, n))
        d = shift + 0.25 * (d - d.mean()) / d.std(ddof=1)
        found = decide(np.exp(d), np.ones((1, n)), responses=1, looks=25)
        assert found.alpha[0] == pytest.approx(0.002)
        low, high = bounded_harm([found.low[0], found.high[0]])
        assert high - low < 1


def test_the_check_of_the_duration():
    rng = np.random.default_rng(1)
    y = np.full((4, 3), 50.0)

    def runs(change, sd=0.01):
        return y * np.exp(np.log1p(change) + sd * rng.normal(size=y.shape)), y

    assert length_check(runs(-0.1), runs(-0.03)).label == OBJECTS
    assert length_check(runs(-0.1), runs(-0.1)).label == AGREES
    assert length_check(runs(-0.1, 0.2), runs(-0.1, 0.2)).label == CANNOT_TELL
    assert length_check(tuple(each[:, :1] for each in runs(0)), runs(0)).label == CANNOT_TELL
    # Exchanged scenarios object, too.
    short, long = runs(-0.1), runs(-0.03)
    one, other = length_check(short, long), length_check(short[::-1], long[::-1])
    assert (one.label, one.low, one.high) == (other.label, pytest.approx(-other.high), pytest.approx(-other.low))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: decide([[1.0]], [[1.0]], margin=0), "margin = 0"),
        (lambda: decide([[1.0]], [[1.0]], atol=-1), "atol = -1"),
        (lambda: decide([[-1.0]], [[1.0]]), "x = -1"),
        (lambda: decide([[0.0]], [[1.0]]), "above 0 for a response that can be 0"),
        (lambda: decide([[1.0]], [[1.0]], looks=0), "looks = 0"),
        (lambda: until_decided(np.ones((1, 1, 1)), np.ones((1, 1, 1)), looks=(3, 3)), "looks = "),
        (lambda: until_decided(np.ones((1, 1, 1)), np.ones((1, 1, 1)), allocation="some"), "equal, adaptive"),
        (lambda: length_check(([[1.0]], [[1.0]]), ([[1.0]], [[1.0]]), alpha=2), "alpha = 2"),
    ],
)
def test_refusals(call, text):
    with pytest.raises(InputError, match=text):
        call()


def test_shapes_that_do_not_fit():
    one, two = np.ones((2, 3)), np.ones((3, 3))
    for call in (
        lambda: decide(one, two),
        lambda: decide(one, one, design=[[1], [1], [-1]]),
        lambda: until_decided(one, one),
        lambda: until_decided(np.ones((2, 3, 2)), np.ones((2, 3, 2))),
        lambda: length_check((one, one), (two, two)),
        lambda: model_effects(FULL, one),
        lambda: model_effects(FULL, np.ones((16, 2)), blocks=[1]),
    ):
        with pytest.raises(ValueError, match=r"shape|conditions"):
            call()


def reference(design, y, blocks, others=()):
    """Effects by the normal equations of the condition means, and their errors with the noise of each condition."""
    used = np.isfinite(y).sum(axis=1) > 1
    columns = [design[:, i] for i in range(design.shape[1])] + [design[:, list(each)].prod(axis=1) for each in others]
    shifts = [(blocks == each).astype(float) for each in np.unique(blocks)]
    model = np.column_stack([*columns, *shifts])[used]
    weights = 2 * np.linalg.solve(model.T @ model, model.T)[: len(columns)]
    n = np.isfinite(y[used]).sum(axis=1)
    noise = weights**2 * np.nanvar(y[used], axis=1, ddof=1) / n
    error = np.sqrt(noise.sum(axis=1))
    freedom = noise.sum(axis=1) ** 2 / (noise**2 / (n - 1)).sum(axis=1)
    effect = weights @ np.nanmean(y[used], axis=1)
    return effect, error, freedom, 2 * stats.t.sf(np.abs(effect / error), freedom)


@pytest.mark.parametrize("lost", [0, 1, 3])
def test_effects_of_unequal_runs_in_blocks(lost):
    rng = np.random.default_rng(lost)
    y = rng.normal(size=(16, 5)) * np.where(rng.random(16) < 0.5, 1, 15)[:, None] + 3 * FULL[:, [1]]
    blocks = (FULL.prod(axis=1) > 0).astype(int)
    y += 100 * blocks[:, None]
    y[np.arange(5) >= rng.integers(2, 6, size=16)[:, None]] = np.nan
    y[rng.permutation(16)[:lost]] = np.nan
    found = model_effects(FULL, y, blocks=blocks)
    strings = [each for size in (2, 3) for each in combinations(range(4), size)]
    assert found.candidates == 10 - {0: 0, 1: 1, 3: 3}[lost]
    effect, error, freedom, p = (each[:4] for each in reference(FULL, y, blocks, strings[: found.candidates]))
    for mine, other in zip(
        (found.effect, found.error, found.freedom, found.p), (effect, error, freedom, p), strict=True
    ):
        np.testing.assert_allclose(mine[:4], other)
    assert found.conditions == 16 - lost
    assert ("taken to be zero" in " ".join(found.notes)) == bool(lost)


def test_strings_that_matter_are_listed():
    """With lost conditions an interaction outside of the model would bias main effects."""
    rng = np.random.default_rng(3)
    y = rng.normal(size=(16, 4)) + 40 * (FULL[:, [0]] * FULL[:, [3]])
    y[[2, 7]] = np.nan
    found = model_effects(FULL, y)
    assert found.terms == ("x1", "x2", "x3", "x4", "x1*x4")
    assert (np.abs(found.effect[:4]) < 4 * found.error[:4]).all()
    assert found.effect[-1] == pytest.approx(80, abs=2)
    assert found.stars[-1] == "**"


def test_replicates_with_common_numbers_are_blocks():
    """A shift that all conditions of a replicate share is no noise of an effect, in lost runs neither."""
    rng = np.random.default_rng(3)
    own = rng.normal(size=(16, 4)) + FULL[:, [2]]
    shift = np.array([0.0, 300.0, -200.0, 50.0])
    shifted = own + shift
    plain, common = model_effects(FULL, shifted), model_effects(FULL, shifted, common_replicates=True)
    np.testing.assert_allclose(plain.effect, common.effect)
    assert (plain.error > 50 * common.error).all()
    own[3, 1] = own[9, 2] = np.nan
    lost = model_effects(FULL, own + shift, common_replicates=True)
    np.testing.assert_allclose(lost.effect, model_effects(FULL, own, common_replicates=True).effect, atol=1e-9)
    np.testing.assert_allclose(lost.effect, model_effects(FULL, own).effect, atol=0.5)


def test_effects_without_noise_or_replicates():
    single = model_effects(FULL, np.ones((16, 1)))
    assert np.isnan(single.p).all()
    assert single.notes[0] == "No run is replicated: there is no noise to test effects against."
    equal = model_effects(FULL, np.repeat(FULL[:, [0]] * 1.0, 3, axis=1))
    assert equal.effect.tolist() == [2, 0, 0, 0]
    assert equal.p.tolist() == [0, 1, 1, 1]
    huge = model_effects(FULL, 1e200 * np.random.default_rng(1).normal(size=(16, 2)))
    assert np.isfinite(huge.p).all()
