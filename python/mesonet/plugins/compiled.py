"""Compiles a class in a Python file to a plug-in, by numba (`mesonet.plugins.python` documents the class)."""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from mesonet.errors import InputError
from mesonet.plugins.params import Param

ABI = 1
"""``MESONET_CC_ABI``."""
EXTRA = 'pip install "mesonet[python-cc]"'
_SHOWN = 2000
"""Characters of the message of numba that are shown."""

_FLAGS = {
    "wants_delivery_rate": 1,
    "wants_sends": 2,
    "manages_recovery": 4,
    "grows_after_mark": 8,
}
_CODEPOINTS = {"none": 0, "ect0": 1, "ect1": 2}
_KINDS = {float: np.float64, int: np.int64, bool: np.int64}

_WINDOW = [
    ("cwnd", "f8"), ("ssthresh", "f8"), ("pacing_rate", "f8"), ("phase", "u4"), ("holds_back", "u4"), ("initial", "f8"),
]  # fmt: skip
_RULES = [
    ("params", "u8"), ("max_cwnd", "f8"), ("timeout_rule", "u4"), ("idle_rule", "u4"), ("reduce_from_flight", "u4"),
    ("grow_if_cwnd_limited", "u4"),
]  # fmt: skip
_EVENTS: dict[str, list[tuple[str, str]]] = {
    "init": [
        ("now", "f8"), ("initial_window", "f8"), ("initial_ssthresh", "f8"), ("rtt", "f8"), ("seed", "u8"),
    ],
    "on_ack": [
        ("now", "f8"), ("rtt", "f8"), ("min_rtt", "f8"), ("srtt", "f8"), ("delivery_rate", "f8"),
        ("sample_interval", "f8"), ("sample_prior_delivered", "u8"), ("delivered", "u8"), ("acked", "u4"),
        ("in_flight", "u4"), ("lost", "u4"), ("ce", "u4"), ("sample_in_flight", "u4"), ("sample_lost", "u4"),
        ("sample_ce", "u4"), ("sample_app_limited", "u4"), ("round_start", "u4"), ("in_recovery", "u4"),
        ("after_timeout", "u4"), ("cwnd_limited", "u4"), ("app_limited", "u4"), ("reserved", "u4"),
        ("una", "u8"), ("next", "u8"),
    ],
    "on_loss": [("now", "f8"), ("cause", "u4"), ("in_flight", "u4"), ("lost", "u4"), ("first_timeout", "u4")],
    "on_idle": [("now", "f8"), ("idle", "f8"), ("rto", "f8")],
    "on_send": [("now", "f8"), ("in_flight", "u4"), ("retransmission", "u4")],
    "on_segment_lost": [
        ("now", "f8"), ("delivered", "u8"), ("in_flight", "u4"), ("lost", "u4"), ("app_limited", "u4"),
        ("reserved", "u4"),
    ],
}  # fmt: skip
_ORDER = ("init", "on_ack", "on_loss", "on_recovery_exit", "on_timer", "on_idle", "on_send", "on_segment_lost", "undo")
_FACTS = ("name", "title", "source", "params", "state", "codepoint", "timer_period", *_FLAGS)


class _Param(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p), ("doc", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("min", ctypes.c_double),
        ("max", ctypes.c_double), ("value", ctypes.c_double), ("source", ctypes.c_char_p),
    ]  # fmt: skip


class _Table(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("abi", "size", "state_size", "flags", "codepoint", "param_count")),
        ("name", ctypes.c_char_p), ("title", ctypes.c_char_p), ("source", ctypes.c_char_p),
        ("params", ctypes.POINTER(_Param)), ("timer_period", ctypes.c_double),
        *((name, ctypes.c_void_p) for name in (*_ORDER, "release")),
        ("modes", ctypes.c_char_p), ("report", ctypes.c_void_p),
    ]  # fmt: skip


_KEPT: list[Any] = []
"""Tables and compiled functions, to the end of the process."""


