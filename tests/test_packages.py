"""The packages: their metadata, what is imported when, and a wheel that runs where there is no Rust."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import venv
from importlib import import_module
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner
from packaging.requirements import Requirement

import mesonet
from fragments import holds
from mesonet.cli.verbs import VERBS, main

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RECIPE = yaml.safe_load(re.sub(r"\$\{\{.*?\}\}", "X", (ROOT / "packaging" / "conda" / "recipe.yaml").read_text()))


MOST_MB = 480
"""Most space of a plain installation in site-packages, with bytecode (on Linux: polars 181, scipy 143, numpy 73)."""
SITE_PACKAGES = "import sysconfig; print(sysconfig.get_path('platlib'), end='')"


def size_mb(folder: Path) -> float:
    """Return the size of the files of a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20


def test_every_file_names_the_same_version() -> None:
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert mesonet.__version__ == version
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version
    assert RECIPE["context"]["version"] == version
    assert PROJECT["dynamic"] == ["version"]
    wheels = re.findall(r"dist/mesonet-([\d.]+)-", (ROOT / "docs" / "how-to" / "install.md").read_text())
    assert set(wheels) == {version}


def test_the_version_has_release_notes_of_one_page() -> None:
    notes = (ROOT / "docs" / "release-notes" / f"{mesonet.__version__}.md").read_text()
    assert notes.startswith(f"# mesonet {mesonet.__version__}\n")
    assert len(notes.split()) <= 450, "one page"
    assert f"release-notes/{mesonet.__version__}\n" in (ROOT / "docs" / "index.md").read_text()


#: A `let` beside a condition, which Rust has since 1.88.
LET_CHAIN = re.compile(r"&&\s*let\b|\b(?:if|while)\s+let\b(?:[^{;=]|\{[^{}]*\})*=(?:[^{;()&]|\([^()]*\)|&(?!&))*&&")


def test_the_rust_sources_compile_with_the_compiler_that_cargo_toml_names() -> None:
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"]
    assert tuple(map(int, version.split("."))) < (1, 88), "this test can go"
    files = [file for file in (ROOT / "crates").rglob("*.rs") if "target" not in file.parts]
    assert len(files) > 100
    assert not [str(file) for file in files if LET_CHAIN.search(file.read_text())]
    for chain in ("if a && let Some(b) = c {", "if let Some(b) = c()\n    && d {", "while let A { b } = c && d {"):
        assert LET_CHAIN.search(chain)


def test_the_recipe_of_conda_needs_what_the_package_needs() -> None:
    names = {"msgspec-python": "msgspec"}
    runs = [Requirement(each) for each in RECIPE["requirements"]["run"] if each != "python"]
    needed = [Requirement(each) for each in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["viz"]]
    assert {(names.get(each.name, each.name), str(each.specifier)) for each in runs} == {
        (each.name, str(each.specifier)) for each in needed
    }


def test_the_extra_all_is_all_extras() -> None:
    # Each by itself: an extra that names the package would take it from the package index during a build.
    extras = PROJECT["optional-dependencies"]
    single = {each for name, needed in extras.items() if name not in ("all", "docs", "test") for each in needed}
    assert single == {*extras["all"]}
    assert single <= {*extras["test"]}


def test_the_page_of_the_package_index_has_no_dead_links() -> None:
    page = (ROOT / PROJECT["readme"]).read_text()
    assert [link for link in re.findall(r"\]\(([^)]*)\)", page) if not link.startswith("https://")] == []
    assert set(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE)) == {*PROJECT["optional-dependencies"]} - {
        "docs",
        "test",
    }


def test_the_help_shows_the_first_line_of_each_verb() -> None:
    for name, line in VERBS.items():
        verb = getattr(import_module(f"mesonet.cli.{name}"), "list_" if name == "list" else name)
        assert isinstance(verb, click.Command)
        assert " ".join((verb.help or "").partition("\n\n")[0].split()) == line


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "allowed"),
    [(["--help"], set()), (["--version"], set()), (["run", "dumbbell", "--duration", "1 s"], {"numpy"})],
)
def test_the_command_starts_without_large_packages(words: list[str], allowed: set[str]) -> None:
    code = "import atexit, sys; atexit.register(lambda: print(*sys.modules)); import mesonet.cli.verbs as verbs; "
    done = subprocess.run(
        [sys.executable, "-c", f"{code}verbs.main({words})"], capture_output=True, text=True, check=True
    )
    large = {"altair", "networkx", "numpy", "polars", "psutil", "pyarrow", "scipy", "vl_convert"} - allowed
    assert large & {*done.stdout.split()} == set()


@pytest.mark.parametrize(
    "words",
    [
        ["run", "dumbbell", "--duration", "2 s", "--plot", "figure.svg"],
        ["check", "dumbbell", "--draw", "figure.png"],
        ["report", "nothing"],
        ["analyze", "nothing"],
        ["evidence", "bbr"],
    ],
)
def test_a_figure_without_its_package_is_refused_first(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nothing").mkdir()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 1
    assert holds(done.stderr, "optional package", 'pip install "mesonet[viz]"')
    assert [each.name for each in tmp_path.iterdir()] == ["nothing"]


@pytest.mark.timeout(1800)  # compiles everything in a fresh clone, and loads packages
@pytest.mark.slow
@pytest.mark.process
def test_a_wheel_runs_where_there_is_no_rust(tmp_path: Path) -> None:
    build = [Path(sys.executable).parent / "maturin", "build", "--release", "--quiet", "--out", tmp_path]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert "-cp311-abi3-" in wheel.name
    venv.create(tmp_path / "empty", with_pip=True)
    programs = tmp_path / "empty" / ("Scripts" if os.name == "nt" else "bin")
    install = [programs / "python", "-m", "pip", "install", "--quiet"]
    packages = Path(subprocess.check_output([programs / "python", "-c", SITE_PACKAGES], text=True))
    before = size_mb(packages)
    subprocess.run([*install, wheel], check=True, cwd=tmp_path)
    assert size_mb(packages) - before < MOST_MB
    subprocess.run([*install, f"{wheel}[viz]"], check=True, cwd=tmp_path)
    here = {"PATH": str(programs), "HOME": str(tmp_path)}
    run = [programs / "mesonet", "run", "demo", "--condition", "1", "--plot", "first.svg", "--json"]
    done = subprocess.run(run, env=here, cwd=tmp_path, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    del found["performance"]
    own = CliRunner().invoke(main, ["run", "demo", "--condition", "1", "--json"])
    assert found.items() <= json.loads(own.stdout).items()
    assert (tmp_path / "first.svg").read_text().startswith("<svg")
