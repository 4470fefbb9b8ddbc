"""The section of the page that replays traced runs, and the data that its script draws."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from mesonet import core, units
from mesonet.assets import carrier
from mesonet.maps.flowers import HEIGHT, WIDTH, FlowerMap, flower_map
from mesonet.reporting import packing
from mesonet.reporting.replay.frames import frames, link_frames, packed
from mesonet.reporting.replay.recorded import ReplayRun
from mesonet.reporting.text import html

#: Names of the states by column of the time series; a flow in recovery counts in one of these states.
STATES = {
    "connecting": "connecting",
    "initial_slow_start": "initial slow start",
    "standard": "standard congestion avoidance",
    "alternate": "own congestion avoidance",
}


@dataclass(frozen=True)
class ReplaySection:
    """The section with its data; title and text are empty without a run."""

    title: str
    html: Markup


RunName = tuple[int, str]  # condition and algorithm


def replay_section(runs: Sequence[ReplayRun], pairs: Sequence[tuple[RunName, RunName]] = ()) -> ReplaySection:
    """Return the section that replays runs.

    Empty if no run is left. `runs`: runs with traces. Runs with another map than the first run are left out, and runs
    with routers that its network lacks. `pairs`: runs to show side by side first.
    """
    if not runs:
        return ReplaySection("", Markup(""))
    topology = runs[0].scenario["topology"]
    described = core.describe(json.dumps(runs[0].scenario))
    drawn = flower_map(topology, described)
    names = [place.name for place in drawn.places]
    shown = [
        run
        for run in runs
        if _map(run.scenario["topology"]) == _map(topology)
        and set(run.traces["router"].unique()) == set(run.owners(names))
    ]
    if not shown:
        return ReplaySection("", Markup(""))
    several = len({run.discipline for run in shown}) > 1
    about = [_about(run, names, place, several) for place, run in enumerate(shown)]
    has_marks = any(run.has_marks and run.traces["segments_marked"].max() for run in shown)
    carried = {"runs": about, "start": _start(shown, pairs), "marks": has_marks, **_scene(drawn)}
    scripts = [carrier("replay-data", packing.pack(carried))]
    ends = [(names[a], names[b]) for a, b in drawn.links]
    scripts += [carrier(f"replay-{place}", _frames(run, names, ends)) for place, run in enumerate(shown)]
    title = "Replay on the map" if drawn.on_map else "Replay"
    body = html.render(
        "replay.html",
        runs=[{"title": each["title"]} for each in about],
        places=drawn.places,
        title=title,
        has_marks=has_marks,
        has_ports=any(link_frames(run, ends) is not None for run in shown),
        placed="" if drawn.on_map else f"Routers are drawn {_shape(drawn)}, without regard to places.",
    )
    return ReplaySection(title, Markup("").join([body, *scripts]))


def _frames(run: ReplayRun, names: Sequence[str], ends: Sequence[tuple[str, str]]) -> str:
    """Return the frames of the routers and, of queues at ports, behind them the frames of the links."""
    routers = frames(run, names)[1]
    links = link_frames(run, ends)
    parts = [routers.reshape(-1, routers.shape[-1]), *([] if links is None else [links])]
    return packed(np.concatenate(parts))


def _shape(drawn: FlowerMap) -> str:
    """Return the layout of routers without coordinates: in a line, where all heads have equal height, or a circle."""
    heights = {place.y for place in drawn.places if place.head}
    return "in a line" if len(heights) == 1 else "on a circle"


def _map(topology: Any) -> Any:
    """Return the parts of a topology that its map shows: names of routers and ends of links; a name stays a name."""
    if not isinstance(topology, dict):
        return topology
    ends = [(link.get("a"), link.get("b")) for link in topology.get("links", [])]
    return [router.get("name") for router in topology.get("routers", [])], ends


def _start(runs: Sequence[ReplayRun], pairs: Sequence[tuple[RunName, RunName]] = ()) -> list[int]:
    """Return the two runs to begin with.

    The first of `pairs` that was recorded. If runs differ in their queue discipline: the run with most marks, beside a
    run of the same algorithm with another discipline. Otherwise the first, and the run of its condition whose drops
    differ most.
    """
    places = {(run.condition, run.name): place for place, run in enumerate(runs)}
    for one, other in pairs:
        if one in places and other in places:
            return [places[one], places[other]]
    marks = [int(run.traces["segments_marked"].sum()) if run.has_marks else 0 for run in runs]
    most = int(np.argmax(marks))
    for place, run in enumerate(runs):
        if marks[most] and run.name == runs[most].name and run.discipline != runs[most].discipline:
            return [place, most]
    drops = [int(run.traces["segments_dropped"].sum()) for run in runs]
    others = [place for place, run in enumerate(runs) if place and run.condition == runs[0].condition]
    return [0, max(others, key=lambda place: abs(drops[place] - drops[0]), default=0)]


def _about(run: ReplayRun, names: Sequence[str], place: int, several: bool) -> dict[str, Any]:
    """Return the data of a run apart from frames: title, instants, flows, and of each router speed and buffer.

    The title has the discipline of the queues if the runs have several.
    """
    known = {row["router"]: row for row in run.routers.iter_rows(named=True)}
    times = [round(float(t), 6) for t in frames(run, names)[0]]
    size = float(run.scenario["transport"]["segment_bytes"])
    rows = [known.get(name) for name in names]
    return {
        "title": f"{run.title}, {run.discipline}" if several else run.title,
        "times": times,
        "flows": _flows(run, times),
        "frames": f"replay-{place}",
        "marked": run.has_marks,
        **{f"{what}s": [row and row[what] for row in rows] for what in ("speed", "buffer")},
        "rooms": [row and units.with_bits(f"{row['buffer']:,} segments", size) for row in rows],
        "rates": [row and units.RATE.familiar(row["speed"], size) for row in rows],
    }


def _flows(run: ReplayRun, times: Sequence[float]) -> list[list[int]]:
    """Return the numbers of flows in each of `STATES` at the last measurement up to each instant."""
    at = np.searchsorted(run.series["time_s"].to_numpy(), np.asarray(times) + 1e-9, side="right") - 1
    return [run.series[column].to_numpy()[np.maximum(at, 0)].astype(int).tolist() for column in STATES]


def _scene(drawn: FlowerMap) -> dict[str, Any]:
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "kind": "Map" if drawn.on_map else "Network",
        "links": drawn.links,
        "states": list(STATES.values()),
        "routers": [asdict(place) for place in drawn.places],
    }
