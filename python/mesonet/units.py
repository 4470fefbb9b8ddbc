"""Text with units to numbers in base units, and back.

Base units are seconds, segments and segments per second. The arithmetic is exact (fractions) up to the final
conversion to a float, so that ``"81 ms"`` and ``"0.081 s"`` are the same number.
"""

from __future__ import annotations

import math
import operator
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, Literal, get_args

from mesonet.errors import InputError, unknown

Kind = Literal[
    "time", "rate", "segments", "number", "probability", "count", "choice", "buffer", "distribution", "flag", "numbers",
    "names", "topology", "threshold", "changes", "places", "traffic", "capacity", "delays",
]  # fmt: skip
KINDS: tuple[str, ...] = get_args(Kind)

SEGMENT_BYTES = 1500
"""Default number of bytes in a segment (ASME paper; SP 500-282 ch. 9)."""

BASE_UNITS = {
    "time": "s",
    "rate": "segments/s",
    "segments": "segments",
    "threshold": "segments",
    "buffer": "rule and factor",
}
"""Unit of the parsed value by kind; the other kinds have none."""

FINITE = "a finite number"
"""Allowed values where a number is too large for a float and its range is not known."""

EXAMPLES = {"time": "81 ms", "rate": "1600 seg/ms", "segments": "50 segments", "buffer": "1 bdp"}

_UNITS: dict[str, dict[str, Fraction]] = {
    "time": {
        "us": Fraction(1, 10**6),
        "ms": Fraction(1, 1000),
        "s": Fraction(1),
        "min": Fraction(60),
        "h": Fraction(3600),
    },
    "rate": {
        "seg/s": Fraction(1),
        "seg/ms": Fraction(1000),
        "segments/s": Fraction(1),
        "segments/ms": Fraction(1000),
        "bps": Fraction(1, 8),
        "kbps": Fraction(10**3, 8),
        "Mbps": Fraction(10**6, 8),
        "Gbps": Fraction(10**9, 8),
        "Tbps": Fraction(10**12, 8),
        "bit/s": Fraction(1, 8),
        "kbit/s": Fraction(10**3, 8),
        "Mbit/s": Fraction(10**6, 8),
        "Gbit/s": Fraction(10**9, 8),
        "Tbit/s": Fraction(10**12, 8),
    },
    "segments": {
        "segments": Fraction(1),
        "segment": Fraction(1),
        "seg": Fraction(1),
        "B": Fraction(1),
        "kB": Fraction(10**3),
        "MB": Fraction(10**6),
        "GB": Fraction(10**9),
    },
}
_OF_BYTES = frozenset(
    ("B", "kB", "MB", "GB", *(f"{si}{unit}" for si in ("", "k", "M", "G", "T") for unit in ("bps", "bit/s")))
)
"""Units whose factors above are bytes (per second), to be divided by the size of a segment."""
_ALSO: dict[str, dict[str, tuple[str, ...]]] = {
    "time": {
        "s": ("sec", "secs", "second", "seconds"),
        "ms": ("msec", "msecs", "millisecond", "milliseconds"),
        "us": ("usec", "usecs", "µs", "μs", "microsecond", "microseconds"),
        "min": ("mins", "minute", "minutes"),
        "h": ("hr", "hrs", "hour", "hours"),
    },
    "rate": {
        f"{si}bit/s": (f"{si}bps".lower(), f"{si}bit/s".lower(), f"{si}b/s", f"{si}bit", f"{si}bits/s")
        for si in ("k", "M", "G", "T")
    },
    "segments": {"segments": ("packet", "packets", "pkt", "pkts")},
}
"""Other spellings that people write, by the unit that messages name. ``MB/s``, bytes per second, is none."""
_SPELLINGS = {
    kind: {also: unit for unit, others in units.items() for also in others if also not in _UNITS[kind]}
    for kind, units in _ALSO.items()
}
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PREFIXES = ("", "k", "M", "G", "T", "P")
_QUANTITY = re.compile(rf"\s*({_NUMBER})\s*(\S*)\s*")
_SECONDS = re.compile(r"(?:(?=\S{1,15} )\d+(?:\.\d*)? s\n)+")
"""Lines of times in seconds that floats have exactly as by fractions."""
_RATIO = re.compile(rf"\s*({_NUMBER})\s*(?:/\s*({_NUMBER}))?\s*")
_SHOWN = r"[-−]?\d[\d,]*\.?\d*(?:e[-+−]?\d+)?"
_IN_SEGMENTS = re.compile(
    rf"(?<![\w.,])(?:({_SHOWN})( to | down to ))?({_SHOWN}) (seg(?:ment)?s?/m?s|seg(?:ment)?s?)(?![\w/])"
)
"""A rate or a size in segments, or a range of these, as messages and reports show them."""
BUFFER_RULES = {"bdp": "bdp", "bdp_per_sqrt_n": "bdp/sqrt(n)", "segments": "segments", "time": "s"}
"""Unit that users write, by rule of a buffer."""


