"""Links: the routers at their ends."""

from __future__ import annotations

from typing import Any

from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Kind, Place

_ALLOWED = 'the routers at its ends, such as ["A", "B"]'


class Link(Kind):
    """Kind of links."""

    name = "link"

    def parse(self, value: Any, place: Place) -> Any:
        """Return the names of the routers."""
        if isinstance(value, list | tuple) and len(value) == 2 and all(isinstance(end, str) and end for end in value):
            return list(value)
        raise InputError("not a link", value=value, allowed=_ALLOWED)

    def allowed(self, path: str) -> str:
        """Return the form."""
        return _ALLOWED

    def show(self, value: Any) -> str:
        """Return both ends."""
        return " - ".join(value)


LINK = Link()
