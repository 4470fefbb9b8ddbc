"""Half-normal plot: effects against the quantiles expected of noise.

Effects that are only noise lie on a line through the origin; effects beyond the margins of error are active. The
margins are Lenth's, or come from the scatter between replicates. (Step 8 of the ten-step analysis; NIST/SEMATECH
e-Handbook, section 5.5.9.8.)
"""

from __future__ import annotations

from functools import partial

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.terms import FEWEST_EFFECTS, Terms, has_margins
from mesonet.charts import theme
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import STEPS, Content, Figure, of_response, of_steps
from mesonet.words import counted, difference, listed, number, verb

DATA, MARGINS = "half_normal", "margins"
LONGEST = 64  #: characters of an alias string
WIDTH, HEIGHT = 560, 380  # px
NAME = 170  # px of the name of a margin, about
LISTED = 16  #: largest terms that the list has
LINE = 17  # px


def figure(view: CampaignView) -> Figure | None:
    """Return the half-normal plot with its margins of error, for every response and algorithm."""
    if len(view.campaign.design.factors) < 2:
        return None
    first = view.terms(view.congestion_response, view.main_period, view.choices_of_algorithm[0])

    def content(response: str, period: str, algorithm: str) -> Content:
        result = view.terms(response, period, algorithm)
        tables = {DATA: table(result), MARGINS: margins_table(result)}
        text = caption(view.title_of(response), view.unit_of(response), result)
        return partial(half_normal, result), tables, text

    return of_response(
        view,
        "half-normal",
        content,
        short_title="Half-normal plot",
        title="Which effects are more than noise: half-normal plot",
        reading=reading(first),
        selections=of_steps(view),
        marks=3 * len(first.terms),
        height=460,
        axis="|effect| on {}",
        file=f"{STEPS}08_half_normal",
        folder="steps and algorithms",
    )


def table(result: Terms) -> pl.DataFrame:
    """Return a row per term by falling |effect|.

    Columns rank (from 1), term, strings (the aliases), size (|effect|), effect, half_normal (quantile), active,
    mean_minus and mean_plus, and residual_sd (of the model up to the term). Every row repeats grand_mean, sd (of the
    response) and runs.
    """
    strings = [text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …" for text in result.strings]
    rows = result.to_polars().with_columns(size=pl.col("effect").abs(), rank=pl.int_range(1, pl.len() + 1))
    active = pl.col("active") if has_margins(result) else pl.lit(value=False)
    more = {name: pl.Series(getattr(result, name)) for name in ("mean_minus", "mean_plus", "residual_sd")}
    return (
        rows.with_columns(strings=pl.Series(strings, dtype=pl.String), active=active)
        .select("rank", "term", "strings", "size", "effect", "half_normal", "active")
        .with_columns(**more, grand_mean=pl.lit(result.grand_mean), sd=pl.lit(result.sd), runs=pl.lit(result.runs))
    )


def margins_table(result: Terms) -> pl.DataFrame:
    """Return a row per margin of error that is known. Columns size, in the unit of the effects, and name."""
    named = {"margin of error": result.noise.me, "simultaneous margin": result.noise.sme}
    rows = [{"size": size, "name": f"{name} {number(size)}"} for name, size in named.items() if has_margins(result)]
    return pl.DataFrame(rows, schema={"size": pl.Float64, "name": pl.String}).filter(pl.col("size").is_finite())


def half_normal(result: Terms, *, title: str = "", response: str = "") -> alt.HConcatChart:
    """Return the figure of one result.

    Parameters
    ----------
    result, title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart, next to the list of the largest terms.
    """
    rows = table(result)
    margins = margins_table(result)
    size = alt.Y("size:Q", title=None, scale=alt.Scale(zero=True, nice=True))
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=HEIGHT).encode(
        x=alt.X("half_normal:Q", title="half-normal quantile", scale=alt.Scale(zero=True, nice=True)), y=size
    )
    colour = theme.ACTIVE
    rule = alt.Chart(alt.NamedData(name=MARGINS), width=WIDTH, height=HEIGHT).encode(y=size)
    plot = alt.layer(
        rule.mark_rule(strokeDash=[5, 4], color=theme.VERMILLION),
        # On the left, because large effects with their numbers are on the right. Side by side, because both margins
        # may be close.
        *(
            rule.transform_filter(f"indexof(datum.name, 'simultaneous') {sign} 0")
            .mark_text(align="left", baseline="bottom", dx=4 + across, dy=-2, color=theme.MUTED)
            .encode(x=alt.XValue(0), text=alt.Text("name:N"))
            for sign, across in (("<", 0), (">=", NAME))
        ),
        base.mark_point(size=46, opacity=1, filled=True).encode(
            color=colour,
            tooltip=theme.tooltips(
                "rank:Q",
                ("strings:N", "term"),
                ("effect:Q", "", "+.4~g"),
                ("half_normal:Q", "half-normal quantile", ".3f"),
            ),
        ),
        # Above and below in turn, because numbers of two digits are wider than the distance to the next point.
        *(
            base.transform_filter(f"datum.rank <= {LISTED} && datum.rank % 2 === {odd}")
            .mark_text(dy=dy)
            .encode(text=alt.Text("rank:Q"))
            for odd, dy in ((1, -11), (0, 12))
        ),
        title=theme.AXIS_TITLE,
    )
    chart = alt.hconcat(plot, alias_list(DATA, HEIGHT), spacing=24)
    return theme.finish(chart, {DATA: rows, MARGINS: margins}, params=[theme.response_title(response)], title=title)


