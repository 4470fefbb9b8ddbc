"""Evolve a control: the two constants of AIMD, or the source that a program of yours writes.

    python evolve.py ../plugins/aimd.c
    python evolve.py ../plugins/aimd.c --command "python mutate.py"

The program reads the source of the best control from standard input and writes another to standard output.
"""

from __future__ import annotations

import argparse
import random
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import mesonet as mn

GENERATIONS, CHILDREN = 6, 12


def constants(file: str, draw: random.Random) -> Callable[[str], str]:
    """Return a function that changes the constants of a variant of a file."""

    def change(parent: str) -> str:
        inner = parent.removeprefix(file).strip("()") or "increase=1, decrease=0.5"
        increase, decrease = (float(each.partition("=")[2]) for each in inner.split(","))
        increase *= draw.lognormvariate(0, 0.4)
        decrease = min(0.9, max(0.1, decrease + draw.gauss(0, 0.1)))
        return f"{file}(increase={min(increase, 100):.3g}, decrease={decrease:.3g})"

    return change


def sources(command: str, folder: Path) -> Callable[[str], str]:
    """Return a function that has a program change the source of a control."""

    def change(parent: str) -> str:
        child = folder / f"control_{len(list(folder.iterdir()))}.c"
        source = Path(parent).read_text()
        child.write_text(subprocess.run(shlex.split(command), input=source, capture_output=True, text=True).stdout)
        return str(child)

    return change


def passes(candidate: str) -> bool:
    """Return True if the contract, which takes ten times as long as the cells, accepts a candidate."""
    (found,) = mn.score([candidate], stages=["contract"], progress=False)
    return found.refused is None


def main() -> None:
    """Evolve, and score the winner by all stages on cells that it has not met."""
    asked = argparse.ArgumentParser()
    asked.add_argument("file")
    asked.add_argument("--command")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        draw = random.Random(1)
        change = sources(given.command, Path(folder)) if given.command else constants(given.file, draw)
        best = given.file
        for generation in range(GENERATIONS):
            # The parent competes again: each generation has other hidden cells, so that luck does not last.
            pool = [best, *(change(best) for _ in range(CHILDREN))]
            scores = mn.score(pool, stages=["screen"], progress=False)
            ranked = sorted(scores, key=lambda each: each.score, reverse=True)
            found = next(each for each in ranked if each.candidate == best or passes(each.candidate))
            best = found.candidate
            print(f"generation {generation + 1}: {found.score:.3f} {best} ({scores[0].score:.3f} before)")
        for each in mn.score([given.file, best], progress=False):
            print(f"{each.candidate}: {each.score:.3f} {each.refused or ''}")
        if given.command:
            Path("winner.c").write_text(Path(best).read_text())


if __name__ == "__main__":
    main()
