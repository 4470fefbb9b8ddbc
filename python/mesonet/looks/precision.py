"""Runs the campaign of a deployment until its total effects are known to a precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.analysis.deployments.estimands import TOTAL
from mesonet.campaign.data import load
from mesonet.campaign.documents import FEWEST_LOOKED_AT
from mesonet.campaign.ledger import Ledger, replicates_of
from mesonet.campaign.runner import run_missing
from mesonet.errors import InputError
from mesonet.experiments.network import Experiment
from mesonet.files import places
from mesonet.reporting.campaign_view.deployment import effects_of, lead_outcome, rows_of
from mesonet.reporting.campaign_view.view import view_of
from mesonet.words import counted, percent

AT_MOST = 30
"""Replicates at the end (chosen)."""
_FASTEST = 2
"""Most growth of the replicates from one look to the next (chosen): the noise of few runs is not well known."""


def run_until_precise(
    chosen: Experiment,
    out: str | Path,
    precision: float,
    *,
    at_most: int = AT_MOST,
    told: Callable[[str], None] | None = None,
    progress: bool = True,
    **how: Any,
) -> Path:
    """Run a deployment until the interval of each total effect is at most `precision` wide on each side.

    Replicates grow until this holds, or to `at_most`. `precision`: a relative change. `how`: as for `Designed.run`.
    """
    if not 0 < precision < math.inf:
        raise InputError(
            "not a precision", path="until", value=precision, allowed="a relative change above 0, such as 3%"
        )
    say = told or (lambda line: None)
    with places.folder(out):
        ledger, asked = chosen.begin(out, **how)
        count = max(FEWEST_LOOKED_AT, *replicates_of(ledger.document()))
        while True:
            ledger.grow([count] * len(ledger.document()["scenarios"]))
            run_missing(ledger, asked, progress)
            width = half_width(ledger)
            if width is None:
                say("the precision waits for runs that other runners make")
                break
            say(f"{counted(count, 'replicate')}: the total effect is known to ±{percent(100 * width)}")
            if width <= precision or count >= at_most:
                break
            needed = math.ceil(count * (width / precision) ** 2)
            count = min(at_most, max(count + 1, min(needed, _FASTEST * count)))
    return Path(out)


def half_width(ledger: Ledger) -> float | None:
    """Return the largest half-width of the total effects on the leading outcome; None while runs are missing."""
    view = view_of(load(ledger.path))
    if view.campaign.counts["missing"]:
        return None
    widths = []
    for algorithm in view.campaign.algorithms:
        found = effects_of(view, algorithm)
        if found is None:
            return None
        row = rows_of(found, lead_outcome(view)).row(by_predicate=pl.col("estimand") == TOTAL, named=True)
        widths.append(math.inf if row["low"] is None else (row["high"] - row["low"]) / 2)
    return max(widths)
