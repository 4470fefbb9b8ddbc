"""Signs and stars of all factors over many responses, and Psi.

A cell holds the level that raises the response, with ** for p < .01 and * for p < .05. (ASME paper, Tables 7 and 8.)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.psi import FactorTable
from mesonet.charts import theme
from mesonet.reporting.campaign_view.values import factor_title
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure
from mesonet.reporting.text.labels import AGAINST
from mesonet.words import counted, listed, number

DATA = "sign_table"
STRONG, WEAK, NONE, UNTESTED = "significant at 99 %", "significant at 95 %", "not significant", "no test, or constant"
COLOURS = {STRONG: "#7db8dd", WEAK: "#d0e6f7", NONE: "#f4f5f7", UNTESTED: "#d5dae0"}
CELL, ROW = 44, 18


def figure(view: CampaignView) -> Figure | None:
    """Return signs and stars of all responses and factors."""
    if not view.campaign.design.factors:
        return None
    factors = view.campaign.design.factors

    def draw(algorithm: str, set: str = "") -> Drawing:
        columns = tuple(view.sets[set]) if set else view.of_period(view.main_period)
        result, labels = view.factor_table(algorithm, columns), {column.name: column.label for column in columns}
        heading = f"{algorithm}, {set or view.period_title(view.main_period)}"
        return Drawing(
            partial(sign_table, result, labels=labels, title=heading),
            {DATA: table(result, labels)},
            heading,
            caption(view, result),
        )

    return Figure(
        id="sign-table",
        short_title="Signs and stars",
        title="All responses at a glance: signs and stars",
        question="Which factors matter, and which way?",
        reading=(
            "One row per response, one column per factor. The sign names the level that raises the response; ** "
            f"and * mark effects significant at 99 % and 95 % {AGAINST[view.mode]}. Choose an algorithm; "
            "there is no table for their mean."
        ),
        draw=draw,
        selections=[{"algorithm": name} for name in view.algorithms],
        marks=2 * len(view.in_period[view.main_period]) * len(factors),
        height=90 + ROW * len(view.in_period[view.main_period]),
        file="factors/signs_{set}_{algorithm}",
        folder="sets",
    )


def varies(result: FactorTable) -> NDArray[np.bool_]:
    """Return for each response whether any factor has an effect on it: a response without any is constant.

    Shape (responses,).
    """
    return np.asarray((result.sign != 0).any(axis=1))


def table(result: FactorTable, labels: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Return a row per response and factor.

    Columns response, factor, text (the level that raises the response, with stars), verdict (a key of `COLOURS`) and p
    (null without a test).
    """
    signs, stars, tested = result.sign, result.stars, np.isfinite(result.p) & varies(result)[:, None]
    return pl.DataFrame(
        [
            {
                "response": (labels or {}).get(name, name),
                "factor": factor,
                "text": ("+" if signs[i, j] > 0 else "−" if signs[i, j] < 0 else "") + str(stars[i, j]),
                "verdict": {"**": STRONG, "*": WEAK}.get(stars[i, j], NONE) if tested[i, j] else UNTESTED,
                "p": float(result.p[i, j]) if tested[i, j] else None,
            }
            for i, name in enumerate(result.responses)
            for j, factor in enumerate(result.factors)
        ],
        schema={**dict.fromkeys(("response", "factor", "text", "verdict"), pl.String), "p": pl.Float64},
    )


def sign_table(result: FactorTable, *, labels: Mapping[str, str] | None = None, title: str = "") -> alt.LayerChart:
    """Return the figure of one result.

    Parameters
    ----------
    result, labels, title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: a row per response, a column per factor.
    """
    order, factors = [(labels or {}).get(name, name) for name in result.responses], result.factors
    base = alt.Chart(alt.NamedData(name=DATA), width=alt.Step(CELL), height=alt.Step(ROW)).encode(
        x=alt.X("factor:N", sort=list(factors), title=None,
                axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False)),
        y=alt.Y("response:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=300)),
        tooltip=theme.tooltips("response:N", "factor:N", ("text:N", "raised by"), ("p:Q", "", ".2~g")),
    )  # fmt: skip
    scale = alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
    legend = alt.Legend(title=None, orient="bottom", symbolType="square", symbolStrokeColor=theme.HAIRLINE)
    chart = alt.layer(
        base.mark_rect(stroke="white").encode(fill=alt.Fill("verdict:N", scale=scale, legend=legend)),
        base.mark_text(fontSize=11).encode(text=alt.Text("text:N")),
    )
    return theme.finish(chart, {DATA: table(result, labels)}, title=title)


def caption(view: CampaignView, result: FactorTable) -> str:
    """Return the factors that are significant most often, and the number expected by chance, as text."""
    tested = np.isfinite(result.p) & varies(result)[:, None]
    responses, cells = int(tested.any(axis=1).sum()), int(tested.sum())
    if not cells:
        return "No response has a test."
    counts = {factor: int((result.stars[:, j] != "").sum()) for j, factor in enumerate(result.factors)}
    best = sorted((factor for factor in counts if counts[factor]), key=lambda factor: -counts[factor])[:3]
    if not best:
        return f"No factor has a significant effect on any of {counted(responses, 'tested response')}."
    wording = [f"{factor_title(view, factor)} on {counts[factor]}" for factor in best]
    wording[0] += f" of {counted(responses, 'tested response')}"
    return (
        f"Significant most often: {listed(wording)}. Chance alone would give about {number(0.05 * cells, 2)} of the "
        f"{cells:,} cells."
    )
