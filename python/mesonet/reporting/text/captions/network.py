"""Captions of the figures about what happens in the network."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from mesonet.analysis import ConditionClasses
from mesonet.words import counted, listed, percent


def classes_caption(result: ConditionClasses) -> str:
    """Return the number of conditions in each class, as text.

    Parameters
    ----------
    result
        Classes of the conditions by congestion.

    Returns
    -------
    Sentences.
    """
    text = []
    for place, name in enumerate(result.names, start=1):
        values = result.value[result.number == place]
        if len(values):
            conditions = counted(len(values), "condition")
            text.append(f"{name} in {conditions}")
    lost = f" Without a value: condition {listed([str(c) for c in result.absent])}." if result.absent else ""
    if not text:
        return f"No condition has a value.{lost}"
    if len(result.names) == 1:
        return f"There is one class of congestion, with {counted(len(result.conditions), 'condition')}.{lost}"
    above = " of the values above zero" if result.value[result.number == 1].max(initial=0.0) == 0 else ""
    breaks = f" The classes are natural breaks{above}." if len(text) > 1 else ""
    return f"Among these conditions congestion is {listed(text)}.{breaks}{lost}"


def states_caption(rows: pl.DataFrame, panels: Sequence[str], over_time: bool) -> str:
    """Return the most frequent state of flows in each panel, as text.

    Parameters
    ----------
    rows
        Columns panel, state and flows.
    panels
        Panels, in the order of the figure.
    over_time
        True where all panels are drawn over time.

    Returns
    -------
    A sentence.
    """
    text = []
    for panel in panels:
        means = rows.filter(pl.col("panel") == panel).group_by("state", maintain_order=True).agg(pl.mean("flows"))
        total = float(means["flows"].sum() or 0.0)
        if total > 0:
            state, flows = means.sort("flows", descending=True, nulls_last=True).select("state", "flows").row(0)
            text.append(f"{panel}: {percent(100 * flows / total)} {state}")
    how = "over time" if over_time else "mean of the measured periods: not all of these runs kept a time series"
    return f"The most frequent state ({how}): {'; '.join(text)}." if text else "No flow was counted."


def buffers_caption(rows: pl.DataFrame) -> str:
    """Return the class of routers with the fullest buffers, and the fullest buffers of all, as text.

    Parameters
    ----------
    rows
        Columns router, condition, algorithm and value, from 0 to 1; at least one row.

    Returns
    -------
    A sentence.
    """
    means = rows.group_by("router", maintain_order=True).agg(pl.mean("value")).sort("value", descending=True)
    fullest = rows.sort("value", descending=True).row(0, named=True)
    if fullest["value"] == 0:
        return "No buffer is ever in use."
    return (
        f"On average the buffers of {means['router'][0]} routers are the fullest "
        f"({percent(100 * means['value'][0])}); the fullest of all is {percent(100 * fullest['value'])} at "
        f"{fullest['router']} routers in condition {fullest['condition']} with {fullest['algorithm']}."
    )
