"""Files that source code reaches in its own folder, found without running it.

Python: the modules that it imports. C, C++ and Zig: the files that it includes or embeds.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.machinery import all_suffixes
from pathlib import Path

from mesonet.errors import InputError
from mesonet.files.reading import is_file, read_bytes

_INCLUDE = re.compile(rb'^\s*(?:#\s*(?:include|embed)|.*@(?:cInclude|import|embedFile)\()\s*"([^"]+)"', re.MULTILINE)
_SHARED = ("site-packages", "dist-packages")
"""Folders of many packages: a file in them reaches its own package only."""
_OURS = "mesonet"


def reached(files: Iterable[Path], folder: Path | None = None) -> list[Path]:
    """Return files, and all that they reach, directly or not: each once, in the order of finding.

    `folder`: place where absolute imports of Python start; by default the folder of each of `files`.
    """
    found: dict[Path, Path] = {}
    waiting = [(file, folder or file.parent) for file in files]
    for file, root in waiting:
        if (place := file.resolve()) not in found:
            found[place] = file
            waiting += [(other, root) for other in _named(file, root)]
    return list(found.values())


def included(content: bytes) -> list[str]:
    """Return the paths that code in C, C++ or Zig includes or embeds, as they stand there in quotes."""
    return [os.fsdecode(name) for name in _INCLUDE.findall(content)]


def module_files(name: str, folder: Path) -> list[Path]:
    """Return the files of a Python module and of the packages around it, as far as the folder has them."""
    found = []
    for part in name.split("."):
        places = [folder / part / "__init__", folder / part]
        found += [file for place in places for end in all_suffixes() if is_file(file := Path(f"{place}{end}"))]
        folder /= part
    return found


def _named(file: Path, root: Path) -> list[Path]:
    """Return the files that a file names. A file that is large, binary or unreadable names none."""
    try:
        content = read_bytes(file)
    except (OSError, InputError):
        return []
    if b"\0" in content:
        return []
    if file.suffix != ".py":
        return [place for name in included(content) if is_file(place := file.parent / name)]
    inside = file.relative_to(root).parts[0].partition(".")[0] if root.name in _SHARED else ""
    found = []
    for level, name in _imports(content):
        first = name.partition(".")[0]
        if level:
            found += [each for folder in file.parents[level - 1 : level] for each in module_files(name, folder)]
        elif first != _OURS and inside in ("", first):
            found += module_files(name, root)
    return found


@lru_cache(maxsize=1024)
def _imports(source: bytes) -> tuple[tuple[int, str], ...]:
    """Return the modules that Python code imports: level of a relative import, else 0, and dotted name."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # its run shows the error
        return ()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            before = f"{node.module}." if node.module else ""
            found += [(node.level, f"{before}{alias.name}") for alias in node.names]
    return tuple(found)
