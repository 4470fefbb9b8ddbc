"""The analysis of a campaign as files: tables for further work, figures for papers, a caption for each."""

import os
from collections.abc import Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import polars as pl

from mesonet.errors import InputError, unknown
from mesonet.files import places
from mesonet.progress import Update
from mesonet.reporting.campaign_view.centre import curvature_sentence, curvature_table, has_centre_points
from mesonet.reporting.campaign_view.method import Method
from mesonet.reporting.campaign_view.sampled import is_sampled
from mesonet.reporting.campaign_view.study import Study
from mesonet.reporting.campaign_view.tables import labelled
from mesonet.reporting.campaign_view.thresholds import DEFAULTS, Thresholds
from mesonet.reporting.figures.algorithm_figures import follow_up_sentence, separation_caption
from mesonet.reporting.figures.traced_figures import traced_tables
from mesonet.reporting.folder import sampled_files
from mesonet.reporting.folder.campaign_pair import CampaignPair
from mesonet.reporting.folder.drawing import Drawn, draw_all, fingerprint
from mesonet.reporting.folder.gallery import Extent, figures_of, gallery
from mesonet.reporting.folder.method_files import method_tables
from mesonet.reporting.folder.table_files import write_table
from mesonet.reporting.text.conditions import conditions_table
from mesonet.words import counted, markdown

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

SECTIONS = {
    "network": "The network",
    "windows": "Windows of single flows",
    "ten_steps": "What drives the responses: ten steps each",
    "correlations": "Which responses say the same",
    "components": "Principal components",
    "components_of_goodputs": "Principal components of the goodputs",
    "factors": "Which factors matter over all",
    "algorithms": "The algorithms in every condition",
    "users": "What users get",
    "beside": "Two experiments",
}


def write_analysis(
    campaign: "Campaign",
    directory: Path | str,
    *,
    responses: Sequence[str] | None = None,
    figures: Extent | str = "chosen",
    thresholds: Thresholds = DEFAULTS,
    beside: "Campaign | None" = None,
    png: bool = False,
    workers: int | None = 1,
    progress: Update | None = None,
) -> list[Path]:
    """Write tables and figures below `directory`; return the paths of all, up-to-date files included.

    `analysis/tables/`, each as Parquet and CSV: `conditions`, `responses` (one row per run and period, one column per
    response), `main_effects`, and the results of the method (`docs/reference/analysis.md` lists them).
    `analysis/figures/`: SVG, with `png` PNG beside it, by section; `figures` "chosen" draws the ten steps of one
    response per cluster of the correlation analysis, or of `responses`, "all" of every response and algorithm, "none"
    draws nothing. `thresholds`: from where on responses say the same, and algorithms are a group. `beside`: another
    campaign, whose values stand below those of this one. A figure is drawn again only where the data or the code
    changed. `workers`: processes that draw (None: as many as there are processors). `analysis/index.md`: what each
    figure shows. A campaign without results gives the table of conditions only. `progress` is told (done, total, what
    is being drawn).

    Raises InputError, which is a ValueError, before any work: for a response that the campaign does not have, an
    unknown extent or number of workers, and where nothing can be written.
    """
    study = Study(campaign)
    method = Method(study, thresholds)
    sampled = is_sampled(campaign)
    if isinstance(responses, str):
        raise InputError("not a list", path="responses", value=responses, allowed="names in a list")
    if figures not in get_args(Extent):
        raise unknown("extent", str(figures), get_args(Extent), path="figures")
    if workers is not None and workers < 1:
        raise InputError("not a number of processes", path="workers", value=workers, allowed="at least 1")
    there = [*study.in_period[study.main_period]] if study.has_results else []
    there += method.space.names if study.has_results and not sampled else []
    for name in responses or ():
        if name not in there:
            raise unknown("response", str(name), list(dict.fromkeys(there)), path="responses")
    pair = CampaignPair(method, beside) if beside is not None else None
    if sampled:
        return sampled_files.write(campaign, directory, figures, responses, png, workers, progress)
    if not study.has_results:
        pair = None
    with places.folder(Path(directory) / "analysis", directory) as root:
        written = [
            path
            for name, table in (_tables(method) | (pair.tables() if pair else {})).items()
            for path in write_table(table, root / "tables" / name)
        ]
        drawn: list[Drawn] = []
        if study.has_results and figures != "none":
            chosen = None if responses is None else tuple(responses)
            drawn = draw_all(
                campaign, [*figures_of(method, figures, chosen), *(pair.figures() if pair else [])], root / "figures",
                again=partial(gallery, extent=figures, responses=chosen, thresholds=thresholds, beside=beside), png=png,
                chosen=repr(thresholds) + (fingerprint(beside) if beside else ""),
                workers=workers or os.cpu_count() or 1, progress=progress,
            )  # fmt: skip
        index = root / "index.md"
        index.write_text(_index(method, root, drawn, figures, pair), encoding="utf-8")
        pictures = [path for each in drawn for path in (each.path, each.path.with_suffix(".png")) if path.exists()]
        return [*written, *pictures, index]


def _tables(method: Method) -> dict[str, pl.DataFrame]:
    study = method.study
    tables = {"conditions": conditions_table(study)}
    if not study.has_results:
        return tables
    if study.campaign.design.factors:
        tables["main_effects"] = _effects_table(study)
        tables |= method_tables(method)
        if has_centre_points(study.campaign):
            tables["curvature"] = curvature_table(study)
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


def _index(method: Method, root: Path, drawn: Sequence[Drawn], extent: str, pair: CampaignPair | None) -> str:
    study = method.study
    lines = [f"# {study.campaign.title or study.campaign.name}", ""]
    if not study.has_results:
        return markdown("\n".join([*lines, "No run has given a result yet: there are no figures.", ""]))
    lines += [*_reading(method, drawn, extent), ""]
    lines += [pair.sentence, ""] if pair is not None else []
    section = ""
    for figure in drawn:
        first = figure.name.partition("/")[0]
        if first != section:
            section = first
            lines += [f"## {SECTIONS[section]}", ""]
        title = figure.name.partition("/")[2].replace("/", ", ").replace("_", " ")
        relative = figure.path.relative_to(root).as_posix()
        lines += [
            f"### {title}", "", f"*{figure.question}*", "", f"![{title}]({relative})", "", figure.caption, "",
        ]  # fmt: skip
    return markdown("\n".join(lines))


def _reading(method: Method, drawn: Sequence[Drawn], extent: str) -> list[str]:
    """Return lines on the contents of the folder, the outliers, and runs that would separate aliases."""
    lines = [f"{counted(len(drawn), 'figure')}; the tables are in `tables/`."]
    if extent == "chosen":
        lines[0] += (
            f" Ten steps are drawn for chosen representatives of the {len(method.correlations.clusters)} clusters of "
            "responses; `mesonet analyze --figures all` draws them for every response."
        )
    lines += ["", *method.space.notes] if method.space.notes else []
    if len(method.study.algorithms) > 1:
        lines += ["", separation_caption(method)]
    if has_centre_points(method.study.campaign):
        lines += ["", curvature_sentence(method.study)]
    if method.study.campaign.design.factors:
        lines += ["", follow_up_sentence(method, method.congestion, method.study.choices_of_algorithm[-1])]
    return lines
