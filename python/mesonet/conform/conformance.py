"""Conformance of an algorithm: its contract, its cases and its baseline as one plan of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from mesonet import algorithms
from mesonet.conform import baseline as baselines
from mesonet.conform import contract, stacks
from mesonet.conform.baseline import CHECKED, SCENARIOS, Baseline, check_baseline, read_baseline
from mesonet.conform.bench import Bench
from mesonet.conform.case import CaseSuite, check_suite, chosen_suites
from mesonet.conform.contract import check_contract
from mesonet.conform.finding import About, Finding
from mesonet.conform.stacks import check_stack
from mesonet.errors import InputError, unknown
from mesonet.scenarios.scenario import scenario
from mesonet.simulation.simulate import LARGEST_SEED

NONE = "none"
"""Value of an option that leaves a group of checks out."""


@dataclass(frozen=True)
class Plan:
    """Checks of an algorithm."""

    algorithm: str  #: canonical name of the algorithm, or of a variant
    has_contract: bool  #: True if the contract is checked
    suites: tuple[CaseSuite, ...]  #: suites of cases
    baseline: Baseline | None
    skip: frozenset[str]  #: names of checks that are left out
    seed: int | None  #: first seed of the comparison with the baseline; None: the seeds of the baseline
    values: Mapping[str, Any]  #: values of --set, in every scenario

    def checks(self) -> list[About]:
        """Return the checks, those that are left out included."""
        found = contract.checks() if self.has_contract else []
        found += stacks.checks() if self.has_contract and self.is_stack else []
        found += [case.about for suite in self.suites for case in suite.cases]
        if self.baseline:
            found += [baselines.about(self.baseline, name) for name in SCENARIOS]
        return found

    def scenarios(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Return names and values of the scenarios, as far as they are known before a run."""
        found: list[tuple[str, Mapping[str, Any]]] = [("base", {}), ("crowd", {})] if self.has_contract else []
        found += stacks.scenarios() if self.has_contract and self.is_stack else []
        found += [(case.scenario, case.values) for suite in self.suites for case in suite.cases]
        return found + [(f"baseline/{name}", {}) for name in SCENARIOS if self.baseline]

    @property
    def is_stack(self) -> bool:
        """True if the algorithm is a whole transport stack."""
        return self.algorithm.startswith(algorithms.STACK)

    @property
    def seeds(self) -> range | None:
        """Seeds of the comparison with the baseline; None: the seeds of the baseline."""
        return None if self.seed is None else range(self.seed, self.seed + CHECKED)


def plan(
    algorithm: str,
    *,
    has_contract: bool = True,
    cases: str | None = None,
    baseline: str | None = None,
    skip: Sequence[str] = (),
    seed: int | None = None,
    values: Mapping[str, Any] | None = None,
) -> Plan:
    """Return the checks of an algorithm.

    `algorithm`: name of an algorithm or a variant. `cases`: suites or folders of suites, separated by commas, or
    ``none``; None: those that are for the algorithm. `baseline`: file, algorithm of mesonet, or ``none``; None: the
    baseline of the algorithm, if mesonet has one. A variant has none, and so has an algorithm with `values`. `skip`:
    checks to leave out, such as ``bbr/idle``. `seed`: first seed of the comparison with the baseline; None: the seeds
    of the baseline. `values`: values by path for every scenario.
    """
    try:
        named = algorithms.resolve(algorithm)
        scenario("bottleneck", algorithm=algorithm)  # a variant that names a value of its algorithm is refused here
    except InputError as error:
        raise InputError(error.problem, None, "ALGORITHM", algorithm, error.allowed) from None
    if seed is not None and not 0 <= seed <= LARGEST_SEED - CHECKED:
        raise InputError("not a seed", None, "--seed", seed, f"0 to {LARGEST_SEED - CHECKED}")
    suites = tuple(chosen_suites(cases, named))
    if baseline is None:
        baseline = named.name if named.name in baselines.shipped() and not values else NONE
    chosen = None if baseline == NONE else read_baseline(baseline)
    bench = Bench(named.name, values=values or {})
    if chosen and chosen.values != bench.shown():
        shown, expected = (", ".join(map("=".join, each.items())) or NONE for each in (bench.shown(), chosen.values))
        raise InputError(f"a baseline of other values: {expected}", "--baseline", "--set", shown, expected)
    if seed is not None and chosen is None:
        raise InputError("goes with a baseline", None, "--seed", seed, "with --baseline")
    found = Plan(
        algorithm=named.name,
        has_contract=has_contract,
        suites=suites,
        baseline=chosen,
        skip=frozenset(skip),
        seed=seed,
        values=bench.values,
    )
    known = [each.name for each in found.checks()]
    if not known:
        raise InputError("nothing is left to check", value=algorithm, allowed="a contract, cases or a baseline")
    for name in skip:
        if name not in known:
            raise unknown("check", name, known, path="--skip")
    if values or cases:
        for name, given in found.scenarios():
            bench.scenario(name, given)  # refuses what is wrong before the first run
    return found


def by_cost(chosen: Plan, bench: Bench) -> list[About]:
    """Return the checks of a plan: the contract, then the others by the segments that their runs can carry."""
    costs = {each.about.name: (each.scenario, each.values) for suite in chosen.suites for each in suite.cases}

    def cost(about: About) -> float:
        if about.group == contract.GROUP:
            return 0.0
        scenario = bench.scenario(*costs.get(about.name, (f"{baselines.GROUP}/{about.id}", {})))
        return float(scenario.value("network.speed")) * float(scenario.value("time.duration"))

    return sorted((each for each in chosen.checks() if each.name not in chosen.skip), key=cost)


def check(
    chosen: Plan, name: str, bench: Bench, progress: Callable[[float, float], None] = lambda done, total: None
) -> Finding:
    """Return the finding of one check of a plan.

    `bench`: keeps the runs that checks share. `progress`: called with the number of finished runs and of all runs of a
    comparison with the baseline.
    """
    others = frozenset(each.name for each in chosen.checks() if each.name != name)
    found = _all(replace(chosen, skip=chosen.skip | others), bench, progress)
    return next(each for each in found if each.about.name == name)


def _all(chosen: Plan, bench: Bench, progress: Callable[[float, float], None]) -> Iterator[Finding]:
    done = count(1)
    if chosen.has_contract:
        yield from check_contract(bench, chosen.skip)
        if chosen.is_stack:
            yield from check_stack(bench, chosen.skip)
    for suite in chosen.suites:
        yield from check_suite(suite, bench, chosen.skip)
    if chosen.baseline:
        yield from check_baseline(
            chosen.baseline, bench, chosen.seeds, lambda: progress(next(done), CHECKED), chosen.skip
        )
