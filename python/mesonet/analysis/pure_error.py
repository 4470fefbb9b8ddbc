"""Pure error: the scatter of values with equal settings, and the errors of effects that follow from it.

Each condition has its own variance, because variances differ between conditions; sums of them have the degrees of
freedom of Satterthwaite. A condition with one value has the mean variance of the others. Equal settings in several
blocks are replicates, too: their differences, less the differences between the blocks, are noise.

Source: D. C. Montgomery, Design and Analysis of Experiments, sections 7.3 and 7.8; W. G. Cochran, The distribution of
the largest of a set of estimated variances as a fraction of their total, Annals of Eugenics 11, 1941.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from mesonet.analysis.decisions.pairs import Moments
from mesonet.analysis.decisions.welch import satterthwaite
from mesonet.analysis.estimable import shifts
from mesonet.analysis.observations import Observations, first_equal

Floats = NDArray[np.float64]
NO_REPLICATE = "No run is replicated: there is no noise to test effects against."
_UNEQUAL = 0.01
"""Error probability of the note that one condition has most of the noise."""


@dataclass(frozen=True)
class PureError:
    """Noise of each condition with a value. Equal settings share one variance."""

    group: NDArray[np.intp]  #: settings of each condition, from 0
    count: NDArray[np.int_]  #: values of each condition
    sd: Floats  #: of a value at each settings; NaN without a replicate
    freedom: Floats  #: of `sd`; 0 without a replicate

    @property
    def known(self) -> bool:
        """True if some settings are replicated."""
        return bool((self.freedom > 0).any())

    @property
    def pooled(self) -> float:
        """Standard deviation of a value with the same noise everywhere; NaN without a replicate."""
        there = self.freedom > 0
        return float(np.sqrt(np.average(self.sd[there] ** 2, weights=self.freedom[there]))) if there.any() else np.nan

    def part(self, chosen: NDArray[np.bool_]) -> PureError:
        """Return the noise of some conditions."""
        kept, group = np.unique(self.group[chosen], return_inverse=True)
        return PureError(group, self.count[chosen], self.sd[kept], self.freedom[kept])

    def of(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return the errors of weighted sums of condition means, and their degrees of freedom.

        NaN and 0 without a replicate. `weights`: shape (sums, conditions).
        """
        there = self.freedom > 0
        share = (weights**2 / self.count) @ np.eye(len(self.freedom))[self.group]
        freedom = self.freedom[there]
        unknown = share[:, ~there].sum(axis=1, keepdims=True)
        share = share[:, there] + unknown * freedom / max(float(freedom.sum()), 1.0)
        error, found = satterthwaite(np.sqrt(share * (freedom + 1)), self.sd[there], freedom + 1)
        return np.where(found > 0, error, np.nan), np.where(np.isnan(error), np.nan, found)

    @property
    def notes(self) -> list[str]:
        """Remarks on single values, and on one condition with most of the noise."""
        there = self.freedom > 0
        single = int((~there[self.group]).sum())
        verb = "has one value and takes" if single == 1 else "have one value and take"
        found = [f"{single} of {len(self.group)} conditions {verb} the mean noise of the others."] if single else []
        variance, number = self.sd[there] ** 2, int(there.sum())
        if number > 1 and variance.sum() > 0:
            freedom = float(self.freedom[there].mean())
            largest = float(variance.max() / variance.sum())
            bound = special.fdtri(freedom, freedom * (number - 1), 1 - _UNEQUAL / number)
            if largest > 1 / (1 + (number - 1) / bound):
                found.append(
                    f"One condition has {100 * largest:.0f} % of the noise of {number}: few replicates then show too "
                    "many effects. Add replicates, or analyse the logarithm of a response above 0."
                )
        return found


def pure_error(settings: Floats, observed: Observations, block: NDArray[np.intp] | None = None) -> PureError:
    """Return the noise of a response. `settings`, `block`: of each used condition, shapes (n, k) and (n,)."""
    _, group = np.unique(first_equal(settings), return_inverse=True)
    number = len(np.unique(group))
    condition = np.searchsorted(observed.used, observed.row)
    inside = np.eye(number)[group[condition]]
    size = inside.sum(axis=0)
    base = observed.value[0] if len(observed.value) else 0.0
    model = (observed.value - base)[:, None]
    if block is not None:
        model = np.column_stack([model, shifts(block, len(block))[condition]])
    rest = model - inside @ (inside.T @ model / np.maximum(size, 1)[:, None])
    own, taken = rest[:, 0], 0
    if block is not None:
        shift, _, taken, _ = np.linalg.lstsq(rest[:, 1:], own, rcond=None)
        own = own - rest[:, 1:] @ shift
    whole = len(own) - number
    # The differences between blocks take some of the degrees of freedom.
    freedom = (size - 1) * ((whole - taken) / whole if whole else 0.0)
    with np.errstate(all="ignore"):
        sd = np.where(freedom > 0, np.sqrt(inside.T @ own**2 / freedom), np.nan)
    return PureError(group=group, count=observed.moments.count, sd=sd, freedom=freedom)


def of_moments(of: Moments) -> PureError:
    """Return the noise of conditions whose moments are known."""
    return PureError(np.arange(len(of.mean)), of.count, of.sd, np.maximum(of.count - 1.0, 0.0))
