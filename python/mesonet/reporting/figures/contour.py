"""Contour plot: the response between the levels of the two most important factors.

Step 10 of the ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.10).
"""

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis import Contour, contour, main_effects
from mesonet.plots import theme
from mesonet.reporting.campaign_view.study import Study, categorical, factor_title, level_text
from mesonet.reporting.figures.figure import RESPONSE_AND_ALGORITHM, PageFigure, PageTable, caption
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions
from mesonet.reporting.text.labels import axis_title
from mesonet.words import capitalised, difference, listed, quantity

DATA = "contour"
SIDE, POINTS = 420, 41  # px; grid points from one level to the other


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with at least two factors that are not categorical."""
    study = sources.study
    rows, texts = [], []
    for response, algorithm in sources.selections:
        y = study.for_algorithm(response, study.main_period, algorithm)
        result = contour(study.campaign.design, y, categorical=categorical(study), points=3)
        selection = {"response": response, "algorithm": algorithm}
        corners = {f"corner{up}{across}": float(result.corners[up, across]) for up in (0, 1) for across in (0, 1)}
        first, second, both = result.effects
        effects = {"first": first, "second": second, "both": both, "mean": result.grand_mean}
        effects |= {"least": result.limits[0], "most": result.limits[1]}
        names = {"across": result.factors[0], "up": result.factors[1]}
        rows.append({**selection, **names, **effects, **corners})
        heading = captions.effects_heading(study, response, study.main_period, algorithm)
        texts.append(
            caption(selection, heading, f"{_text(study, result, response)} {_left_out(study, result, y)}".rstrip())
        )
    table = pl.DataFrame(rows).with_columns(pl.selectors.float().fill_nan(None))
    return PageFigure(
        id="contour",
        short_title="Contour plot",
        title="Between the levels of two important factors: contour plot",
        reading=(
            "The response predicted from two main effects and their interaction. The factors are the first of the "
            "ranked list of terms"
            + ("; factors without settings between their levels take no axis" if categorical(study) else "")
            + ". Settings between the levels (−1 and +1) are interpolated. Numbers at the corners are means over the "
            "conditions there."
        ),
        chart=_chart(axis_title(study, study.congestion_response)),
        main=DATA,
        tables={DATA: PageTable(table, RESPONSE_AND_ALGORITHM)},
        captions=PageTable(pl.DataFrame(texts), RESPONSE_AND_ALGORITHM),
        marks=POINTS * POINTS,
        height=520,
    )


def _text(study: Study, result: Contour, response: str) -> str:
    first, second = (capitalised(factor_title(study, name)) for name in result.factors)
    if result.grand_mean != result.grand_mean:
        return "Nothing was measured."
    unit, corners = study.unit_of(response), result.corners
    text = f"Across: {first}; up: {second}."
    if np.isfinite(corners).all() and corners.max() > corners.min():
        ends = []
        for place in (corners.argmax(), corners.argmin()):
            up, across = divmod(int(place), 2)
            levels = (
                f"{name} at {level_text(study, name, 2 * at - 1)}"
                for name, at in zip(result.factors, (across, up), strict=True)
            )
            ends.append(f"{quantity(float(corners.flat[place]), unit)} with {' and '.join(levels)}")
        text += f" Of the corners the largest is {ends[0]}, the smallest {ends[1]}."
    return f"{text} Their interaction is {difference(result.effects[2], unit)}."


def _left_out(study: Study, result: Contour, y: NDArray[np.float64]) -> str:
    """Return the factors that take no axis though their effects are larger than a factor's on an axis, as text."""
    found = main_effects(study.campaign.design, y)
    size = dict(zip(found.factors, np.nan_to_num(np.abs(found.effect)), strict=True))
    least = min(size[name] for name in result.factors)
    names = [factor_title(study, name) for name in found.factors if name in categorical(study) and size[name] > least]
    if not names:
        return ""
    has = "has a larger effect but takes no axis: it has" if len(names) == 1 else (
        "have larger effects but take no axis: they have"
    )  # fmt: skip
    return f"{capitalised(listed(names))} {has} no settings between the levels."


def _chart(response: str) -> alt.LayerChart:
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
        x2="right:Q",
        y=alt.Y("y:Q", scale=domain, axis=axis, title=None),
        y2="top:Q",
        fill=fill,
        tooltip=[
            alt.Tooltip("cx:Q", title="across", format="+.2f"),
            alt.Tooltip("cy:Q", title="up", format="+.2f"),
            alt.Tooltip("z:Q", title="prediction", format=".4~g"),
        ],
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
        corners.mark_text(stroke="white", strokeWidth=4, strokeJoin="round", dy=-13, fontSize=12).encode(text="text:N"),
        corners.mark_text(dy=-13, fontSize=12).encode(text="text:N"),
        data.mark_text(align="right", dy=32, fontSize=12).encode(
            x=alt.value(SIDE), y=alt.value(SIDE), text=alt.Text("across:N")
        ),
        data.mark_text(align="right", dx=-30, fontSize=12).encode(
            x=alt.value(0), y=alt.value(8), text=alt.Text("up:N")
        ),
    ).properties(title=theme.AXIS_TITLE)
    return theme.finish(chart.add_params(theme.response_title(response)), {}, title="")
