"""A text holds fragments where it has all of them, one after the other, and numbers as a whole."""

from __future__ import annotations

from fragments import holds


def test_fragments_are_found_in_their_order() -> None:
    text = "2 of 8 effects on loss exceed the margin of 0.3 points."
    assert holds(text, "2 of 8", "loss", "0.3")
    assert not holds(text, "loss", "2 of 8")
    assert not holds(text, "2 of 8", "2 of 8")
    assert not holds(text, "2 of 9")


def test_numbers_are_whole() -> None:
    assert not holds("12 of 80", "2 of 8")
    assert not holds("12 of 80", "2 of 80")
    assert not holds("at 0.35 s", "0.3")
    assert not holds("at 1.5 %", "5 %")
    assert holds("at 5 %, 1,600 runs.", "5 %", "1,600")
