"""The analysis of a campaign with points between the levels as files: tables, figures, a page that lists them."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet import plots
from mesonet.files import places
from mesonet.files.names import file_stem
from mesonet.progress import Update
from mesonet.reporting.campaign_view.sampled import Sampled, left_out
from mesonet.reporting.campaign_view.study import Study
from mesonet.reporting.figures import grid_figures
from mesonet.reporting.figures.drawable import Drawable
from mesonet.reporting.folder.drawing import Drawn, draw_all
from mesonet.reporting.folder.table_files import write_table
from mesonet.reporting.text.labels import axis_title
from mesonet.words import capitalised, counted, markdown

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


def figures(campaign: "Campaign", extent: str = "chosen", responses: Sequence[str] | None = None) -> list[Drawable]:
    """Return sensitivities by algorithm and scatter plots by response, of a campaign that has results.

    `extent` "chosen": the scatter plots of the key responses, or of `responses`; "all": of every one; "none": nothing.
    """
    sampled = Sampled(Study(campaign))
    if extent == "none" or not sampled.responses:
        return []
    chosen = sampled.responses if extent == "all" else list(responses or sampled.study.key_responses)
    several = len(sampled.study.algorithms) > 1
    found = [
        Drawable(
            f"sensitivity/{file_stem(algorithm)}" if several else "sensitivity",
            "Which factors drive which response, and which way?",
            partial(_sensitivity, sampled, algorithm),
        )
        for algorithm in sampled.study.algorithms
    ]
    question = "Does the response rise, fall, bend or jump with a factor?"
    scatter = [Drawable(f"scatter/{file_stem(name)}", question, partial(_scatter, sampled, name)) for name in chosen]
    return found + grid_figures.figures(sampled, chosen) + scatter


def write(
    campaign: "Campaign",
    directory: Path | str,
    extent: str,
    responses: Sequence[str] | None,
    png: bool,
    workers: int | None,
    progress: Update | None,
) -> list[Path]:
    """Write tables, figures and ``index.md`` below ``analysis``; arguments as `analysis_files.write_analysis`."""

    sampled = Sampled(Study(campaign))
    with places.folder(Path(directory) / "analysis", directory) as root:
        written = [
            file for name, table in sampled.tables().items() for file in write_table(table, root / "tables" / name)
        ]
        drawn = draw_all(
            campaign, figures(campaign, extent, responses), root / "figures",
            again=partial(figures, extent=extent, responses=responses), png=png, workers=workers or os.cpu_count() or 1,
            progress=progress,
        )  # fmt: skip
        index = root / "index.md"
        index.write_text(_index(sampled, root, drawn), encoding="utf-8")
        pictures = [path for each in drawn for path in (each.path, each.path.with_suffix(".png")) if path.exists()]
        return [*written, *pictures, index]


def _sensitivity(sampled: Sampled, algorithm: str) -> tuple[Any, str]:
    study = sampled.study
    results = {
        study.label_of(name): sampled.sensitivity(name, study.main_period, algorithm) for name in sampled.responses
    }
    title = f"What drives the responses, {algorithm}" if len(study.algorithms) > 1 else "What drives the responses"
    chart = plots.sensitivity(results, names=sampled.factor_names, title=title)
    return chart, sampled.drivers(study.main_period, algorithm)


def _scatter(sampled: Sampled, response: str) -> tuple[Any, str]:
    study = sampled.study
    chart = plots.point_scatter(
        sampled.points, sampled.campaign.factors, sampled.values(response), settings=sampled.inputs,
        title=study.label_of(response), response=axis_title(study, response),
    )  # fmt: skip
    return chart, sampled.sentence(response)


def _index(sampled: Sampled, root: Path, drawn: Sequence[Drawn]) -> str:
    lines = [
        f"# {sampled.campaign.title or sampled.campaign.name}",
        "",
        f"{capitalised(left_out(sampled.campaign))}.",
        "",
    ]
    if not sampled.study.has_results:
        return markdown("\n".join([*lines, "No run has given a result yet: there are no figures.", ""]))
    lines += [f"{counted(len(drawn), 'figure')}; the tables are in `tables/`.", ""]
    for figure in drawn:
        relative = figure.path.relative_to(root).as_posix()
        title = figure.name.replace("/", ", ").replace("_", " ")
        lines += [f"## {title}", "", f"*{figure.question}*", "", f"![{title}]({relative})", "", figure.caption, ""]
    return markdown("\n".join(lines))
