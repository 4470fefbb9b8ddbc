"""A text holds fragments where it has all of them, one after the other."""

from __future__ import annotations

from fragments import holds


def test_fragments_are_found_in_their_order() -> None:
    text = "2 of 8 effects on loss exceed the margin of 0.3 points."
    assert holds(text, "2 of 8", "loss", "0.3")
    assert holds(text)
    assert not holds(text, "loss", "2 of 8")
    assert not holds(text, "2 of 8", "2 of 8")
    assert not holds(text, "2 of 9")
