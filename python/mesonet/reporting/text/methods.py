"""The methods sheet: what was simulated, by which design, with which values, and how the numbers were computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
from markupsafe import Markup

from mesonet.analysis.condition_response import FEWEST_ALGORITHMS
from mesonet.analysis.main_effects import Mode
from mesonet.analysis.terms import FEWEST_EFFECTS
from mesonet.progress import duration
from mesonet.reporting.campaign_view.flow_groups import replicates_text
from mesonet.reporting.campaign_view.values import LARGE
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text import html
from mesonet.reporting.text.conditions import factors_html
from mesonet.reporting.text.summary import roman
from mesonet.units import with_bits
from mesonet.words import counted, percent

BETTER = {"higher": "higher is better", "lower": "lower is better"}
PARAMETER_COLUMNS = ("path", "value", "unit", "source", "doc")


def methods_html(view: CampaignView) -> Markup:
    """Return the whole sheet; parts that the campaign does not describe are left out."""
    parts = [
        html.heading("What was run" if view.is_model else "What was simulated"), _experiment(view), factors_html(view),
        html.heading("Design"), _design(view),
        html.heading("How the numbers are computed"), _computation(view),
        _responses(view), _parameters(view),
    ]  # fmt: skip
    return Markup("").join(parts)


def provenance_html(view: CampaignView) -> Markup:
    """Return HTML of versions, seeds and times."""
    campaign = view.campaign
    known = campaign.provenance
    times = {name: known[name] for name in ("started", "finished") if name in known}
    # `tries` is a limit on what happens after a crash; code versions are said once where all runs have one.
    own = known.get("versions", {}).get("code_version") if isinstance(known.get("versions"), Mapping) else None
    said_elsewhere = {*times, "tries", *(["code_versions"] if known.get("code_versions") == [own] else [])}
    flat = times | dict(_flat({name: value for name, value in known.items() if name not in said_elsewhere}))
    runs = campaign.runs.filter(status="done")
    cost = []
    if seconds := _known(runs, "cpu_s"):
        cost.append(("processor time of all runs", duration(sum(seconds))))
    if peaks := _known(runs, "peak_rss_bytes"):
        cost.append(("largest memory of a run", f"{max(peaks) / 2**20:,.0f} MiB"))
    seeds = campaign.runs["seed"].unique().sort().to_list() if "seed" in campaign.runs.columns else []
    return html.definitions([("campaign", campaign.name), ("seeds of the runs", _short(seeds)), *flat.items(), *cost])


def _experiment(view: CampaignView) -> Markup:
    experiment = view.campaign.experiment
    pairs = [
        ("experiment", experiment.get("name", view.campaign.name)),
        ("description", " ".join(str(experiment.get("description") or "").split())),
        ("network", network := _network(experiment)),
        (
            "all other values" if network else "scenario",
            None if view.is_model else _base(experiment.get("scenario"), network),
        ),
        ("scale", None if experiment.get("scale") == 1 else experiment.get("scale")),
        ("set for all conditions", experiment.get("set")),
        (view.vocabulary.plural, view.algorithms if len(view.algorithms) > 1 or not view.is_model else None),
        ("seed from which the seeds of the runs follow", experiment.get("seed")),
        ("runs per condition and algorithm", replicates_text(view.campaign)),
    ]
    return html.definitions(pairs)


def _network(experiment: Mapping[str, Any]) -> str:
    """Name the topologies of all conditions; empty for a model, or where the campaign does not hold them."""
    names: dict[str, None] = {}
    for entry in experiment.get("scenarios") or []:
        topology = entry.get("scenario", {}).get("topology")
        if isinstance(topology, Mapping):
            # Routers of the other classes are connected to routers of the topology.
            backbone = "backbone router" if all(r.get("class") == "backbone" for r in topology["routers"]) else "router"
            size = f"{counted(len(topology['routers']), backbone)}, {counted(len(topology['links']), 'link')}"
            topology = f"{topology['name']} ({size}; a network of the user's own)"
        if topology:
            names[str(topology)] = None
    return " or ".join(names)


def _base(scenario: str | None, network: str) -> str | None:
    """Return the source of values that nothing sets. The name of the scenario is no name of a network."""
    return f"from the scenario {scenario}, unless set" if scenario and network else scenario


def _design(view: CampaignView) -> Markup:
    design = view.campaign.design
    aliases = {effect: others for effect, others in dict(getattr(design, "aliases", None) or {}).items() if others}
    lengths = [f"{count} of length {length}" for length, count in dict(design.word_lengths or {}).items()]
    pairs = [
        ("conditions", len(design.matrix)),
        ("factors", len(design.factors)),
        ("resolution", "full factorial" if design.is_full else roman(design.resolution)),
        ("generators", design.generators or "none: every combination of levels is a condition"),
        ("words of the defining relation", lengths),
    ]
    text = html.definitions(pairs)
    if aliases:
        rows = [[_times(effect), _times(html.wording(others))] for effect, others in aliases.items()]
        table = html.table(["effect", "confounded with"], rows)
        text += html.folded(f"Aliases: {counted(len(aliases), 'effect')} confounded with others", table)
    return text


#: How effects are tested, by the mode of `mesonet.analysis.main_effects`.
SIGNIFICANCE: dict[Mode, str] = {
    "nist": "t = effect / (2 s / √n), with s the standard deviation left after the mean and that one factor, on n − 2 "
    "degrees of freedom (n conditions). The variation caused by the other factors stays in s, so small effects can be "
    "hidden: the test is conservative.",
    "full": "t = effect / its standard error, from the residuals after the mean and all main effects together.",
    "replicates": "t = effect / its standard error, from the scatter between replicates of one condition.",
}
#: The margin of error of the half-normal plot, likewise.
MARGINS: dict[Mode, str] = {
    "nist": "of an effect, after Lenth: most of the effects of all factors and interactions are taken to be noise, and "
    "their median size gives its standard error. It needs at least "
    f"{FEWEST_EFFECTS} effects.",
    "replicates": "of an effect: the 97.5 % quantile of t (two-sided, 5 %) times its standard error, from the scatter "
    "between replicates.",
}
MARGINS["full"] = MARGINS["nist"]


def _computation(view: CampaignView) -> Markup:
    mode: Mode = getattr(view, "mode", "nist")
    return html.definitions(
        [
            (
                "effect of a factor",
                "mean of the response at the + level less its mean at the − level, for one algorithm",
            ),
            ("relative effect", "effect in % of the mean over all conditions"),
            ("significance", f"{SIGNIFICANCE[mode]} ** stands for 99 %, * for 95 %."),
            ("margin of error", MARGINS[mode]),
            (
                "who stands out",
                "within a condition, the algorithm farthest from the mean of all; named if Grubbs' test (two-sided, "
                f"5 %, exact for the number of algorithms) calls it an outlier. It needs at least {FEWEST_ALGORITHMS} "
                f"algorithms. The second form names only those more than {percent(LARGE)} from the mean.",
            ),
            ("not distinguishable", "the values of all algorithms differ by less than a billionth of their mean"),
            ("mean of all", "main effects of the mean over the algorithms; algorithms are never pooled as replicates"),
            ("random numbers", _random_numbers(view)),
            (
                "groups of responses",
                "responses whose correlation exceeds the threshold in size are linked; a group holds all that are "
                "linked, directly or over others",
            ),
            ("principal components", "of the responses that vary and lack no value, each scaled to unit variance"),
        ]
    )


def _random_numbers(view: CampaignView) -> str:
    """Return whether algorithms share their random numbers; empty if the campaign does not say."""
    runs = view.campaign.runs
    if len(view.algorithms) < 2 or not {"condition", "replicate", "seed"} <= set(runs.columns):
        return ""
    seeds = runs.group_by("condition", "replicate").agg(pl.col("seed").n_unique())["seed"]
    if (seeds > 1).any():
        return ""
    return "all algorithms have the same seed in one condition and replicate (common random numbers)"


def _responses(view: CampaignView) -> Markup:
    if not view.has_results:
        return Markup("")
    rows = [
        [
            r.symbol or "–", html.strong(r.title), r.unit, r.definition, BETTER.get(r.direction, ""), r.source,
            html.code(r.name),
        ]
        for r in view.responses.values()
    ]  # fmt: skip
    head = ["symbol", "response", "unit", "definition", "direction", "source", "name in the tables"]
    if view.is_model:
        rows = [
            [html.strong(r.title), r.unit, _better(view, r.name), html.code(r.name)] for r in view.responses.values()
        ]
        return html.folded(f"All {len(rows)} responses", html.table(["response", "unit", "direction", head[-1]], rows))
    return html.folded(f"Definitions of all {len(rows)} responses", html.table(head, rows))


def _better(view: CampaignView, response: str) -> str:
    """Return what is better of a response of a model."""
    of = view.better.get(response)
    return f"{of:g} is best" if isinstance(of, float | int) else BETTER.get(of or "", "neither is better")


def _parameters(view: CampaignView) -> Markup:
    parameters: list[dict[str, Any]] = view.campaign.experiment.get("parameters") or []
    rows = []
    for parameter in parameters:
        path, value, unit, source, doc = (html.wording(parameter.get(name)) for name in PARAMETER_COLUMNS)
        shown = value if not unit or unit in value or unit in ("1", "time", "rate") else f"{value} {unit}"
        rows.append([html.code(path), with_bits(shown, view.segment_bytes), html.prose(doc), html.prose(source)])
    if not rows:
        return Markup("")
    what = "parameters" if view.is_model else "scenario values"
    note = "Factors take one of their two levels in each condition; all else is the same in every condition."
    table = html.table(["path", "value", "what it is", "source"], rows, caption=note)
    if view.is_model:
        table = html.table(["parameter", "value", "set"], [[row[0], row[1], row[3]] for row in rows], caption=note)
    return html.folded(f"All {len(rows)} {what} and where they come from", table)


def _times(text: str) -> str:
    return text.replace("*", " × ")


def _short(values: list[Any]) -> str:
    return html.wording(values) if len(values) <= 8 else f"{len(values)} seeds from {values[0]} to {values[-1]}"


def _known(runs: pl.DataFrame, column: str) -> list[float]:
    return runs[column].drop_nulls().to_list() if column in runs.columns else []


def _flat(value: Any, name: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [pair for key, part in value.items() for pair in _flat(part, str(key).replace("_", " "))]
    return [(name, value)]
