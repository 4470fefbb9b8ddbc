"""The analysis of a campaign as files: tables for further work, figures for papers, a caption for each."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from mesonet import places
from mesonet.errors import InputError, unknown
from mesonet.plots import condition_response, main_effects, save
from mesonet.plots import responses as values_chart
from mesonet.plots.numbers import percent
from mesonet.progress import Update
from mesonet.reporting import captions
from mesonet.reporting.conditions import conditions_table
from mesonet.reporting.figures import axis_title, settings
from mesonet.reporting.method_files import labelled, method_figures, method_tables
from mesonet.reporting.study import CONGESTION, LARGE, Study
from mesonet.reporting.traced_files import traced_figures, traced_tables

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


def write_analysis(
    campaign: "Campaign",
    directory: Path | str,
    *,
    responses: Sequence[str] | None = None,
    progress: Update | None = None,
) -> list[Path]:
    """Write tables and figures below `directory` and return the paths written.

    `analysis/tables/`: main_effects, terms (by alias string, with Lenth's margins), factors (signs, stars and Psi),
    correlations, components, component_scores, clusters, condition_response, conditions, responses (one row per run and
    period, one column per response), each as Parquet and CSV. `analysis/figures/`, for the whole measured time: SVG of
    the main effects per algorithm and of the raw values of `responses` (default: effects of the measures of congestion,
    values of the key responses), half-normal plots and interactions of the measure of congestion, correlations, trees
    of the algorithms, and the condition-response summary. `analysis/index.md`: what each figure shows. A campaign
    without results gives the table of conditions only, one without factors nothing about effects. Where runs kept the
    traces of flows given one by one: the tables windows (average windows) and latencies, and their figures. `progress`
    is told (done, total, what is being drawn).

    Raises InputError, which is a ValueError, before any work: for a response that the campaign does not have and where
    nothing can be written.
    """
    study = Study(campaign)
    there = study.in_period[study.main_period] if study.has_results else []
    if isinstance(responses, str):
        raise InputError("not a list", path="responses", value=responses, allowed="names in a list")
    for name in responses or ():
        if name not in there:
            raise unknown("response", str(name), there, path="responses")
    with places.folder(Path(directory) / "analysis", directory) as root:
        return _write(study, root, responses, progress)


def _write(study: Study, root: Path, responses: Sequence[str] | None, progress: Update | None) -> list[Path]:
    written = [path for name, table in _tables(study).items() for path in _write_table(table, root / "tables" / name)]
    captioned = []
    if study.has_results:
        figures = list(_figures(study, responses))
        for place, (name, chart, caption) in enumerate(figures):
            if progress:
                progress(place, len(figures), name)
            path = root / "figures" / f"{name}.svg"
            path.parent.mkdir(parents=True, exist_ok=True)
            captioned.append((save(chart, path), caption))
    index = root / "index.md"
    index.write_text(_index(study, root, captioned), encoding="utf-8")
    return [*written, *(path for path, _ in captioned), index]


def _tables(study: Study) -> dict[str, pl.DataFrame]:
    tables = {"conditions": conditions_table(study)}
    if not study.has_results:
        return tables
    if study.campaign.design.factors:
        tables["main_effects"] = _effects_table(study)
        tables |= method_tables(study)
    if len(study.algorithms) > 1:
        cells = [labelled(study.summary(period).to_polars(), {"period": period}) for period in study.periods]
        tables["condition_response"] = pl.concat(cells, how="vertical_relaxed")
    keys = ["condition", "algorithm", "replicate", "period"]
    tables["responses"] = study.campaign.responses.pivot(on="response", index=keys, values="value")
    return tables | traced_tables(study.campaign)


def _effects_table(study: Study) -> pl.DataFrame:
    effects = []
    for period, names in study.in_period.items():
        for response, algorithm in product(names, study.choices_of_algorithm):
            result = study.effects(response, period, algorithm)
            about = {"response": response, "period": period, "algorithm": algorithm}
            lost = len(study.conditions) - result.runs
            table = result.to_polars().with_columns(grand_mean=pl.lit(result.grand_mean).fill_nan(None), runs_lost=lost)
            effects.append(labelled(table, about))
    return pl.concat(effects, how="vertical_relaxed")


def _write_table(table: pl.DataFrame, path: Path) -> list[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet, csv = path.with_suffix(".parquet"), path.with_suffix(".csv")
    arrow: pa.Table = table.to_arrow()
    pq.write_table(arrow, parquet)
    table.write_csv(csv)
    return [parquet, csv]


def _figures(study: Study, chosen: Sequence[str] | None) -> list[tuple[str, Any, str]]:
    """Name, chart and caption of each figure."""
    period = study.main_period
    there = study.in_period[period]
    congestion = [name for name in CONGESTION if name in there] or [study.congestion_response]
    figures: list[tuple[str, Any, str]] = []
    varied = bool(study.campaign.design.factors)
    for response, algorithm in product(chosen or congestion, study.choices_of_algorithm if varied else ()):
        result = study.effects(response, period, algorithm)
        if result.runs == 0:
            continue
        effects: Any = main_effects(
            result,
            study.campaign.factors,
            title=captions.effects_heading(study, response, period, algorithm),
            response=axis_title(study, response),
        )
        name = f"main_effects_{response}_{algorithm.replace(' ', '_')}"
        figures.append((name, effects, captions.effects_caption(study, result, response)))
    figures += method_figures(study, chosen) if varied else []
    for response in chosen or study.key_responses:
        values: Any = values_chart(
            study.long(response, period),
            study.algorithms,
            order=study.by_congestion,
            title=captions.values_heading(study, response, period),
            response=axis_title(study, response),
            order_title=f"condition, {study.order_words}",
        )
        figures.append((f"responses_{response}", values, captions.values_caption(study, response, period)))
    if len(study.algorithms) > 1:
        labels = {name: study.label_of(name) for name in study.responses}
        for least, suffix in ((0.0, ""), (LARGE, "_above_10_percent")):
            cells = study.summary(period, least)
            title = "Condition-response summary" + (f", relative effect above {percent(least)}" if least else "")
            chart = condition_response(cells, settings(study), labels=labels, order=study.by_congestion, title=title)
            figures.append((f"condition_response{suffix}", chart, captions.summary_caption(study, cells)))
    return [*figures, *traced_figures(study.campaign)]


def _index(study: Study, root: Path, captioned: Sequence[tuple[Path, str]]) -> str:
    lines = [f"# {study.campaign.title or study.campaign.name}", ""]
    if not captioned:
        lines += ["No run has given a result yet: there are no figures.", ""]
    for path, caption in captioned:
        relative = path.relative_to(root).as_posix()
        lines += [f"## {path.stem.replace('_', ' ')}", "", f"![{path.stem}]({relative})", "", caption, ""]
    return "\n".join(lines)
