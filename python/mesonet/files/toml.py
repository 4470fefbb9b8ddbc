"""TOML files of users, and the scenarios and experiments of the package."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.files.reading import MOST_TOML_BYTES, printable, read_text, refuse_deep_toml

#: Folders of the package with built-in scenarios and published experiments.
SCENARIOS, EXPERIMENTS = "scenarios/builtin", "experiments/published"


def builtin_names(folder: str) -> list[str]:
    """Return the names of the TOML files of a folder of the package.

    Names, sorted. `folder`: `SCENARIOS` or `EXPERIMENTS`.
    """
    return sorted(path.stem for path in builtin_folder(folder).glob("*.toml"))


@cache
def builtin_folder(folder: str) -> Path:
    """Return a folder of the package, with the TOML files and the files that they name.

    `folder`: `SCENARIOS` or `EXPERIMENTS`.
    """
    return Path(__file__).parents[1] / folder


def builtin_titles(folder: str) -> dict[str, str]:
    """Return the TOML files of a folder of the package.

    Title by name, in the order of the names. `folder`: `SCENARIOS` or `EXPERIMENTS`.
    """
    texts = {name: (builtin_folder(folder) / f"{name}.toml").read_text() for name in builtin_names(folder)}
    return {name: str(tomllib.loads(text)["title"]) for name, text in texts.items()}


def is_builtin(name: str, folder: str) -> bool:
    """Return True for the name of a TOML file of a folder of the package: `SCENARIOS` or `EXPERIMENTS`."""
    return "/" not in name and (builtin_folder(folder) / f"{name}.toml").is_file()


def find_toml(name: str, folder: str, what: str, beside: Path | None = None) -> tuple[str, str, Path | None]:
    """Return the text of a TOML file of the package or of a user.

    Text, name for messages, and folder of the file; None for a built-in one. `folder`: `SCENARIOS` or `EXPERIMENTS`.
    `what`: ``scenario`` or ``experiment``, for messages.
    """
    if is_builtin(name, folder):
        return (builtin_folder(folder) / f"{name}.toml").read_text(), f"{name}.toml", None
    path = (beside / name) if beside is not None else Path(name)
    if path.is_file():
        return read_text(path, MOST_TOML_BYTES, "a TOML file in UTF-8"), printable(path), path.parent
    builtins = builtin_names(folder)
    problem = unknown(what, name, builtins).problem
    raise InputError(problem, value=name, allowed=f"{', '.join(builtins)}, or the path of a TOML file")


def identity(file: str, directory: Path | None) -> str:
    """Return one text for a file, however it was named; `file`, `directory`: as `find_toml` returns them."""
    return file if directory is None else os.path.realpath(file)


def read_toml(text: str, file: str) -> dict[str, Any]:
    """Return the tables of a TOML text."""
    refuse_deep_toml(text, file)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: also of numbers and dates that Python refuses
        allowed = 'lines such as key = "text" or key = 1, under tables such as [network] or [[flows]]'
        raise InputError(f"not valid TOML: {error}", file=file, allowed=allowed) from None


def toml_lines(values: Mapping[str, Any], flows: Sequence[Mapping[str, Any]] = (), table: str = "") -> list[str]:
    """Return the lines of a file that set values by path, and flows.

    `values`: texts, numbers and lists of them. `table`: table of values by path that they are in, such as ``set``.
    """
    keys = {path: f'{table}."{path}"' if table else path for path in values}
    lines = [f"{keys[path]} = {json.dumps(value, ensure_ascii=False)}" for path, value in values.items()]
    head = f"[[{table}.flows]]" if table else "[[flows]]"
    for flow in flows:
        lines += ["", head, *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in flow.items())]
    return lines
