"""Lists of whole numbers."""

from __future__ import annotations

from typing import Any

from mesonet import units
from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.names import Names, entries

_MOST = 2**32 - 1
_ALLOWED = f"whole numbers, at least 0 and at most {_MOST}, such as [1, 2]"


class Numbers(Names):
    """Kind of lists of whole numbers, such as numbers of flows."""

    name = "numbers"

    def parse(self, value: Any, place: Place) -> Any:
        """Return the numbers."""
        return [_number(entry, value) for entry in entries(value)]


def _number(entry: Any, value: Any) -> int:
    try:
        number = units.count(entry)
    except InputError as error:
        raise InputError(f"{entry!r} is {error.problem}", value=value, allowed=_ALLOWED) from None
    if problem := units.beyond(number, 0, _MOST):
        raise InputError(f"{entry!r} is {problem}", value=value, allowed=_ALLOWED)
    return number


NUMBERS = Numbers()
