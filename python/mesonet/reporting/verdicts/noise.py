"""Noise of a comparison of two algorithms, from replicates.

Algorithms share the random numbers of a replicate (common random numbers), so that a replicate moves all of them
together. The runs of both algorithms are therefore compared in pairs: this part cancels in the differences of a
condition. Their variance is the noise of this pair and this condition, because variances differ between algorithms and
between conditions (paired t test; NIST/SEMATECH e-Handbook, section 7.3.1.1).
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from mesonet.analysis.means import finite_mean
from mesonet.reporting.campaign_view.tables import filled
from mesonet.reporting.campaign_view.view import CampaignView

Floats = NDArray[np.float64]


def replicated_runs(view: CampaignView, values: pl.DataFrame) -> Floats | None:
    """Return the values of a quantity in every run, if runs are replicated.

    Shape (conditions, algorithms, replicates), NaN where a run has no value; None if no run is replicated. `values`:
    columns condition, algorithm, replicate and value. Centre points are left out.
    """
    known = values.filter(pl.col("value").is_finite() & (pl.col("condition") <= len(view.conditions)))
    axes = {"condition": view.conditions, "algorithm": view.algorithms, "replicate": view.replicates}
    cube = filled(known, axes)
    return cube if (np.isfinite(cube).sum(axis=2) > 1).any() else None


def chance_of_conditions(differences: Floats) -> Floats:
    """Return the probability of differences at least as large by chance, condition by condition.

    The p-value of the paired t test, shape (conditions,); NaN with fewer than two pairs, or if all are 0.
    `differences`: shape (conditions, replicates): between the runs of both algorithms; NaN where either is missing.
    """
    squares, freedom = _of_means(differences)
    with np.errstate(all="ignore"):
        t = np.abs(finite_mean(differences, axis=1)) / np.sqrt(squares)
        return np.asarray(2 * stats.t.sf(t, freedom))


def error_of_mean(values: Floats) -> tuple[float, float]:
    """Return the standard error of a mean over conditions, of which each is a mean over replicates.

    The error and its degrees of freedom; NaN and 0 unless each condition has two values. `values`: shape (conditions,
    replicates); NaN where missing.

    Notes
    -----
    The degrees of freedom are those of a sum of variances that differ (F. E. Satterthwaite, An approximate distribution
    of estimates of variance components, Biometrics Bulletin 2, 1946). The intervals are rather wide, except if one
    condition has nearly all of the noise: with two replicates, a nominal 95 % is then about 90 %.
    """
    squares, freedom = _of_means(values)
    if not len(squares) or not np.isfinite(squares).all():
        return float("nan"), 0.0
    whole = float(squares.sum())
    if not whole:
        return 0.0, float(freedom.sum())
    return float(np.sqrt(whole)) / len(squares), float(1 / ((squares / whole) ** 2 / freedom).sum())


def _of_means(values: Floats) -> tuple[Floats, Floats]:
    """Return the squared error of the mean over replicates, condition by condition, and its degrees of freedom."""
    count = np.isfinite(values).sum(axis=1).astype(float)
    with np.errstate(all="ignore"):
        rest = (values - finite_mean(values, axis=1)[:, None]) ** 2
        squares = finite_mean(rest, axis=1) / (count - 1)
    return np.where(count > 1, squares, np.nan), count - 1
