"""Outcomes with and without the new algorithm, by the share of units that have it."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.deployment import WHOLE, Choice, choices, effects_of, rows_of, shown
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Control, Drawing, Figure, drawing
from mesonet.reporting.text.answer_text import in_words
from mesonet.reporting.text.deployment_text import TITLES
from mesonet.words import capitalised, change, percent

DATA = "deploy_shares"
WIDTH, HEIGHT = 520, 300  # px
WITH, WITHOUT = "with it", "without it"


def figure(view: CampaignView) -> Figure | None:
    """Return the outcomes by share; None for a campaign that deploys nothing."""
    found = choices(view)
    if not found:
        return None

    def draw(deployed: str, outcome: str, where: str) -> Drawing:
        choice = Choice(deployed, outcome, where)
        rows = table(view, choice)
        incumbent = str(view.campaign.experiment["mixed_with"])
        heading = f"{capitalised(TITLES[outcome])} with {deployed} and with {incumbent}"
        chart = deploy_shares(rows, (deployed, incumbent), title=heading, outcome=axis(view, outcome))
        return drawing(chart, caption(view, choice))

    return Figure(
        id="deploy-shares",
        short_title="Outcome by share",
        title="What do users get at each share?",
        reading=(
            "Points are means over units, lines are 95 % intervals. The dashed line joins the network without the new "
            "algorithm and the network with nothing else: its slope is the total effect. The gap between the two "
            "curves is what an A/B test finds."
        ),
        draw=draw,
        selections=[choice.selection for choice in found],
        height=HEIGHT + 80,
        own_tables=True,
        controls=controls(view),
        file="deployment/shares/{outcome}/{deployed}/{where}",
    )


def controls(view: CampaignView, *, where: bool = True) -> list[Control]:
    """Return the controls of figures of a deployment."""
    found = choices(view)
    algorithms = list(dict.fromkeys(each.algorithm for each in found))
    outcomes = list(dict.fromkeys(each.outcome for each in found))
    chosen = [
        Control("deployed", "New algorithm", [(name, name) for name in algorithms], algorithms[0]),
        Control("outcome", "Outcome", [(name, TITLES[name]) for name in outcomes], outcomes[0]),
    ]
    if where:
        places = list(dict.fromkeys(each.where for each in found))
        names = [(name, "all conditions" if name == WHOLE else in_words(name, view.segment_bytes)) for name in places]
        chosen.append(Control("where", "Where", names, places[min(1, len(places) - 1)]))
    return chosen


def axis(view: CampaignView, outcome: str) -> str:
    """Return the title of the axis of an outcome."""
    _, unit = shown(view, outcome, 1.0)
    return f"{TITLES[outcome]}, {unit}" if unit != "1" else TITLES[outcome]


def table(view: CampaignView, choice: Choice) -> pl.DataFrame:
    """Return a row per share and arm: share (%), arm, value, low, high; and the ends of the total effect."""
    found = effects_of(view, choice.algorithm)
    assert found is not None
    rows = rows_of(found, choice.outcome, choice.where).filter(pl.col("estimand").is_in(["mu_T", "mu_C"]))
    factor, _ = shown(view, choice.outcome, 1.0)
    return rows.select(
        share=100 * pl.col("share"),
        arm=pl.when(pl.col("estimand") == "mu_T").then(pl.lit(WITH)).otherwise(pl.lit(WITHOUT)),
        value=factor * pl.col("value"),
        low=factor * pl.col("low"),
        high=factor * pl.col("high"),
        end=((pl.col("estimand") == "mu_T") & (pl.col("share") == 1))
        | ((pl.col("estimand") == "mu_C") & (pl.col("share") == 0)),
    ).sort("arm", "share")


def deploy_shares(values: pl.DataFrame, names: Sequence[str], *, title: str = "", outcome: str = "") -> alt.LayerChart:
    """Draw outcomes with and without a new algorithm by share.

    Parameters
    ----------
    values
        Columns share (%), arm (``with it`` or ``without it``), value, low, high, and end: True for both ends of the
        total effect.
    names
        The new algorithm and the incumbent.
    title
        As for every plot, see `mesonet.plots`.
    outcome
        Title of the vertical axis: the outcome, with its unit.

    Returns
    -------
    The chart.
    """
    arms = [WITH, WITHOUT]
    label = f"datum.label === '{WITH}' ? 'with {names[0]}' : 'with {names[1]}'"
    legend = alt.Legend(title=None, orient="top", labelExpr=label, labelLimit=260)
    colour = alt.Color("arm:N", scale=theme.in_turn(arms, (theme.BLUE, theme.BLACK)), legend=legend)
    shape = alt.Shape("arm:N", scale=theme.in_turn(arms, ("circle", "square")), legend=legend)
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=HEIGHT)
    x = alt.X("share:Q", title="share of units that have it, %", scale=alt.Scale(domain=[0, 100], padding=8))
    y = alt.Y("value:Q", title=outcome, scale=alt.Scale(zero=True, nice=True))
    tips = theme.tooltips("arm:N", ("share:Q", "share, %", ".3~g"), ("value:Q", "mean", ".3~g"),
                          ("low:Q", "from", ".3~g"), ("high:Q", "to", ".3~g"))  # fmt: skip
    total = base.transform_filter("datum.end").mark_line(strokeDash=[5, 4], color=theme.MUTED).encode(x=x, y=y)
    lines = base.mark_line(strokeWidth=1.5, opacity=0.7).encode(x=x, y=y, color=colour)
    noise = base.mark_rule(strokeWidth=1.6).encode(x=x, y=alt.Y("low:Q", title=outcome), y2="high:Q", color=colour)
    points = base.mark_point(filled=True, size=55, opacity=1).encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)
    return theme.finish(alt.layer(total, lines, noise, points), {DATA: values}, title=title)


def caption(view: CampaignView, choice: Choice) -> str:
    """Return the total effect, and the largest effect that an A/B test finds."""
    found = effects_of(view, choice.algorithm)
    assert found is not None
    rows = rows_of(found, choice.outcome, choice.where)
    parts = []
    total = rows.filter((pl.col("estimand") == "total") & pl.col("value").is_not_null())
    if not total.is_empty():
        parts.append(f"The total effect is {change(total['value'][0])}.")
    naive = rows.filter((pl.col("estimand") == "naive") & pl.col("value").is_not_null())
    if not naive.is_empty():
        row = naive.sort(pl.col("value").abs()).row(-1, named=True)
        parts.append(f"An A/B test at {percent(100 * row['share'])} finds {change(row['value'])}, the most.")
    where = "" if choice.where == WHOLE else f"{capitalised(in_words(choice.where, view.segment_bytes))}. "
    return where + " ".join(parts)
