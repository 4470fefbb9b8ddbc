"""Designs of tests, each evaluated against the total effect: bias, noise of one test, wrong signs, needed size.

* *A/B*: both arms in one network, at share p: the naive effect.
* *Paired links*: the arm with the new control of a network at a high share, against the other arm of another network
  at the complementary share.
* *Switchback*: the whole network switches between periods. *Event study*: it switches once.
* *Roll-out*: places switch in turn. The effect is the coefficient in a model with a mean of each place and period.

In the designs by time, a unit belongs to the share of its period and place, whichever control its older flows have.

Source: B. Spang et al., IMC 2021 (paired links, switchback, event study); M. A. Hussey and J. P. Hughes, Contemporary
Clinical Trials 28, 2007 (stepped wedge); J. G. MacKinnon and H. White, Journal of Econometrics 29, 1985 (jackknife).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from scipy import special

from mesonet.analysis.decisions.pairs import margin_of
from mesonet.analysis.deployments.cells import (
    DIFFERENCE,
    LOG,
    RATIO,
    UNIT,
    Arm,
    Ints,
    logarithms,
    sample,
    unit_means,
)
from mesonet.analysis.deployments.cells import starts as group_starts
from mesonet.analysis.deployments.clusters import Contrast, Floats, cell, contrast
from mesonet.analysis.deployments.effects import Asked
from mesonet.analysis.deployments.estimands import Statement, total
from mesonet.analysis.deployments.outcomes import Outcomes
from mesonet.analysis.deployments.words import needed
from mesonet.deployment_tests import AB, EVENT_STUDY, LINKS, OF_SWEEP, ROLLOUT, SWEEP, SWITCHBACK, TESTS
from mesonet.errors import InputError

SCHEMA = {
    "test": pl.String, "outcome": pl.String, "condition": pl.String, "share": pl.Float64, "tests": pl.Int64,
    "estimate": pl.Float64, "low": pl.Float64, "high": pl.Float64, "total": pl.Float64, "bias": pl.Float64,
    "bias_low": pl.Float64, "bias_high": pl.Float64, "bias_percent": pl.Float64, "sd": pl.Float64,
    "wrong_sign": pl.Float64, "wrong_conclusion": pl.Float64, "needed": pl.Int64, "needed_of": pl.String,
    "scaling": pl.String, "scale": pl.String, "weights": pl.String, "why": pl.String,
}  # fmt: skip
SIMULATED = "total effect"
"""Test of a simulator only: runs at shares 0 and 1 with equal seeds."""


@dataclass(frozen=True, eq=False)
class Design:
    """Estimates of a design at one share in runs of different seeds."""

    name: str
    share: float
    singles: Mapping[int, Contrast]  #: by seed, log ratios or differences, with the noise inside of the test
    size: float  #: units, periods or places of one test
    size_of: str


def tests_table(read: Outcomes, asked: Asked) -> pl.DataFrame:
    """Return a row per design, share, outcome and condition."""
    rows = []
    for outcome in read.names:
        by_condition = read.of(outcome, SWEEP, *TESTS).partition_by("condition", as_dict=True)
        for (condition,), own in sorted(by_condition.items()):
            of = _Condition(own, asked)
            labels = {"outcome": outcome, "condition": condition, "scale": asked.lead[0], "weights": asked.lead[1]}
            rows += [dict.fromkeys(SCHEMA) | labels | row for row in of.rows()]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


class _Condition:
    """Designs of one outcome in one condition."""

    def __init__(self, rows: pl.DataFrame, asked: Asked) -> None:
        self._asked = asked
        self._by_test = {test: own for (test,), own in rows.partition_by("test", as_dict=True).items()}
        self._runs = {name: _Runs(rows, asked) for name, rows in self._by_test.items() if name in (SWEEP, *OF_SWEEP)}
        sweep = self._runs.get(SWEEP)
        self._total = sweep.test(total(), SIMULATED, "seeds") if sweep else None
        self._truth = _truth(self._total, asked) if self._total else None

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the row of each test."""
        if self._total:
            yield self._row(self._total) | {"scaling": "t with seeds - 1", **self._seeds()}
        for test in self._tests():
            row = self._row(test)
            yield row | {"needed": self._size(test, row["sd"]), "needed_of": test.size_of, "scaling": _scaling(test)}

    def _tests(self) -> Iterator[Design]:
        """Yield the tests that have runs; A/B and paired links have the runs of the sweep if they have no others."""
        sweep = self._runs.get(SWEEP)
        ab, links = self._runs.get(AB, sweep), self._runs.get(LINKS, sweep)
        for share in ab.shares if ab else ():
            naive = Statement(AB, share, ((share, True, 1), (share, False, -1)))
            if found := ab.test(naive, AB, "units"):  # type: ignore[union-attr]
                yield found
        for share in links.shares if links else ():
            if share > 0.5 and (found := links.paired(share)):  # type: ignore[union-attr]
                yield found
        for name, of in ((SWITCHBACK, _by_period), (EVENT_STUDY, _by_period), (ROLLOUT, _by_place)):
            if name in self._by_test:
                yield of(name, self._by_test[name], self._asked)

    def _row(self, test: Design) -> dict[str, Any]:
        """Return what a test says, and how far it is from the total effect."""
        values = np.array([each.value for each in test.singles.values()])
        mean, sd = _moments(test)
        low, high = _ends(test, self._asked.alpha)
        row = {"test": test.name, "share": test.share, "tests": len(values), "estimate": self._shown(mean)}
        row |= {"low": self._shown(low), "high": self._shown(high), "sd": _known(sd)}
        why = []
        if len(values) == 1:
            why.append("one test: the noise of its own units, periods or places")
        if self._truth is None:
            why.append("no total effect: runs at shares 0 and 1 are missing")
        else:
            row["total"] = self._shown(self._truth.mean)
            if not self._truth.sign:
                why.append("the interval of the total effect has 0 in it: no sign is wrong, and any effect is")
            if test is not self._total:
                row |= self._bias(test, mean) | self._wrong(test, mean, sd)
                if row["wrong_conclusion"] is None:
                    why.append("one unit, period or place in an arm: a single test has no interval")
        return row | {"why": "; ".join(why)}

    def _bias(self, test: Design, mean: float) -> dict[str, Any]:
        """Return estimate less total effect, as both are shown, with an interval over seeds."""
        assert self._truth is not None
        bias = float(self._transformed(mean) - self._transformed(self._truth.mean))
        row: dict[str, Any] = {"bias": bias}
        if self._truth.sign:
            row["bias_percent"] = 100 * bias / abs(float(self._transformed(self._truth.mean)))
        both = [(seeds, np.array([each.value for each in of.values()])) for of in (test.singles, self._truth.singles)
                if len(seeds := np.array(list(of)))]  # fmt: skip
        if all(len(seeds) > 1 for seeds, _ in both):
            # The change of a relative change with its log ratio is exp(log ratio).
            slopes = [self._slope(mean), -self._slope(self._truth.mean)]
            found = contrast([cell(*each) for each in both], slopes)
            shift = bias - found.value
            row |= dict(zip(("bias_low", "bias_high"), (e + shift for e in found.ends(self._asked.alpha)), strict=True))
        return row

    def _wrong(self, test: Design, mean: float, sd: float) -> dict[str, Any]:
        """Return the chance of a wrong sign of one test, and the part of the tests with a wrong conclusion."""
        assert self._truth is not None
        sign = self._truth.sign
        row: dict[str, Any] = {}
        if sign and np.isfinite(sd):
            row["wrong_sign"] = float(special.ndtr(-sign * mean / sd)) if sd > 0 else float(sign * mean < 0)
        ends = [each.ends(self._asked.alpha) for each in test.singles.values() if np.isfinite(each.error)]
        row["wrong_conclusion"] = None
        if ends:
            concluded = [1 if low > 0 else -1 if high < 0 else 0 for low, high in ends]
            row["wrong_conclusion"] = float(np.mean([each not in (0, sign) for each in concluded]))
        return row

    def _seeds(self) -> dict[str, Any]:
        """Return the seeds that a simulator needs for the precision."""
        assert self._total is not None
        values = np.array([each.value for each in self._total.singles.values()])
        if len(values) < 2:
            return {}
        found = contrast([cell(np.arange(len(values)), values)], [1.0])
        number = needed(found, len(values), alpha=self._asked.alpha, target=self._target(), by_seed=True)
        return {"needed": number, "needed_of": "seeds"}

    def _size(self, test: Design, sd: float | None) -> int | None:
        """Return the size of a test whose interval has the half-width `precision`, if the noise falls as its root."""
        if sd is None or not self._target() > 0:
            return None
        normal = float(special.ndtri(1 - self._asked.alpha / 2))
        return max(1, int(np.ceil(test.size * (normal * sd / self._target()) ** 2)))

    def _target(self) -> float:
        """Return the precision as a log ratio; for differences a part of the mean outcome."""
        if self._asked.lead[0] != DIFFERENCE:
            return margin_of(self._asked.precision)
        means = [abs(float(rows["value"].mean())) for rows in self._by_test.values()]  # type: ignore[arg-type]
        return self._asked.precision * means[0]

    def _transformed(self, value: float) -> float:
        return value if self._asked.lead[0] == DIFFERENCE else float(np.expm1(min(value, 700.0)))

    def _slope(self, value: float) -> float:
        return 1.0 if self._asked.lead[0] == DIFFERENCE else float(np.exp(value))

    def _shown(self, value: float) -> float | None:
        return self._transformed(value) if np.isfinite(value) else None


