"""Names of algorithms of flows, which may be drawn instead."""

from __future__ import annotations

from mesonet.scenarios.kinds.algorithm import ALGORITHM
from mesonet.scenarios.kinds.optional import Optional

DRAWN = Optional("mix", Optional("none", ALGORITHM))
"""Kind of an algorithm, or None for `mix`: drawn by the shares of the scenario. `none` has the same meaning."""
