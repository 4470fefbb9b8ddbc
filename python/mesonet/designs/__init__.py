"""Experiment designs: which conditions to run, and what they can and cannot tell apart. Usable without networks."""

from mesonet.designs.choose import by_resolution, by_runs
from mesonet.designs.named import named
from mesonet.designs.two_level import Design, two_level

__all__ = ["Design", "by_resolution", "by_runs", "named", "two_level"]
