"""Campaigns of an evidence report: one per criterion, incumbent and set of runs."""

from __future__ import annotations

import copy
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mesonet import algorithms
from mesonet.algorithms import written
from mesonet.analysis.decisions.course import LOOKS, planned_looks
from mesonet.designs.grid import level_at
from mesonet.errors import InputError
from mesonet.evidence.criterion import Criterion
from mesonet.evidence.domain import domain
from mesonet.evidence.measures import TABLES
from mesonet.evidence.stacks import stacks_among, visible
from mesonet.evidence.suite import DEFAULT, Suite, criteria, suite_of
from mesonet.evidence.worst_cell import EXPECTED_CELLS, REPLICATES, screening_cells
from mesonet.experiments.network import Experiment, experiment_of
from mesonet.files.names import name_part
from mesonet.scenarios.scenario import load_scenario
from mesonet.scenarios.settings import PRESET, flatten, resolve, setting

INCUMBENT = "INCUMBENT"
"""Stands for the incumbent in the flows of criteria."""
AGAINST = ("cubic", "tcp")
"""Incumbents unless others are named: CUBIC (RFC 9438) and standard TCP (RFC 5681), which section 5.2.1 names."""
ONLY = "the only cell"
"""Label of the cell of a criterion without factors."""
SEEDS = {"tested": 1, "reference": 2, "confirmed": 3, "confirmed again": 4}
"""Seeds of a campaign, and of its reference if the algorithm is the incumbent: equal runs would prove nothing. The end
of a search has seeds of its own."""
BUDGET_S = 900.0
"""Expected processor time after which an undecided report has no further look, s (chosen: a coffee break)."""
_RUN_S, _HOPS_PER_S = 0.04, 2e6
"""Processor time of a run without segments, s, and segments times hops in a second. Measured with the criteria."""


@dataclass(frozen=True)
class Comparison:
    """Runs with the algorithm, and the runs of an incumbent that they are compared with."""

    criterion: Criterion
    incumbent: str  #: name of the incumbent
    tested: str  #: `tested`, `reference`: names of campaigns
    reference: str


@dataclass(frozen=True)
class Cell:
    """Cell of a criterion in words."""

    label: str  #: all its levels, such as ``buffer 1 bdp, round trip 20 ms``
    levels: tuple[str, ...]  #: its level of each factor, such as ``buffer 1 bdp``; empty for the end of a search


@dataclass(frozen=True)
class EvidencePlan:
    """Everything that an evidence report needs."""

    suite: Suite  #: suite of the criteria
    algorithm: str  #: the algorithm that is tested
    against: tuple[str, ...]  #: incumbents
    replicates: int  #: runs of each cell, at the last look
    looks: tuple[int, ...]  #: runs of each cell at the looks: one look, or several until a criterion is decided
    criteria: tuple[Criterion, ...]  #: criteria of the report
    campaigns: Mapping[str, Experiment]  #: experiments by name of their folder
    comparisons: tuple[Comparison, ...]  #: comparisons, in the order of the criteria
    values: Mapping[str, str]  #: values of --set in every scenario, by path

    def document(self) -> dict[str, Any]:
        """Return what identifies the report."""
        return {
            "suite": self.suite.name,
            "algorithm": self.algorithm,
            "against": list(self.against),
            "replicates": self.replicates,
            **({"looks": list(self.looks), "budget_s": BUDGET_S} if len(self.looks) > 1 else {}),
            "criteria": [each.id for each in self.criteria],
            **({"set": dict(self.values)} if self.values else {}),
        }

    def command(self, only: Sequence[str] = ()) -> str:
        """Return the command that makes the report again in a new folder. `only`: criteria; by default its own."""
        every = [each.id for each in criteria(self.suite)]
        chosen = list(only) or [each.id for each in self.criteria]
        words = ["mesonet", "evidence", written(self.algorithm)]
        words += ["--suite", self.suite.option] if self.suite.option != DEFAULT else []
        words += ["--against", ",".join(map(written, self.against))]
        words += ["--replicates", str(self.replicates)] if len(self.looks) == 1 else []
        words += ["--only", ",".join(chosen)] if chosen != every else []
        words += [part for path, value in self.values.items() for part in ("--set", f"{path}={value}")]
        return shlex.join([*words, "--out", "-".join(["again", *only])])

    def campaigns_of(self, criterion: Criterion) -> list[str]:
        """Return the campaigns of a criterion."""
        mine = [each for each in self.comparisons if each.criterion is criterion]
        return list(dict.fromkeys(name for each in mine for name in (each.tested, each.reference)))

    def rows(self) -> list[list[str]]:
        """Return the cost of each criterion. Name, title, cells, runs and expected processor time in s, as text."""
        rows = []
        for each in self.criteria:
            if each.kind == "search":
                rows.append(_search_row(self, each))
                continue
            chosen = [self.campaigns[name] for name in self.campaigns_of(each)]
            runs = sum(one.conditions * len(one.algorithms) * one.replicates for one in chosen)
            cells = chosen[0].conditions if chosen else 0
            rows.append([each.id, each.title, str(cells), str(runs), f"{sum(map(cpu_s, chosen)):.0f}"])
        return rows


