"""Ranks of the algorithms in every condition, their mean and their spread.

(After the rank matrices of SP 500-282, ch. 9, Figs. 22 to 36.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis import ranks
from mesonet.charts import theme
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure
from mesonet.reporting.figures.rank_scatter import LEAST, SIDES, label_sides
from mesonet.reporting.text.labels import values_heading
from mesonet.words import counted, listed, number

CELLS, MEANS = "ranks", "rank_means"
STEP, NARROW, ROW = 30, 16, 24  # px; the narrow step above 64 conditions
WIDTH, HEIGHT, PADDING = 420, 230, 14  # px of means and spreads
Floats = NDArray[np.float64]


def figure(view: CampaignView) -> Figure | None:
    """Return the ranks of the algorithms in every condition, their mean and their spread."""
    if len(view.algorithms) < 2:
        return None
    count, period = len(view.algorithms), view.main_period

    def draw(response: str) -> Drawing:
        direction = view.responses[response].direction
        meaning = "the lowest value" if direction == "lower" else "the highest value"
        meaning += " (which is neither good nor bad)" if direction == "neutral" else ""
        cells, means, mean, sd, alike = _ranks_of(view, response)
        return Drawing(
            partial(ranks_by_condition, cells, means, view.algorithms, order=view.by_congestion),
            {CELLS: cells, **({MEANS: means} if len(view.conditions) > 1 else {})},
            values_heading(view, response, period),
            caption(view.algorithms, mean, sd, meaning, alike),
        )

    return Figure(
        id="ranks",
        short_title="Ranks",
        title="Who is good everywhere: ranks",
        reading=(
            f"Conditions {view.order_words}. In each, the best of {count} algorithms has rank {count}; equal ones "
            "share their mean rank. Below, the mean and the standard deviation of the ranks over the conditions in "
            "which not all are equal: good everywhere is lower right."
        ),
        draw=draw,
        selections=[{"response": name} for name in view.in_period[period]],
        marks=2 * len(view.conditions) * count,
        height=max(60 + ROW * count, 110) + 330,
    )


def _ranks_of(view: CampaignView, response: str) -> tuple[pl.DataFrame, pl.DataFrame, np.ndarray, np.ndarray, int]:
    """Return the ranks of the algorithms in the main period, their means and their spread."""
    values = view.values(response, view.main_period)
    # The best has the highest rank; of a response that is neither good nor bad, the largest value.
    order = ranks(-values if view.responses[response].direction == "lower" else values)
    known = np.isfinite(order)
    # If all are equal, or differ by rounding, their ranks are not compared.
    summary = view.summary(view.main_period)
    extreme = summary.extreme[:, summary.responses.index(response)]
    apart = np.array([name is not None for name in extreme], dtype=bool)
    judged = known & apart[:, None]
    count = judged.sum(axis=0)
    alike = int(((known.sum(axis=1) > 1) & ~apart).sum())
    with np.errstate(all="ignore"):
        mean = np.where(judged, order, 0).sum(axis=0) / count
        squares = np.where(judged, (order - mean) ** 2, 0).sum(axis=0)
        sd = np.where(count > 1, np.sqrt(squares / (count - 1)), np.nan)
    condition, algorithm = np.nonzero(known)
    cells = pl.DataFrame(
        {
            "condition": condition + 1,
            "algorithm": [view.algorithms[place] for place in algorithm],
            "rank": order[known],
            "text": [number(rank, 2) for rank in order[known]],
            "value": values[known],
        },
        schema_overrides={"algorithm": pl.String, "text": pl.String},
    )
    sides = pl.Series(sides_of(view.algorithms, mean, sd), dtype=pl.String)
    means = pl.DataFrame({"algorithm": list(view.algorithms), "mean": mean, "sd": sd})
    return cells, means.with_columns(pl.col("mean", "sd").fill_nan(None), side=sides), mean, sd, alike


def sides_of(algorithms: Sequence[str], mean: NDArray[np.float64], sd: NDArray[np.float64]) -> list[str]:
    """Return for each algorithm the side of its point for its name in the scatter of means and spreads.

    `mean`: mean rank per algorithm, from 1. `sd`: standard deviation of the ranks per algorithm; NaN where not
    computable.
    """
    known = np.isfinite(mean) & np.isfinite(sd)
    across = PADDING + (WIDTH - 2 * PADDING) * (mean - 1) / max(len(algorithms) - 1, 1)
    top = max(float(sd[known].max(initial=0.0)), LEAST["unionWith"][1])
    places = [
        (float(x), HEIGHT * (1 - float(spread) / top)) if there else None
        for x, spread, there in zip(across, sd, known, strict=True)
    ]
    return label_sides(algorithms, places)


def ranks_by_condition(
    cells: pl.DataFrame, means: pl.DataFrame, algorithms: Sequence[str], *, order: Sequence[int], title: str = ""
) -> alt.VConcatChart:
    """Return the matrix of ranks, and below it the scatter of their means and spreads.

    Parameters
    ----------
    cells
        Columns condition, algorithm, rank, text and value.
    means
        Columns algorithm, mean, sd and side (`sides_of`).
    algorithms, order, title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart; without the scatter if there is only one condition.
    """
    wide = len(order) <= 64
    count = len(algorithms)
    base = theme.kept(CELLS, width=alt.Step(STEP if wide else NARROW), height=alt.Step(ROW)).encode(
            x=alt.X(
                "condition:O", sort=list(order), title="condition", scale=alt.Scale(paddingInner=0, paddingOuter=0),
                axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False, labelOverlap=True),
            ),
            y=alt.Y("algorithm:N", sort=list(algorithms), title=None, axis=alt.Axis(ticks=False, domain=False)),
            tooltip=theme.tooltips("condition:O", "algorithm:N", "rank:Q", ("value:Q", "", ".5~g")),
    )  # fmt: skip
    scale = alt.Scale(
        domain=[1, (1 + count) / 2, max(count, 2)], range=[theme.LOW, "#ffffff", "#7db8dd"], interpolate="rgb"
    )
    ring = theme.ring(base, y=alt.YValue(0), y2=alt.Y2Value("height"), tooltip=alt.TooltipValue(None))
    matrix = alt.layer(
        base.mark_rect(stroke="white", aria=False).encode(fill=alt.Fill("rank:Q", scale=scale, legend=None)),
        base.mark_text(fontSize=10 if wide else 8).encode(text=alt.Text("text:N")),
        ring,
    )
    points = alt.Chart(alt.NamedData(name=MEANS), width=WIDTH, height=HEIGHT).encode(
        x=alt.X("mean:Q", title="mean rank", scale=alt.Scale(domain=[1, max(count, 2)], nice=False, padding=PADDING)),
        y=alt.Y("sd:Q", title="standard deviation of the ranks"),
        tooltip=theme.tooltips("algorithm:N", ("mean:Q", "mean rank", ".3~g"), ("sd:Q", "standard deviation", ".3~g")),
    )  # fmt: skip
    scatter = alt.layer(
        points.mark_point(size=80, strokeWidth=2, opacity=1).encode(
            **theme.by_algorithm(algorithms, None, both=True),
            y=alt.Y("sd:Q", title="standard deviation of the ranks", scale=alt.Scale(domain=LEAST)),
        ),
        *(
            points.transform_filter(alt.datum.side == side).mark_text(**style).encode(text=alt.Text("algorithm:N"))
            for side, style in SIDES.items()
        ),
    )
    # One condition has no spread.
    parts = [matrix, scatter] if len(order) > 1 else [matrix]
    chart = alt.vconcat(*parts, spacing=24)
    tables = {CELLS: cells, MEANS: means} if len(order) > 1 else {CELLS: cells}
    return theme.finish(chart, tables, params=theme.condition_params(), title=title)


def caption(algorithms: Sequence[str], mean: Floats, sd: Floats, meaning: str, alike: int) -> str:
    """Return mean ranks and their spread, as text.

    `mean`, `sd`: mean rank of each algorithm, from 1 to n, and standard deviation; shape (n,), NaN where not known.
    `meaning`: meaning of rank n, such as ``the highest value``.
    """
    count = len(algorithms)
    known = np.flatnonzero(np.isfinite(mean))
    if not len(known):
        return "All algorithms are equal in every condition." if alike else "Nothing to compare."
    equal = f" Left out: {counted(alike, 'condition')} in which all are equal." if alike else ""
    best = sorted(known.tolist(), key=lambda place: -mean[place])
    if mean[best[0]] == mean[best[-1]]:
        return f"All algorithms have the same mean rank.{equal}"
    known_sd = bool(np.isfinite(sd[best]).any())
    wording = [
        f"{algorithms[place]} {number(float(mean[place]), 2)}"
        + (f" ± {number(float(sd[place]), 2)}" if known_sd else "")
        for place in best
    ]
    what = "Mean rank and standard deviation" if known_sd else "Ranks"
    return f"Rank {count} is {meaning}. {what}: {listed(wording)}.{equal}"
