"""The plane of the first two principal components: groups of runs, and the settings that explain them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from mesonet.analysis import GroupRules
from mesonet.analysis.group_rules import DEEPEST, Rule
from mesonet.charts import theme
from mesonet.reporting.campaign_view.view import Reduction
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.text.labels import CELL
from mesonet.reporting.text.settings_text import Settings, question_title, spelt_settings
from mesonet.words import capitalised, counted, listed, percent

SCORES, ORIGIN = "scores", "origin"
WIDTH, HEIGHT = 560, 420  # px


def figure(found: Reduction) -> Figure | None:
    """Return the plane of the first two components of some responses, with the groups in it."""
    if len(found.components.variance) < 2:
        return None
    view, whose, file = found.view, found.whose, f"components{found.suffix}/pc1_pc2"

    def draw() -> Drawing:
        parts, rules, algorithms = found.components, found.run_rules, list(view.algorithms)
        explained = [f"group {rule.group}: {rule.text} ({rule.right} of {rule.runs})" for rule in rules.rules]
        chart = component_scores(
            parts.scores[:, :2],
            list(found.run_groups),
            conditions=np.repeat(view.conditions, len(algorithms)).tolist(),
            algorithms=algorithms * len(view.conditions),
            share=parts.share.tolist(),
            explained=explained if rules.right > rules.largest else [],
            title=f"The plane of the first two components{whose}",
        )
        return drawing(chart, caption(found), subtitle=False)

    if whose:
        return Figure(
            id="goodput-groups",
            short_title="Groups by goodputs",
            title="Which settings explain the groups, by goodputs alone?",
            reading=(
                "One point per condition and algorithm in the plane of the first two components of the goodputs of the "
                "flow groups. The sentence below names the settings that are associated with each group."
            ),
            draw=draw,
            height=520,
            own_tables=True,
            file=file,
        )
    return Figure(
        id="run-groups",
        short_title="Groups",
        title="Which settings explain the groups in the plane of components?",
        reading=(
            "One point per condition and algorithm in the plane of the first two components, coloured by group. The "
            "sentence below names the settings that are associated with each."
        ),
        draw=draw,
        height=520,
        own_tables=True,
        file=file,
    )


def component_scores(
    scores: ArrayLike,
    groups: Sequence[object],
    *,
    conditions: Sequence[int],
    algorithms: Sequence[str],
    share: Sequence[float],
    explained: Sequence[str] = (),
    title: str = "",
) -> alt.LayerChart:
    """Draw PC1 against PC2, coloured by group.

    Parameters
    ----------
    scores
        Shape (points, at least 2): PC1, PC2, ...
    groups
        Group of each point; None: the point is left out.
    conditions
        Condition of each point.
    algorithms
        Algorithm of each point.
    share
        Share of the variance of each component, from 0 to 1, for the titles of the axes.
    explained
        A line per group with its settings; the first ten are in the subtitle.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    points = np.asarray(scores, dtype=float)
    rows = pl.DataFrame(
        {
            "x": points[:, 0], "y": points[:, 1], "condition": list(conditions), "algorithm": list(algorithms),
            "group": [None if g is None else f"group {g}" for g in groups],
        },
        schema={"x": pl.Float64, "y": pl.Float64, "condition": pl.Int64, "algorithm": pl.String, "group": pl.String},
    ).filter(pl.col("x").is_finite() & pl.col("y").is_finite() & pl.col("group").is_not_null())  # fmt: skip
    names = sorted(rows["group"].unique().to_list())
    colours = theme.in_turn(names, (*theme.SERIES_COLOURS[1:], theme.BLACK))
    shapes = theme.in_turn(names, theme.SERIES_SHAPES)
    titles = [f"PC{i + 1} ({percent(100 * share[i])} of the variance)" if i < len(share) else f"PC{i + 1}"
              for i in (0, 1)]  # fmt: skip
    legend = alt.Legend(title=None, orient="top", columns=6)
    base = theme.kept(SCORES, width=WIDTH, height=HEIGHT).encode(
        x=alt.X("x:Q", title=titles[0]),
        y=alt.Y("y:Q", title=titles[1]),
        tooltip=theme.tooltips("condition:O", "algorithm:N", "group:N"),
    )
    zero = alt.Chart(alt.NamedData(name=ORIGIN), width=WIDTH, height=HEIGHT).mark_rule(color=theme.HAIRLINE, aria=False)
    chart = alt.layer(
        zero.encode(x=alt.XDatum(0, title=titles[0])),
        zero.encode(y=alt.YDatum(0, title=titles[1])),
        base.mark_point(filled=True, size=34, opacity=1).encode(
            color=alt.Color("group:N", scale=colours, legend=legend),
            shape=alt.Shape("group:N", scale=shapes, legend=legend),
        ),
        base.mark_point(size=170, color=theme.HIGHLIGHT, strokeWidth=2.5, aria=False).encode(opacity=theme.LIT),
    )  # fmt: skip
    return theme.finish(
        chart,
        {SCORES: rows, ORIGIN: pl.DataFrame({"zero": [0]})},
        params=theme.condition_params(),
        title=title,
        subtitle=[*explained][:10],
    )


