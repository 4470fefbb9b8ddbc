"""Interaction effects matrix of all pairs of factors.

Main effects on the diagonal, two-factor interactions above it: a line from the mean at -1 to the mean at +1 of each
product. (Step 4 of the ten-step analysis; NIST/SEMATECH e-Handbook, section 5.5.9.4.)
"""

from __future__ import annotations

from functools import partial

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis import Terms
from mesonet.analysis.interactions import Interactions
from mesonet.analysis.terms import has_margins
from mesonet.charts import theme
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import STEPS, Drawing, Figure, of_steps
from mesonet.reporting.figures.half_normal import few_effects, source_of_noise
from mesonet.reporting.text.labels import effects_heading
from mesonet.words import difference, number, signed, span

DATA, FACTORS = "interactions", "factors"
SMALLEST, LARGEST = 34, 76  # px per cell


def figure(view: CampaignView) -> Figure | None:
    """Return the matrix of main effects and interactions of two factors."""
    if len(view.campaign.design.factors) < 2:
        return None
    factors = view.campaign.design.factors

    def draw(response: str, algorithm: str, period: str = "") -> Drawing:
        period = period or view.main_period
        terms, result = view.terms(response, period, algorithm), view.interactions(response, period, algorithm)
        title, unit = view.title_of(response), view.unit_of(response)
        text = caption(title, unit, result, terms)
        heading = effects_heading(view, response, period, algorithm)
        margin = terms.noise.me if has_margins(terms) else np.inf
        return Drawing(
            partial(interactions, result, margin=margin, title=heading),
            {DATA: table(result, margin), FACTORS: factors_table(result)},
            heading,
            f"{text} {ends_of_cells(result, unit)}".strip(),
        )

    return Figure(
        id="interactions",
        short_title="Interactions",
        title="Which factors act together: interaction matrix",
        reading=(
            "On the diagonal the main effects, above it the interactions of two factors. A line leads from the mean "
            "where the product of their signs is − to the mean where it is +. The number is the effect, in the unit of "
            "the response (shares as parts of 1). All cells share one scale."
        ),
        draw=draw,
        selections=of_steps(view),
        fixed=[FACTORS],
        marks=3 * len(factors) * (len(factors) + 1),
        height=60 + len(factors) * max(34, min(76, 1150 // len(factors))),
        file=f"{STEPS}04_interactions",
        folder="steps and algorithms",
    )


def table(result: Interactions, margin: float = np.inf) -> pl.DataFrame:
    """Return a row per cell of the upper triangle: the ends of its line, its numbers, its size in margins of error.

    Cell (i, j) spans j to j + 1 across and i to i + 1 down. Means extend from the bottom of a cell, the smallest mean
    of all cells, to its top, the largest.

    Columns term and main (True on the diagonal); left, right, middle, edge, far_edge (across) and top, bottom, caption,
    minus, plus (down), in cells; the texts mean_minus, mean_plus and effect; size, |effect| / margin. `margin`: margin
    of error, in the unit of the effects.
    """
    k = len(result.factors)
    means = np.concatenate([result.mean_minus[np.triu_indices(k)], result.mean_plus[np.triu_indices(k)]])
    means = means[np.isfinite(means)]
    low, high = (float(means.min()), float(means.max())) if len(means) else (0.0, 1.0)
    span = high - low or 1.0

    def down(row: int, mean: float) -> float | None:
        return row + 0.86 - 0.56 * (mean - low) / span if np.isfinite(mean) else None

    rows = []
    for i in range(k):
        for j in range(i, k):
            name = result.factors[i] if i == j else f"{result.factors[i]}*{result.factors[j]}"
            minus, plus = float(result.mean_minus[i, j]), float(result.mean_plus[i, j])
            rows.append(
                {
                    "term": name, "main": i == j, "left": j + 0.18, "right": j + 0.82, "middle": j + 0.5,
                    "edge": j + 0.03, "far_edge": j + 0.97, "top": i + 0.03, "bottom": i + 0.97, "caption": i + 0.17,
                    "minus": down(i, minus), "plus": down(i, plus), "mean_minus": number(minus),
                    "mean_plus": number(plus), "effect": signed(float(result.effect[i, j]), 2),
                    "size": abs(float(result.effect[i, j])),
                }
            )  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col("size") / margin)


def factors_table(result: Interactions) -> pl.DataFrame:
    """Return the name and place of each factor.

    Columns factor and place: the middle of its row and column, in cells.
    """
    return pl.DataFrame(
        {"factor": list(result.factors), "place": [place + 0.5 for place in range(len(result.factors))]}
    )


def interactions(result: Interactions, *, margin: float = np.inf, title: str = "") -> alt.LayerChart:
    """Return the figure of one result.

    Parameters
    ----------
    result
        As for every plot, see `mesonet.plots`.
    margin
        Margin of error, in the unit of the effects; larger effects have another colour.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    k = len(result.factors)
    side = max(SMALLEST, min(LARGEST, 1150 // k))
    across, down = alt.Scale(domain=[-0.35, k], nice=False), alt.Scale(domain=[k, -0.35], nice=False)
    base = alt.Chart(alt.NamedData(name=DATA), width=side * k, height=side * k).encode(
        tooltip=theme.tooltips("term:N", ("mean_minus:N", "mean at −"), ("mean_plus:N", "mean at +"), "effect:N")
    )
    strong = "datum.size > 1.0"
    lines = base.encode(
        x=alt.X("left:Q", scale=across, axis=None), y=alt.Y("minus:Q", scale=down, axis=None),
        color=alt.ColorValue(**theme.either(strong, theme.VERMILLION_TEXT, theme.BLUE)),
    )  # fmt: skip
    label = alt.Chart(alt.NamedData(name=FACTORS)).mark_text(fontWeight="bold").encode(text=alt.Text("factor:N"))
    chart = alt.layer(
        base.mark_rect(stroke=theme.HAIRLINE, strokeWidth=0.6).encode(
            x=alt.X("edge:Q", scale=across, axis=None), x2=alt.X2("far_edge:Q"),
            y=alt.Y("top:Q", scale=down, axis=None), y2=alt.Y2("bottom:Q"),
            fill=alt.FillValue(**theme.either("datum.main", theme.PALE, "white")),
        ),
        lines.mark_rule(strokeWidth=2).encode(x2=alt.X2("right:Q"), y2=alt.Y2("plus:Q")),
        lines.mark_circle(size=16, opacity=1),
        lines.mark_circle(size=16, opacity=1).encode(
            x=alt.X("right:Q", scale=across, axis=None), y=alt.Y("plus:Q", scale=down, axis=None)
        ),
        base.mark_text(fontSize=9 if side < 60 else 10).encode(
            x=alt.X("middle:Q", scale=across, axis=None), y=alt.Y("caption:Q", scale=down, axis=None),
            text=alt.Text("effect:N"),
            color=alt.ColorValue(**theme.either(strong, theme.VERMILLION_TEXT, theme.INK)),
        ),
        label.encode(x=alt.X("place:Q", scale=across, axis=None), y=alt.YDatum(-0.15, scale=down, axis=None)),
        label.mark_text(fontWeight="bold", align="right").encode(
            x=alt.XDatum(-0.05, scale=across, axis=None), y=alt.Y("place:Q", scale=down, axis=None)
        ),
    )  # fmt: skip
    return theme.finish(chart, {DATA: table(result, margin), FACTORS: factors_table(result)}, title=title)


def caption(title: str, unit: str, result: Interactions, terms: Terms) -> str:
    """Return the largest two-factor interaction, with its aliases, as text."""
    pairs = [place for place, order in enumerate(terms.order) if order == 2]
    if not pairs or not np.isfinite(result.effect).any():
        return f"No interaction on {title} could be computed."
    best = pairs[0]
    string = terms.strings[best]
    aliased = f" (one string: {string})" if " = " in string else ""
    wording = (
        f"The largest interaction on {title} is {terms.terms[best]}{aliased}: {difference(terms.effect[best], unit)}"
    )
    if has_margins(terms):
        beyond = bool(abs(terms.effect[best]) > terms.noise.me)
        margin = f"the margin of error of {difference(terms.noise.me, unit)} ({source_of_noise(terms)})"
        wording += f", {'beyond' if beyond else 'within'} {margin}"
    if len(pairs) > 1:
        wording += f"; next {terms.terms[pairs[1]]}, {difference(terms.effect[pairs[1]], unit)}"
    drawn = bool((np.abs(result.effect[np.isfinite(result.effect)]) > terms.noise.me).any())
    colour = "Orange: beyond the margin." if has_margins(terms) and drawn else few_effects(terms)
    return " ".join(part for part in (f"{wording}.", colour, *terms.notes) if part)


def ends_of_cells(result: Interactions, unit: str) -> str:
    """Return the scale that all cells of an interaction matrix share, as text. A sentence; empty without a mean."""
    k = len(result.factors)
    means = np.r_[result.mean_minus[np.triu_indices(k)], result.mean_plus[np.triu_indices(k)]]
    means = means[np.isfinite(means)]
    ends = span(float(means.min()), float(means.max()), unit) if len(means) else ""
    return f"The scale of every cell runs from {ends}." if len(means) else ""
