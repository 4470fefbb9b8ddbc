"""Runs a scenario in mesonet and on the kernel of this machine, and compares both."""

from __future__ import annotations

import math
import platform
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from mesonet.errors import Broken, InputError
from mesonet.kernel import machine
from mesonet.kernel.observations import Observation, lateness, of_kernel, of_mesonet
from mesonet.kernel.packets import SAMPLE_S, Trace
from mesonet.kernel.setups import NONE, Setup, constant
from mesonet.kernel.translation import Translated, translated
from mesonet.scenarios.scenario import Scenario
from mesonet.scenarios.scenario import scenario as named
from mesonet.simulation.simulate import LARGEST_SEED, simulate
from mesonet.simulation.summary import WHOLE
from mesonet.units import SEGMENT_BYTES, integer

MOST_REPEATS = 100
RUN = "whole run"
"""Period of numbers that count from the start of the run."""
MOST_TRIES = 4
LATE_MEAN_MS, LATEST_MS = 0.3, 20.0
"""A run counts if its packets are late by no more than this in the mean, and at most."""
RATE_ERROR, RTT_ERROR_MS = 0.01, 0.3
"""Largest errors of the emulated path, by its check."""
_CHECK_S, _CHECK_ROUNDS = 1.0, 15
"""Time in which the check measures the rate, after so many round trips."""


Name = TypeVar("Name")


class Row(NamedTuple):
    """Mean, smallest and largest value of a quantity over the runs of a scenario, and the number of runs."""

    mean: float
    least: float
    most: float
    runs: int


class Quantity(NamedTuple):
    """Names of a number of a run. `of`: the flow and its algorithm, or the queue."""

    of: str
    name: str
    unit: str
    period: str


@dataclass(frozen=True)
class PathCheck:
    """Emulated path as a flow of Reno met it without any change."""

    rate_mbps: float  #: `rate_mbps`, `rtt_ms`: as set
    rtt_ms: float
    measured_mbps: float  #: `measured_mbps`, `measured_rtt_ms`: rate of a full queue, and smallest round trip
    measured_rtt_ms: float

    @property
    def is_exact(self) -> bool:
        """True if the errors are below `RATE_ERROR` and `RTT_ERROR_MS`."""
        rate_error = abs(self.measured_mbps / self.rate_mbps - 1)
        return rate_error <= RATE_ERROR and abs(self.measured_rtt_ms - self.rtt_ms) <= RTT_ERROR_MS


