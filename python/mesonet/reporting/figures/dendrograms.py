"""The trees of the algorithms in every condition (Fig. 12 of Mills et al., ASME 2011)."""

import altair as alt
import polars as pl

from mesonet.plots import theme
from mesonet.plots.dendrograms import DATA, GREY, tables
from mesonet.reporting import method_captions
from mesonet.reporting.figures.figure import PageFigure, PageTable
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.words import capitalised, period_title

PER_ROW, HEIGHT = 8, 90


def figure(sources: Sources) -> PageFigure:
    """The figure of a campaign with at least three algorithms."""
    study = sources.study
    results = sources.method.clusterings
    brackets, leaves = tables(results)
    algorithms = max(len(result.algorithms) for result in results.values())
    rows = -(-len(results) // PER_ROW)
    text = method_captions.clusters_caption(results, study.algorithms)
    return PageFigure(
        id="clusters",
        short_title="Who behaves alike",
        title="Who behaves alike: the algorithms as trees",
        reading=(
            f"One tree per condition, {study.order_words}: algorithms that join low behave alike over all responses. "
            "Blue: groups below 70 % of the largest distance. Red name: joins last and alone. No tree: all the same."
        ),
        chart=_chart(algorithms, [c for c in study.by_congestion if c in results]),
        main=DATA,
        tables={DATA: PageTable(pl.concat([brackets, leaves], how="diagonal"))},
        captions=PageTable(pl.DataFrame([{"heading": capitalised(period_title(study.main_period)), "text": text}])),
        marks=len(results) * 2 * algorithms,
        height=40 + rows * (HEIGHT + 90),
    )


def _chart(algorithms: int, order: list[int]) -> alt.FacetChart:
    width = max(16 * algorithms, 112)
    base = alt.Chart(width=width, height=HEIGHT)
    across = alt.X("place:Q", scale=alt.Scale(domain=[-0.6, algorithms - 0.4], nice=False), axis=None)
    lit = alt.when(theme.IS_HIGHLIGHTED).then(alt.value(1)).otherwise(alt.value(0))
    distance = alt.Y("distance:Q", title=None, axis=alt.Axis(tickCount=3, domain=False, ticks=False))
    lines = base.transform_filter("isValid(datum.bracket)").mark_line(strokeWidth=1.4).encode(
        x=across,
        y=distance,
        detail="bracket:N",
        order="corner:Q",
        color=alt.when("datum.group").then(alt.value(theme.BLUE)).otherwise(alt.value(GREY)),
        tooltip=[alt.Tooltip("condition:O"), alt.Tooltip("distance:Q", format=".3~g")],
    )  # fmt: skip
    names = base.transform_filter("isValid(datum.algorithm)").mark_text(
        angle=270, align="right", baseline="middle", fontSize=9, dx=-4
    ).encode(
        x=across,
        y=alt.YDatum(0),
        text="algorithm:N",
        color=alt.when("datum.apart").then(alt.value(theme.VERMILLION)).otherwise(alt.value(theme.INK)),
        tooltip=[alt.Tooltip("condition:O"), alt.Tooltip("algorithm:N")],
    )  # fmt: skip
    ring = (
        base.transform_aggregate(groupby=["condition"])
        .mark_rect(fill=None, stroke=theme.HIGHLIGHT, strokeWidth=2.5, aria=False)
        .encode(x=alt.value(2), x2=alt.value(width - 2), y=alt.value(2), y2=alt.value(HEIGHT - 2), strokeOpacity=lit)
    )
    chart = (
        alt.layer(lines, names, ring, data=alt.NamedData(name=DATA))
        .transform_filter(theme.IS_KEPT)
        .facet(
            facet=alt.Facet("condition:O", sort=order, title=None, header=alt.Header(labelFontSize=11, labelPadding=2)),
            columns=PER_ROW,
            spacing={"row": 16, "column": 14},
        )
        .add_params(theme.HIGHLIGHTED, theme.KEPT)
    )
    return theme.finish(chart, {}, title="")
