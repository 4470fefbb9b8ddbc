"""The cache of this user: a text is made once, and made again where the cache is of no use."""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mesonet.charts import in_page
from mesonet.files import cache
from mesonet.files.cache import cached, cached_text


class Maker:
    """A text, and how many times it was made."""

    def __init__(self, text: str) -> None:
        self.text, self.made = text, 0

    def __call__(self) -> str:
        self.made += 1
        return self.text


@pytest.fixture(autouse=True)
def no_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has no temporary folder yet."""
    monkeypatch.setattr(cache, "_TEMPORARY", [])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache of this test, which is not there yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "mesonet" / "texts"


def test_a_text_is_made_once(folder: Path) -> None:
    maker = Maker("a\r\nb\n\u2028é")
    assert [cached_text("texts", "one", maker) for _ in range(3)] == [maker.text] * 3
    assert maker.made == 1
    assert sorted(file.name for file in folder.iterdir()) == ["key", "one", "one.digest"], "no temporary file stays"
    assert cached_text("texts", "two", Maker("other")) == "other"


@pytest.mark.parametrize("damage", [
    lambda content: b"",
    lambda content: content[:-1],
    lambda content: content + b"x",
    lambda content: content.replace(b"text", b"next"),
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
    for end in ("", ".digest"):
        (folder / f"one{end}").rename(folder / f"two{end}")
    assert cached_text("texts", "two", Maker("second")) == "second"


def test_a_cache_that_is_a_file_changes_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    maker = Maker("text")
    assert [cached_text("texts", "one", maker) for _ in range(2)] == ["text"] * 2
    assert maker.made == 1, "the temporary folder of the process has it"
    assert capsys.readouterr().err.count("the cache is not used") == 1


def test_a_cache_that_cannot_be_written_changes_no_text(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    assert cached_text("texts", "one", Maker("text")) == "text"
    assert list(folder.iterdir()) == []


def code(folder: Path) -> bytes:
    """The file that a plug-in would be loaded from."""
    place = cached("texts", "one", lambda place: place.write_bytes(b"mine"))
    assert place.read_bytes() == b"mine"
    assert place.stat().st_mode & 0o077 == 0
    return place.read_bytes() if place.is_relative_to(folder) else b""


def another_user(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """Let a file or folder belong to another user, by what the system calls return."""
    theirs, fstat, lstat = place.lstat(), os.fstat, Path.lstat

    def changed(about: os.stat_result) -> os.stat_result:
        same = (about.st_ino, about.st_dev) == (theirs.st_ino, theirs.st_dev)
        return os.stat_result((*about[:4], 54321, *about[5:])) if same else about

    monkeypatch.setattr("os.fstat", lambda file: changed(fstat(file)))
    monkeypatch.setattr(Path, "lstat", lambda path: changed(lstat(path)))


def moved(place: Path) -> None:
    """Leave a link in the place of a file or folder."""
    place.rename(place.with_name("x"))
    place.symlink_to("x")


OF_THE_PLACE: dict[str, Callable[[Path, pytest.MonkeyPatch], object]] = {
    "the folder can be written by all": lambda folder, _: folder.chmod(0o777),
    "the folder can be written by all, and is sticky": lambda folder, _: folder.chmod(0o1777),
    "the folder above can be written by a group": lambda folder, _: folder.parent.chmod(0o770),
    "the root of the cache can be written by all": lambda folder, _: folder.parents[1].chmod(0o777),
    "a parent can be written by all": lambda folder, _: folder.parents[2].chmod(0o777),
    "the folder belongs to another user": lambda folder, patch: another_user(patch, folder),
    "a parent belongs to another user": lambda folder, patch: another_user(patch, folder.parents[2]),
    "the folder is a link": lambda folder, _: moved(folder),
    "the folder above is a link": lambda folder, _: moved(folder.parent),
}  # fmt: skip
OF_THE_FILE: dict[str, Callable[[Path, pytest.MonkeyPatch], object]] = {
    "it can be written by all": lambda file, _: file.chmod(0o666),
    "it can be written by a group": lambda file, _: file.chmod(0o620),
    "it belongs to another user": lambda file, patch: another_user(patch, file),
    "it is a link": lambda file, _: moved(file),
    "it is another file": lambda file, _: file.write_bytes(b"evil"),
    "it is a pipe": lambda file, _: (file.unlink(), os.mkfifo(file)),
}


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners")
@pytest.mark.parametrize("reach", OF_THE_PLACE)
def test_a_place_that_others_can_change_is_not_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], reach: str
) -> None:
    assert code(folder) == b"mine"
    monkeypatch.setenv("HOME", str(folder.parents[3]))
    assert not capsys.readouterr().err
    OF_THE_PLACE[reach](folder, monkeypatch)
    (folder / "one").write_bytes(b"evil")
    assert code(folder) == b"", "a temporary folder has it"
    assert code(folder) == b""
    note = capsys.readouterr().err
    assert note.count("the cache is not used: ") == 1, "once"
    assert str(folder.parents[2]) in note


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners")
@pytest.mark.parametrize("name", ["one", "one.digest", "key"])
@pytest.mark.parametrize("reach", OF_THE_FILE)
def test_a_file_that_others_can_change_is_made_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, reach: str, name: str
) -> None:
    assert code(folder) == b"mine"
    before = (folder / "one").stat().st_ino
    OF_THE_FILE[reach](folder / name, monkeypatch)
    assert code(folder) == b"mine"
    assert (folder / "one").stat().st_ino != before


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners")
def test_a_digest_without_the_key_is_worth_nothing(folder: Path) -> None:
    code(folder)
    (folder / "one").write_bytes(b"evil")
    for key in (b"", bytes(32)):
        (folder / "one.digest").write_bytes(hmac.digest(key, b"one\nevil", "sha256"))
        assert code(folder) == b"mine"


def test_a_cache_below_a_sticky_folder_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code(folder)
    monkeypatch.setenv("HOME", "/")
    folder.parents[2].chmod(0o1777)
    assert code(folder) == b"mine"


def test_new_folders_of_the_cache_are_private(folder: Path) -> None:
    before = os.umask(0)
    try:
        code(folder)
    finally:
        os.umask(before)
    assert [each.stat().st_mode & 0o777 for each in (folder, *folder.parents[:2])] == [0o700] * 3


def test_a_user_without_a_home_gets_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("no home")

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
