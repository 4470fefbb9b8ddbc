"""Routers: a rule that chooses them, or their names."""

from __future__ import annotations

from typing import Any

from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.names import ALLOWED, Names


class Places(Names):
    """Kind of routers, which a rule can choose."""

    name = "places"

    def __init__(self, *rules: str) -> None:
        self.choices = rules

    def parse(self, value: Any, place: Place) -> Any:
        """Return the rule or the names."""
        if isinstance(value, str) and value in self.choices:
            return value
        try:
            return super().parse(value, place)
        except InputError as error:
            allowed = f"{', '.join(self.choices)}, or {ALLOWED}"
            raise InputError("neither a rule nor names", value=error.value, allowed=allowed) from None

    def allowed(self, path: str) -> str:
        """Return the rules, and names."""
        return f"{', '.join(self.choices)}, or names of routers"

    def show(self, value: Any) -> str:
        """Return the rule or the names."""
        return value if isinstance(value, str) else super().show(value)
