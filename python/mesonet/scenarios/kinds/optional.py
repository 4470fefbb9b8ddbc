"""Values that can be absent: a word stands for no value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mesonet.scenarios.kinds.kind import Kind, Place


class Optional(Kind):
    """Another kind, or None for a word such as ``never``."""

    def __init__(self, word: str, kind: Kind) -> None:
        self.word, self.kind = word, kind
        self.name, self.unit = kind.name, kind.unit

    def parse(self, value: Any, place: Place) -> Any:
        """Return None for the word, else the value of the other kind."""
        return None if value is None or value == self.word else self.kind.parse(value, place)

    def allowed(self, path: str) -> str:
        """Return what is allowed beside the word."""
        return self.kind.allowed(path)

    def show(self, value: Any) -> str:
        """Return the word for None."""
        return self.word if value is None else self.kind.show(value)

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return a user's value with the file that it names read."""
        return value if value == self.word else self.kind.with_file(value, directory)

    def between(self, low: Any, high: Any, where: float, place: Place) -> Any:
        """Return what a user writes for a value between two values that are there."""
        return None if self.word in (low, high) else self.kind.between(low, high, where, place)
