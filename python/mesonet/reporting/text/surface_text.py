"""Sentences on a response surface that can be quoted: terms, fit, stationary point and best settings."""

from __future__ import annotations

from collections.abc import Sequence

from mesonet.reporting.campaign_view.flow_groups import replicates_text
from mesonet.reporting.campaign_view.surface import Surface
from mesonet.reporting.text.grid_text import GridAnswer
from mesonet.words import capitalised, counted, uncapitalised


def surface_answers(surface: Surface, responses: Sequence[str]) -> list[GridAnswer]:
    """Return the sentences on responses of the main period."""
    view = surface.view
    return [
        GridAnswer(name, view.responses[name].title, tuple(sentences(surface, name, view.main_period)))
        for name in responses
    ]


def sentences(surface: Surface, response: str, period: str) -> list[str]:
    """Return the answer of the model of each algorithm."""
    view, found = surface.view, []
    for name in view.algorithms:
        model = surface.model(response, period, name)
        lines = [f"No model: {model}."] if isinstance(model, str) else [*model.sentences(), *model.notes]
        if len(view.algorithms) > 1:
            lines[0] = f"With {name}: {uncapitalised(lines[0])}"
        found += [capitalised(line) for line in lines]
    return found


def note(surface: Surface) -> str:
    """Return how the models are made, in words."""
    view = surface.view
    replicates = replicates_text(view.campaign)
    return (
        f"Least squares through {counted(view.campaign.rows.conditions, 'condition')}, {replicates} "
        f"{'run' if replicates == '1' else 'runs'} of each. Terms have tests given all others, and intervals are of "
        "95 %. Predictions end at the limits of the factors."
    )
