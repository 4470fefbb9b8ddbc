"""Topologies: a built-in name, or a network of a file, with options of its reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mesonet import topologies
from mesonet.scenarios.kinds.kind import Kind, Place


class Topology(Kind):
    """Kind of maps of routers and links."""

    name = "topology"

    def __init__(self, *builtin: str) -> None:
        self.choices = builtin

    def parse(self, value: Any, place: Place) -> Any:
        """Return the built-in name, or the network."""
        return topologies.find(value, self.choices)

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return the built-in name, or the network of the file."""
        return topologies.find(value, self.choices, directory)

    def allowed(self, path: str) -> str:
        """Return the built-in names, and files."""
        return f"{', '.join(self.choices)}, {topologies.ALLOWED}"
