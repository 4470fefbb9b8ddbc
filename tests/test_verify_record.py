"""The record of ``mesonet verify``: what was measured before counts as long as its campaigns are the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from mesonet.cli.verbs import main
from mesonet.errors import InputError
from verification.scorecard.campaigns import Campaigns
from verification.scorecard.measurements import Measurement
from verification.scorecard.record import Record, RecordedNumber, commands, read_record
from verification.scorecard.scorecard import RECORD, Scorecard, load_scorecard

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent.parent / "verification"
CARD = load_scorecard(FOLDER).chosen(["D5"], quick=False)
CLAIM = CARD.claims[0]
NUMBER = next(number for number in CLAIM.numbers if number.strictness == "S4")


def card(record: Record) -> Scorecard:
    return Scorecard((replace(CLAIM, numbers=(NUMBER,)),), CARD.entries, record)


def recorded(measurement: Measurement) -> RecordedNumber:
    made_by = commands(NUMBER, CARD.entries)
    return RecordedNumber(
        CLAIM.id, NUMBER.name, NUMBER.measure, NUMBER.of, made_by, dict.fromkeys(made_by, "0123abcd"), measurement
    )


def judged(record: Record, tmp_path: Path) -> tuple[str, str]:
    (found,) = card(record).judge(Campaigns(CARD.entries, tmp_path))[CLAIM.id]
    return found.verdict, found.recorded


def test_the_page_follows_from_the_record_and_the_claims(tmp_path: Path) -> None:
    page = tmp_path / "RESULTS.md"
    options = ["--campaigns", str(tmp_path / "none"), "--longest", "0", "--out", str(page)]
    shown = CliRunner().invoke(main, ["verify", *options])
    assert shown.exit_code == 0, shown.output
    assert page.read_text() == (FOLDER / "RESULTS.md").read_text(), "write it: see verification/README.md"
    assert (tmp_path / RECORD).read_text() == (FOLDER / RECORD).read_text()


def test_the_verdict_on_what_is_recorded_is_judged_anew(tmp_path: Path) -> None:
    least, most = NUMBER.limits
    inside = min(max(0.0, least), most)
    for mean, verdict in ((inside, "reproduced"), (least - 1 if least > float("-inf") else most + 1, "not reproduced")):
        row = recorded(Measurement(mean, mean, mean, 3))
        assert judged(Record({row.key: row}), tmp_path) == (verdict, "0123abcd")


def test_a_sign_from_the_record_needs_its_seeds(tmp_path: Path) -> None:
    row = recorded(Measurement(0.0, seeds=1))
    assert judged(Record({row.key: row}), tmp_path)[0] == "not evaluated"


def test_a_measurement_of_another_campaign_does_not_count(tmp_path: Path) -> None:
    row = recorded(Measurement(0.0, 0.0, 0.0, 3))
    other = replace(row, commands={name: command + " --seed 2" for name, command in row.commands.items()})
    assert judged(Record({other.key: other}), tmp_path) == ("not evaluated", "")


def test_what_could_not_be_measured_stays_so(tmp_path: Path) -> None:
    row = recorded(Measurement(None, reason="12 flows; 30 are the fewest"))
    (found,) = card(Record({row.key: row})).judge(Campaigns(CARD.entries, tmp_path))[CLAIM.id]
    assert (found.verdict, found.reason) == ("not evaluated", "12 flows; 30 are the fewest")


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    row = recorded(Measurement(0.1 + 0.2, 0.1, 0.5, 3))
    Record({row.key: row}).write(tmp_path / RECORD)
    assert read_record(tmp_path / RECORD) == Record({row.key: row})
    assert read_record(tmp_path / "none.json") == Record()


@pytest.mark.parametrize("text", ["", '{"claim": "D5"}', '[{"claim": "D5"}]', "[1]", "1"])
def test_a_broken_record_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / RECORD).write_text(text)
    with pytest.raises(InputError, match="no record of measurements"):
        read_record(tmp_path / RECORD)


def test_measuring_part_of_the_claims_keeps_the_rest(tmp_path: Path) -> None:
    whole = load_scorecard(FOLDER)
    part = whole.chosen(["T"], quick=False)
    campaigns = Campaigns(part.entries, tmp_path)
    assert part.measured(part.judge(campaigns), campaigns).rows.keys() == whole.record.rows.keys()


def test_a_number_that_changed_is_no_longer_recorded(tmp_path: Path) -> None:
    row = recorded(Measurement(0.0, 0.0, 0.0, 3))
    other = replace(row, of={**row.of, "condition": 99})
    changed = card(Record({other.key: other}))
    campaigns = Campaigns(CARD.entries, tmp_path)
    assert not changed.measured(changed.judge(campaigns), campaigns).rows


def test_a_campaign_that_was_recorded_has_its_code(tmp_path: Path) -> None:
    row = recorded(Measurement(0.0, 0.0, 0.0, 3))
    entry = CARD.entries[NUMBER.campaigns[0]]
    assert Record({row.key: row}).code(entry) == "0123abcd"
    assert Record({row.key: row}).code(replace(entry, options={"seed": 2})) is None
