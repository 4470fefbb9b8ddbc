"""Mutations of a class in a Python file, found in its syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mesonet.conform.mutants.mutation import Mutation, changed, emptied, left_out, of_number, of_operator
from mesonet.plugins.abi import FUNCTIONS

_VALUE = 2
"""Place of the default among the arguments of ``Param``."""
_OPERATOR = re.compile(rb"[-+*/%<>=!&|]+|\b(?:and|or)\b")


def mutations(source: bytes, name: str) -> list[Mutation]:
    """Return the mutations of a class, and of the functions and numbers of its file, in the order of the source."""
    return sorted(set(_Finder(source, name).found()))


class _Finder:
    """Finds the mutations of a class. Positions of `ast` are lines and bytes."""

    def __init__(self, source: bytes, name: str) -> None:
        self.source, self.name = source, name
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def found(self) -> Iterator[Mutation]:
        tree = ast.parse(self.source)
        written = next(each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == self.name)
        named = {each.id for each in ast.walk(written) if isinstance(each, ast.Name)} | {self.name}
        for statement in tree.body:
            if not isinstance(statement, ast.ClassDef) or statement.name in named:
                yield from self._of(statement, statement)

    def _of(self, node: ast.AST, around: ast.AST) -> Iterator[Mutation]:
        """Yield the mutations of a node. `around`: the expression or the statement that shows them."""
        if isinstance(node, ast.expr | ast.stmt) and not isinstance(node, ast.Constant):
            around = node
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            yield from of_number(self.source, *self._place(node), self._place(around))
        elif isinstance(node, ast.BinOp):
            yield from self._between(node.left, node.right, node)
        elif isinstance(node, ast.AugAssign):
            yield from self._between(node.target, node.value, node)
            yield left_out(self.source, *self._place(node), b"pass")
        elif isinstance(node, ast.Compare):
            for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
                yield from self._between(left, right, node)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from self._between(left, right, node)
        elif isinstance(node, ast.If | ast.IfExp):
            place = self._place(node.test)
            yield changed(self.source, *place, b"not (" + self.source[slice(*place)] + b")", place)
        elif isinstance(node, ast.FunctionDef) and node.name in FUNCTIONS:
            if len(node.body) > 1 or not _acts(node.body[0]):  # else it is the same as without its statement
                start, end = self._place(node.body[0])[0], self._place(node.body[-1])[1]
                yield emptied(self.source, start, end, b"pass", node.name)
        elif _acts(node):
            yield left_out(self.source, *self._place(node), b"pass")
        for child in _children(node):
            yield from self._of(child, child if _is_param(node) else around)

    def _between(self, left: ast.AST, right: ast.AST, around: ast.AST) -> list[Mutation]:
        """Return the mutation of the operator between two parts of an expression."""
        match = _OPERATOR.search(self.source, self._place(left)[1], self._place(right)[0])
        return of_operator(self.source, *match.span(), self._place(around)) if match else []

    def _place(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset


def _acts(node: ast.AST) -> bool:
    """Return True for a statement that changes a state or calls a function."""
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that an algorithm is made of: of constants their defaults, no ranges."""
    if isinstance(node, ast.Call) and _is_param(node):
        yield from node.args[_VALUE : _VALUE + 1]
        yield from (each.value for each in node.keywords if each.arg == "value")
    elif not isinstance(node, ast.Subscript):  # a position is no constant
        yield from ast.iter_child_nodes(node)


def _is_param(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Param"
