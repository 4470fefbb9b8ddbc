"""The deployment verdicts as the page shows them: tables with reasons, and what they were made with."""

from collections.abc import Sequence

from mesonet.plots.numbers import percent
from mesonet.reporting import html
from mesonet.reporting.events import FEWEST_EVENTS
from mesonet.reporting.study import INCUMBENT, LARGE, Study, status_counts
from mesonet.reporting.verdict import (
    MIXED,
    NO_HARM,
    NOT_JUDGED,
    UNCLEAR,
    WORSE,
    Change,
    Verdict,
    competitor,
    harm_to_competitors,
    incumbent,
    judged,
    kinds_without_enough_flows,
    verdicts,
    without_values,
)
from mesonet.reporting.words import capitalised, counted, listed

#: How the page marks them.
CLASSES = {WORSE: "harm", MIXED: "some", UNCLEAR: "unclear", NO_HARM: "none", NOT_JUDGED: "not"}


def verdict_html(study: Study) -> str:
    """The verdicts as tables; a statement where there is nothing to compare with."""
    if len(study.algorithms) < 2:
        return ""
    parts = []
    if found := verdicts(study):
        parts.append(_table(found, _replaced(study)))
    other = competitor(study)
    if found := harm_to_competitors(study):
        parts.append(f'<h4 id="harm">Harm to the {html.escape(other)} flows that compete</h4>')
        parts.append(_table(found, _competing(study, str(other))))
    if parts:
        parts.append(_provisional(study))
        return "".join(parts) + f'<p class="reading">{html.escape(_noise(study))}</p>'
    return (
        '<p class="statement">No verdict on deployment: it would compare with '
        f"{html.escape(INCUMBENT)}, which is not among the algorithms of this experiment, or look at its flows that "
        "compete with an algorithm, of which there are none.</p>"
    )


def _provisional(study: Study) -> str:
    """That runs are still to come, which may change a verdict; empty where none is."""
    counts = status_counts(study.campaign)
    if not counts["missing"]:
        return ""
    runs = f"{counts['missing']:,} of {counted(sum(counts.values()), 'run')}"
    return f'<p class="statement">Provisional: {runs} are still to be made, and may change the verdicts.</p>'


def _table(found: Sequence[Verdict], note: str) -> str:
    rows = [[html.strong(each.algorithm), html.escape(each.verdict), html.escape(_reasons(each))] for each in found]
    attributes = [f'class="verdict-{CLASSES[each.verdict]}"' for each in found]
    return html.table(["algorithm", "verdict", "why"], rows, caption=note, classes="verdicts", attributes=attributes)


def _replaced(study: Study) -> str:
    reference, other = incumbent(study), study.campaign.experiment.get("mixed_with")
    where = f" in the flows that are not {other}" if other else ""
    names = [study.title_of(name) for name in judged(study)]
    lacking = [study.title_of(name) for name in without_values(study)]
    return (
        f"If {reference} were replaced{where}: against {reference} in the same conditions, with a margin of "
        f"{percent(LARGE)}. {_words()} Judged are {listed(names) or 'none'}."
        + (f" Not judged, because no run has a value: {listed(lacking)}." if lacking else "")
    )


def _competing(study: Study, other: str) -> str:
    against = f"beside {other} itself"
    if other not in study.algorithms:
        against = (
            f"beside the median algorithm of each condition (no run has {other} alone, so that the harm is relative to "
            "the other algorithms)"
        )
    few = kinds_without_enough_flows(study, other)
    return (
        f"What {other} flows get beside each algorithm, against what they get {against}: mean goodput by kind of file, "
        f"with a margin of {percent(LARGE)}, of flow groups in which at least {FEWEST_EVENTS} flows completed beside "
        f"each algorithm. {_words()}" + (f" Not compared, for want of flows: {listed(few)}." if few else "")
    )


def _words() -> str:
    return (
        f"“{WORSE}”: by more than the margin in the mean over the conditions; “{MIXED}”: in single conditions only; "
        f"“{NO_HARM}”: nowhere; “{NOT_JUDGED}”: values are missing."
    )


def _noise(study: Study) -> str:
    replicates = int(study.campaign.runs["replicate"].n_unique())
    if replicates == 1:
        return (
            "Each run was made once: a difference counts if the conditions lie to one side more often than chance "
            f"explains (sign test, 5 % for all responses of an algorithm together). “{UNCLEAR}”: beyond the margin, "
            "but not told from chance (one run each). Replicates can tell."
        )
    return (
        f"Up to {replicates} replicates of each run give a noise floor: a difference counts if it exceeds margin and "
        f"noise (95 % for all conditions and responses of an algorithm together). “{UNCLEAR}”: beyond the margin, "
        "but not beyond the noise."
    )


def _reasons(verdict: Verdict) -> str:
    if not verdict.changes:
        return "Nothing was measured in the same conditions."
    worse = [c for c in verdict.changes if c.worse or (c.harm > LARGE and c.certain)]
    better = [c for c in verdict.changes if c.harm < -LARGE and c.certain]
    worse.sort(key=lambda change: -change.harm)
    said = []
    if worse:
        parts = [
            f"{c.title} {percent(c.mean, sign=True)} in the mean, worse in {c.worse} of "
            f"{counted(c.compared, 'condition')}" + (f", better in {c.better}" if c.better else "")
            for c in worse[:3]
        ]
        said.append(f"Worse: {'; '.join(parts)}{f'; and {len(worse) - 3} more' if len(worse) > 3 else ''}.")
    if better:
        said.append(f"Better in the mean: {listed([f'{c.title} {percent(c.mean, sign=True)}' for c in better[:3]])}.")
    unclear = [c for c in verdict.changes if c not in worse and (c.unclear or (c.harm > LARGE and not c.certain))]
    if unclear:
        for replicated, why in ((True, "within the noise"), (False, "not told from chance, for want of replicates")):
            if titles := [c.title for c in unclear if c.replicated == replicated]:
                said.append(f"Beyond the margin, but {why}: {listed(titles)}.")
    if not said:
        compared = max(change.compared for change in verdict.changes)
        within = f"Within {percent(LARGE)} in {counted(compared, 'condition')}."
        said.append(within if compared else "No condition has values of both.")
    gaps = [change for change in verdict.changes if change.missing]
    if gaps:
        said.append(_gap(gaps))
    return " ".join(said)


def _gap(gaps: Sequence[Change]) -> str:
    most = max(gaps, key=lambda change: change.missing)
    others = f", and {len(gaps) - 1} more have gaps" if len(gaps) > 1 else ""
    return (
        f"{capitalised(most.title)} has no value in {counted(most.missing, 'condition')} in which the other has one"
        f"{others}: failed, not run yet, or nothing to measure."
    )
