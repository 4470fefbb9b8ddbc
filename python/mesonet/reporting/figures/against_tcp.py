"""Y-Y scatter plots: a response against another, a panel per algorithm, a point per condition.

With goodputs of an algorithm's own flows across and of competing standard TCP up, points below the diagonal are
conditions in which the algorithm wins. (ASME paper, Fig. 25; SP 500-282 ch. 9, Figs. 16, 18 and 20.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.means import finite_mean
from mesonet.charts import theme
from mesonet.reporting.campaign_view.flow_groups import OWN, TCP
from mesonet.reporting.campaign_view.users import Users, known
from mesonet.reporting.campaign_view.values import DEPLOYED
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.congestion import SHADES
from mesonet.reporting.figures.figure import Drawing, Figure, Selection, drawing
from mesonet.reporting.figures.goodput import rate_unit
from mesonet.reporting.verdicts.comparisons import incumbent

DATA, DIAGONAL = "yy_scatter", "diagonal"
SIDE, PER_ROW = 170, 4  # px


def figure(found: Users) -> Figure | None:
    """Return the goodput of each algorithm against the goodput of the incumbent."""
    files = compared_files(found)
    if not files:
        return None
    return Figure(
        id="against-tcp",
        short_title="Against the incumbent",
        title="Who wins against the incumbent?",
        reading=(
            "One panel per algorithm, one point per condition: across, the goodput of the algorithm's flows; up, "
            "goodput of the incumbent's. Below the dashed line the algorithm gets more."
        ),
        draw=partial(_draw, found),
        selections=files,
        height=520,
        varied=True,
        own_tables=True,
        file="users/against_tcp_{file}",
    )


def compared_files(found: Users) -> list[Selection]:
    """Return the kinds of files whose flows can be compared with flows of the incumbent, as selections."""
    # If algorithms are not mixed, they are compared with the incumbent alone in the same condition.
    if TCP not in found.kinds and incumbent(found.view) is None:
        return []
    return [
        {"file": category}
        for category in found.categories
        if not pairs(found, category)[0].drop_nulls(["x", "y"]).is_empty()
    ]


def rival(view: CampaignView) -> str:
    """Return the algorithm to compare with: the algorithm that all are mixed with, else the incumbent."""
    return str(view.campaign.experiment.get("mixed_with") or incumbent(view) or DEPLOYED[0])


def pairs(found: Users, category: str) -> tuple[pl.DataFrame, str]:
    """Return goodputs of own flows (x) and of the incumbent (y) per condition and algorithm, and the name of y.

    The unit is `_rate`.

    They are means over the groups of a category. Without competing flows, y is the incumbent alone in the same
    condition.
    """
    places = found.of_category(category)
    one, _ = rate_unit(found.view)
    own = finite_mean(found.goodput(OWN)[:, :, places], axis=-1) / one
    view = found.view
    if TCP in found.kinds:
        other, wording = finite_mean(found.goodput(TCP)[:, :, places], axis=-1) / one, f"competing {rival(view)} flows"
    else:
        other = np.repeat(own[:, [view.algorithms.index(str(incumbent(view)))]], own.shape[1], axis=1)
        wording = f"{rival(view)} in its own network"
    classes = {
        c: found.view.classes.names[n - 1]
        for c, n in zip(found.view.classes.conditions, found.view.classes.number, strict=True)
    }
    rows = [
        {"condition": c, "algorithm": a, "x": known(own[c - 1, i]), "y": known(other[c - 1, i]),
         "class": classes.get(c, "unknown")}
        for c in view.by_congestion
        for i, a in enumerate(view.algorithms)
        if TCP in found.kinds or a != incumbent(view)
    ]  # fmt: skip
    schema = {"condition": pl.Int64, "algorithm": pl.String, "x": pl.Float64, "y": pl.Float64, "class": pl.String}
    return pl.DataFrame(rows, schema=schema), wording


def _draw(found: Users, file: str) -> Drawing:
    table, wording = pairs(found, file)
    _, unit = rate_unit(found.view)
    chart = yy_scatter(
        table, found.view.algorithms, x=f"own, {unit}", y=f"{rival(found.view)}, {unit}",
        title=f"Goodput of {file} flows: own against {wording}",
    )  # fmt: skip
    return drawing(chart, caption(table, wording))


def yy_scatter(
    values: pl.DataFrame, algorithms: Sequence[str], *, x: str, y: str, equal: bool = True, title: str = ""
) -> alt.FacetChart:
    """Return a panel per algorithm.

    Parameters
    ----------
    values
        Columns condition, algorithm, x and y; optionally class, for the colour of the points.
    algorithms
        As for every plot, see `mesonet.plots`.
    x
        Title of the horizontal axis.
    y
        Title of the vertical axis.
    equal
        True: the same scale on both axes, and a diagonal.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart; algorithms without values have no panel.
    """
    rows = values.drop_nulls(["x", "y"])
    ends = [*rows["x"], *rows["y"]] if equal else []
    top = 1.05 * max(ends, default=1.0) or 1.0
    low = min(0.0, *ends) if ends else 0.0
    # The ends of the diagonal make both domains the same.
    scale = alt.Scale(nice=False, zero=False) if equal else alt.Scale(zero=False, nice=True)
    classes = list(dict.fromkeys(rows["class"])) if "class" in rows.columns else []
    lit = alt.when(theme.IS_HIGHLIGHTED).then(alt.value(theme.HIGHLIGHT))
    fill: Any = lit.otherwise(alt.value(theme.BLUE))
    if classes:
        shades = [SHADES[min(i, len(SHADES) - 1)] for i in range(len(classes))]
        fill = lit.otherwise(alt.Color("class:N", scale=alt.Scale(domain=classes, range=shades),
                                       legend=alt.Legend(title=None, orient="top")))  # fmt: skip
    base = alt.Chart(width=SIDE, height=SIDE)
    points = base.transform_filter("isValid(datum.condition)").transform_filter(theme.IS_KEPT).mark_point(
        filled=True, size=40, opacity=1, stroke=theme.INK, strokeWidth=0.5
    ).encode(
        x=alt.X("x:Q", title=x, scale=scale, axis=alt.Axis(tickCount=4)),
        y=alt.Y("y:Q", title=y, scale=scale, axis=alt.Axis(tickCount=4)),
        color=fill,
        tooltip=theme.tooltips("algorithm:N", "condition:O", ("x:Q", x, ".4~g"), ("y:Q", y, ".4~g")),
    )  # fmt: skip
    layers = []
    if equal:
        line = pl.DataFrame({"end": [low, top]})
        layers.append(
            alt.Chart(alt.NamedData(name=DIAGONAL), width=SIDE, height=SIDE)
            .mark_line(color=theme.MUTED, strokeDash=[4, 3], strokeWidth=1)
            .encode(x=alt.X("end:Q", scale=scale), y=alt.Y("end:Q", scale=scale))
        )
    shown = [name for name in algorithms if name in set(rows["algorithm"])]
    # Full rows if possible: a row that is not full has axes below absent panels.
    columns = next((n for n in (PER_ROW, 3, 5) if len(shown) % n == 0), PER_ROW)
    chart = alt.layer(*layers, points, data=alt.NamedData(name=DATA)).facet(
        facet=alt.Facet("algorithm:N", sort=shown, title=None, header=alt.Header(labelFontSize=12)),
        columns=columns,
    )
    if len(shown) > columns and len(shown) % columns:
        chart = chart.resolve_axis(x="independent")
    text = "One point per condition." + (" Dashed: equal." if equal else "")
    tables = {DATA: rows, **({DIAGONAL: line} if equal else {})}
    return theme.finish(chart, tables, params=theme.condition_params(), title=title, subtitle=[text])


def caption(table: pl.DataFrame, other: str) -> str:
    """Return the number of conditions in which each algorithm's flows get more and less than the others, as text.

    `table`: columns algorithm, x and y: goodput of its flows and of the flows compared with, in one condition; null
    where missing.
    """
    known = table.drop_nulls(["x", "y"])
    if known.is_empty():
        return "There is nothing to compare."
    apart = (pl.col("x") - pl.col("y")).abs() > 1e-9 * pl.max_horizontal("x", "y")
    counts = known.group_by("algorithm", maintain_order=True).agg(
        wins=((pl.col("x") > pl.col("y")) & apart).sum(),
        losses=((pl.col("x") < pl.col("y")) & apart).sum(),
        all=pl.len(),
    )
    ranked = counts.sort("wins", descending=True).iter_rows()
    wording = [f"{name} {wins} and {losses} of {n}" for name, wins, losses, n in ranked]
    return f"Conditions with more and with less than {other}: {', '.join(wording)}."
