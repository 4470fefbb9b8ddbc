"""Rates of links that follow the time."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from mesonet.files.csv_rows import FilePlace
from mesonet.files.reading import read_text
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.rate import RATE
from mesonet.scenarios.kinds.trace import MOST_POINTS, Trace, again

OPPORTUNITY_BYTES = 1500
"""Bytes that may leave at a line of a file of mahimahi (its manual: one packet of the MTU)."""


class Capacity(Trace):
    """Kind of traces of rates, or of opportunities: numbers of segments that may leave at an instant."""

    name = "capacity"
    words = (
        'none; points such as [["0 s", "20 Mbit/s"], ["2 s", "2 Mbit/s"]]; a CSV file with time_s, rate_mbps; '
        "a file of mahimahi; or a table with points or file, and period"
    )
    columns = (("time_s", "s"), ("rate_mbps", "Mbit/s"))
    value = RATE

    def parse(self, value: Any, place: Place) -> Any:
        """Return a trace in base units, with its kind: `rates` or `opportunities`."""
        if isinstance(value, Mapping) and value.get("kind") == "opportunities":
            segments = OPPORTUNITY_BYTES / place.segment_bytes
            points = [[time / 1000, count * segments] for time, count in value["points"]]
            return {"kind": "opportunities", "points": points, "period": value["period"] / 1000}
        trace = super().parse(value, place)
        return None if trace is None else {"kind": "rates", **trace}

    def show(self, value: Any) -> str:
        """Return the number of points, the rates and the period."""
        if value is None or value["kind"] == "rates":
            return super().show(value)
        mean = RATE.show(round(sum(segments for _, segments in value["points"]) / value["period"], 3))
        return f"opportunities at {len(value['points']):,} instants, mean {mean}{again(value)}"

    def read(self, path: Path) -> dict[str, Any]:
        """Return the trace of a CSV file, or of a file of mahimahi, which has the ms of an opportunity in each line."""
        first = read_text(path, allowed=self.words).lstrip().partition("\n")[0].strip()
        return _mahimahi(path) if first.isdecimal() else super().read(path)


def _mahimahi(path: Path) -> dict[str, Any]:
    """Return the opportunities of a file: milliseconds, rising. The trace begins again after the last one."""
    times: list[int] = []
    for number, line in enumerate(read_text(path, allowed="a file of mahimahi").split("\n"), start=1):
        text = line.strip()
        if not text:
            continue
        at = FilePlace(str(path), f"line {number}")
        if not text.isdecimal() or (times and int(text) < times[-1]):
            raise at.refuse("not the next millisecond", value=text, allowed="whole numbers that do not fall")
        times.append(int(text))
    if not times or times[-1] == 0:
        raise FilePlace(str(path)).refuse("no opportunity after the start", allowed="a last time of at least 1 ms")
    period = times[-1]
    # The last opportunity is that at the beginning of the next round.
    counts = [(time % period, len(list(same))) for time, same in groupby(sorted(time % period for time in times))]
    if len(counts) > MOST_POINTS:
        raise FilePlace(str(path)).refuse(f"{len(counts):,} instants", allowed=f"at most {MOST_POINTS:,}")
    return {"kind": "opportunities", "points": counts, "period": period}


CAPACITY = Capacity()
