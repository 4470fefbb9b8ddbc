"""Lists of names."""

from __future__ import annotations

from typing import Any

from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Kind, Place

ALLOWED = 'names in quotes, such as ["A", "B1a"]'


class Names(Kind):
    """Kind of lists of names."""

    name = "names"

    def parse(self, value: Any, place: Place) -> Any:
        """Return the names."""
        names = entries(value)
        if not all(isinstance(name, str) and name for name in names):
            raise InputError("not a list of names", value=value, allowed=ALLOWED)
        return names

    def allowed(self, path: str) -> str:
        """Return no words: the default shows the form."""
        return ""

    def show(self, value: Any) -> str:
        """Return the entries."""
        return ", ".join(map(str, value)) or "none"


def entries(value: Any) -> list[Any]:
    """Return the entries of a list, or of text with commas between them; "none" and empty text have none."""
    if isinstance(value, str):
        return [] if value.strip() in ("", "none") else [part.strip() for part in value.split(",")]
    return list(value) if isinstance(value, list | tuple) else [value]


NAMES = Names()
