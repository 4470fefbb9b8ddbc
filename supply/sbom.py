"""Write the software bill of materials (CycloneDX 1.6, JSON) of the package: ``make sbom``.

It lists the crates of the extension module, macros included, and the installed distributions that users need. Equal
dependencies give equal bytes: it has no time stamp, and its serial number follows from its content.
"""

from __future__ import annotations

import sys
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

import mesonet
from supply.dependencies import Dependency, crates, distributions

_SCOPES = {"required": ComponentScope.REQUIRED, "optional": ComponentScope.OPTIONAL}
_LICENCES = LicenseFactory()


def text() -> str:
    """Return the bill of materials."""
    listed = [each for each in (*crates(), *distributions()) if each.scope in _SCOPES]
    components = {(each.ecosystem, each.name, each.version): _component(each) for each in listed}
    bom = Bom()
    bom.metadata.timestamp = None
    bom.metadata.component = root = Component(
        name="mesonet",
        type=ComponentType.APPLICATION,
        version=mesonet.__version__,
        bom_ref="mesonet",
        licenses=[_LICENCES.make_with_id("Apache-2.0")],
    )
    bom.components.update(components.values())
    bom.register_dependency(root, components.values())
    for each in listed:
        needed = [components[key] for need in each.needs if (key := (each.ecosystem, *need)) in components]
        bom.register_dependency(components[each.ecosystem, each.name, each.version], needed)
    bom.serial_number = uuid5(NAMESPACE_URL, "\n".join(sorted(str(each.purl) for each in components.values())))
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _component(each: Dependency) -> Component:
    address = PackageURL(type=each.ecosystem, name=each.name, version=each.version)
    return Component(
        name=each.name,
        version=each.version,
        bom_ref=str(address),
        purl=address,
        scope=_SCOPES[each.scope],
        licenses=[_LICENCES.make_from_string(each.licence)] if each.licence else (),
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")
