"""The condition-response summary, for every period and for three ways to call an algorithm an outlier."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from mesonet.analysis import ConditionResponseSummary
from mesonet.plots import condition_response
from mesonet.plots.condition_response import DATA, SETTINGS
from mesonet.plots.condition_response import table as summary_table
from mesonet.reporting.campaign_view.study import LARGE, Study
from mesonet.reporting.figures.figure import Control, PageFigure, PageTable, caption, keyed, stacked
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions
from mesonet.reporting.text.labels import settings
from mesonet.words import percent

KEYS = ("period", "outliers")
#: Share of false discoveries among the flagged cells that the third way allows.
FALSE_DISCOVERIES = 0.05
ALL, FAR, DISCOVERIES = "all", "far", "discoveries"


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with at least two algorithms."""
    study = sources.study
    labels = {name: study.label_of(name) for name in study.responses}
    rows, texts = [], []
    for period in _periods(study):
        for way in (ALL, FAR, DISCOVERIES):
            result = outliers(study, period, way)
            selection = {"period": period, "outliers": way}
            rows.append(keyed(summary_table(result, labels), selection))
            texts.append(caption(selection, captions.summary_heading(period), _text(study, result, way)))
    first = study.summary(study.main_period)
    far = f"more than {percent(LARGE)} from the mean"
    options = [(ALL, "every extreme"), (FAR, f"extremes {far}")]
    if first.cells_tested:
        options = [
            (ALL, "every outlier (Grubbs, 5 %)"),
            (FAR, f"outliers {far}"),
            (DISCOVERIES, f"false discoveries held to {percent(100 * FALSE_DISCOVERIES)} (Benjamini, Hochberg)"),
        ]
    return PageFigure(
        id="condition-response",
        short_title="Who stands out",
        title="Who stands out: condition-response summary",
        reading=_reading(study),
        chart=condition_response(first, settings(study), labels=labels, order=study.by_congestion),
        main=DATA,
        tables={DATA: PageTable(stacked(rows), KEYS), SETTINGS: sources.settings},
        captions=PageTable(pl.DataFrame(texts), KEYS),
        marks=2 * len(study.conditions) * len(first.responses),
        height=260 + 17 * len(study.conditions),
        controls=[Control("outliers", "Name", options, ALL)],
    )


def outliers(study: Study, period: str, way: str) -> ConditionResponseSummary:
    """Return the summary with the cells flagged in one of the three ways."""
    if way == FAR:
        return study.summary(period, LARGE)
    result = study.summary(period)
    if way == ALL:
        return result
    with np.errstate(invalid="ignore"):
        return replace(result, flagged=result.q < FALSE_DISCOVERIES)


def _text(study: Study, result: ConditionResponseSummary, way: str) -> str:
    text = captions.summary_caption(study, result)
    if way == DISCOVERIES and result.cells_flagged:
        # The number expected by chance is that of the plain test.
        share = percent(100 * FALSE_DISCOVERIES)
        text = f"{text.split(' If no algorithm')[0]} Of these at most about {share} are false discoveries."
    return text


def _reading(study: Study) -> str:
    text = f"Rows are conditions with their settings, {study.order_words}; columns are responses. "
    if not study.summary(study.main_period).cells_tested:
        if len(study.algorithms) == 2:
            return (
                f"{text}A cell names the algorithm with the larger value, and how far it lies above the mean of both."
            )
        return f"{text}A cell names the algorithm farthest from the mean of all and its distance from it."
    text += "A named algorithm is an outlier among all in that cell (Grubbs' test): ▲ on green above the others, "
    return text + "▼ on orange below. High says nothing about good or bad."


def _periods(study: Study) -> Sequence[str]:
    """Return the periods that have the responses of the main period, the columns of the figure."""
    main = study.in_period[study.main_period]
    return [period for period, names in study.in_period.items() if names == main]
