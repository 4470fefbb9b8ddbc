"""A plan on paper: the runs of a design in random order, with real levels, and empty columns for the responses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mesonet.designs.grid import level_at
from mesonet.designs.two_level import checked_factors, whole_number
from mesonet.errors import InputError, unknown

if TYPE_CHECKING:
    import polars as pl

RUN, STANDARD, BLOCK = "run", "standard", "block"
"""Columns of a plan: the order to run in, the order of the design, and the block."""
_DIGITS = 10


def plan(
    design: Any,
    levels: Mapping[str, Sequence[Any] | Callable[[float], Any] | None] | None = None,
    *,
    responses: Sequence[str] = (),
    replicates: int = 1,
    randomise: int | None = None,
    block: Sequence[Any] | None = None,
) -> pl.DataFrame:
    """Return the runs of a design as a table to fill in.

    Parameters
    ----------
    design
        A design with ``factors`` and ``matrix``, or coded settings, shape (n, k).
    levels
        Levels by factor, from the lowest to the highest: two, or as many as the design has. By default the coded
        settings. Between two numbers a setting is in proportion; texts have no settings between. A function gets the
        coded setting and returns the real one.
    responses
        Names of the empty columns.
    replicates
        Number of times that each run is made, 1 to 1000.
    randomise
        Seed of the random order; None: the order of the design. Runs are in random order within their block, and blocks
        keep their order.
    block
        Label of the block of each run of the design; by default the blocks of the design, if it has some.

    Returns
    -------
    Columns ``run``, ``standard`` (number of the run in the design, from 1), ``block`` if there are blocks, the factors,
    and the responses. ``write_csv`` of the frame writes it, and `mesonet.analysis` reads it when it is filled.

    Raises
    ------
    InputError
        If levels do not fit the factors or the settings, or two columns have one name.

    Examples
    --------
    >>> plan([[-1, -1], [1, 1]], {"heat": (150, 180), "salt": ("no", "yes")}, responses=["yield"]).rows()
    [(1, 1, 150, 'no', None), (2, 2, 180, 'yes', None)]
    """
    import polars as pl

    matrix = np.asarray(getattr(design, "matrix", design), dtype=float)
    if matrix.ndim != 2 or not matrix.size or not (np.abs(matrix) <= 1).all():
        raise InputError("not a design", path="design", allowed="numbers from -1 to 1, shape (runs, factors)")
    ids = checked_factors(getattr(design, "factors", None) or list(levels or ()) or matrix.shape[1])
    if len(ids) != matrix.shape[1]:
        problem = f"{len(ids)} factors for a design of {matrix.shape[1]}"
        raise InputError(problem, path="levels", value=", ".join(ids))
    for name in levels or ():
        if name not in ids:
            raise unknown("factor", name, ids, path="levels")
    number = whole_number(replicates)
    if number is None or not 1 <= number <= 1000:
        raise InputError("not a number of replicates", path="replicates", value=replicates, allowed="1 to 1000")
    labels = getattr(design, "block", None) if block is None else block
    if labels is not None and len(labels) != len(matrix):
        problem = f"{len(labels)} labels for {len(matrix)} runs"
        raise InputError(problem, path="block", allowed="one for each run")
    order = _order(len(matrix), number, labels, randomise)
    given = [*ids, *responses]
    for place, name in enumerate(given):
        if name in (RUN, STANDARD, BLOCK) or name in given[:place] or not str(name).strip():
            where = f"responses[{place - len(ids)}]" if place >= len(ids) else "factors"
            raise InputError("not a name of a column", path=where, value=name, allowed="a name that no column has")
    columns = {RUN: list(range(1, len(order) + 1)), STANDARD: [int(row) + 1 for row in order]}
    if labels is not None:
        columns[BLOCK] = [labels[row] for row in order]
    for place, name in enumerate(ids):
        own = (levels or {}).get(name)
        settings = [setting(name, own, x) for x in matrix[:, place].tolist()]
        columns[name] = [settings[row] for row in order]
    empty = {name: pl.Series(name, [None] * len(order), dtype=pl.Float64) for name in responses}
    return pl.DataFrame(columns, strict=False).with_columns(**empty)


def setting(name: str, levels: Sequence[Any] | Callable[[float], Any] | None, x: float) -> Any:
    """Return the setting of a factor at a coded place. `levels`: all of them, or both limits; None: the place."""
    if levels is None:
        return round(x, _DIGITS)
    if callable(levels):
        return levels(x)
    if isinstance(levels, str) or len(levels) < 2:
        raise InputError("not levels", path=f"levels, {name}", value=levels, allowed="at least two")
    at = (x + 1) / 2 * (len(levels) - 1)
    if np.isclose(at, round(at), atol=1e-9):
        return levels[level_at(x, len(levels))]
    numbers = all(isinstance(each, int | float | np.number) and not isinstance(each, bool) for each in levels)
    if len(levels) > 2 or not numbers:
        problem = f"the design has settings between the levels, such as {x:.4g}"
        raise InputError(problem, path=f"levels, {name}", value=list(levels), allowed="two numbers")
    low, high = levels
    return round(float(low + (high - low) * (x + 1) / 2), _DIGITS)


def _order(runs: int, replicates: int, labels: Sequence[Any] | None, randomise: int | None) -> npt.NDArray[np.intp]:
    """Return the row of the design of each run."""
    rows = np.tile(np.arange(runs), replicates)
    different = list(dict.fromkeys(labels)) if labels is not None else []
    group = np.array([different.index(labels[row]) if labels is not None else 0 for row in rows])
    if randomise is None:
        return rows if labels is None else rows[np.argsort(group, kind="stable")]
    seed = whole_number(randomise)
    if seed is None or seed < 0:
        raise InputError("not a seed", path="randomise", value=randomise, allowed="a whole number, at least 0")
    luck = np.random.default_rng(seed).random(len(rows))
    return rows[np.lexsort([luck, group])]
