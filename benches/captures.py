"""Measure the reader of captures: CPU seconds and peak memory of a process that reads one flow, plain and gzip.

The capture is a transfer of `PACKETS` packets of data with a header of 128 bytes each, and an acknowledgement for each.
One packet in 1000 is lost: the acknowledgements of the next 50 have selective blocks.

    make bench            or            python benches/captures.py --repeat 3
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import statistics
import struct
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from run import HERE, dated, machine, ran

PACKETS = 1_500_000
MSS, SNAPLEN = 1448, 128
TRIP_US, APART_US = 40_000, 100
LOST, LATE = 1000, 50
PROGRAM = """
import sys
from pathlib import Path
from mesonet.fitting.readers import read
read(Path(sys.argv[1]))
"""


def capture() -> Iterator[bytes]:
    """Yield the parts of a pcap file of raw IP."""
    yield struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, SNAPLEN, 101)
    yield record(0, True, 0, 0, flags=2)
    yield record(TRIP_US, False, 0, 1, flags=18)
    yield record(TRIP_US + 10, True, 1, 1)
    behind = TRIP_US // APART_US
    for number in range(PACKETS + behind):
        at = TRIP_US + 20 + APART_US * number
        if number < PACKETS:
            yield record(at, True, 1 + MSS * number, 1, length=MSS)
        answered = number - behind
        if answered < 0 or answered % LOST == LOST // 2:
            continue
        late = answered % LOST - LOST // 2
        if 0 < late <= LATE:
            hole = answered - late
            if late == LATE:
                yield record(at, True, 1 + MSS * hole, 1, length=MSS)
            yield record(at, False, 1, 1 + MSS * hole, block=(hole + 1, answered + 1))
        else:
            yield record(at, False, 1, 1 + MSS * (answered + 1))


def record(
    time_us: int,
    forth: bool,
    seq: int,
    ack: int,
    *,
    length: int = 0,
    flags: int = 16,
    block: tuple[int, int] | None = None,
) -> bytes:
    """Return a packet of the file. `block`: packets of a selective acknowledgement, the first and behind the last."""
    options = b"\x01\x01\x08\x0a" + bytes(8)
    if flags & 2:
        options += b"\x02\x04" + struct.pack(">H", MSS + 12)
    if block:
        options += b"\x01\x01\x05\x0a" + b"".join(struct.pack(">I", (1 + MSS * each) % 2**32) for each in block)
    own = 20 + len(options)
    ends = (b"\x0a\0\0\1\x0a\0\0\2", (40000, 5001)) if forth else (b"\x0a\0\0\2\x0a\0\0\1", (5001, 40000))
    data = struct.pack(">BBHHHBBH", 0x45, 0, 20 + own + length, 0, 0, 64, 6, 0) + ends[0]
    data += struct.pack(">HHIIBBHHH", *ends[1], seq % 2**32, ack % 2**32, own // 4 << 4, flags, 9, 0, 0) + options
    data += bytes(min(length, SNAPLEN - len(data)))
    head = struct.pack("<IIII", 1000 + time_us // 10**6, time_us % 10**6, len(data), 20 + own + length)
    return head + data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    lines = [
        f"\n## Captures, {dated()}, {machine()}, {os.cpu_count()} cores, median of {options.repeat}\n",
        "The interpreter and its libraries are a part of each process: the row without a file.\n",
        "| file | MB | MB unpacked | CPU s | MB unpacked per CPU s | peak MB |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain, packed = folder / "a.pcap", folder / "a.pcap.gz"
        with plain.open("wb") as file:
            file.writelines(capture())
        # In parts: a child process begins with the peak of this one.
        with plain.open("rb") as file, gzip.open(packed, "wb", 1) as target:
            shutil.copyfileobj(file, target)
        size = plain.stat().st_size / 1e6
        lines.append(row("none", 0.0, 0.0, measured(["import mesonet.fitting.readers"], options.repeat)))
        for title, path in (("pcap", plain), ("pcap, gzip", packed)):
            lines.append(row(title, path.stat().st_size / 1e6, size, measured([PROGRAM, str(path)], options.repeat)))
    sys.stderr.write("\n".join(lines) + "\n")
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join(lines) + "\n")


def measured(program: list[str], repeat: int) -> tuple[float, float]:
    """Return CPU seconds and peak memory, MB, of a process: medians."""
    runs = [ran([sys.executable, "-c", *program]) for _ in range(repeat)]
    return statistics.median(each.cpu_s for each in runs), statistics.median(each.peak_mb for each in runs)


def row(title: str, own: float, size: float, found: tuple[float, float]) -> str:
    return f"| {title} | {own:.0f} | {size:.0f} | {found[0]:.2f} | {size / found[0]:.0f} | {found[1]:.0f} |"


if __name__ == "__main__":
    main()
