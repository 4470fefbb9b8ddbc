"""Licences and versions of dependencies, and the bill of materials that is made from them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from supply.check import ALLOWED, TWO_VERSIONS, is_allowed, problems
from supply.dependencies import Dependency, crates, distributions
from supply.sbom import text

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def dependencies() -> Iterator[list[Dependency]]:
    """Every dependency of this checkout."""
    return [*crates(), *distributions()]


def test_every_dependency_is_found_and_allowed(dependencies: list[Dependency]) -> None:
    locked = re.findall(r'^name = "(.+)"\nversion = "(.+)"', (ROOT / "Cargo.lock").read_text(), re.MULTILINE)
    found = {(each.name, each.version) for each in dependencies if each.ecosystem == "cargo"}
    assert found == {each for each in locked if not each[0].startswith("mesonet-")}
    scopes = {each.name: each.scope for each in dependencies if each.ecosystem == "pypi"}
    assert {"numpy": "required", "typing-extensions": "required", "distributed": "optional"}.items() <= scopes.items()
    assert scopes["hypothesis"] == "development"
    assert problems(dependencies) == []


def test_a_dependency_that_is_not_allowed_is_named(dependencies: list[Dependency]) -> None:
    numpy = next(each for each in dependencies if each.name == "numpy")
    others = [each for each in dependencies if each.name != "numpy"]
    for licence, shown in (("GPL-3.0-only", "GPL-3.0-only"), ("", "no known licence"), ("MIT AND", "MIT AND")):
        assert problems([*others, replace(numpy, licence=licence)]) == [
            f"pypi numpy {numpy.version} (required): {shown}"
        ]
    serde = next(each for each in dependencies if each.name == "serde")
    assert problems([*dependencies, replace(serde, version="0.9.1")]) == [
        f"cargo serde: versions 0.9.1, {serde.version}"
    ]
    pathspec = next(each for each in dependencies if each.licence == "MPL-2.0")
    assert problems([*dependencies, replace(pathspec, scope="required")])
    single = [each for each in dependencies if (each.name, each.version[:2]) != ("syn", "2.")]
    assert problems(single) == ["cargo syn: has one version; remove it from TWO_VERSIONS"]
    assert all(TWO_VERSIONS.values())


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT OR GPL-3.0-only", True), ("MIT AND GPL-3.0-only", False), ("(MIT OR X) AND Zlib", True),
        ("Apache-2.0 WITH LLVM-exception", True), ("Apache-2.0 WITH Other-exception", False), ("", False),
        ("GPL-2.0-only OR (LGPL-2.1-or-later AND MIT)", False),
    ],
)  # fmt: skip
def test_expressions(licence: str, allowed: bool) -> None:
    assert is_allowed(licence, ALLOWED) == allowed


def test_the_bill_of_materials_is_valid_and_complete(dependencies: list[Dependency]) -> None:
    bill = text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill) is None
    assert text() == bill
    content = json.loads(bill)
    listed = {each["bom-ref"]: each for each in content["components"]}
    assert len(listed) == sum(each.scope != "development" for each in dependencies)
    assert not [name for name, each in listed.items() if not each["licenses"]]
    assert not [name for name in listed if "hypothesis" in name or "proptest" in name]
    needs = {each["ref"]: each.get("dependsOn", []) for each in content["dependencies"]}
    assert set(needs["mesonet"]) == set(listed)
    (pandas,) = (name for name in listed if name.startswith("pkg:pypi/pandas@"))
    assert any(each.startswith("pkg:pypi/numpy@") for each in needs[pandas])
