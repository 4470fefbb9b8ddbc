"""Matrix of all pairs of responses: scatter plots above the diagonal, r x 100 below.

Responses by falling mean |r|; |r| x 100 from 80 on is orange, up to 30 green, between blue. (ASME paper, Fig. 7.)
"""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from mesonet.analysis.correlation import Correlations
from mesonet.charts import theme
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.words import capitalised, counted, hundredths, number

POINTS, CELLS, NAMES = "scatter_points", "scatter_cells", "scatter_names"
MOST = 22  #: responses of one figure: 231 pairs, as in the study
GRID = 26  #: steps per side of a panel; points in the same step are drawn once
SIDE, PAGE = 60, 924  # px
STRONG, WEAK = 0.8, 0.3
_COLOURS = {"strong": theme.VERMILLION_TEXT, "middling": theme.BLUE, "weak": theme.GREEN_TEXT}


def figure(view: CampaignView) -> Figure | None:
    """Return a scatter plot of every pair of responses."""
    if not view.campaign.design.factors or len(view.correlations.responses) < 2:
        return None

    def draw() -> Drawing:
        alike = view.correlations
        data = view.runs[:, [view.column_names.index(name) for name in alike.responses]]
        chart = scatter_matrix(alike, data, labels=view.labels, title="All pairs of responses")
        return drawing(chart, caption(view, alike))

    return Figure(
        id="scatter-matrix",
        short_title="All pairs",
        title="Which responses vary together?",
        reading=(
            "Above the diagonal a scatter plot of every pair of responses, one point per condition and algorithm; "
            "below it their correlation times 100."
        ),
        draw=draw,
        height=1120,
        own_tables=True,
        file="correlations/scatter_matrix",
    )


