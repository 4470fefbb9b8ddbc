"""Runs of the TCP of this machine's kernel over an emulated bottleneck.

A set-up (`setups`) is what such a run needs. `translation` makes one from a scenario, `machine` runs it, and
`observations` reads a run of either side by equal rules. `replays` compares both. Imports simulations and all below.
"""

from __future__ import annotations

from mesonet.kernel.replays import Replay, replay

__all__ = ["Replay", "replay"]
