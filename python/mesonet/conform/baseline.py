"""Baselines: numbers of fixed scenarios over several seeds, in a file, with tolerances from their spread."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from mesonet import algorithms
from mesonet.conform.bench import Bench, folder
from mesonet.conform.finding import FAIL, PASS, About, Finding
from mesonet.conform.samples import Samples
from mesonet.errors import InputError
from mesonet.files import places, reading
from mesonet.scenarios.scenario import load_scenario

GROUP = "baseline"
FORMAT = 1
SCENARIOS = (
    "steady", "cycle", "shallow", "losses", "large", "four", "transfers", "steps", "marks", "jitter", "outages", "idle",
)  # fmt: skip
"""Scenarios of a baseline, in the folder ``scenarios/baseline``."""
SEEDS, CHECKED = 24, 8
"""Seeds of each scenario of a baseline, and of a comparison with it (chosen: many, to see rare values; few, for speed).
"""
ALARM = 0.01
"""Probability of a false alarm of a whole comparison with other seeds, if the numbers are normal (chosen)."""
FLOOR = 0.005
"""Part of a number up to which no difference counts (chosen), for numbers that do not vary over seeds."""
METRICS: Mapping[str, tuple[str, float]] = {
    "goodput": ("segments/s", 0.1),
    "loss_rate": ("losses per segment sent", 1e-5),
    "queue_mean": ("segments", 0.1),
    "queue_p95": ("segments", 1.0),
    "window_p10": ("segments", 0.1),
    "window_p50": ("segments", 0.1),
    "window_p90": ("segments", 0.1),
    "loss_interval": ("s", 0.05),
    "completion_p50": ("s", 1e-3),
    "completion_p95": ("s", 1e-3),
}
"""Numbers of a run: unit, and difference up to which none counts (chosen: the resolution of the samples, or below).
Windows, and the median time between loss events, are of the first flow.
"""
_WARMUP_S = 5.0
_FEWEST_EVENTS = 5


@dataclass(frozen=True)
class Reference:
    """A number of a baseline."""

    median: float
    sd: float  #: standard deviation over the seeds
    tolerance: float  #: largest difference of the median over `CHECKED` seeds that is no regression
    values: tuple[float, ...]  #: value of each seed


@dataclass(frozen=True)
class Baseline:
    """Numbers of an algorithm."""

    name: str  #: file, or name of an algorithm of mesonet, as the user gave it
    algorithm: str  #: algorithm that the numbers are of
    seeds: tuple[int, ...]  #: seeds of the runs
    numbers: Mapping[str, Mapping[str, Reference]]  #: by scenario and metric
    values: Mapping[str, str]  #: values of --set in all scenarios, by path
    version: str = ""  #: version of a whole transport stack, with the hash of its adapter


@cache
def title(name: str) -> str:
    """Return the title of a scenario of the baselines."""
    return load_scenario(f"baseline/{name}.toml", folder()).title


def about(baseline: Baseline, name: str) -> About:
    """Return the facts about the comparison of a scenario."""
    version = baseline.version
    return About(
        GROUP,
        name,
        f"Numbers as in the baseline {baseline.name}{f' of {version}' if version else ''}: {title(name)}",
        f"Tolerance: the difference between medians over {len(baseline.seeds)} and {CHECKED} seeds that chance exceeds "
        f"with a probability of {ALARM:.0%} in the whole baseline; at least {FLOOR:.1%}.",
        "docs/how-to/conform.md",
    )


def measured(
    bench: Bench,
    seeds: Sequence[int],
    progress: Callable[[], None] | None = None,
    scenarios: Sequence[str] = SCENARIOS,
) -> dict[str, dict[str, np.ndarray]]:
    """Return the numbers of the scenarios.

    An array with a number for each seed, by scenario and metric. Metrics that a run lacks are left out.
    """
    found: dict[str, dict[str, np.ndarray]] = {}
    for name in scenarios:
        rows = []
        for seed in seeds:
            # Not kept: a hundred runs would fill the memory.
            apart = replace(bench, runs={})
            rows.append(_numbers(apart.samples(name, f"baseline/{name}", seed=seed)))
            if progress:
                progress()
        common = [metric for metric in METRICS if all(metric in row for row in rows)]
        found[name] = {metric: np.array([row[metric] for row in rows]) for metric in common}
    return found


def reference(values: np.ndarray, metric: str, count: int) -> Reference:
    """Return the number of a baseline for the values of its seeds.

    Median, standard deviation and tolerance. The tolerance is t s sqrt(pi / 2 (1 / n + 1 / m)): t is the two-sided
    quantile of Student's law at `ALARM` / count with n - 1 degrees of freedom, s the standard deviation, n the number
    of seeds, m `CHECKED`; pi / 2 is the variance of a median of normal numbers over the variance of their mean. It is
    at least `FLOOR` of the median, and the resolution of the metric. Medians leave rare values out.
    """
    kept = tuple(_short(value) for value in values.tolist())
    n = len(kept)
    median, sd = float(np.median(kept)), float(np.std(kept, ddof=1))
    quantile = float(special.stdtrit(n - 1, 1 - ALARM / count / 2))
    chance = quantile * sd * math.sqrt(math.pi / 2 * (1 / n + 1 / CHECKED))
    return Reference(median, sd, max(chance, FLOOR * abs(median), METRICS[metric][1]), kept)


def write_baseline(bench: Bench, path: Path, progress: Callable[[], None] | None = None) -> Baseline:
    """Write the baseline of an algorithm."""
    places.checked(path, "--write-baseline")
    seeds = list(range(1, SEEDS + 1))
    version = (algorithms.resolve_name(bench.algorithm).plugin or "") if bench.is_stack else ""
    found = measured(bench, seeds, progress)
    count = sum(map(len, found.values()))
    numbers = {
        name: {metric: reference(values, metric, count) for metric, values in metrics.items()}
        for name, metrics in found.items()
    }
    document = {
        "format": FORMAT,
        "algorithm": bench.algorithm,
        **({"version": version} if version else {}),
        **({"set": bench.shown()} if bench.values else {}),
        "seeds": seeds,
        "numbers": {
            name: {
                metric: {
                    "unit": METRICS[metric][0],
                    "median": _short(each.median),
                    "sd": _short(each.sd),
                    "tolerance": _short(each.tolerance),
                    "values": list(each.values),
                }
                for metric, each in metrics.items()
            }
            for name, metrics in numbers.items()
        },
    }
    with places.file(path, "--write-baseline") as aside:
        aside.write_text(_text(document), encoding="utf-8")
    return Baseline(str(path), bench.algorithm, tuple(seeds), numbers, bench.shown(), version=version)


def shipped() -> dict[str, Path]:
    """Return the baselines of the package."""
    there = Path(str(files("mesonet.conform"))) / "baselines"
    return {path.stem: path for path in sorted(there.glob("*.json"))}


def read_baseline(text: str) -> Baseline:
    """Return a baseline of the package, or of a file."""
    where = shipped().get(text, Path(text))
    allowed = f"a file of --write-baseline, or {', '.join(shipped())}"
    if not where.is_file():
        raise InputError("no such baseline", None, "--baseline", text, allowed)
    try:
        document = json.loads(reading.read_text(where, reading.MOST_JSON_BYTES))
        if document["format"] != FORMAT:
            raise InputError("a baseline of another version", str(where), "format", document["format"], str(FORMAT))
        numbers = {
            name: {
                metric: Reference(
                    _finite(entry["median"]),
                    _finite(entry["sd"]),
                    _finite(entry["tolerance"]),
                    tuple(_finite(value) for value in entry["values"]),
                )
                for metric, entry in document["numbers"][name].items()
            }
            for name in SCENARIOS
        }
        for metrics in numbers.values():
            if not set(metrics) <= set(METRICS):
                raise KeyError(f"unknown metric {min(set(metrics) - set(METRICS))}")
        seeds = tuple(int(seed) for seed in document["seeds"])
        if len(seeds) < CHECKED or min(seeds) < 0:
            raise ValueError(f"not {CHECKED} seeds or more")
        if any(len(each.values) != len(seeds) for metrics in numbers.values() for each in metrics.values()):
            raise ValueError("not one value for each seed")
        values = {str(path): str(value) for path, value in document.get("set", {}).items()}
        name = algorithms.resolve_name(document["algorithm"]).name
        return Baseline(text, name, seeds, numbers, values, version=str(document.get("version", "")))
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"not a baseline: {error}", str(where), "--baseline", text, allowed) from None


def check_baseline(
    baseline: Baseline,
    bench: Bench,
    seeds: Sequence[int] | None = None,
    progress: Callable[[], None] | None = None,
    skip: Collection[str] = (),
) -> Iterator[Finding]:
    """Yield a finding for each scenario of a baseline.

    `seeds`: seeds of the runs; None: the first `CHECKED` seeds of the baseline, with which an algorithm that has not
    changed gives the same numbers.
    """
    for name, metrics in baseline.numbers.items():
        facts = about(baseline, name)
        if facts.name in skip:
            yield Finding.left_out(facts)
            continue
        began = time.perf_counter()
        found = measured(bench, baseline.seeds[:CHECKED] if seeds is None else seeds, progress, [name])[name]
        yield _compared(facts, metrics, found, seeds is None, time.perf_counter() - began)


def _compared(
    facts: About, metrics: Mapping[str, Reference], found: Mapping[str, np.ndarray], same: bool, took: float
) -> Finding:
    beyond, values, equal = [], {}, True
    for metric, each in metrics.items():
        median = float(np.median(found[metric])) if metric in found else float("nan")
        # Equal seeds meet equal conditions: what they have in common cancels out.
        expected = float(np.median(each.values[:CHECKED])) if same else each.median
        values[metric] = median
        # The file has seven digits.
        equal &= same and metric in found and np.allclose(found[metric], each.values[:CHECKED], rtol=1e-6, atol=0)
        if not abs(median - expected) <= each.tolerance:  # also if it is NaN
            unit = METRICS[metric][0]
            beyond.append(f"{metric} {median:.5g} {unit}, not {expected:.5g} within {each.tolerance:.2g}")
    if beyond:
        return Finding(facts, FAIL, "; ".join(beyond), values, took)
    words = "equal" if equal else "within the tolerances"
    return Finding(facts, PASS, f"{len(metrics)} numbers {words}", values, took)


def _numbers(samples: Samples) -> dict[str, float]:
    flow, queue = samples.flow(), samples.queue
    end, start = samples.duration, _WARMUP_S
    sent, lost, delivered = 0.0, 0.0, 0.0
    for number in samples.numbers:
        each = samples.flow(number)
        for name, column in (("sent", "segments_sent"), ("lost", "losses"), ("delivered", "segments_delivered")):
            grown = float(np.diff(np.interp([start, end], each["time_s"], each[column].astype(float)))[0])
            sent += grown * (name == "sent")
            lost += grown * (name == "lost")
            delivered += grown * (name == "delivered")
    waiting = queue["queue"][queue["time_s"] >= start]
    window = flow["cwnd"][flow["time_s"] >= start]
    found = {
        "goodput": delivered / (end - start),
        "loss_rate": lost / sent if sent else float("nan"),
        "queue_mean": float(np.mean(waiting)),
        "queue_p95": float(np.percentile(waiting, 95)),
    }
    if not np.isnan(window).all():  # a stack may not show it
        found |= {f"window_p{part}": float(np.percentile(window, part)) for part in (10, 50, 90)}
    events = flow["time_s"][1:][(np.diff(flow["loss_events"].astype(int)) > 0) & (flow["time_s"][1:] >= start)]
    if len(events) >= _FEWEST_EVENTS:
        found["loss_interval"] = float(np.median(np.diff(events)))
    table = samples.flows_table
    done = (table["completed"] == 1) & (table["category"] == "arrival")
    if done.any():
        took = (table["last_acked_s"] - table["started_s"])[done]
        found |= {f"completion_p{part}": float(np.percentile(took, part)) for part in (50, 95)}
    return found


def _short(value: float) -> float:
    """Return a number with seven digits: enough to see any change, in files that people read."""
    return float(f"{value:.7g}")


def _text(document: Mapping[str, Any]) -> str:
    """Return JSON with a line for each list, so that two files can be compared line by line."""
    text = json.dumps(document, indent=1)
    return re.sub(r"\[[^\[\]]*\]", lambda found: "[" + " ".join(found[0][1:-1].split()) + "]", text) + "\n"


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value} is not a finite number")
    return number
