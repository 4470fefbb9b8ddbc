"""Block plot: the effect of a factor in every block of settings of the others.

There is a box per combination of the robustness factors. It extends from the mean response at one level of the target
factor to the mean at the other level, with its sign at each end. If all boxes have the same sign on top, the direction
of the effect does not depend on the block. (Step 5 of the ten-step analysis; NIST/SEMATECH e-Handbook, section
5.5.9.5.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet import analysis
from mesonet.analysis.blocks import Blocks
from mesonet.charts import theme
from mesonet.reporting.campaign_view.values import Described, factor_title, level_text
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import STEPS, Drawing, Figure, drawing, factor_control, of_steps
from mesonet.reporting.text.labels import axis_title, effects_heading
from mesonet.words import capitalised, listed, number

DATA = "blocks"
LONGEST = 8  #: characters of the name of a factor below a box
STEP, HEIGHT = 110, 280  # px
SMALL_STEP, SMALL_HEIGHT, PER_ROW = 48, 150, 2  # px; panels side by side, for several target factors


def figure(view: CampaignView) -> Figure | None:
    """Return the block plot: of one factor on the page, of all factors in the folder."""
    if len(view.campaign.design.factors) < 2:
        return None
    design = view.campaign.design

    def draw(response: str, algorithm: str, factor: str = "", period: str = "") -> Drawing:
        period = period or view.main_period
        y, title = view.for_algorithm(response, period, algorithm), axis_title(view, response)
        heading = effects_heading(view, response, period, algorithm)
        if not factor:
            every = {name: analysis.blocks(design, y, target=name) for name in design.factors}
            return drawing(blocks(every, title=heading, response=title), blocks_caption(view, every))
        result = analysis.blocks(design, y, target=factor)
        return Drawing(
            partial(blocks, result, factors=design.factors, response=title),
            {DATA: table(result, design.factors)},
            f"{heading}: {factor}",
            caption(view, result),
        )

    return Figure(
        id="blocks",
        short_title="Block plot",
        title="Does it always act the same way: block plot",
        question="Is a factor important whatever the others are set to?",
        reading=(
            "One box per combination of the most important other factors, from the mean at one level of the chosen "
            "factor to the mean at its other level. A factor that matters whatever the others are set to has its + "
            "always at the same end."
        ),
        draw=draw,
        selections=[{**each, "factor": factor} for each in of_steps(view) for factor in design.factors],
        marks=40,
        height=380,
        controls=[factor_control(view)],
        axis="{}",
        file=f"{STEPS}05_blocks",
        folder="steps",
    )


def can_be_significant(result: Blocks) -> bool:
    """Return True if the sign test of so many blocks that differ can have p < .05."""
    return bool(result.p == result.p) and 2.0 ** (1 - result.higher_plus - result.higher_minus) < 0.05


def table(result: Blocks, factors: Sequence[str] = ()) -> pl.DataFrame:
    """Return a row per block.

    Columns block (from 1), name, mean_minus and mean_plus in the unit of the response, null without a run. For up to
    three robustness factors: `place1`, ..., the number of the factor, from 1, in `factors`, and `sign1`, ..., its
    level, -1 or +1.
    """
    places = {factor: place for place, factor in enumerate(factors or result.robustness, start=1)}
    # Labels stand side by side below the boxes.
    short = {name: name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in result.robustness}
    rows = []
    for number_, levels in enumerate(result.levels, start=1):
        signs = ["+" if level > 0 else "−" for level in levels]
        rows.append(
            {
                "block": number_,
                "name": "\n".join(f"{short[name]} {sign}" for name, sign in zip(result.robustness, signs, strict=True))
                or "all",
                "mean_minus": float(result.mean_minus[number_ - 1]),
                "mean_plus": float(result.mean_plus[number_ - 1]),
                **{f"place{i + 1}": places[name] for i, name in enumerate(result.robustness)},
                **{f"sign{i + 1}": int(level) for i, level in enumerate(levels)},
            }
        )
    schema = {
        "block": pl.Int64, "name": pl.String, "mean_minus": pl.Float64, "mean_plus": pl.Float64,
        **{f"{what}{i}": pl.Int64 for what in ("place", "sign") for i in (1, 2, 3)},
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema).with_columns(pl.col("mean_minus", "mean_plus").fill_nan(None))


def blocks(
    results: Blocks | Mapping[str, Blocks], *, factors: Sequence[str] = (), title: str = "", response: str = ""
) -> alt.LayerChart | alt.FacetChart:
    """Return the figure of one target factor, or a panel for each of several.

    Parameters
    ----------
    results
        The result of a factor, or several by name.
    factors
        Names of all factors, in the order of the highlighted levels.
    title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart. Target factors whose blocks never have both settings are named in the subtitle, not drawn.
    """
    if isinstance(results, Blocks):
        chart = _boxes(STEP, HEIGHT, alt.NamedData(name=DATA)).properties(title=theme.AXIS_TITLE)
        return theme.finish(
            chart,
            {DATA: table(results, factors)},
            params=[theme.HIGHLIGHTED_LEVELS, theme.response_title(response)],
            title=title,
        )
    panels = {_panel(result): table(result, factors) for result in results.values()}
    shown = {
        panel: rows for panel, rows in panels.items()
        if rows.drop_nulls(["mean_minus", "mean_plus"]).height
    }  # fmt: skip
    rows = pl.concat([rows.with_columns(panel=pl.lit(panel)) for panel, rows in panels.items()])
    count = max((rows.height for rows in panels.values()), default=1)
    facet = _boxes(max(SMALL_STEP, STEP // max(1, count // 4)), SMALL_HEIGHT).facet(
        facet=alt.Facet("panel:N", sort=list(shown), title=None, header=alt.Header(labelFontSize=11, labelPadding=4)),
        data=alt.NamedData(name=DATA),
        columns=PER_ROW,
        spacing={"row": 12, "column": 26},
    )  # fmt: skip
    facet = facet.resolve_scale(x="independent")
    sentence = "Blue: + gives more; orange: − gives more."
    sentence += " p: sign test." if any(map(can_be_significant, results.values())) else ""
    if absent := [result.target for result in results.values() if _panel(result) not in shown]:
        sentence += f" Not drawn, because no block has both settings: {', '.join(absent)}."
    drawn = rows.filter(pl.col("panel").is_in(list(shown)))
    return theme.finish(
        facet,
        {DATA: drawn},
        params=[theme.HIGHLIGHTED_LEVELS],
        title=title,
        subtitle=[*([response] if response else []), sentence],
    )


def _panel(result: Blocks) -> str:
    more = max(result.higher_plus, result.higher_minus)
    p = f", p {number(result.p, 2)}" if can_be_significant(result) else ""
    return f"{result.target}: {more} of {len(result.levels)} alike{p}"


def _boxes(step: int, height: int, data: Any = alt.Undefined) -> Any:
    inside = " && ".join(
        f"(!isValid(datum.place{i}) || levels[datum.place{i} - 1] === datum.sign{i})" for i in (1, 2, 3)
    )
    base = alt.Chart(data, width=alt.Step(step), height=height).encode(
        x=alt.X(
            "name:N", sort=alt.EncodingSortField("block", op="min"), title=None,
            axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, '\\n')", ticks=False),
        ),
        tooltip=theme.tooltips(
            ("name:N", "block"), ("mean_minus:Q", "mean at −", ".4~g"), ("mean_plus:Q", "mean at +", ".4~g")
        ),
    )  # fmt: skip
    scale = alt.Scale(zero=False, nice=True, padding=14)
    minus, plus = (alt.Y(f"mean_{level}:Q", title=None, scale=scale) for level in ("minus", "plus"))
    rises = theme.either("datum.mean_plus > datum.mean_minus", "#d0e6f7", "#fbd9c4")
    lit = theme.either(f"length(levels) > 0 && {inside}", theme.HIGHLIGHT, theme.MUTED)
    width = theme.either(f"length(levels) > 0 && {inside}", 3, 1)
    size = 40 if step == STEP else step // 2 - 8
    return alt.layer(
        base.mark_bar(width=size).encode(
            y=minus,
            y2=alt.Y2("mean_plus:Q"),
            fill=alt.FillValue(**rises),
            stroke=alt.StrokeValue(**lit),
            strokeWidth=alt.StrokeWidthValue(**width),
        ),
        base.mark_text(text="−", fontSize=15, dx=-size / 2 - 10 if step == STEP else -size / 2 - 5).encode(y=minus),
        base.mark_text(text="+", fontSize=15, dx=size / 2 + 10 if step == STEP else size / 2 + 5).encode(y=plus),
    )


def caption(view: Described, result: Blocks) -> str:
    """Return the number of blocks in which the target factor acts the same way, as text."""
    total = len(result.levels)
    if not result.higher_plus and not result.higher_minus:
        return f"{capitalised(factor_title(view, result.target))} makes no difference in any block."
    sign = 1 if result.higher_plus >= result.higher_minus else -1
    count = max(result.higher_plus, result.higher_minus)
    # So few blocks cannot have a p below 5 %, however alike they are.
    p = f" (sign test: p = {number(result.p, 2)})" if can_be_significant(result) else ""
    return (
        f"{capitalised(factor_title(view, result.target))} at {level_text(view, result.target, sign)} gives more in "
        f"{count} of {total} blocks{p}."
    )


def blocks_caption(view: Described, results: Mapping[str, Blocks]) -> str:
    """Return the factors that raise or lower the response in every block, as text."""
    always, undecided = [], []
    for name, result in results.items():
        complete = result.higher_plus + result.higher_minus
        if not np.isfinite(result.mean_plus - result.mean_minus).any():
            undecided.append(name)
        elif complete > 1 and complete in (result.higher_plus, result.higher_minus):
            sign = "+" if result.higher_plus else "−"
            always.append(f"{factor_title(view, name)} (more at {sign})")
    if len(undecided) == len(results):
        return "No block has values at both settings of a factor."
    wording = f"The same way up in every block: {listed(always)}." if always else "No factor acts alike in every block."
    if undecided:
        wording += (
            f" For {listed(undecided)} no block has both settings: the design makes it a product of the robustness "
            "factors."
        )
    return wording
