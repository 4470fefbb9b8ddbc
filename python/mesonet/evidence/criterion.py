"""Cases of suites as files: scenarios, measures, margins and words."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.evidence.measures import DERIVED, NAMED
from mesonet.responses.definitions import BY_NAME

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
    text = path.read_text(encoding="utf-8")
    table = tomllib.loads(text)
    for key in table:
        if key not in _KEYS:
            raise unknown("key of a criterion", key, sorted(_KEYS), path=key).located(file=path.name)
    for key in ("id", "title", "kind", "question"):
        if not isinstance(table.get(key), str):
            raise InputError("missing", path.name, key, table.get(key), "text in quotes")
    for key, allowed in (("kind", KINDS), ("demand", DEMANDS)):
        if key in table and table[key] not in allowed:
            raise InputError("not allowed", path.name, key, table[key], ", ".join(allowed))
    measures = tuple(
        _measure(path.name, place, given, table["kind"]) for place, given in enumerate(table.get("measures", []))
    )
    observed = tuple(
        _observed(path.name, place, given, table["kind"]) for place, given in enumerate(table.get("observed", []))
    )
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
