"""Paths as scenarios: one flow over one queue, with the values of an estimate or of others near it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mesonet.fitting.estimates import PathEstimate
from mesonet.fitting.recording import Recording
from mesonet.scenarios import settings
from mesonet.scenarios.scenario import Scenario, load_scenario

BASE = "bottleneck"
"""The scenario that a path changes: a sender as in Linux, one queue, `network.delay_multiplier` in ms."""
PORT = "A -> B"
"""The queue of the path."""
AMPLE = 2
"""Size of a buffer that never filled over what it held (chosen): other controls may fill it."""
EVERY_S = 0.01
"""Distance of samples of round trips, s, of recordings and of replays."""
DROP_TAIL, CODEL = "drop_tail", "codel"
"""Disciplines of the queue that are tried."""
_AT_ONCE = "100 Gbit/s"
"""Rate of the routers where a service takes longer than the base round trip."""
_PLACE = {"impairments.at": [PORT], "impairments.of": "data"}
"""Where random loss and changes of the rate are."""


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
    discipline: str = DROP_TAIL

    def values(self) -> dict[str, Any]:
        """Return the values of the path in a scenario, above those of `BASE`, by path."""
        rate = self.levels[0][1]
        # Behind the queue, the second router of `BASE` serves each packet, too.
        delay_s = self.base_s - 8 * self.segment_bytes / rate
        by_time = len(self.levels) > 1 or delay_s <= 0
        values: dict[str, Any] = {
            "network.speed": _rate(rate) if delay_s > 0 else _AT_ONCE,
            "network.delay_multiplier": round(1e3 * (delay_s if delay_s > 0 else self.base_s), 4),
            "network.buffer": f"{self.buffer} segments",
            "transport.segment_bytes": self.segment_bytes,
            "time.duration": f"{self.duration_s:.3f} s",
            "time.warmup": "0 s",
        }
        if self.discipline != DROP_TAIL:
            values["aqm.discipline"] = self.discipline
        if not self.bursts:
            values["transport.burst"] = "0 segments"
        if self.random_loss or by_time:
            values |= _PLACE
        if self.random_loss:
            values["impairments.loss"] = float(f"{self.random_loss:.4g}")
        if by_time:
            values["impairments.capacity"] = [[f"{start:.3f} s", _rate(rate)] for start, rate in self.levels]
        return values

    def settings(self, control: str) -> dict[str, Any]:
        """Return the settings of a replay, above those of `BASE`, by path."""
        return {
            "algorithms": {control: 1},
            **self.values(),
            "trace.flows": [1],
            "trace.routers": ["A"],
            "trace.every": f"{1e3 * EVERY_S:g} ms",
        }

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
        buffer=max(1, round(found.buffer.value * (1 if found.lost_at_full else AMPLE))),
        random_loss=found.random_loss.value,
        segment_bytes=recording.segment_bytes,
        bursts=recording.bursts,
        duration_s=recording.duration_s,
    )


def with_codel(path: FittedPath, found: PathEstimate) -> FittedPath:
    """Return the path with a queue of CoDel that is never full: all losses are its drops."""
    return replace(path, discipline=CODEL, buffer=max(1, AMPLE * round(found.buffer.value)), random_loss=0.0)


def conditions(paths: Sequence[FittedPath]) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """Return the values that all paths share, and the values of each path where they differ, by path in a scenario."""
    each = [path.values() for path in paths]
    keys = list(dict.fromkeys(key for values in each for key in values))
    base = load_scenario(BASE)
    # A place without an impairment has no effect, so that all paths share it.
    without = {**_PLACE, "impairments.loss": 0}
    unset = {key: without.get(key, settings.show(key, base.value(key))) for key in keys}
    together = {key: [values.get(key, unset[key]) for values in each] for key in keys}
    fixed = {key: found[0] for key, found in together.items() if all(one == found[0] for one in found)}
    return fixed, {key: found for key, found in together.items() if key not in fixed}


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
                buffer=path.buffer if path.discipline == CODEL else max(1, round(buffer)),
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
