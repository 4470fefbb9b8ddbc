"""Names of others on a terminal: characters that act are shown as escapes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from commands import ENVIRONMENT
from mesonet.errors import InputError
from mesonet.terminal import shown
from mesonet.visible import on_one_line, visible

ACTS = ["\x1b", "\x07", "\x7f", "\x9b", "\r", "\u202e", "\u2066", "\u2028", "\u200f", "\udce9"]


@pytest.mark.parametrize("character", ACTS, ids=ascii)
def test_characters_that_act_become_escapes(character: str) -> None:
    escape = character.encode("unicode_escape").decode()
    assert visible(f"a{character}b\n") == f"a{escape}b\n"
    assert on_one_line(f"a{character}b\n") == f"a{escape}b\\n"
    assert shown(f"a{character}") == f"a{escape}"
    assert str(InputError("unknown", f"f{character}.toml", f"k{character}", f"v{character}")) == (
        f'f{escape}.toml: k{escape} = "v{escape}": unknown'
    )


def test_text_and_colours_of_charts_pass() -> None:
    text = "Ünïcödé 日本 \t\x1b[34m⣿\x1b[0m\n"
    assert visible(text) == text
    assert visible("\x1b[8mhidden\x1b[2J") == r"\x1b[8mhidden\x1b[2J"


@pytest.mark.process
def test_what_a_command_prints_is_visible(tmp_path: Path) -> None:
    hostile = "x\x1b]0;title\x07\u202e\x9b2J"
    (tmp_path / "net.toml").write_text('name = "net"\n[time]\n"dur\\u001b[2Jation" = "1 s"\n')
    for words in (["check", "net.toml"], ["run", hostile], ["check", "dumbbell", "--set", f"{hostile}=1"], [hostile]):
        done = subprocess.run(
            [sys.executable, "-m", "mesonet", *words], cwd=tmp_path, env=ENVIRONMENT, capture_output=True
        )
        written = (done.stdout + done.stderr).decode()
        assert done.returncode == 2, written
        assert written == visible(written), written
        assert "Traceback" not in written


@pytest.mark.process
@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_paths_that_are_no_text_end_in_no_traceback(tmp_path: Path, encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mesonet", "check", b"caf\xe9.toml"],
        cwd=tmp_path, env={**ENVIRONMENT, "PYTHONIOENCODING": encoding}, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert b"caf\\udce9.toml" in done.stderr
    assert b"Traceback" not in done.stderr
