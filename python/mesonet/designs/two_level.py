"""Two-level full and fractional factorial designs, 2^k and 2^(k-p), from their generators.

A *word* is a product of factors that is the same in every run; the words form the defining relation. The shortest word
gives the resolution: in resolution IV no main effect is confounded with another or with a two-factor interaction, in
resolution V no two-factor interaction with another.

Source: Box, Hunter and Hunter, *Statistics for Experimenters*; NIST/SEMATECH e-Handbook, section 5.3.3.4.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from mesonet.designs.words import lengths, parity, places, products
from mesonet.errors import InputError

MOST_FACTORS, MOST_BASE = 32, 16
"""Factors, and factors of which all combinations run: 65,536 runs."""

_MOST_WORDS = 2**20


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
    columns
        Per factor the base factors whose product it is, as a bit mask.
    signs
        Per factor -1 where it is the negative of that product.
    word_lengths
        Number of words by length.
    resolution
        Length of the shortest word. A full factorial has no word and confounds nothing: its number is k + 1, and
        `is_full` is true.
    aliases
        For each main effect and two-factor interaction the other main effects and two-factor interactions that cannot
        be distinguished from it, with a leading ``-`` where the sign differs.
    status
        ``given`` by its generators, ``full factorial``, ``minimum aberration`` (the source compared all designs of the
        size), ``best known`` (the source did not), or ``best found`` by a search.
    source
        Publication or search that gave it.
    block
        Number of the block of each run, from 1, where there are blocks.
    """

    factors: tuple[str, ...]
    matrix: npt.NDArray[np.int8] = field(repr=False)
    generators: tuple[str, ...]
    columns: tuple[int, ...] = field(repr=False)
    signs: tuple[int, ...] = field(repr=False)
    word_lengths: dict[int, int]
    resolution: int
    aliases: dict[str, tuple[str, ...]] = field(repr=False)
    status: str = "given"
    source: str = ""
    block: tuple[int, ...] | None = field(default=None, repr=False)

    @property
    def runs(self) -> int:
        """Number of conditions."""
        return int(self.matrix.shape[0])

    @cached_property
    def is_full(self) -> bool:
        """True if all combinations of levels run, so that no effect is confounded with another."""
        every = 1 << len(self.factors)
        if self.runs < every:
            return False
        at_plus = (self.matrix > 0) @ (1 << np.arange(len(self.factors), dtype=np.int64))
        return len(np.unique(at_plus)) == every

    @property
    def base_factors(self) -> tuple[str, ...]:
        """The factors of which all combinations run, in Yates order."""
        at = {column: name for name, column in zip(self.factors, self.columns, strict=True)}
        return tuple(at[1 << bit] for bit in range(self.runs.bit_length() - 1))

    @cached_property
    def relation(self) -> tuple[str, ...]:
        """The defining relation: every word but I, such as ``X1*X2*X3*X6``, shortest first.

        A leading ``-`` means that the product is -1.

        Raises
        ------
        InputError
            If there are more than 2^20 words.
        """
        number = 2 ** len(self.generators)
        if number > _MOST_WORDS:
            raise InputError("too many words to list", value=number, allowed=f"at most {_MOST_WORDS}; see word_lengths")
        base = {name: place for place, name in enumerate(self.base_factors)}
        at = {bit: self.factors.index(name) for name, bit in base.items()}
        generated = [place for place, name in enumerate(self.factors) if name not in base]
        words = products(
            1 << place | sum(1 << at[bit] for bit in places(self.columns[place])) for place in generated
        ).tolist()
        negative = sum(1 << place for place in generated if self.signs[place] < 0)
        shortest_first = sorted(words[1:], key=lambda word: (word.bit_count(), places(word)))
        return tuple(
            _signed(self.factors, word, -1 if (word & negative).bit_count() & 1 else 1) for word in shortest_first
        )

    @property
    def alias_strings(self) -> tuple[tuple[str, ...], ...]:
        """Sets of main effects and two-factor interactions of which only the sum can be estimated.

        The first one of each is positive, the others have a leading ``-`` where the sign differs.
        """
        return alias_strings(self.aliases)

    @property
    def clear_interactions(self) -> tuple[str, ...]:
        """Two-factor interactions not aliased with a main effect or another two-factor interaction."""
        return tuple(effect for effect, others in self.aliases.items() if "*" in effect and not others)

    def column(self, effect: str) -> npt.NDArray[np.int8]:
        """Return the contrast of an effect.

        Parameters
        ----------
        effect
            A main effect or a product such as ``X1*X2``.

        Returns
        -------
        Signs, -1 and +1; shape (runs,).

        Raises
        ------
        InputError
            If a name is no factor of the design.
        """
        names = effect.split("*")
        if unknown := [name for name in names if name not in self.factors]:
            raise InputError(
                f"no factor of the design is called {unknown[0]!r}",
                path="effect",
                value=effect,
                allowed=", ".join((*self.factors, "products of factors with * between them")),
            )
        places_of = [self.factors.index(name) for name in names]
        return np.asarray(np.prod(self.matrix[:, places_of], axis=1, dtype=np.int8))


