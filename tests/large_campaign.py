"""Synthetic campaigns of the size of the study: its sensitivity analysis, and a mixed experiment, with flow groups.

Values follow a few factors and noise, so that clusters, components and outliers are there to be found. Files of flow
groups are written, as a campaign keeps them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from mesonet.campaign import Campaign
from mesonet.designs import named
from mesonet.designs.factor import Factor
from mesonet.responses import tables
from mesonet.responses.definitions import RESPONSES

CATEGORIES = ("movie", "service pack", "document", "web object")
PATHS, RATES = ("very fast", "fast", "typical"), ("fast", "normal")
GROUPS = [(c, p, r) for c in CATEGORIES for p in PATHS for r in RATES]
PERIODS = ("1", "2", "3", "measured")


def large_campaign(
    path: Path,
    *,
    design: str = "nist-2012",
    algorithms: tuple[str, ...] = ("ctcp",),
    response_set: str = "sensitivity",
    series: bool = False,
) -> Campaign:
    """The campaign; `series`: the first runs keep a time series with the windows of two flows."""
    plan = named(design)
    factors = tuple(Factor(name, f"Factor {name}", f"users.{name.lower()}", "low", "high") for name in plan.factors)
    rng = np.random.default_rng(1)
    signs = plan.matrix.astype(float)
    drive = np.column_stack(
        [0.6 * signs[:, 0] - 0.4 * signs[:, 4], signs[:, 1] + 0.3 * signs[:, 0] * signs[:, 1], signs[:, 2], signs[:, 3]]
    )
    about = [response for response in RESPONSES if not response.total]
    weight = rng.normal(size=(4, len(about))) * (rng.random((4, len(about))) < 0.4)
    runs, frames = [], []
    for number, row in enumerate(signs, start=1):
        for place, algorithm in enumerate(algorithms):
            key = f"{number:03d}{algorithm}"
            runs.append((number, algorithm, 1, 1, key, "done", None, 1.0, 10, 10))
            for period in PERIODS:
                level = drive[number - 1] @ weight + 0.2 * rng.normal(size=len(about)) + 0.3 * (place == 1) * row[0]
                values = np.exp(0.3 * level)
                values[[r.name == "loss_rate" for r in about]] *= 0.02 * max(0.0, row[0] + 0.2 * row[2])
                frames.append(
                    pl.DataFrame(
                        {
                            "condition": number, "algorithm": algorithm, "replicate": 1,
                            "response": [r.name for r in about], "symbol": [r.symbol for r in about],
                            "period": period, "unit": [r.unit for r in about], "value": values,
                        }
                    )
                )  # fmt: skip
            folder = path / "runs" / key
            folder.mkdir(parents=True)
            _groups(algorithm, row, place, rng).write_parquet(folder / "groups.parquet")
            if series and number <= 2:
                _series(row, rng).write_parquet(folder / "series.parquet")
    columns = ("condition", "algorithm", "replicate", "seed", "key", "status", "message", "cpu_s",
               "data_segments_delivered", "peak_rss_bytes")  # fmt: skip
    users = {"fast_interface": 80_000, "normal_interface": 8_000, "jumbo_period": 2, "jumbo_factor": 10,
             "long_lived_flows": 3}  # fmt: skip
    scenario = {"time": {"warmup": 600, "duration": 1500, "periods": 3}, "users": users, "flows": []}
    return Campaign(
        path=path, name="large", title="A synthetic campaign", factors=factors, design=plan, algorithms=algorithms,
        runs=pl.DataFrame(runs, schema=columns, orient="row"), responses=pl.concat(frames),
        experiment={
            "name": "large", "algorithms": list(algorithms), "response_set": response_set, "mixed_with": "tcp",
            "scenarios": [
                {"condition": c, "algorithm": a, "scenario": scenario}
                for c in range(1, len(signs) + 1) for a in algorithms
            ],
        },
        provenance={},
    )  # fmt: skip


def _groups(algorithm: str, row: np.ndarray, place: int, rng: np.random.Generator) -> pl.DataFrame:
    rows = []
    for number, (category, path, rate) in enumerate(GROUPS, start=1):
        for flows in (algorithm, "tcp"):
            base = 4_000 * np.exp(0.3 * row[0] - 0.2 * row[1]) * (3 if rate == "fast" else 1)
            gain = 1.1 if flows == algorithm and row[0] > 0 else 1.0
            goodput = base * gain * (1 + 0.05 * place) * rng.lognormal(0, 0.05)
            rows.append({"period": "measured", "group": float(number), "category": category, "path_class": path,
                         "rate_class": rate, "algorithm": flows, "flows": 1000.0, "goodput": goodput,
                         "flow_seconds": 2e4, "throughput": goodput})  # fmt: skip
    frame = pl.DataFrame(rows)
    return frame.with_columns(pl.lit(1.0).alias(name) for name in tables.GROUPS.columns if name not in frame.columns)


def _series(row: np.ndarray, rng: np.random.Generator) -> pl.DataFrame:
    time = np.arange(0, 300, 0.2)
    states = {name: 100 + 20 * np.sin(time / 20 + i) for i, name in enumerate(
        ("connecting", "initial_slow_start", "standard", "alternate"))}  # fmt: skip
    second = np.where(time > 100, 200 + rng.normal(0, 5, len(time)), np.nan)
    return pl.DataFrame({"time_s": time, **states, "flow_1_cwnd": 300 + 50 * (time % 10) / 10, "flow_2_cwnd": second})
