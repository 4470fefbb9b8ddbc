"""The cache of this user: a text is made once, and made again where the cache is of no use."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mesonet.charts import in_page
from mesonet.files.cache import cached_text


class Maker:
    """A text, and how many times it was made."""

    def __init__(self, text: str) -> None:
        self.text, self.made = text, 0

    def __call__(self) -> str:
        self.made += 1
        return self.text


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache of this test, which is not there yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "mesonet" / "texts"


def test_a_text_is_made_once(folder: Path) -> None:
    maker = Maker("a\r\nb\n\u2028é")
    assert [cached_text("texts", "one", maker) for _ in range(3)] == [maker.text] * 3
    assert maker.made == 1
    assert [file.name for file in folder.iterdir()] == ["one"], "no temporary file stays"
    assert cached_text("texts", "two", Maker("other")) == "other"


@pytest.mark.parametrize("damage", [
    lambda content: b"",
    lambda content: content[:-1],
    lambda content: content + b"x",
    lambda content: content.replace(b"text", b"next"),
    lambda content: content.partition(b"\n")[2],
])  # fmt: skip
def test_a_damaged_text_is_made_again(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    maker = Maker("some text")
    cached_text("texts", "one", maker)
    whole = (folder / "one").read_bytes()
    (folder / "one").write_bytes(damage(whole))
    assert cached_text("texts", "one", maker) == "some text"
    assert maker.made == 2
    assert (folder / "one").read_bytes() == whole


def test_a_text_of_another_name_is_made_again(folder: Path) -> None:
    cached_text("texts", "one", Maker("first"))
    (folder / "one").rename(folder / "two")
    assert cached_text("texts", "two", Maker("second")) == "second"


def test_a_cache_that_is_a_file_changes_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    maker = Maker("text")
    assert [cached_text("texts", "one", maker) for _ in range(2)] == ["text"] * 2
    assert maker.made == 2


def test_a_cache_that_cannot_be_written_changes_no_text(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    assert cached_text("texts", "one", Maker("text")) == "text"
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners")
def test_the_cache_of_another_user_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cached_text("texts", "one", Maker("theirs"))
    monkeypatch.setattr("os.getuid", lambda: folder.stat().st_uid + 1)
    assert cached_text("texts", "one", Maker("ours")) == "ours"


def test_a_user_without_a_home_gets_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert cached_text("texts", "one", Maker("text")) == "text"


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_libraries_of_a_page_from_the_cache_are_those_made(monkeypatch: pytest.MonkeyPatch) -> None:
    renderer = in_page.renderer()
    fresh = renderer.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=in_page.VL_VERSION)
    made = in_page.libraries.__wrapped__()
    monkeypatch.setattr(renderer, "javascript_bundle", None)
    kept = in_page.libraries.__wrapped__()
    assert made == kept == fresh
    monkeypatch.setattr(in_page, "__version__", "another")
    with pytest.raises(TypeError):
        in_page.libraries.__wrapped__()
