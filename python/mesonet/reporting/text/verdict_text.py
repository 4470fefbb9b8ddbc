"""The deployment verdicts as the page shows them: tables with reasons, and what they were made with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from markupsafe import Markup

from mesonet.analysis.decisions.decision import AT_MARGIN, BETTER, CANNOT_TELL, DEPENDS, NO_WORSE, WORSE
from mesonet.reporting.campaign_view.events import FEWEST_EVENTS, NEGLIGIBLE, SHARE_WITHOUT_RATIO
from mesonet.reporting.campaign_view.explicit_flows import throughputs
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text import html
from mesonet.reporting.text.answer_text import settles
from mesonet.reporting.verdicts.verdict import (
    MARGIN,
    NOT_JUDGED,
    Change,
    Part,
    Verdict,
    competitor,
    harm_to_competitors,
    incumbent,
    judged,
    kinds_without_enough_flows,
    negative,
    too_small,
    verdicts,
    wanted_incumbent,
    without_values,
)
from mesonet.words import capitalised, counted, listed, number, percent

#: How the page marks them.
CLASSES = {
    WORSE: "harm", DEPENDS: "some", CANNOT_TELL: "unclear", AT_MARGIN: "unclear", NO_WORSE: "none", BETTER: "none",
    NOT_JUDGED: "not",
}  # fmt: skip


def verdict_html(view: CampaignView) -> Markup:
    """Return the verdicts as tables; a statement where there is nothing to compare with.

    HTML; empty for a campaign of one algorithm, a statement for a campaign without the incumbent.
    """
    if len(view.algorithms) < 2:
        return Markup("")
    parts = []
    replacing, competing, other = verdicts(view), harm_to_competitors(view), competitor(view)
    if replacing:
        parts.append(_table(replacing, _replaced(view)))
    if competing:
        parts.append(html.heading(f"Harm to the {other} flows that compete", level=4, anchor="harm"))
        parts.append(_table(competing, _competing(view, str(other))))
    if parts:
        parts.append(_provisional(view))
        parts.append(html.reading(f"{_words()} {_noise(view, [*replacing, *competing])}"))
        return Markup("").join(parts)
    return html.statement(no_verdict(view))


def verdict_rows(view: CampaignView) -> list[dict[str, Any]]:
    """Return the verdicts as data."""
    questions = {"replacement": verdicts(view), "competition": harm_to_competitors(view)}
    return [
        {
            "question": question, "algorithm": each.algorithm,
            "against": incumbent(view) if question == "replacement" else competitor(view),
            "verdict": each.words, "why": reasons(each), "margin_percent": MARGIN,
            "responses": [asdict(change) for change in each.changes],
        }
        for question, found in questions.items()
        for each in found
    ]  # fmt: skip


def no_verdict(view: CampaignView) -> str:
    """Return the reason why there is no verdict on a replacement, and how to get one.

    Sentences; empty if there are verdicts.
    """
    if not view.has_results:
        return "No run has given a result yet."
    if len(view.algorithms) < 2:
        return f"Only {view.algorithms[0]} was run, so there is nothing to compare it with."
    if incumbent(view):
        return ""
    wanted = wanted_incumbent(view)
    return (
        f"No verdict on deployment: the incumbent, {wanted}, is not among the algorithms of this experiment. Add "
        f"{wanted} to the algorithms, or choose another incumbent with mesonet report --against."
    )


def _provisional(view: CampaignView) -> Markup:
    """Return the statement that missing runs may change the verdicts; empty where no run is missing."""
    counts = view.campaign.counts
    if not counts["missing"]:
        return Markup("")
    runs = f"{counts['missing']:,} of {counted(sum(counts.values()), 'run')}"
    return html.statement(f"Provisional: {runs} are still to be made, and may change the verdicts.")


def _table(found: Sequence[Verdict], note: str) -> Markup:
    rows = [[html.strong(each.algorithm), each.words, _reasons_html(each)] for each in found]
    attributes = [{"class": f"verdict-{CLASSES[each.verdict]}"} for each in found]
    return html.table(["algorithm", "verdict", "why"], rows, caption=note, classes="verdicts", attributes=attributes)


def _reasons_html(verdict: Verdict) -> str:
    text = reasons(verdict)
    if not verdict.changes:
        return text
    head = ["response", "verdict", "change", "95 % interval", "harm not excluded", "worse, better in", "means"]
    rows = [
        [
            capitalised(c.title), _label(c), percent(c.mean, sign=True) if c.compared else "–", _interval(c),
            _possible(c), f"{c.worse}, {c.better} of {c.compared}", _weighted(c),
        ]
        for c in verdict.changes
    ]  # fmt: skip
    inner = html.table(head, rows, classes="judged")
    return text + html.folded("Every judged response", inner)


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


def _replaced(view: CampaignView) -> str:
    reference, other = incumbent(view), view.campaign.experiment.get("mixed_with")
    where = f" in the flows that are not {other}" if other and other != reference else ""
    names = [*(view.title_of(name) for name in judged(view)), *throughputs(view)]
    lacking = [view.title_of(name) for name in without_values(view)]
    small = [view.title_of(name) for name in too_small(view)]
    below = [view.title_of(name) for name in negative(view)]
    return (
        f"If {reference} were replaced{where}: against {reference} in the same conditions, with a margin of "
        f"{percent(MARGIN)}. Judged are {listed(names) or 'none'}."
        + (f" Not judged, because no run has a value: {listed(lacking)}." if lacking else "")
        + (f" Not judged, because values are below 0: {listed(below)}." if below else "")
        + (f" Too small to be compared (at most {percent(100 * NEGLIGIBLE)}): {listed(small)}." if small else "")
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
        f"file. Flows in progress count, too. The margin is {percent(MARGIN)}."
        + (f" Not compared, because too few flows were seen: {listed(few)}." if few else "")
    )


def _words() -> str:
    return (
        f"“{WORSE}” and “{BETTER}”: the interval of the mean change is beyond the margin. “{NO_WORSE}”: it ends before "
        "the margin, overall and at every level of the factors, and no two factors together have a mean beyond it. "
        f"“{DEPENDS}”: the change is proved beyond the margin at one level and proved within it at another. "
        f"“{AT_MARGIN}”: the margin is inside a narrow interval, and more runs would hardly change this. "
        f"“{CANNOT_TELL}”: none of these. “{NOT_JUDGED}”: values are missing, no throughput of explicit flows was "
        "measured, or only short flows were compared. Conditions have equal weights: the change is the geometric mean "
        "of the ratios. “Means” are over the conditions, and large values rule their ratio. For shares "
        f"{percent(100 * SHARE_WITHOUT_RATIO)}, and for counts {FEWEST_EVENTS} events, are added to both values of a "
        "ratio: next to nothing is not twice as much as half of it."
    )


def _noise(view: CampaignView, found: Sequence[Verdict]) -> str:
    shared = (
        "Intervals hold with 95 % for all responses of an algorithm together, at all levels of the factors and in all "
        "cells of two factors."
    )
    if view.mode != "replicates":
        return (
            f"Each run was made once, so the conditions are taken as a sample of networks. {shared} Replicates would "
            "make the intervals hold for the chosen conditions."
        )
    replicates = int(view.campaign.runs.filter(status="done")["replicate"].n_unique())
    lacking = [each.algorithm for each in found if any(c.compared and not c.replicated for c in each.changes)]
    sampled = (
        f"Some responses of {listed(list(dict.fromkeys(lacking)))} have a condition without two replicates of both "
        "algorithms. Their intervals take the conditions as a sample of networks. "
    )
    return (
        f"The noise is estimated from {'up to ' if _some_missing(view) else ''}{replicates} replicates, which share "
        "their random numbers between algorithms: what two algorithms have in common cancels. "
        f"{sampled if lacking else ''}{shared}"
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
        wording.append("No throughput was measured.")
    if verdict.short_only:
        wording.append("Only short flows were compared: long flows need longer runs or more sources.")
    if unclear := sorted(by_label[CANNOT_TELL], key=lambda change: -change.possible):
        wording.append(f"Harm beyond the margin cannot be excluded for {_some([_open(c) for c in unclear])}.")
    if not wording:
        compared = max(change.compared for change in verdict.changes)
        possible = max((change.possible for change in verdict.changes if change.compared), default=0.0)
        within = f"No response is worse by more than {percent(MARGIN)} over {counted(compared, 'condition')}."
        within += (
            f" Harm of more than {percent(max(possible, 0.0))} is excluded overall and at every level of the factors."
        )
        wording.append(within if compared else "No condition has values of both.")
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
    counts = f"worse in {change.worse} of {counted(change.compared, 'condition')}, better in {change.better}"
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
