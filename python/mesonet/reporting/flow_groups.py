"""Goodputs of the flow groups as responses beside those of the network, where an experiment asks for them."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from mesonet.reporting.space import response_space
from mesonet.reporting.study import Study
from mesonet.responses import Response

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


def with_flow_groups(campaign: "Campaign") -> Study:
    """The campaign as the figures of the page see it: one response more for each flow group asked about."""
    study = Study(campaign)
    if not study.has_results:
        return study
    space = response_space(study)
    groups = [place for place, column in enumerate(space.columns) if column.response not in study.responses]
    if not groups:
        return study
    frames = []
    for place in groups:
        column, values = space.columns[place], space.cube[:, :, place]
        condition, algorithm = np.nonzero(np.isfinite(values))
        frames.append(
            pl.DataFrame(
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
                schema=campaign.responses.schema,
            )
        )
    wider = Study(replace(campaign, responses=pl.concat([campaign.responses, *frames])))
    for place in groups:
        column = space.columns[place]
        about = Response(column.name, column.symbol, column.title, column.unit, "", "higher", "")
        wider.responses[column.name] = about  # what no list of responses knows would be called by its name
    return wider
