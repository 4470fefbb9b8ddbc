"""Files of recordings, plain or gzip."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from mesonet.errors import InputError
from mesonet.files.reading import MOST_JSON_BYTES, opened, refuse_unprintable

ALLOWED = "a capture by tcpdump or Wireshark (pcap, pcapng), or qlog 0.3 or 0.4; samples of TCP_INFO as CSV; .gz, too"
_GZIP = b"\x1f\x8b"


def packed(path: Path) -> BufferedReader:
    """Return a file, open to be read as it is."""
    refuse_unprintable(path)
    try:
        return opened(path, ALLOWED)
    except FileNotFoundError:
        raise InputError("no such file", file=str(path), allowed=ALLOWED) from None


@contextmanager
def refusals(path: Path) -> Iterator[None]:
    """Raise refusals of the compiled readers as errors about a file."""
    try:
        yield
    except ValueError as error:
        problem, place, number, text, allowed = error.args
        value = text if number is None else number
        raise InputError(problem, file=str(path), path=place, value=value, allowed=allowed or ALLOWED) from None


def begins_as_json(path: Path) -> bool:
    """Return True if a file, unpacked if it is gzip, begins as JSON or a JSON text sequence does."""
    return first_bytes(path, 16).lstrip(b"\xef\xbb\xbf\x1e \r\n\t")[:1] == b"{"


def first_bytes(path: Path, count: int) -> bytes:
    """Return the first bytes of a file, unpacked if it is gzip."""
    with _unpacked(path) as file:
        return _read(file, count, path)


def unpacked_text(path: Path) -> str:
    """Return the text of a file, unpacked if it is gzip."""
    with _unpacked(path) as file:
        data = _read(file, MOST_JSON_BYTES + 1, path)
    if len(data) > MOST_JSON_BYTES:
        allowed = f"at most {MOST_JSON_BYTES / 1e6:.0f} MB"
        raise InputError("a larger text", file=str(path), allowed=allowed)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("not text in UTF-8", file=str(path), allowed=ALLOWED) from None


@contextmanager
def _unpacked(path: Path) -> Iterator[BinaryIO]:
    with packed(path) as file:
        if file.peek(2)[:2] == _GZIP:
            with gzip.open(file) as inside:
                yield cast(BinaryIO, inside)
        else:
            yield file


def _read(file: BinaryIO, count: int, path: Path) -> bytes:
    try:
        return file.read(count)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"not a whole gzip file: {error}", file=str(path), allowed=ALLOWED) from None
