"""Readers of recordings, by the first bytes of a file."""

from __future__ import annotations

from pathlib import Path

from mesonet.errors import InputError
from mesonet.fitting.captures import CapturedFlow, read_capture
from mesonet.fitting.framing import ALLOWED, begins_as_json
from mesonet.fitting.qlog import read_qlog
from mesonet.fitting.recording import Recording

LONGEST_S = 86_400.0
"""Longest flow, s (chosen)."""


def read(path: Path, flow: int | None = None) -> Recording:
    """Return the packets of a flow. `flow`: its number in the list of `flows`; None: the only one."""
    _refuse_missing(path)
    found = read_qlog(path, flow) if begins_as_json(path) else read_capture(path).recording(flow)
    if not (found.sent_s.min() >= 0 and 0 < found.duration_s < LONGEST_S):
        problem = (
            f"its packets leave from {found.sent_s.min():.3g} s on, and the last answer is at {found.duration_s:.3g} s"
        )
        raise InputError(problem, file=str(path), allowed=f"times from 0 on, up to {LONGEST_S:.0f} s")
    return found


def flows(path: Path) -> list[CapturedFlow]:
    """Return the flows of a capture."""
    _refuse_missing(path)
    if begins_as_json(path):
        raise InputError("a log of QUIC: its traces are numbered from 1", file=str(path), allowed="--flow N")
    return read_capture(path).flows


def _refuse_missing(path: Path) -> None:
    if not path.exists():
        raise InputError("no such file", file=str(path), allowed=ALLOWED)
