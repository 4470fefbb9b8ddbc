"""Controls of evidence reports: harmful algorithms fail the criteria made for them, equal algorithms pass all."""

from __future__ import annotations

from pathlib import Path

import pytest

from mesonet.analysis.decisions.decision import BETTER, WORSE
from mesonet.evidence.evaluation import evaluate
from mesonet.evidence.plan import plan
from mesonet.evidence.verdicts import CriterionVerdict


def findings(algorithm: str, against: str, only: str | None, out: Path) -> dict[str, CriterionVerdict]:
    chosen = plan(algorithm, [against], 10, only, until_decided=True)
    _, found = evaluate(chosen, out, progress=False)
    return {each.criterion.id: each for each in found}


@pytest.mark.parametrize(
    ("algorithm", "against", "section"),
    [
        ("tcp(increase=4, decrease=0.2)", "tcp", "5.2.1"),  # aggressive: takes the share of others
        ("tcp(decrease=0.01)", "tcp", "5.2.1"),  # hardly backs off
        ("tcp(increase=8, decrease=0.1)", "tcp", "5.1.3"),  # loses what it sends
        ("scalable", "tcp", "5.2.1"),  # Kelly 2003 and RFC 5166 discuss its unfairness at high rates
        ("bbr", "cubic", "5.1.3"),  # RFC 9743, section 5.1.3, names BBR version 1
        ("bbr", "cubic", "5.2.1"),
        ("bbr", "cubic", "6"),
        ("dctcp(gain=0.0001, initial_alpha=0)", "tcp", "7.1"),  # ignores marks
        ("fast(alpha=100000)", "vegas", "5.1.2"),  # fills any buffer
        ("fast(alpha=100000)", "cubic", "5.2.2"),
    ],
)
def test_harmful_algorithms_fail(algorithm: str, against: str, section: str, tmp_path: Path) -> None:
    found = findings(algorithm, against, section, tmp_path / "report")[section]
    assert found.verdict == WORSE, found.why


@pytest.mark.parametrize("algorithm", ["tcp", "cubic"])
def test_an_algorithm_does_no_harm_to_itself(algorithm: str, tmp_path: Path) -> None:
    found = findings(algorithm, algorithm, None, tmp_path / "report")
    assert [section for section, each in found.items() if each.verdict in (WORSE, BETTER)] == []
