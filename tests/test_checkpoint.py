"""A run that is stopped or killed goes on from its snapshot, and ends with the same bytes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from click.testing import CliRunner
from click.testing import Result as Outcome

import mesonet
from commands import ENVIRONMENT, MESONET, PATIENCE_S, until
from fragments import holds
from mesonet import core
from mesonet.campaign.leases import Leases
from mesonet.campaign.ledger import Ledger, planned
from mesonet.campaign.process import Death, Worker
from mesonet.campaign.status import status
from mesonet.cli.experiment_plan import status_lines
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.files.locks import FileLock
from mesonet.scenarios.scenario import Scenario, scenario
from mesonet.simulation import checkpoint as module
from mesonet.simulation.checkpoint import Checkpoint, Stopped
from mesonet.simulation.result import TABLES, Result

pytestmark = pytest.mark.process

VALUES = ["--set", "network.speed=40 seg/ms", "--set", "users.base_sources=20", "--set", "measurement.flow_records=1"]
"""A network that takes some seconds of wall-clock time for those that `LONG` says, on any machine."""
LONG = "30 s"


def small(**values: object) -> Scenario:
    return scenario("abilene", speed="40 seg/ms", base_sources=2, duration="3 s", flow_records=1, units=True, **values)


def same(one: Result, other: Result) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in TABLES)


class Cut(Exception):
    """Stands for whatever ends a run."""


def cut_off(file: Path, at: float = 1.0, seed: int = 3, **how: object) -> None:
    """Runs until a snapshot after so many seconds is there."""

    def cut(done: float, total: float) -> None:
        if done > at:
            raise Cut

    with pytest.raises(Cut), Checkpoint(file, "1 ms") as checkpoint:
        mesonet.simulate(small(), seed, cut, checkpoint=checkpoint, **how)  # type: ignore[arg-type]
    assert file.exists()


@pytest.fixture(scope="module")
def untouched() -> Result:
    return mesonet.simulate(small(), 3)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("engine", ["domains", "reference"])
def test_goes_on_where_it_was(engine: str, threads: int, untouched: Result, tmp_path: Path) -> None:
    file, notes, seen = tmp_path / "snapshot", [], []
    cut_off(file, engine=engine)
    with Checkpoint(file, note=notes.append) as checkpoint:
        result = mesonet.simulate(
            small(), 3, lambda done, _: seen.append(done), engine=engine, threads=threads, checkpoint=checkpoint
        )
    assert same(result, untouched)
    assert seen[0] > 0.5, "it did not begin anew"
    assert len(notes) == 1
    assert notes[0].startswith("continues at ")
    assert result.performance["continuations"] == 1
    assert not list(tmp_path.iterdir()), "it is removed when the run has ended"


def test_snapshots_change_nothing(untouched: Result, tmp_path: Path) -> None:
    with Checkpoint(tmp_path / "snapshot", "1 ms") as checkpoint:
        result = mesonet.simulate(small(), 3, checkpoint=checkpoint)
        assert (tmp_path / "snapshot").exists()
    assert same(result, untouched)
    assert "continuations" not in result.performance


def test_resources_are_those_of_all_parts(tmp_path: Path) -> None:
    file = tmp_path / "snapshot"
    cut_off(file)
    header = json.loads(file.read_bytes().partition(b"\n")[0])
    assert header["simulated_s"] > 0
    file.write_bytes(file.read_bytes().replace(b'"cpu_s": ', b'"cpu_s": 7', 1))
    with Checkpoint(file) as checkpoint:
        assert mesonet.simulate(small(), 3, checkpoint=checkpoint).performance["cpu_s"] > 70


def test_what_is_no_snapshot_of_the_run_is_refused_or_forgiven(untouched: Result, tmp_path: Path) -> None:
    file = tmp_path / "snapshot"
    cut_off(file)
    good = file.read_bytes()
    header, _, state = good.partition(b"\n")
    other_code = json.dumps({**json.loads(header), "code_version": "0" * 32}).encode()
    cases = {
        "not a snapshot": b"",
        "not a snapshot. Allowed": b'{"format": 1}\n',
        "a snapshot by another version of the code": other_code + b"\n" + state,
        "a damaged snapshot": good[:-1],
        "a damaged snapshot. ": header + b"\n" + state[:1000] + bytes([state[1000] ^ 1]) + state[1001:],
    }
    for problem, content in cases.items():
        file.write_bytes(content)
        with pytest.raises(InputError, match=f"^--checkpoint = .*snapshot.: {problem}"), Checkpoint(file) as checkpoint:
            mesonet.simulate(small(), 3, checkpoint=checkpoint)
        assert file.read_bytes() == content, "it is left alone"
    file.write_bytes(good)
    for other, seed in ((small(think_time="3 s"), 3), (small(), 4)):
        expected = "a snapshot of another scenario, seed or engine"
        with pytest.raises(InputError, match=expected), Checkpoint(file) as checkpoint:
            mesonet.simulate(other, seed, checkpoint=checkpoint)
    for content in (*cases.values(), None):
        notes: list[str] = []
        file.write_bytes(content if content is not None else good)
        seed = 3 if content is not None else 4
        with Checkpoint(file, forgiving=True, note=notes.append) as checkpoint:
            result = mesonet.simulate(small(), seed, checkpoint=checkpoint)
        assert same(result, untouched) == (seed == 3)
        assert len(notes) == 1
        assert notes[0].endswith("begins anew")


def test_places_and_times_that_cannot_be(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing" / "snapshot"):
        with pytest.raises(InputError, match=r"^--checkpoint = .*: no place"):
            Checkpoint(path)
    for every in ("5", "5 km", "0 s", "-1 s", "soon"):
        with pytest.raises(InputError, match=r"^--checkpoint-every"):
            Checkpoint(tmp_path / "snapshot", every)


def test_one_at_a_time_uses_a_file(untouched: Result, tmp_path: Path) -> None:
    file, notes = tmp_path / "snapshot", []
    cut_off(file)
    busy = r"^--checkpoint = .*: another command uses this file\. "
    with Checkpoint(file, "1 ms") as first:
        with pytest.raises(InputError, match=busy), Checkpoint(file):
            raise AssertionError("it was let in")
        with Checkpoint(tmp_path / "snapshot-2"):
            pass
        assert same(mesonet.simulate(small(), 3, checkpoint=first), untouched)
        assert file.exists(), "neither of the others removed it"
    assert not list(tmp_path.iterdir())
    with Checkpoint(file, note=notes.append) as second:
        assert same(mesonet.simulate(small(), 3, checkpoint=second), untouched)
    assert not notes


def test_who_forgives_waits_and_leaves_the_file_of_others_alone(
    untouched: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, notes = tmp_path / "snapshot", []
    cut_off(file)
    first = FileLock(file)
    assert first.take()
    threading.Timer(0.3, first.release).start()
    with Checkpoint(file, forgiving=True, note=notes.append) as second:
        assert same(mesonet.simulate(small(), 3, checkpoint=second), untouched)
    assert len(notes) == 1
    assert notes[0].startswith("continues at ")
    cut_off(file)
    content = file.read_bytes()
    monkeypatch.setattr(module, "GRACE_S", 0.0)
    assert first.take()
    with Checkpoint(file, "1 ms", forgiving=True, note=notes.append) as second:
        assert same(mesonet.simulate(small(), 3, checkpoint=second), untouched)
    first.release()
    assert file.read_bytes() == content
    [note] = notes[1:]
    assert holds(note, f"{file}: ", "another process", "no snapshot")


def test_a_snapshot_that_cannot_be_written_ends_no_run(
    untouched: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "fsync", full)
    notes: list[str] = []
    with Checkpoint(tmp_path / "snapshot", "1 ms", note=notes.append) as checkpoint:
        assert same(mesonet.simulate(small(), 3, checkpoint=checkpoint), untouched)
    assert holds(notes[0], "no snapshot", "No space left on device")
    assert not list(tmp_path.iterdir())


def test_signals_stop_the_run_and_come_later_where_it_has_ended(untouched: Result, tmp_path: Path) -> None:
    file, results = tmp_path / "snapshot", []

    def run(early: bool) -> None:
        with Checkpoint(file) as checkpoint:
            if early:
                signal.raise_signal(signal.SIGINT)
            results.append(mesonet.simulate(small(), 3, checkpoint=checkpoint))
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Stopped, match=r"^stopped at .* continues from ") as stopped:
        run(early=True)
    assert stopped.value.number == signal.SIGINT
    assert file.exists()
    assert not results
    with pytest.raises(KeyboardInterrupt) as late:
        run(early=False)
    assert not isinstance(late.value, Stopped)
    assert same(results[0], untouched)
    assert not file.exists()


def test_in_another_thread_signals_are_left_alone(untouched: Result, tmp_path: Path) -> None:
    results = []

    def run() -> None:
        with Checkpoint(tmp_path / "snapshot") as checkpoint:
            results.append(mesonet.simulate(small(), 3, checkpoint=checkpoint))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert same(results[0], untouched)


def command(folder: Path, *options: str, duration: str = LONG) -> list[str]:
    begin = [*MESONET, "run", "abilene", "--duration", duration, *VALUES]
    return [*begin, "--out", str(folder / "out"), "--checkpoint", str(folder / "snapshot"), *options]


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command(folder, *options), env=ENVIRONMENT, **streams)  # type: ignore[call-overload]


def test_command_that_is_killed_and_terminated_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "snapshot"
    process = start(tmp_path, "--checkpoint-every", "100 ms")
    until(file.exists, process)
    process.kill()
    process.communicate()
    size = file.stat().st_mtime_ns
    process = start(tmp_path, "--checkpoint-every", "100 ms")
    until(lambda: file.stat().st_mtime_ns > size, process)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + signal.SIGTERM, errors
    assert "mesonet: continues at " in errors
    assert f"; the same command continues from {file}\n" in errors
    assert not (tmp_path / "out" / "run.json").exists()
    process = start(tmp_path)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    about = json.loads((tmp_path / "out" / "run.json").read_text())
    assert about["performance"]["continuations"] == 2
    chosen = scenario("abilene", duration=LONG, speed="40 seg/ms", base_sources=20, flow_records=1)
    mesonet.simulate(chosen).write(tmp_path / "whole")
    for name in TABLES:
        one, other = (tmp_path / folder / f"{name}.parquet" for folder in ("out", "whole"))
        assert one.read_bytes() == other.read_bytes(), name


def test_second_command_on_one_file_is_refused_and_destroys_nothing(tmp_path: Path) -> None:
    file = tmp_path / "snapshot"
    first = start(tmp_path, "--checkpoint-every", "100 ms")
    until(file.exists, first)
    second = subprocess.run(
        [*command(tmp_path, duration="3 s"), "--seed", "2"], env=ENVIRONMENT, capture_output=True, text=True
    )
    assert second.returncode == 2
    assert second.stderr.startswith(f'mesonet: --checkpoint = "{file}": another command uses this file. ')
    assert second.stderr.count("\n") == 1
    assert first.poll() is None
    first.kill()
    first.communicate()
    third = start(tmp_path)
    _, errors = third.communicate(timeout=PATIENCE_S)
    assert third.returncode == 0, errors
    assert "mesonet: continues at " in errors, "the lock ended with its process"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_command_refuses_the_snapshot_of_another_scenario(tmp_path: Path) -> None:
    file = tmp_path / "snapshot"
    cut_off(file)
    process = start(tmp_path)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert holds(errors, f'mesonet: --checkpoint = "{file}": ', "another scenario, seed or engine")
    assert errors.count("\n") == 1


ENDED = """
import os, signal, sys
import mesonet
from mesonet.cli.verbs import main
simulate = mesonet.simulate

