from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from mesonet import progress as module
from mesonet.campaign.agenda import Agenda
from mesonet.campaign.backlog import Backlog
from mesonet.campaign.cost import Expected
from mesonet.campaign.ledger import Ledger, Run
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


class Shown(Progress):
    """Records its input."""

    def update(self, done: float, total: float, note: str = "") -> None:
        self.last = (done, total, note)


def test_a_campaign_counts_what_is_done_of_the_runs_in_flight(tmp_path: Path) -> None:
    runs = [Run(condition, "tcp", 1, 1, f"{condition}" * 64, "{}", "0" * 32) for condition in (1, 2)]
    todo = Backlog(Ledger(tmp_path), "campaign", None, runs, Expected({"expected_cost": [3.0, 1.0]}), 3)
    shown = Shown("campaign")
    agenda = Agenda(todo, shown)
    first = agenda.next()
    agenda.follow(first, lambda: 0.5)
    agenda.show()
    assert shown.last == (1.5, 4.0, "0 of 2 runs")
    agenda.end(first, "stopped")
    assert shown.last == (0.0, 4.0, "0 of 2 runs"), "what was stopped is as missing as before"
    second = agenda.next()
    agenda.follow(second, lambda: 0.25)
    agenda.show()
    assert shown.last == (0.25, 4.0, "0 of 2 runs")
    agenda.end(second, "done")
    assert shown.last == (1.0, 4.0, "1 of 2 runs")


def test_the_first_moments_of_a_task_say_nothing_of_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job of a minute that begins slowly was said to take days."""
    clock = iter([0.0, 1.0, 5.0, 5.0, 5.0, 40.0, 40.0, 40.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with Progress("task") as progress:
        progress.update(0, 1)
        progress.update(1e-5, 1)
        progress.update(0.6, 1)
    assert sys.stderr.getvalue() == "task: 0% after 5 s\ntask: 60% after 40 s, about 26 s left\n"


def test_after_some_minutes_a_long_task_says_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.0, 600.0, 600.0, 600.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with Progress("task") as progress:
        progress.update(0, 1)
        progress.update(0.01, 1)
    assert sys.stderr.getvalue() == "task: 1% after 10 min, about 16 h 30 min left\n"


def test_a_slow_first_step_gives_no_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """100,000 flows: the first step of the simulator takes minutes, all others seconds. Times of a run, times 200."""
    clock = iter([0.0, 360.0, 360.0, 360.0, 361.0, 361.0, 600.0, 600.0, 600.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with Progress("task") as progress:
        progress.update(0.001, 20)
        progress.update(0.002, 20)  # too soon after the first line
        progress.update(9.644, 20)
    assert sys.stderr.getvalue() == "task: 0% after 6 min\ntask: 48% after 10 min, about 4 min left\n"


def test_every_finished_run_scales_the_expected_cost_of_the_others() -> None:
    costs = Expected({"expected_cost": [3.0, 1.0, 2.0]})
    assert costs.of(1) == 3.0
    costs.learn(1, 6.0)
    assert costs.of(2) == pytest.approx(2.0)
    costs.learn(2, 8.0)
    assert (costs.of(1), costs.of(2)) == (6.0, 8.0)
    assert costs.of(3) == pytest.approx(2 * (2 * 8) ** 0.5), "the geometric mean of both scales"
