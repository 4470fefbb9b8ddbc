"""Names of one router or queue."""

from __future__ import annotations

from typing import Any

from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Kind, Place


class Text(Kind):
    """Kind of a name in quotes."""

    def __init__(self, name: str, problem: str, words: str) -> None:
        self.name, self.problem, self.words = name, problem, words

    def parse(self, value: Any, place: Place) -> Any:
        """Return the name."""
        if not isinstance(value, str) or not value:
            raise InputError(self.problem, value=value, allowed=self.words)
        return value

    def allowed(self, path: str) -> str:
        """Return what the name is the name of."""
        return self.words
