"""Models that a campaign can run besides networks: a Python function or a program.

A function is called with a dict of parameters and a seed and returns a mapping of names to numbers. A program gets
``{"parameters": {...}, "seed": 1}`` on standard input and prints a JSON object of names and numbers. An experiment
with algorithms passes the algorithm of the run as the parameter ``algorithm``. A model must return equal numbers for
equal parameters and seed: this makes a campaign resumable.

A model is described by plain data, which a campaign folder holds: ``{"command": [...], "directory": ...}`` or
``{"function": ..., "module": ..., "directory": ...}``, both with an optional ``version``. No description: the
network.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import multiprocessing
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mesonet import core
from mesonet.errors import InputError
from mesonet.files import reading
from mesonet.files.checksums import sha256

Description = Mapping[str, Any]
Function = Callable[[dict[str, Any], int], Mapping[str, float | None]]

_COMMAND_ALLOWED = 'a list of words such as ["python3", "queue.py"]'
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
            if key not in ("command", "function", "version"):
                raise InputError("unknown key", path=f"model.{key}", allowed="command or function, version")
        version = model.get("version")
        if version is not None and not isinstance(version, str):
            raise InputError("not text", path="model.version", value=version, allowed="text in quotes")
        own = {"version": version} if version is not None else {}
        if "function" in model and "command" in model:
            raise InputError("a function and a command", path="model", allowed="one of them")
        if "function" in model:
            return {**_function_of_file(model["function"], place), **own}
        return {"command": _command(model.get("command"), "model.command"), "directory": place, **own}
    return {"command": _command(model, "model"), "directory": place}


def code_version(model: Description | None) -> str:
    """Return the code version of a model for the keys of its runs: a hash of its own version, else of its files.

    The files are the file of the function, or the files among the words of the command.
    """
    if model is None:
        return core.code_version()
    if "version" in model:
        return hashlib.sha256(json.dumps(["version", model["version"]]).encode()).hexdigest()
    digest = hashlib.sha256(json.dumps(model.get("command") or model["function"]).encode())
    files = _files(model)
    if "function" in model and not files and not _is_compiled(model):
        where = f"module {model['module']} in {model['directory']}"
        raise InputError("the model is not where it was", value=model["function"], allowed=where)
    for file in files:
        digest.update(bytes.fromhex(sha256(file)))
    return digest.hexdigest()


def evaluate(model: Description, parameters: Mapping[str, Any], seed: int) -> dict[str, float | None]:
    """Return the numbers of a model by name. A number per response; None where nothing was measured."""
    answer = (
        _run_command(model, parameters, seed)
        if "command" in model
        else _imported(model["module"], model["function"], model["directory"])(dict(parameters), seed)
    )
    if not isinstance(answer, Mapping) or not answer:
        raise TypeError(f"the model answered {answer!r:.100}, not a mapping of names to numbers")
    numbers: dict[str, float | None] = {}
    for name, value in answer.items():
        number = None if value is None else float(value)
        numbers[str(name)] = None if number is None or math.isnan(number) else number
    return numbers


def _command(words: Any, path: str) -> list[str]:
    if not isinstance(words, list | tuple) or not words or not all(isinstance(word, str) and word for word in words):
        raise InputError("not a command line", path=path, value=words, allowed=_COMMAND_ALLOWED)
    return list(words)


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


def _files(model: Description) -> list[Path]:
    directory = Path(model["directory"])
    if "command" in model:
        return [directory / word for word in model["command"] if (directory / word).is_file()]
    base = directory.joinpath(*model["module"].split("."))
    return [file for file in (base.with_suffix(".py"), base / "__init__.py") if file.is_file()]


def _is_compiled(model: Description) -> bool:
    """Return True if the module is there in another form than source."""
    base = Path(model["directory"]).joinpath(*model["module"].split("."))
    return any(base.parent.glob(f"{base.name}.*"))


def _run_command(model: Description, parameters: Mapping[str, Any], seed: int) -> Any:
    given = json.dumps({"parameters": parameters, "seed": seed})
    done = subprocess.run(model["command"], input=given, capture_output=True, text=True, cwd=model["directory"])
    sys.stderr.write(done.stderr)
    if done.returncode != 0:
        raise RuntimeError(f"the program ended with {_ending(done.returncode)}: {done.stderr.strip()[-_LOG_SHOWN:]}")
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise RuntimeError(f"the program printed no JSON object: {done.stdout.strip()[:_LOG_SHOWN]!r}") from None


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"