def two_level(factors: Sequence[str] | int, generators: Sequence[str] = ()) -> Design:
    """Return the design of 2^(k-p) runs for k factors and p generators.

    Parameters
    ----------
    factors
        Ids of the factors, in column order, or how many: ``X1``, ``X2``, and so on. Factors that no generator defines
        are the base factors. No factor at all gives the design of a single run.
    generators
        Equations such as ``X6=X1*X2*X3`` or ``X6=-X1*X2*X3``; right-hand sides name base factors only.

    Returns
    -------
    The design, base factors in Yates order.

    Raises
    ------
    InputError
        If ids repeat, a generator is malformed, two factors would be indistinguishable, or there are more than 2^16
        runs.

    Examples
    --------
    >>> design = two_level(4, ["X4=X1*X2*X3"])
    >>> design.runs, design.resolution, design.aliases["X1*X2"]
    (8, 4, ('X3*X4',))
    """
    names = () if isinstance(factors, Sized) and not len(factors) else checked_factors(factors)
    defined = _parse(names, generators)
    base = [name for name in names if name not in defined]
    if len(base) > MOST_BASE:
        raise InputError("too many runs", path="generators", value=f"2^{len(base)}", allowed=f"2^{MOST_BASE} runs")
    bits = {name: 1 << bit for bit, name in enumerate(base)}
    columns = [bits[name] if name in bits else sum(bits[part] for part in defined[name][1]) for name in names]
    signs = [defined[name][0] if name in defined else 1 for name in names]
    equations = [_equation(name, sign, parts) for name, (sign, parts) in defined.items()]
    return _design(names, columns, signs, equations)


def from_columns(factors: Sequence[str] | int, columns: Sequence[int]) -> Design:
    """Return the design of base factors and of factors in given columns of the Yates order.

    Its status is ``given`` or ``full factorial``.
    """
    names = checked_factors(factors)
    base = len(names) - len(columns)
    generated = zip(names[base:], columns, strict=True)
    equations = [_equation(name, 1, [names[bit] for bit in places(column)]) for name, column in generated]
    return _design(names, [*(1 << bit for bit in range(base)), *columns], [1] * len(names), equations)


def checked_factors(factors: Sequence[str] | int) -> tuple[str, ...]:
    """Return the ids of factors; a number stands for ``X1``, ``X2``, and so on.

    `factors`: a number, 1 to 32, also of numpy, or ids in any sequence, also a pandas Index.
    """
    number = whole_number(factors)
    if number is not None:
        if not 1 <= number <= MOST_FACTORS:
            raise InputError("not a number of factors", path="factors", value=number, allowed=f"1 to {MOST_FACTORS}")
        return tuple(f"X{each}" for each in range(1, number + 1))
    either = f"a number, or ids in a list: 1 to {MOST_FACTORS}"
    if isinstance(factors, (str, bytes, bool, int, float)) or not isinstance(factors, Iterable):
        raise InputError("not factors", path="factors", value=factors, allowed=either)
    names = tuple(factors)
    for place, name in enumerate(names):
        if not isinstance(name, str) or not name.strip() or name.startswith("-") or any(sign in name for sign in "*:="):
            allowed = 'a text such as "X1", without "*", ":" and "=" and without a leading "-"'
            raise InputError("not an id of a factor", path=f"factors[{place}]", value=name, allowed=allowed)
    if not names:
        raise InputError("factor ids must be given", path="factors", allowed=either)
    if repeated := [name for place, name in enumerate(names) if name in names[:place]]:
        raise InputError("factor ids must differ", path="factors", value=repeated[0], allowed="each id once")
    if len(names) > MOST_FACTORS:
        raise InputError("too many factors", path="factors", value=len(names), allowed=f"at most {MOST_FACTORS}")
    return tuple(str(name) for name in names)


