"""Looks of a campaign that runs until its comparisons are decided: in words, as rows of tables, and as plain data."""

from __future__ import annotations

from typing import Any

import polars as pl
from markupsafe import Markup

from mesonet.analysis import ConditionCheck, NewHarm
from mesonet.analysis.decisions.length import AGREES, CONDITIONS, FACTOR
from mesonet.campaign.data import Campaign
from mesonet.experiments.new_conditions import NONE, new_conditions
from mesonet.progress import duration
from mesonet.reporting.text import html
from mesonet.reporting.verdicts.checks import (
    Checks,
    ConditionChecks,
    LengthChecks,
    ResponseCheck,
    condition_checks,
    length_checks,
)
from mesonet.reporting.verdicts.looks import CampaignLooks, ComparisonLooks, label_of, looks_of
from mesonet.words import capitalised, counted, listed, number, numbered, percent

_COLUMNS = {
    "scenario": pl.String,
    "against": pl.String,
    "look": pl.Int64,
    "fewest_replicates": pl.Int64,
    "most_replicates": pl.Int64,
    "pairs": pl.Int64,
    "verdict": pl.String,
    "open": pl.String,
}
_LENGTH_COLUMNS = {
    "scenario": pl.String,
    "response": pl.String,
    "verdict": pl.String,
    "change_short": pl.Float64,
    "change_long": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "needed_s": pl.Float64,
}
_CONDITION_COLUMNS = {
    "scenario": pl.String,
    "response": pl.String,
    "verdict_of_looks": pl.String,
    "verdict": pl.String,
    "new_conditions": pl.Int64,
    "change": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "worse_in": pl.String,
}
NO_CONDITION = f"no new condition: {NONE}"
"""Sentence about a campaign that has no new conditions."""


def looks_table(campaign: Campaign) -> pl.DataFrame:
    """Return a row per comparison and look; empty without looks."""
    found = looks_of(campaign)
    rows = [row for each in (found.each if found else ()) for row in _rows(each)]
    return pl.DataFrame(rows, schema=_COLUMNS, orient="row")


def _rows(each: ComparisonLooks) -> list[tuple[Any, ...]]:
    return [
        (
            each.name,
            each.pairs.comparison.against,
            place,
            int(look.counts.min()),
            int(look.counts.max()),
            int(look.counts.sum()),
            label_of(look.decisions),
            ", ".join(each.open_at(look)),
        )
        for place, look in enumerate(each.course.looks, start=1)
    ]


def length_table(campaign: Campaign) -> pl.DataFrame:
    """Return a row per comparison and response of the check of the duration; empty without one.

    Changes are log ratios, positive for the worse; the interval is of long less short.
    """
    found = looks_of(campaign)
    checks = length_checks(campaign, found) if found else None
    rows = [
        (each.name, each.title, each.label, of.short, of.long, of.low, of.high, of.needed * checks.short_s)
        for each in (checks.each if checks else ())
        if checks and (of := each.found)
    ]
    return pl.DataFrame(rows, schema=_LENGTH_COLUMNS, orient="row")


def condition_table(campaign: Campaign) -> pl.DataFrame:
    """Return a row per comparison and response of the check in new conditions; empty without one.

    Changes are log ratios, positive for the worse; the interval is of their mean over the new conditions that count.
    """
    found = looks_of(campaign)
    checks = condition_checks(campaign, found) if found else None
    rows = [
        (
            *(each.name, each.title, each.verdict, each.label),
            *(len(of.conditions), of.mean, of.low, of.high),
            "; ".join(each.where[harm.condition - 1] for harm in of.harms),
        )
        for each in (checks.each if checks else ())
        if (of := each.found)
    ]
    return pl.DataFrame(rows, schema=_CONDITION_COLUMNS, orient="row")


def looks_document(campaign: Campaign) -> dict[str, Any] | None:
    """Return the looks as plain data; None without a rule for them."""
    found = looks_of(campaign)
    if found is None:
        return None
    checks, new = length_checks(campaign, found), condition_checks(campaign, found)
    return {
        "against": found.against,
        "margin": found.margin,
        "planned": list(found.planned),
        "runs": found.runs,
        "full": found.full,
        "comparisons": [
            {
                "scenario": each.name,
                "against": each.pairs.comparison.against,
                "status": each.course.status,
                "verdict": label_of(each.course.decisions) if each.course.looks else None,
                "looks": [
                    {
                        "replicates": look.counts.tolist(),
                        "verdicts": {
                            title: decision.verdict
                            for title, decision in zip(each.pairs.titles, look.decisions, strict=True)
                        },
                        "open": each.open_at(look),
                    }
                    for look in each.course.looks
                ],
                "next": each.course.counts.tolist() if each.course.status == "open" else None,
            }
            for each in found.each
        ],
        "length": None
        if checks is None
        else {
            "conditions": list(checks.conditions),
            "runs": checks.runs,
            "missing": checks.missing,
            "short_s": checks.short_s,
            "needed_s": checks.needed_s,
            "checks": length_table(campaign).to_dicts(),
        },
        "new_conditions": None
        if new is None
        else {
            "conditions": list(new.where),
            "runs": new.runs,
            "missing": new.missing,
            "checks": condition_table(campaign).to_dicts(),
        },
    }


def looks_lines(campaign: Campaign) -> list[str]:
    """Return the looks in words, a line per fact; empty without a rule for them."""
    found = looks_of(campaign)
    if found is None:
        return []
    after = listed([str(each) for each in found.planned])
    lines = [f"looks after {after} replicates, {against_words(found.against)}, margin {percent(100 * found.margin)}"]
    if not found.each:
        return [*lines, "the first look waits for its runs"]
    lines += [comparison_line(each) for each in found.each]
    checks, new = length_checks(campaign, found), condition_checks(campaign, found)
    lines += [cost_sentence(found), *length_lines(checks), *condition_lines(new)]
    asked = {place for place, each in enumerate(found.each) if each.is_decided} - (checks.objected if checks else set())
    if new is None and checks and not checks.missing and asked and not _has_new_conditions(campaign, found):
        lines.append(NO_CONDITION)
    return lines


