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
from mesonet.reporting.campaign_view.view import view_of
from mesonet.reporting.verdicts.comparisons import comparisons, incumbent, wanted_incumbent
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
    """Return what the others are compared with: an algorithm or a level; empty: the comparisons of the experiment.

    Raise an `InputError` if nothing can be compared.
    """
    view = view_of(campaign, against)
    if campaign.experiment.get("model") is not None:
        problem = "it checks verdicts in longer runs, and a model has no duration"
        raise InputError(problem, path="until", value="decided", allowed="a network")
    if view.beside is not None:
        allowed = "an algorithm, or a level such as share=0"
        raise InputError("another campaign gets no further runs", path="against", value=against, allowed=allowed)
    if comparisons(view):
        named = against is None and campaign.experiment.get("comparisons")
        return "" if named else view.against or incumbent(view) or ""
    if len(view.algorithms) < 2:
        allowed = "two algorithms, or comparisons of levels"
        raise InputError("nothing to compare: one algorithm", path="until", value="decided", allowed=allowed)
    problem = f"no incumbent: {wanted_incumbent(view)} is not run by itself"
    raise InputError(problem, path="against", allowed=", ".join(view.algorithms))
