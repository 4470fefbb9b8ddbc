"""Generators for sizes that the table lacks: a start of the highest resolution found, then exchange of columns.

`start` takes the columns in Yates order, each that is no product of fewer than R - 1 earlier ones, for the highest R
that leaves enough of them: no word is then shorter than R. `improve` takes some columns out at random and puts others
in, one after another: those that add the fewest words of length 3, then 4, 5 and 6. A result that is not worse is kept.
One Walsh transform gives the number of words that each column would add. A better design than the best found may exist.

Source: Conway and Sloane, *IEEE Transactions on Information Theory* 32 (1986) 337 (lexicographic codes); Xu,
*Technometrics* 51 (2009) 262 (words from the runs).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mesonet.designs.words import lengths, parity, subset_sums, walsh

_LONGEST = 6
"""Words up to this length decide which column is put in."""

_WORTH = 1e3
"""Words of one length that a shorter one outweighs, a compromise with the precision of sums."""

_ROUNDS, _WORK = 1_000, 2**20
"""Rounds of a search, and rounds times runs: one or two seconds."""


def search(factors: int, base: int, seed: int = 1, known: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the best columns found of the factors that are not base factors.

    One column per generated factor, as a bit mask of base factors. `base`: number of base factors; 2^base runs.
    """
    first = next(found for length in range(factors, 2, -1) if (found := start(factors, base, length)))
    if known:
        first = min(first, tuple(known), key=lambda own: lengths([*(1 << bit for bit in range(base)), *own], base))
    return improve(first, base, seed, rounds=min(_ROUNDS, _WORK >> base))


def start(factors: int, base: int, resolution: int) -> tuple[int, ...] | None:
    """Return the columns of a design of at least this resolution.

    Base factors that are still missing at the end are free: no other column contains them.

    One column per generated factor; None if the rule finds too few.
    """
    places = np.arange(1 << base)
    sums = [places == 0 for _ in range(resolution - 1)]  # what at most 0, 1, ... columns multiply to
    taken: list[int] = []
    while (missing := base - (max(taken, default=0)).bit_length()) < factors - len(taken):
        free = np.flatnonzero(~sums[-1])
        if not free.size:
            return None
        taken.append(int(free[0]))
        for most in range(resolution - 2, 0, -1):
            sums[most] = sums[most] | sums[most - 1][places ^ taken[-1]]
    columns = [column for column in taken if column.bit_count() > 1]
    return tuple(columns) if missing == factors - len(taken) else None


def improve(columns: Sequence[int], base: int, seed: int, rounds: int) -> tuple[int, ...]:
    """Return columns with as many or fewer short words.

    The best columns found, as many as in `columns`. `columns`: the start: one column per generated factor.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    fixed = [1 << bit for bit in range(base)]
    best, score = list(columns), lengths([*fixed, *columns], base)
    for _ in range(rounds):
        out = int(rng.integers(1, min(4, len(best)), endpoint=True))
        tried = list(rng.permutation(best)[out:].tolist())
        for _ in range(out):
            cost = _added_words([*fixed, *tried], base)
            least = np.flatnonzero(cost <= cost.min() + 0.5)
            tried.append(int(rng.choice(least)))
        found = lengths([*fixed, *tried], base)
        if found <= score:
            best, score = tried, found
    return tuple(best)


def extended(columns: Sequence[int], base: int) -> tuple[int, ...]:
    """Return the columns of one more factor in twice the runs: every word of odd length is longer by one.

    The new factor is the last base factor; the others are multiplied with it (a foldover with a new factor).

    `columns`: one column per generated factor.
    """
    return tuple(column if column.bit_count() & 1 else column | 1 << base for column in columns)


def _added_words(columns: Sequence[int], base: int) -> npt.NDArray[np.float64]:
    """Return the cost of adding each column: its new words, short ones weighted more; inf for columns in use."""
    runs = np.arange(1 << base, dtype=np.int64)
    minus = np.zeros(len(runs), np.int64)
    for column in columns:
        minus += parity(runs & column)
    sums = subset_sums(len(columns))
    worth = sum(
        sums[length - 1] * _WORTH ** (_LONGEST - length) for length in range(3, _LONGEST + 1) if length <= len(sums)
    )
    cost = walsh(np.asarray(worth)[minus]) / len(runs)
    cost[[0, *columns]] = np.inf
    return cost
