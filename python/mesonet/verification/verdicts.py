"""Verdicts: they follow from the numbers, the limits and the number of seeds, and from nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mesonet.verification.claims import Claim, Number
from mesonet.verification.measurements import Measurement, measure
from mesonet.verification.reasons import NotRun
from mesonet.verification.record import Record

if TYPE_CHECKING:
    from mesonet.verification.campaigns import Campaigns

Verdict = Literal["reproduced", "not reproduced", "not evaluated", "for the record"]

SEEDS = 3
"""The fewest seeds that tell a sign where chance has a part: two degrees of freedom for the interval."""
NOTHING = Record()


@dataclass(frozen=True)
class Finding:
    """What came out for one number of a claim.

    Attributes
    ----------
    measured, low, high, seeds, conditions
        Those of `mesonet.verification.measurements.Measurement`; measured is its mean.
    reason
        Why it was not evaluated, or with what it can be.
    recorded
        The code that measured it where it was not measured now but read from the record; empty otherwise.
    """

    id: str
    name: str
    published: str
    measured: float | None
    low: float | None
    high: float | None
    seeds: int
    unit: str
    strictness: str
    verdict: Verdict
    reason: str = ""
    conditions: int = 0
    recorded: str = ""


def judge(claim: Claim, campaigns: Campaigns, record: Record = NOTHING) -> list[Finding]:
    """One finding per number; one alone for a claim without numbers.

    A number whose campaign is not there and takes too long to be run is read from the record, if it holds it.
    """
    if not claim.numbers:
        return [Finding(claim.id, claim.claim, "", None, None, None, 0, "", "", "not evaluated", claim.not_evaluated)]
    return [_found(claim, number, campaigns, record) for number in claim.numbers]


def of_claim(findings: list[Finding]) -> Verdict:
    """The verdict on a claim: not reproduced where one number contradicts it, not evaluated where one is missing."""
    verdicts = [finding.verdict for finding in findings]
    worst: tuple[Verdict, ...] = ("not reproduced", "not evaluated")
    for verdict in worst:
        if verdict in verdicts:
            return verdict
    return "reproduced" if "reproduced" in verdicts else "for the record"


def _found(claim: Claim, number: Number, campaigns: Campaigns, record: Record) -> Finding:
    recorded = ""
    try:
        measured = measure(number, campaigns)
    except NotRun as error:
        known = record.of(number, campaigns.entries)
        measured = known.measurement if known else Measurement(None, reason=str(error))
        recorded = ", ".join(dict.fromkeys(known.codes.values())) if known else ""
    verdict, reason = _verdict(number, measured)
    return Finding(
        claim.id, number.name, number.published_text, measured.mean, measured.low, measured.high, measured.seeds,
        number.unit, number.strictness, verdict, reason, measured.conditions, recorded,
    )  # fmt: skip


def _verdict(number: Number, measured: Measurement) -> tuple[Verdict, str]:
    """Within the limits or not. A sign that depends on chance needs `SEEDS` seeds, or conditions that stand for them,
    and an interval on one side."""
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
