"""Ctrl-C, five times, as a terminal sends it: to every process of a command, whatever it does at the moment."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from commands import ENVIRONMENT, MESONET, PATIENCE_S, messages, until

pytestmark = pytest.mark.process


def interrupted(*words: str, when: Callable[[psutil.Process], object]) -> tuple[int, list[str]]:
    """Exit code and messages of a command after five Ctrl-C, the first as soon as its process is so far."""
    command = [*MESONET, *words]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, env=ENVIRONMENT, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    about = psutil.Process(process.pid)
    until(lambda: when(about), process)
    for _ in range(5):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.01)
    _, errors = process.communicate(timeout=PATIENCE_S)
    return process.returncode, messages(errors)


def has_loaded(about: psutil.Process) -> bool:
    """True once a process has loaded NumPy or the simulator."""
    return any(re.search(r"mesonet/_core|/numpy/", each.path) for each in about.memory_maps())


def has_computed(about: psutil.Process) -> bool:
    """True once a process has used a second of a processor, three times what it needs to begin a run."""
    return bool(about.cpu_times().user > 1.0)


def has_begun_a_pilot(about: psutil.Process) -> bool:
    """True once a process has started another."""
    return len(about.children()) > 0


@pytest.mark.parametrize(
    ("words", "when"),
    [
        (("run", "abilene", "--duration", "1000 s"), has_loaded),
        (("run", "abilene", "--duration", "1000 s"), has_computed),
        (("experiment", "plan", "demo", "--pilot", "60"), has_loaded),
        (("experiment", "plan", "demo", "--pilot", "60"), has_begun_a_pilot),
    ],
)
def test_five_interrupts_end_a_command_with_one_line(
    words: tuple[str, ...], when: Callable[[psutil.Process], object]
) -> None:
    assert interrupted(*words, when=when) == (130, ["mesonet: interrupted"])


INTERRUPTED_IMPORT = """
import builtins
as_before = builtins.__import__
def imported(name, *more, **named):
    if name == "mesonet.cli.verbs":
        exec("raise KeyboardInterrupt")
    return as_before(name, *more, **named)
builtins.__import__ = imported
"""


def test_an_interrupt_in_text_that_python_executes_is_handled_like_others(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTED_IMPORT)
    environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join([str(tmp_path), ENVIRONMENT["PYTHONPATH"]])}
    command = [*MESONET, "list"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S)
    assert (ended.returncode, ended.stderr) == (130, "mesonet: interrupted\n")


@pytest.mark.parametrize("drawn", [0, 3])
def test_five_interrupts_end_the_processes_that_draw(tiny_campaign: Path, tmp_path: Path, drawn: int) -> None:
    out = shutil.copytree(tiny_campaign, tmp_path / "out")

    def draw(about: psutil.Process) -> bool:
        # Of two processes one keeps track of resources.
        return len(about.children()) >= 2 and len(list(out.rglob("*.svg"))) >= drawn

    code, errors = interrupted("analyze", str(out), "--figures", "all", "--workers", "2", when=draw)
    assert code == 130
    assert errors[-1] == "mesonet: interrupted"
    assert not any("Traceback" in line for line in errors)
