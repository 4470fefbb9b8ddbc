"""The pages under docs/reference that are generated from the tables of the package; a test holds them up to date."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mesonet.cli import catalogue
from mesonet.cli.glossary import PAGE, glossary_page
from mesonet.conform import contract, stacks
from mesonet.conform.baseline import SCENARIOS
from mesonet.conform.baseline import title as baseline_title
from mesonet.conform.case import Case
from mesonet.conform.case import suites as conform_suites
from mesonet.conform.finding import About
from mesonet.evidence.criterion import Criterion
from mesonet.evidence.suite import criteria, suites
from mesonet.responses.definitions import RESPONSES
from mesonet.responses.sets import SETS, SetMember
from mesonet.responses.tables import TABLES
from mesonet.scenarios.parameters import reference_page
from mesonet.scenarios.scenario import load_scenario
from mesonet.words import capitalised

DEFAULTS = "crates/sim/tests/common/defaults.json"
"""Place of the scenario that the tests of the simulator start from."""


def defaults() -> str:
    """Return every value of a scenario in the study's preset, as JSON for the tests of the simulator."""
    values = load_scenario("abilene").set("preset", "sp500_282").canonical()
    return json.dumps(values, indent=1, sort_keys=True) + "\n"


def pages() -> dict[str, str]:
    """Return the generated pages of the reference."""
    return {
        "parameters.md": reference_page(),
        "factors.md": _factors(),
        "responses.md": _responses(),
        "tables.md": _tables(),
        "suites.md": _suites(),
        "conform-checks.md": _conform_checks(),
        f"../{PAGE}": glossary_page(),
    }


def _factors() -> str:
    head = ("factor", "name", "path", "unit", "-1", "+1", "default", "source of the default", "source of the levels")
    keys = ("name", "title", "path", "unit", "minus", "plus", "default", "source", "levels_source")
    rows = [[entry[key] for key in keys] for entry in catalogue.entries("factors")]
    return (
        "# The factors of the study\n\nGenerated from `mesonet.designs.factor`; the levels belong to the "
        "sensitivity analysis. Any other value of a scenario can be a\nfactor too.\n\n" + _table(head, rows)
    )


def _responses() -> str:
    head = ("response", "symbol", "title", "unit", "better", "definition", "source")
    rows = [[r.name, r.symbol, r.title, r.unit, r.direction, r.definition, r.source] for r in RESPONSES]
    text = (
        "# Responses\n\nGenerated from `mesonet.responses`. Symbols come from the ASME "
        "paper: y1 to y22 in Tables 3\nand 4, Y1 to Y18 if only Table 6 has the response. An *interval* is "
        "`measurement.interval`.\n\n" + _table(head, rows)
    )
    for each in SETS.values():
        if each.name == "all":
            continue
        text += f"\n## Set `{each.name}`\n\n{each.title}.\n\n"
        text += _table(("symbol", "response", "period", "basis", "note"), _entries(each.entries))
        if each.per_group:
            text += "\nOf each flow group u, from `groups.parquet`:\n\n"
            text += _table(("symbol", "column", "flows of", "basis", "note"), _entries(each.per_group))
    return text


def _tables() -> str:
    text = (
        "# The tables of a run\n\nGenerated from `mesonet.responses.tables`. Each table is a Parquet file of "
        "this name in the folder\nof `run.json` (`mesonet run --out DIR`). A campaign has the tables that its "
        "experiment keeps. The metadata\nof the file have the units by column as JSON: "
        '`polars.read_parquet_metadata(FILE)["units"]`.\n'
    )
    for name, table in TABLES.items():
        rows = [[f"`{column}`", unit, meaning] for column, (unit, meaning) in table.columns.items()]
        text += f"\n## `{name}.parquet`\n\n{capitalised(table.row)}.\n\n" + _table(("column", "unit", "meaning"), rows)
    return text


