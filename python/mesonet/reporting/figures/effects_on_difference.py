"""Main effects on the difference from the incumbent: where a change from it matters."""

from __future__ import annotations

from functools import partial

import numpy as np
from msgspec.structs import replace

from mesonet import analysis
from mesonet.analysis import MainEffects
from mesonet.reporting.campaign_view.values import MEAN_OF_ALL
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure
from mesonet.reporting.figures.main_effects import DATA, effects_sentence, main_effects, table
from mesonet.reporting.text.answer_text import in_words, plain
from mesonet.reporting.text.labels import AGAINST, axis_title
from mesonet.reporting.verdicts.comparisons import incumbent
from mesonet.words import difference


def figure(view: CampaignView) -> Figure | None:
    """Return main effects on the difference between each algorithm and the incumbent."""
    reference = incumbent(view)
    if reference is None or not view.campaign.design.factors:
        return None
    size = view.segment_bytes
    factors = [
        replace(factor, minus=in_words(factor.minus, size), plus=in_words(factor.plus, size))
        for factor in view.campaign.factors
    ]
    selections = view.selections(view.choices_of_algorithm)

    def draw(response: str, period: str, algorithm: str) -> Drawing:
        result = _difference_effects(view, response, period, algorithm, reference)
        who = who_differs(view, algorithm, reference)
        heading = f"{view.responses[response].title}, {who} minus {reference}{view.in_period_words(period)}"
        title = axis_title(view, response)
        return Drawing(
            partial(main_effects, result, factors, title=heading, response=title, relative=False, codes=False),
            {DATA: table(result, factors, relative=False)},
            heading,
            caption(view, result, response),
        )

    mode = _difference_effects(view, **selections[0], reference=reference).mode
    return Figure(
        id="effects-on-difference",
        short_title="Effects on the difference",
        title=f"Where a change from {reference} matters: effects on the difference",
        reading=(
            f"For each factor, the mean of the difference (algorithm minus {reference}, condition by condition) at the "
            "− level (open) and at the + level (filled); the dashed line is the mean difference. A steep line: what "
            "the change does depends on that factor. ** and * mark effects significant at 99 % and 95 % "
            f"{AGAINST[mode]}."
        ),
        draw=draw,
        selections=selections,
        marks=20 * len(factors),
        height=500,
        axis=f"{{}}: difference from {reference}",
        own_tables=True,
    )


def _difference_effects(view: CampaignView, response: str, period: str, algorithm: str, reference: str) -> MainEffects:
    """Return the main effects on the difference of an algorithm from the incumbent."""
    values = view.cube_for_tests(period)[..., view.in_period[period].index(response)]
    place = view.algorithms.index(reference)
    if algorithm in (MEAN_OF_ALL, reference):
        own = np.delete(values, place, axis=-1).mean(axis=-1)
    else:
        own = values[..., view.algorithms.index(algorithm)]
    # Replicates share their random numbers between algorithms: differences are taken within each.
    return analysis.main_effects(view.campaign.design, own - values[..., place], mode=view.mode)


def caption(view: CampaignView, result: MainEffects, response: str) -> str:
    """Return the mean difference of a response, and the significant effects on it, in words for who decides."""
    title, unit = f"difference of {view.title_of(response)}", view.unit_of(response)
    wording = plain(view, effects_sentence(view, result, title, unit, relative=False, differences=True))
    return f"The mean difference is {difference(result.grand_mean, unit)}. {wording}" if result.runs else wording


def who_differs(view: CampaignView, algorithm: str, reference: str) -> str:
    """Return the name of the algorithms that are compared with the incumbent.

    The algorithm. For the incumbent and the mean of all: the other algorithm, or ``mean of all others``.
    """
    if algorithm not in (MEAN_OF_ALL, reference):
        return algorithm
    others = [name for name in view.algorithms if name != reference]
    return others[0] if len(others) == 1 else "mean of all others"
