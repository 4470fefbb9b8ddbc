"""Make the matrix of worst paths: search for all pairs, copy scenarios here, write README.md. ``make worst-paths``.

``python docs/worst-paths/make.py --page FOLDER`` writes the page from the folder of a matrix. An interrupted search
continues, unless the simulator has changed since.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mesonet import core
from mesonet.adversarial.answer import SIMPLEST
from mesonet.adversarial.files import NUMBERS
from mesonet.adversarial.matrix import TABLE, pictures
from mesonet.adversarial.objective import OBJECTIVES
from mesonet.words import number

HERE = Path(__file__).parent
OUT = HERE.parents[1] / "target/worst-paths"
CELLS = "cells"
"""Folder of the scenarios."""
FIRST, *OTHERS = list(core.algorithms())
COMMAND = [
    "adversary", FIRST, "--against", ",".join(OTHERS), "--matrix", "--objective", "utilisation,starves",
    "--evaluations", "100", "--rate-limit", "10 Mbit/s",
]  # fmt: skip
MEANING = {
    "utilisation": "Part of the capacity that the row lacks: 0.6 where the row uses 20 % and the column 80 %.",
    "starves": "Share that a flow of the column loses to a flow of the row that joins it, beyond what CUBIC in place "
    "of the row would take.",
}


def write(folder: Path, here: Path = HERE) -> None:
    """Write the page of the matrix in a folder, with its pictures and scenarios."""
    cells = json.loads((folder / TABLE).read_text("utf-8"))
    version = json.loads((folder / cells[0]["folder"] / NUMBERS).read_text("utf-8"))["code_version"]
    shutil.rmtree(here / CELLS, ignore_errors=True)
    (here / CELLS).mkdir()
    for cell in cells:
        if cell["confirmed"]:
            shutil.copyfile(folder / cell["folder"] / SIMPLEST, here / CELLS / f"{cell['folder']}.toml")
    for name, picture in pictures(cells).items():
        (here / f"{name}.svg").write_text(picture, encoding="utf-8")
    sections = (line for name in MEANING for line in _section(name, cells))
    (here / "README.md").write_text("\n".join([*_head(cells, version), *sections]), encoding="utf-8")


def _head(cells: Sequence[Mapping[str, Any]], version: str) -> Iterator[str]:
    found = [each for each in cells if each["confirmed"]]
    worst = max(found, key=lambda each: each["score"])
    yield "# The worst paths of all built-in algorithms\n"
    yield f"Written by `make worst-paths` with the simulator {version}.\n"
    yield f"```sh elsewhere\n{shlex.join(['mesonet', *COMMAND])}\n"
    yield f"mesonet run docs/worst-paths/{CELLS}/{worst['folder']}.toml --algorithm {worst['algorithm']}\n```\n"
    yield (
        f"The first command has searched for the [worst path](../how-to/worst-path.md) of {len(cells)} pairs, with "
        "100 evaluations for each: under an hour on two cores. Rate, delay, buffer, losses, outages and cross traffic "
        f"vary over 10 s, up to 10 Mbit/s. For {len(found)} pairs a path was found and confirmed. The second command "
        "repeats the worst. Each number leads to the scenario of its path.\n"
    )
    yield (
        "A number is the harm: the median of 11 fresh copies of the path, less the harm of its phases held still. A "
        "cell with `none` has no path with a harm of 0.05 in this search. More evaluations find more: numbers are "
        "lower ends.\n"
    )


def _section(name: str, cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    about = OBJECTIVES[name]
    here = {(each["algorithm"], each["against"]): each for each in cells if each["objective"] == name}
    rows, columns = ([*dict.fromkeys(pair[place] for pair in here)] for place in (0, 1))
    columns = [each for each in core.algorithms() if each in columns]
    yield f"## {about.title.capitalize()}\n"
    yield f"{MEANING[name]}\n"
    yield f"![Harm of the rows on their worst paths, by column]({name}.svg)\n"
    yield "| tested | " + " | ".join(columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    for row in rows:
        yield f"| **{row}** | " + " | ".join(_entry(here.get((row, column))) for column in columns) + " |"
    yield "\nThe worst path of each algorithm:\n"
    yield "| tested | against | harm | path |\n|---|---|---|---|"
    for row in rows:
        worst = max((each for pair, each in here.items() if pair[0] == row), key=lambda each: each["score"])
        if worst["confirmed"]:
            yield f"| **{row}** | {worst['against']} | {_entry(worst)} | {worst['path']} |"
        else:
            yield f"| **{row}** | | none | |"
    yield ""


def _entry(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return ""
    return f"[{number(cell['score'], 2)}]({CELLS}/{cell['folder']}.toml)" if cell["confirmed"] else "none"


def made(threads: int | None) -> Path:
    """Search for all pairs, and return the folder."""
    options = ["--out", str(OUT), *([] if threads is None else ["--threads", str(threads)])]
    subprocess.run([sys.executable, "-m", "mesonet", *COMMAND, *options], check=True)
    return OUT


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", type=Path, metavar="FOLDER", help="write the page of a matrix that is there")
    parser.add_argument("--threads", type=int, help="runs at a time; by default one per processor")
    given = parser.parse_args()
    write(given.page or made(given.threads))
