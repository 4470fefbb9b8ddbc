"""Times, in seconds."""

from __future__ import annotations

from mesonet import units
from mesonet.scenarios.kinds.ranged import Measured


class Time(Measured):
    """Kind of times."""

    name = "time"
    quantity = units.TIME


TIME = Time()