def alias_list(data: str, height: int) -> alt.Chart:
    """Return a column of text, a line per term. `height`: height of the column, px."""
    return (
        alt.Chart(alt.NamedData(name=data), width=300, height=height)
        .transform_filter(f"datum.rank <= {LISTED}")
        .transform_calculate(
            line=f"(datum.rank - 1) * {LINE} + 6",
            text="datum.rank + '   ' + (isValid(datum.effect) ? format(datum.effect, '+,.3~r') : '–') + '   ' + "
            "datum.strings",
        )
        .mark_text(align="left")
        .encode(
            x=alt.XValue(0),
            y=alt.Y("line:Q", scale=alt.Scale(domain=[height, 0]), axis=None),
            text=alt.Text("text:N"),
            color=alt.ColorValue(**theme.either("datum.active", theme.INK, theme.MUTED)),
        )
    )


def reading(result: Terms) -> str:
    """Return the guide to reading a half-normal plot, with the source of its margins."""
    text = "Effects of factors and of their interactions by size. "
    text += "Those that are only noise lie on a line through the origin. "
    if result.noise.replicated:
        text += "The margin of error (dashed) comes from the scatter between replicates"
    elif len(result.terms) < FEWEST_EFFECTS:
        text += f"Lenth's margin of error needs at least {FEWEST_EFFECTS} effects: none is drawn. "
    else:
        text += "The margin of error (dashed) comes from the small effects, most of which are taken to be noise (Lenth)"
    if result.noise.replicated or len(result.terms) >= FEWEST_EFFECTS:
        text += ": of effects that are only noise one in 20 exceeds it. The largest of them exceeds the simultaneous "
        text += "margin in one of 20 campaigns. "
    if any(" = " in string for string in result.strings):
        text += "Terms that the design cannot separate are one entry, listed with all their names."
    return text.strip()


def caption(title: str, unit: str, result: Terms) -> str:
    """Return the number of effects above the noise, and the largest with their aliases, as text."""
    notes = " ".join(result.notes)
    if not has_margins(result):
        return f"{few_effects(result)} {notes}".strip() or f"No effect on {title} could be tested."
    noise, active = result.noise, int(result.active.sum())
    margin = f"the margin of error of {difference(noise.me, unit)} ({source_of_noise(result)})"
    if not active:
        return f"No effect on {title} exceeds {margin}. {notes}".rstrip()
    strings = result.strings[: min(active, 3)]
    largest = [text if " = " not in text else f"the string {text}" for text in strings]
    all_together = int((np.abs(result.effect) > noise.sme).sum())
    sentence = (
        f"{active} of {counted(len(result.terms), 'effect')} on {title} {verb(active, 'exceed')} {margin}; chance "
        f"alone would give about {number(0.05 * noise.effects, 2)}. {all_together or 'None'} "
        f"{verb(all_together or 1, 'exceed')} the simultaneous margin of {difference(noise.sme, unit)}. "
        f"Largest: {listed(largest)}."
    )
    if any(" = " in text for text in strings):
        sentence += " Terms of one string cannot be distinguished from each other."
    return f"{sentence} {notes}".rstrip()


def few_effects(result: Terms) -> str:
    """Return the reason why no margin of error is known, as text.

    A sentence; empty if a margin is known, or if the notes of the result have the reason.
    """
    if has_margins(result) or result.noise.replicated or result.noise.pse == 0:
        return ""
    count = result.noise.effects
    return f"{counted(count, 'effect')} {'is' if count == 1 else 'are'} too few to separate effects from noise."


def source_of_noise(result: Terms) -> str:
    """Return the source of the margin of error, as text. A clause, such as ``after Lenth``."""
    return "from the scatter between replicates" if result.noise.replicated else "after Lenth"
