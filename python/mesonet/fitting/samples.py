"""Samples of a TCP sender: TCP_INFO as CSV, or the text of ``ss -ti``. Packets between two samples are assumed.

Columns have the names and units of the kernel's ``struct tcp_info`` (include/uapi/linux/tcp.h): times in us, counts in
segments.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from mesonet.errors import InputError
from mesonet.files.csv_rows import FilePlace, rows
from mesonet.fitting.recording import FEWEST, Recording, behind_handshake
from mesonet.fitting.unpacked import first_bytes, unpacked_text

FEWEST_SAMPLES = 20
"""Fewest samples from which a path follows (chosen)."""
_NEEDED = ("time_s", "rtt", "total_retrans", "snd_mss")
_OPTIONAL = ("delivered", "bytes_acked", "min_rtt", "unacked", "sacked", "lost")
_ALLOWED = (
    "CSV with time_s and rtt (us), total_retrans, snd_mss, and delivered or bytes_acked of TCP_INFO; "
    "or text of ss -ti behind lines of date +%s.%N"
)
_SS = {"rtt": "rtt", "minrtt": "min_rtt", "mss": "snd_mss", "retrans": "total_retrans"}
"""Columns by the names of ``ss``, where they differ."""
_PAIR = re.compile(r"(?<![\w:])([a-z_]+):([0-9][0-9./]*)(?!\S)")
_TIME = re.compile(r"\d{1,12}(\.\d+)?")
_HEADERS = 52
"""Bytes of headers of a full packet: IPv4, TCP and its time stamps."""
_SLACK = 0.05
"""Part of the round trip by which smoothed round trips are uncertain (chosen)."""
_UNITS = 20.0
"""Ratio of two values of the packets in flight from which units differ (chosen)."""

Columns = dict[str, list[float]]


def begins_as_samples(path: Path) -> bool:
    """Return True if a file begins as the text of ``ss`` does, or as a table with times."""
    text = first_bytes(path, 4096).decode("utf-8", "ignore")
    return "time" in text.partition("\n")[0].split(",")[0] or " rtt:" in text


def read_samples(path: Path, number: int | None) -> Recording:
    """Return the packets that samples show. `number`: of a connection in the text of ``ss``, from 1."""
    if " rtt:" in first_bytes(path, 4096).decode("utf-8", "ignore"):
        columns = _of_ss(path, number)
    elif number is not None:
        raise InputError("a table has one flow", file=str(path), path="flow", value=number, allowed="no --flow")
    else:
        columns = _of_csv(path)
    return _recording(path, {name: np.array(values) for name, values in columns.items()})


def _of_csv(path: Path) -> Columns:
    columns: Columns = {}
    for place, cells in rows(path):
        given = {name.lower().removeprefix("tcpi_"): text for name, text in cells.items()}
        if missing := next((name for name in _NEEDED if name not in given), None):
            raise place.refuse(f'no column "{missing}"', value=",".join(cells), allowed=_ALLOWED)
        for name in (*_NEEDED, *_OPTIONAL):
            if name in given:
                columns.setdefault(name, []).append(_number(place, name, given[name]))
    return columns


def _of_ss(path: Path, number: int | None) -> Columns:
    flows: dict[str, Columns] = {}
    now, ends = None, ""
    for line, text in enumerate(unpacked_text(path).splitlines(), 1):
        place = FilePlace(str(path), f"line {line}")
        words = text.split()
        if len(words) == 1 and _TIME.fullmatch(words[0]):
            now = float(words[0])
        elif " rtt:" in text:
            if now is None:
                raise place.refuse("a sample without a time before it", allowed=_ALLOWED)
            own = flows.setdefault(ends if text[:1].isspace() else " ".join(words[3:5]), {})
            _append(own, now, dict(_PAIR.findall(text)), place)
        elif len(words) >= 5:
            ends = " ".join(words[3:5])
    if number is None and len(flows) != 1:
        raise InputError(f"{len(flows)} flows", file=str(path), path="flow", allowed=f"--flow 1 to {len(flows)}")
    if number is not None and not 1 <= number <= len(flows):
        raise InputError("no such flow", file=str(path), path="flow", value=number, allowed=f"1 to {len(flows)}")
    return list(flows.values())[(number or 1) - 1]


def _append(columns: Columns, now: float, given: dict[str, str], place: FilePlace) -> None:
    """Append a sample of ``ss``, whose times are in ms, and which leaves counts of 0 out."""
    found = {_SS.get(name, name): text for name, text in given.items()}
    found["rtt"] = found.get("rtt", "").partition("/")[0]
    found["total_retrans"] = found.get("total_retrans", "0/0").partition("/")[2]
    for name in ("rtt", "snd_mss"):
        if not found.get(name):
            raise place.refuse(f"a sample without {name}", allowed=_ALLOWED)
    columns.setdefault("time_s", []).append(now)
    for name in (*_NEEDED[1:], *_OPTIONAL):
        scale = 1e3 if name in ("rtt", "min_rtt") else 1.0
        text = found.get(name, "nan" if name == "min_rtt" else "0")
        columns.setdefault(name, []).append(scale * (float("nan") if text == "nan" else _number(place, name, text)))


def _number(place: FilePlace, name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 <= value < 1e18:
        raise place.refuse("not a number", key=name, value=text, allowed="a number from 0 on")
    return value


def _recording(path: Path, columns: dict[str, np.ndarray]) -> Recording:
    file = str(path)

    def refuse(problem: str, allowed: str = _ALLOWED) -> InputError:
        return InputError(problem, file=file, allowed=allowed)

    time_s = columns.get("time_s", np.zeros(0))
    if len(time_s) < FEWEST_SAMPLES:
        raise refuse(f"{len(time_s)} samples", f"at least {FEWEST_SAMPLES} samples")
    if (np.diff(time_s) <= 0).any():
        line = int(np.flatnonzero(np.diff(time_s) <= 0)[0]) + 2
        raise refuse(f"the time of sample {line} is not after the time of sample {line - 1}", "times that rise")
    segment = float(np.median(columns["snd_mss"]))
    delivered = columns.get("delivered", np.zeros(len(time_s)))
    if not delivered.any():
        delivered = columns.get("bytes_acked", delivered) / max(1.0, segment)
    delivered = delivered - delivered[0]
    if (np.diff(delivered) < 0).any() or (np.diff(columns["total_retrans"]) < 0).any():
        raise refuse("a count falls", "the samples of one connection")
    trip_s = 1e-6 * columns["rtt"]
    count = int(delivered[-1])
    if count < FEWEST or not (trip_s > 0).any() or segment <= 0 or count > 5_000_000:
        raise refuse(f"{count} segments were delivered", f"{FEWEST} to 5,000,000 segments")
    clock_s = time_s - time_s[0]
    acked_s = np.interp(np.arange(1, count + 1), delivered, clock_s)
    known = trip_s > 0
    in_flight = columns.get("unacked", np.zeros(1)) - columns.get("sacked", np.zeros(1))
    expected = np.gradient(delivered, clock_s) * trip_s
    ratio = float(np.median(in_flight[in_flight > 0] / expected[in_flight > 0])) if (in_flight > 0).sum() > 1 else 1.0
    if not 1 / _UNITS < ratio < _UNITS:
        raise refuse(f"packets in flight are {ratio:.3g} times rate and round trip", "rtt in us, time_s in s")
    sent_s = np.maximum.accumulate(acked_s - np.interp(acked_s, clock_s[known], trip_s[known]))
    again = np.diff(columns["total_retrans"], prepend=columns["total_retrans"][0]).astype(int)
    # A loss is known a round trip after the packet left, and some samples later.
    lost_s = np.repeat(clock_s - np.interp(clock_s, clock_s[known], trip_s[known]), again)
    times = np.append(sent_s, lost_s)
    order = np.argsort(times, kind="stable")
    is_lost = np.append(np.zeros(count, bool), np.ones(len(lost_s), bool))[order]
    sent_s, acked_s = behind_handshake(times[order], np.append(acked_s, np.full(len(lost_s), np.nan))[order])
    size = round(segment) + _HEADERS
    least_s = 1e-6 * float(np.nanmin(columns.get("min_rtt", columns["rtt"])[known]))
    return Recording(
        file=file,
        sent_s=sent_s,
        acked_s=acked_s,
        lost=is_lost,
        size=np.full(len(sent_s), size),
        payload=np.where(is_lost, 0, round(segment)),
        handshake_s=least_s,
        segment_bytes=size,
        bursts=True,
        marked=False,
        protocol="samples",
        read=len(time_s),
        total=len(time_s),
        slack_s=_SLACK * least_s,
        most_in_flight=float(in_flight.max()) or float("inf"),
        notes=(
            f"samples every {1e3 * float(np.median(np.diff(time_s))):.0f} ms: packets between them are assumed, and "
            f"lost data counts as in flight; {_HEADERS} bytes of headers are added to each segment",
        ),
    )
