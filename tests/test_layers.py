"""Imports go one way: each folder of the package may import those before it in `LAYERS`. No modules form a cycle.

The `use` lines between files of the crates form no cycle either, and go one way inside of the simulation. A file may
use what its folder's own file defines.

Calls of ``import_module`` count as imports: of constant names, of tables of names, and of names with parts that follow
from what the code compares them with.
"""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from itertools import product
from pathlib import Path

import pytest

import api_pages
import rust_uses

PACKAGE = Path(__file__).parents[1] / "python" / "mesonet"

GROUND = (
    "_version", "algorithms", "assets", "browser", "core", "deployment_tests", "errors", "files",
    "interrupts", "numpy_data", "plugin_exit", "plugins", "processes", "progress", "terminal", "units",
    "visible", "words",
)  # fmt: skip
LAYERS = (
    GROUND,
    ("designs",), ("topologies",), ("responses",), ("scenarios",), ("maps",), ("simulation",), ("kernel",), ("models",),
    ("campaign",), ("experiments",), ("analysis",), ("emulation",), ("charts",), ("fitting",), ("reporting",),
    ("playground",),
    ("looks",), ("evidence", "conform"), ("adversarial",), ("scoring",),
    ("__init__", "plots"), ("cli",), ("__main__",),
)  # fmt: skip
REPORTING = (
    ("packing", "campaign_view"),
    ("verdicts",),
    ("text",),
    ("figures",),
    ("folder",),
    ("replay",),
    ("live",),
    ("emulator",),
    ("page",),
)


#: Modules that import by a name which is not in the source: a model of the user, a package beside ours.
BY_ANY_NAME = {"models.model"}
#: Whatever a name may be.
ANYTHING = "*"


#: The file of every module, by its name below ``mesonet``.
MODULES = {".".join(file.relative_to(PACKAGE).with_suffix("").parts): file for file in sorted(PACKAGE.rglob("*.py"))}


@cache
def tree_of(name: str) -> ast.Module:
    """Return the syntax tree of a module."""
    return api_pages.tree(MODULES[name])


def known(name: str) -> str | None:
    """Return the module that a dotted name without ``mesonet.`` lies in, None for what is no module."""
    while name:
        if name in MODULES:
            return name
        if f"{name}.__init__" in MODULES:
            return f"{name}.__init__"
        name = name.rpartition(".")[0]
    return "__init__"


def strings(node: ast.AST, tree: ast.Module, home: ast.AST) -> set[str]:
    """Return the texts that an expression in the function `home` may have, `ANYTHING` where the source is silent."""
    match node:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.JoinedStr(values=parts):
            return {"".join(choice) for choice in product(*(strings(part, tree, home) for part in parts))}
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return {a + b for a, b in product(strings(left, tree, home), strings(right, tree, home))}
        case ast.FormattedValue(value=value):
            return strings(value, tree, home)
        case ast.IfExp(body=body, orelse=other):
            return strings(body, tree, home) | strings(other, tree, home)
        case ast.Subscript(value=ast.Name() as table):
            return members(table, tree, home, of_values=True) or {ANYTHING}
        case ast.Name(id=name):
            return named(name, tree, home) or {ANYTHING}
    return {ANYTHING}


def named(name: str, tree: ast.Module, home: ast.AST) -> set[str]:
    """Return the texts that the function `home` gives to a name, or compares it with."""
    found = set()
    for node in ast.walk(home):
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                found |= strings(value, tree, home)
            case ast.For(target=ast.Name(id=target), iter=table) if target == name:
                found |= members(table, tree, home)
            case ast.Compare(left=ast.Name(id=left), ops=[ast.In() | ast.NotIn()], comparators=[table]) if left == name:
                found |= members(table, tree, home)
    return found


def members(table: ast.AST, tree: ast.Module, home: ast.AST, *, of_values: bool = False) -> set[str]:
    """Return the texts in a table, or in the table of this name at the top of the module: keys, or values."""
    if isinstance(table, ast.Name):
        for node in tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == table.id:
                    return members(value, tree, home, of_values=of_values)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.AST() as value) if name == table.id:
                    return members(value, tree, home, of_values=of_values)
        return set()
    match table:
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            return set().union(*(strings(item, tree, home) for item in items))
        case ast.Dict(keys=keys, values=values):
            return set().union(*(strings(item, tree, home) for item in (values if of_values else keys) if item))
    return set()


