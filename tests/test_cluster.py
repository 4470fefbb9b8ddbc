"""A campaign on a Dask cluster: a real scheduler and two workers on this machine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from click.testing import CliRunner

import mesonet
import sleepy
from commands import ENVIRONMENT, PATIENCE_S, until
from fragments import holds
from mesonet.campaign.cluster import _Driver, exposure
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from page_blocks import blocks
from test_faults import finish, start, write

pytestmark = pytest.mark.process

pytest.importorskip("distributed")


class Cluster:
    """A scheduler that writes `file`, and workers of one thread, started as users start them."""

    def __init__(self, folder: Path, *options: str, **variables: str) -> None:
        self.file = folder / "scheduler.json"
        self._folder, self._options = folder, options
        self._variables = {**ENVIRONMENT, "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s", **variables}
        self._processes: list[subprocess.Popen[bytes]] = []

    def start_scheduler(self, port: int = 0) -> None:
        self.file.unlink(missing_ok=True)
        self.scheduler = self._start("scheduler", "--port", str(port), *self._options)
        until(self._written)

    def _written(self) -> bool:
        """Return True if the file holds a whole document: the scheduler opens it some time before it writes."""
        try:
            return bool(json.loads(self.file.read_text()))
        except (FileNotFoundError, ValueError):
            return False

    def start_worker(self) -> subprocess.Popen[bytes]:
        """A worker and the nanny that starts it again, in a group of processes of their own."""
        return self._start("worker", "--nthreads", "1", "--local-directory", str(self._folder))

    def wait(self, workers: int) -> None:
        from distributed import Client

        with Client(scheduler_file=str(self.file), set_as_default=False, timeout=PATIENCE_S) as client:
            client.wait_for_workers(workers, timeout=PATIENCE_S)

    def stop(self) -> None:
        for process in self._processes:
            kill(process)

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--scheduler-file", str(self.file), *options]
        where = ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
        with (self._folder / f"{what}-{len(self._processes)}.log").open("w") as log:
            process = subprocess.Popen([*command, *where], env=self._variables, stdout=log, stderr=log, process_group=0)
        self._processes.append(process)
        return process


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kills a process and all that it started, without a chance to clean up; none that is gone, its number may be
    another's by now."""
    if process.poll() is not None:
        return
    with suppress(psutil.NoSuchProcess):
        for each in psutil.Process(process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                each.kill()
    process.kill()
    process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of two workers."""
    running = Cluster(tmp_path)
    try:
        running.start_scheduler()
        for _ in range(2):
            running.start_worker()
        running.wait(2)
        yield running
    finally:
        running.stop()


def test_survives_a_killed_worker_and_a_killed_scheduler(cluster: Cluster, tmp_path: Path) -> None:
    driver = start(write(tmp_path, replicates=6, pause=0.4), "--dask", str(cluster.file))
    until(lambda: len(sleepy.calls(tmp_path, "end")) >= 3, driver)
    kill(cluster._processes[1])
    until(lambda: len(sleepy.calls(tmp_path, "end")) >= 6, driver)
    kill(cluster.scheduler)
    cluster.start_scheduler()
    for _ in range(2):
        cluster.start_worker()
    code, status, errors = finish(driver)
    assert (code, status["done"], status["failed"]) == (0, 24, 0), errors
    begun = sleepy.calls(tmp_path)
    assert len(begun) == 24
    assert sum(begun.values()) <= 24 + 1 + 2, "only what was being made when something died was made again"
    ended = sleepy.calls(tmp_path, "end")
    assert sum(ended.values()) <= 24 + 1, "at most one was made, but not yet written, when its worker died"


def test_a_cluster_of_the_recipe_listens_on_loopback_only(cluster: Cluster) -> None:
    at = [
        connection.laddr.ip
        for started in cluster._processes
        for each in (psutil.Process(started.pid), *psutil.Process(started.pid).children(recursive=True))
        for connection in each.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert len(at) >= 2 * 3, "scheduler and two workers, each with its HTTP server"
    assert set(at) == {"127.0.0.1"}


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_workers_load_plug_ins_in_c_and_python(cluster: Cluster, tmp_path: Path) -> None:
    pytest.importorskip("numba")
    examples = Path(__file__).parent.parent / "examples" / "plugins"
    for name in ("aimd.c", "aimd.py"):
        shutil.copy(examples / name, tmp_path)
    (tmp_path / "exp.toml").write_text(
        'name = "exp"\ntitle = "T"\nscenario = "dumbbell"\nalgorithms = ["tcp", "aimd.c", "aimd.py:AIMD"]\n'
        '[set]\n"time.duration" = "5 s"\n[[factors]]\nid = "X3"\nminus = "0.5 bdp"\nplus = "1 bdp"\n'
    )
    experiment = mesonet.experiment(str(tmp_path / "exp.toml"))
    campaign = experiment.run(tmp_path / "out", dask=str(cluster.file), progress=False)
    assert campaign.counts["done"] == 6
    rows = campaign.responses.select("algorithm", "condition", "response", "period", "value")
    own = {name: each.drop("algorithm") for (name,), each in rows.group_by("algorithm", maintain_order=True)}
    assert set(own) == {"tcp", "aimd-c", "aimd-python"}
    assert own["aimd-c"].equals(own["tcp"])
    assert own["aimd-python"].equals(own["tcp"])


SECURITY = Path(__file__).parent.parent / "SECURITY.md"


def certificates(folder: Path) -> dict[str, str]:
    """Make an authority and a certificate with the commands of SECURITY.md; return the variables that it sets."""
    found = [block.code for block in blocks(SECURITY) if block.mark == "elsewhere"]
    commands, variables = ("".join(each for each in found if text in each) for text in ("openssl req", "CA_FILE"))
    folder.mkdir()
    script = (
        f"set -e\n{commands}\n{variables.replace('=ca.pem', '=$PWD/ca.pem').replace('=cert.pem', '=$PWD/cert.pem')}"
    )
    script = script.replace("=key.pem", "=$PWD/key.pem") + "\nenv"
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    lines = (line for line in done.stdout.splitlines() if line.startswith("DASK_DISTRIBUTED__COMM"))
    values = dict(line.split("=", 1) for line in lines)
    assert len(values) == 2 + 2 * 3
    return values


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make certificates with")
def test_tls_lets_in_certificates_of_its_authority_only(tmp_path: Path) -> None:
    own, other = certificates(tmp_path / "own"), certificates(tmp_path / "other")
    running = Cluster(tmp_path, "--protocol", "tls", **own)
    try:
        running.start_scheduler()
        running.start_worker()
        file = write(tmp_path, replicates=1, pause=0.01)
        address = json.loads(running.file.read_text())["address"]
        assert address.startswith("tls://127.0.0.1:")
        plain = address.replace("tls", "tcp")
        for variables, to in ((other, address), ({}, address), ({}, plain), (own, plain)):
            code, _, errors = finish(start(file, "--dask", to, environment={**ENVIRONMENT, **variables}))
            assert (code, "no Dask scheduler can be reached" in errors) == (2, True), errors
            assert sleepy.calls(tmp_path) == {}
        code, status, errors = finish(start(file, "--dask", address, environment={**ENVIRONMENT, **own}))
        assert (code, status["done"]) == (0, 4), errors
    finally:
        running.stop()


@pytest.mark.parametrize(
    ("address", "exposed"),
    [
        ("tcp://10.0.0.7:8786", True), ("tcp://cluster.example:8786", True), ("10.0.0.7:8786", True),
        ("tcp://[2001:db8::1]:8786", True), ("ucx://10.0.0.7:8786", True), ("tls://10.0.0.7:8786", False),
        ("tcp://127.0.0.1:8786", False), ("tcp://[::1]:8786", False), ("tcp://localhost:8786", False),
        ("inproc://10.0.0.7/1/1", False), ("no-such-file.json", False),
    ],
)  # fmt: skip
def test_a_scheduler_that_others_reach_is_noted(address: str, exposed: bool) -> None:
    assert holds(exposure(address), "any process", "run code") == exposed


def test_cluster_and_pool_share_a_campaign_and_poison_is_quarantined(cluster: Cluster, tmp_path: Path) -> None:
    file = write(tmp_path, replicates=3, pause=0.2, more='crash = "2-20"')
    here, there = start(file, "--workers", "1"), start(file, "--dask", str(cluster.file))
    for driver in (here, there):
        code, status, errors = finish(driver)
        assert (code, status["done"], status["quarantined"]) == (1, 9, 3), errors
    begun = sleepy.calls(tmp_path)
    assert {number for key, number in begun.items() if key[0] != "2-20"} == {1}
    assert all(3 <= number <= 4 for key, number in begun.items() if key[0] == "2-20")


class Future:
    """What Dask gives of a task, whose answer does not come in time."""

    def __init__(self, status: str) -> None:
        self.status = status

    def result(self, timeout: float) -> object:
        raise TimeoutError

    exception = result


@pytest.mark.parametrize("status", ["finished", "error", "cancelled", "lost"])
def test_task_whose_answer_does_not_come_is_made_again(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[str, str]] = []
    driver = object.__new__(_Driver)
    monkeypatch.setattr(driver, "_out", {Future(status): "run"}, raising=False)
    monkeypatch.setattr(driver, "_agenda", SimpleNamespace(end=lambda *reported: heard.append(reported)), raising=False)
    driver._hear()
    assert heard == [("run", "stopped")]
    assert not driver._out


def test_cluster_that_does_not_answer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mesonet.campaign.cluster._CONNECT_S", 0.5)
    chosen = mesonet.experiment(write(tmp_path, replicates=1))
    with pytest.raises(InputError, match=r"--dask = .tcp://127.0.0.1:9.: no Dask scheduler can be reached"):
        chosen.run(tmp_path / "out", progress=False, dask="tcp://127.0.0.1:9")
    assert not (tmp_path / "out").exists(), "nothing is written for a cluster that is not there"
    with pytest.raises(InputError, match="no Dask scheduler can be reached"):
        chosen.run(tmp_path / "out", progress=False, dask=str(tmp_path / "none.json"))
    (tmp_path / "other.json").write_text("[]")
    with pytest.raises(InputError, match="the file holds no address"):
        chosen.run(tmp_path / "out", progress=False, dask=str(tmp_path / "other.json"))


def test_cluster_at_no_address_is_one_line_at_once(tmp_path: Path) -> None:
    code, _, errors = finish(start(write(tmp_path, replicates=1), "--dask", "nowhere"))
    assert (code, errors.count("\n")) == (2, 1), f"a thread that is left would complain, too: {errors}"
    assert "missing port number" in errors


def test_workers_that_queue_may_take_as_long_as_dask_is_told() -> None:
    import dask
    import distributed  # noqa: F401 - its settings

    from mesonet.campaign.cluster import PATIENCE_S, _patience

    assert _patience() == PATIENCE_S
    with dask.config.set({"distributed.scheduler.no-workers-timeout": "24h"}):
        assert _patience() == 86_400


@pytest.mark.parametrize("died", [False, True])
def test_scheduler_without_workers_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], died: bool
) -> None:
    monkeypatch.setattr("mesonet.campaign.cluster.PATIENCE_S", 3.0)
    monkeypatch.setattr("mesonet.campaign.cluster._COUNT_EVERY_S", 0.2)
    running = Cluster(tmp_path)
    chosen = mesonet.experiment(write(tmp_path, replicates=1, pause=600.0 if died else 0.1))
    try:
        running.start_scheduler()
        if died:
            worker = running.start_worker()
            running.wait(1)
            dies = threading.Thread(target=lambda: (until(lambda: sleepy.calls(tmp_path)), kill(worker)), daemon=True)
            dies.start()
        with pytest.raises(InputError, match=r"--dask = .*: .*no workers for 3 s"):
            chosen.run(tmp_path / "out", dask=str(running.file))
    finally:
        running.stop()
    if not died:
        assert "; 0 of 4 runs, no workers at the scheduler\n" in capsys.readouterr().err


def test_what_a_cluster_cannot_do_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from mesonet.campaign.cluster import _broken

    def broken(*_: object) -> None:
        raise _broken(TypeError("cannot\nunpickle"))

    monkeypatch.setattr("mesonet.campaign.cluster.answering", str)
    monkeypatch.setattr("mesonet.campaign.cluster.run_on_cluster", broken)
    file = str(write(tmp_path, replicates=1))
    text = CliRunner().invoke(
        main, ["experiment", "run", file, "--out", str(tmp_path / "out"), "--dask", "tcp://[::1]:1"]
    )
    assert (text.exit_code, text.stderr.count("\n")) == (1, 1), text.output
    assert holds(text.stderr, "mesonet: ", "cluster", ": TypeError: cannot unpickle\n")


def test_worker_with_other_code_is_refused(tmp_path: Path) -> None:
    from dataclasses import asdict

    from mesonet.campaign.cluster import make
    from mesonet.campaign.ledger import Ledger, planned

    chosen = mesonet.experiment(write(tmp_path, replicates=1))
    ledger = Ledger.create(tmp_path / "out", chosen.document())
    run = asdict(planned(chosen.document(), "another")[0])
    with pytest.raises(InputError, match="has other code"):
        make(str(ledger.path), run, chosen.model, None)
    shutil.rmtree(ledger.path)
    with pytest.raises(InputError, match="cannot read the campaign folder"):
        make(str(ledger.path), run, chosen.model, None)
