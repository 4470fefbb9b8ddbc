"""Flow groups of a campaign as arrays, and their goodputs as columns of the response space."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.means import finite_mean
from mesonet.reporting.campaign_view.columns import WHOLE, Column
from mesonet.reporting.campaign_view.tables import filled
from mesonet.responses.definitions import Response
from mesonet.responses.sets import GROUPS as MOST_GROUPS
from mesonet.responses.sets import SetMember
from mesonet.responses.tables import GROUPS

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

Floats = NDArray[np.float64]

OWN, TCP = "own flows", "competing flows"
#: Definition of the goodput of a flow group.
GROUPS_ARE = "Mean over the flows of the group that completed: size / (last acknowledgement - first segment sent)."


def replicates(campaign: Campaign) -> list[int]:
    """Return the numbers of the replicates. Numbers, rising."""
    return sorted(campaign.runs["replicate"].unique().to_list())


def replicates_text(campaign: Campaign) -> str:
    """Return the number of runs of each condition and algorithm: one number, or the fewest and the most."""
    counts = campaign.runs.group_by("condition", "algorithm").len()["len"].unique().sort().to_list()
    return " to ".join(str(each) for each in dict.fromkeys((counts[0], counts[-1]))) if counts else "0"


def numbers_of_conditions(campaign: Campaign) -> list[int]:
    """Return the numbers of the conditions at levels of all factors; of all conditions, if the design has no levels.

    Centre points lie between the levels: no array by condition has a row for them.
    """
    return list(range(1, 1 + (campaign.design.runs or campaign.rows.conditions)))


def groups_of_conditions(campaign: Campaign) -> pl.DataFrame:
    """Return the flow groups of the conditions of the design."""
    rows = campaign.groups
    return rows if rows.is_empty() else rows.filter(pl.col("condition") <= len(numbers_of_conditions(campaign)))


def group_labels(campaign: Campaign) -> dict[int, tuple[str, str, str]]:
    """Return file category, path class and interface of each flow group that occurs.

    Labels by number of the group, rising.
    """
    rows = groups_of_conditions(campaign).filter(pl.col("group").is_not_null())
    kinds = rows.select("group", "category", "path_class", "rate_class").unique().sort("group")
    return {int(number): (category, path, rate) for number, category, path, rate in kinds.iter_rows()}


def group_values(campaign: Campaign, measure: str, whose: str) -> Floats:
    """Return a measure of the flow groups over the whole measured time, means over replicates.

    Shape (conditions, algorithms, groups), groups as in `group_labels`; NaN where missing.
    """
    return finite_mean(group_runs(campaign, measure, whose), axis=1)


def group_runs(campaign: Campaign, measure: str, whose: str) -> Floats:
    """Return a measure of the flow groups in every run over the whole measured time.

    Shape (conditions, replicates, algorithms, groups), groups as in `group_labels`; NaN where missing. `measure`:
    column of the flow groups, such as ``goodput``. `whose`: `OWN` for flows of the algorithm under test, `TCP` for
    flows of the algorithm that it is mixed with.
    """
    other = campaign.experiment.get("mixed_with")
    own = pl.col("flow_algorithm") == pl.col("algorithm")
    which = own if whose == OWN else (pl.col("flow_algorithm") == str(other)) & ~own
    rows = groups_of_conditions(campaign).filter((pl.col("period") == WHOLE) & which & pl.col("group").is_not_null())
    axes = {
        "condition": numbers_of_conditions(campaign), "replicate": replicates(campaign),
        "algorithm": campaign.algorithms, "group": list(group_labels(campaign)),
    }  # fmt: skip
    return filled(rows, axes, measure)


def group_columns(campaign: Campaign, member: SetMember) -> tuple[list[Column], Floats]:
    """Return a column per flow group that a response set contains, and the values.

    Columns of groups up to number `GROUPS`; values, shape (conditions, replicates, algorithms, columns), NaN where
    missing.
    """
    whose = TCP if member.of == "tcp" else OWN
    labels = group_labels(campaign)
    values = group_runs(campaign, member.name, whose)
    measure = member.name.replace("_", " ")
    kept = [number for number in labels if number <= MOST_GROUPS]
    columns = []
    for number in kept:
        name = f"{member.name}_{'tcp' if whose == TCP else 'own'}_{number:02d}"
        title = f"{measure.capitalize()} of {whose}, {', '.join(labels[number])}"
        symbol = member.symbol.replace("(u)", f"({number})")
        columns.append(
            Column(
                name=name,
                symbol=symbol,
                title=title,
                unit=GROUPS.unit(member.name),
                set=f"{measure} of {whose}",
                response=name,
                period=WHOLE,
            )
        )
    return columns, values[..., : len(kept)]  # the numbers rise


def as_response(column: Column) -> Response:
    """Return the goodput of a flow group as a response, which no list of responses contains."""
    return Response(
        name=column.name,
        symbol=column.symbol,
        title=column.title,
        unit=column.unit,
        definition=GROUPS_ARE,
        direction="higher",
        source="ASME paper, Table 6",
    )


def as_rows(campaign: Campaign, column: Column, values: Floats) -> pl.DataFrame:
    """Return values of a flow group as rows of the campaign's responses.

    `values`: shape (conditions, replicates, algorithms); NaN where missing.
    """
    condition, replicate, algorithm = np.nonzero(np.isfinite(values))
    numbers = replicates(campaign)
    return pl.DataFrame(
        {
            "condition": condition + 1,
            "algorithm": [campaign.algorithms[place] for place in algorithm],
            "replicate": [numbers[place] for place in replicate],
            "response": column.name,
            "symbol": column.symbol,
            "period": column.period,
            "unit": column.unit,
            "value": values[condition, replicate, algorithm],
        },
        schema=campaign.responses.schema,
    )
