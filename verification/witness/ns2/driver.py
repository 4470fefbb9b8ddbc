"""Runs the set-ups of Part G in ns-2 and measures what the claims measure: see README.md in this folder.

    python -m verification.witness.ns2.driver FOLDER [--jobs N] [--only EXPERIMENT ...]

FOLDER keeps the output of every run; what is there is not run again. Writes ``many-flows.csv``,
``many-flows-chance.csv`` and ``values.json`` beside this file.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

from mesonet.campaign import Campaign
from mesonet.reporting.campaign_view.traced import TracedRun
from verification.measures import many_flows
from verification.measures.many_flows import ALGORITHM, Line
from verification.scorecard.campaigns import Campaigns, ListedCampaign, load_entries
from verification.scorecard.claims import load_claims
from verification.scorecard.comparison import KEYS, by_row, spread
from verification.scorecard.measurements import measure
from verification.scorecard.reasons import NotRun

HERE = Path(__file__).parent
FOLDER = HERE.parents[1]
TOOL = "ns-2"
COMMAND = "python -m verification.witness.ns2.driver FOLDER"

TIMERS = {
    "tcpTick_": "0.1",  # changed to .01 on 2002-03-08
    "minrto_": "0",  # added in May 2001 with 1 s
    "windowInit_": "1",  # changed to 2 on 2001-05-26
    "rtxcur_init_": "6",  # changed to 3 s on 2006-01-21
    "rfc2988_": "false",  # added on 2002-03-08
    "singledup_": "0",  # changed to 1 on 2001-11-28
    "syn_": "false",  # changed on 2001-05-17
    "updated_rttvar_": "false",  # added on 2006-01-21; nothing reads it
    "precisionReduce_": "false",  # changed to true on 2006-01-24
    "bugFix_": "true",
}
"""Defaults of ns before 2001, by the comments of tcl/lib/ns-default.tcl and by CHANGES.html of ns-2.35."""
SENDER = {"packetSize_": "460", "window_": "100000"}
"""500 bytes with the header of 40; an advertised window that limits nothing."""

SEEDS = {
    "large-pipe": 1, "many-flows-few": 1, "many-flows-topology-5": 1, "many-flows": 3, "many-flows-isdn": 3,
    "many-flows-overhead": 3, "many-flows-two-rtt": 3, "service-time": 3,
}  # fmt: skip
"""Experiments that are run, and with how many seeds: three where senders have random overheads, as ours, and where the
table says how much chance does. A seed chooses the phases of the senders' clocks, too. Claims about experiments without
random overheads read the first seed, as with ours."""
DEFAULT_SEED = 12345
"""The seed of ns-2 where none is set; replicates count on from it."""
SAMPLES = 5000
LINES = {"T1": "many-flows", "ISDN": "many-flows-isdn"}
"""The lines of many-flows.csv."""


@dataclass(frozen=True, eq=False)
class Runs(Campaigns):
    """Runs of ns-2 in place of campaigns: measures read them as they read ours."""

    def load(self, name: str) -> Campaign:
        """Return an experiment with its runs in ns-2, as far as measures need a campaign."""
        if name not in SEEDS:
            raise NotRun(f"{name} is not run in {TOOL}")
        return cast(Campaign, _experiment(self.entries[name], self.folder))

    def value(self, name: str, algorithm: str, condition: int, response: str, period: str = "measured") -> float:
        """Return a response of one run."""
        line = many_flows.lines(self.load(name))[condition - 1]
        drops, _, departures, packet_seconds = self._output(name, condition).queue
        return {
            "loss_rate": drops / (drops + departures),
            "segment_rate": departures / (line.span[1] - line.span[0]),
            # The wait of Little's law, the service and the path.
            "rtt": 1e3 * (packet_seconds / departures + 1 / line.speed + line.round_trip),
        }[response]

    def run(self, name: str, algorithm: str, condition: int = 1) -> TracedRun:
        """Return the sampled windows of one run; round trips are those of the queue at the time."""
        line = many_flows.lines(self.load(name))[condition - 1]
        samples = self._output(name, condition).samples
        trip = 1e3 * (line.round_trip + (samples[:, 0] + 1) / line.speed)
        windows = samples[:, 1:]
        return TracedRun(
            condition=condition,
            algorithm=algorithm,
            replicate=self.replicate,
            scenario={},
            flows=(),
            time=_times(line),
            cwnd=windows,
            rtt=np.broadcast_to(trip[:, None], windows.shape),
            delivered=np.empty_like(windows),
        )

    def _output(self, name: str, condition: int) -> Output:
        return _output(self.folder / name / f"{condition}-{self.seed_of(name)}.txt")


@dataclass(frozen=True, eq=False)
class Experiment:
    """What measures read of a campaign, from runs of ns-2."""

    experiment: Mapping[str, Any]
    runs: pl.DataFrame
    folder: Path

    def kept(self, table: str, condition: int, algorithm: str, replicate: int = 1) -> pl.DataFrame:
        """Return the table ``flows`` or ``router_traces`` of one run."""
        found = _output(self.folder / f"{condition}-{replicate}.txt")
        if table == "router_traces":
            line = many_flows.lines(cast(Campaign, self))[condition - 1]
            return pl.DataFrame({"time_s": _times(line), "queue": found.samples[:, 0]})
        sent, delivered, timeouts, reductions, losses = found.flows.T
        return pl.DataFrame({
            "source": np.arange(len(sent)), "segments_sent": sent, "segments_delivered": delivered,
            "timeouts": timeouts, "loss_events": reductions - timeouts, "losses": losses,
        })  # fmt: skip


@dataclass(frozen=True, eq=False)
class Output:
    """What a run printed: see many-flows.tcl."""

    queue: tuple[float, float, float, float]
    flows: np.ndarray[Any, np.dtype[np.float64]]  #: shape (connections, 5)
    samples: np.ndarray[Any, np.dtype[np.float64]]  #: shape (samples, 1 + traced connections)


def main() -> None:
    """Run what is missing, then write the table and the values."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=list(SEEDS), default=list(SEEDS), help="run these; write nothing")
    given = parser.parse_args()
    runs = Runs(load_entries(FOLDER / "campaigns.toml"), given.folder)
    with ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(lambda task: _run(*task), [task for name in given.only for task in _tasks(runs, name)]))
    if len(given.only) < len(SEEDS):
        return
    _write_tables(runs)
    values = []
    for claim in load_claims(FOLDER / "claims"):
        for number in claim.numbers if claim.witness == HERE.name else ():
            if not all(name in SEEDS for name in number.campaigns):
                continue
            named = {"claim": claim.id, "number": number.name, "measure": number.measure, "of": number.of}
            measured = asdict(measure(number, runs)).items()
            values.append(named | {key: float(f"{of:.6g}") if isinstance(of, float) else of for key, of in measured})
    head = {"tool": TOOL, "version": _version(), "command": COMMAND}
    body = ",\n".join("  " + json.dumps(value) for value in values)
    text = json.dumps(head)[:-1] + ', "values": [\n' + body + "\n]}\n"
    (HERE / "values.json").write_text(text, encoding="utf-8")


