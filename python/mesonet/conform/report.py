"""The report of a conformance: which checks there are, and what they found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mesonet import core
from mesonet._version import __version__
from mesonet.conform.finding import ERROR, FAIL, KNOWN, PASS, SKIPPED, About, Finding


@dataclass(frozen=True)
class Outline:
    """Checks of an algorithm, as they are known before they are made."""

    algorithm: str  #: canonical name of the algorithm, or of a variant
    baseline: str | None  #: name of the baseline
    checks: tuple[About, ...]  #: the checks, in their order
    values: Mapping[str, str] = field(default_factory=dict)  #: values of --set in every scenario, by path
    machine_code: str | None = None  #: digest of the library of a mutant; None for Python, and if it is no mutant
    compared: str = ""  #: note on a module of Linux that was never compared with a kernel


def failed(found: Sequence[Finding]) -> bool:
    """Return True if a check failed or did not end; known failures do not count."""
    return any(each.verdict in (FAIL, ERROR) for each in found)


def counts(found: Sequence[Finding]) -> dict[str, int]:
    """Return the number of findings by verdict."""
    return {verdict: sum(each.verdict == verdict for each in found) for verdict in (PASS, FAIL, ERROR, KNOWN, SKIPPED)}


def document(outline: Outline, found: Sequence[Finding]) -> dict[str, Any]:
    """Return a report as plain data."""
    return {
        "algorithm": outline.algorithm,
        **({"compared": outline.compared} if outline.compared else {}),
        "mesonet": __version__,
        "code_version": core.code_version(),
        "set": dict(outline.values),
        "baseline": outline.baseline,
        "counts": counts(found),
        "findings": [each.document() for each in found],
    }
