"""Cases of suites as files: scenarios, measures, margins and words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.evidence.measures import DERIVED, NAMED
from mesonet.files.reading import MOST_TOML_BYTES, read_text
from mesonet.files.toml import read_toml
from mesonet.responses.definitions import BY_NAME
from mesonet.scenarios.settings import flatten

KINDS = ("alone", "beside", "search", "question", "covered", "missing")
"""Networks of one kind are compared; flows of the incumbent among newcomers; a search for the worst of such cells; the
author answers; other criteria answer; not evaluated."""
DEMANDS = ("must", "should", "may")
NO_DEMAND = ""
"""Demand of a case whose document demands nothing."""
_KEYS = {
    "id", "title", "demand", "kind", "question", "reading", "scenario", "set", "factors", "measures", "covered_by",
    "reason", "numbers", "observed",
}  # fmt: skip


@dataclass(frozen=True)
class Measure:
    """Quantity that is compared between the algorithm and an incumbent."""

    id: str  #: short name
    title: str  #: name for use in a sentence
    value: str  #: a response, or a name of `mesonet.evidence.measures`
    of: str  #: flows that it is about: ``incumbent``, ``newcomer`` or ``all``
    higher_is_better: bool  #: False if low values are better
    margin: float  #: harm from which a difference is not acceptable, as a part of 1
    least: float  #: difference in the unit of the value up to which there is no harm
    reason: str  #: reason for both

    @property
    def relative_margin(self) -> float:
        """The margin as a relative change: a harm of a half is a value twice as high, or half as high."""
        return self.margin / (1 - self.margin)


@dataclass(frozen=True)
class Observed:
    """Quantity that is reported without a verdict."""

    id: str  #: short name
    title: str  #: name for use in a sentence
    value: str  #: `value`, `of`: as of `Measure`
    of: str


@dataclass(frozen=True)
class Criterion:
    """Case of a suite, such as a criterion of RFC 9743."""

    id: str  #: `id`, `title`: name of the case in its document, such as a section of the RFC, and its subject
    title: str
    demand: str  #: ``must``, ``should`` or ``may``, as the document has it, or `NO_DEMAND`
    kind: str  #: one of `KINDS`
    question: str  #: question that the criterion answers; for the kind ``question`` the question to the author
    reading: str  #: scenario in words, for readers of the report
    #: Scenario, values and factors, as in an experiment file. Factors may have ``labels``: a name of each level.
    table: Mapping[str, Any]
    #: Quantities that are compared, by their effect on users, the largest first; empty if nothing runs.
    measures: tuple[Measure, ...]
    observed: tuple[Observed, ...]  #: quantities that are reported without a verdict
    numbers: str  #: sources of the numbers, in words: documented, recalled, chosen
    covered_by: tuple[str, ...]  #: cases that answer this one, for the kind ``covered``
    reason: str  #: why the criterion is not evaluated, for the kind ``missing``
    text: str = field(default="", repr=False)  #: text of the file

    @property
    def quantities(self) -> tuple[Measure | Observed, ...]:
        """Quantities that are compared, and quantities that are reported without a verdict."""
        return (*self.measures, *self.observed)

    @property
    def runs(self) -> bool:
        """True if the criterion is answered by simulations."""
        return self.kind in ("alone", "beside", "search")


def read(path: Path) -> Criterion:
    """Return the criterion of a file."""
    text = read_text(path, MOST_TOML_BYTES, "a TOML file in UTF-8")
    table = read_toml(text, path.name)
    for key in table:
        if key not in _KEYS:
            raise unknown("key of a criterion", key, sorted(_KEYS), path=key).located(file=path.name)
    for key in ("id", "title", "kind", "question"):
        if not isinstance(table.get(key), str):
            raise InputError("missing", path.name, key, table.get(key), "text in quotes")
    for key, allowed in (("kind", KINDS), ("demand", DEMANDS)):
        if key in table and table[key] not in allowed:
            raise InputError("not allowed", path.name, key, table[key], ", ".join(allowed))
    for key in ("demand", "reading", "scenario", "reason", "numbers"):
        if not isinstance(table.get(key, ""), str):
            raise InputError("not allowed", path.name, key, table[key], "text in quotes")
    if not isinstance(table.get("set", {}), dict):
        raise InputError("not a table", path.name, "set", table["set"], "a table [set] of values by path")
    measured = _tables(path.name, table, "measures", ("id", "title", "value", "better", "reason"))
    measures = tuple(_measure(path.name, place, given, table["kind"]) for place, given in enumerate(measured))
    seen = _tables(path.name, table, "observed", ("id", "title", "value"))
    observed = tuple(_observed(path.name, place, given, table["kind"]) for place, given in enumerate(seen))
    for place, factor in enumerate(_tables(path.name, table, "factors", ("id",))):
        if table["kind"] != "search":  # whose factors have other keys
            _refuse_labels(path.name, f"factors[{place}]", factor)
    runs = table["kind"] in ("alone", "beside", "search")
    if runs != bool(measures):
        raise InputError("measures go with the kinds alone, beside and search, which need them", path.name, "measures")
    return Criterion(
        id=table["id"],
        title=table["title"],
        demand=table.get("demand", NO_DEMAND),
        kind=table["kind"],
        question=table["question"],
        reading=table.get("reading", ""),
        table={key: table[key] for key in ("scenario", "set", "factors") if key in table},
        measures=measures,
        observed=observed,
        numbers=table.get("numbers", ""),
        covered_by=tuple(table.get("covered_by", ())),
        reason=table.get("reason", ""),
        text=text,
    )


def _tables(file: str, table: Mapping[str, Any], key: str, texts: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return a list of tables, each with some texts."""
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise InputError("not a list of tables", file, key, found, f"tables [[{key}]]")
    for place, given in enumerate(found):
        for name in texts:
            if not isinstance(given.get(name), str):
                raise InputError("missing", file, f"{key}[{place}].{name}", given.get(name), "text in quotes")
    return found


