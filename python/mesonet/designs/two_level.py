"""Two-level full and fractional factorial designs, 2^k and 2^(k-p), from their generators.

A *word* is a product of factors that is the same in every run; the words form the defining relation. The shortest word
gives the resolution: in resolution IV no main effect is confounded with another or with a two-factor interaction, in
resolution V no two-factor interaction with another.

Source: Box, Hunter and Hunter, *Statistics for Experimenters*; NIST/SEMATECH e-Handbook, section 5.3.3.4.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from mesonet.errors import InputError

_MOST_FACTORS, _MOST_BASE = 32, 16


@dataclass(frozen=True, eq=False)
class Design:
    """A two-level design.

    Attributes
    ----------
    factors
        Ids of the k factors, in column order.
    matrix
        Shape (runs, k), int8, -1 and +1. Base factors stand in Yates order: the first changes fastest, run 1 is all -1.
    generators
        One equation per factor that is not a base factor, such as ``X6=X1*X2*X3``.
    relation
        The defining relation: every word but I, such as ``X1*X2*X3*X6``, shortest first; a leading ``-`` means that the
        product is -1.
    word_lengths
        Number of words by length.
    resolution
        Length of the shortest word; k + 1 for a full factorial, which confounds nothing.
    aliases
        For each main effect and two-factor interaction the other main effects and two-factor interactions that cannot
        be told from it, with a leading ``-`` where the sign differs.
    """

    factors: tuple[str, ...]
    matrix: npt.NDArray[np.int8]
    generators: tuple[str, ...]
    relation: tuple[str, ...]
    word_lengths: dict[int, int]
    resolution: int
    aliases: dict[str, tuple[str, ...]] = field(repr=False)

    @property
    def runs(self) -> int:
        """Number of conditions."""
        return int(self.matrix.shape[0])

    @property
    def clear_interactions(self) -> tuple[str, ...]:
        """Two-factor interactions not aliased with a main effect or another two-factor interaction."""
        return tuple(effect for effect, others in self.aliases.items() if "*" in effect and not others)

    def column(self, effect: str) -> npt.NDArray[np.int8]:
        """The contrast of a main effect or of a product such as ``X1*X2``; shape (runs,), -1 and +1."""
        places = [self.factors.index(name) for name in effect.split("*")]
        return np.prod(self.matrix[:, places], axis=1, dtype=np.int8)


def two_level(factors: Sequence[str], generators: Sequence[str] = ()) -> Design:
    """The design of `factors`, 2^(k-p) runs for p generators.

    Parameters
    ----------
    factors
        Ids of the factors, in column order. Those that no generator defines are the base factors.
    generators
        Equations such as ``X6=X1*X2*X3`` or ``X6=-X1*X2*X3``; right-hand sides name base factors only.

    Raises
    ------
    InputError
        If ids repeat, a generator is malformed, or two factors would be indistinguishable.
    """
    names = tuple(factors)
    if not names or len(set(names)) != len(names):
        raise InputError("factor ids must be given and differ", path="factors", value=", ".join(names))
    if len(names) > _MOST_FACTORS:
        raise InputError("too many factors", path="factors", value=len(names), allowed=f"at most {_MOST_FACTORS}")
    defined = _parse(names, generators)
    base = [name for name in names if name not in defined]
    if len(base) > _MOST_BASE:
        raise InputError("too many runs", path="generators", value=f"2^{len(base)}", allowed=f"2^{_MOST_BASE} runs")
    words = _words(names, defined)
    _refuse_short_words(names, words)
    shortest_first = sorted(words, key=lambda word: (word.bit_count(), _places(word)))
    lengths = [word.bit_count() for word in shortest_first]
    return Design(
        factors=names,
        matrix=_matrix(names, base, defined),
        generators=tuple(
            f"{name}={'-' if sign < 0 else ''}{'*'.join(parts)}" for name, (sign, parts) in defined.items()
        ),
        relation=tuple(_signed(names, word, words[word]) for word in shortest_first),
        word_lengths={length: lengths.count(length) for length in sorted(set(lengths))},
        resolution=min(lengths, default=len(names) + 1),
        aliases=_aliases(names, words),
    )


def _parse(names: tuple[str, ...], generators: Sequence[str]) -> dict[str, tuple[int, list[str]]]:
    """Sign and base factors of each generated factor."""
    allowed = 'an equation such as "X6=X1*X2*X3"'
    defined: dict[str, tuple[int, list[str]]] = {}
    for number, text in enumerate(generators):
        where = {"path": f"generators[{number}]", "value": text, "allowed": allowed}
        match = re.fullmatch(r"\s*(\w+)\s*=\s*([+-]?)\s*(\w+(?:\s*\*\s*\w+)+)\s*", text)
        if not match:
            raise InputError("not a generator", **where)
        name, sign, product = match.groups()
        parts = [part.strip() for part in product.split("*")]
        if unknown := [part for part in (name, *parts) if part not in names]:
            raise InputError(f"{unknown[0]} is not a factor", **where)
        if name in defined or len(set(parts)) != len(parts):
            raise InputError("a factor is named twice", **where)
        defined[name] = (-1 if sign == "-" else 1, parts)
    for number, (name, (_, parts)) in enumerate(defined.items()):
        if generated := [part for part in parts if part in defined]:
            raise InputError(
                f"{name} is defined by {generated[0]}, which is itself generated",
                path=f"generators[{number}]",
                value=generators[number],
                allowed="base factors on the right-hand side",
            )
    return defined


def _matrix(names: tuple[str, ...], base: list[str], defined: dict[str, tuple[int, list[str]]]) -> npt.NDArray[np.int8]:
    """All runs: base factors in Yates order, the others as products."""
    run = np.arange(2 ** len(base))
    columns = {name: (2 * (run >> bit & 1) - 1).astype(np.int8) for bit, name in enumerate(base)}
    for name, (sign, parts) in defined.items():
        columns[name] = np.prod([columns[part] for part in parts], axis=0, dtype=np.int8) * np.int8(sign)
    matrix = np.stack([columns[name] for name in names], axis=1)
    matrix.setflags(write=False)
    return matrix


def _words(names: tuple[str, ...], defined: dict[str, tuple[int, list[str]]]) -> dict[int, int]:
    """Sign by word, a word being the bit mask of its factors: all products of the generators' words."""
    words = {0: 1}
    for name, (sign, parts) in defined.items():
        generator = sum(1 << names.index(part) for part in (name, *parts))
        words |= {word ^ generator: word_sign * sign for word, word_sign in words.items()}
    del words[0]
    return words


