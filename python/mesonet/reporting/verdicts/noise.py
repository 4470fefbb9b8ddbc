"""How much replicates of one run differ: what a difference between algorithms has to exceed."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from mesonet.reporting.campaign_view.study import Study

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Noise:
    """Of one quantity. Its standard deviation within a condition is that of all algorithms together."""

    variance: Floats  #: per condition: between replicates of one run; NaN where no run is replicated
    freedom: Floats  #: per condition: degrees of freedom of the variance
    runs: Floats  #: shape (conditions, algorithms): replicates that have a value

    def of_difference(self, one: int, other: NDArray[np.intp] | int, comparisons: int) -> Floats:
        """Half the width, per condition, of a 95 % interval of the difference between the means of two algorithms, so
        wide that all of `comparisons` hold together (Bonferroni). `other` may differ between conditions."""
        rows = np.arange(len(self.variance))
        with np.errstate(all="ignore"):
            shares = 1 / self.runs[:, one] + 1 / self.runs[rows, other]
            quantile = stats.t.ppf(1 - 0.025 / max(1, comparisons), self.freedom)
            return np.asarray(quantile * np.sqrt(self.variance * shares))

    def of_mean_difference(self, one: int, other: NDArray[np.intp] | int, used: NDArray[np.bool_]) -> float:
        """The same of the difference between means over the conditions `used`, for one comparison."""
        error, freedom = self.error_of_mean_difference(one, other, used)
        return float(stats.t.ppf(0.975, freedom) * error) if np.isfinite(error) else float("nan")

    def error_of_mean_difference(
        self, one: int, other: NDArray[np.intp] | int, used: NDArray[np.bool_]
    ) -> tuple[float, float]:
        """Return the standard error of that difference and its degrees of freedom; NaN where noise is not known."""
        rows = np.arange(len(self.variance))
        with np.errstate(all="ignore"):
            each = (self.variance * (1 / self.runs[:, one] + 1 / self.runs[rows, other]))[used]
        freedom = self.freedom[used].sum()
        if not len(each) or not np.isfinite(each).all() or freedom < 1:
            return float("nan"), 0.0
        return float(np.sqrt(each.sum()) / len(each)), float(freedom)


def noise(study: Study, values: pl.DataFrame) -> Noise | None:
    """From a frame with the columns condition, algorithm, replicate, value; None where no run is replicated."""
    conditions, algorithms = len(study.conditions), len(study.algorithms)
    places = {name: place for place, name in enumerate(study.algorithms)}
    known = values.filter(pl.col("value").is_finite() & (pl.col("condition") <= conditions))
    runs, squares = np.zeros((conditions, algorithms)), np.zeros((conditions, algorithms))
    cells = known.group_by("condition", "algorithm", maintain_order=True).agg(
        pl.len(), ((pl.col("value") - pl.col("value").mean()) ** 2).sum().alias("squares")
    )
    for condition, algorithm, count, sum_ in cells.iter_rows():
        runs[condition - 1, places[algorithm]], squares[condition - 1, places[algorithm]] = count, sum_
    freedom = np.maximum(runs - 1, 0).sum(axis=1)
    if not freedom.any():
        return None
    with np.errstate(all="ignore"):
        variance = np.where(freedom > 0, squares.sum(axis=1) / freedom, np.nan)
    return Noise(variance, freedom, runs)
