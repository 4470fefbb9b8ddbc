"""Sizes of memory as users type them."""

from __future__ import annotations

from mesonet.errors import InputError

_SIZES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def in_bytes(text: str | None, option: str = "--memory") -> int | None:
    """Return the bytes of a size of memory.

    Bytes, or None. `text`: a size such as ``500 MB`` or ``4 GiB``; None: the default. `option`: option that gave it.

    Examples
    --------
    >>> in_bytes("4 GiB")
    4294967296
    """
    if text is None:
        return None
    number = text.strip().rstrip("BKMGIbkmgi ")
    unit = text.strip()[len(number) :].strip().upper()
    try:
        size = int(float(number) * _SIZES[unit])
    except (ValueError, KeyError, OverflowError):
        size = 0
    if size < 1:
        raise InputError("not a size of memory", path=option, value=text, allowed='such as "500 MB" or "4 GiB"')
    return size
