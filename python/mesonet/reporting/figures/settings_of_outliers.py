"""Factor settings that are associated with outlying algorithms: a row per algorithm and response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.separation import Separation
from mesonet.charts import theme
from mesonet.charts.matrix import Look, matrix
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.text.settings_text import spelt_settings
from mesonet.words import counted, listed, number, percent, verb

PLUS, MINUS, NEITHER = "more often at +, q < .05", "more often at −, q < .05", "no association"
_COLOURS = {PLUS: "#9ccbe8", MINUS: theme.LOW, NEITHER: "#f4f5f7"}


def figure(view: CampaignView) -> Figure | None:
    """Return the settings that are associated with the flags of an algorithm."""
    if len(view.algorithms) < 2 or not view.campaign.design.factors or not view.separations:
        return None

    def draw() -> Drawing:
        rows = {
            f"{algorithm}: {view.label_of(response)}": found
            for (algorithm, response), found in view.separations.items()
        }
        chart = separation(rows, factors=view.campaign.design.factors, title="Settings of flagged conditions")
        return drawing(chart, caption(view))

    return Figure(
        id="settings-of-outliers",
        short_title="Settings of outliers",
        title="Which settings are associated with standing out?",
        reading=(
            "One row per algorithm and response that stand out in at least two conditions, one column per factor: how "
            "many of the conditions at − and at + are flagged."
        ),
        draw=draw,
        height=420,
        own_tables=True,
        file="algorithms/settings_of_outliers",
    )


def separation(results: Mapping[str, Separation], *, factors: Sequence[str], title: str = "") -> alt.LayerChart:
    """Draw a row per result and a column per factor.

    Parameters
    ----------
    results
        Results by title of the row.
    factors
        The factors to show; other terms of the results are left out.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    rows = []
    for name, result in results.items():
        for place, term in enumerate(result.terms):
            if term not in factors:
                continue
            q, level = float(result.q[place]), int(result.level[place])
            share = (
                f"− {result.flagged_minus[place]} of {result.runs_minus[place]}, "
                f"+ {result.flagged_plus[place]} of {result.runs_plus[place]}, p {number(float(result.p[place]), 2)}"
            )
            clear = q == q and q < 0.05 and level != 0
            counts = f"{result.flagged_minus[place]}:{result.flagged_plus[place]}"
            kind = (PLUS if level > 0 else MINUS) if clear else NEITHER
            rows.append({"row": name, "column": term, "text": counts, "kind": kind, "tip": share})
    schema = dict.fromkeys(("row", "column", "text", "kind", "tip"), pl.String)
    return matrix(
        pl.DataFrame(rows, schema=schema),
        rows=list(results),
        columns=factors,
        look=Look(cell=44, row=18, colours=_COLOURS),
        title=title,
        subtitle=[
            "Conditions flagged at − : at +. Coloured: associated (Fisher's exact test, Benjamini-Hochberg 5 %)."
        ],
    )


def caption(view: CampaignView) -> str:
    """Return the clearest associations with settings, and the condition to look at first, as text."""
    clear = []
    for (algorithm, response), found in view.separations.items():
        if np.isfinite(found.q[0]) and found.q[0] < 0.05 and found.level[0]:
            where = f"{found.strings[0]} at {'+' if found.level[0] > 0 else '−'}"
            if found.strings[0] in view.campaign.design.factors:
                where = spelt_settings(view, ((found.strings[0], int(found.level[0])),))
            clear.append((float(found.q[0]), f"{algorithm} for {view.title_of(response)} with {where}"))
    clear.sort(key=lambda pair: pair[0])
    rows = counted(len(view.separations), "row")
    counts = f"{len(clear)} of {rows} {verb(len(clear), 'show')} an association with a setting"
    wording = f"{counts}: {listed([text for _, text in clear[:4]])}." if clear else (
        "No setting is clearly associated with an algorithm standing out."
    )  # fmt: skip
    first = view.extremes
    if first.algorithm:
        effect = float(first.relative_effect[0])
        size = f", {percent(effect, sign=True)} from the mean of all" if np.isfinite(effect) else ""
        wording += (
            f" Look first at condition {first.condition[0]}, {view.title_of(first.response[0])}: "
            f"{first.algorithm[0]} ({first.side[0]}{size}) beside {first.against[0]} (in the middle)."
        )
    return wording + " An association is not yet a cause."
