"""Signs and stars of all responses and factors, for every algorithm (Table 7 of Mills et al., ASME 2011)."""

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis import FactorTable
from mesonet.plots import theme
from mesonet.plots.sign_table import varies
from mesonet.reporting.campaign_view.study import Study, factor_title
from mesonet.reporting.figures.figure import PageFigure, PageTable, caption, stacked
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions
from mesonet.words import counted, listed, number, period_title

DATA, KEYS = "sign_table", ("algorithm",)
STRONG, WEAK, NONE, UNTESTED = "significant at 99 %", "significant at 95 %", "not significant", "no test, or constant"
COLOURS = {STRONG: "#7db8dd", WEAK: "#d0e6f7", NONE: "#f4f5f7", UNTESTED: "#d5dae0"}
CELL, ROW = 44, 18


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with factors."""
    study = sources.study
    rows, texts = [], []
    for algorithm in study.algorithms:
        result = sources.factor_tables[algorithm]
        rows.append(_rows(study, result, algorithm))
        heading = f"{algorithm}, {period_title(study.main_period)}"
        texts.append(caption({"algorithm": algorithm}, heading, _text(study, result)))
    mode = sources.factor_tables[study.algorithms[0]].mode
    order = [study.label_of(name) for name in study.in_period[study.main_period]]
    return PageFigure(
        id="sign-table",
        short_title="Signs and stars",
        title="All responses at a glance: signs and stars",
        reading=(
            "One row per response, one column per factor. The sign is that of the level which raises the response; ** "
            f"and * mark effects significant at 99 % and 95 % {captions.AGAINST[mode]}. Choose an algorithm; there is "
            "no table for their mean."
        ),
        chart=_chart(order, study.campaign.design.factors),
        main=DATA,
        tables={DATA: PageTable(stacked(rows), KEYS)},
        captions=PageTable(pl.DataFrame(texts), KEYS),
        marks=2 * len(order) * len(study.campaign.design.factors),
        height=90 + ROW * len(order),
    )


def _rows(study: Study, result: FactorTable, algorithm: str) -> pl.DataFrame:
    signs, stars, tested = result.sign, result.stars, np.isfinite(result.p) & varies(result)[:, None]
    return pl.DataFrame(
        [
            {
                "algorithm": algorithm,
                "response": study.label_of(name),
                "factor": factor,
                "text": ("+" if signs[i, j] > 0 else "−" if signs[i, j] < 0 else "") + str(stars[i, j]),
                "verdict": {"**": STRONG, "*": WEAK}.get(stars[i, j], NONE) if tested[i, j] else UNTESTED,
                "p": float(result.p[i, j]) if tested[i, j] else None,
            }
            for i, name in enumerate(result.responses)
            for j, factor in enumerate(result.factors)
        ],
        schema_overrides={"p": pl.Float64},
    )


def _text(study: Study, result: FactorTable) -> str:
    tested = np.isfinite(result.p) & varies(result)[:, None]
    responses, cells = int(tested.any(axis=1).sum()), int(tested.sum())
    if not cells:
        return "No response has a test."
    counts = {factor: int((result.stars[:, j] != "").sum()) for j, factor in enumerate(result.factors)}
    best = sorted((factor for factor in counts if counts[factor]), key=lambda factor: -counts[factor])[:3]
    if not best:
        return f"No factor has a significant effect on any of {counted(responses, 'tested response')}."
    said = [f"{factor_title(study, factor)} on {counts[factor]}" for factor in best]
    said[0] += f" of {counted(responses, 'tested response')}"
    return (
        f"Significant most often: {listed(said)}. Chance alone would give about {number(0.05 * cells, 2)} of the "
        f"{cells:,} cells."
    )


def _chart(order: list[str], factors: tuple[str, ...]) -> alt.LayerChart:
    base = alt.Chart(alt.NamedData(name=DATA), width=alt.Step(CELL), height=alt.Step(ROW)).encode(
        x=alt.X("factor:N", sort=list(factors), title=None,
                axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False)),
        y=alt.Y("response:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=300)),
        tooltip=[
            alt.Tooltip("response:N"), alt.Tooltip("factor:N"), alt.Tooltip("text:N", title="raised by"),
            alt.Tooltip("p:Q", format=".2~g"),
        ],
    )  # fmt: skip
    scale = alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
    legend = alt.Legend(title=None, orient="bottom", symbolType="square", symbolStrokeColor=theme.HAIRLINE)
    chart = alt.layer(
        base.mark_rect(stroke="white").encode(fill=alt.Fill("verdict:N", scale=scale, legend=legend)),
        base.mark_text(fontSize=11).encode(text="text:N"),
    )
    return theme.finish(chart, {}, title="")
