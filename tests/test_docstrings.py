"""Docstrings of public functions follow numpydoc: every argument, the result, the errors, and right examples.

Types stand in the signature, so a line of Parameters is a name alone, or several names with commas between them.
"""

from __future__ import annotations

import ast
import doctest
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "python" / "mesonet"

#: The files of the package, by their path in it.
FILES = {file.relative_to(PACKAGE).as_posix(): file for file in sorted(PACKAGE.rglob("*.py"))}

#: Decorators of functions whose docstring is one line, or a text of help.
PLAIN_DECORATORS = {"property", "cached_property", "setter", "overload", "command", "group"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def classes() -> dict[str, ast.ClassDef]:
    """Return the classes of the package by their names."""
    return {
        node.name: node for file in FILES.values() for node in ast.walk(tree(file)) if isinstance(node, ast.ClassDef)
    }


def name_of(node: ast.expr) -> str:
    """Return the last name of an expression: `b` of `a.b(c)[d]`."""
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def arguments(node: Function) -> list[str]:
    """Return the names of the arguments, in the order of the signature, without self and cls."""
    given = node.args
    found = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return [each.arg for each in found if each and each.arg not in ("self", "cls")]


def method(owner: ast.ClassDef, name: str) -> Function | None:
    return next((each for each in owner.body if isinstance(each, Function) and each.name == name), None)


def documented_in_base(owner: ast.ClassDef, name: str) -> bool:
    """Return True if a base class describes the method."""
    for base in (classes().get(name_of(each)) for each in owner.bases):
        if base is None or base.name == owner.name:  # of another package
            continue
        if (above := method(base, name)) and ast.get_docstring(above):
            return True
        if documented_in_base(base, name):
            return True
    return False


def documented_in_protocol(node: Function) -> bool:
    """Return True if a protocol has a method of this name with these arguments, and describes it."""
    return any(
        (above := method(each, node.name)) is not None
        and above is not node
        and arguments(above) == arguments(node)
        and ast.get_docstring(above) is not None
        for each in classes().values()
        if any(name_of(base) == "Protocol" for base in each.bases)
    )


def public(body: list[ast.stmt], owner: ast.ClassDef | None = None) -> Iterator[tuple[str, Function]]:
    """Yield name and node of every public function and method that needs sections."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public(node.body, node)
        if not isinstance(node, Function) or node.name.startswith("_"):
            continue
        if any(name_of(each) in PLAIN_DECORATORS for each in node.decorator_list):
            continue
        if owner and (documented_in_base(owner, node.name) or documented_in_protocol(node)):
            continue
        yield f"{owner.name}.{node.name}" if owner else node.name, node


@dataclass(frozen=True)
class Sections:
    """Sections of a docstring: the lines below each title."""

    lines: dict[str, list[str]]

    @classmethod
    def of(cls, text: str) -> Sections:
        lines = text.splitlines()
        starts = [place - 1 for place, line in enumerate(lines) if place and line and set(line) == {"-"}]
        ends = [*starts[1:], len(lines)][: len(starts)]
        return cls({lines[at]: lines[at + 2 : end] for at, end in zip(starts, ends, strict=True)})

    def names(self, title: str) -> list[str]:
        """Return what a section names, in its order, without the stars of `*args`."""
        heads = [line for line in self.lines.get(title, []) if line.strip() and not line.startswith(" ")]
        return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


def own_statements(node: Function) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without the functions and classes inside of it."""
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        each = waiting.pop()
        yield each
        if not isinstance(each, Function | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(each)


def returns_nothing(node: Function) -> bool:
    """Return True for functions that return None or never, and for iterators and context managers without a value."""
    if node.returns is None:
        return False
    text = ast.unparse(node.returns).strip("\"'")
    return text in ("None", "NoReturn", "Iterator[None]", "Generator[None]", "Generator[None, None, None]")


def problems(node: Function) -> Iterator[str]:
    """Yield what the docstring of a function lacks."""
    text = ast.get_docstring(node)
    if text is None:
        yield "has no docstring"
        return
    sections = Sections.of(text)
    if (named := sections.names("Parameters")) != arguments(node):
        yield f"Parameters has {named}; the signature has {arguments(node)}"
    if not returns_nothing(node) and not {"Returns", "Yields"} & set(sections.lines):
        yield "has neither Returns nor Yields"
    new = ast.Call | ast.IfExp  # not the name of an error that passes through
    raises = any(isinstance(each, ast.Raise) and isinstance(each.exc, new) for each in own_statements(node))
    if raises and "Raises" not in sections.lines:
        yield "has a raise, but no Raises"
    yield from (f"the section {title} is empty" for title, lines in sections.lines.items() if not any(lines))
    yield from (f"Raises names {name!r}" for name in sections.names("Raises") if not name[:1].isupper())


@pytest.mark.parametrize("file", FILES)
def test_public_functions_have_numpydoc_sections(file: str) -> None:
    bad = [
        f"{file}:{node.lineno}: {name}: {problem}"
        for name, node in public(tree(PACKAGE / file).body)
        for problem in problems(node)
    ]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize("file", [name for name, file in FILES.items() if ">>> " in file.read_text("utf-8")])
def test_examples_are_right(file: str) -> None:
    module = importlib.import_module(".".join(("mesonet", *Path(file).with_suffix("").parts)))
    results = doctest.testmod(module)
    assert results.attempted
    assert not results.failed


def test_the_check_finds_what_is_missing() -> None:
    source = '''
def f(a, b, *rest):
    """Return a.

    Parameters
    ----------
    a, c
        Numbers.
    """
    raise ValueError("no")
'''
    function = next(node for _, node in public(ast.parse(source).body))
    assert list(problems(function)) == [
        "Parameters has ['a', 'c']; the signature has ['a', 'b', 'rest']",
        "has neither Returns nor Yields",
        "has a raise, but no Raises",
    ]
