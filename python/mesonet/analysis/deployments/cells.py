"""Sums by unit and by run: from rows to the cells of contrasts, by scale and weights.

Sums are taken over sorted rows, so that the order of the user's rows changes no bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.decisions.pairs import LEAST_OF_MEAN
from mesonet.analysis.deployments.clusters import Cell, Floats, cell

RATIO, DIFFERENCE, LOG = "ratio", "difference", "log"
SCALES = (RATIO, DIFFERENCE, LOG)
"""Ratio of means less 1, difference of means, ratio of geometric means less 1."""
UNIT, WEIGHT = "unit", "weight"
WEIGHTS = (UNIT, WEIGHT)
"""Equal weights of units, or the weights of the table, such as flows."""
ARMS = ["condition", "seed", "share", "treated"]
Ints = NDArray[np.int64]


class Arm(NamedTuple):
    """Place of a cell."""

    condition: str
    share: float
    treated: bool


def starts(ordered: pl.DataFrame, keys: Sequence[str]) -> Ints:
    """Return the first row of each group of a sorted frame."""
    changes = ordered.select(pl.any_horizontal(*(pl.col(key).ne_missing(pl.col(key).shift()) for key in keys)))
    first = changes.to_series().to_numpy().copy()
    first[:1] = True
    return np.flatnonzero(first)


def unit_means(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return a row per group of keys, sorted: the weighted mean of `value`, and the sum of `weight`."""
    ordered = rows.select(*keys, "value", "weight").sort([*keys, "value", "weight"])
    at = starts(ordered, keys)
    value, weight = (ordered[name].to_numpy() for name in ("value", "weight"))
    total = np.add.reduceat(weight, at)
    single = np.diff(np.append(at, len(value))) == 1
    mean = np.where(single, value[at], np.add.reduceat(weight * value, at) / total)
    return ordered[at].select(keys).with_columns(pl.Series("value", mean), pl.Series("weight", total))


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of one scale: contrasts of them are logarithms, but for differences."""

    of: dict[Arm, Cell]
    log: bool  #: take the logarithm of means: values are units and the scale is a ratio of means
    shift: float  #: added to values before a logarithm, because one of them is 0
    why: str  #: the reason why the scale has no values; empty if it has


@dataclass(frozen=True, eq=False)
class Sample:
    """Outcome of some units: a row per condition, seed, share, arm and unit, in this order."""

    units: pl.DataFrame
    by_seed: bool  #: clusters are seeds, and not units

    @cached_property
    def _arms(self) -> tuple[Ints, pl.DataFrame]:
        """First row of each arm of each run, and the arms."""
        at = starts(self.units, ARMS)
        return at, self.units[at].select(ARMS)

    @cached_property
    def counts(self) -> dict[Arm, int]:
        """Number of different units of each arm."""
        keys = [name for name in ARMS if name != "seed"]
        found = self.units.group_by(keys).agg(pl.col("unit").n_unique())
        return {Arm(row["condition"], row["share"], row["treated"]): row["unit"] for row in found.iter_rows(named=True)}

    @property
    def shares(self) -> list[float]:
        """Shares in rising order."""
        return sorted({arm.share for arm in self.counts})

    @property
    def conditions(self) -> list[str]:
        """Conditions in rising order."""
        return sorted({arm.condition for arm in self.counts})

    def cells(self, scale: str, weights: str) -> Cells:
        """Return the cells of one scale."""
        value, weight = (self.units[name].to_numpy() for name in ("value", "weight"))
        weight = np.ones(len(value)) if weights == UNIT else weight
        shift, why = 0.0, ""
        if scale == LOG:
            value, shift, why = logarithms(value)
        if not self.by_seed:
            of = self._by_unit(value, weight)
            if scale == RATIO:
                _, shift, why = logarithms(np.array([each.mean for each in of.values()]))
                of = {arm: replace(each, values=each.values + shift) for arm, each in of.items()}
            return Cells(of, scale == RATIO, shift, why)
        at, arms = self._arms
        mean = np.add.reduceat(weight * value, at) / np.add.reduceat(weight, at)
        if scale == RATIO:
            mean, shift, why = logarithms(mean)
        return Cells(_by_seed(arms, mean), False, shift, why)

    def _by_unit(self, value: Floats, weight: Floats) -> dict[Arm, Cell]:
        """Return cells whose clusters are units."""
        at, arms = self._arms
        ends = np.append(at, len(value))[1:]
        units = self.units["unit"].to_numpy()
        return {
            Arm(condition, share, treated): cell(units[begin:end], value[begin:end], weight[begin:end])
            for (condition, _, share, treated), begin, end in zip(arms.iter_rows(), at, ends, strict=True)
        }


def sample(rows: pl.DataFrame, by_seed: bool) -> Sample:
    """Return the sample of rows of one outcome."""
    return Sample(unit_means(rows, [*ARMS, "unit"]), by_seed)


def _by_seed(arms: pl.DataFrame, mean: Floats) -> dict[Arm, Cell]:
    """Return cells whose clusters are seeds, each with the mean of its run."""
    found: dict[Arm, list[tuple[int, float]]] = {}
    for (condition, seed, share, treated), value in zip(arms.iter_rows(), mean.tolist(), strict=True):
        found.setdefault(Arm(condition, share, treated), []).append((seed, value))
    return {arm: cell(np.array([s for s, _ in each]), np.array([v for _, v in each])) for arm, each in found.items()}


def logarithms(values: Floats) -> tuple[Floats, float, str]:
    """Return logarithms, the shift that a value of 0 needs, and the reason why there are none."""
    if (values < 0).any():
        return np.full(len(values), np.nan), 0.0, "a value or a mean is below 0"
    shift = 0.0
    if (values == 0).any():
        shift = LEAST_OF_MEAN * float(values.mean()) or 1.0
    return np.log(values + shift), shift, ""
