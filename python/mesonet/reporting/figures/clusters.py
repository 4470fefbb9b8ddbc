"""Dendrograms: a small cluster tree of the algorithms per condition (ASME paper, Figs. 11 and 12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl
from scipy.cluster import hierarchy

from mesonet.analysis.clustering import CUT, Clustering
from mesonet.charts import theme
from mesonet.charts.theme import PER_ROW
from mesonet.reporting.campaign_view.values import ordered
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.text.settings_text import spelt_settings
from mesonet.words import capitalised, counted, listed, percent, some

DATA = "trees"
HEIGHT = 90  # px


def figure(view: CampaignView) -> Figure | None:
    """Return the trees of the algorithms in every condition."""
    if len(view.algorithms) < 3 or not view.clusterings:
        return None
    results = view.clusterings
    algorithms = max(len(result.algorithms) for result in results.values())

    def draw() -> Drawing:
        chart = dendrograms(
            results, order=[c for c in view.by_congestion if c in results], title="The algorithms in every condition"
        )
        text = caption(results, view.algorithms, view.titles)
        heading = capitalised(view.period_title(view.main_period))
        return drawing(chart, f"{text} {split_sentence(view)}".rstrip(), heading=heading, subtitle=False)

    return Figure(
        id="clusters",
        short_title="Who behaves alike",
        title="Who behaves alike: the algorithms as trees",
        reading=(
            f"One tree per condition, {view.order_words}: algorithms that join low behave alike over all responses. "
            f"Blue: groups below {percent(100 * view.thresholds.cut)} of the largest distance. Orange name: joins "
            "last and alone. No tree: all the same."
        ),
        draw=draw,
        marks=len(results) * 2 * algorithms,
        height=40 + -(-len(results) // PER_ROW) * (HEIGHT + 90),
        file="algorithms/clusters",
    )


def tables(results: Mapping[int, Clustering]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the brackets of every tree, and its leaves.

    A row per corner of a bracket: condition, bracket and corner (from 0), place (leaf 0 at 0), distance, and group,
    True below the cut. A row per leaf: condition, place, algorithm, and apart, True for the most distant. A tree
    without differences has only leaves.
    """
    brackets, leaves = [], []
    for condition, result in results.items():
        order = {place: position for position, place in enumerate(result.leaves)}
        for place, name in enumerate(result.algorithms):
            apart = name == result.most_distant
            leaves.append({"condition": condition, "place": float(order[place]), "algorithm": name, "apart": apart})
        if not result.distinct:
            continue
        tree = hierarchy.dendrogram(result.linkage, no_plot=True)
        top = float(result.linkage[-1, 2])
        for number, (across, up) in enumerate(zip(tree["icoord"], tree["dcoord"], strict=True)):
            for corner, (x, y) in enumerate(zip(across, up, strict=True)):
                # scipy draws leaf i at 10 i + 5.
                point = {"bracket": number, "corner": corner, "place": (x - 5) / 10, "distance": float(y)}
                brackets.append({"condition": condition, **point, "group": max(up) <= result.cut * top})
    schema = {"condition": pl.Int64, "bracket": pl.Int64, "corner": pl.Int64, "place": pl.Float64,
              "distance": pl.Float64, "group": pl.Boolean}  # fmt: skip
    return pl.DataFrame(brackets, schema=schema), pl.DataFrame(leaves, infer_schema_length=None)


def dendrograms(
    results: Mapping[int, Clustering], *, order: Sequence[int] | None = None, title: str = ""
) -> alt.FacetChart:
    """Return a sheet of trees, one per condition.

    Parameters
    ----------
    results
        Cluster trees by condition.
    order
        Conditions from left to right and down; None: as in `results`.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    rows, leaves = tables(results)
    algorithms = max((len(result.algorithms) for result in results.values()), default=1)
    width = max(18 * algorithms, 112)
    across = alt.X("place:Q", scale=alt.Scale(domain=[-0.6, algorithms - 0.4], nice=False), axis=None)
    both = pl.concat([rows, leaves], how="diagonal")
    base = alt.Chart(width=width, height=HEIGHT)
    lines = base.transform_filter("isValid(datum.bracket)").mark_line(strokeWidth=1.4).encode(
        x=across,
        y=alt.Y("distance:Q", title=None, axis=alt.Axis(tickCount=3, domain=False, ticks=False)),
        detail=alt.Detail("bracket:N"),
        order=alt.Order("corner:Q"),
        color=alt.ColorValue(**theme.either("datum.group", theme.BLUE, theme.GREY)),
        tooltip=theme.tooltips("condition:O", ("distance:Q", "", ".3~g")),
    )  # fmt: skip
    names = base.transform_filter("isValid(datum.algorithm)").mark_text(
        angle=270, align="right", baseline="middle", fontSize=9, dx=-4
    ).encode(
        x=across,
        y=alt.YDatum(0),
        text=alt.Text("algorithm:N"),
        color=alt.ColorValue(**theme.either("datum.apart", theme.VERMILLION_TEXT, theme.INK)),
        tooltip=theme.tooltips("condition:O", "algorithm:N"),
    )  # fmt: skip
    chart = theme.sheet(base, lines, names, data=DATA, order=list(order or results), gaps=(16, 14))
    cut = percent(100 * next((result.cut for result in results.values()), CUT))
    legend = (
        f"Blue: groups below {cut} of the largest distance. Orange: joins last and alone. No tree: all are the same."
    )
    return theme.finish(chart, {DATA: both}, params=theme.condition_params(), title=title, subtitle=[legend])


def caption(results: Mapping[int, Clustering], algorithms: tuple[str, ...], titles: Mapping[str, str]) -> str:
    """Return the algorithms that join last and alone, conditions without differences, and omissions, as text."""
    same = sum(not result.distinct for result in results.values())
    who = Counter(result.most_distant for result in results.values() if result.most_distant)
    alone = [f"{name} in {counted(who[name], 'condition')}" for name in ordered(algorithms, who)]
    parts = [f"Joins last and alone: {listed(alone)}." if alone else "No algorithm stands apart alone."]
    if same:
        parts.append(f"In {counted(same, 'condition')} of {len(results)} no response separates the algorithms.")
    lacking = Counter(name for result in results.values() for name in result.incomplete)
    if lacking:
        names = [f"{titles[name]} in {count}" for name, count in lacking.most_common()]
        parts.append(f"Left out, because some algorithm lacks it in that condition: {some(names)} of {len(results)}.")
    gone = Counter(name for result in results.values() for name in result.absent)
    if gone:
        names = [f"{name} in {counted(gone[name], 'condition')}" for name in ordered(algorithms, gone)]
        parts.append(f"Without values: {listed(names)}.")
    return " ".join(parts)


def split_sentence(view: CampaignView) -> str:
    """Return the settings associated with an algorithm that joins its tree last and alone, as text.

    A sentence; empty without such an association.
    """
    wording = []
    for name, rules in view.split_rules.items():
        alone = [rule for rule in rules.rules if rule.group == "alone" and rule.settings]
        if not alone or rules.right <= rules.largest:
            continue
        best = max(alone, key=lambda rule: rule.right)
        where = spelt_settings(view, best.settings)
        wording.append(f"{name} in {best.right} of {best.runs} conditions with {where}")
    return f"Standing alone is associated with: {'; '.join(wording)}." if wording else ""
