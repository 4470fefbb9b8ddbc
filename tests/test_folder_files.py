"""Files of a campaign folder are bounded like all input: regular, and refused before they cost much."""

from __future__ import annotations

import ast
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

import mesonet as mn
from mesonet.campaign import leases, tables
from mesonet.campaign.data import load
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.evidence.plan import plan
from mesonet.evidence.report_runs import run
from mesonet.reporting import write_analysis
from mesonet.simulation.checkpoint import Checkpoint

pytestmark = pytest.mark.slow

PACKAGE = Path(mn.__file__).parent


@pytest.fixture
def campaign(one_factor_campaign: Path, tmp_path: Path) -> Path:
    """A copy of a finished campaign of two runs."""
    return shutil.copytree(one_factor_campaign, tmp_path / "theirs")


@pytest.fixture(autouse=True)
def _no_waiting() -> Iterator[None]:
    """End a test that waits for a pipe."""

    def late(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def first(campaign: Path) -> Path:
    return min((campaign / "runs").iterdir())


def command(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def in_place(file: Path, kind: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    if kind == "a pipe":
        os.mkfifo(file)
    elif kind == "a device":
        file.symlink_to("/dev/zero")
    else:
        file.mkdir()
    return file


VERBS = [("report", "--no-live"), ("analyze", "--figures", "none"), ("export",), ("experiment", "status", "--verify")]


@pytest.mark.parametrize("kind", ["a pipe", "a device", "a folder"])
@pytest.mark.parametrize("name", ["responses.parquet", "groups.parquet", "run.json"])
def test_what_is_no_regular_file_is_refused_at_once(campaign: Path, name: str, kind: str) -> None:
    file = in_place(first(campaign) / name, kind)
    for verb in VERBS:
        done = command(*verb, campaign)
        assert done.exit_code == (1 if "--verify" in verb else 2), done.output
        assert "--verify" in verb or f"{file}: " in done.stderr
    assert command("experiment", "run", campaign, "--workers", "1").exit_code == 0
    assert (campaign / "damaged" / f"{file.parent.name}-1" / name).lstat().st_mode != file.lstat().st_mode
    assert load(campaign).counts["done"] == 2


@pytest.mark.parametrize("kind", ["a pipe", "a device", "a folder"])
def test_other_files_of_the_folder_are_regular_too(
    campaign: Path, one_factor_campaign: Path, kind: str, tmp_path: Path
) -> None:
    lease = in_place(campaign / "runs" / f"{leases.PREFIX}x", kind)
    if kind != "a device":
        assert not leases.is_void(lease), "it is new"
        os.utime(lease, (1, 1))
    assert leases.is_void(lease)
    in_place(campaign / "analysis" / "figures" / "network" / "x.svg", kind)
    if kind != "a device":
        write_analysis(load(campaign), campaign, figures="chosen", responses=[])
    in_place(campaign / "experiment.json", kind)
    again = command("experiment", "run", one_factor_campaign.parent / "one_factor.toml", "--out", campaign)
    assert again.exit_code == 2, again.output
    snapshot = in_place(tmp_path / "snapshot", kind)
    notes: list[str] = []
    with Checkpoint(snapshot, forgiving=True, note=notes.append) as checkpoint:
        assert checkpoint.begin(lambda state: state)[0] is None
        snapshot.rmdir() if kind == "a folder" else None
    assert "begins anew" in notes[0]
    chosen = plan("cubic", ("tcp",), 2)
    in_place(tmp_path / "evidence" / "evidence.json", kind)
    with pytest.raises(InputError, match=r"not a file|a link"):
        run(chosen, tmp_path / "evidence")


BAD: dict[str, Callable[[Path], object]] = {
    "200,000 rows of 1 columns": lambda file: pl.DataFrame(
        {"value": pl.repeat(1.5, 200_000, eager=True)}
    ).write_parquet(file),
    "the column list": lambda file: pl.DataFrame({"list": [[1.0] * 9]}).write_parquet(file),
    "the column bytes": lambda file: pl.DataFrame({"bytes": [b"x"]}).write_parquet(file),
    "a file of 2,000 MB": lambda file: os.truncate(file, 2_000_000_000),
}


@pytest.mark.parametrize("problem", BAD)
def test_a_table_that_would_cost_much_is_refused_before_it_is_read(
    campaign: Path, monkeypatch: pytest.MonkeyPatch, problem: str
) -> None:
    def refuse(contents: list[bytes]) -> None:
        raise AssertionError("read")

    file = first(campaign) / "responses.parquet"
    BAD[problem](file)
    monkeypatch.setattr(tables, "_decoded", refuse)
    monkeypatch.setattr(tables, "MOST_BYTES_OF_ONE", 1_000_000)
    with pytest.raises(InputError) as raised:
        tables.table(file)
    assert str(file) in str(raised.value)
    assert problem in str(raised.value)


def test_tables_that_are_read_together_share_the_limit(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [each / "responses.parquet" for each in (campaign / "runs").iterdir()]
    size = max(tables._source(file, {}).size for file in files)
    monkeypatch.setattr(tables, "MOST_BYTES", size)
    for file in files:
        tables.table(file)
    with pytest.raises(InputError, match=r"rows of .* columns, with the tables before them"):
        load(campaign)


READERS = {
    "open", "fdopen", "read_text", "read_bytes", "read_parquet", "read_parquet_schema", "read_parquet_metadata",
    "scan_parquet", "read_csv", "scan_csv", "read_json", "read_ipc", "loadtxt", "genfromtxt", "copy2", "copyfile",
}  # fmt: skip
#: Files with calls of `READERS` around `mesonet.files.reading`, each with its reason.
AROUND = {
    "assets.py": "files of the package",
    "browser/module.py": "files of the package",
    "campaign/leases.py": "makes leases, and reads /proc",
    "campaign/ledger.py": "writes, and forces own files to the disk",
    "campaign/process.py": "reads /sys",
    "campaign/tables.py": "Polars reads bytes of the reader",
    "campaign/trust.py": "the record of the user",
    "campaign/serving.py": "its pipe",
    "cli/common.py": "the null device",
    "cli/glossary.py": "files of the package",
    "adversarial/trials.py": "writes, and reads the lines that it wrote",
    "cli/table_analysis.py": "Polars reads bytes of the reader",
    "conform/mutants/mutants.py": "the source of a plug-in that was loaded",
    "files/cache.py": "the cache, which checks owner and modes",
    "files/locks.py": "makes lock files",
    "files/reading.py": "the reader",
    "files/toml.py": "files of the package",
    "fitting/tables.py": "Polars reads bytes of the reader",
    "fitting/unpacked.py": "unpacks a file of the user, which the reader opened",
    "kernel/machine.py": "reads /proc and network namespaces",
    "models/workplace.py": "files beside a program that the user runs, at most 1 MB",
    "plugins/library.py": "a library that the user loads",
    "plugins/linux.py": "a module of Linux that the user loads",
    "reporting/folder/drawing.py": "files of the package",
    "scoring/admission.py": "files of the package",
    "scoring/sandbox.py": "reads /proc",
    "scoring/worker.py": "its pipes, and the null device",
    "simulation/checkpoint.py": "writes",
    "simulation/provenance.py": "reads /proc",
    "conform/qlog.py": "writes",
    "conform/traces.py": "writes",
}


def around(file: Path) -> list[int]:
    """Lines with calls that may read a file, and are not calls of the reader."""
    own, found = set(), []
    tree = ast.parse(file.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "mesonet.files.reading":
            own = {each.name for each in node.names}
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name.rpartition(".")[2] in READERS and name not in own and not name.startswith("reading."):
                found.append(node.lineno)
    return found


def test_every_file_of_a_folder_is_read_by_the_reader() -> None:
    found = {file.relative_to(PACKAGE).as_posix(): lines for file in PACKAGE.rglob("*.py") if (lines := around(file))}
    assert {name: lines for name, lines in found.items() if name not in AROUND} == {}
    assert set(AROUND) - set(found) == set(), "no reason is left over"


def test_the_search_finds_readers(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text(
        "from mesonet.files.reading import read_text\nread_text(p)\np.read_text()\npl.read_parquet(p)\nopen(p)\n"
    )
    assert around(file) == [3, 4, 5]
