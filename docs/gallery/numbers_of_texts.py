"""Numbers in the texts of entries, each from the folder in which the commands of the entry ran.

`make.py` keeps them in `numbers.json`, and writes them into the fields of the text. No text has a result of its own.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl

import mesonet as mn
from mesonet import designs
from mesonet.units import RATE

ANSWERS = Path(__file__).parents[2] / "examples" / "answers"
Numbers = dict[str, float]


def _cells(folder: Path, response: str) -> pl.DataFrame:
    """Return mean, least and most value of a response by combination of levels and algorithm."""
    table = mn.load(folder).tidy([response])
    levels = table.columns[table.columns.index("replicate") + 1 : table.columns.index("response")]
    by = [name for name in levels if not name.endswith("_number")]
    value = pl.col("value")
    return table.group_by([*by, "algorithm"]).agg(mean=value.mean(), least=value.min(), most=value.max())


def _of(cells: pl.DataFrame, column: str = "mean", **levels: str) -> float:
    """Return the value of the only cell at some levels."""
    return float(cells.filter(**levels)[column].item())


def _deployment(folder: Path) -> Numbers:
    """Return throughputs in Mbit/s by share, what tests find, and the share up to which a user gains, in %."""
    tables = folder / "analysis" / "tables"
    chosen = {"outcome": "throughput", "scale": "ratio", "weights": "unit"}
    effects = pl.read_csv(tables / "deployment_effects.csv").filter(level="all", **chosen)
    (gain,) = pl.read_csv(tables / "deployment_equilibria.csv").filter(**chosen).rows(named=True)
    value = {(round(100 * each["share"]), each["estimand"]): each["value"] for each in effects.rows(named=True)}
    found = {"until": 100 * gain["share"], "until_low": 100 * gain["low"], "until_high": 100 * gain["high"]}
    rate = RATE.parse("1 Mbit/s")
    for share in (10, 20, 90):
        found |= {f"with_{share}": value[share, "mu_T"] / rate, f"without_{share}": value[share, "mu_C"] / rate}
        found[f"naive_{share}"] = 100 * value[share, "naive"]
    before, after = value[0, "mu_C"], value[100, "mu_T"]
    total = 100 * (after / before - 1)
    return {**found, "before": before / rate, "total": total, "lower": -total}


def probe_rtt(folder: Path) -> Numbers:
    """Return the numbers of the deployment of a longer interval."""
    return _deployment(folder / "probe-rtt")


def part_of_hosts(folder: Path) -> Numbers:
    """Return the numbers of the deployment of BBR."""
    return _deployment(folder / "part-of-hosts")


def jitter(folder: Path) -> Numbers:
    """Return goodputs with jitter that keeps or changes the order, and with both ways to detect losses."""
    cells = _cells(folder / "jitter", "goodput")
    found = {}
    for name in ("cubic", "bbr3"):
        for order, word in (("true", "kept"), ("false", "changed")):
            for detection in ("rack", "dupthresh"):
                levels = {"algorithm": name, "order": order, "detection": detection}
                found[f"{name}_{word}_{detection}"] = _of(cells, jitter="5 ms", **levels)
        found[f"{name}_1ms"] = _of(cells, algorithm=name, jitter="1 ms", order="false", detection="dupthresh")
    return found


def early_loss(folder: Path) -> Numbers:
    """Return goodputs of transfers that begin in the losses, and the longest times that they take."""
    cells = _cells(folder / "early-loss", "goodput")
    found = {}
    for name in ("cubic", "tcp", "bbr", "bbr3"):
        found[name] = _of(cells, algorithm=name, start="0 s", rtt_ms="10")
        found[f"{name}_100"] = _of(cells, algorithm=name, start="0 s", rtt_ms="100")
    found["clean"] = _of(cells, algorithm="cubic", start="2 s", rtt_ms="10")
    for rtt in ("10", "40", "100"):
        found[f"longest_{rtt}"] = 80 / _of(cells, "least", algorithm="cubic", start="0 s", rtt_ms=rtt)
    return found


def media(folder: Path) -> Numbers:
    """Return queueing delays and goodputs at the highest and the lower rates."""
    delay, goodput = (_cells(folder / "media", name) for name in ("queueing_delay", "goodput"))
    found = {}
    for name in ("cubic", "bbr", "bbr3"):
        found[f"{name}_delay"] = _of(delay, algorithm=name, media="10 Mbit/s")
        found[f"{name}_goodput"] = _of(goodput, algorithm=name, media="10 Mbit/s")
        found[f"{name}_below"] = _of(delay, algorithm=name, media="4.8 Mbit/s")
    return found


def competition(folder: Path) -> Numbers:
    """Return the mean slowdown at both levels of the conditions, by control."""
    table = pl.read_csv(folder / "competition" / "analysis" / "tables" / "main_effects.csv")
    table = table.filter(response="slowdown_mean", period="measured")
    found = {}
    for name in ("cubic", "bbr3"):
        for factor in ("control", "count", "rtt"):
            row = table.filter(algorithm=name, factor=factor).row(0, named=True)
            found |= {f"{name}_{factor}_minus": row["mean_minus"], f"{name}_{factor}_plus": row["mean_plus"]}
            found[f"{name}_{factor}_p"] = row["p"]
    return found


def methods(folder: Path) -> Numbers:
    """Return what each method finds of the three factors."""
    done = subprocess.run(
        [sys.executable, ANSWERS / "methods.py", folder / "again.svg"], check=True, capture_output=True
    )
    rows = json.loads(done.stdout)
    words = {"known": "known", "two-level": "corners", "rank": "ranks", "Morris": "morris", "Sobol'": "sobol"}
    return {
        f"{words[row.replace(',', ' ').split()[0]]}_{place}": value
        for row, values in rows.items()
        for place, value in enumerate(values, 1)
    }


def aliases(folder: Path) -> Numbers:
    """Return the numbers of clear interactions and of runs."""
    found, larger = (designs.by_runs(9, runs) for runs in (32, 64))
    interactions = [effect for effect in found.aliases if "*" in effect]
    clear = {"clear": len(found.clear_interactions), "larger": len(larger.clear_interactions)}
    return {**clear, "pairs": len(interactions)}


def incast(folder: Path) -> Numbers:
    """Return the slowdown of the slowest 5 % of 255 flows, by buffer and timer."""
    cells = _cells(folder / "incast", "slowdown_p95")
    found = {}
    for name in ("cubic", "dctcp", "bbr3"):
        for timer in ("200", "5"):
            levels = {"algorithm": name, "senders": "255", "timer": f"{timer} ms"}
            found[f"{name}_{timer}"] = _of(cells, buffer="1 MB", **levels)
    slowest = _cells(folder / "incast", "slowdown_p99")
    found["dctcp_worst"] = _of(slowest, "most", algorithm="dctcp", senders="255", timer="200 ms", buffer="1 MB")
    found["deep"] = _of(cells, algorithm="cubic", senders="255", timer="200 ms", buffer="5 MB")
    found["few"] = _of(cells, algorithm="cubic", senders="63", timer="200 ms", buffer="1 MB")
    return found


def gravity(folder: Path) -> Numbers:
    """Return the largest demand of the matrix, and the load of the fullest link."""
    with (folder / "matrix.csv").open(encoding="utf-8") as file:
        rates = [1000 * float(row["rate_mbps"]) for row in csv.DictReader(file)]
    chosen = mn.scenario("abilene", topology=str(ANSWERS / "nsfnet.graphml"))
    chosen = chosen.set("network.queue", "port").set("users.traffic", str(folder / "matrix.csv"))
    segment = 8 * float(chosen.value("transport.segment_bytes"))
    loads = [each["data"] * segment / 1_544_000 for each in chosen.describe()["loads"] if each["to"]]
    return {"demands": len(rates), "largest": max(rates), "least": min(rates), "fullest": 100 * max(loads)}


NUMBERS_OF: dict[str, Callable[[Path], Numbers]] = {
    "probe-rtt": probe_rtt,
    "part-of-hosts": part_of_hosts,
    "jitter": jitter,
    "early-loss": early_loss,
    "media": media,
    "competition": competition,
    "methods": methods,
    "aliases": aliases,
    "incast": incast,
    "gravity": gravity,
}
"""Numbers of the text of an entry, by its name."""
