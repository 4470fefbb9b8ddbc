"""Psi of every factor, algorithm by algorithm (Table 8 of Mills et al., ASME 2011)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.means import finite_mean
from mesonet.charts import theme
from mesonet.reporting.campaign_view.values import MEAN_OF_ALL, factor_title
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure
from mesonet.words import listed, percent

DATA = "psi"
CELL, ROW = 48, 24


def figure(view: CampaignView) -> Figure | None:
    """Return Psi over all responses of the main period, by algorithm."""
    if not view.campaign.design.factors:
        return None
    factors = view.campaign.design.factors
    columns = view.of_period(view.main_period)
    names = list(view.algorithms) + ([MEAN_OF_ALL] if len(view.algorithms) > 1 else [])

    def draw() -> Drawing:
        found = {name: view.factor_table(name, columns).psi for name in view.algorithms}
        mean = finite_mean(np.array(list(found.values())), axis=0)
        if len(found) > 1:
            found[MEAN_OF_ALL] = mean
        return Drawing(
            partial(psi_by_algorithm, found, factors),
            {DATA: table(found, factors)},
            "All responses" if view.is_model else "All responses of the whole measured time",
            caption(view, mean),
        )

    return Figure(
        id="psi",
        short_title="Psi",
        title="Which factors matter over all responses: Psi",
        reading=(
            "Psi of a factor: the share of the tested responses on which its effect is significant at 99 %, plus half "
            "the share on which it is significant only at 95 %. Here in percent."
        ),
        draw=draw,
        marks=2 * len(names) * len(factors),
        height=60 + ROW * len(names),
    )


def table(psi: Mapping[str, ArrayLike], factors: Sequence[str]) -> pl.DataFrame:
    """Return a row per algorithm and factor.

    Columns algorithm, factor, psi (%) and text. `psi`: by algorithm, Psi of each factor, from 0 to 1; NaN where not
    computable.
    """
    return pl.DataFrame(
        [
            {
                "algorithm": name,
                "factor": factor,
                "psi": 100 * float(value),
                "text": f"{100 * value:.0f}" if np.isfinite(value) else "–",
            }
            for name, values in psi.items()
            for factor, value in zip(factors, np.asarray(values, dtype=float), strict=True)
        ]
    )


def psi_by_algorithm(psi: Mapping[str, ArrayLike], factors: Sequence[str], *, title: str = "") -> alt.LayerChart:
    """Return the figure of Psi: a row per algorithm, a column per factor.

    Parameters
    ----------
    psi, factors
        As for `table`.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    algorithms = list(psi)
    base = alt.Chart(alt.NamedData(name=DATA), width=alt.Step(CELL), height=alt.Step(ROW)).encode(
        x=alt.X("factor:N", sort=list(factors), title=None,
                axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False)),
        y=alt.Y("algorithm:N", sort=algorithms, title=None, axis=alt.Axis(ticks=False, domain=False)),
        tooltip=theme.tooltips("algorithm:N", "factor:N", ("psi:Q", "Psi, %", ".3~g")),
    )  # fmt: skip
    scale = alt.Scale(domain=[0, 100], range=["#ffffff", theme.BLUE], interpolate="rgb")
    chart = alt.layer(
        base.mark_rect(stroke=theme.HAIRLINE, strokeWidth=0.5).encode(fill=alt.Fill("psi:Q", scale=scale, legend=None)),
        base.mark_text(fontSize=11).encode(text=alt.Text("text:N"), color=theme.ink_on_blue("datum.psi / 100")),
    )
    return theme.finish(chart, {DATA: table(psi, factors)}, title=title)


def caption(view: CampaignView, mean: NDArray[np.float64]) -> str:
    """Return the factors with the largest Psi, mean of all algorithms, as text.

    A sentence on at most three factors. `mean`: psi of each factor, from 0 to 1; NaN where no response has a test.
    """
    if not np.isfinite(mean).any():
        return "No response could be tested."
    factors = view.campaign.design.factors
    order = [place for place in np.argsort(-np.nan_to_num(mean), kind="stable")[:3] if mean[place] > 0]
    best = [f"{factor_title(view, factors[place])} {percent(100 * float(mean[place]))}" for place in order]
    whose = "Psi, mean of all algorithms" if len(view.algorithms) > 1 else "Psi"
    return f"Largest {whose}: {listed(best)}." if best else "No factor has a significant effect on any response."
