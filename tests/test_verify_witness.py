"""Witnesses: what another simulator measured counts as long as the claim measures the same, and names the verdict."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mesonet.errors import InputError
from verification.measures import MEASURES
from verification.scorecard.campaigns import Campaigns
from verification.scorecard.claims import load_claim
from verification.scorecard.comparison import (
    COMPARED,
    Cause,
    Deviation,
    deviations,
    read_table,
    shown,
    spread,
    unexplained,
)
from verification.scorecard.measurements import Measurement
from verification.scorecard.scorecard import Scorecard, load_scorecard
from verification.scorecard.verdicts import NumberVerdict, Verdict, judge, of_claim
from verification.scorecard.witness import Witness, read_witness

FOLDER = Path(__file__).parent.parent / "verification"
CARD = load_scorecard(FOLDER)

CLAIM = """
id = "T1"
claim = "A number."
source = "a test"
setup = "none"
kind = "independent"
witness = "other"

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
VALUE: dict[str, Any] = {
    "claim": "T1", "number": "ours", "measure": "share",
    "of": {"experiment": "none", "algorithm": "tcp", "flow": 1, "span": [0, 1]},
    "mean": 0.5, "low": None, "high": None, "seeds": 0, "conditions": 0, "reason": "",
}  # fmt: skip
DOCUMENT = {"tool": "other", "version": "1.0", "command": "other run", "values": [VALUE]}


class Nothing:
    """Campaigns in which nothing depends on chance."""

    def of(self, replicate: int) -> Nothing:
        return self

    def is_random(self, name: str) -> bool:
        return False

    def unsettled(self, name: str) -> tuple[int, ...]:
        return ()


def written(folder: Path, document: object) -> Path:
    path = folder / "values.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def finding(folder: Path, monkeypatch: pytest.MonkeyPatch, ours: float, value: dict[str, Any]) -> NumberVerdict:
    monkeypatch.setitem(MEASURES, "share", lambda campaigns, experiment, algorithm, flow, span: ours)
    (folder / "T1.toml").write_text(CLAIM)
    witness = read_witness(written(folder, DOCUMENT | {"values": [value]}))
    (found,) = judge(load_claim(folder / "T1.toml"), Nothing(), witness=witness)  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        (0.5, 0.5, "reproduced"),
        (0.5, 0.9, "reproduced"),
        (0.9, 0.5, "reproduced by the witness only"),
        (0.9, 0.9, "reproduced by neither"),
        (0.9, None, "not reproduced"),
        (math.nan, 0.5, "not evaluated"),
    ],
)
def test_a_witness_tells_a_defect_from_an_unknown_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ours: float, theirs: float | None, verdict: str
) -> None:
    value = VALUE | {"mean": theirs, "reason": "" if theirs is not None else "nothing to measure"}
    found = finding(tmp_path, monkeypatch, ours, value)
    assert found.verdict == of_claim([found]) == verdict
    assert (found.witness, found.witnessed_by) == (theirs, "other 1.0")


@pytest.mark.parametrize(("low", "high", "seeds"), [(None, None, 1), (0.3, 0.45, 3)])
def test_a_witness_is_judged_by_the_rules_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, low: float | None, high: float | None, seeds: int
) -> None:
    value = VALUE | {"mean": 0.38, "low": low, "high": high, "seeds": seeds}
    found = finding(tmp_path, monkeypatch, 0.9, value)
    assert found.witness_verdict == "not reproduced"  # S2 needs no seeds
    sign = replace(load_claim(tmp_path / "T1.toml").numbers[0], strictness="S4")
    claim = replace(load_claim(tmp_path / "T1.toml"), numbers=(sign,))
    witness = read_witness(written(tmp_path, DOCUMENT | {"values": [value]}))
    (found,) = judge(claim, Nothing(), witness=witness)  # type: ignore[arg-type]
    assert found.witness_verdict == "not evaluated"  # too few seeds, or an interval that holds the limit
    assert found.verdict == "not reproduced"


