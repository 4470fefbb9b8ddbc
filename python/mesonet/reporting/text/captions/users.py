"""Captions of the figures about the goodput of users."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from mesonet.analysis import RankMatrices, RankSummary
from mesonet.reporting.campaign_view.flow_groups import OWN
from mesonet.reporting.campaign_view.users import Users, mean_over_conditions
from mesonet.words import counted, listed, number, percent, verb


def bars_caption(found: Users, category: str) -> str:
    """Return the algorithms with most and least goodput over path classes and interfaces, as text.

    Parameters
    ----------
    found
        Goodputs of the flow groups.
    category
        Category of files.

    Returns
    -------
    Sentences.
    """
    means = mean_over_conditions(found.goodput(OWN))[:, found.of_category(category)]
    complete = means[:, np.isfinite(means).all(axis=0)]
    if not complete.shape[1] or len(found.view.algorithms) < 2:
        return f"{category.capitalize()} flows have goodputs of one algorithm only, or of none: nothing to compare."
    best, worst = complete.argmax(axis=0), complete.argmin(axis=0)
    names = found.view.algorithms
    wins = [int((best == i).sum()) for i in range(len(names))]
    first = [name for name, count in zip(names, wins, strict=True) if count == max(wins)]
    widest = int(np.argmax(complete.max(axis=0) / np.maximum(complete.min(axis=0), 1e-300)))
    ratio = 100 * (complete[:, widest].max() / complete[:, widest].min() - 1)
    classes = [found.columns[p] for p in np.array(found.of_category(category))[np.isfinite(means).all(axis=0)]]
    return (
        f"{listed(first)} {verb(len(first), 'get')} most in {max(wins)}{' each' if first[1:] else ''} of "
        f"{counted(complete.shape[1], 'class', 'classes')} of paths and interfaces. The algorithms lie farthest apart "
        f"for {classes[widest]}: {names[int(best[widest])]} gets {percent(float(ratio))} more than "
        f"{names[int(worst[widest])]}.{found.left_out}"
    )


def wins_caption(table: pl.DataFrame, other: str) -> str:
    """Return the number of conditions in which each algorithm's flows get more and less than the others, as text.

    Parameters
    ----------
    table
        Columns algorithm, x and y: goodput of its flows and of the flows compared with, in one condition; null where
        missing.
    other
        Name of the flows compared with.

    Returns
    -------
    A sentence.
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


def shares_caption(table: pl.DataFrame) -> str:
    """Return the largest and the smallest share of the interface, each with the next algorithm, as text.

    Parameters
    ----------
    table
        Columns algorithm, panel and value (share of the speed of the interface, null where missing); kind if there are
        several kinds of flows.

    Returns
    -------
    A sentence.
    """
    ordered = table.drop_nulls("value").sort("value", descending=True, maintain_order=True)
    if ordered.is_empty():
        return "No share is known."
    top, low = ordered.row(0, named=True), ordered.row(-1, named=True)
    same = [name for name in ("panel", "kind") if name in ordered.columns]

    def wording(row: dict[str, Any], place: int) -> str:
        there = ordered.filter(*(pl.col(name) == row[name] for name in same))
        shown = {name: percent(100 * value) for name, value in there.select("algorithm", "value").iter_rows()}
        own = shown[row["algorithm"]]
        alike = [name for name, text in shown.items() if text == own]
        others = [name for name in shown if name not in alike]
        who = listed(alike) if others or len(alike) == 1 else "all algorithms"
        return f"{own} on {row['panel']}, of {who}" + (
            f" (next {others[place]}, {shown[others[place]]})" if others else ""
        )

    return f"The largest share is {wording(top, 0)}; the smallest is {wording(low, -1)}."


def rank_caption(result: RankMatrices, algorithm: str) -> str:
    """Return the cells in which an algorithm is above or below the mean, or farthest from it, as text.

    Parameters
    ----------
    result
        Ranks of the goodput by condition and flow group.
    algorithm
        Name of an algorithm in the result.

    Returns
    -------
    A sentence.
    """
    place = result.algorithms.index(algorithm)
    side, out = result.side[:, :, place], result.stands_out[:, :, place]
    known = int(np.isfinite(result.rank[:, :, place]).sum())
    if not known:
        return f"{algorithm} has no cell to be compared in."
    wording = (
        f"{algorithm} is above the mean of all in {int((side > 0).sum())} of {counted(known, 'cell')}, below it in "
    )
    wording += f"{int((side < 0).sum())}"
    if len(result.algorithms) > 2:  # two algorithms are equally far from their mean
        wording += (
            f"; it is the highest and farthest from the mean in {int((out > 0).sum())}, the lowest and farthest in "
        )
        wording += f"{int((out < 0).sum())}"
    return f"{wording}."


def ranks_caption(result: RankSummary) -> str:
    """Return the algorithm with the best average rank, and the steadiest, as text.

    Parameters
    ----------
    result
        Average ranks over the kinds of flows.

    Returns
    -------
    Sentences.
    """
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


def ranges_caption(table: pl.DataFrame, named: list[str]) -> str:
    """Return the users to whom the choice matters most, and the gain of own over competing flows, as text.

    Parameters
    ----------
    table
        A row per flow group; columns among and over_tcp in %, null where missing.
    named
        Titles of the rows.

    Returns
    -------
    Sentences.
    """
    known = [(value, name) for value, name in zip(table["among"], named, strict=True) if value is not None]
    if not known:
        return "There is nothing to compare."
    (value, name), *rest = sorted(known, key=lambda pair: -pair[0])
    wording = f"The choice of algorithm matters most to {name}: the best gets {percent(value)} more than the worst"
    wording += f" (next {rest[0][1]}, {percent(rest[0][0])})." if rest else "."
    over = [v for v in table["over_tcp"] if v is not None]
    if over:
        more = sum(v > 0 for v in over)
        wording += f" Own flows get more than competing flows in {more} of {counted(len(over), 'group')}."
    return wording
