"""A deployment in words: outcomes by share, the total effect, what tests would have found, and who pays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from mesonet.analysis.deployments.deployment import Deployment
from mesonet.deployment_tests import AB, EVENT_STUDY, LINKS, ROLLOUT, SWITCHBACK
from mesonet.reporting.campaign_view.deployment import (
    WHOLE,
    choices,
    effects_of,
    is_deployment,
    lead_outcome,
    rows_of,
    shown,
    tests_of,
)
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text.answer_text import in_words
from mesonet.words import MANY_TIMES, capitalised, change, change_span, counted, number, percent, quantity

TITLES = {
    "goodput": "goodput", "throughput": "throughput", "completion_time": "completion time", "slowdown": "slowdown",
    "retransmission_rate": "retransmission rate", "rtt": "round-trip time", "late_frames": "share of late frames",
}  # fmt: skip
_PLURALS = {"user": "users", "home": "homes", "flow": "flows", "place": "places"}
TESTS = {
    AB: "an A/B test", LINKS: "paired links", SWITCHBACK: "a switchback", ROLLOUT: "a roll-out",
    EVENT_STUDY: "an event study",
}  # fmt: skip
_WRONG = 0.05
"""Share of tests with the wrong sign from which a sentence names them (chosen)."""
MOST_CONDITIONS = 4
"""Most conditions of other factors that each have an answer (chosen)."""
HEAD = ("share", "with", "without", "an A/B test finds")


@dataclass(frozen=True)
class ShareRow:
    """Outcomes at a share, as text."""

    share: str
    new: str
    incumbent: str
    naive: str

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The texts, in the order of `HEAD`."""
        return self.share, self.new, self.incumbent, self.naive


@dataclass(frozen=True)
class DeploymentAnswer:
    """Answer about one new algorithm."""

    question: str
    rows: list[ShareRow]
    sentences: list[str]
    note: str


def deployment_answers(view: CampaignView) -> list[DeploymentAnswer]:
    """Return the answer about each new algorithm, in each of few conditions; none without a deployment."""
    if not is_deployment(view.campaign) or not view.has_results:
        return []
    return [
        DeploymentAnswer(
            question(view, name, where),
            share_rows(view, name, where),
            sentences(view, name, where),
            note(view, name),
        )
        for name in view.campaign.algorithms
        for where in shown_conditions(view, name)
    ]


def shown_conditions(view: CampaignView, algorithm: str) -> list[str]:
    """Return the conditions that have an answer of their own: few, or all together."""
    found = list(dict.fromkeys(each.where for each in choices(view) if each.algorithm == algorithm))
    return found[1:] if 1 < len(found) <= 1 + MOST_CONDITIONS else found[:1]


def note(view: CampaignView, algorithm: str) -> str:
    """Return the meaning of the numbers of the table."""
    found = effects_of(view, algorithm)
    if found is None:
        return ""
    lead = lead_outcome(view)
    row = rows_of(found, lead).row(0, named=True)
    unit = view.campaign.experiment["deploy"]["unit"]
    means = "geometric means" if row["scale"] == "log" else "means"
    weights = f"{_PLURALS[unit]} of equal weight" if row["weights"] == "unit" else "flows"
    return f"{capitalised(TITLES[lead])}, {means} over {weights}; intervals of 95 % by {row['method']}."


def question(view: CampaignView, algorithm: str, where: str = WHOLE) -> str:
    """Return the question that the table answers."""
    place = "" if where == WHOLE else f", with {in_words(where, view.segment_bytes)}"
    return f"What happens when {algorithm} is deployed beside {view.campaign.experiment['mixed_with']}{place}?"


