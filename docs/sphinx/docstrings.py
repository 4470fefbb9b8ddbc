"""Docstrings and texts of help for Sphinx.

numpydoc reads the first line of the sections Returns and Yields as a type. In mesonet types stand in the signature
(STYLE.md), and so these sections become fields. Absolute values such as `|r|` are no substitutions. napoleon reads the
words before a colon in the comment of an attribute as its type: such comments stay as they are. Sphinx reads the first
of several names of attributes as a type: each name gets a field of its own.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

ATTRIBUTES: dict[str, list[str]] = {}
"""Comments of attributes, by name, while napoleon has them."""
FIELDS = {"Returns": ":returns:", "Yields": ":yields:"}


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the conversion before the conversion of napoleon."""
    app.connect("autodoc-process-docstring", _convert, priority=400)
    app.connect("autodoc-process-docstring", _restore, priority=600)
    for part in ("description", "usage", "options", "arguments", "epilog"):
        app.connect(f"sphinx-click-process-{part}", _escape)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def with_fields(lines: list[str]) -> list[str]:
    """Return a docstring with fields in place of the sections Returns and Yields."""
    text: list[str] = []
    fields: list[str] = []
    target = text
    for place, line in enumerate(lines):
        below = lines[place + 1] if place + 1 < len(lines) else ""
        if below and set(below) == {"-"} and line:
            target = fields if line in FIELDS else text
            if target is fields:
                fields += ["", FIELDS[line]]
                continue
        if target is fields and line and set(line) == {"-"} and lines[place - 1] in FIELDS:
            continue
        target.append(f"    {line}" if target is fields and line else line)
    # A field list goes before the sections that follow it in the page, so that it is read with the parameters.
    return [*text, *fields, ""] if fields else text


def _convert(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    lines[:] = [without_substitutions(line) for line in with_fields(lines)]
    if what == "attribute":
        ATTRIBUTES[name] = list(lines)


def _restore(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    lines[:] = ATTRIBUTES.pop(name, each_attribute(lines))


def each_attribute(lines: list[str]) -> list[str]:
    """Return a docstring with one field for each of the attributes that share a text."""
    found: list[str] = []
    place = 0
    while place < len(lines):
        end = place + 1
        match = re.match(r":ivar (\w+(?:, \w+)+):(.*)", lines[place])
        while match and end < len(lines) and lines[end].startswith(" "):
            end += 1
        for name in match[1].split(", ") if match else []:
            found += [f":ivar {name}:{match[2] if match else ''}", *lines[place + 1 : end]]
        found += [] if match else [lines[place]]
        place = end
    return found


def without_substitutions(line: str) -> str:
    """Return a line of reStructuredText whose bars are bars."""
    return re.sub(r"(?<![`\\|])\|([^|`]+)\|(?![`|])", r"\|\1\|", line)


def _escape(app: Sphinx, context: object, lines: list[str]) -> None:
    lines[:] = [line if line.lstrip().startswith(".. option::") else without_substitutions(line) for line in lines]
