"""The packages that mesonet depends on: crates of ``cargo metadata``, and the installed distributions of Python."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
OPTIONAL = ("dask", "dataframes", "mutants", "python-cc", "topologies", "viz")
"""Extras of ``pyproject.toml`` for users."""
DEVELOPMENT = "test"
"""Extra for developers."""

CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "LicenseRef-BSD",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""Identifier of SPDX by classifier of PyPI; `LicenseRef-BSD`: with two or three clauses."""
WORDS = {
    "Apache 2.0": "Apache-2.0",
    "Apache-2.0": "Apache-2.0",
    "BSD": "LicenseRef-BSD",
    "BSD-2-Clause": "BSD-2-Clause",
    "BSD-3-Clause": "BSD-3-Clause",
    "MIT": "MIT",
}
"""Identifier of SPDX by the field ``License`` of distributions without a classifier."""
FILES = {"MIT License": "MIT"}
"""Identifier of SPDX by the first line of the licence file of distributions without any other entry."""


@dataclass(frozen=True)
class Dependency:
    """A package that mesonet depends on."""

    ecosystem: str  #: ``cargo`` or ``pypi``
    name: str
    version: str  #: version of the package
    licence: str  #: expression of SPDX; empty if the package gives none that is known here
    scope: str  #: ``required`` or ``optional`` to run mesonet, or ``development``: to build or test it
    #: Names and versions of the packages that it depends on, in the same ecosystem.
    needs: tuple[tuple[str, str], ...] = ()


def crates() -> list[Dependency]:
    """Return every crate of ``Cargo.lock``, of every platform, without the crates of mesonet.

    A crate is required if it is a part of the extension module on this platform, macros included, and optional if a
    feature of the build adds it.
    """
    found = json.loads(_cargo("metadata", "--format-version", "1", "--locked", "--all-features"))
    required, built = _module(), _module("--all-features")
    by_id = {each["id"]: (each["name"], each["version"]) for each in found["packages"]}
    licences = {each["id"]: (each["license"] or "").replace("/", " OR ") for each in found["packages"]}
    return [
        Dependency(
            "cargo",
            *each,
            licences[node["id"]],
            "required" if each in required else "optional" if each in built else "development",
            tuple(sorted(by_id[need["pkg"]] for need in node["deps"])),
        )
        for node in found["resolve"]["nodes"]
        for each in [by_id[node["id"]]]
        if node["id"] not in found["workspace_members"]
    ]


def _module(*features: str) -> set[tuple[str, str]]:
    """Return names and versions of the crates of the extension module."""
    words = ["--package", "mesonet-py", "--edges", "normal", "--prefix", "none", "--locked", *features]
    return set(re.findall(r"^(\S+) v(\S+)", _cargo("tree", *words), re.MULTILINE))


def _cargo(*words: str) -> str:
    return subprocess.run(["cargo", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def distributions() -> list[Dependency]:
    """Return every installed distribution that mesonet requires, with its extras, and what these require."""
    scopes: dict[str, str] = {}
    for scope, extras in (("required", ()), ("optional", OPTIONAL), ("development", (DEVELOPMENT,))):
        for name in _required("mesonet", extras):
            scopes.setdefault(name, scope)
    del scopes["mesonet"]
    found = []
    for name, scope in sorted(scopes.items()):
        distribution = metadata.distribution(name)
        needs = ((each, metadata.version(each)) for each in _requirements(distribution, ()) if each in scopes)
        found.append(
            Dependency(
                ecosystem="pypi",
                name=name,
                version=distribution.version,
                licence=_licence(distribution),
                scope=scope,
                needs=tuple(sorted(needs)),
            )
        )
    return found


def _required(name: str, extras: tuple[str, ...]) -> list[str]:
    """Return the names of a distribution and of all that it requires, as far as installed."""
    seen, waiting = {(name, extras)}, [(name, extras)]
    while waiting:
        current, its_extras = waiting.pop()
        for requirement in _parsed(metadata.distribution(current), its_extras):
            wanted = (str(canonicalize_name(requirement.name)), tuple(sorted(requirement.extras)))
            if wanted not in seen:
                seen.add(wanted)
                waiting.append(wanted)
    return list(dict.fromkeys(each for each, _ in sorted(seen)))


def _parsed(distribution: metadata.Distribution, extras: tuple[str, ...]) -> Iterator[Requirement]:
    for text in distribution.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def _requirements(distribution: metadata.Distribution, extras: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(str(canonicalize_name(each.name)) for each in _parsed(distribution, extras)))


def _licence(distribution: metadata.Distribution) -> str:
    about = distribution.metadata
    if expression := about.get("License-Expression"):
        return str(expression)
    classifiers = [each.rpartition("::")[2].strip() for each in about.get_all("Classifier") or []]
    if known := [CLASSIFIERS[each] for each in classifiers if each in CLASSIFIERS]:
        return " AND ".join(dict.fromkeys(known))
    if word := WORDS.get((about.get("License") or "").strip()):
        return word
    for file in distribution.files or ():
        if file.name.upper().startswith("LICEN"):
            return FILES.get(file.read_text().strip().partition("\n")[0].strip(), "")
    return ""