def plan(
    algorithm: str,
    against: Sequence[str] = AGAINST,
    replicates: int | None = None,
    only: str | None = None,
    suite: str = DEFAULT,
    *,
    until_decided: bool = False,
    values: Mapping[str, Any] | None = None,
) -> EvidencePlan:
    """Return the plan of a report.

    `replicates`: runs of each cell, at least 2; None: the number of a quick report of the suite. `until_decided`: look
    at the criteria before they have all replicates. `values`: values by path for every scenario.
    """
    algorithm, *against = (
        _named(path, name) for path, name in (("ALGORITHM", algorithm), *(("--against", each) for each in against))
    )
    if len(set(against)) != len(against) or not against:
        raise InputError("not a list of different incumbents", path="--against", value=",".join(against))
    from_suite = suite_of(suite)
    replicates = from_suite.quick if replicates is None else replicates
    if replicates < 2:
        raise InputError("too few to measure chance", path="--replicates", value=replicates, allowed="at least 2")
    given = {resolve(path): value for path, value in (values or {}).items()}
    chosen = [_with_values(each, given, from_suite) for each in criteria(from_suite, only)]
    if stacks := stacks_among([algorithm, *against]):
        chosen = [
            visible(each, stacks, _networks(from_suite, each, stacks, against)) if each.runs else each
            for each in chosen
        ]
    campaigns: dict[str, Experiment] = {}
    comparisons = []

    def add(criterion: Criterion, name: str, names: Sequence[str], incumbent: str, seed: str) -> str:
        if name not in campaigns:
            campaigns[name] = experiment_for(
                suite=from_suite,
                criterion=criterion,
                name=name,
                names=names,
                incumbent=incumbent,
                replicates=replicates,
                seed=SEEDS[seed],
            )
        return name

    for criterion in chosen:
        id = criterion.id
        for incumbent in against if criterion.kind in ("alone", "beside") else ():
            if criterion.kind == "beside":
                name = campaign_name(criterion, incumbent)
                pair = list(dict.fromkeys([algorithm, incumbent]))
            else:
                name, pair = id, list(dict.fromkeys([algorithm, *against]))
            tested = reference = add(criterion, name, pair, incumbent, "tested")
            if incumbent == algorithm:
                again = f"{id}-again" if name == id else campaign_name(criterion, incumbent, "again")
                reference = add(criterion, again, [incumbent], incumbent, "reference")
            comparisons.append(Comparison(criterion, incumbent, tested, reference))
    return EvidencePlan(
        suite=from_suite,
        algorithm=algorithm,
        against=tuple(against),
        replicates=replicates,
        looks=planned_looks(replicates) if until_decided and replicates > LOOKS[0] else (replicates,),
        criteria=tuple(chosen),
        campaigns=campaigns,
        comparisons=tuple(comparisons),
        values={path: setting(path, given[path], "--set").text for path in sorted(given)},
    )


def campaign_name(criterion: Criterion, incumbent: str, stage: str = "") -> str:
    """Return the name of a campaign in which flows of an incumbent meet newcomers; it ends with the incumbent."""
    return "-".join([criterion.id, *stage.split(), "beside", name_part(incumbent)])


def cells_of(criterion: Criterion, chosen: Experiment) -> list[Cell]:
    """Return the cells of a criterion, one per condition."""
    labels = {factor["id"]: _level_labels(factor) for factor in criterion.table.get("factors", [])}
    found = []
    for row in chosen.rows.matrix.tolist():
        words = []
        for (id, levels), place in zip(chosen.levels.items(), row, strict=True):
            text = labels[id][level_at(place, len(levels[0].values))]
            words.append(f"{chosen.names[id]} {text}".strip())
        found.append(Cell(", ".join(words) or ONLY, tuple(words)))
    return found


