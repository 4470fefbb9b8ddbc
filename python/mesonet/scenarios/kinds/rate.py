"""Rates of segments, per second."""

from __future__ import annotations

from mesonet import units
from mesonet.scenarios.kinds.ranged import Measured


class Rate(Measured):
    """Kind of rates of segments, also in bits per second."""

    name = "rate"
    quantity = units.RATE


RATE = Rate()