def ended(*about, **how):
    result = simulate(*about, **how)
    os.kill(os.getpid(), signal.{name})
    return result

mesonet.simulate = ended
main()
"""
"""The command line, but for a signal that comes when the simulation has just returned."""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_signal_after_the_end_of_the_simulation_loses_no_results(name: str, tmp_path: Path) -> None:
    file = tmp_path / "snapshot"
    begin = [sys.executable, "-c", ENDED.format(name=name), "run", "abilene", "--duration", "3 s", *VALUES, "--json"]
    ended = subprocess.run([*begin, "--checkpoint", str(file)], env=ENVIRONMENT, capture_output=True, text=True)
    assert json.loads(ended.stdout)["responses"], ended.stderr
    assert ended.returncode == {"SIGTERM": -signal.SIGTERM, "SIGINT": 130}[name]
    assert not file.exists()


def call(*words: object) -> Outcome:
    return CliRunner().invoke(main, ["run", "abilene", "--duration", "3 s", *VALUES, *map(str, words)])


def test_file_may_be_in_the_folder_for_the_results(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    file = out / "snapshot"
    assert call("--out", out, "--checkpoint", file).exit_code == 0
    (out / "run.json").unlink()

    def interrupt(done: float, total: float) -> None:
        if done > 1:
            signal.raise_signal(signal.SIGTERM)

    chosen = scenario("abilene", duration="3 s", speed="40 seg/ms", base_sources=20, flow_records=1)
    with pytest.raises(Stopped), Checkpoint(file) as checkpoint:
        mesonet.simulate(chosen, 1, interrupt, checkpoint=checkpoint)
    assert file.exists()
    continued = call("--out", out, "--checkpoint", file)
    assert continued.exit_code == 0, continued.stderr
    assert "mesonet: continues at " in continued.stderr
    assert sorted(path.name for path in out.iterdir()) == sorted([*(f"{name}.parquet" for name in TABLES), "run.json"])


def test_file_may_not_be_one_of_the_results(tmp_path: Path) -> None:
    out = tmp_path / "out"
    refused = call("--out", out, "--checkpoint", out / "run.json")
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f'mesonet: --checkpoint = "{out / "run.json"}": one of the results. Allowed: ')
    assert not out.exists()


@pytest.mark.parametrize("every", ["banana", "1 min"])
def test_how_often_without_a_file_is_refused(every: str) -> None:
    refused = call("--checkpoint-every", every)
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f'mesonet: --checkpoint-every = "{every}": goes with --checkpoint only')


# Four seconds of processor time, so that a test that is late still meets the worker in its run.
CAMPAIGN = """
name = "long"
title = "A run that takes a while"
scenario = "abilene"
algorithms = ["tcp"]

