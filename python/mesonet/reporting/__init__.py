"""From a campaign to what people read: one HTML file, or a folder of tables and figures.

May import everything but `mesonet.cli`. Inside, the order of imports is `packing` and
`campaign_view`, `verdicts`, `text`, `figures`, `folder`, `replay`, `page`; ``templates`` has the HTML.
"""

from __future__ import annotations

from mesonet.reporting.folder.analysis_files import write_analysis
from mesonet.reporting.page import experiment_html, report_html, write_experiment_report, write_report

__all__ = ["experiment_html", "report_html", "write_analysis", "write_experiment_report", "write_report"]
