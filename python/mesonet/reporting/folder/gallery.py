"""The list of all figures that a campaign can have: the catalogue of the study, row by row."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from mesonet.reporting.campaign_view.method import Method
from mesonet.reporting.campaign_view.study import Study
from mesonet.reporting.campaign_view.thresholds import DEFAULTS, Thresholds
from mesonet.reporting.figures.algorithm_figures import algorithm_figures
from mesonet.reporting.figures.drawable import Drawable
from mesonet.reporting.figures.network_figures import network_figures
from mesonet.reporting.figures.reduction_figures import reduction_figures
from mesonet.reporting.figures.ten_step_figures import ten_step_figures
from mesonet.reporting.figures.traced_figures import traced_figures
from mesonet.reporting.figures.user_figures import user_figures
from mesonet.reporting.folder.campaign_pair import CampaignPair

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

Extent = Literal["chosen", "all", "none"]

#: Responses whose ten steps are drawn unless others are asked for: the largest clusters first.
MOST_CHOSEN = 8
#: Steps that are drawn for every algorithm, of the measure of congestion.
_PER_ALGORITHM = ("03_main_effects", "04_interactions", "08_half_normal")


def gallery(
    campaign: "Campaign",
    extent: Extent | str = "chosen",
    responses: Sequence[str] | None = None,
    thresholds: Thresholds = DEFAULTS,
    beside: "Campaign | None" = None,
) -> list[Drawable]:
    """Return all figures of a campaign that has results, by section.

    `extent` "chosen": the ten steps of one response per cluster, at most eight, for the mean of all algorithms, and
    of the measure of congestion for each; "all": of every response, for each algorithm and the mean of all; "none": no
    figure. `responses`: those to draw in place of the chosen ones.
    """
    if extent == "none":
        return []
    method = Method(Study(campaign), thresholds)
    pair = CampaignPair(method, beside).figures() if beside is not None else []
    return figures_of(method, extent, responses) + pair


def figures_of(
    method: Method, extent: Extent | str = "chosen", responses: Sequence[str] | None = None
) -> list[Drawable]:
    """Return the figures of a method, whose results are shared."""
    study = method.study
    choices = study.choices_of_algorithm
    whose = choices[-1]
    figures = [*network_figures(method), *traced_figures(study.campaign)]
    main = list(study.in_period[study.main_period])
    detailed = [name for name in responses or () if name in method.space.names]
    if extent == "all":
        steps = [(name, algorithm) for name in method.space.names for algorithm in reversed(choices)]
        raw, detailed = main, method.space.names
    else:
        chosen = [name for name in responses or method.chosen[:MOST_CHOSEN] if name in method.space.names]
        steps = [(name, whose) for name in chosen]
        raw = list(responses or study.key_responses)
    if not study.campaign.design.factors:
        return figures + algorithm_figures(method, [name for name in raw if name in main])
    for name, algorithm in steps:
        figures += ten_step_figures(method, name, algorithm)
    if extent == "chosen":
        for algorithm in choices[:-1]:
            for name in responses or [method.congestion]:
                if name in method.space.names:
                    figures += ten_step_figures(method, name, algorithm, _PER_ALGORITHM)
    figures += reduction_figures(method)
    figures += algorithm_figures(method, [name for name in raw if name in main], detailed)
    figures += user_figures(method)
    return figures