def _refuse_labels(file: str, where: str, factor: Mapping[str, Any]) -> None:
    """Raise an `InputError` unless a factor has levels, and a label for each if it has several paths."""
    levels = factor.get("levels")
    values = list(flatten(levels).values()) if isinstance(levels, dict) else []
    if not values or not all(isinstance(each, list) for each in values):
        raise InputError("a factor needs levels", file, f"{where}.levels", levels, "path = [minus, plus]")
    labels = factor.get("labels", [] if len(values) > 1 else values[0])
    if not isinstance(labels, list) or len(labels) != len(values[0]):
        allowed = f"a text for each of {len(values[0])} levels"
        raise InputError("labels are missing", file, f"{where}.labels", labels, allowed)


def _value(file: str, where: str, given: Mapping[str, Any], kind: str) -> tuple[str, str]:
    """Return the name of a value and the flows that it is about."""
    value, of = given["value"], given.get("of", "all")
    if value not in NAMED and value not in DERIVED and value not in BY_NAME:
        raise unknown("measure", value, [*NAMED, *DERIVED, *BY_NAME], path=f"{where}.value").located(file=file)
    if of not in ("incumbent", "newcomer", "all") or (of != "all" and (kind == "alone" or value not in NAMED)):
        raise InputError("not allowed", file, f"{where}.of", of, "incumbent or newcomer of the kind beside, all")
    return value, of


def _observed(file: str, place: int, given: Mapping[str, Any], kind: str) -> Observed:
    return Observed(given["id"], given["title"], *_value(file, f"observed[{place}]", given, kind))


def _measure(file: str, place: int, given: Mapping[str, Any], kind: str) -> Measure:
    where = f"measures[{place}]"
    value, of = _value(file, where, given, kind)
    if given["better"] not in ("higher", "lower"):
        raise InputError("not allowed", file, f"{where}.better", given["better"], "higher, lower")
    for key, lowest, highest in (("margin", 0.0, 1.0), ("least", -1.0, float("inf"))):
        number = given.get(key, 0.0 if key == "least" else None)
        if not isinstance(number, int | float) or not lowest < number < highest:
            allowed = "a number from 0 on" if key == "least" else "a number more than 0 and less than 1"
            raise InputError("not allowed", file, f"{where}.{key}", number, allowed)
    return Measure(
        id=given["id"],
        title=given["title"],
        value=value,
        of=of,
        higher_is_better=given["better"] == "higher",
        margin=float(given["margin"]),
        least=float(given.get("least", 0.0)),
        reason=given["reason"],
    )
