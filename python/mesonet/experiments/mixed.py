"""Experiments in which each algorithm meets another one, and the share of the sources that each has.

In a mixed experiment the algorithms compared are *alternates*. A factor, `SHARE`, is the share of the sources that use
the alternate; all others use the algorithm that it is mixed with (X15 of the ASME paper, x8 of SP 500-282 ch. 9).
Further factors, such as ``mixed_share.cubic``, are the shares of algorithms that every alternate meets besides.
"""

from __future__ import annotations

from collections.abc import Mapping

from mesonet import algorithms
from mesonet.errors import InputError

SHARE = "mixed_share"
"""The path of the factor."""
INCUMBENT = "users.incumbent"
"""The path of the algorithm that alternates replace: the algorithm that they are mixed with, unless it is set."""


def is_share(path: str) -> bool:
    """Return True if a path is a share of the sources.

    `path`: path of a factor, such as ``mixed_share`` or ``mixed_share.cubic``.
    """
    whole, dot, name = path.partition(".")
    if whole == SHARE and dot:
        algorithms.resolve(name)
    return whole == SHARE


def mix(alternate: str, other: str, shares: Mapping[str, float]) -> dict[str, float]:
    """Return the shares of the sources by algorithm.

    The algorithm that all alternates meet stands first.

    `alternate`, `other`: the algorithm with the share `SHARE`, and the algorithm that has the rest of the sources.
    `shares`: 0 to 1, by path of the factor.

    Examples
    --------
    >>> mix("cubic", "tcp", {"mixed_share": 0.7})
    {'tcp': 0.3, 'cubic': 0.7}
    """
    alternate, other = algorithms.resolve(alternate).name, algorithms.resolve(other).name
    named = [
        (alternate if path == SHARE else algorithms.resolve(path.partition(".")[2]).name, share)
        for path, share in shares.items()
    ]
    total = sum(share for _, share in named)
    if total > 1 + 1e-9:
        raise InputError(f"the shares sum to {total:.6g}", path=SHARE, allowed="at most 1 at the highest levels")
    rest = round(max(1.0 - total, 0.0), 12)  # .3 where the share is .7, not .30000000000000004
    mixed = {other: rest}
    for name, share in named:
        if name == other and len(named) == 1:
            return {other: 1.0}
        if name in mixed:
            raise InputError(f"{name} has two shares", path=SHARE, allowed="other algorithms to compare")
        mixed[name] = share
    return mixed
