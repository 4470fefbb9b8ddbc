"""Findings as JUnit XML, which services for continuous integration show as tests.

A requirement that is not met is a failure; a check that did not end is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

from mesonet.conform.finding import ERROR, FAIL, KNOWN, SKIPPED, Finding
from mesonet.files import places

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow, section 2.2."""
_FAILED = {FAIL: ("failure", "AssertionError"), ERROR: ("error", "RuntimeError")}
"""Element and type of what makes a test red, by verdict."""


def xml(algorithm: str, found: Sequence[Finding], values: Mapping[str, str] | None = None) -> str:
    """Return findings as JUnit XML.

    A document with a suite for each group. Known failures and checks that do not apply are skipped tests. `values`:
    values of --set by path, which become properties of each suite.
    """
    root = ElementTree.Element("testsuites", {"name": f"mesonet conform {_clean(algorithm)}", **_counts(found)})
    for group, members in groupby(found, key=lambda each: each.about.group):
        findings = list(members)
        suite = ElementTree.SubElement(root, "testsuite", {"name": group, **_counts(findings)})
        if values:
            properties = ElementTree.SubElement(suite, "properties")
            for path, value in values.items():
                ElementTree.SubElement(properties, "property", {"name": path, "value": _clean(value)})
        for each in findings:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                {"classname": f"mesonet.conform.{group}", "name": each.about.id, "time": f"{each.wall_s:.3f}"},
            )
            text = _clean(each.why)
            if each.verdict in _FAILED:
                tag, kind = _FAILED[each.verdict]
                ElementTree.SubElement(case, tag, {"message": text, "type": kind}).text = _clean(_details(each))
            elif each.verdict in (KNOWN, SKIPPED):
                ElementTree.SubElement(case, "skipped", {"message": f"{each.verdict}: {text}"})
            ElementTree.SubElement(case, "system-out").text = _clean(_details(each))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def write(path: Path, algorithm: str, found: Sequence[Finding], values: Mapping[str, str] | None = None) -> None:
    """Write findings as JUnit XML."""
    with places.file(path, "--junit") as aside:
        aside.write_text('<?xml version="1.0" encoding="UTF-8"?>\n' + xml(algorithm, found, values), encoding="utf-8")


def _counts(found: Sequence[Finding]) -> dict[str, str]:
    return {
        "tests": str(len(found)),
        "failures": str(sum(each.verdict == FAIL for each in found)),
        "errors": str(sum(each.verdict == ERROR for each in found)),
        "skipped": str(sum(each.verdict in (KNOWN, SKIPPED) for each in found)),
        "time": f"{sum(each.wall_s for each in found):.3f}",
    }


def _details(each: Finding) -> str:
    about = each.about
    return f"{about.title}\n{each.verdict}: {each.why}\nReason: {about.reason}\nSource: {about.source}"


def _clean(text: str) -> str:
    return _NOT_XML.sub("�", text)
