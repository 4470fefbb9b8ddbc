"""Block plot of the page: the effect of a factor in every block of settings of the others.

Step 5 of the ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.5).
"""

import altair as alt
import polars as pl

from mesonet.analysis import Blocks, blocks
from mesonet.plots import theme
from mesonet.plots.blocks import can_be_significant
from mesonet.reporting.campaign_view.study import Study, factor_title, level_text
from mesonet.reporting.figures.figure import PageFigure, PageTable, caption, factor_control, stacked
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions
from mesonet.reporting.text.labels import axis_title
from mesonet.words import capitalised, number

DATA, KEYS = "blocks", ("response", "algorithm", "factor")
STEP = 110


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with at least two factors."""
    study = sources.study
    design = study.campaign.design
    rows, texts = [], []
    for response, algorithm in sources.selections:
        y = study.for_algorithm(response, study.main_period, algorithm)
        heading = captions.effects_heading(study, response, study.main_period, algorithm)
        for factor in design.factors:
            result = blocks(design, y, target=factor)
            selection = {"response": response, "algorithm": algorithm, "factor": factor}
            rows.append(_rows(study, result, selection))
            texts.append(caption(selection, f"{heading}: {factor}", _text(study, result)))
    return PageFigure(
        id="blocks",
        short_title="Block plot",
        title="Does it always act the same way: block plot",
        reading=(
            "One box per combination of the most important other factors, from the mean at one level of the chosen "
            "factor to the mean at its other level. A factor that matters whatever the others are set to has its + "
            "always at the same end."
        ),
        chart=_chart(axis_title(study, study.congestion_response)),
        main=DATA,
        tables={DATA: PageTable(stacked(rows), KEYS)},
        captions=PageTable(pl.DataFrame(texts), KEYS),
        marks=40,
        height=380,
        controls=[factor_control(study)],
    )


def _rows(study: Study, result: Blocks, selection: dict[str, str]) -> pl.DataFrame:
    """Return a row per block; `place1` and `sign1`, ...: numbers and signs of the factors that its conditions share."""
    places = {factor: place for place, factor in enumerate(study.campaign.design.factors, start=1)}
    rows = []
    for number_, levels in enumerate(result.levels, start=1):
        signs = ["+" if level > 0 else "−" for level in levels]
        rows.append(
            {
                **selection,
                "block": number_,
                "name": "\n".join(f"{name} {sign}" for name, sign in zip(result.robustness, signs, strict=True))
                or "all",
                "mean_minus": float(result.mean_minus[number_ - 1]),
                "mean_plus": float(result.mean_plus[number_ - 1]),
                **{f"place{i + 1}": places[name] for i, name in enumerate(result.robustness)},
                **{f"sign{i + 1}": int(level) for i, level in enumerate(levels)},
            }
        )
    schema = {
        **dict.fromkeys(selection, pl.String), "block": pl.Int64, "name": pl.String, "mean_minus": pl.Float64,
        "mean_plus": pl.Float64, **{f"{what}{i}": pl.Int64 for what in ("place", "sign") for i in (1, 2, 3)},
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema).with_columns(pl.col("mean_minus", "mean_plus").fill_nan(None))


def _text(study: Study, result: Blocks) -> str:
    total = len(result.levels)
    if not result.higher_plus and not result.higher_minus:
        return f"{capitalised(factor_title(study, result.target))} makes no difference in any block."
    sign = 1 if result.higher_plus >= result.higher_minus else -1
    count = max(result.higher_plus, result.higher_minus)
    # So few blocks cannot have a p below 5 %, however alike they are.
    p = f" (sign test: p = {number(result.p, 2)})" if can_be_significant(result) else ""
    return (
        f"{capitalised(factor_title(study, result.target))} at {level_text(study, result.target, sign)} gives more in "
        f"{count} of {total} blocks{p}."
    )


def _chart(response: str) -> alt.LayerChart:
    inside = " && ".join(
        f"(!isValid(datum.place{i}) || levels[datum.place{i} - 1] === datum.sign{i})" for i in (1, 2, 3)
    )
    base = alt.Chart(alt.NamedData(name=DATA), width=alt.Step(STEP), height=280).encode(
        x=alt.X(
            "name:N", sort=alt.EncodingSortField("block", op="min"), title=None,
            axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, '\\n')", ticks=False),
        ),
        tooltip=[
            alt.Tooltip("name:N", title="block"), alt.Tooltip("mean_minus:Q", title="mean at −", format=".4~g"),
            alt.Tooltip("mean_plus:Q", title="mean at +", format=".4~g"),
        ],
    )  # fmt: skip
    scale = alt.Scale(zero=False, nice=True, padding=14)
    minus, plus = (alt.Y(f"mean_{level}:Q", title=None, scale=scale) for level in ("minus", "plus"))
    rises = alt.when("datum.mean_plus > datum.mean_minus").then(alt.value("#d0e6f7")).otherwise(alt.value("#fbd9c4"))
    lit = alt.when(f"length(levels) > 0 && {inside}").then(alt.value(theme.HIGHLIGHT)).otherwise(alt.value(theme.MUTED))
    width = alt.when(f"length(levels) > 0 && {inside}").then(alt.value(3)).otherwise(alt.value(1))
    chart = alt.layer(
        base.mark_bar(width=40).encode(y=minus, y2="mean_plus:Q", fill=rises, stroke=lit, strokeWidth=width),
        base.mark_text(text="−", fontSize=15, dx=-30).encode(y=minus),
        base.mark_text(text="+", fontSize=15, dx=30).encode(y=plus),
    ).properties(title=theme.AXIS_TITLE)
    return theme.finish(chart.add_params(theme.HIGHLIGHTED_LEVELS, theme.response_title(response)), {}, title="")
