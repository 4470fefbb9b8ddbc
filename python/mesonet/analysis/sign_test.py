"""The sign test: whether differences go to one side more often than chance explains."""

from __future__ import annotations

from functools import lru_cache

from scipy import special


@lru_cache(maxsize=4096)
def sign_test(plus: int, minus: int) -> float:
    """Return the chance of a split at least as uneven, if both signs are equally likely.

    The two-sided p-value of the binomial test; NaN without a difference. `plus`, `minus`: numbers of positive and of
    negative differences, without ties.

    Examples
    --------
    >>> sign_test(7, 1)
    0.0703125
    """
    both = plus + minus
    return min(1.0, 2 * float(special.bdtr(min(plus, minus), both, 0.5))) if both else float("nan")
