"""Models that a campaign can run besides networks: a Python function or a program.

A function is called with a dict of parameters and a seed and returns a mapping of names to numbers. A program gets
``{"parameters": {...}, "seed": 1}`` on standard input and prints a JSON object of names and numbers. It runs in a
folder of its own (`mesonet.models.workplace`). An experiment with algorithms passes the algorithm of the run as the
parameter ``algorithm``. A model must return equal numbers for equal parameters and seed: this makes a campaign
resumable.

A model is described by plain data, which a campaign folder holds: ``{"command": [...], "directory": ...}`` or
``{"function": ..., "module": ..., "directory": ...}``, both with an optional ``version`` and ``files``. No
description: the network.
"""

from __future__ import annotations

import glob
import hashlib
import importlib
import json
import math
import multiprocessing
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from itertools import pairwise
from numbers import Real
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mesonet import core
from mesonet.errors import InputError
from mesonet.files import reading
from mesonet.files.checksums import sha256
from mesonet.files.reached import module_files, reached
from mesonet.files.reading import is_file
from mesonet.models import workplace

Description = Mapping[str, Any]
Function = Callable[[dict[str, Any], int], Mapping[str, float | None]]

_COMMAND_ALLOWED = 'a list of words such as ["python3", "queue.py"]'
_FILES_ALLOWED = 'files or patterns, from the folder of the experiment file, such as ["helper.R", "data/*.csv"]'
_VALUE_ALLOWED = "a finite number; or no value, where [responses] has {unit = ..., missing = true}"
_TOP_LEVEL = "a function at the top level of a module or a Python file"
_LOG_SHOWN = 2000


def described(model: Function | Sequence[str] | Mapping[str, Any], directory: str | Path = ".") -> dict[str, Any]:
    """Return the description of a model as plain data.

    `model`: a function of (parameters, seed), the words of a command line, or the table ``model`` of an experiment
    file.
    """
    place = str(Path(directory).resolve())
    if callable(model):
        return _function(model)
    if isinstance(model, Mapping):
        for key in model:
            if key not in ("command", "function", "version", "files"):
                raise InputError("unknown key", path=f"model.{key}", allowed="command or function, version, files")
        version = model.get("version")
        if version is not None and not isinstance(version, str):
            raise InputError("not text", path="model.version", value=version, allowed="text in quotes")
        own: dict[str, Any] = {"version": version} if version is not None else {}
        if "files" in model:
            own["files"] = _declared(model["files"], place)
        if "function" in model and "command" in model:
            raise InputError("a function and a command", path="model", allowed="one of them")
        if "function" in model:
            return {**_function_of_file(model["function"], place), **own}
        return {"command": _command(model.get("command"), "model.command"), "directory": place, **own}
    return {"command": _command(model, "model"), "directory": place}


def code_version(model: Description | None) -> str:
    """Return the code version of a model for the keys of its runs: a hash of its own version, else its `digest`."""
    if model is None:
        return core.code_version()
    if "version" in model:
        return hashlib.sha256(json.dumps(["version", model["version"]]).encode()).hexdigest()
    return digest(model)


def digest(model: Description) -> str:
    """Return the digest of a model, whatever its own version is. SHA-256, of its command or function and its files.

    The files are those among the words of the command, or the file of the function; all that they import or include
    from their folder; and the declared ``files``.
    """
    found = hashlib.sha256(json.dumps(model.get("command") or model["function"]).encode())
    directory = Path(model["directory"])
    files = _program(model, directory)
    if "function" in model and not files:
        where = f"module {model['module']} in {model['directory']}"
        raise InputError("the model is not where it was", value=model["function"], allowed=where)
    for file in reached([*files, *(directory / name for name in model.get("files", ()))]):
        try:
            found.update(bytes.fromhex(sha256(file)))
        except OSError as error:
            problem = f"a file of the model cannot be read ({error.strerror or error})"
            raise InputError(problem, value=str(file), allowed="the files with which the campaign began") from None
    return found.hexdigest()


def evaluate(
    model: Description, parameters: Mapping[str, Any], seed: int, folder: Path | None = None
) -> dict[str, float | None]:
    """Return the numbers of a model by name. A number per response; None where nothing was measured.

    Raises an `InputError` for a value that is no finite number, and for one that is missing where ``missing`` of the
    description does not allow it. `folder`: an empty folder in which a program runs; by default a temporary one.
    """
    answer = (
        _run_command(model, parameters, seed, folder)
        if "command" in model
        else _imported(model["module"], model["function"], model["directory"])(dict(parameters), seed)
    )
    if not isinstance(answer, Mapping) or not answer:
        raise TypeError(f"the model answered {answer!r:.100}, not a mapping of names to numbers")
    given = {str(name): value for name, value in answer.items()}
    given |= dict.fromkeys(name for name in model.get("units", {}) if name not in given)
    may_be_missing = model.get("missing", ())
    return {name: _checked(name, value, name in may_be_missing) for name, value in given.items()}


