"""The figure of a fit: capture beside replay over time."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from mesonet.charts.run_course import run_course
from mesonet.fitting.gate import Gate
from mesonet.fitting.paths import FittedPath
from mesonet.fitting.recording import Recording

POINTS = 240
"""Points of each line (chosen): more do not fit on the figure."""


def figure(recording: Recording, path: FittedPath, gate: Gate) -> Any:
    """Return the figure: rate, round trip and losses over time, of the capture and of the replay."""
    at = np.linspace(0.0, recording.duration_s, POINTS + 1)[1:]
    times, arrived, _ = recording.acknowledgements
    trip_s = np.append(np.nan, recording.round_trips[1])[np.searchsorted(times, at, side="right")]
    lost = np.searchsorted(np.sort(recording.sent_s[recording.lost]), at, side="right")
    replay = gate.replay
    place = np.searchsorted(replay.time_s, at, side="right").clip(1) - 1
    # A round trip is known when it ends.
    known_s = np.maximum.accumulate(replay.time_s + replay.round_trip_s)
    ended = np.searchsorted(known_s, at, side="right").clip(1) - 1
    names = "capture", f"replay of {gate.control}"
    panels = {
        "rate, Mbit/s": (
            _rate(at, np.interp(at, times, arrived, left=0.0)),
            _rate(at, np.interp(at, replay.time_s, replay.delivered) * path.segment_bytes),
        ),
        "round trip, ms": (1e3 * trip_s, 1e3 * replay.round_trip_s[ended]),
        "packets lost": (lost, replay.lost[place]),
    }
    rows = [
        pl.DataFrame({"panel": panel, "line": name, "time_s": at, "value": np.asarray(values, float)})
        for panel, lines in panels.items()
        for name, values in zip(names, lines, strict=True)
    ]
    return run_course(pl.concat(rows).with_columns(pl.col("value").fill_nan(None)))


def _rate(at: np.ndarray, total_bytes: np.ndarray) -> np.ndarray:
    return 8e-6 * np.diff(total_bytes, prepend=0.0) / np.diff(at, prepend=0.0)
