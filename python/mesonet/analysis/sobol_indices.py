"""Sobol' indices: the shares of the variance of a response that single factors, and all with them, explain.

The first-order index of a factor is the share that it explains alone; its total index adds all interactions. Noise adds
to variances: with replicates its mean variance is taken off, and without them it counts as interaction.

Source: Saltelli and others, *Computer Physics Communications* 181 (2010) 259, estimators b and f of table 2; Jansen,
*Computer Physics Communications* 117 (1999) 35.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.checks import checked_alpha, factor_names
from mesonet.analysis.observations import Observations, first_equal, observations
from mesonet.analysis.result import AnalysisResult
from mesonet.errors import InputError
from mesonet.words import counted

Floats = NDArray[np.float64]
_FEWEST = 8
"""Fewest base points for intervals (chosen)."""
_RESAMPLES = 1000


@dataclass(frozen=True, eq=False, repr=False)
class SobolIndices(AnalysisResult):
    """Indices of k factors, with intervals from resampled base points."""

    factors: tuple[str, ...]
    first: Floats  #: first-order indices
    first_low: Floats
    first_high: Floats
    total: Floats  #: total indices
    total_low: Floats
    total_high: Floats
    variance: float  #: of the response without noise, in its squared unit
    noise: float  #: variance of the mean of the replicates of a run; NaN without replicates
    base: int  #: base points with all their values
    notes: tuple[str, ...]

    UNITS: ClassVar = dict.fromkeys(
        ("first", "first_low", "first_high", "total", "total_low", "total_high"), "1"
    )  # fmt: skip

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"factor": self.factors}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.UNITS}

    def _attributes(self) -> dict[str, Any]:
        facts = {"variance": self.variance, "noise": self.noise, "base": self.base}
        return {**facts, "notes": " ".join(self.notes)}


def sobol_indices(
    points: ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
    alpha: float = 0.05,
    seed: int = 1,
) -> SobolIndices:
    """Return the Sobol' indices of a response in a plan of `mesonet.designs.saltelli`.

    Parameters
    ----------
    points
        Settings of the runs in the order of the plan, coded or in any unit; shape (N (k + 2), k).
    y
        Values of the runs, or a frame, as for `main_effects`; replicates of a run show the noise.
    factors
        Names of the columns; by default x1 ... xk.
    algorithm
        As for `main_effects`.
    alpha
        Error probability of the intervals, above 0 and below 1.
    seed
        Seed of the resampled base points.

    Returns
    -------
    Indices with intervals, shape (k,). A base point that lacks a value is left out with all its runs.

    Raises
    ------
    InputError
        If the points are no such plan, or fewer than 8 base points have all their values.
    ValueError
        If the values do not fit the points.

    Examples
    --------
    >>> from mesonet.designs import saltelli
    >>> x = saltelli(2, 4 * 256)
    >>> sobol_indices(x, 2 * x[:, 0] + x[:, 1]).first.round(2).tolist()
    [0.8, 0.2]
    """
    alpha = checked_alpha(alpha)
    x = np.asarray(points, dtype=float)
    if x.ndim != 2 or not x.size or not np.isfinite(x).all():
        raise InputError("not points", path="points", allowed="numbers, shape (runs, factors)")
    k = x.shape[1]
    base = _base(x)
    observed = observations(y, points, algorithm)
    value = by_row(observed, x).reshape(k + 2, base)
    whole = np.isfinite(value).all(axis=0)
    notes = []
    if lost := int((~whole).sum()):
        notes.append(f"{counted(lost, 'base point')} of {base} lack a value and are left out.")
    value = value[:, whole]
    base = value.shape[1]
    if base < _FEWEST:
        raise InputError("too few base points with all their values", path="y", value=base, allowed=f"{_FEWEST}")
    noise = noise_of_means(observed)
    if np.isnan(noise):
        notes.append("Without replicates noise counts as interaction: total indices of a noisy response are too high.")
    first, total, variance = _indices(value[:, :, None], 0.0 if np.isnan(noise) else noise)
    if not variance[0] > 0:
        notes.append("The response varies by no more than its noise: there are no indices.")
    places = np.random.default_rng(seed).integers(0, base, (base, _RESAMPLES))
    found = _indices(value[:, places], 0.0 if np.isnan(noise) else noise)
    with np.errstate(all="ignore"):
        bounds = [np.nanquantile(each, (alpha / 2, 1 - alpha / 2), axis=1) for each in found[:2]]
    return SobolIndices(
        factors=factor_names(factors, k),
        first=first[:, 0],
        first_low=bounds[0][0],
        first_high=bounds[0][1],
        total=total[:, 0],
        total_low=bounds[1][0],
        total_high=bounds[1][1],
        variance=float(variance[0]),
        noise=noise,
        base=base,
        notes=tuple(notes),
    )


def _indices(value: Floats, noise: float) -> tuple[Floats, Floats, Floats]:
    """Return first-order and total indices, and variances. `value`: shape (k + 2, base, samples)."""
    value = value - value[:2].mean(axis=(0, 1))
    one, other, mixed = value[0], value[1], value[2:]
    variance = value[:2].reshape(-1, value.shape[2]).var(axis=0) - noise
    usable = np.where(variance > 0, variance, np.nan)
    first = (other * (mixed - one)).mean(axis=1) / usable
    total = (0.5 * ((one - mixed) ** 2).mean(axis=1) - noise) / usable
    return first, total, variance


def _base(x: Floats) -> int:
    """Return the number of base points of a plan."""
    k = x.shape[1]
    base, rest = divmod(len(x), k + 2)
    if not rest and base:
        blocks = x.reshape(k + 2, base, k)
        expected = [np.where(np.arange(k) == place, blocks[1], blocks[0]) for place in range(k)]
        if np.allclose(blocks[2:], expected):
            return int(base)
    allowed = "the runs of mesonet.designs.saltelli, in their order"
    raise InputError("no plan for Sobol' indices", path="points", value=len(x), allowed=allowed)


def by_row(observed: Observations, settings: Floats) -> Floats:
    """Return the mean of the values of each row; NaN without one."""
    found = np.full(len(settings), np.nan)
    found[observed.used] = observed.mean
    return np.asarray(found[first_equal(settings)])


def noise_of_means(observed: Observations) -> float:
    """Return the mean variance of the mean of the replicates of a run; NaN without replicates."""
    count, sd = observed.moments.count, observed.moments.sd
    there = count > 1
    if not there.any():
        return float("nan")
    pooled = float(np.average(sd[there] ** 2, weights=count[there] - 1))
    return float((pooled / count).mean())
