"""A campaign as one tidy table: a row per run, response and period, with the levels that its factors had."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from mesonet.campaign import goodputs
from mesonet.campaign.goodputs import NAME, OF, flow_goodputs, unit_of
from mesonet.designs.factor import Factor
from mesonet.designs.grid import level_at
from mesonet.designs.rows import Rows
from mesonet.errors import unknown
from mesonet.responses.tables import TIDY

_NUMBER = re.compile(r"([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)\s*([^\d\s,].*)?")
_LARGEST = 1e15
_BESIDE = ("mean", "low", "high", "replicates", "done", "failed", "missing", "seed", "block")
"""Columns of other tables that have columns of factors."""


class Campaign(goodputs.Campaign, Protocol):
    """The part of a campaign that the table needs: a campaign imports this module."""

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The factors with their levels as text."""

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Algorithms that each ran in every condition."""

    @property
    def rows(self) -> Rows:
        """All conditions."""


@dataclass(frozen=True, eq=False)
class FactorLevels:
    """Levels of a factor, the level that each condition has, and the columns of the factor in tidy tables."""

    factor: Factor
    texts: tuple[str, ...]  #: levels as text, from minus to plus
    #: Levels as numbers in `unit`; None if a level is no number, or two are equal.
    numbers: tuple[float, ...] | None
    unit: str  #: unit of the numbers; empty if texts have none, or have several
    place: npt.NDArray[np.intp]  #: number of the level of each condition, from 0
    column: str
    number_column: str


def levels_of(campaign: Campaign) -> tuple[FactorLevels, ...]:
    """Return the levels of each factor of a campaign, in order."""
    names = column_names([factor.id for factor in campaign.factors], campaign.responses["response"].unique().to_list())
    found = []
    for number, (factor, columns) in enumerate(zip(campaign.factors, names, strict=True)):
        places, which = np.unique(campaign.rows.matrix[:, number], return_inverse=True)
        shown = [int(np.argmax(which == level)) for level in range(len(places))]
        parsed = [_quantity(text) for text in factor.levels]
        set_there = [_set(campaign, condition, factor.paths[0]) for condition in shown]
        texts = [
            _text(factor, place, parsed, value) for place, (value, _) in zip(places.tolist(), set_there, strict=True)
        ]
        numbers, unit = _numbers([_quantity(text) for text in texts], set_there)
        found.append(FactorLevels(factor, tuple(texts), numbers, unit, which.astype(np.intp), *columns))
    return tuple(found)


def column_names(ids: Sequence[str], responses: Sequence[str]) -> list[tuple[str, str]]:
    """Return the column of each factor, and the column of its number, so that no two columns have one name.

    A factor that is named as another column or as a response has ``factor_`` in front: a table that is made wide has a
    column for each response.

    Examples
    --------
    >>> column_names(["flows", "rtt", "flows_number"], ["rtt"])
    [('flows', 'factor_flows_number'), ('factor_rtt', 'factor_rtt_number'), ('flows_number', 'flows_number_number')]
    """
    taken = {*TIDY.columns, *_BESIDE, *responses}
    texts = [_free(id, taken | ({*ids} - {id})) for id in ids]
    taken |= {*texts}
    found = []
    for text in texts:
        found.append((text, _free(f"{text}_number", taken)))
        taken.add(found[-1][1])
    return found


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name = f"factor_{name}"
    return name


def tidy(campaign: Campaign, responses: Sequence[str] | None = None, period: str | None = "measured") -> pl.DataFrame:
    """Return the tidy table of a campaign: `mesonet.campaign.Campaign.tidy`."""
    rows = campaign.responses
    is_network = campaign.experiment.get("model") is None
    if is_network:
        of_flows = flow_goodputs(campaign).drop("flow_seconds")
        shared = pl.col("response").str.starts_with(OF) | (pl.col("response") == NAME)
        own = rows.filter(~shared).with_columns(flow_algorithm=pl.lit("all"))
        factor, unit = unit_of(campaign)
        more = of_flows.with_columns(response=pl.lit(NAME), unit=pl.lit(unit), value=pl.col("value") * factor)
        rows = pl.concat([own.drop("symbol"), more.select(own.drop("symbol").columns)])
    else:
        rows = rows.with_columns(flow_algorithm=pl.lit("all"))
    if responses is not None:
        known = rows["response"].unique(maintain_order=True).to_list()
        for name in [responses] if isinstance(responses, str) else responses:
            if name not in known:
                raise unknown("response", str(name), known, path="responses")
        rows = rows.filter(pl.col("response").is_in(list([responses] if isinstance(responses, str) else responses)))
    if period is not None:
        rows = rows.filter(pl.col("period") == period)
        if rows.is_empty() and not campaign.responses.is_empty():
            periods = campaign.responses["period"].unique(maintain_order=True).to_list()
            raise unknown("period", period, periods, path="period")
    columns: dict[str, Any] = {"condition": range(1, campaign.rows.conditions + 1)}
    for each in levels_of(campaign):
        columns[each.column] = [each.texts[place] for place in each.place]
        numbers = each.numbers or [None] * len(each.texts)
        columns[each.number_column] = pl.Series([numbers[place] for place in each.place], dtype=pl.Float64)
    levels = pl.DataFrame(columns, schema_overrides={"condition": pl.Int64})
    first = ["condition", "algorithm", "replicate", *levels.columns[1:]]
    table = rows.join(levels, on="condition", how="left", maintain_order="left")
    order = {name: place for place, name in enumerate(campaign.algorithms)}
    place = pl.col("algorithm").replace_strict(order, default=len(order), return_dtype=pl.Int64)
    table = table.sort("condition", place, "replicate", maintain_order=True)
    return table.select(*first, *(name for name in TIDY.columns if name not in first))


def _quantity(text: str) -> tuple[float, str] | None:
    """Return the number and the unit of a text; None for a word, or for several values."""
    match = _NUMBER.fullmatch(text.strip())
    return (float(match[1]), match[2] or "") if match else None


def _text(factor: Factor, place: float, parsed: Sequence[tuple[float, str] | None], value: float | None) -> str:
    """Return the text of a level; between the two levels of a factor the number there, in their unit."""
    if abs(place) == 1 or factor.inner:
        return factor.levels[level_at(place, len(factor.levels))]
    minus, plus = parsed[0], parsed[-1]
    if minus is None or plus is None or minus[1] != plus[1]:
        return f"{value:.12g}" if value is not None else f"at {place:.4g} from -1 to +1"
    between = minus[0] + (plus[0] - minus[0]) * (place + 1) / 2
    is_count = isinstance(value, int)
    return f"{round(between) if is_count else between:.12g} {minus[1]}".strip()


def _numbers(
    parsed: Sequence[tuple[float, str] | None], set_there: Sequence[tuple[float | None, str]]
) -> tuple[tuple[float, ...] | None, str]:
    """Return the levels as numbers with their unit: the unit of the texts, or of the first if they have several."""
    known = [each for each in parsed if each is not None]
    units = {unit for _, unit in known}
    if len(known) == len(parsed) and len(units) == 1:
        return tuple(number for number, _ in known), units.pop()
    numbers = [value for value, _ in set_there if value is not None]
    if len(numbers) < len(parsed) or len({*numbers}) < len(numbers) or len({rule for _, rule in set_there}) > 1:
        return None, ""
    if len(known) == len(parsed) and numbers[0]:
        return tuple(round(known[0][0] * value / numbers[0], 9) for value in numbers), known[0][1]
    return tuple(map(float, numbers)), ""


def _set(campaign: Campaign, row: int, path: str) -> tuple[float | None, str]:
    """Return the number that a condition has at a path, and its rule, such as ``bdp`` of a buffer.

    A list of flows has their number; None for anything else. `row`: number of the condition, from 0.
    """
    entries, first, rule = campaign.experiment.get("scenarios") or [], campaign.algorithms[0], ""
    scenario: dict[str, Any] = next(
        (e["scenario"] for e in entries if e["condition"] == row + 1 and e["algorithm"] == first), {}
    )
    if set(scenario) == {"parameters"}:
        there: Any = scenario["parameters"].get(path)
    else:
        there = scenario
        for part in re.findall(r"[^.\[\]]+", path):
            if isinstance(there, list) and part.isdecimal():
                there = there[int(part)] if int(part) < len(there) else None
            else:
                there = there.get(part) if isinstance(there, Mapping) else None
        if isinstance(there, Mapping):
            there, rule = there.get("factor"), str(there.get("rule", ""))
        if isinstance(there, list) and path == "flows":
            there = len(there)
    is_number = isinstance(there, int | float) and not isinstance(there, bool) and abs(there) < _LARGEST
    return (there if is_number else None), rule
