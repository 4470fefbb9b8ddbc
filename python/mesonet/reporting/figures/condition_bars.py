"""Bar graphs by condition of the algorithms above and below the mean of all.

(After the bar graphs by condition of SP 500-282, ch. 9, Figs. 17, 19 and 21.)
"""

import altair as alt
import numpy as np
import polars as pl

from mesonet.plots import theme
from mesonet.reporting.figures.figure import PageFigure, PageTable, caption
from mesonet.reporting.figures.residuals import KEYS, POINTS
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions
from mesonet.reporting.text.labels import axis_title
from mesonet.words import counted, listed

PER_ROW, WIDTH, HEIGHT = 8, 128, 64


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with at least two algorithms."""
    study = sources.study
    texts = []
    for response, result in sources.residuals.items():
        # What is only rounding lies nowhere.
        apart = np.array([extreme is not None for extreme in result.summary.extreme[:, 0]])
        above = ((result.residual > 0) & apart[:, None]).sum(axis=0)
        order = sorted(np.flatnonzero(above), key=lambda place: -above[place])[:3]
        said = [f"{study.algorithms[place]} in {counted(int(above[place]), 'condition')}" for place in order]
        heading = captions.values_heading(study, response, study.main_period)
        text = f"Most often above the mean of all: {listed(said)}." if above.any() else "All are the same everywhere."
        texts.append(caption({"response": response}, heading, text))
    numbers = ", ".join(f"{place} {name}" for place, name in enumerate(study.algorithms, start=1))
    rows = -(-len(study.conditions) // PER_ROW)
    return PageFigure(
        id="condition-bars",
        short_title="Bars by condition",
        title="Above or below the mean of all: one bar graph per condition",
        reading=(
            f"Conditions {study.order_words}. Bars upwards (blue): above the mean of all algorithms in this condition; "
            f"downwards (orange): below. All graphs share one scale. {numbers}."
        ),
        chart=_chart(study.by_congestion, axis_title(study, study.congestion_response)),
        main=POINTS,
        axis="{}, less the mean of all algorithms",
        tables={POINTS: sources.residual_points},
        captions=PageTable(pl.DataFrame(texts), KEYS),
        marks=len(study.conditions) * len(study.algorithms),
        height=60 + rows * (HEIGHT + 34),
    )


def _chart(order: list[int], response: str) -> alt.FacetChart:
    base = alt.Chart(width=WIDTH, height=HEIGHT)
    x = alt.X("number:O", title=None, axis=alt.Axis(labelAngle=0, ticks=False, domain=False, orient="bottom"))
    bars = base.mark_bar().encode(
        x=x,
        y=alt.Y("residual:Q", title=None, axis=alt.Axis(tickCount=3, domain=False, ticks=False)),
        color=alt.when("datum.residual > 0").then(alt.value(theme.BLUE)).otherwise(alt.value(theme.VERMILLION)),
        tooltip=[
            alt.Tooltip("condition:O"),
            alt.Tooltip("algorithm:N"),
            alt.Tooltip("residual:Q", title="above the mean", format="+.4~g"),
            alt.Tooltip("percent:Q", title="% of the mean", format="+.3~g"),
        ],
    )
    ring = theme.panel_ring(base, WIDTH, HEIGHT)
    zero = base.transform_aggregate(groupby=["condition"]).mark_rule(color=theme.MUTED).encode(y=alt.YDatum(0))
    chart = (
        alt.layer(bars, zero, ring, data=alt.NamedData(name=POINTS))
        .transform_filter(theme.IS_KEPT)
        .facet(
            facet=alt.Facet("condition:O", sort=order, title=None, header=alt.Header(labelFontSize=11, labelPadding=2)),
            columns=PER_ROW,
            spacing={"row": 12, "column": 12},
        )
        .add_params(theme.HIGHLIGHTED, theme.KEPT, theme.response_title(response))
    )
    return theme.finish(chart, {}, title="")
