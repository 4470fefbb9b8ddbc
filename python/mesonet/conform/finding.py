"""Findings: the result of one check, with the numbers that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PASS, FAIL, KNOWN, SKIPPED = "pass", "fail", "known failure", "skipped"
"""Verdicts. A known failure is one whose cause a case states for an algorithm of mesonet. A check is skipped if it does
not apply to the algorithm, or if the simulator lacks what it needs."""
Outcome = tuple[str, str, dict[str, float]]
"""Verdict of a check, what was measured in words, and the measured numbers by name."""


@dataclass(frozen=True)
class About:
    """Facts about a check that do not depend on the algorithm."""

    group: str  #: ``contract``, the name of a suite of cases, or ``baseline``
    id: str  #: `id`, `title`: short name, unique in the group, and the requirement in words
    title: str
    reason: str  #: reason for the requirement and for its bounds
    source: str  #: publication of the requirement, with its section

    @property
    def name(self) -> str:
        """Name in options: group and id, such as ``bbr/idle``."""
        return f"{self.group}/{self.id}"


@dataclass(frozen=True)
class Finding:
    """Result of a check."""

    about: About  #: the check
    verdict: str  #: `PASS`, `FAIL`, `KNOWN` or `SKIPPED`
    why: str  #: what was measured, or the reason why the check was skipped
    values: Mapping[str, float] = field(default_factory=dict)  #: measured numbers by name
    wall_s: float = 0.0  #: time of the check, s

    @classmethod
    def left_out(cls, about: About) -> Finding:
        """Return the finding of a check that the user leaves out. A finding with the verdict `SKIPPED`."""
        return cls(about, SKIPPED, "left out by --skip")

    def document(self) -> dict[str, Any]:
        """Return the finding as plain data."""
        return {
            "group": self.about.group,
            "id": self.about.id,
            "title": self.about.title,
            "verdict": self.verdict,
            "why": self.why,
            "values": dict(self.values),
            "reason": self.about.reason,
            "source": self.about.source,
        }


def with_known(verdict: str, why: str, cause: str | None) -> tuple[str, str]:
    """Return verdict and words of a check whose failure may have a known cause. `cause`: None: there is none."""
    if cause and verdict == FAIL:
        return KNOWN, f"{why}. Cause: {cause}"
    if cause and verdict == PASS:
        return FAIL, f"{why}. This was a known failure ({cause}): remove the statement"
    return verdict, why
