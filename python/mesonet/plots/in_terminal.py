"""A run over time as text, for a terminal without pictures."""

from __future__ import annotations

import math

import plotille
import polars as pl

COLOURS = ("blue", "red", "green", "magenta", "yellow", "cyan")
ROWS = 8
"""Steps of the vertical axis of a panel, one row each (chosen: three panels fit on a page of 50 rows)."""
STEP = 10
"""Columns between two numbers of the time axis, as the library has it."""
MARGIN = 22
"""Columns that the numbers of a panel and the unit of time need."""
LEAST_WIDTH = 50
_ROUND = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def in_terminal(samples: pl.DataFrame, *, width: int = 80) -> str:
    """Return the course of a run as text.

    Parameters
    ----------
    samples
        As for `mesonet.plots.run_course`.
    width
        Columns of the terminal; fewer than 50 count as 50.

    Returns
    -------
    The text: one panel for each quantity, with its own scale, and the names of its lines below. Lines have colours if
    standard output is a terminal, or FORCE_COLOR is set and NO_COLOR is not.

    Examples
    --------
    >>> import mesonet as mn
    >>> from mesonet.plots.in_terminal import in_terminal
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
    figure = plotille.Figure()
    figure.width, figure.height = steps * STEP, ROWS
    figure.color_mode = "names"
    figure.x_label, figure.y_label = "s", ""
    figure.x_ticks_fkt = figure.y_ticks_fkt = lambda value, _: f"{value:>9,.6g}"
    figure.set_x_limits(0, end)
    figure.set_y_limits(0, ROWS * _round_step(float(samples["value"].drop_nulls().to_numpy().max(initial=0)) / ROWS))
    names = []
    for place, line in enumerate(samples.drop_nulls("value").partition_by("line", maintain_order=True)):
        colour = COLOURS[place % len(COLOURS)]
        figure.plot(line["time_s"].to_list(), line["value"].to_list(), lc=colour)
        names.append(str(plotille.color(line["line"][0], fg=colour, mode="names")))
    rows = [row.rstrip() for row in figure.show().splitlines()[1:]]
    return "\n".join([str(samples["panel"][0]), *rows, f"{'':12}{', '.join(names)}"])


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
