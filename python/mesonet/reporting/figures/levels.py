"""A response over the levels of a factor, one line for each level of another, for designs with a grid of levels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import altair as alt
import numpy as np
import polars as pl

from mesonet.algorithms import split
from mesonet.charts import theme
from mesonet.designs import grid
from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.figures.figure import Content, Figure, of_response

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


LINES = "level_lines"
WIDTH, HEIGHT = 300, 230
#: Ratio of the largest level to the smallest above which the axis is logarithmic (chosen).
WIDE = 20.0


def figure(sampled: Sampled) -> Figure | None:
    """Return a response over the levels of the factors of a grid."""
    if sampled.campaign.rows.kind != grid.KIND:
        return None
    view = sampled.view
    across, lines = axis_names(sampled)
    places = level_places(sampled)

    def content(response: str, period: str) -> Content:
        table = level_values(sampled, response, period, places)
        varies = view.varies(response, period)
        text = caption(sampled, response) if varies else "It is the same everywhere, or was not measured."
        return partial(level_lines, table, across=across, lines=lines), {LINES: table}, text

    return of_response(
        view,
        "levels",
        content,
        short_title="Over the levels",
        title="How does the response go with the levels?",
        reading="One line for each level of a factor, over the levels of the one that has most; a panel per algorithm.",
        selections=view.selections(),
        marks=2 * len(sampled.points) * len(view.algorithms),
        height=80 + 290 * -(-len(view.algorithms) // 3),
        file="levels/{column}",
        folder="varying responses",
    )


def axis_names(sampled: Sampled) -> tuple[str, str]:
    """Return the names of the factors across and of the lines.

    The factor with the most levels, and the factor with the next most; empty if there is only one factor.
    """
    first, *others = (sampled.factor_names[place] for place in _by_levels(sampled))
    return first, others[0] if others else ""


def caption(sampled: Sampled, response: str) -> str:
    """Return a sentence on the lines: the response, the number of combinations and the factors averaged over."""
    rest = [sampled.factors[place] for place in _by_levels(sampled)[2:]]
    averaged = f"; means over the levels of {', '.join(rest)}" if rest else ""
    return f"{sampled.view.label_of(response)} at each of {len(sampled.points)} combinations of levels{averaged}."


def level_places(sampled: Sampled) -> pl.DataFrame:
    """Return the place of every condition in the drawing.

    Columns condition (from 1), across and lines: the levels as `levels` returns them; lines is null without a second
    factor.
    """
    order = _by_levels(sampled)
    count = len(sampled.campaign.rows.matrix)
    return pl.DataFrame(
        {
            "condition": range(1, count + 1),
            "across": levels(sampled.campaign, order[0]),
            "lines": levels(sampled.campaign, order[1]) if len(order) > 1 else [None] * count,
        },
        schema_overrides={"lines": pl.Float64},
    )


def level_values(sampled: Sampled, response: str, period: str, places: pl.DataFrame) -> pl.DataFrame:
    """Return the table that `level_lines` draws.

    Columns algorithm, across, lines and value: the mean over the conditions at these levels.
    """
    found = sampled.values(response, period).filter(pl.col("value").is_finite()).join(places, on="condition")
    return found.group_by("algorithm", "across", "lines", maintain_order=True).agg(pl.col("value").mean())


def _by_levels(sampled: Sampled) -> list[int]:
    """Return the places of the factors, most levels first."""
    points = sampled.campaign.rows.matrix
    counts = [len(np.unique(points[:, place])) for place in range(points.shape[1])]
    return sorted(range(len(counts)), key=lambda place: -counts[place])


def levels(campaign: Campaign, place: int) -> list[float]:
    """Return the level of a factor in each condition as a number.

    The number that the factor sets, such as a value or a count of flows, in its unit. If it is not known, or is not
    different for every level, 1, 2, ... from the lowest level. `place`: place of the factor, from 0.
    """
    path = split(campaign.factors[place].path)[0]
    first = campaign.algorithms[0]
    scenarios = [each["scenario"] for each in campaign.experiment["scenarios"] if each["algorithm"] == first]
    found = [_number(scenario, path) for scenario in scenarios]
    steps = np.unique(campaign.rows.matrix[:, place], return_inverse=True)[1] + 1
    if any(value is None for value in found) or len(set(found)) < len(set(steps.tolist())):
        return [float(step) for step in steps]
    return [float(value) for value in found if value is not None]


def _number(scenario: Mapping[str, Any], path: str) -> float | None:
    there: Any = scenario
    for part in re.findall(r"[^.\[\]]+", path):
        if isinstance(there, list) and part.isdecimal():
            there = there[int(part)] if int(part) < len(there) else None
        else:
            there = there.get(part) if isinstance(there, Mapping) else None
    if isinstance(there, Mapping) and isinstance(there.get("factor"), int | float):
        return float(there["factor"])
    if isinstance(there, list) and path == "flows":
        return float(len(there))
    return float(there) if isinstance(there, int | float) else None


def level_lines(
    values: pl.DataFrame, *, across: str, lines: str = "", title: str = "", response: str = ""
) -> alt.VConcatChart:
    """Return a panel of lines for each algorithm.

    `values`: columns algorithm, across and lines, the settings of two factors, and value; lines is null without a
    second factor.
    """
    algorithms = values["algorithm"].unique(maintain_order=True).to_list()
    least, most = float(values["across"].min()), float(values["across"].max())  # type: ignore[arg-type]
    kind: Literal["log", "linear"] = "log" if least > 0 and most / least > WIDE else "linear"
    x_scale = alt.Scale(type=kind, zero=False, nice=False, padding=8)
    legend = alt.Legend(title=lines) if lines else None
    panels: Sequence[alt.Chart] = [
        alt.Chart(alt.NamedData(name=LINES), width=WIDTH, height=HEIGHT, title=name if len(algorithms) > 1 else "")
        .transform_filter(alt.datum.algorithm == name)
        .mark_line(point=alt.OverlayMarkDef(size=28), strokeWidth=1.5)
        .encode(
            x=alt.X("across:Q", title=across, scale=x_scale),
            y=alt.Y("value:Q", title=response if place == 0 else None),
            color=alt.Color("lines:O", scale=alt.Scale(scheme="viridis"), legend=legend),
            tooltip=["algorithm:N", "lines:O", "across:Q", alt.Tooltip("value:Q", format=".5~g")],
        )
        for place, name in enumerate(algorithms)
    ]
    rows = [alt.hconcat(*panels[i : i + 3], spacing=16).resolve_scale(y="shared") for i in range(0, len(panels), 3)]
    chart = alt.vconcat(*rows, spacing=18).resolve_scale(y="shared")
    return theme.finish(chart, {LINES: values}, title=title)
