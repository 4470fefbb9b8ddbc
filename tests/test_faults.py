"""Nothing is lost and nothing runs twice without need, whatever dies."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

import mesonet
import sleepy
from commands import ENVIRONMENT, MESONET, PATIENCE_S, until
from fragments import holds
from mesonet.campaign import leases as leases_module
from mesonet.campaign.leases import PREFIX, Leases, live, sweep
from mesonet.campaign.ledger import Ledger
from mesonet.errors import Broken

pytestmark = pytest.mark.process


def write(folder: Path, replicates: int = 3, pause: float = 0.1, more: str = "") -> Path:
    """The file of a campaign of 4 conditions."""
    shutil.copy(sleepy.__file__, folder / "sleepy.py")
    file = folder / "sleepy.toml"
    file.write_text(sleepy.TOML.format(replicates=replicates, pause=pause, folder=folder, more=more))
    return file


def start(
    file: Path, *options: str, environment: Mapping[str, str] = ENVIRONMENT, **how: object
) -> subprocess.Popen[str]:
    """A driver of the campaign in ``out`` beside the file."""
    command = [*MESONET, "experiment", "run", str(file), "--out", str(file.parent / "out"), "--json", *options]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=environment, **streams, **how)  # type: ignore[call-overload]


def finish(process: subprocess.Popen[str]) -> tuple[int, dict[str, object], str]:
    """Exit code, status and messages of a driver."""
    out, errors = process.communicate(timeout=PATIENCE_S)
    print(errors)  # noqa: T201 - shown with a test that fails
    return process.returncode, json.loads(out) if out else {}, errors


def makers(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The processes that make runs for a driver."""
    return [child for child in psutil.Process(process.pid).children() if "mesonet.campaign.worker" in child.cmdline()]


def done(folder: Path) -> dict[str, int]:
    """When each result was written."""
    return {path.parent.name: path.stat().st_mtime_ns for path in folder.glob("out/runs/[!.]*/responses.parquet")}


def test_killed_worker_costs_one_run(tmp_path: Path) -> None:
    driver = start(write(tmp_path, pause=0.5), "--workers", "2")
    until(lambda: len(sleepy.calls(tmp_path)) >= 4 and sleepy.busy(tmp_path), driver)
    victim = min(sleepy.busy(tmp_path))
    assert victim in {maker.pid for maker in makers(driver)}
    os.kill(victim, signal.SIGKILL)
    code, status, errors = finish(driver)
    assert (code, status["done"]) == (0, 12), errors
    begun, ended = sleepy.calls(tmp_path), sleepy.calls(tmp_path, "end")
    assert len(begun) == 12
    assert (sum(begun.values()), sum(ended.values())) == (13, 12), "the run in the middle of which it died, once more"


def test_killed_driver_takes_its_workers_along_and_another_continues(tmp_path: Path) -> None:
    file = write(tmp_path, pause=0.3)
    driver = start(file, "--workers", "2")
    until(lambda: len(done(tmp_path)) >= 3 and sleepy.busy(tmp_path), driver)
    workers = makers(driver)
    with driver:  # closes its streams
        driver.kill()
    assert len(workers) == 2
    gone, alive = psutil.wait_procs(workers, timeout=PATIENCE_S)
    assert len(gone) == 2, alive
    before = done(tmp_path)
    again = start(file, "--workers", "2")
    code, status, errors = finish(again)
    assert (code, status["done"], status["failed"]) == (0, 12, 0), errors
    assert {key: done(tmp_path)[key] for key in before} == before, "what was done is left as it was"
    begun = sleepy.calls(tmp_path)
    assert len(begun) == 12
    assert 12 < sum(begun.values()) <= 14, "only the two runs in progress were made again"
    # A worker killed between putting its run in place and letting go leaves a lease of a dead process, which is void.
    assert not live(tmp_path / "out" / "runs")


