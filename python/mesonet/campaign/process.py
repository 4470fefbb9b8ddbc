"""A process that serves tasks (`mesonet.campaign.serving`) from the outside: its tasks, limits and death."""

from __future__ import annotations

import json
import math
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mesonet import processes
from mesonet.campaign.serving import ENDED
from mesonet.errors import Broken
from mesonet.simulation.checkpoint import EVERY, GRACE_S

if TYPE_CHECKING:
    from mesonet.campaign.ledger import Ledger, Run

_TICK_S = 0.25
MEMORY_SHARE = 0.9
"""Share of the memory of the machine that one run may have by default (chosen): the rest is the system's."""
_LOG_SHOWN = 8000
_PART = 65_536  # bytes read at a time
_SERVED = 200
"""Tasks that one process does before a fresh one takes over, so that leaks of a model stay small (chosen)."""
_SLOW_START_S = 300.0
"""What the start of the process may add to the time limit of a task (chosen): seconds on a busy machine."""
_STARTS, _START_AGAIN_S = 3, 1.0
"""Failed starts of a process in a row after which no other is tried, and the time between them, s (chosen)."""


@dataclass(frozen=True)
class Death:
    """A task that did not end by itself."""

    message: str  #: the reason
    log: str  #: end of the text that the task printed
    blamed: bool = True  #: True if the task is to blame; False if it was ended from outside


