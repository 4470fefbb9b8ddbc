"""Emulators of finished campaigns: a response at settings that were not run, with a band.

`inputs.py` has the factors as coordinates, `surface.py` the Gaussian process through means, `emulator.py` predictions
with their check, and `additions.py` conditions that are added to a campaign. May import campaign, experiments and
analysis.
"""

from __future__ import annotations

from mesonet.emulation.emulator import Emulator, emulate

__all__ = ["Emulator", "emulate"]
