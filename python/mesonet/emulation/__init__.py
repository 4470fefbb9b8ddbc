"""Emulators of finished campaigns: a response at settings that were not run, with a band.

`inputs.py` has the factors as coordinates, `surface.py` the Gaussian process through means, `emulator.py` predictions
with their check, and `additions.py` conditions that are added to a campaign.
`of_table.py` has the emulator of a table. May import campaign, experiments and
analysis.
"""

from __future__ import annotations

from mesonet.emulation.emulator import Emulator, emulate
from mesonet.emulation.of_table import emulate_table

__all__ = ["Emulator", "emulate", "emulate_table"]