def _refuse_short_words(names: tuple[str, ...], words: dict[int, int]) -> None:
    for word in words:
        if word.bit_count() < 3:
            raise InputError(
                f"the generators make {' and '.join(_effect(names, word).split('*'))} indistinguishable",
                path="generators",
                allowed="generators that give resolution III or more",
            )


def _aliases(names: tuple[str, ...], words: dict[int, int]) -> dict[str, tuple[str, ...]]:
    places = range(len(names))
    effects = [1 << i for i in places] + [1 << i | 1 << j for i, j in combinations(places, 2)]
    short = [(word, sign) for word, sign in words.items() if word.bit_count() <= 4]
    aliases = {}
    for effect in effects:
        others = [(effect ^ word, sign) for word, sign in short if (effect ^ word).bit_count() <= 2]
        others.sort(key=lambda other: (other[0].bit_count(), _places(other[0])))
        aliases[_effect(names, effect)] = tuple(_signed(names, mask, sign) for mask, sign in others)
    return aliases


def _places(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def _effect(names: tuple[str, ...], mask: int) -> str:
    return "*".join(names[place] for place in _places(mask))


def _signed(names: tuple[str, ...], mask: int, sign: int) -> str:
    return ("-" if sign < 0 else "") + _effect(names, mask)


def size_text(design: Design) -> str:
    """The size in the usual notation, such as ``2^(9-4)``."""
    k, base = len(design.factors), int(math.log2(design.runs))
    return f"2^({k}-{k - base})" if base < k else f"2^{k}"
