"""Experiment designs: which conditions to run, and which effects they distinguish. Usable without networks.

May import the ground. Offers designs of two and more levels, sampled designs, blocks, added runs, the search for a
design, and plans to fill in.
"""

from __future__ import annotations

from mesonet.designs.augment import Augmented, centre_points, foldover, replicates, semifold
from mesonet.designs.blocking import Blocking, blocks, confounded
from mesonet.designs.choose import by_resolution, by_runs, next_larger
from mesonet.designs.grid import full_factorial
from mesonet.designs.named import named
from mesonet.designs.optimal import Optimal, d_optimal
from mesonet.designs.plan import plan
from mesonet.designs.sampling import latin_hypercube, sobol
from mesonet.designs.screening import one_at_a_time, plackett_burman
from mesonet.designs.sensitivity_plans import morris, saltelli
from mesonet.designs.surfaces import box_behnken, central_composite, definitive_screening
from mesonet.designs.two_level import Design, two_level

__all__ = [
    "Augmented", "Blocking", "Design", "Optimal", "blocks", "box_behnken", "by_resolution", "by_runs",
    "central_composite", "centre_points", "confounded", "d_optimal", "definitive_screening", "foldover",
    "full_factorial", "latin_hypercube", "morris", "named", "next_larger", "one_at_a_time", "plackett_burman", "plan",
    "replicates", "saltelli", "semifold", "sobol", "two_level",
]  # fmt: skip