def _either(kind: str) -> str:
    return "|".join(sorted((*_UNITS[kind], *_SPELLINGS[kind]), key=len, reverse=True))


_BUFFER = re.compile(rf"\s*({_NUMBER})\s*(bdp/sqrt\(n\)|bdp|{_either('segments')}|{_either('time')})\s*")
_BUFFER_ALLOWED = '"1 bdp", "0.5 bdp", "1 bdp/sqrt(n)", "680 segments", "1 MB", "100 ms"'


def parse(
    kind: str,
    value: Any,
    *,
    choices: tuple[str, ...] = (),
    example: str = "",
    segment_bytes: float = SEGMENT_BYTES,
) -> Any:
    """Return a user's value in base units.

    Parameters
    ----------
    kind
        One of `KINDS`.
    value
        Text with a unit for a time, a rate, a number of segments and a buffer; the same or ``off`` for a threshold;
        a bare number (or its text) for the kinds without a unit; three numbers for a distribution; a boolean for a
        flag; a word of ``choices`` or names for places.
    choices
        The words allowed for the kinds ``choice`` and ``places``.
    example
        A value with the unit that fits best here, for messages.
    segment_bytes
        Size of a segment, for rates in bits per second and sizes in bytes.

    Returns
    -------
    float, int, bool, str, list of floats, of ints or of str, a dict of ``rule`` and ``factor`` for a buffer or
    None for a threshold that is off.

    Raises
    ------
    InputError
        If the value is of another kind, lacks its unit, or is not finite.
    ValueError
        For a kind that is not parsed here: ``topology``, ``changes``, ``traffic``, ``capacity`` and ``delays``.

    Examples
    --------
    >>> parse("time", "81 ms"), parse("rate", "12 Mbps"), parse("buffer", "1 bdp")
    (0.081, 1000.0, {'rule': 'bdp', 'factor': 1.0})
    """
    match kind:
        case "time" | "rate" | "segments":
            return _quantity(kind, value, example or EXAMPLES[kind], segment_bytes)
        case "number" | "probability":
            return float(_plain(value))
        case "count":
            return _count(value)
        case "threshold":
            return None if value == "off" else _threshold(value, segment_bytes)
        case "buffer":
            return _buffer(value, segment_bytes)
        case "distribution":
            return _distribution(value)
        case "flag":
            return _flag(value)
        case "numbers":
            return _numbers(value)
        case "names":
            return _names(value)
        case "places":
            return value if isinstance(value, str) and value in choices else _places(value, choices)
        case "choice":
            if not isinstance(value, str) or value not in choices:
                raise unknown("choice", str(value), choices)
            return value
    raise ValueError(f"unknown kind {kind}")


