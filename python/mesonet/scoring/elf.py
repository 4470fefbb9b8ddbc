"""Parts of a shared library of Linux: ELF of 64 bits, which `elf(5)` documents."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_DYNAMIC_SYMBOLS, _FIRST_CODE, _INIT_ARRAY = 11, 16, 14
_LOADED, _OF_THREAD, _WRITTEN = 1, 7, 2
_ONE_ENTRY = 8
"""Bytes of the list of constructors that every library of a C compiler has."""


@dataclass(frozen=True)
class Segment:
    """A part of memory that a library has when it is loaded."""

    kind: int
    flags: int
    address: int  #: from the beginning of the library
    size: int  #: bytes

    @property
    def is_loaded(self) -> bool:
        """True for a part of memory that all threads share."""
        return self.kind == _LOADED

    @property
    def is_of_thread(self) -> bool:
        """True for variables that each thread has of its own."""
        return self.kind == _OF_THREAD

    @property
    def is_written(self) -> bool:
        """True if code may write there."""
        return bool(self.flags & _WRITTEN)


def is_elf(content: bytes) -> bool:
    """Return True for the content of a library of 64 bits."""
    return content[:5] == b"\x7fELF\x02"


def segments(content: bytes) -> list[Segment]:
    """Return the segments of a library."""
    at, size, count = *struct.unpack_from("<Q", content, 0x20), *struct.unpack_from("<HH", content, 0x36)
    found = (struct.unpack_from("<IIQQQQQ", content, at + number * size) for number in range(count))
    return [Segment(kind, flags, address, length) for kind, flags, _, address, _, _, length in found]


def undefined(content: bytes) -> list[str]:
    """Return the names that a library takes from others."""
    sections = list(_sections(content))
    found = []
    for kind, offset, size, link in sections:
        if kind != _DYNAMIC_SYMBOLS:
            continue
        names = sections[link][1]
        for at in range(offset + 24, offset + size, 24):  # the first symbol is none
            name, _, _, section = struct.unpack_from("<IBBH", content, at)
            if not section:
                found.append(content[names + name : content.index(b"\0", names + name)].decode(errors="replace"))
    return found


def has_constructors(content: bytes) -> bool:
    """Return True if code of a library runs while it is loaded, beside the code of every compiler."""
    return any(
        kind == _FIRST_CODE or (kind == _INIT_ARRAY and size > _ONE_ENTRY) for kind, _, size, _ in _sections(content)
    )


def _sections(content: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield type, offset, size and link of the sections of a library."""
    at, size, count = *struct.unpack_from("<Q", content, 0x28), *struct.unpack_from("<HH", content, 0x3A)
    for number in range(count):
        _, kind, _, _, offset, length, link = struct.unpack_from("<IIQQQQI", content, at + number * size)
        yield kind, offset, length, link
