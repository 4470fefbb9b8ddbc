"""Sets of impairments with a name (``[impairments.wifi]``): other links, with the same keys as ``[impairments]``.

A value of a set has a path of its own, such as ``impairments.wifi.loss``, so that a factor can vary it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mesonet.errors import InputError, unknown
from mesonet.scenarios.parameters import PARAMETERS

_SECTION = "impairments."
_ENTRY = re.compile(r"impairments\.([A-Za-z][A-Za-z0-9_-]{0,39})\.([^.]+)")


def key_names() -> list[str]:
    """Return the keys of a set. The last parts of the paths of the section ``impairments``, in its order."""
    return [path.removeprefix(_SECTION) for path in PARAMETERS if path.startswith(_SECTION)]


def base(path: str) -> str:
    """Return the parameter that a value of a set is one of.

    The path of the parameter in ``[impairments]``; any other path as it is.

    Examples
    --------
    >>> base("impairments.wifi.loss")
    'impairments.loss'
    """
    match = _ENTRY.fullmatch(path)
    if not match or _SECTION + match[1] in PARAMETERS:
        return path
    if match[2] not in key_names():
        raise unknown("key of impairments", match[2], key_names(), path=path)
    return _SECTION + match[2]


def is_entry(path: str) -> bool:
    """Return True if a path names a value of a set."""
    return base(path) != path


def names(paths: Iterable[str]) -> list[str]:
    """Return the names of the sets that have values. Names, sorted."""
    given = set(paths)
    found = sorted({path.split(".")[1] for path in given if is_entry(path)})
    for name in found:
        if f"{_SECTION}{name}.at" not in given:
            allowed = 'links that no other set names, such as ["A -> B"]'
            raise InputError("a set of impairments needs its links", path=f"{_SECTION}{name}.at", allowed=allowed)
    return found


def paths(name: str) -> list[str]:
    """Return the paths of all values of a set."""
    return [f"{_SECTION}{name}.{key}" for key in key_names()]
