"""Names of the files of plug-ins, alone and in texts that list algorithms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

C, CXX, ZIG = (".c",), (".cc", ".cpp", ".cxx"), (".zig",)
LIBRARY = (".so", ".dylib", ".dll")
ALLOWED = "a file .c, .cpp, .zig, .so (.dylib, .dll), .py:NAME, or linux:FILE.c"

_END = "|".join(each.removeprefix(".") for each in (*C, *CXX, *ZIG, *LIBRARY))
_FILE = rf"[^\s,()=]+\.(?:(?:{_END})|py:\w+)"
_ALONE = re.compile(rf"\s*{_FILE}\s*")
_AMONG = re.compile(rf"(?<![^\s,]){_FILE}(?=[\s,(=]|$)")


def header() -> Path:
    """Return the C header of plug-ins.

    Returns
    -------
    The path of ``mesonet_cc.h``.
    """
    return Path(__file__).parent / "include" / "mesonet_cc.h"


def is_file(text: str) -> bool:
    """Return True if a text has the form of the file of a plug-in; the file need not exist.

    Parameters
    ----------
    text
        Name of an algorithm or of a file, without the constants of a variant.

    Returns
    -------
    True or False.

    Examples
    --------
    >>> is_file("my_cc.py:MyCC"), is_file("cubic")
    (True, False)
    """
    return bool(_ALONE.fullmatch(text))


def with_names(value: Any, name: Callable[[str], str]) -> Any:
    """Return a value that lists algorithms, with names instead of the files of plug-ins.

    Parameters
    ----------
    value
        A text such as ``tcp=0.8, my_cc.c(gain=0.5)=0.2``; a mapping of such texts to shares; a list of such texts,
        pairs or tables with the key ``algorithm``. Other values stay.
    name
        Returns the name that the plug-in in a file declares.

    Returns
    -------
    A value of the same form.

    Examples
    --------
    >>> with_names("tcp=0.8, my_cc.c(gain=0.5)=0.2", lambda file: "mine")
    'tcp=0.8, mine(gain=0.5)=0.2'
    """
    if isinstance(value, str):
        if "." not in value:  # keys and values of thousands of flows, and no file
            return value
        return _AMONG.sub(lambda found: name(found[0]), value)
    if isinstance(value, Mapping):
        if "algorithm" in value:
            return {**value, "algorithm": with_names(value["algorithm"], name)}
        if not any("." in key for key in value):  # thousands of flows, or a mix without files
            return dict(value)
        return {with_names(key, name): share for key, share in value.items()}
    if isinstance(value, list | tuple):
        return [with_names(part, name) for part in value]
    return value
