"""Plug-ins that this process has loaded, by the name that they declare."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mesonet import core, plugin_exit
from mesonet.errors import InputError
from mesonet.files import reading
from mesonet.plugins.files import LINUX, digest, located
from mesonet.plugins.names import ALLOWED, is_file


@dataclass(frozen=True)
class Plugin:
    """A congestion control of a user."""

    algorithm: core.Algorithm  #: name, title, source and constants that it declares
    #: Absolute path; of a Python file with ``:NAME``, of a module of Linux with ``linux:``; empty for production
    #: software that is part of the build.
    file: str
    digest: str  #: digest of the file, or version of the software; a part of the canonical scenario
    pointers: bool  #: True if the state of a flow has pointers: no snapshots, no undo


_LOADED: dict[str, Plugin] = {}


@cache
def _load_the_build() -> None:
    """Load, once, the controls and stacks that this build has (crates/production, crates/stacks)."""
    for about in json.loads(core.module().load_production()):
        plugin = Plugin(core.algorithm(about["algorithm"]), "", about["digest"], about["pointers"])
        _LOADED[plugin.algorithm.name] = plugin


def by_name() -> Mapping[str, Plugin]:
    """Return the plug-ins of the build, and those that were loaded.

    Plug-in by declared name, in the order of loading.
    """
    _load_the_build()
    return _LOADED


def known() -> dict[str, core.Algorithm]:
    """Return every algorithm that has a name here: the built-in algorithms, then plug-ins."""
    return {**core.algorithms(), **{name: plugin.algorithm for name, plugin in by_name().items()}}


def load(text: str, directory: str | Path | None = None) -> Plugin:
    """Return the plug-in of a file that the user names, loaded unless this very content is.

    A file that changed replaces the plug-in that it was. Runs in progress keep the functions that they began with.

    `text`: path of a file ``.c``, ``.cpp``, ``.zig``, ``.so``; ``FILE.py:NAME``; or ``linux:FILE.c``, a module of
    Linux.
    """
    text = text.strip()
    if not is_file(text):
        raise InputError("not the file of a plug-in", value=text, allowed=ALLOWED)
    file, part, shown = located(text, directory)
    if shown.startswith(LINUX) and file.suffix != ".c":
        raise InputError("not a module of Linux", value=shown, allowed="a file .c")
    found = digest(file, part)
    for plugin in _LOADED.values():
        if plugin.file == shown and plugin.digest == found:
            return plugin
    if file.suffix == ".py" and not part:
        from mesonet.plugins.classes import names

        allowed = " or ".join(f"{text}:{name}" for name in names(file)) or ALLOWED
        raise InputError("no class of the file is named", value=text, allowed=allowed)
    plugin_exit.before(shown)
    core.module().loading(shown)
    try:
        address = _address(file, part, found)
    finally:
        core.module().loading(None)
    try:
        about = json.loads(core.module().load_plugin(address, found))
    except ValueError as error:
        problem, _, allowed = str(error).partition("; allowed: ")
        raise InputError(problem, file=shown, allowed=allowed) from None
    plugin = Plugin(core.algorithm(about["algorithm"]), shown, found, about["pointers"])
    other = by_name().get(plugin.algorithm.name)
    if other and other.digest != plugin.digest and other.file != plugin.file:
        owner = other.file or "a congestion control of this build"
        problem = f"its name is {plugin.algorithm.name}, and {owner} has this name"
        raise InputError(problem, value=shown, allowed="a name of its own for each plug-in")
    _LOADED[plugin.algorithm.name] = plugin
    return plugin


def machine_code(name: str) -> str | None:
    """Return the digest of the library that was compiled from a plug-in; None for a class in Python.

    `name`: name of a plug-in that is loaded, or of a variant.
    """
    plugin = by_name()[name.partition("(")[0]]
    file, part, _ = located(plugin.file)
    if file.suffix == ".py":
        return None
    from mesonet.plugins import library

    return hashlib.sha256(reading.read_bytes(library.compiled(file, plugin.digest, part))).hexdigest()


def _address(file: Path, part: str, digest: str) -> int:
    """Return the address of the table of functions of a plug-in."""
    if file.suffix == ".py":
        from mesonet.plugins.classes import table

        return table(file, part)
    from mesonet.plugins import library

    return library.table(file, digest, part)


def find_loaded(text: str, directories: Iterable[str | Path | None]) -> Plugin | None:
    """Return the plug-in of a file that was loaded before; None if there is none. Loads nothing.

    `directories`: folders from which a relative path may start.
    """
    files = [_place(text, directory) for directory in directories]
    return next((plugin for plugin in _LOADED.values() if plugin.file and _place(plugin.file) in files), None)


def _place(text: str, directory: str | Path | None = None) -> tuple[str, str]:
    file, part, _ = located(text.strip(), directory)
    return os.path.realpath(file), part


def exists(text: str, directory: str | Path | None = None) -> bool:
    """Return True if the file of a plug-in exists. Loads nothing."""
    return reading.is_file(located(text.strip(), directory)[0])


def used(scenarios: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Return the plug-ins of canonical scenarios, as a campaign folder records them.

    ``file`` and ``digest`` by declared name.
    """
    found = {}
    for scenario in scenarios:
        for entry in scenario["algorithms"]:
            if "plugin" in entry:
                plugin = by_name()[entry["name"].partition("(")[0]]
                if not plugin.file:
                    continue  # part of the build
                found[plugin.algorithm.name] = {"file": plugin.file, "digest": entry["plugin"]}
    return found


def refuse_changed(plugins: Mapping[str, Mapping[str, str]]) -> None:
    """Raise an `InputError` if a file of a plug-in is not as it was when the campaign began. Loads nothing.

    `plugins`: ``file`` and ``digest`` by name, as `used` returns them.
    """
    for name, about in plugins.items():
        here = digest(*located(about["file"])[:2])
        if here != about["digest"]:
            problem = f"a file of plug-in {name} changed from {about['digest'][:12]} to {here[:12]} after the start"
            raise InputError(problem, value=about["file"], allowed="the file as it was, or a new campaign folder")


def use(plugins: Mapping[str, Mapping[str, str]]) -> list[Plugin]:
    """Return the plug-ins of a campaign that the user trusts, loaded.

    `plugins`: ``file`` and ``digest`` by name, as `used` returns them.
    """
    refuse_changed(plugins)
    return [load(about["file"]) for about in plugins.values()]
