"""Contour plot: the response between the levels of the two most important factors.

Lines of equal response over the coded settings of both, and the mean responses at the four corners. (Step 10 of the
ten-step analysis; NIST/SEMATECH e-Handbook, section 5.5.9.10.)
"""

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.contour import Contour
from mesonet.plots import theme
from mesonet.words import number

LINES, CORNERS = "contour_lines", "contour_corners"
SIDE, LEVELS = 420, 10


def levels_of(low: float, high: float, count: int = LEVELS) -> list[float]:
    """Return round values between two others, about `count` of them."""
    if not np.isfinite([low, high]).all() or high <= low:
        return []
    step = 10 ** np.floor(np.log10((high - low) / count))
    step *= min((1, 2, 5, 10), key=lambda f: abs((high - low) / (step * f) - count))
    return [float(v) for v in np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step]


def tables(result: Contour) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the points of the lines of equal response, and one row per corner.

    The surface is a sum of a plane and a saddle, so that each line is known exactly: y = (level - a - b x) / (c + d x),
    two branches with a gap where the denominator changes its sign.
    """
    low, high = float(np.min(result.surface)), float(np.max(result.surface))
    e1, e2, e12 = (effect / 2 for effect in result.effects)
    x = np.linspace(-1, 1, 401)
    rows = []
    for level in levels_of(low, high):
        for branch, (xs, ys) in enumerate(_branches(level - result.grand_mean, e1, e2, e12, x)):
            name = f"{level!r}/{branch}"
            inside = np.flatnonzero(np.abs(ys) <= 1)
            label = inside[int(len(inside) * 0.75)] if len(inside) else -1
            rows += [
                {"line": name, "place": i, "x": float(xs[i]), "y": float(ys[i]), "level": level,
                 "label": number(level) if i == label else None}
                for i in inside
            ]  # fmt: skip
    schema = {"line": pl.String, "place": pl.Int64, "x": pl.Float64, "y": pl.Float64, "level": pl.Float64,
              "label": pl.String}  # fmt: skip
    corners = [
        {"x": 2 * across - 1, "y": 2 * up - 1, "mean": number(float(result.corners[up, across]))}
        for up in (0, 1)
        for across in (0, 1)
    ]
    centre = {"x": 0, "y": 0, "mean": number(result.grand_mean)}
    return pl.DataFrame(rows, schema=schema), pl.DataFrame([*corners, centre])


def _branches(rise: float, e1: float, e2: float, e12: float, x: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    if max(abs(e2), abs(e12)) <= 1e-12 * max(abs(e1), 1e-300):
        return [(np.full(len(x), rise / e1), x)] if e1 and abs(rise / e1) <= 1 else []
    with np.errstate(all="ignore"):
        slope = e2 + e12 * x
        y = np.where(np.abs(slope) > 1e-12, (rise - e1 * x) / slope, np.inf)
    return [(x[part], y[part]) for part in (slope > 0, slope < 0) if part.any()]


def contour(result: Contour, *, title: str = "", response: str = "") -> alt.LayerChart:
    """Return the figure of one result; `response` is the title of the lines."""
    lines, corners = tables(result)
    first, second = result.factors
    scale = alt.Scale(domain=[-1.25, 1.25], nice=False, zero=False)
    axis = alt.Axis(values=[-1, 0, 1], grid=False)
    x = alt.X("x:Q", title=f"{first}, coded (−1: −, +1: +)", scale=scale, axis=axis)
    y = alt.Y("y:Q", title=f"{second}, coded", scale=scale, axis=axis)
    base = alt.Chart(alt.NamedData(name=LINES), width=SIDE, height=SIDE)
    spots = alt.Chart(alt.NamedData(name=CORNERS), width=SIDE, height=SIDE).encode(x=x, y=y)
    shades = alt.Scale(range=["#8fc1e3", theme.BLUE, "#00263d"], interpolate="rgb")
    labels = base.transform_filter("isValid(datum.label)").encode(x=x, y=y, text="label:N")
    chart = alt.layer(
        base.mark_line(strokeWidth=1.6).encode(
            x=x, y=y, detail="line:N", order="place:Q", color=alt.Color("level:Q", scale=shades, legend=None),
            tooltip=[alt.Tooltip("level:Q", title="response", format=".4~g")],
        ),
        labels.mark_text(fontSize=10, stroke="white", strokeWidth=4, strokeJoin="round"),
        labels.mark_text(fontSize=10),
        spots.mark_point(size=70, filled=True, opacity=1, color=theme.VERMILLION).encode(
            tooltip=[alt.Tooltip("mean:N", title="mean")]
        ),
        spots.mark_text(dy=-13, fontWeight="bold", stroke="white", strokeWidth=4, strokeJoin="round").encode(
            text="mean:N"
        ),
        spots.mark_text(dy=-13, fontWeight="bold").encode(text="mean:N"),
    )  # fmt: skip
    says = f"{response}. " if response else ""
    says += "Orange: mean responses at the corners and, in the middle, the grand mean."
    if lines.is_empty():
        says += " No effect is known or all are zero: there are no lines."
    return theme.finish(chart, {LINES: lines, CORNERS: corners}, title=title, subtitle=[says])
