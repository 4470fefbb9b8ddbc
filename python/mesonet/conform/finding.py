"""Findings: the result of one check, with the numbers that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PASS, FAIL, KNOWN, SKIPPED = "pass", "fail", "known failure", "skipped"
"""Verdicts. A known failure is one whose cause a case states for an algorithm of mesonet. A check is skipped if it does
not apply to the algorithm, or if the simulator lacks what it needs."""


@dataclass(frozen=True)
class About:
    """Facts about a check that do not depend on the algorithm.

    Attributes
    ----------
    group
        ``contract``, the name of a suite of cases, or ``baseline``.
    id, title
        Short name, unique in the group, and the requirement in words.
    reason
        Reason for the requirement and for its bounds.
    source
        Publication of the requirement, with its section.
    """

    group: str
    id: str
    title: str
    reason: str
    source: str

    @property
    def name(self) -> str:
        """Name in options: group and id, such as ``bbr/idle``."""
        return f"{self.group}/{self.id}"


@dataclass(frozen=True)
class Finding:
    """Result of a check.

    Attributes
    ----------
    about
        The check.
    verdict
        `PASS`, `FAIL`, `KNOWN` or `SKIPPED`.
    why
        What was measured, or the reason why the check was skipped.
    values
        Measured numbers by name.
    wall_s
        Time of the check, s.
    """

    about: About
    verdict: str
    why: str
    values: Mapping[str, float] = field(default_factory=dict)
    wall_s: float = 0.0

    @classmethod
    def left_out(cls, about: About) -> Finding:
        """Return the finding of a check that the user leaves out.

        Parameters
        ----------
        about
            The check.

        Returns
        -------
        A finding with the verdict `SKIPPED`.
        """
        return cls(about, SKIPPED, "left out by --skip")

    def document(self) -> dict[str, Any]:
        """Return the finding as plain data.

        Returns
        -------
        Group, id, title, verdict, why, values, reason and source.
        """
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
