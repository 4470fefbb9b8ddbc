"""Plain numbers."""

from __future__ import annotations

from typing import Any

from mesonet import units
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.ranged import Ranged


class Number(Ranged):
    """Kind of plain numbers."""

    name = "number"

    def read(self, value: Any, place: Place) -> Any:
        """Return the number."""
        return units.number(value)

    def show(self, value: Any) -> str:
        """Return the number to 12 digits."""
        return units.number_text(value)


NUMBER = Number()
