"""Names of the files of plug-ins, alone and in texts that list algorithms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mesonet.errors import InputError

C, CXX, ZIG = (".c",), (".cc", ".cpp", ".cxx"), (".zig",)
LIBRARY = (".so", ".dylib", ".dll")
ALLOWED = "a file .c, .cpp, .zig, .so (.dylib, .dll), .py:NAME, or linux:FILE.c"

_ALONE_ONLY = "a path with a space, comma, parenthesis or = stands alone, in a list or as a key of a table"

_END = "|".join(each.removeprefix(".") for each in (*C, *CXX, *ZIG, *LIBRARY))
_SUFFIX = rf"\.(?:(?:{_END})|py(?::\w+)?)"
_ALONE = re.compile(rf".+{_SUFFIX}")
_VARIANT = re.compile(rf"\s*(.+{_SUFFIX})(\s*\([^()]*\))?\s*")
_AMONG = re.compile(rf"(?<![^\s,])[^\s,()=]+{_SUFFIX}(?=[\s,(=]|$)")
_ENDS = re.compile(rf"{_SUFFIX}(?=[\s,(=]|$)")


def header() -> Path:
    """Return the C header of plug-ins. The path of ``mesonet_cc.h``."""
    return Path(__file__).parent / "include" / "mesonet_cc.h"


def is_file(text: str) -> bool:
    """Return True if a text has the form of the file of a plug-in; the file need not exist.

    Examples
    --------
    >>> is_file("my_cc.py:MyCC"), is_file("cubic")
    (True, False)
    """
    return bool(_ALONE.fullmatch(text.strip()))


def with_names(value: Any, name: Callable[[str], str], exists: Callable[[str], bool]) -> Any:
    """Return a value that lists algorithms, with names instead of the files of plug-ins.

    A path with a space, a comma, a parenthesis or an equals sign is read where the whole text names an existing file.

    `value`: a text such as ``tcp=0.8, my_cc.c(gain=0.5)=0.2``; a mapping of such texts to shares; a list of such texts,
    pairs or tables with the key ``algorithm``. Other values stay.

    Examples
    --------
    >>> with_names("tcp=0.8, my_cc.c(gain=0.5)=0.2", lambda file: "mine", lambda file: file == "my_cc.c")
    'tcp=0.8, mine(gain=0.5)=0.2'
    """
    if isinstance(value, str):
        if "." not in value:  # keys and values of thousands of flows, and no file
            return value
        return _with_names(value, name, exists)
    if isinstance(value, Mapping):
        if "algorithm" in value:
            return {**value, "algorithm": with_names(value["algorithm"], name, exists)}
        if not any("." in key for key in value):  # thousands of flows, or a mix without files
            return dict(value)
        return {with_names(key, name, exists): share for key, share in value.items()}
    if isinstance(value, list | tuple):
        return [with_names(part, name, exists) for part in value]
    return value


def _with_names(text: str, name: Callable[[str], str], exists: Callable[[str], bool]) -> str:
    if (alone := _VARIANT.fullmatch(text)) and exists(alone[1]):
        return name(alone[1]) + (alone[2] or "")
    among = list(_AMONG.finditer(text))
    if [each[0] for each in among] == [text.strip()]:
        return name(text.strip())  # the error names the absolute path
    for end in _ENDS.finditer(text):
        file = next((each[0] for each in among if each.end() == end.end()), None)
        if not (file and exists(file)):
            problem = f"no such file: {file}" if file else "not the file of a plug-in"
            raise InputError(problem, value=text, allowed=f"{ALLOWED}; {_ALONE_ONLY}")
    return _AMONG.sub(lambda found: name(found[0]), text)
