"""Limits of a campaign, which an experiment observes before there is a campaign."""

from __future__ import annotations

from mesonet.errors import InputError

MOST_RUNS = 1_000_000
"""Runs of one campaign: chosen, about as many folders as file systems hold in one folder."""

KEEPABLE = (
    "series", "flows", "units", "routers", "demands", "applications", "flow_traces", "router_traces", "packets",
    "stacks",
)  # fmt: skip
"""Tables of a run that a campaign keeps where its experiment lists them: see `mesonet.simulation.result.TABLES`."""


def refuse_too_many(conditions: int, algorithms: int, replicates: int) -> None:
    """Raise an `InputError` for a campaign of more than `MOST_RUNS` runs."""
    runs = conditions * algorithms * replicates
    if runs > MOST_RUNS:
        product = f"{conditions:,} conditions x {algorithms:,} algorithms x {replicates:,} replicates = {runs:,} runs"
        raise InputError(f"too many runs: {product}", allowed=f"at most {MOST_RUNS:,} runs")


def refuse_too_many_runs(runs: int, file: str) -> None:
    """Raise an `InputError` for a file that lists more than `MOST_RUNS` runs."""
    if runs > MOST_RUNS:
        raise InputError("too many runs", file, "replicates", f"{runs:,} runs", f"at most {MOST_RUNS:,} runs")
