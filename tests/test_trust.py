"""A campaign folder of others runs no program of theirs without a word of the user."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import mesonet as mn
from fragments import holds
from mesonet import core
from mesonet.campaign import runner
from mesonet.campaign.ledger import Ledger, planned
from mesonet.campaign.trust import is_trusted, trust
from mesonet.cli.verbs import main

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state of a user who has run nothing yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "mesonet" / "trusted"


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """A campaign of a command, begun by this user: it leaves a mark beside itself whenever it runs."""
    script = "import json, pathlib, sys; pathlib.Path(__file__).with_name('ran').touch(); print(json.dumps({'y': 1.0}))"
    (tmp_path / "x.toml").write_text(
        'name = "x"\ntitle = "x"\nmodel = {command = ["python3", "model.py"]}\n[responses]\ny = "1"\n'
        '[[factors]]\nid = "a"\nminus = 0.0\nplus = 1.0\n'
    )
    (tmp_path / "model.py").write_text(script)
    mn.experiment(tmp_path / "x.toml").run(tmp_path / "out", workers=1, progress=False)
    (tmp_path / "ran").unlink()
    return tmp_path / "out"


def run(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["experiment", "run", str(folder), "--workers", "1", *options])


def begun(folder: Path) -> Path:
    """The folder with a run left to make."""
    shutil.rmtree(next(each for each in (folder / "runs").iterdir() if not each.name.startswith(".")))
    return folder


def test_the_own_campaign_continues_without_a_question(campaign: Path) -> None:
    assert run(begun(campaign)).exit_code == 0
    assert (campaign.parent / "ran").exists()


def test_a_folder_of_others_wants_trust_once(campaign: Path, tmp_path: Path, state: Path) -> None:
    other = begun(Path(shutil.copytree(campaign, tmp_path / "theirs")))
    refused = run(other)
    assert refused.exit_code == 2
    assert holds(refused.stderr, "not run before", 'the command "python3" "model.py" in "')
    assert "--trust" in refused.stderr
    assert not (tmp_path / "ran").exists()
    assert run(other, "--trust").exit_code == 0
    assert (tmp_path / "ran").exists()
    assert run(begun(other)).exit_code == 0, "trusted from now on"
    assert len(state.read_text().split()) == 2


def test_another_command_in_a_trusted_folder_wants_trust_again(campaign: Path, tmp_path: Path) -> None:
    document = json.loads((campaign / "experiment.json").read_text())
    document["model"]["command"] = ["python3", "-c", "open('pwned', 'w')"]
    del document["checksums"]
    (campaign / "experiment.json").write_text(json.dumps(document))
    refused = run(campaign)
    assert refused.exit_code == 2
    assert "open('pwned', 'w')" in refused.stderr
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("changed", ["model.py", "helper.py"])
@pytest.mark.parametrize("version", ["", ', version = "1"'])
def test_trust_ends_when_the_files_change(campaign: Path, tmp_path: Path, changed: str, version: str) -> None:
    file = tmp_path / "x.toml"
    file.write_text(file.read_text().replace('"model.py"]', f'"model.py"]{version}'))
    (tmp_path / "model.py").write_text("import helper\n" + (tmp_path / "model.py").read_text())
    (tmp_path / "helper.py").touch()
    mn.experiment(file).run(tmp_path / "other", workers=1, progress=False)
    assert run(begun(tmp_path / "other")).exit_code == 0
    begun(tmp_path / "other")
    (tmp_path / "other" / "provenance.json").unlink()
    (tmp_path / "ran").unlink()
    (tmp_path / changed).write_text((tmp_path / changed).read_text() + "\n")
    refused = run(tmp_path / "other")
    assert refused.exit_code == 2
    assert holds(refused.stderr, "changed since", "--trust")
    assert not (tmp_path / "ran").exists()
    assert run(tmp_path / "other", "--trust").exit_code == 0
    assert (tmp_path / "ran").exists()


def test_reading_a_folder_of_others_runs_nothing(campaign: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(campaign, tmp_path / "theirs"))
    for verb in (["experiment", "status", str(other), "--verify"], ["report", str(other)], ["export", str(other)]):
        CliRunner().invoke(main, verb)
    assert not (tmp_path / "ran").exists()


def test_networks_need_no_trust_and_no_place_to_record_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_trusted(tmp_path, None)
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    model = {"command": ["x"], "directory": str(tmp_path)}
    trust(tmp_path, model)
    assert not is_trusted(tmp_path, model)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of snapshots that the runs of each command find; no run is made."""
    found: list[int] = []
    monkeypatch.setattr(runner, "run_here", lambda todo, *_: found.append(len(todo.ledger.snapshots())))
    return found


def with_snapshot(folder: Path, document: Mapping[str, Any]) -> Path:
    """The campaign folder of a network, with a snapshot of a run."""
    ledger = Ledger.create(folder, document)
    ledger.snapshot(planned(document, core.code_version())[0].key).write_bytes(b"")
    return folder


def test_snapshots_of_a_folder_of_others_begin_anew(one_factor: Path, tmp_path: Path, seen: list[int]) -> None:
    theirs = with_snapshot(tmp_path / "theirs", mn.experiment(one_factor).document())
    for target in ([str(theirs)], [str(one_factor), "--out", str(theirs)]):
        done = CliRunner().invoke(main, ["experiment", "run", *target])
        assert done.exit_code == 0, done.output
        assert ("1 snapshot of a folder that you did not begin" in done.stderr) == (target == [str(theirs)])
    assert seen == [0, 0]
    with_snapshot(theirs, mn.experiment(one_factor).document())
    assert not run(theirs).stderr, "this user has run the folder"
    assert seen[2:] == [1]


def test_an_experiment_by_its_name_does_not_trust_the_folder(one_factor: Path, tmp_path: Path, seen: list[int]) -> None:
    theirs = with_snapshot(tmp_path / "theirs", mn.experiment(one_factor).document())
    mn.experiment(one_factor).run_missing(theirs, progress=False)
    assert seen == [0]


@pytest.mark.parametrize("recorded", [True, False])
def test_trusted_snapshots_are_used(
    one_factor: Path, tmp_path: Path, seen: list[int], monkeypatch: pytest.MonkeyPatch, recorded: bool
) -> None:
    if not recorded:
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    theirs = with_snapshot(tmp_path / "theirs", mn.experiment(one_factor).document())
    assert not run(theirs, "--trust").stderr
    assert ("you did not begin" in run(theirs).stderr) != recorded
    assert seen == [1, int(recorded)]


def test_own_snapshots_are_used_and_not_by_a_copy(one_factor: Path, tmp_path: Path, seen: list[int]) -> None:
    mn.experiment(one_factor).run_missing(tmp_path / "own", progress=False)
    with_snapshot(tmp_path / "own", mn.experiment(one_factor).document())
    assert not run(tmp_path / "own").stderr
    copy = Path(shutil.copytree(tmp_path / "own", tmp_path / "copy"))
    assert "1 snapshot of a folder" in run(copy).stderr
    assert seen == [0, 1, 0]
