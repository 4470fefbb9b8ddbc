"""Text with units to numbers in base units, and back.

Base units are seconds, segments and segments per second. The arithmetic is exact (fractions) up to the final
conversion to a float, so that ``"81 ms"`` and ``"0.081 s"`` are the same number.
"""

from __future__ import annotations

import math
import operator
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Real
from typing import Any

from mesonet.errors import InputError

SEGMENT_BYTES = 1500
"""Default number of bytes in a segment (ASME paper; SP 500-282 ch. 9)."""

FINITE = "a finite number"
"""Allowed values where a number is too large for a float and its range is not known."""

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
"""Pattern of a number in a text."""
_PREFIXES = ("", "k", "M", "G", "T", "P")
_QUANTITY = re.compile(rf"\s*({NUMBER})\s*(\S*)\s*")
_SECONDS = re.compile(r"(?:(?=\S{1,15} )\d+(?:\.\d*)? s\n)+")
"""Lines of times in seconds that floats have exactly as by fractions."""
RATIO = re.compile(rf"\s*({NUMBER})\s*(?:/\s*({NUMBER}))?\s*")
_SHOWN = r"[-−]?\d[\d,]*\.?\d*(?:e[-+−]?\d+)?"
_IN_SEGMENTS = re.compile(
    rf"(?<![\w.,])(?:({_SHOWN})( to | down to ))?({_SHOWN}) (seg(?:ment)?s?/m?s|seg(?:ment)?s?)(?![\w/])"
)
"""A rate or a size in segments, or a range of these, as messages and reports show them."""


@dataclass(frozen=True, eq=False)
class Quantity:
    """Numbers with a unit: texts such as ``81 ms``, and numbers in the base unit."""

    noun: str  #: name in messages
    unit: str  #: the base unit
    written: str  #: the base unit as users write it
    example: str  #: a value with a unit that fits most uses
    factors: Mapping[str, Fraction]  #: factors to the base unit, of bytes and bits for segments of one byte
    spellings: Mapping[str, str]  #: units of `factors` by other spellings that people write
    text: Callable[[float], str]  #: text of a number in the base unit

    def parse(self, value: Any, example: str = "", segment_bytes: float = SEGMENT_BYTES) -> float:
        """Return a user's value in the base unit; `example` has the unit that fits best, for messages."""
        example = example or self.example
        if isinstance(value, str):
            return _from_text(self, value, example, segment_bytes)
        if is_finite(value):
            raise self._no_unit(f"{value}", value, example)
        raise InputError(f"not a {self.noun}", value=value, allowed=self.allowed(example))

    def show(self, value: float) -> str:
        """Return the text for a number in the base unit, as a user would write it, to 12 digits."""
        return self.text(value)

    def allowed(self, example: str) -> str:
        """Return the allowed texts in words."""
        return f'a number with a unit of {", ".join(self.factors)}, such as "{example}"'

    def of_bytes(self, value: Any) -> tuple[Fraction, str] | None:
        """Return number and unit of a text in bytes or bits, which depends on the size of a segment; else None."""
        match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
        unit = self.spellings.get(match[2], match[2]) if match else ""
        return (fraction(match[1], value), unit) if match and unit in self.factors and unit in _OF_BYTES else None

    def exact(self, number: str, unit: str, value: Any, segment_bytes: float) -> Fraction:
        """Return a number with a unit of `factors` in the base unit; errors name `value`."""
        size = Fraction(segment_bytes) if unit in _OF_BYTES else 1
        return fraction(number, value) * self.factors[unit] / size

    def _no_unit(self, number: str, value: Any, example: str) -> InputError:
        problem = f'a {self.noun} needs its unit: write "{number} {example.split()[1]}"'
        return InputError(problem, value=value, allowed=self.allowed(example))


@dataclass(frozen=True, eq=False)
class OfSegments(Quantity):
    """Numbers of segments, or segments per second: texts in bytes and bits depend on the size of a segment."""

    familiar_unit: tuple[str, int]  #: the unit without a prefix, and how many of it a byte has

    def familiar(self, value: float, segment_bytes: float = SEGMENT_BYTES) -> str:
        """Return a rate in bits per second, or a number of segments in bytes, to three digits.

        Examples
        --------
        >>> RATE.familiar(1.6e6), SEGMENTS.familiar(680)
        ('19.2 Gbit/s', '1.02 MB')
        """
        unit, factor = self.familiar_unit
        amount = float(f"{value * segment_bytes * factor:.3g}")
        power = math.floor(math.log10(abs(amount)) / 3) if amount else 0
        power = min(max(power, 0), len(_PREFIXES) - 1)
        return f"{amount / 1000**power:.3g} {_PREFIXES[power]}{unit}"


