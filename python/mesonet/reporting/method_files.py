"""Tables and figures of the study's method, for `mesonet.reporting.analysis_files`."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import polars as pl

from mesonet.analysis import residuals
from mesonet.plots import correlations, dendrograms, half_normal, interactions
from mesonet.plots import residuals as residual_plot
from mesonet.reporting import captions, method_captions
from mesonet.reporting.figures import axis_title, settings
from mesonet.reporting.method import Method
from mesonet.reporting.study import Study

#: Principal components whose scores are written.
_SCORES = 10


def method_tables(study: Study) -> dict[str, pl.DataFrame]:
    """The results of the method for the main period, and for every response where they are small."""
    method = Method(study)
    terms, factors = [], []
    for algorithm in study.choices_of_algorithm:
        for response in study.in_period[study.main_period]:
            result = method.terms(response, algorithm)
            margins = {"me": result.noise.me, "sme": result.noise.sme}
            table = result.to_polars().with_columns(**{name: pl.lit(m).fill_nan(None) for name, m in margins.items()})
            terms.append(labelled(table, {"response": response, "algorithm": algorithm}))
    for algorithm in study.algorithms:
        found = method.factor_table(algorithm)
        psi = pl.DataFrame({"factor": found.factors, "psi": found.psi}).with_columns(pl.col("psi").fill_nan(None))
        factors.append(labelled(found.to_polars().join(psi, on="factor", how="left"), {"algorithm": algorithm}))
    scores = pl.DataFrame(
        {f"PC{place + 1}": column for place, column in enumerate(method.components.scores.T[:_SCORES])}
    ).with_columns(pl.all().fill_nan(None))
    runs = pl.DataFrame(
        list(product(study.conditions, study.algorithms)), schema=["condition", "algorithm"], orient="row"
    )
    clusters = [
        found.to_polars().select(pl.lit(condition).alias("condition"), pl.all())
        for condition, found in method.clusterings.items()
    ]
    return {
        "terms": pl.concat(terms, how="vertical_relaxed"),
        "factors": pl.concat(factors, how="vertical_relaxed"),
        "correlations": method.correlations.to_polars(),
        "components": method.components.to_polars(),
        "component_scores": pl.concat([runs, scores], how="horizontal"),
        "clusters": pl.concat(clusters, how="vertical_relaxed"),
    }


def method_figures(study: Study, chosen: Sequence[str] | None) -> list[tuple[str, Any, str]]:
    """Half-normal plots and interactions of the measure of congestion, correlations, trees of the algorithms."""
    method = Method(study)
    response = study.congestion_response
    figures: list[tuple[str, Any, str]] = []
    for algorithm in study.choices_of_algorithm:
        terms = method.terms(response, algorithm)
        if terms.runs == 0:
            continue
        heading = captions.effects_heading(study, response, study.main_period, algorithm)
        suffix = f"{response}_{algorithm.replace(' ', '_')}"
        normal: Any = half_normal(terms, title=heading, response=f"|effect| on {axis_title(study, response)}")
        figures.append((f"half_normal_{suffix}", normal, method_captions.terms_caption(study, terms, response)))
        pairs = method.interactions(response, algorithm)
        matrix: Any = interactions(pairs, cut=terms.noise.me, title=heading)
        caption = method_captions.interactions_caption(study, pairs, terms, response)
        figures.append((f"interactions_{suffix}", matrix, caption))
    if method.correlations.responses:
        labels = {name: study.label_of(name) for name in study.responses}
        alike: Any = correlations(method.correlations, labels=labels, title="Correlations of the responses")
        figures.append(("correlations", alike, method_captions.correlations_caption(study, method.correlations)))
    for response in (chosen or study.key_responses) if len(study.algorithms) > 1 else ():
        values = study.values(response, study.main_period)
        detail = residuals(values, algorithms=study.algorithms, conditions=study.conditions, response=response)
        heading = captions.values_heading(study, response, study.main_period)
        axis = f"{axis_title(study, response)}, less the mean of all algorithms"
        plot: Any = residual_plot(detail, settings(study), title=heading, response=axis)
        figures.append((f"residuals_{response}", plot, method_captions.residuals_caption(study, detail, response)))
    if len(study.algorithms) > 2:
        trees: Any = dendrograms(
            method.clusterings, order=study.by_congestion, title="The algorithms in every condition"
        )
        caption = method_captions.clusters_caption(method.clusterings, study.algorithms)
        figures.append(("clusters", trees, caption))
    return figures


def labelled(table: pl.DataFrame, labels: Mapping[str, str]) -> pl.DataFrame:
    """The table with columns in front that say what all its rows are about."""
    return table.select(*(pl.lit(value).alias(name) for name, value in labels.items()), pl.all())
