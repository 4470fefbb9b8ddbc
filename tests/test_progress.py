from __future__ import annotations

import io
import sys

import pytest

from mesonet import progress as module
from mesonet.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_short_tasks_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Progress("task") as progress:
        progress.update(1, 2)
    assert sys.stderr.getvalue() == ""


def test_plain_lines_now_and_then_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 10.0, 10.0, 10.0, 11.0, 11.0, 12.0, 100.0, 100.0, 100.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with Progress("task") as progress:
        progress.update(1, 4, "1 of 4 runs")  # at 10 s: 30 s left
        progress.update(2, 4)  # too soon after the first line
        progress.update(3, 4)
    lines = sys.stderr.getvalue().splitlines()
    assert lines[0] == "task: 25% after 10 s, about 30 s left; 1 of 4 runs"
    assert len(lines) <= 2


def test_time_left_is_told_by_what_was_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 11.0, 11.0, 11.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with Progress("task") as progress:
        progress.update(50, 100)  # half of it was found done, by a snapshot
        progress.update(60, 100)
    assert sys.stderr.getvalue() == "task: 60% after 11 s, about 40 s left\n"


def test_bar_with_the_time_left_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUIET_S", -1.0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with Progress("task") as progress:
        progress.update(1, 2, "1 of 2 runs")
    shown = sys.stderr.getvalue()
    assert "50 %" in shown
    assert "left" in shown
    assert "1 of 2 runs" in shown


def test_disabled_progress_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUIET_S", -1.0)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with Progress("task", enabled=False) as progress:
        progress.update(1, 2)
    assert sys.stderr.getvalue() == ""
