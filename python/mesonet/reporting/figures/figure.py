"""Declaration of a figure, from which the page and the folder of figures are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

import polars as pl

from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text.labels import axis_title, effects_heading, values_heading
from mesonet.words import capitalised

Selection = Mapping[str, str]
#: Content of a figure of one response: the plot, called with title and response; the tables; the caption.
Content = tuple[Callable[..., Any], Mapping[str, pl.DataFrame], str]
#: Selections that the folder draws: the selections of the figure, all or of the main period only; each response to
#: analyse in ten steps, for the mean of all algorithms, or the measure of congestion also for each algorithm; each
#: algorithm and set of responses; each key response, all, if it varies, or with the chosen columns.
FolderDraws = Literal[
    "selections", "main period", "steps", "steps and algorithms", "sets", "responses", "varying responses", "columns"
]

Found = TypeVar("Found")
#: Folder of the ten steps of a response.
STEPS = "ten_steps/{column}/{algorithm}/"


@dataclass(frozen=True)
class Drawing:
    """Content of a figure for one selection."""

    chart: Callable[[], Any]  #: returns the Altair chart, finished: most selections need their tables only
    tables: Mapping[str, pl.DataFrame]  #: the rows of the chart, by name; the first is the data that the page lists
    heading: str
    text: str  #: caption


@dataclass(frozen=True)
class Control:
    """Choice that belongs to single figures."""

    state: str  #: name in the state of the page
    label: str
    options: Sequence[tuple[str, str]]  #: value and text of each
    start: str  #: value that is selected first


@dataclass(frozen=True)
class Figure:
    """Figure of a campaign: a question, and a drawing for every selection."""

    id: str
    title: str  #: the question, or the subject, as the page shows it
    short_title: str
    reading: str  #: how to read it
    draw: Callable[..., Drawing]  #: called with a selection as keywords
    selections: Sequence[Selection] = ({},)
    height: int = 0  #: approximate height on the page until it is drawn, px; 0: the page does not show it
    marks: int = 0  #: marks of the largest drawing; 0: rows of its first table
    fixed: Sequence[str] = ()  #: tables that are the same in every selection
    varied: bool = False  #: True if charts differ between selections in more than their tables
    own_tables: bool = False  #: True if the page must not share tables of these names with other figures
    maker: str = ""  #: function of the page's script that makes the table, and with ``Captions`` the captions
    controls: Sequence[Control] = ()
    axis: str = ""  #: text over the vertical axis; {} is the title of the response; empty: the chart has it
    below: str = field(default="", repr=False)  #: HTML below the figure
    file: str = ""  #: path in the folder, with names of the selection in braces; empty: not in the folder
    folder: FolderDraws = "selections"
    question: str = ""  #: title in the folder; empty: the title


@dataclass(frozen=True)
class Group:
    """Figures that answer one question."""

    id: str
    title: str
    figures: list[Figure]


def made(found: Found, *figures: Callable[[Found], Figure | None]) -> list[Figure]:
    """Return the figures that a campaign, a sample or a part of it can have, in their order."""
    return [figure for make in figures if (figure := make(found)) is not None]


def drawing(chart: Any, text: str, *, heading: str = "", subtitle: bool = True) -> Drawing:
    """Return a drawing of a finished chart."""
    title = chart.definition().get("title", {})
    lines = title.get("subtitle", []) if subtitle else []
    caption = " ".join([text, *(f"{capitalised(line.rstrip('.'))}." for line in lines)])
    return Drawing(lambda: chart, chart.tables, heading or str(title.get("text", "")).strip(), caption)


def of_response(
    view: CampaignView, id: str, content: Callable[..., Content], *, axis: str = "{}", **about: Any
) -> Figure:
    """Return a figure of one response, in a period, for an algorithm or for all.

    `content`: called with response, period and, if selections have one, algorithm. A selection without a period is of
    the main period.
    """

    def draw(response: str, period: str = "", algorithm: str = "") -> Drawing:
        period = period or view.main_period
        if algorithm:
            heading = effects_heading(view, response, period, algorithm)
            plot, tables, text = content(response, period, algorithm)
        else:
            heading = values_heading(view, response, period)
            plot, tables, text = content(response, period)
        title = axis.format(axis_title(view, response))
        return Drawing(partial(plot, title=heading, response=title), tables, heading, text)

    return Figure(id=id, draw=draw, axis=axis, **about)


def of_steps(view: CampaignView) -> list[dict[str, str]]:
    """Return the selections of figures about one response of the main period and one algorithm, or the mean of all."""
    return of_algorithms(view, view.choices_of_algorithm)


def of_algorithms(view: CampaignView, algorithms: Sequence[str]) -> list[dict[str, str]]:
    """Return each response of the main period with each of some algorithms."""
    return [
        {"response": response, "algorithm": algorithm}
        for response in view.in_period[view.main_period]
        for algorithm in algorithms
    ]


def factor_control(view: CampaignView) -> Control:
    """Return the control that selects the factor of a figure."""
    names = {factor.id: factor.name for factor in view.campaign.factors}
    factors = view.campaign.design.factors
    return Control("factor", "Factor", [(f, f"{f} {names.get(f, '')}".strip()) for f in factors], factors[0])
