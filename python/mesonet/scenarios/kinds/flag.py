"""Flags."""

from __future__ import annotations

from typing import Any

from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Kind, Place


class Flag(Kind):
    """Kind of values that are true or false."""

    name = "flag"

    def parse(self, value: Any, place: Place) -> Any:
        """Return True or False."""
        if isinstance(value, bool):
            return value
        if value in ("true", "false"):
            return bool(value == "true")
        raise InputError("not true or false", value=value, allowed="true, false")

    def allowed(self, path: str) -> str:
        """Return no words: the default shows them."""
        return ""

    def show(self, value: Any) -> str:
        """Return ``true`` or ``false``."""
        return str(value).lower()


FLAG = Flag()
