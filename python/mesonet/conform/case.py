"""Cases of specifications as files: a scenario, an event, and expectations on the samples of a flow."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from mesonet import algorithms
from mesonet.conform.bench import Bench, scenario_names
from mesonet.conform.expectation import Expectation, expectation
from mesonet.conform.finding import FAIL, PASS, SKIPPED, About, Finding, with_known
from mesonet.errors import InputError, unknown
from mesonet.files import reading
from mesonet.files.toml import read_toml

SCENARIOS = "scenarios"
"""Folder of the scenarios of a suite, next to its cases."""
EVENT = "EVENT"
"""Stands for the time of the event in values of a case."""
_SUITE = "suite.toml"
_GROUPS = ("contract", "baseline")
"""Groups of checks that are no suites."""
_SUITE_KEYS = {"title", "source", "algorithms", "needs_modes"}
_KEYS = {
    "id", "title", "reason", "section", "scenario", "set", "event", "expect", "only", "only_reason", "missing",
    "known",
}  # fmt: skip
_KINDS: Mapping[str, tuple[type, str]] = {
    **dict.fromkeys(("set", "event", "known"), (dict, "a table")),
    **dict.fromkeys(("expect", "only", "algorithms"), (list, "a list")),
    **dict.fromkeys(("scenario", "only_reason", "missing"), (str, "text in quotes")),
    "needs_modes": (bool, "true or false"),
}
"""Kinds of the values of a case and of a suite."""
_EVENT_KEYS = {"mode", "visit", "delay", "set"}


@dataclass(frozen=True)
class Event:
    """Change of the scenario when the flow enters a mode. A first run without the change finds the time."""

    mode: str  #: `mode`, `visit`: the mode, and which visit to it counts, from 1
    visit: int
    delay: float  #: time from there to the change, s
    values: Mapping[str, Any]  #: values by path; `EVENT` in them is the time of the change


@dataclass(frozen=True)
class Case:
    """Case of a specification."""

    about: About  #: suite, id, title, reason and source
    scenario: str  #: name of a scenario of the package, or path of a file without its ending
    values: Mapping[str, Any]  #: values that replace its own
    event: Event | None  #: change during the run, or None
    expectations: tuple[Expectation, ...]  #: expectations on the samples; all must hold
    #: `only`, `only_reason`: algorithms that the case is about, empty: all; and the reason why others are skipped.
    only: tuple[str, ...]
    only_reason: str
    missing: str  #: reason why the case cannot be run; empty if it can
    known: Mapping[str, str]  #: cause of a known failure, by algorithm of mesonet


@dataclass(frozen=True)
class CaseSuite:
    """Cases of one specification."""

    name: str  #: name in options
    title: str  #: name in words
    algorithms: tuple[str, ...]  #: algorithms that the suite is for, unless a user asks for it
    needs_modes: bool  #: True if its cases need an algorithm that reports its modes
    cases: tuple[Case, ...]  #: the cases, in the order of their files


def suites() -> dict[str, CaseSuite]:
    """Return the suites of the package."""
    folders = sorted(path.parent for path in (Path(str(files("mesonet.conform"))) / "cases").glob("*/suite.toml"))
    return {folder.name: read_suite(folder) for folder in folders}


def chosen_suites(text: str | None, algorithm: algorithms.Named) -> list[CaseSuite]:
    """Return the suites that a user asks for.

    `text`: names or folders separated by commas, ``none``, or None: the suites that are for the algorithm.
    """
    known = suites()
    if text is None:
        return [each for each in known.values() if algorithm.algorithm.name in each.algorithms]
    if text == "none":
        return []
    found: dict[str, CaseSuite] = {}
    for name in dict.fromkeys(part.strip() for part in text.split(",")):
        folder = Path(name)
        if name in known:
            suite = known[name]
        elif (folder / _SUITE).is_file():
            suite = read_suite(folder.resolve())
        else:
            raise unknown("suite of cases", name, [*known, "none", f"a folder with {_SUITE}"], path="--cases")
        if suite.name in (*found, *_GROUPS):
            problem = f"another group of checks has the name {suite.name}"
            raise InputError(problem, None, "--cases", name, "a folder with another name")
        found[suite.name] = suite
    return list(found.values())


def read_suite(folder: Path) -> CaseSuite:
    """Return the suite of a folder. `folder`: folder with ``suite.toml`` and a file for each case."""
    table = _table(folder / _SUITE, _SUITE_KEYS, ("title", "source"))
    cases = [read(path, folder.name, table["source"]) for path in sorted(folder.glob("*.toml")) if path.name != _SUITE]
    ids = [each.about.id for each in cases]
    if again := next((id for id in ids if ids.count(id) > 1), None):
        raise InputError("two cases have this id", str(folder), "id", again, "another id for each case")
    modes = bool(table.get("needs_modes", False))
    return CaseSuite(folder.name, table["title"], tuple(table.get("algorithms", ())), modes, tuple(cases))


def read(path: Path, suite: str, source: str) -> Case:
    """Return the case of a file."""
    table = _table(path, _KEYS, ("id", "title", "reason", "section"))
    if any(not isinstance(given, dict) for given in table.get("expect", [])):
        raise InputError("not a list of tables", str(path), "expect", table["expect"], "tables [[expect]]")
    missing = str(table.get("missing", ""))
    expected = tuple(
        expectation(given, str(path), f"expect[{place}]") for place, given in enumerate(table.get("expect", []))
    )
    if bool(missing) == bool(expected):
        raise InputError("a case has either expectations or a reason why it is missing", str(path), "expect")
    if bool(table.get("only")) != bool(table.get("only_reason")):
        raise InputError("only and only_reason go together", str(path), "only", table.get("only"))
    about = About(suite, table["id"], table["title"], table["reason"], f"{source}, {table['section']}")
    event = _event(table["event"], str(path)) if "event" in table else None
    only = tuple(table.get("only", ()))
    return Case(
        about=about,
        scenario=_scenario(path, table.get("scenario", "base")),
        values=table.get("set", {}),
        event=event,
        expectations=expected,
        only=only,
        only_reason=str(table.get("only_reason", "")),
        missing=missing,
        known=table.get("known", {}),
    )


def check_suite(suite: CaseSuite, bench: Bench, skip: Collection[str] = ()) -> Iterator[Finding]:
    """Yield the finding of each case. Findings, in the order of the cases."""
    for case in suite.cases:
        if case.about.name in skip:
            yield Finding.left_out(case.about)
            continue
        began = time.perf_counter()
        verdict, why, values = _judged(case, bench, suite.needs_modes)
        # A variant has no known failures.
        verdict, why = with_known(verdict, why, case.known.get(bench.algorithm))
        yield Finding(case.about, verdict, why, values, time.perf_counter() - began)


def _judged(case: Case, bench: Bench, needs_modes: bool) -> tuple[str, str, dict[str, float]]:
    name = algorithms.resolve(bench.algorithm).algorithm.name
    if case.missing:
        return SKIPPED, case.missing, {}
    if case.only and name not in case.only:
        return SKIPPED, case.only_reason, {}
    run = f"{case.about.group} {case.about.id}"
    samples = bench.samples(run, case.scenario, case.values)
    if needs_modes and not any(samples.flow()["mode"]):
        return SKIPPED, f"{name} reports no modes", {}
    at = 0.0
    if case.event:
        visits = Expectation("", modes=(case.event.mode,))._visits(samples.flow(), 0.0, samples.duration)
        if len(visits) < case.event.visit:
            return FAIL, f"mode {case.event.mode} was visited {len(visits)} times, not {case.event.visit}", {}
        at = float(samples.flow()["time_s"][visits[case.event.visit - 1][0]]) + case.event.delay
        changed = {**case.values, **_at(case.event.values, at)}
        samples = bench.samples(f"{run}, changed", case.scenario, changed)
    words, values, verdict = [], {}, PASS
    for each in case.expectations:
        if each.only and name not in each.only:
            continue
        found = each.values(samples, at)
        good = each.holds(found)
        verdict = verdict if good else FAIL
        measured = _range(found)
        words.append(f"{each.text}: {measured}" + ("" if good else f", not {each.bounds()}"))
        values[each.text] = float(np.mean(found)) if len(found) else float("nan")
    return verdict, "; ".join(words), values


def _range(values: np.ndarray) -> str:
    if not len(values):
        return "not observed"
    least, most = f"{np.min(values):.4g}", f"{np.max(values):.4g}"
    return least if least == most else f"{least} to {most}"


def _at(value: Any, at: float) -> Any:
    if isinstance(value, Mapping):
        return {key: _at(part, at) for key, part in value.items()}
    if isinstance(value, list):
        return [_at(part, at) for part in value]
    return f"{at:.6f} s" if value == EVENT else value


def _scenario(path: Path, name: str) -> str:
    """Return the scenario of a case: a path without its ending in the folder of the suite, or a name of the package."""
    own = {file.stem: file for file in sorted((path.parent / SCENARIOS).glob("*.toml"))}
    if name in own:
        return str(own[name].with_suffix(""))
    if name not in scenario_names():
        raise unknown("scenario", name, [*own, *scenario_names()], file=str(path), path="scenario")
    return name


def _event(table: Mapping[str, Any], file: str) -> Event:
    for key in table:
        if key not in _EVENT_KEYS:
            raise unknown("key of an event", key, sorted(_EVENT_KEYS), file=file, path=f"event.{key}")
    if not isinstance(table.get("mode"), str):
        raise InputError("missing", file, "event.mode", table.get("mode"), "the name of a mode, in quotes")
    visit = table.get("visit", 1)
    if not isinstance(visit, int) or visit < 1:
        raise InputError("no number of a visit", file, "event.visit", visit, "a whole number from 1")
    return Event(str(table["mode"]), visit, float(table.get("delay", 0.0)), table.get("set", {}))


def _table(path: Path, known: set[str], needed: Sequence[str]) -> dict[str, Any]:
    table = read_toml(reading.read_text(path, reading.MOST_TOML_BYTES), str(path))
    for key in table:
        if key not in known:
            raise unknown("key of a case", key, sorted(known), file=str(path), path=key)
    for key in needed:
        if not isinstance(table.get(key), str):
            raise InputError("missing", str(path), key, table.get(key), "text in quotes")
    for key, (kind, allowed) in _KINDS.items():
        if key in table and not isinstance(table[key], kind):
            raise InputError("of another kind", str(path), key, table[key], allowed)
    return table
