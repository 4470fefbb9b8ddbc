"""Witnesses: measurements of another simulator in the set-up of a claim, written by the driver that ran it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, unknown
from verification.scorecard.claims import Number
from verification.scorecard.measurements import Measurement

VALUES = "values.json"
_HEAD: dict[str, type] = {"tool": str, "version": str, "command": str, "values": list}
_VALUE: dict[str, tuple[type | tuple[type, ...], str]] = {
    "claim": (str, "text"),
    "number": (str, "text"),
    "measure": (str, "text"),
    "of": (dict, "the arguments of the measure"),
    "mean": ((int, float, type(None)), "a number or null"),
    "low": ((int, float, type(None)), "a number or null"),
    "high": ((int, float, type(None)), "a number or null"),
    "seeds": (int, "a whole number"),
    "conditions": (int, "a whole number"),
    "reason": (str, "text"),
}


@dataclass(frozen=True)
class Witness:
    """Another simulator and its measurements."""

    tool: str
    version: str
    command: str  #: command that writes its values
    measurements: Mapping[str, Measurement]

    @property
    def name(self) -> str:
        """Tool and version."""
        return f"{self.tool} {self.version}"

    def of(self, claim: str, number: Number) -> Measurement | None:
        """Return the witness's measurement of a number.

        None if there is none, or the measure or its arguments changed.
        """
        return self.measurements.get(_key(claim, number.name, number.measure, number.of))


def read_witness(path: Path) -> Witness:
    """Return the witness of a file ``values.json``."""
    try:
        return _witness(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise InputError("no such witness", file=str(path), allowed="what its driver writes") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise error.located(file=str(path)) from None
        raise InputError(f"no JSON: {error}", file=str(path), allowed="what its driver writes") from None


def _witness(document: Any) -> Witness:
    if not isinstance(document, dict):
        raise InputError("not a witness", value=document, allowed="an object with " + ", ".join(_HEAD))
    _keys("", document, _HEAD)
    for key, kind in _HEAD.items():
        if not isinstance(document[key], kind) or not document[key]:
            allowed = "a list of values" if kind is list else "text"
            raise InputError("not what it holds", path=key, value=document[key], allowed=allowed)
    measurements: dict[str, Measurement] = {}
    for place, value in enumerate(document["values"]):
        where = f"values[{place}]"
        _check(where, value)
        key = _key(value["claim"], value["number"], value["measure"], value["of"])
        if key in measurements:
            raise InputError("given twice", path=f"{where}.number", value=value["number"], allowed="once")
        measured = {name: value[name] for name in ("mean", "low", "high", "seeds", "conditions", "reason")}
        measurements[key] = Measurement(**measured)
    return Witness(document["tool"], document["version"], document["command"], measurements)


def _check(where: str, value: Any) -> None:
    if not isinstance(value, dict):
        raise InputError("not a value", path=where, value=value, allowed="an object with " + ", ".join(_VALUE))
    _keys(f"{where}.", value, _VALUE)
    for key, (kind, allowed) in _VALUE.items():
        given = value[key]
        finite = not isinstance(given, float) or math.isfinite(given)
        if not isinstance(given, kind) or isinstance(given, bool) or not finite:
            raise InputError("not what it holds", path=f"{where}.{key}", value=given, allowed=allowed)
    for key in ("seeds", "conditions"):
        if value[key] < 0:
            raise InputError("negative", path=f"{where}.{key}", value=value[key], allowed="0 or more")
    if value["mean"] is None and not value["reason"]:
        raise InputError("empty", path=f"{where}.reason", allowed="why there is no mean")


def _keys(where: str, given: Mapping[str, Any], keys: Mapping[str, Any]) -> None:
    for key in given:
        if key not in keys:
            raise unknown("key", key, keys, path=f"{where}{key}")
    for key in keys:
        if key not in given:
            raise InputError("missing", path=f"{where}{key}")


def _key(claim: str, number: str, measure: str, of: Mapping[str, Any]) -> str:
    return json.dumps([claim, number, measure, of], sort_keys=True)
