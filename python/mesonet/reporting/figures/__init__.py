"""The figures of the page, one file each: the chart of the first selection, and the tables of all selections."""

from dataclasses import dataclass

import numpy as np

from mesonet.reporting.figures import (
    blocks,
    components,
    condition_bars,
    contour,
    correlations,
    dendrograms,
    effect_sizes,
    half_normal,
    interactions,
    main_effects,
    ordered,
    psi,
    ranks,
    residuals,
    scatter,
    sign_table,
    summary,
    values,
    youden,
)
from mesonet.reporting.figures.figure import Control, DerivedTable, PageFigure, PageTable
from mesonet.reporting.figures.labels import axis_title, settings
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.study import Study

__all__ = ["Control", "DerivedTable", "Group", "PageFigure", "PageTable", "axis_title", "page_figures", "settings"]


@dataclass(frozen=True)
class Group:
    """Figures that answer one question."""

    id: str
    title: str
    figures: list[PageFigure]


def page_figures(study: Study) -> list[Group]:
    """The figures that this campaign can have, in the order of the page; groups without a figure are left out."""
    if not study.has_results:
        return []
    sources = Sources(study)
    algorithms, factors = len(study.algorithms), len(study.campaign.design.factors)
    responses = study.in_period[study.main_period]

    differ = []
    if algorithms > 1:
        differ += [summary.figure(sources), residuals.figure(sources)]
    differ.append(values.figure(sources))
    if algorithms > 1:
        differ += [condition_bars.figure(sources), ranks.figure(sources)]
    if algorithms > 2 and sources.method.clusterings:
        differ.append(dendrograms.figure(sources))

    drivers = []
    if factors:
        drivers += [main_effects.figure(sources), sign_table.figure(sources), psi.figure(sources)]
    if factors > 1:
        drivers += [
            interactions.figure(sources), half_normal.figure(sources), effect_sizes.figure(sources),
            youden.figure(sources), blocks.figure(sources), contour.figure(sources),
        ]  # fmt: skip
    if factors:
        drivers += ordered.figures(sources)

    alike = []
    if len(sources.method.correlations.responses) > 1:
        alike.append(correlations.figure(sources))
    if len(responses) > 1:
        alike.append(scatter.figure(sources))
    scores = sources.method.components.scores
    if scores.shape[1] > 1 and np.isfinite(scores).any():
        alike.append(components.figure(sources))

    groups = [
        Group("differ", "How the algorithms differ" if algorithms > 1 else "What came out", differ),
        Group("drivers", "What drives the responses", drivers),
        Group("alike", "What the responses have in common", alike),
    ]
    return [group for group in groups if group.figures]
