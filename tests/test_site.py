"""The link check of the documentation site: each kind of fault is found, and nothing else."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[1]
_found = importlib.util.spec_from_file_location("check_links", ROOT / "docs" / "sphinx" / "check_links.py")
assert _found
assert _found.loader
check_links = importlib.util.module_from_spec(_found)
_found.loader.exec_module(check_links)


def site(folder: Path, text: str) -> Path:
    (folder / "docs").mkdir()
    (folder / "docs" / "other.html").write_text('<p id="here">text</p><a href="../index.html#top">up</a>')
    (folder / "docs" / "picture.svg").write_text("<svg/>")
    (folder / "index.html").write_text(text)
    return folder


def test_links_that_lead_somewhere_are_no_fault(tmp_path: Path) -> None:
    text = (
        '<a href="docs/other.html#here">a</a><a href="#own">b</a><h1 id="own">c</h1><img src="docs/picture.svg">'
        '<a href="https://example.org/x">d</a><a href="mailto:a@example.org">e</a>'
    )
    assert check_links.faults(site(tmp_path, text)) == []


def test_each_fault_is_found(tmp_path: Path) -> None:
    text = (
        '<a href="docs/gone.html">a</a><a href="docs/other.html#gone">b</a><a href="#gone">c</a>'
        '<img src="gone.svg"><script src="https://example.org/a.js"></script>'
    )
    assert check_links.faults(site(tmp_path, text)) == [
        "index.html: loads https://example.org/a.js",
        "index.html: no anchor #gone",
        "index.html: no anchor docs/other.html#gone",
        "index.html: no file docs/gone.html",
        "index.html: no file gone.svg",
    ]


def test_an_empty_site_is_a_fault(tmp_path: Path) -> None:
    assert check_links.faults(tmp_path) == [f"{tmp_path}: no pages"]