def show(kind: str, value: Any) -> str:
    """Return the text for a value in base units, as a user would write it, to 12 digits.

    Parameters
    ----------
    kind
        One of `KINDS`.
    value
        The value, as `parse` returns it.

    Returns
    -------
    The value with its unit.

    Examples
    --------
    >>> show("time", 0.081), show("rate", 1.6e6), show("threshold", None)
    ('81 ms', '1600 seg/ms', 'off')
    """
    match kind:
        case "time":
            if value >= 600 and value % 60 == 0:
                return f"{_number_text(value / 60)} min"
            return f"{_number_text(value)} s" if value >= 1 or value == 0 else f"{_number_text(value * 1000)} ms"
        case "rate":
            return f"{_number_text(value / 1000)} seg/ms" if value >= 1000 else f"{_number_text(value)} seg/s"
        case "threshold" if value is None:
            return "off"
        case "segments" | "threshold":
            return f"{_number_text(value)} segment{'' if value == 1 else 's'}"
        case "buffer" if value["rule"] == "time":
            return show("time", value["factor"])
        case "buffer":
            return f"{_number_text(value['factor'])} {BUFFER_RULES[value['rule']]}"
        case "distribution":
            return ", ".join(_share_text(share) for share in value)
        case "flag":
            return str(value).lower()
        case "capacity" | "delays":
            return "none" if value is None else str(value)
        case "choice" | "topology" | "traffic":
            return str(value)
        case "places" if isinstance(value, str):
            return value
        case "numbers" | "names" | "changes" | "places":
            return ", ".join(map(str, value)) or "none"
    return _number_text(value)


def familiar(kind: str, value: float, segment_bytes: float = SEGMENT_BYTES) -> str:
    """Return a rate in bits per second, or a number of segments in bytes, to three digits.

    Parameters
    ----------
    kind
        ``rate`` or ``segments``.
    value
        Segments per second, or segments.
    segment_bytes
        Size of a segment.

    Returns
    -------
    The number with its unit.

    Raises
    ------
    ValueError
        For another kind.

    Examples
    --------
    >>> familiar("rate", 1.6e6), familiar("segments", 680)
    ('19.2 Gbit/s', '1.02 MB')
    """
    if kind not in ("rate", "segments"):
        raise ValueError(f"{kind} has no such unit")
    unit, factor = ("bit/s", 8) if kind == "rate" else ("B", 1)
    amount = float(f"{value * segment_bytes * factor:.3g}")
    power = math.floor(math.log10(abs(amount)) / 3) if amount else 0
    power = min(max(power, 0), len(_PREFIXES) - 1)
    return f"{amount / 1000**power:.3g} {_PREFIXES[power]}{unit}"


def with_bits(text: str, segment_bytes: float | None = SEGMENT_BYTES) -> str:
    """Return a text in which bits per second or bytes stand beside each rate and each size in segments.

    Parameters
    ----------
    text
        A cell or a sentence. Values with other units stay as they are.
    segment_bytes
        Size of a segment; None: not known, the text stays as it is.

    Returns
    -------
    The text.

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
        kind, factor = ("rate", 1000 if unit.endswith("/ms") else 1) if "/" in unit else ("segments", 1)
        numbers = [float(each.replace(",", "").replace("−", "-")) for each in (low, high) if each is not None]
        if numbers[-1] == 0:
            return match[0]
        texts = [familiar(kind, factor * each, segment_bytes) for each in numbers]
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
    """Return the refusal of a number that is too large for a float with the range of the number, any other as it is.

    Parameters
    ----------
    error
        The refusal of `parse`.
    allowed
        The range in words; empty if there is none.

    Returns
    -------
    The refusal.
    """
    return replace(error, allowed=allowed) if allowed and error.allowed == FINITE else error


def beyond(number: float | Fraction, least: float, most: float, *, above: bool = False) -> str:
    """Return how a number is out of its range.

    Parameters
    ----------
    number
        The number.
    least, most
        Ends of the range.
    above
        True if `least` itself is out of the range.

    Returns
    -------
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
    """Return a whole number, checked against its range.

    Parameters
    ----------
    value
        A whole number, also of NumPy.
    path
        Path of the number, for messages.
    least, most
        Allowed range.

    Returns
    -------
    The number.

    Raises
    ------
    InputError
        If the value is no whole number, True and False included, or out of range.
    """
    allowed = f"a whole number, at least {least} and at most {most}"
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError("not a whole number", path=path, value=value, allowed=allowed)
    number = operator.index(value)
    if problem := beyond(number, least, most):
        raise InputError(problem, path=path, value=value, allowed=allowed)
    return number


