"""The figures of the folder: for each declared figure the selections that are drawn, and the paths of their files."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from mesonet.files.names import distinct, file_stem
from mesonet.reporting.campaign_view.columns import Column
from mesonet.reporting.campaign_view.sampled import Sampled, is_sampled
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.campaign_view.vocabulary import Vocabulary
from mesonet.reporting.figures import Figure, figure_groups, sampled_groups
from mesonet.reporting.figures.figure import Selection

Extent = Literal["chosen", "all", "none"]

#: Most responses whose ten steps are drawn by default: representatives of the largest clusters.
MOST_CHOSEN = 8


@dataclass(frozen=True)
class FigureFile:
    """Figure of the folder."""

    name: str  #: path below the folder of figures, without suffix
    question: str
    make: Callable[[], tuple[dict[str, Any], str]]  #: definition of the chart, and caption


def figures_of(
    view: CampaignView, extent: Extent | str = "chosen", responses: Sequence[str] | None = None
) -> list[FigureFile]:
    """Return the figures of a campaign.

    `extent`: ``chosen``: the ten steps of one response per cluster, at most `MOST_CHOSEN`, for the mean of all
    algorithms, and of the measure of congestion for each algorithm. ``all``: the ten steps of every response, for each
    algorithm and the mean of all. ``none``: no figure. `responses`: responses to draw in place of the chosen ones;
    ``all`` ignores them.
    """
    if extent == "none" or not view.has_results:
        return []
    groups = sampled_groups(Sampled(view)) if is_sampled(view.campaign) else figure_groups(view)
    chosen = _Chosen(view, extent == "all", responses)
    drawn = [
        (figure, selection)
        for group in groups
        for figure in group.figures
        if figure.file
        for selection in chosen.selections(figure)
    ]
    places = distinct([(_place(*each), repr((each[0].file, sorted(each[1].items())))) for each in drawn])
    return [_file(place, *each, view.vocabulary) for place, each in zip(places, drawn, strict=True)]


def _place(figure: Figure, selection: Selection) -> str:
    shown = {**selection, "column": column_name(selection)}
    return re.sub(r"\{(\w+)\}", lambda match: _stem(shown[match[1]]), figure.file)


def _file(place: str, figure: Figure, selection: Selection, words: Vocabulary) -> FigureFile:
    drawn = {key: value for key, value in selection.items() if key != "column"}
    question = words.text(figure.question or _as_question(figure.title))
    return FigureFile(place, question, partial(_draw, figure, drawn, words=words))


def _draw(figure: Figure, selection: Selection, words: Vocabulary) -> tuple[dict[str, Any], str]:
    drawing = figure.draw(**selection)
    return words.data(drawing.chart().to_dict(validate=False)), words.text(drawing.text)


def _stem(value: str) -> str:
    return file_stem(value).replace(", ", "_").replace(" ", "_")


def _as_question(title: str) -> str:
    return title if title.endswith("?") else f"{title}?"


def column_name(selection: Selection) -> str:
    """Return the name of a response in a period.

    The response, followed by the number of a measured period. The name of a response over the whole measured time, or
    over a run, is the response alone.
    """
    response, period = selection.get("response", ""), selection.get("period", "")
    return f"{response}_period_{period}" if period.isdigit() else response


class _Chosen:
    """Selections that are drawn of each figure."""

    def __init__(self, view: CampaignView, every: bool, responses: Sequence[str] | None) -> None:
        self.view, self.every = view, every
        main = list(view.in_period[view.main_period])
        named = [view.column(name) if name in view.column_names else _of_main(view, name) for name in responses or ()]
        if is_sampled(view.campaign):
            self.steps: list[Column] = []
            self.main = main if every else list(responses or view.key_responses)
            self.columns = self.steps
            return
        self.steps = list(view.columns) if every else named or view.chosen[:MOST_CHOSEN]
        self.congestion = named or [view.congestion_column]
        self.main = main if every else [name for name in responses or view.key_responses if name in main]
        extra = list(view.columns) if every else named
        self.columns = [*map(partial(_of_main, view), self.main), *extra]

    def selections(self, figure: Figure) -> list[Selection]:
        view, period = self.view, self.view.main_period
        choices = view.choices_of_algorithm
        if figure.folder == "selections":
            return list(figure.selections)
        if figure.folder == "main period":
            return [each for each in figure.selections if each["period"] == period]
        if figure.folder == "sets":
            return [{"algorithm": name, "set": each} for name in view.algorithms for each in view.sets]
        if figure.folder == "responses":
            return [{"response": name, "period": period} for name in self.main]
        if figure.folder == "varying responses":
            return [{"response": name, "period": period} for name in self.main if view.varies(name, period)]
        if figure.folder == "columns":
            return _distinct([{"response": each.response, "period": each.period} for each in self.columns])
        pairs = [(each, choices[-1]) for each in self.steps]
        if self.every:
            pairs = [(each, name) for each in self.steps for name in reversed(choices)]
        elif figure.folder == "steps and algorithms":
            pairs += [(each, name) for name in choices[:-1] for each in self.congestion]
        return [{"response": each.response, "period": each.period, "algorithm": name} for each, name in pairs]


def _of_main(view: CampaignView, name: str) -> Column:
    return next(column for column in view.of_period(view.main_period) if column.name == name)


def _distinct(selections: Sequence[Selection]) -> list[Selection]:
    return list({column_name(each): each for each in selections}.values())
