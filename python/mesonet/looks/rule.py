"""Rule of a campaign that runs until its comparisons are decided: margin, most replicates, incumbent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mesonet.analysis.decisions.course import LOOKS
from mesonet.campaign.data import Campaign, without_runs
from mesonet.campaign.documents import FEWEST_LOOKED_AT, LookRule, plain
from mesonet.campaign.ledger import UNTIL
from mesonet.campaign.limits import refuse_too_many
from mesonet.errors import InputError
from mesonet.reporting.campaign_view.sampled import is_sampled
from mesonet.reporting.campaign_view.view import view_of
from mesonet.reporting.verdicts.verdict import incumbent, wanted_incumbent
from mesonet.units import integer

MARGIN = 0.1
"""Relative change that counts, unless the user gives another (chosen: the margin of verdicts)."""


def rule_of(
    document: Mapping[str, Any], margin: float | None = None, at_most: int | None = None, against: str | None = None
) -> dict[str, Any]:
    """Return the rule of a campaign: its own if it has one, which the arguments must not contradict.

    `document`: the experiment. `margin`: relative change that counts. `at_most`: replicates at the last look.
    `against`: the incumbent. None: the rule of the campaign, else a default.
    """
    given = {"margin": _margin(margin), "at_most": _at_most(at_most), "against": against}
    if against is not None:
        given["against"] = view_of(without_runs(Path(), document), against).against
    held: dict[str, Any] | None = document.get(UNTIL)
    if held is None:
        chosen = _incumbent(without_runs(Path(), document), against)
        most = LOOKS[-1] if at_most is None else at_most
        refuse_too_many(len(document["scenarios"]), 1, most)
        return plain(LookRule(margin=MARGIN if margin is None else float(margin), at_most=most, against=chosen))
    for name, value in given.items():
        if value is not None and value != held[name]:
            problem = f"this campaign runs until decided with {name} = {held[name]}"
            raise InputError(problem, path=name, value=value, allowed=f"{held[name]}, or another --out")
    return held


def _margin(margin: float | None) -> float | None:
    if margin is not None and not 0 < margin < math.inf:
        raise InputError("not a margin", path="margin", value=margin, allowed="a relative change above 0, such as 10%")
    return margin


def _at_most(at_most: int | None) -> int | None:
    return None if at_most is None else integer(at_most, "at_most", FEWEST_LOOKED_AT, 2**31 - 1)


def _incumbent(campaign: Campaign, against: str | None) -> str:
    """Return the algorithm with which the others are compared; raise an `InputError` if nothing can be compared."""
    view = view_of(campaign, against)
    problem = ""
    if is_sampled(campaign):
        problem = "the design has no conditions at levels of factors to compare"
    elif campaign.experiment.get("model") is not None:
        problem = "no response of a model is known to be better high or better low"
    elif len(view.algorithms) < 2:
        problem = "nothing to compare: one algorithm"
    if problem:
        raise InputError(
            problem, path="until", value="decided", allowed="a network with two algorithms, in conditions of a design"
        )
    found = incumbent(view)
    if found is None:
        problem = f"no incumbent: {wanted_incumbent(view)} is not run by itself"
        raise InputError(problem, path="against", allowed=", ".join(view.algorithms))
    return found
