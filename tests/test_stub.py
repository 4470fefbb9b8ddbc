"""The stub of the compiled module names what the module has."""

from __future__ import annotations

import ast
from pathlib import Path

import mesonet
from mesonet import core

STUB = Path(mesonet.__file__).with_name("_core.pyi")


def test_the_stub_has_the_names_and_arguments_of_the_module() -> None:
    module = core.module()
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert set(functions) == {name for name in dir(module) if not name.startswith("_")} - {"Simulation", "PluginFault"}
    for name, node in functions.items():
        assert getattr(module, name).__text_signature__ == f"({', '.join(each.arg for each in node.args.args)})"
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    assert {"Simulation", "PluginFault"} <= classes
    simulation = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Simulation")
    methods = {node.name for node in simulation.body if isinstance(node, ast.FunctionDef)} - {"__init__"}
    assert methods == {name for name in dir(module.Simulation) if not name.startswith("_")}


def test_the_package_says_that_it_has_types() -> None:
    assert STUB.with_name("py.typed").is_file()
