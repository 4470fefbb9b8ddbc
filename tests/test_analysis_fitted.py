"""Models of chosen terms, alternatives, batch means, outliers, power and partial aliasing, on published data."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy import stats
from scipy.signal import lfilter

from mesonet import analysis, designs
from mesonet.analysis.alternatives import dunnett_tail
from mesonet.cli.verbs import main
from mesonet.errors import InputError

#: A chemical process (Montgomery, Design and Analysis of Experiments, example 11.2): central composite, yield in %.
PROCESS = {
    "time": [80, 80, 90, 90, 85, 85, 85, 85, 85, 92.07, 77.93, 85, 85],
    "temp": [170, 180, 170, 180, 175, 175, 175, 175, 175, 175, 175, 182.07, 167.93],
    "yield": [76.5, 77.0, 78.0, 79.5, 79.9, 80.3, 80.0, 79.7, 79.8, 78.4, 75.6, 78.5, 77.0],
}
#: Cycles to failure of worsted yarn (Box and Cox 1964).
WOOL = [
    674, 370, 292, 338, 266, 210, 170, 118, 90, 1414, 1198, 634, 1022, 620, 438, 442, 332, 220, 3636, 3184, 2000, 1568,
    1070, 566, 1140, 884, 360,
]  # fmt: skip
#: Life of batteries in hours by material and temperature (Montgomery, table 5.1).
BATTERY = {
    ("one", 15): [130, 155, 74, 180], ("one", 70): [34, 40, 80, 75], ("one", 125): [20, 70, 82, 58],
    ("two", 15): [150, 188, 159, 126], ("two", 70): [136, 122, 106, 115], ("two", 125): [25, 70, 58, 45],
    ("three", 15): [138, 110, 168, 160], ("three", 70): [174, 120, 150, 139], ("three", 125): [96, 104, 82, 60],
}  # fmt: skip
#: Logarithm of the life of cast parts, Plackett-Burman in 12 runs (Hamada and Wu 1992, factors A to G).
CAST_SIGNS = (
    "++-+++-", "+-+++--", "-+++---", "+++---+", "++---+-", "+---+-+", "---+-++", "--+-++-", "-+-++-+", "+-++-++",
    "-++-+++", "-------",
)  # fmt: skip
CAST_LIFE = [6.058, 4.733, 4.625, 5.899, 7.000, 5.752, 5.682, 6.607, 5.818, 5.917, 5.863, 4.809]
CAST = np.array([[1 if sign == "+" else -1 for sign in row] for row in CAST_SIGNS])
#: Etch rate by power (Montgomery, table 3.1).
ETCH = {
    160: [575, 542, 530, 539, 570], 180: [565, 593, 590, 579, 610], 200: [600, 651, 610, 637, 629],
    220: [725, 700, 715, 685, 710],
}  # fmt: skip
#: Extruded grafts by pressure, in blocks of resin (Montgomery, table 4.3).
GRAFTS = {
    8500: [90.3, 89.2, 98.2, 93.9, 87.4, 97.9], 8700: [92.5, 89.5, 90.6, 94.7, 87.0, 95.8],
    8900: [85.5, 90.8, 89.6, 86.2, 88.0, 93.4], 9100: [82.5, 89.5, 85.6, 87.4, 78.9, 90.7],
}  # fmt: skip
#: Hours of sleep with two drugs (Student 1908).
SLEEP = ([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0], [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
#: Rosner's data (e-Handbook, section 1.3.5.17.3).
ROSNER = [
    -0.25, 0.68, 0.94, 1.15, 1.20, 1.26, 1.26, 1.34, 1.38, 1.43, 1.49, 1.49, 1.55, 1.56, 1.58, 1.65, 1.69, 1.70, 1.76,
    1.77, 1.81, 1.91, 1.94, 1.96, 1.99, 2.06, 2.09, 2.10, 2.14, 2.15, 2.23, 2.24, 2.26, 2.35, 2.37, 2.40, 2.47, 2.54,
    2.62, 2.64, 2.90, 2.92, 2.92, 2.93, 3.21, 3.26, 3.30, 3.59, 3.68, 4.30, 4.64, 5.34, 5.42, 6.01,
]  # fmt: skip


def long(values: dict) -> dict[str, list]:
    """Return groups of values as columns; the place in a group is its block."""
    rows = [(group, place, value) for group, own in values.items() for place, value in enumerate(own)]
    return {name: [row[at] for row in rows] for at, name in enumerate(("group", "block", "value"))}


def test_the_quadratic_model_of_the_chemical_process() -> None:
    found = analysis.fit_model(PROCESS, "yield", unit="%")
    rows = {row["source"]: row for row in found.anova().iter_rows(named=True)}
    assert rows["residual"]["squares"] == pytest.approx(0.50, abs=0.005)
    assert rows["lack of fit"]["f"] == pytest.approx(1.78, abs=0.02)
    assert rows["lack of fit"]["p"] == pytest.approx(0.2897, abs=0.002)
    assert rows["pure error"]["squares"] == pytest.approx(0.212)
    assert rows["time"]["f"] == pytest.approx(111.93, rel=0.005)
    assert found.fit.press == pytest.approx(2.35, abs=0.01)
    assert (found.r_squared, found.adjusted) == pytest.approx((0.9828, 0.9705), abs=2e-4)
    assert found.predicted_r_squared == pytest.approx(0.9184, abs=5e-4)
    point = found.stationary
    assert point.kind == "maximum"
    assert point.is_proven
    assert point.settings == pytest.approx({"time": 86.95, "temp": 176.53}, abs=0.01)
    assert point.value == pytest.approx(80.21, abs=0.005)
    # The book's factors are coded by 5 units of each, and these from end to end of the axial runs.
    assert np.array(point.eigenvalues) / 1.414**2 == pytest.approx([-0.9634, -1.4141], abs=0.001)
    assert found.highest.value == pytest.approx(point.value, abs=1e-6)
    assert found.box_cox.low < 1 < found.box_cox.high


def test_predictions_are_those_of_least_squares_by_hand() -> None:
    found = analysis.fit_model(PROCESS, "yield")
    time, temp = ((np.array(PROCESS[name]) - centre) / 5 for name, centre in (("time", 85), ("temp", 175)))
    x = np.column_stack([np.ones(13), time, temp, time * temp, time**2, temp**2])
    own, rest, *_ = np.linalg.lstsq(x, np.array(PROCESS["yield"]))
    row = np.array([1, 0.4, -0.2, -0.08, 0.16, 0.04])
    spread = rest[0] / 7 * row @ np.linalg.inv(x.T @ x) @ row
    there = found.predict({"time": 87, "temp": 174}).row(0, named=True)
    half, wide = (stats.t.ppf(0.975, 7) * np.sqrt(each) for each in (spread, spread + rest[0] / 7))
    assert there["mean"] == pytest.approx(row @ own)
    assert (there["low"], there["high"]) == pytest.approx((row @ own - half, row @ own + half))
    assert (there["run_low"], there["run_high"]) == pytest.approx((row @ own - wide, row @ own + wide))
    assert found.predict([{"time": 85, "temp": 175}, {"time": 86, "temp": 175}]).height == 2


def test_saddles_ridges_and_doubtful_points_are_named() -> None:
    x = designs.central_composite(2, centre_points=3)
    noise = np.random.default_rng(3).normal(0, 0.01, len(x))
    columns = {"a": x[:, 0], "b": x[:, 1]}
    saddle = analysis.fit_model({**columns, "y": x[:, 0] ** 2 - x[:, 1] ** 2 + noise}, "y").stationary
    assert (saddle.kind, saddle.is_proven) == ("saddle", True)
    valley = analysis.fit_model({**columns, "y": x[:, 0] ** 2 + 0.001 * x[:, 1] + noise}, "y")
    assert not valley.stationary.is_proven
    assert "not proven" in repr(valley)
    assert analysis.fit_model({**columns, "y": x[:, 0] ** 2 + noise}, "y", terms="linear").stationary is None


def test_the_logarithm_of_the_wool_data_is_suggested() -> None:
    rows = list(product((250, 300, 350), (8, 9, 10), (40, 45, 50)))
    table = {name: [row[at] for row in rows] for at, name in enumerate(("length", "amplitude", "load"))}
    found = analysis.fit_model({**table, "cycles": WOOL}, "cycles", terms="linear")
    assert found.box_cox.power == pytest.approx(-0.0593, abs=5e-4)
    assert (found.box_cox.low, found.box_cox.high) == pytest.approx((-0.183, 0.064), abs=0.002)
    assert found.box_cox.advice == "its logarithm"
    logs = analysis.fit_model({**table, "log_cycles": np.log(WOOL)}, "log_cycles", terms="linear")
    assert logs.box_cox.advice == ""
    assert logs.r_squared > found.r_squared + 0.1


def test_words_and_numbers_of_the_battery_experiment() -> None:
    rows = [(material, f"{heat} F", life) for (material, heat), own in BATTERY.items() for life in own]
    table = {name: [row[at] for row in rows] for at, name in enumerate(("material", "heat", "life"))}
    found = analysis.fit_model(table, "life", terms="interactions")
    rows = {row["source"]: row for row in found.anova().iter_rows(named=True)}
    assert [rows[name]["f"] for name in ("material", "heat", "material*heat")] == pytest.approx(
        [7.91, 28.97, 3.56], abs=0.005
    )
    assert rows["material*heat"]["p"] == pytest.approx(0.0186, abs=5e-5)
    assert rows["residual"]["squares"] == pytest.approx(18_230.75)
    assert rows["material"]["freedom"] == 2


def test_blocks_take_their_differences_off() -> None:
    rng = np.random.default_rng(7)
    x = designs.central_composite(2, centre_points=6)
    day = ["mon"] * 4 + ["tue"] * 4 + ["mon", "tue"] * 3
    y = 50 + 2 * x[:, 0] - x[:, 1] ** 2 + 40 * (np.array(day) == "tue") + rng.normal(0, 0.2, len(x))
    table = {"a": x[:, 0], "b": x[:, 1], "day": day, "y": y}
    with_blocks = analysis.fit_model(table, "y", block="day")
    without = analysis.fit_model(table, "y", factors=["a", "b"])
    assert with_blocks.sd < 0.5 < 5 < without.sd
    lack, pure = with_blocks.lack_of_fit
    assert pure.freedom == 4  # of the 6 centre points, less the difference of the days
    assert lack.p > 0.01
    assert "blocks" in with_blocks.anova()["source"].to_list()


def test_robust_errors_are_those_of_their_formula() -> None:
    rng = np.random.default_rng(1)
    x = np.repeat([-1.0, 1.0], 6)
    y = 3 * x + rng.normal(size=12) * np.where(x > 0, 5, 0.1)
    found = analysis.fit_model({"x": x, "y": y}, "y", terms="linear", errors="hc3")
    model = np.column_stack([np.ones(12), x])
    inverse = np.linalg.inv(model.T @ model)
    rest = y - model @ inverse @ model.T @ y
    scaled = rest / (1 - np.einsum("ij,jk,ik->i", model, inverse, model))
    expected = inverse @ model.T @ np.diag(scaled**2) @ model @ inverse
    assert found.fit.covariance == pytest.approx(expected)
    assert found.tests[0].f == pytest.approx(found.fit.coefficient[1] ** 2 / expected[1, 1])


@pytest.mark.parametrize("errors", ["equal", "hc3"])
def test_false_alarms_of_unequal_variances(errors: str) -> None:
    """A 2^2 with 10 times the noise at one combination of levels, in 4 replicates; see docs/explanation/effects.md."""
    rng = np.random.default_rng(5)
    x = np.tile(designs.two_level(2).matrix.astype(float), (4, 1))
    sd = np.where((x == 1).all(axis=1), 10.0, 1.0)
    hits = []
    for _ in range(400):
        table = {"a": x[:, 0], "b": x[:, 1], "y": rng.normal(size=16) * sd}
        hits += [test.p < 0.05 for test in analysis.fit_model(table, "y", terms="linear", errors=errors).tests]
    assert (np.mean(hits) < 0.12) if errors == "hc3" else (np.mean(hits) < 0.2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"terms": "cubic"}, "unknown model"),
        ({"terms": ["time", "speed"]}, "unknown factor"),
        ({"terms": ["time", "time"]}, "each term once"),
        ({"terms": ["time", "temp^9"]}, "not a power"),
        ({"terms": []}, "at least one"),
        (
            {"terms": [f"{a}*{b}^{n}" for a in ("time", "temp") for b in ("time",) for n in (1, 2, 3)]},
            "cannot be distinguished",
        ),
        ({"factors": ["speed"]}, "unknown column"),
        ({"factors": "time"}, "a sequence of names"),
        ({"errors": "robust"}, "unknown kind of errors"),
        ({"block": "day"}, "unknown column"),
        ({"factors": ["yield"]}, "is the response"),
    ],
)
def test_models_that_cannot_be_are_refused(options: dict, message: str) -> None:
    with pytest.raises(InputError) as error:
        analysis.fit_model(PROCESS, "yield", **options)
    assert message in str(error.value)


def test_settings_outside_of_the_runs_are_refused() -> None:
    found = analysis.fit_model(PROCESS, "yield")
    for settings, message in (
        ({"time": 100, "temp": 175}, "77.93 to 92.07"),
        ({"time": 80}, "a value for each factor"),
        ({"time": 80, "temp": 175, "speed": 1}, "unknown factor"),
        ({"time": "x", "temp": 175}, "not a setting"),
    ):
        with pytest.raises(InputError, match=message):
            found.predict(settings)


def test_names_and_kinds_of_columns_are_free() -> None:
    table = {2: [1, 2, 3, 1, 2, 3], "a b": [True, False, True, True, False, False], "run": list("xxyyxy")}
    found = analysis.fit_model({**table, "mean": [1.0, 2.0, 4.0, 3.0, 6.0, 5.0]}, "mean", terms="linear")
    assert [each.name for each in found.factors] == ["2", "a b", "run"]
    assert found.predict({"2": 2, "a b": True, "run": "x"}).height == 1
    for name in ("a*b", "-a"):
        with pytest.raises(InputError, match="without"):
            analysis.fit_model({name: [1, 2, 3], "y": [1, 2, 4]}, "y")


def test_few_runs_and_dependent_terms_are_refused_or_untested() -> None:
    with pytest.raises(InputError, match="cannot estimate 6 coefficients"):
        analysis.fit_model({name: own[4:9] + own[:1] * 0 for name, own in PROCESS.items()} | {
            "time": [80, 85, 90, 85, 85], "temp": [170, 175, 180, 180, 170]}, "yield")  # fmt: skip
    with pytest.raises(InputError, match=r"b.*cannot be distinguished"):
        analysis.fit_model({"a": [1, 2, 3, 1], "b": [2, 4, 6, 2], "y": [1, 2, 4, 3]}, "y", terms="linear")
    full = analysis.fit_model({"a": [1, 2, 3], "y": [1.0, 3.0, 2.0]}, "y")
    assert np.isnan(full.sd)
    assert "no degree of freedom" in repr(full)
    with pytest.raises(InputError, match="the same in all runs"):
        analysis.fit_model({"a": [1, 2, 3], "y": [1e12] * 3}, "y")


def test_offsets_lose_nothing() -> None:
    shifted = {**PROCESS, "yield": (np.array(PROCESS["yield"]) + 2.0**40).tolist()}
    far, near = analysis.fit_model(shifted, "yield"), analysis.fit_model(PROCESS, "yield")
    assert far.sd == pytest.approx(near.sd, rel=1e-2)
    assert far.stationary.settings == pytest.approx(near.stationary.settings, rel=1e-3)


def test_the_cast_fatigue_experiment_has_one_factor_and_one_interaction() -> None:
    """Hamada and Wu: F explains 45 %, and with FG 89 %; 5.73 + 0.458 F - 0.459 FG."""
    found = analysis.partial_aliasing(CAST, CAST_LIFE, factors=list("ABCDEFG"))
    assert found.terms == ("F", "F*G")
    assert found.effect / 2 == pytest.approx([0.458, -0.459], abs=5e-4)
    assert found.r_squared == pytest.approx([0.45, 0.89], abs=0.006)
    assert found.mean == pytest.approx(5.73, abs=0.001)
    assert found.chance < 0.05
    again = analysis.partial_aliasing(CAST, CAST_LIFE, factors=list("ABCDEFG"))
    assert again.chance == found.chance


def test_noise_alone_is_called_chance() -> None:
    rng = np.random.default_rng(11)
    chances = [analysis.partial_aliasing(CAST, rng.normal(size=12)).chance for _ in range(60)]
    assert np.mean([chance < 0.1 for chance in chances]) < 0.25
    strong = analysis.partial_aliasing(CAST, CAST[:, 0] * CAST[:, 1] + 0.1 * rng.normal(size=12), heredity="strong")
    assert "x1*x2" not in strong.terms


def test_blocks_and_lost_runs_of_partial_aliasing() -> None:
    design = designs.blocks(designs.two_level(4), 2).design
    x = design.matrix
    y = 3 * x[:, 0] + 2 * x[:, 0] * x[:, 2] + 50 * np.array(design.block) + 0.1 * np.sin(np.arange(16))
    y[3] = np.nan
    assert analysis.partial_aliasing(design, y).terms == ("X1", "X1*X3")
    for given, message in (({"heredity": "none"}, "unknown heredity"), ({"alpha": 2}, "level of significance")):
        with pytest.raises(InputError, match=message):
            analysis.partial_aliasing(CAST, CAST_LIFE, **given)


def test_tukey_s_intervals_of_the_etch_rates() -> None:
    found = analysis.compare_alternatives(long(ETCH), "value", "group")
    assert found.method == "Tukey"
    assert (found.high - found.difference) == pytest.approx([33.05] * 6, abs=0.01)
    expected = stats.tukey_hsd(*ETCH.values())
    assert found.p == pytest.approx([expected.pvalue[i, j] for i in range(4) for j in range(i + 1, 4)], abs=1e-10)


def test_dunnett_s_intervals_of_the_etch_rates() -> None:
    found = analysis.compare_alternatives(long(ETCH), "value", "group", against=220)
    assert found.method == "Dunnett"
    assert (found.high - found.difference) == pytest.approx([29.92] * 3, abs=0.05)  # d = 2.59, rounded in the book
    shrunk = long({160: ETCH[160], 180: ETCH[180][:3], 200: ETCH[200][:4]})
    own = analysis.compare_alternatives(shrunk, "value", "group", against="160")
    expected = stats.dunnett(ETCH[180][:3], ETCH[200][:4], control=ETCH[160], rng=1)
    assert own.p == pytest.approx(expected.pvalue, abs=2e-3)
    assert dunnett_tail(2.131, np.array([0.9]), 15) == pytest.approx(0.05, abs=1e-4)  # one alternative: Student's t


def test_alternatives_in_blocks() -> None:
    found = analysis.compare_alternatives(long(GRAFTS), "value", "group", block="block")
    sd = 7.33**0.5
    half = stats.studentized_range.ppf(0.95, 4, 15) * sd / 6**0.5
    assert (found.high - found.difference) == pytest.approx([half] * 6, rel=1e-3)
    assert [pair for pair, p in zip(found.pairs, found.p, strict=True) if p < 0.05] == [
        ("8500", "9100"), ("8700", "9100")]  # fmt: skip
    assert "would be found" in repr(found)


def test_student_s_sleep_is_paired_or_welch() -> None:
    table = long({"two": SLEEP[1], "one": SLEEP[0]})
    paired = analysis.compare_alternatives(table, "value", "group", block="block")
    assert (paired.method, paired.difference[0]) == ("paired t", pytest.approx(1.58))
    assert paired.p[0] == pytest.approx(0.002833, abs=1e-6)
    assert (paired.low[0], paired.high[0]) == pytest.approx((0.7001142, 2.4598858), abs=1e-6)
    welch = analysis.compare_alternatives(table, "value", "group")
    assert (welch.method, welch.p[0]) == ("Welch's t", pytest.approx(0.07939414, abs=1e-7))


def test_lost_and_lonely_values_of_alternatives() -> None:
    table = long({"a": [1.0, 2.0, None], "b": [2.0, 2.5, 4.0], "c": [3.0, 5.0, 6.0]})
    found = analysis.compare_alternatives(table, "value", "group", block="block")
    assert found.blocks == 2
    assert any("1 block of 3" in note for note in found.notes)
    lonely = analysis.compare_alternatives({"g": ["a", "b"], "y": [1, 2]}, "y", "g")
    assert "not tested" in repr(lonely)
    for options, message in (({"against": "z"}, "unknown alternative"), ({"block": "day"}, "unknown column")):
        with pytest.raises(InputError, match=message):
            analysis.compare_alternatives(table, "value", "group", **options)
    apart = {"g": ["a", "b"] * 2, "s": [1, 2, 3, 4], "y": [1, 2, 3, 4]}
    with pytest.raises(InputError, match="no block has all alternatives"):
        analysis.compare_alternatives(apart, "y", "g", block="s")


def test_batch_means_cover_the_mean_of_an_autoregressive_run() -> None:
    """Successive values correlate by 0.9: batches of 1000 are independent, and batches of 10 are not."""
    rng = np.random.default_rng(4)
    covered = []
    for _ in range(200):
        shock = rng.normal(size=20_500)
        values = lfilter([1], [1, -0.9], shock)[500:]
        found = analysis.batch_means(values)
        covered.append(abs(found.mean) <= found.half_width)
    assert 0.90 <= np.mean(covered) <= 0.99
    short = analysis.batch_means(values[:300], batches=30)
    assert short.p < 0.05
    assert "too short" in short.notes[0]
    assert analysis.batch_means([*range(100), *[5.0, 7.0] * 100], warm_up=100, batches=10).mean == 6
    for options, message in (
        ({"batches": 3}, "at least 5"),
        ({"warm_up": -1}, "warm_up"),
        ({"batches": 3000}, "short"),
    ):
        with pytest.raises(InputError, match=message):
            analysis.batch_means(values, **options)


def test_rosner_s_outliers() -> None:
    found = analysis.outliers(ROSNER, most=10)
    statistics = [3.118, 2.942, 3.179, 2.810, 2.815, 2.848, 2.279, 2.310, 2.101, 2.067]
    critical = [3.158, 3.151, 3.143, 3.136, 3.128, 3.120, 3.111, 3.103, 3.094, 3.085]
    assert found.statistic == pytest.approx(statistics, abs=1e-3)
    assert found.critical == pytest.approx(critical, abs=1e-3)
    assert found.number == 3
    assert [ROSNER[place] for place in found.outliers] == [6.01, 5.42, 5.34]
    assert analysis.outliers([1.0] * 20, most=3).number == 0
    with pytest.raises(InputError, match="1 to 51"):
        analysis.outliers(ROSNER, most=52)


def test_simulated_limits_of_lenth_s_test() -> None:
    """Multipliers of simulations in Montgomery, section 6.5: 2.295, 2.140, 2.082 and 4.891, 4.163, 4.030."""
    for number, single, largest in ((7, 2.295, 4.891), (15, 2.140, 4.163), (31, 2.082, 4.030)):
        effects = np.ones(number)
        found = analysis.lenth(effects, limits="simulated")
        assert found.me / found.pse == pytest.approx(single, rel=0.02)
        assert found.sme / found.pse == pytest.approx(largest, rel=0.035)
    with pytest.raises(InputError, match="unknown kind of limits"):
        analysis.lenth([1, 2, 3], limits="exact")
    rng = np.random.default_rng(9)
    noise = rng.normal(size=(500, 7))
    stars = {
        limits: np.mean([analysis.lenth(each, limits=limits).active(each) for each in noise])
        for limits in ("t", "simulated")
    }
    assert stars["t"] < 0.02 < 0.04 < stars["simulated"] < 0.06
    x = designs.two_level(3)
    wide = analysis.terms(x, noise[:2].ravel()[:8])
    tight = analysis.terms(x, noise[:2].ravel()[:8], limits="simulated")
    assert tight.noise.me < wide.noise.me


def test_power_is_the_share_of_simulated_experiments() -> None:
    rng = np.random.default_rng(2)
    x = np.tile(designs.two_level(2).matrix, (3, 1)).astype(float)
    hits = []
    for _ in range(1500):
        y = 0.75 * x[:, 0] + rng.normal(size=12)
        cells = y.reshape(3, 4)
        error = 2 * np.sqrt(cells.var(axis=0, ddof=1).mean() / 12)
        effect = y[x[:, 0] > 0].mean() - y[x[:, 0] < 0].mean()
        hits.append(abs(effect) > stats.t.ppf(0.975, 8) * error)
    found = analysis.design_power(designs.two_level(2), 1.5, replicates=3)
    assert found.power[2] == pytest.approx(np.mean(hits), abs=0.035)
    alone = analysis.design_power(designs.two_level(3), 2.0)
    assert alone.noise[:2] == ("Lenth", "replicates")
    model = analysis.design_power(designs.central_composite(3), 2.0, terms="quadratic")
    assert model.freedom[0] == 18 - 10
    assert model.needed(0.5) == 1
    for options, message in (
        ({"effect": 0}, "above 0"), ({"effect": 1, "sd": -1}, "sd = -1"), ({"effect": 1, "replicates": 0}, "1 to 100"),
        ({"effect": 1, "terms": "interactions", "design": designs.plackett_burman(11, 12)}, "estimate the terms"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            analysis.design_power(**{"design": designs.two_level(2), **options})


def ishigami(x: np.ndarray) -> np.ndarray:
    z = np.pi * x
    return np.sin(z[:, 0]) + 7 * np.sin(z[:, 1]) ** 2 + 0.1 * z[:, 2] ** 4 * np.sin(z[:, 0])


def test_sobol_indices_of_ishigami_s_function() -> None:
    """Closed form with a = 7 and b = 0.1."""
    x = designs.saltelli(3, 5 * 2048)
    found = analysis.sobol_indices(x, ishigami(x))
    first, total = [0.3139, 0.4424, 0.0], [0.5576, 0.4424, 0.2437]
    assert found.first == pytest.approx(first, abs=0.02)
    assert found.total == pytest.approx(total, abs=0.02)
    assert ((found.first_low <= first) & (first <= found.first_high)).all()
    assert ((found.total_low <= total) & (total <= found.total_high)).all()
    assert found.variance == pytest.approx(13.845, rel=0.02)


def test_sobol_indices_of_the_g_function_and_of_scipy() -> None:
    a = np.array([0.0, 1.0, 4.5, 9.0])
    x = designs.saltelli(4, 6 * 4096)

    def g(points: np.ndarray) -> np.ndarray:
        return np.prod((np.abs(2 * points + 0.0) + a) / (1 + a), axis=1)

    found = analysis.sobol_indices(x, g(x), factors=list("abcd"))
    own = 1 / (3 * (1 + a) ** 2)
    whole = np.prod(1 + own) - 1
    assert found.first == pytest.approx(own / whole, abs=0.02)
    assert found.total == pytest.approx(own * np.prod(1 + own) / (1 + own) / whole, abs=0.02)
    value = g(x).reshape(6, 1, 4096)
    expected = stats.sobol_indices(func={"f_A": value[0], "f_B": value[1], "f_AB": value[2:]}, n=4096)
    assert found.total == pytest.approx(expected.total_order.ravel(), abs=1e-3)
    assert found.first == pytest.approx(expected.first_order.ravel(), abs=0.01)


def test_replicates_take_the_noise_out_of_indices() -> None:
    rng = np.random.default_rng(8)
    x = designs.saltelli(3, 5 * 1024)
    noisy = ishigami(x)[:, None] + rng.normal(0, 3, (len(x), 3))
    corrected = analysis.sobol_indices(x, noisy)
    plain = analysis.sobol_indices(x, noisy[:, 0])
    assert corrected.noise == pytest.approx(3.0, rel=0.05)
    assert corrected.total == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.06)
    assert plain.total[2] > 0.4
    assert "Without replicates" in plain.notes[0]
    holes = noisy.copy()
    holes[5] = np.nan
    assert "1 base point of 1024" in analysis.sobol_indices(x, holes).notes[0]
    for points, message in ((x[:-1], "no plan"), (x[::-1], "no plan"), (x[:, 0], "not points")):
        with pytest.raises(InputError, match=message):
            analysis.sobol_indices(points, np.ones(len(points)))


def test_elementary_effects_of_a_plane_and_a_product() -> None:
    x = designs.morris(4, 5 * 40, seed=2)
    y = 5 * x[:, 0] - x[:, 1] + 3 * x[:, 2] * x[:, 3]
    found = analysis.morris_effects(x, y)
    assert found.mean[:2] == pytest.approx([10, -2])
    assert found.size[:2] == pytest.approx([10, 2])
    assert found.spread[:2] == pytest.approx([0, 0], abs=1e-9)
    assert (found.spread[2:] > 2).all()
    real = x * [10, 1, 0.5, 2] + [0, 5, 0, 0]
    assert analysis.morris_effects(real, y).size == pytest.approx(found.size)
    rng = np.random.default_rng(1)
    noisy = analysis.morris_effects(x, y[:, None] + rng.normal(0, 2, (len(x), 2)))
    inert = analysis.morris_effects(x, rng.normal(0, 2, (len(x), 2)))
    assert noisy.mean[0] == pytest.approx(10, abs=1)
    assert inert.size == pytest.approx(inert.noise, rel=0.35)
    with pytest.raises(InputError, match="no plan for elementary effects"):
        analysis.morris_effects(x[::-1][:-1], y[:-1])


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--method", "model"], "The stationary point is a maximum"),
        (["--method", "model", "--terms", "time,time^2", "--factors", "time"], "2 terms"),
        (["--method", "model", "--at", "time=85,temp=175", "--json"], '"prediction"'),
        (["--method", "outliers", "--most", "3"], "Outliers: number 0"),
        (["--method", "model", "--errors", "hc3"], "Beyond chance"),
    ],
)
def test_methods_of_the_command(words: list[str], part: str, tmp_path: Path) -> None:
    file = tmp_path / "process.csv"
    pl.DataFrame(PROCESS, strict=False).write_csv(file)
    result = CliRunner().invoke(main, ["analyze", str(file), "--response", "yield", *words])
    assert result.exit_code == 0, result.output
    assert part in result.output


def test_other_methods_of_the_command(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    pl.DataFrame(long(GRAFTS)).write_csv(file)
    run = CliRunner().invoke
    words = ["analyze", str(file), "--response", "value"]
    blocks = run(
        main, [*words, "--method", "alternatives", "--factors", "group", "--block", "block", "--against", "8500"]
    )
    assert "9100 is below 8500" in blocks.output
    pl.DataFrame({**{name: CAST[:, at] for at, name in enumerate("ABCDEFG")}, "life": CAST_LIFE}).write_csv(file)
    cast = run(main, ["analyze", str(file), "--response", "life", "--method", "aliasing", "--json"])
    assert '"F*G"' in cast.output
    pl.DataFrame({"y": np.sin(np.arange(400.0))}).write_csv(file)
    batches = run(main, ["analyze", str(file), "--response", "y", "--method", "batch-means", "--batches", "10"])
    assert "half_width" in batches.output
    x = designs.saltelli(2, 4 * 64)
    plan = designs.plan(x, {"a": (0, 1), "b": (0, 1)}, responses=["y"], randomise=1)
    plan.with_columns(y=3 * plan["a"] + plan["b"]).write_csv(file)
    indices = run(
        main, ["analyze", str(file), "--response", "y", "--method", "sobol", "--json", "--out", str(tmp_path / "o")]
    )
    shares = {row["factor"]: row["first"] for row in json.loads(indices.stdout)["table"]}
    assert shares == pytest.approx({"a": 0.9, "b": 0.1}, abs=0.1)
    assert (tmp_path / "o" / "sobol.csv").exists()
    for given, message in (
        (["--method", "alternatives"], "alternatives need one column"),
        (["--method", "outliers"], "--most: missing"),
        (["--method", "model", "--most", "3"], "goes with --method outliers"),
        (["--method", "model", "--at", "a"], "not settings"),
        (["--method", "morris"], "no plan for elementary effects"),
    ):
        refused = run(main, ["analyze", str(file), "--response", "y", *given])
        assert refused.exit_code == 2
        assert message in refused.output


def test_outliers_of_too_few_values_are_refused_with_what_is_allowed() -> None:
    with pytest.raises(InputError, match=r"values = 3: too few values\. Allowed: at least 4"):
        analysis.outliers([1.0, 2.0, 3.0], most=1)
