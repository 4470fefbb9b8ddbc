"""Sizes of buffers: a rule and a factor."""

from __future__ import annotations

import re
from typing import Any

from mesonet import units
from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Kind, Place, mean
from mesonet.scenarios.kinds.segments import SEGMENTS

_UNITS = {"bdp": "bdp", "bdp_per_sqrt_n": "bdp/sqrt(n)", "segments": "segments", "time": "s"}
"""Unit that users write, by rule."""
_RULES = {"bdp": "bdp", "bdp/sqrt(n)": "bdp_per_sqrt_n"}
_QUANTITIES = {"time": units.TIME, "segments": units.SEGMENTS}
"""Quantities by the rule that their units stand for."""
_KNOWN = sorted((u for q in _QUANTITIES.values() for u in (*q.factors, *q.spellings)), key=len, reverse=True)
_BUFFER = re.compile(rf"\s*({units.NUMBER})\s*(bdp/sqrt\(n\)|bdp|{'|'.join(_KNOWN)})\s*")
_ALLOWED = '"1 bdp", "0.5 bdp", "1 bdp/sqrt(n)", "680 segments", "1 MB", "100 ms"'
_MOST = 1e12


class Buffer(Kind):
    """Kind of sizes of buffers."""

    name = "buffer"
    unit = "rule and factor"

    def parse(self, value: Any, place: Place) -> Any:
        """Return the rule and the factor."""
        match = _BUFFER.fullmatch(value) if isinstance(value, str) else None
        if not match:
            raise InputError(f"not a buffer size{_unit_to_write(value)}", value=value, allowed=_ALLOWED)
        number, unit = match.groups()
        rule, size = _RULES.get(unit, ""), units.fraction(number, value)
        for of_unit, quantity in _QUANTITIES.items():
            if (known := quantity.spellings.get(unit, unit)) in quantity.factors:
                rule, size = of_unit, quantity.exact(number, known, value, place.segment_bytes)
        problem = units.beyond(size, 0, _MOST, above=True)
        if not problem and (factor := float(size)):
            return {"rule": rule, "factor": factor}
        least, most = (self.show({"rule": rule, "factor": end}) for end in (0.0, _MOST))
        raise InputError(problem or "too low", value=value, allowed=f"more than {least} and at most {most}")

    def allowed(self, path: str) -> str:
        """Return no words: the meaning of the parameter has the units."""
        return ""

    def show(self, value: Any) -> str:
        """Return the factor with the unit of the rule."""
        rule, factor = value["rule"], value["factor"]
        return units.TIME.show(factor) if rule == "time" else f"{units.number_text(factor)} {_UNITS[rule]}"

    def between(self, low: Any, high: Any, where: float, place: Place) -> Any:
        """Return what a user writes for a size between two sizes of one rule."""
        if units.SEGMENTS.of_bytes(low) or units.SEGMENTS.of_bytes(high):
            return SEGMENTS.between(low, high, where, place)
        first, last = self.parse(low, place), self.parse(high, place)
        if first["rule"] != last["rule"]:
            return None
        return f"{mean(first['factor'], last['factor'], where)!r} {_UNITS[first['rule']]}"


def _unit_to_write(value: Any) -> str:
    """Return the advice for a number without a unit."""
    in_text = isinstance(value, str) and units.RATIO.fullmatch(value) and "/" not in value
    bare = in_text or units.is_finite(value)
    return f': write "{value} segments"' if bare else ""


BUFFER = Buffer()
