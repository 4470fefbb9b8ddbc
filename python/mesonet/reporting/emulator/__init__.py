"""The section of the page that predicts key responses between the conditions of a sampled campaign."""

from __future__ import annotations

from mesonet.reporting.emulator.section import EmulatorSection, emulator_script, emulator_section, emulator_style

__all__ = ["EmulatorSection", "emulator_script", "emulator_section", "emulator_style"]
