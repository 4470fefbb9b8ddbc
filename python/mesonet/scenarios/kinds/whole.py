"""Whole numbers from 1 on that are no numbers of the simulator, such as the number of equal flows."""

from __future__ import annotations

from typing import Any

from mesonet import units
from mesonet.scenarios.kinds.count import Count
from mesonet.scenarios.kinds.kind import Place


class Whole(Count):
    """Kind of whole numbers from 1 to `most`."""

    def __init__(self, most: int) -> None:
        self.most = most

    def parse(self, value: Any, place: Place) -> Any:
        """Return the whole number."""
        return self.at_most(value, self.most)

    def at_most(self, value: Any, most: int) -> int:
        """Return the whole number of a user, at most `most`."""
        return units.integer(int(value) if isinstance(value, str) and value.isdecimal() else value, "", 1, most)

    def allowed(self, path: str) -> str:
        """Return the range."""
        return f"at least 1 and at most {self.most}"
