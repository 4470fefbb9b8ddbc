"""The figures for readers who decide, and the others for the statistician."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mesonet.reporting.page.page_figure import PageFigure, PageGroup

#: Figures at the top of the page; the replay counts as one.
NUMBER = 6
#: Figures for readers who decide, most useful first: levels of a grid, what a deployment does, the conditions behind
#: each verdict, what users get, losses, delays, who gains from sharing, and the settings at which that changes. The
#: later figures replace figures that a campaign lacks.
PREFERRED = (
    "levels", "level-maps", "level-changes",
    "deploy-shares", "deploy-tests", "deploy-groups",
    "forest", "goodput", "congestion", "conditions-in-order", "queues", "differences", "effects-on-difference",
    "service", "condition-response", "responses", "ranks", "main-effects", "buffers", "flow-states", "available-share",
    "sensitivity", "points",
)  # fmt: skip
TITLE = "Six figures to decide by"


def key_and_others(groups: Sequence[PageGroup], *, with_replay: bool) -> tuple[PageGroup, list[PageGroup]]:
    """Divide the figures of the page into the figures to decide by and the others.

    A group of the figures to decide by, in the order of `PREFERRED`, and the other groups that have a figure left.
    """
    there = {figure.id: figure for group in groups for figure in group.figures}
    number = NUMBER - 1 if with_replay else NUMBER
    chosen: list[PageFigure] = [there[name] for name in PREFERRED if name in there][:number]
    names = {figure.id for figure in chosen}
    others = [
        replace(group, figures=[figure for figure in group.figures if figure.id not in names]) for group in groups
    ]
    title = TITLE if len(chosen) == number else "Figures to decide by"
    return PageGroup("key", title, chosen), [group for group in others if group.figures]
