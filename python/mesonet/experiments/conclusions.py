"""Conclusions that an experiment evaluates in every condition: tables ``[[conclusions]]`` of an experiment file.

A conclusion compares algorithms on one response::

    [[conclusions]]
    id = "fast-loses-most"
    text = "FAST loses more than all others"
    source = "ASME paper, section 6"
    response = "loss_rate"                  # of the response set of the experiment
    higher = "fast"                         # this algorithm has the highest value ...
    than = ["tcp", "scalable"]              # ... of these
    by = 0.1                                # optional: by more than this part of the mean of both

    [[conclusions]]
    id = "loss-alike"
    text = "All but FAST lose alike"
    source = "ASME paper, section 6"
    response = "loss_rate"
    period = "1"                            # optional: a measured period; by default the whole measured span
    alike = ["tcp", "htcp", "scalable"]
    within = 0.1                            # highest less lowest value, as a part of their mean
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from mesonet import units
from mesonet.algorithms import among
from mesonet.campaign.documents import ConclusionEntry
from mesonet.errors import InputError, unknown
from mesonet.responses.sets import SETS

_TEXTS = ("id", "text", "source", "response")
_KEYS = (*_TEXTS, "period", "higher", "than", "by", "alike", "within")
WHOLE = "measured"
"""The period of a conclusion that names none."""


def read_conclusions(
    given: Sequence[Any], algorithms: Sequence[str], response_set: str, has_effects: bool
) -> tuple[ConclusionEntry, ...]:
    """Return the conclusions of an experiment file, checked.

    `given`: the entries of ``[[conclusions]]``. `algorithms`: algorithms of the file. If an option chooses fewer, the
    conclusions stay, without a value.
    """
    if given and not has_effects:
        allowed = "an experiment with factors at two levels"
        raise InputError("the factors of a conclusion need two levels", path="conclusions", allowed=allowed)
    found: dict[str, ConclusionEntry] = {}
    for place, entry in enumerate(given):
        where = f"conclusions[{place}]"
        if not isinstance(entry, Mapping):
            raise InputError("not a table", path=where, value=entry, allowed="[[conclusions]]")
        read = _conclusion(where, entry, algorithms, response_set)
        if read.id in found:
            raise InputError("another conclusion has this id", path=f"{where}.id", value=read.id, allowed="a new id")
        found[read.id] = read
    return tuple(found.values())


def _conclusion(where: str, given: Mapping[str, Any], algorithms: Sequence[str], response_set: str) -> ConclusionEntry:
    for key in given:
        if key not in _KEYS:
            raise unknown("key of a conclusion", key, _KEYS, path=f"{where}.{key}")
    texts = {key: _text(where, given, key) for key in _TEXTS}
    if not re.fullmatch(r"[A-Za-z][\w-]*", texts["id"]):
        raise InputError("not an id", path=f"{where}.id", value=texts["id"], allowed="letters, digits, - and _")
    names = SETS[response_set].names
    if texts["response"] not in names:
        raise unknown(f"response of the set {response_set}", texts["response"], names, path=f"{where}.response")
    period = given.get("period", WHOLE)
    if period != WHOLE and not (isinstance(period, str) and re.fullmatch(r"[1-9]\d?", period)):
        raise InputError("not a period", path=f"{where}.period", value=period, allowed=f'"{WHOLE}", or "1" and so on')
    compares, alike = "higher" in given and "than" in given, "alike" in given
    strangers = {"by"} if alike else {"within"}
    if compares == alike or strangers & set(given) or (alike and {"higher", "than"} & set(given)):
        raise InputError("two forms, or none", path=where, allowed="higher, than and by, or alike and within")
    if alike:
        others = _names(f"{where}.alike", given["alike"], algorithms, 2)
        least = _share(where, given, "within", None)
        return ConclusionEntry(**texts, period=period, higher=None, algorithms=others, least=least)
    [higher] = _names(f"{where}.higher", [given["higher"]], algorithms, 1)
    than = given["than"] if isinstance(given["than"], list) else [given["than"]]
    others = _names(f"{where}.than", than, algorithms, 1)
    if higher in others:
        raise InputError("an algorithm is compared with itself", path=f"{where}.than", value=higher)
    least = _share(where, given, "by", 0.0)
    return ConclusionEntry(**texts, period=period, higher=higher, algorithms=others, least=least)


def _text(where: str, given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str) or not value.strip():
        problem = "missing" if value is None else "not text"
        raise InputError(problem, path=f"{where}.{key}", value=value, allowed="text in quotes")
    return value


def _names(path: str, given: Any, algorithms: Sequence[str], least: int) -> list[str]:
    if not isinstance(given, list) or len(given) < least:
        allowed = f"at least {least} of {', '.join(algorithms)}, in brackets"
        raise InputError("not a list of algorithms", path=path, value=given, allowed=allowed)
    names = [among(name, algorithms) for name in given]
    for name in names:
        if name not in algorithms:
            raise unknown("algorithm of the experiment", str(name), algorithms, path=path)
    if len(set(names)) < len(names):
        raise InputError("an algorithm is named twice", path=path, value=given, allowed="each algorithm once")
    return names


def _share(where: str, given: Mapping[str, Any], key: str, default: float | None) -> float:
    path, value = f"{where}.{key}", given.get(key, default)
    if value is None:
        raise InputError("missing", path=path, allowed="a share, such as 0.1")
    allowed = "at least 0 and below 2: a difference of two values is at most twice their mean"
    try:
        share = units.number(value)
    except InputError as error:
        raise units.ranged(error, allowed).located(path=path) from None
    if problem := units.beyond(share, 0, math.nextafter(2, 0)):
        raise InputError(problem, path=path, value=value, allowed=allowed)
    return share