def test_a_number_that_changed_has_no_witness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = finding(tmp_path, monkeypatch, 0.9, VALUE | {"of": VALUE["of"] | {"flow": 2}})
    assert (found.verdict, found.witness, found.witnessed_by) == ("not reproduced", None, "")


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        (["reproduced", "reproduced by neither", "reproduced by the witness only"], "reproduced by the witness only"),
        (["reproduced by neither", "not reproduced", "not evaluated"], "not reproduced"),
        (["reproduced by neither", "not evaluated", "reproduced"], "reproduced by neither"),
    ],
)
def test_a_claim_has_its_worst_verdict(verdicts: list[Verdict], verdict: Verdict) -> None:
    findings = [NumberVerdict("T1", "ours", "", 0.0, None, None, 0, "1", "S2", each) for each in verdicts]
    assert of_claim(findings) == verdict


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "no JSON"),
        ([], "not a witness"),
        ({"tool": "other"}, "version: missing"),
        (DOCUMENT | {"tool": 3}, "tool = 3: not what it holds. Allowed: text"),
        (DOCUMENT | {"values": []}, r"values = \[\]: not what it holds"),
        (DOCUMENT | {"verdict": "reproduced"}, '"verdict": unknown key'),
        (DOCUMENT | {"values": [1]}, r"values\[0\] = 1: not a value"),
        (DOCUMENT | {"values": [VALUE | {"mean": "0.5"}]}, r'values\[0\].mean = "0.5".*Allowed: a number or null'),
        (DOCUMENT | {"values": [VALUE | {"mean": math.inf}]}, r"values\[0\].mean"),
        (DOCUMENT | {"values": [VALUE | {"mean": True}]}, r"values\[0\].mean"),
        (DOCUMENT | {"values": [VALUE | {"seeds": -1}]}, r"values\[0\].seeds = -1: negative"),
        (DOCUMENT | {"values": [VALUE | {"mean": None}]}, r"values\[0\].reason: empty"),
        (DOCUMENT | {"values": [VALUE, VALUE]}, r"values\[1\].number.*given twice"),
        (DOCUMENT | {"values": [{key: VALUE[key] for key in VALUE if key != "of"}]}, r"values\[0\].of: missing"),
    ],
)
def test_a_broken_witness_is_refused(tmp_path: Path, document: object, message: str) -> None:
    path = written(tmp_path, document)
    with pytest.raises(InputError, match=message) as refused:
        read_witness(path)
    assert refused.value.file == str(path)


def test_a_witness_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such witness"):
        read_witness(tmp_path / "values.json")


@pytest.mark.parametrize("name", ['"../other"', "3", '"Other"'])
def test_a_claim_names_a_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "T1.toml").write_text(CLAIM.replace('"other"', name))
    with pytest.raises(InputError, match="not a witness") as refused:
        load_claim(tmp_path / "T1.toml")
    assert refused.value.path == "witness"


def test_every_value_of_a_witness_belongs_to_a_claim() -> None:
    for name, witness in CARD.witnesses.items():
        known = sum(
            witness.of(claim.id, number) is not None
            for claim in CARD.claims
            if claim.witness == name
            for number in claim.numbers
        )
        assert known == len(witness.measurements), f"{name}: run its driver again: {witness.command}"


def test_the_scorecard_shows_the_witness(tmp_path: Path) -> None:
    claim = next(claim for claim in CARD.claims if claim.id == "G8")
    number = claim.numbers[0]
    key = json.dumps([claim.id, number.name, number.measure, number.of], sort_keys=True)
    witness = Witness("other", "1.0", "other run", {key: Measurement(0.99)})
    card = Scorecard((replace(claim, witness="other"),), CARD.entries, CARD.record, {"other": witness})
    campaigns = Campaigns(CARD.entries, tmp_path)
    findings = card.judge(campaigns)
    page = card.page(findings, campaigns)
    assert "| 0.99, reproduced (other 1.0) |" in page
    assert "reproduced by the witness only | reproduced by neither" in page
    header, rows = card.rows(findings)
    assert rows[0][header.index("witness")] == "0.99, reproduced (other 1.0)"
    assert card.document(findings)[0]["values"][0]["witness_verdict"] == "reproduced"


ROW = {"line": "T1", "connections": 8, "buffer_packets": 60} | dict.fromkeys(COMPARED, 0.5)


def test_tables_are_compared_row_by_row() -> None:
    key = ("T1", 8, 60)
    witness = {key: dict.fromkeys(COMPARED, 0.5)}
    other = {key: dict.fromkeys(COMPARED, 0.6)}
    found = deviations([ROW | {"loss": 0.6, "jain": 0.57}, ROW | {"connections": 9}], witness, {})
    assert [each.number for each in found] == list(COMPARED)
    assert {each.number: each.within for each in found} == dict.fromkeys(COMPARED, True) | {"loss": False}
    assert found[0].relative == pytest.approx(0.2)
    assert all(each.within for each in deviations([ROW | {"loss": 0.6}], witness, spread([witness, other])))
    assert "0.600 / 0.500*" in shown(found)
    (left,) = unexplained(found, [])
    assert left.number == "loss"
    assert unexplained(found, [Cause("T1", ("jain",), (1, 600), "another number")]) == [left]
    assert unexplained(found, [Cause("T1", ("loss",), (9, 600), "other rows")]) == [left]
    assert unexplained(found, [Cause("T1", ("loss",), (1, 8), "this row")]) == []
    assert Deviation(key, "loss", 0.1, 0.0, 0.0).relative == math.inf
    assert Deviation(key, "loss", 0.0, 0.0, 0.0).relative == 0
    with pytest.raises(InputError, match="no row in common"):
        deviations([ROW | {"line": "ISDN"}], witness, {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("line,connections\nT1,8\n", "row 1.buffer_packets: missing"),
        (",".join(ROW) + "\nT1,8,60,0.1,x,0,1,0\n", "row 1.buffer_sd = .*no number"),
    ],
)
def test_a_broken_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "many-flows.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as refused:
        read_table(path)
    assert refused.value.file == str(path)
