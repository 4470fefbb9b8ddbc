"""The answer of one table of an experiment as an HTML file: sentences, the ten steps as figures, and their tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from markupsafe import Markup

from mesonet._version import __version__
from mesonet.analysis import ExperimentAnalysis
from mesonet.analysis.terms import has_margins
from mesonet.charts.export import to_svg
from mesonet.designs.factor import Factor
from mesonet.files import places
from mesonet.progress import Update
from mesonet.reporting.figures import (
    active_factors,
    blocks,
    contour,
    effect_sizes,
    factor_scatter,
    half_normal,
    interactions,
    main_effects,
    ordered,
    youden,
)
from mesonet.reporting.text import html
from mesonet.reporting.text.labels import AGAINST
from mesonet.words import number, uncapitalised

#: Most rows of the table below a figure.
_MOST_ROWS = 200


@dataclass(frozen=True)
class _Words:
    """The words of a table: factors with their levels, and its one response."""

    found: ExperimentAnalysis

    @property
    def factors(self) -> Sequence[Factor]:
        return [Factor(c.factor, c.factor, c.factor, c.level(-1), c.level(1)) for c in self.found.design.codings]

    def title_of(self, response: str) -> str:
        return uncapitalised(response)

    def unit_of(self, response: str) -> str:
        return self.found.unit


@dataclass(frozen=True)
class _Step:
    """A step of the analysis as a section of the page."""

    id: str
    question: str
    reading: str
    chart: Any
    caption: str


def write_experiment_report(
    found: ExperimentAnalysis, path: Path | str, *, title: str = "", progress: Update | None = None
) -> Path:
    """Write the page, which works from disk without a network and runs no script. `title`: empty: by the response."""
    with places.file(path) as aside:
        aside.write_text(experiment_html(found, title=title, progress=progress), encoding="utf-8")
    return Path(path)


def experiment_html(found: ExperimentAnalysis, *, title: str = "", progress: Update | None = None) -> str:
    """Return the page."""
    sections = []
    steps = list(_steps(found))
    for place, step in enumerate(steps):
        if progress:
            progress(place, len(steps), step.question)
        sections.append({"about": step, "svg": Markup(to_svg(step.chart)), "table": _data(step.chart)})
    codings = found.design.codings
    return str(
        html.render(
            "experiment.html",
            title=title or f"What changes {found.response}",
            size=found.size(),
            sentences=found.sentences(),
            levels=html.table(["factor", "−", "+"], [[c.factor, c.level(-1), c.level(1)] for c in codings]),
            steps=sections,
            terms=_table(found.to_polars()),
            curvature=_table(found.curvature.to_polars()) if found.curvature is not None else "",
            notes=found.notes,
            version=__version__,
        )
    )


def _steps(found: ExperimentAnalysis) -> Iterator[_Step]:
    """Yield the steps that the table can have, in their order."""
    steps, words, name = found.steps, _Words(found), found.response
    axis = f"{name}, {found.unit}" if found.unit else name
    several = len(found.design.factors) > 1
    yield _Step(
        "ordered-data",
        "Which settings give most and least?",
        "The conditions by rising value. A condition is a combination of levels. Its number is its first row among the "
        "runs at two levels.",
        ordered.ordered_data(steps.ordered, response=axis),
        ordered.caption(words, steps.ordered, name),
    )
    yield _Step(
        "values-by-factor",
        "Do location and spread change with a factor?",
        "The values at both levels of each factor.",
        factor_scatter.factor_scatter(steps.scatter, response=axis),
        factor_scatter.caption(words, steps.scatter),
    )
    yield _Step(
        "main-effects",
        "Which factors matter?",
        "The mean at each level of a factor. A steep line is a large effect. ** and * mark effects significant at 99 % "
        f"and 95 % {AGAINST[steps.effects.mode]}.",
        main_effects.main_effects(steps.effects, words.factors, response=axis, codes=False),
        main_effects.caption(words, steps.effects, name),
    )
    margin = steps.terms.noise.me if has_margins(steps.terms) else float("inf")
    if several:
        yield _Step(
            "interactions",
            "Which factors act together?",
            "On the diagonal the main effects, above it the interactions of two factors. The number is the effect.",
            interactions.interactions(steps.interactions, margin=margin),
            interactions.caption(words.title_of(name), found.unit, steps.interactions, steps.terms),
        )
        yield _Step(
            "block-plot",
            "Does a factor act the same way whatever the others are set to?",
            "A box for each combination of the most important other factors. It leads from the mean at one level of "
            "the factor to the mean at its other level.",
            blocks.blocks(steps.blocks, response=axis),
            blocks.blocks_caption(words, steps.blocks),
        )
    yield _Step(
        "youden-plot",
        "Which effects lie far from the cross?",
        "The mean of each effect at + over its mean at −.",
        youden.youden(steps.terms, response=axis),
        youden.caption(words, steps.terms, name),
    )
    yield _Step(
        "sizes-of-effects",
        "Where do the effects that matter end?",
        "The effects by size, and the standard deviation that a model of the largest leaves.",
        effect_sizes.effect_sizes(steps.terms, response=axis),
        effect_sizes.caption(words, steps.terms, name),
    )
    yield _Step(
        "half-normal-plot",
        "Which effects are more than noise?",
        half_normal.reading(steps.terms).replace("campaigns", "experiments"),
        half_normal.half_normal(steps.terms, response=axis),
        half_normal.caption(words.title_of(name), found.unit, steps.terms),
    )
    if found.active is not None:
        yield _Step(
            "active-factors",
            "Which factors are active, alone or with others?",
            active_factors.READING,
            active_factors.active_factors(found.active, response=axis),
            active_factors.caption(found.active),
        )
    if steps.contour is not None:
        yield _Step(
            "contour-plot",
            "What lies between the levels of the two most important factors?",
            "Lines of equal prediction from both effects and their interaction. −1 and +1 are the levels.",
            contour.contour(steps.contour, response=axis),
            contour.caption(words, steps.contour, name),
        )


def _data(chart: Any) -> Markup:
    """Return the first table of a chart."""
    return _table(next(iter(chart.tables.values())))


def _table(rows: pl.DataFrame) -> Markup:
    shown = partial(number, digits=4)
    cells = [
        [shown(cell) if isinstance(cell, float) else "–" if cell is None else html.wording(cell) for cell in row]
        for row in rows.head(_MOST_ROWS).iter_rows()
    ]
    more = f"The first {_MOST_ROWS} of {rows.height} rows." if rows.height > _MOST_ROWS else ""
    return html.table([name.replace("_", " ") for name in rows.columns], cells, caption=more)
