"""Verdicts of a campaign while it runs: the first one from its first look, later ones in the line of progress."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet.errors import InputError

if TYPE_CHECKING:
    from mesonet.campaign.data import Campaign
    from mesonet.campaign.ledger import Run

# Analyses are imported when a verdict is due: the runs start first.

_LEAST_S = 15.0
"""Time before which no verdict is worth its cost, s (chosen): shorter campaigns end soon."""
_EVERY_S, _SHARE = 30.0, 0.02
"""Time between verdicts, s, and the largest part of it that they may take (chosen)."""
_SHOWN = 3
"""Most verdicts in a line of progress (chosen)."""


class SoFar:
    """The verdicts that the finished runs of a campaign give; a `mesonet.campaign.backlog.Watch`.

    The verdicts on the first conditions can differ from the last ones, and change no run.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._due = time.monotonic() + _LEAST_S
        self._new: list[Run] = []
        self._awaited: set[tuple[int, str]] | None = None
        self._note, self._seen = "", False

    def learn(self, done: Sequence[Run]) -> list[str]:
        """Take the runs that finished since the last call; return the first verdict when it is known."""
        self._new += done
        if not self._new or time.monotonic() < self._due:
            return []
        try:
            return self._looked()
        except InputError:  # a damaged file: reading the finished campaign reports it
            return []

    def _looked(self) -> list[str]:
        if self._awaited is None:
            self._awaited = self._first_runs()
            if self._awaited is None:
                self._due = math.inf
                return []
        self._awaited -= {(run.condition, run.algorithm) for run in self._new if run.replicate == 1}
        self._new.clear()
        if self._awaited:
            self._note = f"first verdict after {len(self._awaited)} more"
            return []
        began, first = time.monotonic(), not self._seen
        self._seen = True
        lines = self._verdicts()
        now = time.monotonic()
        self._due = now + max(_EVERY_S, (now - began) / _SHARE)
        return lines if first else []

    def note(self) -> str:
        """Return the verdicts so far in a few words, or the runs that the first one waits for."""
        return self._note

    def _first_runs(self) -> set[tuple[int, str]] | None:
        """Return the conditions and algorithms that the first verdict waits for; None without a first look."""
        from mesonet.campaign.data import load
        from mesonet.campaign.first_look import first_look

        campaign = load(self._folder)
        look = first_look(campaign.experiment)
        if not look:
            return None
        known = set(campaign.runs.filter(status="done", replicate=1).select("condition", "algorithm").iter_rows())
        return {(each, name) for each in look for name in campaign.algorithms} - known

    def _verdicts(self) -> list[str]:
        """Set the note; return the verdicts in sentences."""
        from mesonet.campaign.data import load

        campaign = load(self._folder)
        rows = _rows(campaign)
        if not rows:
            self._note = ""
            return []
        shown = [f"{row['title']}: {row['verdict']}" for row in rows[:_SHOWN]]
        more = [f"{len(rows) - _SHOWN} more"] if len(rows) > _SHOWN else []
        self._note = f"so far {', '.join([*shown, *more])}"
        done = campaign.runs.filter(status="done")
        runs = f"{done.height} of {campaign.runs.height} runs"
        conditions = f"{done['condition'].n_unique()} of {campaign.rows.conditions} conditions"
        head = f"first verdict, after {runs} in {conditions}:"
        return [head, *(f"  {row['title']}: {row['recommendation']}" for row in rows)]


def _rows(campaign: Campaign) -> list[dict[str, Any]]:
    from mesonet.reporting.campaign_view.view import view_of
    from mesonet.reporting.text.verdict_text import verdict_rows
    from mesonet.units import with_bits

    view = view_of(campaign)
    rows = verdict_rows(view) if view.has_results else []
    return [{**row, "recommendation": with_bits(row["recommendation"], view.data_bytes)} for row in rows]
