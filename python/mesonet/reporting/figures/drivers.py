"""Figures of the group "What drives the responses": effects, signs and stars, Psi, and the ten steps."""

from __future__ import annotations

from functools import partial

import numpy as np

from mesonet import analysis, charts
from mesonet.analysis.means import finite_mean
from mesonet.analysis.terms import has_margins
from mesonet.charts.blocks import DATA as BLOCKS
from mesonet.charts.blocks import table as blocks_table
from mesonet.charts.contour import DATA as CONTOUR
from mesonet.charts.contour import POINTS as SURFACE
from mesonet.charts.contour import table as contour_table
from mesonet.charts.half_normal import DATA as TERMS
from mesonet.charts.half_normal import MARGINS, margins_table
from mesonet.charts.half_normal import table as terms_table
from mesonet.charts.interactions import DATA as CELLS
from mesonet.charts.interactions import FACTORS, factors_table
from mesonet.charts.interactions import table as cells_table
from mesonet.charts.main_effects import DATA as EFFECTS
from mesonet.charts.main_effects import table as effects_table
from mesonet.charts.ordered_data import DATA as ORDERED
from mesonet.charts.ordered_data import LINE
from mesonet.charts.ordered_data import table as ordered_table
from mesonet.charts.psi_by_algorithm import DATA as PSI
from mesonet.charts.psi_by_algorithm import ROW as PSI_ROW
from mesonet.charts.psi_by_algorithm import table as psi_table
from mesonet.charts.settings import SETTINGS
from mesonet.charts.sign_table import DATA as SIGNS
from mesonet.charts.sign_table import ROW as SIGN_ROW
from mesonet.charts.sign_table import table as sign_table
from mesonet.reporting.campaign_view.values import MEAN_OF_ALL, categorical
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import (
    Content,
    Drawing,
    Figure,
    drawing,
    factor_control,
    made,
    of_response,
    of_steps,
)
from mesonet.reporting.text.captions import drivers as captions
from mesonet.reporting.text.labels import AGAINST, axis_title, effects_heading, settings
from mesonet.words import period_title

STEPS = "ten_steps/{column}/{algorithm}/"


def figures(view: CampaignView) -> list[Figure]:
    """Return the figures of the group.

    Parameters
    ----------
    view
        View of a campaign with results.

    Returns
    -------
    The figures that the campaign can have; none without factors.
    """
    return made(
        view, _main_effects, _signs_and_stars, _psi, _interaction_matrix, _half_normal, _effect_sizes, _youden,
        _block_plot, _contour_plot, _ordered, _values_by_factor,
    )  # fmt: skip


def _main_effects(view: CampaignView) -> Figure | None:
    """Return main effects."""
    if not view.campaign.design.factors:
        return None
    factors = view.campaign.factors

    def content(response: str, period: str, algorithm: str) -> Content:
        result = view.effects(response, period, algorithm)
        tables = {EFFECTS: effects_table(result, factors)}
        return partial(charts.main_effects, result, factors), tables, captions.effects_caption(view, result, response)

    return of_response(
        view, "main-effects", content,
        short_title="Main effects",
        title="What drives it: main effects",
        question="Which factors matter?",
        reading=(
            "For each factor, the mean of the response over the conditions at its − level (open) and at its + level "
            "(filled); the dashed line is the mean over all. A steep line is a large effect. ** and * mark effects "
            f"significant at 99 % and 95 % {AGAINST[view.mode]}. Highlight a condition to ring its levels."
        ),
        selections=view.selections(view.choices_of_algorithm),
        marks=20 * len(factors),
        height=500,
        file=f"{STEPS}03_main_effects",
        folder="steps and algorithms",
    )  # fmt: skip