@dataclass(frozen=True)
class Replay:
    """A scenario in mesonet and on a kernel.

    Attributes
    ----------
    scenario
        Name of the scenario.
    kernel
        Release of the kernel.
    mesonet, measured
        By quantity, the values of mesonet and of the kernel over the runs.
    check
        Rate and round trip of the emulated path.
    late
        How late packets were written, for each run of the kernel that counts, and ``rejected`` runs before it.
    notes
        Sentences on what differs between both.
    """

    scenario: str
    kernel: str
    mesonet: Mapping[Quantity, Row]
    measured: Mapping[Quantity, Row]
    check: PathCheck
    late: tuple[Mapping[str, float], ...]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data.

        Returns
        -------
        One entry of ``rows`` for each quantity, with ``mesonet`` and ``kernel``; both have ``mean``, ``least``,
        ``most`` and ``runs``, or are None without a value.
        """
        sides = {"mesonet": self.mesonet, "kernel": self.measured}
        rows = [
            {**each._asdict(), **{name: side[each]._asdict() if each in side else None for name, side in sides.items()}}
            for each in self.quantities()
        ]
        about = {"scenario": self.scenario, "kernel": self.kernel, "rows": rows, "notes": list(self.notes)}
        return {**about, "check": asdict(self.check), "late": [dict(each) for each in self.late]}

    def quantities(self) -> list[Quantity]:
        """Return the names of all numbers.

        Returns
        -------
        Names in the order of flows, then those of the queue.
        """
        return list(dict.fromkeys([*self.mesonet, *self.measured]))


def replay(
    scenario: Scenario | str | Path,
    seed: int = 1,
    repeat: int = 3,
    progress: Callable[[float, float], None] | None = None,
) -> Replay:
    """Run a scenario in mesonet, and on the kernel of this machine over an emulated bottleneck.

    Parameters
    ----------
    scenario
        A scenario with one bottleneck, the name of a built-in scenario, or the path of a TOML file.
    seed
        Seed of the first run, at least 0; each further run has the next one. It names the random streams of mesonet,
        and the random losses of the emulated path.
    repeat
        Runs of each side, 1 to 100.
    progress
        Called with the runs that are done and with all of them.

    Returns
    -------
    Values of both sides for each flow and the queue, and how exact the emulated path was.

    Raises
    ------
    InputError
        If the machine cannot replay, or the kernel has no counterpart of a value of the scenario.
    Broken
        If the machine is too slow: packets were late in all tries of a run.
    """
    chosen = named(scenario) if isinstance(scenario, str | Path) else scenario
    seed = integer(seed, "seed", 0, LARGEST_SEED - MOST_REPEATS)
    repeat = integer(repeat, "repeat", 1, MOST_REPEATS)
    found = translated(chosen)
    machine.refuse_machine()
    _refuse_algorithms(chosen, found.setup)
    done, seeds = 0, range(seed, seed + repeat)

    def advance() -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, 2 * repeat + 1)

    def of_one(read: Callable[[int], Observation]) -> Iterable[dict[Quantity, float]]:
        for number in seeds:
            yield quantities(read(number), chosen, found.setup)
            advance()

    late: list[dict[str, float]] = []

    def on_kernel(number: int) -> Observation:
        trace, times = on_time(found.setup, number, program)
        late.append(times)
        return of_kernel(trace, found.setup)

    with tempfile.TemporaryDirectory() as folder:
        program = machine.build(Path(folder))
        check = path_check(found.setup, program)
        advance()
        ours = merged(of_one(lambda number: in_mesonet(chosen, found, number)))
        theirs = merged(of_one(on_kernel))
    return Replay(
        scenario=chosen.name,
        kernel=platform.release(),
        mesonet=ours,
        measured=theirs,
        check=check,
        late=tuple(late),
        notes=tuple(found.notes),
    )


def _refuse_algorithms(chosen: Scenario, setup: Setup) -> None:
    known = machine.algorithms()
    for number, name in enumerate(setup.algorithms):
        if name not in known:
            problem = f"this kernel lacks the congestion control of flow {number + 1}; modprobe tcp_{name} may load it"
            raise chosen.located(InputError(problem, path="algorithms", value=name, allowed=", ".join(known)))


def in_mesonet(chosen: Scenario, found: Translated, seed: int) -> Observation:
    """Return the observation of a run of mesonet."""
    traced = {
        "trace.flows": [number + 1 for number in range(len(found.setup.algorithms))],
        "trace.routers": [found.queue.partition(" ")[0]],
        "trace.every": f"{SAMPLE_S} s",
        "measurement.flow_records": 1,
    }
    return of_mesonet(simulate(chosen.with_values(traced), seed), found.queue, lossy=found.lossy)


def on_time(setup: Setup, seed: int, program: Path) -> tuple[Trace, dict[str, float]]:
    """Return a run of the kernel whose packets were on time, and how late they were; repeat runs that were not."""
    for rejected in range(MOST_TRIES):
        trace = machine.run(setup, seed, program)
        late = lateness(trace, setup)
        if late["mean_ms"] <= LATE_MEAN_MS and late["largest_ms"] <= LATEST_MS:
            return trace, {**late, "rejected": rejected}
    raise Broken(
        f"this machine is too slow or too busy for the replay: in {MOST_TRIES} tries packets were late, in the last "
        f"by {late['mean_ms']:.2g} ms in the mean and {late['largest_ms']:.2g} ms at most. Allowed: {LATE_MEAN_MS:g} "
        f"ms and {LATEST_MS:g} ms"
    )


def path_check(setup: Setup, program: Path) -> PathCheck:
    """Return rate and round trip of the path as a flow of Reno meets them, at the highest rate."""
    path = setup.bottleneck
    rate, forth_s, back_s = max(rate for _, rate in path.rate), path.forth_s[0][1], path.back_s[0][1]
    rtt_s = forth_s + back_s + 1 / rate
    constants = replace(
        path,
        rate=constant(rate),
        places=constant(10 + math.ceil(rtt_s * rate)),
        forth_s=constant(forth_s),
        loss=NONE,
        outage=NONE,
    )
    alone = Setup(("reno",), (0.0,), _CHECK_S + _CHECK_ROUNDS * rtt_s, constants, gso_segments=1)
    for _ in range(MOST_TRIES):
        samples = on_time(alone, 1, program)[0].samples
        last = samples[samples["time_s"] >= alone.duration_s - _CHECK_S]
        gain = int(last["delivered"][-1] - last["delivered"][0])
        per_second = gain / float(last["time_s"][-1] - last["time_s"][0])
        in_mbps = SEGMENT_BYTES * 8e-6
        check = PathCheck(rate * in_mbps, rtt_s * 1e3, per_second * in_mbps, float(last["min_rtt_s"][-1]) * 1e3)
        if check.is_exact:
            return check
    raise Broken(
        f"the emulated path is not exact on this machine: {check.measured_mbps:.4g} of {check.rate_mbps:.4g} Mbit/s, "
        f"{check.measured_rtt_ms:.4g} of {check.rtt_ms:.4g} ms. Allowed: {100 * RATE_ERROR:g} % and {RTT_ERROR_MS:g} ms"
    )


def quantities(run: Observation, chosen: Scenario, setup: Setup) -> dict[Quantity, float]:
    """Return the numbers of a run: in the measured time and its periods, and counts of the whole run."""
    spans = periods(chosen)
    found: dict[Quantity, float] = {}
    for number, (flow, algorithm) in enumerate(zip(run.flows, setup.algorithms, strict=True), 1):
        name = f"flow {number}, {algorithm}"
        for period, span in spans.items():
            gain = flow.gain(flow.delivered, span) / (span[1] - span[0])
            found[Quantity(name, "goodput", "Mbit/s", period)] = gain * SEGMENT_BYTES * 8e-6
            rtt_s = np.where(flow.srtt_s > 0, flow.srtt_s, np.nan)  # before the first one, 0 in the kernel
            found[Quantity(name, "mean smoothed RTT", "ms", period)] = 1e3 * _mean(flow.time_s, rtt_s, span)
        found[Quantity(name, "retransmissions", "segments", RUN)] = flow.retransmissions
        found[Quantity(name, "timeouts", "1", RUN)] = float(flow.timeouts[-1])
    for period, span in spans.items():
        found[Quantity("queue", "mean length", "segments", period)] = _mean(run.time_s, run.queue, span)
    found[Quantity("queue", "lost segments", "segments", RUN)] = float(run.dropped[-1])
    return found


def _mean(time_s: np.ndarray, values: np.ndarray, span: tuple[float, float]) -> float:
    """Return the mean of the values in a span; NaN without any. `span`: beginning and end, excluded, s."""
    known = values[(time_s >= span[0]) & (time_s < span[1]) & ~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def periods(chosen: Scenario) -> dict[str, tuple[float, float]]:
    """Return the measured time of a scenario and its periods. Beginning and end by name, s."""
    warmup, end, number = (chosen.value(f"time.{name}") for name in ("warmup", "duration", "periods"))
    length = (end - warmup) / number
    parts = {str(n + 1): (warmup + n * length, warmup + (n + 1) * length) for n in range(int(number))}
    return {WHOLE: (warmup, end), **(parts if number > 1 else {})}


def merged(runs: Iterable[Mapping[Name, float]]) -> dict[Name, Row]:
    """Return each quantity over some runs; runs without a value do not count.

    `runs`: quantities of each run, by name; NaN without a value.
    """
    values: dict[Name, list[float]] = {}
    for run in runs:
        for quantity, value in run.items():
            values.setdefault(quantity, [])
            if not math.isnan(value):
                values[quantity].append(value)
    return {name: Row(sum(v) / len(v), min(v), max(v), len(v)) for name, v in values.items() if v}
