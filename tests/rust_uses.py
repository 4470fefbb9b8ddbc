"""The files of the crates and the `use` lines between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

CRATES = Path(__file__).parents[1] / "crates"

#: A `use` declaration at the top of a file: that of an inner module belongs to the same file.
USE = re.compile(r"^(?:pub(?:\([^)]*\))? )?use ([^;]+);", re.MULTILINE)

#: A module is named by its crate and its path in it: ("sim", "network", "build").
Module = tuple[str, ...]


def module_of(file: Path) -> Module:
    """Return the module that a file of a crate holds."""
    crate, _, *folders, name = file.relative_to(CRATES).with_suffix("").parts
    return (crate, *folders) if name in ("lib", "mod") else (crate, *folders, name)


@cache
def files() -> dict[Module, Path]:
    """Return the file of every module of the crates."""
    return {module_of(file): file for file in sorted(CRATES.glob("*/src/**/*.rs"))}


def leaves(tree: str) -> Iterator[list[str]]:
    """Yield the paths of a `use` tree: `a::{b, c::d as e}` has `a::b` and `a::c::d`."""
    head, brace, rest = tree.strip().partition("{")
    if not brace:
        if path := head.strip():
            yield path.split(" as ")[0].strip().split("::")
        return
    depth, start, inner = 0, 0, rest.rpartition("}")[0]
    for place, letter in enumerate(inner + ","):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            for leaf in leaves(inner[start:place]):
                yield [*head.strip().rstrip(":").split("::"), *leaf]
            start = place + 1


@cache
def uses(module: Module) -> tuple[tuple[str, ...], ...]:
    """Return the paths that the file of a module uses."""
    text = re.sub(r"//[^\n]*", "", files()[module].read_text(encoding="utf-8"))
    return tuple(tuple(leaf) for match in USE.finditer(text) for leaf in leaves(re.sub(r"\s+", " ", match[1])))


def target(path: tuple[str, ...], home: Module) -> Module | None:
    """Return the module that defines what a path in a module names, None for other packages."""
    first, *rest = path
    if first == "crate":
        at: Module = home[:1]
    elif first == "self":
        at = home
    elif first == "super":
        at = home[:-1]
        while rest and rest[0] == "super":
            at, rest = at[:-1], rest[1:]
    elif first.startswith("mesonet_"):
        at = (first.removeprefix("mesonet_"),)
    elif (*home, first) in files():
        at, rest = home, list(path)
    else:
        return None
    return defining(at, rest)


def defining(module: Module, names: list[str]) -> Module | None:
    """Return the module that defines a name below a module; a name that is used again is followed."""
    while names and (*module, names[0]) in files():
        module, names = (*module, names[0]), names[1:]
    if module not in files():
        return None
    if names and names[0] not in ("*", "self"):
        for path in uses(module):
            if path[-1] == names[0] and (found := target(path, module)) is not None and found != module:
                return found
    return module


def imports(module: Module) -> set[Module]:
    """Return the modules that a module uses; a folder's own `mod` lines are no use."""
    found = {target(path, module) for path in uses(module)}
    return {each for each in found if each is not None and each != module}
