"""What a person sees without a report: verdicts after the runs of an experiment, and the whole of the help."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import mesonet as mn
from mesonet.cli.main import main


def shown(*words: object, width: int = 120) -> str:
    done = CliRunner().invoke(main, list(map(str, words)), env={"COLUMNS": str(width)}, terminal_width=width)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_verdicts_of_a_finished_campaign(tiny_campaign: Path) -> None:
    verdicts = mn.verdict(mn.load(tiny_campaign))
    names = mn.load(tiny_campaign).algorithms
    assert [each["algorithm"] for each in verdicts] == [name for name in names if name != "tcp"]
    assert all(each["why"] and each["responses"] for each in verdicts)
    assert json.loads(shown("experiment", "run", tiny_campaign, "--json"))["verdicts"] == verdicts

    text = shown("experiment", "run", tiny_campaign)
    assert "tcp replaced by" in text
    assert all(each["verdict"] in text for each in verdicts)
    assert f"next: mesonet report {tiny_campaign}" in text
    assert "verdict" not in shown("experiment", "status", tiny_campaign)


def test_a_campaign_of_one_algorithm_has_no_verdict(one_factor_campaign: Path) -> None:
    assert mn.verdict(mn.load(one_factor_campaign)) == []
    assert "next: mesonet report" in shown("experiment", "run", one_factor_campaign)


def test_an_incumbent_that_is_not_there_is_refused(tiny_campaign: Path) -> None:
    with pytest.raises(mn.InputError, match="vegas"):
        mn.verdict(mn.load(tiny_campaign), against="vegas")


@pytest.mark.parametrize("width", [80, 120])
def test_the_list_of_commands_is_not_cut(width: int) -> None:
    text = " ".join(shown("--help", width=width).split())
    assert (
        "design Show which effects a two-level design separates: the design of EXPERIMENT, or the best one known."
        in text
    )
    assert "a mix" not in text  # of the verb run alone
    assert text.count("...") == 2, "the usage, and the list of what can be listed"


def test_the_help_uses_a_wide_terminal() -> None:
    assert max(map(len, shown("run", "--help", width=200).splitlines())) > 90
