"""The deployment verdicts as the page shows them: tables with reasons, and what they were made with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from markupsafe import Markup

from mesonet.analysis.decisions.decision import AT_MARGIN, BETTER, CANNOT_TELL, DEPENDS, HARM_FIRST, NO_WORSE, WORSE
from mesonet.reporting.campaign_view.events import (
    DELAY_WITHOUT_RATIO,
    FEWEST_EVENTS,
    NEGLIGIBLE,
    SHARE_WITHOUT_RATIO,
)
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text import html
from mesonet.reporting.text.answer_text import plain, recommendation, settles
from mesonet.reporting.verdicts.comparisons import (
    CAMPAIGN,
    LEVEL,
    REPLACEMENT,
    choices,
    comparisons,
    wanted_incumbent,
)
from mesonet.reporting.verdicts.quantities import (
    kinds_without_enough_flows,
    negative,
    of_few_flows,
    title_of,
    too_small,
    topics,
    without_values,
)
from mesonet.reporting.verdicts.verdict import (
    ALIKE,
    HIGHER,
    LOWER,
    NOT_JUDGED,
    Change,
    Part,
    Verdict,
    competitor,
    harm_to_competitors,
    margin_of,
    verdicts,
)
from mesonet.words import capitalised, counted, listed, number, percent

#: How the page marks them.
CLASSES = {
    WORSE: "harm", DEPENDS: "some", CANNOT_TELL: "unclear", AT_MARGIN: "unclear", NO_WORSE: "none", BETTER: "gain",
    NOT_JUDGED: "not", HIGHER: "not", LOWER: "not", ALIKE: "not",
}  # fmt: skip


def verdict_html(view: CampaignView) -> Markup:
    """Return the verdicts as tables; a statement where there is nothing to compare with.

    HTML; empty for a campaign of one scenario, a statement for a campaign without the incumbent.
    """
    parts = []
    found, competing, other = verdicts(view), harm_to_competitors(view), competitor(view)
    if found:
        parts.append(_table(view, found, _compared(view, found)))
    if competing:
        parts.append(html.heading(f"Harm to the {other} flows that compete", level=4, anchor="harm"))
        parts.append(_table(view, competing, _competing(view, str(other))))
    if parts:
        parts.append(_provisional(view))
        parts.append(html.reading(f"{_words(view)} {_noise(view, [*found, *competing])}"))
        return Markup("").join(parts)
    return html.statement(no_verdict(view)) if len(view.algorithms) > 1 else Markup("")


def verdict_rows(view: CampaignView) -> list[dict[str, Any]]:
    """Return the verdicts as data."""
    say = view.vocabulary.text
    competing = harm_to_competitors(view)
    beside = {each.name: each for each in competing}
    return [
        {
            "question": each.question, "algorithm": each.name, "against": each.against, "verdict": each.words,
            "title": plain(view, each.name), "against_title": plain(view, each.against),
            "recommendation": say(recommendation(view, each, beside.get(each.name) if each in found else None)),
            "why": say(reasons(each)), "margin_percent": each.margin, "common_random_numbers": each.shares_numbers,
            "responses": [asdict(change) for change in each.changes],
            "gain": [asdict(change) for change in each.gainers], "pay": [asdict(change) for change in each.payers],
        }
        for found in [verdicts(view)]
        for each in [*found, *competing]
    ]  # fmt: skip


def decision_table(view: CampaignView) -> tuple[list[str], list[Decided]]:
    """Return the topics that were judged, and each comparison with its leading change in each topic."""
    found, competing = verdicts(view), {each.name: each for each in harm_to_competitors(view)}
    rows = []
    for each in found:
        beside = competing.get(each.name)
        changes = [*each.changes, *(beside.changes if beside else ())]
        leading = {topic: _leading([c for c in changes if c.topic == topic]) for topic in topics(view)}
        rows.append(
            Decided(
                each.name,
                plain(view, each.name),
                against=plain(view, each.against),
                grade=CLASSES[each.verdict],
                verdict=each.verdict,
                recommendation=recommendation(view, each, beside),
                cells={topic: _cell(view, change) for topic, change in leading.items() if change is not None},
            )
        )
    return [topic for topic in topics(view) if any(topic in row.cells for row in rows)], rows


@dataclass(frozen=True)
class Cell:
    """Leading change of a topic, in words."""

    grade: str  #: class of the page
    verdict: str
    title: str
    response: str
    arrow: str  #: direction of the value
    change: str
    interval: str
    where: str  #: the level, if the change depends on it
    values: str


@dataclass(frozen=True)
class Decided:
    """Comparison on the first screen."""

    name: str
    title: str  #: the name in units of networks
    against: str
    grade: str
    verdict: str
    recommendation: str
    cells: dict[str, Cell]  #: by topic


def _leading(changes: Sequence[Change]) -> Change | None:
    """Return the change that decides: proved harm, then harm that depends, then what is open, then gains."""
    compared = [change for change in changes if change.verdict in HARM_FIRST]
    if undirected := [change for change in changes if change.verdict in (HIGHER, LOWER, ALIKE)]:
        return max(undirected, key=lambda change: abs(change.mean))

    def place(change: Change) -> tuple[float, float]:
        rank = HARM_FIRST.index(change.verdict) + (3.5 if change.verdict == DEPENDS and not change.harmful else 0.0)
        return rank, -(change.possible if change.verdict == CANNOT_TELL else abs(change.harm))

    return min(compared, key=place, default=None)


def _cell(view: CampaignView, change: Change) -> Cell:
    shown: Change | Part = change.beyond or change
    still = not isfinite(shown.mean) or abs(shown.mean) < 0.05
    unit = "" if change.unit == "1" else f" {change.unit}"
    share = change.unit == "1" and (view.is_model or not change.response.startswith("slowdown"))
    texts = [percent(100 * value) if share else number(value) for value in (change.own, change.reference)]
    return Cell(
        grade=CLASSES[change.verdict],
        verdict=change.verdict,
        title=capitalised(change.title),
        response=change.response,
        arrow="→" if still else "↑" if shown.mean > 0 else "↓",
        change=percent(shown.mean, sign=True),
        interval=_interval(shown),
        where=f"with {plain(view, change.beyond.level)}" if change.beyond else "",
        values=f"{texts[0]} against {texts[1]}{unit}",
    )


def no_verdict(view: CampaignView) -> str:
    """Return the reason why there is no verdict, and how to get one.

    Sentences; empty if there are verdicts.
    """
    return view.vocabulary.text(_no_verdict(view))


def _no_verdict(view: CampaignView) -> str:
    if not view.has_results:
        return "No run has given a result yet."
    if comparisons(view):
        return ""
    levels = choices(view).two_levels()
    option = f' mesonet report --compare "{levels}" compares two levels.' if levels else ""
    if len(view.algorithms) < 2:
        alone = "the model" if view.is_model else view.algorithms[0]
        return f"Only {alone} was run, so there is nothing to compare it with.{option}"
    wanted = wanted_incumbent(view)
    if view.is_model:
        return f"No value of {wanted} can be compared with another one.{option}"
    return (
        f"No verdict on deployment: the incumbent, {wanted}, is not among the algorithms of this experiment. Add "
        f"{wanted} to the algorithms, or choose another incumbent with mesonet report --against.{option}"
    )


def _provisional(view: CampaignView) -> Markup:
    """Return the statement that missing runs may change the verdicts; empty where no run is missing."""
    counts = view.campaign.counts
    if not counts["missing"]:
        return Markup("")
    runs = f"{counts['missing']:,} of {counted(sum(counts.values()), 'run')}"
    return html.statement(f"Provisional: {runs} are still to be made, and may change the verdicts.")


def _table(view: CampaignView, found: Sequence[Verdict], note: str) -> Markup:
    rows = [[html.strong(each.name), each.words, _reasons_html(view, each)] for each in found]
    attributes = [{"class": f"verdict-{CLASSES[each.verdict]}"} for each in found]
    other = "setting" if view.is_model else "scenario"
    head = other if any(each.question in (LEVEL, CAMPAIGN) for each in found) else "algorithm"
    return html.table([head, "verdict", "why"], rows, caption=note, classes="verdicts", attributes=attributes)


def _reasons_html(view: CampaignView, verdict: Verdict) -> str:
    text = plain(view, reasons(verdict))
    if not verdict.changes:
        return text
    parts = [text, html.folded("Every judged response", _judged(verdict.changes))]
    if shown := [*verdict.payers, *verdict.gainers]:
        parts.append(html.folded("Who gains and who pays", _judged(shown)))
    return Markup("").join(map(Markup.escape, parts))


def _judged(changes: Sequence[Change]) -> Markup:
    head = ["response", "verdict", "change", "95 % interval", "harm not excluded", "worse, better in", "means"]
    rows = [
        [
            capitalised(c.title), _label(c), percent(c.mean, sign=True) if c.compared else "–", _interval(c),
            "–" if c.neutral else _possible(c), f"{c.worse}, {c.better} of {c.compared}", _weighted(c),
        ]
        for c in changes
    ]  # fmt: skip
    return html.table(head, rows, classes="judged")


def _label(change: Change) -> str:
    return f"{change.verdict} on {change.depends_on}" if change.depends_on else change.verdict


def _interval(change: Change | Part) -> str:
    if isinstance(change, Change) and not change.compared:
        return "–"
    if not (isfinite(change.low) and isfinite(change.high)):
        return "not known"
    return f"{percent(change.low, sign=True)} to {percent(change.high, sign=True)}"


def _possible(change: Change) -> str:
    return percent(max(change.possible, 0.0)) if change.compared else "–"


def _weighted(change: Change) -> str:
    if not isfinite(change.weighted):
        return "–"
    return f"{number(change.own)} against {number(change.reference)} ({percent(change.weighted, sign=True)})"


def _compared(view: CampaignView, found: Sequence[Verdict]) -> str:
    reference, other = found[0].against, view.campaign.experiment.get("mixed_with")
    where = f" in the flows that are not {other}" if other and other != reference else ""
    names = dict.fromkeys(change.title for each in found for change in each.changes)
    if found[0].question == REPLACEMENT and len({each.against for each in found}) == 1:
        text = f"If {reference} were replaced{where}: against {reference} in the same conditions"
    else:
        text = "; ".join(f"{each.name} against {each.against}" for each in found)
    lacking, small, below, few = (
        [title_of(view, name) for name in of(view)] for of in (without_values, too_small, negative, of_few_flows)
    )
    return (
        f"{capitalised(text)}, with a margin of {percent(margin_of(view))}. Judged are {listed(list(names)) or 'none'}."
        + (f" Not judged, because no run has a value: {listed(lacking)}." if lacking else "")
        + (f" Not judged, because values are below 0: {listed(below)}." if below else "")
        + (f" Too small to be compared (at most {percent(100 * NEGLIGIBLE)}): {listed(small)}." if small else "")
        + (
            f" Not judged, because a condition has fewer than {FEWEST_EVENTS} flows a run: {listed(few)}."
            if few
            else ""
        )
    )


def _competing(view: CampaignView, other: str) -> str:
    against = f"beside {other} itself"
    if other not in view.algorithms:
        against = (
            f"beside the median algorithm of each condition (no run has {other} alone, so that the harm is relative to "
            "the other algorithms)"
        )
    few = kinds_without_enough_flows(view, other)
    return (
        f"Throughput of the {other} flows beside each algorithm, compared with their throughput {against}, by kind of "
        f"file. Flows in progress count, too. The margin is {percent(margin_of(view))}."
        + (f" Not compared, because too few flows were seen: {listed(few)}." if few else "")
    )


def _words(view: CampaignView) -> str:
    lacking, added = (
        "values are missing, no goodput of explicit flows was measured, or only short flows were compared",
        f"For shares {percent(100 * SHARE_WITHOUT_RATIO)}, for counts {FEWEST_EVENTS} events, and for queueing delays "
        f"{number(DELAY_WITHOUT_RATIO)} ms are added to both values of a ratio: next to nothing is not twice as much "
        "as half of it.",
    )
    if view.is_model:
        lacking = "values are missing, or no response has a direction"
        added = f"For shares {percent(100 * SHARE_WITHOUT_RATIO)} are added to both values of a ratio."
    return (
        f"“{WORSE}” and “{BETTER}”: the interval of the mean change is beyond the margin. “{NO_WORSE}”: it ends before "
        "the margin, overall and at every level of the factors, and no two factors together have a mean beyond it. "
        f"“{DEPENDS}”: the change is proved beyond the margin at one level and proved within it at another. "
        f"“{AT_MARGIN}”: the margin is inside a narrow interval, and more runs would hardly change this. "
        f"“{CANNOT_TELL}”: none of these. “{NOT_JUDGED}”: {lacking}. Conditions have equal weights: the change is the "
        f"geometric mean of the ratios. “Means” are over the conditions, and large values rule their ratio. {added}"
    )


def _noise(view: CampaignView, found: Sequence[Verdict]) -> str:
    shared = (
        "Intervals hold with 95 % for all responses of a comparison together, at all levels of the factors and in all "
        "cells of two factors."
    )
    of = "" if view.is_model else " of networks"
    if view.mode != "replicates":
        return (
            f"Each run was made once, so the conditions are taken as a sample{of}. {shared} Replicates would "
            "make the intervals hold for the chosen conditions."
        )
    replicates = int(view.campaign.runs.filter(status="done")["replicate"].n_unique())
    lacking = [each.name for each in found if any(c.compared and not c.replicated for c in each.changes)]
    sampled = (
        f"Some responses of {listed(list(dict.fromkeys(lacking)))} have a condition without two replicates of both "
        f"algorithms. Their intervals take the conditions as a sample{of}. "
    )
    together = "share their random numbers: what both sides have in common cancels."
    if not all(each.shares_numbers for each in found):
        together = (
            "have other random numbers on the two sides, so that intervals are wider: common_random_numbers = true "
            "in the experiment file makes them pairs."
        )
    return (
        f"The noise is estimated from {'up to ' if _some_missing(view) else ''}{replicates} replicates, which "
        f"{together} {sampled if lacking else ''}{shared}"
    )


def _some_missing(view: CampaignView) -> bool:
    counts = view.campaign.counts
    return counts["done"] < sum(counts.values())


def reasons(verdict: Verdict) -> str:
    """Return the reasons of a verdict, as text.

    Sentences on the responses that are worse, that depend on a factor, that are better, and that cannot be told.
    """
    if not verdict.changes:
        return "Nothing was measured in the same conditions."
    by_label = {label: [c for c in verdict.changes if c.verdict == label] for label in CLASSES}
    wording = []
    if worse := sorted(by_label[WORSE], key=lambda change: -change.harm):
        wording.append(f"Worse: {_some([_changed(c) for c in worse])}.")
    if split := sorted(by_label[DEPENDS], key=lambda change: not change.harmful):
        wording.append(f"Depends: {_some([_split(c) for c in split])}.")
    if better := sorted(by_label[BETTER], key=lambda change: change.harm):
        wording.append(f"Better: {_some([_changed(c) for c in better])}.")
    if near := by_label[AT_MARGIN]:
        wording.append(f"At the margin: {_some([_changed(c) for c in near])}.")
    if verdict.without_throughput:
        wording.append("No goodput was measured.")
    if verdict.short_only:
        wording.append("Only short flows were compared: long flows need longer runs or more sources.")
    if unclear := sorted((c for c in by_label[CANNOT_TELL] if not c.neutral), key=lambda change: -change.possible):
        wording.append(f"Harm beyond the margin cannot be excluded for {_some([_open(c) for c in unclear])}.")
    if not wording and not all(change.neutral for change in verdict.changes):
        compared = max(change.compared for change in verdict.changes)
        possible = max((change.possible for change in verdict.changes if change.compared), default=0.0)
        within = f"No response is worse by more than {percent(verdict.margin)} over {counted(compared, 'condition')}."
        within += (
            f" Harm of more than {percent(max(possible, 0.0))} is excluded overall and at every level of the factors."
        )
        wording.append(within if compared else "No condition has values of both.")
    for word in (HIGHER, LOWER):
        if moved := sorted(by_label[word], key=lambda change: -abs(change.mean)):
            wording.append(f"{capitalised(word)}, and neither is better: {_some([_changed(c) for c in moved])}.")
    if single := [c for c in by_label[NO_WORSE] if c.worse]:
        titles = [f"{c.title} ({counted(c.worse, 'condition')}, better in {c.better})" for c in single]
        wording.append(f"In single conditions worse by more than the margin: {_some(titles)}.")
    gaps = [change for change in verdict.changes if change.missing]
    if gaps:
        wording.append(_gap(gaps))
    return " ".join(wording)


def _some(parts: Sequence[str]) -> str:
    """Return the first three parts and the number of the others."""
    return "; ".join(parts[:3]) + (f"; and {len(parts) - 3} more" if len(parts) > 3 else "")


def _changed(change: Change) -> str:
    """Return a change with its interval and the counts of conditions beyond the margin."""
    worse, better = ("higher", "lower") if change.neutral else ("worse", "better")
    counts = f"{worse} in {change.worse} of {counted(change.compared, 'condition')}, {better} in {change.better}"
    return f"{change.title} {percent(change.mean, sign=True)} ({_interval(change)}; {counts})"


def _split(change: Change) -> str:
    """Return a change that depends, with both sides."""
    sides = [_side(part) for part in (change.beyond, change.within) if part]
    return f"{change.title} on {change.depends_on}: {', '.join(sides)}"


def _side(part: Part) -> str:
    where = f"{counted(part.conditions, 'condition')} with {part.level}"
    return f"{percent(part.mean, sign=True)} ({_interval(part)}) in {where}"


def _open(change: Change) -> str:
    return f"{change.title} ({_interval(change)}{settles(change)})"


def _gap(gaps: Sequence[Change]) -> str:
    most = max(gaps, key=lambda change: change.missing)
    others = f", and {len(gaps) - 1} more have gaps" if len(gaps) > 1 else ""
    return (
        f"{capitalised(most.title)} has values of one algorithm only in {counted(most.missing, 'condition')}"
        f"{others}: failed, not run yet, or nothing to measure."
    )
