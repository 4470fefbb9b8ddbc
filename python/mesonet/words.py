"""Text for numbers, lists and periods."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

PERIOD_TITLES = {
    "measured": "whole measured time",
    "1": "measured period 1",
    "2": "measured period 2",
    "3": "measured period 3",
    "run": "whole run, warm-up included",
}


def folded(name: str) -> str:
    """Return a name so that capitals, hyphens, underscores and spaces make no difference."""
    return " ".join(re.split(r"[\s_-]+", name.strip().casefold()))


def period_title(period: str) -> str:
    """Return the title of a period. `period`: a key of `PERIOD_TITLES`, or any text."""
    return PERIOD_TITLES.get(period, period)


def listed(items: Sequence[str]) -> str:
    """Return a list in words, such as ``a``, ``a and b``, or ``a, b and c``."""
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def some(items: Sequence[str], most: int = 4) -> str:
    """Return the first of many items in words.

    Such as ``a, b, c and 7 more``; all of a list that is not longer. `most`: longest list to write out, at least 2.
    """
    return listed(items) if len(items) <= most else f"{', '.join(items[: most - 1])} and {len(items) - most + 1} more"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun, such as ``1 run`` or ``2 runs``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def plural_of(noun: str) -> str:
    """Return a noun in the plural.

    Examples
    --------
    >>> plural_of("policy"), plural_of("solver"), plural_of("mesh")
    ('policies', 'solvers', 'meshes')
    """
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if re.search(r"(s|x|z|ch|sh)$", noun) else f"{noun}s"


def own_names(names: Sequence[str], taken: Collection[str], what: str = "factor") -> list[str]:
    """Return names of the user as columns beside columns of ours: a name that is taken ends with what it is.

    Examples
    --------
    >>> own_names(["heat", "run"], ["run", "value"])
    ['heat', 'run (factor)']
    """
    others = {*taken, *names}
    found = []
    for name in names:
        shown = name
        while shown in taken or (shown != name and shown in others):
            shown += f" ({what})"
        others.add(shown)
        found.append(shown)
    return found


def verb(count: int, plural: str) -> str:
    """Return the verb that goes with a count. `plural`: the verb in the plural, such as ``exceed``."""
    return f"{plural}s" if count == 1 else plural


def numbered(noun: str, numbers: Sequence[int]) -> str:
    """Return a noun with its numbers.

    Such as ``condition 4``, ``conditions 4 and 7``, or ``12 conditions (4, 5, 7, ...)``.
    """
    if len(numbers) <= 3:
        return f"{noun}{'' if len(numbers) == 1 else 's'} {listed([str(each) for each in numbers])}"
    return f"{counted(len(numbers), noun)} ({', '.join(str(each) for each in numbers[:3])}, ...)"


def quantity(value: float, unit: str) -> str:
    """Return a value with its unit.

    Three digits and the unit; a percentage for the unit ``1``. `unit`: its unit; ``1`` for ratios and rates.
    """
    if unit == "1":
        return percent(100 * value)
    return f"{number(value)} {unit}".strip()


def difference(value: float, unit: str) -> str:
    """Return a difference with its unit.

    As `quantity`; percentage points for the unit ``1``, so that it cannot be read as a ratio. `unit`: its unit; ``1``
    for ratios and rates.
    """
    if unit == "1":
        text = percent(100 * value).removesuffix(" %")
        return f"{text} percentage point{'' if text in ('1', '−1') else 's'}"
    return quantity(value, unit)


def fall(first: float, last: float, unit: str) -> str:
    """Return two differences with one unit.

    Such as ``2.5 down to 1.2 percentage points``. `unit`: their unit; ``1`` for ratios and rates.
    """
    more, less = difference(first, unit), difference(last, unit)
    if unit == "1":
        # "1 percentage point" has a plural after a larger number.
        return f"{more.split(' ')[0]} down to {less.split(' ')[0]} percentage points"
    return f"{more.removesuffix(f' {unit}')} down to {less}"


def span(low: float, high: float, unit: str) -> str:
    """Return a range with its unit.

    Such as ``0 to 45 %`` or ``12 to 14 ms``; a single value if both have equal texts. `unit`: their unit; ``1`` for
    ratios and rates.
    """
    first, last = quantity(low, unit), quantity(high, unit)
    if first == last:
        return first
    tail = " %" if unit == "1" else f" {unit}"
    return f"{first.removesuffix(tail)} to {last}"


def capitalised(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]


def uncapitalised(text: str) -> str:
    """Return a text as it stands within a sentence."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def markdown(text: str) -> str:
    """Return text for a Markdown page: no part of a name begins an HTML element.

    The text, with such a ``<`` escaped.
    """
    return re.sub(r"<(?=[A-Za-z/!?])", r"\\<", text)


def number(value: float | None, digits: int = 3) -> str:
    """Return a number as text, thousands apart.

    The number, with an exponent only below 0.0001 and from a billion on; "–" for None, NaN and infinity.

    Examples
    --------
    >>> number(1234.5), number(0.00012345), number(None)
    ('1,230', '0.000123', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    value = float(value)  # round() of a NumPy number differs in the last digit
    exponent = math.floor(math.log10(abs(value)))
    if not -5 < exponent < 9:
        text = f"{value:.{digits - 1}e}"
    else:
        rounded = round(value, digits - 1 - exponent)
        decimals = max(0, digits - 1 - exponent)
        text = f"{rounded:,.{decimals}f}"
        if "." in text:
            text = text.rstrip("0").rstrip(".")
    return text.replace("-", "−") if "e" not in text else text.replace("-", "−", 1) if value < 0 else text


def signed(value: float | None, digits: int = 3) -> str:
    """Return a number as text, with its sign. As `number`, with + for positive values."""
    text = number(value, digits)
    return f"+{text}" if value is not None and math.isfinite(value) and value > 0 else text


def percent(value: float | None, *, sign: bool = False) -> str:
    """Return a percentage as text.

    Whole from 10 on, one digit behind the point from 1, else two significant digits; "–" for None, NaN and infinity.
    `sign`: True: show + for positive values.
    """
    if value is None or not math.isfinite(value):
        return "–"
    size = abs(value)
    value = float(value)  # as in `number`
    shown = round(value) if size >= 10 else round(value, 1) if size >= 1 else value
    text = (signed if sign else number)(float(shown), 2 if size < 1 else 9)
    return f"{text} %"


MANY_TIMES = 10
"""Factor from which a relative change reads better as a factor (chosen)."""


def change(value: float | None) -> str:
    """Return a relative change as text: with its sign in percent, or from `MANY_TIMES` on as a factor.

    "–" for None, NaN and infinity. `value`: 0.1 for +10 %.

    Examples
    --------
    >>> change(-0.31), change(47.74)
    ('−31 %', '49 times')
    """
    if value is None or not MANY_TIMES <= 1 + value < math.inf:
        return percent(None if value is None else 100 * value, sign=True)
    return f"{number(1 + value, 2)} times"


def change_span(low: float, high: float) -> str:
    """Return a range of relative changes as text.

    Examples
    --------
    >>> change_span(-0.35, -0.13), change_span(-0.98, 16.2)
    ('−35 to −13 %', '−98 % to 17 times')
    """
    first, last = change(low), change(high)
    return f"{first.removesuffix(' ' + last.rpartition(' ')[2])} to {last}"


def hundredths(value: float) -> str:
    """Return a correlation or loading x 100, whole.

    Digits; "–" for NaN and infinity. `value`: the correlation, -1 to 1.
    """
    if not math.isfinite(value):
        return "–"
    return str(round(100 * value)).replace("-", "−")