[set]
"time.duration" = "120 s"
"users.base_sources" = 20
"network.speed" = "40 seg/ms"
"""
DRIVER = "import mesonet.campaign.process as p; p.EVERY = {every!r}; from mesonet.cli.verbs import main; main()"


def drive(folder: Path, every: str) -> subprocess.Popen[str]:
    """A driver whose runs leave a snapshot so often."""
    begin = [sys.executable, "-c", DRIVER.format(every=every), "experiment", "run", str(folder / "long.toml")]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    options = ["--workers", "1", "--out", str(folder / "out")]
    return subprocess.Popen([*begin, *options], env=ENVIRONMENT, **streams)  # type: ignore[call-overload]


def makers(driver: subprocess.Popen[str]) -> list[psutil.Process]:
    found = []
    for child in psutil.Process(driver.pid).children():
        with suppress(psutil.NoSuchProcess):  # another child that has ended
            if "mesonet.campaign.worker" in child.cmdline():
                found.append(child)
    return found


def is_in_a_run(process: psutil.Process) -> bool:
    """Whether SIGTERM would be seen to."""
    return sigterm_is(process, "SigCgt")


def sigterm_is(process: psutil.Process, mask: str) -> bool:
    """Whether SIGTERM is in a mask of a process: caught (SigCgt) or pending (ShdPnd) (proc(5))."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    signals = next(line.split()[1] for line in status.splitlines() if line.startswith(mask))
    return bool(int(signals, 16) >> (signal.SIGTERM - 1) & 1)


