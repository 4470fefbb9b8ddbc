"""The section of the page that predicts key responses between the conditions of a campaign.

May import `packing`, `campaign_view` and `text` of reporting, `mesonet.emulation` and `mesonet.browser`.
`section.emulator_section` returns the HTML for a sampled campaign, and `effects.effects_section` for two levels.
`emulator.js` is the script of both.
"""

from __future__ import annotations

from mesonet.reporting.emulator.effects import effects_section
from mesonet.reporting.emulator.section import EmulatorSection, emulator_script, emulator_section, emulator_style

__all__ = ["EmulatorSection", "effects_section", "emulator_script", "emulator_section", "emulator_style"]
