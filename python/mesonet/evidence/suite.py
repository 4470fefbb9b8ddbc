"""Suites: folders of cases with their scenarios, and what the report calls them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.evidence.criterion import Criterion, read
from mesonet.files.reading import MOST_TOML_BYTES, is_file, read_text
from mesonet.files.toml import read_toml

DEFAULT = "rfc9743"
_FILE = "suite.toml"
_FOLDER = Path(str(files("mesonet.evidence"))) / "suites"
_TEXTS = ("short", "title", "document", "source", "purpose", "case", "thresholds", "environments")
_KEYS = {*_TEXTS, "demands", "cases", "quick", "full", "percentile", "bands"}


@dataclass(frozen=True)
class Suite:
    """Collection of cases from one document."""

    name: str  #: name of the folder
    option: str  #: the suite on the command line: its name, or the folder of a user
    short: str  #: `short`, `title`: short name, and name for use in a sentence, such as ``the criteria of RFC 9743``
    title: str
    document: str  #: document with its date
    source: str  #: its address
    purpose: str  #: what the suite is for
    case: str  #: word for the name of a case, such as ``section``
    cases: tuple[str, str]  #: words for one case and for several, such as ``criterion``, ``criteria``
    quick: int  #: replicates of a quick
    full: int  #: of a full report
    thresholds: str  #: sentence about the thresholds of the document
    environments: str  #: sentence that introduces the environments in which harm was found
    demands: str  #: sentence about the words for demands, such as MUST; empty if the document has none
    percentile: float | None  #: percentile over the runs that the report shows beside the mean; None: none
    #: Words of the document for values, by name of the value: pairs of an upper bound and a word, in ascending order.
    bands: Mapping[str, tuple[tuple[float, str], ...]]
    folder: Path  #: folder of the cases, which scenario files are relative to

    def word(self, value: str, number: float) -> str:
        """Return the word of the document for a number.

        The word of its band; empty if the document has none. `value`: name of the value, such as ``load``. `number`: in
        its unit.
        """
        return next((word for bound, word in self.bands.get(value, ()) if number < bound), "")

    def words(self, value: str) -> str:
        """Return all words of the document for a value, with their bounds.

        Such as ``below 20% too timid, from 20% on good``; empty if the document has none.
        """
        bands = self.bands.get(value, ())
        lower = [0.0, *(bound for bound, _ in bands)]
        return ", ".join(
            f"below {bound:.0%} {word}" if math.isfinite(bound) else f"from {lower[place]:.0%} on {word}"
            for place, (bound, word) in enumerate(bands)
        )


def suites() -> dict[str, Suite]:
    """Return all suites."""
    found = [_read(path.parent) for path in sorted(_FOLDER.glob(f"*/{_FILE}"))]
    return {each.name: each for each in sorted(found, key=lambda each: each.name != DEFAULT)}


def suite_of(name: str) -> Suite:
    """Return the suite of a name, or of a folder of a user."""
    known = suites()
    if name in known:
        return known[name]
    if is_file(Path(name) / _FILE):
        return _read(Path(name), name)
    raise unknown("suite", name, [*known, f"a folder with {_FILE}"], path="--suite")


def criteria(suite: Suite, only: str | None = None) -> list[Criterion]:
    """Return the cases of a suite in the order of their files: numbers by value."""
    found = [read(path) for path in sorted(suite.folder.glob("[0-9]*.toml"), key=_order)]
    known = [each.id for each in found]
    if again := next((id for id in known if known.count(id) > 1), None):
        raise InputError("two cases have this id", str(suite.folder), "id", again, "another id for each case")
    if not found:
        allowed = "files whose names begin with a digit, such as 01-alone.toml"
        raise InputError("a suite without cases", str(suite.folder), allowed=allowed)
    if only is None:
        return found
    wanted = [part.strip() for part in only.split(",")]
    for id in wanted:
        if id not in known:
            raise unknown(suite.cases[0], id, known, path="--only")
    return [each for each in found if each.id in wanted]


def _order(path: Path) -> list[tuple[int, str]]:
    """Return the key that sorts 7.2 before 7.10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.findall(r"\d+|\D+", path.stem)]


def _read(folder: Path, option: str = "") -> Suite:
    file = f"{option or folder.name}/{_FILE}"
    table = read_toml(read_text(folder / _FILE, MOST_TOML_BYTES, "a TOML file in UTF-8"), file)

    def checked(key: str, fits: bool, allowed: str) -> Any:
        if not fits:
            raise InputError("not allowed" if key in table else "missing", file, key, table.get(key), allowed)
        return table.get(key)

    def is_count(key: str) -> bool:
        return isinstance(table.get(key), int) and table[key] >= 2

    for key in table:
        if key not in _KEYS:
            raise unknown("key of a suite", key, sorted(_KEYS), path=key).located(file=file)
    cases, percentile = table.get("cases"), table.get("percentile")
    two_words = isinstance(cases, list) and len(cases) == 2
    bands = {
        value: tuple((float(bound), str(word)) for bound, word in given)
        for value, given in table.get("bands", {}).items()
    }
    for value, found in bands.items():
        bounds = [bound for bound, _ in found]
        if bounds != sorted(bounds) or not bounds or math.isfinite(bounds[-1]):
            raise InputError("not allowed", file, f"bands.{value}", bounds, "bounds in ascending order, inf the last")
    return Suite(
        name=folder.resolve().name,
        option=option or folder.name,
        cases=tuple(checked("cases", two_words, "the words for one case and for several")),
        quick=checked("quick", is_count("quick"), "at least 2"),
        full=checked("full", is_count("full"), "at least 2"),
        demands=checked("demands", isinstance(table.get("demands", ""), str), "text in quotes") or "",
        percentile=checked("percentile", percentile is None or 0 < percentile < 100, "more than 0 and less than 100"),
        bands=bands,
        folder=folder,
        **{key: checked(key, isinstance(table.get(key), str), "text in quotes") for key in _TEXTS},
    )
