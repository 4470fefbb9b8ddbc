"""The verb ``mesonet report``."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from mesonet.cli import completion
from mesonet.cli.common import (
    BETTER,
    CUT,
    JSON,
    THRESHOLD,
    Command,
    chosen_thresholds,
    directions,
    from_results,
    refuse,
    table_options,
)
from mesonet.cli.table_analysis import analysis_of, answer_document
from mesonet.errors import InputError
from mesonet.files import places
from mesonet.files.reading import is_file
from mesonet.progress import Progress
from mesonet.terminal import write_json


@click.command(cls=Command)
@click.argument("directory", metavar="DIR|TABLE", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), help="The file; by default DIR/report.html, or report.html beside TABLE."
)
@table_options
@click.option("--title", default="", help="For TABLE: title of the report.")
@click.option(
    "--replay",
    metavar="N|most|none",
    help="Condition to simulate again for the replay; by default the most congested if that takes under a minute.",
)
@click.option(
    "--against",
    metavar="ALGORITHM|LEVEL|DIR",
    help="Compare all others with an algorithm, a level such as share=0, or another campaign; by default the algorithm "
    "that all are mixed with, else cubic, else tcp. For a model: by default the first alternative.",
    shell_complete=completion.ALGORITHM,
)
@click.option(
    "--compare",
    multiple=True,
    metavar="'ONE : OTHER'",
    help="Compare two scenarios, such as 'share=0.3 : share=0' or 'bbr3, X1=40 seg/ms : cubic, X1=80 seg/ms'.",
)
@BETTER
@click.option("--responses", metavar="A,B,...", help="Responses that come first, in place of the chosen ones.")
@click.option("--live/--no-live", default=True, help="With or without the simulator in the page.")
@THRESHOLD
@CUT
@JSON
def report(
    directory: Path,
    out: Path | None,
    response: str | None,
    factors: str | None,
    block: str | None,
    unit: str,
    title: str,
    replay: str | None,
    against: str | None,
    compare: tuple[str, ...],
    better: tuple[str, ...],
    responses: str | None,
    live: bool,
    threshold: float | None,
    cut: float | None,
    as_json: bool,
) -> None:
    """Write the report of the campaign in DIR, or of TABLE, a file of any experiment: one HTML file."""
    if response is not None or is_file(directory):
        from mesonet.reporting import write_experiment_report

        refuse("table", ("replay", "against", "compare", "responses", "better", "live", "threshold", "cut"))
        found_in_table = analysis_of(directory, response=response, factors=factors, block=block, unit=unit)
        place = out or directory.with_name("report.html")
        with Progress(f"report of {directory.name}") as progress:
            written = write_experiment_report(found_in_table, place, title=title, progress=progress.update)
        if as_json:
            write_json({"path": str(written), **answer_document(found_in_table)})
        else:
            click.echo(str(written))
        return
    refuse("campaign", ("factors", "block", "unit", "title"))
    from mesonet.charts.in_page import renderer
    from mesonet.reporting import write_report
    from mesonet.reporting.campaign_view.sampled import is_sampled
    from mesonet.reporting.campaign_view.view import view_of
    from mesonet.reporting.campaign_view.vocabulary import with_better
    from mesonet.reporting.replay.simulated import prepare
    from mesonet.reporting.text.conclusions_text import conclusion_rows
    from mesonet.reporting.text.disciplines_text import discipline_rows
    from mesonet.reporting.text.verdict_text import no_verdict, verdict_rows
    from mesonet.reporting.verdicts.comparisons import partners

    renderer()
    thresholds = chosen_thresholds(threshold, cut)
    asked = [name.strip() for name in responses.split(",")] if responses else []
    found: dict[str, Any] = {"verdicts": [], "no_verdict": "", "conclusions": [], "disciplines": []}

    def write(campaign: Any, place: Path, progress: Any) -> Path:
        campaign = with_better(campaign, directions(better))
        if campaign.experiment.get("model") is not None and replay not in (None, "none"):
            raise InputError("only networks are replayed", path="--replay", value=replay, allowed="none")
        if is_sampled(campaign):
            if replay not in (None, "none"):
                raise InputError(
                    "only conditions at two levels are replayed", path="--replay", value=replay, allowed="none"
                )
        else:
            places.checked(place)
            view = view_of(campaign, against, compare=compare)
            prepare(campaign, replay, partners=partial(partners, view), progress=progress)
        if as_json:
            view = view_of(campaign, against, compare=compare)
            found.update(
                verdicts=verdict_rows(view),
                no_verdict=no_verdict(view),
                conclusions=conclusion_rows(view),
                disciplines=discipline_rows(view),
            )
        return write_report(
            campaign, place, thresholds=thresholds, against=against, compare=compare, responses=asked,
            progress=progress, live=live,
        )  # fmt: skip

    try:
        path = from_results(directory, "report", write, out or places.inside(directory, "report.html"))
    except InputError as error:
        raise (
            replace(error, path=f"--{error.path}") if error.path in ("against", "compare", "responses") else error
        ) from error
    if as_json:
        write_json({"path": str(path), **found})
    else:
        click.echo(str(path))
