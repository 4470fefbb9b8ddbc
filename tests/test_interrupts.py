"""Ctrl-C, five times, as a terminal sends it: to every process of a command, whatever it does at the moment."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from test_faults import ENVIRONMENT, PATIENCE_S, until

pytestmark = pytest.mark.process


def interrupted(*words: str, after: float = 0.0, processes: int = 0) -> tuple[int, str]:
    """Exit code and messages of a command after five Ctrl-C, the first some time after it has loaded NumPy or the
    simulator, and started so many processes."""
    command = [sys.executable, "-m", "mesonet", *words]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, env=ENVIRONMENT, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    about = psutil.Process(process.pid)
    until(lambda: any(re.search(r"mesonet/_core|/numpy/", each.path) for each in about.memory_maps()), process)
    until(lambda: len(about.children()) >= processes, process)
    time.sleep(after)
    for _ in range(5):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.01)
    _, errors = process.communicate(timeout=PATIENCE_S)
    return process.returncode, errors


@pytest.mark.parametrize("after", [0.0, 0.5])
@pytest.mark.parametrize(
    "words", [("run", "abilene", "--duration", "1000 s"), ("experiment", "plan", "demo", "--pilot", "60")]
)
def test_five_interrupts_end_a_command_with_one_line(words: tuple[str, ...], after: float) -> None:
    assert interrupted(*words, after=after) == (130, "mesonet: interrupted\n")


@pytest.mark.parametrize("after", [0.0, 0.5, 1.5])
def test_five_interrupts_end_the_processes_that_draw(tiny_campaign: Path, tmp_path: Path, after: float) -> None:
    out = shutil.copytree(tiny_campaign, tmp_path / "out")
    words = ("analyze", str(out), "--figures", "all", "--workers", "2")
    code, errors = interrupted(*words, after=after, processes=2)  # one of both keeps track of resources
    assert code == 130
    assert errors.splitlines()[-1] == "mesonet: interrupted"
    assert "Traceback" not in errors
