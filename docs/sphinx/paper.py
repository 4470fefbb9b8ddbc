"""Show ``docs/paper/paper.md``, which has the form of the Journal of Open Source Software, as a page of the site.

The form has a title and authors in its front matter, citations by key, and references in a file of BibTeX.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PAPER = "docs/paper/paper"
Entry = dict[str, str]
_VENUES = ("journal", "booktitle", "publisher", "howpublished")


def page(paper: str, bibliography: str) -> str:
    """Return the paper as a page of the site.

    `paper`: text of ``paper.md``. `bibliography`: text of ``paper.bib``. Raise a `ValueError` for an unknown key.
    """
    _, front, body = paper.split("---\n", maxsplit=2)
    about, known = yaml.safe_load(front), entries(bibliography)
    cited = dict.fromkeys(re.findall(r"@(\w+)", body))
    if unknown := [key for key in cited if key not in known]:
        raise ValueError(f"not in the bibliography: {', '.join(unknown)}")
    body = re.sub(r"\[(@[^\]]+)\]", lambda found: f"({_cited(found[1], known)})", body)
    body = re.sub(r"@(\w+)", lambda found: _argued(found[1], known[found[1]]), body)
    body = re.sub(r"^(#+ )", r"#\1", body, flags=re.MULTILINE)
    authors = ", ".join(author["name"] for author in about["authors"])
    references = "\n\n".join(f"({key})=\n{reference(known[key])}" for key in sorted(cited))
    return f"# {about['title']}\n\n*{authors}, {about['date']}. A draft.*\n{body.rstrip()}\n\n{references}\n"


def entries(bibliography: str) -> dict[str, Entry]:
    """Return the fields of each entry of a file of BibTeX, by key; the values are in braces."""
    found = {}
    for kind, key, fields in re.findall(r"^@(\w+)\{(\w+),\n(.*?)^\}", bibliography, re.MULTILINE | re.DOTALL):
        values = re.findall(r"^  (\w+) = \{(.*)\},$", fields, re.MULTILINE)
        found[key] = {"kind": kind} | {name: re.sub(r"[{}]", "", value).replace("--", "–") for name, value in values}
    return found


def reference(entry: Entry) -> str:
    """Return the line of an entry in the list of references."""
    names = entry["author"].replace(" and ", "; ")
    venue = next((entry[name] for name in _VENUES if name in entry), "")
    if "institution" in entry:
        venue = f"{entry['type']} {entry['number']}, {entry['institution']}"
    volume = entry.get("volume", "")
    if volume and "number" in entry:
        volume += f" ({entry['number']})"
    parts = [f"*{venue}*" if venue else "", volume, entry.get("pages", "")]
    link = f" [doi:{entry['doi']}](https://doi.org/{entry['doi']})" if "doi" in entry else ""
    return f"{names} ({entry['year']}). {entry['title']}. {', '.join(filter(None, parts))}.{link}"


def _cited(keys: str, known: dict[str, Entry]) -> str:
    """Return links to references, for brackets."""
    found = re.findall(r"@(\w+)", keys)
    return "; ".join(f"[{_who(known[key])}, {known[key]['year']}](#{key})" for key in found)


def _argued(key: str, entry: Entry) -> str:
    """Return the authors with a link to their reference, for a sentence of which they are the subject."""
    return f"{_who(entry)} ([{entry['year']}](#{key}))"


def _who(entry: Entry) -> str:
    names = [name.partition(",")[0] for name in entry["author"].split(" and ")]
    return " and ".join(names) if len(names) <= 2 else f"{names[0]} et al."


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect what rewrites the paper before it is read."""

    def read(app: Sphinx, name: str, source: list[str]) -> None:
        if name == PAPER:
            source[0] = page(source[0], (Path(app.srcdir) / PAPER).with_name("paper.bib").read_text(encoding="utf-8"))

    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
