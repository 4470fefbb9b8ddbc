"""Rates at which flows arrive, per second."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from mesonet import units
from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.ranged import Ranged

_RATE = re.compile(r"\s*(\S+?)\s*flows\s*/\s*(s|ms|min|h)\s*")
_PER_SECOND = {"s": 1.0, "ms": 1000.0, "min": 1 / 60, "h": 1 / 3600}
_ALLOWED = 'a number with the unit flows/s, flows/ms, flows/min or flows/h, such as "200 flows/s"'


class FlowRate(Ranged):
    """Kind of rates of flows."""

    name = "flow rate"
    unit = "flows/s"

    def read(self, value: Any, place: Place) -> Any:
        """Return the number of flows per second."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            problem = f'a rate of flows needs its unit: write "{value} flows/s"'
            raise InputError(problem, value=value, allowed=_ALLOWED)
        match = _RATE.fullmatch(value) if isinstance(value, str) else None
        if not match:
            raise InputError("not a rate of flows", value=value, allowed=_ALLOWED)
        number, unit = match.groups()
        try:
            return units.number(number) * _PER_SECOND[unit]
        except InputError as error:
            raise replace(error, value=value) from None

    def show(self, value: Any) -> str:
        """Return the number of flows per second, with its unit."""
        return f"{units.number_text(value)} {self.unit}"

    def written(self, number: float) -> Any:
        """Return the number with its unit."""
        return f"{number!r} {self.unit}"


FLOW_RATE = FlowRate()
