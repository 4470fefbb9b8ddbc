"""Loadings of the first principal components."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.principal_components import PrincipalComponents
from mesonet.charts.matrix import Look, matrix
from mesonet.reporting.campaign_view.view import Reduction
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.words import hundredths


def figure(found: Reduction) -> Figure:
    """Return the loadings of the components of some responses."""
    view, whose = found.view, found.whose

    def draw() -> Drawing:
        chart = loadings(found.components, labels=view.labels, title=f"Loadings{whose}")
        return drawing(chart, caption(found))

    return Figure(
        id=f"loadings-components{found.suffix}",
        short_title="Loadings",
        title=f"What are the components{whose} made of?",
        reading="",
        draw=draw,
        file=f"components{found.suffix}/loadings",
    )


def loadings(
    result: PrincipalComponents, *, labels: Mapping[str, str] | None = None, components: int = 4, title: str = ""
) -> alt.LayerChart:
    """Draw loadings x 100 of the first components, responses by the component with their largest loading.

    Parameters
    ----------
    result, labels
        As for every plot, see `mesonet.plots`.
    components
        Largest number of components.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: a row per response, a column per component.
    """
    n = min(components, len(result.variance))
    part = result.loadings[:n]
    order = sorted(
        range(part.shape[1]), key=lambda j: (int(np.abs(part[:, j]).argmax()), -float(np.abs(part[:, j]).max()))
    ) if n else []  # fmt: skip
    named = [(labels or {}).get(name, name) for name in result.responses]
    columns = [f"PC{i + 1}" for i in range(n)]
    largest = float(np.abs(part).max()) if part.size else 1.0
    rows = [
        {
            "row": named[j], "column": columns[i], "text": hundredths(float(part[i, j])),
            "shade": abs(float(part[i, j])) / largest,
        }
        for j in order
        for i in range(n)
    ]  # fmt: skip
    schema = {"row": pl.String, "column": pl.String, "text": pl.String, "shade": pl.Float64}
    return matrix(
        pl.DataFrame(rows, schema=schema), rows=[named[j] for j in order], columns=columns,
        look=Look(cell=54, row=17), title=title,
        subtitle=["Loadings x 100; the squares of a column add up to 1. Strong colour: large."],
    )  # fmt: skip


def caption(found: Reduction) -> str:
    """Return the responses that weigh most in the first components, as text."""
    parts, titles = found.components, found.view.titles
    wording = []
    for place in range(min(3, len(parts.variance))):
        heavy = np.argsort(-np.abs(parts.loadings[place]), kind="stable")[:3]
        names = [("" if parts.loadings[place, i] > 0 else "minus ") + titles[parts.responses[int(i)]] for i in heavy]
        wording.append(f"PC{place + 1}: above all {'; '.join(names)}.")
    return " ".join(wording)
