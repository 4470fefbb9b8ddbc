"""Elementary effects of factors: changes of a response along paths that change one factor at each step.

The mean absolute effect orders the factors. Effects that differ between paths show curvature or interactions.

Source: Morris, *Technometrics* 33 (1991) 161; Campolongo, Cariboni and Saltelli, *Environmental Modelling and Software*
22 (2007) 1509 (the mean of absolute effects).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.checks import checked_alpha, factor_names
from mesonet.analysis.observations import observations
from mesonet.analysis.result import AnalysisResult
from mesonet.analysis.sobol_indices import by_row, noise_of_means
from mesonet.errors import InputError
from mesonet.words import counted

Floats = NDArray[np.float64]
_RESAMPLES = 1000


@dataclass(frozen=True, eq=False, repr=False)
class MorrisEffects(AnalysisResult):
    """Elementary effects of k factors in the unit of the response: changes over the whole range of a factor."""

    factors: tuple[str, ...]
    mean: Floats  #: of the effects
    size: Floats  #: mean of their absolute values
    size_low: Floats
    size_high: Floats
    spread: Floats  #: standard deviation of the effects, without noise if there are replicates
    noise: Floats  #: size that noise alone gives a factor without effect; NaN without replicates
    paths: int  #: paths with all their values
    notes: tuple[str, ...]

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"factor": self.factors}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("mean", "size", "size_low", "size_high", "spread", "noise")}

    def _attributes(self) -> dict[str, Any]:
        return {"paths": self.paths, "notes": " ".join(self.notes)}


def morris_effects(
    points: ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
    alpha: float = 0.05,
    seed: int = 1,
) -> MorrisEffects:
    """Return the elementary effects of a response in a plan of `mesonet.designs.morris`.

    Parameters
    ----------
    points
        Settings of the runs in the order of the plan, coded or in any unit; shape (r (k + 1), k).
    y
        Values of the runs, or a frame, as for `main_effects`; replicates of a run show the noise.
    factors
        Names of the columns; by default x1 ... xk.
    algorithm
        As for `main_effects`.
    alpha
        Error probability of the intervals, above 0 and below 1.
    seed
        Seed of the resampled paths.

    Returns
    -------
    Effects over the range of the factors in the plan, shape (k,). A path that lacks a value is left out.

    Raises
    ------
    InputError
        If the points are no such plan, or fewer than 2 paths have all their values.
    ValueError
        If the values do not fit the points.

    Examples
    --------
    >>> from mesonet.designs import morris
    >>> x = morris(2, 3 * 10)
    >>> found = morris_effects(x, 5 * x[:, 0])
    >>> found.size.round(6).tolist(), found.spread.round(6).tolist()
    ([10.0, 0.0], [0.0, 0.0])
    """
    alpha = checked_alpha(alpha)
    x = np.asarray(points, dtype=float)
    if x.ndim != 2 or not x.size or not np.isfinite(x).all():
        raise InputError("not points", path="points", allowed="numbers, shape (runs, factors)")
    k = x.shape[1]
    steps, changed = _steps(x)
    observed = observations(y, points, algorithm)
    value = by_row(observed, x).reshape(-1, k + 1)
    whole = np.asarray(np.isfinite(value).all(axis=1))
    notes = []
    if lost := int((~whole).sum()):
        notes.append(f"{counted(lost, 'path')} of {len(whole)} lack a value and are left out.")
    if (paths := int(whole.sum())) < 2:
        raise InputError("too few paths with all their values", path="y", value=paths, allowed="at least 2")
    # A step is part of the range of its factor: effects are for the whole range.
    share = steps / np.ptp(x, axis=0)[changed]
    each = np.diff(value, axis=1) / share
    effects = np.take_along_axis(each, np.argsort(changed, axis=1), axis=1)[whole]
    own_share = np.take_along_axis(np.abs(share), np.argsort(changed, axis=1), axis=1)[whole]
    variance = noise_of_means(observed)
    of_effect = 2 * variance * (1 / own_share**2).mean(axis=0)
    spread = effects.var(axis=0, ddof=1)
    if np.isnan(variance):
        notes.append("Without replicates noise adds to size and spread.")
    else:
        spread = np.maximum(spread - of_effect, 0.0)
    places = np.random.default_rng(seed).integers(0, paths, (_RESAMPLES, paths))
    sizes = np.abs(effects)[places].mean(axis=1)
    low, high = np.quantile(sizes, (alpha / 2, 1 - alpha / 2), axis=0)
    return MorrisEffects(
        factors=factor_names(factors, k),
        mean=effects.mean(axis=0),
        size=np.abs(effects).mean(axis=0),
        size_low=low,
        size_high=high,
        spread=np.sqrt(spread),
        noise=np.sqrt(2 / np.pi * of_effect),
        paths=paths,
        notes=tuple(notes),
    )


def _steps(x: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Return the steps of each path and the factor that each changes, shapes (paths, k)."""
    k = x.shape[1]
    if len(x) % (k + 1) == 0:
        steps = np.diff(x.reshape(-1, k + 1, k), axis=1)
        moved = np.abs(steps) > 1e-9 * np.maximum(np.ptp(x, axis=0), 1e-300)
        if (moved.sum(axis=2) == 1).all() and (moved.sum(axis=1) == 1).all():
            changed = moved.argmax(axis=2)
            return np.take_along_axis(steps, changed[:, :, None], axis=2)[:, :, 0], changed
    allowed = "the runs of mesonet.designs.morris, in their order"
    raise InputError("no plan for elementary effects", path="points", value=len(x), allowed=allowed)
