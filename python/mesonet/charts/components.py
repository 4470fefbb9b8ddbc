"""Principal components: variances, loadings, scores, and groups of runs explained by settings.

Scree plot and loadings; PC1 against PC2 with groups named by the settings that distinguish them (ASME paper, Fig. 13);
the groups of responses by components next to the groups by correlation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from mesonet.analysis.groupings import Groupings
from mesonet.analysis.principal_components import PrincipalComponents
from mesonet.charts import theme
from mesonet.charts.matrix import Look, matrix
from mesonet.words import hundredths, percent

SCREE, SCORES, ORIGIN = "scree", "scores", "origin"
SHOWN = 12  #: most components of a scree plot
WIDTH, HEIGHT = 560, 420  # px


def scree(result: PrincipalComponents, *, title: str = "") -> alt.LayerChart:
    """Return the share of the variance of each component, and the cumulative share.

    Parameters
    ----------
    result, title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart of up to `SHOWN` components.
    """
    n = min(SHOWN, len(result.share))
    rows = pl.DataFrame(
        {
            "component": [f"PC{i + 1}" for i in range(n)],
            "share": result.share[:n],
            "together": np.cumsum(result.share)[:n],
        },
        schema={"component": pl.String, "share": pl.Float64, "together": pl.Float64},
    )
    base = alt.Chart(alt.NamedData(name=SCREE), width=max(120, 42 * n), height=260).encode(
        x=alt.X("component:N", sort=list(rows["component"]), title=None, axis=alt.Axis(labelAngle=0, ticks=False)),
        tooltip=theme.tooltips("component:N", ("share:Q", "", ".1%"), ("together:Q", "", ".1%")),
    )  # fmt: skip
    y = alt.Scale(domain=[0, 1])
    chart = alt.layer(
        base.mark_bar(color=theme.BLUE).encode(y=alt.Y("share:Q", title="share of the variance", scale=y,
                                                       axis=alt.Axis(format="%"))),
        base.transform_filter("datum.component !== 'PC1'").mark_text(dy=-7).encode(
            y=alt.Y("share:Q", scale=y), text=alt.Text("share:Q", format=".0%")
        ),
        base.transform_filter("datum.component === 'PC1'").mark_text(dy=14, color="white").encode(
            y=alt.Y("share:Q", scale=y), text=alt.Text("share:Q", format=".0%")
        ),
        base.mark_line(color=theme.VERMILLION, point={"size": 40, "filled": True, "color": theme.VERMILLION}).encode(
            y=alt.Y("together:Q", scale=y)),
    )  # fmt: skip
    left = {"constant": result.constant, "without values": result.empty}
    out = "; ".join(f"{len(names)} {why}" for why, names in left.items() if names)
    sentence = (
        f"Bars: each; line: together. {result.form.capitalize()} form.{f' Responses left out: {out}.' if out else ''}"
    )
    return theme.finish(chart, {SCREE: rows}, title=title, subtitle=[sentence])


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


def component_scores(
    scores: ArrayLike,
    groups: Sequence[object],
    *,
    conditions: Sequence[int],
    algorithms: Sequence[str],
    share: Sequence[float],
    explained: Sequence[str] = (),
    title: str = "",
) -> alt.LayerChart:
    """Draw PC1 against PC2, coloured by group.

    Parameters
    ----------
    scores
        Shape (points, at least 2): PC1, PC2, ...
    groups
        Group of each point; None: the point is left out.
    conditions
        Condition of each point.
    algorithms
        Algorithm of each point.
    share
        Share of the variance of each component, from 0 to 1, for the titles of the axes.
    explained
        A line per group with its settings; the first ten are in the subtitle.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    points = np.asarray(scores, dtype=float)
    rows = pl.DataFrame(
        {
            "x": points[:, 0], "y": points[:, 1], "condition": list(conditions), "algorithm": list(algorithms),
            "group": [None if g is None else f"group {g}" for g in groups],
        },
        schema={"x": pl.Float64, "y": pl.Float64, "condition": pl.Int64, "algorithm": pl.String, "group": pl.String},
    ).filter(pl.col("x").is_finite() & pl.col("y").is_finite() & pl.col("group").is_not_null())  # fmt: skip
    names = sorted(rows["group"].unique().to_list())
    colours = theme.in_turn(names, (*theme.SERIES_COLOURS[1:], theme.BLACK))
    shapes = theme.in_turn(names, theme.SERIES_SHAPES)
    titles = [f"PC{i + 1} ({percent(100 * share[i])} of the variance)" if i < len(share) else f"PC{i + 1}"
              for i in (0, 1)]  # fmt: skip
    legend = alt.Legend(title=None, orient="top", columns=6)
    base = theme.kept(SCORES, width=WIDTH, height=HEIGHT).encode(
        x=alt.X("x:Q", title=titles[0]),
        y=alt.Y("y:Q", title=titles[1]),
        tooltip=theme.tooltips("condition:O", "algorithm:N", "group:N"),
    )
    zero = alt.Chart(alt.NamedData(name=ORIGIN), width=WIDTH, height=HEIGHT).mark_rule(color=theme.HAIRLINE, aria=False)
    chart = alt.layer(
        zero.encode(x=alt.XDatum(0, title=titles[0])),
        zero.encode(y=alt.YDatum(0, title=titles[1])),
        base.mark_point(filled=True, size=34, opacity=1).encode(
            color=alt.Color("group:N", scale=colours, legend=legend),
            shape=alt.Shape("group:N", scale=shapes, legend=legend),
        ),
        base.mark_point(size=170, color=theme.HIGHLIGHT, strokeWidth=2.5, aria=False).encode(opacity=theme.LIT),
    )  # fmt: skip
    return theme.finish(
        chart,
        {SCORES: rows, ORIGIN: pl.DataFrame({"zero": [0]})},
        params=theme.condition_params(),
        title=title,
        subtitle=[*explained][:10],
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
