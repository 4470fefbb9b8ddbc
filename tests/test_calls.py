"""A call of the package names its arguments if it has more than five."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import api_pages

PACKAGE = Path(__file__).parents[1] / "python" / "mesonet"
MOST = 5


def called(node: ast.Call) -> str:
    """Return the last part of the name of what is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


@pytest.mark.slow
def test_many_arguments_have_names() -> None:
    trees = {file: api_pages.tree(file) for file in sorted(PACKAGE.rglob("*.py"))}
    defined = [node for tree in trees.values() for node in ast.walk(tree)]
    variadic = {node.name for node in defined if isinstance(node, ast.FunctionDef) and node.args.vararg}
    fixed = {node.name for node in defined if isinstance(node, ast.ClassDef | ast.FunctionDef)} - variadic
    assert {"Change", "main_effects"} <= fixed
    long = [
        f"{file.relative_to(PACKAGE)}:{node.lineno}: {called(node)}"
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and called(node) in fixed
        and sum(not isinstance(each, ast.Starred) for each in node.args) > MOST
    ]
    assert not long
