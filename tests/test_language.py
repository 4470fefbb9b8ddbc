"""Docstrings follow STYLE.md: a summary is no question, and a public function begins with a verb."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "python" / "mesonet"
FILES = {str(file.relative_to(PACKAGE)): file for file in sorted(PACKAGE.rglob("*.py"))}

QUESTIONS = {"What", "Which", "Whether", "Where", "How", "One"}
VERBS = {
    "Check", "Compare", "Continue", "Count", "Divide", "Draw", "End", "Find", "Force", "Forget", "Give", "Hold",
    "Lease", "Leave", "Let", "List", "Make", "Name", "Plan", "Predict", "Print", "Raise", "Read", "Record", "Remove",
    "Replace", "Reserve", "Reset", "Return", "Run", "Say", "Send", "Serve", "Set", "Shorten", "Show", "Simulate",
    "Stop", "Submit", "Sum", "Take", "Test", "Update", "Wait", "Write", "Yield",
}  # fmt: skip

Described = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def described(node: ast.AST, name: str = "") -> Iterator[tuple[str, Described, str]]:
    """Yield name, node and docstring of everything in a module that has one, the module first."""
    if isinstance(node, Described) and (text := ast.get_docstring(node)):
        yield name or "module", node, text
    for child in ast.iter_child_nodes(node):
        own = getattr(child, "name", "") if isinstance(child, Described) else ""
        yield from described(child, ".".join(filter(None, (name, own))))


def first_word(text: str) -> str:
    return text.split()[0].strip("`*\"',.:;")


def is_command(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return True for a function that click calls: its docstring is a text of help."""
    called = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    return any(isinstance(each, ast.Attribute) and each.attr in ("command", "group") for each in called)


@pytest.mark.parametrize("file", FILES)
def test_no_docstring_begins_as_a_question(file: str) -> None:
    bad = [
        f"{file}:{getattr(node, 'lineno', 1)}: {name} begins with {first_word(text)!r}"
        for name, node, text in described(ast.parse(FILES[file].read_text(encoding="utf-8")))
        if first_word(text) in QUESTIONS
    ]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize("file", FILES)
def test_public_functions_begin_with_a_verb(file: str) -> None:
    bad = [
        f"{file}:{node.lineno}: {node.name} begins with {first_word(text)!r}; a new verb goes into VERBS of this test"
        for node in ast.parse(FILES[file].read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
        and not is_command(node)
        and (text := ast.get_docstring(node))
        and first_word(text) not in VERBS
    ]
    assert not bad, "\n".join(bad)
