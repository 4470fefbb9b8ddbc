"""Kind: what a value of a scenario is, how users write it, and what is allowed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesonet import units


@dataclass(frozen=True, slots=True)
class Place:
    """Place of a value, as far as a kind knows it."""

    path: str  #: path of its range; `[]` stands for every entry of a list
    example: str = ""  #: a value with the unit that fits best, for messages
    segment_bytes: float = units.SEGMENT_BYTES  #: size of a segment, for values in bits or bytes


class Kind(ABC):
    """Kind of a value of a scenario; there is one object for each kind."""

    name: str
    """Name on the reference page."""
    unit = "1"
    """Unit of parsed values; ``1`` for a plain number, and for what is no number."""
    choices: tuple[str, ...] = ()
    """Words that are allowed."""

    @abstractmethod
    def parse(self, value: Any, place: Place) -> Any:
        """Return a user's value in base units; the path of an `InputError` begins at the value."""

    @abstractmethod
    def allowed(self, path: str) -> str:
        """Return what is allowed at the path of a range, in words."""

    def show(self, value: Any) -> str:
        """Return the text for a parsed value, as a user would write it."""
        return str(value)

    def show_at(self, value: Any, inside: str) -> str:
        """Return the text for the part of a parsed value at a path inside of it."""
        return self.show(value)

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return a user's value with the file that it names read; the path of the file starts at `directory`."""
        return value

    def between(self, low: Any, high: Any, where: float, place: Place) -> Any:
        """Return what a user writes for a value between two user's values, from -1 (low) to 1 (high); None: nothing."""
        return None


def are_pairs(value: Any) -> bool:
    """Return True for a list of pairs."""
    return isinstance(value, list | tuple) and all(isinstance(each, list | tuple) and len(each) == 2 for each in value)


def mean(low: float, high: float, where: float) -> float:
    """Return the number at a place between two numbers, from -1 (low) to 1 (high)."""
    return float(low + (high - low) * (where + 1) / 2)
