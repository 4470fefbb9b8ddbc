"""Bitrate ladders: rates from low to high, or the name of a published ladder."""

from __future__ import annotations

from typing import Any

from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Kind, Place
from mesonet.scenarios.kinds.names import entries
from mesonet.scenarios.kinds.rate import RATE
from mesonet.scenarios.ladders import LADDERS


class LadderKind(Kind):
    """Kind of bitrate ladders."""

    name = "ladder"
    unit = RATE.unit

    def parse(self, value: Any, place: Place) -> Any:
        """Return the bitrates."""
        known = LADDERS.get(value) if isinstance(value, str) else None
        given = [f"{rate} kbit/s" for rate in known.rates] if known else entries(value)
        if not given or (isinstance(value, str) and not known and not value[:1].isdecimal()):
            raise InputError("not a ladder", value=value, allowed=self.allowed(place.path))
        each = Place(f"{place.path}[]", segment_bytes=place.segment_bytes)
        rates = []
        for number, rate in enumerate(given):
            try:
                rates.append(RATE.parse(rate, each))
            except InputError as error:
                raise error.below(f"[{number}]") from None
        return rates

    def allowed(self, path: str) -> str:
        """Return the names, and the form and the range of a list."""
        each = RATE.allowed(f"{path}[]")
        return f'{", ".join(LADDERS)}; or bitrates from low to high, each {each}, such as ["1 Mbit/s", "3 Mbit/s"]'

    def show(self, value: Any) -> str:
        """Return the bitrates."""
        return ", ".join(map(RATE.show, value))


LADDER = LadderKind()
