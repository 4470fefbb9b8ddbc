"""Latencies of each algorithm to the full rate: at first, and again after congestion."""

import altair as alt
import polars as pl

from mesonet.plots import theme

DATA = "latencies"
STEP = 34  # px per algorithm
NAMES = {"goodput": "at first (goodput latency)", "recovery": "after congestion (recovery latency)"}


def latencies(values: pl.DataFrame, *, title: str = "") -> alt.LayerChart:
    """Return the figure of the latencies, algorithms by rising goodput latency.

    Parameters
    ----------
    values
        Columns algorithm, goodput and recovery, s; null for an algorithm that never reaches the full rate. Such
        algorithms are last.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart. Its axis is logarithmic: latencies of 0 s are not drawn.
    """
    order = values.sort("goodput", nulls_last=True)["algorithm"].to_list()
    rows = values.unpivot(index="algorithm", on=list(NAMES), variable_name="kind", value_name="seconds").with_columns(
        kind=pl.col("kind").replace(NAMES),
    )
    y = alt.Y("algorithm:N", sort=order, title=None, axis=alt.Axis(grid=True, ticks=False))
    x = alt.X("seconds:Q", title="seconds to the full rate", scale=alt.Scale(type="log", nice=True))
    kinds = list(NAMES.values())
    beside = alt.YOffset("kind:N", sort=kinds, scale=alt.Scale(paddingOuter=0.7))
    known = (
        alt.Chart(alt.NamedData(name=DATA), width=560, height=alt.Step(STEP, **{"for": "position"}))
        .transform_filter("isValid(datum.seconds) && datum.seconds > 0")
        .encode(x=x, y=y, yOffset=beside)
    )
    points = known.mark_point(filled=True, size=80, opacity=1).encode(
        color=alt.Color(
            "kind:N",
            scale=alt.Scale(domain=kinds, range=[theme.BLUE, theme.VERMILLION]),
            legend=alt.Legend(title=None, orient="top", labelLimit=400),
        ),
        shape=alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=["circle", "diamond"])),
        tooltip=[alt.Tooltip("algorithm:N"), alt.Tooltip("kind:N"), alt.Tooltip("seconds:Q", format=".3~g")],
    )
    numbers = known.mark_text(align="left", dx=8, fontSize=10, color=theme.MUTED).encode(
        text=alt.Text("seconds:Q", format=".3~g")
    )
    return theme.finish(alt.layer(points, numbers), {DATA: rows}, title=title)
