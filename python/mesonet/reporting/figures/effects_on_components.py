"""Main effects on the scores of the first principal components."""

from __future__ import annotations

from mesonet.reporting.campaign_view.view import Reduction
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.figures.main_effects import effects_sentence, main_effects
from mesonet.reporting.text.labels import AGAINST
from mesonet.words import percent


def figure_of_first(found: Reduction) -> Figure | None:
    """Return the main effects on the first component."""
    return _effects_on_component(found, 0)


def figure_of_second(found: Reduction) -> Figure | None:
    """Return the main effects on the second component."""
    return _effects_on_component(found, 1)


def _effects_on_component(found: Reduction, place: int) -> Figure | None:
    """Return the main effects on one component; the page has those of all responses."""
    if len(found.components.variance) <= place:
        return None
    view, whose, name = found.view, found.whose, f"PC{place + 1}"

    def draw() -> Drawing:
        effects = found.effects(place)
        share = percent(100 * float(found.components.share[place]))
        chart = main_effects(
            effects, view.campaign.factors, title=f"{name}{whose} ({share} of the variance), mean of all algorithms",
            response=name, relative=False,
        )  # fmt: skip
        text = effects_sentence(view, effects, name, "", relative=False)
        # Scores have no replicates of their own.
        return drawing(chart, text if effects.mode == view.mode else f"{text} Tested {AGAINST[effects.mode]}.")

    return Figure(
        id=f"effects-pc{place + 1}" + (f"-components{found.suffix}" if whose else ""),
        short_title=f"What drives {name}",
        title=f"Which factors drive {name}{whose}?",
        reading=f"Main effects on the scores of the {('first', 'second')[place]} component.",
        draw=draw,
        height=0 if whose else 480,
        own_tables=True,
        file=f"components{found.suffix}/main_effects_pc{place + 1}",
    )
