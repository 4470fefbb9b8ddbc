"""Checks of what callers hand to an analysis: levels of significance and names of factors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mesonet.errors import InputError
from mesonet.numpy_data import names


def checked_alpha(alpha: float) -> float:
    """Return a level of significance as a number. `alpha`: the level, above 0 and below 1."""
    if not 0 < alpha < 1:  # NaN too
        raise InputError("not a level of significance", path="alpha", value=alpha, allowed="above 0 and below 1")
    return float(alpha)


def factor_names(
    given: Any, columns: int, own: Sequence[str] | None = None, *, interactions: bool = True
) -> tuple[str, ...]:
    """Return the names of the columns of a design: the given names, else its own, else x1, x2, and so on.

    `given`: names in any sequence, also an index of pandas; None or an empty sequence: take `own`. `interactions`:
    refuse names with ``*`` or `` = ``, because the result names interactions and aliases.
    """
    if isinstance(given, str):
        raise InputError("not a list of names", path="factors", value=given, allowed="a sequence of names")
    chosen = tuple(map(str, names(given) if given is not None and len(given) else own or ()))
    chosen = chosen or tuple(f"x{place + 1}" for place in range(columns))
    if len(chosen) != columns:
        raise ValueError(f"{len(chosen)} factor names for a design of {columns} columns")
    for place, name in enumerate(chosen):
        if name in chosen[:place]:
            raise InputError("named twice", path=f"factors[{place}]", value=name, allowed="each name once")
        if interactions and "*" in name:
            problem = "* stands between the factors of an interaction"
            raise InputError(problem, path=f"factors[{place}]", value=name, allowed="a name without *")
        if interactions and " = " in name:
            problem = "= stands between aliased effects"
            raise InputError(problem, path=f"factors[{place}]", value=name, allowed="a name without ' = '")
        if interactions and name.startswith("-"):
            problem = "- reverses the sign of an effect"
            raise InputError(problem, path=f"factors[{place}]", value=name, allowed="a name that does not begin with -")
    return chosen
