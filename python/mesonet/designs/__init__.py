"""Experiment designs: which conditions to run, and what they can and cannot tell apart."""

from mesonet.designs.two_level import Design, two_level

__all__ = ["Design", "two_level"]
