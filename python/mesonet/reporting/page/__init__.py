"""Report page: a single HTML file with its style sheets, scripts, figures and tables inside.

May import all other folders of reporting. `document.write_report` writes it.
"""

from __future__ import annotations

from mesonet.reporting.page.document import report_html, write_report

__all__ = ["report_html", "write_report"]