@dataclass
class Process:
    """A process that serves tasks, started when it is needed and again when it died."""

    module: ClassVar[str]  #: module that serves the tasks
    what: ClassVar[str]  #: a task in messages, such as ``run``

    memory: int | None = None  #: most memory of the process, bytes; None: any
    #: Most wall-clock time of one try, s, without the start of the process; after it the try has `GRACE_S` to write a
    #: snapshot. None: any.
    time_limit: float | None = None
    cpu_limit: float | None = None  #: most processor time of the process, s; None: any
    environment: Mapping[str, str] = field(default_factory=dict)  #: variables of the process beside or instead of ours
    peak: int = 0  #: most memory that a task was seen to have, bytes
    share: float = 0.0  #: finished share of the last task, 0 to 1, as its process reported it
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)
    _log: Any = field(default=None, repr=False)
    _served: int = field(default=0, repr=False)
    _ready: bool = field(default=False, repr=False)
    _failed_starts: int = field(default=0, repr=False)

    def do(
        self, task: Mapping[str, Any], stopped: Callable[[], bool] = lambda: False, *, has_programs: bool = False
    ) -> dict[str, Any] | Death:
        """Do a task in the process.

        The reply of the process, or the death of the task. `has_programs`: True if the memory of programs that the
        process starts counts.
        """
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(task) + "\n")
            process.stdin.flush()
        limit = self.time_limit or math.inf
        end = time.monotonic() + limit + (0.0 if self._ready else _SLOW_START_S)
        self.share = 0.0
        reply: dict[str, Any] | None = None
        heard = b""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while reply is None:
                if selector.select(_TICK_S):
                    # Past the buffer of the stream, in which a line would lie unseen.
                    part = os.read(process.stdout.fileno(), _PART)
                    if not part:
                        break
                    *lines, heard = (heard + part).split(b"\n")
                    for message in map(json.loads, lines):
                        if "ready" in message:
                            self._ready, self._failed_starts = True, 0
                            end = time.monotonic() + limit
                        elif "share" in message:
                            self.share = message["share"]
                        else:
                            reply = message
                    continue
                if stopped():
                    return self._ended("stopped", blamed=False)
                used = self._used(has_programs)
                self.peak = max(self.peak, used)
                if self.memory and used > self.memory:
                    _signal(process, signal.SIGTERM)  # so that it prints the call of a plug-in that it is in
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(_TICK_S)
                    return self._ended(
                        f"the {self.what} needs more than {memory_text(self.memory)} of memory: "
                        f"it had {memory_text(used)}"
                    )
                if self.cpu_limit and self.cpu_s > self.cpu_limit:
                    return self._ended(f"the {self.what} needs more than {self.cpu_limit:.0f} s of processor time")
                if time.monotonic() > end:
                    _end(process)  # with a snapshot, from which another try continues
                    return self._ended(f"the {self.what} took longer than the time limit of {self.time_limit:g} s")
        if reply is None:
            try:
                code = process.wait(GRACE_S)
            except subprocess.TimeoutExpired:  # it only closed its standard output
                _end(process)
                code = process.wait()
            if not self._ready:
                return self._not_started(code)
            return self._ended(self._death(code), blamed=code not in (-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP))
        self._served += 1
        if "message" in reply:  # of an error
            reply["log"] = self._output()
        if self._served >= _SERVED:
            self.close()
        return reply

    def end(self) -> Death | None:
        """End the process as a program ends; return its death if exit handlers of its libraries end it otherwise."""
        process = self._process
        if process is None or not self.is_there:
            return None
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps({"end": True}) + "\n")
            process.stdin.flush()
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
        code = process.poll()
        if code == ENDED:
            self.close()
            return None
        return self._ended(f"the process did not end in {GRACE_S:g} s" if code is None else self._death(code))

    def _not_started(self, code: int) -> Death:
        """Return the death of a process that could not load the program: no task is to blame."""
        self._failed_starts += 1
        death = self._ended(self._death(code), blamed=False)
        if self._failed_starts >= _STARTS:
            last = " ".join(death.log.split()[-12:])
            raise Broken(
                f"no process for {self.what}s can start here, often because memory is limited: {death.message} ({last})"
            )
        time.sleep(_START_AGAIN_S)
        return death

    @property
    def is_there(self) -> bool:
        """True if the process that did the last task can do another one."""
        return self._process is not None and self._process.poll() is None

    def close(self) -> None:
        """End the process, and with it the programs that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:  # else its number may be another's by now
            _end(process)
        for stream in (process.stdin, process.stdout, self._log):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def _started(self) -> subprocess.Popen[str]:
        if not self.is_there or self._process is None:
            self.close()
            self._log = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 - it lives as long as the process
            self._process, self._served, self._ready = self._start(), 0, False
        else:  # what an earlier task said; a new process may have said something by now that is to be kept
            self._log.seek(0)
            self._log.truncate()
        return self._process

    def _ended(self, message: str, blamed: bool = True) -> Death:
        wording = self._output()
        process = self._process
        if process is not None and message != "stopped":
            _signal(process, signal.SIGKILL)  # right after it died: programs that it started may still run
        self.close()
        return Death(message + _plugin_in(wording), wording, blamed)

    def _output(self) -> str:
        """Return the end of the text that the task printed."""
        end = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, end - _LOG_SHOWN))
        return str(self._log.read())

    def _used(self, has_programs: bool) -> int:
        """Return the resident memory of the process, and of programs that it started, in bytes."""
        import psutil

        assert self._process is not None
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(self._process.pid)
            used = int(process.memory_info().rss)
            if has_programs:
                for child in process.children(recursive=True):
                    with suppress(psutil.NoSuchProcess):
                        used += int(child.memory_info().rss)
            return used
        return 0

    @property
    def cpu_s(self) -> float:
        """Processor time of the process, s; 0 if it ended."""
        import psutil

        with suppress(psutil.NoSuchProcess):
            times = psutil.Process(self._process.pid).cpu_times() if self._process else None
            return float(times.user + times.system) if times else 0.0
        return 0.0

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            processes.python(self.module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**processes.environment(), **self.environment},
            process_group=0,  # Ctrl-C reaches the runner only, which then stops the others
        )

    def _death(self, code: int) -> str:
        if code >= 0:
            hint = ", as by _exit" if code == 0 else ""
            return f"the process of the {self.what} ended with exit code {code}{hint}"
        name = signal.Signals(-code).name
        hint = ", often because the machine had no free memory" if name == "SIGKILL" else ""
        return f"the process of the {self.what} was ended by {name}{hint}"


@dataclass
class Worker(Process):
    """A process that makes runs (`mesonet.campaign.worker`)."""

    module: ClassVar[str] = "mesonet.campaign.worker"
    what: ClassVar[str] = "run"
    _code: str = field(default="", repr=False)  # code version of the last run

    def make(
        self, ledger: Ledger, run: Run, model: dict[str, Any] | None, stopped: Callable[[], bool]
    ) -> dict[str, Any] | Death:
        """Make a run in the process.

        The reply of the process (empty if the run is done, else the error), or the death of the run.
        """
        if run.code_version != self._code:  # the process has imported modules of other code
            self.close()
            self._code = run.code_version
        task = {"folder": str(ledger.path.resolve()), "key": run.key, "seed": run.seed, "scenario": run.scenario}
        about: dict[str, Any] = {"model": model, "code_version": run.code_version, "snapshot_every": EVERY}
        about["memory"] = self.memory
        return self.do({**task, **about}, stopped, has_programs=model is not None and "command" in model)


def memory_of_machine() -> int:
    """Return the memory that processes here may have: of the machine, or of the container (cgroup v2)."""
    import psutil

    total = int(psutil.virtual_memory().total)
    with suppress(OSError, ValueError):  # "max" is no number
        total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return total


def memory_text(size: float) -> str:
    """Return a number of bytes as text.

    The number in GiB, or in MiB below one GiB.

    Examples
    --------
    >>> memory_text(3 * 2**30), memory_text(2**29)
    ('3 GiB', '512 MiB')
    """
    return f"{size / 2**30:.3g} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def _signal(process: subprocess.Popen[str], number: int) -> None:
    """Send a signal to the process and the programs that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _end(process: subprocess.Popen[str]) -> None:
    """End the process, by force where that takes longer than `GRACE_S`."""
    _signal(process, signal.SIGTERM)
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGKILL)
        process.wait()


def _plugin_in(log: str) -> str:
    """Return in parentheses what the simulator printed about the call of a plug-in in which the process ended."""
    begin = "mesonet: plug-in "
    found = [line for line in log.splitlines() if line.startswith(begin)]
    return f" ({found[-1].removeprefix('mesonet: ')})" if found else ""