def number(value: Any) -> float:
    """Return a bare number, or the number of a text such as ``0.3`` or ``1/3``."""
    return _finite(_plain(value, "a bare number, such as 0.3"), value)


def count(value: Any) -> int:
    """Return a whole number, or that of its text."""
    allowed = "a whole number, such as 3"
    found = _plain(value, allowed)
    if found.denominator != 1:
        raise InputError("not a whole number", value=value, allowed=allowed)
    return int(found)


def number_text(value: float) -> str:
    """Return the text of a plain number, to 12 digits."""
    value = whole(value)
    return str(value) if isinstance(value, int) else f"{value:.12g}"


def is_number(value: Any) -> bool:
    """Return True for Python's and NumPy's numbers."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Return True for a finite number; a whole number may be too large for a float."""
    return is_number(value) and (isinstance(value, Integral) or math.isfinite(value))


def with_bits(text: str, segment_bytes: float | None = SEGMENT_BYTES) -> str:
    """Return a text in which bits per second or bytes stand beside each rate and each size in segments.

    `text`: a cell or a sentence. Values with other units stay as they are.

    Examples
    --------
    >>> with_bits("1600 seg/ms"), with_bits("680 segments"), with_bits("1 bdp")
    ('1600 seg/ms (19.2 Gbit/s)', '680 segments (1.02 MB)', '1 bdp')
    >>> with_bits("a slow router (1 seg/ms) has 40 to 60 segments/s")
    'a slow router (1 seg/ms, 12 Mbit/s) has 40 to 60 segments/s (480 to 720 kbit/s)'
    """
    if segment_bytes is None:
        return text

    def beside(match: re.Match[str]) -> str:
        low, between, high, unit = match.groups()
        quantity, factor = (RATE, 1000 if unit.endswith("/ms") else 1) if "/" in unit else (SEGMENTS, 1)
        numbers = [float(each.replace(",", "").replace("−", "-")) for each in (low, high) if each is not None]
        if numbers[-1] == 0:
            return match[0]
        texts = [quantity.familiar(factor * each, segment_bytes) for each in numbers]
        last = texts[-1]
        if between:
            last = f"{texts[0].removesuffix(last[last.index(' ') :])}{between}{last}"
        if "−" in match[0]:
            last = last.replace("-", "−")
        if match.string[match.start() - 1 : match.start()] == "(":
            return f"{match[0]}, {last}"
        return f"{match[0]} ({last})"

    return _IN_SEGMENTS.sub(beside, text)


def ranged(error: InputError, allowed: str) -> InputError:
    """Return the refusal of a number that is too large for a float with the range of the number, any other as it is."""
    return replace(error, allowed=allowed) if allowed and error.allowed == FINITE else error


def beyond(number: float | Fraction, least: float, most: float, *, above: bool = False) -> str:
    """Return how a number is out of its range.

    ``too low`` or ``too high``; empty in the range.

    Examples
    --------
    >>> beyond(3, 0, 2), beyond(0, 0, 2, above=True), beyond(0, 0, 2)
    ('too high', 'too low', '')
    """
    if number < least or (above and number == least):
        return "too low"
    return "too high" if number > most else ""


def integer(value: Any, path: str, least: int, most: int) -> int:
    """Return a whole number, checked against its range."""
    allowed = f"a whole number, at least {least} and at most {most}"
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError("not a whole number", path=path, value=value, allowed=allowed)
    number = operator.index(value)
    if problem := beyond(number, least, most):
        raise InputError(problem, path=path, value=value, allowed=allowed)
    return number


