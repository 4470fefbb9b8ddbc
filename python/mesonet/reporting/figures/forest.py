"""Forest of conditions: the change of a judged quantity in each condition, with its interval.

Colours are the levels of the factor, or of the pair of factors, on which the change depends.
"""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl
from scipy import special

from mesonet.analysis import Decision
from mesonet.charts import theme
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Control, Drawing, Figure, drawing
from mesonet.reporting.text.answer_text import in_words
from mesonet.reporting.verdicts.comparisons import Comparison, comparisons
from mesonet.reporting.verdicts.verdict import MARGIN, decision, judged_pairs, margin_of
from mesonet.words import capitalised, counted, percent

DATA = "forest"
#: Height of a condition, px: for few, and for many.
STEP, NARROW_STEP, MANY = 13, 5, 64
#: Most levels with a colour of their own.
COLOURS = 6
OPEN = "all conditions"


def figure(view: CampaignView) -> Figure | None:
    """Return the change in each condition, for each comparison and judged quantity that has any."""
    compared = {each.name: each for each in comparisons(view)} if view.has_results else {}
    judged = judged_pairs(view) if compared else []
    shown = [
        (name, mine.name)
        for name, each in compared.items()
        for mine, other in judged
        if each.has_both(mine, other).any()
    ]
    if not shown:
        return None
    pairs = {mine.name: (mine, other) for mine, other in judged if mine.name in {quantity for _, quantity in shown}}

    first = next(iter(compared.values()))
    most = len(first.pairs.conditions[0])
    many = most > MANY

    def draw(comparison: str, quantity: str) -> Drawing:
        mine, other = pairs[quantity]
        each = compared[comparison]
        found = decision(each, mine, other, len(judged))
        rows = table(view, each, found)
        heading = f"{capitalised(mine.title)}: {each.name} against {each.against}"
        return drawing(
            forest(rows, many=many, title=heading, margin=margin_of(view)),
            caption(rows, None if mine.neutral else mine.lower_is_better, margin_of(view)),
        )

    return Figure(
        id="forest",
        short_title="Condition by condition",
        title="In which conditions does it change?",
        reading=(
            f"One point per condition with the 95 % interval of its own replicates, sorted. Dashed lines are the "
            f"margin of {percent(margin_of(view))}. If the change depends on a factor, its levels have colours."
        ),
        draw=draw,
        selections=[{"comparison": name, "quantity": quantity} for name, quantity in shown],
        height=120 + (NARROW_STEP if many else STEP) * most,
        marks=2 * most,
        own_tables=True,
        controls=[
            Control("comparison", "Comparison" if view.is_model else "Scenario", [(name, name) for name in compared],
                    first.name),
            Control("quantity", "Quantity", [(name, capitalised(mine.title)) for name, (mine, _) in pairs.items()],
                    next(iter(pairs))),
        ],
    )  # fmt: skip


def table(view: CampaignView, compared: Comparison, found: Decision) -> pl.DataFrame:
    """Return a row per condition: condition, change, low, high (%), level and setting, by rising change."""
    of = found.by_condition
    with np.errstate(all="ignore"):
        quantile = special.stdtrit(np.maximum(of.count - 1, 1), 0.975)
        half = np.where(of.count > 1, quantile * of.sd / np.sqrt(of.count), 0.0)
    change, one, two = (100 * found.ratio_less_one(value) for value in (of.mean, of.mean - half, of.mean + half))
    factors, levels = compared.pairs.factors, compared.pairs.levels
    deciding = [factors.index(name) for name in found.depends_on if name in factors]
    if len({tuple(row) for row in levels[:, deciding].tolist()}) > COLOURS:
        deciding = []

    def words(row: int, places: list[int]) -> str:
        return ", ".join(in_words(str(levels[row, place]), view.segment_bytes) for place in places)

    rows = [
        {
            "condition": int(compared.pairs.conditions[0][row]) + 1,
            "change": float(change[row]),
            "low": float(min(one[row], two[row])),
            "high": float(max(one[row], two[row])),
            "level": words(row, deciding) or OPEN,
            "setting": "; ".join(f"{name} {words(row, [place])}" for place, name in enumerate(factors)),
        }
        for row in range(len(change))
        if of.known[row]
    ]
    schema = {"condition": pl.Int64, "change": pl.Float64, "low": pl.Float64, "high": pl.Float64, "level": pl.String,
              "setting": pl.String}  # fmt: skip
    return pl.DataFrame(rows, schema=schema).sort("change", "condition")


def forest(
    values: pl.DataFrame, *, many: bool = False, title: str = "", response: str = "", margin: float = MARGIN
) -> alt.LayerChart:
    """Return a point and an interval per condition, with the margin as dashed lines.

    `values`: columns as in `table`, in the order of drawing. `many`: True for low rows without numbers. `margin`: in %.
    """
    step, labels = (NARROW_STEP, False) if many else (STEP, True)
    base = alt.Chart(width=460, height=alt.Step(step))
    axis = alt.Axis(title="condition", ticks=False, domain=False, labels=labels, grid=False)
    y = alt.Y("condition:O", sort=None, axis=axis)
    legend = alt.Legend(title="where it depends", orient="top")
    shade = alt.Color("level:N", legend=legend, scale=alt.Scale(range=list(theme.SERIES_COLOURS[1:])))
    shape = alt.Shape("level:N", legend=None, scale=alt.Scale(range=list(theme.SERIES_SHAPES)))
    x = alt.X("change:Q", title="change, %")
    shown = theme.tooltips("condition:O", "setting:N", ("change:Q", "change, %", "+.3~g"), ("low:Q", "from", "+.3~g"),
                           ("high:Q", "to", "+.3~g"))  # fmt: skip
    points = base.mark_point(filled=True, size=45, opacity=1).encode(x=x, y=y, color=shade, shape=shape, tooltip=shown)
    intervals = base.mark_rule(strokeWidth=1.6).encode(x="low:Q", x2="high:Q", y=y, color=shade)
    zero = alt.Chart().mark_rule(color=theme.MUTED).encode(x=alt.XDatum(0))
    limits = [
        alt.Chart().mark_rule(color=theme.VERMILLION, strokeDash=[4, 3]).encode(x=alt.XDatum(place))
        for place in (margin, 100 / (1 + margin / 100) - 100)
    ]
    ring = theme.ring(base, x=alt.XValue(0), x2=alt.X2Value("width"), y=y, tooltip=alt.TooltipValue(None))
    chart = alt.layer(zero, *limits, intervals, points, ring, data=alt.NamedData(name=DATA))
    params = theme.condition_params()
    return theme.finish(chart, {DATA: values}, params=params, title=title, subtitle=[response] if response else [])


def caption(rows: pl.DataFrame, lower_is_better: bool | None, margin: float = MARGIN) -> str:
    """Return in how many conditions it is worse and better by more than the margin; None: neither is better."""
    low = 100 / (1 + margin / 100) - 100
    up, down = (rows.filter(side).height for side in (pl.col("change") > margin, pl.col("change") < low))
    worse, better = (up, down) if lower_is_better or lower_is_better is None else (down, up)
    words = ("Higher", "lower") if lower_is_better is None else ("Worse", "better")
    return (
        f"{words[0]} by more than {percent(margin)} in {worse} of {counted(rows.height, 'condition')}, {words[1]} in "
        f"{better}, "
        "by chance or not."
    )
