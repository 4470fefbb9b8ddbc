"""File names from names that users choose: of responses, algorithms and factors."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

_LONGEST = 80
"""Characters kept of a name (chosen): two names and an ending fit into one file name."""
_LONGEST_BYTES = 100
"""Bytes kept of a name (chosen): a character may take four, and most file systems take 255."""
_LONGEST_PART = 40
"""Characters kept of a part of a name (chosen)."""
_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\..*)?", re.IGNORECASE)
"""Names of devices of Windows, with any ending: Microsoft, "Naming Files, Paths, and Namespaces"."""


def file_stem(name: str) -> str:
    """Return the name of a file or folder, without ending, for a name that may hold any characters.

    A name of at most 80 letters, digits, spaces and ``_ . , + = ( ) -`` stays as it is, if its first character is a
    letter, a digit or an underscore, its last one is no space or dot, it takes at most 100 bytes and is no device of
    Windows. Every other name is cleaned and cut, and gets a hash behind, so that two names never share a file. Names
    that differ in case only need `distinct` on top.

    Examples
    --------
    >>> file_stem("loss_rate")
    'loss_rate'
    >>> file_stem("../../x")
    'x-9cdf6a50'
    >>> file_stem("nul.txt")
    'nul_txt-7f3cbdd5'
    """
    fits = len(name) <= _LONGEST and re.fullmatch(r"\w([\w .,+=()-]*[\w,+=()-])?", name)
    reserved = _RESERVED.fullmatch(name) is not None
    if fits and not reserved and len(name.encode()) <= _LONGEST_BYTES:
        return name
    clean = re.sub(r"[^\w.,+=()-]+", "_", name)[:_LONGEST].strip("._-")
    clean = clean.encode()[:_LONGEST_BYTES].decode("utf-8", "ignore").strip("._-")
    return f"{clean.replace('.', '_') if reserved else clean or 'name'}-{_hash(name)}"


def name_part(text: str) -> str:
    """Return letters, digits and ``. _ -`` for a text that may hold any characters, as a part of another name.

    A text of at most 40 such characters stays as it is. Every other text is cleaned and cut, and gets a hash behind, so
    that two texts never share a name.

    Examples
    --------
    >>> name_part("x-y"), name_part("x y")
    ('x-y', 'x_y-887fcea6')
    """
    clean = re.sub(r"[^A-Za-z0-9._-]+", "_", text)[:_LONGEST_PART].strip("._-")
    return text if clean == text else f"{clean}-{_hash(text)}"


def distinct(paths: Sequence[tuple[str, str]]) -> list[str]:
    """Return paths of which no two are one file, also on file systems that ignore case or compose accents.

    The paths in their order. A path that differs from another in case or accents only gets a hash of its text. `paths`:
    path without ending, and a text that identifies the content of the file. Equal texts may share a file.

    Examples
    --------
    >>> distinct([("a/x", "1"), ("b", "2")])
    ['a/x', 'b']
    >>> distinct([("Load", "1"), ("load", "2")])
    ['Load-6b86b273', 'load-d4735e3a']
    """
    counts = Counter(folded for folded, _ in {(_folded(path), content) for path, content in paths})
    return [f"{path}-{_hash(content)}" if counts[_folded(path)] > 1 else path for path, content in paths]


def _folded(path: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