def called(tree: ast.Module) -> Iterator[str]:
    """Yield the names in calls of `import_module`, with `ANYTHING` for what the source does not say."""
    calls = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"), args=[name, *_]
            ):
                calls.append((node, name))
    if not calls:
        return
    homes = {
        inner: node
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    }
    for node, name in calls:
        yield from strings(name, tree, homes[node])


def late(tree: ast.Module) -> Iterator[str]:
    """Yield the modules of the package that a module may import by calls."""
    for name in called(tree):
        assert not name.startswith("."), "relative imports hide the layer"
        first, _, rest = name.partition(".")
        if ANYTHING in rest and first == "mesonet":
            yield from (each for each in MODULES if fnmatchcase(each.removesuffix(".__init__"), rest))
        elif first == "mesonet" and rest != "_core":
            yield known(rest)


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the modules of the package that a module imports, at its top or inside of functions."""
    yield from late(tree)
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


@cache
def edges(name: str) -> list[str]:
    """Return the modules of the package that a module imports."""
    return sorted(set(imported(tree_of(name))) - {name})


def level(name: str, layers: tuple[tuple[str, ...], ...]) -> int:
    """Return the place of the layer of a module; a folder or file that no layer names is an error."""
    first = name.partition(".")[0]
    for place, members in enumerate(layers):
        if first in members:
            return place
    raise AssertionError(f"{name}: no layer of this test names {first}")


def upward(name: str, targets: Iterator[str] | list[str]) -> set[str]:
    """Return those of the modules that a module may not import."""
    return {target for target in targets if level(target, LAYERS) > level(name, LAYERS)}


def test_no_import_goes_up() -> None:
    assert not {name: targets for name in MODULES if (targets := upward(name, edges(name)))}


INSIDE_OF_PLAYGROUND = [name for name in MODULES if name.startswith("playground.") and not name.endswith("__init__")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from mesonet.plots import save", {"plots"}),
        ("import_module('mesonet.plots')", {"plots"}),
        ("importlib.import_module('mesonet.campaign.data')", {"campaign.data"}),
        ("__import__('mesonet.cli.verbs')", {"cli.verbs"}),
        ("TABLE = {'a': 'mesonet.units', 'b': 'mesonet.plots'}\ndef f(x): import_module(TABLE[x])", {"plots"}),
        (
            "T: dict = {'verbs': 1}\ndef f(x):\n if x not in T: return\n import_module(f'mesonet.cli.{x}')",
            {"cli.verbs"},
        ),
        ("def f(x):\n if x in ('units', 'plots'): import_module('mesonet.' + x)", {"plots"}),
        ("for x in ('a', 'mesonet.plots'): import_module(x)", {"plots"}),
        ("x = 'mesonet.plots' if y else 'mesonet.units'\nimport_module(x)", {"plots"}),
        ("def f(x): import_module(f'mesonet.playground.{x}')", set(INSIDE_OF_PLAYGROUND)),
        ("import_module('mesonet._core')", set()),
        ("import_module('mesonet.scenarios.scenario')", set()),
    ],
)
def test_imports_by_calls_are_seen(text: str, found: set[str]) -> None:
    assert upward("simulation.simulate", imported(ast.parse(text))) == found


def test_every_name_of_a_call_is_in_the_source() -> None:
    silent = {name for name in MODULES if any(each.startswith("*") for each in called(tree_of(name)))}
    assert silent == BY_ANY_NAME


def test_no_import_goes_up_in_reporting() -> None:
    for name in (name for name in MODULES if name.startswith("reporting.") and name.count(".") > 1):
        own = level(name.removeprefix("reporting."), REPORTING)
        for target in (each for each in edges(name) if each.startswith("reporting.")):
            inner = target.removeprefix("reporting.")
            assert inner != "__init__", f"{name} imports the face of reporting"
            assert level(inner, REPORTING) <= own, f"{name} imports {target}"


def test_no_cycle() -> None:
    try:
        list(graphlib.TopologicalSorter({name: edges(name) for name in MODULES}).static_order())
    except graphlib.CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def of_verification(tree: ast.Module) -> set[str]:
    """Return the modules of the folder ``verification`` that a module imports."""
    named = {f"{node.module}.{each.name}" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
             for each in node.names}  # fmt: skip
    found = ([module for module in VERIFICATION if f"{name}.".startswith(f"{module}.")] for name in named)
    return {max(modules, key=len) for modules in found if modules}


#: The modules that judge and measure claims, which no wheel has, by name.
VERIFICATION = {
    ".".join(file.relative_to(PACKAGE.parents[1]).with_suffix("").parts).removesuffix(".__init__"): file
    for folder in ("scorecard", "measures", "witness")
    for file in sorted((PACKAGE.parents[1] / "verification" / folder).rglob("*.py"))
}


def test_only_the_verb_imports_from_verification() -> None:
    assert [name for name in MODULES if of_verification(tree_of(name))] == ["cli.verify"]


def test_no_cycle_in_verification() -> None:
    trees = {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in VERIFICATION.items()}
    try:
        list(graphlib.TopologicalSorter({name: of_verification(tree) for name, tree in trees.items()}).static_order())
    except graphlib.CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_every_folder_says_what_it_is() -> None:
    folders = [name for name in MODULES if name.endswith("__init__")]
    silent = [
        name for name in folders if "mport" not in (ast.get_docstring(tree_of(name)) or "") and name != "__init__"
    ]
    assert not silent, "a folder says what it is and what it may import"
    assert {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"} <= {
        member for members in LAYERS for member in members
    }


#: Crates that a crate may use.
CRATES = {
    "cc": set(),
    "sim": {"cc"},
    "production": {"cc"},
    "stacks": {"cc", "sim"},
    "captures": set(),
    "wasm": {"cc", "sim"},
    "py": {"cc", "sim", "production", "stacks", "captures"},
}
#: Parts of the simulation, each of which uses only those before it.
SIMULATION = (
    ("code", "shared"), ("events",), ("books",), ("sending",), ("answering",), ("stacks",), ("sessions",), ("domain",),
    ("faults", "look", "windows", "waiting"),
    ("bound", "changes", "check", "demands", "large_files", "long_lived", "sampling", "threads", "tracing"),
)  # fmt: skip


def rust_edges(module: rust_uses.Module) -> set[rust_uses.Module]:
    """Return what the file of a module uses, without what the files of its own folders define."""
    return {target for target in rust_uses.imports(module) if target != module[: len(target)]}


def test_no_cycle_of_rust_files() -> None:
    try:
        list(graphlib.TopologicalSorter({module: rust_edges(module) for module in rust_uses.files()}).static_order())
    except graphlib.CycleError as error:
        pytest.fail(" -> ".join("::".join(module) for module in error.args[1]))


def test_crates_use_those_below() -> None:
    found = {(module[0], target[0]) for module in rust_uses.files() for target in rust_edges(module)}
    assert all(target == crate or target in CRATES[crate] for crate, target in found), found


def test_no_use_goes_up_in_the_simulation() -> None:
    inside = [module for module in rust_uses.files() if module[:2] == ("sim", "simulation") and len(module) > 2]
    wrong = [
        "::".join(module) + " uses " + "::".join(target)
        for module in inside
        if module[2] != "snapshot"
        for target in rust_edges(module)
        if target[:2] == ("sim", "simulation")
        if level(target[2], SIMULATION) > level(module[2], SIMULATION)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("crate::network::Wiring", ("sim", "network", "wiring")),
        ("crate::network::lanes::LaneEnd", ("sim", "network", "lanes")),
        ("super::shared::Shared", ("sim", "simulation", "shared")),
        ("super::Simulation", ("sim", "simulation")),
        ("super::code", ("sim", "simulation", "code")),
        ("mesonet_cc::Picos", ("cc",)),
        ("std::sync::Arc", None),
    ],
)
def test_uses_are_resolved(path: str, target: rust_uses.Module | None) -> None:
    assert rust_uses.target(tuple(path.split("::")), ("sim", "simulation", "windows")) == target


def test_trees_of_uses_are_read() -> None:
    found = ["::".join(leaf) for leaf in rust_uses.leaves("a::{b, c::{self, d as e}, f::g}")]
    assert found == ["a::b", "a::c::self", "a::c::d", "a::f::g"]
