"""Numbers of segments."""

from __future__ import annotations

import math
from typing import Any

from mesonet import units
from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.ranged import Measured


class Segments(Measured):
    """Kind of numbers of segments, also in bytes."""

    name = "segments"
    quantity = units.SEGMENTS


class WholeSegments(Segments):
    """Kind of whole numbers of segments; bytes are rounded up."""

    name = "whole segments"

    def read(self, value: Any, place: Place) -> Any:
        """Return the whole number of segments; a number of bytes is rounded up."""
        number = super().read(value, place)
        if self.quantity.of_bytes(value):
            return float(math.ceil(number))
        if not number.is_integer():
            raise InputError("not a whole number of segments", value=value, allowed=self.allowed(place.path))
        return number

    def allowed(self, path: str) -> str:
        """Return the range in words."""
        return f"a whole number of segments, {super().allowed(path)}"

    def written(self, number: float) -> Any:
        """Return the nearest whole number of segments."""
        return super().written(round(number))


SEGMENTS = Segments()
WHOLE_SEGMENTS = WholeSegments()
