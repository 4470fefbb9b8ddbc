"""The ten plots of a response, and a sentence on each."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet import plots
from mesonet.analysis import Blocks, Contour, FactorScatter, OrderedData, TenSteps, Terms
from mesonet.files.names import file_stem
from mesonet.plots.half_normal import has_margins
from mesonet.reporting.campaign_view.method import Method
from mesonet.reporting.campaign_view.space import Column
from mesonet.reporting.campaign_view.study import MEAN_OF_ALL, Study, categorical, factor_title, level_text
from mesonet.reporting.figures.drawable import ChartAndCaption, Drawable
from mesonet.reporting.text import method_captions
from mesonet.reporting.text.captions import before_ties, effects_sentence, extremes_of
from mesonet.words import counted, fall, listed, number, percent, quantity, uncapitalised, verb

QUESTIONS = {
    "01_ordered_data": "Which settings give the best and worst, and which factor decides?",
    "02_multi_factor_scatter": "Do location and spread change with a factor, and are there outliers?",
    "03_main_effects": "Which factors matter?",
    "04_interactions": "Which pairs of factors act together?",
    "05_blocks": "Is a factor important whatever the others are set to?",
    "06_youden": "Which terms lie far from the cross-hair?",
    "07_absolute_effects": "Where is the kink between the few terms that matter and the many that do not?",
    "08_half_normal": "Which effects are more than noise?",
    "09_residual_sd": "How good is a model of the largest terms?",
    "10_contour": "What lies between the levels of the two most important factors?",
}

Floats = NDArray[np.float64]


def ten_step_figures(method: Method, response: str, algorithm: str, steps: tuple[str, ...] = ()) -> list[Drawable]:
    """Return the plots of one response of the space for one algorithm or the mean of all; `steps`: only these."""
    folder = f"ten_steps/{file_stem(response)}/{file_stem(algorithm).replace(' ', '_')}"
    column = method.space.columns[method.space.place(response)]
    makers: dict[str, Callable[[Method, Column, str, str], ChartAndCaption]] = {
        "01_ordered_data": _ordered, "02_multi_factor_scatter": _scatter, "03_main_effects": _effects,
        "04_interactions": _interactions, "05_blocks": _blocks, "06_youden": _youden,
        "07_absolute_effects": _absolute, "08_half_normal": _half_normal, "09_residual_sd": _residual_sd,
        "10_contour": _contour,
    }  # fmt: skip
    if len(set(method.study.campaign.design.factors) - categorical(method.study)) < 2:
        del makers["10_contour"]
    whose = "mean of all algorithms" if algorithm == MEAN_OF_ALL else algorithm
    heading = f"{column.title}, {whose}"
    if column.set.lower().removeprefix("measured ") not in column.title.lower():
        heading += f", {uncapitalised(column.set)}"
    return [
        Drawable(f"{folder}/{name}", QUESTIONS[name], partial(make, method, column, algorithm, heading))
        for name, make in makers.items()
        if not steps or name in steps
    ]


def _axis(column: Column) -> str:
    return column.title + (f", {column.unit}" if column.unit != "1" else "")


def _steps(method: Method, column: Column, algorithm: str) -> TenSteps:
    return method.ten_steps(column.name, algorithm)


def _ordered(method: Method, column: Column, algorithm: str, heading: str) -> ChartAndCaption:
    result = _steps(method, column, algorithm).ordered
    return plots.ordered_data(result, title=heading, response=_axis(column)), ordered_caption(
        method.study, result, column
    )


def _scatter(method: Method, column: Column, algorithm: str, heading: str) -> ChartAndCaption:
    result = _steps(method, column, algorithm).scatter
    return plots.factor_scatter(result, title=heading, response=_axis(column)), scatter_caption(method.study, result)


def _effects(method: Method, column: Column, algorithm: str, heading: str) -> ChartAndCaption:
    result = _steps(method, column, algorithm).effects
    chart: Any = plots.main_effects(result, method.study.campaign.factors, title=heading, response=_axis(column))
    return chart, effects_sentence(method.study, result, uncapitalised(column.title), column.unit)


def _interactions(method: Method, column: Column, algorithm: str, heading: str) -> ChartAndCaption:
    steps = _steps(method, column, algorithm)
    strings = [
        f"{number(float(effect))}   {text}"
        for text, effect, order in zip(steps.terms.strings, steps.terms.effect, steps.terms.order, strict=True)
        if order == 2
    ]
    cut = steps.terms.noise.me if has_margins(steps.terms) else np.inf
    chart = plots.interactions(steps.interactions, cut=cut, strings=strings[:10], title=heading)
    title = uncapitalised(column.title)
    return chart, method_captions.interactions_caption(title, column.unit, steps.interactions, steps.terms)


def _blocks(method: Method, column: Column, algorithm: str, heading: str) -> ChartAndCaption:
    result = _steps(method, column, algorithm).blocks
    return plots.blocks(result, title=heading, response=_axis(column)), blocks_caption(method.study, result)


def _youden(method: Method, column: Column, algorithm: str, heading: str) -> ChartAndCaption:
    result = _steps(method, column, algorithm).terms
    return plots.youden(result, title=heading, response=_axis(column)), youden_caption(result)


def _absolute(method: Method, column: Column, algorithm: str, heading: str) -> ChartAndCaption:
    result = _steps(method, column, algorithm).terms
    chart = plots.absolute_effects(result, title=heading, response=f"|effect| on {_axis(column)}")
    return chart, kink_caption(result)


def _half_normal(method: Method, column: Column, algorithm: str, heading: str) -> ChartAndCaption:
    result = _steps(method, column, algorithm).terms
    chart: Any = plots.half_normal(result, title=heading, response=f"|effect| on {_axis(column)}")
    return chart, method_captions.terms_caption(uncapitalised(column.title), column.unit, result)


def _residual_sd(method: Method, column: Column, algorithm: str, heading: str) -> ChartAndCaption:
    result = _steps(method, column, algorithm).terms
    return plots.residual_sd(result, title=heading, response=_axis(column)), residual_sd_caption(result, column.unit)


def _contour(method: Method, column: Column, algorithm: str, heading: str) -> ChartAndCaption:
    result = _steps(method, column, algorithm).contour
    assert result is not None
    return plots.contour(result, title=heading, response=_axis(column)), contour_caption(method.study, result, column)


def ordered_caption(study: Study, result: OrderedData, column: Column) -> str:
    """Return the range of the response, and the factors with the longest run of a setting at each end, as text."""
    if not len(result.value):
        return "Nothing was measured."
    low, high = float(result.value[0]), float(result.value[-1])
    if high == low:
        return f"All conditions have the same value, {quantity(low, column.unit)}: no setting is better than another."
    said = (
        f"The smallest, {quantity(low, column.unit)}, is in {extremes_of(result, low)}; the largest, "
        f"{quantity(high, column.unit)}, in {extremes_of(result, high)}."
    )
    for ends, which, row in ((result.longest_high, "largest", -1), (result.longest_low, "smallest", 0)):
        best = int(np.argmax(ends))
        factor, sign = result.factors[best], int(result.signs[row, best])
        # Which of equal values come first says nothing: the run ends before them.
        run = before_ties(result.value if row == 0 else result.value[::-1], int(ends[best]))
        if run > 1:
            said += f" The {run} {which} all have {factor_title(study, factor)} at {level_text(study, factor, sign)}."
    return said


def scatter_caption(study: Study, result: FactorScatter) -> str:
    """Return the factor that moves the mean most, changes of the spread, and values far out, as text."""
    if not len(result.value):
        return "Nothing was measured."
    notes = " ".join(result.notes)
    shift = np.abs(result.mean[:, 1] - result.mean[:, 0])
    if not np.isfinite(shift).any() or np.nanmax(shift) == 0:
        return notes or "No factor moves the response."
    best = result.factors[int(np.nanargmax(shift))]
    spread = [name for name, p in zip(result.factors, result.spread_p, strict=True) if p < 0.05]
    said = f"{factor_title(study, best)} moves the mean most."
    said = said[:1].upper() + said[1:]
    said += (
        f" The spread differs between the settings of {listed(spread)} (Brown and Forsythe, 5 %)."
        if spread
        else " No change of the spread is significant (Brown and Forsythe, 5 %)."
    )
    # Every value stands once at each factor: the largest count over the factors is of different values.
    far = int(result.far_out.sum(axis=1).max(initial=0))
    if far:
        said += f" {counted(far, 'value')} {verb(far, 'lie')} beyond Tukey's fences at the factor where most do."
    return f"{said} {notes}".rstrip()


def blocks_caption(study: Study, results: dict[str, Blocks]) -> str:
    """Return the factors that raise or lower the response in every block, as text."""
    always, undecided = [], []
    for name, result in results.items():
        complete = result.higher_plus + result.higher_minus
        if not np.isfinite(result.mean_plus - result.mean_minus).any():
            undecided.append(name)
        elif complete > 1 and complete in (result.higher_plus, result.higher_minus):
            sign = "+" if result.higher_plus else "−"
            always.append(f"{factor_title(study, name)} (more at {sign})")
    if len(undecided) == len(results):
        return "No block has values at both settings of a factor."
    said = f"The same way up in every block: {listed(always)}." if always else "No factor acts alike in every block."
    if undecided:
        said += (
            f" For {listed(undecided)} no block has both settings: the design makes it a product of the robustness "
            "factors."
        )
    return said


def youden_caption(result: Terms) -> str:
    """Return the terms farthest from the cross-hair, as text."""
    if not len(result.terms) or not np.isfinite(result.effect).any():
        return "No effect could be computed."
    if not np.abs(np.nan_to_num(result.effect)).max() > 0:
        return "All terms lie on the cross-hair: every effect is zero."
    return (
        f"Farthest from the cross-hair: {listed([_string(text) for text in result.strings[:3]])}. A term above and to "
        "the left of it raises the response at its + level."
    )


def kink_caption(result: Terms) -> str:
    """Return the place of the largest drop in the sizes of the effects, as text."""
    size = np.abs(result.effect[np.isfinite(result.effect)])
    if len(size) < 3 or not size.max() > 0:
        return "There are too few effects, or all are zero: there is no kink."
    half = size[: max(2, len(size) // 2)]
    with np.errstate(all="ignore"):
        ratio = np.where(half[1:] > 0, half[:-1] / half[1:], np.inf)
    place = int(np.argmax(ratio)) + 1
    active = int(result.active.sum())
    after = "all others are zero" if not np.isfinite(ratio[place - 1]) else (
        f"the next effect is {percent(100 / float(ratio[place - 1]))} of the last of them"
    )  # fmt: skip
    return (
        f"The largest drop comes after {counted(place, 'term')}: {after}. The largest is {_string(result.strings[0])}. "
    ) + (
        f"{active} of {counted(len(size), 'effect')} {verb(active, 'exceed')} the margin of error "
        f"({method_captions.source_of_noise(result)})."
        if has_margins(result)
        else method_captions.few_effects(result)
    )


def residual_sd_caption(result: Terms, unit: str) -> str:
    """Return the share of the variance that the largest terms explain, as text."""
    if not result.sd > 0:
        return "The response does not vary, or too little is known: there is nothing to model."
    active = int(result.active.sum()) if has_margins(result) else 0
    shown = max(1, min(active, len(result.residual_sd)))
    left = float(result.residual_sd[shown - 1])
    if not np.isfinite(left):
        return "No degrees of freedom are left for a residual."
    explained = max(0.0, 1 - (left / result.sd) ** 2 * (result.runs - 1 - shown) / (result.runs - 1))
    who = "it explains" if shown == 1 else "they explain"
    said = (
        f"With {counted(shown, 'term')} the residual SD goes from {fall(result.sd, left, unit)}: {who} "
        f"{percent(100 * explained)} of the variance."
    )
    return said + (" A linear model of few terms is not adequate here." if explained < 0.5 else "")


def contour_caption(study: Study, result: Contour, column: Column) -> str:
    """Return the corners with the largest and smallest response, and whether factors interact, as text."""
    if not np.isfinite(result.corners).all():
        return "Not every corner has a value: the surface there is extrapolated."
    first, second = result.factors

    def corner(place: int) -> str:
        up, across = divmod(place, 2)
        levels = [level_text(study, second, 2 * up - 1), level_text(study, first, 2 * across - 1)]
        return f"{factor_title(study, first)} at {levels[1]} and {factor_title(study, second)} at {levels[0]}"

    high, low = int(result.corners.argmax()), int(result.corners.argmin())
    if result.corners.flat[high] == result.corners.flat[low]:
        return "The response is the same in every corner: there is nowhere to go."
    e1, e2, e12 = (abs(effect) for effect in result.effects)
    bend = "Lines are nearly straight: the factors act one by one." if e12 < 0.1 * max(e1, e2) else (
        "Lines bend: the effect of one factor depends on the other."
    )  # fmt: skip
    return (
        f"Largest, {quantity(float(result.corners.flat[high]), column.unit)} on average, with {corner(high)}; "
        f"smallest, {quantity(float(result.corners.flat[low]), column.unit)}, with {corner(low)}. {bend}"
    )


def _string(text: str) -> str:
    return text if " = " not in text else f"the string {text}"
