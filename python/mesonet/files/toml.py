"""TOML files of users, and the scenarios and experiments of the package."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.files.reading import MOST_TOML_BYTES, read_text, refuse_deep_toml

#: Folders of the package with built-in scenarios and published experiments.
SCENARIOS, EXPERIMENTS = "scenarios/builtin", "experiments/published"


def builtin_names(folder: str) -> list[str]:
    """Return the names of the TOML files of a folder of the package.

    Parameters
    ----------
    folder
        `SCENARIOS` or `EXPERIMENTS`.

    Returns
    -------
    Names, sorted.
    """
    files = (resources.files("mesonet") / folder).iterdir()
    return sorted(entry.name.removesuffix(".toml") for entry in files if entry.name.endswith(".toml"))


def builtin_titles(folder: str) -> dict[str, str]:
    """Return the TOML files of a folder of the package.

    Parameters
    ----------
    folder
        `SCENARIOS` or `EXPERIMENTS`.

    Returns
    -------
    Title by name, in the order of the names.
    """
    files = resources.files("mesonet") / folder
    texts = {name: (files / f"{name}.toml").read_text() for name in builtin_names(folder)}
    return {name: str(tomllib.loads(text)["title"]) for name, text in texts.items()}


def find_toml(name: str, folder: str, what: str, beside: Path | None = None) -> tuple[str, str, Path | None]:
    """Return the text of a TOML file of the package or of a user.

    Parameters
    ----------
    name
        A built-in name, or the path of a file.
    folder
        `SCENARIOS` or `EXPERIMENTS`.
    what
        ``scenario`` or ``experiment``, for messages.
    beside
        The folder that relative paths start from; None: the working directory.

    Returns
    -------
    Text, name for messages, and folder of the file; None for a built-in one.

    Raises
    ------
    InputError
        If there is neither a built-in `what` of this name nor such a file, or the file is too large or not in UTF-8.
    """
    builtin = resources.files("mesonet") / folder / f"{name}.toml"
    if "/" not in name and builtin.is_file():
        return builtin.read_text(), f"{name}.toml", None
    path = (beside / name) if beside is not None else Path(name)
    if path.is_file():
        return read_text(path, MOST_TOML_BYTES, "a TOML file in UTF-8"), str(path), path.parent
    builtins = builtin_names(folder)
    problem = unknown(what, name, builtins).problem
    raise InputError(problem, value=name, allowed=f"{', '.join(builtins)}, or the path of a TOML file")


def read_toml(text: str, file: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Parameters
    ----------
    text
        The text.
    file
        The file, as messages name it.

    Returns
    -------
    Plain data.

    Raises
    ------
    InputError
        For a syntax error, deep nesting and long numbers. The error names the file.
    """
    refuse_deep_toml(text, file)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: also of numbers and dates that Python refuses
        raise InputError(f"not valid TOML: {error}", file=file) from None
