"""Who sends to whom (path ``users.traffic``): a rule, or a matrix of demands between routers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mesonet.errors import unknown
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.matrix import Matrix

RULES = ("tiers", "gravity")
"""Rules for a network without a matrix."""


class Traffic(Matrix):
    """Kind of rules and traffic matrices."""

    name = "traffic"

    def parse(self, value: Any, place: Place) -> Any:
        """Return the rule, or the demands."""
        return value if isinstance(value, str) and value in RULES else super().parse(value, place)

    def allowed(self, path: str) -> str:
        """Return the rules and the forms of a matrix."""
        return f"{', '.join(RULES)}, {super().allowed(path)}"

    def show(self, value: Any) -> str:
        """Return the rule, or the demands."""
        return value if isinstance(value, str) else super().show(value)

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return the rule, or the demands of the file."""
        return value if isinstance(value, str) and value in RULES else super().with_file(value, directory)

    def no_file(self, name: str) -> str:
        """Return the problem of a name that neither a rule nor a file has."""
        is_path = "/" in name or Path(name).suffix
        return super().no_file(name) if is_path else unknown("rule", name, RULES).problem


TRAFFIC = Traffic("users.traffic")
