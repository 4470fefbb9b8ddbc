"""Files of plug-ins and their digests."""

from __future__ import annotations

import hashlib
from pathlib import Path

from mesonet.errors import InputError
from mesonet.files import reading
from mesonet.files.reached import included, reached
from mesonet.plugins.names import ALLOWED

MODULE = "linux"
"""Part of a plug-in that is a module of Linux."""
LINUX = f"{MODULE}:"
"""Before the path of a module of Linux."""
_MOST_BYTES = 1 << 28
"""Largest file that is read (chosen): far above any library."""


def digest(file: Path, part: str = "") -> str:
    """Return the digest of a plug-in: of its file and of all that it imports or includes from its folder.

    SHA-256, 64 hexadecimal digits. It does not depend on the folder, the compiler or the machine. `part`: name of the
    class in a Python file; ``linux`` for a module of Linux.
    """
    found = hashlib.sha256(f"mesonet plug-in {part}\n".encode())
    for each in reached(companions(file) if part == MODULE and file.suffix == ".c" else [file]):
        found.update(hashlib.sha256(_content(each)).digest())
    return found.hexdigest()


def located(text: str, directory: str | Path | None = None) -> tuple[Path, str, str]:
    """Return the file of a plug-in, from the text that names it.

    The absolute path; the name of the class in a Python file, ``linux`` for a module of Linux, or no text; and the
    absolute path with both. `text`: path of a file; ``FILE.py:NAME``; ``linux:FILE.c``.
    """
    name, _, part = text.partition(".py:")
    if text.startswith(LINUX):
        file = (Path(directory or ".") / text.removeprefix(LINUX)).absolute()
        return file, MODULE, f"{LINUX}{file}"
    file = (Path(directory or ".") / (f"{name}.py" if part else text)).absolute()
    return file, part, f"{file}:{part}" if part else str(file)


def companions(file: Path) -> list[Path]:
    """Return the files of a module of Linux: it, the headers of its folder, and files whose functions they declare.

    The module first. ``tcp_yeah.c`` includes ``tcp_vegas.h``, and so needs ``tcp_vegas.c``.
    """
    found = [file]
    for each in found:
        names = included(_content(each)) if each.is_file() else []
        for name in names:
            beside = each.parent / name
            more = [beside, beside.with_suffix(".c")] if each == file else [beside]
            found += [other for other in more if other.is_file() and other not in found]
    return found


def _content(file: Path) -> bytes:
    try:
        if file.is_file() and file.stat().st_size <= _MOST_BYTES:
            return reading.read_bytes(file, _MOST_BYTES, ALLOWED)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", value=str(file), allowed=ALLOWED) from None
    raise InputError("no such file", value=str(file), allowed=ALLOWED)
