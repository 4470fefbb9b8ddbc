"""Share of the variance of each principal component."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.principal_components import PrincipalComponents
from mesonet.charts import theme
from mesonet.reporting.campaign_view.view import Reduction
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.text.labels import CELL
from mesonet.words import counted, percent, some

SCREE = "scree"
SHOWN = 12  #: most components of a scree plot


def figure(found: Reduction) -> Figure:
    """Return the scree plot of the components of some responses."""
    whose = found.whose

    def draw() -> Drawing:
        return drawing(scree(found.components, title=f"Principal components{whose}"), caption(found))

    return Figure(
        id=f"scree-components{found.suffix}",
        short_title="Scree plot",
        title=f"How many components{whose} matter?",
        reading="",
        draw=draw,
        file=f"components{found.suffix}/scree",
    )


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


def caption(found: Reduction) -> str:
    """Return the number of components that hold most of the variance, as text."""
    parts, titles = found.components, found.view.titles
    together = np.cumsum(parts.share)
    needed = int(np.searchsorted(together, 0.9 - 1e-12)) + 1
    above = int((parts.variance > parts.variance.mean()).sum())
    wording = (
        f"{counted(needed, 'component')} of {len(parts.variance)} {'holds' if needed == 1 else 'hold'} 90 % of the "
        f"variance; {above} {'varies' if above == 1 else 'vary'} more than a response on average. The first holds "
        f"{percent(100 * float(parts.share[0]))}."
    )
    if parts.left_out:
        wording += f" Without a value and left out: {counted(len(parts.left_out), *CELL)}."
    if found.lacking:
        wording += f" Left out because values are missing: {some([titles[name] for name in found.lacking])}."
    return wording
