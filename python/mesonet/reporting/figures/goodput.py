"""Goodputs of the users by path class and interface, for each kind of file."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl

from mesonet.charts.grouped_bars import grouped_bars
from mesonet.reporting.campaign_view.flow_groups import OWN
from mesonet.reporting.campaign_view.users import UNIT, Users, known, mean_over_conditions
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.words import counted, listed, percent, verb


def figure(found: Users) -> Figure:
    """Return the goodputs by kind of file."""
    return Figure(
        id="goodput",
        short_title="Goodputs",
        title="What do users get?",
        reading=(
            "Mean goodput over the conditions, by path class and speed of the user's interface. Each panel has its own "
            "scale."
        ),
        draw=partial(_draw, found),
        selections=[{"file": category} for category in found.categories],
        height=560,
        varied=True,
        own_tables=True,
        file="users/goodput_{file}",
    )


def rate_unit(view: CampaignView) -> tuple[float, str]:
    """Return the unit of goodputs in figures, in segments/s, and its name: Mbit/s where segments have one size."""
    size = view.data_bytes
    return (1.0, UNIT) if size is None else (1e6 / (8 * size), "Mbit/s")


def _draw(found: Users, file: str) -> Drawing:
    rows, places = [], found.of_category(file)
    one, unit = rate_unit(found.view)
    labels = list(found.labels.values())
    for kind in found.kinds:
        means = mean_over_conditions(found.goodput(kind)) / one
        for place in places:
            for algorithm, value in zip(found.view.algorithms, means[:, place], strict=True):
                rows.append({"panel": f"{labels[place][1]}, {labels[place][2]}", "algorithm": algorithm, "kind": kind,
                             "value": known(value)})  # fmt: skip
    schema = {"panel": pl.String, "algorithm": pl.String, "kind": pl.String, "value": pl.Float64}
    table = pl.DataFrame(rows, schema=schema)
    if len(found.kinds) == 1:
        table = table.drop("kind")
    # Panels of all categories, because one category may lack some.
    panels = list(dict.fromkeys(f"{path}, {rate}" for _, path, rate in labels))
    chart = grouped_bars(
        table, found.view.algorithms, panels=panels, kinds=found.kinds if len(found.kinds) > 1 else (),
        title=f"Goodput of {file} flows by path class and interface", response=f"{unit}, mean over the conditions",
    )  # fmt: skip
    return drawing(chart, caption(found, file))


def caption(found: Users, category: str) -> str:
    """Return the algorithms with most and least goodput over path classes and interfaces, as text."""
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
