"""Calls a `PerRound` of a Python file through the C interface: one object for each flow, by ctypes."""

from __future__ import annotations

import ctypes
import itertools
import math
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mesonet.errors import InputError
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
_RAISED: list[tuple[float, str, str]] = []
"""Exceptions of functions, each of which ends its run: simulated time in s, name and event, words."""
_FAULT = re.compile(r"(?P<call>plug-in \S+: \w+) of .*, at (?P<now>[\d.]+) s")
"""The beginning of the words of a fault."""


def _structure(fields: list[tuple[str, str]], *more: tuple[str, str]) -> Any:
    rows = [(field, _CTYPES[kind]) for field, kind in (*fields, *more)]
    return type("Layout", (ctypes.Structure,), {"_fields_": rows})


_State = _structure(abi.WINDOW, ("handle", "u8"))
_Rules = _structure(abi.RULES)
_EVENTS = {event: _structure(abi.EVENTS[event]) for event in _OWN}
_Function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@dataclass(frozen=True)
class _Class:
    """A class of a plug-in, and what its functions need of it."""

    written: type[PerRound]
    file: Path
    name: str
    constants: tuple[str, ...]

    def init(self, flow: int, config: int, about: int) -> None:
        """Make the object of a flow, and begin it."""
        state = _State.from_address(flow)
        state.handle, state.phase = next(_HANDLES), ALTERNATE
        try:
            _FLOWS[state.handle] = self.written()
        except BaseException as error:
            self._fail("init", state, _EVENTS["init"].from_address(about).now, error)
            return
        self.on("init")(flow, config, about)
        if math.isnan(state.cwnd):  # nothing releases a state that did not begin
            _FLOWS.pop(state.handle, None)

    def on(self, event: str) -> Callable[[int, int, int], None]:
        """Return the function that hands an event to the object of a flow."""
        layout = _EVENTS[event]

        def call(flow: int, config: int, about: int) -> None:
            state, happened = _State.from_address(flow), layout.from_address(about)
            try:
                agent = _FLOWS[state.handle]
                for field in _WINDOW:
                    setattr(agent, field, getattr(state, field))
                getattr(agent, event)(self._config(config), happened)
                for field in _WINDOW:
                    setattr(state, field, getattr(agent, field))
            except BaseException as error:  # nothing may pass through the simulator
                self._fail(event, state, happened.now, error)

        return call

    def _config(self, address: int) -> SimpleNamespace:
        rules = _Rules.from_address(address)
        values = (ctypes.c_double * len(self.constants)).from_address(rules.params) if self.constants else ()
        return SimpleNamespace(**dict(zip(self.constants, values, strict=True)), max_cwnd=rules.max_cwnd)

    def _fail(self, event: str, state: Any, now: float, error: BaseException) -> None:
        """Make the window one that ends the run, and keep the exception."""
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(self.file)]
        place = f", line {lines[-1]} of {self.file.name}" if lines else ""
        _RAISED.append((now, f"plug-in {self.name}: {event}", f"{type(error).__name__}: {error}{place}"))
        state.cwnd = math.nan


def table(written: type[PerRound], file: Path) -> int:
    """Return the address of the table of functions of a class.

    The address of a ``struct mesonet_algorithm``, which stays to the end of the process.
    """
    shown = f"{file}:{written.__name__}"
    if written.on_round is PerRound.on_round:
        raise InputError("it is missing", shown, "on_round", allowed="a function (self, config, round)")
    for name in abi.FUNCTIONS:
        if name not in _OWN and name in abi.facts(written):
            raise InputError("a function that would never be called", shown, name, allowed=", ".join(_OWN))
    flags = abi.HAS_POINTERS | abi.FLAGS["wants_delivery_rate"]
    flags |= sum(bit for flag, bit in abi.FLAGS.items() if getattr(written, flag, False))
    made, rows = abi.table(written, file, ctypes.sizeof(_State), flags)
    own = _Class(written, file, made.name.decode(), tuple(each.name for each in abi.params(written, file)))
    functions: dict[str, Any] = {
        "init": _Function(own.init),
        "on_round": _Function(own.on("on_round")),
        "on_loss": _Function(own.on("on_loss")),
        "undo": _Function(_undo),
        "release": _Release(_release),
    }
    for name, function in functions.items():
        setattr(made, name, ctypes.cast(function, ctypes.c_void_p))
    _KEPT.append((made, rows, functions))
    return ctypes.addressof(made)


def with_reason(fault: str) -> str:
    """Return the words of a fault, with the exception if a function raised one; forget all exceptions.

    Words that end such as ``it raised ValueError: no such action, line 12 of agent.py``, or the fault as it is.
    `fault`: the words of the core: plug-in, function, flow, instant, and a window that is not allowed.
    """
    exceptions = sorted(_RAISED)
    _RAISED.clear()
    if any(words.startswith("KeyboardInterrupt") for *_, words in exceptions):
        raise KeyboardInterrupt
    if place := _FAULT.match(fault):
        for now, call, words in exceptions:
            if call == place["call"] and math.isclose(now, float(place["now"]), rel_tol=1e-15):
                return f"{place[0]}: it raised {words}"
    return fault


def _undo(flow: int, _: int, before: int) -> None:
    state, then = _State.from_address(flow), _State.from_address(before)
    for field in _WINDOW:
        setattr(state, field, getattr(then, field))


def _release(flow: int) -> None:
    _FLOWS.pop(_State.from_address(flow).handle, None)
