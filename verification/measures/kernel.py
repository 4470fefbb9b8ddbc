"""Measures of Part K: the scenarios of a real kernel, in mesonet with the preset ``linux``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from verification.witness.kernel.runs import reference
from verification.witness.kernel.table import OUTSIDE, PUBLISHED, mark, read

if TYPE_CHECKING:
    from verification.scorecard.campaigns import Campaigns


def kernel_quantity(campaigns: Campaigns, scenario: str, quantity: str) -> float:
    """Return a quantity of a scenario, mean over the runs.

    The mean, in the unit that the name ends with; NaN where no run has it.
    """
    row = reference(scenario).get(quantity)
    return row.mean if row else float("nan")


def kernel_share(campaigns: Campaigns, scenarios: Sequence[str], quantities: Sequence[str] = PUBLISHED) -> float:
    """Return the part of the rows of the frozen table that mesonet reproduces; a missing value is not reproduced.

    0 to 1.
    """
    rows = [(key, row) for key, row in read().items() if key[0] in scenarios and key[1] in quantities]
    marks = [mark(key[1], kernel_quantity(campaigns, *key), row) for key, row in rows]
    return sum(where != OUTSIDE for where in marks) / len(marks)


MEASURES = (kernel_quantity, kernel_share)
