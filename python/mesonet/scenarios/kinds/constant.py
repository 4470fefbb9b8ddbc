"""Constants of algorithms: bare numbers in the unit of their source."""

from __future__ import annotations

from typing import Any

from mesonet import algorithms, core
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.number import Number


class Constant(Number):
    """Kind of the values of one constant, which the registry of algorithms describes."""

    def __init__(self, about: core.AlgorithmParameter) -> None:
        self.about = about

    def parse(self, value: Any, place: Place) -> Any:
        """Return the number, within its range."""
        return algorithms.constant(self.about, value)