def _suites() -> str:
    text = (
        "# Suites of cases\n\nGenerated from the files in `mesonet.evidence.suites`. `mesonet evidence ALGORITHM "
        "--suite NAME` runs a\nsuite ([how to](../how-to/evidence.md)). The column *numbers* has the sources of the "
        "numbers of a case: *documented*\nin the document or its public implementation, *recalled* and to be checked, "
        "or *chosen* here.\n"
    )
    for suite in suites().values():
        found = criteria(suite)
        text += (
            f"\n## `{suite.name}`\n\n{capitalised(suite.title)}: {suite.purpose}.\n\n* Source: [{suite.document}]"
            f"({suite.source}).\n* {len(found)} {suite.cases[1]}, {sum(each.runs for each in found)} of them "
            f"simulated.\n* Replicates: {suite.quick}, with `--full` {suite.full}.\n"
        )
        for value in suite.bands:
            text += f"* Words for the {value}: {suite.words(value)}.\n"
        rows = [[f"`{each.id}`", each.title, each.kind, _case(each), _judged(each), each.numbers] for each in found]
        text += "\n" + _table((suite.case, suite.cases[0], "kind", "scenario, or reason", "measures", "numbers"), rows)
    return text


def _case(each: Criterion) -> str:
    """Return the scenario of a case in words, or the reason why nothing runs."""
    covered = f"See {', '.join(each.covered_by)}. " if each.covered_by else ""
    return each.reading or f"{covered}{each.reason}" or each.question


def _judged(each: Criterion) -> str:
    """Return the measures of a case; in parentheses those without a verdict."""
    return "; ".join([measure.title for measure in each.measures] + [f"({one.title})" for one in each.observed])


def _conform_checks() -> str:
    text = (
        "# The checks of mesonet conform\n\nGenerated from `mesonet.conform`. `mesonet conform ALGORITHM --list` "
        "prints the checks of an algorithm\n([how to](../how-to/conform.md)).\n\n## The contract\n\n"
    )
    head = ("check", "requirement", "reason", "source", "known failure")
    known = contract.KNOWN_FAILURES
    text += _table(head, [[*_check(each), _known(known.get(each.id, {}))] for each in contract.checks()])
    text += "\n## Whole transport stacks\n\nAlgorithms `stack:`, beside the contract.\n\n"
    text += _table(("check", "requirement", "reason", "source"), [_check(each) for each in stacks.checks()])
    rows = [[f"`{contract.GROUP}/{id}`", reason] for id, reason in contract.NOT_VISIBLE.items()]
    text += "\n" + _table(("check of the contract that is skipped", "not visible"), rows)
    for suite in conform_suites().values():
        names = ", ".join(f"`{name}`" for name in suite.algorithms)
        chosen = f"Default of {names}" if names else f"With `--cases {suite.name}`"
        text += f"\n## Suite `{suite.name}`\n\n{suite.title}. {chosen}.\n\n"
        head = ("check", "requirement", "reason", "source", "skipped or known failure")
        text += _table(head, [[*_check(case.about), _exceptions(case)] for case in suite.cases])
    text += "\n## Baseline\n\n"
    rows = [[f"`baseline/{name}`", capitalised(baseline_title(name))] for name in SCENARIOS]
    return text + _table(("check", "scenario"), rows)


def _check(about: About) -> list[str]:
    return [f"`{about.name}`", about.title, about.reason, about.source]


def _exceptions(case: Case) -> str:
    skipped = f"only {', '.join(f'`{name}`' for name in case.only)}: {case.only_reason}" if case.only else ""
    return ". ".join(filter(None, [skipped, _known(case.known), case.missing]))


def _known(causes: Mapping[str, str]) -> str:
    names = {cause: [f"`{name}`" for name in causes if causes[name] == cause] for cause in causes.values()}
    return ". ".join(f"known failure of {', '.join(names[cause])}: {cause}" for cause in names)


def _entries(entries: Sequence[SetMember]) -> list[list[str]]:
    return [[e.symbol, f"`{e.name}`", e.of or e.period or "measured", e.basis, e.note] for e in entries]


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)
