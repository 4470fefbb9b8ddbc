"""Numbers as a reader wants to see them."""

import math


def number(value: float | None, digits: int = 3) -> str:
    """`digits` significant digits, no exponent between 0.0001 and a billion, thousands apart; "–" for none."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
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
    """`number` with its sign always shown."""
    text = number(value, digits)
    return f"+{text}" if value is not None and math.isfinite(value) and value > 0 else text


def percent(value: float | None, *, sign: bool = False) -> str:
    """A percentage: whole above 10, one digit behind the point from 1, else two significant digits."""
    if value is None or not math.isfinite(value):
        return "–"
    size = abs(value)
    shown = round(value) if size >= 10 else round(value, 1) if size >= 1 else value
    text = (signed if sign else number)(float(shown), 2 if size < 1 else 9)
    return f"{text} %"


def hundredths(value: float) -> str:
    """A correlation or loading x 100, whole; "–" for none."""
    if not math.isfinite(value):
        return "–"
    return str(round(100 * value)).replace("-", "−")
