"""The fit as one HTML page without script and network: capture beside replay, other controls, values, what is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from mesonet.assets import render
from mesonet.charts.export import to_svg
from mesonet.fitting.figure import figure
from mesonet.fitting.gate import Gate
from mesonet.fitting.paths import FittedPath
from mesonet.fitting.recording import Recording
from mesonet.fitting.what_if import Answer
from mesonet.words import capitalised


def html(
    recording: Recording,
    path: FittedPath,
    gate: Gate,
    answers: Sequence[Answer],
    *,
    file: str,
    lines: Sequence[str],
    comments: Mapping[str, str],
    unknown: Sequence[str],
) -> str:
    """Return the page. `file`: the scenario. `lines`: verdict, and the lines below it. `comments`: as in the file."""
    values = [
        (key, _shown(value), comments[key]) for key, value in path.settings(gate.control).items() if key in comments
    ]
    return render(
        "mesonet.fitting",
        "fit.html",
        title="A path fitted to a capture",
        lines=[capitalised(line) for line in lines],
        course=Markup(to_svg(figure(recording, path, gate))),
        answers=[_row(each) for each in answers],
        warnings=[f"{each.control}: {text}" for each in answers for text in each.warnings],
        values=values,
        unknown=[capitalised(line) for line in unknown],
        file=file,
        passed=gate.passed,
    )


def _row(answer: Answer) -> list[str]:
    return [
        answer.control,
        " to ".join(f"{1e-6 * end:.2f}" for end in answer.goodput),
        " to ".join(f"{1e3 * end:.1f}" for end in answer.round_trip_s),
        " to ".join(f"{end:,}" for end in answer.lost),
        str(answer.paths),
    ]


def _shown(value: object) -> str:
    match value:
        case dict():
            return ", ".join(map(str, value))
        case list():
            return "; ".join(" ".join(map(str, each)) for each in value)
    return str(value)
