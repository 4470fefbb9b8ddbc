"""Mean rank against its spread, with the ideal in the lower right (ASME paper, Figs. 27 and 28)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis.ranks import RankSummary
from mesonet.charts import theme
from mesonet.reporting.campaign_view.users import Users
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.figures.rank_table import caption

DATA = "rank_scatter"
WIDTH, HEIGHT = 560, 400  # px
SPREAD = "standard deviation of the averages by class (smaller is steadier)"
#: Standard deviations that the axis always includes, so that it has ticks if all values are 0.
LEAST: Any = {"unionWith": [0, 0.1]}
#: Sides of a point for its name, the best first.
SIDES: dict[str, dict[str, Any]] = {
    "right": {"align": "left", "dx": 9}, "left": {"align": "right", "dx": -9}, "above": {"dy": -13},
    "below": {"dy": 13},
}  # fmt: skip


def figure(found: Users) -> Figure | None:
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
        draw=partial(_draw, found),
        height=460,
        varied=True,
        own_tables=True,
        file="users/rank_scatter",
    )


def _draw(found: Users) -> Drawing:
    chart = rank_scatter(found.rank_summary, title="Average rank of the goodput and its spread")
    return drawing(chart, caption(found.rank_summary))


def rank_scatter(result: RankSummary, *, title: str = "") -> alt.LayerChart:
    """Draw a point per algorithm: overall mean rank across, SD of its class means up.

    Parameters
    ----------
    result, title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart; algorithms without a mean or an SD have no point.
    """
    rows = pl.DataFrame({"algorithm": result.algorithms, "mean": result.overall, "sd": result.sd}).with_columns(
        pl.selectors.float().fill_nan(None)
    )
    known = rows.drop_nulls()
    rows = rows.with_columns(side=pl.Series(_sides(rows), dtype=pl.String))
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=HEIGHT).encode(
        x=alt.X("mean:Q", title="average rank (larger is better)", scale=alt.Scale(zero=False, nice=True, padding=40),
                axis=alt.Axis(tickCount=6)),
        y=alt.Y("sd:Q", title=SPREAD),
        tooltip=theme.tooltips("algorithm:N", ("mean:Q", "", ".3f"), ("sd:Q", "", ".3f")),
    )  # fmt: skip
    colour = alt.Color("algorithm:N", scale=theme.algorithm_colours(result.algorithms), legend=None)
    shape = alt.Shape("algorithm:N", scale=theme.algorithm_shapes(result.algorithms), legend=None)
    chart = alt.layer(
        base.mark_point(filled=True, size=90, opacity=1).encode(
            color=colour, shape=shape, y=alt.Y("sd:Q", title=SPREAD, scale=alt.Scale(domain=LEAST, nice=True))
        ),
        *(
            base.transform_filter(alt.datum.side == side).mark_text(**style).encode(text=alt.Text("algorithm:N"))
            for side, style in SIDES.items()
        ),
    )
    sentence = f"{known.height} of {rows.height} algorithms have ranks in two classes or more; ideal: lower right."
    return theme.finish(chart, {DATA: rows}, title=title, subtitle=[sentence])


def _sides(rows: pl.DataFrame) -> list[str]:
    """Return the side of its point where each name is drawn. Sizes are estimates."""
    known = rows.drop_nulls(["mean", "sd"])
    if known.is_empty():
        return ["right"] * rows.height
    low, high, top = (float(v) for v in known.select(pl.min("mean"), mx=pl.max("mean"), sd=pl.max("sd")).row(0))
    top = max(top, LEAST["unionWith"][1])
    places = [
        None if mean is None or sd is None
        else (40 + (WIDTH - 80) * (mean - low) / ((high - low) or 1.0), HEIGHT * (1 - sd / top))
        for mean, sd in rows.select("mean", "sd").iter_rows()
    ]  # fmt: skip
    return label_sides(rows["algorithm"].to_list(), places)


def label_sides(names: Sequence[str], places: Sequence[tuple[float, float] | None]) -> list[str]:
    """Return for each point the side of `SIDES` where its name covers least of the other points and names.

    A key of `SIDES` per point; ``right`` for points that are not drawn. `places`: positions, px, to the right and down;
    None: not drawn.
    """
    taken = [(at[0] - 6, at[1] - 6, at[0] + 6, at[1] + 6) for at in places if at]
    chosen = []
    for name, at in zip(names, places, strict=True):
        if at is None:
            chosen.append("right")
            continue
        x, y = at
        wide, tall = 6.5 * len(name), 13.0
        left = {"right": x + 9, "left": x - 9 - wide, "above": x - wide / 2, "below": x - wide / 2}
        over = {"right": y - 6.5, "left": y - 6.5, "above": y - 19.5, "below": y + 6.5}
        boxes = {side: (left[side], over[side], left[side] + wide, over[side] + tall) for side in SIDES}
        side = min(boxes, key=lambda each: sum(_shared(boxes[each], other) for other in taken))
        taken.append(boxes[side])
        chosen.append(side)
    return chosen


def _shared(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> float:
    """Return the area that two boxes have in common, in px²."""
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
