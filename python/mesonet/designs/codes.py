"""Columns from good linear codes, for the sizes above 4096 runs where the rule of `search.start` finds too few columns.

A design of k factors in 2^m runs is a binary linear code of length k and dimension k - m. The resolution of the design
is the minimum distance of the code. A design with one generated factor less keeps the resolution (a shortened code). A
design with one base factor less has half the runs, and its resolution is lower by one (a punctured code).

Source: Cheng and Sloane, *SIAM Journal on Discrete Mathematics* 2 (1989) 28 (the code of length 32; found anew, with an
automorphism of order 3); MacWilliams and Sloane, *The Theory of Error-Correcting Codes*, chapter 16 (double circulant
codes, length 28); Brouwer, *Handbook of Coding Theory* (1998), chapter 4 (length 23).
"""

from __future__ import annotations

from collections.abc import Iterator

_CODES = {
    14: (13, (16382, 855, 1709, 3417, 6833, 13665, 10947, 5511, 11021, 5659, 11317, 6251, 12501, 8619)),
    15: (
        14,
        (6397, 24830, 29109, 14958, 19495, 24903, 8821, 17613, 3762, 5478, 6967, 3166, 4510, 6851, 21372, 32479, 11708),
    ),
    16: (7, (51783, 41945, 46511, 51124, 29687, 48917, 40778)),
}
"""By number of base factors: the fewest generated factors for which the code is needed, and the columns of all."""


def from_codes(factors: int, base: int) -> Iterator[tuple[int, ...]]:
    """Yield the columns of the generated factors of each code that has a design of this size.

    One column per generated factor, as a bit mask of base factors.
    """
    generated = factors - base
    for bits, (fewest, columns) in _CODES.items():
        if fewest <= generated <= len(columns) and bits - base in (0, 1):
            yield tuple(column & (1 << base) - 1 for column in columns[:generated])
