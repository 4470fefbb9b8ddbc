"""Working folders of programs: each run has its own, with the entries of the folder of the model in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from mesonet.files.reading import is_file

MOST_COPIED_BYTES = 1_000_000
"""Largest file that each run has as a copy of its own (chosen): a larger one is linked."""


def furnish(place: Path, directory: Path) -> None:
    """Give a folder the entries of another: copies of small files, links to large files and to folders.

    An entry that contains `place`, such as the campaign folder, is left out.
    """
    for entry in directory.iterdir():
        if place.is_relative_to(entry):
            continue
        here = place / entry.name
        try:
            if entry.is_file() and entry.stat().st_size <= MOST_COPIED_BYTES:
                shutil.copy2(entry, here)
                continue
        except OSError:  # a program need not read it
            here.unlink(missing_ok=True)
        here.symlink_to(entry)


def located(words: Sequence[str], directory: Path) -> list[str]:
    """Return a command with the absolute path of its program: of the first word that is a file of the folder."""
    for place, word in enumerate(words):
        searched = place == 0 and os.sep not in word  # in the PATH
        if not searched and not Path(word).is_absolute() and is_file(directory / word):
            return [*words[:place], str(directory / word), *words[place + 1 :]]
    return list(words)
