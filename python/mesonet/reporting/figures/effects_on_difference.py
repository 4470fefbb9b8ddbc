"""Main effects on the difference between each algorithm and the incumbent."""

from itertools import product

import numpy as np
import polars as pl

from mesonet.analysis import MainEffects, main_effects
from mesonet.analysis.main_effects import replicate_frame
from mesonet.plots import main_effects as chart_of
from mesonet.plots.main_effects import DATA as CHART_DATA
from mesonet.plots.main_effects import table as effects_table
from mesonet.reporting.campaign_view.study import MEAN_OF_ALL, Study
from mesonet.reporting.figures.figure import PageFigure, PageTable, caption, keyed, stacked
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions
from mesonet.reporting.text.labels import axis_title
from mesonet.reporting.verdicts.verdict import incumbent
from mesonet.words import difference, period_title

DATA = "effects_on_difference"
KEYS = ("response", "period", "algorithm")


def figure(sources: Sources) -> PageFigure | None:
    """Return the figure; None without an incumbent or without factors."""
    study = sources.study
    reference = incumbent(study)
    if reference is None or not study.campaign.design.factors:
        return None
    rows, texts = [], []
    first: MainEffects | None = None
    for period, names in study.in_period.items():
        for response, algorithm in product(names, study.choices_of_algorithm):
            result = effects(study, response, period, algorithm, reference)
            selection = {"response": response, "period": period, "algorithm": algorithm}
            rows.append(keyed(effects_table(result, study.campaign.factors, relative=False), selection))
            first = first or result
            title = study.responses[response].title
            heading = f"{title}, {_who(study, algorithm, reference)} minus {reference}, {period_title(period)}"
            texts.append(caption(selection, heading, _text(study, result, response)))
    assert first is not None
    return PageFigure(
        id="effects-on-difference",
        short_title="Effects on the difference",
        title=f"Where a change from {reference} matters: effects on the difference",
        reading=(
            f"For each factor, the mean of the difference (algorithm minus {reference}, condition by condition) at the "
            "− level (open) and at the + level (filled); the dashed line is the mean difference. A steep line: what "
            "the change does depends on that factor. ** and * mark effects significant at 99 % and 95 % "
            f"{captions.AGAINST[first.mode]}."
        ),
        chart=chart_of(
            first, study.campaign.factors, response=axis_title(study, study.congestion_response), relative=False
        ),
        main=DATA,
        tables={DATA: PageTable(stacked(rows), KEYS)},
        captions=PageTable(pl.DataFrame(texts), KEYS),
        marks=20 * len(study.campaign.design.factors),
        height=500,
        axis=f"{{}}: difference from {reference}",
        renamed={CHART_DATA: DATA},
    )


def effects(study: Study, response: str, period: str, algorithm: str, reference: str) -> MainEffects:
    """Return the main effects on the difference of an algorithm from the incumbent.

    For the mean of all, and for the incumbent itself, it is the difference of the mean of all others.
    """
    values = study.cube_for_tests(period)[..., study.in_period[period].index(response)]
    place = study.algorithms.index(reference)
    if algorithm in (MEAN_OF_ALL, reference):
        own = np.delete(values, place, axis=-1).mean(axis=-1)
    else:
        own = values[..., study.algorithms.index(algorithm)]
    # Replicates share their random numbers between algorithms: differences are taken within each.
    return main_effects(study.campaign.design, replicate_frame(own - values[..., place]), mode=study.mode)


def _who(study: Study, algorithm: str, reference: str) -> str:
    if algorithm not in (MEAN_OF_ALL, reference):
        return algorithm
    others = [name for name in study.algorithms if name != reference]
    return others[0] if len(others) == 1 else "mean of all others"


def _text(study: Study, result: MainEffects, response: str) -> str:
    title, unit = f"difference of {study.title_of(response)}", study.unit_of(response)
    said = captions.effects_sentence(study, result, title, unit, relative=False, differences=True)
    return f"The mean difference is {difference(result.grand_mean, unit)}. {said}" if result.runs else said
