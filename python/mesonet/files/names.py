"""File names from names that users choose: of responses, algorithms and factors."""

from __future__ import annotations

import re
from hashlib import sha256

_LONGEST = 80
"""Characters kept of a name; most file systems take 255 bytes, and a character may take four."""


def file_stem(name: str) -> str:
    """Return the name of a file or folder, without ending, for a name that may hold any characters.

    A name of at most 80 letters, digits, spaces and ``_ . , + = ( ) -`` stays as it is, if its first character is a
    letter, a digit or an underscore and its last one is no space or dot. Every other name is cleaned and cut, and gets
    a hash behind, so that two names never share a file.

    Parameters
    ----------
    name
        Any text.

    Returns
    -------
    A name that is safe on common file systems.

    Examples
    --------
    >>> file_stem("loss_rate")
    'loss_rate'
    >>> file_stem("../../x")
    'x-9cdf6a50'
    """
    if len(name) <= _LONGEST and re.fullmatch(r"\w([\w .,+=()-]*[\w,+=()-])?", name):
        return name
    clean = re.sub(r"[^\w.,+=()-]+", "_", name)[:_LONGEST].strip("._-")
    return f"{clean or 'name'}-{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
