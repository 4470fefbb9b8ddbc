"""The best known designs of up to 24 factors in 8 to 512 runs, as columns of the Yates order.

*Minimum aberration*: the fewest words of the shortest length, then of the next, and so on. Where a source compared all
designs of a size, the entry is minimum aberration; where it did not, it is the best known.

Sources, also of the printed word lengths, which are those of length 3 and on:

* 8 runs: Box, Hunter and Hunter, *Statistics for Experimenters*.
* 16, 32 and 64 runs: Chen, Sun and Wu, *International Statistical Review* 61 (1993) 131: all designs of 16 and 32 runs,
  all of resolution IV in 64. 13 to 15 factors in 16 runs: all but two, one or none of the columns, which are alike
  (Tang and Wu, *Statistica Sinica* 6 (1996) 549).
* 128, 256 and 512 runs: Xu, *Technometrics* 51 (2009) 262: all designs of resolution IV in 128 runs and, up to 17
  factors, in 256; all of resolution V in 512, which ends at 23 factors. Others were built from good smaller ones.

The tables were read in the public transcription ABohynDOE/csw93 (MIT); every pattern is recomputed in the tests.
"""

from __future__ import annotations

from dataclasses import dataclass

_CHEN, _XU = "Chen, Sun and Wu 1993", "Xu 2009"
_SOURCES = {
    8: "Box, Hunter and Hunter",
    16: _CHEN,
    32: _CHEN,
    64: _CHEN,
    128: _XU,
    256: _XU,
    512: _XU,
}
_COMPARED = {256: 17, 512: 23}
"""Most factors up to which the source compared all designs, where not all of these."""


@dataclass(frozen=True)
class Entry:
    """A design of the literature.

    Attributes
    ----------
    runs, factors
        Its size.
    columns
        Yates columns of the factors that are not base factors: bit 0 is the first base factor.
    word_lengths
        Printed numbers of words of length 3, 4, and so on, as far as the source prints them.
    source
        Where it was published.
    minimum_aberration
        Whether all designs of the size were compared.
    """

    runs: int
    factors: int
    columns: tuple[int, ...]
    word_lengths: tuple[int, ...]
    source: str
    minimum_aberration: bool


