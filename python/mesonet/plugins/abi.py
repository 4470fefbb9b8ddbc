"""The C interface of plug-ins for classes in Python: layouts of ``mesonet_cc.h``, and tables filled from a class."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

from mesonet.errors import InputError
from mesonet.plugins.params import Param

ABI = 1
"""``MESONET_CC_ABI``."""
HAS_POINTERS = 16
"""``MESONET_HAS_POINTERS``."""
EXTRA = 'pip install "mesonet[python-cc]"'
"""How to install numba."""

FLAGS = {
    "wants_delivery_rate": 1,
    "wants_sends": 2,
    "manages_recovery": 4,
    "grows_after_mark": 8,
    "loss_after_mark": 32,
}
MODE = re.compile("[a-z][a-z0-9_]*")
"""Name of a mode."""
CODEPOINTS = {"none": 0, "ect0": 1, "ect1": 2}
WINDOW = [
    ("cwnd", "f8"), ("ssthresh", "f8"), ("pacing_rate", "f8"), ("phase", "u4"), ("holds_back", "u4"), ("initial", "f8"),
]  # fmt: skip
RULES = [
    ("params", "u8"), ("max_cwnd", "f8"), ("timeout_rule", "u4"), ("idle_rule", "u4"), ("reduce_from_flight", "u4"),
    ("grow_if_cwnd_limited", "u4"),
]  # fmt: skip
EVENTS: dict[str, list[tuple[str, str]]] = {
    "init": [
        ("now", "f8"), ("initial_window", "f8"), ("initial_ssthresh", "f8"), ("rtt", "f8"), ("seed", "u8"),
    ],
    "on_ack": [
        ("now", "f8"), ("rtt", "f8"), ("min_rtt", "f8"), ("srtt", "f8"), ("delivery_rate", "f8"),
        ("sample_interval", "f8"), ("sample_prior_delivered", "u8"), ("delivered", "u8"), ("acked", "u4"),
        ("in_flight", "u4"), ("lost", "u4"), ("ce", "u4"), ("sample_in_flight", "u4"), ("sample_lost", "u4"),
        ("sample_ce", "u4"), ("sample_app_limited", "u4"), ("round_start", "u4"), ("in_recovery", "u4"),
        ("after_timeout", "u4"), ("cwnd_limited", "u4"), ("app_limited", "u4"), ("segments", "u4"),
        ("una", "u8"), ("next", "u8"),
    ],
    "on_round": [
        ("now", "f8"), ("interval", "f8"), ("rtt", "f8"), ("least_rtt", "f8"), ("min_rtt", "f8"), ("srtt", "f8"),
        ("delivered", "u8"), ("acked", "u4"), ("lost", "u4"), ("ce", "u4"), ("losses", "u4"), ("in_flight", "u4"),
        ("in_recovery", "u4"), ("after_timeout", "u4"), ("cwnd_limited", "u4"), ("app_limited", "u4"),
        ("segments", "u4"),
    ],
    "on_loss": [("now", "f8"), ("cause", "u4"), ("in_flight", "u4"), ("lost", "u4"), ("first_timeout", "u4")],
    "on_idle": [("now", "f8"), ("idle", "f8"), ("rto", "f8")],
    "on_send": [("now", "f8"), ("in_flight", "u4"), ("retransmission", "u4")],
    "on_segment_lost": [
        ("now", "f8"), ("delivered", "u8"), ("in_flight", "u4"), ("lost", "u4"), ("app_limited", "u4"),
        ("reserved", "u4"),
    ],
    "report": [("bandwidth", "f8"), ("mode", "u4"), ("reserved", "u4")],
}  # fmt: skip
FUNCTIONS = (
    "init", "on_ack", "on_loss", "on_recovery_exit", "on_timer", "on_idle", "on_send", "on_segment_lost", "undo",
    "report", "on_round",
)  # fmt: skip
FACTS = ("name", "title", "source", "params", "state", "codepoint", "timer_period", "modes", *FLAGS)


class ParamRow(ctypes.Structure):
    """``struct mesonet_param``."""

    _fields_ = [
        ("name", ctypes.c_char_p), ("doc", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("min", ctypes.c_double),
        ("max", ctypes.c_double), ("value", ctypes.c_double), ("source", ctypes.c_char_p),
    ]  # fmt: skip


class AlgorithmTable(ctypes.Structure):
    """``struct mesonet_algorithm``."""

    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("abi", "size", "state_size", "flags", "codepoint", "param_count")),
        ("name", ctypes.c_char_p), ("title", ctypes.c_char_p), ("source", ctypes.c_char_p),
        ("params", ctypes.POINTER(ParamRow)), ("timer_period", ctypes.c_double),
        *((name, ctypes.c_void_p) for name in (*FUNCTIONS[:-2], "release")),
        ("modes", ctypes.c_char_p), ("report", ctypes.c_void_p), ("on_round", ctypes.c_void_p),
    ]  # fmt: skip


def facts(written: type) -> dict[str, Any]:
    """Return what a class declares: its attributes, and those of its bases outside of mesonet."""
    bases = (base for base in reversed(written.__mro__) if not base.__module__.startswith(("mesonet.", "builtins")))
    return {key: value for base in bases for key, value in vars(base).items() if not key.startswith("__")}


def table(written: type, file: Path, state_size: int, flags: int) -> tuple[AlgorithmTable, Any]:
    """Return a table without functions: the facts of a class. `flags`: sum of ``MESONET_WANTS_...``."""
    known, name = facts(written), written.__name__
    constants = params(written, file)
    title = str(known.get("title") or (written.__doc__ or name).strip().partition("\n")[0].rstrip("."))
    rows = (ParamRow * max(1, len(constants)))(*map(_row, constants))
    made = AlgorithmTable(
        abi=ABI,
        size=ctypes.sizeof(AlgorithmTable),
        state_size=state_size,
        flags=flags,
        codepoint=_codepoint(known.get("codepoint", "ect0"), f"{file}:{name}"),
        param_count=len(constants),
        name=str(known.get("name", name.lower())).encode(),
        title=title.encode(),
        source=str(known.get("source", file.name)).encode(),
        params=rows,
        timer_period=float(known.get("timer_period", 0.0)),
        modes=_modes(known.get("modes", ()), f"{file}:{name}"),
    )
    return made, rows


def params(written: type, file: Path) -> list[Param]:
    """Return the constants of a class."""
    given, shown = facts(written).get("params", ()), f"{file}:{written.__name__}"
    if not isinstance(given, list | tuple) or not all(isinstance(each, Param) for each in given):
        raise InputError("not a list of constants", shown, "params", given, "[Param(...), ...]")
    for each in given:
        if each.name in dict(RULES):
            raise InputError("a rule of the scenario has this name", shown, "params", each.name, "another name")
    return list(given)


def refuse_others(written: type, file: Path, allowed: tuple[str, ...]) -> None:
    """Raise an `InputError` if a class has an attribute that means nothing."""
    for key in facts(written):
        if key not in allowed:
            raise InputError("unknown attribute", f"{file}:{written.__name__}", key, allowed=", ".join(allowed))


def _row(param: Param) -> ParamRow:
    texts = (each.encode() for each in (param.name, param.doc, param.unit))
    return ParamRow(*texts, param.min, param.max, param.value, param.source.encode())


def _modes(given: Any, shown: str) -> bytes | None:
    if not isinstance(given, list | tuple) or not all(isinstance(each, str) and MODE.fullmatch(each) for each in given):
        allowed = 'names in lower case, such as ("startup", "drain")'
        raise InputError("not a list of modes", shown, "modes", given, allowed)
    return " ".join(given).encode() or None


def _codepoint(given: Any, shown: str) -> int:
    if given not in CODEPOINTS:
        raise InputError("not a codepoint", shown, "codepoint", given, ", ".join(CODEPOINTS))
    return CODEPOINTS[given]
