"""Youden plot: the mean of the response at both levels of every term; the important ones lie far from the cross.

Step 6 of the ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.6).
"""

from typing import Any

import altair as alt
import polars as pl

from mesonet.plots import theme
from mesonet.plots.half_normal import DATA, has_margins
from mesonet.plots.youden import TICKS
from mesonet.reporting.campaign_view.study import level_text
from mesonet.reporting.figures.figure import RESPONSE_AND_ALGORITHM, PageFigure, PageTable, caption
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions
from mesonet.reporting.text.labels import axis_title
from mesonet.words import quantity

SIDE, NAMED = 420, 6


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with at least two factors."""
    study = sources.study
    first = sources.terms[study.congestion_response, study.choices_of_algorithm[0]]
    texts = []
    for (response, algorithm), result in sources.terms.items():
        heading = captions.effects_heading(study, response, study.main_period, algorithm)
        unit = study.unit_of(response)
        text = " ".join(result.notes) or "There is nothing to show."
        if result.runs and len(result.terms) and result.effect[0]:
            low, high = (level_text(study, result.terms[0], sign) for sign in (-1, 1))
            text = (
                f"{result.strings[0]} lies farthest from the cross: mean {study.title_of(response)} is "
                f"{quantity(float(result.mean_minus[0]), unit)} at {low} and "
                f"{quantity(float(result.mean_plus[0]), unit)} at {high}."
            )
        texts.append(caption({"response": response, "algorithm": algorithm}, heading, text))
    return PageFigure(
        id="youden",
        short_title="Youden plot",
        title="Both means of every term: Youden plot",
        reading=(
            "One point per factor (square) and per interaction (circle): across, the mean response at its − level; "
            "up, that at its + level. The cross is the mean of all; terms without effect lie there."
            + (" Blue: beyond the margin of error of the half-normal plot." if has_margins(first) else "")
        ),
        chart=_chart(axis_title(study, study.congestion_response)),
        main=DATA,
        tables={DATA: sources.terms_table},
        captions=PageTable(pl.DataFrame(texts), RESPONSE_AND_ALGORITHM),
        marks=2 * len(first.terms),
        height=520,
    )


def _chart(response: str) -> alt.LayerChart:
    scale = alt.Scale(zero=False, nice=True, padding=12)
    base = (
        alt.Chart(alt.NamedData(name=DATA), width=SIDE, height=SIDE)
        .transform_calculate(kind="indexof(datum.term, '*') < 0 ? 'factor' : 'interaction'")
        .encode(
            x=alt.X("mean_minus:Q", title="mean at −", scale=scale, axis=alt.Axis(tickCount=TICKS, labelFlush=False)),
            y=alt.Y("mean_plus:Q", title="mean at +", scale=scale, axis=alt.Axis(tickCount=TICKS)),
            tooltip=[
                alt.Tooltip("strings:N", title="term"),
                alt.Tooltip("mean_minus:Q", title="mean at −", format=".4~g"),
                alt.Tooltip("mean_plus:Q", title="mean at +", format=".4~g"),
                alt.Tooltip("effect:Q", format="+.4~g"),
            ],
        )
    )
    cross = base.transform_filter("datum.rank === 1").encode(tooltip=alt.value(None))
    line: dict[str, Any] = {"strokeDash": [5, 4], "color": theme.MUTED}
    chart = alt.layer(
        cross.mark_rule(**line).encode(x="grand_mean:Q", y=alt.value(0), y2=alt.value(SIDE)),
        cross.mark_rule(**line).encode(y="grand_mean:Q", x=alt.value(0), x2=alt.value(SIDE)),
        base.mark_point(filled=True, opacity=1, size=52).encode(
            shape=alt.Shape(
                "kind:N",
                scale=alt.Scale(domain=["factor", "interaction"], range=["square", "circle"]),
                legend=alt.Legend(title=None, orient="bottom"),
            ),
            color=alt.when("datum.active").then(alt.value(theme.BLUE)).otherwise(alt.value("#858d96")),
        ),
        # On either side in turn: effects of about the same size have neighbouring ranks, and lie together.
        base.transform_filter(f"datum.rank <= {NAMED} && datum.rank % 2 === 1")
        .mark_text(align="left", dx=8, fontSize=10)
        .encode(text="term:N"),
        base.transform_filter(f"datum.rank <= {NAMED} && datum.rank % 2 === 0")
        .mark_text(align="right", dx=-8, fontSize=10)
        .encode(text="term:N"),
    ).properties(title=theme.AXIS_TITLE)
    return theme.finish(chart.add_params(theme.response_title(response)), {}, title="")
