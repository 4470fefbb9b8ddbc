"""Longer runs that check the duration of a campaign: a campaign of its own, in the folder ``length`` of the first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from mesonet.analysis.decisions.length import CONDITIONS, FACTOR
from mesonet.campaign.ledger import LENGTH, REPLICATES, UNTIL, Ledger
from mesonet.designs.rows import from_document
from mesonet.files.places import inside
from mesonet.scenarios.timeline import longer


def length_ledger(
    ledger: Ledger, document: Mapping[str, Any], scenarios: Collection[tuple[int, str]], replicates: int
) -> Ledger:
    """Return the folder of the longer runs of some scenarios: condition and algorithm of each.

    `document`: the experiment of the campaign.
    """
    wanted = [
        replicates if (each["condition"], each["algorithm"]) in scenarios else 0 for each in document["scenarios"]
    ]
    about = {key: value for key, value in document.items() if key not in (REPLICATES, UNTIL, "keep")}
    about["name"] = f"{document['name']}-{LENGTH}"
    about["scenarios"] = [{**each, "scenario": longer(each["scenario"], FACTOR)} for each in document["scenarios"]]
    place = Ledger.create(inside(ledger.path, LENGTH), about)
    place.grow(wanted)
    return place


def spread_conditions(document: Mapping[str, Any]) -> set[int]:
    """Return conditions, from 1, that lie far from each other in the design: the first, then each the farthest.

    Far: first from the nearest condition that was chosen before, then from all of them. In two-level designs, the
    chosen conditions are pairs with all levels exchanged, so that both levels of each factor occur equally often.
    """
    rows = from_document(document["design"])
    matrix = np.asarray(rows.design.matrix if rows.design.runs else rows.matrix, dtype=float)
    distance = np.abs(matrix[:, None] - matrix[None]).sum(axis=2)
    chosen = [0]
    while len(chosen) < min(CONDITIONS, len(matrix)):
        left = [place for place in range(len(matrix)) if place not in chosen]
        chosen.append(max(left, key=lambda place: (distance[place, chosen].min(), distance[place, chosen].sum())))
    return {place + 1 for place in chosen}
