"""Experiments that take values from a base: ``base = "exp-2a"`` in an experiment file.

The file replaces values of its base: keys one at a time, values of ``[set]`` by path, factors by id, and ``[design]``
as a whole. A factor with the id of a factor of the base takes its place; other factors follow behind. Name and title
are always those of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mesonet.errors import InputError
from mesonet.files.toml import EXPERIMENTS, find_toml, read_toml
from mesonet.scenarios import settings

_OWN = ("name", "title", "description")


def with_base(
    table: Mapping[str, Any], file: str, directory: Path | None, above: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the table of an experiment file with the values of its base, and of the base of its base.

    `file`: the file, as messages name it. Relative paths in a base start beside it, too.
    """
    if "base" not in table:
        return dict(table)
    if not isinstance(table["base"], str):
        raise InputError("not text", file=file, path="base", value=table["base"], allowed="text in quotes")
    try:
        text, found, beside = find_toml(table["base"], EXPERIMENTS, "experiment", directory)
    except InputError as error:
        raise InputError(error.problem, file, "base", error.value, error.allowed) from None
    if found in (file, *above):
        raise InputError(f"the experiment is its own base: {' -> '.join((*above, file, found))}", file, "base")
    base = with_base(read_toml(text, found), found, beside, (*above, file))
    if "model" in base:
        raise InputError("an experiment with a model", file, "base", table["base"], "an experiment with a network")
    merged = {key: value for key, value in base.items() if key not in _OWN}
    merged |= {key: value for key, value in table.items() if key not in ("base", "set", "factors")}
    merged["set"] = _values(base) | _values(table)
    merged["factors"] = _factors(base.get("factors", []), table.get("factors", []))
    return merged


def _values(table: Mapping[str, Any]) -> Any:
    """Return the values of ``[set]`` by path; a value that is no table stays under ``set`` for later checks."""
    given = table.get("set", {})
    return settings.flatten(given) if isinstance(given, Mapping) else {"set": given}


def _factors(base: list[Any], own: Any) -> Any:
    if not isinstance(own, list):
        return own
    place = {factor["id"]: i for i, factor in enumerate(base) if isinstance(factor, Mapping) and "id" in factor}
    merged = list(base)
    for factor in own:
        if isinstance(factor, Mapping) and factor.get("id") in place:
            merged[place[factor["id"]]] = factor
        else:
            merged.append(factor)
    return merged
