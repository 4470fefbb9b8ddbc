"""Delays of links that follow the time."""

from __future__ import annotations

from mesonet.scenarios.kinds.time import TIME
from mesonet.scenarios.kinds.trace import Trace


class Delays(Trace):
    """Kind of traces of delays, in s."""

    name = "delays"
    words = (
        'none; points such as [["0 s", "0 ms"], ["15 s", "12 ms"]]; a CSV file with time_s, delay_ms; or a table '
        "with points or file, and period"
    )
    columns = (("time_s", "s"), ("delay_ms", "ms"))
    value = TIME


DELAYS = Delays()
