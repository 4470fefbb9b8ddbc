"""Files of others: read only if they are regular, of bounded size and plain text, and refused before they cost much."""

from __future__ import annotations

import os
import re
import stat
from io import BufferedReader
from pathlib import Path

from mesonet.errors import InputError

MOST_BYTES = 50_000_000
"""Largest table or network, bytes (assumed): a hundred times the largest network of the Topology Zoo in GraphML."""
MOST_TOML_BYTES = 5_000_000
"""Largest TOML file, bytes (chosen): 100,000 flows; the parser of Python reads about 1 MB each second."""
MOST_JSON_BYTES = 200_000_000
"""Largest file of a campaign folder, bytes (chosen): an experiment of 40,000 scenarios."""
MOST_TABLE_BYTES = 1_000_000_000
"""Largest table of a run, bytes of its file (chosen): far above every table of the published experiments."""
MOST_DEPTH = 50
"""Deepest nesting of tables, arrays, elements and parts of keys (chosen): files of users have five levels."""
MOST_DIGITS = 1_000
"""Most digits of a number (chosen): a float has 17, and Python refuses 4300."""

_SURROGATES = re.compile("[\ud800-\udfff]")
_TOKENS = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}.=,\n]'
    rf"|[0-9_]{{{MOST_DIGITS + 1},}}",
    re.DOTALL,
)


def is_file(path: Path) -> bool:
    """Return True if a path is a file. A text that is too long for a path is none."""
    try:
        return path.is_file()
    except OSError:
        return False


def printable(text: object) -> str:
    """Return a text that UTF-8 can hold: names of files may have other bytes, which Python keeps as lone surrogates."""
    return _SURROGATES.sub("\ufffd", str(text))


def refuse_unprintable(path: str | Path, option: str | None = None) -> None:
    """Raise an `InputError` for a path that not all libraries can use. `option`: as messages name it."""
    place = str(Path.cwd() / path)
    if printable(place) != place or "\0" in place:
        raise InputError("not a path in UTF-8", path=option, value=printable(path), allowed="a path in UTF-8")


def opened(path: Path, allowed: str | None = None) -> BufferedReader:
    """Return a regular file, open to be read; refuse everything else without waiting for it."""
    name = str(path)
    try:
        # A pipe without a writer would block for ever.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"cannot be read ({reason})", file=name, allowed=allowed) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError("not a regular file", file=name, allowed=allowed or "a file, no pipe, device or folder")
    return os.fdopen(descriptor, "rb")


def read_bytes(path: Path, most: int = MOST_BYTES, allowed: str | None = None) -> bytes:
    """Return the content of a regular file. `most`: its largest size, bytes."""
    with opened(path, allowed) as file:
        size = os.fstat(file.fileno()).st_size
        content = file.read(size + 1) if size <= most else b""  # Python reserves what it is to read
        if len(content) > size:  # the file grew, or is one of /proc
            content += file.read(most - size)
        size = max(size, len(content))
        if size > most:
            raise InputError(f"a file of {size / 1e6:,.0f} MB", file=str(path), allowed=f"at most {most / 1e6:.0f} MB")
        return content


def read_text(path: Path, most: int = MOST_BYTES, allowed: str = "a file in UTF-8") -> str:
    """Return the text of a regular file. `most`: its largest size, bytes."""
    content = read_bytes(path, most, allowed)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise InputError("not text in UTF-8", file=str(path), allowed=allowed)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def refuse_deep_toml(text: str, file: str) -> None:
    """Raise an `InputError` for TOML whose parsing would take long or exhaust the stack."""
    depth = parts = 0
    for found in _TOKENS.finditer(text):
        token = found[0]
        first = token[0]
        if first in "[{":
            depth += 1
            parts = 0
        elif first in "]}":
            depth -= 1
        elif first == ".":
            parts += 1
        elif first in "\n=,#":
            parts = 0
        elif first.isdigit() or first == "_":
            line = text.count("\n", 0, found.start()) + 1
            allowed = f"at most {MOST_DIGITS:,} digits"
            raise InputError("a number that is too long", file=file, path=f"line {line}", allowed=allowed)
        if max(depth, parts) > MOST_DEPTH:
            line = text.count("\n", 0, found.start()) + 1
            raise InputError("nested too deeply", file=file, path=f"line {line}", allowed=f"{MOST_DEPTH} levels")
