"""Commands in processes of their own: how tests start them, how long they wait, and what was said."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import mesonet

MESONET = [sys.executable, "-m", "mesonet"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(mesonet.__file__).parents[1])}
"""Of a process that imports this package from wherever it is started."""
PATIENCE_S = 1200.0
"""A guard against what hangs: a hundred times what the slowest step takes, for slow and busy machines."""


def until(condition: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    """Wait until a condition holds, while a process goes on."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        assert process is None or process.poll() is None, f"it ended too early: {process.communicate()}"
        time.sleep(0.02)


def messages(stderr: str) -> list[str]:
    """Return what was said on stderr, less the progress of tasks that a busy machine makes long."""
    return [line for line in stderr.splitlines() if not re.search(r": \d+% after ", line)]
