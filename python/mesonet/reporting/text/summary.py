"""The top of the page: what was compared, what came out, and how far to trust it, in words made from the numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
from markupsafe import Markup
from numpy.typing import NDArray
from scipy import special

from mesonet.analysis import ConditionResponseSummary
from mesonet.reporting.campaign_view.centre import curvature_sentence, has_centre_points
from mesonet.reporting.campaign_view.events import NEGLIGIBLE
from mesonet.reporting.campaign_view.flow_groups import replicates_text
from mesonet.reporting.campaign_view.values import CONGESTION, LARGE, factor_title, level_text, ordered
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text import html
from mesonet.reporting.text.disciplines_text import disciplines_sentence
from mesonet.reporting.text.labels import AGAINST
from mesonet.reporting.text.queues_text import queues_sentence
from mesonet.simulation.settling import LOAD, SETTLING, TOLERANCE, unsettled
from mesonet.units import with_bits
from mesonet.words import capitalised, counted, listed, number, numbered, percent, period_title, quantity, span

#: A condition loses segments noticeably above this loss rate.
LOSSY = 0.01


def findings(view: CampaignView) -> list[tuple[str, str]]:
    """Return heading and text of each finding."""
    found = [("What was compared", _compared(view))]
    if not view.has_results:
        return found
    found.append(("Which discipline", disciplines_sentence(view)))
    lossy = view.congestion_response in CONGESTION and not view.is_model
    congestion = "How congested" if lossy else "Range"
    found.append((congestion, _congestion(view)))
    if view.campaign.design.factors:
        found.append(("What drives it", _drivers(view)))
    if has_centre_points(view.campaign):
        found.append(("Between the levels", curvature_sentence(view)))
    if len(view.algorithms) > 1:
        found.append(("How they differ", _differences(view)))
    if len(view.algorithms) > 1 or not view.is_model:
        found.append(("Who stands out", _outliers(view)))
    found.append(("Queues", queues_sentence(view)))
    if wording := _settled(view):
        found.append(("Warm-up", wording))
    found.append(("How far to trust it", _trust(view)))
    if view.data_bytes is not None:
        # The page adds bits and bytes to such values.
        size = f"{number(view.data_bytes, 6)} bytes"
        found.append(("Units", f"Axes count segments of {size}, such as 1,000 segments/s or 1,000 segments."))
    elif view.segment_bytes is not None:
        found.append(("Units", "Segments of flows have different sizes, so results in segments have no value in bits."))
    return found


def _settled(view: CampaignView) -> str:
    """Return a sentence on runs measured before their load had settled, or if it is not known; empty if all had."""
    done = view.campaign.runs.filter(status="done")
    scenarios = [entry.get("scenario", {}) for entry in view.campaign.experiment.get("scenarios") or []]
    warm = any(each.get("users", {}).get("base_sources") and each["time"]["warmup"] > 0 for each in scenarios)
    if "load_settled" not in done.columns or done["load_settled"].is_null().all():
        return "When the load settled is not known: the runs did not record it." if warm else ""
    late = done.filter(~pl.col("load_settled"))
    if late.is_empty():
        return ""
    conditions = late["condition"].unique().sort().to_list()
    where = numbered("condition", conditions) if len(conditions) <= 8 else counted(len(conditions), "condition")
    return (
        f"In {late.height} of {counted(done['load_settled'].count(), 'run')} the load had not settled when the "
        f"warm-up ended: {listed(_late_series(view, late))}; {where}. MSER-5 does not truncate these series within the "
        f"warm-up, and they moved by more than {percent(100 * TOLERANCE)} in the measured time. Their numbers "
        "partly describe the start. A longer warm-up, or a longer run, would show by how much."
    )


def _late_series(view: CampaignView, late: pl.DataFrame) -> list[str]:
    """Return the series of the load with the number of runs in which each had not settled."""
    warmup = {
        (entry["condition"], entry["algorithm"]): float(entry["scenario"]["time"]["warmup"])
        for entry in view.campaign.experiment["scenarios"]
    }
    runs = {
        name: sum(name in _unsettled(row, warmup[row["condition"], row["algorithm"]]) for row in late.to_dicts())
        for name in LOAD
    }
    return [f"{SETTLING[name]} in {counted(number, 'run')}" for name, number in runs.items() if number]


def _unsettled(run: dict[str, Any], warmup: float) -> list[str]:
    times = {name: run[f"settling_{name}_s"] for name in LOAD if run[f"settling_{name}_s"] is not None}
    times = {name: None if np.isnan(at) else at for name, at in times.items()}
    return unsettled(times, {name: run[f"drift_{name}"] for name in LOAD}, warmup)


def _compared(view: CampaignView) -> str:
    campaign = view.campaign
    counts = campaign.counts
    total = sum(counts.values())
    factors = len(campaign.design.factors)
    other = campaign.experiment.get("mixed_with")
    names = listed(campaign.algorithms) + (f"; each with {other} for the other sources" if other else "")
    noun = view.vocabulary.noun if view.is_model else "congestion control"
    many = view.vocabulary.plural if view.is_model else ""
    condition = "condition" if view.is_model else "network condition"
    text = (
        f"{capitalised(counted(len(campaign.algorithms), noun, many))} ({names}) in "
        f"{counted(len(campaign.design.matrix), condition)}"
        + (f", which vary {counted(factors, 'factor')} at two levels each. " if factors else ". ")
    )
    if counts["done"] == total:
        text += f"All {counted(total, 'run')} are done."
    else:
        rest = [f"{counts[status]:,} {word}" for status, word in (("failed", "failed"), ("missing", "not run yet"))
                if counts[status]]  # fmt: skip
        text += f"{counts['done']:,} of {counted(total, 'run')} are done, {listed(rest)}."
    if not view.has_results:
        text += " No run has given a result, so there is nothing to analyse yet."
        messages = campaign.runs.filter(status="failed")["message"].drop_nulls()
        if len(messages):
            text += f" The message of the first failure: {messages[0]}"
    return text


def _congestion(view: CampaignView) -> str:
    response = view.congestion_response
    unit, title = view.unit_of(response), view.title_of(response)
    values = view.congestion
    known = values[np.isfinite(values)]
    if not len(known):
        return f"No run has a value of {title}."
    text = f"Mean {title} per condition: {span(float(known.min()), float(known.max()), unit)}"
    if response == "loss_rate" and not view.is_model:
        lossy = int((known > LOSSY).sum())
        calm = int((known == 0).sum())
        text += f"; above {percent(100 * LOSSY)} in {lossy} of {counted(len(known), 'condition')}"
        text += f", nothing lost in {calm}" if calm else ""
    same = known.min() == known.max()
    most = [c for c, value in zip(view.conditions, values, strict=True) if value == known.max()]
    text += "; the same in all. " if same else f". It is highest in {numbered('condition', most)}. "
    absent = [str(c) for c, value in zip(view.conditions, values, strict=True) if not np.isfinite(value)]
    if absent:
        where = f"condition{'s' if len(absent) > 1 else ''} {listed(absent)}"
        text += f"No run has a value in {where if len(absent) <= 6 else f'{len(absent)} conditions'}."
    return text.rstrip()


def _drivers(view: CampaignView) -> str:
    response, period = view.congestion_response, view.main_period
    unit, title = view.unit_of(response), view.title_of(response)
    results = {name: view.effects(response, period, name) for name in view.algorithms}
    top = {
        name: result.factors[int(np.nanargmax(np.abs(result.effect)))]
        for name, result in results.items()
        if np.nanmax(np.nan_to_num(np.abs(result.effect)), initial=0) > 0
    }
    if not top and not any(result.runs for result in results.values()):
        return f"No run has a value of {title}, so that nothing is known of what drives it."
    if not top:
        return f"No factor changes {title}."
    factor, times = Counter(top.values()).most_common(1)[0]
    first = results[next(name for name, strongest in top.items() if strongest == factor)]
    place = first.factors.index(factor)
    agreed = [results[name] for name, strongest in top.items() if strongest == factor]
    minus, plus = ([float(getattr(r, level)[place]) for r in agreed] for level in ("mean_minus", "mean_plus"))
    whose = "for every algorithm" if times == len(results) else f"for {times} of {len(results)} algorithms"
    if len(results) == 1:
        whose = f"with {view.algorithms[0]}"
    text = (
        f"{capitalised(factor_title(view, factor))} has the strongest effect on {title} {whose}: mean {title} is "
        f"{span(min(minus), max(minus), unit)} at {level_text(view, factor, -1)} and "
        f"{span(min(plus), max(plus), unit)} at {level_text(view, factor, 1)}."
    )
    starred = Counter(
        name for result in results.values() for name, stars in zip(result.factors, result.stars, strict=True) if stars
    )
    others = [name for name in ordered(view.campaign.design.factors, starred) if name != factor]
    if others:
        every = all(starred[name] == len(results) for name in others)
        text += f" Also significant{'' if every else ' for some algorithms'}: "
        text += f"{listed([factor_title(view, name) for name in others])}."
    elif not starred[factor]:
        text += f" No effect is significant at 95 % {AGAINST[first.mode]}."
    return text


def _differences(view: CampaignView) -> str:
    """Return the algorithms far from the others on average in the key responses, as text."""
    parts, small, zero, unknown = [], [], [], []
    for response in view.key_responses:
        place = view.comparison.responses.index(response)
        mean, difference = view.comparison.mean[:, place], view.comparison.difference[:, place]
        values = view.values(response, view.main_period)
        if np.isfinite(mean).any() and not values[np.isfinite(values)].any():
            zero.append(view.title_of(response))
            continue
        if np.isfinite(difference).sum() < 2:
            unknown.append(view.title_of(response))
            continue
        if _negligible(mean, view.unit_of(response)):
            small.append(view.title_of(response))
            continue
        far = [i for i in np.argsort(-np.abs(difference)) if abs(difference[i]) > LARGE][:3]
        sizes = [f"{percent(float(difference[i]), sign=True)} with {view.algorithms[i]}" for i in far]
        if sizes:
            parts.append(f"{view.title_of(response)} {listed(sizes)}")
    if len(unknown) == len(view.key_responses):
        return "No two algorithms have values in the same conditions: nothing can be compared."
    against = middle(view)
    text = f"In the mean over the conditions no algorithm is more than {percent(LARGE)} off {against}"
    if parts:
        text = f"In the mean over the conditions and against {against}: {'; '.join(parts)}"
        text += (
            f"; in the other responses below at most {percent(LARGE)}" if len(parts) < len(view.key_responses) else ""
        )
    text += f". Too small to compare: {listed(small)}" if small else ""
    text += f". Zero in every run: {listed(zero)}" if zero else ""
    text += f". Without values to compare: {listed(unknown)}" if unknown else ""
    return f"{text}."


def middle(view: CampaignView) -> str:
    """Return the name of the reference that algorithms are compared with at a glance."""
    return "the mean of both" if len(view.algorithms) == 2 else "the median algorithm"


def _negligible(mean: NDArray[np.float64], unit: str) -> bool:
    """Return True for shares so small that their relative differences mean nothing."""
    return unit == "1" and bool(np.nanmax(np.abs(mean), initial=0.0) < NEGLIGIBLE)


def _outliers(view: CampaignView) -> str:
    if len(view.algorithms) < 2:
        return "Only one congestion control was run, so there is nothing to compare it with."
    result = view.summary(view.main_period)
    if not result.cells_tested:
        return " ".join(result.notes) or "There is nothing to compare."
    tested = counted(result.cells_tested, "comparison")
    chance = f"Chance alone would give about {number(result.expected_by_chance, 2)}"
    # So many or more, if no algorithm differed; cells are not independent, so that this is a guide.
    likely = special.pdtrc(result.cells_flagged - 1, result.expected_by_chance) > 0.05
    chance += ", so that this may be nothing but chance." if likely and result.cells_flagged else "."
    who = Counter(str(name) for name in result.extreme[result.flagged])
    if not who:
        return f"No algorithm stands out in any of {tested} (one response in one condition). {chance}"
    large = view.summary(view.main_period, LARGE)
    leader, *others = ordered(view.algorithms, who)
    far = int((large.flagged & (large.extreme == leader)).sum())
    text = (
        f"{leader} most often: it lies apart from all others (Grubbs' test) in {who[leader]:,} of {tested} (one "
        f"response in one condition), in {far:,} of them by more than {percent(LARGE)}; above all "
        f"{_directions(view, result, leader)}."
    )
    rest = listed([f"{name} in {who[name]}" for name in others])
    return f"{text} {f'Others: {rest}.' if rest else 'No other algorithm does.'} {chance}"


def _directions(view: CampaignView, result: ConditionResponseSummary, name: str) -> str:
    """Return the responses and directions in which an algorithm is an outlier most often: three, and ties."""
    own = result.flagged & (result.extreme == name)
    counts = {
        f"{side} in {view.title_of(response)}": int((own[:, place] & (result.side[:, place] == side)).sum())
        for place, response in enumerate(result.responses)
        for side in ("high", "low")
    }
    names = ordered(list(counts), counts)
    top = names[:3]
    wording = [f"{words} ({counted(counts[words], 'condition')})" for words in top]
    equal = [words for words in names[3:] if counts[words] == counts[top[-1]]]
    more = listed(equal) if len(equal) < 3 else f"{len(equal)} other ways"
    return listed(wording) + (f", and as often {more}" if equal else "")


def _trust(view: CampaignView) -> str:
    design = view.campaign.design
    replicates = replicates_text(view.campaign)
    what = "a model" if view.is_model else "simulation"
    text = f"This is evidence from {what}, for the conditions described below. "
    if not design.factors:
        text += "No factor was varied, so the drivers of the differences are not known. "
    elif design.is_full:
        text += "The design has all combinations of the levels: no effect is confounded with another"
    elif design.resolution >= 5:
        text += "Effects of single factors and of pairs of factors can be separated"
    elif design.resolution == 4:
        text += "Effects of single factors are clear of effects of pairs; pairs are confounded with other pairs"
    else:
        text += "Effects of single factors are confounded with effects of pairs"
    if design.factors:
        gone = view.has_results and not np.isfinite(view.congestion).all()
        lacking = "; without the conditions that have no value yet they overlap" if gone else ""
        text += f"{'' if design.is_full else f' (resolution {roman(design.resolution)})'}{lacking}. "
    every = view.campaign.counts["done"] == view.campaign.runs.height
    times = "once" if replicates == "1" else f"{replicates} times"
    alone = "The model" if view.is_model else view.algorithms[0]
    who = "Each algorithm" if len(view.algorithms) > 1 else alone
    text += f"{who} {'was' if every else 'is to be'} run {times} in each condition"
    if replicates != "1":
        text += "; means over these replicates are compared" if every else "; means over the runs done are compared"
    if design.factors and view.has_results:
        mode = view.effects(view.congestion_response, view.main_period, view.algorithms[0]).mode
        text += f". An effect is judged {AGAINST[mode]}"
    text += ". "
    if view.is_model:
        return text.rstrip()
    return text + f"Unless noted otherwise, numbers are for the {period_title(view.main_period)}."


def glance(view: CampaignView) -> Markup:
    """Return the algorithms side by side, as an HTML table. HTML: a row per algorithm, a column per key response."""
    comparison, verdicts = view.comparison, view.summary(view.main_period)
    names = view.key_responses
    head = ["algorithm", *(view.responses[name].title for name in names)]
    judged = len(view.algorithms) > 1
    if judged and verdicts.cells_tested:
        head.append("cells where it stands out")
    rows = []
    for place, algorithm in enumerate(view.algorithms):
        cells: list[str] = [html.strong(algorithm)]
        for name in names:
            column = comparison.responses.index(name)
            about = view.responses[name]
            mean, difference = comparison.mean[place, column], comparison.difference[place, column]
            direction = "neutral" if _negligible(comparison.mean[:, column], about.unit) else about.direction
            cells.append(
                _glance_cell(
                    mean=float(mean),
                    difference=float(difference),
                    unit=about.unit,
                    direction=direction,
                    judged=judged,
                    segment_bytes=view.data_bytes,
                )
            )
        if judged and verdicts.cells_tested:
            own = verdicts.flagged & (verdicts.extreme == algorithm)
            high, low = int((own & (verdicts.side == "high")).sum()), int((own & (verdicts.side == "low")).sum())
            cells.append(f"▲ {high} ▼ {low}")
        rows.append(cells)
    compared = {
        name: int(comparison.conditions_compared[:, comparison.responses.index(name)].max(initial=0)) for name in names
    }
    some = sorted({count for count in compared.values() if count})
    note = "No response has a value of every algorithm in any condition."
    if some:
        over = counted(some[-1], "condition") if some[0] == some[-1] else f"{some[0]} to {some[-1]} conditions"
        note = f"Means over the {over} in which all algorithms have a value"
        note += f"; below each, its difference from {middle(view)}, judged above {percent(LARGE)}." if judged else "."
        if lacking := [view.title_of(name) for name, count in compared.items() if not count]:
            note += f" Without such a condition: {listed(lacking)}."
    return html.table(head, rows, caption=note, classes="glance")


def _glance_cell(
    mean: float, difference: float, unit: str, direction: str, judged: bool, segment_bytes: float | None
) -> str:
    if not np.isfinite(mean):
        return "–"
    text = with_bits(quantity(mean, unit), segment_bytes)
    if not judged or not np.isfinite(difference):
        return text
    verdict = ""
    if abs(difference) > LARGE and direction != "neutral":
        verdict = "better" if (difference > 0) == (direction == "higher") else "worse"
    words = f"{percent(difference if abs(difference) >= 1 else round(difference, 1), sign=True)} {verdict}".strip()
    return html.compared(text, verdict, words)


def roman(number: int) -> str:
    """Return a resolution as a Roman numeral, such as ``IV``. `number`: from 1 to 39."""
    units = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"]
    return "X" * (number // 10) + units[number % 10]
