"""Conditions by rising congestion, cut into classes (SP 500-282 ch. 9, Fig. 1)."""

from __future__ import annotations

from functools import partial

import altair as alt
import polars as pl

from mesonet.analysis.classes import ConditionClasses
from mesonet.charts import theme
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.text.labels import axis_title
from mesonet.words import counted, listed, number, uncapitalised

DATA = "classes"
HEIGHT = 280  # px
#: From pale to strong; classes beyond the last keep its colour.
SHADES = ("#b9d9ee", "#56B4E9", "#0072B2", "#00324f")


def figure(view: CampaignView) -> Figure:
    """Return the congestion of the conditions, and their classes."""
    short, title, file = "Congestion", "How congested is each condition?", "network/congestion"
    if view.is_model:
        short, title = "Conditions", f"{_what(view)} of each condition"
        file = "conditions/classes"
    return Figure(
        id="conditions-in-order" if view.is_model else "congestion",
        short_title=short,
        title=title,
        file=file,
        reading="One bar per condition, ordered; the colour shows its class, which is relative to these conditions.",
        draw=partial(_draw, view),
        height=380,
        own_tables=True,
    )


def _draw(view: CampaignView) -> Drawing:
    response = view.congestion_response
    chart = condition_classes(
        view.classes, title=f"{_what(view)} of the conditions{view.in_period_words(view.main_period)}",
        response=f"{axis_title(view, response)}, mean of all algorithms",
    )  # fmt: skip
    return drawing(chart, caption(view.classes, _what(view)), subtitle=False)


def _what(view: CampaignView) -> str:
    return view.responses[view.congestion_response].title if view.is_model else "Congestion"


def condition_classes(result: ConditionClasses, *, title: str = "", response: str = "") -> alt.HConcatChart:
    """Return the figure of one result: a bar per condition, coloured by class.

    Parameters
    ----------
    result, title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart, with the limits of the classes in its subtitle.
    """
    rows = result.to_polars().with_columns(place=pl.int_range(1, pl.len() + 1))
    n = max(rows.height, 1)
    step = max(4, min(28, 1000 // n))
    scale = alt.Scale(domain=[0.5, n + 0.5], nice=False, zero=False)
    names = [name for place, name in enumerate(result.names, start=1) if result.members(place)]
    places = [place for place in range(1, len(result.names) + 1) if result.members(place)]
    colours = alt.Scale(domain=names, range=[SHADES[min(p - 1, len(SHADES) - 1)] for p in places])
    lit = alt.StrokeValue(**theme.either(theme.IS_HIGHLIGHTED, theme.HIGHLIGHT, "white"))
    base = theme.kept(DATA, width=step * n, height=HEIGHT).transform_calculate(
        left="datum.place - 0.42", right="datum.place + 0.42"
    )
    tooltip = theme.tooltips("condition:O", ("value:Q", "", ".4~g"), "class:N")
    layers = [
        base.mark_rect(strokeWidth=2).encode(
            x=alt.X("left:Q", scale=scale, axis=None), x2=alt.X2("right:Q"),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=True, nice=True)), y2=alt.Y2Datum(0),
            color=alt.Color("class:N", scale=colours, legend=alt.Legend(title=None, orient="top")), stroke=lit,
            tooltip=tooltip,
        )
    ]  # fmt: skip
    if step >= 14:
        layers.append(
            base.mark_text(baseline="top", fontSize=10).encode(
                x=alt.X("place:Q", scale=scale, axis=None), y=alt.YValue(HEIGHT + 5), text=alt.Text("condition:O")
            )
        )
    counts = [f"{name}: {len(result.members(place))}" for place, name in zip(places, names, strict=True)]
    limits = f" Limits: {', '.join(number(limit) for limit in result.limits)}." if result.limits else ""
    lost = f" Without a value: {', '.join(map(str, result.absent))}." if result.absent else ""
    sentence = f"{'; '.join(counts)}.{limits}{lost}" if counts else f"No condition has a value.{lost}"
    return theme.finish(
        alt.hconcat(alt.layer(*layers, title=theme.AXIS_TITLE)),
        {DATA: rows},
        params=theme.condition_params(response),
        title=title,
        subtitle=[sentence],
    )


def caption(result: ConditionClasses, what: str = "congestion") -> str:
    """Return the number of conditions in each class, as text. `what`: title of the values."""
    text = []
    for place, name in enumerate(result.names, start=1):
        values = result.value[result.number == place]
        if len(values):
            conditions = counted(len(values), "condition")
            text.append(f"{name} in {conditions}")
    lost = f" Without a value: condition {listed([str(c) for c in result.absent])}." if result.absent else ""
    if not text:
        return f"No condition has a value.{lost}"
    if len(result.names) == 1:
        return (
            f"There is one class of {uncapitalised(what)}, with {counted(len(result.conditions), 'condition')}.{lost}"
        )
    above = " of the values above zero" if result.value[result.number == 1].max(initial=0.0) == 0 else ""
    breaks = f" The classes are natural breaks{above}." if len(text) > 1 else ""
    return f"Among these conditions {uncapitalised(what)} is {listed(text)}.{breaks}{lost}"
