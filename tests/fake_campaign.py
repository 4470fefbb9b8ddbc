"""A synthetic campaign, made without a simulator, for tests of what is made from one.

32 conditions of a 2^(9-4) design, five algorithms, 22 responses, three periods, their whole and the totals of the run.
Speed and the number of sources drive congestion; `fast` loses far more when congested; in calm conditions all
algorithms are identical. One run failed, one is missing, a response that needs losses is NaN where nothing is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from mesonet.campaign import Campaign
from mesonet.designs import two_level
from mesonet.designs.factor import Factor
from mesonet.responses.definitions import RESPONSES as KNOWN

FACTORS = (
    Factor("X1", "Network speed", "network.speed", "800 seg/ms", "1600 seg/ms"),
    Factor("X2", "Propagation delay", "network.delay_multiplier", "1", "2"),
    Factor("X3", "Buffer provisioning", "network.buffer", "1 bdp/sqrt(n)", "1 bdp"),
    Factor("X7", "Think time", "users.think_time", "2 s", "5 s"),
    Factor("X5", "Web object size", "users.web_object_size", "75 segments", "150 segments"),
    Factor(
        "X6", "Larger files", "users.documents", "0.02 documents, 0.002 packs, 0.0002 movies",
        "0.04 documents, 0.004 packs, 0.0004 movies",
    ),
    Factor("X11", "Fast interfaces", "users.fast_interface_probability", "0.2", "0.8"),
    Factor("X17", "Slow-start threshold", "transport.initial_ssthresh", "43 segments", "over 10^9 segments"),
    Factor("X12", "Number of sources", "users.source_multiplier", "2", "3"),
)  # fmt: skip
GENERATORS = ("X6=X2*X3*X7*X5", "X11=X1*X3*X7*X5", "X17=X1*X2*X7*X5", "X12=X1*X2*X3*X5")
ALGORITHMS = ("tcp", "cubic", "scalable", "fast", "illinois")
RESPONSES = tuple(response for response in KNOWN if response.symbol.startswith("y"))
TOTALS = tuple(response for response in KNOWN if response.name.startswith("total_"))
FAILED, MISSING = (7, "cubic"), (12, "scalable")


def _run(signs: np.ndarray, algorithm: str, period: int, rng: np.random.Generator) -> dict[str, float]:
    """The 22 responses of one period: congestion follows load over capacity, shared by all algorithms."""
    speed, delay, buffer, think, size, files, fast, _, sources = signs.astype(float)
    load = np.exp(0.45 * sources - 0.7 * speed - 0.45 * think + 0.35 * size + 0.1 * files + 0.1 * (period == 2))
    loss = max(0.0, 0.03 * (load - 0.8) - 0.004 * buffer)
    hot = loss > 0
    excess = {"fast": 1.9, "scalable": 1.15, "illinois": 1.05}.get(algorithm, 1.0) if hot else 1.0
    wobble = (lambda scale=0.02: 1 + scale * rng.standard_normal()) if hot else (lambda scale=0.0: 1.0)
    loss = min(0.6, loss * excess * wobble())
    users = 17_000 * (1.25 + 0.25 * sources)
    active = users * min(0.9, 0.08 * load) * wobble()
    flows = 2_100 * np.exp(-0.4 * think) * (1 + 0.2 * sources) * (1 - loss) * wobble()
    rtt = 41 * (1.5 + 0.5 * delay) * (1 + 0.3 * min(load, 3) * (1.5 + 0.5 * buffer)) * wobble()
    goodput = 90 / rtt * 1000 * (1 - loss) ** 4 / (1 + 5 * loss)
    entering = 100 * flows
    failures = 0.02 * flows * loss * excess * wobble()
    values = [
        active, active / users, entering, entering * (1 - loss), loss, flows, flows / (flows + active), failures,
        failures / (failures + active), loss * 1.03, 12 * excess / (1 + 8 * loss) * wobble(), 900 * flows / 100,
        40 * loss * flows, (3 * loss * flows * wobble()) if hot else np.nan, rtt, rtt - 41 * (1.5 + 0.5 * delay),
        goodput * 1.4 * wobble(), goodput * 1.2 * wobble(), goodput * wobble(), goodput * (1 + 0.1 * fast) * wobble(),
        goodput * 0.9 * wobble(), goodput * 0.8 * wobble(),
    ]  # fmt: skip
    return dict(zip((response.name for response in RESPONSES), map(float, values), strict=True))


def fake_campaign(
    path: Path | str = "out",
    *,
    algorithms: Sequence[str] = ALGORITHMS,
    seed: int = 1,
    lost: Sequence[tuple[int, str]] = (FAILED,),
    missing: Sequence[tuple[int, str]] = (MISSING,),
    all_status: str | None = None,
) -> Campaign:
    """The campaign; `all_status` "failed" or "missing" gives one in which no run has a result."""
    design = two_level([factor.id for factor in FACTORS], GENERATORS)
    symbols = {response.name: (response.symbol, response.unit) for response in KNOWN}
    runs, rows = [], []
    for condition, signs in enumerate(design.matrix, start=1):
        for algorithm in algorithms:
            status = "done"
            if (condition, algorithm) in lost:
                status = "failed"
            if (condition, algorithm) in missing:
                status = "missing"
            status = all_status or status
            done = status == "done"
            runs.append(
                {
                    "condition": condition, "algorithm": algorithm, "replicate": 1, "seed": seed,
                    "key": f"{condition:02d}{algorithm}", "status": status,
                    "message": "memory: 3.1 GiB wanted, 2 GiB allowed" if status == "failed" else None,
                    "cpu_s": 42.0 + condition if done else None,
                    "data_segments_delivered": 10**8 + condition if done else None,
                    "peak_rss_bytes": 3 * 10**8 if done else None,
                }
            )  # fmt: skip
            if not done:
                continue
            rng = np.random.default_rng([seed, condition, ALGORITHMS.index(algorithm)])
            periods = [_run(signs, algorithm, period, rng) for period in (1, 2, 3)]
            table = {str(i): values for i, values in enumerate(periods, start=1)}
            table["measured"] = {name: float(np.mean([values[name] for values in periods])) for name in periods[0]}
            whole = table["measured"]
            entering = whole["segments_entering"] * 7_500
            table["run"] = dict(
                zip(
                    (response.name for response in TOTALS),
                    (whole["flows_completed"] * 7_500, whole["connection_failures"] * 7_500, 0.0, entering,
                     entering * (1 - whole["loss_rate"]), entering * whole["loss_rate"]),
                    strict=True,
                )
            )  # fmt: skip
            for period, values in table.items():
                for name, value in values.items():
                    symbol, unit = symbols[name]
                    rows.append((condition, algorithm, 1, name, symbol, period, unit, value))
    schema = {
        "condition": pl.Int64, "algorithm": pl.String, "replicate": pl.Int64, "response": pl.String,
        "symbol": pl.String, "period": pl.String, "unit": pl.String, "value": pl.Float64,
    }  # fmt: skip
    run_schema = {
        "condition": pl.Int64, "algorithm": pl.String, "replicate": pl.Int64, "seed": pl.Int64, "key": pl.String,
        "status": pl.String, "message": pl.String, "cpu_s": pl.Float64, "data_segments_delivered": pl.Int64,
        "peak_rss_bytes": pl.Int64,
    }  # fmt: skip
    experiment = {
        "name": "synthetic", "title": "Five congestion controls on Abilene", "scenario": "abilene",
        "algorithms": list(algorithms), "factors": [f.id for f in FACTORS], "seed": seed, "replicates": 1,
        "set": {"time.duration": "25 min"},
        "design": {"factors": list(design.factors), "generators": list(design.generators)},
        "parameters": [
            {"path": "network.speed", "value": "1600 seg/ms", "unit": "seg/ms", "source": "ASME Table 5",
             "doc": "Speed of a backbone router relative to X1."},
            {"path": "time.duration", "value": "25 min", "unit": "time", "source": "ASME Table 11",
             "doc": "Simulated time."},
            {"path": "network.buffer_floor", "value": 8, "unit": "segments", "source": "assumed",
             "doc": "Smallest buffer of a router."},
        ],
    }  # fmt: skip
    return Campaign(
        path=Path(path), name="synthetic", title="Five congestion controls on Abilene", factors=FACTORS,
        design=design,
        algorithms=tuple(algorithms),
        runs=pl.DataFrame(runs, schema=run_schema), responses=pl.DataFrame(rows, schema=schema, orient="row"),
        experiment=experiment,
        provenance={"versions": {"mesonet": "0.1.0", "python": "3.11"}, "code_version": "c0ffee", "platform": "test",
                    "started": "2024-05-01T10:00:00Z", "finished": "2024-05-01T12:00:00Z"},
    )  # fmt: skip


def few_responses(campaign: Campaign) -> Campaign:
    """The campaign with six of its responses: every figure, and fewer selections of it.

    Among them are a share, one without values where nothing is lost, and one of the whole run.
    """
    kept = ["loss_rate", "flows_completed", "timeouts", "rtt", "goodput_nn", "total_flows_completed"]
    return replace(campaign, responses=campaign.responses.filter(pl.col("response").is_in(kept)))