def table(file: Path, name: str) -> int:
    """Return the address of the table of functions of a class in a Python file.

    Parameters
    ----------
    file
        The file, which is imported.
    name
        Name of the class.

    Returns
    -------
    The address of a ``struct mesonet_algorithm``, which stays to the end of the process.

    Raises
    ------
    InputError
        If numba is not installed, the file cannot be imported, or the class does not have the form that
        `mesonet.plugins.python` describes.
    """
    shown = f"{file}:{name}"
    if importlib.util.find_spec("numba") is None:
        raise InputError("plug-ins in Python need numba", value=shown, allowed=EXTRA)
    written = getattr(_imported(file, shown), name, None)
    if not isinstance(written, type):
        raise InputError("the file has no such class", value=shown, allowed="FILE.py:NAME with the name of a class")
    facts = {key: value for key, value in vars(written).items() if not key.startswith("__")}
    for key in facts:
        if key not in (*_FACTS, *_ORDER):
            raise InputError("unknown attribute", shown, key, allowed=", ".join((*_FACTS, *_ORDER)))
    params = _params(facts.get("params", ()), shown)
    title = str(facts.get("title") or (written.__doc__ or name).strip().partition("\n")[0].rstrip("."))
    rows = (_Param * max(1, len(params)))(*map(_row, params))
    made = _Table(
        abi=ABI,
        size=ctypes.sizeof(_Table),
        state_size=_layout(_WINDOW, facts.get("state", {}), shown).itemsize,
        flags=sum(bit for flag, bit in _FLAGS.items() if facts.get(flag)),
        codepoint=_codepoint(facts.get("codepoint", "ect0"), shown),
        param_count=len(params),
        name=str(facts.get("name", name.lower())).encode(),
        title=title.encode(),
        source=str(facts.get("source", file.name)).encode(),
        params=rows,
        timer_period=float(facts.get("timer_period", 0.0)),
    )
    functions = _functions(facts, params, shown)
    for event, function in functions.items():
        setattr(made, event, function.address)
    _KEPT.append((made, rows, functions))
    return ctypes.addressof(made)


def _imported(file: Path, shown: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"mesonet_plugin_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"cannot be imported: {type(error).__name__}: {error}", value=shown) from None
    return module


def _params(given: Any, shown: str) -> list[Param]:
    if not isinstance(given, list | tuple) or not all(isinstance(each, Param) for each in given):
        raise InputError("not a list of constants", shown, "params", given, "[Param(...), ...]")
    for each in given:
        if each.name in dict(_RULES):
            raise InputError("a rule of the scenario has this name", shown, "params", each.name, "another name")
    return list(given)


def _row(param: Param) -> _Param:
    texts = (each.encode() for each in (param.name, param.doc, param.unit))
    return _Param(*texts, param.min, param.max, param.value, param.source.encode())


def _codepoint(given: Any, shown: str) -> int:
    if given not in _CODEPOINTS:
        raise InputError("not a codepoint", shown, "codepoint", given, ", ".join(_CODEPOINTS))
    return _CODEPOINTS[given]


def _layout(fields: list[tuple[str, str]], state: Any, shown: str) -> np.dtype[Any]:
    """Return the layout of a state: the window, then own fields of 8 bytes."""
    if not isinstance(state, Mapping) or not all(kind in _KINDS for kind in state.values()):
        raise InputError("not a state", shown, "state", state, "{NAME: float, int or bool, ...}")
    for name in state:
        if not name.isidentifier() or name in dict(fields):
            raise InputError("a field of the window has this name", shown, "state", name, "another name")
    return np.dtype([*fields, *((name, _KINDS[kind]) for name, kind in state.items())], align=True)


def _functions(facts: Mapping[str, Any], params: list[Param], shown: str) -> dict[str, Any]:
    """Return the compiled functions by event."""
    import numba
    from numba import types

    def pointer(layout: np.dtype[Any]) -> Any:
        return types.CPointer(numba.from_dtype(layout))

    state = pointer(_layout(_WINDOW, facts.get("state", {}), shown))
    config = pointer(np.dtype([*_RULES, *((each.name, "f8") for each in params)], align=True))
    found = {}
    for event in _ORDER:
        if event not in facts:
            continue
        written = facts[event].__func__ if isinstance(facts[event], staticmethod) else facts[event]
        if event in _EVENTS:
            about, wrapped = pointer(np.dtype(_EVENTS[event], align=True)), _of_event
        else:
            about, wrapped = (state, _of_event) if event == "undo" else (types.float64, _of_instant)
        try:
            inner = numba.njit(error_model="numpy")(written)
            found[event] = numba.cfunc(types.void(state, config, about), error_model="numpy")(wrapped(inner))
        except Exception as error:  # numba raises many
            problem = f"numba does not compile it:\n{type(error).__name__}: {str(error)[:_SHOWN]}\n"
            raise InputError(problem, shown, event, allowed="a function of numbers (self, config, event)") from None
    return found


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
