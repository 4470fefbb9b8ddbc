"""Numbers of segments."""

from __future__ import annotations

from mesonet import units
from mesonet.scenarios.kinds.ranged import Measured


class Segments(Measured):
    """Kind of numbers of segments, also in bytes."""

    name = "segments"
    quantity = units.SEGMENTS


SEGMENTS = Segments()
