"""Bands of emulators hold conditions that were held out, as docs/explanation/emulator-coverage.md shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from verification.emulator_coverage import CLINIC, HELD_OUT, LEAST, NETWORK, PAGE, measure


@pytest.mark.parametrize("text", [NETWORK, CLINIC], ids=["network", "clinic"])
def test_bands_hold_what_the_emulator_has_not_seen(text: str, tmp_path: Path) -> None:
    rows = measure(tmp_path, text)
    assert all(row.inside >= LEAST * HELD_OUT for row in rows), [row.text() for row in rows]
    assert all(share >= LEAST for row in rows for share in row.repeated), [row.text() for row in rows]
    page = PAGE.read_text(encoding="utf-8")
    assert [row.text() for row in rows if row.text() not in page] == []
