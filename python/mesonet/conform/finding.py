"""Findings: the result of one check, with the numbers that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PASS, FAIL, ERROR, KNOWN, SKIPPED = "pass", "fail", "error", "known failure", "skipped"
"""Verdicts. An error is a check that did not end, such as by a crash of a plug-in. A known failure is one whose cause
is stated for an algorithm of mesonet. A check is skipped if it does not apply to the algorithm, or if the simulator
lacks what it needs."""
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


LOADED = About("process", "load", "The algorithm can be loaded", "Nothing else can be checked.", "mesonet_cc.h")
"""Stands for all checks as long as they are not known."""
ENDS = About(
    "process",
    "end",
    "The process of the checks ends with the exit code of its program",
    "What a library does at the end of a process could hide that a command failed.",
    "mesonet_cc.h",
)
"""Stands behind all checks if it fails."""


@dataclass(frozen=True)
class Finding:
    """Result of a check."""

    about: About  #: the check
    verdict: str  #: `PASS`, `FAIL`, `ERROR`, `KNOWN` or `SKIPPED`
    why: str  #: what was measured, or the reason why there is nothing
    values: Mapping[str, float] = field(default_factory=dict)  #: measured numbers by name
    wall_s: float = 0.0  #: time of the check, s

    @classmethod
    def left_out(cls, about: About) -> Finding:
        """Return the finding of a check that the user leaves out. A finding with the verdict `SKIPPED`."""
        return cls(about, SKIPPED, "left out by --skip")

    @classmethod
    def not_run(cls, about: About) -> Finding:
        """Return the finding of a check until there is another. A finding with the verdict `ERROR`."""
        return cls(about, ERROR, "not run: the command ended before")

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
