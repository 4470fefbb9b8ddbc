"""Theme of all figures: colours, type, the highlighted condition, and the tables of a chart.

The colours of Okabe and Ito (2008) can be distinguished with colour blindness. A sign, a number or a shape always
repeats the meaning of the colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import altair as alt
import polars as pl
from altair.utils.schemapi import debug_mode

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PINK = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"

#: The same hues as text: at least 4.5 : 1 on white, on `PALE` and on the band of the highlight (WCAG 2.2, 1.4.3).
GREEN_TEXT, VERMILLION_TEXT = "#007a59", "#b34d00"
INK, MUTED, GREY, HAIRLINE, PALE = "#1b1f24", "#5c636b", "#858d96", "#c9ced4", "#eef0f3"
HIGHLIGHT = ORANGE
#: Tints of blue and yellow that carry black text; ▲ and ▼ accompany them. High is neither good nor bad.
HIGH, LOW = "#8fc4e8", "#ecc96f"

#: One colour and one shape per algorithm, in the order of the campaign: 6 x 7 pairs before one repeats.
SERIES_COLOURS = (BLACK, BLUE, VERMILLION, GREEN, PINK, "#8a6d00")
SERIES_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right")

#: Liberation Sans comes with vl-convert; Arial and Helvetica have the same widths, so text fits everywhere.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
CONFIG: dict[str, Any] = {
    "font": FONT,
    "background": "white",
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": PALE,
        "domainColor": HAIRLINE,
        "tickColor": HAIRLINE,
    },
    "title": {"fontSize": 14, "subtitleFontSize": 12, "anchor": "start", "offset": 12, "color": INK},
    "legend": {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "symbolSize": 90},
    "text": {"fontSize": 11, "color": INK},
}

#: The condition that is highlighted in all figures (0: none).
HIGHLIGHTED = alt.param(name="hl", value=0)
#: Level (-1 or +1) of each factor in the highlighted condition (empty: none).
HIGHLIGHTED_LEVELS = alt.param(name="levels", value=[])
#: The parameter that names the response drawn.
RESPONSE_TITLE = "response_title"
#: The title over the vertical axis; its text is that parameter.
AXIS_TITLE = alt.TitleParams(
    text=alt.ExprRef(RESPONSE_TITLE), fontSize=12, fontWeight="normal", anchor="start", offset=8, color=INK
)
#: Labels of an axis: 0.8 and 20k. The format ~s alone makes 800m of 0.8.
SHORT_NUMBER = "abs(datum.value) < 1000 ? format(datum.value, '.3~g') : format(datum.value, '~s')"
#: The conditions to show (empty: all).
KEPT = alt.param(name="keep", value=[])
IS_KEPT = "length(keep) == 0 || indexof(keep, datum.condition) >= 0"

#: Panels of a sheet side by side.
PER_ROW = 8
#: True for the marks of the highlighted condition.
IS_HIGHLIGHTED = "datum.condition === hl"


def either(test: str, then: Any, otherwise: Any) -> dict[str, Any]:
    """Return a value that depends on the mark, for the class of a channel: ``alt.ColorValue(**either(...))``.

    `altair.when` gives the same, and looks through some hundred classes for each.
    """
    return {"condition": [{"test": test, "value": then}], "value": otherwise}


#: Opacity of the marks of the highlight: drawn for every condition, visible for one. A filter instead would change the
#: scales, so that every highlight would change the layout of the figure.
_LIT = either(IS_HIGHLIGHTED, 1, 0)
LIT = alt.OpacityValue(**_LIT)
#: Colour of an effect: active effects stand out.
ACTIVE = alt.ColorValue(**either("datum.active", BLUE, GREY))


def ring(base: alt.Chart, fields: Sequence[str] = (), **place: Any) -> alt.Chart:
    """Return a frame around the marks of the highlighted condition."""
    return (
        base.transform_aggregate(groupby=["condition", *fields])
        .mark_rect(fill=None, stroke=HIGHLIGHT, strokeWidth=2.5, aria=False)
        .encode(**place, strokeOpacity=alt.StrokeOpacityValue(**_LIT))
    )


def sheet(
    base: alt.Chart, *layers: alt.Chart, data: str, order: Sequence[int], gaps: tuple[int, int]
) -> alt.FacetChart:
    """Return a panel per condition, `PER_ROW` side by side, with a frame around the highlighted one.

    `base`: chart with the size of a panel, px. `data`: name of its table, which has a column condition. `gaps`: space
    between rows and between columns, px.
    """
    edge: dict[str, Any] = {"x2": alt.X2Value(base.width - 2), "y2": alt.Y2Value(base.height - 2)}
    panel = alt.layer(*layers, ring(base, x=alt.XValue(2), y=alt.YValue(2), **edge), data=alt.NamedData(name=data))
    header = alt.Header(labelFontSize=11, labelPadding=2)
    return panel.transform_filter(IS_KEPT).facet(
        facet=alt.Facet("condition:O", sort=list(order), title=None, header=header),
        columns=PER_ROW,
        spacing={"row": gaps[0], "column": gaps[1]},
    )


def band(base: alt.Chart, width: float) -> alt.Chart:
    """Return a band behind the column of the highlighted condition.

    `width`: width of a column, px. With an offset, Vega-Lite's default would be narrower.
    """
    return (
        base.transform_aggregate(groupby=["condition"])
        .mark_rect(width=width, color="#fdf0d5", aria=False)
        .encode(y=alt.YValue(0), y2=alt.Y2Value("height"), opacity=LIT)
    )


def ink_on_blue(shade: str) -> alt.ColorValue:
    """Return the colour of text on a shade from white (0) to blue (1).

    Black has a contrast of 4.5 : 1 up to a shade of 0.94, white from 0.92 on. Shades below 0 lead to vermillion, where
    text is always black.
    """
    return alt.ColorValue(**either(f"{shade} > 0.93", "white", BLACK))


def kept(name: str, **size: Any) -> alt.Chart:
    """Return a chart of the rows of a table whose conditions are shown."""
    return alt.Chart(alt.NamedData(name=name), **size).transform_filter(IS_KEPT)


def tooltips(*shown: str | tuple[str, str] | tuple[str, str, str]) -> list[alt.Tooltip]:
    """Return what the pointer shows of a mark.

    `shown`: fields with their types; each alone, with its title, or with its title (may be empty) and its format.
    """
    parts = [(each, "", "") if isinstance(each, str) else (*each, "", "")[:3] for each in shown]
    return [
        alt.Tooltip(name, title=title or alt.Undefined, format=form or alt.Undefined) for name, title, form in parts
    ]


def response_title(text: str) -> alt.Parameter:
    """Return the parameter that names the response drawn. The parameter `RESPONSE_TITLE`."""
    return alt.param(name=RESPONSE_TITLE, value=text)


def in_turn(names: Sequence[str], values: Sequence[str]) -> alt.Scale:
    """Return the scale that gives each name a value.

    `values`: colours, shapes or dashes; after the last one they begin again.
    """
    return alt.Scale(domain=list(names), range=[values[i % len(values)] for i in range(len(names))])


def condition_params(response: str | None = None) -> list[alt.Parameter]:
    """Return the parameters of a figure of conditions.

    `response`: title of the response drawn, with its unit; None: the figure draws no single response.
    """
    return [HIGHLIGHTED, KEPT, *([] if response is None else [response_title(response)])]


def algorithm_colours(algorithms: Sequence[str]) -> alt.Scale:
    """Return the scale with the colour of each algorithm."""
    return in_turn(algorithms, SERIES_COLOURS)


def algorithm_shapes(algorithms: Sequence[str]) -> alt.Scale:
    """Return the scale with the shape of each algorithm; algorithms of equal colour have different shapes."""
    return in_turn(algorithms, SERIES_SHAPES)


def by_algorithm(algorithms: Sequence[str], legend: alt.Legend | None, *, both: bool = False) -> dict[str, Any]:
    """Return the channels by which open points show their algorithm.

    Stroke and shape, by channel. `both`: the legend shows the shapes too.
    """
    return {
        "stroke": alt.Stroke("algorithm:N", scale=algorithm_colours(algorithms), legend=legend),
        "shape": alt.Shape("algorithm:N", scale=algorithm_shapes(algorithms), legend=legend if both else alt.Undefined),
    }


class ChartTables:
    """Additions to a finished Altair chart: its tables, and its display in a notebook.

    Tables do not go through Altair's checks, which take seconds for ten thousand rows. A notebook gets an SVG document,
    which needs no network; Altair's own display loads scripts from a network.
    """

    _tables: Mapping[str, pl.DataFrame]
    _definition: dict[str, Any]

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """The tables of the chart, by name."""
        return self._tables

    def definition(self) -> dict[str, Any]:
        """Return the definition in Vega-Lite without the tables, and unchecked; made once, of the finished chart."""
        if "_definition" not in self.__dict__:
            # Altair's own attributes are parts of the definition.
            object.__setattr__(self, "_definition", super().to_dict(validate=False))  # type: ignore[misc]
        return dict(self._definition)

    def to_dict(self, *arguments: Any, **options: Any) -> dict[str, Any]:
        """Return the definition in Vega-Lite with the tables as named data sets."""
        definition: dict[str, Any] = super().to_dict(*arguments, **options)  # type: ignore[misc]
        tables = {name: table.to_dicts() for name, table in self._tables.items()}
        return {**definition, "datasets": {**definition.get("datasets", {}), **tables}}

    def copy(self, deep: Any = True, ignore: list[str] | None = None) -> Any:
        """Return a copy of the chart with its tables.

        A shallow copy, from which every definition is made, shares all parts. Altair's own would put the parts
        together again and copy each of them.
        """
        if deep is False:
            other = object.__new__(type(self))
            object.__setattr__(other, "_args", self._args)  # type: ignore[attr-defined]
            object.__setattr__(other, "_kwds", dict(self._kwds))  # type: ignore[attr-defined]
        else:
            other = super().copy(deep=deep, ignore=ignore)  # type: ignore[misc]
        object.__setattr__(other, "_tables", self._tables)
        return other

    def _repr_svg_(self) -> str:
        from mesonet.charts.export import to_svg

        return to_svg(self)

    def _repr_mimebundle_(self, *arguments: Any, **options: Any) -> None:
        """Return None, so that notebooks display `_repr_svg_`."""


def unchecked() -> AbstractContextManager[None]:
    """Return a context in which charts are made without Altair's checks of every part.

    The checks take a third of the time of a report. Tests make each chart with them.
    """
    return debug_mode(False)


@cache
def _figure_class(kind: Any) -> type:
    return type(kind.__name__, (ChartTables, kind), {"__doc__": kind.__doc__, "__module__": __name__})


def finish(
    chart: Any,
    tables: Mapping[str, pl.DataFrame],
    *,
    params: Sequence[alt.Parameter] = (),
    title: str,
    subtitle: Sequence[str] = (),
) -> Any:
    """Return a chart with the common look, its parameters and its named tables inside, ready to draw.

    The chart, as an object of its own class with the additions of `ChartTables`. `chart`: the chart. It becomes the
    result: methods of Altair would copy all parts of it, some of them many times.
    """
    chart.config = CONFIG
    if params:
        own = [] if chart.params is alt.Undefined else list(chart.params)
        chart.params = [*own, *(each.param for each in params)]
    if title or subtitle:
        # Vega draws no subtitle under an empty title.
        chart.title = alt.TitleParams(title or " ", subtitle=list(subtitle))
    # Altair would take attributes that are set normally as parts of the definition.
    kind: Any = type(chart)
    object.__setattr__(chart, "__class__", _figure_class(kind))
    object.__setattr__(chart, "_tables", dict(tables))
    return chart
