"""The figures of docs/explanation/replication.md, from the campaigns of the claims and from exported tables::

python -m verification.figures FOLDER [FIGURE ...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

import mesonet
from mesonet.analysis import main_effects, ordered_data
from mesonet.plots import correlations, psi_table, save, sign_table
from mesonet.plots import main_effects as effects_figure
from mesonet.plots import ordered_data as ordered_figure
from mesonet.reporting.campaign_view.view import CampaignView
from verification.measures import fast, many_flows
from verification.scorecard.campaigns import Campaigns
from verification.scorecard.flows import FEWEST_FLOWS
from verification.scorecard.scorecard import load_scorecard

TABLES = Path(__file__).parent / "tables"
OUT = Path(__file__).parent.parent / "docs" / "explanation" / "replication"


def windows(campaigns: Campaigns) -> alt.Chart:
    """The window of a long-lived flow under FAST and standard TCP, in both corners of experiment 1b."""
    rows = [
        {"time": float(time), "cwnd": float(cwnd), "algorithm": algorithm, "corner": corner}
        for condition, corner in ((1, "congested"), (2, "uncongested"))
        for algorithm in ("fast", "tcp")
        for run in [campaigns.run("exp-1b-corners", algorithm, condition)]
        for time, cwnd in zip(run.time, run.cwnd[:, 0], strict=True)
        if time > 20
    ]
    line = alt.Chart(pl.DataFrame(rows)).mark_line(strokeWidth=1)
    return line.encode(
        x=alt.X("time:Q", title="time, s", scale=alt.Scale(domain=[20, 50])),
        y=alt.Y("cwnd:Q", title="cwnd of long-lived flow 1, segments"),
        color=alt.Color("algorithm:N", title=None),
        column=alt.Column("corner:N", title=None),
    ).properties(width=330, height=200)


def recovery(campaigns: Campaigns) -> alt.HConcatChart:
    """What the long-lived flows get over time under FAST and standard TCP; jumbo files start between the lines."""
    campaign, step = campaigns.load("exp-1b-congested-corner"), 5
    traces = pl.concat(
        campaign.kept("flow_traces", 1, algorithm).with_columns(algorithm=pl.lit(algorithm))
        for algorithm in campaign.algorithms
    )
    rates = (
        traces.filter(pl.col("time_s") % step == 0)
        .sort("algorithm", "flow", "time_s")
        .with_columns(goodput=pl.col("segments_delivered").diff().over("algorithm", "flow") / step)
        .drop_nulls("goodput")
        .select("time_s", "goodput", "algorithm", "flow")
    )
    x = alt.X("time_s:Q", title="time, s", scale=alt.Scale(domain=[380, 950]), axis=alt.Axis(tickCount=5))
    jumbo = alt.Chart(pl.DataFrame({"time_s": [570, 760]})).mark_rule(strokeDash=[4, 3], color="#808080").encode(x)
    charts = []
    for (flow,), of_flow in rates.group_by("flow", maintain_order=True):
        y = alt.Y("goodput:Q", title=None if charts else "segments/s", scale=alt.Scale(domain=[0, 80000]))
        line = alt.Chart(of_flow).mark_line(strokeWidth=1.3).encode(x, y, alt.Color("algorithm:N", title=None))
        charts.append(alt.layer(jumbo, line).properties(width=230, height=190, title=f"long-lived {flow}"))
    return alt.hconcat(*charts)


def losses(campaigns: Campaigns) -> alt.LayerChart:
    """Loss against the number of connections, with the hyperbola of the larger numbers."""
    points, fits = [], []
    for buffer in (60.0, 160.0, 260.0, 360.0, 460.0):
        curve = [
            (line.connections, many_flows.loss(campaigns, "many-flows", line.connections, buffer), line.pipe)
            for line in many_flows.lines(campaigns.load("many-flows"))
            if line.buffer == buffer
        ]
        points += [{"x": x, "loss": y, "W_c": f"{pipe:.0f}"} for x, y, pipe in curve]
        a, b = (
            many_flows.fit(campaigns, "many-flows", "loss", "hyperbola", buffer=buffer, what=what, pipe="small")
            for what in "ab"
        )
        fits += [{"x": x, "loss": b * x / (x + a), "W_c": f"{pipe:.0f}"} for x, _, pipe in curve if x > pipe / 3]
    x = alt.X("x:Q", title="connections")
    y, color = alt.Y("loss:Q", title="loss"), alt.Color("W_c:N", title="W_c", sort=None)
    dots = alt.Chart(pl.DataFrame(points)).mark_point(filled=True, size=30).encode(x, y, color)
    lines = alt.Chart(pl.DataFrame(fits)).mark_line(strokeWidth=1).encode(x, y, color)
    return alt.layer(lines, dots).properties(width=500, height=260)


METRICS = {
    "throughput": "throughput, of the line",
    "fairness": "Jain's index",
    "stability": "stability: SD over mean",
    "responsiveness": "responsiveness, s",
}


def metrics(campaigns: Campaigns) -> alt.VConcatChart:
    """The distribution of the four metrics of the FAST evaluation over the intervals of its dynamic scenarios."""
    names = {"fast": "FAST", "hstcp": "HSTCP", "scalable": "Scalable TCP", "tcp": "Reno"}
    rows = []
    for experiment, flows in (("fast-dynamic-1", "three flows"), ("fast-dynamic-2", "eight flows")):
        charts = []
        for what, title in METRICS.items():
            points = []
            for algorithm, name in names.items():
                values = sorted(fast.metrics(campaigns, experiment, algorithm, what))
                parts = [place / len(values) for place in range(len(values) + 1)]
                points += [{"x": x, "part": part, "algorithm": name} for x, part in zip(values, parts[1:], strict=True)]
                points.append({"x": values[0], "part": 0.0, "algorithm": name})
            steps = alt.Chart(pl.DataFrame(points).sort("algorithm", "part")).mark_line(interpolate="step-after")
            charts.append(
                steps.encode(
                    x=alt.X("x:Q", title=title, scale=alt.Scale(zero=False)),
                    y=alt.Y("part:Q", title=f"part of intervals, {flows}" if what == "throughput" else None),
                    color=alt.Color("algorithm:N", title=None, sort=list(names.values())),
                    order="part:Q",
                ).properties(width=170, height=150)
            )
        rows.append(alt.hconcat(*charts))
    return alt.vconcat(*rows)


SYN_LOSSES = {
    "loss_rate": "loss rate",
    "connecting_sources": "connecting sources",
    "flow_rate": "flows completed per second",
}


def syn_losses(campaigns: Campaigns) -> alt.VConcatChart:
    """What SYN losses do: losses, sources that connect and flows that complete, by period, corner and algorithm."""
    campaign = campaigns.load("exp-1b-corners")
    rows = []
    for condition, corner in ((1, "congested"), (2, "uncongested")):
        charts = []
        for name, title in SYN_LOSSES.items():
            values = pl.concat(
                campaign.response(name, period)
                .filter(condition=condition)
                .with_columns(period=pl.lit(f"{int(period) + 2}"))
                for period in ("1", "2", "3")
            )
            charts.append(
                alt.Chart(values.drop_nulls())
                .mark_point(filled=True, size=35)
                .encode(
                    x=alt.X("period:O", title=f"period, {corner}", axis=alt.Axis(labelAngle=0)),
                    xOffset="algorithm:N",
                    y=alt.Y("value:Q", title=title),
                    color=alt.Color("algorithm:N", title=None),
                )
                .properties(width=200, height=150)
            )
        rows.append(alt.hconcat(*charts))
    return alt.vconcat(*rows)


def by_loss() -> alt.VConcatChart:
    """Conditions of experiment 2a by rising loss, with their settings: step 1 of the ten."""
    factors, matrix, loss = _loss("exp-2a")
    found = ordered_data(matrix, loss, factors=[each.id for each in factors])
    return ordered_figure(found, response="loss rate, mean over the alternates")


def on_loss(experiment: str, response: str) -> alt.VConcatChart:
    """Main effects of the nine factors of experiments 2 on loss."""
    factors, matrix, loss = _loss(experiment)
    found = main_effects(matrix, loss, factors=[each.id for each in factors])
    return effects_figure(found, factors, response=response)


def _loss(name: str) -> tuple[Any, Any, Any]:
    """Factors and design of an experiment, and the loss rate in each condition: the mean over the alternates."""
    experiment = mesonet.experiment(name)
    loss = _network(name, "loss_rate").group_by("condition").agg(pl.col("value").mean()).sort("condition")
    return experiment.factors, experiment.rows.matrix, loss["value"].to_numpy()


def _network(name: str, response: str) -> pl.DataFrame:
    """A response of the network by condition and algorithm, settled or not, from the table of a short campaign."""
    rows = _exported(name).filter(of="network", response=response)
    return rows.select("condition", "algorithm", "value")


def _exported(name: str) -> pl.DataFrame:
    return pl.read_parquet(TABLES / f"{name}-short.parquet").filter(period="measured")


def fast_alone(campaigns: Campaigns) -> alt.HConcatChart:
    """FAST and standard TCP, each alone, in every condition of experiment 1a, by the loss of standard TCP."""
    campaign = campaigns.load("exp-1a-short")
    return _by_condition({title: campaign.response(name) for name, title in SYN_LOSSES.items()}, "tcp")


def newer() -> alt.HConcatChart:
    """The network and standard TCP in it, next to CTCP, CUBIC or BBRv3, by the queues with CTCP."""
    users = _exported("exp-2a-modern").filter(
        of="tcp", response="goodput", category="web object", path_class="typical", rate_class="normal"
    )
    return _by_condition(
        {
            "queueing delay, ms": _network("exp-2a-modern", "queueing_delay"),
            "loss rate": _network("exp-2a-modern", "loss_rate"),
            "Web objects of TCP, segments/s": users.select("condition", "algorithm", "value"),
        },
        "ctcp",
    )


def long_lived(campaigns: Campaigns) -> alt.HConcatChart:
    """What three long-lived flows get together in the phases of experiment 1b, by algorithm and condition."""
    campaign = campaigns.load("exp-1b-short")
    names = [f"goodput_long_lived_{flow}" for flow in (1, 2, 3)]
    run = ["condition", "algorithm"]
    sums = {
        f"period {int(period) + 2}, segments/s": pl.concat(campaign.response(name, period) for name in names)
        .group_by(run, maintain_order=True)
        .agg(pl.col("value").sum())
        for period in ("1", "2", "3")
    }
    return _by_condition(sums, "tcp")


def _by_condition(tables: dict[str, pl.DataFrame], by: str) -> alt.HConcatChart:
    """Values by condition and algorithm, a panel for each title; conditions by the first of algorithm `by`."""
    first = next(iter(tables.values()))
    order = first.filter(algorithm=by).sort("value", "condition")["condition"].to_list()
    charts = []
    for title, values in tables.items():
        base = alt.Chart(values).encode(
            x=alt.X("value:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=3)),
            y=alt.Y("condition:N", title=None if charts else "condition", sort=order),
        )
        lines = base.mark_line(color="#b0b0b0", strokeWidth=1).encode(detail="condition:N")
        dots = base.mark_point(filled=True, size=35).encode(color=alt.Color("algorithm:N", title=None))
        charts.append(alt.layer(lines, dots).properties(width=190, height=560))
    return alt.hconcat(*charts)


CATEGORIES = ("web object", "document")
_PAIR = ("condition", "algorithm", "category", "path_class", "rate_class")


def advantages() -> alt.HConcatChart:
    """What CTCP and FAST get beside standard TCP, by size of file, path and interface, from both thresholds."""
    charts = []
    for experiment, title in (("exp-2b", "threshold of 100 segments"), ("exp-2a", "threshold of 2^31")):
        goodputs = _exported(experiment).filter(
            pl.col("load_settled"),
            pl.col("algorithm").is_in(["ctcp", "fast"]),
            pl.col("category").is_in(CATEGORIES),
            pl.col("path_class") != "very fast",
            pl.col("flows") >= FEWEST_FLOWS,
            response="goodput",
        )
        rows = (
            goodputs.filter(of="alternate")
            .join(goodputs.filter(of="tcp"), on=_PAIR, suffix="_tcp", maintain_order="left")
            .select(*_PAIR, log_ratio=(pl.col("value") / pl.col("value_tcp")).log())
        )
        ratio = pl.col("log_ratio").exp()
        means = rows.group_by("category", "path_class", "rate_class", "algorithm").agg(
            ratio=pl.col("log_ratio").mean().exp(), least=ratio.quantile(0.1), most=ratio.quantile(0.9)
        )
        group = pl.format("{}, {} path, {} interface", "category", "path_class", "rate_class")
        order = [f"{each}, {path} path, {rate} interface" for each in CATEGORIES for path in ("fast", "typical")
                 for rate in ("normal", "fast")]  # fmt: skip
        means = means.with_columns(group=group).sort("group", "algorithm")
        shown = [each for each in order if each in means["group"].to_list()]
        base = alt.Chart(means).encode(
            y=alt.Y("group:N", title=None, sort=shown, axis=alt.Axis(labelLimit=300)),
            yOffset=alt.YOffset("algorithm:N"),
            color=alt.Color("algorithm:N", title=None),
        )
        x = alt.X(
            "ratio:Q", title=f"goodput over standard TCP's, {title}", scale=alt.Scale(domain=[0.7, 2], type="log")
        )
        line = base.transform_calculate(ratio="datum.least").mark_rule(strokeWidth=1.5, opacity=0.5, clip=True)
        charts.append(
            alt.layer(line.encode(x=x, x2="most:Q"), base.mark_point(filled=True, size=35).encode(x=x)).properties(
                width=330
            )
        )
    return alt.hconcat(*charts)


def sensitivity_signs(view: CampaignView) -> alt.LayerChart:
    """Which of the twenty factors drive which response."""
    return sign_table(view.factor_table("ctcp"), labels=view.labels)


def sensitivity_correlations(view: CampaignView) -> alt.VConcatChart:
    """Which of the 22 responses say the same."""
    return correlations(view.correlations, labels=view.labels)


def sensitivity_psi(view: CampaignView) -> alt.LayerChart:
    """How often each factor is significant, by set of responses, as in the ASME paper's Table 8."""
    names = {factor.id: factor.name for factor in view.campaign.factors}
    return psi_table(view.psi("ctcp"), names=names)


