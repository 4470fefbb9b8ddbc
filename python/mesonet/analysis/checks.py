"""Checks of what callers hand to an analysis: levels of significance and names of factors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mesonet.errors import InputError
from mesonet.numpy_data import names


def checked_alpha(alpha: float) -> float:
    """Return a level of significance as a number.

    Parameters
    ----------
    alpha
        The level, above 0 and below 1.

    Returns
    -------
    The same level.

    Raises
    ------
    InputError
        If the level is outside of this range or NaN.
    """
    if not 0 < alpha < 1:  # NaN too
        raise InputError("not a level of significance", path="alpha", value=alpha, allowed="above 0 and below 1")
    return float(alpha)


def factor_names(
    given: Any, columns: int, own: Sequence[str] | None = None, *, interactions: bool = True
) -> tuple[str, ...]:
    """Return the names of the columns of a design: the given names, else its own, else x1, x2, and so on.

    Parameters
    ----------
    given
        Names in any sequence, also an index of pandas; None or an empty sequence: take `own`.
    columns
        Number of columns.
    own
        Names that the design has itself.
    interactions
        Refuse names with ``*``, because the result names interactions.

    Returns
    -------
    One name per column.

    Raises
    ------
    InputError
        For text in place of a list, names that repeat, and names with ``*``, which stands between the factors of an
        interaction.
    ValueError
        If the number of names differs from the number of columns.
    """
    if isinstance(given, str):
        raise InputError("not a list of names", path="factors", value=given, allowed="a sequence of names")
    chosen = tuple(names(given)) if given is not None and len(given) else tuple(own or ())
    chosen = chosen or tuple(f"x{place + 1}" for place in range(columns))
    if len(chosen) != columns:
        raise ValueError(f"{len(chosen)} factor names for a design of {columns} columns")
    for place, name in enumerate(chosen):
        if name in chosen[:place]:
            raise InputError("named twice", path=f"factors[{place}]", value=name, allowed="each name once")
        if interactions and "*" in str(name):
            problem = "* stands between the factors of an interaction"
            raise InputError(problem, path=f"factors[{place}]", value=name, allowed="a name without *")
    return chosen