def share_rows(view: CampaignView, algorithm: str, where: str = WHOLE) -> list[ShareRow]:
    """Return the mean outcome with and without the new algorithm, and the naive effect, by share."""
    found = effects_of(view, algorithm)
    if found is None:
        return []
    rows = rows_of(found, lead_outcome(view), where)
    by_share: dict[float, dict[str, dict[str, Any]]] = {}
    for row in rows.filter(pl.col("estimand").is_in(["mu_T", "mu_C", "naive"])).iter_rows(named=True):
        by_share.setdefault(row["share"], {})[row["estimand"]] = row
    lead = lead_outcome(view)
    return [
        ShareRow(
            percent(100 * share) if share else "0 %",
            _value(view, lead, own.get("mu_T")),
            _value(view, lead, own.get("mu_C")),
            _change(own.get("naive")),
        )
        for share, own in sorted(by_share.items())
    ]


def sentences(view: CampaignView, algorithm: str, where: str = WHOLE) -> list[str]:
    """Return the total effect, the tests that miss it, those who pay, and the shares at which switching pays."""
    found = effects_of(view, algorithm)
    if found is None:
        return ["No run with units is done."]
    lead = lead_outcome(view)
    about = view.campaign.experiment["deploy"]
    parts = [
        _lead(view, lead),
        _total(rows_of(found, lead, where), lead, algorithm, about["unit"]),
        *_tests(found, lead, where),
        _spill_over(rows_of(found, lead, where), str(view.campaign.experiment["mixed_with"]), about["unit"]),
        _starved(found, lead, where, about["unit"]),
        *(_groups(found, lead) if where == WHOLE else ()),
        *_equilibria(found, lead, where, about["unit"]),
    ]
    return [in_words(part, view.segment_bytes) for part in parts if part]


def _value(view: CampaignView, outcome: str, row: dict[str, Any] | None) -> str:
    if row is None or row["value"] is None:
        return "–"
    value, unit = shown(view, outcome, row["value"])
    return quantity(value, unit)


def _change(row: dict[str, Any] | None) -> str:
    """Return a relative change with its interval."""
    if row is None or row["value"] is None:
        return "–"
    text = change(row["value"])
    return text if row["low"] is None else f"{text} ({_interval(row)})"


def _interval(row: dict[str, Any]) -> str:
    return change_span(row["low"], row["high"])


def _lead(view: CampaignView, lead: str) -> str:
    chosen = view.campaign.experiment["deploy"]["outcome"]
    if lead == chosen:
        return ""
    return f"No {TITLES[chosen]} was measured, so that the table has the {TITLES[lead]}."


def _total(rows: pl.DataFrame, lead: str, algorithm: str, unit: str) -> str:
    rows = rows.filter(pl.col("estimand") == "total")
    if rows.is_empty() or (row := rows.row(0, named=True))["value"] is None:
        return "The total effect is not known: runs at share 0 or 1 are missing."
    text = f"When all {_PLURALS[unit]} have {algorithm}, the {TITLES[lead]} {_moved(row['value'])}"
    if row["low"] is None:
        return f"{text}; the noise of one run is not known."
    text += f" (95 % interval: {_interval(row)}, {counted(row['seeds'], 'run')} of each share)"
    if row["low"] <= 0 <= row["high"]:
        seen = "" if row["smallest"] is None else f": an effect of {change(row['smallest'])} would have been seen"
        return f"{text}. This cannot be distinguished from no effect{seen}."
    return f"{text}."


def _moved(by: float) -> str:
    if 1 + by >= MANY_TIMES:
        return f"rises to {change(by)} its value"
    return f"{'rises' if by > 0 else 'falls'} by {percent(abs(100 * by))}"


