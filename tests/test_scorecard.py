"""The scorecard of the published claims: what it refuses, and that verdicts follow from numbers."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType

import pytest

CLAIM = """
id = "T1"
claim = "Two numbers."
source = "a test"
setup = "none"
kind = "independent"

[[values]]
name = "ours"
measure = "share"
of = { experiment = "none", algorithm = "tcp", flow = 1, span = [0, 1] }
published = 0.5
absolute = 0.1
class = "S2"
unit = "1"
because = "of the test"
"""


@pytest.fixture
def scorecard(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "verification"))
    import scorecard

    return scorecard


def written(folder: Path, text: str) -> Path:
    (folder / "T1.toml").write_text(text)
    return folder / "T1.toml"


@pytest.mark.parametrize(
    ("limits", "strictness", "measured", "verdict"),
    [
        ("absolute = 0.1", "S2", 0.59, "reproduced"),
        ("absolute = 0.1", "S2", 0.61, "not reproduced"),
        ("relative = 0.1", "S2", 0.56, "not reproduced"),
        ("least = 0.6", "S4", 0.7, "reproduced"),
        ("most = 0.6", "S4", 0.7, "not reproduced"),
        ("absolute = 0.1", "S2", float("nan"), "not reproduced"),
        ("", "S5", 9.0, "for the record"),
    ],
)
def test_the_verdict_follows_from_the_number(
    scorecard: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limits: str,
    strictness: str,
    measured: float,
    verdict: str,
) -> None:
    text = CLAIM.replace("absolute = 0.1", limits).replace('"S2"', f'"{strictness}"')
    monkeypatch.setitem(scorecard.MEASURES, "share", lambda campaigns, **of: measured)
    (found,) = scorecard.judge(scorecard.load(written(tmp_path, text)), None)
    assert found.verdict == verdict
    assert scorecard.reproduced([found]) == (verdict != "not reproduced")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('id = "T1"', 'id = "T2"', "id is not the name of the file"),
        ('source = "a test"\n', "", "missing source"),
        ('kind = "independent"', 'kind = "independent"\nverdict = "reproduced"', "unknown verdict"),
        ("absolute = 0.1", "", "needs relative, absolute, least or most"),
        ("absolute = 0.1", "tolerance = 0.1", r"unknown values\[0\].tolerance"),
        ('measure = "share"', 'measure = "luck"', "measure"),
    ],
)
def test_a_claim_that_is_not_one_is_refused(
    scorecard: ModuleType, tmp_path: Path, old: str, new: str, says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        scorecard.load(written(tmp_path, CLAIM.replace(old, new)))


@pytest.mark.parametrize(("of", "to", "ratio"), [(100, 200, 0.5), (100, 0, 4.0), (0, 0, 0.0)])
def test_convergence_from_the_start_is_no_division_by_zero(
    scorecard: ModuleType, monkeypatch: pytest.MonkeyPatch, of: float, to: float, ratio: float
) -> None:
    import measures

    monkeypatch.setattr(measures, "convergence", lambda _, __, name, ___: {"first": of, "second": to}[name])
    assert measures.earlier_convergence(None, "first", "second", "none", (250, 1000)) == ratio


def test_every_claim_names_a_measure_with_its_arguments(scorecard: ModuleType) -> None:
    claims = scorecard.load_all()
    assert {f"B{number}" for number in range(1, 17)} <= {claim.id for claim in claims}
    for claim in claims:
        for value in claim.values:
            inspect.signature(scorecard.MEASURES[value.measure]).bind(None, **value.of)
