"""Captions of the figures of effects: the ten steps, terms, signs, stars, Psi."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mesonet.analysis import (
    Blocks,
    Contour,
    FactorScatter,
    FactorTable,
    Interactions,
    MainEffects,
    OrderedData,
    Terms,
    main_effects,
)
from mesonet.analysis.terms import FEWEST_EFFECTS, has_margins
from mesonet.charts.blocks import can_be_significant
from mesonet.charts.sign_table import varies
from mesonet.reporting.campaign_view.values import categorical, factor_title, level_text
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text.labels import AGAINST
from mesonet.words import (
    capitalised,
    counted,
    difference,
    fall,
    listed,
    number,
    numbered,
    percent,
    quantity,
    span,
    verb,
)


def effects_caption(view: CampaignView, result: MainEffects, response: str) -> str:
    """Return the factors with significant effects on the response, and their size, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Main effects on the response.
    response
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    As `effects_sentence`.
    """
    return effects_sentence(view, result, view.title_of(response), view.unit_of(response))


def effects_sentence(
    view: CampaignView, result: MainEffects, title: str, unit: str, *, relative: bool = True, differences: bool = False
) -> str:
    """Return the factors with significant effects on a quantity, and their size, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Main effects on the quantity.
    title, unit
        As for every text, see `mesonet.reporting.text`.
    relative
        Sizes are said in % of the mean. False for scores and differences, whose mean is no size to compare with.
    differences
        The values are differences, so that differences of shares are percentage points.

    Returns
    -------
    Sentences: the largest effects, the significant effects, and notes of the analysis.
    """
    value = difference if differences else quantity
    notes = " ".join(result.notes)
    known = np.nan_to_num(np.abs(result.effect), nan=-1.0)
    if result.runs == 0 or known.max(initial=-1) <= 0:
        return notes or f"No factor changes {title}."
    top = int(np.argmax(known))
    factor = result.factors[top]
    change = (
        f"{capitalised(factor_title(view, factor))} has the largest effect: mean {title} is "
        f"{value(float(result.mean_minus[top]), unit)} at {level_text(view, factor, -1)} and "
        f"{value(float(result.mean_plus[top]), unit)} at {level_text(view, factor, 1)}"
    )

    def size(place: int) -> str:
        if relative and np.isfinite(result.relative_effect[top]):
            return f"{percent(abs(float(result.relative_effect[place])))} of the mean"
        return difference(float(known[place]), unit)

    change += f", a difference of {size(top)}"
    second = int(np.argsort(-known, kind="stable")[min(1, len(known) - 1)])
    if second != top and known[second] > 0:
        change += f"; next is {factor_title(view, result.factors[second])} with {size(second)}"
    return " ".join(part for part in (f"{change}.", _significant(view, result), notes) if part)


def _significant(view: CampaignView, result: MainEffects) -> str:
    """Return the factors with a significant effect, each at the strongest level reached; empty without a test."""
    if not np.isfinite(result.p).any():
        return ""
    known = np.nan_to_num(np.abs(result.effect), nan=-1.0)
    ranked = [result.factors[place] for place in np.argsort(-known, kind="stable")]
    stars = dict(zip(result.factors, result.stars, strict=True))
    parts = []
    for level, mark in (("99 %", "**"), ("95 %", "*")):
        if names := [factor_title(view, name) for name in ranked if stars[name] == mark]:
            parts.append(f"at {level}: {listed(names)}")
    return f"Significant {'; '.join(parts)}." if parts else f"No effect is significant at 95 % {AGAINST[result.mode]}."


def extremes_of(result: OrderedData, value: float) -> str:
    """Return the conditions with a value, in words.

    Parameters
    ----------
    result
        The values in their order.
    value
        A value that occurs in them.

    Returns
    -------
    Such as ``condition 3`` or ``conditions 3 and 5``.
    """
    there = np.asarray(result.value) == value
    return numbered("condition", sorted(np.asarray(result.condition)[there].tolist()))


def before_ties(values: NDArray[np.float64], run: int) -> int:
    """Return the length of a run of values, shortened to end where the value changes.

    Equal values have no order, so that a run cannot end between them.

    Parameters
    ----------
    values
        Values in their order.
    run
        Number of first values.

    Returns
    -------
    At most `run`; 0 if all of these values equal the next value.
    """
    while 0 < run < len(values) and values[run - 1] == values[run]:
        run -= 1
    return run


def ordered_caption(view: CampaignView, result: OrderedData, response: str) -> str:
    """Return the range of the response, and the factors with the longest run of a setting at each end, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        The values in their order, with the settings.
    response
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Sentences.
    """
    if not len(result.value):
        return "Nothing was measured."
    low, high, unit = float(result.value[0]), float(result.value[-1]), view.unit_of(response)
    if high == low:
        return f"All conditions have the same value, {quantity(low, unit)}: no setting is better than another."
    wording = (
        f"The smallest, {quantity(low, unit)}, is in {extremes_of(result, low)}; the largest, "
        f"{quantity(high, unit)}, in {extremes_of(result, high)}."
    )
    for ends, which, row in ((result.longest_high, "largest", -1), (result.longest_low, "smallest", 0)):
        best = int(np.argmax(ends))
        factor, sign = result.factors[best], int(result.signs[row, best])
        # Which of equal values come first says nothing: the run ends before them.
        run = before_ties(result.value if row == 0 else result.value[::-1], int(ends[best]))
        if run > 1:
            wording += f" The {run} {which} all have {factor_title(view, factor)} at {level_text(view, factor, sign)}."
    return wording


def scatter_caption(view: CampaignView, result: FactorScatter) -> str:
    """Return the factor that moves the mean most, changes of the spread, and values far out, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        The values by setting of each factor.

    Returns
    -------
    Sentences, with notes of the analysis.
    """
    if not len(result.value):
        return "Nothing was measured."
    notes = " ".join(result.notes)
    shift = np.abs(result.mean[:, 1] - result.mean[:, 0])
    if not np.isfinite(shift).any() or np.nanmax(shift) == 0:
        return notes or "No factor moves the response."
    best = result.factors[int(np.nanargmax(shift))]
    spread = [name for name, p in zip(result.factors, result.spread_p, strict=True) if p < 0.05]
    wording = f"{factor_title(view, best)} moves the mean most."
    wording = wording[:1].upper() + wording[1:]
    wording += (
        f" The spread differs between the settings of {listed(spread)} (Brown and Forsythe, 5 %)."
        if spread
        else " No change of the spread is significant (Brown and Forsythe, 5 %)."
    )
    # Every value stands once at each factor: the largest count over the factors is of different values.
    far = int(result.far_out.sum(axis=1).max(initial=0))
    if far:
        wording += f" {counted(far, 'value')} {verb(far, 'lie')} beyond Tukey's fences at the factor where most do."
    return f"{wording} {notes}".rstrip()


def block_caption(view: CampaignView, result: Blocks) -> str:
    """Return the number of blocks in which the target factor acts the same way, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Means of the target factor by block.

    Returns
    -------
    A sentence.
    """
    total = len(result.levels)
    if not result.higher_plus and not result.higher_minus:
        return f"{capitalised(factor_title(view, result.target))} makes no difference in any block."
    sign = 1 if result.higher_plus >= result.higher_minus else -1
    count = max(result.higher_plus, result.higher_minus)
    # So few blocks cannot have a p below 5 %, however alike they are.
    p = f" (sign test: p = {number(result.p, 2)})" if can_be_significant(result) else ""
    return (
        f"{capitalised(factor_title(view, result.target))} at {level_text(view, result.target, sign)} gives more in "
        f"{count} of {total} blocks{p}."
    )


def blocks_caption(view: CampaignView, results: Mapping[str, Blocks]) -> str:
    """Return the factors that raise or lower the response in every block, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    results
        Blocks by target factor.

    Returns
    -------
    Sentences.
    """
    always, undecided = [], []
    for name, result in results.items():
        complete = result.higher_plus + result.higher_minus
        if not np.isfinite(result.mean_plus - result.mean_minus).any():
            undecided.append(name)
        elif complete > 1 and complete in (result.higher_plus, result.higher_minus):
            sign = "+" if result.higher_plus else "−"
            always.append(f"{factor_title(view, name)} (more at {sign})")
    if len(undecided) == len(results):
        return "No block has values at both settings of a factor."
    wording = f"The same way up in every block: {listed(always)}." if always else "No factor acts alike in every block."
    if undecided:
        wording += (
            f" For {listed(undecided)} no block has both settings: the design makes it a product of the robustness "
            "factors."
        )
    return wording


def youden_caption(view: CampaignView, result: Terms, response: str) -> str:
    """Return the term that lies farthest from the cross, with its means, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Terms of the response, by size of the effect.
    response
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    A sentence.
    """
    if not (result.runs and len(result.terms) and result.effect[0]):
        return " ".join(result.notes) or "There is nothing to show."
    unit = view.unit_of(response)
    low, high = (level_text(view, result.terms[0], sign) for sign in (-1, 1))
    return (
        f"{result.strings[0]} lies farthest from the cross: mean {view.title_of(response)} is "
        f"{quantity(float(result.mean_minus[0]), unit)} at {low} and "
        f"{quantity(float(result.mean_plus[0]), unit)} at {high}."
    )


def effect_sizes_caption(view: CampaignView, result: Terms, response: str) -> str:
    """Return the share of the standard deviation that the largest effects leave, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Terms of the response, by size of the effect.
    response
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Sentences.
    """
    if not result.runs or not result.sd > 0:
        return " ".join(result.notes) or "Nothing varies."
    # The last terms may be zero, or leave no degrees of freedom for a residual.
    named = [
        place for place in range(min(3, len(result.terms))) if result.effect[place] and result.residual_sd[place] >= 0
    ]
    if not named:
        return f"The largest effect is {result.terms[0]}. The terms leave no degrees of freedom for a residual."
    count, left = len(named), float(result.residual_sd[named[-1]])
    who = f"The {count} largest effects, {listed(list(result.terms[:count]))}, bring"
    if count == 1:
        who = f"The largest effect, {result.terms[0]}, brings"
    return (
        f"{who} the residual standard deviation of {view.title_of(response)} from "
        f"{fall(result.sd, left, view.unit_of(response))}, {percent(100 * left / result.sd)} of it."
    )


def contour_caption(view: CampaignView, result: Contour, response: str) -> str:
    """Return the corners with the largest and smallest response, and the interaction, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Surface of the response over two factors.
    response
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Sentences.
    """
    first, second = (capitalised(factor_title(view, name)) for name in result.factors)
    if result.grand_mean != result.grand_mean:
        return "Nothing was measured."
    unit, corners = view.unit_of(response), result.corners
    text = f"Across: {first}; up: {second}."
    if np.isfinite(corners).all() and corners.max() > corners.min():
        ends = []
        for place in (corners.argmax(), corners.argmin()):
            up, across = divmod(int(place), 2)
            levels = (
                f"{name} at {level_text(view, name, 2 * at - 1)}"
                for name, at in zip(result.factors, (across, up), strict=True)
            )
            ends.append(f"{quantity(float(corners.flat[place]), unit)} with {' and '.join(levels)}")
        text += f" Of the corners the largest is {ends[0]}, the smallest {ends[1]}."
    return f"{text} Their interaction is {difference(result.effects[2], unit)}."


def without_axis(view: CampaignView, result: Contour, y: NDArray[np.float64]) -> str:
    """Return the factors that take no axis though their effects are larger than a factor's on an axis, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Surface of the response over two factors.
    y
        Value of each condition, in the unit of the response; NaN where missing.

    Returns
    -------
    A sentence; empty if there is no such factor.
    """
    found = main_effects(view.campaign.design, y)
    size = dict(zip(found.factors, np.nan_to_num(np.abs(found.effect)), strict=True))
    least = min(size[name] for name in result.factors)
    names = [factor_title(view, name) for name in found.factors if name in categorical(view) and size[name] > least]
    if not names:
        return ""
    has = "has a larger effect but takes no axis: it has" if len(names) == 1 else (
        "have larger effects but take no axis: they have"
    )  # fmt: skip
    return f"{capitalised(listed(names))} {has} no settings between the levels."


def ends_of_cells(result: Interactions, unit: str) -> str:
    """Return the scale that all cells of an interaction matrix share, as text.

    Parameters
    ----------
    result
        Means of every factor and pair.
    unit
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    A sentence; empty without a mean.
    """
    k = len(result.factors)
    means = np.r_[result.mean_minus[np.triu_indices(k)], result.mean_plus[np.triu_indices(k)]]
    means = means[np.isfinite(means)]
    ends = span(float(means.min()), float(means.max()), unit) if len(means) else ""
    return f"The scale of every cell runs from {ends}." if len(means) else ""


def signs_caption(view: CampaignView, result: FactorTable) -> str:
    """Return the factors that are significant most often, and the number expected by chance, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Effects of the factors on every response.

    Returns
    -------
    Sentences.
    """
    tested = np.isfinite(result.p) & varies(result)[:, None]
    responses, cells = int(tested.any(axis=1).sum()), int(tested.sum())
    if not cells:
        return "No response has a test."
    counts = {factor: int((result.stars[:, j] != "").sum()) for j, factor in enumerate(result.factors)}
    best = sorted((factor for factor in counts if counts[factor]), key=lambda factor: -counts[factor])[:3]
    if not best:
        return f"No factor has a significant effect on any of {counted(responses, 'tested response')}."
    wording = [f"{factor_title(view, factor)} on {counts[factor]}" for factor in best]
    wording[0] += f" of {counted(responses, 'tested response')}"
    return (
        f"Significant most often: {listed(wording)}. Chance alone would give about {number(0.05 * cells, 2)} of the "
        f"{cells:,} cells."
    )


def half_normal_reading(result: Terms) -> str:
    """Return the guide to reading a half-normal plot, with the source of its margins.

    Parameters
    ----------
    result
        Terms of the response.

    Returns
    -------
    Sentences.
    """
    text = "Effects of factors and of their interactions by size. "
    text += "Those that are only noise lie on a line through the origin. "
    if result.noise.replicated:
        text += "The margin of error (dashed) comes from the scatter between replicates"
    elif len(result.terms) < FEWEST_EFFECTS:
        text += f"Lenth's margin of error needs at least {FEWEST_EFFECTS} effects: none is drawn. "
    else:
        text += "The margin of error (dashed) comes from the small effects, most of which are taken to be noise (Lenth)"
    if result.noise.replicated or len(result.terms) >= FEWEST_EFFECTS:
        text += ": of effects that are only noise one in 20 exceeds it. The largest of them exceeds the simultaneous "
        text += "margin in one of 20 campaigns. "
    if any(" = " in string for string in result.strings):
        text += "Terms that the design cannot separate are one entry, listed with all their names."
    return text.strip()


def mean_psi_caption(view: CampaignView, mean: NDArray[np.float64]) -> str:
    """Return the factors with the largest Psi, mean of all algorithms, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    mean
        Psi of each factor, from 0 to 1; NaN where no response has a test.

    Returns
    -------
    A sentence on at most three factors.
    """
    if not np.isfinite(mean).any():
        return "No response could be tested."
    factors = view.campaign.design.factors
    order = [place for place in np.argsort(-np.nan_to_num(mean), kind="stable")[:3] if mean[place] > 0]
    best = [f"{factor_title(view, factors[place])} {percent(100 * float(mean[place]))}" for place in order]
    whose = "Psi, mean of all algorithms" if len(view.algorithms) > 1 else "Psi"
    return f"Largest {whose}: {listed(best)}." if best else "No factor has a significant effect on any response."


def few_effects(result: Terms) -> str:
    """Return the reason why no margin of error is known, as text.

    Parameters
    ----------
    result
        Terms of a response.

    Returns
    -------
    A sentence; empty if a margin is known, or if the notes of the result have the reason.
    """
    if has_margins(result) or result.noise.replicated or result.noise.pse == 0:
        return ""
    count = result.noise.effects
    return f"{counted(count, 'effect')} {'is' if count == 1 else 'are'} too few to separate effects from noise."


def source_of_noise(result: Terms) -> str:
    """Return the source of the margin of error, as text.

    Parameters
    ----------
    result
        Terms of a response.

    Returns
    -------
    A clause, such as ``after Lenth``.
    """
    return "from the scatter between replicates" if result.noise.replicated else "after Lenth"


def terms_caption(title: str, unit: str, result: Terms) -> str:
    """Return the number of effects above the noise, and the largest with their aliases, as text.

    Parameters
    ----------
    title, unit
        As for every text, see `mesonet.reporting.text`.
    result
        Terms of the response.

    Returns
    -------
    Sentences, with notes of the analysis.
    """
    notes = " ".join(result.notes)
    if not has_margins(result):
        return f"{few_effects(result)} {notes}".strip() or f"No effect on {title} could be tested."
    noise, active = result.noise, int(result.active.sum())
    margin = f"the margin of error of {difference(noise.me, unit)} ({source_of_noise(result)})"
    if not active:
        return f"No effect on {title} exceeds {margin}. {notes}".rstrip()
    strings = result.strings[: min(active, 3)]
    largest = [text if " = " not in text else f"the string {text}" for text in strings]
    all_together = int((np.abs(result.effect) > noise.sme).sum())
    sentence = (
        f"{active} of {counted(len(result.terms), 'effect')} on {title} {verb(active, 'exceed')} {margin}; chance "
        f"alone would give about {number(0.05 * noise.effects, 2)}. {all_together or 'None'} "
        f"{verb(all_together or 1, 'exceed')} the simultaneous margin of {difference(noise.sme, unit)}. "
        f"Largest: {listed(largest)}."
    )
    if any(" = " in text for text in strings):
        sentence += " Terms of one string cannot be distinguished from each other."
    return f"{sentence} {notes}".rstrip()


def interactions_caption(title: str, unit: str, result: Interactions, terms: Terms) -> str:
    """Return the largest two-factor interaction, with its aliases, as text.

    Parameters
    ----------
    title, unit
        As for every text, see `mesonet.reporting.text`.
    result
        Effects of every factor and pair.
    terms
        Terms of the same response.

    Returns
    -------
    Sentences, with notes of the analysis.
    """
    pairs = [place for place, order in enumerate(terms.order) if order == 2]
    if not pairs or not np.isfinite(result.effect).any():
        return f"No interaction on {title} could be computed."
    best = pairs[0]
    string = terms.strings[best]
    aliased = f" (one string: {string})" if " = " in string else ""
    wording = (
        f"The largest interaction on {title} is {terms.terms[best]}{aliased}: {difference(terms.effect[best], unit)}"
    )
    if has_margins(terms):
        beyond = bool(abs(terms.effect[best]) > terms.noise.me)
        margin = f"the margin of error of {difference(terms.noise.me, unit)} ({source_of_noise(terms)})"
        wording += f", {'beyond' if beyond else 'within'} {margin}"
    if len(pairs) > 1:
        wording += f"; next {terms.terms[pairs[1]]}, {difference(terms.effect[pairs[1]], unit)}"
    drawn = bool((np.abs(result.effect[np.isfinite(result.effect)]) > terms.noise.me).any())
    colour = "Orange: beyond the margin." if has_margins(terms) and drawn else few_effects(terms)
    return " ".join(part for part in (f"{wording}.", colour, *terms.notes) if part)
