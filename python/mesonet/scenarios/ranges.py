"""Allowed ranges of the numbers of a scenario, in words and as checks. The simulator has the table (`core.bounds`)."""

from __future__ import annotations

from typing import Any

from mesonet import core, units
from mesonet.errors import InputError


def parse(
    path: str, kind: units.Kind, value: Any, *, example: str = "", segment_bytes: float = units.SEGMENT_BYTES
) -> Any:
    """Return a user's number in base units, checked against its range.

    Parameters
    ----------
    path
        Path of the number; `[]` stands for every entry of a list.
    kind
        Kind of the number, as in `mesonet.units`.
    value
        The value as the user wrote it.
    example, segment_bytes
        As for `mesonet.units.parse`.

    Returns
    -------
    The number; None for a threshold that is off.

    Raises
    ------
    InputError
        If the value is no number, or out of its range; the message names the range with its unit.
    """
    try:
        parsed = units.parse(kind, value, example=example, segment_bytes=segment_bytes)
    except InputError as error:
        raise units.ranged(error, allowed(path, kind)) from None
    if parsed is not None:
        check(path, kind, parsed, value)
    return parsed


def check(path: str, kind: units.Kind, parsed: float, value: Any) -> None:
    """Check a number against its range.

    Parameters
    ----------
    path
        Path of the number; `[]` stands for every entry of a list.
    kind, parsed, value
        Kind of the number, the number in base units, and the text of the user.

    Raises
    ------
    InputError
        If the number is out of its range; the message names the range with its unit.
    """
    bound = core.bounds().get(path)
    if bound is None:
        return
    if problem := units.beyond(parsed, bound.least, bound.most, above=bound.above):
        raise InputError(problem, path=path, value=value, allowed=allowed(path, kind))


def allowed(path: str, kind: units.Kind) -> str:
    """Return the range of a number in words, with its unit.

    Parameters
    ----------
    path
        Path of the number; `[]` stands for every entry of a list.
    kind
        Kind of the number, as in `mesonet.units`.

    Returns
    -------
    The range; empty for a path without a range.
    """
    bound = core.bounds().get(path)
    if bound is None:
        return ""
    whole = int if kind == "count" else float
    least, most = (units.show(kind, whole(end)) for end in (bound.least, bound.most))
    return f"{'more than' if bound.above else 'at least'} {least} and at most {most}"
