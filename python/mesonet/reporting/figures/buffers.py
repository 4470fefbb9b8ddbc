"""Use of buffers by class of router, in conditions from the least to the most congested."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.responses.definitions import ROUTER_CLASSES
from mesonet.words import percent, period_title

DATA = "buffers"
HEIGHT = 120  # px
#: Titles of the classes of routers whose names are short.
_ROUTERS = {"pop": "PoP", "normal": "normal access", "fast": "fast access", "direct": "direct access"}


def figure(view: CampaignView) -> Figure | None:
    """Return the use of the buffers by class of router."""
    if buffer_table(view).is_empty():
        return None
    return Figure(
        id="buffers",
        short_title="Buffers",
        title="Where does the queue stand?",
        reading=(
            "One panel per class of router: the share of its buffer in use on average, in conditions from the "
            "least to the most congested."
        ),
        draw=partial(_draw, view),
        height=560,
        own_tables=True,
        file="network/buffers",
    )


def buffer_table(view: CampaignView) -> pl.DataFrame:
    """Return the mean use of buffers in the main period, means over replicates.

    Columns router (a class), condition, algorithm and value, from 0 to 1; no rows if the use was not measured.
    """
    there = set(view.campaign.responses.filter(pl.col("period") == view.main_period)["response"].unique())
    frames = [
        view.campaign.response(f"buffer_use_{router}", view.main_period)
        .filter(pl.col("condition").is_in(view.conditions))
        .group_by("condition", "algorithm", maintain_order=True)
        .agg(pl.col("value").mean())
        .select(pl.lit(router).alias("router"), pl.all())
        for router in ROUTER_CLASSES
        if f"buffer_use_{router}" in there
    ]
    schema = {"router": pl.String, "condition": pl.Int64, "algorithm": pl.String, "value": pl.Float64}
    return pl.concat(frames).drop_nulls("value") if frames else pl.DataFrame(schema=schema)


def _draw(view: CampaignView) -> Drawing:
    rows = buffer_table(view).with_columns(pl.col("router").replace(_ROUTERS))
    routers = [_ROUTERS.get(router, router) for router in ROUTER_CLASSES]
    chart = buffers(
        rows, view.algorithms, routers=routers, order=view.by_congestion,
        order_title=f"condition, {view.order_words}",
        title=f"Share of the buffers in use, by class of router, {period_title(view.main_period)}",
    )  # fmt: skip
    return drawing(chart, caption(rows))


def buffers(
    values: pl.DataFrame,
    algorithms: Sequence[str],
    *,
    routers: Sequence[str],
    order: Sequence[int],
    order_title: str = "condition",
    title: str = "",
) -> alt.FacetChart:
    """Draw the use of buffers, a panel per class of router.

    Parameters
    ----------
    values
        Columns router, condition, algorithm, and value, from 0 to 1.
    algorithms
        As for every plot, see `mesonet.plots`.
    routers
        Classes of routers, from top to bottom.
    order, order_title, title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart; routers without values have no panel.
    """
    rows = values.drop_nulls("value")
    there = set(rows["router"])
    step = max(6, min(28, 1000 // max(1, len(order))))
    base = (
        alt.Chart(width=alt.Step(step), height=HEIGHT)
        .transform_filter(theme.IS_KEPT)
        .encode(
            x=alt.X("condition:O", sort=list(order), title=order_title,
                    axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False)),
        )
    )  # fmt: skip
    points = base.mark_point(size=26, opacity=1, strokeWidth=1.4).encode(
        y=alt.Y("value:Q", title=None, axis=alt.Axis(format="%", tickCount=4), scale=alt.Scale(nice=4)),
        **theme.by_algorithm(algorithms, alt.Legend(title=None, orient="top", columns=8)),
        tooltip=theme.tooltips("router:N", "condition:O", "algorithm:N", ("value:Q", "", ".1%")),
    )  # fmt: skip
    chart = (
        alt.layer(theme.band(base, step), points, data=alt.NamedData(name=DATA))
        .facet(
            row=alt.Row("router:N", sort=[r for r in routers if r in there], title=None,
                        header=alt.Header(labelAngle=0, labelAlign="left", labelAnchor="start", labelOrient="top",
                                          labelFontSize=11, labelPadding=2)),
            spacing=24,
        )
        .resolve_scale(y="independent")
    )  # fmt: skip
    return theme.finish(chart, {DATA: rows}, params=theme.condition_params(), title=title)


def caption(rows: pl.DataFrame) -> str:
    """Return the class of routers with the fullest buffers, and the fullest buffers of all, as text.

    `rows`: columns router, condition, algorithm and value, from 0 to 1; at least one row.
    """
    means = rows.group_by("router", maintain_order=True).agg(pl.mean("value")).sort("value", descending=True)
    fullest = rows.sort("value", descending=True).row(0, named=True)
    if fullest["value"] == 0:
        return "No buffer is ever in use."
    return (
        f"On average the buffers of {means['router'][0]} routers are the fullest "
        f"({percent(100 * means['value'][0])}); the fullest of all is {percent(100 * fullest['value'])} at "
        f"{fullest['router']} routers in condition {fullest['condition']} with {fullest['algorithm']}."
    )
