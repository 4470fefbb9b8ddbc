"""Figures of `mesonet analyze` on the page: its charts and sentences, for all selections.

Figures of one family differ only in the selection; the page swaps their tables into the chart of the first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from mesonet.plots import theme
from mesonet.reporting.figures.drawable import Drawable
from mesonet.reporting.figures.figure import Control, PageFigure, PageTable, caption, keyed, stacked
from mesonet.words import capitalised

#: Selections with a select at the top of the page.
OFFERED = ("response", "algorithm", "period")


@dataclass(frozen=True)
class Frame:
    """Title, guide to reading and size that the page uses for the figures of a family."""

    id: str
    family: str
    short_title: str
    title: str
    reading: str
    height: int  #: px, about
    subtitle: bool = True  #: whether the subtitle of the chart says more than its caption


def page_figures(frame: Frame, figures: Sequence[Drawable]) -> list[PageFigure]:
    """Return the figures of the page for a family of `figures`.

    There is one, none, or several if charts differ in more than their tables.
    """
    found: list[tuple[dict[str, Any], list[tuple[Drawable, Any, str]]]] = []
    for figure in figures:
        if frame.family not in (figure.family, figure.name):
            continue
        chart, text = figure.make()
        definition = {name: part for name, part in chart.definition().items() if name != "title"}
        alike = next((members for other, members in found if other == definition), None)
        if alike is None:
            alike = []
            found.append((definition, alike))
        alike.append((figure, chart, text))
    return [_page_figure(frame, members, place) for place, (_, members) in enumerate(found, start=1)]


def _page_figure(frame: Frame, members: Sequence[tuple[Drawable, Any, str]], place: int) -> PageFigure:
    chart = members[0][1]
    id_ = frame.id if place == 1 else f"{frame.id}-{place}"
    selections = [_chosen(figure, members) for figure, _, _ in members]
    keys = tuple(selections[0])
    more = "" if place == 1 else f" ({place})"
    parts: dict[str, list[pl.DataFrame]] = {f"{id_}-{name}": [] for name in chart.tables}
    texts = []
    for selection, (figure, drawn, text) in zip(selections, members, strict=True):
        for name, rows in drawn.tables.items():
            parts[f"{id_}-{name}"].append(keyed(rows, selection))
        title = drawn.definition().get("title", {})
        heading = str(title.get("text", "")).strip() or figure.question
        lines = title.get("subtitle", []) if frame.subtitle else []
        texts.append(caption(selection, heading, " ".join([text, *map(_sentence, lines)])))
    main = next(iter(parts))
    return PageFigure(
        id=id_,
        short_title=frame.short_title + more,
        title=frame.title + more,
        reading=frame.reading,
        chart=chart,
        main=main,
        tables={name: PageTable(stacked(rows), keys) for name, rows in parts.items()},
        captions=PageTable(pl.DataFrame(texts), keys),
        marks=max(rows.height for rows in parts[main]),
        height=frame.height,
        axis="{}" if "response" in keys else _own_axis(chart),
        controls=[_control(key, [each[key] for each in selections]) for key in keys if key not in OFFERED],
        renamed={name: f"{id_}-{name}" for name in chart.tables},
    )


def _own_axis(chart: Any) -> str:
    """Return the title over the vertical axis of a figure that does not follow the response chosen on the page."""
    params = chart.definition().get("params", [])
    return next((str(each["value"]) for each in params if each["name"] == theme.RESPONSE_TITLE), "{}")


def _sentence(line: str) -> str:
    return f"{capitalised(line.rstrip('.'))}."


def _control(key: str, values: Sequence[str]) -> Control:
    return Control(key, key.capitalize(), [(value, value) for value in dict.fromkeys(values)], values[0])


def _chosen(figure: Drawable, members: Sequence[tuple[Drawable, Any, str]]) -> dict[str, str]:
    """Return the selection of a figure, without what all members share, unless the page offers it anyway."""
    return {
        key: value
        for key, value in figure.selection.items()
        if key in OFFERED or any(other.selection[key] != value for other, _, _ in members)
    }
