"""Figures of a campaign, for the page and for the folder: a file for each figure, and their lists.

May import `campaign_view`, `verdicts` and `text` of reporting. A file has the name of the id of its figure, and all of
it: the function `figure`, which declares it (question, guide to reading, selections) or returns None if the campaign
cannot have it; the chart with its tables; the caption. `mesonet.plots` lists the charts that are public.
"""

from __future__ import annotations

from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.campaign_view.users import users
from mesonet.reporting.campaign_view.view import CampaignView, Reduction
from mesonet.reporting.figures import (
    active_factors,
    against_tcp,
    available_share,
    blocks,
    buffers,
    clusters,
    components,
    condition_bars,
    condition_response,
    condition_response_of_sets,
    congestion,
    contour,
    correlations,
    deploy_conditions,
    deploy_groups,
    deploy_map,
    deploy_shares,
    deploy_tests,
    differences,
    effect_sizes,
    effects_on_components,
    effects_on_difference,
    factor_scatter,
    flow_states,
    forest,
    goodput,
    goodput_ranges,
    groupings,
    half_normal,
    interactions,
    latencies,
    level_changes,
    level_maps,
    levels,
    loadings,
    main_effects,
    ordered,
    points,
    psi,
    queues,
    rank_matrix,
    rank_scatter,
    rank_table,
    ranks,
    residuals,
    response_surface,
    responses,
    run_groups,
    scatter,
    scatter_matrix,
    scree,
    sensitivity,
    service,
    settings_of_outliers,
    sign_table,
    surface_terms,
    timeline,
    windows,
    youden,
)
from mesonet.reporting.figures.figure import Control, Drawing, Figure, Group, made

__all__ = ["Control", "Drawing", "Figure", "Group", "figure_groups", "sampled_groups"]


def figure_groups(view: CampaignView) -> list[Group]:
    """Return the figures that a campaign can have, in groups, in the order of the page."""
    if not view.has_results:
        return []
    several = len(view.algorithms) > 1
    groups = [
        _deployment(view),
        Group("differ", "How the algorithms differ" if several else "What came out", _how_algorithms_differ(view)),
        Group("service", service.group_title(view), made(view, service.figure)),
        Group("users", "What users get", _what_users_get(view)),
        Group("queues", queues.TITLE, made(view, queues.figure)),
        Group("drivers", "What drives the responses", _what_drives(view)),
        Group("alike", "What the responses have in common", _what_is_alike(view)),
        Group("network", "The conditions" if view.is_model else "What happens in the network", _what_happens(view)),
    ]
    return [group for group in groups if group.figures]


def sampled_groups(sampled: Sampled) -> list[Group]:
    """Return the figures of a campaign with points between the levels of its factors, in groups."""
    if not sampled.responses:
        return []
    groups = [
        _deployment(sampled.view),
        Group(
            "drivers",
            "What drives the responses",
            made(
                sampled,
                levels.figure,
                level_maps.figure,
                level_changes.figure,
                surface_terms.figure,
                response_surface.figure,
                sensitivity.figure,
                points.figure,
            ),
        ),
        Group(
            "values",
            "What came out",
            [
                *made(sampled, responses.figure_of_sample),
                *made(sampled.view, forest.figure, scatter.figure),
            ],
        ),
        Group("queues", queues.TITLE, made(sampled.view, queues.figure)),
    ]
    return [group for group in groups if group.figures]


def _deployment(view: CampaignView) -> Group:
    figures = made(
        view,
        deploy_shares.figure,
        deploy_conditions.figure,
        deploy_tests.figure,
        deploy_groups.figure,
        deploy_map.figure,
    )
    return Group("deployment", "What the deployment does", figures)


def _how_algorithms_differ(view: CampaignView) -> list[Figure]:
    return made(
        view,
        forest.figure,
        effects_on_difference.figure,
        condition_response.figure,
        residuals.figure,
        responses.figure,
        condition_bars.figure,
        ranks.figure,
        condition_response_of_sets.figure,
        clusters.figure,
        settings_of_outliers.figure,
    )


def _what_users_get(view: CampaignView) -> list[Figure]:
    found = users(view) if view.campaign.design.factors else None
    if found is None:
        return []
    return made(
        found,
        goodput.figure,
        available_share.figure,
        against_tcp.figure,
        differences.figure,
        rank_matrix.figure,
        rank_table.figure,
        rank_scatter.figure,
        goodput_ranges.figure,
    )


def _what_drives(view: CampaignView) -> list[Figure]:
    return made(
        view,
        main_effects.figure,
        active_factors.figure,
        sign_table.figure,
        psi.figure,
        interactions.figure,
        half_normal.figure,
        effect_sizes.figure,
        youden.figure,
        blocks.figure,
        contour.figure,
        ordered.figure,
        factor_scatter.figure,
    )


def _what_is_alike(view: CampaignView) -> list[Figure]:
    return [
        *made(
            view,
            correlations.figure,
            scatter_matrix.figure,
            groupings.figure,
        ),
        *(figure for found in _reductions(view) for figure in _what_reduces(found)),
        *made(
            view,
            scatter.figure,
            components.figure,
        ),
    ]


def _reductions(view: CampaignView) -> list[Reduction]:
    """Return the principal components of all responses, and of the goodputs of flow groups, if there are any."""
    if not view.campaign.design.factors:
        return []
    return [found for found in (view.of_all, view.of_goodputs) if found is not None and len(found.components.variance)]


def _what_reduces(found: Reduction) -> list[Figure]:
    return made(
        found,
        scree.figure,
        loadings.figure,
        run_groups.figure,
        effects_on_components.figure_of_first,
        effects_on_components.figure_of_second,
    )


def _what_happens(view: CampaignView) -> list[Figure]:
    return made(
        view,
        congestion.figure,
        flow_states.figure,
        buffers.figure,
        windows.figure,
        latencies.figure,
        timeline.figure,
    )
