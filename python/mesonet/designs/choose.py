"""The design for a number of factors and a number of runs or a resolution.

Designs of up to 32 factors in up to 4096 runs come from the table of the literature, larger ones from a search. A
design never has a lower resolution than requested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mesonet.designs.catalogue import ENTRIES
from mesonet.designs.codes import from_codes
from mesonet.designs.search import extended, search, start
from mesonet.designs.two_level import (
    MOST_BASE,
    MOST_FACTORS,
    Design,
    checked_factors,
    from_columns,
    whole_number,
)
from mesonet.designs.words import lengths
from mesonet.errors import InputError

MOST_RUNS = 1 << MOST_BASE
_ROMAN = ("III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")


def by_runs(factors: Sequence[str] | int, runs: int, resolution: int | str | None = None, seed: int = 1) -> Design:
    """Return the design with the fewest short words (minimum aberration, where that is known) in this many runs.

    Parameters
    ----------
    factors
        Ids, or how many.
    runs
        A power of 2, more than there are factors and not more than all their combinations, at most 65,536.
    resolution
        The lowest accepted resolution: 3 or more, or ``"III"``, ``"IV"``, and so on. None: any.
    seed
        Seed of the search, where the table of the literature ends.

    Returns
    -------
    The design, with its status and source.

    Raises
    ------
    InputError
        If there is no such number of runs, or no design of this resolution in as many runs is known; the message says
        which number of runs has one.

    Examples
    --------
    >>> by_runs(6, 16).generators
    ('X5=X1*X2*X3', 'X6=X1*X2*X4')
    """
    names = checked_factors(factors)
    least = None if resolution is None else parsed_resolution(resolution)
    base = _checked_base(len(names), runs)
    design = _best(names, base, seed)
    if least is not None and design.generators and design.resolution < least:
        problem = (
            f"{len(names)} factors in {runs} runs have resolution {roman(design.resolution)} at best, as far as known"
        )
        enough = f"at least {1 << _base_for(len(names), least, seed)} runs for resolution {roman(least)}"
        raise InputError(problem, path="resolution", value=resolution, allowed=enough)
    return design


def by_resolution(factors: Sequence[str] | int, resolution: int | str, seed: int = 1) -> Design:
    """Return the design with the fewest short words in the fewest runs known to give this resolution.

    Parameters
    ----------
    factors
        Ids, or how many.
    resolution
        The lowest accepted resolution: 3 or more, or ``"III"``, ``"IV"``, and so on. Above the number of factors it
        gives a full factorial.
    seed
        Seed of the search, where the table of the literature ends.

    Returns
    -------
    The design, with its status and source.

    Raises
    ------
    InputError
        If the factors or the resolution are malformed, or no design of at most 65,536 runs with it is known.
    """
    names = checked_factors(factors)
    return _best(names, _base_for(len(names), parsed_resolution(resolution), seed), seed)


def next_larger(design: Design, seed: int = 1) -> Design | None:
    """Return the design of the same factors in twice the runs.

    Parameters
    ----------
    design
        A regular design.
    seed
        Seed of the search, where the table of the literature ends.

    Returns
    -------
    The larger design; None after a full factorial or above 65,536 runs.
    """
    base = design.runs.bit_length()
    if not design.generators or base > MOST_BASE:
        return None
    return _best(design.factors, base, seed)


def roman(resolution: int) -> str:
    """Return a resolution as it is written, such as IV."""
    return _ROMAN[resolution - 3] if 3 <= resolution < 3 + len(_ROMAN) else str(resolution)


def parsed_resolution(resolution: int | str) -> int:
    """Return the number of a resolution such as 4, "4" or "IV"."""
    text = str(resolution).strip().upper()
    number = _ROMAN.index(text) + 3 if text in _ROMAN else int(text) if text.isdecimal() and len(text) < 4 else 0
    if not 3 <= number <= MOST_FACTORS:
        raise InputError("not a resolution", path="resolution", value=resolution, allowed="III (3), IV (4), V (5), ...")
    return number


def _checked_base(factors: int, runs: int) -> int:
    fewest = 1 << min(factors.bit_length(), factors)
    most = min(MOST_RUNS, 1 << factors)
    sizes = f"{f'a power of 2, {fewest} to ' if fewest < most else ''}{most} for {factors} factors"
    number = whole_number(runs)
    if number is None or number < 2 or number & (number - 1):
        raise InputError("not a number of runs", path="runs", value=runs, allowed=sizes)
    if number < fewest:
        raise InputError(f"too few runs to separate {factors} factors", path="runs", value=runs, allowed=sizes)
    if number > 1 << factors:
        problem = f"more runs than {factors} factors have combinations: use replicates"
        raise InputError(problem, path="runs", value=runs, allowed=sizes)
    if number > MOST_RUNS:
        raise InputError("too many runs", path="runs", value=runs, allowed=sizes)
    return number.bit_length() - 1


def _best(names: tuple[str, ...], base: int, seed: int) -> Design:
    k = len(names)
    if k == base:
        return from_columns(names, ())
    if entry := ENTRIES.get((1 << base, k)):
        status = "minimum aberration" if entry.minimum_aberration else "best known"
        return replace(from_columns(names, entry.columns), status=status, source=entry.source)
    if k == base + 1:
        half = from_columns(names, [(1 << base) - 1])  # one word, and it has all factors
        return replace(half, status="minimum aberration", source="half fraction")
    columns = search(k, base, seed, _known(k, base))
    return replace(from_columns(names, columns), status="best found", source=f"search with seed {seed}")


def _base_for(factors: int, resolution: int, seed: int) -> int:
    """Return the fewest base factors of which a design of this resolution is known or found."""
    if resolution > factors:
        if factors > MOST_BASE:
            problem = f"only a full factorial of {factors} factors has it, which is too large"
            raise InputError(problem, path="resolution", value=resolution, allowed=f"at most {MOST_RUNS} runs")
        return factors
    smallest = factors.bit_length()
    known = next((base for base in range(smallest, MOST_BASE + 1) if _is_known(factors, base, resolution)), None)
    if known is None:
        problem = f"no design of {factors} factors with it is known in {MOST_RUNS} runs"
        raise InputError(problem, path="resolution", value=resolution, allowed="a lower resolution")
    while (
        known - 1 >= smallest and (1 << known - 1, factors) not in ENTRIES
    ):  # the rule of the start is not the last word
        columns = search(factors, known - 1, seed, _known(factors, known - 1))
        if _resolution(columns, known - 1) < resolution:
            break
        known -= 1
    return known


def _is_known(factors: int, base: int, resolution: int) -> bool:
    if base >= factors:
        return True
    if entry := ENTRIES.get((1 << base, factors)):
        return _resolution(entry.columns, base) >= resolution
    known = _known(factors, base)
    return bool(known and _resolution(known, base) >= resolution) or start(factors, base, resolution) is not None


def _known(factors: int, base: int) -> tuple[int, ...]:
    """Return the best known columns, from codes and by extension of a half-size entry; empty if there are none."""
    entry = ENTRIES.get((1 << base - 1, factors - 1))
    known = [*from_codes(factors, base), *([extended(entry.columns, base - 1)] if entry else [])]
    return min(known, key=lambda columns: _lengths(columns, base), default=())


def _lengths(columns: Sequence[int], base: int) -> tuple[int, ...]:
    return lengths([*(1 << bit for bit in range(base)), *columns], base)


def _resolution(columns: Sequence[int], base: int) -> int:
    count = _lengths(columns, base)
    return next((length for length in range(1, len(count)) if count[length]), len(count))
