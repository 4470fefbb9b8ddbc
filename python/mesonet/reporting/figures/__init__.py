"""The figures of the page, one file each: the chart of the first selection, and the tables of all selections."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mesonet.reporting.campaign_view.study import Study, categorical
from mesonet.reporting.campaign_view.thresholds import DEFAULTS, Thresholds
from mesonet.reporting.figures import (
    blocks,
    catalogue,
    components,
    condition_bars,
    contour,
    correlations,
    dendrograms,
    effect_sizes,
    effects_on_difference,
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
from mesonet.reporting.figures.algorithm_figures import algorithm_figures
from mesonet.reporting.figures.drawable import Drawable
from mesonet.reporting.figures.drawn import Frame
from mesonet.reporting.figures.drawn import page_figures as drawn
from mesonet.reporting.figures.figure import Control, DerivedTable, PageFigure, PageTable
from mesonet.reporting.figures.network_figures import network_figures
from mesonet.reporting.figures.reduction_figures import reduction_figures
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.figures.traced_figures import traced_figures
from mesonet.reporting.figures.user_figures import user_figures

__all__ = ["Control", "DerivedTable", "Group", "PageFigure", "PageTable", "page_figures"]


@dataclass(frozen=True)
class Group:
    """Figures that answer one question."""

    id: str
    title: str
    figures: list[PageFigure]


def page_figures(study: Study, thresholds: Thresholds = DEFAULTS) -> list[Group]:
    """Return the figures that this campaign can have, in the order of the page; groups without a figure are left
    out."""
    if not study.has_results:
        return []
    sources = Sources(study, thresholds)
    algorithms, factors = len(study.algorithms), len(study.campaign.design.factors)
    responses = study.in_period[study.main_period]

    differ = []
    if (first := effects_on_difference.figure(sources)) is not None:
        differ.append(first)
    if algorithms > 1:
        differ += [summary.figure(sources), residuals.figure(sources)]
    differ.append(values.figure(sources))
    if algorithms > 1:
        differ += [condition_bars.figure(sources), ranks.figure(sources)]
    if algorithms > 2 and sources.method.clusterings:
        differ.append(dendrograms.figure(sources))
    every = _catalogue(sources)
    differ += _framed(catalogue.DIFFER, every)

    drivers = []
    if factors:
        drivers += [main_effects.figure(sources), sign_table.figure(sources), psi.figure(sources)]
    if factors > 1:
        drivers += [
            interactions.figure(sources), half_normal.figure(sources), effect_sizes.figure(sources),
            youden.figure(sources), blocks.figure(sources),
        ]  # fmt: skip
        if len(set(study.campaign.design.factors) - categorical(study)) > 1:
            drivers.append(contour.figure(sources))
    if factors:
        drivers += ordered.figures(sources)
    # Of one set of responses it is the figure of Psi once more.
    if factors and len(sources.method.space.sets) > 1:
        drivers += _framed(catalogue.DRIVERS, every)

    alike = []
    if len(sources.method.correlations.responses) > 1:
        alike.append(correlations.figure(sources))
    alike += _framed(catalogue.ALIKE, every)
    if len(responses) > 1:
        alike.append(scatter.figure(study, len(study.conditions) * algorithms))
    scores = sources.method.components.scores
    if scores.shape[1] > 1 and np.isfinite(scores).any():
        alike.append(components.figure(sources))

    groups = [
        Group("differ", "How the algorithms differ" if algorithms > 1 else "What came out", differ),
        Group("users", "What users get", _framed(catalogue.USERS, every)),
        Group("drivers", "What drives the responses", drivers),
        Group("alike", "What the responses have in common", alike),
        Group("network", "What happens in the network", _framed(catalogue.NETWORK, every)),
    ]
    return [group for group in groups if group.figures]


def _catalogue(sources: Sources) -> list[Drawable]:
    """Return the figures of the analysis, without figures that the page draws in its own form."""
    method = sources.method
    figures = [*network_figures(method), *traced_figures(sources.study.campaign)]
    if sources.study.campaign.design.factors:
        figures += reduction_figures(method)
        figures += user_figures(method)
    return figures + algorithm_figures(method, ())


def _framed(frames: Sequence[Frame], figures: Sequence[Drawable]) -> list[PageFigure]:
    return [figure for frame in frames for figure in drawn(frame, figures)]
