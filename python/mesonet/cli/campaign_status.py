"""The status of a campaign, with its answers where it is complete."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import mesonet
from mesonet.terminal import write_json, write_table

if TYPE_CHECKING:
    from mesonet.campaign import Campaign
    from mesonet.campaign.status import Status


def show_finished(folder: Path, as_json: bool, asked: Sequence[str] = ()) -> None:
    """Show the status of a campaign with its answers; exit with 1 if a run failed.

    `asked`: responses of the answers of a grid, in place of the chosen ones.
    """
    if show_status(folder, as_json, with_verdicts=True, asked=asked).failed:
        click.get_current_context().exit(1)
    if not as_json:
        more = f" --responses {','.join(asked)}" if asked else ""
        click.echo(f"\nnext: mesonet report {shlex.quote(str(folder))}{more}")


def show_status(
    folder: Path, as_json: bool, verify: bool = False, with_verdicts: bool = False, asked: Sequence[str] = ()
) -> Status:
    """Show the status of a campaign, and its answers if it is complete and `with_verdicts`."""
    from mesonet.campaign.status import status as status_of
    from mesonet.cli import experiment_plan

    status = status_of(folder, verify=verify)
    complete = with_verdicts and status.done == status.runs
    campaign = mesonet.load(folder) if complete else None
    verdicts = mesonet.verdict(campaign) if campaign else []
    reason = _no_verdict(campaign) if campaign else ""
    answers, disciplines = _disciplines(campaign) if campaign else ([], [])
    looks = _looks(folder)
    if as_json:
        answered = {"verdicts": verdicts, "no_verdict": reason, "disciplines": disciplines} if with_verdicts else {}
        if campaign and "deploy" in campaign.experiment:
            answered |= _deployments(campaign, as_json)
        if campaign:
            answered |= _levels(campaign, asked, as_json)
        write_json({**asdict(status), **({"looks": looks[1]} if looks else {}), **answered})
        return status
    click.echo("\n".join([*experiment_plan.status_lines(status), *(looks[0] if looks else [])]))
    if status.failures:
        columns = ["condition", "algorithm", "replicate", "tries", "message", "log"]
        write_table(columns, [[failure[column] for column in columns] for failure in status.failures])
    if status.damaged:
        write_table(["damaged run", "reason"], [[each["key"][:16], each["reason"]] for each in status.damaged])
    if campaign and "deploy" in campaign.experiment:
        from mesonet.experiments.deployment import TOTAL_EFFECT

        _deployments(campaign, as_json)
        if campaign.experiment["comparisons"] == [TOTAL_EFFECT]:
            verdicts = []  # the answers have it
    if campaign:
        _levels(campaign, asked, as_json)
    if answers:
        click.echo("\nwhich queue discipline:")
        write_table(["discipline", "for whom"], answers)
    for question in dict.fromkeys(each["question"] for each in verdicts):
        found = [each for each in verdicts if each["question"] == question]
        against = "" if len({each["against"] for each in found}) > 1 else f"{found[0]['against']} "
        what = {"replacement": "replaced by", "competition": "flows that compete with"}.get(question, "against")
        click.echo(f"\n{against}{what if against else 'comparisons'}:")
        last = "why" if question == "competition" else "recommendation"
        keys = ["title", *([] if against else ["against_title"]), "verdict", last]
        noun = "scenario"
        if campaign and question == "replacement" and campaign.experiment.get("model") is not None:
            noun = campaign.experiment.get("words", {}).get("alternative", noun)
        head = [noun, *([] if against else ["against"]), "verdict", last]
        write_table(head, [[each[key] for key in keys] for each in found])
    if campaign and reason and len(campaign.algorithms) > 1:
        click.echo(f"\n{reason}")
    return status


def _deployments(campaign: Campaign, as_json: bool) -> dict[str, Any]:
    """Print what a deployment does, or return it as data."""
    from mesonet.cli.deployment_answers import answer_documents, write_answers
    from mesonet.reporting.campaign_view.view import CampaignView

    view = CampaignView(campaign)
    if as_json:
        return {"deployments": answer_documents(view)}
    write_answers(view)
    return {}


def _levels(campaign: Campaign, asked: Sequence[str], as_json: bool) -> dict[str, Any]:
    """Print what a grid shows, or return it as data; nothing for any other campaign."""
    from mesonet.reporting.campaign_view.grid import Grid, is_grid
    from mesonet.reporting.campaign_view.view import view_of
    from mesonet.reporting.text.grid_text import FIRST, grid_answers, note
    from mesonet.units import with_bits

    if not is_grid(campaign):
        return {}
    view = view_of(campaign, asked=asked)
    if not view.has_results:
        return {}
    grid = Grid(view)
    chosen = grid.key_responses if asked or as_json else grid.key_responses[:FIRST]
    answers = grid_answers(grid, chosen)
    if as_json:
        return {"levels": {each.response: list(each.sentences) for each in answers}, "levels_note": note(grid)}
    for each in answers:
        click.echo(f"\n{each.title}:")
        for sentence in each.sentences:
            click.echo(f"* {with_bits(sentence, view.data_bytes)}")
    click.echo(f"\n{note(grid)}")
    return {}


def _looks(folder: Path) -> tuple[list[str], dict[str, Any] | None] | None:
    """Return the looks of a campaign in words and as data; None if it has no rule for them."""
    from mesonet.campaign.ledger import REPLICATES_FILE

    if not (folder / REPLICATES_FILE).exists():
        return None
    from mesonet.reporting.text.looks_text import looks_document, looks_lines

    campaign = mesonet.load(folder)
    return looks_lines(campaign), looks_document(campaign)


def _no_verdict(campaign: Campaign) -> str:
    """Return the reason why no algorithm has a verdict as a replacement; empty if there is one."""
    from mesonet.reporting.campaign_view.view import CampaignView
    from mesonet.reporting.text.verdict_text import no_verdict

    return no_verdict(CampaignView(campaign))


def _disciplines(campaign: Campaign) -> tuple[list[list[str]], list[dict[str, Any]]]:
    """Return the answers on queue disciplines as rows of a table, and as data; none if no factor chooses them."""
    from mesonet.reporting.campaign_view.view import CampaignView
    from mesonet.reporting.text.disciplines_text import discipline_answers, discipline_rows

    view = CampaignView(campaign)
    return [[chosen, text] for _, chosen, text in discipline_answers(view)], discipline_rows(view)
