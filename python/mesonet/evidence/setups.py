"""Set-ups in words: the networks of a criterion, and the algorithms of a report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mesonet import core, plugins
from mesonet.algorithms import resolve_name
from mesonet.evidence.criterion import Criterion
from mesonet.evidence.domain import domain
from mesonet.evidence.plan import EvidencePlan, screening
from mesonet.experiments.network import Experiment
from mesonet.reporting.page.answer import network_sentences
from mesonet.scenarios.parameters import DISCIPLINES, PRESETS
from mesonet.units import SEGMENTS, number_text
from mesonet.words import listed, number

Scenarios = Sequence[Mapping[str, Any]]


def experiment_of_cells(plan: EvidencePlan, criterion: Criterion) -> Experiment:
    """Return the experiment with the cells of a criterion that runs; of a search its screening."""
    return screening(plan, criterion) if criterion.kind == "search" else plan.campaigns[plan.campaigns_of(criterion)[0]]


def scenarios_of(plan: EvidencePlan, criterion: Criterion) -> list[dict[str, Any]]:
    """Return the canonical scenarios of a criterion that runs, one per cell; of a search those of its screening."""
    chosen = experiment_of_cells(plan, criterion)
    return [chosen.canonical(cell, plan.algorithm) for cell in range(1, chosen.conditions + 1)]


def setup(criterion: Criterion, scenarios: Scenarios) -> str:
    """Return the networks of a criterion in words: rates, round trips, buffers, disciplines, durations, senders."""
    described = [core.describe(json.dumps(each)) for each in scenarios]
    ends = [end for each in described for of_class in each["classes"] for end in of_class["buffer"]]
    size = scenarios[0]["transport"]["segment_bytes"]
    buffers = _range([SEGMENTS.familiar(end, size) for end in (min(ends), max(ends))])
    disciplines = [DISCIPLINES[name] for name in _each(scenarios, "aqm", "discipline")]
    marks = _each(scenarios, "aqm", "ecn")
    ecn = {(False,): "without ECN", (True,): "with ECN"}.get(tuple(marks), "with ECN and without")
    factors = domain(criterion).factors if criterion.kind == "search" else ()
    levels = [f"{factor.name or factor.id} {', '.join(factor.labels)}" for factor in factors]
    first = "The screening: " if levels else ""
    return " ".join([
        f"{first}{network_sentences(scenarios, described)}",
        f"Buffers of {buffers}, {listed(disciplines)}, {ecn}. {durations(scenarios)}.",
        *([f"Levels of the search: {'; '.join(levels)}."] if levels else []),
    ])  # fmt: skip


def durations(scenarios: Scenarios) -> str:
    """Return how long runs are, and which time is measured."""
    long = [each["time"]["duration"] for each in scenarios]
    warm = [each["time"]["warmup"] for each in scenarios]
    return (
        f"Runs of {_range([f'{number(end)} s' for end in (min(long), max(long))])}, "
        f"measured from {_range([f'{number(end)} s' for end in (min(warm), max(warm))])} on"
    )


def senders(scenarios: Scenarios) -> str:
    """Return the preset and the segments of the senders."""
    presets = [f"{name} ({PRESETS[name]})" for name in _each(scenarios, "preset")]
    sizes = [f"{size:g} B" for size in _each(scenarios, "transport", "segment_bytes")]
    return f"Senders of the preset {listed(presets)}, with segments of {listed(sizes)}."


def algorithm_text(scenario: Mapping[str, Any]) -> str:
    """Return the algorithm of a run in words: title, source, ECN field, file of a plug-in, constants.

    `scenario`: canonical scenario of a run with the algorithm.
    """
    entry = scenario["algorithms"][0]
    about = resolve_name(entry["name"]).algorithm
    plugin = plugins.by_name().get(about.name)
    field = core.describe(json.dumps(scenario))["codepoints"][0]
    constants = ", ".join(f"{key} {number_text(value)}" for key, value in entry["parameters"].items())
    return " ".join([
        f"{entry['name']}: {about.title}. Source: {about.source}. ECN field where queues mark: {field}.",
        *([f"Plug-in {plugin.file}, SHA-256 of its files {plugin.digest}."] if plugin and plugin.file else []),
        *([f"Constants: {constants}."] if constants else []),
    ])  # fmt: skip


def _each(scenarios: Scenarios, *path: str) -> list[Any]:
    """Return the different values at a path, in their order."""
    found: dict[Any, None] = {}
    for value in scenarios:
        for key in path:
            value = value[key]
        found[value] = None
    return list(found)


def _range(texts: Sequence[str]) -> str:
    low, high = texts
    return low if low == high else f"{low} to {high}"