_TABLE = """
  8  4 | 7 | 0 1
  8  5 | 3 5 | 2 1
  8  6 | 3 5 6 | 4 3
  8  7 | 3 5 6 7 | 7 7
 16  5 | 15 | 0 0 1
 16  6 | 7 11 | 0 3 0 0
 16  7 | 7 11 13 | 0 7 0 0 0
 16  8 | 7 11 13 14 | 0 14 0 0 0 1
 16  9 | 3 5 9 14 15 | 4 14 8 0 4 1 0
 16 10 | 3 5 6 9 14 15 | 8 18 16 8 8 5 0 0
 16 11 | 3 5 6 9 10 13 14 | 12 26 28 24 20 13 4
 16 12 | 3 5 6 9 10 13 14 15 | 16 39 48 48 48 39 16 0 0 1
 16 13 | 3 5 6 7 9 10 11 12 13 | 22 55
 16 14 | 3 5 6 7 9 10 11 12 13 14 | 28 77
 16 15 | 3 5 6 7 9 10 11 12 13 14 15 | 35 105
 32  6 | 31 | 0 0 0 1 0
 32  7 | 7 27 | 0 1 2 0 0
 32  8 | 7 11 29 | 0 3 4 0 0
 32  9 | 7 11 19 29 | 0 6 8 0 0
 32 10 | 7 11 19 29 30 | 0 10 16 0 0
 32 11 | 7 11 13 19 21 25 | 0 25 0 27 0
 32 12 | 7 11 13 14 19 21 25 | 0 38 0 52 0
 32 13 | 7 11 13 14 19 21 22 25 | 0 55 0 96 0
 32 14 | 7 11 13 14 19 21 22 25 26 | 0 77 0 168 0
 32 15 | 7 11 13 14 19 21 22 25 26 28 | 0 105 0 280 0
 32 16 | 7 11 13 14 19 21 22 25 26 28 31 | 0 140 0 448 0
 32 17 | 3 5 9 14 15 17 22 23 26 27 28 29 | 8 140 112 448
 32 18 | 3 5 6 9 14 15 17 22 23 26 27 28 29 | 16 148 224 560
 32 19 | 3 5 6 9 10 14 15 17 22 23 26 27 28 29 | 24 164 344 784
 32 20 | 3 5 6 9 10 14 15 17 18 22 23 26 27 28 29 | 32 188 480 1128
 32 21 | 3 5 6 9 10 14 15 17 18 22 23 26 27 28 29 31 | 40 220 641 1608
 32 22 | 3 5 6 9 10 13 14 15 17 18 21 22 23 25 26 29 30 | 48 263 832 2224
 32 23 | 3 5 6 9 10 13 14 15 17 18 21 22 23 25 26 27 28 29 | 56 315 1064 3024
 32 24 | 3 5 6 9 10 13 14 15 17 18 21 22 23 25 26 27 28 29 30 | 64 378 1344 4032
 64  7 | 63 | 0 0 0 0 1
 64  8 | 15 51 | 0 0 2 1 0
 64  9 | 7 27 45 | 0 1 4 2 0
 64 10 | 7 27 43 53 | 0 2 8 4 0
 64 11 | 7 11 29 45 51 | 0 4 14 8 0
 64 12 | 7 11 29 45 51 62 | 0 6 24 16 0
 64 13 | 7 11 21 25 38 58 60 | 0 14 28 24 24
 64 14 | 7 11 19 30 37 41 49 60 | 0 22 40 36 56
 64 15 | 7 11 19 30 37 41 49 60 63 | 0 30 60 60 105
 64 16 | 7 11 13 19 21 35 37 57 58 60 | 0 43 81 96 189
 64 17 | 7 11 13 14 19 21 35 37 57 58 60 | 0 59 108 150 324
 64 18 | 7 11 13 14 19 21 22 35 37 57 58 60 | 0 78 144 228
 64 19 | 7 11 13 14 19 21 22 35 37 38 57 58 60 | 0 100 192 336
 64 20 | 7 11 13 14 19 21 22 35 37 38 57 58 60 63 | 0 125 256 480
 64 21 | 7 11 13 14 19 21 22 25 35 41 42 49 52 56 62 | 0 204 0 1680
 64 22 | 7 11 13 14 19 21 22 25 35 37 41 42 49 52 56 62 | 0 250 0 2304
 64 23 | 7 11 13 14 19 21 22 25 26 35 37 41 44 49 52 56 62 | 0 304 0 3105
 64 24 | 7 11 13 14 19 21 22 25 26 35 37 38 41 42 49 52 56 62 | 0 365 0 4138
128  8 | 127 | 0 0 0 0 0 1
128  9 | 31 103 | 0 0 0 3 0 0
128 10 | 31 103 43 | 0 0 3 3 1 0
128 11 | 31 103 43 85 | 0 0 6 6 2 1
128 12 | 31 103 43 85 121 | 0 1 8 12 8
128 13 | 31 103 43 85 44 86 | 0 2 16 18 10
128 14 | 31 103 43 85 46 61 114 | 0 3 24 36 16
128 15 | 31 103 43 85 46 61 114 67 | 0 7 32 52 40
128 16 | 31 103 43 85 44 86 88 53 110 | 0 10 48 72
128 17 | 31 103 43 85 46 61 114 67 78 116 | 0 15 60 130
128 18 | 31 103 43 85 46 61 114 67 78 116 121 | 0 20 80 200
128 19 | 31 103 43 85 46 61 114 67 78 55 58 86 | 0 27 120 235
128 20 | 31 103 43 85 46 61 114 67 78 55 58 86 91 | 0 36 152 340
128 21 | 31 103 43 85 44 82 54 56 88 78 123 125 104 25 | 0 51 200 414
128 22 | 31 103 43 85 44 86 88 53 78 58 83 97 28 104 114 | 0 65 248 572
128 23 | 31 103 43 85 44 82 54 56 88 78 123 125 104 25 112 49 | 0 83 316 744
128 24 | 31 103 43 85 44 86 88 53 110 19 28 57 67 98 100 26 105 | 0 102 384 992
256  9 | 255 | 0 0 0 0 0 0 1
256 10 | 63 199 | 0 0 0 1 2 0 0
256 11 | 127 143 179 | 0 0 0 6 0 1 0
256 12 | 127 143 179 213 | 0 0 0 12 0 3
256 13 | 127 143 179 213 105 | 0 0 3 12 12
256 14 | 127 143 179 213 105 27 | 0 0 9 18 16
256 15 | 127 143 179 213 105 27 46 | 0 0 15 30 26
256 16 | 127 143 179 85 150 75 108 189 | 0 0 24 44 40
256 17 | 127 143 179 85 150 75 108 189 229 | 0 0 34 68 68
256 18 | 127 143 179 213 105 27 46 182 92 194 | 0 3 36 114
256 19 | 127 143 179 213 105 27 46 182 92 194 229 | 0 4 48 168
256 20 | 127 143 179 213 105 27 46 182 92 194 229 248 | 0 5 64 240
256 21 | 127 143 179 213 105 27 46 152 203 214 236 92 45 | 0 9 104 268
256 22 | 127 143 179 213 105 27 46 77 158 185 234 164 88 201 | 0 14 137 346
256 23 | 127 143 179 213 105 27 46 77 158 185 234 201 88 43 236 | 0 20 172 450
256 24 | 127 143 179 213 105 27 46 77 158 185 84 248 166 83 146 165 | 0 26 216 584
512 10 | 511 | 0 0 0 0 0 0 0 1
512 11 | 127 399 | 0 0 0 0 2 1 0 0
512 12 | 127 399 179 | 0 0 0 2 4 1 0 0
512 13 | 127 399 179 341 | 0 0 0 4 8 3 0 0
512 14 | 127 399 179 341 489 | 0 0 0 7 16 7 0 0
512 15 | 127 391 155 301 206 501 | 0 0 0 25 0 30 0
512 16 | 127 391 155 301 206 188 358 | 0 0 0 44 0 45 0
512 17 | 127 391 155 301 206 188 358 369 | 0 0 0 68 0 85 0
512 18 | 127 391 155 301 206 188 358 369 468 | 0 0 0 102 0 153
512 19 | 127 143 307 181 211 285 327 105 427 473 | 0 0 12 84 156
512 20 | 127 143 307 181 211 285 327 105 427 473 485 | 0 0 16 120 240
512 21 | 127 143 307 181 211 285 327 105 427 473 485 510 | 0 0 21 168 360
512 22 | 127 391 155 301 206 188 358 350 507 105 298 275 369 | 0 0 63 189 325
512 23 | 127 391 155 301 206 188 358 23 340 430 435 90 450 99 | 0 0 84 252 445
512 24 | 127 391 155 301 206 188 358 23 469 380 226 77 441 116 420 | 0 2 102 332
"""
"""Runs, factors | columns | words of length 3, 4, ..."""


def _read() -> dict[tuple[int, int], Entry]:
    entries = {}
    for line in _TABLE.strip().splitlines():
        size, columns, printed = (tuple(map(int, part.split())) for part in line.split("|"))
        runs, factors = size
        compared = factors <= _COMPARED.get(runs, factors)
        source = "Tang and Wu 1996" if runs == 16 and factors > 12 else _SOURCES[runs]
        entries[runs, factors] = Entry(runs, factors, columns, printed, source, compared)
    return entries


ENTRIES = _read()
"""By number of runs and of factors."""