def _checked(name: str, value: Any, may_be_missing: bool) -> float | None:
    """Return the value of a response; None and NaN are missing values."""
    number = math.inf
    with suppress(OverflowError):  # an integer that is too large
        if value is None or (isinstance(value, Real) and not isinstance(value, bool)):
            number = math.nan if value is None else float(value)
    if math.isinf(number):
        raise InputError("the model gave no finite number", path=name, value=value, allowed=_VALUE_ALLOWED)
    if not math.isnan(number):
        return number
    if not may_be_missing:
        raise InputError("the model gave no value", path=name, value=value, allowed=_VALUE_ALLOWED)
    return None


def _command(words: Any, path: str) -> list[str]:
    if not isinstance(words, list | tuple) or not words or not all(isinstance(word, str) and word for word in words):
        raise InputError("not a command line", path=path, value=words, allowed=_COMMAND_ALLOWED)
    return list(words)


def _declared(given: Any, directory: str) -> list[str]:
    """Return the files that patterns mean, from the folder of the model. No pattern stays: the list is the record."""
    if not isinstance(given, list | tuple) or not given or not all(isinstance(each, str) and each for each in given):
        raise InputError("not a list of files", path="model.files", value=given, allowed=_FILES_ALLOWED)
    found: list[str] = []
    for place, pattern in enumerate(given):
        names = sorted(glob.glob(pattern, root_dir=directory, recursive=True))  # noqa: PTH207 - takes any pattern
        files = [name for name in (pattern, *names) if is_file(Path(directory, name))]
        if not files:
            raise InputError("no such file", path=f"model.files[{place}]", value=pattern, allowed=_FILES_ALLOWED)
        found += files
    return list(dict.fromkeys(found))


def _function(model: Any) -> dict[str, Any]:
    """Return the place where other processes find the function; raise InputError if they cannot import it."""
    name, module = getattr(model, "__qualname__", ""), sys.modules.get(getattr(model, "__module__", ""))
    file = getattr(module, "__file__", None)
    if not name.isidentifier() or module is None or file is None:
        raise InputError("other processes cannot import it", path="model", value=name or model, allowed=_TOP_LEVEL)
    place = Path(file).resolve()
    if module.__name__ == "__main__":
        return {"function": name, "module": place.stem, "directory": str(place.parent)}
    depth = module.__name__.count(".") + (1 if place.name == "__init__.py" else 0)
    return {"function": name, "module": module.__name__, "directory": str(place.parents[depth])}


def _function_of_file(text: Any, directory: str) -> dict[str, Any]:
    """Return the function that ``file.py:name`` means, without importing it."""
    match = re.fullmatch(r"(\w+)\.py:(\w+)", text) if isinstance(text, str) else None
    if not match or not (Path(directory) / f"{match[1]}.py").is_file():
        allowed = 'a function of a Python file beside this one, such as "queue.py:simulate"'
        raise InputError("no such function", path="model.function", value=text, allowed=allowed)
    file = Path(directory) / f"{match[1]}.py"
    if not re.search(rf"\b{match[2]}\b", reading.read_bytes(file).decode(errors="replace")):
        raise InputError(f"{file.name} has no such function", path="model.function", value=text, allowed=_TOP_LEVEL)
    return {"function": match[2], "module": match[1], "directory": directory}


_IMPORTED_NOW: list[str] = []
"""Modules of functions whose import has not ended."""


def _imported(module: str, function: str, directory: str) -> Function:
    if directory not in sys.path:
        sys.path.insert(0, directory)
    _IMPORTED_NOW.append(module)
    try:
        found: Function = getattr(importlib.import_module(module), function)
    finally:
        _IMPORTED_NOW.pop()
    return found


def refuse_while_imported() -> None:
    """Raise an `InputError` if the import of a file begins a campaign in a process of a campaign.

    Each such process would start processes in turn, without end.
    """
    if _IMPORTED_NOW or getattr(multiprocessing.current_process(), "_inheriting", False):
        raise InputError(
            "its import begins a campaign, in every process of the campaign",
            file=f"{_IMPORTED_NOW[-1]}.py" if _IMPORTED_NOW else None,
            allowed='what begins a campaign below the line if __name__ == "__main__":',
        )


def _program(model: Description, directory: Path) -> list[Path]:
    """Return the files that a description names: words of the command and modules behind ``-m``, or the function's."""
    if "function" in model:
        return reached(module_files(model["module"], directory), directory)
    words = model["command"]
    named = [name for flag, name in pairwise(words) if flag == "-m"]
    modules = [file for name in named for file in module_files(f"{name}.__main__", directory)]
    return [*(directory / word for word in words if is_file(directory / word)), *reached(modules, directory)]


def _run_command(model: Description, parameters: Mapping[str, Any], seed: int, folder: Path | None) -> Any:
    given = json.dumps({"parameters": parameters, "seed": seed})
    directory = Path(model["directory"])
    with nullcontext(folder) if folder else TemporaryDirectory(ignore_cleanup_errors=True) as place:
        workplace.furnish(Path(place).resolve(), directory)
        words = workplace.located(model["command"], directory)
        done = subprocess.run(words, input=given, capture_output=True, text=True, cwd=place)
    sys.stderr.write(done.stderr)
    if done.returncode != 0:
        raise RuntimeError(f"the program ended with {_ending(done.returncode)}: {done.stderr.strip()[-_LOG_SHOWN:]}")
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise RuntimeError(f"the program printed no JSON object: {done.stdout.strip()[:_LOG_SHOWN]!r}") from None


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"
