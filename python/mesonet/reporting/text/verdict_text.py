"""The deployment verdicts as the page shows them: tables with reasons, and what they were made with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from markupsafe import Markup

from mesonet.reporting.campaign_view.events import NEGLIGIBLE
from mesonet.reporting.campaign_view.explicit_flows import throughputs
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text import html
from mesonet.reporting.verdicts.verdict import (
    MARGIN,
    MIXED,
    NO_HARM,
    NOT_JUDGED,
    POWER,
    UNCLEAR,
    WORSE,
    Change,
    Verdict,
    competitor,
    harm_to_competitors,
    incumbent,
    judged,
    kinds_without_enough_flows,
    too_small,
    verdicts,
    wanted_incumbent,
    without_values,
)
from mesonet.words import capitalised, counted, listed, percent

#: How the page marks them.
CLASSES = {WORSE: "harm", MIXED: "some", UNCLEAR: "unclear", NO_HARM: "none", NOT_JUDGED: "not"}


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
            "verdict": each.verdict, "why": reasons(each), "margin_percent": MARGIN,
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
    rows = [[html.strong(each.algorithm), each.verdict, _reasons_html(each)] for each in found]
    attributes = [{"class": f"verdict-{CLASSES[each.verdict]}"} for each in found]
    return html.table(["algorithm", "verdict", "why"], rows, caption=note, classes="verdicts", attributes=attributes)


def _reasons_html(verdict: Verdict) -> str:
    text = reasons(verdict)
    if not verdict.changes:
        return text
    head = ["response", "change", "95 % interval", "smallest harm that would have been seen", "worse, better in"]
    rows = [
        [
            capitalised(c.title), percent(c.mean, sign=True) if c.compared else "–", _interval(c), _visible(c),
            f"{c.worse}, {c.better} of {c.compared}",
        ]
        for c in verdict.changes
    ]  # fmt: skip
    inner = html.table(head, rows, classes="judged")
    return text + html.folded("Every judged response", inner)


def _interval(change: Change) -> str:
    if not change.compared:
        return "–"
    if not (isfinite(change.low) and isfinite(change.high)):
        return "not known"
    low, high = change.interval
    return f"{percent(low, sign=True)} to {percent(high, sign=True)}"


def _visible(change: Change) -> str:
    if not change.compared:
        return "–"
    if not isfinite(change.visible):
        return "not known"
    return percent(change.visible) if change.lower_is_better or change.visible < 100 else "none"


def _replaced(view: CampaignView) -> str:
    reference, other = incumbent(view), view.campaign.experiment.get("mixed_with")
    where = f" in the flows that are not {other}" if other and other != reference else ""
    names = [*(view.title_of(name) for name in judged(view)), *throughputs(view)]
    lacking = [view.title_of(name) for name in without_values(view)]
    small = [view.title_of(name) for name in too_small(view)]
    return (
        f"If {reference} were replaced{where}: against {reference} in the same conditions, with a margin of "
        f"{percent(MARGIN)}. Judged are {listed(names) or 'none'}."
        + (f" Not judged, because no run has a value: {listed(lacking)}." if lacking else "")
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
        f"“{WORSE}”: by more than the margin in the mean over the conditions. “{MIXED}”: by more than the margin in "
        f"single conditions, or at one level of a factor. “{NO_HARM}”: in the mean over the conditions harm beyond the "
        f"margin would have been seen, and was not; no single condition looks worse by more than the margin. "
        f"“{UNCLEAR}”: harm beyond the margin in the mean cannot be excluded, or single conditions look worse by more "
        "than the margin, but within the noise. "
        f"“{NOT_JUDGED}”: values are missing, no throughput of explicit flows was measured, or only short flows were "
        "compared."
    )


def _noise(view: CampaignView, found: Sequence[Verdict]) -> str:
    shared = (
        "Intervals hold with 95 % for all responses of an algorithm together. The smallest harm that would have been "
        f"seen is found with a probability of {percent(100 * POWER)}."
    )
    if view.mode != "replicates":
        return (
            "Each run was made once, so the conditions are taken as a sample of networks. A difference in single "
            "conditions counts if most conditions lie to one side (sign test, 5 % for all responses of an algorithm "
            f"together). {shared} Replicates would make the intervals hold for the chosen conditions."
        )
    replicates = int(view.campaign.runs.filter(status="done")["replicate"].n_unique())
    lacking = [each.algorithm for each in found if any(c.compared and not c.replicated for c in each.changes)]
    sampled = (
        f"Some responses of {listed(list(dict.fromkeys(lacking)))} have a condition without two replicates of both "
        "algorithms. Their intervals take the conditions as a sample of networks, and a sign test must agree. "
    )
    return (
        f"The noise is estimated from {'up to ' if _some_missing(view) else ''}{replicates} replicates, which share "
        "their random numbers between algorithms: what two algorithms have in common cancels. "
        f"{sampled if lacking else ''}A difference in a single condition counts if it exceeds margin and noise (paired "
        f"t test, false discovery rate of 5 % for all responses of an algorithm together). {shared}"
    )


def _some_missing(view: CampaignView) -> bool:
    counts = view.campaign.counts
    return counts["done"] < sum(counts.values())


def reasons(verdict: Verdict) -> str:
    """Return the reasons of a verdict, as text.

    Sentences on the responses that are worse, with conditions or settings, that are better, and that are too noisy.
    """
    if not verdict.changes:
        return "Nothing was measured in the same conditions."
    worse = [c for c in verdict.changes if c.worse or c.is_harmful or c.part]
    better = [c for c in verdict.changes if c.harm < -MARGIN and c.certain]
    worse.sort(key=lambda change: -change.harm)
    wording = []
    if worse:
        parts = [_worse(c) for c in worse[:3]]
        wording.append(f"Worse: {'; '.join(parts)}{f'; and {len(worse) - 3} more' if len(worse) > 3 else ''}.")
    if better:
        wording.append(
            f"Better in the mean: {listed([f'{c.title} {percent(c.mean, sign=True)}' for c in better[:3]])}."
        )
    unclear = [c for c in verdict.changes if c not in worse and c.compared and not c.is_harmless]
    if verdict.without_throughput:
        wording.append("No throughput was measured.")
    if verdict.short_only:
        wording.append("Only short flows were compared: long flows need longer runs or more sources.")
    if possible := [c for c in unclear if c.high > MARGIN]:
        wording.append(f"Harm beyond the margin cannot be excluded for {_each(possible)}.")
    if noisy := [c for c in unclear if c.high <= MARGIN < c.visible]:
        wording.append(f"Too noisy to see harm as large as the margin: {_each(noisy)}.")
    if single := [c for c in unclear if c.unclear]:
        titles = [f"{c.title} ({counted(c.unclear, 'condition')})" for c in single[:3]]
        more = f", and {len(single) - 3} more" if len(single) > 3 else ""
        wording.append(f"In single conditions beyond the margin, but within the noise: {listed(titles)}{more}.")
    if not wording:
        compared = max(change.compared for change in verdict.changes)
        most = max(change.visible for change in verdict.changes)
        within = f"No response is worse by more than {percent(MARGIN)} in any of {counted(compared, 'condition')}."
        within += f" In the mean over them, harm of {percent(most)} or more would have been seen."
        wording.append(within if compared else "No condition has values of both.")
    for change in verdict.changes:
        if change.dominant and (change in worse or change in better or change in unclear):
            condition, share = change.dominant
            wording.append(f"Condition {condition} makes {percent(share)} of the mean {change.title}.")
    gaps = [change for change in verdict.changes if change.missing]
    if gaps:
        wording.append(_gap(gaps))
    return " ".join(wording)


def _worse(change: Change) -> str:
    """Return the harm to a response in the mean, or the conditions in which it is worse, as text."""
    mean = f"{percent(change.mean, sign=True)} in the mean"
    if not change.worse:
        return f"{change.title} {mean}{_where(change)}"
    counts = f"worse in {change.worse} of {counted(change.compared, 'condition')}"
    counts += f", better in {change.better}" if change.better else ""
    counts += f", beyond the margin but within the noise in {change.unclear}" if change.unclear else ""
    if change.is_harmful or change.part:
        return f"{change.title} {mean}, {counts}{_where(change)}"
    return f"{change.title} {counts}{_where(change)} ({mean})"


def _where(change: Change) -> str:
    """Return the level of the factor at which a response is worse, as text; empty if there is none."""
    found, part = change.settings, change.part
    if part is not None:
        return f" ({percent(part.mean, sign=True)} in the {part.conditions} conditions with {part.level})"
    if found is None:
        return ""
    return (
        f" ({found.worse} of {found.compared} with {found.here}, {found.worse_at_other} of "
        f"{found.compared_at_other} with {found.there})"
    )


def _each(unclear: Sequence[Change]) -> str:
    """Return intervals of responses and the harm that would have been seen, beginning with the noisiest."""
    unclear = sorted(unclear, key=lambda change: -change.visible)
    parts = [f"{c.title} ({_interval(c)}; {_seen(c)} would have been seen)" for c in unclear[:3]]
    return f"{listed(parts)}{f', and {len(unclear) - 3} more' if len(unclear) > 3 else ''}"


def _seen(change: Change) -> str:
    visible = _visible(change)
    return "no harm, however large," if visible == "none" else f"harm of {visible}"


def _gap(gaps: Sequence[Change]) -> str:
    most = max(gaps, key=lambda change: change.missing)
    others = f", and {len(gaps) - 1} more have gaps" if len(gaps) > 1 else ""
    return (
        f"{capitalised(most.title)} has no value in {counted(most.missing, 'condition')} in which the other has one"
        f"{others}: failed, not run yet, or nothing to measure."
    )
