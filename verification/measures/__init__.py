"""Measures of the numbers of claims, by the names that claims use; a file for each kind of measurement.

May import `mesonet` and `verification.scorecard`.

Arguments that measures share:

campaigns
    The campaigns of the claims, seen at one seed.
experiment, other
    Name of a campaign, and of the campaign to compare with.
algorithm, of, to
    An algorithm of the campaign, and algorithms to compare.
condition
    Number, from 1, in the order of the design.
flow
    Number of an explicit flow, from 1.
span
    Beginning, excluded, and end of an interval, s.
name, names
    A response, and responses.
period
    A measured period, or ``measured`` for the whole measured span.
connections, buffer
    The condition with this number of connections and this buffer, packets (Part G).
without
    Algorithms to leave out.

A measure raises `verification.scorecard.reasons.NotEvaluated` if its number cannot be measured, and `NotRun` if its
campaign is absent and takes too long to run.
"""

from __future__ import annotations

from collections.abc import Callable

from verification.measures import (
    arithmetic,
    comparisons,
    fast,
    kernel,
    many_flows,
    mixed,
    networks,
    theory,
    windows,
)
from verification.scorecard.shares import Share

MEASURES: dict[str, Callable[..., float | Share]] = {
    measure.__name__: measure
    for measure in (
        *arithmetic.MEASURES, *comparisons.MEASURES, *fast.MEASURES, *kernel.MEASURES, *many_flows.MEASURES,
        *mixed.MEASURES, *networks.MEASURES, *theory.MEASURES, *windows.MEASURES,
    )
}  # fmt: skip
"""Measures by name. Each takes the campaigns at one seed and the arguments that a claim lists under ``of``. It returns
one number, or a part of the conditions."""
