"""Effects of a deployment by groups of units: who gains and who pays."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.deployment import Choice, choices, effects_of, leading
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.deploy_shares import controls
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.text.deployment_text import TITLES
from mesonet.words import change

DATA = "deploy_groups"
WIDTH, STEP = 420, 16  # px
TOTAL, SPILL_OVER = "total", "spill-over"
EFFECTS = {TOTAL: "all changed", SPILL_OVER: "keep the incumbent"}
"""Effects with their words on the axes, from left to right."""


def figure(view: CampaignView) -> Figure | None:
    """Return the effects by group; None without groups."""
    whole = {(each.algorithm, each.outcome): each for each in choices(view)}
    tables = {choice: rows for key in whole if not (rows := table(view, choice := Choice(*key))).is_empty()}
    if not tables:
        return None

    def draw(deployed: str, outcome: str) -> Drawing:
        rows = tables[Choice(deployed, outcome)]
        heading = f"{TITLES[outcome]}: the effect of {deployed} by group".capitalize()
        return drawing(deploy_groups(rows, title=heading), caption(rows))

    return Figure(
        id="deploy-groups",
        short_title="Who pays",
        title="Who gains, and who pays?",
        reading=(
            "Points are effects with their 95 % intervals. The left panel has the change of all users of a group when "
            "all have changed. The right panel has the change of its users who keep the incumbent, at the share "
            "nearest to one half."
        ),
        draw=draw,
        selections=[{"deployed": each.algorithm, "outcome": each.outcome} for each in tables],
        height=90 + STEP * max(rows.height for rows in tables.values()),
        own_tables=True,
        controls=controls(view, where=False),
        file="deployment/groups/{outcome}/{deployed}",
    )


def table(view: CampaignView, choice: Choice) -> pl.DataFrame:
    """Return a row per group, level and effect: group, level, effect, value, low, high (%) and share."""
    found = effects_of(view, choice.algorithm)
    by = view.campaign.experiment["deploy"]["by"]
    if found is None or not by:
        return pl.DataFrame()
    rows = found.effects.filter((pl.col("outcome") == choice.outcome) & pl.col("group").is_in(by))
    if rows.is_empty():
        return rows
    rows = leading(rows)
    inside = rows.filter(pl.col("estimand") == SPILL_OVER)["share"]
    middle = min(inside, key=lambda share: abs(share - 0.5), default=None)
    kept = rows.filter(
        (pl.col("estimand") == TOTAL) | ((pl.col("estimand") == SPILL_OVER) & (pl.col("share") == middle))
    ).filter(pl.col("value").is_not_null())
    return kept.select(
        name=pl.format("{}: {}", pl.col("group").str.replace("_", " "), "level"),
        group="group",
        level="level",
        effect="estimand",
        share=100 * pl.col("share"),
        value=100 * pl.col("value"),
        low=100 * pl.col("low"),
        high=100 * pl.col("high"),
    )


def deploy_groups(effects: pl.DataFrame, *, title: str = "") -> alt.HConcatChart:
    """Draw the effects of a deployment by group.

    Parameters
    ----------
    effects
        Columns name, effect (``total`` or ``spill-over``), value, low and high, in %.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: a panel for each effect.
    """
    there = [name for name in EFFECTS if name in set(effects["effect"])]
    panels = [_panel(name, is_first=name == there[0]) for name in there]
    chart = alt.hconcat(*panels, spacing=18, data=alt.NamedData(name=DATA)).resolve_scale(y="shared")
    return theme.finish(chart, {DATA: effects}, title=title)


def _panel(name: str, *, is_first: bool) -> Any:
    base = alt.Chart(width=WIDTH // 2, height=alt.Step(STEP)).transform_filter(f"datum.effect === '{name}'")
    axis = alt.Axis(ticks=False, domain=False, labels=is_first, labelLimit=220)
    y = alt.Y("name:N", sort=None, title=None, axis=axis)
    x = alt.X("value:Q", title=f"change, % ({EFFECTS[name]})")
    tips = theme.tooltips("name:N", ("value:Q", "change, %", "+.3~g"), ("low:Q", "from", "+.3~g"),
                          ("high:Q", "to", "+.3~g"), ("share:Q", "share, %", ".3~g"))  # fmt: skip
    zero = alt.Chart().mark_rule(color=theme.GREY).encode(x=alt.XDatum(0))
    noise = base.mark_rule(strokeWidth=1.6, color=theme.BLUE).encode(x="low:Q", x2="high:Q", y=y)
    points = base.mark_point(filled=True, size=50, opacity=1, color=theme.BLUE).encode(x=x, y=y, tooltip=tips)
    return alt.layer(zero, noise, points)


def caption(rows: pl.DataFrame) -> str:
    """Return the groups with the smallest and the largest total effect."""
    known = rows.filter(pl.col("effect") == TOTAL).sort("value")
    if known.height < 2:
        return "Only one group has a total effect."
    ordered = known.to_dicts()
    ends = [f"{row['name']} ({change(row['value'] / 100)})" for row in (ordered[0], ordered[-1])]
    return f"The total effect is smallest for {ends[0]} and largest for {ends[1]}, by chance or not."