def test_killed_in_the_middle_of_writing(tmp_path: Path) -> None:
    file = write(tmp_path, replicates=1)
    chosen = mesonet.experiment(file)
    ledger = Ledger.create(tmp_path / "out", chosen.document())
    key = chosen.plan()["key"][0]
    code = (
        "import os, sys; from mesonet.campaign.ledger import Ledger\n"
        "with Ledger(sys.argv[1]).writing(sys.argv[2]) as aside:\n"
        "    (aside / 'responses.parquet').write_bytes(b'half'); os.kill(os.getpid(), 9)"
    )
    writer = subprocess.run([sys.executable, "-c", code, str(ledger.path), key], env=ENVIRONMENT)
    assert writer.returncode == -signal.SIGKILL
    assert ledger.status(key) == "missing"
    assert [path for path in ledger.runs.iterdir() if path.name.startswith(".tmp-")]
    campaign = chosen.run(ledger.path, workers=2, progress=False)
    assert campaign.counts == {"done": 4, "failed": 0, "missing": 0}
    assert campaign.response("sum")["value"].to_list() == [11, 12, 21, 22]


def test_two_drivers_share_one_campaign(tmp_path: Path) -> None:
    file = write(tmp_path, replicates=5)
    drivers = [start(file, "--workers", "2") for _ in range(2)]
    for driver in drivers:
        code, status, errors = finish(driver)
        assert (code, status["done"]) == (0, 20), errors
    begun = sleepy.calls(tmp_path)
    assert len(begun) == 20
    assert set(begun.values()) == {1}, "no run was made twice"
    assert len({line.split()[3] for line in (tmp_path / "calls.txt").read_text().splitlines()}) > 2


def test_a_driver_that_begins_while_another_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one writes the experiment just before the folder is listed."""
    document = mesonet.experiment(write(tmp_path, replicates=1)).document()
    out = tmp_path / "out"
    out.mkdir()
    listing = Path.iterdir

    def begun(folder: Path) -> Iterator[Path]:
        monkeypatch.undo()
        Ledger.create(folder, document)
        return listing(folder)

    monkeypatch.setattr(Path, "iterdir", begun)
    held = Ledger.create(out, document).document()
    assert held == {
        name: value for name, value in json.loads((out / "experiment.json").read_text()).items() if name != "checksums"
    }


def test_run_that_always_crashes_is_quarantined(tmp_path: Path) -> None:
    file = write(tmp_path, replicates=1, pause=0.02, more='crash = "2-10"')
    code, status, errors = finish(start(file, "--workers", "2"))
    assert (code, status["done"], status["failed"], status["quarantined"]) == (1, 3, 1, 1), errors
    (failure,) = status["failures"]  # type: ignore[misc]
    assert failure["tries"] == 3
    assert "SIGKILL" in failure["message"]
    code, status, errors = finish(start(file))
    assert (code, status["quarantined"]) == (1, 1), errors
    begun = sleepy.calls(tmp_path)
    assert sorted(begun.values()) == [1, 1, 1, 3], "it was left alone"


def test_run_that_exceeds_memory_fails_alone(tmp_path: Path) -> None:
    file = write(tmp_path, replicates=1, pause=0.02, more='greedy = "1-20"')
    code, status, errors = finish(start(file, "--workers", "2", "--memory", "400 MiB", "--tries", "1"))
    assert (code, status["done"], status["failed"]) == (1, 3, 1), errors
    (failure,) = status["failures"]  # type: ignore[misc]
    assert "needs more than 400 MiB of memory" in failure["message"]


def test_run_that_hangs_is_ended_and_quarantined(tmp_path: Path) -> None:
    file = write(tmp_path, replicates=1, pause=0.02, more='hang = "2-10"')
    code, status, errors = finish(start(file, "--workers", "2", "--time-limit", "5 s", "--tries", "2"))
    assert (code, status["done"], status["failed"], status["quarantined"]) == (1, 3, 1, 1), errors
    (failure,) = status["failures"]  # type: ignore[misc]
    assert holds(failure["message"], "longer", "time limit of 5 s")
    assert failure["tries"] == 2
    code, status, errors = finish(start(file, "--time-limit", "5 s", "--tries", "2"))
    assert sorted(sleepy.calls(tmp_path).values()) == [1, 1, 1, 2], "it was left alone"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB; skips where mounting is not allowed."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting is not allowed here; the limit of the size of files stands in for it")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_full_disk_stops_the_campaign_and_fails_no_run(small_disk: Path, tmp_path: Path) -> None:
    file = write(tmp_path, replicates=10, pause=0.0)
    command = [*MESONET, "experiment", "run", str(file), "--out", str(small_disk / "out"), "--workers", "1"]
    full = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    assert full.returncode == 2
    assert "no space left on device" in full.stderr
    assert "Traceback" not in full.stderr
    before = mesonet.load(small_disk / "out")
    assert before.counts["failed"] == 0
    assert 0 < before.counts["done"] < 40
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    assert subprocess.run(command, env=ENVIRONMENT, capture_output=True).returncode == 0
    assert mesonet.load(small_disk / "out").counts == {"done": 40, "failed": 0, "missing": 0}


def test_results_that_cannot_be_written_stop_the_campaign(tmp_path: Path) -> None:
    file = write(tmp_path, replicates=1)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))  # noqa: E731
    command = [*MESONET, "experiment", "run", str(tmp_path / "out"), "--workers", "1", "--trust"]
    Ledger.create(tmp_path / "out", mesonet.experiment(file).document())
    # Python 3.11 keeps the first half of a compiled module that is too large.
    environment = {**ENVIRONMENT, "PYTHONDONTWRITEBYTECODE": "1"}
    stopped = subprocess.run(command, env=environment, preexec_fn=limit, capture_output=True, text=True)
    assert stopped.returncode == 2, stopped.stderr
    assert "file too large" in stopped.stderr
    assert mesonet.load(tmp_path / "out").counts == {"done": 0, "failed": 0, "missing": 4}
    assert subprocess.run(command, env=ENVIRONMENT, capture_output=True).returncode == 0
    assert mesonet.load(tmp_path / "out").counts["done"] == 4


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A begun campaign in a folder that is only read; for root, whom no mode stops, on a disk that is."""
    file, place = write(tmp_path, replicates=1, pause=0.0), tmp_path / "place"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "tmpfs", str(place)]
    root = os.geteuid() == 0
    if root and subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("root that may not mount can write everywhere")
    ledger = Ledger.create(place / "out", mesonet.experiment(file).document())
    if root:
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    for folder in () if root else (ledger.runs, ledger.path):
        folder.chmod(0o555)
    yield ledger.path
    for folder in () if root else (ledger.path, ledger.runs):
        folder.chmod(0o755)
    if root:
        subprocess.run(["umount", str(place)], check=True)