def caption(found: Reduction) -> str:
    """Return the settings associated with the groups of points in the plane of the components, as text."""
    rules, view = found.run_rules, found.view
    there = sorted({*found.run_groups} - {None})
    if len(there) < 2:
        return "The points are one cloud: no groups to explain."
    if rules.right <= rules.largest:
        # As many are right without any rule.
        return (
            f"No rule of up to {DEEPEST} settings predicts the groups better than the largest group "
            f"alone, which has {rules.largest} of {counted(rules.runs, *CELL)}."
        )
    leaves = merged_rules(rules.rules)
    by_group: dict[Any, list[str]] = {}
    for settings, group in leaves:
        by_group.setdefault(group, []).append(spelt_settings(view, settings))
    wording = [f"group {group}: {'; or '.join(by_group[group])}" for group in sorted(by_group)]
    unnamed = [str(group) for group in there if group not in by_group]
    text = (
        f"The groups are associated with settings. {'. '.join(map(capitalised, wording))}. These rules are right for "
        f"{rules.right} of {counted(rules.runs, *CELL)}; {rules.largest} are in the largest group."
    )
    text += f" No rule singles out group {listed(unnamed)}." if unnamed else ""
    kept = {settings[:depth] for settings, _ in leaves for depth in range(len(settings))}
    for prefix, name, others in questions(rules):
        if others and prefix in kept:
            where = f" among those with {spelt_settings(view, prefix)}" if prefix else ""
            instead = " or ".join(question_title(view, other) for other in others)
            text += f" In place of {question_title(view, name)}{where}, {instead} would do as well."
    return text


def merged_rules(rules: Sequence[Rule]) -> list[tuple[Settings, Any]]:
    """Return settings and group of every rule, rules merged that differ in their last setting only.

    Settings and group of each rule. Two neighbours of one group that differ in their last setting only are one rule.
    """
    leaves = [(rule.settings, rule.group) for rule in rules]
    place = 0
    while place + 1 < len(leaves):
        (first, group), (second, other) = leaves[place], leaves[place + 1]
        if first and group == other and len(first) == len(second) and first[:-1] == second[:-1]:
            leaves[place : place + 2] = [(first[:-1], group)]
            place = 0
        else:
            place += 1
    return leaves


def questions(rules: GroupRules) -> list[tuple[Settings, str, tuple[str, ...]]]:
    """Return per question of the tree the settings before it, its factor, and the factors that would do as well.

    One entry per question, in the order in which the tree has grown.
    """
    found: dict[Settings, str] = {}
    for rule in rules.rules:
        for depth, (name, _) in enumerate(rule.settings):
            found.setdefault(rule.settings[:depth], name)
    # Rules stand from left to right, so that their questions come up in the order in which the tree has grown.
    return [(*pair, others) for pair, others in zip(found.items(), rules.equally_good, strict=True)]
