"""Main-effects plot: for each factor the mean response at its two levels, and whether the difference is significant.

(Figure 10 of Mills et al., ASME 2011; step 3 of the ten-step analysis.)
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, Protocol

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.main_effects import MainEffects
from mesonet.charts import theme
from mesonet.reporting.campaign_view.values import Described, factor_title, level_text
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import STEPS, Content, Figure, of_response
from mesonet.reporting.text.labels import AGAINST
from mesonet.words import capitalised, difference, listed, number, percent, quantity, signed

DATA = "main_effects"
LINE, CHARACTER = 13, 5.7  # px
NOT_SIGNIFICANT = "·"


def figure(view: CampaignView) -> Figure | None:
    """Return main effects."""
    if not view.campaign.design.factors:
        return None
    factors = view.campaign.factors

    def content(response: str, period: str, algorithm: str) -> Content:
        result = view.effects(response, period, algorithm)
        tables = {DATA: table(result, factors)}
        return partial(main_effects, result, factors), tables, caption(view, result, response)

    return of_response(
        view,
        "main-effects",
        content,
        short_title="Main effects",
        title="What drives it: main effects",
        question="Which factors matter?",
        reading=(
            "For each factor, the mean of the response over the conditions at its − level (open) and at its + level "
            "(filled); the dashed line is the mean over all. A steep line is a large effect. ** and * mark effects "
            f"significant at 99 % and 95 % {AGAINST[view.mode]}. Highlight a condition to ring its levels."
        ),
        selections=view.selections(view.choices_of_algorithm),
        marks=20 * len(factors),
        height=500,
        file=f"{STEPS}03_main_effects",
        folder="steps and algorithms",
    )


class FactorLike(Protocol):
    """Protocol of the factors whose name and levels the plot shows."""

    @property
    def id(self) -> str:
        """Short name, such as ``x1``."""
        ...

    @property
    def name(self) -> str:
        """Name of the factor, in words."""
        ...

    @property
    def minus(self) -> str:
        """Text of the - level."""
        ...

    @property
    def plus(self) -> str:
        """Text of the + level."""
        ...


def column_width(factors: int) -> int:
    """Return the width of the column of a factor, so that all factors fit a page of usual width if possible.

    Width, px.
    """
    return min(150, max(84, 1050 // factors))


def table(result: MainEffects, factors: Sequence[FactorLike] = (), *, relative: bool = True) -> pl.DataFrame:
    """Return a row per factor: its place from left to right, its numbers, and its captions broken into lines.

    Columns place (from 1), factor, the captions name, minus and plus, the means mean_minus, mean_plus and grand_mean,
    and the texts effect, relative (if asked for), stars and p. `relative`: add the effect in % of the mean. Differences
    and scores have no use for it: their mean may be zero.
    """
    fits = int(column_width(len(result.factors)) / CHARACTER)
    named = {factor.id: factor for factor in factors}
    rows = []
    for place, row in enumerate(result.to_polars().iter_rows(named=True), start=1):
        factor = named.get(row["factor"])
        rows.append(
            {
                "place": place,
                "factor": row["factor"],
                "name": _wrapped(factor.name if factor else "", fits),
                "minus": _wrapped(factor.minus if factor else "", fits),
                "plus": _wrapped(factor.plus if factor else "", fits),
                "mean_minus": row["mean_minus"],
                "mean_plus": row["mean_plus"],
                "grand_mean": result.grand_mean if result.runs else None,
                "effect": signed(row["effect"]),
                **({"relative": percent(row["relative_effect"], sign=True)} if relative else {}),
                "stars": row["stars"] or NOT_SIGNIFICANT,
                "p": number(row["p"], 2),
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def main_effects(
    result: MainEffects,
    factors: Sequence[FactorLike] = (),
    *,
    title: str = "",
    response: str = "",
    relative: bool = True,
    codes: bool = True,
) -> alt.VConcatChart:
    """Return the figure of one result.

    Parameters
    ----------
    result
        As for every plot, see `mesonet.plots`.
    factors
        As for `table`.
    title, response
        As for every plot, see `mesonet.plots`.
    relative
        As for `table`.
    codes
        Show the short names of factors above their names.

    Returns
    -------
    The chart: the means, and below them the captions of each factor.
    """
    rows = table(result, factors, relative=relative)
    scale = alt.Scale(domain=[0.5, rows.height + 0.5], nice=False, zero=False)
    chart = alt.vconcat(_means(scale, rows.height, relative), _captions(scale, rows, codes), spacing=4)
    return theme.finish(
        chart, {DATA: rows}, params=[theme.HIGHLIGHTED_LEVELS, theme.response_title(response)], title=title
    )


def _means(scale: alt.Scale, factors: int, relative: bool) -> Any:
    """Return layers with two points and a line per factor, the grand mean, and rings at the highlighted levels."""
    base = (
        alt.Chart(alt.NamedData(name=DATA), width=column_width(factors) * factors, height=260)
        .transform_calculate(left="datum.place - 0.24", right="datum.place + 0.24")
        .encode(
            tooltip=theme.tooltips(
                "factor:N", "name:N", ("mean_minus:Q", "mean at −", ".4~g"), ("minus:N", "− is"),
                ("mean_plus:Q", "mean at +", ".4~g"), ("plus:N", "+ is"), "effect:N",
                *([("relative:N", "relative effect")] if relative else []), "p:N", ("stars:N", "significance"),
            )
        )
    )  # fmt: skip
    left, right = (alt.X(f"{side}:Q", scale=scale, axis=None) for side in ("left", "right"))
    y_scale = alt.Scale(zero=False, nice=True, padding=14)
    minus, plus = (alt.Y(f"mean_{level}:Q", title=None, scale=y_scale) for level in ("minus", "plus"))
    colour = theme.either(f"datum.stars !== '{NOT_SIGNIFICANT}'", theme.BLUE, theme.GREY)
    point: dict[str, Any] = {"size": 70, "opacity": 1, "strokeWidth": 2}
    ring: dict[str, Any] = {"size": 260, "strokeWidth": 2.5, "color": theme.HIGHLIGHT, "opacity": 1, "aria": False}
    return alt.layer(
        base.mark_rule(strokeDash=[5, 4], color=theme.MUTED, aria=False).encode(y=alt.Y("grand_mean:Q")),
        base.mark_rule(strokeWidth=2.5, strokeCap="round").encode(
            x=left, x2=alt.X2("right"), y=minus, y2=alt.Y2("mean_plus"), color=alt.ColorValue(**colour)
        ),
        base.mark_point(fill="white", **point).encode(x=left, y=minus, stroke=alt.StrokeValue(**colour)),
        base.mark_point(**point).encode(
            x=right, y=plus, stroke=alt.StrokeValue(**colour), fill=alt.FillValue(**colour)
        ),
        base.mark_point(**ring).encode(x=left, y=minus, strokeOpacity=_ringed(-1)),
        base.mark_point(**ring).encode(x=right, y=plus, strokeOpacity=_ringed(1)),
        title=theme.AXIS_TITLE,
    )


def _ringed(sign: int) -> alt.StrokeOpacityValue:
    return alt.StrokeOpacityValue(**theme.either(f"levels[datum.place - 1] === {sign}", 1, 0))


def _captions(scale: alt.Scale, rows: pl.DataFrame, codes: bool) -> Any:
    """Return the captions under each factor: its name, its two levels, its effect and the significance."""
    names: list[tuple[str, str, Any, str]] = [("", "name", "bold", theme.INK)]
    if codes or not any(rows["name"]):
        names = [("", "factor", "bold", theme.INK), ("", "name", "normal", theme.INK)]
    captions: list[tuple[str, str, Any, str]] = [
        *names,
        ("− is", "minus", "normal", theme.MUTED),
        ("+ is", "plus", "normal", theme.MUTED),
        ("effect", "effect", "normal", theme.INK),
        ("relative effect", "relative", "bold", theme.INK),
        ("significance", "stars", "bold", theme.INK),
    ]
    base = alt.Chart(alt.NamedData(name=DATA), width=column_width(rows.height) * rows.height)
    first = base.transform_filter("datum.place === 1")
    x = alt.X("place:Q", scale=scale, axis=None)
    layers, y = [], 4
    for title, field, weight, colour in captions:
        if field not in rows.columns or not any(rows[field]):
            continue
        style: dict[str, Any] = {"baseline": "top", "lineHeight": LINE, "lineBreak": "\n"}
        layers.append(
            base.mark_text(fontWeight=weight, color=colour, **style).encode(
                x=x, y=alt.YValue(y), text=alt.Text(f"{field}:N")
            )
        )
        if title:
            label = first.mark_text(text=title, align="right", color=theme.MUTED, **style)
            layers.append(label.encode(x=alt.XValue(-8), y=alt.YValue(y)))
        y += LINE * max(text.count("\n") + 1 for text in rows[field]) + 6
    return alt.layer(*layers, height=y)


@lru_cache
def _wrapped(text: str, characters: int) -> str:
    return "\n".join(textwrap.wrap(text, characters, max_lines=3, placeholder=" …"))


def caption(view: Described, result: MainEffects, response: str) -> str:
    """Return the factors with significant effects on the response, and their size, as text."""
    return effects_sentence(view, result, view.title_of(response), view.unit_of(response))


def effects_sentence(
    view: Described, result: MainEffects, title: str, unit: str, *, relative: bool = True, differences: bool = False
) -> str:
    """Return the factors with significant effects on a quantity, and their size, as text.

    Sentences: the largest effects, the significant effects, and notes of the analysis. `relative`: sizes are said in %
    of the mean. False for scores and differences, whose mean is no size to compare with. `differences`: so that
    differences of shares are percentage points.
    """
    value = difference if differences else quantity
    notes = " ".join(result.notes)
    known = np.nan_to_num(np.abs(result.effect), nan=-1.0)
    if result.runs == 0 or known.max(initial=-1) <= 0:
        return notes or f"No factor changes {title}."
    top = int(np.argmax(known))
    factor = result.factors[top]
    change = (
        f"{capitalised(factor_title(view, factor))} has the largest effect: mean {title} is "
        f"{value(float(result.mean_minus[top]), unit)} at {level_text(view, factor, -1)} and "
        f"{value(float(result.mean_plus[top]), unit)} at {level_text(view, factor, 1)}"
    )

    def size(place: int) -> str:
        if relative and np.isfinite(result.relative_effect[top]):
            return f"{percent(abs(float(result.relative_effect[place])))} of the mean"
        return difference(float(known[place]), unit)

    change += f", a difference of {size(top)}"
    second = int(np.argsort(-known, kind="stable")[min(1, len(known) - 1)])
    if second != top and known[second] > 0:
        change += f"; next is {factor_title(view, result.factors[second])} with {size(second)}"
    return " ".join(part for part in (f"{change}.", _significant(view, result), notes) if part)


def _significant(view: Described, result: MainEffects) -> str:
    """Return the factors with a significant effect, each at the strongest level reached; empty without a test."""
    if not np.isfinite(result.p).any():
        return ""
    known = np.nan_to_num(np.abs(result.effect), nan=-1.0)
    ranked = [result.factors[place] for place in np.argsort(-known, kind="stable")]
    stars = dict(zip(result.factors, result.stars, strict=True))
    parts = []
    for level, mark in (("99 %", "**"), ("95 %", "*")):
        if names := [factor_title(view, name) for name in ranked if stars[name] == mark]:
            parts.append(f"at {level}: {listed(names)}")
    return f"Significant {'; '.join(parts)}." if parts else f"No effect is significant at 95 % {AGAINST[result.mode]}."