def whole_number(value: object) -> int | None:
    """Return a whole number of Python or numpy as an int. None for anything else, True and False included."""
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def alias_strings(aliases: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return each set of effects that are aliased with each other.

    One tuple per set; its first effect is positive. `aliases`: for each effect the effects aliased with it, with a
    leading ``-`` where the sign differs.
    """
    seen: set[str] = set()
    strings = []
    for effect, others in aliases.items():
        if others and effect not in seen:
            strings.append((effect, *others))
            seen.update(other.removeprefix("-") for other in others)
    return tuple(strings)


def size_text(design: Design) -> str:
    """Return the size of a design in the usual notation, such as ``2^(9-4)``, or ``2^5`` for a full factorial."""
    k, base = len(design.factors), int(math.log2(design.runs))
    return f"2^({k}-{k - base})" if base < k else f"2^{k}"


def _design(names: tuple[str, ...], columns: Sequence[int], signs: Sequence[int], equations: Sequence[str]) -> Design:
    base = sum(column.bit_count() == 1 for column in columns)
    if short := next(
        (pair for pair in combinations(range(len(names)), 2) if columns[pair[0]] == columns[pair[1]]), None
    ):
        raise InputError(
            f"the generators make {names[short[0]]} and {names[short[1]]} indistinguishable",
            path="generators",
            allowed="generators that give resolution III or more",
        )
    number = {length: count for length, count in enumerate(lengths(columns, base)) if length and count}
    return Design(
        factors=names,
        status="given" if equations else "full factorial",
        matrix=_matrix(columns, signs, base),
        generators=tuple(equations),
        columns=tuple(columns),
        signs=tuple(signs),
        word_lengths=number,
        resolution=min(number, default=len(names) + 1),
        aliases=_aliases(names, columns, signs),
    )


def _equation(name: str, sign: int, parts: Sequence[str]) -> str:
    return f"{name}={'-' if sign < 0 else ''}{'*'.join(parts)}"


def _parse(names: tuple[str, ...], generators: Sequence[str]) -> dict[str, tuple[int, list[str]]]:
    """Return the sign and the base factors of each generated factor."""
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


def _matrix(columns: Sequence[int], signs: Sequence[int], base: int) -> npt.NDArray[np.int8]:
    """Return all runs: base factors in Yates order, the others as products."""
    run = np.arange(1 << base, dtype=np.int64)
    matrix = np.empty((len(run), len(columns)), dtype=np.int8)
    for place, (column, sign) in enumerate(zip(columns, signs, strict=True)):
        matrix[:, place] = sign * (1 - 2 * parity(~run & column))
    matrix.setflags(write=False)
    return matrix


def _aliases(names: tuple[str, ...], columns: Sequence[int], signs: Sequence[int]) -> dict[str, tuple[str, ...]]:
    """Return for each effect the other effects in its column, from which it cannot be distinguished."""
    effects: list[tuple[str, int, int]] = list(zip(names, columns, signs, strict=True))
    effects += [
        (f"{names[i]}*{names[j]}", columns[i] ^ columns[j], signs[i] * signs[j])
        for i, j in combinations(range(len(names)), 2)
    ]
    there: dict[int, list[tuple[str, int]]] = {}
    for effect, column, sign in effects:
        there.setdefault(column, []).append((effect, sign))
    return {
        effect: tuple(
            f"{'-' if other_sign != sign else ''}{other}" for other, other_sign in there[column] if other != effect
        )
        for effect, column, sign in effects
    }


def _signed(names: tuple[str, ...], mask: int, sign: int) -> str:
    return ("-" if sign < 0 else "") + "*".join(names[place] for place in places(mask))
