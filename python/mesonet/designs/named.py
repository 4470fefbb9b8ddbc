"""The designs of the study by name.

* ``nist-2012``: 2^(20-12) in 256 runs, as the same team used it in a later study of cloud computing (from a public file
  of NIST Dataplot); the design of the study itself is not printed.
* ``min-aberration``: the best known design of the same size (Xu, *Technometrics* 51 (2009) 262).
* ``2^(6-1)``: the half fraction of resolution VI (experiments 1; generator assumed).
* ``2^(9-4)``: Table 9-4 of NIST SP 500-282 (experiments 2; derived from its rows).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mesonet.designs.catalogue import ENTRIES
from mesonet.designs.two_level import Design, checked_factors, from_columns
from mesonet.errors import InputError, unknown

_ENTRY = ENTRIES[256, 20]


def _columns(*words: str) -> tuple[int, ...]:
    return tuple(sum(1 << int(factor) - 1 for factor in word) for word in words)


NAMED: dict[str, tuple[int, tuple[int, ...], str]] = {
    "nist-2012": (
        20,
        _columns("123", "124", "125", "126", "127", "128", "234", "235", "236", "237", "238", "345"),
        "a later study of the same team, NIST Dataplot",
    ),
    "min-aberration": (20, _ENTRY.columns, _ENTRY.source),
    "2^(6-1)": (6, _columns("12345"), "Box, Hunter and Hunter"),
    "2^(9-4)": (9, _columns("2345", "1345", "1245", "1235"), "NIST SP 500-282, Table 9-4"),
}
"""Number of factors, Yates columns of those that are not base factors, and source, by name."""


def named(name: str, factors: Sequence[str] | int | None = None) -> Design:
    """Return a design of the study whose factors get the given ids, in the order of the design.

    Parameters
    ----------
    name
        A key of `NAMED`, such as ``2^(9-4)``.
    factors
        Ids, or the number of factors; by default ``X1``, ``X2``, and so on.

    Returns
    -------
    The design, with its source.

    Raises
    ------
    InputError
        If there is no design of this name, or the number of factors does not fit the design.
    """
    if not isinstance(name, str) or name not in NAMED:
        raise unknown("design", str(name), NAMED, path="name")
    number, columns, source = NAMED[name]
    names = checked_factors(number if factors is None else factors)
    if len(names) != number:
        raise InputError(
            f"the design {name} is for {number} factors", path="factors", value=len(names), allowed=str(number)
        )
    best = ENTRIES[1 << number - len(columns), number]
    design = from_columns(names, columns)
    if columns == best.columns:
        return replace(design, status="minimum aberration" if best.minimum_aberration else "best known", source=source)
    return replace(design, source=source)