def _with_values(criterion: Criterion, values: Mapping[str, Any], suite: Suite) -> Criterion:
    """Return a criterion with further values in its scenario; refuse a value that it sets itself."""
    if not values or not criterion.runs:
        return criterion
    own = flatten(criterion.table.get("set", {}))
    varied = [path for factor in criterion.table.get("factors", []) for path in flatten(factor["levels"])]
    base = load_scenario(criterion.table["scenario"], suite.folder)
    for path, value in values.items():
        if path in (*own, *varied) or (path in base.settings and path != PRESET):
            problem = f"the {suite.case} {criterion.id} sets it, too"
            raise InputError(problem, "--set", path, value, f"values that no {suite.case} sets, or --only")
    base.with_values(values, "--set")  # refuses a value that is not allowed there
    return replace(criterion, table={**criterion.table, "set": {**own, **values}})


def _named(path: str, name: str) -> str:
    try:
        return algorithms.resolve(name).name
    except InputError as error:
        raise InputError(error.problem, None, path, name, error.allowed) from None


def _level_labels(factor: Mapping[str, Any]) -> list[str]:
    """Return the names of the levels: those of the file, else the values as written there."""
    if "labels" in factor:
        return list(factor["labels"])
    (values,) = flatten(factor["levels"]).values()
    return [str(value) for value in values]


def cpu_s(chosen: Experiment) -> float:
    """Return the expected processor time of a campaign, to a factor of two or three. Time of all runs, s."""
    runs = len(chosen.algorithms) * chosen.replicates
    return sum(_RUN_S + hops / _HOPS_PER_S for hops in chosen.expected_cost()) * runs


def experiment_for(
    suite: Suite, criterion: Criterion, name: str, names: Sequence[str], incumbent: str, replicates: int, seed: int
) -> Experiment:
    """Return the experiment of a criterion."""
    table = _with_incumbent(copy.deepcopy(dict(criterion.table)), incumbent)
    for factor in table.get("factors", []):
        factor.pop("labels", None)
    about = {
        "name": name,
        "title": f"{suite.short}, {suite.case} {criterion.id}: {criterion.title}",
        "description": criterion.reading,
        "algorithms": list(names),
        "replicates": replicates,
        "seed": seed,
        "keep": sorted({table for each in criterion.quantities for table in TABLES.get(each.value, ())}),
        "responses": "all",
    }
    return experiment_of({**table, **about}, f"{criterion.id}.toml", suite.folder)


def _networks(suite: Suite, criterion: Criterion, names: Sequence[str], against: Sequence[str]) -> Iterator[Experiment]:
    """Yield the experiments of a criterion for some algorithms, one for each incumbent; of a search its first stage."""
    if criterion.kind == "search":
        space = domain(criterion)
        criterion = replace(criterion, table=space.table(screening_cells(space)))
    for incumbent in against:
        yield experiment_for(suite, criterion, criterion.id, names, incumbent, replicates=2, seed=SEEDS["tested"])


def look_cpu_s(plan: EvidencePlan, criteria: Sequence[Criterion], replicates: int) -> float:
    """Return the expected processor time of further replicates of some criteria, s."""
    names = [name for each in criteria for name in plan.campaigns_of(each)]
    return sum(cpu_s(plan.campaigns[name]) for name in names) / plan.replicates * replicates


def search_cpu_s(plan: EvidencePlan) -> float:
    """Return the expected processor time of the searches, s."""
    return sum(float(_search_row(plan, each)[-1]) for each in plan.criteria if each.kind == "search")


def screening(plan: EvidencePlan, criterion: Criterion) -> Experiment:
    """Return the experiment of the first stage of a search, against the first incumbent."""
    chosen = domain(criterion)
    incumbent = plan.against[0]
    return experiment_for(
        suite=plan.suite,
        criterion=replace(criterion, table=chosen.table(screening_cells(chosen))),
        name=campaign_name(criterion, incumbent),
        names=list(dict.fromkeys([plan.algorithm, incumbent])),
        incumbent=incumbent,
        replicates=REPLICATES,
        seed=SEEDS["tested"],
    )


def _search_row(plan: EvidencePlan, criterion: Criterion) -> list[str]:
    """Return the row of `EvidencePlan.rows` for a search, with the numbers of a usual search."""
    first = screening(plan, criterion)
    confirmed = 2 * len(criterion.measures)
    runs = (EXPECTED_CELLS * REPLICATES + confirmed * plan.replicates) * 2 * len(plan.against)
    a_run = cpu_s(first) / (first.conditions * len(first.algorithms) * REPLICATES)
    return [criterion.id, criterion.title, f"about {EXPECTED_CELLS}", f"about {runs}", f"{a_run * runs:.0f}"]


def _with_incumbent(value: Any, incumbent: str) -> Any:
    if isinstance(value, dict):
        return {key: _with_incumbent(part, incumbent) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_incumbent(part, incumbent) for part in value]
    return incumbent if value == INCUMBENT else value
