"""Runs made shorter or longer with all their events, which keep their share of the time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet import units
from mesonet.scenarios import settings
from mesonet.scenarios.scenario import Scenario

_TIMES = {
    "flows": ("start", "start_within", "stop"),
    "arrivals": ("start", "stop"),
    "deployment": ("time",),
    "network.changes": ("time",),
}
"""Keys of the entries of lists whose times change with the duration."""
_WARMUP = "time.warmup"


def lasting(scenario: Scenario, duration: Any, source: str) -> tuple[Scenario, float]:
    """Return the scenario with another duration, and the ratio of the durations; times that were set change with it.

    `duration`: the new duration, such as ``5 min``.
    """
    before = float(scenario.value("time.duration"))
    longer = scenario.set("time.duration", duration, source)
    factor = float(longer.value("time.duration")) / before
    paths = [path for path in (*_TIMES, _WARMUP) if path in scenario.settings]
    values = {path: stretched(path, scenario.settings[path].given, factor) for path in paths}
    return longer.with_values(values, source), factor


def stretched(path: str, value: Any, factor: float) -> Any:
    """Return a user's value at a full path for a run that is longer by a factor; a value that is no such time stays."""
    inside = settings.entry(path)
    if path == _WARMUP or (inside and inside.key in _TIMES.get(inside.whole, ())):
        return value if value == "never" else f"{units.TIME.parse(value) * factor!r} s"
    if path not in _TIMES or isinstance(value, str):
        return value
    return [_entry(path, entry, factor) for entry in value]


def _entry(path: str, entry: Mapping[str, Any], factor: float) -> dict[str, Any]:
    times = {key: entry[key] for key in _TIMES[path] if entry.get(key) is not None}
    return {**entry, **{key: stretched(f"{path}[0].{key}", value, factor) for key, value in times.items()}}


def longer(canonical: Mapping[str, Any], factor: float) -> dict[str, Any]:
    """Return a canonical scenario that lasts longer by a factor, with all its events and the warm-up."""
    time, network = canonical["time"], canonical["network"]
    times = {key: time[key] * factor for key in ("duration", "warmup")}
    lists = {path: _longer(canonical.get(path), _TIMES[path], factor) for path in _TIMES if "." not in path}
    changes = _longer(network.get("changes"), _TIMES["network.changes"], factor)
    return {
        **canonical,
        **{path: entries for path, entries in lists.items() if entries},
        "time": {**time, **times},
        "network": {**network, **({"changes": changes} if changes else {})},
    }


def _longer(entries: Any, keys: tuple[str, ...], factor: float) -> list[dict[str, Any]]:
    """Return entries of a canonical list whose times are multiplied by a factor."""
    return [
        {**entry, **{key: entry[key] * factor for key in keys if isinstance(entry.get(key), int | float)}}
        for entry in entries or ()
    ]
