"""Logs of QUIC senders, qlog 0.3 and 0.4: one JSON document, lines of JSON, or a JSON text sequence."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mesonet import core
from mesonet.fitting.recording import FEWEST, Recording, behind_handshake
from mesonet.fitting.unpacked import packed, refusals

UDP_BYTES = 28
"""Bytes of the headers of IPv4 and UDP, which a log does not count."""


def read_qlog(path: Path, number: int | None) -> Recording:
    """Return the packets of a trace. `number`: its place in the file, from 1; None: the only one."""
    with packed(path) as file, refusals(path):
        found = core.module().quic_log(file, number, FEWEST)
    sent_s, acked_s, length = found["sent_s"], found["acked_s"], found["bytes"].astype(np.int64)
    if not found["has_handshake"]:
        sent_s, acked_s = behind_handshake(sent_s, acked_s)
    headers = 0 if found["of_mesonet"] else UDP_BYTES
    return Recording(
        file=str(path),
        sent_s=sent_s,
        acked_s=acked_s,
        lost=found["lost"],
        size=length + headers,
        payload=np.where(np.isnan(acked_s), 0, length),
        handshake_s=found["handshake_s"],
        segment_bytes=int(length.max()) + headers,
        bursts=False,
        marked=False,
        protocol="mesonet" if found["of_mesonet"] else "QUIC",
        read=len(sent_s) + int(np.isfinite(acked_s).sum()),
        total=found["total"],
        notes=(
            "a log of mesonet: the handshake is assumed to take the shortest round trip"
            if found["of_mesonet"]
            else f"QUIC: {UDP_BYTES} bytes are added to each packet for IPv4 and UDP; the replay is a sender of TCP",
        ),
    )
