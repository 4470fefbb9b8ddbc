"""The code blocks of the documentation: finding them, and running those of one page.

The words after the language tell where a block runs:

* none: in ``make test``, in the order of the page; ``file=NAME`` writes the block to a file;
* ``slow``: in ``make verify``; ``slow fails`` if it ends with exit code 1;
* ``elsewhere``: on no machine of the tests, because it needs a cluster, an index of packages, root or hours;
* ``part``: a fragment that does not stand alone.

Blocks of the last three kinds are read in ``make test``: their syntax, commands, options and files must be right.
"""

from __future__ import annotations

import importlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from mesonet.cli.verbs import main

ROOT = Path(__file__).parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "SECURITY.md", "python/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "verification").rglob("*.md")),
]
_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A code block.

    Attributes
    ----------
    language
        Its first word.
    mark
        The words after it, or nothing.
    code
        Its text.
    """

    language: str
    mark: str
    code: str

    @property
    def runs(self) -> bool:
        """True if the block runs in ``make test``."""
        return not self.slow and self.mark not in ("elsewhere", "part")

    @property
    def slow(self) -> bool:
        """True if the block runs in ``make verify`` only."""
        return self.mark in ("slow", "slow fails")

    @property
    def exit_code(self) -> int:
        """Exit code of its commands."""
        return int(self.mark == "slow fails")


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page, without the blocks of ``text``."""
    found = [Block(language, mark.strip(), code) for language, mark, code in _BLOCK.findall(page.read_text("utf-8"))]
    return [block for block in found if block.language != "text"]


def lines_of(code: str) -> list[str]:
    """Return the commands of a shell block, each on one line."""
    return [line for line in code.replace("\\\n", " ").splitlines() if line.strip()]


def commands_of_mesonet(code: str) -> list[list[str]]:
    """Return the words of each command, or nothing if the shell is needed."""
    commands = [words for line in lines_of(code) if (words := shlex.split(line, comments=True))]
    plain = all(words[0] == "mesonet" and not {"|", ">", "&&", ";", "&"} & {*words} for words in commands)
    return commands if plain else []


def shortened(code: str) -> str:
    """Return a block that simulates less: runs of 2 s for 3, 5 and 10 s, one run of each condition of the demo, and no
    pilot for a plan that chooses none.

    The commands and options stay as they are written.
    """
    code = re.sub(r'(\bduration[= ]")(?:3|5|10) s"', r'\g<1>2 s"', code)
    code = re.sub(r"(?m)^(mesonet experiment run demo\b)(?!.*--(?:replicates|until))", r"\1 --replicates 1", code)
    code = re.sub(r'(mn\.experiment\("demo")(?!.*replicates)', r"\1, replicates=1", code)
    return re.sub(r"^(mesonet experiment plan [\w.-]+)(?=\s*(?:#|$))", r"\1 --pilot 0", code, flags=re.MULTILINE)


@contextmanager
def modules_of(folder: Path, names: set[str]) -> Iterator[None]:
    """Import modules from a folder, and forget them at the end: other pages and examples have equal names."""
    kept = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(kept)


def run(page: Path, folder: Path, *, slow: bool = False) -> None:
    """Run the blocks of a page in a folder, which is the working directory."""
    names = {Path(block.mark.removeprefix("file=")).stem for block in blocks(page) if block.mark.endswith(".py")}
    with modules_of(folder, names):
        _run(page, folder, slow=slow)


def _run(page: Path, folder: Path, *, slow: bool) -> None:
    """Run the blocks.

    ``python`` blocks share one namespace. Commands of mesonet run in this process, because a start takes longer than
    most of them; other commands run under bash. Without `slow`, blocks are `shortened`.
    """
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    namespace: dict[str, object] = {"__name__": "docs"}
    for block in blocks(page):
        if not block.runs and not (slow and block.slow):
            continue
        code = block.code if slow else shortened(block.code)
        if block.mark.startswith("file="):
            file = folder / block.mark.removeprefix("file=")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.code)
        elif block.language == "python":
            exec(compile(code, str(page), "exec"), namespace)
        elif block.language == "sh" and (commands := commands_of_mesonet(code)):
            for command in commands:
                done = CliRunner().invoke(main, command[1:], prog_name=command[0])
                assert done.exit_code == block.exit_code, f"{shlex.join(command)}\n{done.output}\n{done.exception!r}"
        elif block.language == "sh":
            bash = ["bash", "-euo", "pipefail", "-c", code]
            ended = subprocess.run(bash, env=environment, capture_output=True, text=True)
            assert ended.returncode == block.exit_code, f"{code}\n{ended.stdout}\n{ended.stderr}"
        else:
            pytest.fail(f"{page.name}: a block of {block.language!r} that nothing runs; call it text")
