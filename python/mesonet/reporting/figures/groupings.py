"""Groups of the responses by correlation (CAC) and by principal components (PCA)."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import polars as pl

from mesonet.analysis.groupings import Groupings
from mesonet.charts.matrix import Look, matrix
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.words import counted, hundredths, number


def figure(view: CampaignView) -> Figure | None:
    """Return the groups of responses by correlation next to the groups by components."""
    if not view.campaign.design.factors or not len(view.components.variance):
        return None

    def draw() -> Drawing:
        title = "Groups of responses by correlation and by components"
        chart = groupings(view.groupings, labels=view.labels, title=title)
        return drawing(chart, caption(view.groupings))

    return Figure(
        id="groupings",
        short_title="Two ways of grouping",
        title="Do components and correlations group the responses alike?",
        reading="For each response its cluster by correlation, and the component that it follows.",
        draw=draw,
        height=560,
        own_tables=True,
        file="components/groupings",
    )


def groupings(result: Groupings, *, labels: Mapping[str, str] | None = None, title: str = "") -> alt.LayerChart:
    """Return the figure of the groups of responses by correlation (CAC) and by principal components (PCA).

    Parameters
    ----------
    result, labels, title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: a row per response, a column per cluster and per component.
    """
    clusters = [f"cluster {i}" for i in dict.fromkeys(result.cluster.tolist())]
    parts = [f"PC{i}" for i in sorted(set(result.component.tolist()))]
    rows = []
    for name, cluster, component, weight in zip(
        result.responses, result.cluster, result.component, result.weight, strict=True
    ):
        row = (labels or {}).get(name, name)
        representative = result.representative[result.responses.index(name)] == name
        rows.append({"row": row, "column": f"cluster {cluster}", "text": "●" if representative else "○", "shade": 0.25,
                     "tip": f"cluster {cluster}{', which it represents' if representative else ''}"})  # fmt: skip
        rows.append({"row": row, "column": f"PC{component}", "text": hundredths(float(weight)),
                     "shade": 0.75 * min(1.0, abs(float(weight))), "tip": f"follows PC{component}"})  # fmt: skip
    schema = {"row": pl.String, "column": pl.String, "text": pl.String, "shade": pl.Float64, "tip": pl.String}
    cell = 40 if len(clusters) + len(parts) <= 24 else 24
    return matrix(
        pl.DataFrame(rows, schema=schema),
        rows=[(labels or {}).get(name, name) for name in result.responses],
        columns=[*clusters, *parts],
        look=Look(cell=cell, row=17),
        groups={"by correlation": clusters, "by components": parts},
        title=title,
        subtitle=[
            "● represents its cluster. Numbers: 100 x correlation of a response with the component that it follows.",
        ],
    )


def caption(result: Groupings) -> str:
    """Return the agreement of both groupings, as text."""
    if not result.responses:
        return "No response varies."
    # Components that no response follows most are no groups.
    clusters, components = len(set(result.cluster.tolist())), len(set(result.component.tolist()))
    left_out = f" Left out: {counted(len(result.left_out), 'response')}." if result.left_out else ""
    wording = f"Correlation gives {counted(clusters, 'group')}; the responses follow {counted(components, 'component')}"
    if clusters == 1 or components == 1:
        return f"{wording}: nothing to compare.{left_out}"
    return (
        f"{wording}. Both agree to {number(result.agreement, 2)} (adjusted Rand index: 1 for the same groups, 0 for "
        f"chance).{left_out}"
    )
