"""Input that went wrong in a review: each is refused in one line, at once, and leaves nothing behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import mesonet as mn
from mesonet.cli import main


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == 2, (done.output, done.exception)
    assert done.stderr.startswith("mesonet: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--set", "think_time=1e999999999 s"), "users.think_time"),
        (("--set", "delay_multiplier=1e99999999"), "network.delay_multiplier"),
        (("--set", "buffer=1e300 bdp"), "at most 1e+12"),
        (("--set", "buffer=3"), 'write "3 segments"'),
        (("--algorithm", "tcp=0.5 tcp=1"), "tcp is there twice"),
        (("--set", "base_sources=10000000", "--set", "source_multiplier=10000"), "at most 50000000"),
    ],
)
def test_values(arguments: tuple[str, ...], says: str) -> None:
    assert says in refused("run", "abilene", *arguments)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('base = "abilene"\nalgorithms = ["tcp"]', "not a mix of algorithms"),
        ('base = "dumbbell"\n[[flows]]\nfrom = "A"\nto = "B"\nalgorithm = ["tcp"]', "flows[0].algorithm"),
        ('base = "dumbbell"\n[[flows]]\nfrom = "A"\nto = "C"', "flows[0].to"),
        ('base = "dumbbell"\n[[flows]]\nfrom = ["A"]\nto = "B"', "flows[0].from"),
    ],
)
def test_scenario_files(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    message = refused("run", str(file))
    assert says in message
    assert str(file) in message or "flows" in says


@pytest.mark.parametrize("content", ['{"format": 1}', "[]", "not JSON", '{"format": 1, "scenarios": 3}'])
@pytest.mark.parametrize("verb", [("experiment", "status"), ("experiment", "run"), ("analyze",), ("report",)])
def test_folder_with_a_strange_experiment(verb: tuple[str, ...], content: str, tmp_path: Path) -> None:
    (tmp_path / "experiment.json").write_text(content)
    assert "experiment.json" in refused(*verb, str(tmp_path))
    assert [p.name for p in tmp_path.iterdir()] == ["experiment.json"]


@pytest.mark.parametrize("replicates", ["0", "1000000000"])
def test_replicates(replicates: str) -> None:
    done = CliRunner().invoke(main, ["experiment", "plan", "demo", "--replicates", replicates])
    assert done.exit_code == 2
    assert "1" in done.stderr


def test_name_stays_in_the_folder(tiny: Path) -> None:
    tiny.write_text(tiny.read_text().replace('name = "tiny"', 'name = "../tiny"'))
    assert "name" in refused("experiment", "plan", str(tiny))


def test_a_place_that_cannot_be_written_is_noticed_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        pytest.fail("simulated although the result cannot be written")

    monkeypatch.setattr(mn, "simulate", never)
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file" / "below", tmp_path / "file"):
        assert "--out" in refused("run", "dumbbell", "--duration", "1 s", "--out", str(out))
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_run_that_fails_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(mn, "simulate", broken)
    done = CliRunner().invoke(main, ["run", "dumbbell", "--duration", "1 s", "--out", str(tmp_path / "out")])
    assert isinstance(done.exception, MemoryError)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["report", "analyze"])
def test_report_and_analysis_below_a_file(verb: str, tiny: Path, tmp_path: Path) -> None:
    campaign = mn.experiment(str(tiny)).run(tmp_path / "campaign", progress=False)
    assert json.loads((campaign.path / "experiment.json").read_text())["name"] == "tiny"
    (tmp_path / "file").write_text("")
    assert str(tmp_path / "file") in refused(verb, str(campaign.path), "--out", str(tmp_path / "file" / "below"))


def test_workers(tiny: Path, tmp_path: Path) -> None:
    for workers in (0, -1):
        with pytest.raises(mn.InputError, match="workers"):
            mn.experiment(str(tiny)).run(tmp_path / "campaign", workers=workers)
    assert not (tmp_path / "campaign").exists()
