"""Key: a path of a scenario and the kind of its value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesonet import units
from mesonet.scenarios.kinds.kind import Kind, Place


@dataclass(frozen=True, eq=False)
class Key:
    """Path of a scenario, or key of a table in one, with its kind, default, meaning and source."""

    path: str  #: path of the range; `[]` stands for every entry of a list
    kind: Kind
    default: Any  #: as a user would write it; ``""`` or None: no value
    doc: str = ""
    source: str = ""

    @property
    def example(self) -> str:
        """A value with the unit that fits best, for messages; empty: the example of the kind."""
        return ""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return self.kind.allowed(self.path)

    def parse(self, value: Any, segment_bytes: float = units.SEGMENT_BYTES) -> Any:
        """Return a user's value in base units, checked; the path of an `InputError` begins at the value."""
        return self.kind.parse(value, Place(self.path, self.example, segment_bytes))

    def between(self, low: Any, high: Any, where: float) -> Any:
        """Return what a user writes for a value between two user's values, from -1 (low) to 1 (high); None: nothing."""
        return self.kind.between(low, high, where, Place(self.path, self.example))

    def show(self, value: Any) -> str:
        """Return the text for a parsed value, as a user would write it."""
        return "none" if value is None and self.default in (None, "") else self.kind.show(value)

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return a user's value with the file that it names read; the path of the file starts at `directory`."""
        return self.kind.with_file(value, directory)
