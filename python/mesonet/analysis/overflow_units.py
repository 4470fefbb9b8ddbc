"""Units for values so large that their squares overflow, or so small that their squares vanish."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Record = TypeVar("Record")

#: Sizes between which squares, and sums of squares, are ordinary numbers.
_LEAST, _MOST = 1e-100, 1e100


def unit(values: ArrayLike, axis: int | None = None) -> NDArray[np.float64]:
    """Return a power of two as large as the values, by which they can be divided without rounding.

    The unit is 1 if no value would overflow or vanish when squared. NaN and infinite values do not count.

    The unit, shape () or that of `values` with 1 along `axis`. `values`: numbers in any shape. `axis`: None: one unit
    for all values. Else one unit for the values along this axis, which stays as a dimension of 1.
    """
    array = np.asarray(values, dtype=float)
    finite = np.where(np.isfinite(array), np.abs(array), 0.0)
    size = np.max(finite, axis=axis, keepdims=axis is not None, initial=0.0)
    extreme = (size > _MOST) | ((size > 0) & (size < _LEAST))
    return np.where(extreme, np.ldexp(1.0, np.frexp(size)[1] - 1), 1.0)


def in_unit(record: Record, by: ArrayLike, *fields: str, **others: Any) -> Record:
    """Return a result with some fields multiplied by the unit in which they were computed, and others replaced.

    `by`: the unit, a number as `unit` returns it. If it is 1, the record is returned unchanged.
    """
    if float(np.asarray(by)) == 1:
        return record
    numbers = {name: getattr(record, name) * by for name in fields}
    plain = {name: float(value) if np.ndim(value) == 0 else value for name, value in numbers.items()}
    return replace(record, **plain, **others)  # type: ignore[type-var]
