"""Constants that a plug-in in Python declares."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Param:
    """Constant of an algorithm, which users set as ``parameters.NAME.CONSTANT`` or ``NAME(CONSTANT=value)``.

    Parameters
    ----------
    name
        Lower case, digits and underscores.
    doc
        Its effect, in one line.
    value
        Default.
    min, max
        Allowed range.
    unit
        Unit; ``1`` for a plain number.
    source
        Source of the default.
    """

    name: str
    doc: str
    value: float
    min: float
    max: float
    unit: str = "1"
    source: str = "chosen"
