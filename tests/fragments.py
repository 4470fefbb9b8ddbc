"""Find fragments of a sentence: a test holds the names and numbers that a reader needs, and the words may change."""

from __future__ import annotations

import re


def holds(text: str, *fragments: str) -> bool:
    """Return True if a text has all fragments, one after the other; the digits at their ends are whole numbers."""
    assert fragments
    assert all(fragments), "an empty fragment holds nothing"
    end = 0
    for fragment in fragments:
        before = r"(?<!\d)(?<!\d[.,])" if fragment[0].isdigit() else ""
        after = r"(?![.,]?\d)" if fragment[-1].isdigit() else ""
        found = re.compile(before + re.escape(fragment) + after).search(text, end)
        if found is None:
            return False
        end = found.end()
    return True
