"""Response space of an experiment, as columns of one array: of the network by period, and of flow groups.

The response set of the experiment selects them (`mesonet.responses.sets`): the sensitivity analysis asks for 54 of the
network in three periods and 48 goodputs of flow groups. What no run answered is left out, and said.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.reporting.campaign_view.study import WHOLE, Study
from mesonet.responses.columns import GROUP_UNITS
from mesonet.responses.sets import GROUPS, SETS, SetMember
from mesonet.words import period_title

Floats = NDArray[np.float64]

OWN, TCP = "own flows", "competing flows"


@dataclass(frozen=True)
class Column:
    """Response of the space; `name` can stand in a file name."""

    name: str
    symbol: str
    title: str
    unit: str
    set: str  #: to which set of responses it belongs, such as "measured period 1"
    response: str  #: name in the tables of the campaign
    period: str

    @property
    def label(self) -> str:
        """Symbol and title."""
        return f"{self.symbol} {self.title}".strip()


@dataclass(frozen=True)
class Space:
    """`cube` has the shape (conditions, algorithms, columns); NaN where there is nothing."""

    columns: tuple[Column, ...]
    cube: Floats
    for_tests: Floats  #: the same, of shape (conditions, replicates, algorithms, columns) where runs are replicated
    notes: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    def place(self, name: str) -> int:
        """Return the index of a column."""
        return self.names.index(name)

    @property
    def sets(self) -> dict[str, list[int]]:
        """Places of the columns of each set."""
        found: dict[str, list[int]] = {}
        for place, column in enumerate(self.columns):
            found.setdefault(column.set, []).append(place)
        return found


def response_space(study: Study) -> Space:
    """Return the responses of a campaign that has results."""
    chosen = SETS.get(str(study.campaign.experiment.get("response_set", "")))
    pairs = {(name, period) for period, names in study.in_period.items() for name in names}
    columns: list[Column] = []
    notes = []
    if chosen is not None:
        there = [entry for entry in chosen.entries if (entry.name, entry.period or WHOLE) in pairs]
        columns = [_of_network(study, entry) for entry in there]
        if lacking := len(chosen.entries) - len(there):
            notes.append(f"{lacking} of {len(chosen.entries)} responses of the network were not answered.")
    if not columns:
        return _of_period(study)
    cubes = [study.values(column.response, column.period)[:, :, None] for column in columns]
    for_tests = [
        study.cube_for_tests(column.period)[..., [study.in_period[column.period].index(column.response)]]
        for column in columns
    ]
    # Of the measures of flow groups only the goodput is published; the others are in the tables of the runs.
    asked = [entry for entry in chosen.per_group if entry.basis == "published"] if chosen is not None else []
    if asked and has_groups(study):
        for entry in asked:
            named, each = _of_groups(study, entry)
            columns += named
            means = mean_over_replicates(each)
            for_tests.append(each if study.mode == "replicates" else means)
            cubes.append(means)
    elif asked:
        notes.append("Flow groups were not kept.")
    return Space(tuple(columns), np.concatenate(cubes, axis=2), np.concatenate(for_tests, axis=-1), tuple(notes))


def has_groups(study: Study) -> bool:
    """Return True if every run that is done kept its flow groups."""
    done = study.campaign.runs.filter(status="done")["key"]
    return len(done) > 0 and all((study.campaign.path / "runs" / key / "groups.parquet").exists() for key in done)


def group_labels(study: Study) -> dict[int, tuple[str, str, str]]:
    """Return the number of each flow group that occurs -> file category, path class, interface."""
    rows = study.groups.filter(pl.col("group").is_not_null())
    kinds = rows.select("group", "category", "path_class", "rate_class").unique().sort("group")
    return {int(number): (category, path, rate) for number, category, path, rate in kinds.iter_rows()}


def group_values(study: Study, measure: str, whose: str) -> tuple[list[int], Floats]:
    """Return the flow groups that occur, and a measure of them over the whole measured time.

    Values have the shape (conditions, algorithms, groups), means over replicates. `whose`: `OWN` for flows of the
    algorithm under test, `TCP` for flows of the algorithm that it is mixed with.
    """
    labels, values = group_runs(study, measure, whose)
    return labels, mean_over_replicates(values)


def mean_over_replicates(values: Floats) -> Floats:
    """Return the mean over axis 1, of the replicates that have a value."""
    there = np.isfinite(values)
    with np.errstate(all="ignore"):
        return np.asarray(np.where(there, values, 0).sum(axis=1) / there.sum(axis=1))


def group_runs(study: Study, measure: str, whose: str) -> tuple[list[int], Floats]:
    """Return the flow groups and a measure in every run, shape (conditions, replicates, algorithms, groups)."""
    other = study.campaign.experiment.get("mixed_with")
    own = pl.col("flow_algorithm") == pl.col("algorithm")
    which = own if whose == OWN else (pl.col("flow_algorithm") == str(other)) & ~own
    rows = study.groups.filter((pl.col("period") == WHOLE) & which & pl.col("group").is_not_null())
    labels = list(group_labels(study))
    places = {number: place for place, number in enumerate(labels)}
    algorithms = {name: place for place, name in enumerate(study.algorithms)}
    replicates = {number: place for place, number in enumerate(study.replicates)}
    values = np.full((len(study.conditions), len(replicates), len(algorithms), len(labels)), np.nan)
    for condition, algorithm, replicate, group, value in rows.select(
        "condition", "algorithm", "replicate", "group", measure
    ).iter_rows():
        if value is not None:
            values[condition - 1, replicates[replicate], algorithms[algorithm], places[int(group)]] = value
    return labels, values


def _of_network(study: Study, entry: SetMember) -> Column:
    about = study.responses[entry.name]
    if not entry.period:
        return Column(entry.name, entry.symbol, about.title, about.unit, period_title(WHOLE), entry.name, WHOLE)
    title = f"{about.title}, period {entry.period}"
    name = f"{entry.name}_period_{entry.period}"
    return Column(name, entry.symbol, title, about.unit, period_title(entry.period), entry.name, entry.period)


def _of_groups(study: Study, entry: SetMember) -> tuple[list[Column], Floats]:
    whose = TCP if entry.of == "tcp" else OWN
    labels = group_labels(study)
    numbers, values = group_runs(study, entry.name, whose)
    columns = [
        Column(
            f"{entry.name}_{'tcp' if whose == TCP else 'own'}_{number:02d}",
            entry.symbol.replace("(u)", f"({number})"),
            f"{entry.name.replace('_', ' ').capitalize()} of {whose}, {', '.join(labels[number])}",
            GROUP_UNITS[entry.name],
            f"{entry.name.replace('_', ' ')} of {whose}",
            entry.name,
            WHOLE,
        )
        for number in numbers
        if number <= GROUPS
    ]
    return columns, values


def _of_period(study: Study) -> Space:
    period = study.main_period
    columns = [
        Column(name, study.responses[name].symbol, study.responses[name].title, study.unit_of(name),
               period_title(period), name, period)
        for name in study.in_period[period]
    ]  # fmt: skip
    return Space(tuple(columns), study.cube(period), study.cube_for_tests(period), ())
