"""The section of the page that predicts key responses between the conditions of a sampled campaign.

May import `packing`, `campaign_view` and `text` of reporting, `mesonet.emulation` and `mesonet.browser`.
`section.emulator_section` returns the HTML, `emulator.js` is its script.
"""

from __future__ import annotations

from mesonet.reporting.emulator.section import EmulatorSection, emulator_script, emulator_section, emulator_style

__all__ = ["EmulatorSection", "emulator_script", "emulator_section", "emulator_style"]
