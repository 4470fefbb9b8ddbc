"""The terms that the runs of a two-level design can estimate, and their effects.

In a regular fraction every product of factors equals one of n - 1 orthogonal columns of signs. A term is one such
column, and its effect is a difference of two means. Lost runs and designs that are not regular have columns that
overlap. A difference of means would then mix effects, so all effects are fitted together by least squares.

Source: G. E. P. Box, J. S. Hunter, W. G. Hunter, Statistics for Experimenters, 2nd edition, 2005, chapters 5 and 6;
least squares for lost runs: D. C. Montgomery, Design and Analysis of Experiments, section 6.10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Values that differ by less than this share of their size are equal but for rounding.
ROUNDING = 1e-12
#: Most strings of a regular design for which interactions of any order are listed; beyond, only of up to two factors.
MOST_STRINGS = 1023
#: Part of a column that others must leave for it to be estimated, relative to its length.
_INDEPENDENT = 1e-6


@dataclass(frozen=True)
class SignColumns:
    """Different columns of signs of a design, in the order of their shortest products."""

    columns: Floats  #: shape (n, m)
    strings: tuple[tuple[str, ...], ...]  #: aliases of each column, the shortest first; a leading `-` reverses the sign
    orders: tuple[int, ...]  #: number of factors of the first alias
    constant: tuple[str, ...]  #: products that are the same in every run
    regular: bool  #: True if the columns are orthogonal, and the runs can estimate no other
    complete: bool  #: True if the order did not exclude terms that the runs can estimate


@dataclass(frozen=True)
class Fit:
    """Effects of terms on one response. Arrays have one entry per column."""

    effect: Floats  #: mean at + less mean at -; NaN where it cannot be estimated
    mean_minus: Floats
    mean_plus: Floats
    error: Floats  #: standard error of the effect for a standard deviation of 1 of a run
    orthogonal: bool
    notes: tuple[str, ...]


def is_regular(matrix: Floats) -> bool:
    """Return True if the rows are all combinations of signs that some defining words allow, each equally often.

    `matrix`: signs, shape (n, k).
    """
    if not len(matrix):
        return False
    rows, counts = np.unique(matrix > 0, axis=0, return_counts=True)
    if np.ptp(counts) > 0:
        return False
    shifted = rows ^ rows[0]
    rank = 0
    basis: list[int] = []
    for word in (int("".join("1" if bit else "0" for bit in row) or "0", 2) for row in shifted):
        for other in basis:
            word = min(word, word ^ other)
        if word:
            basis.append(word)
            rank += 1
    return bool(len(rows) == 2**rank)


def sign_columns(matrix: Floats, names: Sequence[str], order: int | None = None) -> SignColumns:
    """Return the different columns of products of factors.

    The columns, shape (n, m), with their aliases. It is cached: callers must not change it. `matrix`: signs, shape (n,
    k). `order`: most factors of a product. None: all columns that a regular design can estimate, of any order; products
    of up to two factors for a design that is not regular, or only single factors where pairs are too many to estimate.
    """
    return _sign_columns(np.ascontiguousarray(matrix, dtype=np.int8).tobytes(), len(matrix), tuple(names), order)


@lru_cache(maxsize=16)
def _sign_columns(signs: bytes, runs: int, names: tuple[str, ...], order: int | None) -> SignColumns:
    """Return the sign columns; cached for the hundreds of responses of a design, so callers change nothing."""
    matrix = np.frombuffer(signs, dtype=np.int8).reshape(runs, len(names))
    regular = is_regular(matrix.astype(float))
    whole = len(np.unique(matrix, axis=0)) - 1 if regular else 0
    limit = order if order is not None else len(names)
    if order is None and (not regular or whole > MOST_STRINGS):
        limit = min(2, len(names))
    known: dict[bytes, int] = {}
    columns: list[NDArray[np.int8]] = []
    strings: list[list[str]] = []
    orders: list[int] = []
    constant: list[str] = []
    for size in range(1, limit + 1):
        if order is None and size > 2 and len(columns) == whole:
            break
        for chosen in combinations(range(len(names)), size):
            column = matrix[:, chosen].prod(axis=1, dtype=np.int8)
            sign = column[0] if runs else np.int8(1)
            name = "*".join(names[i] for i in chosen)
            key = (column * sign).tobytes()
            place = known.get(key)
            if not (column != sign).any():
                if order is not None or size <= 2:
                    constant.append(name)
            elif place is None:
                known[key] = len(columns)
                columns.append(column)
                strings.append([name])
                orders.append(size)
            elif order is not None or size <= max(2, orders[place]):
                # Aliases of more factors than the term itself would fill pages.
                strings[place].append(name if columns[place][0] == sign else f"-{name}")
    found = np.column_stack(columns).astype(float) if columns else np.empty((runs, 0))
    if order is None and not regular and not _independent(found).all():
        mains = [place for place, size in enumerate(orders) if size == 1]
        found, strings, orders = found[:, mains], [strings[i] for i in mains], [1] * len(mains)
    found.setflags(write=False)
    return SignColumns(
        columns=found,
        strings=tuple(map(tuple, strings)),
        orders=tuple(orders),
        constant=tuple(constant),
        regular=regular,
        complete=found.shape[1] == whole if regular else False,
    )


def is_orthogonal(columns: Floats) -> bool:
    """Return True if columns of signs are balanced and orthogonal to each other. `columns`: signs, shape (n, m)."""
    return not columns.sum(axis=0).any() and not (columns.T @ columns - len(columns) * np.eye(columns.shape[1])).any()


def fit(columns: Floats, names: Sequence[str], y: Floats) -> Fit:
    """Return the effects of columns of signs on the response.

    Orthogonal columns: differences of means. Others: least squares of the mean and of every column that does not
    depend on the columns before it; the dependent columns are left out, which takes their effects to be zero.

    Effects, level means and standard errors, shape (m,). `columns`: signs of the runs that have a value, shape (n, m).
    `y`: response, shape (n,).
    """
    n, m = columns.shape
    nothing = np.full(m, np.nan)
    if not n:
        return Fit(effect=nothing, mean_minus=nothing, mean_plus=nothing, error=nothing, orthogonal=True, notes=())
    tiny = ROUNDING * float(np.max(np.abs(y)))
    if is_orthogonal(columns):
        plus = columns > 0
        mean_plus = np.where(plus, y[:, None], 0).sum(axis=0) / plus.sum(axis=0)
        mean_minus = np.where(plus, 0, y[:, None]).sum(axis=0) / (~plus).sum(axis=0)
        effect = mean_plus - mean_minus
        effect = np.where(np.abs(effect) <= tiny, 0.0, effect)
        return Fit(
            effect=effect,
            mean_minus=mean_minus,
            mean_plus=mean_plus,
            error=np.full(m, 2 / np.sqrt(n)),
            orthogonal=True,
            notes=(),
        )
    kept = _kept(np.ascontiguousarray(columns, dtype=np.int8).tobytes(), n)
    model = np.column_stack([np.ones(n), columns[:, kept]])
    basis, triangle = np.linalg.qr(model)
    inverse = np.linalg.inv(triangle)
    beta = inverse @ (basis.T @ y)
    effect, error = nothing.copy(), nothing.copy()
    effect[kept] = np.where(np.abs(2 * beta[1:]) <= 10 * tiny, 0.0, 2 * beta[1:])
    error[kept] = 2 * np.linalg.norm(inverse[1:], axis=1)
    middle = beta[0]
    return Fit(
        effect=effect,
        mean_minus=middle - effect / 2,
        mean_plus=middle + effect / 2,
        error=error,
        orthogonal=False,
        notes=tuple(_notes(columns, names, kept)),
    )


def _independent(columns: Floats) -> NDArray[np.bool_]:
    """Return True for each column that depends neither on the mean nor on the columns before it."""
    n, m = columns.shape
    found = np.zeros(m, dtype=bool)
    basis = np.empty((n, min(n, m + 1)))
    basis[:, 0] = 1 / np.sqrt(max(n, 1))
    size = 1
    for place in range(m):
        if size == n:
            break
        rest = columns[:, place].astype(float)
        for _ in range(2):  # twice is enough (Kahan, Parlett)
            rest = rest - basis[:, :size] @ (basis[:, :size].T @ rest)
        length = float(np.linalg.norm(rest))
        if length > _INDEPENDENT * np.sqrt(n):
            found[place] = True
            if size < basis.shape[1]:
                basis[:, size] = rest / length
                size += 1
    return found


@lru_cache(maxsize=64)
def _kept(signs: bytes, runs: int) -> NDArray[np.bool_]:
    return _independent(np.frombuffer(signs, dtype=np.int8).reshape(runs, -1).astype(float))


def _notes(columns: Floats, names: Sequence[str], kept: NDArray[np.bool_]) -> list[str]:
    """Return notes on the consequences of overlapping columns for the effects."""
    centred = columns[:, kept] - columns[:, kept].mean(axis=0)
    size = np.linalg.norm(centred, axis=0)
    cosine = np.triu(np.abs(centred.T @ centred / np.outer(size, size)), 1)
    found = []
    if cosine.size and cosine.max() > 1e-9:
        found.append(
            f"The columns of terms are not orthogonal (correlation up to {cosine.max():.2g}): all effects are fitted "
            "together by least squares."
        )
    if gone := [name for name, there in zip(names, kept, strict=True) if not there]:
        verb = "is" if len(gone) == 1 else "are"
        found.append(f"Cannot be estimated from these runs, and {verb} taken to be zero: {_some(gone)}.")
    return found


def block_notes(design: object, columns: Floats, names: Sequence[str]) -> list[str]:
    """Return a note on the terms that a difference between the blocks of a design would change.

    `design`: its attribute `block`, if it has one, is the number of the block of each run, or None without blocks.
    `columns`: signs of the terms in all runs, shape (n, m).
    """
    block = getattr(design, "block", None)
    if block is None:
        return []
    # A difference adds nothing to the effect of a column with the same share of + in every block.
    means = [columns[np.asarray(block) == each].mean(axis=0) for each in sorted(set(block))]
    mixed = [name for name, differs in zip(names, np.ptp(means, axis=0) > ROUNDING, strict=True) if differs]
    return [f"Mixed with differences between blocks: {_some(mixed)}."] if mixed else []


def _some(names: Sequence[str]) -> str:
    """Return the first four names and the number of the others."""
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
