"""Youden plot: the mean of each term at + against its mean at -.

One point per main effect or string of interactions: mean response at - across, at + up; the cross-hair is the grand
mean. (Step 6 of the ten-step analysis; NIST/SEMATECH e-Handbook, section 5.5.9.6.)
"""

from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis.terms import Terms
from mesonet.plots import theme
from mesonet.plots.alias_list import LISTED, alias_list
from mesonet.plots.half_normal import has_margins
from mesonet.plots.half_normal import table as ranked
from mesonet.words import number

DATA = "youden"
SIDE = 400  # px
TICKS = 6  # about: numbers of seven digits stand side by side


def youden(result: Terms, *, title: str = "", response: str = "") -> alt.HConcatChart:
    """Return the figure of one result; `response` is the title of the means."""
    means = result.to_polars().select("term", "mean_minus", "mean_plus")
    rows = ranked(result).join(means, on="term", how="left", maintain_order="left")
    known = rows.filter(pl.col("mean_minus").is_not_null() & pl.col("mean_plus").is_not_null())
    ends = [*known["mean_minus"], *known["mean_plus"]] or [0.0, 1.0]
    room = (max(ends) - min(ends)) * 0.06 or abs(max(ends)) * 0.01 or 1.0
    domain = [min(ends) - room, max(ends) + room]
    rows = rows.with_columns(number=pl.Series(_numbers(rows, domain[1] - domain[0]), dtype=pl.String))
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    base = alt.Chart(alt.NamedData(name=DATA), width=SIDE, height=SIDE)
    axis = alt.Axis(tickCount=TICKS)
    x = alt.X("mean_minus:Q", title="mean at −", scale=scale, axis=axis)
    y = alt.Y("mean_plus:Q", title=None, scale=scale, axis=axis)
    colour = alt.when("datum.active").then(alt.value(theme.BLUE)).otherwise(alt.value("#858d96"))
    tooltip = [
        alt.Tooltip("rank:Q"), alt.Tooltip("strings:N", title="term"),
        alt.Tooltip("mean_minus:Q", title="mean at −", format=".4~g"),
        alt.Tooltip("mean_plus:Q", title="mean at +", format=".4~g"),
    ]  # fmt: skip
    layers = []
    if result.runs:
        cross: dict[str, Any] = {"strokeDash": [5, 4], "color": theme.MUTED, "aria": False}
        layers += [
            base.mark_rule(**cross).encode(x=alt.XDatum(result.grand_mean, scale=scale)),
            base.mark_rule(**cross).encode(y=alt.YDatum(result.grand_mean, scale=scale)),
        ]
    plot = alt.layer(
        *layers,
        base.mark_point(size=40, opacity=1, filled=True).encode(x=x, y=y, color=colour, tooltip=tooltip),
        base.transform_filter("isValid(datum.number)").mark_text(dx=10, dy=-7).encode(
            x=x, y=y, text="number:N"
        ),
    ).add_params(theme.response_title(f"{response}: mean at +" if response else "mean at +"))  # fmt: skip
    chart = alt.hconcat(plot.properties(title=theme.AXIS_TITLE), alias_list(DATA, SIDE), spacing=24)
    says = f"Cross-hair: grand mean {number(result.grand_mean)}."
    says += " Blue: beyond the margin of error." if has_margins(result) else ""
    return theme.finish(chart, {DATA: rows}, title=title, subtitle=[says])


def _numbers(rows: pl.DataFrame, span: float) -> list[str | None]:
    """Return the rank of each listed term, or None where it would overlap the rank of a larger term."""
    taken: list[tuple[float, float]] = []
    texts: list[str | None] = []
    room = 26 * span / SIDE  # px, across and up together: two digits do not touch
    for rank, x, y in rows.select("rank", "mean_minus", "mean_plus").iter_rows():
        free = x is not None and y is not None and all(abs(x - a) + abs(y - b) > room for a, b in taken)
        texts.append(str(rank) if free and rank <= LISTED else None)
        if texts[-1]:
            taken.append((x, y))
    return texts
