"""Figures of the group "What the responses have in common": correlations, components, pairs of responses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import polars as pl

from mesonet import charts
from mesonet.charts.component_plane import LOADINGS, SCORES, SHARES, WEIGHTS, loadings_table, shares_table
from mesonet.charts.correlations import by_group, cell_side
from mesonet.charts.response_pair import DATA as PAIRS
from mesonet.reporting.campaign_view.view import CampaignView, Reduction
from mesonet.reporting.figures.figure import Control, Drawing, Figure, drawing, factor_control, made
from mesonet.reporting.text import html
from mesonet.reporting.text.captions import alike as captions
from mesonet.reporting.text.captions.drivers import effects_sentence
from mesonet.reporting.text.labels import AGAINST, axis_title
from mesonet.words import capitalised, number, percent, period_title

#: Components whose main effects are drawn.
COMPONENTS = 2


def figures(view: CampaignView) -> list[Figure]:
    """Return the figures of the group.

    Parameters
    ----------
    view
        View of a campaign with results.

    Returns
    -------
    The figures that the campaign can have.
    """
    return [
        *made(view, _correlations, _scatter_matrix, _groupings),
        *(
            each
            for found in _reductions(view)
            for each in (*made(found, _scree, _loadings, _run_groups), *_effects(found))
        ),
        *made(view, response_pair, _components),
    ]


def _reductions(view: CampaignView) -> list[Reduction]:
    """Return the principal components of all responses, and of the goodputs of flow groups, if there are any."""
    if not view.campaign.design.factors:
        return []
    return [found for found in (view.of_all, view.of_goodputs) if found is not None and len(found.components.variance)]


def _correlations(view: CampaignView) -> Figure | None:
    """Return the correlations of all pairs of responses, in groups of similar responses."""
    if len(view.correlations.responses) < 2:
        return None
    result = view.correlations
    count = len(by_group(result))
    picks = {column.name: (column.response, column.period) for column in view.columns}

    def draw() -> Drawing:
        chart = charts.correlations(result, labels=view.labels, picks=picks, title="Correlations of the responses")
        heading = capitalised(period_title(view.main_period))
        text = f"{captions.correlations_caption(view.titles, result)} {captions.histogram_caption(result)}"
        return drawing(chart, text, heading=heading, subtitle=False)

    return Figure(
        id="correlations",
        short_title="Correlations",
        title="Which responses vary together: correlations",
        reading=(
            "Correlation of every pair of responses over all combinations of condition and algorithm, times 100. "
            f"Responses that pairs with |r| above {number(result.threshold, 2)} link, directly or over others, are in "
            "one group (framed). Below, how many pairs have which |r|, those above the threshold in blue. Click a cell "
            "to see its pair in “One response against another”."
        ),
        draw=draw,
        marks=2 * count * count,
        height=430 + cell_side(count) * count,
        below=_groups_html(view),
        file="correlations/correlations",
    )


def _groups_html(view: CampaignView) -> str:
    labels, result = view.labels, view.correlations
    rows = [
        [labels[representative], "; ".join(labels[name] for name in cluster if name != representative) or "–"]
        for cluster, representative in zip(result.clusters, result.representatives, strict=True)
    ]
    return html.folded(f"The {len(rows)} groups", html.table(["represents the group", "the others of the group"], rows))


def _scatter_matrix(view: CampaignView) -> Figure | None:
    """Return a scatter plot of every pair of responses."""
    if not view.campaign.design.factors or len(view.correlations.responses) < 2:
        return None

    def draw() -> Drawing:
        alike = view.correlations
        data = view.runs[:, [view.column_names.index(name) for name in alike.responses]]
        chart = charts.scatter_matrix(alike, data, labels=view.labels, title="All pairs of responses")
        return drawing(chart, captions.pairs_caption(view, alike))

    return Figure(
        id="scatter-matrix",
        short_title="All pairs",
        title="Which responses vary together?",
        reading=(
            "Above the diagonal a scatter plot of every pair of responses, one point per condition and algorithm; "
            "below it their correlation times 100."
        ),
        draw=draw,
        height=1120,
        own_tables=True,
        file="correlations/scatter_matrix",
    )


def _groupings(view: CampaignView) -> Figure | None:
    """Return the groups of responses by correlation next to the groups by components."""
    if not view.campaign.design.factors or not len(view.components.variance):
        return None

    def draw() -> Drawing:
        title = "Groups of responses by correlation and by components"
        chart = charts.groupings(view.groupings, labels=view.labels, title=title)
        return drawing(chart, captions.groupings_caption(view.groupings))

    return Figure(
        id="groupings",
        short_title="Two ways of grouping",
        title="Do components and correlations group the responses alike?",
        reading="For each response its cluster by correlation, and the component that it follows.",
        draw=draw,
        height=560,
        own_tables=True,
        file="components/groupings",
    )


def _scree(found: Reduction) -> Figure:
    """Return the scree plot of the components of some responses."""
    whose = found.whose

    def draw() -> Drawing:
        return drawing(
            charts.scree(found.components, title=f"Principal components{whose}"), captions.scree_caption(found)
        )

    return Figure(
        id=f"scree-components{found.suffix}",
        short_title="Scree plot",
        title=f"How many components{whose} matter?",
        reading="",
        draw=draw,
        file=f"components{found.suffix}/scree",
    )


def _loadings(found: Reduction) -> Figure:
    """Return the loadings of the components of some responses."""
    view, whose = found.view, found.whose

    def draw() -> Drawing:
        chart = charts.loadings(found.components, labels=view.labels, title=f"Loadings{whose}")
        return drawing(chart, captions.loadings_caption(found))

    return Figure(
        id=f"loadings-components{found.suffix}",
        short_title="Loadings",
        title=f"What are the components{whose} made of?",
        reading="",
        draw=draw,
        file=f"components{found.suffix}/loadings",
    )


def _run_groups(found: Reduction) -> Figure | None:
    """Return the plane of the first two components of some responses, with the groups in it."""
    if len(found.components.variance) < 2:
        return None
    view, whose, file = found.view, found.whose, f"components{found.suffix}/pc1_pc2"

    def draw() -> Drawing:
        parts, rules, algorithms = found.components, found.run_rules, list(view.algorithms)
        explained = [f"group {rule.group}: {rule.text} ({rule.right} of {rule.runs})" for rule in rules.rules]
        chart = charts.component_scores(
            parts.scores[:, :2],
            list(found.run_groups),
            conditions=np.repeat(view.conditions, len(algorithms)).tolist(),
            algorithms=algorithms * len(view.conditions),
            share=parts.share.tolist(),
            explained=explained if rules.right > rules.largest else [],
            title=f"The plane of the first two components{whose}",
        )
        return drawing(chart, captions.scores_caption(found), subtitle=False)

    if whose:
        return Figure(
            id="goodput-groups",
            short_title="Groups by goodputs",
            title="Which settings explain the groups, by goodputs alone?",
            reading=(
                "One point per condition and algorithm in the plane of the first two components of the goodputs of the "
                "flow groups. The sentence below names the settings that are associated with each group."
            ),
            draw=draw,
            height=520,
            own_tables=True,
            file=file,
        )
    return Figure(
        id="run-groups",
        short_title="Groups",
        title="Which settings explain the groups in the plane of components?",
        reading=(
            "One point per condition and algorithm in the plane of the first two components, coloured by group. The "
            "sentence below names the settings that are associated with each."
        ),
        draw=draw,
        height=520,
        own_tables=True,
        file=file,
    )


def _effects(found: Reduction) -> list[Figure]:
    """Return the main effects on the first components of some responses."""
    return [_effects_on_component(found, place) for place in range(min(COMPONENTS, len(found.components.variance)))]


def _effects_on_component(found: Reduction, place: int) -> Figure:
    """Return the main effects on one component; the page has those of all responses."""
    view, whose, name = found.view, found.whose, f"PC{place + 1}"

    def draw() -> Drawing:
        effects = found.effects(place)
        share = percent(100 * float(found.components.share[place]))
        chart = charts.main_effects(
            effects, view.campaign.factors, title=f"{name}{whose} ({share} of the variance), mean of all algorithms",
            response=name, relative=False,
        )  # fmt: skip
        text = effects_sentence(view, effects, name, "", relative=False)
        # Scores have no replicates of their own.
        return drawing(chart, text if effects.mode == view.mode else f"{text} Tested {AGAINST[effects.mode]}.")

    words: Sequence[str] = ("first", "second")
    return Figure(
        id=f"effects-pc{place + 1}" + (f"-components{found.suffix}" if whose else ""),
        short_title=f"What drives {name}",
        title=f"Which factors drive {name}{whose}?",
        reading=f"Main effects on the scores of the {words[place]} component.",
        draw=draw,
        height=0 if whose else 480,
        own_tables=True,
        file=f"components{found.suffix}/main_effects_pc{place + 1}",
    )


def response_pair(view: CampaignView) -> Figure | None:
    """Return a response against another, without rows; the script of the page makes its table."""
    there = view.in_period[view.main_period]
    if len(there) < 2:
        return None
    first = view.congestion_response
    varying = [name for name in there if view.varies(name, view.main_period)]
    names = [name for name in [*view.key_responses, *there] if name != first]
    names.sort(key=lambda name: name not in varying)
    nothing = pl.DataFrame(schema={"condition": pl.Int64, "algorithm": pl.String, "x": pl.Float64, "y": pl.Float64})
    titles = {"response": axis_title(view, first), "other": axis_title(view, names[0])}

    def draw(**_: str) -> Drawing:
        chart = partial(charts.response_pair, nothing, view.algorithms, **titles)
        return Drawing(chart, {PAIRS: nothing}, "", "")

    return Figure(
        id="scatter",
        short_title="One against another",
        title="One response against another",
        reading=(
            "One point per condition and algorithm. Where both responses have one unit, the line marks equal values. "
            "Choose the responses here and at the top, or click a cell of the correlations."
        ),
        draw=draw,
        selections=[{"response": "", "other": "", "period": ""}],
        maker="pairs",
        marks=len(view.campaign.responses.select("condition", "algorithm").unique()),
        height=540,
        axis="{}",
        controls=[
            Control("other", "Across", [(name, view.label_of(name)) for name in view.responses], names[0]),
        ],
    )  # fmt: skip


def _components(view: CampaignView) -> Figure | None:
    """Return the plane of the first two components, by algorithm and by the level of a factor."""
    factors, result = view.campaign.design.factors, view.components
    if result.scores.shape[1] < 2 or not np.isfinite(result.scores).any():
        return None

    def draw() -> Drawing:
        scores = _scores(view)
        return Drawing(
            partial(charts.component_plane, scores, result, view.algorithms, labels=view.labels),
            {
                SCORES: scores,
                LOADINGS: loadings_table(result, view.labels),
                SHARES: shares_table(result),
            },
            capitalised(period_title(view.main_period)),
            captions.components_caption(view.of_all),
        )

    return Figure(
        id="components",
        short_title="Principal components",
        title="In which directions conditions and algorithms differ: principal components",
        reading=(
            "One point per condition and algorithm in the plane of the two directions in which they differ most over "
            "all responses."
            + (
                " Filled: the chosen factor is at +. Where filled and open marks part, this factor explains the groups."
                if factors
                else ""
            )
            + " On the right, how much of the variation each component holds, and which responses weigh most."
        ),
        draw=draw,
        marks=len(result.scores) + 2 * WEIGHTS,
        height=540,
        controls=[factor_control(view)] if factors else [],
    )


def _scores(view: CampaignView) -> pl.DataFrame:
    """Return a row per condition and algorithm that has all responses; `signs` of its condition by factor."""
    scores, count = view.components.scores, len(view.algorithms)
    return pl.DataFrame(
        [
            {
                "condition": place // count + 1,
                "algorithm": view.algorithms[place % count],
                "pc1": float(scores[place, 0]),
                "pc2": float(scores[place, 1]),
                "signs": "".join("+" if sign > 0 else "-" for sign in view.signs[place // count + 1]),
            }
            for place in range(len(scores))
            if np.isfinite(scores[place, :2]).all()
        ]
    )
