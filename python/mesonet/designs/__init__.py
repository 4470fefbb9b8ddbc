"""Experiment designs: which conditions to run, and which effects they distinguish. Usable without networks.

May import the ground. Offers designs of two levels, sampled designs, blocks, added runs, and the search for a design.
"""

from __future__ import annotations

from mesonet.designs.augment import Augmented, centre_points, foldover, replicates, semifold
from mesonet.designs.blocking import Blocking, blocks, confounded
from mesonet.designs.choose import by_resolution, by_runs, next_larger
from mesonet.designs.named import named
from mesonet.designs.sampling import latin_hypercube, sobol
from mesonet.designs.screening import one_at_a_time, plackett_burman
from mesonet.designs.two_level import Design, two_level

__all__ = [
    "Augmented", "Blocking", "Design", "blocks", "by_resolution", "by_runs", "centre_points", "confounded", "foldover",
    "latin_hypercube", "named", "next_larger", "one_at_a_time", "plackett_burman", "replicates", "semifold", "sobol",
    "two_level",
]  # fmt: skip
