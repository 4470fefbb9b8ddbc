"""Whole numbers."""

from __future__ import annotations

from typing import Any

from mesonet import units
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.number import Number


class Count(Number):
    """Kind of whole numbers."""

    name = "count"

    def read(self, value: Any, place: Place) -> Any:
        """Return the whole number."""
        return units.count(value)

    def allowed(self, path: str) -> str:
        """Return the range in words."""
        known = super().allowed(path)
        return f"a whole number, {known}" if known else ""

    def written(self, number: float) -> Any:
        """Return the nearest whole number."""
        return round(number)


COUNT = Count()
