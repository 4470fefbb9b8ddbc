"""Numbers with a range. The simulator has the table of ranges (`core.bounds`)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from mesonet import core, units
from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Kind, Place, mean


class Ranged(Kind):
    """Kind of numbers that have a range at their path."""

    @abstractmethod
    def read(self, value: Any, place: Place) -> Any:
        """Return a user's number in base units, or None for a word that stands for no number."""

    def parse(self, value: Any, place: Place) -> Any:
        """Return a user's number in base units, within its range."""
        try:
            number = self.read(value, place)
        except InputError as error:
            raise units.ranged(error, self.allowed(place.path)) from None
        if number is not None:
            self.check(number, value, place.path)
        return number

    def check(self, number: float, value: Any, path: str) -> None:
        """Raise an `InputError` about a user's value if its number is out of the range at a path."""
        bound = core.bounds().get(path)
        if bound and (problem := units.beyond(number, bound.least, bound.most, above=bound.above)):
            raise InputError(problem, value=value, allowed=self.allowed(path))

    def allowed(self, path: str) -> str:
        """Return the range in words, with its unit; empty without a range."""
        bound = core.bounds().get(path)
        if bound is None:
            return ""
        least, most = self.show(bound.least), self.show(bound.most)
        return f"{'more than' if bound.above else 'at least'} {least} and at most {most}"

    def between(self, low: Any, high: Any, where: float, place: Place) -> Any:
        """Return what a user writes for the number between two numbers."""
        first, last = self.read(low, place), self.read(high, place)
        return None if first is None or last is None else self.written(mean(first, last, where))

    def written(self, number: float) -> Any:
        """Return a number in base units as a user writes it, exactly."""
        return number


class Measured(Ranged):
    """Kind of numbers with a unit."""

    quantity: units.Quantity

    def __init__(self, example: str = "") -> None:
        self.example = example
        self.unit = self.quantity.unit

    def read(self, value: Any, place: Place) -> Any:
        """Return a user's number in the base unit."""
        return self.quantity.parse(value, place.example or self.example, place.segment_bytes)

    def between(self, low: Any, high: Any, where: float, place: Place) -> Any:
        """Return the number between two numbers, in bytes or bits if both are: no size of a segment is known here."""
        first, last = self.quantity.of_bytes(low), self.quantity.of_bytes(high)
        if first is None and last is None:
            return super().between(low, high, where, place)
        if first is None or last is None:
            return None
        (start, unit), (end, other) = first, last
        end *= self.quantity.factors[other] / self.quantity.factors[unit]
        return f"{units.whole(mean(float(start), float(end), where))!r} {unit}"

    def show(self, value: Any) -> str:
        """Return the number with its unit."""
        return self.quantity.show(value)

    def written(self, number: float) -> Any:
        """Return the number with the base unit."""
        return f"{number!r} {self.quantity.written}"
