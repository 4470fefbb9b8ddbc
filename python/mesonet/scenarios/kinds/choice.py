"""Words from a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet.errors import unknown
from mesonet.scenarios.kinds.kind import Kind, Place


class Choice(Kind):
    """Kind of words from a list; `name` names them in messages, too. `others`: words of other software for some."""

    def __init__(self, *choices: str, name: str = "choice", others: Mapping[str, str] | None = None) -> None:
        self.choices, self.name, self.others = choices, name, others or {}

    def parse(self, value: Any, place: Place) -> Any:
        """Return the word."""
        value = self.others.get(value, value) if isinstance(value, str) else value
        if not isinstance(value, str) or value not in self.choices:
            raise unknown(self.name, str(value), self.choices)
        return value

    def allowed(self, path: str) -> str:
        """Return the words."""
        return ", ".join(self.choices)
