"""Measures of the numbers of claims, by the names that claims use; a file for each kind of measurement."""

from __future__ import annotations

from collections.abc import Callable

from mesonet.verification.measures import (
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
from mesonet.verification.shares import Share

MEASURES: dict[str, Callable[..., float | Share]] = {
    measure.__name__: measure
    for measure in (
        *arithmetic.MEASURES, *comparisons.MEASURES, *fast.MEASURES, *kernel.MEASURES, *many_flows.MEASURES,
        *mixed.MEASURES, *networks.MEASURES, *theory.MEASURES, *windows.MEASURES,
    )
}  # fmt: skip
"""Measures by name. Each takes the `mesonet.verification.campaigns.Campaigns`, at one seed, and what a claim says under
``of``; it returns one number, or a part of the conditions, or raises `mesonet.verification.reasons.NotEvaluated`."""
