"""Experiments in which each algorithm meets another one: who has which share of the sources.

In a mixed experiment the algorithms compared are *alternates*. A factor, `SHARE`, is the share of the sources that use
the alternate; all others use the algorithm that it is mixed with (X15 of the ASME paper, x8 of SP 500-282 ch. 9).
"""

from __future__ import annotations

from typing import Any

from mesonet import units
from mesonet.errors import InputError

SHARE = "mixed_share"
"""The path of the factor."""


def parse_share(value: Any) -> float:
    """A share that a user gave, 0 to 1."""
    share = float(units.parse("probability", value))
    if not 0 <= share <= 1:
        raise InputError("not a share", value=value, allowed="0 to 1")
    return share


def mix(alternate: str, other: str, share: float) -> dict[str, float]:
    """The shares of the sources by algorithm.

    The algorithm that all alternates meet stands first, because the first long-lived flow uses the first one: standard
    TCP in the sensitivity analysis (assumed).
    """
    rest = round(1.0 - share, 12)  # .3 where the share is .7, not .30000000000000004
    return {other: 1.0} if alternate == other else {other: rest, alternate: share}
