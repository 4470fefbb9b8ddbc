"""Words and columns of regular two-level designs as bit masks.

A *column* is the set of base factors whose product a factor is, bit 0 for the first: its number in Yates order. A
*word* is a set of factors whose product is the same in every run, bit 0 for the first factor. The words are the null
space of the columns: their lengths follow from the runs by the MacWilliams identity, without a list of words.

Source: MacWilliams and Sloane, *The Theory of Error-Correcting Codes*, chapter 5; Xu, *Technometrics* 51 (2009).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import comb

import numpy as np
import numpy.typing as npt


def parity(masks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return 1 where a mask has an odd number of bits, else 0.

    The shape of `masks`. `masks`: not negative, any shape.
    """
    return np.bitwise_count(masks).astype(np.int64) & 1


def places(mask: int) -> list[int]:
    """Return the bits of a mask, lowest first. Numbers of the bits that are set, from 0. `mask`: not negative."""
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def products(generators: Iterable[int]) -> npt.NDArray[np.int64]:
    """Return all products of words, 2^p for p independent words.

    Words, shape (2^p,): the product of none first. Bit i of the place stands for word i.
    """
    words = np.zeros(1, np.int64)
    for generator in generators:
        words = np.concatenate([words, words ^ generator])
    return words


def lengths(columns: Sequence[int], base: int) -> tuple[int, ...]:
    """Return the number of words of each length.

    Numbers of words of length 0 to k. `columns`: columns of all k factors, base factors included. `base`: number of
    base factors; 2^base runs.
    """
    k, runs = len(columns), np.arange(1 << base, dtype=np.int64)
    weights = np.zeros(len(runs), np.int64)
    for column in columns:
        weights += parity(runs & column)
    count = [int(number) for number in np.bincount(weights, minlength=k + 1)]
    return tuple(
        sum(number * sums[weight] for weight, number in enumerate(count) if number) >> base for sums in _krawtchouk(k)
    )


def subset_sums(k: int) -> npt.NDArray[np.float64]:
    """Return the sums over all subsets of t of k signs of the products of their signs.

    Row t, column number of minus signs; shape (k + 1, k + 1).
    """
    return np.array(_krawtchouk(k), np.float64)


def products_by_column(columns: Sequence[int], base: int) -> npt.NDArray[np.int64]:
    """Count the products of 0 to k of k factors that each column is.

    Shape (k + 1, 2^base). `columns`: columns of all k factors, base factors included. `base`: number of base factors;
    2^base runs.
    """
    runs = np.arange(1 << base, dtype=np.int64)
    minus = np.zeros(len(runs), np.int64)
    for column in columns:
        minus += parity(runs & column)
    sums = subset_sums(len(columns))
    return np.array([np.rint(walsh(row[minus]) / len(runs)) for row in sums]).astype(np.int64)


def walsh(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Sum the values over all runs with the signs of each column: the Walsh transform.

    One sum per column; shape (runs,). `values`: one value per run, in Yates order; shape (runs,), a power of 2.
    """
    there = values.reshape(1, -1)
    while there.shape[1] > 1:
        half = there.shape[1] // 2
        low, high = there[:, :half], there[:, half:]
        there = np.stack([low + high, low - high], axis=1).reshape(-1, half)
    return there.ravel()


@cache
def _krawtchouk(k: int) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(sum((-1) ** s * comb(minus, s) * comb(k - minus, t - s) for s in range(t + 1)) for minus in range(k + 1))
        for t in range(k + 1)
    )
