"""Scenario files of the cells that a search has found, for `mesonet run`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from shlex import quote
from typing import Any

from mesonet.algorithms import written
from mesonet.campaign.ledger import run_seed
from mesonet.evidence.confirmed_search import Searched
from mesonet.evidence.criterion import Measure
from mesonet.evidence.domain import Domain, SearchPoint
from mesonet.evidence.plan import INCUMBENT, SEEDS, EvidencePlan, campaign_name
from mesonet.files.names import file_stem
from mesonet.files.toml import toml_lines


def scenario_text(domain: Domain, place: SearchPoint, measure: Measure, algorithm: str, incumbent: str) -> str:
    """Return a scenario file that shows a cell: what differs from the base scenario, which has the plain levels."""
    values, flows = domain.changes(place)
    plain = {each.path for each, level in zip(domain.factors, place, strict=True) if level == each.plain}
    changed = {path: value for path, value in values.items() if path not in plain}
    sections = {path.partition(".")[0] for path in changed}
    fixed = {
        path: value
        for path, value in domain.criterion.table["set"].items()
        if path != "flows" and path.partition(".")[0] in sections
    }
    lines = [
        f"# {measure.title[0].upper()}{measure.title[1:]}: flows of {algorithm} beside flows of {incumbent}.",
        f'base = "{domain.criterion.table["scenario"]}"',
        f"title = {json.dumps(domain.label(place))}",
        *toml_lines({**fixed, **changed}, [_flow(flow, incumbent) for flow in flows]),
    ]
    return "\n".join([*lines, ""])


def scenario_files(plan: EvidencePlan, search: Searched) -> list[tuple[str, str, list[str]]]:
    """Return a scenario file per measure with harm: of the simplest cell that is nearly as bad as the worst one.

    Name and text of each file, and the commands that repeat a run with the algorithm and one of the reference.
    """
    found = []
    incumbent = search.comparison.incumbent
    for trail in search.trails:
        if trail.visits[-1].score:
            name = f"{campaign_name(search.comparison.criterion, incumbent)}-{file_stem(trail.measure.id)}.toml"
            name = name.replace(" ", "-")
            seed = run_seed(SEEDS["confirmed"], search.confirmed.index(trail.simplest) + 1, 1)
            text = scenario_text(search.domain, trail.simplest, trail.measure, plan.algorithm, incumbent)
            commands = [
                f"mesonet run {name} --algorithm {quote(written(each))} --seed {seed}"
                for each in (plan.algorithm, incumbent)
            ]
            found.append((name, text, commands))
    return found


def _flow(flow: Mapping[str, Any], incumbent: str) -> dict[str, Any]:
    return {key: written(incumbent) if value == INCUMBENT else value for key, value in flow.items()}
