"""Calls a `PerRound` of a Python file through the C interface: one object for each flow, by ctypes."""

from __future__ import annotations

import ctypes
import itertools
import traceback
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mesonet.plugins import abi
from mesonet.plugins.per_round import ALTERNATE, PerRound

_CTYPES = {"f8": ctypes.c_double, "u4": ctypes.c_uint32, "u8": ctypes.c_uint64}
_OWN = ("init", "on_round", "on_loss")
_WINDOW = ("cwnd", "ssthresh", "pacing_rate", "phase")

_KEPT: list[Any] = []
"""Tables and their functions, to the end of the process."""
_FLOWS: dict[int, PerRound] = {}
"""The object of each flow that is there, by the handle in its state."""
_HANDLES = itertools.count(1)
_RAISED: list[tuple[float, str]] = []
"""What functions of the present runs raised: simulated time in s, and its words."""


def _structure(fields: list[tuple[str, str]], *more: tuple[str, str]) -> Any:
    rows = [(field, _CTYPES[kind]) for field, kind in (*fields, *more)]
    return type("Layout", (ctypes.Structure,), {"_fields_": rows})


_State = _structure(abi.WINDOW, ("handle", "u8"))
_Rules = _structure(abi.RULES)
_EVENTS = {event: _structure(abi.EVENTS[event]) for event in _OWN}
_Function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def table(written: type[PerRound], file: Path) -> int:
    """Return the address of the table of functions of a class.

    Parameters
    ----------
    written
        The class.
    file
        Its file.

    Returns
    -------
    The address of a ``struct mesonet_algorithm``, which stays to the end of the process.

    Raises
    ------
    InputError
        If a fact of the class does not have the form that `mesonet.plugins.python` describes.
    """
    constants = [each.name for each in abi.params(written, file)]
    flags = abi.HAS_POINTERS | abi.FLAGS["wants_delivery_rate"]
    flags |= sum(bit for flag, bit in abi.FLAGS.items() if getattr(written, flag, False))
    made, rows = abi.table(written, file, ctypes.sizeof(_State), flags)
    functions: dict[str, Any] = {
        "init": _Function(_init(written, constants, file)),
        "on_round": _Function(_event("on_round", constants, file)),
        "on_loss": _Function(_event("on_loss", constants, file)),
        "undo": _Function(_undo),
        "release": _Release(_release),
    }
    for name, function in functions.items():
        setattr(made, name, ctypes.cast(function, ctypes.c_void_p))
    _KEPT.append((made, rows, functions))
    return ctypes.addressof(made)


def raised() -> str:
    """Return what a function of a plug-in raised, the earliest one, and forget all.

    Returns
    -------
    Words such as ``ValueError: no such action, line 12 of agent.py``; empty if nothing was raised.

    Raises
    ------
    KeyboardInterrupt
        If it was one.
    """
    words = min(_RAISED, default=(0.0, ""))[1]
    _RAISED.clear()
    if words.startswith("KeyboardInterrupt"):
        raise KeyboardInterrupt
    return words


def _init(written: type[PerRound], constants: list[str], file: Path) -> Callable[[int, int, int], None]:
    begin = _event("init", constants, file)

    def init(flow: int, config: int, about: int) -> None:
        state = _State.from_address(flow)
        state.handle, state.phase = next(_HANDLES), ALTERNATE
        try:
            _FLOWS[state.handle] = written()
        except BaseException as error:
            _fail(state, 0.0, error, file)
            return
        begin(flow, config, about)
        if state.cwnd != state.cwnd:  # nothing releases a state that did not begin
            _FLOWS.pop(state.handle, None)

    return init


def _event(event: str, constants: list[str], file: Path) -> Callable[[int, int, int], None]:
    layout = _EVENTS[event]

    def call(flow: int, config: int, about: int) -> None:
        state, happened = _State.from_address(flow), layout.from_address(about)
        try:
            agent = _FLOWS[state.handle]
            for field in _WINDOW:
                setattr(agent, field, getattr(state, field))
            getattr(agent, event)(_config(config, constants), happened)
            state.cwnd, state.ssthresh, state.pacing_rate = agent.cwnd, agent.ssthresh, agent.pacing_rate
            state.phase = agent.phase
        except BaseException as error:  # nothing may pass through the simulator
            _fail(state, happened.now, error, file)

    return call


def _config(address: int, constants: list[str]) -> SimpleNamespace:
    rules = _Rules.from_address(address)
    values = (ctypes.c_double * len(constants)).from_address(rules.params) if constants else ()
    return SimpleNamespace(**dict(zip(constants, values, strict=True)), max_cwnd=rules.max_cwnd)


def _fail(state: Any, now: float, error: BaseException, file: Path) -> None:
    """Make the window one that ends the run, and keep the reason."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    place = f", line {lines[-1]} of {file.name}" if lines else ""
    _RAISED.append((now, f"{type(error).__name__}: {error}{place}"))
    state.cwnd = float("nan")


def _undo(flow: int, config: int, before: int) -> None:
    state, then = _State.from_address(flow), _State.from_address(before)
    for field in _WINDOW:
        setattr(state, field, getattr(then, field))


def _release(flow: int) -> None:
    _FLOWS.pop(_State.from_address(flow).handle, None)
