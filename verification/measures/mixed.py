"""Measures over all conditions of a design: counts per hour, goodputs of alternates, the fit of a linear model.

Experiments 2 mix each alternate with standard TCP (Parts F and I).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from mesonet.responses.sets import SETS
from verification.measures.arithmetic import OF_SEVERAL
from verification.scorecard.flows import FEWEST_FLOWS
from verification.scorecard.reasons import NotEvaluated
from verification.scorecard.shares import Share, share

if TYPE_CHECKING:
    from verification.scorecard.campaigns import Campaigns

HOUR_S = 3600.0
_GROUP = ["condition", "algorithm", "path_class", "rate_class"]


def in_an_hour(campaigns: Campaigns, experiment: str, name: str, which: str) -> float:
    """Return a response per second as a count per hour: ``mean``, ``least`` or ``most`` over the conditions.

    A condition counts with its mean over the algorithms.
    """
    campaigns.judged(experiment, whole=True)
    conditions = campaigns.table(experiment, name).mean(axis=1)
    return HOUR_S * float(OF_SEVERAL[which](conditions))


def linear_part(campaigns: Campaigns, experiment: str) -> float:
    """Return the part of the variance over the conditions that main effects explain: adjusted R^2, 1 for all.

    It is the median over the responses of the network that the experiment has, each in its period and with its mean
    over the algorithms.
    """
    campaign = campaigns.load(experiment)
    matrix = campaign.rows.matrix[campaigns.judged(experiment) - 1]
    model = np.column_stack([np.ones(len(matrix)), matrix])
    parts = []
    for entry in SETS[campaign.experiment["response_set"]].entries:
        values = campaigns.table(experiment, entry.name, entry.period or "measured").mean(axis=1)
        if not np.isfinite(values).all() or not np.ptp(values):
            continue
        residual = values - model @ np.linalg.lstsq(model, values, rcond=None)[0]
        unexplained = (residual @ residual) / (len(matrix) - model.shape[1])
        parts.append(1 - unexplained / float(np.var(values, ddof=1)))
    return float(np.median(parts))


def advantage(campaigns: Campaigns, experiment: str, category: str, algorithm: str | None = None) -> float:
    """Return the relative advantage in goodput of alternates' completed files of a category over standard TCP's.

    The geometric mean over conditions, alternates (or of one `algorithm`), classes of path and of interface.

    The ratio less one; 0 for equal goodputs.
    """
    rows = advantages(campaigns, experiment, category)
    if algorithm is not None:
        rows = rows.filter(algorithm=algorithm)
    if rows.is_empty():
        raise NotEvaluated(f"fewer than {FEWEST_FLOWS} flows in each group")
    return float(np.expm1(rows["log_ratio"].to_numpy().mean()))


def advantage_grows(campaigns: Campaigns, experiment: str, category: str, to: str) -> Share:
    """Return the part of the conditions in which the advantage is larger in category `to` than in `category`.

    Only classes of path and of interface count in which both have enough flows: the hosts do not differ.
    """
    pairs = advantages(campaigns, experiment, category).join(
        advantages(campaigns, experiment, to), on=_GROUP, suffix="_to"
    )
    if pairs.is_empty():
        raise NotEvaluated(f"fewer than {FEWEST_FLOWS} flows in each group")
    means = pairs.group_by("condition", maintain_order=True).agg(pl.col("log_ratio", "log_ratio_to").mean())
    return share((means["log_ratio_to"] > means["log_ratio"]).to_list())


def advantages(campaigns: Campaigns, experiment: str, category: str) -> pl.DataFrame:
    """Return the log of an alternate's mean goodput over TCP's, by condition, alternate, path and interface.

    Columns condition, algorithm, path_class, rate_class and log_ratio.
    """
    rows = campaigns.load(experiment).groups.filter(
        pl.col("replicate") == campaigns.seed_of(experiment),
        pl.col("period") == "measured",
        pl.col("category") == category,
        pl.col("flows") >= FEWEST_FLOWS,
        pl.col("condition").is_in(campaigns.judged(experiment).tolist()),
    )
    own = rows.filter(pl.col("flow_algorithm") == pl.col("algorithm")).sort(_GROUP)
    tcp = rows.filter(flow_algorithm="tcp")
    pairs = own.join(tcp, on=_GROUP, suffix="_tcp", maintain_order="left")
    return pairs.select(*_GROUP, log_ratio=(pl.col("goodput") / pl.col("goodput_tcp")).log())


MEASURES = (in_an_hour, linear_part, advantage, advantage_grows)
