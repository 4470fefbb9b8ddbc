"""Runs in blocks, such as machines or days, so that differences between blocks do not pass for effects.

2^b blocks are told apart by b products of factors; these products and their products cannot be told from blocks. The
choice leaves all main effects free, then loses the fewest clear two-factor interactions, then the fewest at all. It is
searched for by exchange of one product at a time from several starts, and not claimed to be the best.

Source: Box, Hunter and Hunter, *Statistics for Experimenters*; Sitter, Chen and Feder, *Technometrics* 39 (1997) 298.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mesonet.designs.two_level import Design
from mesonet.designs.words import parity, places, products
from mesonet.errors import InputError

_STARTS = 32
_MAIN, _CLEAR = 1e12, 1e6
"""What a main effect or a clear interaction counts in a block, against an interaction that is aliased anyway."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """A design in blocks.

    Attributes
    ----------
    design
        The runs.
    block
        Number of the block of each run, from 1; shape (runs,).
    generators
        The products of factors that tell the blocks apart.
    confounded
        Two-factor interactions that cannot be told from differences between blocks.
    """

    design: Design
    block: npt.NDArray[np.int64] = field(repr=False)
    generators: tuple[str, ...]
    confounded: tuple[str, ...]


def blocks(design: Design, number: int, seed: int = 1) -> Blocks:
    """The design in `number` blocks of equal size.

    Raises
    ------
    InputError
        If the number is no power of 2 below that of the runs, or a main effect would be lost.
    """
    base = design.runs.bit_length() - 1
    allowed = ", ".join(str(1 << bits) for bits in range(1, base)) or "a design of 4 runs or more"
    if isinstance(number, bool) or number not in [1 << bits for bits in range(1, base)]:
        raise InputError("not a number of blocks", path="blocks", value=number, allowed=allowed)
    columns = {effect: _column(design, effect) for effect in design.aliases}
    cost = np.zeros(design.runs)
    for effect, column in columns.items():
        cost[column] += _MAIN if "*" not in effect else 1 if design.aliases[effect] else _CLEAR
    cost[0] = np.inf
    rng = np.random.Generator(np.random.PCG64(seed))
    best, total = min(
        (_exchanged(cost, number.bit_length() - 1, rng) for _ in range(_STARTS)), key=lambda found: found[1]
    )
    if total >= _MAIN:
        problem = f"{number} blocks of this design cannot be told from a main effect"
        raise InputError(problem, path="blocks", value=number, allowed="fewer blocks, or more runs")
    within = set(products(best)[1:].tolist())
    run = np.arange(design.runs, dtype=np.int64)
    block = np.ones(design.runs, np.int64)
    for bit, column in enumerate(best):
        block += (parity(~run & column) ^ 1) << bit
    return Blocks(
        design=design,
        block=block,
        generators=tuple("*".join(design.base_factors[bit] for bit in places(column)) for column in best),
        confounded=tuple(effect for effect, column in columns.items() if column in within),
    )


def _column(design: Design, effect: str) -> int:
    column = 0
    for name in effect.split("*"):
        column ^= design.columns[design.factors.index(name)]
    return column


def _exchanged(cost: npt.NDArray[np.float64], number: int, rng: np.random.Generator) -> tuple[list[int], float]:
    """Columns of the block products and their cost, from a random start, until no exchange of one is better."""
    every = np.arange(len(cost))
    chosen: list[int] = []
    while len(chosen) < number:  # independent: none is a product of the others
        free = np.setdiff1d(every, products(chosen))
        chosen.append(int(rng.choice(free)))
    total = np.inf
    while True:
        for place in range(number):
            others = products(chosen[:place] + chosen[place + 1 :])
            there = cost[others[1:]].sum() + cost[every[:, None] ^ others[None, :]].sum(axis=1)
            chosen[place] = int(rng.choice(np.flatnonzero(there == there.min())))
        if there.min() >= total:
            return chosen, float(there.min())
        total = there.min()
