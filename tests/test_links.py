"""No file outside of a folder that somebody else made: nothing is written through links in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import mesonet as mn
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.evidence.plan import plan
from mesonet.evidence.report_runs import run
from mesonet.files import places
from mesonet.files.locks import FileLock, lock_file
from mesonet.simulation.checkpoint import Checkpoint

pytestmark = pytest.mark.process


@pytest.fixture
def campaign(one_factor_campaign: Path, tmp_path: Path) -> Path:
    """A copy of a finished campaign of two runs."""
    return shutil.copytree(one_factor_campaign, tmp_path / "theirs")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder of the user with a file; no command may change it."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("mine")
    return tmp_path / "mine"


def held(folder: Path) -> dict[str, tuple[str, int]]:
    """Content and time of the files of a folder, and the time of the folder."""
    return {str(each): (each.read_text() if each.is_file() else "", each.stat().st_mtime_ns)
            for each in (folder, *folder.rglob("*"))}  # fmt: skip


def command(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def linked(place: Path, target: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir():
        shutil.move(place, place.parent.parent / "moved")
    place.symlink_to(target)


REPORT, ANALYZE, EXPORT = ("report", "--no-live"), ("analyze", "--figures", "none"), ("export",)
RUN, VERIFY = ("experiment", "run"), ("experiment", "status", "--verify")
CASES = [
    *[(REPORT, name) for name in ("report.html", "replay", "runs")],
    *[(ANALYZE, name) for name in ("analysis", "analysis/tables", "analysis/index.md", "runs")],
    *[(EXPORT, name) for name in ("study.parquet", "runs")],
    *[(verb, "runs") for verb in (RUN, VERIFY)],
]


@pytest.mark.parametrize("target", ["a file", "a folder", "nothing"])
@pytest.mark.parametrize(("verb", "name"), CASES)
def test_nothing_is_written_through_a_link(
    campaign: Path, mine: Path, verb: tuple[str, ...], name: str, target: str
) -> None:
    linked(campaign / name, {"a file": mine / "notes", "a folder": mine, "nothing": mine / "new"}[target])
    before = held(mine)
    done = command(*verb, campaign)
    assert held(mine) == before
    assert (campaign / name).is_symlink()
    assert done.exit_code == 2, done.output
    assert f"{campaign / name}: a link" in done.stderr
    assert "--out" in done.stderr


@pytest.mark.parametrize("name", ["damaged", "damaged/KEY-1", "runs/KEY"])
def test_damaged_runs_are_not_set_aside_through_a_link(campaign: Path, mine: Path, name: str) -> None:
    key = next(each.name for each in (campaign / "runs").iterdir())
    place = campaign / name.replace("KEY", key)
    if name.startswith("damaged"):
        (campaign / "runs" / key / "responses.parquet").write_bytes(b"")
    linked(place, mine / "new")
    before = held(mine)
    done = command(*RUN, campaign, "--workers", "1")
    assert held(mine) == before
    assert (done.exit_code, "a link" in done.stderr) == ((2, True) if name == "damaged" else (0, False)), done.output


def test_an_experiment_is_not_restored_through_a_link(campaign: Path, one_factor_campaign: Path, mine: Path) -> None:
    (campaign / "experiment.json").write_bytes(b"")
    linked(campaign / "damaged" / "experiment.json-1", mine / "new")
    before = held(mine)
    done = command("experiment", "run", one_factor_campaign.parent / "one_factor.toml", "--out", campaign)
    assert (done.exit_code, held(mine)) == (0, before), done.output
    assert (campaign / "damaged" / "experiment.json-2").is_file()


@pytest.mark.slow
def test_figures_are_not_drawn_through_a_link(campaign: Path, mine: Path) -> None:
    linked(campaign / "analysis" / "figures" / "network", mine)
    before = held(mine)
    done = command("analyze", campaign, "--workers", "1")
    assert (done.exit_code, held(mine)) == (2, before), done.output


def test_a_place_that_the_user_names_may_be_a_link(campaign: Path, mine: Path, tmp_path: Path) -> None:
    linked(tmp_path / "link.parquet", mine / "study.parquet")
    assert command(*EXPORT, campaign, "--out", tmp_path / "link.parquet").exit_code == 0
    assert (mine / "study.parquet").is_file()
    linked(tmp_path / "link", campaign)
    assert command(*EXPORT, tmp_path / "link").exit_code == 0
    assert (campaign / "study.parquet").is_file()


@pytest.mark.parametrize("name", ["evidence.json", "REFERENCE"])
def test_evidence_is_not_written_through_a_link(mine: Path, tmp_path: Path, name: str) -> None:
    chosen = plan("cubic", ("tcp",), 2)
    linked(tmp_path / "out" / name.replace("REFERENCE", next(iter(chosen.campaigns))), mine / "new")
    before = held(mine)
    with pytest.raises(InputError, match="a link"):
        run(chosen, tmp_path / "out")
    assert held(mine) == before


def test_locks_and_snapshots_are_not_written_through_a_link(mine: Path, tmp_path: Path) -> None:
    file = tmp_path / "snapshot"
    linked(lock_file(file), mine / "new")
    before = held(mine)
    with pytest.raises(OSError, match="symbolic"):
        FileLock(file).take()
    linked(tmp_path / ".mesonet-snapshot.new", mine / "notes")
    lock_file(file).unlink()
    scenario = mn.scenario("dumbbell", algorithm="tcp", duration="2 s")
    with Checkpoint(file, "1 ms", note=lambda text: None) as checkpoint:
        mn.simulate(scenario, seed=1, checkpoint=checkpoint)
        assert file.is_file()
    assert held(mine) == before


@pytest.mark.parametrize("write", [
    lambda folder: places.inside(folder, "one", "two"),
    lambda folder: places.inside(folder, "one/two/three"),
])  # fmt: skip
def test_every_part_below_the_folder_counts(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    (tmp_path / "one").mkdir()
    assert write(tmp_path).is_relative_to(tmp_path)
    (tmp_path / "one" / "two").symlink_to(tmp_path)
    with pytest.raises(InputError, match="a link"):
        write(tmp_path)
