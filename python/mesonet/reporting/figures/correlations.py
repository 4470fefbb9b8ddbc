"""Correlations of all pairs of responses, in groups of similar responses, and their distribution.

(Figs. 7 to 9 of Mills et al., ASME 2011; the scatter plots above the diagonal of Fig. 7 are in the scatter matrix.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.correlation import Correlations
from mesonet.charts import theme
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.text import html
from mesonet.words import capitalised, counted, listed, number, some

DATA, GROUPS, BINS = "correlations", "correlation_groups", "bins"
LARGEST, SMALLEST, ROOM = 24, 9, 1000  # px per cell, and for all cells
TEXT_FROM = 18  # px per cell from which the number fits
_BIN = 0.05


def figure(view: CampaignView) -> Figure | None:
    """Return the correlations of all pairs of responses, in groups of similar responses."""
    if len(view.correlations.responses) < 2:
        return None
    result = view.correlations
    count = len(by_group(result))
    picks = {column.name: (column.response, column.period) for column in view.columns}

    def draw() -> Drawing:
        chart = correlations(result, labels=view.labels, picks=picks, title="Correlations of the responses")
        heading = capitalised(view.period_title(view.main_period))
        text = f"{caption(view.titles, result)} {histogram_caption(result)}"
        return drawing(chart, text, heading=heading, subtitle=False)

    return Figure(
        id="correlations",
        short_title="Correlations",
        title="Which responses vary together: correlations",
        reading=(
            "Correlation of every pair of responses over all combinations of condition and algorithm, times 100. "
            f"Responses that pairs with |r| above {number(result.threshold, 2)} link, directly or over others, are in "
            "one group (framed). Below, how many pairs have which |r|, those above the threshold in blue. Click a cell "
            "to see its pair in “One response against another”."
        ),
        draw=draw,
        marks=2 * count * count,
        height=430 + cell_side(count) * count,
        below=_groups_html(view),
        file="correlations/correlations",
    )


def _groups_html(view: CampaignView) -> str:
    labels, result = view.labels, view.correlations
    rows = [
        [labels[representative], "; ".join(labels[name] for name in cluster if name != representative) or "–"]
        for cluster, representative in zip(result.clusters, result.representatives, strict=True)
    ]
    return html.folded(f"The {len(rows)} groups", html.table(["represents the group", "the others of the group"], rows))


def cell_side(count: int) -> int:
    """Return the side of a cell. Side, px."""
    return max(SMALLEST, min(LARGEST, ROOM // max(1, count)))


def by_group(result: Correlations) -> list[str]:
    """Return the responses group by group, in each by falling mean |r| with all responses."""
    weight = {result.responses[place]: rank for rank, place in enumerate(result.order)}
    return [name for cluster in result.clusters for name in sorted(cluster, key=weight.__getitem__)]


def pairs_table(
    result: Correlations,
    labels: Mapping[str, str] | None = None,
    picks: Mapping[str, tuple[str, str]] | None = None,
) -> pl.DataFrame:
    """Return a row per cell of the matrix: every ordered pair of responses, and each with itself.

    Columns i and j, the places in the order of `by_group` from 0; row and column, the labels; r; text, 100 r. With
    `picks` also pick_response, pick_period, pick_other and other_period. `picks`: by response, the response and the
    period that a click on its cells selects. None: cells select nothing.
    """
    order = by_group(result)
    places = [result.responses.index(name) for name in order]
    matrix = result.r[np.ix_(places, places)]
    row, column = np.indices(matrix.shape).reshape(2, -1)
    r = matrix.ravel()
    names = [(labels or {}).get(name, name) for name in order]
    chosen: dict[str, list[str]] = {}
    if picks is not None:
        chosen = {
            "pick_response": [picks[order[i]][0] for i in row],
            "pick_period": [picks[order[i]][1] for i in row],
            "pick_other": [picks[order[j]][0] for j in column],
            "other_period": [picks[order[j]][1] for j in column],
        }
    return pl.DataFrame(
        {
            "i": row,
            "j": column,
            "row": [names[i] for i in row],
            "column": [names[j] for j in column],
            **chosen,
            "r": r,
            "text": ["" if i == j or np.isnan(v) else f"{100 * v:.0f}" for i, j, v in zip(row, column, r, strict=True)],
        },
        schema_overrides={"text": pl.String},
    ).with_columns(pl.col("r").fill_nan(None), pl.col("text").str.replace("-", "−"))


def groups_table(result: Correlations) -> pl.DataFrame:
    """Return the frames of the groups of more than one response.

    Columns start and end: the first cell of the group, from 0, and the cell behind its last.
    """
    rows, start = [], 0
    for cluster in result.clusters:
        if len(cluster) > 1:
            rows.append({"start": start, "end": start + len(cluster)})
        start += len(cluster)
    return pl.DataFrame(rows, schema={"start": pl.Int64, "end": pl.Int64})


def bins_table(result: Correlations) -> pl.DataFrame:
    """Return a row per bin of the histogram of |r|.

    Columns least and most, the edges; pairs, a count; kept, True for bins above the threshold of the clusters.
    """
    counts, edges = np.histogram(result.absolute, bins=round(1 / _BIN), range=(0, 1))
    return pl.DataFrame(
        {"least": edges[:-1], "most": edges[1:], "pairs": counts, "kept": edges[:-1] + _BIN / 2 > result.threshold}
    )


def correlations(
    result: Correlations,
    *,
    labels: Mapping[str, str] | None = None,
    picks: Mapping[str, tuple[str, str]] | None = None,
    title: str = "",
) -> alt.VConcatChart:
    """Return the figure of one result.

    Parameters
    ----------
    result, labels
        As for every plot, see `mesonet.plots`.
    picks
        By response, the response and the period that a click on its cells selects. None: cells select nothing.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: the matrix of r over the histogram of |r|. Its parameter `names` has the labels in order.
    """
    order = by_group(result)
    count = len(order)
    names = [(labels or {}).get(name, name) for name in order]
    side = cell_side(count)
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
        .encode(tooltip=theme.tooltips("row:N", ("column:N", "and"), ("r:Q", "", "+.3f")))
    )
    colours = alt.Scale(domain=[-1, 0, 1], range=[theme.VERMILLION, "#ffffff", theme.BLUE], interpolate="rgb")
    layers = [
        cells.mark_rect(cursor="pointer").encode(
            x=alt.X("j:Q", scale=scale, axis=alt.Axis(orient="top", labelAngle=-60, **axis), title=None),
            x2=alt.X2("right:Q"),
            y=alt.Y("i:Q", scale=down, axis=alt.Axis(**axis), title=None),
            y2=alt.Y2("bottom:Q"),
            fill=alt.Fill("r:Q", scale=colours, legend=None),
        )
    ]
    if side >= TEXT_FROM:
        layers.append(
            cells.mark_text(fontSize=10, cursor="pointer").encode(
                x=alt.X("x:Q", scale=scale),
                y=alt.Y("y:Q", scale=down),
                text=alt.Text("text:N"),
                color=theme.ink_on_blue("datum.r"),
            )
        )
    frame = alt.Chart(alt.NamedData(name=GROUPS)).mark_rect(fill=None, stroke=theme.BLACK, strokeWidth=2, aria=False)
    layers.append(
        frame.encode(
            x=alt.X("start:Q", scale=scale), x2=alt.X2("end:Q"), y=alt.Y("start:Q", scale=down), y2=alt.Y2("end:Q"),
            tooltip=alt.TooltipValue(None),
        )
    )  # fmt: skip
    bars = alt.Chart(alt.NamedData(name=BINS), width=max(min(extent, 500), 320), height=130).mark_bar().encode(
        x=alt.X("least:Q", bin="binned", title="|r| of a pair", scale=alt.Scale(domain=[0, 1])),
        x2=alt.X2("most:Q"),
        y=alt.Y("pairs:Q", title="pairs"),
        color=alt.ColorValue(**theme.either("datum.kept", theme.BLUE, theme.HAIRLINE)),
        tooltip=theme.tooltips("least:Q", "most:Q", "pairs:Q"),
    )  # fmt: skip
    chart = alt.vconcat(alt.layer(*layers), bars, spacing=24)
    tables = {DATA: pairs_table(result, labels, picks), GROUPS: groups_table(result), BINS: bins_table(result)}
    alike = [cluster for cluster in result.clusters if len(cluster) > 1]
    sentence = (
        f"Above |r| = {number(result.threshold, 2)} {len(result.responses)} responses fall into {len(result.clusters)} "
        f"clusters, {len(alike)} of more than one."
    )
    return theme.finish(chart, tables, params=[alt.param(name="names", value=names)], title=title, subtitle=[sentence])


def caption(titles: Mapping[str, str], result: Correlations) -> str:
    """Return the groups of correlated responses, as text.

    Sentences on at most three groups, with the responses left out.
    """
    if not result.responses:
        return "No response varies."
    alike = [cluster for cluster in result.clusters if len(cluster) > 1]
    limit = number(result.threshold, 2)
    sentence = (
        f"Pairs with |r| above {limit} link the {counted(len(result.responses), 'response')} that vary into "
        f"{counted(len(result.clusters), 'group')}"
        + (
            f", {len(result.clusters) - len(alike)} of one response alone."
            if len(alike) < len(result.clusters)
            else "."
        )
    )
    for cluster, representative in list(zip(result.clusters, result.representatives, strict=True))[: len(alike)][:3]:
        others = [titles[name] for name in cluster if name != representative]
        size = np.nan_to_num(np.abs(_among(result, cluster)))
        kept = size > result.threshold
        pairs = len(cluster) * (len(cluster) - 1) // 2
        above, own = int(np.triu(kept, 1).sum()), int(kept[cluster.index(representative)].sum()) - 1
        name = titles[representative]
        if above == pairs:
            sentence += f" {capitalised(name)} and {some(others)} go together in every pair."
            continue
        least = number(float(size[np.triu_indices(len(cluster), 1)].min()), 2)
        sentence += (
            f" {capitalised(name)} and {some(others)} are linked by chains: {above} of the {pairs} pairs are above "
            f"{limit}, {own} of the {len(others)} with {name}; |r| goes down to {least}."
        )
    if result.constant:
        sentence += f" Left out because constant: {listed([titles[name] for name in result.constant])}."
    if result.scarce:
        sentence += f" Left out for want of values: {listed([titles[name] for name in result.scarce])}."
    return sentence


def _among(result: Correlations, names: Sequence[str]) -> NDArray[np.float64]:
    """Return the correlations of some responses with each other."""
    places = [result.responses.index(name) for name in names]
    return np.asarray(result.r[np.ix_(places, places)])


def histogram_caption(result: Correlations) -> str:
    """Return the pairs kept by the threshold, and by the hint of the histogram, as text."""
    if not len(result.absolute):
        return "There are too few values to correlate."
    kept = int((result.absolute > result.threshold).sum())
    suggested = int((result.absolute > result.hint).sum())
    return (
        f"The threshold {number(result.threshold, 2)} keeps {kept} of {counted(len(result.absolute), 'pair')}; the "
        f"histogram itself parts at {number(result.hint, 2)} (Otsu), which would keep {suggested}."
    )
