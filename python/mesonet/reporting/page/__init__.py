"""Report page: a single HTML file with its style sheets, scripts, figures and tables inside.

May import all other folders of reporting. `document.write_report` writes it. `experiment_page` has the page of a table.
"""

from __future__ import annotations

from mesonet.reporting.page.document import report_html, write_report
from mesonet.reporting.page.experiment_page import experiment_html, write_experiment_report

__all__ = ["experiment_html", "report_html", "write_experiment_report", "write_report"]