def test_folder_that_is_only_read(read_only: Path) -> None:
    run = subprocess.run(
        [*MESONET, "experiment", "run", str(read_only), "--trust"], env=ENVIRONMENT, capture_output=True
    )
    assert run.returncode == 2
    assert b"read-only file system" in run.stderr or b"permission denied" in run.stderr
    assert b"Traceback" not in run.stderr
    status = subprocess.run([*MESONET, "experiment", "status", str(read_only)], env=ENVIRONMENT, capture_output=True)
    assert (status.returncode, status.stdout) == (0, f"sleepy: 0 of 4 runs done in {read_only}, 4 missing\n".encode())


def test_leases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Leases(tmp_path) as mine:
        assert mine.take("a")
        assert not Leases(tmp_path).take("a")
        assert live(tmp_path) == {"a"}
        elsewhere = {"machine": "another", "host": "another", "pid": os.getpid(), "born": 0}
        (tmp_path / f"{PREFIX}b").write_text(json.dumps(elsewhere))
        assert not mine.take("b"), "another machine renewed it just now"
        long_ago = time.time() - leases_module.LEASE_S - 5
        os.utime(tmp_path / f"{PREFIX}b", (long_ago, long_ago))
        assert mine.take("b"), "it was not renewed in time"
        here = json.loads((tmp_path / f"{PREFIX}a").read_text())
        (tmp_path / f"{PREFIX}c").write_text(json.dumps({**here, "born": here["born"] - 3600}))
        assert mine.take("c"), "the process number belongs to another process by now"
        (tmp_path / f"{PREFIX}d").write_text("")
        assert not mine.take("d"), "its writer may be about to fill it"
    assert live(tmp_path) == {"d"}


def void_lease(folder: Path, key: str) -> Path:
    """A lease of a process that is gone."""
    with Leases(folder) as mine:
        mine.take(key)
        here = json.loads((folder / f"{PREFIX}{key}").read_text())
    path = folder / f"{PREFIX}{key}"
    path.write_text(json.dumps({**here, "born": here["born"] - 3600}))
    return path


