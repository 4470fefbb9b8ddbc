"""A response as heat maps over two factors of a grid: a map for each algorithm and each level of the other factors."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet.campaign.tidy import FactorLevels
from mesonet.charts import theme
from mesonet.reporting.campaign_view.grid import Grid
from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.figures.figure import Content, Figure, of_response
from mesonet.reporting.figures.levels import panel_title, panel_titles
from mesonet.words import listed, number, quantity

CELLS = "level_maps"
ROW = 26  #: px
_CELLS, _NARROW = 520, 40  #: px of the cells of all maps side by side, and of the narrowest cell
_WIDEST = 90  #: px of the widest cell
_MOST_ACROSS = 4


def figure(sampled: Sampled) -> Figure | None:
    """Return heat maps of a response over the two factors of a grid with the most levels."""
    grid = sampled.grid
    if grid is None or len(grid.factors) < 2:
        return None
    across, down, shown, rest = _roles(grid)
    titles = _titles(grid, shown)
    look: dict[str, Any] = {
        "across": (across.factor.name, across.texts), "down": (down.factor.name, down.texts), "panels": titles,
    }  # fmt: skip
    averaged = f" Means over the levels of {listed([each.factor.name for each in rest])}." if rest else ""

    def content(response: str, period: str) -> Content:
        table = cells(grid, response, period)
        return partial(heat_maps, table, **look), {CELLS: table}, _extremes(grid, table, response) + averaged

    return of_response(
        sampled.view,
        "level-maps",
        content,
        short_title="Heat maps",
        title="At which combinations of levels is the response high or low?",
        reading=(
            "A stronger colour is higher; all maps of a response share one scale. A number is the mean of the "
            "replicates."
        ),
        selections=sampled.view.selections(),
        marks=2 * len(sampled.points) * len(sampled.view.algorithms),
        height=90 + (ROW * len(down.texts) + 70) * -(-len(titles) // _side_by_side(len(titles), len(across.texts))),
        file="level_maps/{column}",
        folder="varying responses",
    )


def cells(grid: Grid, response: str, period: str) -> pl.DataFrame:
    """Return the table that `heat_maps` draws.

    Columns place (of the panel, from 0), panel, across and down (levels), value, text, shade (0 for the smallest value,
    1 for the largest), low and high (null without an interval).
    """
    across, down, shown, _ = _roles(grid)
    keep = tuple(each.factor.id for each in (across, down, *shown))
    titles, sizes = _titles(grid, shown), [len(each.texts) for each in shown]
    panels, rows, parts = prod(sizes), [], []
    for turn, algorithm in enumerate(grid.view.algorithms):
        means = grid.means(response, period, algorithm, keep)
        for n, (x, y, *here) in enumerate(means.levels.tolist()):
            if not np.isfinite(means.mean[n]):
                continue
            place = turn * panels + sum(level * prod(sizes[:number]) for number, level in enumerate(here))
            rows.append((place, titles[place], across.texts[x], down.texts[y], number(float(means.mean[n]))))
            parts.append([float(means.mean[n]), float(means.low[n]), float(means.high[n])])
    names = ("place", "panel", "across", "down", "text")
    table = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String) | {"place": pl.Int64}, orient="row")
    ends = np.array(parts, dtype=float).reshape(-1, 3)
    values = ends[:, 0]
    width = float(np.ptp(values)) if len(values) else 0.0
    shade = (values - values.min()) / width if width else np.zeros(len(values))
    columns = {name: pl.Series(ends[:, n]).fill_nan(None) for n, name in enumerate(("value", "low", "high"))}
    return table.with_columns(**columns, shade=pl.Series(shade, dtype=pl.Float64))


def _roles(grid: Grid) -> tuple[FactorLevels, FactorLevels, list[FactorLevels], list[FactorLevels]]:
    """Return the factors across and down, those of the maps, and those over which they have means."""
    across, down = grid.by_levels[:2]
    return across, down, *grid.panels(2, 24 // max(1, len(grid.view.algorithms)))


def _titles(grid: Grid, shown: list[FactorLevels]) -> list[str]:
    names, levels = grid.view.algorithms, panel_titles(grid, shown)
    several = len(names) > 1
    return [", ".join(filter(None, [name if several else "", level])) for name in names for level in levels]


def _extremes(grid: Grid, table: pl.DataFrame, response: str) -> str:
    if table.is_empty():
        return "Nothing was measured."
    unit, title = grid.view.unit_of(response), grid.view.label_of(response)
    low, high = (table.row(int(table["value"].to_numpy().argsort()[n]), named=True) for n in (0, -1))
    ends = [
        f"{quantity(each['value'], unit)} ({', '.join(filter(None, [each['panel'], each['across'], each['down']]))})"
        for each in (low, high)
    ]
    return f"{title}: from {ends[0]} to {ends[1]}."


def _side_by_side(panels: int, columns: int) -> int:
    most = max(1, min(_MOST_ACROSS, _CELLS // (_NARROW * columns)))
    return next((size for size in range(most, 1, -1) if panels % size == 0), min(panels, most))


def heat_maps(
    values: pl.DataFrame,
    *,
    across: tuple[str, tuple[str, ...]],
    down: tuple[str, tuple[str, ...]],
    panels: list[str],
    title: str = "",
    response: str = "",
) -> alt.VConcatChart:
    """Return a heat map per panel.

    `values`: as `cells` returns them. `across`, `down`: title and levels of each axis.
    """
    count = _side_by_side(len(panels), len(across[1]))
    cell = min(_WIDEST, _CELLS // (count * len(across[1])))
    width = cell * len(across[1])
    shades = alt.Scale(domain=[0, 1], range=["#f4f8fc", theme.BLUE], interpolate="rgb")
    drawn = []
    for place, panel in enumerate(panels):
        side = alt.Axis(title=down[0] if place % count == 0 else None, labels=place % count == 0, **_PLAIN)
        base = (
            alt.Chart(alt.NamedData(name=CELLS), width=width, height=alt.Step(ROW))
            .transform_filter(f"datum.place === {place}")
            .encode(
                x=alt.X("across:N", sort=list(across[1]), title=across[0], axis=alt.Axis(labelAngle=0, **_PLAIN),
                        scale=alt.Scale(domain=list(across[1]), paddingInner=0, paddingOuter=0)),
                y=alt.Y("down:N", sort=list(down[1]), axis=side,
                        scale=alt.Scale(domain=list(down[1]), paddingInner=0, paddingOuter=0)),
                tooltip=theme.tooltips("panel:N", ("across:N", across[0]), ("down:N", down[0]),
                                       ("value:Q", "mean", ".5~g"), ("low:Q", "from", ".5~g"),
                                       ("high:Q", "to", ".5~g")),
            )
        )  # fmt: skip
        layers = [
            base.mark_rect(stroke="white", strokeWidth=1).encode(fill=alt.Fill("shade:Q", scale=shades, legend=None)),
            base.mark_text(fontSize=10).encode(text="text:N", color=theme.ink_on_blue("datum.shade")),
        ]
        drawn.append(alt.layer(*layers, title=panel_title(panel, width)))
    rows = [alt.hconcat(*drawn[i : i + count], spacing=14) for i in range(0, len(drawn), count)]
    chart = alt.vconcat(alt.vconcat(*rows, spacing=16, title=theme.AXIS_TITLE))
    return theme.finish(chart, {CELLS: values}, params=[theme.response_title(response)], title=title)


_PLAIN: dict[str, Any] = {"ticks": False, "domain": False, "grid": False, "labelLimit": 120}
