"""Half-normal plot: effects against the quantiles expected of noise.

Effects that are only noise lie on a line through the origin; effects beyond the margins of error are active. The
margins are Lenth's, or come from the scatter between replicates. (Step 8 of the ten-step analysis; NIST/SEMATECH
e-Handbook, section 5.5.9.8.)
"""

from __future__ import annotations

import altair as alt
import polars as pl

from mesonet.analysis.terms import Terms, has_margins
from mesonet.charts import theme
from mesonet.charts.alias_list import LISTED, alias_list
from mesonet.words import number

DATA, MARGINS = "half_normal", "margins"
LONGEST = 64  #: characters of an alias string
WIDTH, HEIGHT = 560, 380  # px
NAME = 170  # px of the name of a margin, about


def table(result: Terms) -> pl.DataFrame:
    """Return a row per term by falling |effect|.

    Parameters
    ----------
    result
        Ranked terms.

    Returns
    -------
    Columns rank (from 1), term, strings (the aliases), size (|effect|), effect, half_normal (quantile), active,
    mean_minus and mean_plus, and residual_sd (of the model up to the term). Every row repeats grand_mean, sd (of the
    response) and runs.
    """
    strings = [text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …" for text in result.strings]
    rows = result.to_polars().with_columns(size=pl.col("effect").abs(), rank=pl.int_range(1, pl.len() + 1))
    active = pl.col("active") if has_margins(result) else pl.lit(value=False)
    more = {name: pl.Series(getattr(result, name)) for name in ("mean_minus", "mean_plus", "residual_sd")}
    return (
        rows.with_columns(strings=pl.Series(strings, dtype=pl.String), active=active)
        .select("rank", "term", "strings", "size", "effect", "half_normal", "active")
        .with_columns(**more, grand_mean=pl.lit(result.grand_mean), sd=pl.lit(result.sd), runs=pl.lit(result.runs))
    )


def margins_table(result: Terms) -> pl.DataFrame:
    """Return a row per margin of error that is known.

    Parameters
    ----------
    result
        Ranked terms and their noise.

    Returns
    -------
    Columns size, in the unit of the effects, and name.
    """
    named = {"margin of error": result.noise.me, "simultaneous margin": result.noise.sme}
    rows = [{"size": size, "name": f"{name} {number(size)}"} for name, size in named.items() if has_margins(result)]
    return pl.DataFrame(rows, schema={"size": pl.Float64, "name": pl.String}).filter(pl.col("size").is_finite())


def half_normal(result: Terms, *, title: str = "", response: str = "") -> alt.HConcatChart:
    """Return the figure of one result.

    Parameters
    ----------
    result, title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart, next to the list of the largest terms.
    """
    rows = table(result)
    margins = margins_table(result)
    size = alt.Y("size:Q", title=None, scale=alt.Scale(zero=True, nice=True))
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=HEIGHT).encode(
        x=alt.X("half_normal:Q", title="half-normal quantile", scale=alt.Scale(zero=True, nice=True)), y=size
    )
    colour = theme.ACTIVE
    rule = alt.Chart(alt.NamedData(name=MARGINS), width=WIDTH, height=HEIGHT).encode(y=size)
    plot = alt.layer(
        rule.mark_rule(strokeDash=[5, 4], color=theme.VERMILLION),
        # On the left, because large effects with their numbers are on the right. Side by side, because both margins
        # may be close.
        *(
            rule.transform_filter(f"indexof(datum.name, 'simultaneous') {sign} 0")
            .mark_text(align="left", baseline="bottom", dx=4 + across, dy=-2, color=theme.MUTED)
            .encode(x=alt.XValue(0), text=alt.Text("name:N"))
            for sign, across in (("<", 0), (">=", NAME))
        ),
        base.mark_point(size=46, opacity=1, filled=True).encode(
            color=colour,
            tooltip=theme.tooltips(
                "rank:Q",
                ("strings:N", "term"),
                ("effect:Q", "", "+.4~g"),
                ("half_normal:Q", "half-normal quantile", ".3f"),
            ),
        ),
        # Above and below in turn, because numbers of two digits are wider than the distance to the next point.
        *(
            base.transform_filter(f"datum.rank <= {LISTED} && datum.rank % 2 === {odd}")
            .mark_text(dy=dy)
            .encode(text=alt.Text("rank:Q"))
            for odd, dy in ((1, -11), (0, 12))
        ),
        title=theme.AXIS_TITLE,
    )
    chart = alt.hconcat(plot, alias_list(DATA, HEIGHT), spacing=24)
    return theme.finish(chart, {DATA: rows, MARGINS: margins}, params=[theme.response_title(response)], title=title)