def _signs_and_stars(view: CampaignView) -> Figure | None:
    """Return signs and stars of all responses and factors."""
    if not view.campaign.design.factors:
        return None
    factors = view.campaign.design.factors

    def draw(algorithm: str, set: str = "") -> Drawing:
        columns = tuple(view.sets[set]) if set else view.of_period(view.main_period)
        result, labels = view.factor_table(algorithm, columns), {column.name: column.label for column in columns}
        heading = f"{algorithm}, {set or period_title(view.main_period)}"
        return Drawing(
            partial(charts.sign_table, result, labels=labels, title=heading),
            {SIGNS: sign_table(result, labels)},
            heading,
            captions.signs_caption(view, result),
        )

    return Figure(
        id="sign-table",
        short_title="Signs and stars",
        title="All responses at a glance: signs and stars",
        question="Which factors matter, and which way?",
        reading=(
            "One row per response, one column per factor. The sign names the level that raises the response; ** "
            f"and * mark effects significant at 99 % and 95 % {AGAINST[view.mode]}. Choose an algorithm; "
            "there is no table for their mean."
        ),
        draw=draw,
        selections=[{"algorithm": name} for name in view.algorithms],
        marks=2 * len(view.in_period[view.main_period]) * len(factors),
        height=90 + SIGN_ROW * len(view.in_period[view.main_period]),
        file="factors/signs_{set}_{algorithm}",
        folder="sets",
    )


def _psi(view: CampaignView) -> Figure | None:
    """Return Psi over all responses of the main period, by algorithm."""
    if not view.campaign.design.factors:
        return None
    factors = view.campaign.design.factors
    columns = view.of_period(view.main_period)
    names = list(view.algorithms) + ([MEAN_OF_ALL] if len(view.algorithms) > 1 else [])

    def draw() -> Drawing:
        found = {name: view.factor_table(name, columns).psi for name in view.algorithms}
        mean = finite_mean(np.array(list(found.values())), axis=0)
        if len(found) > 1:
            found[MEAN_OF_ALL] = mean
        return Drawing(
            partial(charts.psi_by_algorithm, found, factors),
            {PSI: psi_table(found, factors)},
            "All responses of the whole measured time",
            captions.mean_psi_caption(view, mean),
        )

    return Figure(
        id="psi",
        short_title="Psi",
        title="Which factors matter over all responses: Psi",
        reading=(
            "Psi of a factor: the share of the tested responses on which its effect is significant at 99 %, plus half "
            "the share on which it is significant only at 95 %. Here in percent."
        ),
        draw=draw,
        marks=2 * len(names) * len(factors),
        height=60 + PSI_ROW * len(names),
    )