def _tests(found: Deployment, lead: str, where: str) -> Iterator[str]:
    """Yield a sentence on the worst test of each design."""
    tests = tests_of(found, lead)
    if where != WHOLE:
        tests = tests.filter(pl.col("condition") == where)
    for name, title in TESTS.items():
        rows = [row for row in tests.filter(test=name).iter_rows(named=True) if row["bias"] is not None]
        if not rows:
            continue
        row = max(rows, key=lambda each: abs(each["bias"]))
        at = f" with {percent(100 * row['share'])} of the units" if 0 < row["share"] < 1 else ""
        finds = "find" if name == LINKS else "finds"
        much = " as much" if 1 + row["estimate"] >= MANY_TIMES else ""
        text = f"{capitalised(title)}{at} {finds} {change(row['estimate'])}{much} on average"
        if row["wrong_sign"] is not None and row["wrong_sign"] > _WRONG:
            text += f", and {percent(100 * row['wrong_sign'])} of such tests have the wrong sign"
        elif row["bias_low"] is not None and row["bias_low"] <= 0 <= row["bias_high"]:
            text += ": no bias was found"
        yield f"{text}."


def _spill_over(rows: pl.DataFrame, incumbent: str, unit: str) -> str:
    harm = rows.filter((pl.col("estimand") == "harm") & pl.col("value").is_not_null())
    if harm.is_empty():
        return ""
    row = harm.sort("value").row(-1, named=True)
    at = f"when {percent(100 * row['share'])} of the {_PLURALS[unit]} have changed"
    if row["value"] <= 0:
        return f"Those who keep {incumbent} lose at no share."
    text = f"Those who keep {incumbent} lose most {at}: {percent(100 * row['value'])} of their performance"
    if row["low"] is None:
        return f"{text}."
    if row["low"] <= 0 <= row["high"]:
        return f"{text}, which cannot be distinguished from no loss ({_interval(row)})."
    return f"{text} (95 % interval: {_interval(row)})."


def _starved(found: Deployment, lead: str, where: str, unit: str) -> str:
    place = (pl.col("group") == "") if where == WHOLE else (pl.col("level") == where)
    rows = found.effects.filter((pl.col("outcome") == lead) & place & (pl.col("estimand") == "starved_C"))
    rows = rows.filter(pl.col("value") > 0)
    if rows.is_empty():
        return ""
    row = rows.sort("value").row(-1, named=True)
    who = f"{percent(100 * row['value'])} of the {_PLURALS[unit]} without it"
    return f"At a share of {percent(100 * row['share'])}, {who} get less than a tenth of what they had."


def _groups(found: Deployment, lead: str) -> Iterator[str]:
    """Yield a sentence on each group whose levels differ in the total effect."""
    rows = found.groups.filter((pl.col("outcome") == lead) & (pl.col("estimand") == "total") & (pl.col("p") < 0.05))
    for row in rows.iter_rows(named=True):
        ends = [f"{row[f'{end}_level']} ({change(row[end])})" for end in ("lowest", "highest")]
        group = row["group"].replace("_", " ")
        yield f"By {group} the total effect is smallest for {ends[0]} and largest for {ends[1]}."


def _equilibria(found: Deployment, lead: str, condition: str, unit: str) -> Iterator[str]:
    """Yield the shares up to which switching pays, where they are proved."""
    rows = found.equilibria.filter((pl.col("outcome") == lead) & pl.col("share").is_not_null())
    if condition != WHOLE:
        rows = rows.filter(pl.col("condition") == condition)
    for (name,), own in rows.group_by("condition", maintain_order=True):
        where = f" ({name})" if name and condition == WHOLE else ""
        inside = own.filter(pl.col("kind") == "inside")
        for row in inside.filter(pl.col("proved")).iter_rows(named=True):
            ends = f"{number(100 * row['low'])} to {percent(100 * row['high'])}"
            what = "gains by changing below" if row["stable"] else "gains by changing above"
            yield f"A {unit} {what} a share of {percent(100 * row['share'])} (95 % interval: {ends}){where}."
        if not inside.is_empty() and not inside["proved"].any():
            yield f"At which shares a {unit} gains by changing cannot be distinguished from chance{where}."
        if inside.is_empty():
            for row in own.filter(pl.col("proved")).head(1).iter_rows(named=True):
                gains = "gains" if row["kind"] == "all switch" else "loses"
                yield f"A {unit} {gains} by changing at every share{where}."
