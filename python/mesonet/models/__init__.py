"""Models: Python functions and programs that a campaign can run instead of the simulator.

May import the ground.
"""

from __future__ import annotations

from mesonet.models.model import Description, code_version, described, digest, evaluate, refuse_while_imported

__all__ = ["Description", "code_version", "described", "digest", "evaluate", "refuse_while_imported"]
