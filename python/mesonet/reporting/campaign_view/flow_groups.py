"""Flow groups of a campaign as arrays, and their goodputs as columns of the response space."""

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.reporting.campaign_view.columns import WHOLE, Column
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


def replicates(campaign: "Campaign") -> list[int]:
    """Return the numbers of the replicates."""
    return sorted(campaign.runs["replicate"].unique().to_list())


def has_groups(campaign: "Campaign") -> bool:
    """Return True if every run that is done kept its flow groups."""
    done = campaign.runs.filter(status="done")["key"]
    return len(done) > 0 and all((campaign.path / "runs" / key / "groups.parquet").exists() for key in done)


def groups_of_conditions(campaign: "Campaign") -> pl.DataFrame:
    """Return the flow groups of the conditions of the design.

    The campaign also has groups of centre points, which lie between the levels: no array by condition has a row
    for them.
    """
    rows = campaign.groups
    return rows if rows.is_empty() else rows.filter(pl.col("condition") <= len(campaign.design.matrix))


def group_labels(campaign: "Campaign") -> dict[int, tuple[str, str, str]]:
    """Return the number of each flow group that occurs -> file category, path class, interface."""
    rows = groups_of_conditions(campaign).filter(pl.col("group").is_not_null())
    kinds = rows.select("group", "category", "path_class", "rate_class").unique().sort("group")
    return {int(number): (category, path, rate) for number, category, path, rate in kinds.iter_rows()}


def group_values(campaign: "Campaign", measure: str, whose: str) -> tuple[list[int], Floats]:
    """Return the flow groups that occur, and a measure of them over the whole measured time.

    Values have the shape (conditions, algorithms, groups), means over replicates. `whose`: `OWN` for flows of the
    algorithm under test, `TCP` for flows of the algorithm that it is mixed with.
    """
    labels, values = group_runs(campaign, measure, whose)
    return labels, mean_over_replicates(values)


def mean_over_replicates(values: Floats) -> Floats:
    """Return the mean over axis 1, of the replicates that have a value."""
    there = np.isfinite(values)
    with np.errstate(all="ignore"):
        return np.asarray(np.where(there, values, 0).sum(axis=1) / there.sum(axis=1))


def group_runs(campaign: "Campaign", measure: str, whose: str) -> tuple[list[int], Floats]:
    """Return the flow groups and a measure in every run, shape (conditions, replicates, algorithms, groups)."""
    other = campaign.experiment.get("mixed_with")
    own = pl.col("flow_algorithm") == pl.col("algorithm")
    which = own if whose == OWN else (pl.col("flow_algorithm") == str(other)) & ~own
    rows = groups_of_conditions(campaign).filter((pl.col("period") == WHOLE) & which & pl.col("group").is_not_null())
    labels = list(group_labels(campaign))
    places = {number: place for place, number in enumerate(labels)}
    algorithms = {name: place for place, name in enumerate(campaign.algorithms)}
    numbers = {number: place for place, number in enumerate(replicates(campaign))}
    values = np.full((len(campaign.design.matrix), len(numbers), len(algorithms), len(labels)), np.nan)
    for condition, algorithm, replicate, group, value in rows.select(
        "condition", "algorithm", "replicate", "group", measure
    ).iter_rows():
        if value is not None:
            values[condition - 1, numbers[replicate], algorithms[algorithm], places[int(group)]] = value
    return labels, values


def group_columns(campaign: "Campaign", member: SetMember) -> tuple[list[Column], Floats]:
    """Return a column per flow group that a response set asks for, and the values of `group_runs`."""
    whose = TCP if member.of == "tcp" else OWN
    labels = group_labels(campaign)
    numbers, values = group_runs(campaign, member.name, whose)
    measure = member.name.replace("_", " ")
    kept = [place for place, number in enumerate(numbers) if number <= MOST_GROUPS]
    columns = []
    for number in (numbers[place] for place in kept):
        name = f"{member.name}_{'tcp' if whose == TCP else 'own'}_{number:02d}"
        title = f"{measure.capitalize()} of {whose}, {', '.join(labels[number])}"
        symbol = member.symbol.replace("(u)", f"({number})")
        columns.append(Column(name, symbol, title, GROUPS.unit(member.name), f"{measure} of {whose}", name, WHOLE))
    return columns, values[..., kept]


def as_response(column: Column) -> Response:
    """Return the goodput of a flow group as a response, which no list of responses knows."""
    return Response(column.name, column.symbol, column.title, column.unit, GROUPS_ARE, "higher", "ASME paper, Table 6")


def as_rows(campaign: "Campaign", column: Column, values: Floats) -> pl.DataFrame:
    """Return values of the shape (conditions, replicates, algorithms) as rows of the campaign's responses."""
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
