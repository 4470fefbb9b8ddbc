"""Check of the duration: whether the change of a response is the same in longer runs.

Short runs bias a change, which no number of replicates shows. In a published-size example the losses of an algorithm
were 10 % [8, 11] lower in runs of 10 s, and 3 % lower in runs of 100 s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mesonet.analysis.checks import checked_alpha
from mesonet.analysis.decisions.decision import CANNOT_TELL, FLOOR
from mesonet.analysis.decisions.pairs import log_ratios, margin_of, moments
from mesonet.analysis.decisions.welch import quantiles, satterthwaite

AGREES, OBJECTS = "agrees", "objects"
CONDITIONS, FACTOR = 4, 4
"""Conditions of a check, and their duration as a multiple of the duration of the other runs (chosen)."""
TOLERANCE = 0.5
"""Difference of mean log ratios, as a part of the margin, from which the duration matters (chosen)."""


@dataclass(frozen=True)
class LengthCheck:
    """Change of a response in short and in long runs of the same conditions."""

    label: str  #: `agrees`, `objects` or `cannot tell`
    short: float  #: mean log ratio of the short runs, positive for the worse
    long: float  #: mean log ratio of the long runs
    low: float  #: interval of long less short
    high: float
    margin: float = 0.1  #: relative change that counts

    @property
    def needed(self) -> float:
        """Duration that is needed, as a multiple of the short one: the bias is then half of the margin; at least 1.

        The bias of a mean that starts in a transient falls as 1 / duration (A. M. Law, Simulation Modeling and
        Analysis, section 9.5.1, recalled). Long less short is therefore the bias of the short runs, but for its
        `FACTOR`-th part.
        """
        bias = abs(self.long - self.short) * FACTOR / (FACTOR - 1)
        return max(1.0, bias / (TOLERANCE * margin_of(self.margin)))


def length_check(
    short: tuple[ArrayLike, ArrayLike],
    long: tuple[ArrayLike, ArrayLike],
    *,
    margin: float = 0.1,
    atol: float = 0.0,
    more_is_better: bool = False,
    alpha: float = 0.05,
) -> LengthCheck:
    """Return the verdict on the duration of runs: whether long runs have the same change as short runs.

    It *objects* if the interval of the difference excludes 0 and the difference exceeds half of the margin. It
    *agrees* if the whole interval is within half of the margin. Otherwise more replicates are needed.

    Parameters
    ----------
    short, long
        Response in both scenarios in runs of both durations, each a pair of arrays of the shape (conditions,
        replicates); the same conditions, with any numbers of replicates.
    margin, atol, more_is_better
        As for `decide`.
    alpha
        Error probability of the interval, between 0 and 1.

    Returns
    -------
    Verdict and interval.

    Raises
    ------
    InputError
        As `log_ratios`; also if `alpha` is not between 0 and 1.
    ValueError
        If the conditions differ.

    Examples
    --------
    >>> short = [[9.0, 9.1, 9.0]] * 4, [[10.0, 10.0, 10.0]] * 4
    >>> long = [[9.8, 9.7, 9.7]] * 4, [[10.0, 10.0, 10.0]] * 4
    >>> length_check(short, long).label
    'objects'
    """
    delta, level = margin_of(margin), np.array([checked_alpha(alpha)])
    found = [
        moments(log_ratios(*pair, margin=margin, atol=atol, more_is_better=more_is_better)) for pair in (short, long)
    ]
    if len(found[0].mean) != len(found[1].mean):
        raise ValueError(f"short has {len(found[0].mean)} conditions and long {len(found[1].mean)}; expected the same")
    both = np.logical_and(*(each.count > 1 for each in found))
    if not both.any() or (found[0].known & found[1].known & ~both).any():
        return LengthCheck(CANNOT_TELL, np.nan, np.nan, -np.inf, np.inf, margin=margin)
    short_mean, long_mean = (float(each.mean[both].mean()) for each in found)
    sd = np.concatenate([np.maximum(each.sd[both], FLOOR * delta) for each in found])
    count = np.concatenate([each.count[both] for each in found])
    weights = np.repeat([[-1.0, 1.0]], [len(sd) // 2] * 2, axis=1) * 2 / len(sd)
    error, freedom = satterthwaite(weights, sd, count)
    half = float((quantiles(freedom, level) * error)[0])
    difference, limit = long_mean - short_mean, TOLERANCE * delta
    low, high = difference - half, difference + half
    if abs(difference) > limit and (low > 0 or high < 0):
        label = OBJECTS
    else:
        label = AGREES if -limit <= low and high <= limit else CANNOT_TELL
    return LengthCheck(label, short_mean, long_mean, low, high, margin=margin)
