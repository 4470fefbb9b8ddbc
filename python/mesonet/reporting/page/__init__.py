"""Report page, a single self-contained HTML file, with its parts in HTML, CSS and JavaScript."""

from mesonet.reporting.page.document import report_html, write_report

__all__ = ["report_html", "write_report"]
