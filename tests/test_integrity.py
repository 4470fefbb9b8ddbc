"""Bit rot: every changed file of a run is noticed, the run is made again, and nothing is deleted."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import mesonet as mn
from mesonet.campaign.documents import Attempt, FailureDocument
from mesonet.campaign.integrity import DAMAGED, set_aside_damaged
from mesonet.campaign.leases import Leases, sweep
from mesonet.campaign.ledger import Ledger, planned
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.files import checksums

FLIPS = 150


@pytest.fixture
def campaign(one_factor_campaign: Path, tmp_path: Path) -> Path:
    """A copy of a finished campaign of two runs."""
    return shutil.copytree(one_factor_campaign, tmp_path / "out")


def folders(campaign: Path) -> list[Path]:
    return sorted((campaign / "runs").iterdir())


def contents(campaign: Path) -> dict[str, dict[str, bytes]]:
    """The tables of every run; records differ in times."""
    return {each.name: {file.name: file.read_bytes() for file in each.glob("*.parquet")} for each in folders(campaign)}


def verified(campaign: Path) -> tuple[int, dict[str, object]]:
    done = command("status", str(campaign), "--verify", "--json")
    return done.exit_code, json.loads(done.stdout)


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["experiment", *arguments])


def flip(file: Path, place: int) -> None:
    data = bytearray(file.read_bytes())
    data[place // 8] ^= 1 << (place % 8)
    file.write_bytes(data)


def without_checksums(campaign: Path) -> None:
    """Make a campaign as earlier code left it."""
    for folder in folders(campaign):
        record = json.loads((folder / "run.json").read_text())
        assert set(record.pop("checksums")) == {file.name for file in folder.iterdir()}
        (folder / "run.json").write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")


@pytest.mark.parametrize("name", ["responses.parquet", "groups.parquet", "run.json"])
def test_every_flipped_bit_is_noticed_when_the_campaign_is_read(campaign: Path, name: str) -> None:
    file = folders(campaign)[0] / name
    sound = file.read_bytes()
    chance = random.Random(1)
    for _ in range(FLIPS):
        flip(file, chance.randrange(8 * len(sound)))
        with pytest.raises(InputError, match=str(file)):
            _ = mn.load(campaign).groups
        file.write_bytes(sound)
    assert mn.load(campaign).counts["done"] == 2


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a flipped bit of responses": lambda folder: flip(folder / "responses.parquet", 4000),
    "a flipped bit of groups": lambda folder: flip(folder / "groups.parquet", 4000),
    "a flipped bit of the record": lambda folder: flip(folder / "run.json", 4000),
    "truncated": lambda folder: (folder / "responses.parquet").write_bytes(b"PAR1"),
    "empty": lambda folder: (folder / "responses.parquet").write_bytes(b""),
    "no table": lambda folder: (folder / "groups.parquet").unlink(),
    "no responses": lambda folder: (folder / "responses.parquet").unlink(),
    "no record": lambda folder: (folder / "run.json").unlink(),
    "an empty record": lambda folder: (folder / "run.json").write_bytes(b""),
    "a power cut": lambda folder: [each.write_bytes(b"") for each in folder.iterdir()],
    "a table of another run": lambda folder: shutil.copy(
        next(each for each in folder.parent.iterdir() if each != folder) / "responses.parquet", folder
    ),
}


@pytest.mark.process
@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_runs_are_made_again_and_their_files_kept(campaign: Path, damage: str) -> None:
    before = contents(campaign)
    folder = folders(campaign)[1]
    DAMAGE[damage](folder)
    broken = {file.name: file.read_bytes() for file in folder.iterdir()}
    code, found = verified(campaign)
    assert code == 1
    assert [each["key"] for each in found["damaged"]] == [folder.name]
    assert (found["verified"], found["done"], found["missing"], found["set_aside"]) == (1, 1, 1, 0)
    again = command("run", str(campaign), "--workers", "1", "--json")
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["set_aside"] == 1
    assert contents(campaign) == before, "the run that is made again has the bytes of the first"
    kept = campaign / DAMAGED / f"{folder.name}-1"
    assert {file.name: file.read_bytes() for file in kept.iterdir()} == broken
    code, found = verified(campaign)
    assert code == 0
    assert (found["verified"], found["damaged"], found["without_checksums"]) == (2, [], 0)
    assert mn.load(campaign).counts == {"done": 2, "failed": 0, "missing": 0}


@pytest.mark.parametrize(("wall_s", "forced"), [(0.02, 0), (2.0, 2)])
def test_only_runs_of_a_second_wait_for_the_disk(tmp_path: Path, monkeypatch, wall_s: float, forced: int) -> None:
    waits: list[int] = []
    monkeypatch.setattr(os, "fsync", waits.append)
    with Ledger(tmp_path).writing("a" * 32, wall_s) as aside:
        (aside / "responses.parquet").write_bytes(b"x")
    assert len(waits) == forced
    assert len(list((tmp_path / "runs" / ("a" * 32)).iterdir())) == 1


@pytest.mark.process
def test_files_of_every_damage_are_kept(campaign: Path) -> None:
    name = folders(campaign)[0].name
    for _ in range(2):
        flip(campaign / "runs" / name / "responses.parquet", 4000)
        assert command("run", str(campaign), "--workers", "1").exit_code == 0
    assert sorted(each.name for each in (campaign / DAMAGED).iterdir()) == [f"{name}-1", f"{name}-2"]


def test_sound_runs_stay_as_they_are(campaign: Path) -> None:
    records = [(each / "run.json").read_bytes() for each in folders(campaign)]
    assert command("run", str(campaign)).exit_code == 0
    assert [(each / "run.json").read_bytes() for each in folders(campaign)] == records
    assert not (campaign / DAMAGED).exists()


def test_a_run_that_another_runner_makes_again_stays(campaign: Path) -> None:
    ledger = Ledger(campaign)
    code = ledger.provenance()["versions"]["code_version"]
    runs = planned(ledger.document(), code)
    flip(ledger.runs / runs[0].key / "responses.parquet", 4000)
    with Leases(ledger.runs) as others:
        assert others.take(runs[0].key)
        assert set_aside_damaged(ledger, runs, ledger.statuses()) == {}
    assert list(set_aside_damaged(ledger, runs, ledger.statuses())) == [runs[0].key]


@pytest.mark.process
def test_campaigns_of_earlier_code_work_and_their_unreadable_files_are_noticed(campaign: Path) -> None:
    values = mn.load(campaign).responses
    without_checksums(campaign)
    code, found = verified(campaign)
    assert (code, found["verified"], found["without_checksums"], found["damaged"]) == (0, 0, 2, [])
    assert "2 without checksums (made by earlier code)" in command("status", str(campaign), "--verify").output
    assert mn.load(campaign).responses.equals(values)
    table = folders(campaign)[0] / "groups.parquet"
    table.write_bytes(table.read_bytes()[:-100])
    assert verified(campaign)[0] == 1
    assert command("run", str(campaign), "--workers", "1").exit_code == 0
    assert verified(campaign)[1] | {"verified": 1, "without_checksums": 1, "damaged": []} == verified(campaign)[1]
    assert mn.load(campaign).responses.equals(values)


def test_the_error_names_the_file_and_the_way_out(campaign: Path) -> None:
    file = folders(campaign)[0] / "responses.parquet"
    flip(file, 4000)
    with pytest.raises(InputError) as raised:
        mn.load(campaign)
    message = str(raised.value)
    assert message.startswith(f"{file}: damaged: its checksum is wrong. Allowed: ")
    assert "`mesonet experiment run`" in message


def test_a_run_alone_has_checksums_too(tmp_path: Path) -> None:
    scenario = mn.scenario("dumbbell", algorithm="tcp", duration="1 s")
    folder = mn.simulate(scenario, seed=1).write(tmp_path / "one")
    record = json.loads((folder / "run.json").read_text())
    known = checksums.of_record(record)
    assert set(known) == {file.name for file in folder.iterdir()}
    for name in known:
        if name != checksums.RECORD:
            checksums.refuse_changed(folder / name, known)
    checksums.refuse_changed_document((folder / "run.json").read_bytes(), record, folder / "run.json")


@pytest.mark.parametrize("name", ["experiment.json", "provenance.json"])
def test_every_flipped_bit_of_a_document_of_the_campaign_is_noticed(campaign: Path, name: str) -> None:
    file = campaign / name
    sound = file.read_bytes()
    chance = random.Random(2)
    entry = 8 * sound.index(b'"checksums"')
    for place in [
        *range(entry, entry + 8 * len('"checksums"')),
        *(chance.randrange(8 * len(sound)) for _ in range(FLIPS)),
    ]:
        flip(file, place)
        with pytest.raises(InputError, match=str(file)):
            mn.load(campaign)
        file.write_bytes(sound)
    assert mn.load(campaign).counts["done"] == 2


def test_a_flipped_bit_of_a_failure_is_noticed_and_the_run_is_made_again(campaign: Path) -> None:
    ledger = Ledger(campaign)
    key = folders(campaign)[0].name
    shutil.rmtree(ledger.runs / key)
    failure = FailureDocument("broke", "", "", 1, [Attempt("broke", "then", "later", "here")])
    ledger.fail(key, failure)
    assert verified(campaign)[1]["failures"]
    file = ledger.runs / key / "failure.json"
    flip(file, 8 * file.read_bytes().index(b"broke"))
    assert [each["key"] for each in verified(campaign)[1]["damaged"]] == [key]


def damaged_experiments(file: Path) -> list[bytes]:
    """The file with a flipped bit in its values and in its checksum, and with its end or all of it lost."""
    sound = file.read_bytes()
    digest = checksums.claimed(sound, file.name)
    values = bytearray(sound)
    values[sound.index(b'"minus": "40') + len('"minus": "')] ^= 1
    other = sound.replace(digest.encode(), digest.translate({ord(digest[0]): "x"}).encode())
    # The beginning of the file has no whole checksum.
    return [bytes(values), other, sound[:-9], sound[:50], bytes(len(sound)), b""]


def test_the_command_that_began_a_campaign_writes_its_damaged_experiment_again(
    campaign: Path, one_factor_campaign: Path
) -> None:
    file, began = campaign / "experiment.json", one_factor_campaign.parent / "one_factor.toml"
    sound = file.read_bytes()
    for number, broken in enumerate(damaged_experiments(file), start=1):
        file.write_bytes(broken)
        assert command("run", str(campaign)).exit_code == 2, "the folder alone does not have the experiment"
        again = command("run", str(began), "--out", str(campaign), "--json")
        assert again.exit_code == 0, again.output
        assert json.loads(again.stdout)["done"] == 2
        assert file.read_bytes() == sound
        assert (campaign / DAMAGED / f"experiment.json-{number}").read_bytes() == broken
        assert json.loads(again.stdout)["set_aside"] == 0, "no run is damaged"


@pytest.mark.parametrize("damage", [0, -1])
def test_another_experiment_does_not_replace_a_damaged_one(campaign: Path, one_factor: Path, damage: int) -> None:
    file = campaign / "experiment.json"
    broken = damaged_experiments(file)[damage]
    file.write_bytes(broken)
    one_factor.write_text(one_factor.read_text().replace("seed = 5", "seed = 6"))
    refused = command("run", str(one_factor), "--out", str(campaign))
    assert refused.exit_code == 2
    assert f"{file}: {'damaged: its checksum is wrong' if broken else 'not JSON'}" in refused.stderr
    assert file.read_bytes() == broken


def test_an_experiment_that_a_user_changed_is_read_without_its_checksum(campaign: Path) -> None:
    file = campaign / "experiment.json"
    document = json.loads(file.read_text())
    file.write_text(json.dumps({**document, "title": "Another title"}))
    with pytest.raises(InputError, match=r"changed.*remove.* `checksums`"):
        mn.load(campaign)
    del document["checksums"]
    file.write_text(json.dumps({**document, "title": "Another title"}))
    assert mn.load(campaign).title == "Another title"


def traced(campaign: Path) -> Path:
    """A run with traces beside the runs, as a report makes it."""
    scenario = mn.scenario("dumbbell", algorithm="tcp", duration="1 s").set("trace.routers", "all")
    return mn.simulate(scenario, seed=1).write(campaign / "replay" / "x")


@pytest.mark.parametrize("name", ["router_traces.parquet", "routers.parquet", "series.parquet", "run.json"])
def test_flipped_bits_of_runs_with_traces_are_noticed_and_the_runs_set_aside(campaign: Path, name: str) -> None:
    file = traced(campaign) / name
    assert verified(campaign)[0] == 0
    sound = file.read_bytes()
    chance = random.Random(3)
    for _ in range(6):
        file.write_bytes(sound)
        flip(file, chance.randrange(8 * len(sound)))
        code, found = verified(campaign)
        assert (code, [each["key"] for each in found["damaged"]]) == (1, ["replay/x"])
        assert str(file) in found["damaged"][0]["reason"]
        assert (found["verified"], found["done"]) == (2, 2)
    broken = file.read_bytes()
    assert command("run", str(campaign)).exit_code == 0
    assert verified(campaign)[0] == 0
    assert (campaign / DAMAGED / "replay-x-1" / name).read_bytes() == broken
    assert not (campaign / "replay" / "x").exists(), "the next report makes it again"


def test_a_missing_file_of_a_run_with_traces_is_damage(campaign: Path) -> None:
    (traced(campaign) / "series.parquet").unlink()
    assert verified(campaign)[0] == 1
    assert command("run", str(campaign)).exit_code == 0
    assert verified(campaign)[0] == 0


def test_what_killed_processes_leave_is_removed(campaign: Path, tmp_path: Path) -> None:
    left = [f"{folder}.mesonet-abc" for folder in ("", "analysis/", "analysis/figures/network/", "replay/x/")]
    for each in left:
        (campaign / each).mkdir(parents=True)
        (campaign / each / "report.html").touch()
    (tmp_path / "mine" / ".mesonet-abc").mkdir(parents=True)
    (campaign / "analysis" / "link").symlink_to(tmp_path / "mine")
    (campaign / ".mesonet-link").symlink_to(tmp_path / "mine")
    (campaign / "runs" / ".takeover").touch()
    for each in (*left, ".mesonet-link", "runs/.takeover"):
        os.utime(campaign / each, (1, 1), follow_symlinks=False)
    os.utime(tmp_path / "mine" / ".mesonet-abc", (1, 1))
    (campaign / ".mesonet-new").mkdir()
    assert command("run", str(campaign)).exit_code == 0
    assert [str(each.relative_to(campaign)) for each in campaign.rglob(".*")] == [".mesonet-new"], "it may be in use"
    assert (tmp_path / "mine" / ".mesonet-abc").is_dir()


def test_a_takeover_leaves_no_lock(tmp_path: Path) -> None:
    (tmp_path / ".lease-x").write_text("")
    os.utime(tmp_path / ".lease-x", (1, 1))
    sweep(tmp_path)
    assert not list(tmp_path.iterdir())
