"""Summary of a report as a section of a draft: Markdown for kramdown-rfc, XML in the vocabulary of RFC 7991."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from mesonet.evidence.summary import Summary, Table
from mesonet.words import markdown as escaped


def markdown(summary: Summary) -> str:
    """Return the section as Markdown, to paste into a draft."""
    lines = [f"# {summary.title}", "", summary.headline, "", summary.counts, ""]
    lines += [*(f"* {each}" for each in summary.harm), ""] if summary.harm else []
    for table in (summary.verdicts, summary.margins):
        lines += [f"{table.name}:", "", *_rows(table), ""]
    for each in (*summary.reading, *summary.provenance, f"Make it again: `{summary.command}`"):
        lines += [each, ""]
    return escaped("\n".join(lines))


def _rows(table: Table) -> list[str]:
    rows = [table.columns, ("---",) * len(table.columns), *table.rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]


def xml(summary: Summary) -> str:
    """Return the section as XML, to paste into a draft: the element ``section``, as xml2rfc reads it."""
    root = ElementTree.Element("section", anchor="evidence")
    ElementTree.SubElement(root, "name").text = summary.title
    _paragraphs(root, [summary.headline, summary.counts])
    if summary.harm:
        items = ElementTree.SubElement(root, "ul")
        for each in summary.harm:
            ElementTree.SubElement(items, "li").text = each
    verdicts = summary.verdicts
    _table(root, Table(verdicts.name, verdicts.columns[:-1], [row[:-1] for row in verdicts.rows]))
    ElementTree.SubElement(root, "t").text = "Reasons of the verdicts:"
    terms = ElementTree.SubElement(root, "dl")  # a column of a text has no room for them
    for row in verdicts.rows:
        if row[-1]:
            ElementTree.SubElement(terms, "dt").text = row[0]
            ElementTree.SubElement(terms, "dd").text = row[-1]
    _table(root, summary.margins)
    _paragraphs(root, [*summary.reading, *summary.provenance])
    again = ElementTree.SubElement(root, "t")
    again.text = "Make it again: "
    ElementTree.SubElement(again, "tt").text = summary.command
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _paragraphs(parent: ElementTree.Element, texts: Sequence[str]) -> None:
    for text in texts:
        ElementTree.SubElement(parent, "t").text = text


def _table(parent: ElementTree.Element, table: Table) -> None:
    element = ElementTree.SubElement(parent, "table", anchor=f"evidence-{table.name.lower()}")
    ElementTree.SubElement(element, "name").text = table.name
    _row(ElementTree.SubElement(element, "thead"), "th", table.columns)
    body = ElementTree.SubElement(element, "tbody")
    for row in table.rows:
        _row(body, "td", row)


def _row(parent: ElementTree.Element, cell: str, texts: Sequence[str]) -> None:
    row = ElementTree.SubElement(parent, "tr")
    for text in texts:
        ElementTree.SubElement(row, cell).text = text
