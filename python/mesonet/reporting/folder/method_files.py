"""Tables of the study's method, for `mesonet.reporting.folder.analysis_files`."""

from itertools import product

import polars as pl

from mesonet.reporting.campaign_view.method import Method, Reduction
from mesonet.reporting.campaign_view.tables import labelled
from mesonet.reporting.figures.algorithm_figures import where_to_look
from mesonet.reporting.figures.network_figures import buffer_table, flow_state_table
from mesonet.reporting.figures.user_figures import users

#: Principal components whose scores and main effects are written.
_SCORES = 10
_TEXT = pl.String


def method_tables(method: Method) -> dict[str, pl.DataFrame]:
    """Return the results of the method, for every response where they are small."""
    tables = {
        **_effect_tables(method), **_reduction_tables(method), **_algorithm_tables(method), **_user_tables(method),
    }  # fmt: skip
    tables["classes"] = method.classes.to_polars()
    for name, table in (("flow_states", flow_state_table(method)), ("buffers", buffer_table(method.study))):
        if not table.is_empty():
            tables[name] = table
    return tables


def _effect_tables(method: Method) -> dict[str, pl.DataFrame]:
    study = method.study
    terms, factors, psi, steps, runs = [], [], [], [], []
    for algorithm in study.choices_of_algorithm:
        for response in method.space.names:
            result = method.terms(response, algorithm)
            margins = {"me": result.noise.me, "sme": result.noise.sme}
            table = result.to_polars().with_columns(**{name: pl.lit(m).fill_nan(None) for name, m in margins.items()})
            terms.append(labelled(table, {"response": response, "algorithm": algorithm}))
    for algorithm in study.algorithms:
        found = method.factor_table(algorithm)
        share = pl.DataFrame({"factor": found.factors, "psi": found.psi}).with_columns(pl.col("psi").fill_nan(None))
        factors.append(labelled(found.to_polars().join(share, on="factor", how="left"), {"algorithm": algorithm}))
        psi.append(labelled(method.psi(algorithm).to_polars(), {"algorithm": algorithm}))
    whose = study.choices_of_algorithm[-1]
    for response in method.chosen:
        ten = method.ten_steps(response, whose)
        blocks = pl.DataFrame(
            [
                {"target": name, "robustness": ", ".join(found.robustness), "higher_plus": found.higher_plus,
                 "higher_minus": found.higher_minus, "sign_test_p": found.p}
                for name, found in ten.blocks.items()
            ],
            infer_schema_length=None,
        ).with_columns(pl.col("sign_test_p").cast(pl.Float64).fill_nan(None))  # fmt: skip
        about = {"response": response, "algorithm": whose}
        ends = pl.DataFrame({"target": ten.ordered.factors, "longest_low": ten.ordered.longest_low,
                             "longest_high": ten.ordered.longest_high})  # fmt: skip
        steps.append(labelled(blocks.join(ends, on="target", how="left", maintain_order="left"), about))
        runs.append(labelled(ten.scatter.to_polars(), about))
    plan = method.follow_up(method.congestion, whose)
    tables = {
        "terms": _together(terms), "factors": _together(factors), "psi": _together(psi),
        "blocks_and_runs": _together(steps), "spreads": _together(runs),
    }  # fmt: skip
    if plan is not None:
        about = {"response": method.congestion, "separates": ", ".join(plan.separated)}
        tables["follow_up"] = labelled(plan.to_polars(), about)
    return tables


def _reduction_tables(method: Method) -> dict[str, pl.DataFrame]:
    tables = _component_tables(method.of_all, "")
    if method.of_goodputs is not None:
        tables |= _component_tables(method.of_goodputs, "_of_goodputs")
    return tables | {
        "correlations": method.correlations.to_polars(), "response_groups": method.groupings.to_polars(),
    }  # fmt: skip


def _component_tables(found: Reduction, whose: str) -> dict[str, pl.DataFrame]:
    study, parts = found.method.study, found.components
    scores = pl.DataFrame(
        {f"PC{place + 1}": column for place, column in enumerate(parts.scores.T[:_SCORES])}
    ).with_columns(pl.all().fill_nan(None))
    runs = pl.DataFrame(
        list(product(study.conditions, study.algorithms)), schema=["condition", "algorithm"], orient="row"
    ).with_columns(pl.Series("group", list(found.run_groups), dtype=pl.Int64))
    effects = [
        labelled(found.effects(place).to_polars(), {"component": f"PC{place + 1}"})
        for place in range(min(_SCORES, len(parts.variance)))
    ]
    tables = {
        f"components{whose}": parts.to_polars(),
        f"component_scores{whose}": pl.concat([runs, scores], how="horizontal"),
        f"group_rules{whose}": found.run_rules.to_polars().with_columns(pl.col("group").cast(_TEXT)),
    }
    return tables | ({f"component_effects{whose}": _together(effects)} if effects else {})


def _algorithm_tables(method: Method) -> dict[str, pl.DataFrame]:
    study = method.study
    clusters = [
        labelled(found.to_polars(), {"condition": condition}).with_columns(
            responses_used=pl.lit(len(found.responses_used)), responses_left_out=pl.lit(", ".join(found.incomplete))
        )
        for condition, found in method.clusterings.items()
    ]
    tables = {"clusters": _together(clusters)}
    if len(study.algorithms) < 2:
        return tables
    cells = [
        labelled(method.summary_of(places).to_polars(), {"set": name}) for name, places in method.space.sets.items()
    ]
    tables["condition_response_by_set"] = _together(cells)
    tables["condition_response_adjusted"] = method.adjusted_summary.to_polars()
    tables["where_to_look"] = where_to_look(method)
    separations = [
        labelled(found.to_polars(), {"algorithm": algorithm, "response": response})
        for (algorithm, response), found in method.separations.items()
    ]
    if separations:
        tables["settings_of_outliers"] = _together(separations)
    splits = [
        labelled(found.to_polars(), {"algorithm": algorithm}).with_columns(pl.col("group").cast(_TEXT))
        for algorithm, found in method.split_rules.items()
    ]
    if splits:
        tables["settings_of_clusters"] = _together(splits)
    return tables


def _user_tables(method: Method) -> dict[str, pl.DataFrame]:
    found = users(method)
    if found is None:
        return {}
    tables = {"flow_groups": found.table(), "goodput_ranges": found.ranges}
    if len(method.study.algorithms) > 1:
        tables["ranks"] = found.rank_summary.to_polars()
    if not (shares := found.shares()).is_empty():
        tables["available_share"] = shares
    return tables


def _together(tables: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(tables, how="vertical_relaxed") if tables else pl.DataFrame()