def _write_tables(runs: Runs) -> None:
    """The table of the first seed, and by how much its numbers differ between seeds."""
    seeds = range(1, max(SEEDS[name] for name in LINES.values()) + 1)
    tables = [
        [row for line, name in LINES.items() for row in many_flows.table(runs.of(seed), name, line)] for seed in seeds
    ]
    ranges = spread([by_row(rows) for rows in tables])
    _write(HERE / "many-flows.csv", tables[0])
    _write(HERE / "many-flows-chance.csv", [dict(zip(KEYS, key, strict=True)) | row for key, row in ranges.items()])


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _tasks(runs: Runs, name: str) -> Iterator[tuple[Path, list[str]]]:
    """The file and the arguments of each run of an experiment."""
    campaign = runs.load(name)
    scenarios = [entry["scenario"] for entry in campaign.experiment["scenarios"] if entry["algorithm"] == ALGORITHM]
    for line, scenario in zip(many_flows.lines(campaign), scenarios, strict=True):
        for replicate in range(1, SEEDS[name] + 1):
            path = runs.folder / name / f"{line.condition}-{replicate}.txt"
            yield path, _arguments(line, scenario, replicate)


def _arguments(line: Line, scenario: Mapping[str, Any], replicate: int) -> list[str]:
    bits = 8 * scenario["transport"]["segment_bytes"]
    kinds = [(flow["interface"] * bits, flow["extra_delay"], flow["overhead"]) for flow in scenario["flows"]]
    groups = [f"{len(list(members))}:{':'.join(f'{value:g}' for value in kind)}" for kind, members in groupby(kinds)]
    given = {
        "speed": f"{line.speed * bits:g}",
        "delay": f"{line.round_trip / 2:g}",
        "limit": f"{line.buffer:g}",
        "warmup": f"{line.span[0]:g}",
        "end": f"{line.span[1]:g}",
        "samples": SAMPLES,
        "groups": ",".join(groups),
        "traced": len(scenario["trace"]["flows"]),
        "seed": DEFAULT_SEED + replicate - 1,
    }
    return [f"{key}={value}" for key, value in (given | TIMERS | SENDER).items()]


def _run(path: Path, arguments: list[str]) -> None:
    """One run, unless its output with these arguments is there."""
    head = "arguments " + " ".join(arguments)
    if path.exists():
        with path.open(encoding="utf-8") as file:
            if file.readline().rstrip("\n") == head:
                return
    done = subprocess.run(["ns", str(HERE / "many-flows.tcl"), *arguments], capture_output=True, text=True, check=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(f"{head}\n{done.stdout}", encoding="utf-8")
    part.rename(path)


@cache
def _experiment(entry: ListedCampaign, folder: Path) -> Experiment:
    document = entry.designed().document()
    scenarios = [each for each in document["scenarios"] if each["algorithm"] == ALGORITHM]
    for each in scenarios:  # the least timeout of ns-2: two ticks
        each["scenario"]["transport"]["min_rto"] = 2 * float(TIMERS["tcpTick_"])
    replicates = pl.DataFrame({"replicate": range(1, SEEDS[entry.name] + 1)})
    return Experiment(document | {"scenarios": scenarios}, replicates, folder / entry.name)


@cache
def _output(path: Path) -> Output:
    rows: dict[str, list[list[float]]] = {"queue": [], "flow": [], "sample": []}
    with path.open(encoding="utf-8") as file:
        next(file)
        for text in file:
            kind, *numbers = text.split()
            rows[kind].append([float(number) for number in numbers])
    drops, arrivals, departures, packet_seconds = rows["queue"][0]
    return Output(
        (drops, arrivals, departures, packet_seconds), np.array(rows["flow"]), np.array(rows["sample"][:SAMPLES])
    )


def _times(line: Line) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The instants of the samples; the first is just after the warm-up."""
    return np.asarray(line.span[0] + 1e-9 + np.arange(SAMPLES) * ((line.span[1] - line.span[0]) / SAMPLES))


def _version() -> str:
    """The version of the package of ns-2."""
    asked = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "ns2"], capture_output=True, text=True, check=True)
    return asked.stdout.strip()


if __name__ == "__main__":
    main()
