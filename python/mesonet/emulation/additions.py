"""Conditions that are added to a sampled campaign where its emulator is least sure.

They follow from the finished runs and are in ``added.json`` before their runs begin, so that any runner continues them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np

from mesonet import core, units
from mesonet.campaign.backlog import RunOptions
from mesonet.campaign.data import Campaign, load
from mesonet.campaign.ledger import ADDED, REPLICATES, UNTIL, Ledger
from mesonet.campaign.limits import refuse_too_many
from mesonet.campaign.runner import run_missing
from mesonet.designs.factor import Factor
from mesonet.designs.rows import from_document
from mesonet.designs.sampling import sobol
from mesonet.emulation.emulator import GOODPUT, Emulator, emulate, next_points
from mesonet.emulation.inputs import Floats
from mesonet.errors import InputError, unknown
from mesonet.experiments.composed import Composer
from mesonet.responses.definitions import BY_NAME
from mesonet.words import counted

MOST_ADDED = 256
_CANDIDATES = 2048
_INSIDE = 1e-9


def run_added(
    ledger: Ledger,
    options: RunOptions,
    number: int,
    response: str,
    *,
    progress: bool = True,
    told: Callable[[str], None] = lambda line: None,
) -> None:
    """Run the missing runs of a campaign, add conditions for a response, and run these.

    If runs of an equal addition are missing, it is continued, and nothing is added. `told`: called with a line.
    """
    number = units.integer(number, "add", 1, MOST_ADDED)
    document = ledger.document()
    refuse(document, response)
    wanted = {"response": response, "conditions": number}
    continued = _is_pending(ledger, document, wanted)
    run_missing(ledger, options, progress)
    if continued:
        told(f"note: continued with the {counted(number, 'condition')} that an earlier command added")
        return
    campaign = load(ledger.path)
    if missing := campaign.counts["missing"]:
        problem = f"{counted(missing, 'run')} missing: conditions are added to a finished campaign"
        raise InputError(problem, path="add", value=number, allowed="the same command when all runs are finished")
    document = ledger.document()
    refuse_too_many(len(document["design"]["rows"]) + number, len(document["algorithms"]), document["replicates"])
    rows, scenarios = chosen(campaign, document, response, number)
    if not ledger.add(wanted, rows, scenarios):
        problem, allowed = "another runner added conditions meanwhile", "the same command again"
        raise InputError(problem, value=str(ledger.path), allowed=allowed)
    told(f"added {counted(number, 'condition')} where the emulator of {response} is least sure")
    run_missing(ledger, options, progress)


def refuse(document: Mapping[str, Any], response: str) -> None:
    """Raise an `InputError` for a campaign that gets no conditions, or a response that it cannot have."""
    where = {"path": "add", "value": document["name"]}
    if not from_document(document["design"]).is_sampled:
        raise InputError("not a sampled campaign", **where, allowed="a design of kind latin-hypercube or sobol")
    if UNTIL in document or REPLICATES in document:
        raise InputError("its numbers of replicates differ or grow", **where, allowed="equal replicates")
    if document.get("model") is None and response not in (*BY_NAME, GOODPUT):
        raise unknown("response", response, BY_NAME, path="response")


def chosen(
    campaign: Campaign, document: Mapping[str, Any], response: str, number: int
) -> tuple[list[list[float]], list[dict[str, Any]]]:
    """Return the rows and the scenarios of new conditions that lower the uncertainty of all algorithms most."""
    emulators: list[Emulator] = [emulate(campaign, response, algorithm=name) for name in campaign.algorithms]
    matrix = campaign.rows.matrix
    composed = _Composed(document, matrix)
    candidates = np.asarray(sobol(matrix.shape[1], _CANDIDATES, seed=1))
    inside = (candidates > matrix.min(axis=0) + _INSIDE) & (candidates < matrix.max(axis=0) - _INSIDE)
    candidates = candidates[inside.all(axis=1)]
    while len(candidates) >= number:
        places = next_points(emulators, number, candidates).places
        found = [composed.scenarios(row) for row in places]
        if all(found):
            first = len(matrix) + 1
            return places.tolist(), [
                {"condition": first + place, "algorithm": name, "scenario": scenario}
                for place, each in enumerate(found)
                for name, scenario in (each or {}).items()
            ]
        unfit = {tuple(row) for row, each in zip(places.tolist(), found, strict=True) if not each}
        candidates = np.array([row for row in candidates.tolist() if tuple(row) not in unfit]).reshape(
            -1, matrix.shape[1]
        )
    problem = "no new conditions follow from the conditions of the campaign"
    raise InputError(problem, path="add", value=number, allowed="a larger experiment of its own")


class _Composed:
    """Scenarios of new rows, from those of a campaign."""

    def __init__(self, document: Mapping[str, Any], matrix: Floats) -> None:
        self._matrix = matrix
        self._of_network = document.get("model") is None
        self._factors = msgspec.convert(document["factors"], tuple[Factor, ...])
        self._known: dict[str, list[Any]] = {name: [] for name in document["algorithms"]}
        for each in document["scenarios"]:
            self._known[each["algorithm"]].append(each["scenario"])

    def scenarios(self, row: Floats) -> dict[str, Any] | None:
        """Return the scenario of each algorithm at a row; None if one does not follow or is refused."""
        found = {name: self._scenario(known, row) for name, known in self._known.items()}
        return None if None in found.values() else found

    def _scenario(self, known: Sequence[Any], row: Floats) -> dict[str, Any] | None:
        if not self._of_network:
            return {"parameters": self._parameters([each["parameters"] for each in known], row)}
        composer = Composer(self._matrix, [factor.paths for factor in self._factors])
        with suppress(InputError):
            if (scenario := composer.scenario(known, row)) is not None:
                core.describe(json.dumps(scenario))
                return scenario
        return None

    def _parameters(self, known: Sequence[Mapping[str, Any]], row: Floats) -> dict[str, Any]:
        found = dict(known[0])
        for place, factor in enumerate(self._factors):
            order = np.argsort(self._matrix[:, place], kind="stable")
            for path in factor.paths:
                values = [known[number][path] for number in order]
                number = float(np.interp(row[place], self._matrix[order, place], np.array(values, dtype=np.float64)))
                found[path] = round(number) if all(isinstance(value, int) for value in values) else number
        return found


def _is_pending(ledger: Ledger, document: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return True if the last addition is the wanted one, and not all of its runs are finished."""
    if document.get(ADDED, [None])[-1] != wanted:
        return False
    runs = load(ledger.path).runs
    first = len(document["design"]["rows"]) - wanted["conditions"]
    return "missing" in runs.filter(runs["condition"] > first)["status"].to_list()
