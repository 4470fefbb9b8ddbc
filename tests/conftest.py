"""What several tests share: networks and experiments that take a fraction of a second."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from filelock import FileLock

import fonts

# The tests fill the processors with processes: threads of libraries would wait for work in each of them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "1")

# A shell that starts the tests in its background has them ignore SIGINT, and so the programs that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests record trust in campaign folders outside of the home; all their processes share this folder.
if "MESONET_TESTS_STATE" not in os.environ:
    os.environ["MESONET_TESTS_STATE"] = tempfile.mkdtemp(prefix="mesonet-tests-")
    atexit.register(shutil.rmtree, os.environ["MESONET_TESTS_STATE"], ignore_errors=True)
os.environ["XDG_STATE_HOME"] = os.environ["MESONET_TESTS_STATE"]
fonts.leave_out(Path(os.environ["MESONET_TESTS_STATE"]))

# The same examples every time; HYPOTHESIS_PROFILE=search looks for new ones. No deadline: it would measure the machine.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_collection_finish() -> None:
    """Have no collection of garbage look at thousands of tests and modules again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)


TINY = """
name = "tiny"
title = "Two factors, two algorithms, eight short runs"
scenario = "abilene"
algorithms = ["tcp", "scalable"]
seed = 5

[set]
"time.duration" = "2 s"
"users.base_sources" = 2

[[factors]]
id = "X1"
minus = "40 seg/ms"
plus = "80 seg/ms"

[[factors]]
id = "X5"
minus = "50 segments"
plus = "100 segments"
"""


ONE_FACTOR = TINY.replace('"tcp", "scalable"', '"tcp"').partition('[[factors]]\nid = "X5"')[0]


class Shared:
    """Folders that are made once for all tests, by whichever process needs them first. Tests only read them."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def folder(self, name: str, make: Callable[[Path], object]) -> Path:
        """Return the folder of this name, which `make` has filled."""
        place, made = self._root / name, self._root / f"{name}.made"
        with FileLock(self._root / f"{name}.lock"):
            if not made.exists():
                shutil.rmtree(place, ignore_errors=True)  # another test failed to make it
                place.mkdir()
                make(place)
                made.touch()
        return place


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """Folders shared by all tests and all processes of this session."""
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent
    (root / "shared").mkdir(exist_ok=True)
    return Shared(root / "shared")


@pytest.fixture(scope="session")
def tiny_campaign(shared: Shared) -> Path:
    """The folder of the finished campaign of `TINY`."""
    return _campaign(shared, "tiny", TINY)


@pytest.fixture(scope="session")
def one_factor_campaign(shared: Shared) -> Path:
    """The folder of the finished campaign of `ONE_FACTOR`."""
    return _campaign(shared, "one_factor", ONE_FACTOR)


def _campaign(shared: Shared, name: str, text: str) -> Path:
    import mesonet

    def make(folder: Path) -> None:
        (folder / f"{name}.toml").write_text(text)
        mesonet.experiment(folder / f"{name}.toml").run(folder / "out", workers=1, progress=False)

    return shared.folder(f"campaign-{name}", make) / "out"


@contextmanager
def drawing_few_figures() -> Iterator[None]:
    """Draw one figure of each kind of folder and of each group of a report.

    For tests of something else: `test_analyze`, `test_report` and `test_browser` make all.
    """
    from mesonet.reporting.figures import figure_groups
    from mesonet.reporting.folder.gallery import figures_of

    def some(*arguments: Any) -> list[Any]:
        return list({figure.name.partition("/")[0]: figure for figure in figures_of(*arguments)}.values())

    def begun(*arguments: Any) -> list[Any]:
        return [replace(group, figures=group.figures[:1]) for group in figure_groups(*arguments)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mesonet.reporting.folder.analysis_files.figures_of", some)
        patch.setattr("mesonet.reporting.folder.drawing._WORTH_A_PROCESS", 1000)  # another would draw all
        patch.setattr("mesonet.reporting.page.document.figure_groups", begun)
        yield


@pytest.fixture
def few_figures() -> Iterator[None]:
    """Have a test draw few figures."""
    with drawing_few_figures():
        yield


@pytest.fixture
def own_plugins(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give a test names of plug-ins and a cache of its own; the core keeps tables by name and digest."""
    from mesonet import plugins

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
    before = dict(plugins.by_name())
    yield
    loaded = plugins.by_name()
    assert isinstance(loaded, dict)
    loaded.clear()
    loaded.update(before)


@pytest.fixture
def one_factor(tmp_path: Path) -> Path:
    """The file of an experiment of 2 conditions and one algorithm."""
    file = tmp_path / "one_factor.toml"
    file.write_text(ONE_FACTOR)
    return file


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """The file of an experiment of 4 conditions x 2 algorithms."""
    file = tmp_path / "tiny.toml"
    file.write_text(TINY)
    return file
