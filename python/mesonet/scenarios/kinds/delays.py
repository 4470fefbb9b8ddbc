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


class Outages(Delays):
    """Kind of lists of outages: beginnings and lengths, in s."""

    name = "outages"
    words = (
        'none; beginnings and lengths such as [["5 s", "200 ms"], ["9 s", "1 s"]]; a CSV file with time_s, length_ms; '
        "or a table with points or file, and period"
    )
    columns = (("time_s", "s"), ("length_ms", "ms"))


OUTAGES = Outages()
