"""Catalogue of all that has a name: scenarios, experiments, suites, algorithms, disciplines, parameters, ..."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from mesonet import core
from mesonet.designs.factor import FACTORS, LEVELS_SOURCE
from mesonet.files.toml import EXPERIMENTS, SCENARIOS, builtin_titles
from mesonet.responses.definitions import RESPONSES
from mesonet.responses.sets import SETS
from mesonet.scenarios.parameters import (
    DISCIPLINE_RULES,
    DISCIPLINES,
    PARAMETERS,
    PRESETS,
    TOPOLOGIES,
    default_text,
)
from mesonet.scenarios.profiles import PROFILES

Entries = list[dict[str, Any]]


def entries(kind: str) -> Entries:
    """Return all entries of a kind. Plain data with at least a ``name`` each. `kind`: a key of `KINDS`."""
    return KINDS[kind][0]()


def rows(kind: str) -> tuple[list[str], list[list[Any]]]:
    """Return the short form of a kind. `kind`: a key of `KINDS`."""
    header = list(KINDS[kind][1])
    return header, [[entry[name] for name in header] for entry in entries(kind)]


def _titled(titles: dict[str, str], **more: str) -> Entries:
    return [{"name": name, **more, "title": title} for name, title in titles.items()]


def _factors() -> Entries:
    entries = []
    for factor in FACTORS:
        sets = [PARAMETERS[path] for path in factor.paths if path in PARAMETERS]
        entries.append(
            {
                "name": factor.id,
                "title": factor.name,
                "path": factor.path,
                "kind": sets[0].kind.name if sets else "mix",
                "unit": sets[0].kind.unit if sets else "1",
                "minus": factor.minus,
                "plus": factor.plus,
                "default": ", ".join(default_text(each, "standard") for each in sets) or "tcp",
                "source": "; ".join(dict.fromkeys(each.source for each in sets)) or "chosen",
                "levels_source": LEVELS_SOURCE.get(factor.id, "ASME paper Table 5"),
            }
        )
    return entries


def _suites() -> Entries:
    from mesonet.evidence.suite import criteria, suites  # loads the analysis, which other kinds do not need

    return [
        {
            "name": each.name,
            "cases": len(found),
            "simulated": sum(case.runs for case in found),
            "title": each.title,
            "purpose": each.purpose,
            "document": each.document,
            "source": each.source,
            "quick": each.quick,
            "full": each.full,
        }
        for each, found in ((each, criteria(each)) for each in suites().values())
    ]


def _response_sets() -> Entries:
    return [
        {
            **asdict(each),
            "of_the_network": len(each.entries),
            "per_flow_group": len(each.per_group),
        }
        for each in SETS.values()
    ]


def _parameters() -> Entries:
    return [
        {
            "name": parameter.path,
            "kind": parameter.kind.name,
            "unit": parameter.kind.unit,
            **{preset: default_text(parameter, preset) for preset in PRESETS},
            "allowed": parameter.allowed,
            "doc": parameter.doc,
            "source": parameter.source_for("standard"),
            **{f"source_{preset}": parameter.source_for(preset) for preset in PRESETS if preset != "standard"},
            "study_id": parameter.study_id,
        }
        for parameter in PARAMETERS.values()
    ]


def _disciplines() -> Entries:
    return [{"name": name, "title": title, "rule": DISCIPLINE_RULES[name]} for name, title in DISCIPLINES.items()]


def _impairments() -> Entries:
    paths = [path for path in PARAMETERS if path.startswith("impairments.")]
    return [
        {"name": path, "kind": PARAMETERS[path].kind.name, "title": PARAMETERS[path].doc.split(". ")[0].rstrip(".")}
        for path in paths
    ]


def _access_profiles() -> Entries:
    """Return the profiles, with rates by time as their number of points."""
    entries: Entries = []
    for name, values in PROFILES.items():
        shown = {key: f"{len(value['points'])} rates" if isinstance(value, Mapping) else value
                 for key, (value, _) in values.items()}  # fmt: skip
        title = ", ".join(f"{key.replace('_', ' ')} {text}" for key, text in shown.items())
        sources = {key: source for key, (_, source) in values.items()}
        entries.append({"name": name, "title": title, "sources": sources})
    return entries


def _responses() -> Entries:
    return [{key: value for key, value in asdict(each).items() if key != "segments_of"} for each in RESPONSES]


KINDS: dict[str, tuple[Callable[[], Entries], tuple[str, ...]]] = {
    "scenarios": (lambda: _titled(builtin_titles(SCENARIOS), use="run, check"), ("name", "use", "title")),
    "experiments": (
        lambda: _titled(builtin_titles(EXPERIMENTS), use="experiment; run, check with --condition N"),
        ("name", "use", "title"),
    ),
    "suites": (_suites, ("name", "cases", "simulated", "title", "purpose")),
    "algorithms": (lambda: [asdict(each) for each in core.algorithms().values()], ("name", "title", "source")),
    "disciplines": (_disciplines, ("name", "title", "rule")),
    "presets": (lambda: _titled(PRESETS), ("name", "title")),
    "impairments": (_impairments, ("name", "kind", "title")),
    "access-profiles": (_access_profiles, ("name", "title")),
    "topologies": (lambda: _titled(TOPOLOGIES), ("name", "title")),
    "factors": (_factors, ("name", "title", "unit", "minus", "plus", "default", "source", "path")),
    "responses": (_responses, ("name", "symbol", "title", "unit")),
    "response-sets": (_response_sets, ("name", "of_the_network", "per_flow_group", "title")),
    "parameters": (_parameters, ("name", "kind", *PRESETS)),
}
"""Per kind: its entries, and the columns of the short form."""
