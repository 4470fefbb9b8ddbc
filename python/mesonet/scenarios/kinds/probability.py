"""Probabilities and shares: plain numbers."""

from __future__ import annotations

from mesonet.scenarios.kinds.number import Number


class Probability(Number):
    """Kind of probabilities and shares."""

    name = "probability"


PROBABILITY = Probability()
