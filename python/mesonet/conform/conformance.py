"""Conformance of an algorithm: its contract, its cases and its baseline as one plan of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from mesonet import algorithms
from mesonet.conform import baseline as baselines
from mesonet.conform import contract
from mesonet.conform.baseline import CHECKED, SCENARIOS, Baseline, check_baseline, read_baseline
from mesonet.conform.bench import Bench
from mesonet.conform.case import CaseSuite, check_suite, chosen_suites
from mesonet.conform.contract import check_contract
from mesonet.conform.finding import About, Finding
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

    def checks(self) -> list[About]:
        """Return the checks, those that are left out included."""
        found = contract.checks() if self.has_contract else []
        found += [case.about for suite in self.suites for case in suite.cases]
        if self.baseline:
            found += [baselines.about(self.baseline, name) for name in SCENARIOS]
        return found


def plan(
    algorithm: str,
    *,
    has_contract: bool = True,
    cases: str | None = None,
    baseline: str | None = None,
    skip: Sequence[str] = (),
    seed: int | None = None,
) -> Plan:
    """Return the checks of an algorithm.

    `algorithm`: name of an algorithm, or of a variant such as ``tcp(decrease=0.45)``. `cases`: suites of cases,
    separated by commas, or ``none``; None: those that are for the algorithm. `baseline`: file of a baseline, name of an
    algorithm of mesonet, or ``none``; None: the baseline of the algorithm, if mesonet has one. A variant has none.
    `skip`: names of checks to leave out, such as ``bbr/idle``. `seed`: first seed of the comparison with the baseline;
    None: the seeds of the baseline.
    """
    try:
        named = algorithms.resolve(algorithm)
        scenario("dumbbell", algorithm=algorithm)  # a variant that names a value of its algorithm is refused here
    except InputError as error:
        raise InputError(error.problem, None, "ALGORITHM", algorithm, error.allowed) from None
    if seed is not None and not 0 <= seed <= LARGEST_SEED - CHECKED:
        raise InputError("not a seed", None, "--seed", seed, f"0 to {LARGEST_SEED - CHECKED}")
    suites = tuple(chosen_suites(cases, named))
    if baseline is None:
        baseline = named.name if named.name in baselines.shipped() else NONE
    chosen = None if baseline == NONE else read_baseline(baseline)
    if seed is not None and chosen is None:
        raise InputError("goes with a baseline", None, "--seed", seed, "with --baseline")
    found = Plan(
        algorithm=named.name, has_contract=has_contract, suites=suites, baseline=chosen, skip=frozenset(skip), seed=seed
    )
    known = [each.name for each in found.checks()]
    if not known:
        raise InputError("nothing is left to check", value=algorithm, allowed="a contract, cases or a baseline")
    for name in skip:
        if name not in known:
            raise unknown("check", name, known, path="--skip")
    return found


def check(chosen: Plan, name: str, bench: Bench, progress: Callable[[float, float], None]) -> Finding:
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
    for suite in chosen.suites:
        yield from check_suite(suite, bench, chosen.skip)
    if chosen.baseline:
        seeds = None if chosen.seed is None else range(chosen.seed, chosen.seed + CHECKED)
        yield from check_baseline(chosen.baseline, bench, seeds, lambda: progress(next(done), CHECKED), chosen.skip)