def whole(value: float) -> int | float:
    """Return a number, as an int if it is whole, so that 5, 5.0 and "5000 ms" have one canonical text.

    Parameters
    ----------
    value
        A number.

    Returns
    -------
    An equal number.
    """
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def seconds(times: Sequence[str]) -> list[float] | None:
    """Return times that are texts such as ``1.5 s``, all at once: thousands of flows have different starts.

    Parameters
    ----------
    times
        Times as the user wrote them.

    Returns
    -------
    Results of `parse`, s; None if a text has another form, right or wrong.
    """
    lines = "".join(f"{time}\n" for time in times)
    if not _SECONDS.fullmatch(lines):
        return None
    found = [float(number) for number in lines.removesuffix(" s\n").split(" s\n")]
    return found if len(found) == len(times) else None  # a text may have two lines


def _quantity(kind: str, value: Any, example: str, segment_bytes: float) -> float:
    if _is_number(value) and math.isfinite(value):
        unit = example.split()[1]
        problem = f'a {_noun(kind)} needs its unit: write "{value} {unit}"'
        raise InputError(problem, value=value, allowed=_quantity_allowed(kind, example))
    if not isinstance(value, str):
        raise InputError(f"not a {_noun(kind)}", value=value, allowed=_quantity_allowed(kind, example))
    return _text_quantity(kind, value, example, segment_bytes)


@lru_cache(maxsize=1 << 12)  # thousands of flows may have the same text
def _text_quantity(kind: str, value: str, example: str, segment_bytes: float) -> float:
    match = _QUANTITY.fullmatch(value)
    if not match:
        raise InputError(f"not a {_noun(kind)}", value=value, allowed=_quantity_allowed(kind, example))
    number, unit = match.groups()
    unit = _SPELLINGS[kind].get(unit, unit)
    if unit not in _UNITS[kind]:
        problem = f'"{unit}" is not a unit of a {_noun(kind)}'
        if not unit:
            problem = f'a {_noun(kind)} needs its unit: write "{number} {example.split()[1]}"'
        raise InputError(problem, value=value, allowed=_quantity_allowed(kind, example))
    factor = _UNITS[kind][unit]
    if factor == 1 and unit not in _OF_BYTES and len(number) <= 15 and "e" not in number.lower():
        return float(number) + 0.0  # exact as by fractions (no -0), which take ten times as long for thousands of flows
    size = Fraction(segment_bytes) if unit in _OF_BYTES else 1
    return _finite(_fraction(number, value) * factor / size, value)


def _quantity_allowed(kind: str, example: str) -> str:
    return f'a number with a unit of {", ".join(_UNITS[kind])}, such as "{example}"'


def _threshold(value: Any, segment_bytes: float) -> float:
    try:
        return _quantity("segments", value, EXAMPLES["segments"], segment_bytes)
    except InputError as error:
        raise InputError(error.problem, value=value, allowed=f'"off", or {error.allowed}') from None


def _plain(value: Any, allowed: str = "a bare number, such as 0.3") -> Fraction:
    """Return a bare number, or text such as ``0.3`` or ``1/3``."""
    if _is_number(value):
        if not math.isfinite(value):
            raise InputError("not a finite number", value=value, allowed=allowed)
        return Fraction(operator.index(value) if isinstance(value, Integral) else float(value))
    match = _RATIO.fullmatch(value) if isinstance(value, str) else None
    if not match:
        raise InputError("not a number", value=value, allowed=allowed)
    above, below = (None if part is None else _fraction(part, value) for part in match.groups())
    if below == 0:
        raise InputError("division by zero", value=value, allowed=allowed)
    ratio = (above or Fraction(0)) / (below or 1)
    _finite(ratio, value)
    return ratio


def _count(value: Any) -> int:
    allowed = "a whole number, such as 3"
    number = _plain(value, allowed)
    if number.denominator != 1:
        raise InputError("not a whole number", value=value, allowed=allowed)
    return int(number)


