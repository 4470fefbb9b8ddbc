"""The cache of this user: files that can be made again, and take longer to make than to read.

A file of the cache can be code. No other user may have been able to write it, or to change the path to it: owners and
modes are checked, links are not followed, and a keyed digest beside the file covers its name and its content. A file
that fails is made again. If the place itself is not safe, a temporary folder of this process takes its place.
"""

from __future__ import annotations

import atexit
import hmac
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from mesonet.errors import InputError

_KEY, _KEY_BYTES = "key", 32
_OTHERS = stat.S_IWGRP | stat.S_IWOTH
"""Modes by which other users can write."""


def cached(part: str, name: str, make: Callable[[Path], object]) -> Path:
    """Return a file of the cache of this user, made if it is not there.

    The file, below ``XDG_CACHE_HOME`` or ``~/.cache``; below a temporary folder if other users can write there.
    """
    return _found(part, name, make)[0]


def cached_text(part: str, name: str, make: Callable[[], str]) -> str:
    """Return a text from the cache of this user, or make it and keep it there.

    If neither the cache nor a temporary folder can be written, the text is made every time.
    """
    once = cache(make)
    with suppress(InputError):
        return _found(part, name, lambda place: place.write_bytes(once().encode()))[1].decode()
    return once()


def _found(part: str, name: str, make: Callable[[Path], object]) -> tuple[Path, bytes]:
    try:
        try:
            return _kept(_folder(part), name, make)
        except (OSError, RuntimeError) as error:  # Path.home raises RuntimeError for a user without a home
            return _kept(_private(part, f"it cannot be written ({error})"), name, make)
    except OSError as error:
        problem = f"neither the cache nor a temporary folder can be written: {error.strerror or error}"
        raise InputError(problem, value=part, allowed="XDG_CACHE_HOME=FOLDER") from None


def _kept(folder: Path, name: str, make: Callable[[Path], object]) -> tuple[Path, bytes]:
    """Return a file of a safe folder and its content; make it unless its digest holds."""
    place, key = folder / name, _key(folder)
    content, mark = _own(place), _own(_mark(place))
    if content is None or mark is None or not hmac.compare_digest(mark, _digest(name, content, key)):
        content = _write(place, make)
        digest = _digest(name, content, key)
        _write(_mark(place), lambda beside: beside.write_bytes(digest))
    return place, content


def _folder(part: str) -> Path:
    """Return the folder of a part of the cache, or of a temporary folder if other users can change the cache."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").resolve()
    folder = root / "mesonet" / part
    for each in reversed((folder, *folder.parents)):
        if not os.path.lexists(each):
            each.mkdir(mode=0o700, exist_ok=True)
    problem = _reached_by_others(folder)
    return _private(part, problem) if problem else folder


def _reached_by_others(folder: Path) -> str:
    """Return the reason why other users may have changed files of a folder; empty if they cannot.

    Each folder above counts, up to the home of the user. In one such as ``/tmp``, the sticky bit keeps what is ours.
    """
    if not hasattr(os, "getuid"):
        return ""
    home = Path(os.environ.get("HOME") or "/").resolve()
    for each in (folder, *folder.parents):
        about = each.lstat()
        if not stat.S_ISDIR(about.st_mode):
            return f"{each} is a link or a file"
        if about.st_uid != os.getuid() and (about.st_uid != 0 or each == folder):
            return f"{each} belongs to another user"
        if about.st_mode & _OTHERS and (each == folder or not about.st_mode & stat.S_ISVTX):
            return f"other users can write to {each}"
        if each == home:
            break
    return ""


_TEMPORARY: list[Path] = []
"""The temporary folder of this process, once there is one."""


def _private(part: str, problem: str) -> Path:
    """Return a temporary folder of this process in place of the cache; the first time, note why on stderr."""
    if not _TEMPORARY:
        _TEMPORARY.append(Path(tempfile.mkdtemp(prefix="mesonet-")))
        atexit.register(shutil.rmtree, _TEMPORARY[0], ignore_errors=True)
        sys.stderr.write(f"mesonet: note: the cache is not used: {problem}; a temporary folder replaces it\n")
    folder = _TEMPORARY[0] / part
    folder.mkdir(exist_ok=True)
    return folder


def _own(place: Path) -> bytes | None:
    """Return the content of a regular file that this user alone can read and write; None for any other."""
    flags = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
    with suppress(OSError), os.fdopen(os.open(place, os.O_RDONLY | sum(flags)), "rb") as file:
        about = os.fstat(file.fileno())
        ours = not hasattr(os, "getuid") or (about.st_uid == os.getuid() and not about.st_mode & 0o077)
        if ours and stat.S_ISREG(about.st_mode):
            return file.read()
    return None


def _key(folder: Path) -> bytes:
    """Return the key of the digests of a folder, made if there is none."""
    place = folder / _KEY
    found = _own(place)
    if found is None or len(found) != _KEY_BYTES:
        found = _write(place, lambda beside: beside.write_bytes(secrets.token_bytes(_KEY_BYTES)))
    return found


def _mark(place: Path) -> Path:
    return place.with_name(f"{place.name}.digest")


def _digest(name: str, content: bytes, key: bytes) -> bytes:
    return hmac.digest(key, name.encode() + b"\n" + content, "sha256")


def _write(place: Path, make: Callable[[Path], object]) -> bytes:
    """Make a file under another name, and rename it: no reader sees a part of it. Its content."""
    handle, beside = tempfile.mkstemp(dir=place.parent, suffix=place.suffix)
    os.close(handle)
    try:
        make(Path(beside))
        Path(beside).chmod(0o600)  # a compiler makes another file, with the modes of the user
        content = Path(beside).read_bytes()
        Path(beside).replace(place)
    finally:
        with suppress(FileNotFoundError):
            Path(beside).unlink()
    return content
