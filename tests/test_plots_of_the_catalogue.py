"""The figures of the catalogue: the marks that must be there are, degenerate input is drawn, nothing says undefined."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

from fragments import holds
from mesonet import analysis, designs, plots
from mesonet.charts.index_index import tables as index_tables
from mesonet.reporting.figures.blocks import table as block_table
from mesonet.reporting.figures.contour import table as contour_table
from mesonet.reporting.figures.flow_states import STATES
from mesonet.reporting.figures.half_normal import table as terms_table
from mesonet.reporting.figures.scatter_matrix import tables as scatter_tables
from test_plots import drawn, marks

pytestmark = pytest.mark.slow

PLANT = designs.two_level(["A", "B", "C", "D"])
RATE = np.array([45, 71, 48, 65, 68, 60, 80, 65, 43, 100, 45, 104, 75, 86, 70, 96], dtype=float)
ALGORITHMS = ["tcp", "bic", "fast", "htcp", "cubic"]
RESPONSES = {
    "textbook": RATE, "constant": np.full(16, 3.0), "nothing": np.full(16, np.nan), "one": np.r_[1.0, [np.nan] * 15],
    "half": np.where(np.arange(16) % 2, np.nan, RATE),
}  # fmt: skip


def of_steps(steps):
    return [
        plots.ordered_data(steps.ordered, title="t", response="rate"),
        plots.factor_scatter(steps.scatter, title="t", response="rate"),
        plots.main_effects(steps.effects, title="t", response="rate"),
        plots.interactions(steps.interactions, margin=steps.terms.noise.me, title="t"),
        plots.blocks(steps.blocks, title="t", response="rate"),
        plots.youden(steps.terms, title="t", response="rate"),
        plots.effect_sizes(steps.terms, title="t", response="rate"),
        plots.half_normal(steps.terms, title="t", response="rate"),
        plots.contour(steps.contour, title="t", response="rate"),
        plots.active_factors(analysis.box_meyer(PLANT, RATE), title="t", response="rate"),
    ]


@pytest.mark.parametrize("kind", RESPONSES)
def test_the_ten_steps_are_drawn_whatever_the_response(kind):
    for chart in of_steps(analysis.ten_steps(PLANT, RESPONSES[kind])):
        texts, _ = drawn(chart)
        assert "t" in texts


def test_ordered_data_show_every_run_and_sign():
    texts, root = drawn(plots.ordered_data(analysis.ordered_data(PLANT, RATE), response="rate"))
    assert marks(root, "symbol") == 16
    assert texts.count("+") == texts.count("−") == 32


def test_blocks_are_boxes_with_a_sign_at_each_end():
    steps = analysis.ten_steps(PLANT, RATE)
    rows = block_table(steps.blocks["A"])
    assert rows.height == 8
    first = rows.row(0, named=True)
    assert (first["mean_minus"], first["mean_plus"]) == (45, 71)
    texts, _ = drawn(plots.blocks(steps.blocks))
    assert "A: 6 of 8 alike, p 0.29" in texts
    aliased = analysis.ten_steps(designs.named("2^(9-4)"), np.arange(32.0))
    absent = [
        name for name, found in aliased.blocks.items()
        if block_table(found).drop_nulls(["mean_minus", "mean_plus"]).is_empty()
    ]  # fmt: skip
    texts, _ = drawn(plots.blocks(aliased.blocks))
    assert any("no block has both settings" in text for text in texts) == bool(absent)


def test_the_surface_of_a_contour_plot_meets_its_corners():
    result = analysis.contour(PLANT, RATE)
    row = contour_table(result).row(0, named=True)
    for up, across in ((0, 0), (0, 1), (1, 0), (1, 1)):
        x, y = 2 * across - 1, 2 * up - 1
        surface = row["mean"] + (row["first"] * x + row["second"] * y + row["both"] * x * y) / 2
        assert surface == pytest.approx(row[f"corner{up}{across}"])
    texts, _ = drawn(plots.contour(result, response="rate"))
    assert {row["across"], row["up"]} <= set(texts)


def test_residual_sd_falls_from_that_of_the_response():
    rows = terms_table(analysis.terms(PLANT, RATE))
    assert rows["sd"][0] == pytest.approx(RATE.std(ddof=1))
    assert rows["residual_sd"][0] < rows["sd"][0]
    assert rows.height == 15


def some_responses(m=8, runs=60):
    rng = np.random.default_rng(1)
    base = rng.normal(size=(runs, 3))
    data = base[:, np.arange(m) % 3] + 0.2 * rng.normal(size=(runs, m))
    data[0, 0] = np.nan
    return data, [f"response {i}" for i in range(m)]


def test_scatter_matrix_has_a_panel_and_a_number_per_pair():
    data, names = some_responses()
    result = analysis.correlations(data, responses=names)
    points, cells, shown = scatter_tables(result, data)
    assert points["panel"].n_unique() == cells.height == 28
    assert shown.height == 8
    texts, _ = drawn(plots.scatter_matrix(result, data, title="pairs"))
    first, second = result.order[:2]
    assert f"{100 * result.r[first, second]:.0f}".replace("-", "−") in texts
    with pytest.raises(ValueError, match="expected"):
        plots.scatter_matrix(result, data[:, :3])


def test_index_plot_has_a_block_per_cluster():
    data, names = some_responses()
    result = analysis.correlations(data, responses=names)
    pairs, blocks = index_tables(result)
    assert blocks.height == 3
    for begin, end in blocks.select("from", "to").iter_rows():
        inside = pairs.filter((pl.col("x") >= begin) & (pl.col("x") < end))
        assert inside["y"].is_between(begin, end - 1).all(), "no pair across clusters"
    texts, _ = drawn(plots.index_index(result))
    assert any("(3)" in text for text in texts)


def test_reduction_of_one_response_or_none_is_drawn():
    for data, names in ((np.ones((4, 1)), ["a"]), (np.full((4, 2), np.nan), ["a", "b"]), some_responses(1)):
        alike = analysis.correlations(data, responses=names)
        parts = analysis.principal_components(data, responses=names)
        kept = data[:, [names.index(name) for name in alike.responses]]
        for chart in (
            plots.scatter_matrix(alike, kept), plots.index_index(alike),
            plots.scree(parts), plots.loadings(parts), plots.groupings(analysis.groupings(alike, parts)),
        ):  # fmt: skip
            drawn(chart)


def test_components_and_their_groups():
    data, names = some_responses()
    parts = analysis.principal_components(data, responses=names)
    groups = analysis.score_groups(parts.scores[:, :2])
    chart = plots.component_scores(
        parts.scores[:, :2], list(groups), conditions=list(range(1, 61)), algorithms=["tcp"] * 60,
        share=parts.share.tolist(), explained=["group 1: all runs"],
    )  # fmt: skip
    texts, root = drawn(chart)
    assert "group 1: all runs" in texts
    assert marks(root, "symbol") >= 59, "the run without a value has no score"
    texts, _ = drawn(plots.scree(parts))
    assert f"{parts.share[1]:.0%}" in texts


def test_tables_of_signs_and_psi():
    data = np.column_stack([RATE, -RATE, np.full(16, np.nan), np.ones(16)])
    table = analysis.factor_table(PLANT, data, responses=["up", "down", "lost", "flat"])
    texts, root = drawn(plots.sign_table(table))
    assert marks(root, "rect") >= 16
    assert texts.count("+**") == texts.count("−**") == int((table.stars[:2] == "**").sum() / 2)
    psi = analysis.psi_table({"one": table, "two": table})
    texts, _ = drawn(plots.psi_table(psi, names={"A": "Temperature"}))
    assert "A Temperature" in texts
    assert texts.count(f"{100 * table.psi[0]:.0f}") >= 3


def test_ranks_are_drawn_with_their_colours():
    rng = np.random.default_rng(2)
    values = rng.lognormal(size=(6, 4, 5))
    values[1] = 7.0
    values[2, 0] = np.nan
    result = analysis.rank_matrices(values, algorithms=ALGORITHMS, columns=["M", "S", "D", "W"])
    groups = {"large": ["M", "S"], "small": ["D", "W"]}
    texts, _ = drawn(plots.rank_matrix(result, "fast", order=[6, 5, 4, 3, 2, 1], groups=groups))
    numbers = [text for text in texts if text in {"1", "2", "3", "4", "5"}]
    assert len(numbers) == 6 * 4 - 1 + 5, "a rank per cell that has one, and the numbers of conditions 1 to 5"
    assert {"large", "small", "nothing to compare"} <= set(texts)
    cells = values.reshape(-1, 5)
    summary = analysis.rank_summary(cells, classes=["M", "S", "D", "W"] * 6, algorithms=ALGORITHMS)
    for chart in (plots.rank_table(summary), plots.rank_scatter(summary)):
        assert set(ALGORITHMS) <= set(drawn(chart)[0])
    nothing = analysis.rank_summary(np.full((2, 5), np.nan), classes=["M", "S"], algorithms=ALGORITHMS)
    for chart in (plots.rank_table(nothing), plots.rank_scatter(nothing)):
        drawn(chart)


def test_conditions_users_and_buffers_are_drawn():
    classes = analysis.condition_classes([0.0, 0.1, 0.5, np.nan], classes=2)
    texts, root = drawn(plots.condition_classes(classes, response="loss"))
    assert marks(root, "rect") == 3
    assert any("Without a value: 4" in text for text in texts)
    drawn(plots.condition_classes(analysis.condition_classes([np.nan])))
    frame = pl.DataFrame(
        {"condition": [1, 1, 2, 2], "algorithm": ["tcp", "bic"] * 2, "x": [1.0, 2, 3, None], "y": [2.0, 2, 1, 1],
         "class": ["low", "low", "high", "high"], "value": [1.0, -1, 2, None]}
    )  # fmt: skip
    _, root = drawn(plots.yy_scatter(frame, ["tcp", "bic"], x="own", y="TCP"))
    assert marks(root, "symbol") == 3
    drawn(plots.yy_scatter(frame.drop("class").clear(), ["tcp"], x="own", y="TCP"))
    drawn(plots.yy_scatter(frame, ["tcp", "bic"], x="loss", y="rtt", equal=False))
    texts, root = drawn(plots.condition_bars(frame, ["tcp", "bic"], order=[2, 1], response="difference"))
    assert marks(root, "rect") == 3 + 2, "three bars, and a ring around each condition"
    bars = frame.with_columns(panel=pl.lit("fast paths"), kind=pl.col("class"))
    for chart in (
        plots.grouped_bars(bars, ["tcp", "bic"], panels=["fast paths"], kinds=["low", "high"]),
        plots.grouped_bars(bars.drop("kind"), ["tcp", "bic"], panels=["fast paths"], share=True),
    ):
        assert "fast paths" in drawn(chart)[0]
    use = frame.with_columns(router=pl.lit("backbone"))
    assert "backbone" in drawn(plots.buffers(use, ["tcp", "bic"], routers=["backbone"], order=[1, 2]))[0]


@pytest.mark.parametrize("over_time", [True, False])
def test_states_of_flows(over_time):
    rows = pl.DataFrame(
        [{"panel": "condition 1", "time": t if over_time else str(t), "state": s, "flows": 1.0 + t}
         for t in (1, 2) for s in STATES]
    )  # fmt: skip
    texts, _ = drawn(plots.flow_states(rows, panels=["condition 1"], over_time=over_time))
    assert set(STATES) <= set(texts)


def test_windows_and_the_time_line():
    windows = np.column_stack([np.full(4000, 300.0), np.r_[np.full(2000, np.nan), np.full(2000, 100.0)]])
    shares = analysis.window_shares(windows, capacity=500)
    texts, root = drawn(plots.windows(np.arange(4000) / 10, windows, shares, capacity=500))
    assert any(holds(text, "sum while all", "400, 80 % of") for text in texts)
    assert marks(root, "line") == 2
    with pytest.raises(ValueError, match="expected"):
        plots.windows([1.0], windows, shares)
    spans = [("run", "warm-up", 0.0, 10.0, "warm-up"), ("run", "period 1", 10.0, 20.0, "measured")]
    assert {"run", "period 1"} <= set(drawn(plots.timeline(spans))[0])


def test_latencies_of_zero_are_drawn_at_the_beginning_of_the_axis():
    """Full rate at once is the best case; an algorithm that never gets there has a row without a mark."""
    table = pl.DataFrame(
        {"algorithm": ["tcp", "fast", "bic"], "goodput": [3.2, 0.0, None], "recovery": [40.0, 0.0, None]},
        schema_overrides={"goodput": pl.Float64},
    )
    texts, root = drawn(plots.latencies(table))
    assert {"tcp", "fast", "bic"} <= set(texts)
    points = [each for group in root.iter() if "mark-symbol role-mark" in group.get("class", "") for each in group]
    across = sorted(float(re.findall(r"translate\(([-0-9.]+),", each.get("transform"))[0]) for each in points)
    assert len(across) == 4
    assert across[:2] == [0, 0]
    assert texts.count("0") == 1 + 2, "the tick, and the number beside each mark"
    for goodput in ([0.0], [2.0], [None]):
        only = pl.DataFrame({"algorithm": ["tcp"], "goodput": goodput, "recovery": [None]}).cast(
            {"goodput": pl.Float64, "recovery": pl.Float64}
        )
        assert "tcp" in drawn(plots.latencies(only))[0]


def test_settings_of_flagged_conditions():
    found = analysis.separating_settings(PLANT, PLANT.matrix[:, 1] > 0, order=2)
    texts, _ = drawn(plots.separation({"fast: loss": found}, factors=PLANT.factors))
    assert "0:8" in texts
    assert "more often at +, q < .05" in texts


def test_sensitivities_of_no_response_are_refused():
    with pytest.raises(ValueError, match="results is empty; allowed: at least one result"):
        plots.sensitivity({})


def test_many_correlations_are_drawn_without_numbers():
    data, names = some_responses(60)
    texts, root = drawn(plots.correlations(analysis.correlations(data, responses=names)))
    assert marks(root, "rect") >= 3600
    assert marks(root, "text") == 0
    assert "response 59" in texts
