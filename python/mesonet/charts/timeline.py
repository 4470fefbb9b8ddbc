"""Time line of a scenario (ASME paper, Fig. 24)."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.words import number

DATA = "timeline"
WIDTH, ROW = 760, 26  # px
KINDS = {"warm-up": "#c9ced4", "measured": "#9ccbe8", "traffic": theme.ORANGE}


def timeline(spans: Sequence[tuple[str, str, float, float, str]], *, title: str = "") -> alt.LayerChart:
    """Draw a bar per span of time.

    Parameters
    ----------
    spans
        Row, text in the bar, begin and end (s), and one of `KINDS`. Rows are drawn in the order of their first spans.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    rows = pl.DataFrame(
        [
            {
                "row": row, "text": text, "from": begin, "to": end, "kind": kind,
                "tip": f"{number(begin)} to {number(end)} s",
            }
            for row, text, begin, end, kind in spans
        ],
        infer_schema_length=None,
    )  # fmt: skip
    names = list(dict.fromkeys(row for row, *_ in spans))
    shown = [kind for kind in KINDS if kind in {span[4] for span in spans}]
    scale = alt.Scale(domain=shown, range=[KINDS[kind] for kind in shown])
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=ROW * max(1, len(names))).encode(
        y=alt.Y("row:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=300)),
        tooltip=theme.tooltips("row:N", "text:N", ("tip:N", "time")),
    )
    x = alt.X("from:Q", title="simulated time, s", scale=alt.Scale(nice=False, zero=True))
    chart = alt.layer(
        base.mark_bar(height=ROW - 8, stroke="white").encode(
            x=x, x2=alt.X2("to:Q"),
            color=alt.Color("kind:N", scale=scale, legend=alt.Legend(title=None, orient="top")),
        ),
        base.transform_calculate(middle="(datum.from + datum.to) / 2").mark_text(fontSize=10).encode(
            x=alt.X("middle:Q"), text=alt.Text("text:N")
        ),
    )  # fmt: skip
    return theme.finish(chart, {DATA: rows}, title=title)
