"""Contour plot: the response between the levels of the two most important factors.

Step 10 of the ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.10).
"""

from __future__ import annotations

from functools import partial

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet import analysis
from mesonet.analysis import main_effects
from mesonet.analysis.contour import Contour
from mesonet.charts import theme
from mesonet.reporting.campaign_view.values import Described, categorical, factor_title, level_text
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import STEPS, Content, Figure, of_response, of_steps
from mesonet.words import capitalised, difference, listed, quantity

DATA = "contour"
SIDE, POINTS = 420, 41  # px; grid points from one level to the other


def figure(view: CampaignView) -> Figure | None:
    """Return the response between the levels of the two most important factors."""
    if len(set(view.campaign.design.factors) - categorical(view)) < 2:
        return None

    def content(response: str, period: str, algorithm: str) -> Content:
        y = view.for_algorithm(response, period, algorithm)
        result = analysis.contour(view.campaign.design, y, categorical=categorical(view), points=3)
        text = f"{caption(view, result, response)} {without_axis(view, result, y)}".rstrip()
        return partial(contour, result), {DATA: table(result)}, text

    return of_response(
        view,
        "contour",
        content,
        short_title="Contour plot",
        title="Between the levels of two important factors: contour plot",
        question="What lies between the levels of the two most important factors?",
        reading=(
            "The response predicted from two main effects and their interaction. The factors are the first of the "
            "ranked list of terms"
            + ("; factors without settings between their levels take no axis" if categorical(view) else "")
            + ". Settings between the levels (−1 and +1) are interpolated. Numbers at the corners are means over the "
            "conditions there."
        ),
        selections=of_steps(view),
        marks=POINTS * POINTS,
        height=520,
        file=f"{STEPS}10_contour",
        folder="steps",
    )


def table(result: Contour) -> pl.DataFrame:
    """Return the numbers of the surface as one row.

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
    data = alt.Chart(alt.NamedData(name=DATA), width=SIDE, height=SIDE)
    domain = alt.Scale(domain=[-1.15, 1.15], nice=False)
    grid = tiles(data).transform_calculate(
        z="clamp(datum.mean + (datum.first * datum.u + datum.second * datum.v"
        " + datum.both * datum.u * datum.v) / 2, datum.least, datum.most)"
    )
    axis = alt.Axis(values=[-1, 0, 1], grid=False)
    fill = alt.Fill(
        "z:Q", scale=alt.Scale(type="quantize", scheme=alt.SchemeParams("viridis", count=9), nice=True),
        title="prediction", legend=alt.Legend(orient="right", format=".3~g"),
    )  # fmt: skip
    surface = grid.mark_rect(strokeWidth=0).encode(
        x=alt.X("left:Q", scale=domain, axis=axis, title=None),
        x2=alt.X2("right:Q"),
        y=alt.Y("bottom:Q", scale=domain, axis=axis, title=None),
        y2=alt.Y2("top:Q"),
        fill=fill,
        tooltip=theme.tooltips(("u:Q", "across", "+.2f"), ("v:Q", "up", "+.2f"), ("z:Q", "prediction", ".4~g")),
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


def tiles(data: alt.Chart) -> alt.Chart:
    """Return the tiles of the square from -1 to 1: `left`, `right`, `bottom`, `top`, and their middle `u`, `v`.

    A tile covers a tenth of its neighbours, so that no gap shows.
    """
    step = 2 / (POINTS - 1)
    return (
        data.transform_calculate(k=f"sequence({(POINTS - 1) ** 2})")
        .transform_flatten(["k"])
        .transform_calculate(
            left=f"-1 + {step} * (datum.k % {POINTS - 1})", bottom=f"-1 + {step} * floor(datum.k / {POINTS - 1})"
        )
        .transform_calculate(right=f"min(datum.left + {1.1 * step}, 1)", top=f"min(datum.bottom + {1.1 * step}, 1)")
        .transform_calculate(u=f"datum.left + {step / 2}", v=f"datum.bottom + {step / 2}")
    )


def caption(view: Described, result: Contour, response: str) -> str:
    """Return the corners with the largest and smallest response, and the interaction, as text."""
    first, second = (capitalised(factor_title(view, name)) for name in result.factors)
    if result.grand_mean != result.grand_mean:
        return "Nothing was measured."
    unit, corners = view.unit_of(response), result.corners
    text = f"Across: {first}; up: {second}."
    if np.isfinite(corners).all() and corners.max() > corners.min():
        ends = []
        for place in (corners.argmax(), corners.argmin()):
            up, across = divmod(int(place), 2)
            levels = (
                f"{name} at {level_text(view, name, 2 * at - 1)}"
                for name, at in zip(result.factors, (across, up), strict=True)
            )
            ends.append(f"{quantity(float(corners.flat[place]), unit)} with {' and '.join(levels)}")
        text += f" Of the corners the largest is {ends[0]}, the smallest {ends[1]}."
    return f"{text} Their interaction is {difference(result.effects[2], unit)}."


def without_axis(view: CampaignView, result: Contour, y: NDArray[np.float64]) -> str:
    """Return the factors that take no axis though their effects are larger than a factor's on an axis, as text.

    A sentence; empty if there is no such factor. `y`: value of each condition, in the unit of the response; NaN where
    missing.
    """
    found = main_effects(view.campaign.design, y)
    size = dict(zip(found.factors, np.nan_to_num(np.abs(found.effect)), strict=True))
    least = min(size[name] for name in result.factors)
    names = [factor_title(view, name) for name in found.factors if name in categorical(view) and size[name] > least]
    if not names:
        return ""
    has = "has a larger effect but takes no axis: it has" if len(names) == 1 else (
        "have larger effects but take no axis: they have"
    )  # fmt: skip
    return f"{capitalised(listed(names))} {has} no settings between the levels."
