"""Absolute effects plot: a kink separates the few effects that matter from the many that do not.

|effects| of all estimable terms in falling order. (Step 7 of the ten-step analysis; NIST/SEMATECH e-Handbook, section
5.5.9.7.)
"""

import altair as alt

from mesonet.analysis.terms import Terms
from mesonet.plots import theme
from mesonet.plots.alias_list import LISTED, alias_list
from mesonet.plots.half_normal import has_margins, margins_table, table
from mesonet.words import number

DATA, MARGINS = "absolute_effects", "absolute_margins"
HEIGHT = 380  # px


def absolute_effects(result: Terms, *, title: str = "", response: str = "") -> alt.HConcatChart:
    """Return the figure of one result; `response` is the title of the response."""
    rows = table(result)
    margins = margins_table(result)
    step = max(3, min(22, 620 // max(1, rows.height)))
    width = step * rows.height + 10
    x = alt.X("rank:Q", title="rank", scale=alt.Scale(domain=[0.3, rows.height + 0.7], nice=False, zero=False),
              axis=alt.Axis(grid=False, tickMinStep=1, format="d"))  # fmt: skip
    y = alt.Y("size:Q", title=None, scale=alt.Scale(zero=True, nice=True))
    colour = alt.when("datum.active").then(alt.value(theme.BLUE)).otherwise(alt.value("#858d96"))
    tooltip = [
        alt.Tooltip("rank:Q"), alt.Tooltip("strings:N", title="term"), alt.Tooltip("effect:Q", format="+.4~g"),
    ]  # fmt: skip
    base = alt.Chart(alt.NamedData(name=DATA), width=width, height=HEIGHT).encode(x=x, tooltip=tooltip)
    rule = alt.Chart(alt.NamedData(name=MARGINS), width=width, height=HEIGHT).encode(y=y)
    layers = [
        rule.mark_rule(strokeDash=[5, 4], color=theme.VERMILLION),
        rule.mark_text(align="right", baseline="bottom", dx=-4, dy=-2, color=theme.MUTED).encode(
            x=alt.value(width), text="name:N"
        ),
        base.mark_rule(strokeWidth=min(5, step * 0.5)).encode(y=y, y2=alt.datum(0), color=colour),
        base.mark_point(size=30, filled=True, opacity=1).encode(y=y, color=colour),
    ]
    if step >= 12:
        shown = base.transform_filter(f"datum.rank <= {LISTED}")
        layers.append(shown.mark_text(dy=-10, fontSize=10).encode(y=y, text="rank:Q"))
    plot = alt.layer(*layers).add_params(theme.response_title(response))
    chart = alt.hconcat(plot.properties(title=theme.AXIS_TITLE), alias_list(DATA, HEIGHT), spacing=24)
    says = f"Grand mean {number(result.grand_mean)}."
    says += " Blue: beyond the margin of error." if has_margins(result) else ""
    return theme.finish(chart, {DATA: rows, MARGINS: margins}, title=title, subtitle=[says])