def _interaction_matrix(view: CampaignView) -> Figure | None:
    """Return the matrix of main effects and interactions of two factors."""
    if len(view.campaign.design.factors) < 2:
        return None
    factors = view.campaign.design.factors

    def draw(response: str, algorithm: str, period: str = "") -> Drawing:
        period = period or view.main_period
        terms, result = view.terms(response, period, algorithm), view.interactions(response, period, algorithm)
        title, unit = view.title_of(response), view.unit_of(response)
        text = captions.interactions_caption(title, unit, result, terms)
        heading = effects_heading(view, response, period, algorithm)
        margin = terms.noise.me if has_margins(terms) else np.inf
        return Drawing(
            partial(charts.interactions, result, margin=margin, title=heading),
            {CELLS: cells_table(result, margin), FACTORS: factors_table(result)},
            heading,
            f"{text} {captions.ends_of_cells(result, unit)}".strip(),
        )

    return Figure(
        id="interactions",
        short_title="Interactions",
        title="Which factors act together: interaction matrix",
        reading=(
            "On the diagonal the main effects, above it the interactions of two factors. A line leads from the mean "
            "where the product of their signs is − to the mean where it is +. The number is the effect, in the unit of "
            "the response (shares as parts of 1). All cells share one scale."
        ),
        draw=draw,
        selections=of_steps(view),
        fixed=[FACTORS],
        marks=3 * len(factors) * (len(factors) + 1),
        height=60 + len(factors) * max(34, min(76, 1150 // len(factors))),
        file=f"{STEPS}04_interactions",
        folder="steps and algorithms",
    )


def _half_normal(view: CampaignView) -> Figure | None:
    """Return the half-normal plot with its margins of error, for every response and algorithm."""
    if len(view.campaign.design.factors) < 2:
        return None
    first = view.terms(view.congestion_response, view.main_period, view.choices_of_algorithm[0])

    def content(response: str, period: str, algorithm: str) -> Content:
        result = view.terms(response, period, algorithm)
        tables = {TERMS: terms_table(result), MARGINS: margins_table(result)}
        text = captions.terms_caption(view.title_of(response), view.unit_of(response), result)
        return partial(charts.half_normal, result), tables, text

    return of_response(
        view, "half-normal", content,
        short_title="Half-normal plot",
        title="Which effects are more than noise: half-normal plot",
        reading=captions.half_normal_reading(first),
        selections=of_steps(view),
        marks=3 * len(first.terms),
        height=460,
        axis="|effect| on {}",
        file=f"{STEPS}08_half_normal",
        folder="steps and algorithms",
    )  # fmt: skip


def _effect_sizes(view: CampaignView) -> Figure | None:
    """Return |effects| in falling order, and the residual standard deviation after each."""
    if len(view.campaign.design.factors) < 2:
        return None
    first = view.terms(view.congestion_response, view.main_period, view.choices_of_algorithm[0])

    def content(response: str, period: str, algorithm: str) -> Content:
        result = view.terms(response, period, algorithm)
        text = captions.effect_sizes_caption(view, result, response)
        return partial(charts.effect_sizes, result), {TERMS: terms_table(result)}, text

    return of_response(
        view, "effect-sizes", content,
        short_title="Sizes of effects",
        title="How large the effects are, and what they leave unexplained",
        question="Where is the kink between the few terms that matter and the many that do not?",
        reading=(
            "Above, the size of every effect in falling order: look for the kink of the L. Below, the standard "
            "deviation that is left when the effects up to there are in the model; the dashed line is the standard "
            "deviation of the response itself."
        ),
        selections=of_steps(view),
        marks=4 * len(first.terms),
        height=520,
        axis="|effect| on {}",
        file=f"{STEPS}07_and_09_effect_sizes",
        folder="steps",
    )  # fmt: skip


def _youden(view: CampaignView) -> Figure | None:
    """Return the Youden plot: the mean of the response at both levels of every term."""
    if len(view.campaign.design.factors) < 2:
        return None
    first = view.terms(view.congestion_response, view.main_period, view.choices_of_algorithm[0])

    def content(response: str, period: str, algorithm: str) -> Content:
        result = view.terms(response, period, algorithm)
        text = captions.youden_caption(view, result, response)
        return partial(charts.youden, result), {TERMS: terms_table(result)}, text

    return of_response(
        view, "youden", content,
        short_title="Youden plot",
        title="Both means of every term: Youden plot",
        question="Which terms lie far from the cross?",
        reading=(
            "One point per factor (square) and per interaction (circle): across, the mean response at its − level; "
            "up, that at its + level. The cross is the mean of all; terms without effect lie there."
            + (" Blue: beyond the margin of error of the half-normal plot." if has_margins(first) else "")
        ),
        selections=of_steps(view),
        marks=2 * len(first.terms),
        height=520,
        file=f"{STEPS}06_youden",
        folder="steps",
    )  # fmt: skip


def _block_plot(view: CampaignView) -> Figure | None:
    """Return the block plot: of one factor on the page, of all factors in the folder."""
    if len(view.campaign.design.factors) < 2:
        return None
    design = view.campaign.design

    def draw(response: str, algorithm: str, factor: str = "", period: str = "") -> Drawing:
        period = period or view.main_period
        y, title = view.for_algorithm(response, period, algorithm), axis_title(view, response)
        heading = effects_heading(view, response, period, algorithm)
        if not factor:
            every = {name: analysis.blocks(design, y, target=name) for name in design.factors}
            return drawing(charts.blocks(every, title=heading, response=title), captions.blocks_caption(view, every))
        result = analysis.blocks(design, y, target=factor)
        return Drawing(
            partial(charts.blocks, result, factors=design.factors, response=title),
            {BLOCKS: blocks_table(result, design.factors)},
            f"{heading}: {factor}",
            captions.block_caption(view, result),
        )

    return Figure(
        id="blocks",
        short_title="Block plot",
        title="Does it always act the same way: block plot",
        question="Is a factor important whatever the others are set to?",
        reading=(
            "One box per combination of the most important other factors, from the mean at one level of the chosen "
            "factor to the mean at its other level. A factor that matters whatever the others are set to has its + "
            "always at the same end."
        ),
        draw=draw,
        selections=[{**each, "factor": factor} for each in of_steps(view) for factor in design.factors],
        marks=40,
        height=380,
        controls=[factor_control(view)],
        axis="{}",
        file=f"{STEPS}05_blocks",
        folder="steps",
    )


def _contour_plot(view: CampaignView) -> Figure | None:
    """Return the response between the levels of the two most important factors."""
    if len(set(view.campaign.design.factors) - categorical(view)) < 2:
        return None

    def content(response: str, period: str, algorithm: str) -> Content:
        y = view.for_algorithm(response, period, algorithm)
        result = analysis.contour(view.campaign.design, y, categorical=categorical(view), points=3)
        text = f"{captions.contour_caption(view, result, response)} {captions.without_axis(view, result, y)}".rstrip()
        return partial(charts.contour, result), {CONTOUR: contour_table(result)}, text

    return of_response(
        view, "contour", content,
        short_title="Contour plot",
        title="Between the levels of two important factors: contour plot",
        question="What lies between the levels of the two most important factors?",
        reading=(
            "The response predicted from two main effects and their interaction. The factors are the first of the "
            "ranked list of terms"
            + ("; factors without settings between their levels take no axis" if categorical(view) else "")
            + ". Settings between the levels (−1 and +1) are interpolated. Numbers at the corners are means over the "
            "conditions there."
        ),
        selections=of_steps(view),
        marks=SURFACE * SURFACE,
        height=520,
        file=f"{STEPS}10_contour",
        folder="steps",
    )  # fmt: skip


def _ordered(view: CampaignView) -> Figure | None:
    """Return the conditions by rising response, with their settings."""
    if not view.campaign.design.factors:
        return None
    shown, factors = settings(view), view.campaign.design.factors

    def content(response: str, period: str, algorithm: str) -> Content:
        result = analysis.ordered_data(view.campaign.design, view.for_algorithm(response, period, algorithm))
        tables = {ORDERED: ordered_table(result), SETTINGS: shown.table()}
        return partial(charts.ordered_data, result, shown), tables, captions.ordered_caption(view, result, response)

    return of_response(
        view, "ordered", content,
        short_title="Ordered data",
        title="Which settings give most and least: ordered data",
        question="Which settings give the best and worst, and which factor decides?",
        reading=(
            "Conditions by rising response, with their settings below. A factor whose sign is the same in a long "
            "run at either end decides the response there."
        ),
        selections=of_steps(view),
        fixed=[SETTINGS],
        marks=len(view.conditions) * (1 + len(factors)),
        height=300 + LINE * len(factors),
        file=f"{STEPS}01_ordered_data",
        folder="steps",
    )  # fmt: skip


def _values_by_factor(view: CampaignView) -> Figure | None:
    """Return all values at the − and the + level of every factor."""
    if not view.campaign.design.factors:
        return None
    shown, design = settings(view), view.campaign.design

    def content(response: str, period: str, algorithm: str) -> Content:
        y = view.for_algorithm(response, period, algorithm)
        result = analysis.factor_scatter(design, y)
        tables = {ORDERED: ordered_table(analysis.ordered_data(design, y)), SETTINGS: shown.table()}
        return partial(charts.factor_scatter, result, shown), tables, captions.scatter_caption(view, result)

    return of_response(
        view, "factor-scatter", content,
        short_title="Values by factor",
        title="Where each factor puts the response: values by factor",
        question="Do location and spread change with a factor, and are there outliers?",
        reading=(
            "For each factor all values: conditions at its − level are left (open), conditions at its + level right "
            "(filled). Look for shifts, for changes of spread and for single values apart."
        ),
        selections=of_steps(view),
        fixed=[SETTINGS],
        marks=len(view.conditions) * (1 + len(design.factors)),
        height=360,
        file=f"{STEPS}02_multi_factor_scatter",
        folder="steps",
    )  # fmt: skip