def _buffer(value: Any, segment_bytes: float) -> dict[str, Any]:
    match = _BUFFER.fullmatch(value) if isinstance(value, str) else None
    if not match:
        in_text = isinstance(value, str) and _RATIO.fullmatch(value) and "/" not in value
        bare = in_text or (_is_number(value) and math.isfinite(value))
        fix = f': write "{value} segments"' if bare else ""
        raise InputError(f"not a buffer size{fix}", value=value, allowed=_BUFFER_ALLOWED)
    number, unit = match.groups()
    size = _fraction(number, value)
    unit = _SPELLINGS["time"].get(unit) or _SPELLINGS["segments"].get(unit, unit)
    if unit in _UNITS["time"]:
        rule, size = "time", size * _UNITS["time"][unit]
    elif unit in _UNITS["segments"]:
        rule = "segments"
        size *= _UNITS["segments"][unit] / (Fraction(segment_bytes) if unit in _OF_BYTES else 1)
    else:
        rule = next(rule for rule, text in BUFFER_RULES.items() if text == unit)
    problem = beyond(size, 0, _LARGEST_BUFFER, above=True)
    if not problem and (factor := float(size)):
        return {"rule": rule, "factor": factor}
    least, most = (show("buffer", {"rule": rule, "factor": end}) for end in (0.0, _LARGEST_BUFFER))
    raise InputError(problem or "too low", value=value, allowed=f"more than {least} and at most {most}")


def _distribution(value: Any) -> list[float]:
    allowed = "three shares that sum to 1 for normal, fast and directly connected routers, such as [0.1, 0.6, 0.3]"
    parts = [part for part in value.split(",") if part.strip()] if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or len(parts) != 3:
        raise InputError("not three shares", value=value, allowed=allowed)
    try:
        shares = [float(_plain(part)) for part in parts]
    except InputError as error:
        raise InputError(f"{error.value!r} is {error.problem}", value=value, allowed=allowed) from None
    if any(share < 0 for share in shares):
        raise InputError("a share is negative", value=value, allowed=allowed)
    if abs(sum(shares) - 1) > 1e-9:
        raise InputError(f"the shares sum to {_number_text(sum(shares))}, not to 1", value=value, allowed=allowed)
    return shares


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return bool(value == "true")
    raise InputError("not true or false", value=value, allowed="true, false")


def _entries(value: Any) -> list[Any]:
    """Return the entries of a list, or of text with commas between them; "none" and empty text have none."""
    if isinstance(value, str):
        return [] if value.strip() in ("", "none") else [part.strip() for part in value.split(",")]
    return list(value) if isinstance(value, list | tuple) else [value]


def _numbers(value: Any) -> list[int]:
    allowed = f"whole numbers, at least 0 and at most {_LARGEST_NUMBER}, such as [1, 2]"
    numbers = []
    for entry in _entries(value):
        try:
            numbers.append(_count(entry))
        except InputError as error:
            raise InputError(f"{entry!r} is {error.problem}", value=value, allowed=allowed) from None
        if problem := beyond(numbers[-1], 0, _LARGEST_NUMBER):
            raise InputError(f"{entry!r} is {problem}", value=value, allowed=allowed)
    return numbers


def _names(value: Any) -> list[str]:
    names = _entries(value)
    if not all(isinstance(name, str) and name for name in names):
        raise InputError("not a list of names", value=value, allowed='names in quotes, such as ["A", "B1a"]')
    return names


def _places(value: Any, choices: tuple[str, ...]) -> list[str]:
    try:
        return _names(value)
    except InputError as error:
        allowed = f"{', '.join(choices)}, or {error.allowed}"
        raise InputError("neither a rule nor names", value=value, allowed=allowed) from None


_LARGEST = sys.float_info.max
_LARGEST_BUFFER = 1e12
_LARGEST_NUMBER = 2**32 - 1


def _fraction(number: str, value: Any) -> Fraction:
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


def _is_number(value: Any) -> bool:
    """Return True for Python's and NumPy's numbers."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _noun(kind: str) -> str:
    return {"segments": "number of segments"}.get(kind, kind)


def _share_text(share: float) -> str:
    """Return a share as a simple fraction where the decimals would not end: 1/3."""
    simple = Fraction(share).limit_denominator(100)
    decimals = _number_text(share)
    return str(simple) if len(decimals) > 8 and abs(float(simple) - share) < 1e-12 else decimals


def _number_text(value: float) -> str:
    value = whole(value)
    return str(value) if isinstance(value, int) else f"{value:.12g}"
