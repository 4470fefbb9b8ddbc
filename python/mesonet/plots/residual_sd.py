"""Cumulative residual SD plot of models of the largest terms.

Residual SD of the mean alone, then with one term more at a time, the largest first. (Step 9 of the ten-step analysis;
NIST/SEMATECH e-Handbook, section 5.5.9.9.)
"""

import altair as alt
import polars as pl

from mesonet.analysis.terms import Terms
from mesonet.plots import theme
from mesonet.plots.alias_list import LISTED, alias_list
from mesonet.plots.half_normal import table as ranked
from mesonet.words import number

DATA = "residual_sd"
HEIGHT = 380  # px


def table(result: Terms) -> pl.DataFrame:
    """Return a row per model: the mean alone (rank 0), then each term added."""
    mean = pl.DataFrame({"rank": [0], "strings": ["average"], "residual_sd": [result.sd]}).with_columns(
        pl.col("rank").cast(pl.Int64)
    )
    added = ranked(result).join(result.to_polars().select("term", "residual_sd"), on="term", maintain_order="left")
    rows = pl.concat([mean, added.with_columns(pl.col("rank").cast(pl.Int64))], how="diagonal")
    return rows.with_columns(pl.col("residual_sd").fill_nan(None))


def residual_sd(result: Terms, *, title: str = "", response: str = "") -> alt.HConcatChart:
    """Return the figure of one result; `response` is the title of the response."""
    rows = table(result)
    step = max(3, min(22, 620 // max(1, rows.height)))
    width = step * rows.height + 10
    base = alt.Chart(alt.NamedData(name=DATA), width=width, height=HEIGHT).encode(
        x=alt.X(
            "rank:Q", title="terms in the model, the largest first (0: average only)",
            scale=alt.Scale(domain=[-0.7, rows.height - 0.3], nice=False, zero=False),
            axis=alt.Axis(grid=False, tickMinStep=1, format="d"),
        ),
        y=alt.Y("residual_sd:Q", title=None, scale=alt.Scale(zero=True, nice=True)),
        tooltip=[
            alt.Tooltip("rank:Q", title="terms"), alt.Tooltip("strings:N", title="added last"),
            alt.Tooltip("residual_sd:Q", title="residual SD", format=".4~g"),
        ],
    )  # fmt: skip
    plot = alt.layer(
        base.mark_line(color=theme.HAIRLINE),
        base.mark_point(size=34, filled=True, opacity=1).encode(
            color=alt.when("datum.active || datum.rank === 0").then(alt.value(theme.BLUE)).otherwise(
                alt.value("#858d96"))
        ),
    ).add_params(theme.response_title(f"residual SD of {response}" if response else "residual SD"))  # fmt: skip
    listed = alias_list(DATA, HEIGHT).transform_filter("datum.rank > 0").transform_calculate(
        text="datum.rank + '   ' + (isValid(datum.residual_sd) ? format(datum.residual_sd, '.3~g') : '–') + '   ' + "
        "datum.strings"
    )  # fmt: skip
    chart = alt.hconcat(plot.properties(title=theme.AXIS_TITLE), listed, spacing=24)
    says = f"SD of the response {number(result.sd)}; the list gives the residual SD with each of the first {LISTED}."
    return theme.finish(chart, {DATA: rows}, title=title, subtitle=[says])
