"""The code blocks of the documentation run, in order, each page in a folder of its own.

``python`` blocks share one namespace a page, blocks marked ``file=NAME`` become files. Commands
of mesonet in ``sh`` blocks run in this process, because a start takes longer than most of them; other commands run
under bash. Blocks of ``text`` and blocks marked ``no-run`` are left alone.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mesonet.cli.main import main
from mesonet.reporting.figures import Group, figure_groups
from mesonet.reporting.folder.gallery import FigureFile, figures_of

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "python" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str, str]]:
    found = [(language, options.strip(), code) for language, options, code in BLOCK.findall(page.read_text())]
    return [b for b in found if b[0] != "text" and "no-run" not in b[1]]


def commands_of_mesonet(code: str) -> list[list[str]]:
    """The words of each command, or nothing if the shell is needed."""
    commands = [shlex.split(line, comments=True) for line in code.replace("\\\n", " ").splitlines()]
    commands = [words for words in commands if words]
    plain = all(words[0] == "mesonet" and not {"|", ">", "&&", ";", "&"} & {*words} for words in commands)
    return commands if plain else []


def test_commands_are_found() -> None:
    assert commands_of_mesonet('mesonet run a \\\n --set x="2 s"  # why\n\nmesonet report b\n') == [
        ["mesonet", "run", "a", "--set", "x=2 s"], ["mesonet", "report", "b"],
    ]  # fmt: skip
    assert commands_of_mesonet("mkdir a\nmesonet run a\n") == []
    assert commands_of_mesonet("mesonet run a | head\n") == []


@pytest.fixture
def few_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw one figure of each folder and of each group; `test_analyze` and `test_report` make all."""

    def some(*arguments: Any) -> list[FigureFile]:
        return list({figure.name.rpartition("/")[0]: figure for figure in figures_of(*arguments)}.values())

    def begun(*arguments: Any) -> list[Group]:
        return [replace(group, figures=group.figures[:1]) for group in figure_groups(*arguments)]

    monkeypatch.setattr("mesonet.reporting.folder.analysis_files.figures_of", some)
    monkeypatch.setattr("mesonet.reporting.page.document.figure_groups", begun)


@pytest.mark.usefixtures("few_figures")
@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: str(p.relative_to(ROOT)))
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    namespace: dict[str, object] = {"__name__": "docs"}
    for language, options, code in blocks(page):
        if options.startswith("file="):
            (tmp_path / options.removeprefix("file=")).write_text(code)
        elif language == "python":
            exec(compile(code, str(page), "exec"), namespace)
        elif language == "sh" and (commands := commands_of_mesonet(code)):
            for command in commands:
                done = CliRunner().invoke(main, command[1:], prog_name=command[0])
                assert done.exit_code == 0, f"{shlex.join(command)}\n{done.output}\n{done.exception!r}"
        elif language == "sh":
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", code], env=environment, capture_output=True, text=True
            )
            assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
        else:
            pytest.fail(f"{page.name}: a block of {language!r} that nothing runs; call it text")


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_no_merge_was_left_half_done() -> None:
    marks = ("<" * 7, ">" * 7)
    for folder in ("docs", "crates", "python", "tests", "verification", "benches", "examples"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".md", ".rs", ".py", ".toml", ".js", ".css"):
                assert not any(line.startswith(marks) for line in path.read_text().splitlines()), path
