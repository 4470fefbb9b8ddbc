"""A run over time as text, for a terminal without pictures."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable
from itertools import pairwise

import polars as pl

from mesonet.visible import COLOURS

ROWS = 8
"""Steps of the vertical axis of a panel, one row each (chosen: three panels fit on a page of 50 rows)."""
STEP = 10
"""Columns between two numbers of the time axis (chosen: a number of nine characters fits)."""
MARGIN = 22
"""Columns that the numbers of a panel and the unit of time need."""
LEAST_WIDTH = 50
_DOTS = ((0x40, 0x80), (0x04, 0x20), (0x02, 0x10), (0x01, 0x08))
"""Bits of the dots of a braille character from its lowest row up (Unicode, block 2800)."""
_ROUND = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def in_terminal(samples: pl.DataFrame, *, width: int = 80) -> str:
    """Return the course of a run as text.

    The text: one panel for each quantity, with its own scale, and the names of its lines below. Lines have colours if
    standard output is a terminal, or FORCE_COLOR is set and NO_COLOR is not.

    Examples
    --------
    >>> import mesonet as mn
    >>> from mesonet.charts.in_terminal import in_terminal
    >>> from mesonet.simulation.courses import courses
    >>> text = in_terminal(courses(mn.simulate(mn.scenario("dumbbell", duration="20 s"), seed=1)))
    >>> text.splitlines()[0]
    'throughput, Mbit/s'
    """
    panels = samples.partition_by("panel", maintain_order=True)
    return "\n\n".join(_panel(each, width) for each in panels)


def _panel(samples: pl.DataFrame, width: int) -> str:
    end = float(samples["time_s"].to_numpy().max())
    steps = _time_steps(end, (max(width, LEAST_WIDTH) - MARGIN) // STEP)
    unit = _round_step(float(samples["value"].drop_nulls().to_numpy().max(initial=0)) / ROWS)
    canvas = _Canvas(steps * STEP, end, ROWS * unit)
    names = []
    for place, line in enumerate(samples.drop_nulls("value").partition_by("line", maintain_order=True)):
        colour = COLOURS[place % len(COLOURS)]
        canvas.draw(line.select("time_s", "value").iter_rows(), colour)
        names.append(_painted(line["line"][0], colour))
    if names:
        canvas.draw([(0.0, ROWS * unit), (0.0, 0.0), (end, 0.0)])
    drawn = ["", *canvas.rows()]
    rows = [f"{_tick(unit * (ROWS - row)):>10} | {text}".rstrip() for row, text in enumerate(drawn)]
    axis = f"{'-' * 11}|-{'|---------' * steps}|-> (s)"
    times = " ".join(f"{_tick(end / steps * step)[:9]:9}" for step in range(steps + 1))
    return "\n".join(
        [str(samples["panel"][0]), *rows, axis, f"{'':11}| {times}".rstrip(), f"{'':12}{', '.join(names)}"]
    )


class _Canvas:
    """Braille characters of 2 x 4 dots, from (0, 0) to (`end`, `top`)."""

    def __init__(self, columns: int, end: float, top: float) -> None:
        self._dot = end / (2 * columns), top / (4 * ROWS)
        self._dots = [[0] * columns for _ in range(ROWS)]
        self._colours: list[list[int | None]] = [[None] * columns for _ in range(ROWS)]

    def draw(self, points: Iterable[tuple[float, float]], colour: int | None = None) -> None:
        """Draw a line through points; without a colour, characters keep theirs."""
        places = [tuple(round(value / size) for value, size in zip(point, self._dot, strict=True)) for point in points]
        for (x0, y0), (x1, y1) in pairwise([places[0], *places]):
            steps = max(abs(x1 - x0), abs(y1 - y0), 1)
            for step in range(steps + 1):
                self._set(x0 + round((x1 - x0) / steps * step), y0 + round((y1 - y0) / steps * step), colour)

    def _set(self, x: int, y: int, colour: int | None) -> None:
        column, row = x // 2, y // 4
        if 0 <= row < ROWS and 0 <= column < len(self._dots[row]):
            self._dots[row][column] |= _DOTS[y % 4][x % 2]
            self._colours[row][column] = colour or self._colours[row][column]

    def rows(self) -> list[str]:
        """Return the rows as text, from the top."""
        return [
            "".join(_painted(chr(0x2800 + dots), colour) for dots, colour in zip(row, colours, strict=True))
            for row, colours in zip(reversed(self._dots), reversed(self._colours), strict=True)
        ]


def _painted(text: str, colour: int | None) -> str:
    """Return a text in a colour, where colours are shown (https://no-color.org, and FORCE_COLOR as in Node.js)."""
    forced = os.environ.get("FORCE_COLOR", "").strip().lower()
    shown = forced not in ("0", "false", "none") if forced else sys.stdout.isatty()
    return text if colour is None or os.environ.get("NO_COLOR") or not shown else f"\x1b[{colour}m{text}\x1b[0m"


def _tick(value: float) -> str:
    return f"{value:>9,.6g}"


def _round_step(least: float) -> float:
    """Return the smallest round number that is at least as large; 1 for 0."""
    if not least > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(each for each in _ROUND if each * power >= least * (1 - 1e-12)) * power


def _time_steps(end: float, most: int) -> int:
    """Return how many steps the time axis has: the most that end in round numbers, or all that fit."""
    good = [steps for steps in range(most, most // 2, -1) if math.isclose(_round_step(end / steps), end / steps)]
    return good[0] if good else most
