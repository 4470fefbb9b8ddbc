"""From a campaign to what people read: one HTML file, or a folder of tables and figures."""

from mesonet.reporting.folder.analysis_files import write_analysis
from mesonet.reporting.page import report_html, write_report

__all__ = ["report_html", "write_analysis", "write_report"]
