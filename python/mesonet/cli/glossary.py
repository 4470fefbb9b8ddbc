"""The glossary, from ``glossary.csv``, and what the catalogue says of its names."""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources

from mesonet.cli import catalogue
from mesonet.words import capitalised, folded

PAGE = "glossary.md"
"""The page of the documentation that is made from it."""
_HEADING = """# Glossary

Generated from `mesonet/cli/glossary.csv`. One idea has one name, from Rust to Parquet to plots. `mesonet explain TERM`
prints an entry.

| term | meaning |
|---|---|
"""


@cache
def glossary() -> dict[str, str]:
    """Return the meaning of each term, in the order of the page."""
    text = resources.files(__package__).joinpath("glossary.csv").read_text(encoding="utf-8")
    return {row["term"]: row["meaning"] for row in csv.DictReader(text.splitlines())}


def glossary_page() -> str:
    """Return the page of the documentation."""
    rows = (f"| {term} | {meaning.replace('|', chr(92) + '|')} |" for term, meaning in glossary().items())
    return _HEADING + "\n".join(rows) + "\n"


def meanings(wanted: str) -> list[dict[str, str]]:
    """Return the entries with a name: of the glossary first, then of the catalogue.

    A term such as ``alternate (state)`` is found without its parenthesis, too, and a response by its symbol. Hyphens
    and underscores are as good as spaces.
    """
    key = folded(wanted)
    found = [
        {"kind": "glossary", "name": term, "text": meaning}
        for term, meaning in glossary().items()
        if {key, key.removesuffix("s")} & {folded(term), folded(term.partition(" (")[0])}
    ]
    for kind in catalogue.KINDS:
        for entry in catalogue.entries(kind):
            if key and key in (folded(entry["name"]), folded(entry.get("symbol", ""))):
                found.append({"kind": kind, "name": entry["name"], "text": _text(entry)})
    return found


def names() -> list[str]:
    """Return all names that can be explained."""
    return [*glossary(), *(entry["name"] for kind in catalogue.KINDS for entry in catalogue.entries(kind))]


def _text(entry: dict[str, object]) -> str:
    """Return the sentences about an entry: what it is, its unit or range, its default, its source."""
    parts = [
        capitalised(str(entry[key])) for key in ("title", "rule", "purpose", "definition", "doc") if entry.get(key)
    ]
    for key, word in (("unit", "unit"), ("allowed", "allowed"), ("standard", "default"), ("source", "source")):
        if entry.get(key) not in (None, "", "1"):
            parts.append(f"{capitalised(word)}: {entry[key]}")
    return ". ".join(part.rstrip(".") for part in parts) + "."
