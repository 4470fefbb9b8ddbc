"""Files of an answer: scenarios, a suite for `mesonet evidence`, a case for `mesonet conform`, JSON and the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mesonet.adversarial.answer import FOUND, SIMPLEST, Adversary
from mesonet.adversarial.page import html
from mesonet.adversarial.path import ChangingPath
from mesonet.algorithms import written
from mesonet.conform.bench import SEED, Bench
from mesonet.conform.expectation import expectation
from mesonet.evidence.plan import INCUMBENT
from mesonet.files import places
from mesonet.files.toml import toml_lines

PAGE, NUMBERS = "index.html", "adversary.json"
SUITE, CASE = "suite", "case"
"""Folders of the suite and of the case."""
_BASE = "bottleneck"
_MEASURES = {
    "utilisation": ("goodput", "all", "higher"),
    "delay": ("segment_delay_p95", "all", "lower"),
    "starves": ("goodput", "incumbent", "higher"),
    "starved": ("goodput", "newcomer", "higher"),
    "frames": ("late_messages", "all", "lower"),
}
"""Value, flows and better end of the measure of `mesonet evidence`, by objective."""
_TAKEN = "part of the link that the flow takes"
_EXPECTED = {
    "utilisation": ({"text": _TAKEN, "measure": "utilisation"}, "at_least"),
    "delay": ({"text": "mean segments in flight, BDP", "quantity": "in_flight / bdp", "take": "mean"}, "at_most"),
    "starves": ({"text": _TAKEN, "measure": "utilisation"}, "at_most"),
    "starved": ({"text": _TAKEN, "measure": "utilisation"}, "at_least"),
}
"""Measure and bound of the case, by objective; cases have no measure of frames."""


def write(answer: Adversary, folder: Path) -> None:
    """Write the files of an answer."""
    texts = {NUMBERS: json.dumps(answer.document(), indent=1, ensure_ascii=False) + "\n"}
    if answer.worst is not None:
        texts |= {
            FOUND: scenario_text(answer, answer.worst.found),
            SIMPLEST: scenario_text(answer, answer.worst.simplest),
        }
    if answer.worst is not None and answer.worst.confirmed.holds:
        texts |= {
            **{f"{SUITE}/{name}": text for name, text in _suite(answer).items()},
            **{f"{CASE}/{name}": text for name, text in _case(answer).items()},
        }
    texts[PAGE] = html(answer)
    for name, text in texts.items():
        with places.file(places.inside(folder, name)) as aside:
            aside.write_text(text, encoding="utf-8")


def scenario_text(answer: Adversary, path: ChangingPath) -> str:
    """Return a path as a scenario file for `mesonet run`."""
    values, flows = _parts(answer, path)
    comment = f"# Found for {answer.question.algorithm}: {answer.question.objective.title}."
    title = f"title = {json.dumps(path.words())}"
    return "\n".join([comment, f'base = "{_BASE}"', title, *toml_lines(values, flows), ""])


def _parts(answer: Adversary, path: ChangingPath, incumbent: str | None = None) -> tuple[dict[str, Any], list[Any]]:
    """Return values and flows of a path. `incumbent`: the name of the incumbent in the file; None: its own."""
    tested = answer.lineups()[0]
    values = answer.trials.values(path, tested)
    flows = [
        {key: incumbent or written(value) if key == "algorithm" else value for key, value in flow.items()}
        for flow in values.pop("flows")
    ]
    return values, flows


def _suite(answer: Adversary) -> dict[str, str]:
    """Return the suite with the simplest path as its only case."""
    assert answer.worst is not None
    asked, path = answer.question, answer.worst.simplest
    about = asked.objective
    value, of, better = _MEASURES[about.name]
    values, flows = _parts(answer, path, INCUMBENT)
    if about.name == "delay":
        values["measurement.segment_delays"] = True
    suite = {
        "short": "worst path",
        "title": "the worst path of a search",
        "document": f"a search for the worst path of {asked.algorithm}",
        "source": asked.command(),
        "purpose": "to see whether an algorithm still has the weakness that was found",
        "case": "case",
        "cases": ["case", "cases"],
        "quick": 10,
        "full": 50,
        "thresholds": "The search has no thresholds.",
        "environments": "Paths on which the algorithm does worse than an incumbent.",
    }
    case = {
        "id": "worst_path",
        "title": f"The worst path of {asked.algorithm}",
        "kind": "beside" if about.is_duel else "alone",
        "question": "Does the algorithm do worse than an incumbent on this path?",
        "reading": f"{path.words()}.",
        "numbers": f"Found: all numbers of the path. {answer.sentences()[0]}",
        "scenario": _BASE,
    }
    measure = {
        "id": about.name,
        "title": about.title,
        "value": value,
        "of": of,
        "better": better,
        "margin": 0.2,
        "reason": "Chosen: a fifth, so that only clear losses count.",
    }
    measured = ["", "[[measures]]", *toml_lines(measure)]
    lines = [*toml_lines(case), *toml_lines(values, flows, "set"), *measured, ""]
    return {"suite.toml": "\n".join([*toml_lines(suite), ""]), "01-worst.toml": "\n".join(lines)}


def _case(answer: Adversary) -> dict[str, str]:
    """Return the suite of cases with the simplest path: a bound halfway between the algorithm and the reference."""
    assert answer.worst is not None
    asked, path = answer.question, answer.worst.simplest
    if asked.objective.name not in _EXPECTED:
        return {}
    measure, bound = _EXPECTED[asked.objective.name]
    values, flows = _parts(answer, path)
    window = {**measure, "start": path.join, "end": asked.space.duration}
    expected = expectation({**window, bound: 0.0}, "", "expect[0]")
    tested, reference = (
        float(expected.values(Bench(each.tested).samples("", "base", {**values, "flows": flows}, SEED)).mean())
        for each in answer.lineups()
    )
    suite = {"title": f"The worst path of {asked.algorithm}", "source": asked.command()}
    case = {
        "id": "worst-path",
        "section": "simplest path",
        "title": f"On the worst path of {asked.algorithm} an algorithm does better than {asked.algorithm}",
        "reason": f"Halfway between {asked.algorithm} ({tested:.3g}) and the reference ({reference:.3g}).",
    }
    expect = ["", "[[expect]]", *toml_lines({**window, bound: float(f"{(tested + reference) / 2:.3g}")})]
    lines = [*toml_lines(case), *toml_lines(values, flows, "set"), *expect, ""]
    return {"suite.toml": "\n".join([*toml_lines(suite), ""]), "worst-path.toml": "\n".join(lines)}
