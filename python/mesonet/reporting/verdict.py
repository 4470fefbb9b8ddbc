"""The deployment verdict of each algorithm: what would change for the worse against the algorithm in use now?

Evidence, not certification: every verdict carries the margin that it was made with, and where there is no incumbent to
compare with there is no verdict. (The terms follow RFC 9743, section 5.2, which asks whether a newcomer does harm.)
"""

from dataclasses import dataclass

import numpy as np

from mesonet.plots.numbers import percent
from mesonet.reporting import html
from mesonet.reporting.study import INCUMBENT, LARGE, Study
from mesonet.reporting.summary import NEGLIGIBLE
from mesonet.reporting.words import counted, listed

WORSE, MIXED, NO_HARM, NOT_JUDGED = "worse", "worse in some conditions", "no harm seen", "not judged"
#: How the page marks them.
CLASSES = {WORSE: "harm", MIXED: "some", NO_HARM: "none", NOT_JUDGED: "not"}


@dataclass(frozen=True)
class Change:
    """How one response of an algorithm compares with the incumbent's."""

    response: str
    mean: float  #: of the algorithm over the conditions that both have, relative to the incumbent's mean, in %
    worse: int  #: conditions in which it is worse by more than the margin
    better: int
    compared: int  #: conditions that both have
    missing: int  #: conditions that the incumbent has and the algorithm has not


@dataclass(frozen=True)
class Verdict:
    """What is said of one algorithm."""

    algorithm: str
    verdict: str
    changes: tuple[Change, ...]  #: of the responses that are better high or better low


def incumbent(study: Study) -> str | None:
    """The algorithm that the others would replace; None where it was not run by itself."""
    return INCUMBENT if INCUMBENT in study.algorithms and len(study.algorithms) > 1 else None


def verdicts(study: Study) -> list[Verdict]:
    """The verdict of every algorithm but the incumbent; empty without one."""
    reference = incumbent(study)
    if reference is None:
        return []
    return [_verdict(study, name, reference) for name in study.algorithms if name != reference]


def _verdict(study: Study, algorithm: str, reference: str) -> Verdict:
    here, there = study.algorithms.index(algorithm), study.algorithms.index(reference)
    changes = []
    for response in _judged(study):
        about = study.responses[response]
        values = study.values(response, study.main_period)
        own, other = values[:, here], values[:, there]
        both = np.isfinite(own) & np.isfinite(other)
        missing = int((np.isfinite(other) & ~np.isfinite(own)).sum())
        own, other = own[both], other[both]
        if not len(own):
            if missing:
                changes.append(Change(response, 0.0, 0, 0, 0, missing))
            continue
        # Shares so small that they are a handful of events say nothing in percent.
        least = NEGLIGIBLE if about.unit == "1" else 0.0
        judged = np.maximum(np.abs(own), np.abs(other)) > least
        with np.errstate(all="ignore"):
            relative = np.where(
                judged & (other != 0), 100 * (own - other) / np.abs(other), np.sign(own - other) * np.inf
            )
            mean = (
                100 * (own.mean() - other.mean()) / abs(other.mean()) if max(own.mean(), other.mean()) > least else 0.0
            )
        relative = np.where(judged & (own != other), relative, 0.0)
        harm = relative * (1 if about.direction == "lower" else -1)
        worse, better = int((harm > LARGE).sum()), int((harm < -LARGE).sum())
        changes.append(Change(response, float(mean), worse, better, len(own), missing))
    return Verdict(algorithm, _word(study, changes), tuple(changes))


def harm(study: Study, change: Change) -> float:
    """The mean change in %, positive where it is for the worse."""
    return change.mean * (1 if study.responses[change.response].direction == "lower" else -1)


def _word(study: Study, changes: list[Change]) -> str:
    if not changes:
        return NOT_JUDGED
    if any(harm(study, change) > LARGE for change in changes):
        return WORSE
    if any(change.worse for change in changes):
        return MIXED
    return NOT_JUDGED if any(change.missing for change in changes) else NO_HARM


def verdict_html(study: Study) -> str:
    """The verdicts as a table; a statement where there is nothing to compare with."""
    found = verdicts(study)
    reference = incumbent(study)
    if reference is None:
        if len(study.algorithms) < 2:
            return ""
        return (
            '<p class="statement">No verdict on deployment: it would compare with '
            f"{html.escape(INCUMBENT)}, which is not among the algorithms of this experiment.</p>"
        )
    rows, attributes = [], []
    for each in found:
        rows.append([html.strong(each.algorithm), html.escape(each.verdict), html.escape(_reasons(study, each))])
        attributes.append(f'class="verdict-{CLASSES[each.verdict]}"')
    other = study.campaign.experiment.get("mixed_with")
    judged = _judged(study)
    where = f" in the flows that are not {other}" if other else ""
    note = (
        f"If {reference} were replaced{where}: against {reference} in the same conditions, with a margin of "
        f"{percent(LARGE)}. “{NO_HARM}”: worse by more than that in none of {counted(len(judged), 'response')} and no "
        f"condition; “{MIXED}”: in single conditions, but not in the mean (these differ by chance, too, most where few "
        f"flows stand behind a response); “{WORSE}”: in the mean of a response; “{NOT_JUDGED}”: values are missing. "
        f"Judged are {listed([study.title_of(name) for name in judged])}."
    )
    return html.table(["algorithm", "verdict", "why"], rows, caption=note, classes="verdicts", attributes=attributes)


def _judged(study: Study) -> list[str]:
    return [
        name
        for name in study.key_responses
        if study.responses[name].direction != "neutral" and np.isfinite(study.values(name, study.main_period)).any()
    ]


def _reasons(study: Study, verdict: Verdict) -> str:
    if not verdict.changes:
        return "Nothing was measured in the same conditions."
    worse = [change for change in verdict.changes if change.worse or harm(study, change) > LARGE]
    better = [change for change in verdict.changes if harm(study, change) < -LARGE]
    worse.sort(key=lambda change: -harm(study, change))
    said = []
    if worse:
        parts = [
            f"{study.title_of(change.response)} {percent(change.mean, sign=True)} in the mean, worse in "
            f"{change.worse} of {counted(change.compared, 'condition')}"
            for change in worse[:3]
        ]
        said.append(f"Worse: {'; '.join(parts)}{f'; and {len(worse) - 3} more' if len(worse) > 3 else ''}.")
    if better:
        parts = [f"{study.title_of(change.response)} {percent(change.mean, sign=True)}" for change in better[:3]]
        said.append(f"Better in the mean: {listed(parts)}.")
    compared = max(change.compared for change in verdict.changes)
    if not said:
        said.append(f"Within {percent(LARGE)} in {counted(compared, 'condition')}.")
    gaps = [change for change in verdict.changes if change.missing]
    if gaps:
        most = max(gaps, key=lambda change: change.missing)
        others = f", and {len(gaps) - 1} more have gaps" if len(gaps) > 1 else ""
        said.append(
            f"{study.title_of(most.response)} has no value in {counted(most.missing, 'condition')} in which the other "
            f"has one{others}: failed, not run yet, or nothing to measure."
        )
    return " ".join(said)
