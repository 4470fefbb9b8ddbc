"""A call of the package names its arguments if it has more than five."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "python" / "mesonet"
MOST = 5
TREES = {str(file.relative_to(PACKAGE)): ast.parse(file.read_text(encoding="utf-8")) for file in PACKAGE.rglob("*.py")}
DEFINED = [node for tree in TREES.values() for node in ast.walk(tree)]
VARIADIC = {node.name for node in DEFINED if isinstance(node, ast.FunctionDef) and node.args.vararg}
NAMED = {node.name for node in DEFINED if isinstance(node, ast.ClassDef | ast.FunctionDef)} - VARIADIC
"""What the package defines and takes a fixed number of arguments."""


def called(node: ast.Call) -> str:
    """Return the last part of the name of what is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


@pytest.mark.parametrize("file", TREES)
def test_many_arguments_have_names(file: str) -> None:
    long = [
        f"{file}:{node.lineno}: {called(node)}"
        for node in ast.walk(TREES[file])
        if isinstance(node, ast.Call)
        and called(node) in NAMED
        and sum(not isinstance(each, ast.Starred) for each in node.args) > MOST
    ]
    assert not long
