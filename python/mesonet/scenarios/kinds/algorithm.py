"""Names of algorithms and variants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mesonet import algorithms
from mesonet.scenarios.kinds.kind import Kind, Place


class Algorithm(Kind):
    """Kind of names of an algorithm, a variant, or the file of a plug-in."""

    name = "algorithm"

    def parse(self, value: Any, place: Place) -> Any:
        """Return the canonical name."""
        return algorithms.resolve(value).name

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return the name that the file of a plug-in declares."""
        return algorithms.with_plugins(value, directory)

    def allowed(self, path: str) -> str:
        """Return no words: `mesonet list algorithms` has the names."""
        return ""


ALGORITHM = Algorithm()
