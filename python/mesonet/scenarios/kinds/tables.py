"""Lists of tables, such as ``[[flows]]``. A value of an entry has a path of its own, ``flows[0].size``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mesonet import units
from mesonet.errors import InputError, unknown
from mesonet.scenarios.by_column import Table
from mesonet.scenarios.kinds.key import Key
from mesonet.scenarios.kinds.kind import Kind


class Tables(Kind):
    """Kind of lists of tables with keys."""

    path: str
    """Path of the list."""
    keys: Mapping[str, Key]
    """Keys of an entry."""
    key_of: str
    """Noun after "key of" in messages."""
    entry: str
    """Noun for an entry in messages."""
    instead: Mapping[str, Sequence[str]] = {}
    """Keys that a key takes the place of."""

    of_files: Sequence[str] = ()
    """Keys whose values may name a file."""

    def excluded(self, key: str) -> set[str]:
        """Return the keys that an entry cannot have beside a key."""
        return {*self.instead.get(key, ()), *(other for other, keys in self.instead.items() if key in keys)}

    def at(self, key: str) -> Key:
        """Return a key of an entry."""
        if key not in self.keys:
            raise unknown(f"key of {self.key_of}", key, self.keys)
        return self.keys[key]

    def value_at(self, given: Any, number: int, key: str, segment_bytes: float = units.SEGMENT_BYTES) -> Any:
        """Return the parsed value of a key of one of a user's entries; None: it has no value."""
        self.at(key)
        return self.value_of(self._entries(given, number)[number], key, segment_bytes)

    def with_value(self, given: Any, number: int, key: str, value: Any) -> list[dict[str, Any]]:
        """Return a user's entries with the value of a key changed."""
        entries = [dict(entry) for entry in self._entries(given, number, value)]
        for replaced in self.instead.get(key, ()):
            entries[number].pop(replaced, None)
        entries[number][key] = value
        return entries

    def value_of(self, entry: Mapping[str, Any], key: str, segment_bytes: float) -> Any:
        """Return the parsed value of a key of an entry, or of its default; None: it has no value."""
        value, default = entry.get(key), self.keys[key].default
        if value is None and default in (None, ""):
            return None
        return self.parse_key(key, default if value is None else value, segment_bytes)

    def parse_key(self, key: str, value: Any, segment_bytes: float) -> Any:
        """Return the parsed value of a key; the path of an `InputError` begins with the key."""
        try:
            return self.keys[key].parse(value, segment_bytes)
        except InputError as error:
            raise error.below(key) from None

    def refuse_unknown(self, entry: Mapping[str, Any]) -> None:
        """Raise an `InputError` for a key of an entry that is none of `keys`."""
        for key in entry:
            if key not in self.keys:
                raise unknown(f"key of {self.key_of}", str(key), self.keys, path=str(key))

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return a user's entries with the files that they name read."""
        if not isinstance(value, list | tuple):
            return value
        return [self._with_files(number, entry, directory) for number, entry in enumerate(value)]

    def show_at(self, value: Any, inside: str) -> str:
        """Return the text of the entry that a path inside of the list begins with, else of the list."""
        number = inside.removeprefix("[").partition("]")[0]
        is_entry = number.isdecimal() and int(number) < len(value)
        return self.show([value[int(number)]] if is_entry else value)

    def _with_files(self, number: int, entry: Any, directory: Path | None) -> Any:
        for key in self.of_files if isinstance(entry, Mapping) else ():
            try:
                if (given := entry.get(key)) is not None:
                    entry = {**entry, key: self.keys[key].with_file(given, directory)}
            except InputError as error:
                raise error.below(f"[{number}].{key}") from None
        return entry

    def _entries(self, given: Any, number: int, value: Any = None) -> Sequence[Mapping[str, Any]]:
        """Return a user's entries; raise an `InputError` if there are not so many."""
        entries = given if isinstance(given, list | tuple | Table) else ()
        if number < len(entries):
            return entries
        path = self.path
        allowed = f"{path}[0] to {path}[{len(entries) - 1}]" if entries else f"a scenario with [[{path}]]"
        raise InputError(f"the scenario has no such {self.entry}", value=value, allowed=allowed)
