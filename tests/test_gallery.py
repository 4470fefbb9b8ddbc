"""The gallery: its page is what the entries make, its commands parse, and some make its pictures and numbers."""

from __future__ import annotations

import importlib.util
import json
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest

from mesonet.cli.verbs import main

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "docs" / "gallery"
_found = importlib.util.spec_from_file_location("gallery", GALLERY / "make.py")
assert _found
assert _found.loader
gallery = importlib.util.module_from_spec(_found)
sys.modules["gallery"] = gallery
_found.loader.exec_module(gallery)
Entry = gallery.Entry


def test_the_page_and_the_pictures_are_those_of_the_entries() -> None:
    found = gallery.entries()
    assert len(found) >= 20
    assert (GALLERY / "README.md").read_text(encoding="utf-8") == gallery.page(), "run `make gallery`"
    assert {each.stem for each in GALLERY.glob("*.svg")} == {each.name for each in found}
    for picture in GALLERY.glob("*.svg"):
        assert picture.stat().st_size <= gallery.LARGEST
        assert ElementTree.parse(picture).getroot().tag.endswith("svg")


def test_ten_open_questions_have_answers() -> None:
    asked = [entry for entry in gallery.entries() if gallery.QUESTION in entry.tags]
    assert len(asked) >= 10
    page = (GALLERY / "README.md").read_text(encoding="utf-8")
    part = page.partition("## Answers to open questions\n")[2].partition("\n## ")[0]
    for entry in asked:
        assert f"### {entry.title}\n" in part
        assert "](https://github.com/" in entry.text, "the thread"
        assert "\nLimits: " in entry.text


@pytest.mark.parametrize("entry", gallery.entries(), ids=lambda each: each.name)
def test_commands_parse(entry: Entry) -> None:
    for command in entry.commands:
        program, *words = (word.replace("{examples}", str(gallery.EXAMPLES)) for word in shlex.split(command))
        for word in words:
            for path in (part for part in word.split("=") if part.startswith(str(gallery.EXAMPLES))):
                assert Path(path.removeprefix("linux:")).exists(), path
        if program == "python":
            continue
        verb: click.Command = main
        context = click.Context(main, info_name=program)
        while isinstance(verb, click.Group):
            _, verb, words = verb.resolve_command(context, words)
            assert verb is not None
        verb.make_context(entry.name, words, parent=context)


def test_numbers_are_those_of_fields() -> None:
    numbers = json.loads(gallery.NUMBERS.read_text(encoding="utf-8"))
    assert {name: set(each) for name, each in numbers.items()} == {
        entry.name: entry.fields for entry in gallery.entries() if entry.fields
    }


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("name", ["aliases", "gravity", "media", "methods"])
def test_a_command_gives_the_numbers_of_its_text(name: str, tmp_path: Path) -> None:
    (entry,) = (each for each in gallery.entries() if each.name == name)
    same_picture(gallery.make([entry], tmp_path)[name], name)
    numbers = json.loads(gallery.NUMBERS.read_text(encoding="utf-8"))
    assert gallery.measured(entry, tmp_path) == pytest.approx(numbers[name], rel=1e-4)


def same_picture(made: Path, name: str) -> None:
    """Compare words, numbers and elements: the fonts of a machine move labels by parts of a pixel."""
    here, there = (ElementTree.parse(file).getroot() for file in (made, GALLERY / f"{name}.svg"))
    assert [each.tag for each in here.iter()] == [each.tag for each in there.iter()], name
    assert [*here.itertext()] == [*there.itertext()], name


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("name", ["sawtooth", "own-c"])
def test_a_command_makes_its_picture_again(name: str, tmp_path: Path) -> None:
    (entry,) = (each for each in gallery.entries() if each.name == name)
    same_picture(gallery.make([entry], tmp_path)[name], name)


def test_an_entry_that_needs_stacks_says_so_and_is_left_out_of_other_builds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    needs = [each.name for each in gallery.entries() if each.stacks]
    assert needs
    assert all("stack:" in " ".join(each.commands) for each in gallery.entries() if each.stacks)
    assert gallery.page().count("It needs a build with [stacks]") == len(needs)
    monkeypatch.setattr(gallery.plugins, "by_name", dict)
    assert gallery._chosen({each.name: each for each in gallery.entries()}, ["cubic", needs[0]]) == [
        each for each in gallery.entries() if each.name == "cubic"
    ]
    assert needs[0] in capsys.readouterr().err
