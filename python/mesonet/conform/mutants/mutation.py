"""Small changes of a source text: of a number, an operator, a condition, a statement or a function."""

from __future__ import annotations

import re
from dataclasses import dataclass

BOUNDARIES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
"""Comparison by comparison: the other side of the boundary."""
ARITHMETIC = {
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
}  # fmt: skip
"""Arithmetic operator by operator; assignments such as ``+=`` follow."""
LOGICAL = {"&&": "||", "||": "&&", "and": "or", "or": "and"}
OPERATORS = {**BOUNDARIES, **ARITHMETIC, **LOGICAL, **{f"{old}=": f"{new}=" for old, new in ARITHMETIC.items()}}
"""Operator by operator that replaces it."""
NOTHING, LEFT_OUT = "does nothing", "left out"
"""Words for a function without its body, and for a statement that is not there."""

_NUMBER = re.compile(rb"(0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)([uUlLfF]*)")
NUMBERS = re.compile(rb"(?<![\w.])" + _NUMBER.pattern + rb"(?![\w.])")
"""Numbers in a text, such as the value of a macro."""
_SMALL = 10
"""Whole numbers below it change by one, others by a tenth (chosen)."""


@dataclass(frozen=True, order=True)
class Mutation:
    """A change of a source."""

    start: int  #: `start`, `end`: bytes of the source that are replaced
    end: int
    replacement: bytes
    line: int  #: line of the change, from 1
    before: str  #: `before`, `after`: the changed part and its replacement, on one line
    after: str

    def applied(self, source: bytes) -> bytes:
        """Return the source with the change."""
        return source[: self.start] + self.replacement + source[self.end :]

    def __str__(self) -> str:
        if self.after == LEFT_OUT:
            return f"left out: {self.before}"
        return f"{self.before} {self.after}" if self.after == NOTHING else f"{self.before} -> {self.after}"


def changed(source: bytes, start: int, end: int, replacement: bytes, shown: tuple[int, int]) -> Mutation:
    """Return a change of a part of a source. `shown`: first and last byte of the expression around the part."""
    first, last = shown
    before, after = source[first:last], source[first:start] + replacement + source[end:last]
    texts = {"before": _text(before), "after": _text(after)}
    return Mutation(start, end, replacement, line=_line(source, start), **texts)


def left_out(source: bytes, start: int, end: int, empty: bytes) -> Mutation:
    """Return the change of a statement to an empty one."""
    return _emptied(source, (start, end), empty, before=_text(source[start:end]), after=LEFT_OUT)


def emptied(source: bytes, start: int, end: int, empty: bytes, name: str) -> Mutation:
    """Return the change of the body of a function to an empty one."""
    return _emptied(source, (start, end), empty, before=name, after=NOTHING)


def of_number(source: bytes, start: int, end: int, shown: tuple[int, int]) -> list[Mutation]:
    """Return the changes of a number: one more and one less, or a tenth more and less; empty for other text."""
    if not (match := _NUMBER.fullmatch(source[start:end])):
        return []
    text, suffix = match[1].decode(), match[2].decode()
    is_whole = text.lower().startswith("0x") or text.isdecimal()
    if is_whole:
        value = int(text, 16 if text.lower().startswith("0x") else 8 if re.fullmatch("0[0-7]+", text) else 10)
        step = 1 if value < _SMALL else round(value / _SMALL)
        others = [str(each) for each in (value + step, value - step) if each >= 0]
    else:
        number = float(text)
        others = [f"{each:.12g}" for each in (number * 1.1, number * 0.9)] if number else ["1.0"]
        others = [each if re.search("[.e]", each) else f"{each}.0" for each in others]
    return [changed(source, start, end, f"{each}{suffix}".encode(), shown) for each in others]


def of_operator(source: bytes, start: int, end: int, shown: tuple[int, int]) -> list[Mutation]:
    """Return the change of an operator; empty for one that has none."""
    other = OPERATORS.get(source[start:end].decode())
    return [changed(source, start, end, other.encode(), shown)] if other else []


def _emptied(source: bytes, part: tuple[int, int], empty: bytes, *, before: str, after: str) -> Mutation:
    start, end = part
    lines = b"\n" * source.count(b"\n", start, end)  # messages about later lines keep their numbers
    return Mutation(start, end, empty + lines, line=_line(source, start), before=before, after=after)


def _line(source: bytes, start: int) -> int:
    return source.count(b"\n", 0, start) + 1


def _text(part: bytes) -> str:
    return " ".join(part.decode(errors="replace").split())
