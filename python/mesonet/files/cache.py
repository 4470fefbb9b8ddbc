"""The cache of this user: files that can be made again, and take longer to make than to read."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from mesonet.errors import InputError


def cached(part: str, name: str, make: Callable[[Path], object]) -> Path:
    """Return a file of the cache of this user, made if it is not there.

    The file, below ``XDG_CACHE_HOME`` or ``~/.cache``.
    """
    try:
        place = _folder(part) / name
        if not place.is_file():
            _write(place, make)
    except OSError as error:
        raise _unusable(f"the cache cannot be written: {error.strerror or error}", part) from None
    return place


def cached_text(part: str, name: str, make: Callable[[], str]) -> str:
    """Return a text from the cache of this user, or make it and keep it there.

    The file begins with a digest, and a damaged file is replaced. If the cache cannot be read or written, the text is
    made every time.
    """
    with suppress(*_NO_CACHE):
        digest, _, content = (_folder(part) / name).read_bytes().partition(b"\n")
        if digest == _digest(name, content):
            return content.decode()
    text = make()
    content = text.encode()
    with suppress(*_NO_CACHE):
        _write(_folder(part) / name, lambda place: place.write_bytes(_digest(name, content) + b"\n" + content))
    return text


_NO_CACHE = (InputError, OSError, RuntimeError)
"""Errors of a cache that cannot be used. ``Path.home`` raises RuntimeError for a user without a home."""


def _place(part: str) -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "mesonet" / part


def _folder(part: str) -> Path:
    folder = _place(part)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise _unusable("the cache belongs to another user", part)
    return folder


def _unusable(problem: str, part: str) -> InputError:
    return InputError(problem, value=str(_place(part)), allowed="XDG_CACHE_HOME=FOLDER")


def _write(place: Path, make: Callable[[Path], object]) -> None:
    """Make a file under another name, and rename it: no reader sees a part of it."""
    handle, beside = tempfile.mkstemp(dir=place.parent, suffix=place.suffix)
    os.close(handle)
    try:
        make(Path(beside))
        Path(beside).replace(place)
    finally:
        with suppress(FileNotFoundError):
            Path(beside).unlink()


def _digest(name: str, content: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + content).hexdigest().encode()
