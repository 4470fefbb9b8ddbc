"""Answers of a campaign that deploys an algorithm: as text, and as data."""

from __future__ import annotations

from typing import Any

import click

from mesonet.reporting.campaign_view.deployment import effects_of, is_deployment, lead_outcome
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text.deployment_text import HEAD, deployment_answers, sentences, shown_conditions
from mesonet.terminal import write_table


def write_answers(view: CampaignView) -> None:
    """Print outcomes by share and sentences on each new algorithm; nothing for a campaign that deploys nothing."""
    for answer in deployment_answers(view):
        click.echo(f"\n{answer.question}")
        write_table(list(HEAD), [list(row.cells) for row in answer.rows])
        click.echo("")
        for sentence in answer.sentences:
            click.echo(f"* {sentence}")


def answer_documents(view: CampaignView) -> list[dict[str, Any]]:
    """Return the answers as plain data, one entry for each new algorithm."""
    if not is_deployment(view.campaign):
        return []
    entries = []
    for algorithm in view.campaign.algorithms:
        found = effects_of(view, algorithm)
        names = ("effects", "groups", "tests", "equilibria") if found is not None else ()
        entries.append(
            {
                "algorithm": algorithm,
                "outcome": lead_outcome(view),
                "sentences": {where: sentences(view, algorithm, where) for where in shown_conditions(view, algorithm)},
                "notes": [] if found is None else list(found.notes),
                **{name: getattr(found, name).to_dicts() for name in names},
            }
        )
    return entries
