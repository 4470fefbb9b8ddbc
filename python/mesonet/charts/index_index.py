"""Index-index plot: clusters of correlated responses along the diagonal.

Both axes list the responses by cluster, the small clusters first; a mark is a pair whose |r| exceeds the threshold, so
that each cluster is a block on the diagonal, named after its representative. (ASME paper, Fig. 9.)
"""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.correlation import Correlations
from mesonet.charts import theme
from mesonet.words import number

PAIRS, BLOCKS = "index_pairs", "index_blocks"
LARGEST, SMALLEST, PAGE = 22, 7, 760  # px per response
NAMED = 11  #: px per response from which each can be named


def tables(result: Correlations, labels: Mapping[str, str] | None = None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the pairs of responses with a high correlation, and the clusters.

    A row per pair with |r| above the threshold, in both orders, and per response with itself: x and y (places from 0),
    r, one and other (names). A row per cluster of more than one: from, to (the place behind the last) and name.
    """
    size = np.nan_to_num(np.abs(result.r))
    place_of = {name: i for i, name in enumerate(result.responses)}
    kept = (size > result.threshold) & ~np.eye(len(size), dtype=bool)
    pairs_of = kept.sum(axis=1) if len(size) else np.zeros(0)
    order: list[int] = []
    blocks = []
    clusters = sorted(
        zip(result.clusters, result.representatives, strict=True),
        key=lambda c: (len(c[0]), int(pairs_of[[place_of[n] for n in c[0]]].sum())),
    )
    for members, representative in clusters:
        begins = len(order)
        order += sorted((place_of[name] for name in members), key=lambda i: (pairs_of[i], i))
        if len(members) > 1:
            wording = (labels or {}).get(representative, representative)
            blocks.append({"from": begins, "to": len(order), "name": f"{wording} ({len(members)})"})
    at = {response: place for place, response in enumerate(order)}
    rows = [
        {
            "x": at[i], "y": at[j], "r": float(result.r[i, j]), "one": result.responses[i],
            "other": result.responses[j],
        }
        for i, j in zip(*np.nonzero(kept), strict=True)
    ]  # fmt: skip
    schema = {"x": pl.Int64, "y": pl.Int64, "r": pl.Float64, "one": pl.String, "other": pl.String}
    diagonal = [
        {"x": p, "y": p, "r": 1.0, "one": result.responses[i], "other": result.responses[i]} for i, p in at.items()
    ]
    spans = {"from": pl.Int64, "to": pl.Int64, "name": pl.String}
    return pl.DataFrame([*rows, *diagonal], schema=schema), pl.DataFrame(blocks, schema=spans)


def index_index(result: Correlations, *, labels: Mapping[str, str] | None = None, title: str = "") -> alt.LayerChart:
    """Return the figure of one result.

    Parameters
    ----------
    result, labels, title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart; responses are named if a cell has at least `NAMED` px.
    """
    pairs, blocks = tables(result, labels)
    m = max(len(result.responses), 1)
    step = max(SMALLEST, min(LARGEST, PAGE // m))
    side = step * m
    scale = alt.Scale(domain=[0, m], nice=False, zero=False)
    base = alt.Chart(alt.NamedData(name=PAIRS), width=side, height=side)
    squares = base.transform_calculate(x2="datum.x + 1", y2="datum.y + 1", diagonal="datum.x === datum.y")
    x, y = alt.X("x:Q", scale=scale, axis=None), alt.Y("y:Q", scale=scale, axis=None)
    colour = alt.when("datum.diagonal").then(alt.value("#c9ced4")).when("datum.r < 0")
    fill = colour.then(alt.value(theme.VERMILLION)).otherwise(alt.value(theme.BLUE))
    layers = [
        squares.mark_rect(stroke="white", strokeWidth=0.8).encode(
            x=x, x2=alt.X2("x2"), y=y, y2=alt.Y2("y2"), fill=fill,
            tooltip=theme.tooltips("one:N", ("other:N", "and"), ("r:Q", "", "+.3f")),
        )
    ]  # fmt: skip
    frame = alt.Chart(alt.NamedData(name=BLOCKS), width=side, height=side)
    a, b = alt.X("from:Q", scale=scale, axis=None), alt.Y("from:Q", scale=scale, axis=None)
    layers += [
        frame.mark_rect(fill=None, stroke=theme.INK, strokeWidth=1.4).encode(
            x=a, x2=alt.X2("to"), y=b, y2=alt.Y2("to")
        ),
        frame.transform_calculate(middle="(datum.from + datum.to) / 2").mark_text(
            align="right", dx=-8, fontSize=11
        ).encode(x=a, y=alt.Y("middle:Q", scale=scale, axis=None), text=alt.Text("name:N")),
    ]  # fmt: skip
    if step >= NAMED:
        names = base.transform_filter("datum.x === datum.y").transform_calculate(middle="datum.y + 0.5")
        shown = pl.DataFrame(
            {"response": result.responses, "name": [(labels or {}).get(n, n) for n in result.responses]},
            schema={"response": pl.String, "name": pl.String},
        )
        layers.append(
            names.transform_lookup(
                lookup="one", from_=alt.LookupData(alt.NamedData(name="index_names"), "response", ["name"])
            )
            .mark_text(align="left", fontSize=10, color=theme.MUTED)
            .encode(x=alt.XValue(side + 6), y=alt.Y("middle:Q", scale=scale, axis=None), text=alt.Text("name:N"))
        )
    else:
        shown = pl.DataFrame({"response": [], "name": []})
    sentence = f"Pairs with |r| > {number(result.threshold, 2)}. Blue: r above 0; orange: below."
    return theme.finish(
        alt.layer(*layers), {PAIRS: pairs, BLOCKS: blocks, "index_names": shown}, title=title, subtitle=[sentence]
    )
