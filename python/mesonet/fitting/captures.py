"""Captures of TCP: the flows in a file of packets, and the packets of one flow with what became of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mesonet import core
from mesonet.fitting.recording import FEWEST, Recording
from mesonet.fitting.unpacked import packed, refusals


@dataclass(frozen=True)
class CapturedFlow:
    """A connection in a capture, without its addresses."""

    number: int  #: from 1, in the order of the first packets
    start_s: float  #: since the first packet of TCP in the file
    duration_s: float
    packets: int  #: of both directions
    data_bytes: int  #: data of the direction with more, retransmissions included
    begins: bool  #: True if the capture has its SYN and its SYN-ACK


def flows_of(path: Path) -> list[CapturedFlow]:
    """Return the connections in a pcap or pcapng file."""
    with packed(path) as file, refusals(path):
        rows = core.module().capture_flows(file)
    return [CapturedFlow(number, *row) for number, row in enumerate(rows, 1)]


def read_capture(path: Path, number: int | None) -> Recording:
    """Return the packets of a connection in a pcap or pcapng file. `number`: None: the only one that carries data."""
    with packed(path) as file, refusals(path):
        found = core.module().capture_transfer(file, number, FEWEST)
    data, header = found["bytes"].astype(np.int64), found["header"]
    return Recording(
        file=str(path),
        sent_s=found["sent_s"],
        acked_s=found["acked_s"],
        lost=found["lost"],
        size=data + header,
        payload=np.where(np.isnan(found["acked_s"]), 0, data),
        handshake_s=found["handshake_s"],
        segment_bytes=found["segment"] + header,
        bursts=found["bursts"],
        marked=found["marked"],
        protocol="TCP",
        read=found["read"],
        total=found["total"],
        notes=tuple(_notes(found)),
    )


def _notes(found: Mapping[str, Any]) -> Iterator[str]:
    if found["is_cut_off"]:
        yield "the file ends early: 1 packet that the end of the file cuts"
    if found["unseen"] > 1:  # the FIN
        yield f"{found['unseen']:,} acknowledged bytes are in no packet: the capture lacks packets"
