"""The section of the page that simulates, and the runs of the campaign that its script starts from."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import struct
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import polars as pl
from markupsafe import Markup

from mesonet.assets import asset, carrier
from mesonet.browser import module
from mesonet.campaign.ledger import Run, planned
from mesonet.reporting import packing
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.replay.section import STATES
from mesonet.reporting.replay.simulated import interval
from mesonet.reporting.text import html
from mesonet.reporting.verdicts.comparisons import incumbent
from mesonet.scenarios.parameters import PARAMETERS, discipline_title

SCRIPTS = ("live-run.js", "live.js")
_DATA_ID = "live-data"
_asset = partial(asset, "mesonet.reporting.live")


def live_section(view: CampaignView, topology: Any) -> Markup:
    """Return the section in which readers simulate.

    HTML; empty without the built module, or without a run that a browser can simulate. `topology`: topology of the
    replay, as in the canonical scenario: runs on another network are left out.
    """
    data = _data(view, topology) if module.is_built() else {}
    if not data:
        return Markup("")
    conditions = sorted({run["condition"] for run in data["runs"]})
    algorithms = list(dict.fromkeys(run["algorithm"] for run in data["runs"]))
    body = html.render(
        "live.html",
        conditions=conditions,
        algorithms=algorithms,
        incumbent=data["incumbent"],
        disciplines=[(name, discipline_title(name)) for name in PARAMETERS["aqm.discipline"].kind.choices],
        kilobytes=round(module.built().page_bytes / 1000),
    )
    carried = {_DATA_ID: packing.pack(data), **module.carriers()}
    return Markup("").join([body, *itertools.starmap(carrier, carried.items())])


@cache
def live_script() -> str:
    """Return the script of the section, which needs the scripts of the replay before it."""
    return "\n".join((*map(module.script, module.SCRIPTS), *map(_asset, SCRIPTS)))


def live_style() -> str:
    """Return the style sheet of the section."""
    return _asset("live.css")


def _data(view: CampaignView, topology: Any) -> dict[str, Any]:
    campaign = view.campaign
    code = campaign.provenance.get("versions", {}).get("code_version")
    if not code or "scenarios" not in campaign.experiment:
        return {}
    entries = [(run, json.loads(run.scenario)) for run in planned(campaign.experiment, code) if run.replicate == 1]
    entries = [
        (run, scenario)
        for run, scenario in entries
        if scenario.get("topology") == topology and not any("plugin" in each for each in scenario["algorithms"])
    ]
    if not entries:
        return {}
    rows = campaign.responses.filter(pl.col("replicate") == 1) if campaign.responses.height else campaign.responses
    keys = sorted(f"{period}\t{name}" for period, name in rows.select("period", "response").unique().iter_rows())
    table = {
        place: dict(zip((f"{p}\t{n}" for p, n in part.select("period", "response").iter_rows()), part["value"],
                        strict=True))
        for place, part in rows.partition_by("condition", "algorithm", as_dict=True).items()
    }  # fmt: skip
    cost = dict(campaign.runs.select("key", "cpu_s").iter_rows()) if "cpu_s" in campaign.runs.columns else {}
    shown = [name for name in view.key_responses if f"measured\t{name}" in keys] if view.has_results else []
    return {
        "code": code,
        "keys": keys,
        "shown": [
            {"key": f"measured\t{name}", "label": view.label_of(name), "unit": view.unit_of(name)} for name in shown
        ],
        "states": list(STATES),
        "incumbent": incumbent(view) or "",
        "runs": [
            _about(
                run=run,
                scenario=scenario,
                values=table.get((run.condition, run.algorithm), {}),
                keys=keys,
                shown=shown,
                cost=cost,
            )
            for run, scenario in entries
        ],
    }


def _about(
    run: Run,
    scenario: Mapping[str, Any],
    values: Mapping[str, float | None],
    keys: list[str],
    shown: list[str],
    cost: Mapping[str, float | None],
) -> dict[str, Any]:
    return {
        "condition": run.condition,
        "algorithm": run.algorithm,
        "seed": str(run.seed),
        "scenario": scenario,
        "every": interval(float(scenario["time"]["duration"])),
        "digest": digest([(key, values.get(key)) for key in keys]) if values else None,
        "values": [_finite(values.get(f"measured\t{name}")) for name in shown] if values else None,
        "cpu_s": _finite(cost.get(run.key)),
    }


def digest(rows: list[tuple[str, float | None]]) -> str:
    """Return the digest of named numbers, which the script of the page computes of its own numbers.

    The first 32 hexadecimal digits of the SHA-256 of lines with a name and the bits of its number.
    """
    lines = (f"{key}\t{'null' if _finite(value) is None else struct.pack('>d', value).hex()}\n" for key, value in rows)
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:32]


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
