"""Declaration of a figure, from which the page and the folder of figures are made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import polars as pl

from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.words import capitalised

Selection = Mapping[str, str]
#: Selections that the folder draws: those of the figure; each response to analyse in ten steps, for the mean of all
#: algorithms; also for each algorithm; each response to compare in detail, or that varies.
FolderDraws = Literal[
    "selections", "main period", "steps", "steps and algorithms", "sets", "responses", "varying responses", "columns"
]


@dataclass(frozen=True)
class Drawing:
    """Content of a figure for one selection."""

    chart: Callable[[], Any]  #: Altair chart, finished
    tables: Mapping[str, pl.DataFrame]  #: the rows of the chart, by name; the first is the data that the page lists
    heading: str
    text: str


@dataclass(frozen=True)
class Control:
    """Choice that belongs to single figures."""

    state: str  #: name in the state of the page
    label: str
    options: Sequence[tuple[str, str]]
    start: str


@dataclass(frozen=True)
class Figure:
    """Figure of a campaign: a question, and a drawing for every selection."""

    id: str
    title: str  #: the question, or the subject, as the page shows it
    short_title: str
    reading: str  #: how to read it
    draw: Callable[..., Drawing]  #: called with a selection as keywords
    selections: Sequence[Selection] = ({},)
    height: int = 0  #: px on the page, about: room kept until it is drawn; 0: the page does not show it
    marks: int = 0  #: marks of the largest drawing; 0: rows of its first table
    fixed: Sequence[str] = ()  #: tables that are the same in every selection
    varied: bool = False  #: True if charts differ between selections in more than their tables
    own_tables: bool = False  #: True if the page must not share tables of these names with other figures
    maker: str = ""  #: function of the page's script that makes the table, and with ``Captions`` the captions
    controls: Sequence[Control] = ()
    axis: str = ""  #: text over the vertical axis; {} is the title of the response; empty: the chart has it
    below: str = field(default="", repr=False)  #: HTML below the figure
    file: str = ""  #: path in the folder, with names of the selection in braces; empty: not drawn there
    folder: FolderDraws = "selections"
    question: str = ""  #: what the folder calls it; default: the title


@dataclass(frozen=True)
class Group:
    """Figures that answer one question."""

    id: str
    title: str
    figures: list[Figure]


def drawing(chart: Any, text: str, *, heading: str = "", subtitle: bool = True) -> Drawing:
    """Return a drawing of a finished chart.

    The title of the chart is the heading unless one is given; `subtitle`: its subtitle belongs to the caption.
    """
    title = chart.definition().get("title", {})
    lines = title.get("subtitle", []) if subtitle else []
    caption = " ".join([text, *(f"{capitalised(line.rstrip('.'))}." for line in lines)])
    return Drawing(lambda: chart, chart.tables, heading or str(title.get("text", "")).strip(), caption)


def lazily(plot: Callable[..., Any], *arguments: Any, **named: Any) -> Callable[[], Any]:
    """Return a call of `plot` that is not made yet: most selections need tables only."""
    return partial(plot, *arguments, **named)


def of_steps(view: CampaignView) -> list[dict[str, str]]:
    """Return the selections of figures about one response of the main period and one algorithm, or the mean of all."""
    return [
        {"response": response, "algorithm": algorithm}
        for response in view.in_period[view.main_period]
        for algorithm in view.choices_of_algorithm
    ]


def factor_control(view: CampaignView) -> Control:
    """Return the control that selects the factor of a figure."""
    names = {factor.id: factor.name for factor in view.campaign.factors}
    factors = view.campaign.design.factors
    return Control("factor", "Factor", [(f, f"{f} {names.get(f, '')}".strip()) for f in factors], factors[0])
