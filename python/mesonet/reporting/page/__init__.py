"""One self-contained HTML file: its parts in HTML, CSS and JavaScript lie beside the code that puts them together."""

from mesonet.reporting.page.document import report_html, write_report

__all__ = ["report_html", "write_report"]
