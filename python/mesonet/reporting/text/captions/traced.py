"""Captions of the figures of explicit flows: windows and latencies."""

from __future__ import annotations

import numpy as np
import polars as pl

from mesonet.analysis import AverageWindows, WindowShares
from mesonet.words import listed, number, percent, quantity


def window_shares_caption(result: WindowShares) -> str:
    """Return the mean windows, the use of the path and the final shares of the flows, as text.

    Parameters
    ----------
    result
        Shares of the windows of one run.

    Returns
    -------
    Sentences.
    """
    if not np.isfinite(result.mean).any():
        return "No flow was there."
    means = [
        f"{name} {quantity(float(mean), 'segments')}" for name, mean in zip(result.flows, result.mean, strict=True)
        if np.isfinite(mean)
    ]  # fmt: skip
    wording = f"Mean windows: {listed(means)}."
    if np.isfinite(result.filled):
        wording += f" Together they are {percent(result.filled)} of what the path holds."
    if len(result.flows) > 1 and np.isfinite(result.share).all():
        shares = [percent(100 * float(share)) for share in result.share]
        equal = "they share nearly equally" if result.jain > 0.95 else "they do not share equally"
        wording += f" In the end they have {listed(shares)}: {equal} (Jain index {number(result.jain, 2)})."
    return wording


def average_windows_caption(algorithm: str, found: AverageWindows) -> str:
    """Return the average windows of a run in each span, as text.

    Parameters
    ----------
    algorithm
        Congestion control of the run.
    found
        Average windows, segments.

    Returns
    -------
    Sentences.
    """
    parts = []
    for place, (begin, end) in enumerate(found.spans):
        there = np.flatnonzero(np.isfinite(found.window[:, place]))
        words = [f"{found.flows[i]} {number(float(found.window[i, place]), 4)}" for i in there]
        text = f"{number(begin)} to {number(end)} s: {listed(words)}"
        if len(there) > 1:
            shares = listed([percent(100 * float(found.share[i, place])) for i in there])
            text += f", {number(float(found.total[place]), 4)} together ({shares})"
        parts.append(text)
    return f"Average windows of {algorithm}, segments. {'. '.join(parts)}."


def latencies_caption(means: pl.DataFrame) -> str:
    """Return the least and largest latency of each kind, as text.

    Parameters
    ----------
    means
        Columns algorithm, goodput and recovery, s; null where there is none.

    Returns
    -------
    Sentences.
    """
    parts = []
    for kind in ("goodput", "recovery"):
        known = means.drop_nulls(kind).sort(kind)
        if len(known):
            least, most = known.row(0, named=True), known.row(-1, named=True)
            parts.append(
                f"{kind.capitalize()} latency is from {number(least[kind], 3)} s with {least['algorithm']} to "
                f"{number(most[kind], 3)} s with {most['algorithm']}."
            )
        if never := means.filter(pl.col(kind).is_null())["algorithm"].to_list():
            parts.append(f"No {kind} latency within the run: {listed(never)}.")
    return " ".join(parts)
