"""Figures of the group "What users get", by flow group: goodputs, wins against the incumbent, ranks."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl

from mesonet import charts
from mesonet.analysis.means import finite_mean
from mesonet.reporting.campaign_view.flow_groups import OWN, TCP
from mesonet.reporting.campaign_view.users import UNIT, Users, known, mean_over_conditions, users
from mesonet.reporting.campaign_view.values import INCUMBENT
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, Selection, drawing, made
from mesonet.reporting.text.captions.users import (
    bars_caption,
    ranges_caption,
    rank_caption,
    ranks_caption,
    shares_caption,
    wins_caption,
)
from mesonet.reporting.verdicts.verdict import incumbent
from mesonet.words import number


def figures(view: CampaignView) -> list[Figure]:
    """Return the figures of the group.

    Parameters
    ----------
    view
        View of a campaign with results.

    Returns
    -------
    The figures that the campaign can have; none if it did not keep flow groups.
    """
    found = users(view) if view.campaign.design.factors else None
    if found is None:
        return []
    return made(
        found, _goodput, _available_share, _against_tcp, _differences_figure, _rank_matrix_figure, _rank_table_figure,
        _rank_scatter_figure, _goodput_ranges,
    )  # fmt: skip


def _goodput(found: Users) -> Figure:
    """Return the goodputs by kind of file."""
    return Figure(
        id="goodput",
        short_title="Goodputs",
        title="What do users get?",
        reading=(
            "Mean goodput over the conditions, by path class and speed of the user's interface. Each panel has its own "
            "scale."
        ),
        draw=partial(_bars, found),
        selections=[{"file": category} for category in found.categories],
        height=560,
        varied=True,
        own_tables=True,
        file="users/goodput_{file}",
    )


def _available_share(found: Users) -> Figure | None:
    """Return goodputs in parts of the speed of the interface."""
    if found.shares().is_empty():
        return None
    return Figure(
        id="available-share",
        short_title="Share of the path",
        title="How much of the path do users get?",
        reading="Mean goodput in parts of the speed of the interface.",
        draw=partial(_shares, found),
        height=560,
        varied=True,
        own_tables=True,
        file="users/available_share",
    )


def compared_files(found: Users) -> list[Selection]:
    """Return the kinds of files whose flows can be compared with flows of the incumbent, as selections."""
    # If algorithms are not mixed, they are compared with the incumbent alone in the same condition.
    if TCP not in found.kinds and incumbent(found.view) is None:
        return []
    return [
        {"file": category}
        for category in found.categories
        if not _pairs(found, category)[0].drop_nulls(["x", "y"]).is_empty()
    ]


def _against_tcp(found: Users) -> Figure | None:
    """Return the goodput of each algorithm against the goodput of the incumbent."""
    files = compared_files(found)
    if not files:
        return None
    return Figure(
        id="against-tcp",
        short_title="Against the incumbent",
        title="Who wins against the incumbent?",
        reading=(
            "One panel per algorithm, one point per condition: across, the goodput of the algorithm's flows; up, "
            "goodput of the incumbent's. Below the dashed line the algorithm gets more."
        ),
        draw=partial(_scatter, found),
        selections=files,
        height=520,
        varied=True,
        own_tables=True,
        file="users/against_tcp_{file}",
    )


def _differences_figure(found: Users) -> Figure | None:
    """Return the difference from the goodput of the incumbent, by condition."""
    files = compared_files(found)
    if not files:
        return None
    return Figure(
        id="differences",
        short_title="Differences by condition",
        title="When does it win against the incumbent?",
        reading=(
            "One bar graph per condition, from the least to the most congested: goodput of the algorithm's flows less "
            "the goodput of the incumbent's. Upwards (blue) the algorithm gets more."
        ),
        draw=partial(_differences, found),
        selections=files,
        height=620,
        varied=True,
        own_tables=True,
        file="users/differences_{file}",
    )


def _rank_matrix_figure(found: Users) -> Figure | None:
    """Return the ranks of an algorithm by condition and flow group."""
    if len(found.view.algorithms) < 2:
        return None
    return Figure(
        id="rank-matrix",
        short_title="Rank matrix",
        title="Where does an algorithm serve users better than the others?",
        reading=(
            "Rows are conditions, columns flow groups; the number is the rank of the chosen algorithm. Blue: above "
            "the mean of all; yellow: below. Choose an algorithm at the top; there is no matrix for their mean."
        ),
        draw=partial(_rank_matrix, found),
        selections=[{"flows": kind, "algorithm": name} for kind in found.kinds for name in found.view.algorithms],
        height=720,
        varied=True,
        own_tables=True,
        file="users/rank_matrix_{flows}_{algorithm}",
    )


def _rank_table_figure(found: Users) -> Figure | None:
    """Return the mean ranks of the algorithms by kind of file."""
    if len(found.view.algorithms) < 2:
        return None
    return Figure(
        id="rank-table",
        short_title="Mean ranks",
        title="Who serves users best on average?",
        reading="Mean rank over all conditions and flow groups of a kind of file.",
        draw=partial(_rank_table, found),
        height=260,
        varied=True,
        own_tables=True,
        file="users/rank_table",
    )


def _rank_scatter_figure(found: Users) -> Figure | None:
    """Return the average ranks of the algorithms and their spread."""
    if len(found.view.algorithms) < 2:
        return None
    return Figure(
        id="rank-scatter",
        short_title="Ranks and their spread",
        title="Who serves all kinds of users well?",
        reading=(
            "Across, the average rank; up, how much it differs between kinds of files and flows. The ideal is lower "
            "right."
        ),
        draw=partial(_rank_scatter, found),
        height=460,
        varied=True,
        own_tables=True,
        file="users/rank_scatter",
    )


def _goodput_ranges(found: Users) -> Figure | None:
    """Return how far the algorithms lie apart, by flow group."""
    if len(found.view.algorithms) < 2:
        return None
    return Figure(
        id="goodput-ranges",
        short_title="Ranges of goodput",
        title="How much does the choice of algorithm matter to users?",
        reading="How far the algorithms lie apart, by flow group.",
        draw=partial(_ranges, found),
        height=560,
        varied=True,
        own_tables=True,
        file="users/goodput_ranges",
    )


def _rival(view: CampaignView) -> str:
    """Return the algorithm to compare with: the algorithm that all are mixed with, else the incumbent."""
    return str(view.campaign.experiment.get("mixed_with") or incumbent(view) or INCUMBENT)


def _rate(found: Users) -> tuple[float, str]:
    """Return the unit of goodputs in figures, in segments/s, and its name: Mbit/s where segments have one size."""
    size = found.view.data_bytes
    return (1.0, UNIT) if size is None else (1e6 / (8 * size), "Mbit/s")


def _pairs(found: Users, category: str) -> tuple[pl.DataFrame, str]:
    """Return goodputs of own flows (x) and of the incumbent (y) per condition and algorithm, and the name of y.

    The unit is `_rate`.

    They are means over the groups of a category. Without competing flows, y is the incumbent alone in the same
    condition.
    """
    places = found.of_category(category)
    one, _ = _rate(found)
    own = finite_mean(found.goodput(OWN)[:, :, places], axis=-1) / one
    view = found.view
    if TCP in found.kinds:
        other, wording = finite_mean(found.goodput(TCP)[:, :, places], axis=-1) / one, f"competing {_rival(view)} flows"
    else:
        other = np.repeat(own[:, [view.algorithms.index(str(incumbent(view)))]], own.shape[1], axis=1)
        wording = f"{_rival(view)} in its own network"
    classes = {
        c: found.view.classes.names[n - 1]
        for c, n in zip(found.view.classes.conditions, found.view.classes.number, strict=True)
    }
    rows = [
        {"condition": c, "algorithm": a, "x": known(own[c - 1, i]), "y": known(other[c - 1, i]),
         "class": classes.get(c, "unknown")}
        for c in view.by_congestion
        for i, a in enumerate(view.algorithms)
        if TCP in found.kinds or a != incumbent(view)
    ]  # fmt: skip
    schema = {"condition": pl.Int64, "algorithm": pl.String, "x": pl.Float64, "y": pl.Float64, "class": pl.String}
    return pl.DataFrame(rows, schema=schema), wording


def _bars(found: Users, file: str) -> Drawing:
    rows, places = [], found.of_category(file)
    one, unit = _rate(found)
    labels = list(found.labels.values())
    for kind in found.kinds:
        means = mean_over_conditions(found.goodput(kind)) / one
        for place in places:
            for algorithm, value in zip(found.view.algorithms, means[:, place], strict=True):
                rows.append({"panel": f"{labels[place][1]}, {labels[place][2]}", "algorithm": algorithm, "kind": kind,
                             "value": known(value)})  # fmt: skip
    schema = {"panel": pl.String, "algorithm": pl.String, "kind": pl.String, "value": pl.Float64}
    table = pl.DataFrame(rows, schema=schema)
    if len(found.kinds) == 1:
        table = table.drop("kind")
    # Panels of all categories, because one category may lack some.
    panels = list(dict.fromkeys(f"{path}, {rate}" for _, path, rate in labels))
    chart = charts.grouped_bars(
        table, found.view.algorithms, panels=panels, kinds=found.kinds if len(found.kinds) > 1 else (),
        title=f"Goodput of {file} flows by path class and interface", response=f"{unit}, mean over the conditions",
    )  # fmt: skip
    return drawing(chart, bars_caption(found, file))


def _scatter(found: Users, file: str) -> Drawing:
    table, wording = _pairs(found, file)
    _, unit = _rate(found)
    chart = charts.yy_scatter(
        table, found.view.algorithms, x=f"own, {unit}", y=f"{_rival(found.view)}, {unit}",
        title=f"Goodput of {file} flows: own against {wording}",
    )  # fmt: skip
    return drawing(chart, wins_caption(table, wording))


def _differences(found: Users, file: str) -> Drawing:
    table, wording = _pairs(found, file)
    chart = charts.condition_bars(
        table.with_columns(value=pl.col("x") - pl.col("y")), found.view.algorithms, order=found.view.by_congestion,
        title=f"Goodput of {file} flows less the goodput of {wording}", response=_rate(found)[1],
    )  # fmt: skip
    return drawing(chart, wins_caption(table, wording))


def _shares(found: Users) -> Drawing:
    table = found.shares()
    panels = list(dict.fromkeys(table["panel"]))
    chart = charts.grouped_bars(
        table if len(found.kinds) > 1 else table.drop("kind"), found.view.algorithms, panels=panels,
        kinds=found.kinds if len(found.kinds) > 1 else (), share=True,
        title="Goodput in % of the speed of the interface", response="mean over conditions and kinds of files",
    )  # fmt: skip
    return drawing(chart, shares_caption(table))


def _rank_table(found: Users) -> Drawing:
    chart = charts.rank_table(found.rank_summary, title="Average ranks of the goodput")
    return drawing(chart, ranks_caption(found.rank_summary))


def _rank_scatter(found: Users) -> Drawing:
    chart = charts.rank_scatter(found.rank_summary, title="Average rank of the goodput and its spread")
    return drawing(chart, ranks_caption(found.rank_summary))


def _rank_matrix(found: Users, flows: str, algorithm: str) -> Drawing:
    result = found.ranks(flows)
    groups = {c: [found.columns[p] for p in found.of_category(c)] for c in found.categories}
    short = {name: ", ".join(parts[1:]) for name, parts in zip(found.columns, found.labels.values(), strict=True)}
    # Columns of different categories have the same short name: spaces make the names different.
    labels = {name: f"{short[name]}{' ' * found.categories.index(name.split(', ')[0])}" for name in found.columns}
    chart = charts.rank_matrix(
        result, algorithm, order=found.view.by_congestion, labels=labels,
        groups={c: [labels[name] for name in names] for c, names in groups.items()},
        title=f"Rank of the goodput of {flows if flows == OWN else 'the flows that compete'}, {algorithm}",
        order_title=f"condition, {found.view.order_words}",
    )  # fmt: skip
    return drawing(chart, rank_caption(result, algorithm))


def _ranges(found: Users) -> Drawing:
    table = found.ranges
    rows = []
    columns = {
        "among": "among algorithms, %",
        "among_tcp": "among competing flows, %",
        "over_tcp": "own over competing, %",
    }
    shown = [name for name in columns if table[name].null_count() < table.height]
    named = [f"{c}, {p}, {r}" for c, p, r in table.select("category", "path_class", "interface").iter_rows()]
    largest = max((abs(v) for name in shown for v in table[name].drop_nulls()), default=1.0) or 1.0
    for name in shown:
        for label, value in zip(named, table[name], strict=True):
            rows.append({"row": label, "column": columns[name], "text": "–" if value is None else number(value, 2),
                         "shade": 0.0 if value is None else min(1.0, abs(value) / largest)})  # fmt: skip
    schema = {"row": pl.String, "column": pl.String, "text": pl.String, "shade": pl.Float64}
    chart = charts.matrix(
        pl.DataFrame(rows, schema=schema), rows=named, columns=[columns[name] for name in shown],
        look=charts.Look(cell=90, row=18, font=11), title="Ranges of the goodput by flow group",
        subtitle=["Of means over the conditions. Among: (largest − smallest) / smallest."],
    )  # fmt: skip
    return drawing(chart, ranges_caption(table, named))
