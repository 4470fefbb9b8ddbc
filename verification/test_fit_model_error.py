"""The errors by which `mesonet fit` widens its what-ifs are those of the kernel's tables: ``make verify``."""

from __future__ import annotations

from mesonet.fitting.what_if import MODEL_ERROR
from verification.witness.kernel.model_error import errors


def test_what_ifs_are_widened_by_the_errors_against_the_kernel() -> None:
    assert errors() == MODEL_ERROR
