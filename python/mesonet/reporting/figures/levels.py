"""A response over the levels of a factor with intervals: a line per algorithm, panels for the other factors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from itertools import product
from math import prod
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet.campaign.tidy import FactorLevels
from mesonet.charts import theme
from mesonet.reporting.campaign_view.grid import Grid, axis_of
from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.figures.figure import Content, Figure, of_response
from mesonet.reporting.text.grid_text import changes_text
from mesonet.words import listed

LINES = "level_lines"
#: Ratio of the largest level to the smallest above which the axis is logarithmic (chosen).
WIDE = 20.0
HEIGHT, ACROSS = 190, 5  #: px of a panel, most panels side by side
_WIDTHS = {1: 460, 2: 270, 3: 190, 4: 150, 5: 125}  #: px of a panel, by panels side by side


def figure(sampled: Sampled) -> Figure | None:
    """Return a response over the levels of the factors of a grid."""
    if sampled.grid is None:
        return None
    view, grid = sampled.view, sampled.grid
    axes = axes_of(grid)

    def content(response: str, period: str) -> Content:
        table = level_values(grid, response, period)
        varies = view.varies(response, period)
        text = caption(grid, response, period) if varies else "It is the same everywhere, or was not measured."
        return partial(level_lines, table, **axes), {LINES: table}, text

    return of_response(
        view,
        "levels",
        content,
        short_title="Over the levels",
        title="How does the response go with the levels?",
        reading="Means of the replicates with intervals of 95 %, and a panel for each level of the other factors.",
        selections=view.selections(),
        marks=3 * len(sampled.points) * len(view.algorithms),
        height=90 + (HEIGHT + 60) * -(-len(axes["panels"]) // axes["columns"]),
        file="levels/{column}",
        folder="varying responses",
    )


def side_by_side(factors: Sequence[FactorLevels]) -> int:
    """Return the number of panels in a row: all levels of the first factors that fit."""
    count = 1
    for each in factors:
        if count * len(each.texts) > ACROSS:
            break
        count *= len(each.texts)
    return count if count > 1 or not factors else min(len(factors[0].texts), ACROSS)


def axes_of(grid: Grid) -> dict[str, Any]:
    """Return the arguments of `level_lines` that do not depend on the response."""
    first, lines, shown, _ = _roles(grid)
    return {
        "across": axis_of(first),
        "levels": list(zip(first.texts, first.numbers or range(1, len(first.texts) + 1), strict=True)),
        "is_number": first.numbers is not None,
        "lines": lines.factor.name if lines else "",
        "names": list(lines.texts) if lines else list(grid.view.algorithms),
        "panels": panel_titles(grid, shown),
        "columns": side_by_side(shown),
    }


def panel_titles(grid: Grid, factors: Sequence[FactorLevels]) -> list[str]:
    """Return the title of each panel: the level of each factor that makes panels, the first one changing fastest."""
    places = product(*(range(len(each.texts)) for each in reversed(factors)))
    return [
        listed([grid.level_words(each, n) for each, n in zip(factors, reversed(chosen), strict=True)])
        for chosen in places
    ]


def caption(grid: Grid, response: str, period: str) -> str:
    """Return the changes of the response, and the factors over which the figure has means."""
    rest = _roles(grid)[3]
    averaged = f" Means over the levels of {listed([each.factor.name for each in rest])}." if rest else ""
    combinations = f"{prod(len(each.texts) for each in grid.factors)} combinations of levels"
    return f"{grid.view.label_of(response)}, {combinations}.{averaged} {changes_text(grid, response, period)}".strip()


def level_values(grid: Grid, response: str, period: str) -> pl.DataFrame:
    """Return the table that `level_lines` draws.

    Columns algorithm, place (of the panel, from 0), panel, line, across (number, or place from 1), level (text), value,
    low and high; null where there is no interval.
    """
    first, lines, shown, _ = _roles(grid)
    keep = tuple(each.factor.id for each in (first, lines, *shown) if each)
    titles = panel_titles(grid, shown)
    numbers = first.numbers or tuple(float(n) for n in range(1, len(first.texts) + 1))
    sizes = [len(each.texts) for each in shown]
    rows: dict[str, list[Any]] = {name: [] for name in ("algorithm", "place", "panel", "line", "across", "level")}
    parts: list[list[float]] = []
    for algorithm in grid.view.algorithms:
        means = grid.means(response, period, algorithm, keep)
        for n, places in enumerate(means.levels.tolist()):
            if not np.isfinite(means.mean[n]):
                continue
            here = places[2 if lines else 1 :]
            panel = sum(place * prod(sizes[:number]) for number, place in enumerate(here))
            cells = (
                algorithm, panel, titles[panel], lines.texts[places[1]] if lines else algorithm, numbers[places[0]],
                first.texts[places[0]],
            )  # fmt: skip
            for column, value in zip(rows.values(), cells, strict=True):
                column.append(value)
            parts.append([float(means.mean[n]), float(means.low[n]), float(means.high[n])])
    kinds = dict.fromkeys(rows, pl.String) | {"across": pl.Float64, "place": pl.Int64}
    table = pl.DataFrame(rows, schema_overrides=kinds)
    ends = np.array(parts, dtype=float).reshape(-1, 3)
    columns = {name: pl.Series(ends[:, n]).fill_nan(None) for n, name in enumerate(("value", "low", "high"))}
    return table.with_columns(**columns).sort("place", "across", maintain_order=True)


def _roles(grid: Grid) -> tuple[FactorLevels, FactorLevels | None, list[FactorLevels], list[FactorLevels]]:
    """Return the factor across, the factor of the lines (None: the algorithms), of the panels, and of the means."""
    first = grid.by_levels[0]
    lines = grid.by_levels[1] if len(grid.view.algorithms) == 1 and len(grid.factors) > 1 else None
    return first, lines, *grid.panels(2 if lines else 1)


def level_lines(
    values: pl.DataFrame,
    *,
    across: str,
    levels: Sequence[tuple[str, float]],
    is_number: bool,
    names: Sequence[str],
    panels: Sequence[str],
    columns: int = 1,
    lines: str = "",
    title: str = "",
    response: str = "",
) -> alt.VConcatChart:
    """Return panels of lines with intervals.

    `values`: as `level_values` returns them. `across`: title of the horizontal axis. `levels`: text and place of each
    level on it. `is_number`: the places are the numbers of the levels. `names`: the lines. `lines`: title of their
    legend, empty for algorithms. `panels`: titles of the panels, of which `columns` are side by side.
    """
    least, most = min(place for _, place in levels), max(place for _, place in levels)
    kind: Any = "log" if is_number and least > 0 and most / least > WIDE else "linear"
    scale = alt.Scale(type=kind, zero=False, nice=False, padding=14)
    labels = " : ".join(f"datum.value === {place} ? {json.dumps(text)}" for text, place in levels)
    ticks = [place for _, place in levels]
    axis = (
        alt.Axis(values=ticks, labelExpr="format(datum.value, '~g')", grid=False, labelOverlap=True)
        if is_number
        else alt.Axis(values=ticks, labelExpr=f"{labels} : ''", grid=False, labelAngle=-30, labelLimit=110)
    )
    colours = alt.Scale(domain=list(names), scheme="viridis") if lines else theme.algorithm_colours(names)
    legend = alt.Legend(title=lines or None, orient="bottom", symbolType="circle") if len(names) > 1 or lines else None
    colour = alt.Color("line:N", scale=colours, sort=list(names), legend=legend)
    drawn = []
    for place, panel in enumerate(panels):
        base = alt.Chart(alt.NamedData(name=LINES), width=_WIDTHS[columns], height=HEIGHT)
        base = base.transform_filter(f"datum.place === {place}").encode(
            x=alt.X("across:Q", title=across, scale=scale, axis=axis),
            color=colour,
            tooltip=theme.tooltips(
                "algorithm:N", ("level:N", across), ("value:Q", "mean", ".5~g"), ("low:Q", "from", ".5~g"),
                ("high:Q", "to", ".5~g"),
            ),
        )  # fmt: skip
        y = alt.Y("value:Q", title=None, axis=alt.Axis(labelExpr=theme.SHORT_NUMBER, tickCount=5))
        layers = [
            base.transform_filter("isValid(datum.low)")
            .mark_rule(strokeWidth=1.5)
            .encode(y=alt.Y("low:Q", title=None), y2=alt.Y2("high:Q")),
            base.mark_line(strokeWidth=1.5).encode(y=y),
            base.mark_point(filled=True, size=34, opacity=1).encode(
                y=y, shape=alt.Shape("line:N", scale=theme.algorithm_shapes(names), sort=list(names), legend=None)
            ),
        ]
        drawn.append(alt.layer(*layers, title=panel_title(panel, _WIDTHS[columns])))
    rows = [
        alt.hconcat(*drawn[i : i + columns], spacing=14).resolve_scale(y="shared")
        for i in range(0, len(drawn), columns)
    ]
    sheet = alt.vconcat(*rows, spacing=18, title=theme.AXIS_TITLE).resolve_scale(y="shared")
    chart = alt.vconcat(sheet)
    return theme.finish(chart, {LINES: values}, params=[theme.response_title(response)], title=title)


def panel_title(panel: str, width: int) -> alt.TitleParams | str:
    """Return the title of a panel, in lines that fit its width in px."""
    most = width // 6
    lines: list[str] = []
    for word in panel.split(" "):
        if lines and len(lines[-1]) + len(word) < most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return alt.TitleParams(text=lines, fontSize=11, fontWeight="normal", anchor="start") if panel else ""
