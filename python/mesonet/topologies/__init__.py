"""Networks of users: the class of a topology, and readers for CSV, GraphML, GML and the collection topohub.

May import the ground. `find` returns a topology by name or file.
"""

from __future__ import annotations

from mesonet.topologies.find import ALLOWED, find
from mesonet.topologies.model import CLASSES, Link, Router, Topology

__all__ = ["ALLOWED", "CLASSES", "Link", "Router", "Topology", "find"]
