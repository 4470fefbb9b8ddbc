"""Verdicts: they follow from the numbers, the limits and the number of seeds, and from nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import stats

from mesonet.verification.claims import Claim, Number
from mesonet.verification.measures import MEASURES
from mesonet.verification.reasons import NotEvaluated
from mesonet.verification.shares import Share

if TYPE_CHECKING:
    from mesonet.verification.campaigns import Campaigns

Verdict = Literal["reproduced", "not reproduced", "not evaluated", "for the record"]

SEEDS = 3
"""The fewest seeds that tell a sign where chance has a part: two degrees of freedom for the interval."""
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Finding:
    """What came out for one number of a claim.

    Attributes
    ----------
    measured, low, high
        Mean over the seeds and its 95 % confidence interval (Student's t); the interval is None for one seed or where
        nothing depends on it, but for a part of the conditions (`mesonet.verification.shares`).
    seeds
        How many there were; 0 where nothing depends on them.
    conditions
        Over how many of them the interval is; 0 where it is over the seeds.
    reason
        Why it was not evaluated, or with what it can be.
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


def judge(claim: Claim, campaigns: Campaigns) -> list[Finding]:
    """One finding per number; one alone for a claim without numbers."""
    if not claim.numbers:
        return [Finding(claim.id, claim.claim, "", None, None, None, 0, "", "", "not evaluated", claim.not_evaluated)]
    return [_found(claim, number, campaigns) for number in claim.numbers]


def of_claim(findings: list[Finding]) -> Verdict:
    """The verdict on a claim: not reproduced where one number contradicts it, not evaluated where one is missing."""
    verdicts = [finding.verdict for finding in findings]
    worst: tuple[Verdict, ...] = ("not reproduced", "not evaluated")
    for verdict in worst:
        if verdict in verdicts:
            return verdict
    return "reproduced" if "reproduced" in verdicts else "for the record"


def _found(claim: Claim, number: Number, campaigns: Campaigns) -> Finding:
    about: dict[str, Any] = {
        "id": claim.id, "name": number.name, "published": number.published_text, "unit": number.unit,
        "strictness": number.strictness,
    }  # fmt: skip
    try:
        random = [name for name in number.campaigns if campaigns.is_random(name)]
        seeds = min((campaigns.seeds(name) for name in random), default=1)
        found = [MEASURES[number.measure](campaigns.of(seed), **number.of) for seed in range(1, seeds + 1)]
    except NotEvaluated as error:
        return Finding(**about, measured=None, low=None, high=None, seeds=0, verdict="not evaluated", reason=str(error))
    values = [float(each) for each in found]
    mean = float(np.mean(values))
    if not math.isfinite(mean):
        reason = f"{number.measure} gives no number here: nothing to measure in the run"
        return Finding(**about, measured=None, low=None, high=None, seeds=0, verdict="not evaluated", reason=reason)
    (low, high), conditions = _interval(values), 0
    if seeds == 1 and random and isinstance(found[0], Share):
        (low, high), conditions = found[0].interval(CONFIDENCE), found[0].of
    verdict, reason = _verdict(number, mean, low, high, seeds if random else 0, conditions)
    return Finding(
        **about, measured=mean, low=low, high=high, seeds=seeds if random else 0, verdict=verdict, reason=reason,
        conditions=conditions,
    )  # fmt: skip


def _verdict(
    number: Number, mean: float, low: float | None, high: float | None, seeds: int, conditions: int
) -> tuple[Verdict, str]:
    """Within the limits or not. A sign that depends on chance needs `SEEDS` seeds, or conditions that stand for them,
    and an interval on one side."""
    least, most = number.limits
    inside = least <= mean <= most
    if number.strictness == "S5":
        return "for the record", ""
    if number.strictness == "S4" and seeds:
        if (seeds < SEEDS and not conditions) or low is None or high is None:
            return "not evaluated", f"a sign needs {SEEDS} seeds, not {seeds}"
        whole = least <= low and high <= most
        apart = high < least or low > most
        if not (whole or apart):
            over = f"{conditions} conditions" if conditions else f"{seeds} seeds"
            return "not evaluated", f"the interval of {over} holds the limit"
    return ("reproduced" if inside else "not reproduced"), ""


def _interval(values: list[float]) -> tuple[float | None, float | None]:
    if len(values) < 2 or not all(map(math.isfinite, values)):
        return None, None
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * np.std(values, ddof=1) / math.sqrt(len(values)))
    return float(np.mean(values)) - half, float(np.mean(values)) + half
