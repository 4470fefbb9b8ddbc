"""Shared libraries of plug-ins: compiled from C, C++ or Zig, and opened."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from mesonet.errors import InputError
from mesonet.files.cache import cached
from mesonet.plugins import linux as modules
from mesonet.plugins.files import MODULE, digest
from mesonet.plugins.names import CXX, LIBRARY, C, header

SYMBOL = "mesonet_cc"
"""The function that a library exports."""
FLAGS = ("-O2", "-fPIC", "-shared", "-ffp-contract=off")
"""Flags of compilers of C and C++. Without contraction a machine with fused multiply-add gives the same numbers."""
ZIG_FLAGS = ("build-lib", "-dynamic", "-O", "ReleaseSafe", "-lc")
_SHOWN = 4000
"""Characters of the message of a compiler that are shown, from its beginning."""

_OPEN: list[ctypes.CDLL] = []
"""Libraries are never closed: flows hold their functions."""


def table(file: Path, known: str, part: str = "") -> int:
    """Return the address of the table of functions of a plug-in.

    `file`: a shared library, or a file in C, C++ or Zig, which is compiled into the cache. `known`: digest of the file.
    `part`: ``linux`` for a module of Linux.
    """
    linux, built = part == MODULE, compiled(file, known, part)
    if digest(file, part) != known:
        raise InputError("the file changed while it was loaded", value=str(file), allowed="to try again")
    try:
        library = ctypes.CDLL(str(built))
    except OSError as error:
        text = str(error).replace(str(built), file.name)
        raise InputError(f"not a library that can be loaded: {text}", value=str(file)) from None
    try:
        function = getattr(library, SYMBOL)
    except AttributeError:
        allowed = f"MESONET_EXPORT const struct mesonet_algorithm *{SYMBOL}(void), see {header()}"
        raise InputError(f"exports no function {SYMBOL}", value=str(file), allowed=allowed) from None
    function.argtypes, function.restype = [], ctypes.c_void_p
    _OPEN.append(library)
    address = int(function() or 0)
    if linux and not address:
        library.mesonet_linux_problem.restype = ctypes.c_char_p
        problem = library.mesonet_linux_problem().decode(errors="replace")
        raise InputError(f"not a module that can be used: {problem}", value=str(file), allowed=modules.ALLOWED)
    return address


def opened() -> str | None:
    """Return the path of the library that was opened last; None if there is none."""
    return str(Path(_OPEN[-1]._name).resolve()) if _OPEN else None


def compiled(file: Path, known: str, part: str = "") -> Path:
    """Return the library of a plug-in in the cache, compiled if it is not there; arguments as of `table`."""
    linux = part == MODULE
    if file.suffix in LIBRARY:
        # A copy: the loader would return an older library of this path, and a file that is overwritten crashes.
        return cached("plugins", f"{known}.so", lambda place: shutil.copyfile(file, place))
    return cached("plugins", f"{_key(file, known, linux)}.so", lambda place: _compile(file, place, linux))


def _key(file: Path, known: str, linux: bool) -> str:
    """Return the name in the cache: of file, header, compiler and flags."""
    command = _command(file)
    parts = [known, digest(header()), _version(command[0]), shlex.join(command)]
    if linux:
        parts += [digest(modules.shim()), *modules.FLAGS]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _command(file: Path) -> list[str]:
    """Return the beginning of the command that compiles a file; ``CC`` and ``CXX`` name other compilers."""
    include = f"-I{header().parent}"
    if file.suffix in C:
        return [*_compiler("CC", "cc", file), *FLAGS, include]
    if file.suffix in CXX:
        return [*_compiler("CXX", "c++", file), *FLAGS, include]
    return [*_compiler("ZIG", "zig", file), *ZIG_FLAGS, include]


def _compiler(variable: str, default: str, file: Path) -> list[str]:
    words = shlex.split(os.environ.get(variable) or default)
    if not words or shutil.which(words[0]) is None:
        allowed = f"a compiler in the PATH or in {variable}, or a shared library"
        raise InputError(f"no compiler {' '.join(words)} to compile it", value=str(file), allowed=allowed)
    return words


@cache
def _version(compiler: str) -> str:
    argument = "version" if Path(compiler).stem == "zig" else "--version"
    done = subprocess.run([compiler, argument], capture_output=True, text=True)
    return done.stdout.partition("\n")[0]


def assembly(file: Path, options: Sequence[str]) -> str:
    """Return the assembly of a file in C or C++, as its compiler writes it with further options."""
    return _ran([*_command(file), *options, "-S", "-o", "-", str(file)], file)


def _ran(command: Sequence[str], file: Path) -> str:
    """Return what a compiler prints; raise `InputError` if it refuses the file."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        shown = (done.stderr or done.stdout).strip()[:_SHOWN]
        raise InputError(f"the compiler refuses it:\n{shown}\n", value=str(file), allowed=f"what {command[0]} accepts")
    return done.stdout


def _compile(file: Path, place: Path, linux: bool) -> None:
    command = _command(file)
    target = [f"-femit-bin={place}", str(file)] if file.suffix not in C + CXX else ["-o", str(place), str(file)]
    with tempfile.TemporaryDirectory() as folder:
        if linux:
            target = [*modules.arguments(file, Path(folder)), "-o", str(place)]
        _ran([*command, *target], file)
