from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from msgspec import convert

import mesonet
from commands import ENVIRONMENT, PATIENCE_S, until
from fragments import holds
from mesonet import models
from mesonet.campaign import Campaign, load, runner
from mesonet.campaign.backlog import Backlog, RunOptions
from mesonet.campaign.documents import Attempt, FailureDocument, ProvenanceDocument
from mesonet.campaign.ledger import Ledger, run_key
from mesonet.campaign.process import Process
from mesonet.campaign.runner import run_missing
from mesonet.errors import InputError
from mesonet.experiments.network import experiment
from mesonet.responses.definitions import RESPONSES

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """A campaign run by two workers; tests only read it."""
    from conftest import TINY

    folder = tmp_path_factory.mktemp("finished")
    (folder / "tiny.toml").write_text(TINY)
    return experiment(folder / "tiny.toml").run(folder / "out", workers=2, progress=False)


def responses_bytes(folder: Path) -> dict[str, bytes]:
    """Of the runs that are done; those that are being written have names that begin with a dot."""
    return {path.parent.name: path.read_bytes() for path in folder.glob("runs/[!.]*/responses.parquet")}


def test_campaign_holds_every_run(finished: Campaign) -> None:
    assert (finished.name, finished.algorithms) == ("tiny", ("tcp", "scalable"))
    assert [factor.id for factor in finished.factors] == ["X1", "X5"]
    assert finished.design.matrix.tolist() == [[-1, -1], [1, -1], [-1, 1], [1, 1]]
    assert finished.counts == {"done": 8, "failed": 0, "missing": 0}
    assert finished.runs.select("condition", "algorithm").rows() == [
        (condition, algorithm) for condition in range(1, 5) for algorithm in ("tcp", "scalable")
    ]
    assert (finished.runs["cpu_s"] > 0).all()
    assert (finished.runs["peak_rss_bytes"] > 10_000_000).all()
    assert set(finished.provenance) == {"versions", "code_versions", "started", "finished", "tries"}
    assert sorted(path.name for path in finished.path.iterdir()) == ["experiment.json", "provenance.json", "runs"]
    for key in finished.runs["key"]:
        assert {path.name for path in (finished.path / "runs" / key).iterdir()} == {
            "responses.parquet",
            "groups.parquet",
            "run.json",
        }


def test_responses_and_cube(finished: Campaign) -> None:
    names = [response.name for response in RESPONSES]
    assert set(finished.responses["response"]) == set(names)
    rtt = finished.response("rtt")
    assert rtt.columns == ["condition", "algorithm", "replicate", "value"]
    cube = finished.cube(["rtt", "cwnd", "goodput_dd"], "1")
    assert cube.shape == (4, 2, 3)
    rtt = finished.response("rtt", "1")
    assert cube[2, 1, 0] == rtt.filter((rtt["condition"] == 3) & (rtt["algorithm"] == "scalable"))["value"].item()
    unmeasured = finished.response("goodput_dd", "1")["value"].null_count()
    assert np.isnan(cube).sum() == unmeasured > 0
    assert (finished.cube(["total_flows_completed"], "run") > 0).all()


def test_a_run_repeats_what_simulate_gives(finished: Campaign, tiny: Path) -> None:
    row = finished.runs.row(5, named=True)
    chosen = experiment(tiny).condition(row["condition"], row["algorithm"])
    result = mesonet.simulate(chosen, row["seed"])
    cell = finished.cube(["segments_entering"])[row["condition"] - 1, finished.algorithms.index(row["algorithm"]), 0]
    assert result.value("segments_entering") == cell
    assert result.performance["data_segments_delivered"] == row["data_segments_delivered"]


def test_bytes_do_not_depend_on_the_number_of_workers(finished: Campaign, tiny: Path, tmp_path: Path) -> None:
    campaign = experiment(tiny).run(tmp_path / "out", workers=1, progress=False)
    assert len(responses_bytes(campaign.path)) == 8
    assert responses_bytes(campaign.path) == responses_bytes(finished.path)


def test_unknown_response_or_period(finished: Campaign) -> None:
    with pytest.raises(InputError, match=r"nearest: rtt"):
        finished.response("rtr")
    with pytest.raises(InputError, match="unknown period"):
        finished.response("rtt", "4")
    with pytest.raises(InputError, match=r"Allowed: run"):
        finished.cube(["total_flows_completed"], "measured")


def test_replicates_are_averaged_in_the_cube(one_factor: Path, tmp_path: Path) -> None:
    campaign = experiment(one_factor, replicates=2).run(tmp_path / "out", workers=2, progress=False)
    values = campaign.response("cwnd").filter(campaign.response("cwnd")["condition"] == 1)["value"].to_list()
    assert len(set(values)) == 2
    assert campaign.cube(["cwnd"])[0, 0, 0] == pytest.approx(sum(values) / 2)


