"""Tests of a deployment: what each finds on average, how far single tests scatter, and the total effect."""

from __future__ import annotations

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.deployment import WHOLE, Choice, choices, effects_of, rows_of, tests_of
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.deploy_shares import controls
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.text.deployment_text import TESTS, TITLES
from mesonet.words import change, counted, percent

DATA, TOTAL = "deploy_tests", "deploy_total"
WIDTH, STEP = 480, 18  # px
SPREAD = 1.96
"""Standard deviations of the lines: 95 % of single tests, if their noise is normal."""


def figure(view: CampaignView) -> Figure | None:
    """Return the tests beside the total effect; None without tests of which the total effect is known."""
    tables = {choice: rows for choice in choices(view) if not (rows := table(view, choice)).is_empty()}
    if not tables:
        return None

    def draw(deployed: str, outcome: str, where: str) -> Drawing:
        choice = Choice(deployed, outcome, where)
        rows, total = tables[choice], total_table(view, choice)
        chart = deploy_tests(rows, total, title=f"What tests of {deployed} find: {TITLES[outcome]}")
        return drawing(chart, caption(rows))

    return Figure(
        id="deploy-tests",
        short_title="What tests find",
        title="What would a test have found?",
        reading=(
            "Points are the means of a test over the runs, lines reach as far as 95 % of single tests. The band is the "
            "total effect with its 95 % interval: a test whose point lies beside the band is biased."
        ),
        draw=draw,
        selections=[choice.selection for choice in tables],
        height=90 + STEP * max(rows.height for rows in tables.values()),
        own_tables=True,
        controls=controls(view),
        file="deployment/tests/{outcome}/{deployed}/{where}",
    )


def table(view: CampaignView, choice: Choice) -> pl.DataFrame:
    """Return a row per test: name, test, estimate, from, to (all in %), bias and the chance of a wrong sign."""
    found = effects_of(view, choice.algorithm)
    conditions = [] if found is None else found.tests["condition"].unique().sort().to_list()
    condition = conditions[0] if len(conditions) == 1 else choice.where
    if found is None or (choice.where == WHOLE and len(conditions) > 1):
        return pl.DataFrame()
    tests = tests_of(found, choice.outcome)
    rows = tests.filter((pl.col("condition") == condition) & pl.col("estimate").is_not_null())
    names = [
        f"{TESTS[test]}, {percent(100 * share)}" if 0 < share < 1 else TESTS[test]
        for test, share in rows.select("test", "share").iter_rows()
    ]
    spread = SPREAD * pl.col("sd").fill_null(0.0)
    return rows.select(
        name=pl.Series(names, dtype=pl.String),
        test="test",
        estimate=100 * pl.col("estimate"),
        low=100 * (pl.col("estimate") - spread),
        high=100 * (pl.col("estimate") + spread),
        bias=100 * pl.col("bias"),
        wrong_sign=100 * pl.col("wrong_sign"),
    )


def total_table(view: CampaignView, choice: Choice) -> pl.DataFrame:
    """Return the total effect with its interval, in %."""
    found = effects_of(view, choice.algorithm)
    assert found is not None
    rows = rows_of(found, choice.outcome, choice.where).filter(pl.col("estimand") == "total")
    known = rows.filter(pl.col("value").is_not_null())
    ends = (pl.coalesce("low", "value"), pl.coalesce("high", "value"))
    return known.select(total=100 * pl.col("value"), low=100 * ends[0], high=100 * ends[1])


def deploy_tests(tests: pl.DataFrame, total: pl.DataFrame, *, title: str = "") -> alt.LayerChart:
    """Draw what tests find beside the total effect.

    Parameters
    ----------
    tests
        Columns name, test, estimate, low, high (%), bias and wrong_sign (%).
    total
        One row: total, low and high, in %.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=alt.Step(STEP))
    truth = alt.Chart(alt.NamedData(name=TOTAL))
    y = alt.Y("name:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=220))
    x = alt.X("estimate:Q", title="effect, %")
    colour = alt.Color("test:N", scale=theme.in_turn(list(TESTS), theme.SERIES_COLOURS), legend=None)
    tips = theme.tooltips("name:N", ("estimate:Q", "mean, %", "+.3~g"), ("bias:Q", "bias, points", "+.3~g"),
                          ("wrong_sign:Q", "wrong sign, %", ".3~g"))  # fmt: skip
    band = truth.mark_rect(color=theme.PALE, opacity=1, stroke=theme.HAIRLINE).encode(x="low:Q", x2="high:Q")
    line = truth.mark_rule(color=theme.MUTED, strokeDash=[5, 4]).encode(x=alt.X("total:Q", title="effect, %"))
    zero = alt.Chart().mark_rule(color=theme.GREY).encode(x=alt.XDatum(0))
    noise = base.mark_rule(strokeWidth=1.6, opacity=0.7).encode(x="low:Q", x2="high:Q", y=y, color=colour)
    points = base.mark_point(filled=True, size=55, opacity=1).encode(x=x, y=y, color=colour, tooltip=tips)
    chart = alt.layer(band, zero, line, noise, points, data=alt.NamedData(name=DATA))
    return theme.finish(chart, {DATA: tests, TOTAL: total}, title=title)


def caption(rows: pl.DataFrame) -> str:
    """Return the test with the largest bias, and the tests that often have the wrong sign."""
    known = rows.filter(pl.col("bias").is_not_null())
    if known.is_empty():
        return "The total effect is not known, so that no bias is."
    worst = known.sort(pl.col("bias").abs()).row(-1, named=True)
    text = f"Farthest from the total effect is {worst['name']}: {change(worst['estimate'] / 100)}."
    wrong = known.filter(pl.col("wrong_sign") > 5).height
    return f"{text} {counted(wrong, 'test')} of {known.height} have the wrong sign in more than 5 % of cases."