def _has_new_conditions(campaign: Campaign, found: CampaignLooks) -> bool:
    pairs = [each.pairs.comparison.pairs for each in found.each]
    return new_conditions(campaign.experiment, pairs, CONDITIONS) is not None


def against_words(against: str) -> str:
    """Return what the scenarios of a rule are compared with, in words."""
    return f"against {against}" if against else "by the comparisons of the experiment"


def comparison_line(each: ComparisonLooks) -> str:
    """Return status and verdict of a comparison, and its next runs, in one line."""
    course = each.course
    if not course.looks:
        return f"{each.name}: the first look waits for its runs"
    last = course.looks[-1]
    seen = f"{each.name}: {label_of(last.decisions)} after {counted(len(course.looks), 'look')}"
    opened = each.open_at(last)
    if course.status == "open":
        more = int((course.counts - last.counts).sum())
        where = numbered("condition", each.next_conditions)
        return f"{seen}; open: {listed(opened)}; next: {counted(more, 'pair')} of runs in {where}"
    if each.is_decided:
        return f"{seen}; decided"
    why = "further runs would hardly change it" if course.status == "futile" else "no look is left"
    return f"{seen}; not decided on {listed(each.undecided)}: {why}"


def cost_sentence(found: CampaignLooks) -> str:
    """Return the share of the runs that the looks have used."""
    share = percent(100 * found.runs / found.full)
    runs = f"{share} of {counted(found.full, 'run')}"
    if found.is_open:
        return f"the looks need {runs} up to now"
    if len(found.decided) == len(found.each):
        return f"decided after {runs}"
    return f"ended after {runs}: {len(found.decided)} of {counted(len(found.each), 'comparison')} decided"


def length_lines(checks: LengthChecks | None) -> list[str]:
    """Return the check of the duration in words."""
    if checks is None:
        return []
    where = numbered("condition", checks.conditions)
    longer = f"{duration(FACTOR * checks.short_s)} in place of {duration(checks.short_s)}"
    if checks.missing:
        missing = f"{checks.missing} of {counted(checks.runs, 'longer run')} missing"
        return [f"length check, {where}, {longer}: {missing}"]
    lines = []
    for each in checks.objections:
        short, long = (percent(each.change(of), sign=True) for of in (each.found.short, each.found.long))
        lines.append(
            f"length check objects: {each.name}, {each.title}: {short} in runs of {duration(checks.short_s)}, "
            f"{long} in runs of {duration(FACTOR * checks.short_s)}"
        )
    if checks.needed_s is not None:
        return [*lines, f"the runs are too short; needed: about {duration(checks.needed_s)}"]
    return [*lines, f"length check, {where}, {longer}: {_agreement(checks)}"]


def condition_lines(checks: ConditionChecks | None) -> list[str]:
    """Return the check in new conditions in words, with the harm that is proved in single ones."""
    if checks is None:
        return []
    where = counted(len(checks.conditions), "new condition")
    if checks.missing:
        return [f"check in {where}: {checks.missing} of {counted(checks.runs, 'run')} missing"]
    lines = [
        f"new conditions object: {each.name}, {each.title}: {each.verdict} in the design, "
        f"{_changed(each, each.found)} in {counted(len(each.found.conditions), 'new condition')}"
        for each in checks.objections
    ]
    lines += [
        f"in a new condition, {each.where[harm.condition - 1]}: "
        f"{each.name}, {each.title}: worse, {_changed(each, harm)}"
        for each in checks.each
        for harm in each.found.harms
    ]
    lines += [f"no new condition for {name}: {NONE}" for name in checks.without]
    return [*lines, f"check in {where}: {_agreement(checks)}"]


def _changed(each: ResponseCheck, found: ConditionCheck | NewHarm) -> str:
    """Return a change in new conditions with its interval."""
    low, high = (percent(end, sign=True) for end in each.interval(found.low, found.high))
    return f"{percent(each.change(found.mean), sign=True)} [{low}, {high}]"


def _agreement(checks: Checks) -> str:
    """Return the responses that agree, and those of which nothing is known."""
    labels = [each.label for each in checks.each]
    named = {
        words: listed(list(dict.fromkeys(f"{each.name}, {each.title}" for each in unknown)))
        for words, unknown in (
            ("cannot tell", [each for each in checks.unknown if each.is_open]),
            ("no statement on these conditions", [each for each in checks.unknown if not each.is_open]),
        )
    }
    but = "".join(f"; {words}: {responses}" for words, responses in named.items() if responses)
    return f"{labels.count(AGREES)} of {counted(len(labels), 'response')} agree{but}"


def looks_html(campaign: Campaign) -> Markup:
    """Return the looks as tables; empty without a rule for them."""
    lines = looks_lines(campaign)
    if not lines:
        return Markup("")
    rows = [
        [name, str(place), str(few) if few == many else f"{few} to {many}", number(pairs), verdict, opened or "nothing"]
        for name, _, place, few, many, pairs, verdict, opened in looks_table(campaign).iter_rows()
    ]
    head = ["scenario", "look", "replicates", "pairs of runs", "verdict", "open"]
    table = html.table(head, rows, classes="looks") if rows else Markup("")
    names = tuple(f"{name}:" for name in dict.fromkeys(row[0] for row in rows))
    sentences = (line if line.startswith(names) else capitalised(line) for line in lines)
    return table + Markup().join(html.reading(f"{line}.") for line in sentences)
