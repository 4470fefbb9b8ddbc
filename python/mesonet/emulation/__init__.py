"""Emulators of finished campaigns: a response at settings that were not run, with a band."""

from __future__ import annotations

from mesonet.emulation.emulator import Emulator, emulate

__all__ = ["Emulator", "emulate"]
