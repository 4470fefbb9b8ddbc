"""Contour plot: the response between the levels of the two most important factors.

Step 10 of the ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.10).
"""

from __future__ import annotations

import altair as alt
import polars as pl

from mesonet.analysis.contour import Contour
from mesonet.charts import theme

DATA = "contour"
SIDE, POINTS = 420, 41  # px; grid points from one level to the other


def table(result: Contour) -> pl.DataFrame:
    """Return the numbers of the surface as one row.

    Parameters
    ----------
    result
        A fitted surface; its grid is not used.

    Returns
    -------
    Columns across and up, the two factors; first, second and both, their effects and the effect of their product; mean,
    the prediction at the centre; least and most, the limits of predictions; ``corner00`` to ``corner11``, the mean
    response at the levels of (up, across), 0 for - and 1 for +, null without a run.
    """
    first, second, both = result.effects
    row = {
        "across": result.factors[0], "up": result.factors[1], "first": first, "second": second, "both": both,
        "mean": result.grand_mean, "least": result.limits[0], "most": result.limits[1],
        **{f"corner{up}{across}": float(result.corners[up, across]) for up in (0, 1) for across in (0, 1)},
    }  # fmt: skip
    return pl.DataFrame([row]).with_columns(pl.selectors.float().fill_nan(None))


def contour(result: Contour, *, title: str = "", response: str = "") -> alt.LayerChart:
    """Return the figure of one result.

    Parameters
    ----------
    result, title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: the fitted surface over coded settings, -1 to 1, and the means at the corners.
    """
    step = 2 / (POINTS - 1)
    data = alt.Chart(alt.NamedData(name=DATA), width=SIDE, height=SIDE)
    domain = alt.Scale(domain=[-1.15, 1.15], nice=False)
    grid = (
        data.transform_calculate(k=f"sequence({(POINTS - 1) ** 2})")
        .transform_flatten(["k"])
        .transform_calculate(
            x=f"-1 + {step} * (datum.k % {POINTS - 1})", y=f"-1 + {step} * floor(datum.k / {POINTS - 1})"
        )
        .transform_calculate(right=f"min(datum.x + {1.1 * step}, 1)", top=f"min(datum.y + {1.1 * step}, 1)")
        .transform_calculate(cx=f"datum.x + {step / 2}", cy=f"datum.y + {step / 2}")
        .transform_calculate(
            z="clamp(datum.mean + (datum.first * datum.cx + datum.second * datum.cy"
            " + datum.both * datum.cx * datum.cy) / 2, datum.least, datum.most)"
        )
    )
    axis = alt.Axis(values=[-1, 0, 1], grid=False)
    fill = alt.Fill(
        "z:Q", scale=alt.Scale(type="quantize", scheme=alt.SchemeParams("viridis", count=9), nice=True),
        title="prediction", legend=alt.Legend(orient="right", format=".3~g"),
    )  # fmt: skip
    surface = grid.mark_rect(strokeWidth=0).encode(
        x=alt.X("x:Q", scale=domain, axis=axis, title=None),
        x2=alt.X2("right:Q"),
        y=alt.Y("y:Q", scale=domain, axis=axis, title=None),
        y2=alt.Y2("top:Q"),
        fill=fill,
        tooltip=theme.tooltips(("cx:Q", "across", "+.2f"), ("cy:Q", "up", "+.2f"), ("z:Q", "prediction", ".4~g")),
    )
    corners = (
        data.transform_fold([f"corner{up}{across}" for up in (0, 1) for across in (0, 1)], as_=["corner", "value"])
        .transform_calculate(
            x="slice(datum.corner, 7, 8) === '1' ? 1 : -1", y="slice(datum.corner, 6, 7) === '1' ? 1 : -1"
        )
        .transform_calculate(text="isValid(datum.value) ? format(datum.value, '.3~g') : '–'")
        .encode(x=alt.X("x:Q", scale=domain, axis=axis), y=alt.Y("y:Q", scale=domain, axis=axis))
    )
    chart = alt.layer(
        surface,
        corners.mark_point(fill="white", stroke=theme.INK, size=40, opacity=1),
        corners.mark_text(stroke="white", strokeWidth=4, strokeJoin="round", dy=-13, fontSize=12).encode(
            text=alt.Text("text:N")
        ),
        corners.mark_text(dy=-13, fontSize=12).encode(text=alt.Text("text:N")),
        data.mark_text(align="right", dy=32, fontSize=12).encode(
            x=alt.XValue(SIDE), y=alt.YValue(SIDE), text=alt.Text("across:N")
        ),
        data.mark_text(align="right", dx=-30, fontSize=12).encode(
            x=alt.XValue(0), y=alt.YValue(8), text=alt.Text("up:N")
        ),
        title=theme.AXIS_TITLE,
    )
    return theme.finish(
        chart,
        {DATA: table(result)},
        params=[theme.response_title(response)],
        title=title,
        subtitle=["Prediction over the coded settings (−1: −, +1: +); at the corners the means of their conditions."],
    )
