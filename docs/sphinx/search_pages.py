"""Write what the search of the site reads: the sections of all pages, as a script that also loads from disk.

``static/search.js`` ranks them. Pages of records, such as benchmarks, are found by their headings only.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

KINDS = (
    (r"CHANGELOG|.*/RESULTS|docs/reference/(conformance|response-functions|conform-power|suites|evidence).*", "Record"),
    (r"docs/reference/stack-checks", "Record"),
    (r"docs/how-to/.*|README", "How to"),
    (r"docs/tutorial/.*|docs/gallery/.*", "Tutorial"),
    (r"docs/api/.*", "Interface"),
    (r"docs/reference/.*|docs/glossary", "Reference"),
    (r"docs/adr/.*|docs/explanation/replication.*|verification/.*|CONTRIBUTING|STYLE|SECURITY", "Evidence"),
    (r".*", "Explanation"),
)
"""Pattern of a page's path, and its kind; the first that fits. ``search.js`` has the weights."""
HEADINGS = ("h1", "h2", "h3", "h4")
BLOCKS = ("p", "pre", "li", "td", "th", "dt", "dd", "div")
WITHOUT_END = ("br", "hr", "img", "input", "link", "meta", "source", "wbr", "col")


@dataclass
class Section:
    """Heading and text of a section; `anchor` is its id."""

    anchor: str
    heading: str = ""
    text: str = ""


@dataclass
class Page:
    """One page, whose first section has the title as its heading."""

    path: str
    title: str
    kind: str
    sections: list[Section] = field(default_factory=list)


class Article(HTMLParser):
    """Sections of the article of a page. A function of the interface is a section, too."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.sections: list[Section] = []
        self._open: list[str] = []
        self._anchor = ""
        self._heading = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a section at a heading, or at the signature of a name."""
        values = dict(attrs)
        if not self._open and tag != "article":
            return
        if tag in WITHOUT_END:
            return
        self._open.append("skip" if "headerlink" in (values.get("class") or "") or tag in ("script", "style") else tag)
        if tag == "section":
            self._anchor = values.get("id") or ""
        elif tag in HEADINGS:
            self.sections.append(Section(self._anchor))
            self._heading = True
        elif tag == "dt" and (name := values.get("id")) and "sig" in (values.get("class") or ""):
            self.sections.append(Section(name, name.removeprefix("mesonet.")))

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        if self._open and tag not in WITHOUT_END:
            self._open.pop()
            if self.sections and tag in BLOCKS:
                self.handle_data(" ")
            self._heading = self._heading and tag not in HEADINGS

    def handle_data(self, data: str) -> None:
        """Add a text to the heading or to the section."""
        if self.sections and self._open and "skip" not in self._open:
            section = self.sections[-1]
            if self._heading:
                section.heading += data
            else:
                section.text += data


def kind_of(path: str) -> str:
    """Return the kind of a page."""
    return next(kind for pattern, kind in KINDS if re.fullmatch(pattern, path.removesuffix(".html")))


def page_of(path: str, sections: list[Section]) -> Page | None:
    """Return a page with its spaces joined; None for a page without a title."""
    if not sections:
        return None
    kind = kind_of(path)
    for section in sections:
        section.heading = " ".join(section.heading.split())
        section.text = "" if kind == "Record" else " ".join(section.text.split())
    return Page(path, sections[0].heading, kind, sections)


def script(pages: list[Page]) -> str:
    """Return the script that gives the pages to the search."""
    shown = json.dumps([asdict(page) for page in pages], ensure_ascii=False, separators=(",", ":"))
    return f"window.mesonetPages = {shown};\n"


def setup(app: Sphinx) -> dict[str, Any]:
    """Replace the index of Sphinx."""
    app.connect("builder-inited", _without_index)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _without_index(app: Sphinx) -> None:
    if app.builder.format == "html":
        app.builder.search = False  # type: ignore[attr-defined]  # of the builders for html alone


def _write(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    names = sorted(f"{name}.html" for name in app.env.found_docs)
    pages = [page_of(name, Article((site / name).read_text(encoding="utf-8")).sections) for name in names]
    (site / "_static" / "search-sections.js").write_text(script([page for page in pages if page]), encoding="utf-8")
