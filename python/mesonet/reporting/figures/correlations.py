"""Correlations of all pairs of responses, in groups of similar ones (Figs. 7 to 9 of Mills et al., ASME 2011)."""

from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis import Correlations
from mesonet.plots import theme
from mesonet.plots.correlations import BINS, tables
from mesonet.reporting.campaign_view.space import Column
from mesonet.reporting.figures.figure import PageFigure, PageTable
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import html, method_captions
from mesonet.responses.definitions import BY_NAME
from mesonet.words import capitalised, number, period_title

DATA, GROUPS, NAMES = "correlations", "correlation_groups", "correlation_names"
LARGEST, SMALLEST, ROOM = 24, 9, 1000  # px per cell, and for all of them
TEXT_FROM = 18  # px per cell from which the number fits


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign in which at least two responses vary."""
    study, result = sources.study, sources.method.correlations
    order = [name for cluster in result.clusters for name in _by_weight(result, cluster)]
    rows = _pairs(sources, result, order)
    groups = _groups(result, order)
    count = len(order)
    side = max(SMALLEST, min(LARGEST, ROOM // count))
    bins = tables(result)[1].rename({"from": "least", "to": "most"})
    return PageFigure(
        id="correlations",
        short_title="Correlations",
        title="Which responses say the same: correlations",
        reading=(
            "Correlation of every pair of responses over all combinations of condition and algorithm, times 100. "
            f"Responses that pairs with |r| above {number(result.threshold, 2)} link, directly or over others, are in "
            "one group (framed). Below, how many pairs have which |r|, those above the threshold in blue. Click a cell "
            "to see its pair in “One response against another”."
        ),
        chart=_chart(side, [sources.method.labels[name] for name in order], bins.height),
        main=DATA,
        tables={DATA: PageTable(rows), GROUPS: PageTable(groups), BINS: PageTable(bins)},
        captions=PageTable(
            pl.DataFrame(
                [
                    {
                        "heading": capitalised(period_title(study.main_period)),
                        "text": method_captions.correlations_caption(sources.method.titles, result),
                    }
                ]
            )
        ),
        marks=2 * count * count,
        height=430 + side * count,
        below=_listed(sources, result),
    )


def _by_weight(result: Correlations, cluster: tuple[str, ...]) -> list[str]:
    """Return the members of a group in the order of their mean |r| with all."""
    weight = {result.responses[place]: rank for rank, place in enumerate(result.order)}
    return sorted(cluster, key=weight.__getitem__)


def _pairs(sources: Sources, result: Correlations, order: list[str]) -> pl.DataFrame:
    places = [result.responses.index(name) for name in order]
    matrix = result.r[np.ix_(places, places)]
    row, column = np.indices(matrix.shape).reshape(2, -1)
    r = matrix.ravel()
    labels = [sources.method.labels[name] for name in order]
    picks = [_pick(sources.method.space.columns[sources.method.space.place(name)]) for name in order]
    return pl.DataFrame(
        {
            "i": row,
            "j": column,
            "row": [labels[i] for i in row],
            "column": [labels[j] for j in column],
            "pick_response": [picks[i][0] for i in row],
            "pick_period": [picks[i][1] for i in row],
            "pick_other": [picks[j][0] for j in column],
            "other_period": [picks[j][1] for j in column],
            "r": r,
            "text": ["" if i == j or np.isnan(v) else f"{100 * v:.0f}" for i, j, v in zip(row, column, r, strict=True)],
        }
    ).with_columns(pl.col("r").fill_nan(None), pl.col("text").str.replace("-", "−"))


def _pick(column: Column) -> tuple[str, str]:
    """Return the response and the period that the page shows for a column; there flow groups are own responses."""
    return (column.response if column.response in BY_NAME else column.name), column.period


def _groups(result: Correlations, order: list[str]) -> pl.DataFrame:
    """Return the frames of the groups of more than one response, in units of cells."""
    rows, start = [], 0
    for cluster in result.clusters:
        if len(cluster) > 1:
            rows.append({"start": start, "end": start + len(cluster)})
        start += len(cluster)
    return pl.DataFrame(rows, schema={"start": pl.Int64, "end": pl.Int64})


def _listed(sources: Sources, result: Correlations) -> str:
    labels = sources.method.labels
    rows = [
        [
            html.escape(labels[representative]),
            html.escape("; ".join(labels[name] for name in cluster if name != representative)) or "–",
        ]
        for cluster, representative in zip(result.clusters, result.representatives, strict=True)
    ]
    return html.folded(f"The {len(rows)} groups", html.table(["represents the group", "the others of the group"], rows))


def _chart(side: int, names: list[str], bins: int) -> alt.VConcatChart:
    count = len(names)
    extent = side * count
    scale = alt.Scale(domain=[0, count], nice=False)
    down = alt.Scale(domain=[count, 0], nice=False)
    axis: dict[str, Any] = {
        "values": [place + 0.5 for place in range(count)], "labelExpr": "names[floor(datum.value)]", "ticks": False,
        "domain": False, "grid": False, "labelLimit": 260, "labelFontSize": min(11, side), "labelOverlap": False,
        "tickCount": count,
    }  # fmt: skip
    cells = (
        alt.Chart(alt.NamedData(name=DATA), width=extent, height=extent)
        .transform_calculate(right="datum.j + 1", bottom="datum.i + 1", x="datum.j + .5", y="datum.i + .5")
        .encode(tooltip=[alt.Tooltip("row:N"), alt.Tooltip("column:N", title="and"), alt.Tooltip("r:Q", format="+.3f")])
    )
    colours = alt.Scale(domain=[-1, 0, 1], range=[theme.VERMILLION, "#ffffff", theme.BLUE], interpolate="rgb")
    layers = [
        cells.mark_rect(cursor="pointer").encode(
            x=alt.X("j:Q", scale=scale, axis=alt.Axis(orient="top", labelAngle=-60, **axis), title=None),
            x2="right:Q",
            y=alt.Y("i:Q", scale=down, axis=alt.Axis(**axis), title=None),
            y2="bottom:Q",
            fill=alt.Fill("r:Q", scale=colours, legend=None),
        )
    ]
    if side >= TEXT_FROM:
        layers.append(
            cells.mark_text(fontSize=10, cursor="pointer").encode(
                x=alt.X("x:Q", scale=scale),
                y=alt.Y("y:Q", scale=down),
                text="text:N",
                color=theme.ink_on_blue("datum.r"),
            )
        )
    frame = alt.Chart(alt.NamedData(name=GROUPS)).mark_rect(fill=None, stroke=theme.BLACK, strokeWidth=2, aria=False)
    layers.append(
        frame.encode(
            x=alt.X("start:Q", scale=scale), x2="end:Q", y=alt.Y("start:Q", scale=down), y2="end:Q",
            tooltip=alt.value(None),
        )
    )  # fmt: skip
    bars = alt.Chart(alt.NamedData(name=BINS), width=max(min(extent, 500), 320), height=130).mark_bar().encode(
        x=alt.X("least:Q", bin="binned", title="|r| of a pair", scale=alt.Scale(domain=[0, 1])),
        x2="most:Q",
        y=alt.Y("pairs:Q", title="pairs"),
        color=alt.when("datum.kept").then(alt.value(theme.BLUE)).otherwise(alt.value(theme.HAIRLINE)),
        tooltip=[alt.Tooltip("least:Q"), alt.Tooltip("most:Q"), alt.Tooltip("pairs:Q")],
    )  # fmt: skip
    chart = alt.vconcat(alt.layer(*layers), bars, spacing=24).add_params(alt.param(name="names", value=names))
    return theme.finish(chart, {}, title="")
