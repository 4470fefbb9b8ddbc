"""Thresholds in segments, which can be off."""

from __future__ import annotations

from typing import Any

from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.segments import Segments

OFF = "off"


class Threshold(Segments):
    """Kind of thresholds: a number of segments, or None if it is off."""

    name = "threshold"

    def read(self, value: Any, place: Place) -> Any:
        """Return the number of segments; None for `OFF`."""
        if value == OFF:
            return None
        try:
            return self.quantity.parse(value, segment_bytes=place.segment_bytes)
        except InputError as error:
            raise InputError(error.problem, value=value, allowed=f'"{OFF}", or {error.allowed}') from None

    def show(self, value: Any) -> str:
        """Return the number of segments, or `OFF`."""
        return OFF if value is None else super().show(value)


THRESHOLD = Threshold()