def completed(folder: Path, text: str) -> Ledger:
    """Return a campaign without an interruption."""
    (folder / "long.toml").write_text(text)
    mesonet.experiment(folder / "long.toml").run(folder / "out", workers=2, progress=False)
    return Ledger(folder / "out")


def created(folder: Path, text: str) -> Ledger:
    """Return a campaign without a run."""
    (folder / "long.toml").write_text(text)
    return Ledger.create(folder / "out", mesonet.experiment(folder / "long.toml").document())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    return completed(tmp_path_factory.mktemp("whole"), CAMPAIGN)


@pytest.fixture
def begun(tmp_path: Path) -> Ledger:
    return created(tmp_path, CAMPAIGN)


def snapshots(ledger: Ledger) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in ledger.runs.glob(".snapshot-*")}


def same_results(ledger: Ledger, whole: Ledger) -> bool:
    files = [file.relative_to(whole.runs) for file in whole.runs.glob("*/*.parquet")]
    return len(files) >= 2 and all((ledger.runs / f).read_bytes() == (whole.runs / f).read_bytes() for f in files)


def continuations(ledger: Ledger) -> int:
    (key,) = ledger.statuses()
    return int(ledger.run_json(key)["performance"].get("continuations", 0))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="nothing tells whether a run has begun")