def test_void_leases_are_swept_and_others_stay(tmp_path: Path) -> None:
    void = void_lease(tmp_path, "a")
    with Leases(tmp_path) as mine:
        mine.take("b")
        sweep(tmp_path)
        assert (void.exists(), live(tmp_path)) == (False, {"b"})


def test_a_campaign_leaves_no_leases_behind(tmp_path: Path) -> None:
    file = write(tmp_path, replicates=1, pause=0.0)
    assert finish(start(file))[0] == 0
    void = void_lease(tmp_path / "out" / "runs", "a")
    assert finish(start(file))[0] == 0
    assert not void.exists()


@pytest.mark.parametrize("moved", [-7 * 86400.0, 7 * 86400.0])
def test_leases_outlive_a_clock_that_is_set(tmp_path: Path, moved: float, monkeypatch: pytest.MonkeyPatch) -> None:
    with Leases(tmp_path) as mine:
        mine.take("a")
        os.utime(tmp_path / f"{PREFIX}a", (time.time() + moved,) * 2)
        monkeypatch.setattr(psutil.Process, "create_time", lambda self: time.time() + moved)
        assert live(tmp_path) == {"a"}, "its process is alive, whatever the time of day"
        elsewhere = tmp_path / f"{PREFIX}b"
        elsewhere.write_text(json.dumps({"machine": "another", "host": "another", "pid": 1, "born": 0}))
        os.utime(elsewhere, (time.time() + moved,) * 2)
        assert mine.take("b"), "nobody renews it"


def test_a_lease_that_was_taken_over_is_not_given_back_by_who_lost_it(tmp_path: Path) -> None:
    late, path = Leases(tmp_path), tmp_path / f"{PREFIX}a"
    with Leases(tmp_path) as other:
        assert late.take("a")
        path.unlink()  # as after a lease that ran out
        assert other.take("a")
        late.release("a")
        assert live(tmp_path) == {"a"}


def test_a_void_lease_is_taken_over_by_one_only(tmp_path: Path) -> None:
    for number in range(20):
        void_lease(tmp_path, str(number))
    together = threading.Barrier(8)

    def take(leases: Leases) -> list[bool]:
        taken = []
        for number in range(20):
            together.wait()
            taken.append(leases.take(str(number)))
        return taken

    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(take, [Leases(tmp_path) for _ in range(8)]))
    assert [sum(each) for each in zip(*taken, strict=True)] == [1] * 20


def test_leases_are_renewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases_module, "BEAT_S", 0.02)
    with Leases(tmp_path) as mine:
        mine.take("a")
        os.utime(tmp_path / f"{PREFIX}a", (0, 0))
        until(lambda: (tmp_path / f"{PREFIX}a").stat().st_mtime > 0)


@pytest.mark.parametrize(("number", "times", "code"), [(signal.SIGTERM, 1, 143), (signal.SIGINT, 5, 130)])
def test_signals_end_a_driver_with_their_code_and_no_traceback(
    tmp_path: Path, number: signal.Signals, times: int, code: int
) -> None:
    file = write(tmp_path, pause=30.0)
    process = start(file)
    until(lambda: (tmp_path / "out" / "runs").is_dir() and live(tmp_path / "out" / "runs"), process)
    for _ in range(times):
        if process.poll() is None:
            process.send_signal(number)
            time.sleep(0.05)
    status, _, errors = finish(process)
    assert status == code
    assert "Traceback" not in errors
    assert "Exception ignored" not in errors
    assert holds(errors.splitlines()[-1], "mesonet: interrupted", "finished runs stay", "same command")


def test_no_run_fails_where_no_process_can_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "polars.py").write_text("raise MemoryError('no memory for polars')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    with pytest.raises(Broken, match=r"no process for runs.*no memory for polars"):
        mesonet.experiment(file).run_missing(tmp_path / "out", workers=2, progress=False)
    monkeypatch.delenv("PYTHONPATH")
    assert Ledger(tmp_path / "out").statuses() == {}
    assert mesonet.experiment(file).run(tmp_path / "out", workers=2, progress=False).counts["failed"] == 0
