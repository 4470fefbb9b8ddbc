"""Imports go one way: each folder of the package may import those before it in `LAYERS`. No modules form a cycle."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "python" / "mesonet"

GROUND = (
    "_version", "algorithms", "assets", "browser", "core", "errors", "files", "interrupts", "numpy_data", "plugins",
    "process_pool", "progress", "terminal", "units", "words",
)  # fmt: skip
LAYERS = (
    GROUND,
    ("designs",), ("topologies",), ("responses",), ("scenarios",), ("maps",), ("simulation",), ("models",),
    ("campaign",), ("experiments",), ("analysis",), ("plots",), ("reporting",), ("playground",), ("verification",),
    ("evidence", "conform"),
    ("__init__",), ("cli",), ("__main__",),
)  # fmt: skip
REPORTING = (
    ("packing", "campaign_view"),
    ("verdicts",),
    ("text",),
    ("figures",),
    ("folder",),
    ("replay",),
    ("live",),
    ("page",),
)


def modules() -> dict[str, ast.Module]:
    """Return the syntax tree of every module by its name below ``mesonet``."""
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts)] = ast.parse(file.read_text(encoding="utf-8"))
    return found


MODULES = modules()


def known(name: str) -> str | None:
    """Return the module that a dotted name without ``mesonet.`` lies in, None for what is no module."""
    while name:
        if name in MODULES:
            return name
        if f"{name}.__init__" in MODULES:
            return f"{name}.__init__"
        name = name.rpartition(".")[0]
    return "__init__"


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the modules of the package that a module imports, at its top or inside of functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "relative imports hide the layer"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first == "mesonet":
                yield known(rest)


EDGES = {name: sorted(set(imported(tree)) - {name}) for name, tree in MODULES.items()}


def level(name: str, layers: tuple[tuple[str, ...], ...]) -> int:
    """Return the place of the layer of a module; a folder or file that no layer names is an error."""
    first = name.partition(".")[0]
    for place, members in enumerate(layers):
        if first in members:
            return place
    raise AssertionError(f"{name}: no layer of this test names {first}")


@pytest.mark.parametrize("name", MODULES)
def test_no_import_goes_up(name: str) -> None:
    for target in EDGES[name]:
        assert level(target, LAYERS) <= level(name, LAYERS), f"{name} imports {target}"


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("reporting.") and name.count(".") > 1])
def test_no_import_goes_up_in_reporting(name: str) -> None:
    own = level(name.removeprefix("reporting."), REPORTING)
    for target in EDGES[name]:
        if target.startswith("reporting."):
            inner = target.removeprefix("reporting.")
            assert inner != "__init__", f"{name} imports the face of reporting"
            assert level(inner, REPORTING) <= own, f"{name} imports {target}"


def test_no_cycle() -> None:
    try:
        list(graphlib.TopologicalSorter(EDGES).static_order())
    except graphlib.CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_every_folder_says_what_it_is() -> None:
    folders = [name for name in MODULES if name.endswith("__init__")]
    silent = [
        name for name in folders if "mport" not in (ast.get_docstring(MODULES[name]) or "") and name != "__init__"
    ]
    assert not silent, "a folder says what it is and what it may import"
    assert {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"} <= {
        member for members in LAYERS for member in members
    }
