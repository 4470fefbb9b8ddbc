"""Deployments: a sweep of the share of users that have a new algorithm, and tests that would measure its effect.

The table ``[deploy]`` makes the conditions of a mixed experiment::

    algorithms = ["bbr3"]                   # the new algorithm; several are deployed one at a time
    mixed_with = "cubic"                    # the incumbent

    [deploy]
    shares = [0, 0.1, 0.5, 0.9, 1]          # of the units; 0 and 1 always run
    unit = "user"                           # what has one algorithm: user, home, flow or place
    order = "random"                        # who adopts first: random, place, access, or a CSV file of routers
    tests = ["ab", "switchback"]            # ab, paired-links; with runs of their own: switchback, rollout, event-study
    period = "10 s"                         # of a switchback, and between the steps of a roll-out
    burn_in = "2 s"                         # dropped at the beginning of each period
    outcome = "goodput"                     # the outcome that leads
    by = ["rtt_class"]                      # groups: who pays

The factor `FACTOR` has a level for each share and for each test; the conditions are these levels in each condition of
the other factors. All conditions share their random numbers, so that the same units adopt first in every share.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from mesonet import units
from mesonet.campaign.documents import DeploymentEntry, DeploymentLevel
from mesonet.deployment_tests import BY_TIME, EVENT_STUDY, OF_SWEEP, ROLLOUT, SWEEP, SWITCHBACK, TESTS
from mesonet.errors import InputError, unknown
from mesonet.experiments.base import Level
from mesonet.experiments.mixed import SHARE
from mesonet.files.csv_rows import rows
from mesonet.scenarios.kinds.mix import parse_share
from mesonet.scenarios.scenario import Scenario

SCHEDULE = "deployment"
"""The path of the schedule of a test; its entries get the algorithm of each run."""
FACTOR = "share"
"""Id of the factor whose levels are the deployments."""
TOTAL_EFFECT = f"{FACTOR}=1 : {FACTOR}=0"
"""The comparison that answers of a deployment have."""
SHARES = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99, 1.0)
UNITS = ("user", "home", "flow", "place")
RANDOM, BY_PLACE, BY_ACCESS = "random", "place", "access"
ORDERS = (RANDOM, BY_PLACE, BY_ACCESS)
LATE_FRAMES = "late_frames"
OUTCOMES = ("goodput", "throughput", "completion_time", "slowdown", "retransmission_rate", "rtt", LATE_FRAMES)
GROUPS = ("path_class", "rtt_class", "rate_class", "access", "pop")
KEYS = ("shares", "unit", "order", "tests", "period", "burn_in", "outcome", "by")
PERIODS = 6
"""Periods of a test, where no length is given (chosen)."""
_PARTS = 3
"""Steps of such a period; the first is the burn-in (chosen)."""
_BY_SPEED = ("direct access", "plain", "fast access", "normal access")
"""Classes of access routers, the fastest first."""


@dataclass(frozen=True)
class Adopters:
    """Units that adopt together."""

    routers: tuple[str, ...]  #: units below these routers
    units: float  #: number of them


@dataclass(frozen=True)
class Deployment:
    """Shares of a new algorithm, and tests that measure it."""

    shares: tuple[float, ...]  #: rising, with 0 and 1
    unit: str  #: one of `UNITS`
    order: str  #: one of `ORDERS`, or the name of a file
    tests: tuple[str, ...]  #: of `TESTS`
    outcome: str  #: one of `OUTCOMES`
    by: tuple[str, ...]  #: of `GROUPS`
    adopters: tuple[
        Adopters, ...
    ] = ()  #: in the order in which they adopt, where it is not random or a roll-out needs it
    starts: tuple[float, ...] = ()  #: of the periods of the tests, s
    periods: int = 0  #: measured periods of the runs; 0: as the scenario has them
    burn_in: float = 0.0  #: dropped at the beginning of each period of a test, s

    @property
    def levels(self) -> tuple[DeploymentLevel, ...]:
        """The levels of the factor: the shares, then the tests with runs of their own."""
        sweep = (DeploymentLevel(SWEEP, share) for share in self.shares)
        return (*sweep, *(DeploymentLevel(test, None) for test in self.tests if test in BY_TIME))

    def entry(self) -> DeploymentEntry:
        """Return the entry of ``experiment.json``."""
        return DeploymentEntry(
            unit=self.unit,
            order=self.order,
            outcome=self.outcome,
            by=list(self.by),
            tests=list(self.tests),
            levels=list(self.levels),
            starts_s=list(self.starts),
            burn_in_s=self.burn_in,
        )

    @property
    def comparisons(self) -> tuple[str, ...]:
        """Comparisons that the report decides: the total effect."""
        return (TOTAL_EFFECT,)

    @property
    def keep(self) -> tuple[str, ...]:
        """Tables of a run that the analysis reads."""
        return ("units", "applications") if self.outcome == LATE_FRAMES else ("units",)

    def values(self) -> dict[str, Any]:
        """Return the values that all runs have, by path."""
        periods = {"time.periods": self.periods} if self.periods else {}
        return {"users.assignment": self.unit, "users.ranks": "even", **periods}

    def factor(self) -> tuple[Level, ...]:
        """Return the values that the levels of the factor set."""
        in_order = self.order != RANDOM
        shares = [0.0 if level.share is None or in_order else level.share for level in self.levels]
        if not self.starts and not in_order:
            return (_level(SHARE, shares),)
        return (_level(SHARE, shares), _level(SCHEDULE, [self._schedule(level) for level in self.levels]))

    def level_text(self, number: int) -> str:
        """Return the text of a level, from 0: a share, or a test."""
        level = self.levels[number]
        return level.test if level.share is None else units.number_text(level.share)

    def _schedule(self, level: DeploymentLevel) -> list[dict[str, Any]]:
        """Return the entries of ``[[deployment]]`` of a level."""
        if level.share is not None:
            return [] if self.order == RANDOM else _in_order(level.share, self.adopters)
        if level.test == EVENT_STUDY:
            return [_entry(self.starts[len(self.starts) // 2])]
        if level.test == SWITCHBACK:
            return [_entry(start, share=float(number % 2)) for number, start in enumerate(self.starts) if number]
        later, count = self.starts[1:], len(self.adopters)
        ends = [round(count * number / len(later)) for number in range(len(later) + 1)]
        steps = [self.adopters[first:end] for first, end in pairwise(ends)]
        return [_entry(start, _routers(step)) for start, step in zip(later, steps, strict=True) if step]


def read_deployment(table: Mapping[str, Any], scenario: Scenario, directory: Path | None) -> Deployment:
    """Return the deployment of a table ``[deploy]``; paths in messages begin with its keys.

    `directory`: folder that a file of the order starts from.
    """
    for key in table:
        if key not in KEYS:
            raise unknown("key of [deploy]", str(key), KEYS, path=str(key))
    tests = _chosen({"tests": OF_SWEEP, **table}, "tests", TESTS)
    has_periods = any(test in BY_TIME for test in tests)
    for key in ("period", "burn_in"):
        if key in table and not has_periods:
            problem = "only a test with runs of its own has periods"
            raise InputError(problem, path=key, value=table[key], allowed=f"with tests = {', '.join(BY_TIME)}")
    unit = _one({"unit": scenario.value("users.assignment"), **table}, "unit", UNITS)
    order = table.get("order", RANDOM)
    if not isinstance(order, str):
        raise InputError("not an order", path="order", value=order, allowed=f"{', '.join(ORDERS)}, or a CSV file")
    if unit == "flow" and order != RANDOM:
        raise InputError("flows adopt in random order", path="order", value=order, allowed=RANDOM)
    adopters: tuple[Adopters, ...] = ()
    if order != RANDOM or ROLLOUT in tests:
        adopters = _adopters(order, scenario, unit, directory)
    if ROLLOUT in tests and len(adopters) < 2:
        problem = "a roll-out needs two places or more"
        allowed = ", ".join(test for test in TESTS if test != ROLLOUT)
        raise InputError(problem, path="tests", value=ROLLOUT, allowed=allowed)
    starts, periods, burn_in = _timeline(table, scenario) if has_periods else ((), 0, 0.0)
    return Deployment(
        shares=_shares(table.get("shares", SHARES)),
        unit=unit,
        order=order,
        tests=tests,
        outcome=_one(table, "outcome", OUTCOMES),
        by=_chosen(table, "by", GROUPS),
        adopters=adopters,
        starts=starts,
        periods=periods,
        burn_in=burn_in,
    )


def _shares(given: Any) -> tuple[float, ...]:
    if not isinstance(given, list | tuple) or not given:
        raise InputError("not a list of shares", path="shares", value=given, allowed="such as [0, 0.1, 0.5, 1]")
    shares: list[float] = []
    for place, value in enumerate(given):
        try:
            shares.append(parse_share(value))
        except InputError as error:
            raise error.located(path=f"shares[{place}]") from None
        if shares[-1] in shares[:-1]:
            raise InputError("a share is there twice", path=f"shares[{place}]", value=value, allowed="each share once")
    return tuple(sorted({0.0, *shares, 1.0}))


def _one(table: Mapping[str, Any], key: str, choices: Sequence[str]) -> str:
    value = table.get(key, choices[0])
    if value not in choices:
        raise unknown(key, str(value), choices, path=key)
    return str(value)


def _chosen(table: Mapping[str, Any], key: str, choices: Sequence[str]) -> tuple[str, ...]:
    given = table.get(key, [])
    if not isinstance(given, list | tuple):
        raise InputError("not a list", path=key, value=given, allowed=f"a list of {', '.join(choices)}")
    for place, value in enumerate(given):
        if value not in choices:
            raise unknown(f"entry of {key}", str(value), choices, path=f"{key}[{place}]")
    return tuple(each for each in choices if each in given)


def _timeline(table: Mapping[str, Any], scenario: Scenario) -> tuple[tuple[float, ...], int, float]:
    """Return the starts of the periods of tests, the number of measured periods, and the burn-in, s."""
    start, end = scenario.value("time.warmup"), scenario.value("time.duration")
    span = end - start
    period = _time(table, "period", span / PERIODS)
    burn_in = _time(table, "burn_in", period / _PARTS)
    count = _whole(span, period)
    if count is None or count < 2:
        allowed = f"a part of the measured time, {_text(span)}, such as {_text(span / PERIODS)}"
        raise InputError("not a period of the tests", path="period", value=table.get("period"), allowed=allowed)
    if burn_in and (_whole(period, burn_in) or 0) < 2:
        allowed = f"0 s, or a part of the period, {_text(period)}, such as {_text(period / _PARTS)}"
        raise InputError("not a part of a period", path="burn_in", value=table.get("burn_in"), allowed=allowed)
    starts = tuple(round(start + number * period, 9) for number in range(count))
    return starts, round(span / (burn_in or period)), burn_in


def _time(table: Mapping[str, Any], key: str, default: float) -> float:
    if key not in table:
        return default
    try:
        return units.TIME.parse(table[key], "10 s")
    except InputError as error:
        raise error.located(path=key) from None


def _whole(whole: float, part: float) -> int | None:
    """Return how often a part fits into a whole; None if it does not."""
    if part <= 0:
        return None
    count = round(whole / part)
    return count if count and abs(count * part - whole) < 1e-9 * whole else None


def _text(seconds: float) -> str:
    return units.TIME.show(seconds)


def _adopters(order: str, scenario: Scenario, unit: str, directory: Path | None) -> tuple[Adopters, ...]:
    """Return the units that adopt together, in order; a random order has the places in theirs."""
    routers = scenario.set("users.assignment", unit).describe()["map"]["routers"]
    names = [router["name"] for router in routers]
    above = {  # by access router its place, and the router of its region
        router["name"]: (names[router["place"]], names[router["region"]])
        for router in routers
        if router["place"] is not None
    }
    units_at = {router["name"]: router["units"] for router in routers}
    if order in (RANDOM, BY_PLACE):
        groups: Iterable[tuple[str, ...]] = _by_place(above)
    elif order == BY_ACCESS:
        classes = {router["name"]: router["class"] for router in routers}
        groups = [tuple(name for name in above if classes[name] == each) for each in _BY_SPEED]
    else:
        listed = _listed(order, directory, set(names))
        groups = [*((name,) for name in listed), tuple(above)]  # all others adopt last
    found, taken = [], set[str]()
    for group in groups:
        own = {name for name, ends in above.items() if {name, *ends} & set(group)} - taken
        taken |= own
        at = tuple(name for name in group if name in own or name not in above)
        found.append(Adopters(at, sum(units_at[name] for name in own)))
    return tuple(each for each in found if each.units)


def _by_place(above: Mapping[str, tuple[str, str]]) -> list[tuple[str, ...]]:
    """Return the points of presence; access routers without one together, by the router of their region."""
    places: dict[str, tuple[str, ...]] = {}
    for name, (place, region) in above.items():
        places[place] = (*places.get(place, ()), name) if place == region else (place,)
    return list(places.values())


def _listed(file: str, directory: Path | None, names: Container[str]) -> list[str]:
    """Return the routers of the column ``place`` of a CSV file, in its order."""
    path = (directory or Path()) / file
    if not path.is_file():
        allowed = f"{', '.join(ORDERS)}, or a CSV file with the column place"
        raise InputError("no such file", path="order", value=file, allowed=allowed)
    listed: list[str] = []
    for at, cells in rows(path, ("place",), needed=1):
        name = cells["place"]
        if name not in names:
            raise at.refuse("no such router", key="place", value=name, allowed="routers of the network")
        if name in listed:
            raise at.refuse("a router is there twice", key="place", value=name, allowed="each router once")
        listed.append(name)
    return listed


def _in_order(share: float, adopters: Sequence[Adopters]) -> list[dict[str, Any]]:
    """Return the entries with which a share of all units has the algorithm, the first adopters first."""
    wanted = share * sum(each.units for each in adopters)
    whole: list[Adopters] = []
    entries = []
    for each in adopters:
        if wanted >= each.units * (1 - 1e-12):
            whole.append(each)
        elif wanted > 0:
            entries.append(_entry(0.0, each.routers, wanted / each.units))
        wanted -= each.units
    return [*([_entry(0.0, _routers(whole))] if whole else []), *entries]


def _routers(adopters: Sequence[Adopters]) -> tuple[str, ...]:
    return tuple(name for each in adopters for name in each.routers)


def _entry(time: float, at: Sequence[str] = (), share: float = 1.0) -> dict[str, Any]:
    """Return an entry of ``[[deployment]]``, as a user would write it."""
    return {"time": f"{time!r} s", **({"at": list(at)} if at else {}), "share": share}


def _level(path: str, values: Sequence[Any]) -> Level:
    first, *inner, last = values
    return Level(path, first, last, tuple(inner))
