"""Table of verdicts in the vocabulary of RFC 7991, for drafts that are written in XML."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from mesonet.evidence.plan import EvidencePlan
from mesonet.evidence.verdicts import CriterionVerdict


def table(plan: EvidencePlan, findings: Sequence[CriterionVerdict]) -> str:
    """Return the table of verdicts, to paste into a draft. The element ``table``, as xml2rfc reads it."""
    root = ElementTree.Element("table", anchor="evidence")
    ElementTree.SubElement(root, "name").text = f"Evidence about {plan.algorithm}, by {plan.suite.title}"
    heading = (plan.suite.case.capitalize(), plan.suite.cases[0].capitalize(), "Verdict", "Why")
    _row(ElementTree.SubElement(root, "thead"), "th", heading)
    body = ElementTree.SubElement(root, "tbody")
    for each in findings:
        _row(body, "td", (each.criterion.id, each.criterion.title, each.verdict, each.why))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _row(parent: ElementTree.Element, cell: str, texts: Sequence[str]) -> None:
    row = ElementTree.SubElement(parent, "tr")
    for text in texts:
        ElementTree.SubElement(row, cell).text = text