def test_campaign_goes_on_where_its_runs_were(begun: Ledger, whole: Ledger) -> None:
    folder = begun.path.parent
    driver = drive(folder, "200 ms")
    until(lambda: snapshots(begun), driver)
    makers(driver)[0].kill()
    seen = snapshots(begun)
    until(lambda: snapshots(begun) != seen, driver)
    end(driver, begun, signal.SIGKILL)
    for number in (signal.SIGTERM, signal.SIGKILL):  # without a snapshot now and then
        driver = drive(folder, "1 h")
        until(lambda driver=driver: any(map(is_held_in_a_run, makers(driver))), driver)  # type: ignore[misc]
        seen = snapshots(begun)
        end(driver, begun, number)
        assert snapshots(begun) != seen, "the worker wrote one before it ended"
    driver = drive(folder, "1 h")
    _, errors = driver.communicate(timeout=PATIENCE_S)
    assert driver.returncode == 0, errors
    assert same_results(begun, whole)
    assert continuations(begun) == 4
    assert not snapshots(begun)
    # Its writer may die before it removes the snapshot.
    (key,) = begun.statuses()
    begun.snapshot(key).touch()
    begun.remove_stale(core.code_version())
    assert not snapshots(begun)


def is_held_in_a_run(process: psutil.Process) -> bool:
    """Lets a worker run for moments only, so that however late this test is, the worker has not finished its run."""
    process.suspend()
    if is_in_a_run(process):
        return True
    process.resume()
    return False


def end(driver: subprocess.Popen[str], ledger: Ledger, number: signal.Signals) -> None:
    """Ends the driver in the middle of a run, and waits for its worker."""
    (worker,) = makers(driver)
    if number == signal.SIGKILL:  # a worker that is held when its driver dies would get SIGHUP from the kernel
        worker.resume()
    driver.send_signal(number)
    if (
        number == signal.SIGTERM
    ):  # the worker continues once it gets the signal, so that it cannot finish its run before
        until(lambda: sigterm_is(worker, "ShdPnd"), driver)
        worker.resume()
    _, errors = driver.communicate(timeout=PATIENCE_S)
    assert driver.returncode == (143 if number == signal.SIGTERM else -number), errors
    worker.wait(PATIENCE_S)
    assert len(snapshots(ledger)) == 1


