"""Psi: which factors matter over all responses, per algorithm (Table 8 of Mills et al., ASME 2011)."""

import altair as alt
import numpy as np
import polars as pl

from mesonet.plots import theme
from mesonet.reporting.campaign_view.study import factor_title
from mesonet.reporting.figures.figure import PageFigure, PageTable
from mesonet.reporting.figures.sources import Sources
from mesonet.words import listed, percent

DATA = "psi"
MEAN = "mean of all"
CELL, ROW = 48, 24


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with factors."""
    study = sources.study
    factors = study.campaign.design.factors
    psi = np.array([sources.factor_tables[algorithm].psi for algorithm in study.algorithms])
    with np.errstate(all="ignore"):
        known = np.isfinite(psi)
        mean = np.where(known, psi, 0).sum(axis=0) / known.sum(axis=0)
    names = list(study.algorithms)
    if len(names) > 1:
        names, psi = [*names, MEAN], np.vstack([psi, mean])
    rows = [
        {"algorithm": name, "factor": factor, "psi": 100 * float(psi[i, j]), "text": _digits(psi[i, j])}
        for i, name in enumerate(names)
        for j, factor in enumerate(factors)
    ]
    order = [place for place in np.argsort(-np.nan_to_num(mean), kind="stable")[:3] if mean[place] > 0]
    best = [f"{factor_title(study, factors[place])} {percent(100 * float(mean[place]))}" for place in order]
    text = "No response could be tested."
    if np.isfinite(mean).any():
        whose = "Psi, mean of all algorithms" if len(study.algorithms) > 1 else "Psi"
        text = f"Largest {whose}: {listed(best)}." if best else "No factor has a significant effect on any response."
    return PageFigure(
        id="psi",
        short_title="Psi",
        title="Which factors matter over all responses: Psi",
        reading=(
            "Psi of a factor: the share of the tested responses on which its effect is significant at 99 %, plus half "
            "the share on which it is significant only at 95 %; here in percent."
        ),
        chart=_chart(names, factors),
        main=DATA,
        tables={DATA: PageTable(pl.DataFrame(rows))},
        captions=PageTable(pl.DataFrame([{"heading": "All responses of the whole measured time", "text": text}])),
        marks=2 * len(rows),
        height=60 + ROW * len(names),
    )


def _digits(value: float) -> str:
    return f"{100 * value:.0f}" if np.isfinite(value) else "–"


def _chart(algorithms: list[str], factors: tuple[str, ...]) -> alt.LayerChart:
    base = alt.Chart(alt.NamedData(name=DATA), width=alt.Step(CELL), height=alt.Step(ROW)).encode(
        x=alt.X("factor:N", sort=list(factors), title=None,
                axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False)),
        y=alt.Y("algorithm:N", sort=algorithms, title=None, axis=alt.Axis(ticks=False, domain=False)),
        tooltip=[
            alt.Tooltip("algorithm:N"), alt.Tooltip("factor:N"), alt.Tooltip("psi:Q", title="Psi, %", format=".3~g"),
        ],
    )  # fmt: skip
    scale = alt.Scale(domain=[0, 100], range=["#ffffff", theme.BLUE], interpolate="rgb")
    chart = alt.layer(
        base.mark_rect(stroke=theme.HAIRLINE, strokeWidth=0.5).encode(fill=alt.Fill("psi:Q", scale=scale, legend=None)),
        base.mark_text(fontSize=11).encode(text="text:N", color=theme.ink_on_blue("datum.psi / 100")),
    )
    return theme.finish(chart, {}, title="")
