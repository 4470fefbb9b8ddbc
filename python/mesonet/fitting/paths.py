"""Paths as scenarios: one flow over one queue, with the values of an estimate or of others near it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mesonet.fitting.estimates import PathEstimate
from mesonet.fitting.recording import Recording
from mesonet.scenarios.scenario import Scenario, load_scenario

BASE = "bottleneck"
"""The scenario that a path changes: a sender as in Linux, one queue, `network.delay_multiplier` in ms."""
PORT = "A -> B"
"""The queue of the path."""
AMPLE = 2
"""Size of a buffer that never filled over what it held (chosen): other controls may fill it."""
EVERY_S = 0.01
"""Distance of samples of round trips, s, of recordings and of replays."""


@dataclass(frozen=True)
class FittedPath:
    """Values of a path that a flow takes alone."""

    levels: tuple[tuple[float, float], ...]  #: instants, s, with the rate from then on, bit/s
    base_s: float
    buffer: int  #: full packets that wait
    random_loss: float
    segment_bytes: int
    bursts: bool
    duration_s: float

    def settings(self, control: str) -> dict[str, Any]:
        """Return the settings of a scenario, above those of `BASE`, by path."""
        settings: dict[str, Any] = {
            "algorithms": {control: 1},
            "network.speed": _rate(self.levels[0][1]),
            "network.delay_multiplier": round(1e3 * self.base_s, 4),
            "network.buffer": f"{self.buffer} segments",
            "transport.segment_bytes": self.segment_bytes,
            "time.duration": f"{self.duration_s:.3f} s",
            "time.warmup": "0 s",
            "trace.flows": [1],
            "trace.routers": ["A"],
            "trace.every": f"{1e3 * EVERY_S:g} ms",
        }
        if not self.bursts:
            settings["transport.burst"] = "0 segments"
        if self.random_loss or len(self.levels) > 1:
            settings |= {"impairments.at": [PORT], "impairments.of": "data"}
        if self.random_loss:
            settings["impairments.loss"] = float(f"{self.random_loss:.4g}")
        if len(self.levels) > 1:
            settings["impairments.capacity"] = [[f"{start:.3f} s", _rate(rate)] for start, rate in self.levels]
        return settings

    def service_s(self, times: np.ndarray) -> np.ndarray:
        """Return the time that a full packet takes at the queue, at given instants, s."""
        starts, rates = np.array(self.levels).T
        found: np.ndarray = 8 * self.segment_bytes / rates[np.searchsorted(starts, times, side="right").clip(1) - 1]
        return found

    def scenario(self, control: str) -> Scenario:
        """Return the scenario of a control on the path."""
        return load_scenario(BASE).with_values(self.settings(control))


def fitted(recording: Recording, found: PathEstimate) -> FittedPath:
    """Return the path of an estimate. A buffer that never filled is `AMPLE` times as large as what it held."""
    return FittedPath(
        levels=tuple((level.start_s, level.rate.value) for level in found.levels),
        base_s=found.base_s.value,
        buffer=max(1, round(found.buffer.value * (1 if found.is_buffer_known else AMPLE))),
        random_loss=found.random_loss.value,
        segment_bytes=recording.segment_bytes,
        bursts=recording.bursts,
        duration_s=recording.duration_s,
    )


def near(path: FittedPath, found: PathEstimate, count: int) -> list[FittedPath]:
    """Return paths that fill the intervals of an estimate: points of a Halton sequence, the estimate first.

    Source: Halton 1960, in the bases 2, 3, 5 and 7.
    """
    points = np.column_stack([_halton(count, base) for base in (2, 3, 5, 7)])
    paths = [path]
    for place in points[: count - 1]:
        rate, base_s, buffer, loss = (
            each.low + part * (each.high - each.low)
            for each, part in zip((found.rate, found.base_s, found.buffer, found.random_loss), place, strict=True)
        )
        factor = rate / found.rate.value
        paths.append(
            replace(
                path,
                levels=tuple((start, factor * value) for start, value in path.levels),
                base_s=base_s,
                buffer=max(1, round(buffer)),
                random_loss=loss if path.random_loss else 0.0,
            )
        )
    return paths


def _halton(count: int, base: int) -> np.ndarray:
    numbers, found, part = np.arange(1, count + 1), np.zeros(count), 1.0
    while numbers.any():
        part /= base
        found += part * (numbers % base)
        numbers //= base
    return found


def _rate(bits: float) -> str:
    return f"{bits / 1e6:.6g} Mbit/s"


def file_text(path: FittedPath, control: str, title: str, comments: Mapping[str, str]) -> str:
    """Return the scenario as a TOML file. `comments`: how values were found, by their paths."""
    lines = [f"title = {_toml(title)}", f'base = "{BASE}"']
    for key, value in path.settings(control).items():
        lines += [f"# {comments[key]}"] if key in comments else []
        lines.append(f"{key} = {_toml(value)}")
    return "\n".join([*lines, ""])


def _toml(value: Any) -> str:
    match value:
        case str():
            return f'"{value}"'
        case bool():
            return str(value).lower()
        case dict():
            return "{ " + ", ".join(f"{_toml(key)} = {_toml(part)}" for key, part in value.items()) + " }"
        case list():
            return f"[{', '.join(map(_toml, value))}]"
    return str(value)
