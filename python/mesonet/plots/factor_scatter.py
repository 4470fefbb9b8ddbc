"""Multi-factor scatter plot: changes of location and spread with each factor, and outliers.

All responses at the - and + setting of every factor. (Step 2 of the ten-step analysis; NIST/SEMATECH e-Handbook,
section 5.5.9.2.)
"""

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.factor_scatter import FactorScatter
from mesonet.plots import theme
from mesonet.plots.main_effects import column_width
from mesonet.words import number

POINTS, LEVELS = "factor_scatter", "factor_levels"
HEIGHT = 300  # px


def tables(result: FactorScatter) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a table with a row per run and factor, and a table with a row per factor and setting."""
    n, k = result.signs.shape
    rng = np.random.default_rng(0)  # sideways only, so that points do not hide each other
    aside = np.asarray(rng.uniform(-0.09, 0.09, n)) if n > 16 else np.zeros(n)
    points = pl.DataFrame(
        {
            "condition": np.repeat(result.condition, k),
            "factor": list(result.factors) * n,
            "sign": ["+" if sign > 0 else "−" for sign in result.signs.ravel()],
            "x": (np.arange(k) + 1 + 0.22 * result.signs + aside[:, None]).ravel(),
            "value": np.repeat(result.value, k),
        }
    )
    rows = [
        {
            "factor": name, "sign": "−+"[side], "x": place + 1 + (0.22 if side else -0.22),
            "mean": result.mean[place, side], "sd": result.sd[place, side], "runs": int(result.runs[place, side]),
            "far_out": int(result.far_out[place, side]),
            "unequal": bool(result.spread_p[place] < 0.05), "place": place + 1,
            "caption": f"SD {number(result.sd[place, 0], 2)} / {number(result.sd[place, 1], 2)}",
        }
        for place, name in enumerate(result.factors)
        for side in (0, 1)
    ]  # fmt: skip
    levels = pl.DataFrame(rows).with_columns(pl.selectors.float().fill_nan(None))
    return points, levels


def factor_scatter(result: FactorScatter, *, title: str = "", response: str = "") -> alt.VConcatChart:
    """Return the figure of one result; `response` is the title of the vertical axis."""
    points, levels = tables(result)
    k = len(result.factors)
    width = max(66, column_width(k) * 2 // 3) * k
    scale = alt.Scale(domain=[0.5, k + 0.5], nice=False, zero=False)
    y_scale = alt.Scale(zero=False, nice=True)
    lit = alt.when(theme.IS_HIGHLIGHTED).then(alt.value(theme.HIGHLIGHT))
    base = alt.Chart(alt.NamedData(name=POINTS), width=width, height=HEIGHT)
    dots = base.mark_point(size=22, strokeWidth=1.1, opacity=1).encode(
        x=alt.X("x:Q", scale=scale, axis=None),
        y=alt.Y("value:Q", title=None, scale=y_scale),
        stroke=lit.otherwise(alt.value("#7d93a8")),
        tooltip=[
            alt.Tooltip("condition:O"), alt.Tooltip("factor:N"), alt.Tooltip("sign:N"),
            alt.Tooltip("value:Q", format=".5~g"),
        ],
    )  # fmt: skip
    means = (
        alt.Chart(alt.NamedData(name=LEVELS), width=width, height=HEIGHT)
        .transform_calculate(left="datum.x - 0.15", right="datum.x + 0.15")
        .mark_rule(strokeWidth=3, color=theme.INK)
        .encode(x=alt.X("left:Q", scale=scale, axis=None), x2="right:Q", y=alt.Y("mean:Q", title=None, scale=y_scale))
    )
    grand = base.mark_rule(strokeDash=[5, 4], color=theme.MUTED, aria=False).encode(y="mean(value):Q")
    below = alt.Chart(alt.NamedData(name=LEVELS), width=width, height=48)
    first = below.transform_filter(alt.datum.sign == "+")
    x = alt.X("x:Q", scale=scale, axis=None)
    middle = alt.X("place:Q", scale=scale, axis=None)
    marked = alt.when("datum.unequal").then(alt.value(theme.VERMILLION_TEXT)).otherwise(alt.value(theme.MUTED))
    captions = alt.layer(
        below.mark_text(fontSize=12).encode(x=x, y=alt.value(4), text="sign:N"),
        first.mark_text(fontWeight="bold").encode(x=middle, y=alt.value(20), text="factor:N"),
        first.mark_text(fontSize=9).encode(x=middle, y=alt.value(36), text="caption:N", color=marked),
    )
    chart = alt.vconcat(
        alt.layer(grand, dots, means).properties(title=theme.AXIS_TITLE), captions, spacing=2
    ).add_params(theme.HIGHLIGHTED, theme.response_title(response))
    says = "Bars: means; dashed: grand mean. SD at − / at +; red where they differ (Brown and Forsythe, 5 %)."
    return theme.finish(chart, {POINTS: points, LEVELS: levels}, title=title, subtitle=[says])
