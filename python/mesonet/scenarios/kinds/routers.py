"""Access routers of open-loop arrivals."""

from __future__ import annotations

from typing import Any

from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Kind, Place

ALL = "all"
"""Stands for all access routers."""
_ALLOWED = f'"{ALL}", a router such as "A", or a list of them'
_MOST_SHOWN = 5
"""Routers that a text lists."""


class Routers(Kind):
    """Kind of one router, or a list of routers."""

    name = "routers"

    def parse(self, value: Any, place: Place) -> Any:
        """Return the names."""
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list | tuple) or not names or not all(isinstance(n, str) and n for n in names):
            raise InputError("not names of routers", value=value, allowed=_ALLOWED)
        return list(names)

    def allowed(self, path: str) -> str:
        """Return the forms."""
        return _ALLOWED

    def show(self, value: Any) -> str:
        """Return the first names."""
        more = f" and {len(value) - _MOST_SHOWN} more" if len(value) > _MOST_SHOWN else ""
        return ", ".join(value[:_MOST_SHOWN]) + more


ROUTERS = Routers()
