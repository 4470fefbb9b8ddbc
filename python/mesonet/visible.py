"""Text from outside on a terminal: characters that act, in place of being seen, become escapes of Python.

These are controls of C0 and C1, DEL, marks and overrides of the direction of text, separators of lines, and halves of
surrogate pairs. Colours of charts, which mesonet itself writes, pass.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

COLOURS = (34, 31, 32, 35, 33, 36)
"""Colours of lines in charts: blue, red, green, magenta, yellow, cyan (ECMA-48, select graphic rendition)."""
_ACTS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_IN_TEXT = re.compile(rf"(\x1b\[(?:0|{'|'.join(map(str, COLOURS))})m)|[{_ACTS}]")
_IN_LINE = re.compile(rf"[\t\n{_ACTS}]")


def visible(text: str) -> str:
    """Return a text of several lines without characters that act."""
    return _IN_TEXT.sub(lambda found: found[1] or _escaped(found), text)


def on_one_line(text: str) -> str:
    """Return a name or value without characters that act, ends of lines included."""
    return _IN_LINE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


class _Visible(io.TextIOWrapper):
    """A stream whose text has no characters that act."""

    def write(self, text: str) -> int:
        super().write(visible(text))
        return len(text)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Let standard output and standard error escape characters that act, and any that they cannot write."""
    given = {name: getattr(sys, name) for name in ("stdout", "stderr")}
    for name, stream in given.items():
        shape = {"encoding": stream.encoding, "line_buffering": stream.line_buffering, "write_through": True}
        setattr(sys, name, _Visible(stream.buffer, errors="backslashreplace", **shape))
    try:
        yield
    finally:
        for name, stream in given.items():
            getattr(sys, name).detach()  # else its end would close the stream
            setattr(sys, name, stream)
