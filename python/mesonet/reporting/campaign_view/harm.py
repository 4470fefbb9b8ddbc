"""Harm of the algorithms of a mixed campaign to the flows of the incumbent, by flow group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from mesonet.analysis.harm import harm
from mesonet.reporting.campaign_view.flow_groups import OWN, TCP, group_labels, group_runs
from mesonet.reporting.campaign_view.tables import labelled

if TYPE_CHECKING:
    from mesonet.reporting.campaign_view.view import CampaignView

#: Columns of the flow groups that harm is measured by; True where more is better.
MEASURES = {
    "throughput": True,
    "completion_time_p95": False,
    "queueing_delay_ms": False,
    "retransmission_rate": False,
}


def harm_table(view: CampaignView) -> pl.DataFrame:
    """Return the harm to the flows of the incumbent, against the same flows when all are of its kind.

    Columns algorithm, category, path_class, rate_class, quantity (one of `MEASURES`) and the columns of
    `mesonet.analysis.Harm`. Empty unless algorithms were mixed with one that also ran alone, and flow groups were kept.
    """
    other = view.campaign.experiment.get("mixed_with")
    others = [name for name in view.algorithms if name != other]
    if other not in view.algorithms or not others or not view.campaign.has_groups:
        return pl.DataFrame()
    measures = [name for name in MEASURES if name in view.groups.columns]
    alone, beside = (
        np.stack([group_runs(view.campaign, measure, whose) for measure in measures], axis=-1) for whose in (OWN, TCP)
    )
    solo = alone[:, :, view.algorithms.index(str(other))]
    tables = []
    for name in others:
        mixed = beside[:, :, view.algorithms.index(name)]
        for place, (category, path_class, rate_class) in enumerate(group_labels(view.campaign).values()):
            found = harm(
                solo[:, :, place],
                mixed[:, :, place],
                more_is_better=[MEASURES[measure] for measure in measures],
                quantities=measures,
            )
            about = {"algorithm": name, "category": category, "path_class": path_class, "rate_class": rate_class}
            tables.append(labelled(found.to_polars(), about))
    return pl.concat(tables, how="vertical_relaxed").filter(pl.col("compared") > 0) if tables else pl.DataFrame()
