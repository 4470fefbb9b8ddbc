"""Experiments that take values from a base: ``base = "exp-2a"`` in an experiment file.

The file replaces values of its base: keys one at a time, values of ``[set]`` by path, factors by id, and ``[design]``
as a whole. A factor with the id of a factor of the base takes its place; other factors follow behind. Name and title
are always those of the file. Relative paths in a file start beside that file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesonet.errors import InputError
from mesonet.files.toml import EXPERIMENTS, find_toml, identity, read_toml

_OWN = ("name", "title", "description")
_MERGED = ("base", "set", "factors")
"""Keys that have no value as a whole: a part of each may be of each file."""


@dataclass(frozen=True)
class Part:
    """File of an experiment: the file that a user named, or a base."""

    table: Mapping[str, Any]
    file: str  #: as messages name it
    directory: Path | None  #: where its relative paths start; None: the file is built in


@dataclass(frozen=True)
class OwnFactor:
    """A factor with its place: number of the factor in the list that has it, from 0."""

    part: Part
    number: int
    table: Any
    key: str = ""  #: key in ``[grid]`` of a factor that stands there

    @property
    def where(self) -> str:
        """Path of the factor in its file."""
        return f"grid.{self.key}" if self.key else f"factors[{self.number}]"


def parts(table: Mapping[str, Any], file: str, directory: Path | None, above: Sequence[Part] = ()) -> tuple[Part, ...]:
    """Return the files of an experiment: the base of all others first, the experiment itself last."""
    own = Part(table, file, directory)
    chain = (*above, own)
    if identity(file, directory) in (identity(part.file, part.directory) for part in above):
        problem = f"the experiment is its own base: {' -> '.join(part.file for part in chain)}"
        raise InputError(problem, above[-1].file, "base")
    if "base" not in table:
        return (own,)
    if not isinstance(table["base"], str):
        raise InputError("not text", file=file, path="base", value=table["base"], allowed="text in quotes")
    try:
        text, found, beside = find_toml(table["base"], EXPERIMENTS, "experiment", directory)
    except InputError as error:
        raise (error if error.file else InputError(error.problem, file, "base", error.value, error.allowed)) from None
    bases = parts(read_toml(text, found), found, beside, chain)
    if "model" in bases[-1].table:
        raise InputError("an experiment with a model", file, "base", table["base"], "an experiment with a network")
    return (*bases, own)


def origins(parts: Sequence[Part]) -> dict[str, Part]:
    """Return the file that each key has its value from; ``[set]`` and factors are of several files."""
    return {
        key: part
        for part in parts
        for key in part.table
        if key not in _MERGED and (part is parts[-1] or key not in _OWN)
    }


def factors(parts: Sequence[Part]) -> list[OwnFactor]:
    """Return the factors of all files. A factor takes the place of the factor of a base with its id."""
    found: list[OwnFactor] = []
    for part in parts:
        given = part.table.get("factors", [])
        if not isinstance(given, list):
            raise InputError("not a list", part.file, "factors", given, "[[factors]]")
        earlier = {str(id): place for place, other in enumerate(found) if (id := _id(other.table)) is not None}
        for number, table in enumerate(given):
            place = earlier.pop(str(_id(table)), len(found))
            found[place : place + 1] = [OwnFactor(part, number, table)]
    return found


def _id(factor: Any) -> Any:
    return factor.get("id") if isinstance(factor, Mapping) else None
