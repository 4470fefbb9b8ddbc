"""What a result came from and what it cost."""

from __future__ import annotations

import platform
import resource
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mesonet import __version__, core


def versions() -> dict[str, str]:
    """Versions of everything that can change a result's bytes."""
    return {
        "mesonet": __version__,
        "code_version": core.code_version(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "pyarrow": version("pyarrow"),
        "platform": platform.platform(),
    }


def now() -> str:
    """The instant in UTC, to the second."""
    return datetime.now(UTC).replace(microsecond=0).isoformat()


def peak_rss_bytes() -> int:
    """Largest resident memory of this process so far.

    Linux keeps it per memory image in VmHWM. ``getrusage`` is the fallback only: there it may include the parent from
    which the process was forked.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class Stopwatch:
    """Processor and wall-clock time of this process since it was made."""

    def __init__(self) -> None:
        self.started = now()
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def resources(self) -> dict[str, Any]:
        """Seconds spent so far, and the peak memory of the process."""
        return {
            "cpu_s": round(time.process_time() - self._cpu, 6),
            "wall_s": round(time.perf_counter() - self._wall, 6),
            "peak_rss_bytes": peak_rss_bytes(),
        }
