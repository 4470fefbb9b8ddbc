"""Docstrings are where they are read: numpydoc for what the pages of docs/api show, a few lines for anything else.

Types stand in the signature, so a line of Parameters is a name alone, or several names with commas between them.
"""

from __future__ import annotations

import ast
import doctest
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import api_pages
from api_pages import Definition, Function

PACKAGE = api_pages.PYTHON / "mesonet"

#: The files of the package, by their path in it.
FILES = {file.relative_to(PACKAGE).as_posix(): file for file in sorted(PACKAGE.rglob("*.py"))}

#: Decorators of methods that take no arguments.
PROPERTIES = {"property", "cached_property", "setter"}
#: Decorators of functions whose docstring is a text of help.
COMMANDS = {"command", "group"}

#: Sections of what docs/api shows. Examples, Source, References and Notes may be anywhere.
OF_PAGES = {"Parameters", "Returns", "Yields", "Raises", "Attributes"}
#: Most lines of text in a docstring that no page shows.
MOST_LINES = 6


def decorators(node: Definition) -> set[str]:
    called = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    return {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in called}


def arguments(node: Function) -> list[str]:
    """Return the names of the arguments, in the order of the signature, without self and cls."""
    given = node.args
    found = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return [each.arg for each in found if each and each.arg not in ("self", "cls")]


@dataclass(frozen=True)
class Docstring:
    """A docstring in parts: the lines before the first section, and the lines of each section below its title."""

    text: list[str]
    sections: dict[str, list[str]]

    @classmethod
    def of(cls, text: str) -> Docstring:
        lines = text.splitlines()
        starts = [place - 1 for place, line in enumerate(lines) if place and line and set(line) == {"-"}]
        parts = {lines[at]: lines[at + 2 : end] for at, end in zip(starts, [*starts[1:], len(lines)], strict=False)}
        return cls(lines[: starts[0]] if starts else lines, parts)

    def names(self, title: str) -> list[str]:
        """Return the names of a section in their order, without the stars of `*args`."""
        heads = [line for line in self.sections.get(title, []) if line.strip() and not line.startswith(" ")]
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


def problems_of_shown(node: Definition) -> Iterator[str]:
    """Yield what the docstring of a name on a page lacks."""
    text = ast.get_docstring(node)
    if text is None:
        yield "is on a page of docs/api and has no docstring"
        return
    if isinstance(node, ast.ClassDef) or decorators(node) & PROPERTIES:
        return
    about = Docstring.of(text)
    if (named := about.names("Parameters")) != arguments(node):
        yield f"Parameters has {named}; the signature has {arguments(node)}"
    if not returns_nothing(node) and not {"Returns", "Yields"} & set(about.sections):
        yield "has neither Returns nor Yields"
    new = ast.Call | ast.IfExp  # not the name of an error that passes through
    raises = any(isinstance(each, ast.Raise) and isinstance(each.exc, new) for each in own_statements(node))
    if raises and "Raises" not in about.sections:
        yield "has a raise, but no Raises"
    yield from (f"the section {title} is empty" for title, lines in about.sections.items() if not any(lines))
    yield from (f"Raises names {name!r}" for name in about.names("Raises") if not name[:1].isupper())


def problems_of_internal(node: Definition) -> Iterator[str]:
    """Yield what the docstring of a name that no page shows has too much of."""
    about = Docstring.of(ast.get_docstring(node) or "")
    if found := OF_PAGES & set(about.sections):
        yield f"is on no page of docs/api and has {', '.join(sorted(found))}; write one line, or `#:` beside a field"
    lines = [line for line in about.text if line.strip()]
    if len(lines) > MOST_LINES and not carries_source(about):
        yield f"is on no page of docs/api and has {len(lines)} lines of text; {MOST_LINES} allowed"


def carries_source(about: Docstring) -> bool:
    """Return True for a docstring with a source or a formula."""
    return bool({"Source", "References"} & set(about.sections)) or any(" = " in line for line in about.text)


def problems(tree: ast.Module, shown: frozenset[str]) -> Iterator[str]:
    """Yield the problems of all docstrings of a module; `shown`: qualified names on pages of docs/api."""
    for name, node in api_pages.definitions(tree):
        if isinstance(node, Function) and decorators(node) & COMMANDS:
            continue
        found = problems_of_shown(node) if name in shown else problems_of_internal(node)
        yield from (f"{node.lineno}: {name} {problem}" for problem in found)


def test_docstrings_are_where_they_are_read() -> None:
    shown = api_pages.shown()
    found = [
        f"{name}:{problem}"
        for name, file in FILES.items()
        for problem in problems(api_pages.tree(file), shown.get(file, frozenset()))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("file", [name for name, file in FILES.items() if ">>> " in file.read_text("utf-8")])
def test_examples_are_right(file: str) -> None:
    module = importlib.import_module(".".join(("mesonet", *Path(file).with_suffix("").parts)))
    results = doctest.testmod(module)
    assert results.attempted
    assert not results.failed


def test_shown_names_are_found() -> None:
    names = {name for found in api_pages.shown().values() for name in found}
    assert {
        "load",
        "simulate",
        "terms",
        "two_level",
        "service",
        "back_off",
        "Scenario",
        "Result.settling_time",
    } <= names
    assert {"Campaign", "MainEffects", "Designed.run_missing"} <= names  # of results, and of a base class of Experiment
    assert not {"observations", "settings_table", "Ledger", "incumbent", "main"} & names


SOURCE = '''
def f(a, b, *rest):
    """Return a.

    Parameters
    ----------
    a, c
        Numbers.
    """
    raise ValueError("no")

def long():
    """Return 1.

    One.
    Two.
    Three.
    Four.
    Five.
    Six.
    """

def bare():
    return 1
'''


def test_a_name_on_a_page_needs_sections() -> None:
    assert [each.partition(": ")[2] for each in problems(ast.parse(SOURCE), frozenset({"f", "bare"}))][:4] == [
        "f Parameters has ['a', 'c']; the signature has ['a', 'b', 'rest']",
        "f has neither Returns nor Yields",
        "f has a raise, but no Raises",
        "long is on no page of docs/api and has 7 lines of text; 6 allowed",
    ]
    last = list(problems(ast.parse(SOURCE), frozenset({"bare"})))[-1]
    assert last.endswith("bare is on a page of docs/api and has no docstring")


def test_a_name_on_no_page_has_no_sections() -> None:
    first = next(problems(ast.parse(SOURCE), frozenset()))
    assert first == "2: f is on no page of docs/api and has Parameters; write one line, or `#:` beside a field"
    with_formula = SOURCE.replace("    Six.", "    six = 2 * 3 (Euclid).").replace("Parameters\n    ----------", "")
    assert not list(problems(ast.parse(with_formula), frozenset()))
