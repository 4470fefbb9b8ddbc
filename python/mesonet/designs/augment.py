"""More runs for a design that is done: foldover, semifold, centre points, replicates.

A foldover repeats the design with the signs of some factors switched, which breaks every alias whose word has an odd
number of them. All factors: every word of odd length, so that resolution III becomes IV. One factor: every word that
has it, so that its main effect and all its interactions become clear of the rest. A semifold repeats only half of the
runs: cheaper by half, at the price of estimates that are correlated.

Source: Box, Hunter and Hunter, *Statistics for Experimenters*; Mee and Peralta, *Technometrics* 42 (2000) 122.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from mesonet.designs.two_level import Design, alias_strings, whole_number
from mesonet.errors import InputError, unknown

_MOST_ADDED = 1_000
Setting = TypeVar("Setting", np.int8, np.float64)


@dataclass(frozen=True, eq=False)
class Augmented:
    """A design and the runs added to it.

    Attributes
    ----------
    design
        The design without the added runs.
    matrix
        All runs, the runs of `design` first; shape (runs, k), int8, -1 and +1.
    aliases
        As in `design`, but for all runs.
    broken
        Pairs of effects that only the added runs distinguish, with a leading ``-`` where the sign differed.
    """

    design: Design
    matrix: npt.NDArray[np.int8] = field(repr=False)
    aliases: dict[str, tuple[str, ...]] = field(repr=False)
    broken: tuple[tuple[str, str], ...]

    @property
    def factors(self) -> tuple[str, ...]:
        """Ids of the factors."""
        return self.design.factors

    @property
    def block(self) -> tuple[int, ...]:
        """Number of the block of each run: 1 for the runs of `design`, 2 for the added ones, made later."""
        return (1,) * self.design.runs + (2,) * (self.runs - self.design.runs)

    @property
    def runs(self) -> int:
        """Number of runs, including the added ones."""
        return int(self.matrix.shape[0])

    @property
    def alias_strings(self) -> tuple[tuple[str, ...], ...]:
        """Alias strings in all runs, as in `design`."""
        return alias_strings(self.aliases)

    @property
    def clear_interactions(self) -> tuple[str, ...]:
        """Two-factor interactions not aliased with a main effect or another two-factor interaction in all runs."""
        return tuple(effect for effect, others in self.aliases.items() if "*" in effect and not others)

    @cached_property
    def estimable(self) -> int:
        """Number of main effects and two-factor interactions, or sums of them, that can be estimated at once."""
        signs = self.matrix.astype(np.float64)
        pairs = [signs[:, i] * signs[:, j] for i, j in combinations(range(signs.shape[1]), 2)]
        model = np.column_stack([np.ones(len(signs)), signs, *pairs])
        return int(np.linalg.matrix_rank(model.T @ model, hermitian=True)) - 1


def foldover(design: Design, switched: Sequence[str] | None = None) -> Augmented:
    """Return the design and its mirror image, twice the runs.

    Parameters
    ----------
    design
        The design to add runs to.
    switched
        Factors whose signs the added runs switch; by default all.

    Returns
    -------
    Twice the runs of `design`, and the aliases of all runs.

    Raises
    ------
    InputError
        If `switched` is empty or names no factor of the design.

    Examples
    --------
    >>> from mesonet.designs import by_runs
    >>> design = by_runs(7, 8)
    >>> folded = foldover(design)
    >>> folded.runs, design.aliases["X1"], folded.aliases["X1"]
    (16, ('X2*X4', 'X3*X5', 'X6*X7'), ())
    """
    return _augmented(design, _switched(design, switched), np.ones(design.runs, bool))


def semifold(design: Design, switched: Sequence[str], where: str) -> Augmented:
    """Return the design and the mirror image of half of it.

    Parameters
    ----------
    design
        The design to add runs to.
    switched
        Factors whose signs the added runs switch.
    where
        The factor that stands at + in the repeated runs, or, written as ``-X1``, at -.

    Returns
    -------
    One and a half times the runs of `design`, and the aliases of all runs.

    Raises
    ------
    InputError
        If `switched` is empty or a name is no factor of the design.
    """
    name = where.removeprefix("-")
    half = design.matrix[:, _place(design, name, "where")] == (-1 if where.startswith("-") else 1)
    return _augmented(design, _switched(design, switched), half)


def centre_points(matrix: npt.NDArray[np.int8], number: int) -> npt.NDArray[np.int8]:
    """Return the runs with centre points behind them: all factors half-way, to see curvature and pure error.

    Parameters
    ----------
    matrix
        Runs, shape (runs, k).
    number
        Centre points to add, 1 to 1000.

    Returns
    -------
    Shape (runs + number, k); the added rows are 0.

    Raises
    ------
    InputError
        If the number is outside of its range.
    """
    added = _checked_number("centre_points", number)
    return np.concatenate([matrix, np.zeros((added, matrix.shape[1]), np.int8)])


def replicates(matrix: npt.NDArray[Setting], number: int) -> npt.NDArray[Setting]:
    """Return the runs several times, all of them each time.

    Parameters
    ----------
    matrix
        Runs, shape (runs, k).
    number
        How often each run is made, 1 to 1000.

    Returns
    -------
    Shape (number * runs, k).

    Raises
    ------
    InputError
        If the number is outside of its range.
    """
    return np.tile(matrix, (_checked_number("replicates", number), 1))


def _augmented(design: Design, switched: list[int], repeated: npt.NDArray[np.bool_]) -> Augmented:
    added = design.matrix[repeated].copy()
    added[:, switched] *= -1
    names = {design.factors[place] for place in switched}
    repeated_signs = {
        effect: -1 if sum(name in names for name in effect.split("*")) % 2 else 1 for effect in design.aliases
    }

    def stays(effect: str, other: str) -> bool:
        return repeated_signs[effect] == repeated_signs[other.removeprefix("-")]

    order = {effect: place for place, effect in enumerate(design.aliases)}
    return Augmented(
        design=design,
        matrix=np.concatenate([design.matrix, added]),
        aliases={
            effect: tuple(other for other in others if stays(effect, other))
            for effect, others in design.aliases.items()
        },
        broken=tuple(
            (effect, other)
            for effect, others in design.aliases.items()
            for other in others
            if order[effect] < order[other.removeprefix("-")] and not stays(effect, other)
        ),
    )


def _switched(design: Design, names: Sequence[str] | None) -> list[int]:
    chosen = design.factors if names is None else tuple(names)
    if not chosen:
        raise InputError("no factor is switched", path="switched", allowed=", ".join(design.factors))
    return sorted({_place(design, name, "switched") for name in chosen})


def _place(design: Design, name: str, path: str) -> int:
    if name not in design.factors:
        raise unknown("factor", name, design.factors, path=path)
    return design.factors.index(name)


def _checked_number(path: str, number: int) -> int:
    given = whole_number(number)
    if given is None or not 1 <= given <= _MOST_ADDED:
        raise InputError("not a number of runs to add", path=path, value=number, allowed=f"1 to {_MOST_ADDED}")
    return given
