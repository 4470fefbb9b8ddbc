"""Classes in Python files that are plug-ins."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mesonet.errors import InputError
from mesonet.files import reading
from mesonet.files.reached import reached
from mesonet.plugins.abi import EXTRA
from mesonet.plugins.per_round import PerRound


def table(file: Path, name: str) -> int:
    """Return the address of the table of functions of a class in a Python file.

    The address of a ``struct mesonet_algorithm``, which stays to the end of the process. `name`: name of the class. A
    `PerRound` is called by the interpreter, any other class is compiled by numba.
    """
    written = _class(file, name)
    if issubclass(written, PerRound):
        from mesonet.plugins import interpreted

        return interpreted.table(written, file)
    from mesonet.plugins import compiled

    return compiled.table(written, file)


def names(file: Path) -> list[str]:
    """Return the names of the classes in a Python file. Runs nothing."""
    try:
        return [each.name for each in ast.parse(reading.read_bytes(file)).body if isinstance(each, ast.ClassDef)]
    except (SyntaxError, ValueError):
        return []


def _class(file: Path, name: str) -> type:
    """Return a class of a file, which is imported."""
    shown = f"{file}:{name}"
    spec = importlib.util.spec_from_file_location(f"mesonet_plugin_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        with _own_modules_first(file):
            spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        if error.name == "numba":
            raise InputError("compiled plug-ins in Python need numba", value=shown, allowed=EXTRA) from None
        raise _unimported(error, shown) from None
    except (Exception, SystemExit) as error:
        raise _unimported(error, shown) from None
    written = getattr(module, name, None)
    if not isinstance(written, type):
        allowed = ", ".join(names(file)) or "FILE.py:NAME with the name of a class"
        raise InputError("the file has no such class", value=shown, allowed=allowed)
    return written


@contextmanager
def _own_modules_first(file: Path) -> Iterator[None]:
    """Let imports find the modules beside a file, as they are now: not as imported before, nor those of other files."""
    for other in reached([file])[1:]:
        parts = other.relative_to(file.parent).with_suffix("").parts
        name = ".".join(parts).removesuffix(".__init__")
        if name not in sys.stdlib_module_names:
            sys.modules.pop(name, None)
    importlib.invalidate_caches()
    sys.path.insert(0, str(file.parent))
    try:
        yield
    finally:
        sys.path.remove(str(file.parent))


def _unimported(error: BaseException, shown: str) -> InputError:
    return InputError(f"cannot be imported: {type(error).__name__}: {error}", value=shown)
