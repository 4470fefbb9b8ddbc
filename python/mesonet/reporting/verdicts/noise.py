"""Noise of a difference between algorithms, from replicates.

Algorithms share the random numbers of a replicate (common random numbers), so that a replicate moves all of them
together. This part cancels in a difference. The noise is the rest of a value after the mean of its algorithm and the
mean of its replicate (randomised blocks; NIST/SEMATECH e-Handbook, section 5.3.3.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from mesonet.reporting.campaign_view.tables import filled
from mesonet.reporting.campaign_view.view import CampaignView

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Noise:
    """Noise of a quantity: its standard deviation within a condition, pooled over all algorithms."""

    variance: Floats  #: per condition: of a single value; NaN where no run is replicated
    freedom: Floats  #: per condition: degrees of freedom of the variance
    runs: Floats  #: shape (conditions, algorithms): replicates that have a value

    def of_difference(self, one: int, other: NDArray[np.intp] | int, comparisons: int) -> Floats:
        """Return half widths of 95 % intervals of the difference of two algorithms' means, condition by condition.

        Parameters
        ----------
        one
            Place of an algorithm, from 0.
        other
            Place of the other algorithm, or its place in each condition.
        comparisons
            Number of comparisons that hold together (Bonferroni).

        Returns
        -------
        Shape (conditions,), in the unit of the quantity; NaN where the noise is not known.
        """
        rows = np.arange(len(self.variance))
        with np.errstate(all="ignore"):
            shares = 1 / self.runs[:, one] + 1 / self.runs[rows, other]
            quantile = stats.t.ppf(1 - 0.025 / max(1, comparisons), self.freedom)
            return np.asarray(quantile * np.sqrt(self.variance * shares))

    def error_of_mean_difference(
        self, one: int, other: NDArray[np.intp] | int, used: NDArray[np.bool_]
    ) -> tuple[float, float]:
        """Return the standard error of the difference between two algorithms' means over some conditions.

        Parameters
        ----------
        one
            Place of an algorithm, from 0.
        other
            Place of the other algorithm, or its place in each condition.
        used
            Mask of the conditions, shape (conditions,).

        Returns
        -------
        The error and its degrees of freedom; NaN and 0 unless the noise is known in all of these conditions.
        """
        rows = np.arange(len(self.variance))
        with np.errstate(all="ignore"):
            each = (self.variance * (1 / self.runs[:, one] + 1 / self.runs[rows, other]))[used]
        freedom = self.freedom[used].sum()
        if not len(each) or not np.isfinite(each).all() or freedom < 1:
            return float("nan"), 0.0
        return float(np.sqrt(each.sum()) / len(each)), float(freedom)


def noise(view: CampaignView, values: pl.DataFrame) -> Noise | None:
    """Return the noise of a quantity.

    Parameters
    ----------
    view
        View of the campaign.
    values
        Columns condition, algorithm, replicate and value. Centre points are left out.

    Returns
    -------
    The noise; None if no run is replicated.
    """
    known = values.filter(pl.col("value").is_finite() & (pl.col("condition") <= len(view.conditions)))
    axes = {"condition": view.conditions, "algorithm": view.algorithms, "replicate": view.replicates}
    cube = filled(known, axes)
    found = [_within(each) for each in cube]
    variance, freedom = (np.array(column, dtype=float) for column in zip(*found, strict=True))
    return Noise(variance, freedom, np.isfinite(cube).sum(axis=2).astype(float)) if freedom.any() else None


def _within(values: Floats) -> tuple[float, int]:
    """Return the variance of the noise in one condition, and its degrees of freedom.

    The values have the shape (algorithms, replicates).
    """
    values = values[np.isfinite(values).any(axis=1)]
    complete = values[:, np.isfinite(values).any(axis=0)]
    if len(complete) > 1 and np.isfinite(complete).all():
        rest = complete - complete.mean(axis=1, keepdims=True) - complete.mean(axis=0) + complete.mean()
        freedom = (complete.shape[0] - 1) * (complete.shape[1] - 1)
    else:
        # If some algorithm lacks a replicate, the common part of the replicates does not cancel.
        there = np.isfinite(values)
        count = there.sum(axis=1, keepdims=True)
        rest = np.where(there, values - np.where(there, values, 0).sum(axis=1, keepdims=True) / np.maximum(count, 1), 0)
        freedom = int(np.maximum(count - 1, 0).sum())
    return (float((rest**2).sum()) / freedom, freedom) if freedom else (float("nan"), 0)
