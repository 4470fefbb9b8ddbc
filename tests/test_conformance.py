"""The conformance pages: every test that they name exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = ("conformance", "response-functions", "conformance-sender")
TEXT = "".join((ROOT / "docs" / "reference" / f"{name}.md").read_text() for name in PAGES)
NAMED = sorted(set(re.findall(r"`([\w/.]+\.rs)::(\w+)`", TEXT)))


def present(path: Path) -> set[str]:
    """Functions right below ``#[test]``, other attributes between."""
    return set(re.findall(r"#\[test\]\s+(?:#\[[^\]]*\]\s+)*fn (\w+)\(", path.read_text()))


@pytest.mark.parametrize("file", sorted({file for file, _ in NAMED}))
def test_every_named_test_exists(file: str) -> None:
    named = {name for where, name in NAMED if where == file}
    assert named <= present(ROOT / file), sorted(named - present(ROOT / file))


def test_every_row_names_one() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| ") and "| source |" not in line]
    assert len(rows) > 50
    assert all("::" in row for row in rows), [row for row in rows if "::" not in row]
