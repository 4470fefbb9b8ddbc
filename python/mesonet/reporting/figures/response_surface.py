"""Contours of the model of a response over its two strongest factors."""

from __future__ import annotations

from functools import partial
from typing import Any

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.campaign_view.surface import Section, Surface
from mesonet.reporting.figures.contour import POINTS, tiles
from mesonet.reporting.figures.figure import Content, Figure, of_algorithms, of_response
from mesonet.words import capitalised, listed, number

DATA = "response_surface"
SIDE = 360  #: px
_ENDS = (-1, 0, 1)
_LABEL = "isFinite(datum.value) ? format(datum.value, '.3~g') : ''"  # without a model there is no value
_POWERS = ("one", "x", "y", "xx", "yy", "xy")


def figure(sampled: Sampled) -> Figure | None:
    """Return the contours of each response and algorithm."""
    surface = sampled.surface
    if surface is None or sum(not isinstance(each[0], str) for each in surface.settings.values()) < 2:
        return None
    view = surface.view

    def content(response: str, period: str, algorithm: str) -> Content:
        found = surface.section(response, period, algorithm)
        rows = table(surface, found)
        return partial(response_surface, rows), {DATA: rows}, caption(surface, response, period, algorithm)

    return of_response(
        view,
        "response-surface",
        content,
        short_title="Response surface",
        title="What lies between the settings of the two strongest factors?",
        reading=(
            "The prediction of the model over the two factors that explain most. All other factors are held where the "
            "prediction is highest; the ring is that place."
        ),
        selections=of_algorithms(view, view.algorithms),
        marks=POINTS * POINTS,
        height=480,
        file="surface/{column}/{algorithm}",
    )


def table(surface: Surface, found: Section | None) -> pl.DataFrame:
    """Return the model as one row: its coefficients, the names of both factors, and three settings of each."""
    texts = ("across", "up", *(f"{axis}{end}" for axis in "xy" for end in range(3)))
    schema = {**dict.fromkeys(texts, pl.String), **dict.fromkeys((*_POWERS, "best_x", "best_y"), pl.Float64)}
    if found is None:
        return pl.DataFrame(schema=schema)
    row = dict(zip(_POWERS, found.coefficients, strict=True))
    row |= {"best_x": found.highest[0], "best_y": found.highest[1]}
    labels = {}
    for axis, name in (("x", found.across), ("y", found.up)):
        low, high = min(surface.settings[name]), max(surface.settings[name])
        for place, end in enumerate(_ENDS):
            labels[f"{axis}{place}"] = number(low + (high - low) * (end + 1) / 2, 4)
        unit = surface.units[name]
        labels["across" if axis == "x" else "up"] = f"{name}, {unit}" if unit else name
    return pl.DataFrame([{**labels, **row}], schema=schema)


def response_surface(rows: pl.DataFrame, *, title: str = "", response: str = "") -> alt.LayerChart:
    """Return the contours of one model. `rows`: as `table` returns them."""
    data = alt.Chart(alt.NamedData(name=DATA), width=SIDE, height=SIDE)
    scale = alt.Scale(domain=[-1, 1], nice=False)
    bare = alt.Axis(values=list(_ENDS), labels=False, grid=False, title=None)
    grid = tiles(data).transform_calculate(
        z="datum.one + datum.x * datum.u + datum.y * datum.v + datum.xx * datum.u * datum.u"
        " + datum.yy * datum.v * datum.v + datum.xy * datum.u * datum.v"
    )
    fill = alt.Fill(
        "z:Q", scale=alt.Scale(type="quantize", scheme=alt.SchemeParams("viridis", count=9), nice=True),
        title="prediction", legend=alt.Legend(orient="right", labelExpr=_LABEL),
    )  # fmt: skip
    layers: list[alt.Chart] = [
        grid.mark_rect(strokeWidth=0).encode(
            x=alt.X("left:Q", scale=scale, axis=bare), x2=alt.X2("right:Q"),
            y=alt.Y("bottom:Q", scale=scale, axis=bare), y2=alt.Y2("top:Q"), fill=fill,
            tooltip=theme.tooltips(("z:Q", "prediction", ".4~g")),
        ),
        data.mark_point(size=130, stroke=theme.HIGHLIGHT, strokeWidth=3, fill=None, opacity=1).encode(
            x=alt.X("best_x:Q", scale=scale, axis=bare), y=alt.Y("best_y:Q", scale=scale, axis=bare)
        ),
    ]  # fmt: skip
    sides: tuple[Any, ...] = ("left", "center", "right")
    for place, (at, across) in enumerate(zip((0, SIDE / 2, SIDE), sides, strict=True)):
        layers += [
            data.mark_text(align=across, dy=16).encode(x=alt.XValue(at), y=alt.YValue(SIDE), text=f"x{place}:N"),
            data.mark_text(align="right", dx=-10).encode(x=alt.XValue(0), y=alt.YValue(SIDE - at), text=f"y{place}:N"),
        ]
    layers += [
        data.mark_text(dy=34, fontSize=12).encode(x=alt.XValue(SIDE / 2), y=alt.YValue(SIDE), text="across:N"),
        data.mark_text(dy=-58, fontSize=12, angle=270).encode(x=alt.XValue(0), y=alt.YValue(SIDE / 2), text="up:N"),
    ]
    chart = alt.layer(*layers, title=theme.AXIS_TITLE)
    return theme.finish(chart, {DATA: rows}, params=[theme.response_title(response)], title=title)


def caption(surface: Surface, response: str, period: str, algorithm: str) -> str:
    """Return the axes, what is held, and the predictions, as text."""
    model = surface.model(response, period, algorithm)
    if isinstance(model, str):
        return f"No model: {model}."
    found = surface.section(response, period, algorithm)
    if found is None:
        return " ".join(model.sentences())
    text = f"Across: {found.across}; up: {found.up}."
    if found.held:
        held = [model.setting(name, value) for name, value in found.held.items()]
        text += f" Held: {listed(held)}."
    return " ".join([text, *map(capitalised, model.best_sentences())])
