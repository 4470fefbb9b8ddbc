"""Numbers of flows connecting and transmitting, by state, over time or by period.

(SP 500-282 ch. 9, Fig. 2: one panel per condition, one condition of each class of congestion.)
"""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from mesonet.charts import theme

DATA = "flow_states"
STATES = ("connecting", "initial slow start", "standard congestion avoidance", "own congestion avoidance")
_COLOURS = ("#c9ced4", theme.ORANGE, theme.SKY, theme.BLUE)
WIDTH, HEIGHT = 300, 200  # px


def flow_states(
    values: pl.DataFrame, *, panels: Sequence[str], over_time: bool, title: str = "", unit: str = "flows"
) -> alt.FacetChart:
    """Return a panel of stacked numbers of flows for each condition.

    Parameters
    ----------
    values
        Columns panel, time (s, or the name of a period), state (one of `STATES`) and flows.
    panels
        Titles of the panels, in their order.
    over_time
        True: time is in s and drawn as areas. False: a bar per period.
    title
        As for every plot, see `mesonet.plots`.
    unit
        Title of the vertical axis.

    Returns
    -------
    The chart; panels without values are left out.
    """
    rows = values.drop_nulls("flows").with_columns(
        place=pl.col("state").replace_strict({s: i for i, s in enumerate(STATES)}, default=9)
    )
    there = set(rows["panel"])
    scale = alt.Scale(domain=list(STATES), range=list(_COLOURS))
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=HEIGHT)
    mark = base.mark_area() if over_time else base.mark_bar(size=46)
    x = (
        alt.X("time:Q", title="time, s", scale=alt.Scale(nice=False, zero=False))
        if over_time
        else alt.X("time:N", title="measured period", axis=alt.Axis(labelAngle=0, ticks=False))
    )
    chart = mark.encode(
        x=x,
        y=alt.Y("flows:Q", title=unit, stack="zero"),
        order=alt.Order("place:Q"),
        color=alt.Color("state:N", scale=scale, legend=alt.Legend(title=None, orient="top", columns=4, labelLimit=260)),
        tooltip=theme.tooltips("state:N", "time:Q" if over_time else "time:N", ("flows:Q", "", ".4~g")),
    ).facet(
        facet=alt.Facet("panel:N", sort=[p for p in panels if p in there], title=None,
                        header=alt.Header(labelFontSize=11, labelLimit=WIDTH)),
        columns=2 if len(there) == 4 else 3,
    ).resolve_scale(y="independent")  # fmt: skip
    return theme.finish(chart, {DATA: rows}, title=title)
