"""Shares of the three classes of access routers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mesonet import units
from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Kind, Place

_ALLOWED = "three shares that sum to 1 for normal, fast and directly connected routers, such as [0.1, 0.6, 0.3]"


class Distribution(Kind):
    """Kind of three shares that sum to 1."""

    name = "distribution"

    def parse(self, value: Any, place: Place) -> Any:
        """Return the shares."""
        parts = [part for part in value.split(",") if part.strip()] if isinstance(value, str) else value
        if not isinstance(parts, list | tuple) or len(parts) != 3:
            raise InputError("not three shares", value=value, allowed=_ALLOWED)
        try:
            shares = [units.number(part) for part in parts]
        except InputError as error:
            raise InputError(f"{error.value!r} is {error.problem}", value=value, allowed=_ALLOWED) from None
        if any(share < 0 for share in shares):
            raise InputError("a share is negative", value=value, allowed=_ALLOWED)
        if abs(sum(shares) - 1) > 1e-9:
            total = units.number_text(sum(shares))
            raise InputError(f"the shares sum to {total}, not to 1", value=value, allowed=_ALLOWED)
        return shares

    def allowed(self, path: str) -> str:
        """Return no words: the default shows the form."""
        return ""

    def show(self, value: Any) -> str:
        """Return the shares."""
        return ", ".join(map(_text, value))


def _text(share: float) -> str:
    """Return a share as a simple fraction where the decimals would not end: 1/3."""
    simple = Fraction(share).limit_denominator(100)
    decimals = units.number_text(share)
    return str(simple) if len(decimals) > 8 and abs(float(simple) - share) < 1e-12 else decimals


DISTRIBUTION = Distribution()
