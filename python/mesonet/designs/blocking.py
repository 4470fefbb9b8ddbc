"""Blocks of runs, such as machines or days, whose differences do not pass for effects.

2^b blocks are defined by b products of factors. The products of these products are confounded with blocks, too. Blocks
of *minimum aberration* confound no main effect, then the fewest two-factor interactions, then the fewest three-factor
interactions, and so on: the block part of the word-length pattern of Sitter, Chen and Feder. Of blocks that confound
equally many two-factor interactions, those that confound the fewest clear ones come first.

The search exchanges one product after another from many starts. The tests compare its results with all blockings of
designs of up to 128 runs. In a full factorial, the confounded products are the words of the block of the first run, so
that blocks of minimum aberration correspond to fractions of minimum aberration; the tests compare these, too.

Source: Sitter, Chen and Feder, *Technometrics* 39 (1997) 382; Sun, Wu and Chen, *Technometrics* 39 (1997) 298.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from mesonet.designs.two_level import Design, whole_number
from mesonet.designs.words import parity, places, products, products_by_column
from mesonet.errors import InputError

_STARTS, _WORK = 64, 2**26
"""Most starts of a search, and most starts times runs times factors times products: two or three seconds."""

_PASSES = 2
"""Passes over all products without an improvement that end a start."""


@dataclass(frozen=True, eq=False)
class Blocking:
    """A design in blocks.

    Attributes
    ----------
    design
        The runs and their blocks.
    block
        Number of the block of each run, from 1; shape (runs,).
    generators
        The products of factors whose signs define the blocks.
    confounded
        Two-factor interactions that cannot be distinguished from differences between blocks.
    word_lengths
        Number of interactions confounded with blocks, by their number of factors.
    """

    design: Design
    block: npt.NDArray[np.int64] = field(repr=False)
    generators: tuple[str, ...]
    confounded: tuple[str, ...]
    word_lengths: dict[int, int]

    @property
    def factors(self) -> tuple[str, ...]:
        """Ids of the factors."""
        return self.design.factors

    @property
    def matrix(self) -> npt.NDArray[np.int8]:
        """Runs of the design; shape (runs, k), -1 and +1."""
        return self.design.matrix


def blocks(design: Design, number: int, seed: int = 1) -> Blocking:
    """Divide a design into blocks of equal size that confound the fewest interactions of few factors.

    Parameters
    ----------
    design
        The runs.
    number
        Number of blocks: a power of 2 below the number of runs.
    seed
        Seed of the random starts of the search. Equal seeds give equal blocks.

    Returns
    -------
    The block of each run, and the interactions confounded with blocks.

    Raises
    ------
    InputError
        If there is no such number of blocks, a main effect would be confounded with blocks, or the design is not
        regular or has added runs.

    Examples
    --------
    >>> from mesonet.designs import two_level
    >>> found = blocks(two_level(3), 2)
    >>> found.generators, found.block.tolist()
    (('X1*X2*X3',), [1, 2, 2, 1, 2, 1, 1, 2])
    """
    base = sum(column.bit_count() == 1 for column in design.columns)
    if design.runs != 1 << base or len(design.columns) != len(design.factors):
        problem = "only a regular two-level design without added runs is divided into blocks"
        raise InputError(problem, path="design", value=f"{design.runs} runs", allowed="a design from generators")
    allowed = ", ".join(str(1 << bits) for bits in range(1, base)) or "a design of 4 runs or more"
    given = whole_number(number)
    if given is None or given not in [1 << bits for bits in range(1, base)]:
        raise InputError("not a number of blocks", path="blocks", value=number, allowed=allowed)
    counts = _ranked(design, base)
    bits = given.bit_length() - 1
    rng = np.random.Generator(np.random.PCG64(seed))
    starts = max(2, min(_STARTS, _WORK // (counts.size * bits)))
    lost, best = min((_exchanged(counts, bits, rng) for _ in range(starts)), key=lambda found: found[0])
    if lost[0]:
        problem = f"{number} blocks of this design cannot be distinguished from a main effect"
        raise InputError(problem, path="blocks", value=number, allowed="fewer blocks, or more runs")
    within = set(products(best)[1:].tolist())
    run = np.arange(design.runs, dtype=np.int64)
    block = np.ones(design.runs, np.int64)
    for bit, column in enumerate(best):
        block += (parity(~run & column) ^ 1) << bit
    return Blocking(
        design=replace(design, block=tuple(block.tolist())),
        block=block,
        generators=tuple("*".join(design.base_factors[bit] for bit in places(column)) for column in best),
        confounded=tuple(effect for effect in design.aliases if "*" in effect and _column(design, effect) in within),
        word_lengths={length: count for length, count in enumerate((*lost[:2], *lost[3:]), start=1) if count},
    )


def confounded(design: Design, replicates: Sequence[Sequence[str]]) -> Design:
    """Return several replicates of a design, each in blocks that confound products of its own.

    An effect that one replicate confounds with its blocks can then be estimated from the others (partial confounding).

    Parameters
    ----------
    design
        The runs of one replicate.
    replicates
        For each replicate the products that its blocks confound, such as ``X1*X2*X3``; b products give 2^b blocks. None
        make the replicate one block.

    Returns
    -------
    All runs, replicate after replicate, with their blocks.

    Raises
    ------
    InputError
        If there is no replicate, a name is no factor, or products do not divide the runs into equal blocks.

    Notes
    -----
    Source: F. Yates, The Design and Analysis of Factorial Experiments, 1937; D. C. Montgomery, Design and Analysis of
    Experiments, section 7.8.

    Examples
    --------
    >>> from mesonet.designs import two_level
    >>> confounded(two_level(2), [["X1*X2"], ["X1"]]).block
    (2, 1, 1, 2, 3, 4, 3, 4)
    """
    if isinstance(replicates, str) or not len(replicates):
        allowed = 'a list of products for each replicate, such as [["X1*X2"], ["X1*X3"]]'
        raise InputError("no replicates", path="replicates", value=replicates, allowed=allowed)
    found: list[int] = []
    for number, chosen in enumerate(replicates):
        path = f"replicates[{number}]"
        if isinstance(chosen, str):
            raise InputError("not a list of products", path=path, value=chosen, allowed='such as ["X1*X2"]')
        signs = np.ones((design.runs, 0), np.int8)
        for place, product in enumerate(chosen):
            try:
                signs = np.column_stack([signs, design.column(product)])
            except InputError as error:
                raise InputError(error.problem, path=f"{path}[{place}]", value=product, allowed=error.allowed) from None
        own = (signs > 0) @ (1 << np.arange(len(chosen)))
        size = np.bincount(own, minlength=1 << len(chosen))
        if np.ptp(size) or size[0] < 2:
            problem = f"these products make no {1 << len(chosen)} equal blocks of two runs or more"
            raise InputError(problem, path=path, value=list(chosen), allowed="fewer products, none of others' product")
        found += (own + 1 + max(found, default=0)).tolist()
    matrix = np.tile(design.matrix, (len(replicates), 1))
    return replace(design, matrix=matrix, block=tuple(found))


def _ranked(design: Design, base: int) -> npt.NDArray[np.int64]:
    """Count the effects in each column: main effects, two-factor interactions, clear ones, of three factors, ..."""
    number = products_by_column(design.columns, base)[1:]
    if len(number) < 2:
        number = np.vstack([number, np.zeros_like(number)])
    return np.insert(number, 2, (number[0] == 0) & (number[1] == 1), axis=0)


def _column(design: Design, effect: str) -> int:
    column = 0
    for name in effect.split("*"):
        column ^= design.columns[design.factors.index(name)]
    return column


def _exchanged(
    counts: npt.NDArray[np.int64], number: int, rng: np.random.Generator
) -> tuple[tuple[int, ...], list[int]]:
    """Return the effects lost to blocks, and the products, from a random start to where no exchange helps."""
    runs = counts.shape[1]
    chosen: list[int] = []
    while len(chosen) < number:  # independent: none is a product of the others
        free = np.setdiff1d(np.arange(runs), products(chosen))
        chosen.append(int(rng.choice(free)))
    best: tuple[int, ...] | None = None
    failed = 0
    while failed < _PASSES:
        for place in range(number):
            others = chosen[:place] + chosen[place + 1 :]
            lost, chosen[place] = _best_exchange(counts, others, rng)
            if others:  # the same blocks from other products, so that the next pass exchanges others
                chosen[place] ^= int(rng.choice(products(others)))
        failed = 0 if best is None or lost < best else failed + 1
        best = lost
    return lost, chosen


def _best_exchange(
    counts: npt.NDArray[np.int64], others: list[int], rng: np.random.Generator
) -> tuple[tuple[int, ...], int]:
    """Return the effects lost with the best product beside `others`, and that product."""
    columns, sums = np.arange(counts.shape[1]), counts
    reduced: list[int] = []
    for other in others:  # sums over columns that differ by products of `others`; the lowest column stands for the rest
        for earlier in reduced:
            other = min(other, other ^ earlier)
        reduced.append(other)
        kept = columns & 1 << other.bit_length() - 1 == 0
        sums = sums[:, kept] + sums[:, np.searchsorted(columns, columns[kept] ^ other)]
        columns = columns[kept]
    left = np.arange(1, len(columns))
    for row in sums:
        left = left[row[left] == row[left].min()]
        if len(left) == 1:
            break
    found = int(rng.choice(left))
    total = sums[:, 0] + sums[:, found] - counts[:, 0]
    return tuple(total.tolist()), int(columns[found])
