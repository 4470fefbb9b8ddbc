"""Readers of recordings, by the first bytes of a file."""

from __future__ import annotations

from pathlib import Path

from mesonet.errors import InputError
from mesonet.fitting.captures import CapturedFlow, flows_of, read_capture
from mesonet.fitting.qlog import read_qlog
from mesonet.fitting.recording import Recording
from mesonet.fitting.samples import begins_as_samples, read_samples
from mesonet.fitting.tables import PACKETS, is_run, read_packets
from mesonet.fitting.unpacked import begins_as_json

LONGEST_S = 86_400.0
"""Longest flow, s (chosen)."""


def read(path: Path, flow: int | None = None) -> Recording:
    """Return the packets of a flow. `flow`: its number in the list of `flows`; None: the only one."""
    if is_run(path) or path.suffix == Path(PACKETS).suffix:
        found = read_packets(path / PACKETS if is_run(path) else path, flow)
    elif begins_as_json(path):
        found = read_qlog(path, flow)
    elif begins_as_samples(path):
        found = read_samples(path, flow)
    else:
        found = read_capture(path, flow)
    begin_s = float(found.sent_s.min())
    if not (begin_s >= 0 and 0 < found.duration_s < LONGEST_S):
        problem = f"its packets leave from {begin_s:.3g} s on, and the last answer is at {found.duration_s:.3g} s"
        raise InputError(problem, file=str(path), allowed=f"times from 0 on, up to {LONGEST_S:.0f} s")
    return found


def flows(path: Path) -> list[CapturedFlow]:
    """Return the flows of a capture."""
    if begins_as_json(path):
        raise InputError("a log of QUIC: its traces are numbered from 1", file=str(path), allowed="--flow N")
    return flows_of(path)
