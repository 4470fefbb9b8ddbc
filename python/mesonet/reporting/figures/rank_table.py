"""Mean ranks of the algorithms by kind of file, their overall mean and spread."""

from __future__ import annotations

from functools import partial

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.ranks import RankSummary
from mesonet.charts.matrix import Look, matrix
from mesonet.reporting.campaign_view.users import Users
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.words import number


def figure(found: Users) -> Figure | None:
    """Return the mean ranks of the algorithms by kind of file."""
    if len(found.view.algorithms) < 2:
        return None
    return Figure(
        id="rank-table",
        short_title="Mean ranks",
        title="Who serves users best on average?",
        reading="Mean rank over all conditions and flow groups of a kind of file.",
        draw=partial(_draw, found),
        height=260,
        varied=True,
        own_tables=True,
        file="users/rank_table",
    )


def _draw(found: Users) -> Drawing:
    chart = rank_table(found.rank_summary, title="Average ranks of the goodput")
    return drawing(chart, caption(found.rank_summary))


def rank_table(result: RankSummary, *, title: str = "") -> alt.LayerChart:
    """Draw mean ranks by algorithm and class, their overall mean and SD, the best first.

    Parameters
    ----------
    result, title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: a row per algorithm.
    """
    order = sorted(
        range(len(result.algorithms)),
        key=lambda i: -float(result.overall[i]) if result.overall[i] == result.overall[i] else 0.0,
    )
    n = max(len(result.algorithms) - 1, 1)
    rows = []
    for i in order:
        cells = [*zip(result.classes, result.mean[i], strict=True), ("average", result.overall[i])]
        for name, value in cells:
            known = value == value
            rows.append({"row": result.algorithms[i], "column": name, "text": number(float(value)),
                         "shade": float((value - 1) / n) if known else 0.0})  # fmt: skip
        rows.append({"row": result.algorithms[i], "column": "SD", "text": number(float(result.sd[i])), "shade": 0.0})
    return matrix(
        pl.DataFrame(rows, infer_schema_length=None),
        rows=[result.algorithms[i] for i in order],
        columns=[*result.classes, "average", "SD"],
        look=Look(cell=58, row=20, font=11),
        title=title,
        subtitle=["Mean ranks; the largest is best. SD: of the averages by class."],
    )


def caption(result: RankSummary) -> str:
    """Return the algorithm with the best average rank, and the steadiest, as text."""
    known = np.isfinite(result.overall)
    if not known.any():
        return "There are no ranks: no cell has goodputs of two algorithms."
    order = [int(i) for i in np.argsort(-np.where(known, result.overall, -np.inf), kind="stable") if known[i]]
    best = order[0]
    wording = f"{result.algorithms[best]} has the highest average rank, {number(float(result.overall[best]))}"
    wording += f" of {len(result.algorithms)}"
    spread = int(np.isfinite(result.mean).any(axis=0).sum()) > 2  # of two numbers it says nothing
    wording += f" (SD {number(float(result.sd[best]), 2)})" if spread else ""
    if len(order) > 1:
        wording += f", before {_gap(result, best, order[1])}"
    wording += "."
    if spread and np.isfinite(result.sd).any():
        by_spread = [int(i) for i in np.argsort(result.sd, kind="stable") if np.isfinite(result.sd[i])]
        spreads = [number(float(result.sd[place]), 2) for place in by_spread]
        if len(spreads) > 1 and spreads[0] == spreads[1]:
            return wording
        steady = by_spread[0]
        wording += f" Steadiest: {result.algorithms[steady]} (average {number(float(result.overall[steady]))}, SD "
        wording += (
            spreads[0] + (f"; next {result.algorithms[by_spread[1]]}, SD {spreads[1]}" if spreads[1:] else "") + ")."
        )
    return wording


def _gap(result: RankSummary, best: int, second: int) -> str:
    """Return the runner-up, and whether the gap is large beside the spread of both over the kinds of flows."""
    wording = f"{result.algorithms[second]} with {number(float(result.overall[second]))}"
    gap = float(result.overall[best] - result.overall[second])
    spread = float(np.nanmin([result.sd[best], result.sd[second], np.inf]))
    if gap == 0:
        return f"{wording}: no gap at all"
    classes = int(np.isfinite(result.mean).any(axis=0).sum())
    return (
        f"{wording}: a gap of {number(gap, 2)}, less than either's SD"
        if classes > 2 and gap < spread < np.inf
        else wording
    )