def tables(
    result: Correlations, data: ArrayLike, labels: Mapping[str, str] | None = None
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the points of the panels, the numbers below the diagonal, and the names.

    A row per end of a stroke that draws a point: place (the order), panel, x, y. A row per number: x, y, text, kind (a
    key of `_COLOURS`). A row per response: place, number, name. Positions are in cells. `data`: shape (runs, responses
    of the result), NaN where missing.
    """
    values = np.asarray(data, dtype=float)
    if values.ndim != 2 or values.shape[1] != len(result.responses):
        raise ValueError(f"the data have shape {values.shape}; expected (runs, {len(result.responses)} responses)")
    order = list(result.order[:MOST])
    chosen = values[:, order]
    there = np.isfinite(chosen)
    low = np.where(there, chosen, np.inf).min(axis=0, initial=np.inf)
    high = np.where(there, chosen, -np.inf).max(axis=0, initial=-np.inf)
    with np.errstate(all="ignore"):
        placed = np.round((chosen - low) / (high - low) * GRID) / GRID * 0.84 + 0.08
    panel, across, up = [], [], []
    cells = []
    for i in range(len(order)):
        for j in range(i + 1, len(order)):
            both = there[:, i] & there[:, j]
            spots = np.unique(placed[both][:, [j, i]], axis=0)
            panel.append(np.full(3 * len(spots), i * len(order) + j))
            # A dot is a very short line with a gap behind: one path per panel replaces 200 marks.
            across.append(np.stack([j + spots[:, 0], j + spots[:, 0] + 1e-3, np.full(len(spots), np.nan)], 1).ravel())
            up.append(np.repeat(i + 1 - spots[:, 1], 3))
            r = float(result.r[order[i], order[j]])
            size = abs(r)
            kind = "strong" if size >= STRONG else "weak" if not size > WEAK else "middling"
            cells.append({"x": i + 0.5, "y": j + 0.5, "text": hundredths(r), "kind": kind})
    columns = {"panel": panel, "x": across, "y": up}
    points = pl.DataFrame({name: np.round(np.concatenate([*parts, []]), 3) for name, parts in columns.items()})
    points = points.with_columns(pl.col("x").fill_nan(None)).with_row_index("place")
    names = pl.DataFrame(
        {
            "place": [i + 0.5 for i in range(len(order))],
            "number": [str(i + 1) for i in range(len(order))],
            "name": [(labels or {}).get(result.responses[k], result.responses[k]) for k in order],
        },
        schema={"place": pl.Float64, "number": pl.String, "name": pl.String},
    )
    schema = {"x": pl.Float64, "y": pl.Float64, "text": pl.String, "kind": pl.String}
    return points, pl.DataFrame(cells, schema=schema), names


def scatter_matrix(
    result: Correlations, data: ArrayLike, *, labels: Mapping[str, str] | None = None, title: str = ""
) -> alt.LayerChart:
    """Return the figure of one result and its data.

    Parameters
    ----------
    result
        As for every plot, see `mesonet.plots`.
    data
        Values, shape (runs, responses of the result), NaN where missing.
    labels, title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart of the first `MOST` responses.

    Raises
    ------
    ValueError
        If the data do not have the shape.
    """
    points, cells, names = tables(result, data, labels)
    k = max(names.height, 1)
    side = min(SIDE, PAGE // k) * k
    across = alt.Scale(domain=[0, k], nice=False, zero=False)
    down = alt.Scale(domain=[k, 0], nice=False, zero=False)
    grid = pl.DataFrame({"line": [float(i) for i in range(k + 1)]})

    def chart(data: str) -> alt.Chart:
        return alt.Chart(alt.NamedData(name=data), width=side, height=side)

    x, y = (lambda f: alt.X(f"{f}:Q", scale=across, axis=None)), (lambda f: alt.Y(f"{f}:Q", scale=down, axis=None))
    colours = alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values()))
    lines = chart("scatter_grid").mark_rule(color=theme.HAIRLINE, strokeWidth=0.6, aria=False)
    label = chart(NAMES).mark_text(align="left", fontSize=11)
    whole = alt.layer(
        lines.encode(x=x("line")),
        lines.encode(y=y("line")),
        chart(POINTS).mark_line(
            strokeWidth=2.2, strokeCap="round", color=theme.BLUE, aria=False, invalid="break-paths-show-path-domains"
        ).encode(x=x("x"), y=y("y"), detail=alt.Detail("panel:N"), order=alt.Order("place:Q")),
        chart(CELLS).mark_text(fontSize=11).encode(
            x=x("x"), y=y("y"), text=alt.Text("text:N"),
            color=alt.Color("kind:N", scale=colours, legend=None),
        ),
        chart(NAMES).mark_text(fontWeight="bold", fontSize=13).encode(
            x=x("place"), y=y("place"), text=alt.Text("number:N")
        ),
        label.encode(x=alt.XValue(side + 8), y=y("place"), text=alt.Text("name:N")),
    )  # fmt: skip
    shown = f"The first {MOST} of {len(result.responses)} responses. " if len(result.responses) > MOST else ""
    sentence = (
        f"{shown}Below the diagonal r x 100: orange from 80 on, green up to 30, blue between. "
        "Ordered by falling mean |r|."
    )
    data_of = {POINTS: points, CELLS: cells, NAMES: names, "scatter_grid": grid}
    return theme.finish(whole, data_of, title=title, subtitle=[sentence])


def caption(view: CampaignView, result: Correlations) -> str:
    """Return the pair that correlates most, and how many pairs do."""
    r = np.where(np.isfinite(result.r), result.r, 0.0)
    size = np.triu(np.abs(r), 1)
    if not size.any():
        return "No two responses are known to correlate."
    i, j = np.unravel_index(int(size.argmax()), size.shape)
    first, second = view.titles[result.responses[int(i)]], view.titles[result.responses[int(j)]]
    kept = int((result.absolute > result.threshold).sum())
    # What two digits cannot tell apart is not called the most.
    alike = int((result.absolute >= result.absolute.max() - 0.005).sum()) - 1
    also = f"; to two digits so {'does' if alike == 1 else 'do'} {counted(alike, 'other pair')}" if alike else ""
    # Cut off, so that what is not a line is not said to be one.
    largest = number(float(np.trunc(1e4 * r[i, j]) / 1e4), 4)
    return (
        f"{capitalised(first)} and {second} correlate most (r = {largest}{also}). "
        f"{kept} of {counted(len(result.absolute), 'pair')} have |r| above {number(result.threshold, 2)}."
    )
