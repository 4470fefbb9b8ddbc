"""Refuse a dependency whose licence is not in the list, and a crate of two versions: ``make check``."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable

from license_expression import ExpressionError, LicenseExpression, get_spdx_licensing

from supply.dependencies import Dependency, crates, distributions

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "LicenseRef-BSD",
    "MIT",
    "PSF-2.0",
    "Unicode-3.0",
    "Zlib",
}
"""Licences of packages that users install: permissive ones, which demand a notice at most."""
ALLOWED_IN_DEVELOPMENT = ALLOWED | {"MPL-2.0"}
"""Licences of packages that only build or test mesonet, and are not distributed with it."""
TWO_VERSIONS = {
    "bitflags": "smoltcp, of builds with stacks only, requires 1; others require 2",
    "embedded-io": "postcard names two versions in its optional features, which mesonet does not enable",
    "getrandom": "QUIC stacks require 0.4, their ring for browsers 0.2, and proptest, of the tests only, 0.3",
    "r-efi": "getrandom 0.3 and 0.4 require one each, for UEFI only",
    "rand": "QUIC stacks require 0.10; proptest, of the tests only, requires 0.9",
    "rand_core": "rand requires it",
    "syn": "zerocopy-derive, of the tests only, requires 2; the macros of pyo3 and serde require 3",
}
"""Reason by crate that may occur in two versions."""
THREE_VERSIONS = {"getrandom"}
"""Crates of these that may occur in three."""

_LICENSING = get_spdx_licensing()


def problems(dependencies: Iterable[Dependency]) -> list[str]:
    """Return a line for each dependency that is not allowed. Lines; empty if all are allowed."""
    found, versions = [], defaultdict(set)
    for each in dependencies:
        versions[each.ecosystem, each.name].add(each.version)
        allowed = ALLOWED_IN_DEVELOPMENT if each.scope == "development" else ALLOWED
        if not is_allowed(each.licence, allowed):
            shown = each.licence or "no known licence"
            found.append(f"{each.ecosystem} {each.name} {each.version} ({each.scope}): {shown}")
    for (ecosystem, name), different in versions.items():
        if len(different) > 1 and name not in TWO_VERSIONS:
            found.append(f"{ecosystem} {name}: versions {', '.join(sorted(different))}")
        if len(different) > 2 + (name in THREE_VERSIONS):
            found.append(f"{ecosystem} {name}: {len(different)} versions")
    idle = [name for name in TWO_VERSIONS if len(versions["cargo", name]) == 1]
    return found + [f"cargo {name}: has one version; remove it from TWO_VERSIONS" for name in idle]


def is_allowed(licence: str, allowed: set[str]) -> bool:
    """Return True if an expression of SPDX can be met by allowed licences."""
    try:
        parsed = _LICENSING.parse(licence, validate=False)
    except ExpressionError:
        return False
    return parsed is not None and _is_met(parsed, allowed)


def _is_met(parsed: LicenseExpression, allowed: set[str]) -> bool:
    if isinstance(parsed, _LICENSING.AND):
        return all(_is_met(each, allowed) for each in parsed.args)
    if isinstance(parsed, _LICENSING.OR):
        return any(_is_met(each, allowed) for each in parsed.args)
    return parsed.render() in allowed


def main() -> int:
    """Print what is not allowed; return the exit code."""
    wrong = problems([*crates(), *distributions()])
    sys.stderr.write("".join(f"{line}\n" for line in wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
