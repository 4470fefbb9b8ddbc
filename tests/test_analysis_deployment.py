"""Effects of a deployment by share: closed forms, intervals, designs of tests, equilibria, groups, bad input."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

from mesonet.analysis import Deployment, deployment, outcomes_of
from mesonet.analysis.deployments.clusters import cell, contrast
from mesonet.errors import InputError
from verification import ab_test

SHARES = (0.0, 0.1, 0.5, 0.9, 1.0)


def sweep(
    mean: Callable[[bool, float], float],
    *,
    seeds: int = 4,
    units: int = 10,
    sd: float = 0.0,
    shares=SHARES,
    seed: int = 1,
) -> pl.DataFrame:
    """Return goodputs of nested shares: the mean of each arm at each share, times noise of units."""
    rng = np.random.default_rng(seed)
    rows = []
    for run in range(seeds):
        rank, own = rng.permutation(units), np.exp(sd * rng.normal(size=units))
        for share in shares:
            noise = own * np.exp(sd / 2 * rng.normal(size=units))
            for unit in range(units):
                treated = bool(rank[unit] < round(share * units))
                value = mean(treated, share) * noise[unit]
                rows.append({"seed": run, "share": share, "unit": unit, "treated": treated, "value": value})
    return pl.DataFrame(rows).with_columns(outcome=pl.lit("goodput"), weight=pl.col("unit") + 1.0)


def two_connections(treated: bool, share: float) -> float:
    """A unit with two connections of a shared queue gets twice the part of a unit with one."""
    return (2.0 if treated else 1.0) / (1 + share)


def value(found: Deployment, estimand: str, share: float = 1.0, *, scale: str = "ratio", weights: str = "unit", **more):
    rows = found.effects.filter(
        estimand=estimand, share=share, scale=scale, weights=weights, **({"level": "all"} | more)
    )
    assert rows.height == 1
    return rows.row(0, named=True)


def test_without_interference_all_estimands_agree() -> None:
    found = deployment(sweep(lambda treated, share: 1.1 if treated else 1.0))
    for scale, effect in (("ratio", 0.1), ("difference", 0.1), ("log", 0.1)):
        for weights in ("unit", "weight"):
            assert value(found, "total", scale=scale, weights=weights)["value"] == pytest.approx(effect)
            for share in SHARES[1:-1]:
                for estimand in ("naive", "partial"):
                    row = value(found, estimand, share, scale=scale, weights=weights)
                    assert row["value"] == pytest.approx(effect)
                assert value(found, "spill-over", share, scale=scale, weights=weights)["value"] == pytest.approx(0)
    assert found.tests.filter(test="ab")["bias"].to_list() == pytest.approx([0, 0, 0])


def test_two_connections_gain_in_each_test_and_nothing_in_all() -> None:
    found = deployment(sweep(two_connections))
    assert value(found, "total")["value"] == pytest.approx(0)
    for share in SHARES[1:-1]:
        assert value(found, "mu_T", share)["value"] == pytest.approx(2 / (1 + share))
        assert value(found, "mu_C", share)["value"] == pytest.approx(1 / (1 + share))
        assert value(found, "naive", share)["value"] == pytest.approx(1)
        assert value(found, "naive", share, scale="difference")["value"] == pytest.approx(1 / (1 + share))
        assert value(found, "spill-over", share)["value"] == pytest.approx(1 / (1 + share) - 1)
        assert value(found, "harm", share)["value"] == pytest.approx(1 - 1 / (1 + share))
        assert value(found, "partial", share)["value"] == pytest.approx(2 / (1 + share) - 1)
    tests = found.tests.filter(test="ab")
    assert tests["bias"].to_list() == pytest.approx([1, 1, 1])
    assert tests["wrong_sign"].null_count() == 3, "an effect of 0 has no sign"
    assert found.equilibria["kind"].to_list() == ["all switch"]
    links = found.tests.filter(test="paired-links", share=0.9)
    assert links["estimate"][0] == pytest.approx(2 / 1.9 / (1 / 1.1) - 1)


@pytest.mark.parametrize("scale", ["ratio", "difference", "log"])
@pytest.mark.parametrize("weights", ["unit", "weight"])
def test_swapped_labels_swap_signs(scale: str, weights: str) -> None:
    rows = sweep(two_connections, sd=0.1)
    swapped = rows.with_columns(treated=~pl.col("treated"), share=(1 - pl.col("share")).round(6))
    one, other = (deployment(each, scales=[scale], weights=[weights]) for each in (rows, swapped))

    def log(found: Deployment, estimand: str, share: float) -> list[float]:
        row = value(found, estimand, share, scale=scale, weights=weights)
        values = np.array([row["value"], row["low"], row["high"]])
        return (values if scale == "difference" else np.log1p(values)).tolist()

    for estimand, share, mirrored in (("total", 1.0, 1.0), ("naive", 0.1, 0.9), ("naive", 0.5, 0.5)):
        mean, low, high = log(one, estimand, share)
        assert log(other, estimand, mirrored) == pytest.approx([-mean, -high, -low])


def test_the_order_of_rows_changes_no_bit() -> None:
    rows = sweep(two_connections, sd=0.2).with_columns(
        rtt=pl.when(pl.col("unit") < 5).then(pl.lit("a")).otherwise(pl.lit("b"))
    )
    rows = pl.concat([rows.with_columns(period=period) for period in (1, 2)])
    one, other = (deployment(each, groups=["rtt"]) for each in (rows, rows.sample(fraction=1, shuffle=True, seed=3)))
    for name in ("effects", "tests", "equilibria", "groups"):
        assert_frame_equal(getattr(one, name), getattr(other, name), check_exact=True)
    assert one.notes == other.notes


def test_one_run_has_the_intervals_of_welch_and_of_pairs() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(5, 1, 80), rng.normal(4, 1, 70)
    arms = {"unit": range(150), "treated": [1] * 80 + [0] * 70, "value": [*x, *y]}
    row = value(deployment(arms, more_is_better=True), "naive", 80 / 150, scale="difference")
    expected = stats.ttest_ind(x, y, equal_var=False).confidence_interval()
    assert [row["low"], row["high"]] == pytest.approx([expected.low, expected.high], rel=1e-3)
    both = {"unit": [*range(70)] * 2, "treated": [1] * 70 + [0] * 70, "value": [*x[:70], *y]}
    row = value(deployment(both, more_is_better=True, assignment="flow"), "naive", 0.5, scale="difference")
    expected = stats.ttest_rel(x[:70], y).confidence_interval()
    assert [row["low"], row["high"]] == pytest.approx([expected.low, expected.high])
    assert row["method"] == "paired t by unit, 70 units of one run"


@pytest.mark.parametrize(("treated", "others"), [(5, 5), (4, 16)])
def test_intervals_of_few_units_hold_as_often_as_stated(treated: int, others: int) -> None:
    rng = np.random.default_rng(8)
    cells = [np.arange(treated), np.arange(treated, treated + others)]
    held = []
    for _ in range(1000):
        low, high = contrast([cell(each, rng.normal(size=len(each))) for each in cells], [1, -1]).ends(0.05)
        held.append(low <= 0 <= high)
    assert 0.93 <= np.mean(held) <= 0.975


def test_rows_of_a_unit_are_weights_if_there_are_no_others() -> None:
    rows = {"unit": [1, 1, 1, 2, 3, 4], "treated": [1, 1, 1, 1, 0, 0], "value": [4.0, 4, 4, 1, 2, 2]}
    found = deployment(rows, more_is_better=True)
    assert value(found, "mu_T", 0.5)["value"] == pytest.approx(2.5)
    assert value(found, "mu_T", 0.5, weights="weight")["value"] == pytest.approx(13 / 4)


def test_seeds_are_pairs_of_runs() -> None:
    rows = sweep(two_connections, sd=0.2, seeds=5)
    mean = rows.group_by("seed", "share", "treated").agg(pl.col("value").mean())
    of = {(s, p, t): v for s, p, t, v in mean.iter_rows()}
    d = [np.log(of[seed, 1.0, True] / of[seed, 0.0, False]) for seed in range(5)]
    row = value(deployment(rows), "total")
    expected = stats.ttest_1samp(d, 0).confidence_interval()
    assert [row["low"], row["high"]] == pytest.approx(np.expm1([expected.low, expected.high]))
    assert (row["seeds"], row["units"]) == (5, 10)
    assert row["smallest"] > (row["high"] - row["low"]) / 2, (
        "an effect seen in 80 % is larger than half of the interval"
    )
    lost = deployment(rows.filter((pl.col("seed") > 0) | (pl.col("share") > 0)))
    assert value(lost, "total")["seeds"] == 4
    assert any("without a run of equal seed" in note for note in lost.notes)


def test_conditions_have_equal_weights() -> None:
    parts = [sweep(lambda t, p, e=effect: e if t else 1.0).with_columns(condition=pl.lit(name))
             for name, effect in (("deep", 1.2), ("shallow", 0.9))]  # fmt: skip
    found = deployment(pl.concat([parts[0], parts[1].filter(pl.col("unit") < 9)]))
    assert value(found, "total")["value"] == pytest.approx(np.sqrt(1.2 * 0.9) - 1)
    assert value(found, "total", level="deep")["value"] == pytest.approx(0.2)
    assert set(found.tests["condition"]) == {"deep", "shallow"}
    assert found.groups.filter(estimand="total")["p"][0] < 1e-6


def test_weights_and_scales_may_have_other_signs() -> None:
    rows = {
        "user": range(40), "arm": ["new"] * 20 + ["old"] * 20,
        "mbps": [1.0, 30.0] * 10 + [9.0, 10.0] * 10, "flows": [30, 1] * 10 + [1] * 20,
    }  # fmt: skip
    found = deployment(rows, unit="user", treated="arm", new="new", value="mbps", weight="flows", more_is_better=True)
    assert value(found, "naive", 0.5)["value"] == pytest.approx(15.5 / 9.5 - 1)
    assert value(found, "naive", 0.5, weights="weight")["value"] == pytest.approx(60 / 31 / 9.5 - 1)
    assert value(found, "naive", 0.5, scale="log")["value"] == pytest.approx(np.sqrt(30 / 90) - 1)
    assert any("sign depends on scale or weights: naive of mbps" in note for note in found.notes)


def test_a_real_test_has_no_total_effect_and_says_why() -> None:
    rows = {
        "unit": range(6),
        "treated": [True] * 3 + [False] * 3,
        "goodput": [3.0, 4, 5, 2, 3, 4],
        "rtt": [9.0, 8, 7, 6, 5, 4],
    }
    found = deployment(rows, value=["goodput", "rtt"])
    assert set(found.effects["outcome"]) == {"goodput", "rtt"}
    for estimand, share in (("total", 1.0), ("spill-over", 0.5), ("partial", 0.5), ("harm", 0.5)):
        row = found.effects.filter(estimand=estimand, scale="ratio", outcome="goodput", share=share).row(0, named=True)
        assert row["value"] is None
        assert "at share" in row["why"]
        assert row["verdict"] == "cannot tell"
    assert (
        found.effects.filter(estimand="starved_C")["why"][0]
        == "no unit has a value at share 0 in the run of equal seed"
    )
    assert "The share is the part of the units of the table that have the new control: 0.5." in found.notes
    assert any("total effect cannot be known" in note for note in found.notes)
    assert found.equilibria["kind"].to_list() == ["not known"] * 2
    assert found.tests["why"][0].startswith("one test")
    assert found.to_polars().equals(found.effects)
    assert found.to_xarray().sizes == {"row": found.effects.height}


def test_the_shipped_test_shows_what_it_can() -> None:
    """Users of cable gain 30 % in the test and nothing if all switch; users of fibre gain nothing."""
    table = ab_test.table()
    assert ab_test.FILE.read_text() == table.write_csv()
    assert ab_test.total("cable") == pytest.approx(0)
    names = {"unit": "user", "treated": "arm", "value": "goodput_mbps", "period": "day", "weight": "flows"}
    found = deployment(table, new="new", groups=["access"], more_is_better=True, **names)
    for level, effect in (("cable", ab_test.GAIN - 1), ("fibre", 0.0)):
        row = value(found, "naive", ab_test.SHARE, level=level)
        assert row["low"] < effect < row["high"]
    assert found.groups["p"][0] < 0.001


def test_one_unit_in_an_arm_has_no_interval() -> None:
    found = deployment({"unit": [1, 2, 3], "treated": [1, 0, 0], "value": [2.0, 1.0, 1.5]}, more_is_better=True)
    row = value(found, "naive", 1 / 3)
    assert row["value"] == pytest.approx(0.6)
    assert (row["low"], row["verdict"], row["why"]) == (None, "cannot tell", "one unit in an arm: its noise is unknown")


def test_pandas_and_polars_agree() -> None:
    rows = sweep(two_connections, sd=0.1).with_columns(
        value=pl.when(pl.int_range(pl.len()) == 7).then(None).otherwise(pl.col("value")),
        rtt=pl.when(pl.col("unit") < 5).then(pl.lit("near")).otherwise(None),
    )
    found = deployment(rows, groups=["rtt"])
    of_pandas = deployment(pd.DataFrame(rows.to_dict(as_series=False)), groups=["rtt"])
    assert_frame_equal(found.effects, of_pandas.effects)
    assert found.notes == of_pandas.notes
    assert "1 row of 200 without a value or with the weight 0: left out, 0 of them with the new control." in found.notes
    assert "99 rows without a level of rtt: no part in its levels." in found.notes


def test_values_of_zero_have_a_ratio() -> None:
    rows = {"unit": range(6), "treated": [1, 1, 1, 0, 0, 0], "value": [0.0, 1, 2, 1, 2, 3]}
    found = deployment(rows, more_is_better=False)
    assert any("log: a value is 0, so that 0.015 (1 % of the mean)" in note for note in found.notes)
    assert value(found, "mu_C", 0.5, scale="log")["value"] == pytest.approx(
        np.exp(np.log([1.015, 2.015, 3.015]).mean()) - 0.015
    )
    negative = deployment({**rows, "value": [-1.0, 1, 2, 1, 2, 3]}, more_is_better=False)
    assert value(negative, "naive", 0.5, scale="log")["why"] == "a value or a mean is below 0"
    assert value(negative, "naive", 0.5, scale="difference")["value"] == pytest.approx(2 / 3 - 2)


def test_starved_units_are_below_a_part_of_their_own_value() -> None:
    found = deployment(sweep(lambda t, p: 2.0 if t else (0.05 if p > 0.4 else 1.0)))
    rows = found.effects.filter(estimand="starved_C")
    assert dict(rows.select("share", "value").iter_rows()) == {0.0: 0, 0.1: 0, 0.5: 1, 0.9: 1}
    assert found.effects.filter(estimand="starved_T")["value"].sum() == 0
    delays = deployment(sweep(two_connections).with_columns(outcome=pl.lit("rtt")))
    assert delays.effects.filter(estimand="starved_C").is_empty()


def test_intervals_that_hold_together_share_the_error_as_decisions_do() -> None:
    found = deployment(sweep(two_connections, sd=0.1))
    assert found.statements == 3 * 3 + 1
    row = value(found, "total")
    wider = np.diff(np.log1p([row["low_together"], row["high_together"]])) / np.diff(
        np.log1p([row["low"], row["high"]])
    )
    assert wider[0] == pytest.approx(stats.t.ppf(1 - 0.025 / 2, 3) / stats.t.ppf(0.975, 3)), "half of the error"


@pytest.mark.parametrize(
    ("effect", "sd", "better", "verdict"),
    [
        (1.5, 0.05, True, "better"),
        (1.5, 0.05, False, "worse"),
        (1.0, 0.05, True, "no worse"),
        (1.1, 0.5, False, "cannot tell"),
        (1.1, 0.05, False, "at the margin"),
    ],
)
def test_verdicts_have_the_words_of_decisions(effect: float, sd: float, better: bool, verdict: str) -> None:
    rows = sweep(lambda treated, share: effect if treated else 1.0, sd=sd, shares=(0.5,), seeds=1, units=400)
    row = value(deployment(rows.drop("seed"), more_is_better=better), "naive", 0.5)
    assert row["verdict"] == verdict
    assert (row["needed"] is not None) == (verdict == "cannot tell")
    if row["needed"]:
        assert row["needed"] > 400
        assert row["needed_of"] == "units"


def by_time(
    test: str, share: Callable[[int, int], float], *, periods: int = 6, places: int = 4, seeds: int = 3
) -> pl.DataFrame:
    """Return outcomes that are a sum of place, and of .2 times the share; ten units per place."""
    rng = np.random.default_rng(3)
    rows = []
    for seed in range(seeds):
        for period in range(periods):
            for unit in range(10 * places):
                place = unit // 10
                dose = share(period, place)
                value = np.exp(0.2 * dose + 0.1 * place + 0.01 * rng.normal())
                labels = {"seed": seed, "period": period, "unit": unit, "place": f"pop {place}"}
                rows.append({**labels, "share": dose, "treated": dose > 0, "value": value})
    return pl.DataFrame(rows).with_columns(test=pl.lit(test), outcome=pl.lit("goodput"))


@pytest.mark.parametrize(
    ("test", "share", "size_of"),
    [
        ("switchback", lambda period, place: float(period % 2), "periods"),
        ("event-study", lambda period, place: float(period >= 3), "periods"),
        ("rollout", lambda period, place: float(period > place), "places"),
    ],
)
def test_tests_by_time_find_an_effect_without_interference(
    test: str, share: Callable[[int, int], float], size_of: str
) -> None:
    truth = sweep(lambda treated, share: np.exp(0.2) if treated else 1.0, seeds=3).select(
        "seed", "share", "unit", "treated", "value", "outcome", period=0, place=pl.lit("")
    ).with_columns(test=pl.lit("sweep"))  # fmt: skip
    rows = by_time(test, share)
    found = deployment(pl.concat([rows, truth], how="diagonal_relaxed"), scales=["log"])
    row = found.tests.filter(test=test).row(0, named=True)
    assert row["estimate"] == pytest.approx(np.expm1(0.2), abs=0.005)
    assert row["bias_low"] < 0 < row["bias_high"]
    assert (row["wrong_sign"], row["wrong_conclusion"]) == (pytest.approx(0), 0)
    assert (row["tests"], row["needed_of"]) == (3, size_of)
    alone = deployment(rows.filter(pl.col("seed") == 0).drop("seed"), scales=["log"]).tests.row(0, named=True)
    assert alone["low"] < np.expm1(0.2) < alone["high"], "a real test has the noise of its periods or places"
    assert alone["bias"] is None


def test_the_burn_in_is_left_out() -> None:
    """The first period after a change has half of the effect."""
    rows = by_time("switchback", lambda period, place: float(period // 2 % 2), periods=8)
    late = rows.with_columns(
        value=pl.col("value") * pl.when((pl.col("period") % 4) == 2).then(np.exp(-0.1)).otherwise(1.0)
    )
    estimates = [deployment(late, scales=["log"], burn_in=each).tests["estimate"][0] for each in (0, 1)]
    assert estimates == pytest.approx(np.expm1([0.15, 0.2]), abs=0.005)
    with pytest.raises(InputError, match="no period is left"):
        deployment(late, burn_in=2)


def test_a_test_of_a_small_share_may_have_the_wrong_sign() -> None:
    """The published paradox: a gain where few have the new control, a loss where most have it."""
    found = deployment(sweep(lambda t, p: 0.95 if t and p == 1 else 1.0 if not t else 1.5 - p, sd=0.02, units=20))
    rows = found.tests.filter(test="ab").sort("share")
    assert rows["wrong_sign"][0] > 0.99
    assert rows["wrong_sign"][2] < 0.01
    assert rows["bias_percent"][0] == pytest.approx(100 * (0.4 + 0.05) / 0.05, rel=0.1)
    equilibrium = found.equilibria.row(0, named=True)
    assert (equilibrium["kind"], equilibrium["stable"], equilibrium["proved"]) == ("inside", True, True)
    assert equilibrium["low"] < 0.5 < equilibrium["high"]
    assert found.equilibria.height == 1, "neither end is an equilibrium"


def test_the_mirror_of_the_paradox_is_unstable_and_has_both_ends() -> None:
    found = deployment(sweep(lambda t, p: 1.0 if not t else 0.5 + p, sd=0.02, units=20))
    assert found.equilibria.select("kind", "stable").rows() == [
        ("inside", False), ("none switches", True), ("all switch", True)
    ]  # fmt: skip


def test_groups_that_differ_are_found() -> None:
    rows = sweep(lambda t, p: 1.0, sd=0.05, units=40, seeds=6).with_columns(
        rtt=pl.when(pl.col("unit") % 2 == 0).then(pl.lit("near")).otherwise(pl.lit("far")),
        access=pl.when(pl.col("unit") < 20).then(pl.lit("cable")).otherwise(pl.lit("fibre")),
    )
    paid = rows.with_columns(
        value=pl.col("value") * pl.when(pl.col("treated") & (pl.col("rtt") == "far")).then(0.7).otherwise(1.0)
    )
    found = deployment(paid, groups=["rtt", "access"])
    total = {row["group"]: row for row in found.groups.filter(estimand="total").iter_rows(named=True)}
    assert total["rtt"]["p"] < 1e-4
    assert (total["rtt"]["lowest_level"], total["rtt"]["lowest"]) == ("far", pytest.approx(-0.3, abs=0.03))
    assert total["access"]["p"] > 0.01
    assert value(found, "total", level="far")["verdict"] == "worse"
    few = deployment(
        paid.filter(pl.col("seed") == 0, pl.col("share") == 0.5, (pl.col("rtt") == "near") | (pl.col("unit") == 1)),
        groups="rtt",
    )
    row = value(few, "naive", 0.5, level="far")
    assert (row["verdict"], row["value"], row["needed_of"]) == ("cannot tell", None, "units")
    assert row["needed"] > 1, "by the noise of all units"


def test_the_interval_of_an_equilibrium_covers_it() -> None:
    held = []
    for seed in range(60):
        rows = sweep(
            lambda t, p: 1.0 if not t else np.exp(0.2 - 0.5 * p),
            sd=0.1,
            units=10,
            seeds=5,
            seed=seed,
            shares=(0.1, 0.5, 0.9),
        )
        inside = deployment(rows, scales=["log"], weights=["unit"]).equilibria.filter(kind="inside")
        held += [row["low"] <= 0.4 <= row["high"] for row in inside.iter_rows(named=True)]
    assert np.mean(held) > 0.88


def test_outcomes_of_tables_of_units() -> None:
    table = pl.DataFrame({
        "period": [1, 1, 1], "user": ["a", "a", "b"], "algorithm": ["bbr3", "cubic", "tcp"], "rtt_class": ["near"] * 3,
        "flows": [2, 1, 4], "goodput": [5.0, 4.0, 3.0], "share": [0.5] * 3,
        "segments_delivered": [10, 20, 30], "flow_seconds": [2.0, 4.0, 5.0],
    })  # fmt: skip
    found = outcomes_of(table, new="bbr3", against="cubic")
    columns = ["unit", "treated", "value", "weight", "share", "rtt_class"]
    assert found.filter(outcome="throughput").select(columns).rows() == [
        ("a", True, 5.0, 2.0, 0.5, "near"), ("a", False, 5.0, 4.0, 0.5, "near")
    ]  # fmt: skip
    assert set(found["outcome"]) == {"goodput", "throughput"}
    assert outcomes_of(table, new="bbr3", outcomes=["goodput"]).height == 3
    for changed, message in (
        ({"new": "bbr"}, "unknown algorithm of the table"),
        ({"against": "reno"}, "unknown algorithm of the table"),
        ({"unit": "hom"}, "unknown column"),
        ({"outcomes": ["rtt"]}, "unknown outcome of the table"),
    ):
        with pytest.raises(InputError, match=message):
            outcomes_of(table, **({"new": "bbr3"} | changed))


GOOD = {
    "unit": [1, 2, 3, 4], "treated": [1, 1, 0, 0], "goodput": [1.0, 2.0, 3.0, 4.0], "share": [0.5] * 4,
    "flows": [1, 2, 3, 4], "rtt": ["near", "far", "near", "far"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "arguments", "message"),
    [
        ({"treated": [0] * 4}, {}, "treated: no unit with the new control. Allowed"),
        ({"treated": [1] * 4}, {}, "no unit without it"),
        ({"treated": ["new", "new", "old", "old"]}, {}, 'arms are "new" and "old". Allowed: .*new="old"'),
        ({"treated": ["new", "new", "old", "old"]}, {"new": "bbr"}, 'new = "bbr": no such arm. Allowed: new and old'),
        ({"treated": ["new", "new", "old", "older"]}, {"new": "new"}, "3 arms"),
        ({"treated": [1, 1, None, 0]}, {}, "a row without an arm"),
        ({"share": [5.0] * 4}, {}, "share = 5.0: not a share. Allowed: 0 to 1"),
        ({"share": [0.5, None, 0.5, 0.5]}, {}, "share: empty in some rows"),
        ({"flows": [1, 1, -1, 1]}, {"weight": "flows"}, "weight = -1.0: not a weight. Allowed: at least 0"),
        ({"unit": [1, 1, 1, 1]}, {"assignment": "flow"}, "one unit. Allowed: at least 2"),
        ({"unit": [1, 2, 1, 4]}, {}, "1 unit with and without the new control in one period"),
        ({"unit": [1, None, 3, 4]}, {}, "unit: empty in some rows"),
        ({"goodput": ["a", "b", "c", "d"]}, {}, "value = .*: not numbers"),
        ({"goodput": [np.inf, 1, 1, 1]}, {}, "value: infinite"),
        ({"goodput": [None] * 4}, {}, "no row has a value"),
        ({}, {"unit": "user"}, 'unit = "user": unknown column'),
        ({}, {"value": "goodputs"}, 'value = "goodputs": unknown column'),
        ({}, {"user": "unit"}, 'columns = "user": unknown column of outcomes'),
        ({}, {"groups": ["rt"]}, r'groups\[0\] = "rt": unknown column'),
        ({}, {"value": ["goodput"], "outcome": "rtt"}, "names of outcomes twice"),
        ({"mbps": [1.0] * 4}, {"value": "mbps"}, 'more_is_better = "mbps": direction is not known'),
        ({}, {"more_is_better": {"rtt": False}}, 'more_is_better = "rtt": unknown outcome'),
        ({}, {"scales": ["ratios"]}, 'scales = "ratios": unknown scale'),
        ({}, {"scales": []}, "scales: empty"),
        ({}, {"weights": ["weight"]}, "the table has no weights"),
        ({}, {"confidence": 95}, "confidence = 95: out of range"),
        ({}, {"margin": 0}, "not a margin"),
        ({}, {"precision": 0}, "not a precision"),
        ({}, {"starved": 1}, "starved = 1: out of range"),
        ({}, {"burn_in": -1}, "not a number of periods"),
        ({}, {"assignment": "home"}, "unknown assignment"),
        ({"test": ["ab-test"] * 4}, {}, 'test = "ab-test": unknown design of a test'),
        ({"test": ["switchback"] * 4}, {}, "one share in a switchback"),
        ({"test": ["rollout"] * 4}, {}, "a roll-out without places"),
        ({"test": ["event-study"] * 4, "share": [0, 1, 0, 1]}, {}, "several shares in one period of a event-study"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(changed: dict, arguments: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        deployment({**GOOD, **changed}, **({"value": "goodput"} | arguments))


@pytest.mark.parametrize("bad", [[1, 2], None, "table.csv"])
def test_something_else_than_a_frame_is_refused(bad: object) -> None:
    with pytest.raises(InputError, match="no frame"):
        deployment(bad)
