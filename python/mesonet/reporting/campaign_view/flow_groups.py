"""Goodputs of the flow groups as responses, where an experiment's response set has them."""

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from mesonet.reporting.campaign_view.space import Space, response_space
from mesonet.reporting.campaign_view.study import Study
from mesonet.responses.definitions import Response

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

#: What they are.
GROUPS_ARE = "Mean over the flows of the group that completed: size / (last acknowledgement - first segment sent)."


def with_flow_groups(campaign: "Campaign", against: str | None = None) -> Study:
    """Return the campaign as the figures of the page see it: one response more for each flow group asked about, and
    the symbols of its own response set."""
    study = Study(campaign, against)
    if not study.has_results:
        return study
    space = response_space(study)
    groups = [place for place, column in enumerate(space.columns) if column.response not in study.responses]
    frames = [campaign.responses, *(_rows(study, space, place) for place in groups)]
    wider = Study(replace(campaign, responses=pl.concat(frames)), against)
    for place in groups:
        column = space.columns[place]
        # No list of responses knows them.
        wider.responses[column.name] = Response(
            column.name, column.symbol, column.title, column.unit, GROUPS_ARE, "higher", "ASME paper, Table 6"
        )
    columns = Counter(column.response for column in space.columns)
    for column in space.columns:
        if columns[column.response] == 1 and column.response in wider.responses:
            # Experiments number their responses; the page calls them as the tables of the analysis do.
            wider.responses[column.response] = replace(wider.responses[column.response], symbol=column.symbol)
    return wider


def _rows(study: Study, space: Space, place: int) -> pl.DataFrame:
    column, values = space.columns[place], space.cube[:, :, place]
    condition, algorithm = np.nonzero(np.isfinite(values))
    return pl.DataFrame(
        {
            "condition": condition + 1,
            "algorithm": [study.algorithms[which] for which in algorithm],
            "replicate": np.ones(len(condition), dtype=int),
            "response": column.name,
            "symbol": column.symbol,
            "period": column.period,
            "unit": column.unit,
            "value": values[condition, algorithm],
        },
        schema=study.campaign.responses.schema,
    )
