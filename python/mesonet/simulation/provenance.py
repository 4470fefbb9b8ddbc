"""Provenance and cost of results."""

from __future__ import annotations

import os
import platform
import resource
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from mesonet import core
from mesonet._version import __version__

_VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED", "SLURM_JOB_ID",
    "SLURM_ARRAY_TASK_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "JOB_COMPLETION_INDEX",
)  # fmt: skip
"""Environment variables that describe how and where a run was made. No others are recorded: they may hold secrets."""


def versions(code_version: str | None = None) -> dict[str, str]:
    """Return versions of all that can change a result's bytes."""
    return {
        "mesonet": __version__,
        "code_version": code_version or core.code_version(),
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "platform": platform.platform(),
        "polars": _version("polars"),
    }


@cache
def _version(package: str) -> str:
    """Return the version of a package, without an import, which may take as long as a short run."""
    if package in sys.modules:
        return str(sys.modules[package].__version__)
    from importlib.metadata import version

    return version(package)


@cache
def environment() -> dict[str, Any]:
    """Return the machine that makes a result, and its settings that can matter.

    Host, processor, number of processors, memory in bytes, and environment variables.
    """
    return {
        "host": platform.node(),
        "processor": _processor(),
        "processors": os.cpu_count() or 1,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "variables": {name: os.environ[name] for name in _VARIABLES if name in os.environ},
    }


def now() -> str:
    """Return the instant in UTC, to the second; no text after `measure_nothing`."""
    return "" if _status is None else datetime.now(UTC).replace(microsecond=0).isoformat()


_status: Path | None = Path("/proc/self/status")


def measure_nothing() -> None:
    """Read neither files nor clocks from now on, in a process that may read none."""
    global _status
    _status = None


def peak_rss_bytes() -> int:
    """Return the largest resident memory of this process so far.

    Linux keeps it per memory image in VmHWM. ``getrusage`` is the fallback only: there it may include the parent from
    which the process was forked.
    """
    if _status is None:
        return 0
    if _status.exists():
        for line in _status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def reset_peak_rss() -> None:
    """Reset `peak_rss_bytes`, where the system can: for a process that makes several runs."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # proc(5): resets VmHWM


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


class Stopwatch:
    """Processor and wall-clock time of this process since it was made."""

    def __init__(self) -> None:
        self.started = now()
        self._before: Mapping[str, Any] = {}
        self._cpu, self._wall, self._children = _process_cpu(), time.perf_counter(), _children_cpu()

    def so_far(self) -> dict[str, Any]:
        """Return the measurements that another process needs to continue from here."""
        return {"started": self.started, **self.resources()}

    def go_on(self, before: Mapping[str, Any]) -> None:
        """Continue from the measurements of another process that did the first part of the work."""
        self.started, self._before = before.get("started", self.started), before

    def resources(self, children: bool = False) -> dict[str, Any]:
        """Return the time spent so far, and the peak memory of the process.

        ``cpu_s``, ``wall_s`` and ``peak_rss_bytes``; if other processes did earlier parts, their number as
        ``continuations``. `children`: True: programs that it started and that ended count too. The peak memory is then
        the largest of any of them or of the process.
        """
        cpu, peak = _process_cpu() - self._cpu, peak_rss_bytes()
        if children:
            cpu += _children_cpu() - self._children
            most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            peak = max(peak, most if sys.platform == "darwin" else most * 1024)
        before = self._before
        used = {
            "cpu_s": round(cpu + before.get("cpu_s", 0.0), 6),
            "wall_s": round(time.perf_counter() - self._wall + before.get("wall_s", 0.0), 6),
            "peak_rss_bytes": max(peak, before.get("peak_rss_bytes", 0)),
        }
        return {**used, "continuations": before.get("continuations", 0) + 1} if before else used


def _process_cpu() -> float:
    return 0.0 if _status is None else time.process_time()


def _children_cpu() -> float:
    if _status is None:
        return 0.0
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