def whole(value: float) -> int | float:
    """Return a number, as an int if it is whole, so that 5, 5.0 and "5000 ms" have one canonical text."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def seconds(times: Sequence[str]) -> list[float] | None:
    """Return times that are texts such as ``1.5 s``, all at once: thousands of flows have different starts.

    Results of `parse`, s; None if a text has another form, right or wrong.
    """
    lines = "".join(f"{time}\n" for time in times)
    if not _SECONDS.fullmatch(lines):
        return None
    found = [float(number) for number in lines.removesuffix(" s\n").split(" s\n")]
    return found if len(found) == len(times) else None  # a text may have two lines


_LARGEST = sys.float_info.max


@lru_cache(maxsize=1 << 12)  # thousands of flows may have the same text
def _from_text(quantity: Quantity, value: str, example: str, segment_bytes: float) -> float:
    match = _QUANTITY.fullmatch(value)
    if not match:
        raise InputError(f"not a {quantity.noun}", value=value, allowed=quantity.allowed(example))
    number, unit = match.groups()
    unit = quantity.spellings.get(unit, unit)
    if not unit:
        raise quantity._no_unit(number, value, example)
    if unit not in quantity.factors:
        problem = f'"{unit}" is not a unit of a {quantity.noun}'
        raise InputError(problem, value=value, allowed=quantity.allowed(example))
    if quantity.factors[unit] == 1 and unit not in _OF_BYTES and len(number) <= 15 and "e" not in number.lower():
        return float(number) + 0.0  # exact as by fractions (no -0), which take ten times as long for thousands of flows
    return _finite(quantity.exact(number, unit, value, segment_bytes), value)


def _plain(value: Any, allowed: str) -> Fraction:
    if is_number(value):
        if not is_finite(value):
            raise InputError("not a finite number", value=value, allowed=allowed)
        return Fraction(operator.index(value) if isinstance(value, Integral) else float(value))
    match = RATIO.fullmatch(value) if isinstance(value, str) else None
    if not match:
        raise InputError("not a number", value=value, allowed=allowed)
    above, below = (None if part is None else fraction(part, value) for part in match.groups())
    if below == 0:
        raise InputError("division by zero", value=value, allowed=allowed)
    ratio = (above or Fraction(0)) / (below or 1)
    _finite(ratio, value)
    return ratio


def fraction(number: str, value: Any) -> Fraction:
    """Return the exact value of a decimal number; absurdly long ones are refused before they are computed."""
    exponent = number.lower().partition("e")[2].lstrip("+-0")
    if len(number) > 100 or len(exponent) > 3:
        raise InputError("too large or too small", value=value, allowed="a number of at most 100 digits")
    return Fraction(number)


def _finite(number: Fraction, value: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        raise InputError(beyond(number, -_LARGEST, _LARGEST), value=value, allowed=FINITE) from None


def _time_text(value: float) -> str:
    if value >= 600 and value % 60 == 0:
        return f"{number_text(value / 60)} min"
    return f"{number_text(value)} s" if value >= 1 or value == 0 else f"{number_text(value * 1000)} ms"


def _rate_text(value: float) -> str:
    return f"{number_text(value / 1000)} seg/ms" if value >= 1000 else f"{number_text(value)} seg/s"


def _segments_text(value: float) -> str:
    return f"{number_text(value)} segment{'' if value == 1 else 's'}"


def _spellings(factors: Mapping[str, Fraction], also: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {other: unit for unit, others in also.items() for other in others if other not in factors}


_SI = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_OF_TIME = {
    "us": Fraction(1, 10**6), "ms": Fraction(1, 1000), "s": Fraction(1), "min": Fraction(60), "h": Fraction(3600),
}  # fmt: skip
_OF_RATES = {
    "seg/s": Fraction(1), "seg/ms": Fraction(1000), "segments/s": Fraction(1), "segments/ms": Fraction(1000),
    **{f"{si}{bits}": Fraction(factor, 8) for bits in ("bps", "bit/s") for si, factor in _SI.items()},
}  # fmt: skip
_OF_SIZES = {
    **dict.fromkeys(("segments", "segment", "seg"), Fraction(1)),
    **{f"{si}B": Fraction(_SI[si]) for si in ("", "k", "M", "G")},
}
_OF_BYTES = frozenset(unit for unit in (*_OF_RATES, *_OF_SIZES) if not unit.startswith("seg"))
"""Units with factors of bytes (per second), to be divided by the size of a segment."""

TIME = Quantity(
    noun="time",
    unit="s",
    written="s",
    example="81 ms",
    factors=_OF_TIME,
    spellings=_spellings(
        _OF_TIME,
        {
            "s": ("sec", "secs", "second", "seconds"),
            "ms": ("msec", "msecs", "millisecond", "milliseconds"),
            "us": ("usec", "usecs", "µs", "μs", "microsecond", "microseconds"),
            "min": ("mins", "minute", "minutes"),
            "h": ("hr", "hrs", "hour", "hours"),
        },
    ),
    text=_time_text,
)
RATE = OfSegments(
    noun="rate",
    unit="segments/s",
    written="seg/s",
    example="1600 seg/ms",
    factors=_OF_RATES,
    spellings=_spellings(
        _OF_RATES,
        {  # not MB/s, which is bytes per second
            f"{si}bit/s": (f"{si}bps".lower(), f"{si}bit/s".lower(), f"{si}b/s", f"{si}bit", f"{si}bits/s")
            for si in ("k", "M", "G", "T")
        },
    ),
    text=_rate_text,
    familiar_unit=("bit/s", 8),
)
SEGMENTS = OfSegments(
    noun="number of segments",
    unit="segments",
    written="segments",
    example="50 segments",
    factors=_OF_SIZES,
    spellings=_spellings(_OF_SIZES, {"segments": ("packet", "packets", "pkt", "pkts")}),
    text=_segments_text,
    familiar_unit=("B", 1),
)
