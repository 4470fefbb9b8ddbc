"""The process that checks an algorithm: ``python -m mesonet.conform.worker``.

A task (`mesonet.campaign.serving`) has ``plan``, the arguments of `conformance.plan`, ``traces``, the folder of traces
or null, ``packets``, true if they have single segments, ``mutant``, and ``check``. Without a check, the reply has the
fields of an `Outline`, with the checks of a mutant by their cost. A refusal has ``refused``, the fields of an
`InputError`. With the name of a check, it has ``verdict``, ``why``, ``values`` and ``wall_s`` of a finding, and
``traces``, the files that were written.

One process makes all checks, because they share runs. The code of a plug-in is loaded here and nowhere else.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from mesonet.campaign.serving import Update, error_reply, serve
from mesonet.conform import traces
from mesonet.conform.bench import Bench
from mesonet.conform.conformance import Plan, by_cost, check, plan
from mesonet.errors import InputError
from mesonet.plugins import linux
from mesonet.plugins.loaded import machine_code


class _Checks:
    """The plan of the first task, and the runs so far."""

    def __init__(self) -> None:
        self._plan: Plan | None = None
        self._bench = Bench("")
        self._traced: set[str] = set()

    def answer(self, task: dict[str, Any], update: Update) -> dict[str, Any]:
        """Return the reply to a task."""
        try:
            if task["check"] is None:
                return self._outline(task["plan"], task["packets"], task["mutant"])
            return self._finding(task["check"], task["traces"], update)
        except Exception as error:
            return error_reply(error)

    def _outline(self, asked: dict[str, Any], has_packets: bool, is_mutant: bool) -> dict[str, Any]:
        try:
            chosen = self._plan = plan(**asked)
        except InputError as error:
            return {"refused": asdict(error)}
        self._bench = Bench(chosen.algorithm, values=chosen.values, has_packets=has_packets)
        checks = by_cost(chosen, self._bench) if is_mutant else chosen.checks()
        return {
            "algorithm": chosen.algorithm,
            "baseline": chosen.baseline.name if chosen.baseline else None,
            "checks": [asdict(each) for each in checks],
            "machine_code": machine_code(chosen.algorithm) if is_mutant else None,
            "values": self._bench.shown(),
            "compared": linux.compared(chosen.algorithm),
        }

    def _finding(self, name: str, folder: str | None, update: Update) -> dict[str, Any]:
        assert self._plan is not None
        found = check(self._plan, name, self._bench, update)
        written = traces.write(Path(folder), self._bench, self._traced) if folder else []
        self._traced.update(self._bench.runs)
        about = {"verdict": found.verdict, "why": found.why, "values": dict(found.values), "wall_s": found.wall_s}
        return {**about, "traces": [str(path) for path in written]}


if __name__ == "__main__":
    serve(_Checks().answer)
