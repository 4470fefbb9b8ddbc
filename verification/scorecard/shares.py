"""Parts of the conditions of a campaign: they have an interval of their own where a campaign has one seed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class Share:
    """Number of conditions in which something holds, of a total.

    With one seed the conditions stand for the seeds: each has its own network and users, and so its own chance.
    """

    hits: int  #: conditions in which it holds
    of: int  #: all conditions

    def __float__(self) -> float:
        """Return the part; NaN of no conditions."""
        return self.hits / self.of if self.of else float("nan")

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the confidence interval of the part.

        Source: Clopper and Pearson, Biometrika 26 (1934) 404: exact, rather wide.

        Lower and upper end, 0 to 1; NaN without conditions. `confidence`: above 0 and below 1.
        """
        if not self.of:
            return float("nan"), float("nan")
        found = stats.binomtest(self.hits, self.of).proportion_ci(confidence, method="exact")
        return float(found.low), float(found.high)


def share(holds: Iterable[bool]) -> Share:
    """Return the part of the conditions in which something holds.

    Examples
    --------
    >>> float(share([True, False, True, True]))
    0.75
    """
    found = np.array(list(holds), dtype=bool)
    return Share(int(found.sum()), len(found))
