"""Runs of an evidence report, in one folder that can be resumed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mesonet.campaign.data import Campaign, load
from mesonet.errors import InputError
from mesonet.evidence.plan import Plan
from mesonet.files import places

RECORD = "evidence.json"
"""File of the folder that identifies the report."""


def run(plan: Plan, out: Path, *, told: Callable[[str], None] | None = None, **how: Any) -> dict[str, Campaign]:
    """Run what is missing of a report.

    Parameters
    ----------
    plan
        The plan.
    out
        Folder of the report: new, empty, or begun with the same plan. Each campaign has a folder in it.
    told
        Called with a line before each campaign.
    **how
        As for `mesonet.experiments.base.Designed.run_missing`: ``workers``, ``progress``, ``dask``, and so on.

    Returns
    -------
    Campaigns by name.

    Raises
    ------
    InputError
        If the folder holds another report.
    """
    places.checked(out / RECORD)
    record = out / RECORD
    if record.exists():
        known = json.loads(record.read_text(encoding="utf-8"))
        for key, value in plan.document().items():
            if known.get(key) != value:
                raise InputError(
                    f"the folder holds a report with {key} = {known.get(key)}", str(out), key, value, "another --out"
                )
    else:
        out.mkdir(parents=True, exist_ok=True)
        with places.file(record) as aside:
            aside.write_text(json.dumps(plan.document(), indent=1) + "\n", encoding="utf-8")
    found = {}
    for number, (name, chosen) in enumerate(plan.campaigns.items(), start=1):
        if told:
            told(f"{number} of {len(plan.campaigns)}: {chosen.title}, {name}")
        found[name] = load(chosen.run_missing(out / name, **how))
    return found
