"""Plane of the first two principal components: conditions and algorithms, variances, and the largest loadings.

(Figure 13 of Mills et al., ASME 2011.)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.principal_components import PrincipalComponents
from mesonet.charts import theme

SCORES, LOADINGS, SHARES = "component_scores", "loadings", "shares"
SIDE, SHOWN, WEIGHTS = 440, 8, 14  # px; components of the scree plot; responses of the loadings


def loadings_table(result: PrincipalComponents, labels: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Return the responses with the largest loadings in the first two components.

    Parameters
    ----------
    result
        Components; their loadings have the shape (components, responses).
    labels
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    Columns response, component (``PC1`` or ``PC2``) and loading: two rows for each of up to `WEIGHTS` responses.
    """
    weight = np.abs(result.loadings[:2]).max(axis=0)
    rows = [
        {
            "response": (labels or {}).get(result.responses[place], result.responses[place]),
            "component": f"PC{component + 1}",
            "loading": float(result.loadings[component, place]),
        }
        for place in np.argsort(-weight, kind="stable")[:WEIGHTS]
        for component in range(2)
    ]
    return pl.DataFrame(rows)


def shares_table(result: PrincipalComponents) -> pl.DataFrame:
    """Return the share of the variation of the first components.

    Parameters
    ----------
    result
        Components.

    Returns
    -------
    Columns component and share, in %; up to `SHOWN` rows.
    """
    names = [f"PC{place + 1}" for place in range(len(result.share))][:SHOWN]
    return pl.DataFrame({"component": names, "share": 100 * result.share[:SHOWN]})


def component_plane(
    scores: pl.DataFrame,
    result: PrincipalComponents,
    algorithms: Sequence[str],
    *,
    labels: Mapping[str, str] | None = None,
    title: str = "",
) -> alt.HConcatChart:
    """Return the plane of the first two components, with the shares and the largest loadings.

    Parameters
    ----------
    scores
        Columns condition, algorithm, pc1, pc2, and signs: the levels of the condition as text, ``+`` or ``-`` for each
        factor.
    result, algorithms, labels, title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart. Its parameter `factor_place` is the number of the factor, from 1, whose + level fills the points.
    """
    loadings = loadings_table(result, labels)
    colours = theme.algorithm_colours(algorithms)
    # One case per algorithm: with a field, the symbols of the legend would be filled.
    filled: Any = alt
    for name, colour in zip(algorithms, colours.range, strict=True):
        filled = filled.when(f"datum.level === '+' && datum.algorithm === {json.dumps(name)}").then(alt.value(colour))
    scale = alt.Scale(nice=True, padding=10)
    base = (
        theme.kept(SCORES, width=SIDE, height=SIDE)
        .transform_calculate(level="substring(datum.signs, factor_place - 1, factor_place)")
        .encode(
            x=alt.X("pc1:Q", title="PC1", scale=scale),
            y=alt.Y("pc2:Q", title="PC2", scale=scale),
            tooltip=theme.tooltips("condition:O", "algorithm:N", ("pc1:Q", "", ".3~g"), ("pc2:Q", "", ".3~g"),
                               ("level:N", "level of the factor")),
        )
    )  # fmt: skip
    plane = alt.layer(
        base.mark_point(size=44, strokeWidth=1.6, opacity=1).encode(
            **theme.by_algorithm(algorithms, alt.Legend(title=None, orient="bottom", columns=5)),
            fill=filled.otherwise(alt.value("white")),
        ),
        base.mark_point(size=190, color=theme.HIGHLIGHT, strokeWidth=2.5, aria=False).encode(opacity=theme.LIT),
    )
    scree = alt.Chart(alt.NamedData(name=SHARES), width=260, height=110).mark_bar(color=theme.BLUE).encode(
        x=alt.X("component:N", title=None, sort=None, axis=alt.Axis(labelAngle=0, ticks=False)),
        y=alt.Y("share:Q", title="% of the variation"),
        tooltip=theme.tooltips("component:N", ("share:Q", "% of the variation", ".3~g")),
    )  # fmt: skip
    order = list(dict.fromkeys(loadings["response"]))
    weights = alt.Chart(alt.NamedData(name=LOADINGS), width=118, height=alt.Step(17)).mark_bar().encode(
        x=alt.X("loading:Q", title="loading", axis=alt.Axis(tickCount=3, labelFlush=False)),
        y=alt.Y("response:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=210)),
        color=alt.ColorValue(**theme.either("datum.loading > 0", theme.BLUE, theme.VERMILLION)),
        column=alt.Column("component:N", title=None, spacing=14),
        tooltip=theme.tooltips("response:N", "component:N", ("loading:Q", "", "+.3~g")),
    )  # fmt: skip
    chart = alt.hconcat(plane, alt.vconcat(scree, weights, spacing=18), spacing=40)
    return theme.finish(
        chart,
        {SCORES: scores, LOADINGS: loadings, SHARES: shares_table(result)},
        params=[*theme.condition_params(), alt.param(name="factor_place", value=1)],
        title=title,
    )
