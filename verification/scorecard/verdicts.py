"""Verdicts: they follow from the numbers, the limits and the number of seeds, and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from verification.scorecard.claims import Claim, Number
from verification.scorecard.measurements import Measurement, measure
from verification.scorecard.reasons import NotRun, unsettled_text
from verification.scorecard.record import Record
from verification.scorecard.witness import Witness

if TYPE_CHECKING:
    from verification.scorecard.campaigns import Campaigns

Verdict = Literal[
    "reproduced",
    "not reproduced",
    "reproduced by the witness only",
    "reproduced by neither",
    "not evaluated",
    "for the record",
]
NOT_REPRODUCED: tuple[Verdict, ...] = ("reproduced by the witness only", "not reproduced", "reproduced by neither")
"""Worst first: a defect of mesonet until it is explained; no witness; the set-up is unknown."""

SEEDS = 3
"""Fewest seeds for the sign of a random number: two degrees of freedom for the interval."""
NOTHING = Record()


@dataclass(frozen=True)
class NumberVerdict:
    """Finding for a number of a claim: measurement, verdict and reason."""

    id: str
    name: str
    published: str
    #: `measured`, `low`, `high`, `seeds`, `conditions`: as in `verification.scorecard.measurements.Measurement`;
    #: measured is its mean.
    measured: float | None
    low: float | None
    high: float | None
    seeds: int
    unit: str
    strictness: str
    verdict: Verdict
    reason: str = ""  #: reason why it was not evaluated, or a way to evaluate it
    conditions: int = 0
    recorded: str = ""  #: versions of the code that measured it, if the value is from the record; empty otherwise
    #: `witness`, `witness_verdict`, `witnessed_by`: value of another simulator in an equal set-up, the verdict that
    #: follows from it alone, and its name and version; None and empty without a witness.
    witness: float | None = None
    witness_verdict: Verdict | Literal[""] = ""
    witnessed_by: str = ""
    unsettled: Mapping[str, Sequence[int]] | None = None


def judge(
    claim: Claim, campaigns: Campaigns, record: Record = NOTHING, witness: Witness | None = None
) -> list[NumberVerdict]:
    """Return the findings of a claim.

    A number whose campaign is absent and takes too long to run is read from the record, if it is there.
    """
    if not claim.numbers:
        return [
            NumberVerdict(
                id=claim.id,
                name=claim.claim,
                published="",
                measured=None,
                low=None,
                high=None,
                seeds=0,
                unit="",
                strictness="",
                verdict="not evaluated",
                reason=claim.not_evaluated,
            )
        ]
    findings = [_found(claim, number, campaigns, record) for number in claim.numbers]
    if witness is None:
        return findings
    return [_witnessed(found, number, witness) for found, number in zip(findings, claim.numbers, strict=True)]


def of_claim(findings: list[NumberVerdict]) -> Verdict:
    """Return the verdict on a claim.

    The first verdict of this list that a number has: one of `NOT_REPRODUCED`, not evaluated, reproduced. For the record
    if no number has one of these.
    """
    verdicts = [finding.verdict for finding in findings]
    worst: tuple[Verdict, ...] = (*NOT_REPRODUCED, "not evaluated")
    for verdict in worst:
        if verdict in verdicts:
            return verdict
    return "reproduced" if "reproduced" in verdicts else "for the record"


def _found(claim: Claim, number: Number, campaigns: Campaigns, record: Record) -> NumberVerdict:
    recorded = ""
    try:
        measured = measure(number, campaigns)
    except NotRun as error:
        known = record.of(number, campaigns.entries)
        measured = known.measurement if known else Measurement(None, reason=str(error))
        recorded = ", ".join(dict.fromkeys(known.codes.values())) if known else ""
    verdict, reason = _verdict(number, measured)
    return NumberVerdict(
        id=claim.id,
        name=number.name,
        published=number.published_text,
        measured=measured.mean,
        low=measured.low,
        high=measured.high,
        seeds=measured.seeds,
        unit=number.unit,
        strictness=number.strictness,
        verdict=verdict,
        reason=_with_load(reason, number, measured),
        conditions=measured.conditions,
        recorded=recorded,
        unsettled=measured.unsettled,
    )


def _with_load(reason: str, number: Number, measured: Measurement) -> str:
    """Return a reason with the conditions whose load had not settled, unless they are the reason."""
    about = number.conditions
    text = unsettled_text(
        {
            name: [each for each in conditions if about is None or each in about]
            for name, conditions in (measured.unsettled or {}).items()
        }
    )
    if measured.mean is None or not text:
        return reason
    text += " (counted)" if number.any_load else " (left out)"
    return f"{reason}; {text}" if reason else text


def _witnessed(found: NumberVerdict, number: Number, witness: Witness) -> NumberVerdict:
    """Return the finding with the measurement of the witness, judged by equal limits."""
    measured = witness.of(found.id, number)
    if measured is None:
        return found
    theirs, _ = _verdict(number, measured)
    verdict = found.verdict
    if verdict == "not reproduced" and theirs == "reproduced":
        verdict = "reproduced by the witness only"
    elif verdict == theirs == "not reproduced":
        verdict = "reproduced by neither"
    return replace(found, verdict=verdict, witness=measured.mean, witness_verdict=theirs, witnessed_by=witness.name)


def _verdict(number: Number, measured: Measurement) -> tuple[Verdict, str]:
    """Return the verdict, within the limits or not, and the reason if there is none.

    A sign that depends on chance needs `SEEDS` seeds, or conditions in their place, and an interval on one side.
    """
    if measured.mean is None:
        return "not evaluated", measured.reason
    least, most = number.limits
    if number.strictness == "S5":
        return "for the record", ""
    if number.strictness == "S4" and measured.seeds:
        if (measured.seeds < SEEDS and not measured.conditions) or measured.low is None or measured.high is None:
            return "not evaluated", f"a sign needs {SEEDS} seeds, not {measured.seeds}"
        whole = least <= measured.low and measured.high <= most
        apart = measured.high < least or measured.low > most
        if not (whole or apart):
            over = f"{measured.conditions} conditions" if measured.conditions else f"{measured.seeds} seeds"
            return "not evaluated", f"the interval of {over} holds the limit"
    return ("reproduced" if least <= measured.mean <= most else "not reproduced"), ""
