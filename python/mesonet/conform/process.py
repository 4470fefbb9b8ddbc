"""Checks in a process of their own (`mesonet.conform.worker`), whatever the code of a plug-in does to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from mesonet.campaign.process import Death, Process
from mesonet.conform.finding import ENDS, ERROR, About, Finding
from mesonet.conform.report import Outline
from mesonet.errors import Broken, InputError

TIME_LIMIT, MEMORY_LIMIT = "60 s", "2 GiB"
"""Most wall-clock time of a check and most memory of its process (chosen: ten times what built-in algorithms need)."""
_LOAD_S = 300.0
"""Most wall-clock time in which an algorithm must be loaded, s (chosen): compilers take their time."""


class _Worker(Process):
    module: ClassVar[str] = "mesonet.conform.worker"
    what: ClassVar[str] = "check"


@dataclass
class Checker:
    """A process that checks one algorithm; a context manager, at whose end the process ends."""

    asked: Mapping[str, Any]  #: arguments of `conformance.plan`
    time_limit: float | None  #: most wall-clock time of a check, s; None: any
    memory_limit: int | None  #: most memory of the process, bytes; None: any
    traces: Path | None = None  #: folder for the traces of the runs
    has_packets: bool = False  #: True if traces have events of single segments
    is_mutant: bool = False  #: True if the checks come by their cost, with the digest of the machine code
    cpu_limit: float | None = None  #: most processor time of the process, s; None: any
    environment: Mapping[str, str] = field(default_factory=dict)  #: variables of the process beside or instead of ours
    written: list[Path] = field(default_factory=list)  #: files of traces so far
    _worker: _Worker = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._worker = _Worker(self.memory_limit, cpu_limit=self.cpu_limit, environment=self.environment)

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.close()

    def outline(self) -> Outline:
        """Return the checks."""
        try:
            reply = self._load()
        except Broken as error:
            raise Broken(f"{self.asked['algorithm']}: {error}") from None
        if refused := reply.get("refused"):
            raise InputError(**refused)
        return Outline(**reply | {"checks": tuple(About(**each) for each in reply["checks"])})

    @property
    def cpu_s(self) -> float:
        """Processor time of the process, s; 0 if it ended."""
        return self._worker.cpu_s

    def finding(
        self,
        about: About,
        progress: Callable[[float], None] = lambda share: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Finding:
        """Return the finding of a check.

        `progress`: called now and then with the finished share of the check. `stopped`: called as often; True ends it.
        """
        began = time.perf_counter()

        def show() -> bool:
            progress(self._worker.share)
            return stopped()

        try:
            if not self._worker.is_there:
                self._load()
            reply = self._do(about.name, self.time_limit, show)
        except Broken as error:
            return Finding(about, ERROR, str(error), {}, time.perf_counter() - began)
        self.written += map(Path, reply.pop("traces"))
        return Finding(about, **reply)

    def end(self) -> Finding | None:
        """End the process; return a finding if the code of a plug-in ends it otherwise."""
        death = self._worker.end()
        return Finding(ENDS, ERROR, death.message) if death else None

    def _load(self) -> dict[str, Any]:
        return self._do(None, max(self.time_limit or _LOAD_S, _LOAD_S))

    def _do(
        self, check: str | None, time_limit: float | None, stopped: Callable[[], bool] = lambda: False
    ) -> dict[str, Any]:
        """Return the reply to a task; raise `Broken` without a reply, or if it is an error."""
        self._worker.time_limit = time_limit
        traces = None if self.traces is None else str(self.traces)
        task = {
            "plan": dict(self.asked),
            "traces": traces,
            "packets": self.has_packets,
            "check": check,
            "mutant": self.is_mutant,
        }
        reply = self._worker.do(task, stopped)
        if isinstance(reply, Death):
            raise Broken(reply.message)
        if "message" in reply:
            raise Broken(reply["message"])
        return reply
