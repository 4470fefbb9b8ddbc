"""The terms that the runs of a two-level design can estimate, and their effects by one model.

In a regular fraction every product of factors equals one of n - 1 orthogonal columns of signs. A term is one such
column, and its effect is a difference of two means. Lost runs, blocks and designs that are not regular have columns
that overlap. A difference of means would then mix effects, so that one model has them all: the mean or the blocks, and
the terms of few factors first, as many as the runs can estimate with at most twice the error of balanced runs. What it
leaves out is taken to be zero, would bias the effects if it were not, and is named in the notes.

Source: G. E. P. Box, J. S. Hunter, W. G. Hunter, Statistics for Experimenters, 2nd edition, 2005, chapters 5 and 6;
least squares for lost runs: D. C. Montgomery, Design and Analysis of Experiments, section 6.10; blocks: chapter 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Values that differ by less than this share of their size are equal but for rounding: 32 spacings of doubles.
ROUNDING = 32 * float(np.finfo(float).eps)
#: Most strings of a regular design for which interactions of any order are listed; beyond, only of up to two factors.
MOST_STRINGS = 1023
#: Most that an error may grow because columns overlap; a larger model leaves out its last terms (chosen).
MOST_ERROR = 2.0
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
    weights: Floats  #: of the values in each effect, shape (m, n); NaN where it cannot be estimated
    notes: tuple[str, ...]

    @property
    def error(self) -> Floats:
        """Standard errors of the effects for a standard deviation of 1 of a value."""
        return np.asarray(np.linalg.norm(self.weights, axis=1))


@dataclass(frozen=True)
class _Solved:
    """The model of one design, for any response."""

    weights: Floats
    notes: tuple[str, ...]


def is_regular(matrix: Floats) -> bool:
    """Return True if the different rows are all combinations of signs that some defining words allow.

    `matrix`: signs, shape (n, k).
    """
    if not len(matrix):
        return False
    rows = np.unique(matrix > 0, axis=0)
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


def incomplete(signs: SignColumns, factors: int) -> str:
    """Return the remark on the terms that are not among the columns. `factors`: number of factors."""
    most = max(signs.orders, default=1)
    if signs.regular:
        return f"Only terms of up to {most} factors are listed: the runs could estimate more."
    if most == 1 and factors > 1:
        return (
            "The design is not regular and has too few runs for interactions: they are taken to be zero, and would "
            "show up as parts of these main effects."
        )
    return "The design is not regular: interactions of more than two factors are taken to be zero."


def is_orthogonal(columns: Floats) -> bool:
    """Return True if columns of signs are balanced and orthogonal to each other. `columns`: signs, shape (n, m)."""
    return not columns.sum(axis=0).any() and not (columns.T @ columns - len(columns) * np.eye(columns.shape[1])).any()


def fit(columns: Floats, names: Sequence[str], y: Floats, block: NDArray[np.intp] | None = None) -> Fit:
    """Return the effects of columns of signs on the response, by least squares of all that can be estimated.

    The model has the mean, or a shift of each block, and the columns that do not depend on these and on the columns
    before them, until an error exceeds `MOST_ERROR`. The other columns are left out: their effects are taken to be
    zero.

    Effects, level means and weights of the m columns. `columns`: signs of the conditions that have a value, shape (n,
    m). `y`: mean of each condition, shape (n,). `block`: its block.
    """
    n, m = columns.shape
    nothing = np.full(m, np.nan)
    if not n:
        return Fit(effect=nothing, mean_minus=nothing, mean_plus=nothing, weights=np.empty((m, 0)), notes=())
    key = np.ascontiguousarray(columns, dtype=np.int8).tobytes()
    solved = _solved(key, n, tuple(names), None if block is None else tuple(block.tolist()))
    # Weights add up to 0: from the first value on, a large mean takes no digits from the effects.
    effect = solved.weights @ (y - y[0])
    effect = np.where(np.abs(effect) <= ROUNDING * float(np.max(np.abs(y))), 0.0, effect)
    middle = y[0] + float((y - y[0]).mean() - columns.mean(axis=0) @ np.nan_to_num(effect) / 2)
    return Fit(
        effect=effect,
        mean_minus=middle - effect / 2,
        mean_plus=middle + effect / 2,
        weights=solved.weights,
        notes=solved.notes,
    )


def shifts(block: NDArray[np.intp] | None, runs: int) -> Floats:
    """Return a column for the mean, or one for each block; shape (runs, blocks)."""
    return np.ones((runs, 1)) if block is None else np.eye(int(block.max(initial=0)) + 1)[block][:, np.unique(block)]


@lru_cache(maxsize=8)
def _solved(signs: bytes, runs: int, names: tuple[str, ...], block: tuple[int, ...] | None) -> _Solved:
    """Return the weights and notes of the model; cached for the hundreds of responses of a design."""
    columns = np.frombuffer(signs, dtype=np.int8).reshape(runs, -1).astype(float)
    own = shifts(None if block is None else np.array(block, dtype=np.intp), runs)
    notes = [f"The model has a shift for each of the {own.shape[1]} blocks."] if own.shape[1] > 1 else []
    if is_orthogonal(columns) and (own.shape[1] == 1 or not (own.T @ columns).any()):
        return _Solved(columns.T * (2 / runs), tuple(notes))
    kept = np.flatnonzero(_independent(columns, own))
    basis, triangle = np.linalg.qr(np.column_stack([own, columns[:, kept]]))
    inverse, first = np.linalg.inv(triangle), own.shape[1]
    # Row j, column l: squared error of effect j, relative to balanced runs, in the model that ends with column l.
    growth = np.triu(np.cumsum(runs * inverse**2, axis=1))[first:, first:].max(axis=0, initial=0.0)
    single = sum("*" not in names[place] for place in kept)
    number = max(single, int((growth <= MOST_ERROR**2).sum()))
    kept, end = kept[:number], first + number
    weights = np.full(columns.T.shape, np.nan)
    weights[kept] = 2 * (inverse[first:end, :end] @ basis[:, :end].T)
    weights.setflags(write=False)
    return _Solved(weights, (*notes, *_notes(columns, names, np.isin(np.arange(columns.shape[1]), kept), own)))


def _independent(columns: Floats, own: Floats | None = None) -> NDArray[np.bool_]:
    """Return True for each column that depends neither on the mean, or the columns `own`, nor on columns before it."""
    n, m = columns.shape
    found = np.zeros(m, dtype=bool)
    first = np.linalg.qr(shifts(None, n) if own is None else own)[0]
    size = first.shape[1]
    basis = np.empty((n, min(n, m + size)))
    basis[:, :size] = first
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


def _notes(columns: Floats, names: Sequence[str], kept: NDArray[np.bool_], own: Floats) -> list[str]:
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
    mixed = np.zeros(len(kept), dtype=bool)
    if own.shape[1] > 1:
        mixed = np.linalg.norm(columns - own @ np.linalg.lstsq(own, columns)[0], axis=0) < 1e-9 * np.sqrt(len(columns))
        mixed &= np.abs(columns.sum(axis=0)) < len(columns)
    if mixed.any():
        found.append(f"Cannot be distinguished from differences between blocks: {_some(names, mixed)}.")
    if (gone := ~kept & ~mixed).any():
        verb = "is" if gone.sum() == 1 else "are"
        found.append(f"Cannot be estimated well from these runs, and {verb} taken to be zero: {_some(names, gone)}.")
    return found


def _some(names: Sequence[str], chosen: NDArray[np.bool_]) -> str:
    """Return the first four chosen names and the number of the others."""
    found = [name for name, there in zip(names, chosen, strict=True) if there]
    return ", ".join(found[:4]) + (f" and {len(found) - 4} more" if len(found) > 4 else "")
