"""Total effect of a deployment, and what an A/B test finds, in each condition of the other factors."""

from __future__ import annotations

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.deployment import WHOLE, Choice, choices, effects_of, rows_of
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.deploy_shares import controls
from mesonet.reporting.figures.figure import Control, Drawing, Figure, drawing
from mesonet.reporting.text.answer_text import in_words
from mesonet.reporting.text.deployment_text import TITLES
from mesonet.words import change, counted, percent

DATA = "deploy_conditions"
WIDTH, STEP = 420, 15  # px
TOTAL, NAIVE = "total", "naive"
EFFECTS = {TOTAL: "total effect", NAIVE: "an A/B test"}
"""Effects with their words, from top to bottom."""


def figure(view: CampaignView) -> Figure | None:
    """Return both effects by condition; None without two conditions of other factors."""
    where: dict[Choice, list[str]] = {}
    for each in choices(view):
        where.setdefault(Choice(each.algorithm, each.outcome), []).append(each.where)
    tables = {
        (choice.algorithm, choice.outcome, f"{share:g}"): rows.filter(effect=TOTAL).vstack(rows.filter(share=share))
        for choice, places in where.items()
        if len(places) > 2 and not (rows := table(view, choice)).is_empty()
        for share in rows.filter(effect=NAIVE)["share"].unique().sort()
    }
    if not tables:
        return None
    shares = sorted({share for *_, share in tables}, key=float)
    middle = min(shares, key=lambda share: abs(float(share) - 50))

    def draw(deployed: str, outcome: str, tested: str) -> Drawing:
        rows = tables[deployed, outcome, tested]
        heading = f"{TITLES[outcome]}: the effect of {deployed} by condition".capitalize()
        return drawing(deploy_conditions(rows, title=heading), caption(rows))

    return Figure(
        id="deploy-conditions",
        short_title="By condition",
        title="Where would an A/B test mislead?",
        reading=(
            "Points are effects with their 95 % intervals. Where the square is far from the circle, an A/B test of "
            "this share misses the effect of changing all."
        ),
        draw=draw,
        selections=[dict(zip(("deployed", "outcome", "tested"), key, strict=True)) for key in tables],
        height=110 + 2 * STEP * max(rows["name"].n_unique() for rows in tables.values()),
        own_tables=True,
        controls=[
            *controls(view, where=False),
            Control("tested", "A/B test of", [(share, f"{share} %") for share in shares], middle),
        ],
        file="deployment/conditions/{outcome}/{deployed}/{tested}",
    )


def table(view: CampaignView, choice: Choice) -> pl.DataFrame:
    """Return a row per condition and effect, of A/B tests also by share: name, effect, share, value, low, high (%)."""
    found = effects_of(view, choice.algorithm)
    assert found is not None
    frames = [
        rows_of(found, choice.outcome, each.where)
        .filter(pl.col("estimand").is_in(list(EFFECTS)) & pl.col("value").is_not_null())
        .select(
            name=pl.lit(in_words(each.where, view.segment_bytes)),
            effect="estimand",
            share=100 * pl.col("share"),
            value=100 * pl.col("value"),
            low=100 * pl.col("low"),
            high=100 * pl.col("high"),
        )
        for each in choices(view)
        if (each.algorithm, each.outcome) == (choice.algorithm, choice.outcome) and each.where != WHOLE
    ]
    return pl.concat(frames)


def deploy_conditions(effects: pl.DataFrame, *, title: str = "") -> alt.LayerChart:
    """Return the total effect and the finding of an A/B test, a row per condition.

    `effects`: columns name, effect (``total`` or ``naive``), share, value, low and high, in %.
    """
    kinds = list(EFFECTS)
    label = f"datum.label === '{TOTAL}' ? '{EFFECTS[TOTAL]}' : '{EFFECTS[NAIVE]}'"
    legend = alt.Legend(title=None, orient="top", labelExpr=label)
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=alt.Step(STEP, **{"for": "offset"})).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=320)),
        yOffset=alt.YOffset("effect:N", sort=kinds),
        color=alt.Color("effect:N", scale=theme.in_turn(kinds, (theme.BLUE, theme.BLACK)), legend=legend),
    )
    tips = theme.tooltips("name:N", "effect:N", ("value:Q", "change, %", "+.3~g"), ("low:Q", "from", "+.3~g"),
                          ("high:Q", "to", "+.3~g"), ("share:Q", "share, %", ".3~g"))  # fmt: skip
    zero = alt.Chart().mark_rule(color=theme.GREY).encode(x=alt.XDatum(0))
    noise = base.mark_rule(strokeWidth=1.6).encode(x=alt.X("low:Q", title="change, %"), x2="high:Q")
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=alt.X("value:Q", title="change, %"),
        shape=alt.Shape("effect:N", scale=theme.in_turn(kinds, ("circle", "square")), legend=legend),
        tooltip=tips,
    )
    chart = alt.layer(zero, noise, points, data=alt.NamedData(name=DATA))
    return theme.finish(chart, {DATA: effects}, title=title)


def caption(rows: pl.DataFrame) -> str:
    """Return the condition in which the A/B test is farthest from the total effect, and how often signs differ."""
    sides = [rows.filter(effect=kind).select("name", "share", "value") for kind in EFFECTS]
    both = sides[0].join(sides[1], on="name", suffix="_naive", maintain_order="left")
    if both.is_empty():
        return "No condition has both effects."
    worst = both.sort((pl.col("value_naive") - pl.col("value")).abs()).row(-1, named=True)
    other = both.filter(pl.col("value").sign() != pl.col("value_naive").sign()).height
    naive, total = (change(worst[name] / 100) for name in ("value_naive", "value"))
    return (
        f"With {worst['name']} an A/B test of {percent(worst['share_naive'])} finds {naive}, and the total effect is "
        f"{total}. The signs differ in {other} of "
        f"{counted(both.height, 'condition')}, by chance or not."
    )