@dataclass(frozen=True)
class _Truth:
    """The total effect."""

    mean: float
    sign: int  #: 0 if its interval has 0 in it
    singles: Mapping[int, Contrast]


def _truth(test: Design, asked: Asked) -> _Truth:
    low, high = _ends(test, asked.alpha)
    return _Truth(_moments(test)[0], 1 if low > 0 else -1 if high < 0 else 0, test.singles)


def _moments(test: Design) -> tuple[float, float]:
    """Return the mean of the estimates and the standard deviation of one: over seeds, or else from inside of it."""
    values = np.array([each.value for each in test.singles.values()])
    own = next(iter(test.singles.values())).error
    return float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else own


def _ends(test: Design, alpha: float) -> tuple[float, float]:
    """Return the interval of the mean over seeds, or of the only test."""
    if len(test.singles) == 1:
        return next(iter(test.singles.values())).ends(alpha)
    values = np.array([each.value for each in test.singles.values()])
    return contrast([cell(np.arange(len(values)), values)], [1.0]).ends(alpha)


def _known(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _scaling(test: Design) -> str:
    return f"1/sqrt({test.size_of}): assumed"


class _Runs:
    """Runs of a sweep, each a condition of its own with units as clusters."""

    def __init__(self, rows: pl.DataFrame, asked: Asked) -> None:
        self.seeds = sorted(rows["seed"].unique().to_list())
        self.shares = sorted(rows["share"].unique().to_list())
        runs = rows.with_columns(pl.col("seed").cast(pl.String).alias("condition"))
        self._sample = sample(runs, by_seed=False)
        self._cells = self._sample.cells(*asked.lead)

    def test(self, ask: Statement, name: str, size_of: str) -> Design | None:
        """Return the estimates of a statement in each run; None if no run has its arms."""
        arms = {seed: [Arm(str(seed), *term[:2]) for term in ask.terms] for seed in self.seeds}
        whole = {seed: each for seed, each in arms.items() if all(arm in self._cells.of for arm in each)}
        signs = [float(term[2]) for term in ask.terms]
        return self._made(name, ask.share, {seed: (each, signs) for seed, each in whole.items()}, size_of)

    def paired(self, share: float) -> Design | None:
        """Return the estimates of paired links: each run against the run of the next seed at the other share."""
        other = next((each for each in self.shares if abs(each - (1 - share)) < 1e-9), None)
        if other is None or len(self.seeds) < 2:
            return None
        following = dict(zip(self.seeds, self.seeds[1:] + self.seeds[:1], strict=True))
        found = {}
        for seed in self.seeds:
            arms = [Arm(str(seed), share, True), Arm(str(following[seed]), other, False)]
            if all(arm in self._cells.of for arm in arms):
                found[seed] = (arms, [1.0, -1.0])
        return self._made(LINKS, share, found, "units")

    def _made(self, name: str, share: float, runs: Mapping[int, Any], size_of: str) -> Design | None:
        if not runs or self._cells.why:
            return None
        singles = {}
        for seed, (arms, signs) in runs.items():
            cells = [self._cells.of[arm] for arm in arms]
            if len({arm.condition for arm in arms}) > 1:  # other links have other users
                cells = [replace(each, clusters=len(cells) * each.clusters + k) for k, each in enumerate(cells)]
            singles[seed] = contrast(cells, signs, log=self._cells.log)
        singles = {seed: each for seed, each in singles.items() if np.isfinite(each.value)}
        size = float(np.mean([each.clusters for each in singles.values()])) if singles else 0.0
        return Design(name, share, singles, size, size_of) if singles else None


def _by_period(name: str, rows: pl.DataFrame, asked: Asked) -> Design:
    """Return the differences of the means of periods at the highest and at the lowest share."""
    means, values = _means(name, rows, [], asked)
    shares = means["share"].to_numpy()
    low, high = shares.min(), shares.max()
    _check_two_shares(name, low, high)
    singles = {}
    for seed, own in _of_seeds(means):
        period = means["period"].to_numpy()[own]
        kept = _settled(shares[own], asked.burn_in)
        on, off = (kept & (shares[own] == share) for share in (high, low))
        if on.any() and off.any():
            cells = [cell(period[each], values[own][each]) for each in (on, off)]
            singles[seed] = contrast(cells, [1.0, -1.0])
    if not singles:
        problem = "no period is left after the burn-in in both arms"
        raise InputError(problem, path="burn_in", value=asked.burn_in, allowed="fewer periods than between two changes")
    size = float(np.mean([each.clusters for each in singles.values()]))
    return Design(name, float(high), singles, size, "periods")


def _by_place(name: str, rows: pl.DataFrame, asked: Asked) -> Design:
    """Return the effects of places that switch in turn, with means of places and periods."""
    if rows["place"].is_in(["", None]).any():
        raise InputError("a roll-out without places", path="place", allowed="a column with the place of each unit")
    means, values = _means(name, rows, ["place"], asked)
    _check_two_shares(name, means["share"].min(), means["share"].max())  # type: ignore[arg-type]
    singles = {}
    for seed, own in _of_seeds(means):
        part = means.filter(pl.Series(own))
        keys = [part[key].rank("dense").to_numpy().astype(int) - 1 for key in ("place", "period")]
        singles[seed] = _two_ways(keys[0], keys[1], part["share"].to_numpy(), values[own])
    size = float(np.mean([each.clusters for each in singles.values()]))
    return Design(name, float(means["share"].max()), singles, size, "places")  # type: ignore[arg-type]


def _means(name: str, rows: pl.DataFrame, places: Sequence[str], asked: Asked) -> tuple[pl.DataFrame, Floats]:
    """Return the seeds, periods and places of a test by time with their shares, and the mean of each."""
    scale, weights = asked.lead
    keys = ["seed", "period", *places]
    units = unit_means(rows, [*keys, "share", "unit"])
    at = group_starts(units, [*keys, "share"])
    means = units[at].select(*keys, "share")
    if len(group_starts(means, keys)) < means.height:
        what = "place and period" if places else "period"
        raise InputError(f"several shares in one {what} of a {name}", path="share", allowed=f"one share per {what}")
    value = units["value"].to_numpy()
    value = logarithms(value)[0] if scale == LOG else value
    weight = np.ones(len(value)) if weights == UNIT else units["weight"].to_numpy()
    mean = np.add.reduceat(weight * value, at) / np.add.reduceat(weight, at)
    return means, logarithms(mean)[0] if scale == RATIO else mean


def _check_two_shares(name: str, low: float, high: float) -> None:
    if low == high:
        raise InputError(f"one share in a {name}", path="share", value=high, allowed="two, such as 0 and 1, over time")


def _of_seeds(means: pl.DataFrame) -> Iterator[tuple[int, Any]]:
    """Yield each seed with its rows."""
    seeds = means["seed"].to_numpy()
    for seed in np.unique(seeds).tolist():
        yield seed, seeds == seed


def _settled(shares: Floats, burn_in: int) -> Any:
    """Return True for periods in order of time that are not among the first `burn_in` after a change of the share."""
    kept = np.ones(len(shares), dtype=bool)
    for change in (np.flatnonzero(np.diff(shares)) + 1).tolist():
        kept[change : change + burn_in] = False
    return kept


@lru_cache(maxsize=1024)
def _beside_means(place: bytes, period: bytes, share: bytes, kept: bytes) -> Floats:
    """Return what means of places and periods leave of the shares; outcomes and seeds have the same places."""
    rows = np.frombuffer(kept, bool)
    columns = [np.frombuffer(each, np.int64) for each in (place, period)]
    dummies = np.concatenate([np.eye(each.max() + 1)[each[rows]] for each in columns], axis=1)
    wanted = np.frombuffer(share)[rows]
    left = wanted - dummies @ np.linalg.lstsq(dummies, wanted, rcond=None)[0]
    left.setflags(write=False)
    return np.asarray(left)


def _two_ways(place: Ints, period: Ints, share: Floats, value: Floats) -> Contrast:
    """Return the coefficient of the share beside means of places and periods; its error by leaving out each place."""
    design = tuple(each.tobytes() for each in (place.astype(np.int64), period.astype(np.int64), share))

    def effect(kept: Any) -> float:
        rest = _beside_means(*design, kept.tobytes())
        square = float(rest @ rest)
        return float(rest @ value[kept]) / square if square > 1e-9 * len(rest) else float("nan")

    places = int(place.max()) + 1
    own = effect(np.ones(len(place), dtype=bool))
    without = np.array([effect(place != each) for each in range(places)]) if places > 2 else np.array([np.nan])
    error = float(np.sqrt((places - 1) / places * ((without - own) ** 2).sum()))
    return Contrast(own, error, places - 1.0, places)