def sensitivity_levels(view: CampaignView, wide: CampaignView) -> alt.LayerChart:
    """The weighted average of Psi at the levels of the study and at ranges twice as wide."""
    names = {factor.id: f"{factor.id} {factor.name}" for factor in view.campaign.factors}
    found = {"of the study": view.psi("ctcp"), "twice as wide": wide.psi("ctcp")}
    rows = [
        {"factor": names[factor], "psi": 100 * float(value), "ranges": ranges}
        for ranges, table in found.items()
        for factor, value in zip(table.factors, table.average, strict=True)
    ]
    published = found["of the study"]
    order = [names[published.factors[place]] for place in published.order]
    base = alt.Chart(pl.DataFrame(rows)).encode(
        x=alt.X("psi:Q", title="Psi x 100, weighted average"),
        y=alt.Y("factor:N", title=None, sort=order, axis=alt.Axis(labelLimit=300)),
    )
    spans = base.mark_line(color="#808080", strokeWidth=1).encode(detail="factor:N")
    dots = base.mark_point(filled=True, size=45, opacity=1).encode(
        color=alt.Color("ranges:N", title="ranges of levels")
    )
    return alt.layer(spans, dots).properties(width=460, height=360)


FIGURES: dict[str, Callable[[Campaigns], Any]] = {
    "windows-of-fast": windows,
    "loss-by-connections": losses,
    "metrics-of-fast": metrics,
    "syn-losses": syn_losses,
    "conditions-by-loss": lambda _: by_loss(),
    "effects-on-loss": lambda _: on_loss("exp-2a", "loss rate, mean over the alternates"),
    "effects-on-loss-2c": lambda _: on_loss("exp-2c", "loss rate, network of ten times the size"),
    "fast-alone": fast_alone,
    "recovery": recovery,
    "long-lived": long_lived,
    "newer": lambda _: newer(),
    "advantages": lambda _: advantages(),
    "sensitivity-psi": lambda all_: sensitivity_psi(_view(all_, "short")),
    "sensitivity-levels": lambda all_: sensitivity_levels(_view(all_, "short"), _view(all_, "wide-short")),
    "sensitivity-signs": lambda all_: sensitivity_signs(_view(all_, "64")),
    "sensitivity-correlations": lambda all_: sensitivity_correlations(_view(all_, "64")),
}


def _view(campaigns: Campaigns, which: str) -> CampaignView:
    return CampaignView(campaigns.load(f"sensitivity-{which}"))


def main() -> None:
    """Write the figures that are named, or all."""
    folder, *names = sys.argv[1:]
    campaigns = Campaigns(load_scorecard().entries, Path(folder))
    OUT.mkdir(exist_ok=True)
    for name in names or FIGURES:
        save(FIGURES[name](campaigns), OUT / f"{name}.svg")


if __name__ == "__main__":
    main()