#: Runs a campaign that is not finished before it is killed: its sixth run never begins.
ENDLESS = """
import sys, time, mesonet
from mesonet.campaign.process import Worker

make, begun = Worker.make, []

def make_five(worker, ledger, run, model, stopped):
    begun.append(run)
    while len(begun) > 5 and not stopped():
        time.sleep(0.1)
    return make(worker, ledger, run, model, stopped)

Worker.make = make_five
mesonet.experiment(sys.argv[1]).run(sys.argv[2], workers=1)
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_killed_campaign_continues_with_what_is_missing(tiny: Path, tmp_path: Path, how: signal.Signals) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-c", ENDLESS, str(tiny), str(out)]
    process = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    until(lambda: len(responses_bytes(out)) >= 3, process)
    workers = psutil.Process(process.pid).children()
    process.send_signal(how)
    process.wait(PATIENCE_S)
    assert process.returncode != 0
    # The process of the run in progress outlives a killed parent, and ends by itself.
    assert psutil.wait_procs(workers, timeout=PATIENCE_S)[1] == []
    done = {path.name: path.stat().st_mtime_ns for path in (out / "runs").iterdir() if not path.name.startswith(".")}
    assert 3 <= len(done) <= 5
    assert load(out).counts == {"done": len(done), "failed": 0, "missing": 8 - len(done)}
    campaign = experiment(tiny).run(out, workers=2, progress=False)
    assert campaign.counts == {"done": 8, "failed": 0, "missing": 0}
    after = {path.name: path.stat().st_mtime_ns for path in (out / "runs").iterdir() if not path.name.startswith(".")}
    assert {name: after[name] for name in done} == done
    experiment(tiny).run(out, workers=2, progress=False)
    assert {name: (out / "runs" / name).stat().st_mtime_ns for name in after} == after


@pytest.mark.parametrize("before_the_task", [False, True])
def test_process_that_dies_leaves_a_failed_run(
    before_the_task: bool, one_factor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = """print('{"ready": true}', flush=True)"""
    deadly = "import os, sys; print('about to die', file=sys.stderr, flush=True); os.kill(os.getpid(), 9)"

    def start_deadly(self: Process) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", f"{ready}; {deadly}" if before_the_task else f"{ready}; input(); {deadly}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True, process_group=0,
        )  # fmt: skip
        if before_the_task:
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        return process

    monkeypatch.setattr(Process, "_start", start_deadly)
    campaign = experiment(one_factor).run(tmp_path / "out", workers=2, progress=False, tries=2)
    assert campaign.counts == {"done": 0, "failed": 2, "missing": 0}
    for key, message in campaign.runs.select("key", "message").rows():
        assert "SIGKILL" in message
        about = Ledger(campaign.path).run_json(key)
        assert about["log"] == "about to die\n"
        assert [each["message"] for each in about["tries"]] == [message] * 2
    assert np.isnan(campaign.cube(["rtt"])).all()

    monkeypatch.undo()
    left = experiment(one_factor).run(tmp_path / "out", workers=2, progress=False, tries=2)
    assert left.counts["failed"] == 2, "quarantined runs are left alone"
    again = experiment(one_factor).run(tmp_path / "out", workers=2, progress=False, retry=True)
    assert again.counts == {"done": 2, "failed": 0, "missing": 0}
    assert again.runs["message"].null_count() == 2


def test_run_that_the_simulator_refuses_is_a_failed_row(one_factor: Path, tmp_path: Path) -> None:
    document = json.loads(json.dumps(experiment(one_factor).document()))
    document["scenarios"][1]["scenario"]["network"]["speed"] = -1
    ledger = Ledger.create(tmp_path / "out", document)
    run_missing(ledger, RunOptions(workers=2), progress=False)
    campaign = load(tmp_path / "out")
    assert campaign.counts == {"done": 1, "failed": 1, "missing": 0}
    row = campaign.runs.filter(campaign.runs["status"] == "failed").row(0, named=True)
    assert "network.speed" in row["message"]
    assert "Traceback" in ledger.run_json(row["key"])["traceback"]


def test_folder_of_another_experiment_is_refused(finished: Campaign, tiny: Path) -> None:
    before = sorted(finished.path.rglob("*"))
    with pytest.raises(InputError) as caught:
        experiment(tiny, seed=6).run(finished.path, progress=False)
    assert holds(str(caught.value), "tiny (8 runs)", "not experiment tiny (8 runs)", "seed", "5 there", "6 here")
    with pytest.raises(InputError, match=r"time\.duration is 2 there and 4 here"):
        experiment(tiny, duration="4 s").run(finished.path, progress=False)
    tiny.write_text(tiny.read_text().replace('name = "tiny"', 'name = "mine"'))
    with pytest.raises(InputError, match=r"holds experiment tiny \(8 runs\), not experiment mine"):
        experiment(tiny).run(finished.path, progress=False)
    assert sorted(finished.path.rglob("*")) == before


def test_prose_does_not_make_another_experiment(finished: Campaign, tiny: Path) -> None:
    tiny.write_text(tiny.read_text().replace("Two factors, two algorithms", "Retitled"))
    assert experiment(tiny).run(finished.path, progress=False).counts["done"] == 8


def test_other_folders_are_refused_and_left_alone(tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "thesis"
    folder.mkdir()
    (folder / "chapter.tex").write_text("")
    with pytest.raises(InputError, match="not empty and holds no experiment"):
        experiment(tiny).run(folder, progress=False)
    assert [path.name for path in folder.iterdir()] == ["chapter.tex"]
    with pytest.raises(InputError, match="not a campaign folder"):
        load(folder)
    (folder / "experiment.json").write_text("{}")
    with pytest.raises(InputError, match="format: missing"):
        load(folder)
    (folder / "experiment.json").write_text('{"format": 99}')
    with pytest.raises(InputError, match="another format"):
        load(folder)


def test_refused_condition_writes_nothing(tiny: Path, tmp_path: Path) -> None:
    values = {"flows": [{"from": "A", "to": "B", "start": "9 s"}]}
    with pytest.raises(InputError, match=r"flows\[0\]\.start = .*after the end of the run"):
        experiment(tiny, values=values).run(tmp_path / "out", progress=False)
    assert not (tmp_path / "out").exists()


def test_keys_depend_on_scenario_seed_and_code() -> None:
    keys = {run_key("{}", 1, "a"), run_key("{}", 2, "a"), run_key("{}", 1, "b"), run_key("[]", 1, "a")}
    assert len(keys) == 4


def test_half_written_runs_are_not_seen(tiny: Path, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "out", experiment(tiny).document())

    def write_half() -> None:
        with ledger.writing("k") as aside:
            (aside / "responses.parquet").write_text("half")
            assert ledger.status("k") == "missing"
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert ledger.status("k") == "missing"
    assert list(ledger.runs.iterdir()) == []
    ledger.fail("k", FailureDocument("broke", "", "", 1, [Attempt("broke", "then", "later", "here")]))
    assert ledger.status("k") == "failed"
    for content in ("first", "second"):
        with ledger.writing("k") as aside:
            (aside / "responses.parquet").write_text(content)
    assert (ledger.runs / "k" / "responses.parquet").read_text() == "first"
    assert [path.name for path in (ledger.runs / "k").iterdir()] == ["responses.parquet"]


def test_what_killed_writers_left_is_removed_when_old(tiny: Path, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "out", experiment(tiny).document())
    old, new = ledger.runs / ".tmp-a-1", ledger.runs / ".tmp-b-2"
    old.mkdir()
    new.mkdir()
    os.utime(old, (0, 0))
    ledger.remove_stale(mesonet.core.code_version())
    assert (old.exists(), new.exists()) == (False, True)


def test_what_a_killed_writer_left_is_removed_at_once(tiny: Path, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "out", experiment(tiny).document())
    script = "import os; from mesonet.campaign.ledger import Ledger\n"
    script += f"with Ledger({str(ledger.path)!r}).writing('k'): os.kill(os.getpid(), 9)"
    killed = subprocess.run([sys.executable, "-c", script])
    assert killed.returncode == -signal.SIGKILL
    (left,) = ledger.runs.iterdir()
    with ledger.writing("k") as own:
        ledger.remove_unfinished()
        assert not left.exists()
        assert own.exists()
        (own / "responses.parquet").write_text("whole")
    assert [each.name for each in ledger.runs.iterdir()] == ["k"]


@pytest.mark.parametrize("ends_first", [True, False])
def test_an_older_driver_that_ends_later_keeps_the_provenance_of_a_newer_one(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends_first: bool
) -> None:
    """The older driver makes all runs; before it ends, a newer one mixes."""
    ledger = Ledger.create(tmp_path / "out", experiment(tiny).document())
    code, here = models.code_version(None), runner.run_here

    def older(todo: Backlog, *rest: Any) -> None:
        here(todo, *rest)
        monkeypatch.setattr(runner, "run_here", lambda *_: None)
        with monkeypatch.context() as patch:
            patch.setattr(models, "code_version", lambda model: "b" * 64)
            run_missing(ledger, RunOptions(mix=True), progress=False)
        newer = ledger.provenance()
        assert newer["code_versions"] == ["b" * 64, code]
        if not ends_first:
            ledger.write_provenance(convert({**newer, "finished": None}, ProvenanceDocument))

    monkeypatch.setattr(runner, "run_here", older)
    run_missing(ledger, RunOptions(workers=1), progress=False)
    held = ledger.provenance()
    assert held["code_versions"] == ["b" * 64, code]
    assert held["versions"]["code_version"] == "b" * 64
    assert (held["finished"] is not None) == ends_first, "the newer driver is still at work otherwise"
    assert load(ledger.path).counts["missing"] == 0, "the runs by the older code count"
    assert not list(ledger.path.glob(".mesonet-*")), "no lock stays"
