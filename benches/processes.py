"""What a command used: CPU seconds and peak memory of one process and its children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Ended:
    """A process that ended well."""

    printed: str
    cpu_s: float
    """User and system."""
    peak_mb: float


def ran(command: list[str], timeout_s: float = threading.TIMEOUT_MAX) -> Ended:
    """Runs a command to its end. Anything but exit code 0 ends the benchmark."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        late = threading.Event()
        alarm = threading.Timer(timeout_s, lambda: (late.set(), process.kill()))
        alarm.start()
        _, status, used = os.wait4(process.pid, 0)
        alarm.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if late.is_set() and process.returncode == -signal.SIGKILL:
            raise subprocess.TimeoutExpired(command, timeout_s)
        if process.returncode:
            sys.exit(f"{' '.join(command)} ended with exit code {process.returncode}")
        output.seek(0)
        return Ended(output.read(), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
