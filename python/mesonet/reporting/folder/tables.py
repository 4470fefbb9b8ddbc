"""Tables of a campaign with factors at two levels, for `mesonet.reporting.folder.analysis_files`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from mesonet.reporting.campaign_view.traced import traced_runs
from mesonet.reporting.figures.latencies import latency_table
from mesonet.reporting.figures.windows import windows_table

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from itertools import product
from typing import Any, TypeVar

from mesonet.analysis import ten_steps
from mesonet.analysis.result import AnalysisResult, stack
from mesonet.reporting.campaign_view.centre import curvature_table, has_centre_points
from mesonet.reporting.campaign_view.conclusions import conclusion_tables
from mesonet.reporting.campaign_view.deployment import effects_of, is_deployment
from mesonet.reporting.campaign_view.harm import harm_table
from mesonet.reporting.campaign_view.queues import queue_summary, queue_table
from mesonet.reporting.campaign_view.series import with_series
from mesonet.reporting.campaign_view.tables import by_response, labelled
from mesonet.reporting.campaign_view.users import users
from mesonet.reporting.campaign_view.values import categorical
from mesonet.reporting.campaign_view.view import CampaignView, Reduction
from mesonet.reporting.figures.buffers import buffer_table
from mesonet.reporting.figures.flow_states import flow_state_table
from mesonet.reporting.text.conditions import conditions_table
from mesonet.reporting.text.looks_text import condition_table, length_table, looks_table
from mesonet.reporting.verdicts.disciplines import discipline_table
from mesonet.reporting.verdicts.verdict import harm_to_competitors, verdicts

#: Principal components whose scores and main effects are written.
_SCORES = 10
_TEXT = pl.String

Found = TypeVar("Found", bound=AnalysisResult)


def two_level_tables(view: CampaignView) -> dict[str, pl.DataFrame]:
    """Return all tables of a campaign by name. A campaign without results has ``conditions`` only."""
    network = view.network
    tables = {"conditions": conditions_table(network)}
    if not view.has_results:
        return tables
    tables |= decision_tables(view)
    if view.campaign.design.factors:
        tables["main_effects"] = _effects_table(network)
        tables |= _analysis_tables(view)
        tables |= conclusion_tables(view)
        if has_centre_points(view.campaign):
            tables["curvature"] = curvature_table(network)
    if len(view.algorithms) > 1:
        cells = [labelled(network.summary(period).to_polars(), {"period": period}) for period in network.periods]
        tables["condition_response"] = pl.concat(cells, how="vertical_relaxed")
    tables["responses"] = by_response(view.campaign.responses)
    looks = {
        "looks": looks_table(view.campaign),
        "length_check": length_table(view.campaign),
        "condition_check": condition_table(view.campaign),
    }
    tables |= {name: table for name, table in looks.items() if not table.is_empty()}
    return tables | traced_tables(view.campaign)


def decision_tables(view: CampaignView) -> dict[str, pl.DataFrame]:
    """Return ``decisions``, if something is compared: a row per comparison and judged quantity, users included."""
    rows: list[dict[str, Any]] = []
    for each in [*verdicts(view), *harm_to_competitors(view)]:
        about = {"question": each.question, "scenario": each.name, "against": each.against, "overall": each.words}
        for part, changes in (("judged", each.changes), ("user", each.users)):
            for change in changes:
                sides = {
                    f"{side}_{name}": getattr(where, name) if where else None
                    for side, where in (("beyond", change.beyond), ("within", change.within))
                    for name in ("level", "mean", "low", "high")
                }
                plain = {key: value for key, value in asdict(change).items() if key not in ("beyond", "within")}
                rows.append({**about, "part": part, **plain, **sides})
    return {"decisions": pl.DataFrame(rows, infer_schema_length=None)} if rows else {}


def _effects_table(view: CampaignView) -> pl.DataFrame:
    effects = ((each, view.effects(*each.values())) for each in view.selections(view.choices_of_algorithm))
    of_all = {
        "grand_mean": lambda found: found.grand_mean,
        "runs_lost": lambda found: len(view.conditions) - found.runs,
    }
    return _stacked(effects, of_all)


def deployment_tables(view: CampaignView) -> dict[str, pl.DataFrame]:
    """Return effects, groups, tests and equilibria of all new algorithms; none for a campaign that deploys nothing."""
    if not is_deployment(view.campaign) or not view.has_results:
        return {}
    found = {name: each for name in view.campaign.algorithms if (each := effects_of(view, name)) is not None}
    return {
        f"deployment_{part}": pl.concat(
            [labelled(getattr(each, part), {"algorithm": name}) for name, each in found.items()], how="vertical_relaxed"
        )
        for part in ("effects", "groups", "tests", "equilibria")
        if found
    }


def _analysis_tables(view: CampaignView) -> dict[str, pl.DataFrame]:
    """Return the results of the method, for every response where they are small."""
    tables = {
        **_effect_tables(view), **_reduction_tables(view), **_algorithm_tables(view), **_user_tables(view),
    }  # fmt: skip
    tables["classes"] = view.classes.to_polars()
    for name, table in (
        ("flow_states", flow_state_table(view)),
        ("buffers", buffer_table(view)),
        ("queues", queue_table(view)),
        ("queues_by_class", queue_summary(view)),
        ("disciplines", discipline_table(view)),
        ("harm", harm_table(view)),
    ):
        if not table.is_empty():
            tables[name] = table
    return tables


def _effect_tables(view: CampaignView) -> dict[str, pl.DataFrame]:
    terms = (
        ({"response": column.name, "algorithm": algorithm}, view.terms(column.response, column.period, algorithm))
        for algorithm in view.choices_of_algorithm
        for column in view.columns
    )
    margins = {"me": lambda found: found.noise.me, "sme": lambda found: found.noise.sme}
    factors, psi, steps, runs = [], [], [], []
    for algorithm in view.algorithms:
        found = view.factor_table(algorithm)
        share = pl.DataFrame({"factor": found.factors, "psi": found.psi}).with_columns(pl.col("psi").fill_nan(None))
        factors.append(labelled(found.to_polars().join(share, on="factor", how="left"), {"algorithm": algorithm}))
        psi.append(labelled(view.psi(algorithm).to_polars(), {"algorithm": algorithm}))
    whose = view.choices_of_algorithm[-1]
    for column in view.chosen:
        ten = ten_steps(
            view.campaign.design, view.for_test(column.response, column.period, whose),
            mode=view.mode, categorical=categorical(view),
        )  # fmt: skip
        blocks = pl.DataFrame(
            [
                {"target": name, "robustness": ", ".join(found.robustness), "higher_plus": found.higher_plus,
                 "higher_minus": found.higher_minus, "sign_test_p": found.p}
                for name, found in ten.blocks.items()
            ],
            infer_schema_length=None,
        ).with_columns(pl.col("sign_test_p").cast(pl.Float64).fill_nan(None))  # fmt: skip
        about = {"response": column.name, "algorithm": whose}
        ends = pl.DataFrame({"target": ten.ordered.factors, "longest_low": ten.ordered.longest_low,
                             "longest_high": ten.ordered.longest_high})  # fmt: skip
        steps.append(labelled(blocks.join(ends, on="target", how="left", maintain_order="left"), about))
        runs.append(labelled(ten.scatter.to_polars(), about))
    congestion = view.congestion_column
    plan = view.follow_up(congestion.response, congestion.period, whose)
    tables = {
        "terms": _stacked(terms, margins), "factors": _together(factors), "psi": _together(psi),
        "blocks_and_runs": _together(steps), "spreads": _together(runs),
    }  # fmt: skip
    if plan is not None:
        about = {"response": congestion.name, "separates": ", ".join(plan.separated)}
        tables["follow_up"] = labelled(plan.to_polars(), about)
    return tables


def _reduction_tables(view: CampaignView) -> dict[str, pl.DataFrame]:
    tables = _component_tables(view.of_all)
    if view.of_goodputs is not None:
        tables |= _component_tables(view.of_goodputs)
    return tables | {
        "correlations": view.correlations.to_polars(), "response_groups": view.groupings.to_polars(),
    }  # fmt: skip


def _component_tables(found: Reduction) -> dict[str, pl.DataFrame]:
    view, parts = found.view, found.components
    scores = pl.DataFrame(
        {f"PC{place + 1}": column for place, column in enumerate(parts.scores.T[:_SCORES])}
    ).with_columns(pl.all().fill_nan(None))
    runs = pl.DataFrame(
        list(product(view.conditions, view.algorithms)), schema=["condition", "algorithm"], orient="row"
    ).with_columns(pl.Series("group", list(found.run_groups), dtype=pl.Int64))
    effects = [
        labelled(found.effects(place).to_polars(), {"component": f"PC{place + 1}"})
        for place in range(min(_SCORES, len(parts.variance)))
    ]
    tables = {
        f"components{found.suffix}": parts.to_polars(),
        f"component_scores{found.suffix}": pl.concat([runs, scores], how="horizontal"),
        f"group_rules{found.suffix}": found.run_rules.to_polars().with_columns(pl.col("group").cast(_TEXT)),
    }
    return tables | ({f"component_effects{found.suffix}": _together(effects)} if effects else {})


def _algorithm_tables(view: CampaignView) -> dict[str, pl.DataFrame]:
    clusters = [
        labelled(found.to_polars(), {"condition": condition}).with_columns(
            responses_used=pl.lit(len(found.responses_used)), responses_left_out=pl.lit(", ".join(found.incomplete))
        )
        for condition, found in view.clusterings.items()
    ]
    tables = {"clusters": _together(clusters)}
    if len(view.algorithms) < 2:
        return tables
    cells = [labelled(view.summary_of(columns).to_polars(), {"set": name}) for name, columns in view.sets.items()]
    tables["condition_response_by_set"] = _together(cells)
    tables["condition_response_adjusted"] = view.adjusted_summary.to_polars()
    tables["where_to_look"] = where_to_look(view)
    separations = [
        labelled(found.to_polars(), {"algorithm": algorithm, "response": response})
        for (algorithm, response), found in view.separations.items()
    ]
    if separations:
        tables["settings_of_outliers"] = _together(separations)
    splits = [
        labelled(found.to_polars(), {"algorithm": algorithm}).with_columns(pl.col("group").cast(_TEXT))
        for algorithm, found in view.split_rules.items()
    ]
    if splits:
        tables["settings_of_clusters"] = _together(splits)
    return tables


def _user_tables(view: CampaignView) -> dict[str, pl.DataFrame]:
    found = users(view)
    if found is None:
        return {}
    tables = {"flow_groups": found.table(), "goodput_ranges": found.ranges}
    if len(view.algorithms) > 1:
        tables["ranks"] = found.rank_summary.to_polars()
    if not (shares := found.shares()).is_empty():
        tables["available_share"] = shares
    return tables


def _stacked(
    results: Iterable[tuple[dict[str, Any], Found]], of_all: Mapping[str, Callable[[Found], float]]
) -> pl.DataFrame:
    """Return results with labels in front, and behind them the numbers that all rows of a result share."""
    each = ((labels | {name: of_all[name](found) for name in of_all}, found) for labels, found in results)
    return stack(each).select(pl.exclude(*of_all), *of_all)


def _together(tables: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(tables, how="vertical_relaxed") if tables else pl.DataFrame()


#: Series to look at first, columns of `series.parquet`, by a word in the name of the response.
SERIES = {
    "loss": ("segments_dropped", "cwnd", "queueing_delay_ms"),
    "retransmission": ("segments_dropped", "loss_events", "cwnd"),
    "rtt": ("rtt_ms", "queueing_delay_ms", "cwnd"),
    "queueing": ("queueing_delay_ms", "cwnd"),
    "goodput": ("cwnd", "segments_leaving", "segments_dropped"),
    "flows": ("flows_completed", "connecting", "sending"),
    "connect": ("connecting", "connection_failures", "segments_dropped"),
    "cwnd": ("cwnd", "cwnd_increases", "loss_events"),
    "timeouts": ("timeouts", "segments_dropped", "cwnd"),
}
_OTHERWISE = ("cwnd", "queueing_delay_ms", "segments_dropped")


def where_to_look(view: CampaignView) -> pl.DataFrame:
    """Return the most extreme condition of each outlying algorithm and response, with a guide to the time series.

    The columns of `mesonet.analysis.Extremes`, and series (columns of the time series to look at), file and
    file_against (the time series of both algorithms, of the first replicate that kept it; empty if none did). `view`:
    view of a campaign with at least two algorithms.
    """
    found = view.extremes
    table = found.to_polars().drop("place")

    def file(condition: int, algorithm: str) -> str:
        key = with_series(view.campaign, condition, algorithm)
        return f"runs/{key}/series.parquet" if key else ""

    series = [next((s for word, s in SERIES.items() if word in name), _OTHERWISE) for name in found.response]
    pairs = list(zip(found.condition.tolist(), found.algorithm, found.against, strict=True))
    return table.with_columns(
        pl.Series("series", [", ".join(names) for names in series], dtype=pl.String),
        pl.Series("file", [file(c, a) for c, a, _ in pairs], dtype=pl.String),
        pl.Series("file_against", [file(c, b) for c, _, b in pairs], dtype=pl.String),
    )


def traced_tables(campaign: Campaign) -> dict[str, pl.DataFrame]:
    """Return the tables of runs with traces of explicit flows.

    ``windows``, a row per run, flow and span, and ``latencies``, a row per run; tables without rows are left out.
    """
    runs = list(traced_runs(campaign))
    tables = {"windows": [windows_table(run) for run in runs], "latencies": [latency_table(run) for run in runs]}
    return {
        name: pl.concat(there) for name, parts in tables.items() if (there := [part for part in parts if len(part)])
    }
