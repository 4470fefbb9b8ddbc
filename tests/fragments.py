"""Find fragments of a sentence: a test holds the names and numbers that a reader needs, and the words may change."""

from __future__ import annotations


def holds(text: str, *fragments: str) -> bool:
    """Return True if a text has all fragments, one after the other."""
    end = 0
    for fragment in fragments:
        place = text.find(fragment, end)
        if place < 0:
            return False
        end = place + len(fragment)
    return True
