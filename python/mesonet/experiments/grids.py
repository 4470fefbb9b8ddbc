"""Grids of levels: the table ``[grid]`` of an experiment file.

A key is a path, with its levels::

    [grid]
    "flows[0].count" = [2, 10, 50]
    "aqm.discipline" = ["drop_tail", "fq_codel"]
    "rtt:network.delay_multiplier" = [10, 40]       # with a name for the factor in front

All combinations run. A factor without a name is called by the last words of its path (`names_of`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from mesonet.designs.factor import FACTORS
from mesonet.errors import InputError
from mesonet.responses.definitions import BY_NAME
from mesonet.responses.tables import TIDY

_WORD = re.compile(r"[A-Za-z]\w*")
_TITLES = {factor.path: factor.name for factor in FACTORS} | {"aqm.discipline": "Queue discipline"}


def factor_tables(
    given: Any, taken: Collection[str], resolved: Callable[[str, str], str] | None = None
) -> dict[str, dict[str, Any]]:
    """Return the factors of a table ``[grid]`` as entries of ``[[factors]]``, by the key that each has there.

    `taken`: names that a factor without a name of its own does not get. `resolved`: called with a place of the file and
    a path, returns the full path; None: paths are full.
    """
    if not isinstance(given, Mapping) or not given:
        allowed = 'paths with lists of levels, such as "flows[0].count" = [2, 10, 50]'
        raise InputError("no levels", path="grid", value=given, allowed=allowed)
    named = {key: _divided(key) for key in given}
    ids = names_of([path for _, path in named.values()], [name for name, _ in named.values()], taken)
    found = {}
    for id, (key, (name, written)) in zip(ids, named.items(), strict=True):
        path = resolved(f"grid.{key}", written) if resolved else written
        if not isinstance(given[key], list):
            allowed = "a list such as [2, 10, 50]"
            raise InputError("not a list of levels", path=f"grid.{key}", value=given[key], allowed=allowed)
        title = name.replace("_", " ") if name else _TITLES.get(path, id.replace("_", " "))
        found[key] = {"id": id, "name": title, "path": path, "levels": given[key]}
    return found


def names_of(paths: Sequence[str], own: Sequence[str] = (), taken: Collection[str] = ()) -> list[str]:
    """Return a name for each path: its own, else its last word; more words where that is taken or needed twice.

    A count of the entries of a list has the name of the list. Taken are responses, the columns of tidy tables, and
    `taken`.

    Examples
    --------
    >>> names_of(["flows[0].count", "network.buffer", "flows[0].rtt"])
    ['flows', 'buffer', 'flows_0_rtt']
    >>> names_of(["flows[0].count", "flows[1].count"])
    ['flows_0_count', 'flows_1_count']
    """
    named = own or [""] * len(paths)
    choices = [[name] if name else _choices(path) for path, name in zip(paths, named, strict=True)]
    found = [names.pop(0) for names in choices]
    held = {*taken, *BY_NAME, *TIDY.columns, *own}
    while clash := [n for n, name in enumerate(found) if choices[n] and (name in held or found.count(name) > 1)]:
        for number in clash:
            found[number] = choices[number].pop(0)
    return [
        f"factor_{name}" if not own_name and (name in held or name in found[:number]) else name
        for number, (name, own_name) in enumerate(zip(found, named, strict=True))
    ]


def _choices(path: str) -> list[str]:
    """Return names for a path, the shortest first."""
    words = re.findall(r"\w+", path) or ["x"]
    is_count = len(words) > 2 and words[-1] == "count" and words[-2].isdigit()
    first = [words[-3]] if is_count else words[-1:]
    longer = ["_".join(words[-size:]) for size in range(3 if is_count else 2, len(words) + 1)]
    return [name for name in (*first, *longer) if _WORD.fullmatch(name)] or [f"factor_{'_'.join(words)}"]


def _divided(key: Any) -> tuple[str, str]:
    """Return the name of a factor, which may be empty, and its path."""
    name, colon, path = str(key).partition(":")
    if not colon:
        return "", name.strip()
    if not _WORD.fullmatch(name.strip()) or not path.strip():
        raise InputError("not NAME:PATH", path=f"grid.{key}", allowed='such as "rtt:network.delay_multiplier"')
    return name.strip(), path.strip()