@pytest.mark.parametrize("what", ["half written", "of another run"])
def test_campaign_begins_anew_where_a_snapshot_is_unreadable(what: str, tmp_path: Path) -> None:
    short = CAMPAIGN.replace("120 s", "20 s")
    (tmp_path / "whole").mkdir()
    begun, whole = created(tmp_path, short), completed(tmp_path / "whole", short)
    (key,) = mesonet.experiment(begun.path.parent / "long.toml").plan()["key"]
    if what == "half written":
        begun.snapshot(key).write_bytes(b"half a snaps")
    else:
        cut_off(begun.snapshot(key))
    driver = drive(begun.path.parent, "20 ms")
    _, errors = driver.communicate(timeout=PATIENCE_S)
    assert driver.returncode == 0, errors
    assert same_results(begun, whole)
    assert continuations(begun) == 0
    assert not snapshots(begun)


def test_next_try_goes_on_where_the_time_limit_ended_the_one_before(
    begun: Ledger, whole: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run,) = planned(begun.document(), core.code_version())
    file, worker = begun.snapshot(run.key), Worker()
    try:
        other = replace(run, key="0" * 64, scenario=json.dumps({**json.loads(run.scenario), "measurement": {}}))
        assert worker.make(begun, other, None, lambda: False), "a run that is refused, so that the process is there"
        worker.time_limit = 0.5
        clock = SimpleNamespace(monotonic=lambda: 1e3 if worker.share else 0.0)  # from the first share on it is late
        monkeypatch.setattr("mesonet.campaign.process.time", clock)
        death = worker.make(begun, run, None, lambda: False)
        assert isinstance(death, Death)
        assert holds(death.message, "longer", "time limit of 0.5 s")
        assert death.blamed
        assert file.exists()
        assert 0 < worker.share < 1, "the process says how far the run is"
        worker.time_limit = None
        assert worker.make(begun, run, None, lambda: False) == {}
    finally:
        worker.close()
    assert same_results(begun, whole)
    assert continuations(begun) == 1


def test_the_start_of_a_process_is_no_part_of_the_time_limit(begun: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    (run,) = planned(begun.document(), core.code_version())
    refused, worker = replace(run, key="0" * 64, scenario="{}"), Worker(time_limit=1.0)
    times = chain([0.0], repeat(200.0))  # the process is ready after 200 s
    monkeypatch.setattr("mesonet.campaign.process.time", SimpleNamespace(monotonic=times.__next__))
    try:
        reply = worker.make(begun, refused, None, lambda: False)
    finally:
        worker.close()
    assert not isinstance(reply, Death)
    assert reply["message"]


def test_snapshots_that_no_run_can_use_are_removed_and_others_counted(begun: Ledger) -> None:
    (run,) = planned(begun.document(), core.code_version())
    (by_other_code,) = planned(begun.document(), "0" * 32)
    half = begun.runs / f".mesonet-.snapshot-{'1' * 64}.new"
    for file in (begun.snapshot(run.key), begun.snapshot(by_other_code.key), half):
        file.touch()
    in_use = FileLock(begun.snapshot("2" * 64))
    begun.snapshot("2" * 64).touch()
    assert in_use.take()
    begun.remove_stale(core.code_version())
    assert begun.snapshots() == {run.key, "2" * 64}, "a process is at the second"
    assert not half.exists()
    in_use.release()
    begun.remove_stale(core.code_version())
    assert begun.snapshots() == {run.key}
    assert [path.name for path in begun.runs.iterdir()] == [begun.snapshot(run.key).name]
    about = status(begun.path)
    assert (about.missing, about.on_from_snapshot) == (1, 1)
    [line] = [line for line in status_lines(about) if line.startswith("1 of the remaining runs")]
    assert holds(line, "resume", "snapshot")
    with Leases(begun.runs) as claims:
        assert claims.take(run.key)
        assert status(begun.path).on_from_snapshot == 0
