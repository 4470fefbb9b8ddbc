"""Answer as one HTML page without script and network: the path, both runs over time, and the neighbourhood."""

from __future__ import annotations

import numpy as np
import polars as pl
from markupsafe import Markup

from mesonet.adversarial.answer import CONFIRMING, FOUND, SIMPLEST, Adversary
from mesonet.adversarial.objective import Lineup
from mesonet.adversarial.path import LINK, ChangingPath, title
from mesonet.adversarial.trials import queueing_delay
from mesonet.assets import render
from mesonet.charts.export import to_svg
from mesonet.charts.neighbourhood import neighbourhood
from mesonet.charts.run_course import run_course
from mesonet.simulation.result import Result
from mesonet.simulation.simulate import simulate
from mesonet.units import SEGMENT_BYTES
from mesonet.words import quantity

_RATE, _WINDOW, _DELAY, _TRIP = (
    "goodput, Mbit/s",
    "window, segments",
    "queueing delay, ms",
    "round trip of the path, ms",
)
_SMOOTHED_S = 0.5
_POINTS = 501
"""Points of the course of the link."""


def html(answer: Adversary) -> str:
    """Return the page."""
    asked = answer.question
    first, *rest = answer.sentences()
    return render(
        "mesonet.adversarial",
        "adversary.html",
        algorithm=asked.algorithm,
        title=f"The worst path of {asked.algorithm}",
        headline=first,
        rest=rest,
        worst=None if answer.worst is None else _worst(answer),
        steps=[(number, quantity(score, asked.objective.unit)) for number, score in answer.way.steps],
        document=answer.document(),
        served=asked.objective.served,
        confirming=CONFIRMING,
    )


def _worst(answer: Adversary) -> dict[str, object]:
    """Return what the page shows of a path."""
    assert answer.worst is not None
    about, known = answer.question.objective, answer.worst.confirmed
    numbers = [(*title(name), value) for name, value in answer.worst.simplest.numbers().items()]
    return {
        "course": Markup(to_svg(run_course(courses(answer)))),
        "neighbourhood": Markup(to_svg(_neighbourhood(answer))) if answer.worst.neighbours else "",
        "sentences": [each.sentence(answer.worst.simplest) for each in answer.worst.neighbours],
        "numbers": [(words, quantity(value, unit)) for words, unit, value in numbers],
        "copies": [
            [quantity(each.tested, about.unit), quantity(each.reference, about.unit), each.against]
            for each in known.copies
        ],
        "still": quantity(known.still, about.unit),
        "score": quantity(known.score, about.unit),
        "commands": answer.commands(),
        "files": [SIMPLEST, FOUND],
        "found": answer.worst.found.words(),
    }


def courses(answer: Adversary) -> pl.DataFrame:
    """Return the simplest path and both runs over time: columns panel, line, time_s and value."""
    assert answer.worst is not None
    path, duration = answer.worst.simplest, answer.question.space.duration
    times = np.linspace(0.0, duration, _POINTS)
    gone = [any(each.start <= time < each.start + each.length for each in path.outages) for time in times.tolist()]
    rates = [0.0 if out else path.at(time).rate for time, out in zip(times.tolist(), gone, strict=True)]
    parts = [_lines(_RATE, "link", times, np.array(rates))]
    trips = [path.round_trip + path.at(time).delay for time in times.tolist()]
    lineups = answer.lineups()
    runs = [(lineup, simulate(answer.trials.scenario(path, lineup))) for lineup in lineups]
    for panel in (_RATE, _WINDOW, _DELAY):
        parts += [part for lineup, result in runs for part in _of_run(panel, path, lineup, result)]
    if len(set(trips)) > 1:
        parts.append(_lines(_TRIP, "link", times, np.array(trips)))
    return pl.concat(parts)


def _of_run(panel: str, path: ChangingPath, lineup: Lineup, result: Result) -> list[pl.DataFrame]:
    """Return the lines of a run in a panel."""
    if panel == _DELAY:
        columns = result.router_traces.columns
        here = np.array(columns["router"]) == LINK
        return [
            _lines(
                panel,
                lineup.tested,
                np.asarray(columns["time_s"])[here],
                1e3 * queueing_delay(path, result.router_traces),
            )
        ]
    series = result.series.columns
    times = np.asarray(series["time_s"], dtype=float)
    names = (
        [lineup.tested] if lineup.incumbent is None else [lineup.tested, f"{lineup.incumbent} beside {lineup.tested}"]
    )
    found = []
    for number, name in enumerate(names, start=1):
        if panel == _WINDOW:
            values = np.asarray(series[f"flow_{number}_cwnd"], dtype=float)
        else:
            counts = np.nan_to_num(np.asarray(series[f"flow_{number}_delivered"], dtype=float))
            before = np.interp(times - _SMOOTHED_S, times, counts, left=0.0)
            values = (counts - before) / np.minimum(times, _SMOOTHED_S) * SEGMENT_BYTES * 8 / 1e6
        found.append(_lines(panel, name, times, values))
    return found


def _lines(panel: str, line: str, times: np.ndarray, values: np.ndarray) -> pl.DataFrame:
    columns = {"panel": panel, "line": line, "time_s": times, "value": values}
    return pl.DataFrame(columns).with_columns(pl.col("value").fill_nan(None))


def _neighbourhood(answer: Adversary) -> object:
    assert answer.worst is not None
    rows = [
        {
            "panel": ", ".join(filter(None, title(each.name))),
            "value": value,
            "score": max(0.0, score),
            "is_own": value == each.value,
        }
        for each in answer.worst.neighbours
        for value, score in zip(each.values, each.scores, strict=True)
    ]
    return neighbourhood(pl.DataFrame(rows), response="harm", unit=answer.question.objective.unit)
