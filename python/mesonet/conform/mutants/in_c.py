"""Mutations of C and C++, found in the syntax tree of tree-sitter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mesonet.conform.mutants.mutation import NUMBERS, Mutation, changed, emptied, left_out, of_number, of_operator
from mesonet.errors import needs_extra
from mesonet.plugins.names import C

_OPERATIONS = ("binary_expression", "assignment_expression")
_CONDITIONS = ("if_statement", "conditional_expression")
_PLACES = ("array_declarator", "subscript_expression")
"""Lengths and positions, which are no constants of an algorithm."""
_SHOWN = (*_OPERATIONS, "call_expression", "declaration")
_OUTER = ("compound_statement", "function_definition", "initializer_list", "translation_unit")
"""Nodes that show a change, and nodes that are too large for it."""
_PARAM, _VALUE = "mesonet_param", 5
"""Declaration of constants, and the place of the default among the fields of a constant."""
_TABLE, _PERIOD = "mesonet_algorithm", b".timer_period"
"""Declaration of the table of functions, and its only field that is a number of the algorithm."""


def mutations(file: Path, source: bytes) -> list[Mutation]:
    """Return the mutations of a source, in its order."""
    try:
        import tree_sitter
        import tree_sitter_c
        import tree_sitter_cpp
    except ImportError:
        raise needs_extra("--mutants of C and C++", "mutants") from None
    language = (tree_sitter_c if file.suffix in C else tree_sitter_cpp).language()
    tree = tree_sitter.Parser(tree_sitter.Language(language)).parse(source)
    return sorted(set(_found(tree.root_node, source)))


def _found(node: Any, source: bytes, inside: bool = False) -> Iterator[Mutation]:
    """Yield the mutations of a node. `inside`: True in the body of a function."""
    place = (node.start_byte, node.end_byte)
    if node.type in _PLACES:
        return
    if node.type == "number_literal":
        yield from of_number(source, *place, _shown(node))
    elif node.type == "preproc_arg":
        for number in NUMBERS.finditer(source, *place):
            yield from of_number(source, *number.span(), (node.parent.start_byte, place[1]))
    elif node.type in _OPERATIONS:
        operator = node.child_by_field_name("operator")
        yield from of_operator(source, operator.start_byte, operator.end_byte, place)
    elif node.type in _CONDITIONS:
        condition = node.child_by_field_name("condition")
        while condition.type in ("parenthesized_expression", "condition_clause"):
            condition = condition.named_children[-1]
        span = (condition.start_byte, condition.end_byte)
        yield changed(source, *span, b"!(" + source[slice(*span)] + b")", span)
    elif node.type == "expression_statement":
        if not inside:  # a macro of the file, such as module_param
            return
        yield left_out(source, *place, b";")
    elif node.type == "function_definition":
        yield from _emptied(node, source)
    inside = inside or node.type == "function_definition"
    for child in _parts(node):
        yield from _found(child, source, inside)


def _emptied(node: Any, source: bytes) -> Iterator[Mutation]:
    """Yield the mutation of a function that returns nothing, and is more than a statement that is left out anyway."""
    body, declarator = (node.child_by_field_name(name) for name in ("body", "declarator"))
    returned = node.child_by_field_name("type")
    is_void = returned and returned.text == b"void" and declarator.type == "function_declarator"
    statements = [each.type for each in body.named_children if each.type != "comment"] if body else []
    if is_void and statements and statements != ["expression_statement"]:
        name = declarator.child_by_field_name("declarator").text.decode()
        yield emptied(source, body.start_byte, body.end_byte, b"{}", name)


def _parts(node: Any) -> list[Any]:
    """Return the nodes below a node that an algorithm is made of: of constants their defaults, no ranges."""
    if node.type == "case_statement":
        return [each for each in node.children if each != node.child_by_field_name("value")]
    declared = node.child_by_field_name("type") if node.type == "declaration" else None
    kind = declared.text.split()[-1].decode() if declared else ""  # C++ needs no "struct"
    if kind not in (_PARAM, _TABLE):
        return list(node.children)
    rows = [each for each in _below(node) if each.type == "initializer_list"]
    if kind == _TABLE:
        return [pair for row in rows for pair in row.named_children if pair.text.startswith(_PERIOD)]
    defaults = [pair for row in rows for pair in row.named_children if pair.text.startswith(b".value")]
    plain = [[each for each in row.named_children if each.type != "comment"] for row in rows]
    defaults += [row[_VALUE] for row in plain if len(row) > _VALUE and row[0].type == "string_literal"]
    return defaults


def _below(node: Any) -> Iterator[Any]:
    for child in node.named_children:
        yield child
        yield from _below(child)


def _shown(node: Any) -> tuple[int, int]:
    """Return the place of the expression or the statement around a number."""
    around = node
    while around.type not in _SHOWN and around.parent.type not in _OUTER:
        around = around.parent
    return around.start_byte, around.end_byte
