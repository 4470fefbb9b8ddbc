"""The verb ``mesonet report``."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from mesonet.cli import completion
from mesonet.cli.common import CUT, DIRECTORY, JSON, THRESHOLD, Command, chosen_thresholds, from_results
from mesonet.errors import InputError
from mesonet.files import places
from mesonet.terminal import write_json


@click.command(cls=Command)
@DIRECTORY
@click.option("--out", type=click.Path(path_type=Path), help="The file; by default DIR/report.html.")
@click.option(
    "--replay",
    metavar="N|most|none",
    help="Condition to simulate again for the replay; by default the most congested if that takes under a minute.",
)
@click.option(
    "--against",
    metavar="ALGORITHM|LEVEL|DIR",
    help="Compare all others with an algorithm, a level such as share=0, or another campaign; by default the algorithm "
    "that all are mixed with, else cubic, else tcp.",
    shell_complete=completion.ALGORITHM,
)
@click.option(
    "--compare",
    multiple=True,
    metavar="'ONE : OTHER'",
    help="Compare two scenarios, such as 'share=0.3 : share=0' or 'bbr3, X1=40 seg/ms : cubic, X1=80 seg/ms'.",
)
@click.option("--responses", metavar="A,B,...", help="Responses that come first, in place of the chosen ones.")
@click.option("--live/--no-live", default=True, help="With or without the simulator in the page.")
@THRESHOLD
@CUT
@JSON
def report(
    directory: Path,
    out: Path | None,
    replay: str | None,
    against: str | None,
    compare: tuple[str, ...],
    responses: str | None,
    live: bool,
    threshold: float | None,
    cut: float | None,
    as_json: bool,
) -> None:
    """Write the report of the campaign in DIR: one HTML file that needs no network."""
    from mesonet.charts.in_page import renderer
    from mesonet.reporting import write_report
    from mesonet.reporting.campaign_view.sampled import is_sampled
    from mesonet.reporting.campaign_view.view import view_of
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
