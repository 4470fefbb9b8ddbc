"""The exercises of the course: solutions pass their own, the file to start from and wrong answers fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mesonet.cli.verbs import main
from mesonet.conform.case import suites
from page_blocks import blocks

pytestmark = pytest.mark.slow

COURSE = suites()["course"]
PAGE = Path(__file__).parents[1] / "docs" / "tutorial" / "course.md"
GROWS = "if not round.in_recovery: self.cwnd += {}"
HALVES = "self.cwnd = max({} * self.cwnd, 1)"
DOUBLES = "self.cwnd = 2 * self.cwnd if self.starting else self.cwnd + 1"
DELAY = """if round.rtt and not round.in_recovery:
            above = round.rtt - round.min_rtt > {}
            self.starting = self.starting and not above
            self.cwnd = 2 * self.cwnd if self.starting else self.cwnd + (-1 if above else 1)"""
NOTHING = "pass"
UNMARKED = "if loss.cause != ECN: self.cwnd = max(0.5 * self.cwnd, 1)"
FIRST = "self.starting = False; self.cwnd = self.ssthresh = max(0.5 * self.cwnd, 2)"
SOLUTIONS = {
    "fixed": ("self.cwnd = 100", NOTHING, NOTHING),
    "increase": (NOTHING, GROWS.format(1), HALVES.format(0.5)),
    "decrease": (NOTHING, GROWS.format(1), FIRST),
    "slow-start": ("self.starting = True", "if not round.in_recovery: " + DOUBLES, FIRST),
    "marks": (NOTHING, GROWS.format(1), HALVES.format(0.5)),
    "delay": ("self.starting = True", DELAY.format(0.01), FIRST),
}
"""Bodies of `init`, `on_round` and `on_loss`, by exercise."""
WRONG = {
    "fixed": ("self.cwnd = 50", NOTHING, NOTHING),
    "increase": (NOTHING, GROWS.format(2), HALVES.format(0.5)),
    "decrease": (NOTHING, GROWS.format(1), "self.cwnd = self.ssthresh = max(0.7 * self.cwnd, 2)"),
    "slow-start": (NOTHING, GROWS.format(1), FIRST),
    "marks": (NOTHING, GROWS.format(1), UNMARKED),
    "delay": ("self.starting = True", DELAY.format(0.1), FIRST),
}
"""Answers that an exercise must refuse."""


def graded(folder: Path, text: str, only: str | None = None) -> dict[str, str]:
    """Return the verdicts on a file, by exercise."""
    file = folder / "my_cc.py"
    file.write_text(text)
    others = [case.about.name for case in COURSE.cases if only and case.about.id != only]
    skip = [word for name in others for word in ("--skip", name)]
    done = CliRunner().invoke(main, ["conform", f"{file}:Mine", "--no-contract", "--cases", "course", "--json", *skip])
    found = json.loads(done.stdout)
    assert done.exit_code == int(any(each["verdict"] == "fail" for each in found["findings"]))
    return {each["id"]: each["verdict"] for each in found["findings"]}


def answer(init: str, on_round: str, on_loss: str) -> str:
    """Return a file of the three functions."""
    return f"""from mesonet.plugins.per_round import ECN, TIMEOUT, PerRound


class Mine(PerRound):
    def init(self, config, start):
        {init}

    def on_round(self, config, round):
        {on_round}

    def on_loss(self, config, loss):
        {on_loss}
"""


def test_the_file_to_start_from_fails_all(tmp_path: Path) -> None:
    start = next(block.code for block in blocks(PAGE) if block.mark == "file=my_cc.py")
    assert graded(tmp_path, start) == dict.fromkeys(SOLUTIONS, "fail")


def test_the_page_names_every_exercise() -> None:
    assert "`self.ssthresh`" in PAGE.read_text("utf-8"), "two exercises read it"
    names = [case.about.name for case in COURSE.cases]
    assert [name.removeprefix("course/") for name in names] == [*SOLUTIONS]
    assert all(f"`{name}`" in PAGE.read_text("utf-8") for name in names)


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_solution_passes(tmp_path: Path, name: str) -> None:
    assert graded(tmp_path, answer(*SOLUTIONS[name]), name)[name] == "pass"


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_fails(tmp_path: Path, name: str) -> None:
    assert graded(tmp_path, answer(*WRONG[name]), name)[name] == "fail"
