"""The live part of a report: the page simulates runs of the campaign again, as they were or changed.

May import `packing`, `campaign_view`, `text` and `replay` of reporting, and `mesonet.browser`. `section.live_section`
returns the HTML, `live.js` is its script.
"""

from __future__ import annotations

from mesonet.reporting.live.section import live_script, live_section, live_style

__all__ = ["live_script", "live_section", "live_style"]
