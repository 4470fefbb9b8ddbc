"""The search of the documentation site: how it ranks pages, and what it reads of a page."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from page_blocks import PAGES

ROOT = Path(__file__).parents[1]
SPHINX = ROOT / "docs" / "sphinx"
_found = importlib.util.spec_from_file_location("search_pages", SPHINX / "search_pages.py")
assert _found
assert _found.loader
search_pages = importlib.util.module_from_spec(_found)
sys.modules["search_pages"] = search_pages
_found.loader.exec_module(search_pages)

FIRST = {
    "CUBIC": "docs/gallery/README.html",
    "install": "docs/how-to/install.html",
    "queue discipline": "docs/how-to/queue-disciplines.html",
    "traffic matrix": "docs/how-to/your-network.html",
    "playground": "docs/how-to/playground.html",
    "deploy": "docs/how-to/deploy.html",
    "worst path": "docs/how-to/worst-path.html",
    "my own congestion control": "docs/how-to/your-own-algorithm.html",
    "linux modules": "docs/how-to/linux-modules.html",
    "limitations": "docs/explanation/limitations.html",
    "video": "docs/how-to/adaptive-video.html",
    "glossary": "docs/glossary.html",
}
"""Queries, and the page that must come first."""


def sections(text: str) -> list[Any]:
    """Return the sections of a page in Markdown."""
    found: list[Any] = []
    fence = ""
    for line in text.splitlines():
        if match := re.match(r"(`{3,}|:{3,})", line):
            fence = "" if fence == match[1] else fence or match[1]
        heading = None if fence else re.match(r"#{1,4} (.*)", line)
        if heading:
            found.append(search_pages.Section(heading[1].lower().replace(" ", "-"), heading[1]))
        elif found:
            found[-1].text += f"{re.sub(r'[*`]|[(][^)]*[.]md[^)]*[)]', '', line)}\n"
    return found


def searched(code: str, pages: list[Any]) -> Any:
    """Return what an expression of JavaScript gives, with `pages` and the functions of the search."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    program = (
        f"const {{ ranked, excerpt, termsOf }} = require({json.dumps(str(SPHINX / 'static' / 'search.js'))});"
        "const pages = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        f"console.log(JSON.stringify({code}))"
    )
    text = json.dumps([asdict(page) for page in pages])
    done = subprocess.run([node, "-e", program], input=text, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)


def test_queries_find_their_page_first() -> None:
    files = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "benches" / "RESULTS.md"]
    names = {file: str(file.relative_to(ROOT).with_suffix(".html")) for file in files}
    pages = [search_pages.page_of(name, sections(file.read_text("utf-8"))) for file, name in names.items()]
    code = f"{json.dumps([*FIRST])}.map((query) => ranked(pages, query).map((each) => each.page.path))"
    found = dict(zip(FIRST, searched(code, [page for page in pages if page]), strict=True))
    assert {query: paths[0] for query, paths in found.items()} == FIRST
    # A record, such as a table of benchmarks, never comes before an answer.
    assert not any("RESULTS" in path or "CHANGELOG" in path for paths in found.values() for path in paths[:3])


def page(path: str, title: str, text: str, *more: tuple[str, str]) -> Any:
    first = search_pages.Section("top", title, text)
    return search_pages.page_of(path, [first, *(search_pages.Section(name, name, body) for name, body in more)])


def test_titles_and_how_tos_come_first() -> None:
    pages = [
        page("docs/reference/a.html", "Parameters", "a queue, a queue, a queue"),
        page("docs/explanation/b.html", "Queues", "text"),
        page("docs/how-to/c.html", "Other", "text", ("Queues", "text")),
        page("docs/how-to/d.html", "Queues", "text"),
        page("docs/how-to/e.html", "Nothing", "text"),
    ]
    found = searched("ranked(pages, 'queue').map((each) => each.page.path[each.page.path.length - 6])", pages)
    assert found == ["d", "b", "c", "a"]


def test_a_query_needs_all_its_words_unless_no_page_has_them() -> None:
    pages = [page("docs/how-to/a.html", "Alpha", "one"), page("docs/how-to/b.html", "Beta", "one two")]
    code = "['one two', 'one three', '...', 'four'].map((query) => ranked(pages, query).map((each) => each.page.title))"
    assert searched(code, pages) == [["Beta"], ["Alpha", "Beta"], [], []]


def test_an_excerpt_shows_the_match_without_markup() -> None:
    text = f"{'before ' * 60}<b>(CUBIC)</b> {'after ' * 60}"
    parts = searched("excerpt(pages[0].sections[0].text, termsOf('cubic (')) ", [page("docs/how-to/a.html", "A", text)])
    assert [part for part, match in parts if match] == ["CUBIC"]
    assert "<b>(" in "".join(part for part, _ in parts)
    assert len("".join(part for part, _ in parts)) < 220


def test_an_excerpt_is_of_the_section_with_most_words() -> None:
    made = page("docs/how-to/a.html", "A", "queue queue queue queue", ("Both", "BBRv3 has a queue"))
    code = "ranked(pages, 'bbr3 queues').map((each) => excerpt(each.section.text, termsOf('bbr3 queues')))[0]"
    assert [part for part, match in searched(code, [made]) if match] == ["BBRv3", "queue"]


def test_the_index_has_sections_names_and_no_navigation() -> None:
    html = (
        "<body><p>menu</p><article><section id='title'><h1>Title<a class='headerlink' href='#title'>¶</a></h1>"
        "<p>first <b>text</b><br></p><section id='part'><h2>Part</h2><pre>code &lt;x&gt;</pre></section>"
        "<dl><dt class='sig' id='mesonet.simulate'>simulate(x)</dt><dd>Run.</dd></dl></section></article>"
        "<p>foot</p></body>"
    )
    made = search_pages.page_of("docs/api/x.html", search_pages.Article(html).sections)
    assert made.title == "Title"
    assert made.kind == "Interface"
    assert [(each.anchor, each.heading, each.text) for each in made.sections] == [
        ("title", "Title", "first text"),
        ("part", "Part", "code <x>"),
        ("mesonet.simulate", "simulate", "simulate(x) Run."),
    ]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("benches/RESULTS.html", "Record"), ("CHANGELOG.html", "Record"), ("docs/how-to/units.html", "How to"),
        ("docs/glossary.html", "Reference"), ("docs/adr/0001.html", "Evidence"), ("docs/index.html", "Explanation"),
        ("docs/reference/conformance.html", "Record"), ("docs/reference/conform-checks.html", "Reference"),
    ],
)  # fmt: skip
def test_pages_have_kinds(path: str, kind: str) -> None:
    assert search_pages.kind_of(path) == kind


def test_text_of_records_is_left_out() -> None:
    made = page("benches/RESULTS.html", "Benchmarks", "CUBIC CUBIC CUBIC")
    assert [each.text for each in made.sections] == [""]
    assert search_pages.script([made]).startswith("window.mesonetPages = [{")
