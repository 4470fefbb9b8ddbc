"""Compiles a class in a Python file to a plug-in, by numba (`mesonet.plugins.python` documents the class)."""

from __future__ import annotations

import ast
import ctypes
import importlib.util
import inspect
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mesonet.errors import InputError, unknown
from mesonet.plugins import abi

_SHOWN = 2000
"""Characters of the message of numba that are shown."""
_KINDS = {float: np.float64, int: np.int64, bool: np.int64}
_KEPT: list[Any] = []
"""Tables and compiled functions, to the end of the process."""


def table(written: type, file: Path) -> int:
    """Return the address of the table of functions of a class in a Python file.

    The address of a ``struct mesonet_algorithm``, which stays to the end of the process.
    """
    shown = f"{file}:{written.__name__}"
    if importlib.util.find_spec("numba") is None:
        raise InputError("plug-ins in Python need numba", value=shown, allowed=abi.EXTRA)
    abi.refuse_others(written, file, (*abi.FACTS, *abi.FUNCTIONS))
    facts = abi.facts(written)
    size = _layout(abi.WINDOW, facts.get("state", {}), shown).itemsize
    made, rows = abi.table(written, file, size, sum(bit for flag, bit in abi.FLAGS.items() if facts.get(flag)))
    functions = _functions(facts, [each.name for each in abi.params(written, file)], shown)
    for event, function in functions.items():
        setattr(made, event, function.address)
    _KEPT.append((made, rows, functions))
    return ctypes.addressof(made)


def _layout(fields: list[tuple[str, str]], state: Any, shown: str) -> np.dtype[Any]:
    """Return the layout of a state: the window, then own fields of 8 bytes."""
    if not isinstance(state, Mapping) or not all(kind in _KINDS for kind in state.values()):
        raise InputError("not a state", shown, "state", state, "{NAME: float, int or bool, ...}")
    for name in state:
        if not name.isidentifier() or name in dict(fields):
            raise InputError("a field of the window has this name", shown, "state", name, "another name")
    return np.dtype([*fields, *((name, _KINDS[kind]) for name, kind in state.items())], align=True)


def _functions(facts: Mapping[str, Any], params: list[str], shown: str) -> dict[str, Any]:
    """Return the compiled functions by event."""
    import numba
    from numba import types

    def pointer(layout: np.dtype[Any]) -> Any:
        return types.CPointer(numba.from_dtype(layout))

    state = pointer(_layout(abi.WINDOW, facts.get("state", {}), shown))
    config = pointer(np.dtype([*abi.RULES, *((each, "f8") for each in params)], align=True))
    found = {}
    for event in abi.FUNCTIONS:
        if event not in facts:
            continue
        written = facts[event].__func__ if isinstance(facts[event], staticmethod) else facts[event]
        if event in abi.EVENTS:
            about, wrapped = pointer(np.dtype(abi.EVENTS[event], align=True)), _of_event
        else:
            about, wrapped = (state, _of_event) if event == "undo" else (types.float64, _of_instant)
        try:
            inner = numba.njit(error_model="numpy")(written)
            found[event] = numba.cfunc(types.void(state, config, about), error_model="numpy")(wrapped(inner))
        except Exception as error:  # numba raises many
            _refuse_unknown_fields(written, [state, config, about], f"{shown}: {event}")
            problem = f"numba does not compile it:\n{type(error).__name__}: {str(error)[:_SHOWN]}\n"
            raise InputError(problem, shown, event, allowed="a function of numbers (self, config, event)") from None
    return found


def _refuse_unknown_fields(written: Callable[..., None], layouts: list[Any], shown: str) -> None:
    """Raise an `InputError` if a function uses a field that an argument lacks; numba names neither line nor fields.

    `layouts`: types of the arguments; only pointers to records have fields.
    """
    lines, first = inspect.getsourcelines(written)
    (function,) = ast.parse(textwrap.dedent("".join(lines))).body
    if not isinstance(function, ast.FunctionDef):
        return
    arguments = (each.arg for each in function.args.args)
    fields = {
        name: list(layout.dtype.fields)
        for name, layout in zip(arguments, layouts, strict=False)
        if hasattr(layout, "dtype")
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            known = fields.get(node.value.id)
            if known is not None and node.attr not in known:
                path = f"line {first + node.lineno - 1}: {node.value.id}"
                raise unknown("field", node.attr, known, file=shown, path=path) from None


def _of_event(inner: Callable[[Any, Any, Any], None]) -> Callable[[Any, Any, Any], None]:
    from numba import carray

    def call(flow: Any, config: Any, about: Any) -> None:
        inner(carray(flow, 1)[0], carray(config, 1)[0], carray(about, 1)[0])

    return call


def _of_instant(inner: Callable[[Any, Any, Any], None]) -> Callable[[Any, Any, Any], None]:
    from numba import carray

    def call(flow: Any, config: Any, now: Any) -> None:
        inner(carray(flow, 1)[0], carray(config, 1)[0], now)

    return call
