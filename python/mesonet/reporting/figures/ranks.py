"""Ranks of the algorithms in every condition, their mean and their spread.

(After the rank matrices of SP 500-282, ch. 9, Figs. 22 to 36.)
"""

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis import ranks
from mesonet.plots import theme
from mesonet.plots.rank_scatter import LEAST, SIDES, label_sides
from mesonet.reporting.figures.figure import PageFigure, PageTable, caption, stacked
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions
from mesonet.words import counted, listed, number

CELLS, MEANS, KEYS = "ranks", "rank_means", ("response",)
STEP, NARROW, ROW = 30, 16, 24  # px; the narrow step above 64 conditions
WIDTH, HEIGHT, PADDING = 420, 230, 14  # px of means and spreads


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with at least two algorithms."""
    study = sources.study
    cells, means, texts = [], [], []
    count = len(study.algorithms)
    for response in study.in_period[study.main_period]:
        direction = study.responses[response].direction
        values = study.values(response, study.main_period)
        # The best has the highest rank; of a response that is neither good nor bad, the largest value.
        order = ranks(-values if direction == "lower" else values)
        known = np.isfinite(order)
        # Where all are equal, or differ by rounding, ranks say nothing about any of them.
        summary = study.summary(study.main_period)
        extreme = summary.extreme[:, summary.responses.index(response)]
        apart = np.array([name is not None for name in extreme], dtype=bool)
        judged = known & apart[:, None]
        number_known = judged.sum(axis=0)
        alike = int(((known.sum(axis=1) > 1) & ~apart).sum())
        with np.errstate(all="ignore"):
            mean = np.where(judged, order, 0).sum(axis=0) / number_known
            squares = np.where(judged, (order - mean) ** 2, 0).sum(axis=0)
            sd = np.where(number_known > 1, np.sqrt(squares / (number_known - 1)), np.nan)
        condition, algorithm = np.nonzero(known)
        cells.append(
            pl.DataFrame(
                {
                    "response": response,
                    "condition": condition + 1,
                    "algorithm": [study.algorithms[place] for place in algorithm],
                    "rank": order[known],
                    "text": [number(rank, 2) for rank in order[known]],
                    "value": values[known],
                }
            )
        )
        means.append(
            pl.DataFrame({"response": response, "algorithm": list(study.algorithms), "mean": mean, "sd": sd})
            .with_columns(pl.col("mean", "sd").fill_nan(None), side=pl.Series(_sides(study.algorithms, mean, sd)))
        )  # fmt: skip
        meaning = "the lowest value" if direction == "lower" else "the highest value"
        meaning += " (which is neither good nor bad)" if direction == "neutral" else ""
        heading = captions.values_heading(study, response, study.main_period)
        texts.append(caption({"response": response}, heading, _text(study.algorithms, mean, sd, meaning, count, alike)))
    return PageFigure(
        id="ranks",
        short_title="Ranks",
        title="Who is good everywhere: ranks",
        reading=(
            f"Conditions {study.order_words}. In each, the best of {count} algorithms has rank {count}; equal ones "
            "share their mean rank. Below, the mean and the standard deviation of the ranks over the conditions in "
            "which not all are equal: good everywhere is lower right."
        ),
        chart=_chart(study.by_congestion, study.algorithms),
        main=CELLS,
        tables={
            CELLS: PageTable(stacked(cells), KEYS),
            **({MEANS: PageTable(stacked(means), KEYS)} if len(study.conditions) > 1 else {}),
        },
        captions=PageTable(pl.DataFrame(texts), KEYS),
        marks=2 * len(study.conditions) * count,
        height=max(60 + ROW * count, 110) + 330,
    )


def _sides(algorithms: tuple[str, ...], mean: np.ndarray, sd: np.ndarray) -> list[str]:
    """Return the side of its point where each name stands in the scatter of means and spreads."""
    known = np.isfinite(mean) & np.isfinite(sd)
    across = PADDING + (WIDTH - 2 * PADDING) * (mean - 1) / max(len(algorithms) - 1, 1)
    top = max(float(sd[known].max(initial=0.0)), LEAST["unionWith"][1])
    places = [
        (float(x), HEIGHT * (1 - float(spread) / top)) if there else None
        for x, spread, there in zip(across, sd, known, strict=True)
    ]
    return label_sides(algorithms, places)


def _text(algorithms: tuple[str, ...], mean: np.ndarray, sd: np.ndarray, meaning: str, count: int, alike: int) -> str:
    known = np.flatnonzero(np.isfinite(mean))
    if not len(known):
        return "All algorithms are equal in every condition." if alike else "Nothing to compare."
    equal = f" Left out: {counted(alike, 'condition')} in which all are equal." if alike else ""
    best = sorted(known, key=lambda place: -mean[place])
    if mean[best[0]] == mean[best[-1]]:
        return f"All algorithms have the same mean rank.{equal}"
    known_sd = bool(np.isfinite(sd[best]).any())
    said = [
        f"{algorithms[place]} {number(float(mean[place]), 2)}"
        + (f" ± {number(float(sd[place]), 2)}" if known_sd else "")
        for place in best
    ]
    what = "Mean rank and standard deviation" if known_sd else "Ranks"
    return f"Rank {count} is {meaning}. {what}: {listed(said)}.{equal}"


def _chart(order: list[int], algorithms: tuple[str, ...]) -> alt.VConcatChart:
    wide = len(order) <= 64
    count = len(algorithms)
    base = (
        alt.Chart(alt.NamedData(name=CELLS), width=alt.Step(STEP if wide else NARROW), height=alt.Step(ROW))
        .transform_filter(theme.IS_KEPT)
        .encode(
            x=alt.X(
                "condition:O", sort=order, title="condition", scale=alt.Scale(paddingInner=0, paddingOuter=0),
                axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False, labelOverlap=True),
            ),
            y=alt.Y("algorithm:N", sort=list(algorithms), title=None, axis=alt.Axis(ticks=False, domain=False)),
            tooltip=[
                alt.Tooltip("condition:O"), alt.Tooltip("algorithm:N"), alt.Tooltip("rank:Q"),
                alt.Tooltip("value:Q", format=".5~g"),
            ],
        )
    )  # fmt: skip
    scale = alt.Scale(
        domain=[1, (1 + count) / 2, max(count, 2)], range=[theme.LOW, "#ffffff", "#7db8dd"], interpolate="rgb"
    )
    ring = theme.ring(base, y=alt.value(0), y2=alt.value("height"), tooltip=alt.value(None))
    matrix = alt.layer(
        base.mark_rect(stroke="white", aria=False).encode(fill=alt.Fill("rank:Q", scale=scale, legend=None)),
        base.mark_text(fontSize=10 if wide else 8).encode(text="text:N"),
        ring,
    )
    points = alt.Chart(alt.NamedData(name=MEANS), width=WIDTH, height=HEIGHT).encode(
        x=alt.X("mean:Q", title="mean rank", scale=alt.Scale(domain=[1, max(count, 2)], nice=False, padding=PADDING)),
        y=alt.Y("sd:Q", title="standard deviation of the ranks"),
        tooltip=[
            alt.Tooltip("algorithm:N"), alt.Tooltip("mean:Q", title="mean rank", format=".3~g"),
            alt.Tooltip("sd:Q", title="standard deviation", format=".3~g"),
        ],
    )  # fmt: skip
    scatter = alt.layer(
        points.mark_point(size=80, strokeWidth=2, opacity=1).encode(
            stroke=alt.Stroke("algorithm:N", scale=theme.algorithm_colours(algorithms), legend=None),
            shape=alt.Shape("algorithm:N", scale=theme.algorithm_shapes(algorithms), legend=None),
            y=alt.Y("sd:Q", title="standard deviation of the ranks", scale=alt.Scale(domain=LEAST)),
        ),
        *(
            points.transform_filter(alt.datum.side == side).mark_text(**style).encode(text="algorithm:N")
            for side, style in SIDES.items()
        ),
    )
    # Of one condition there is no spread.
    parts = [matrix, scatter] if len(order) > 1 else [matrix]
    chart = alt.vconcat(*parts, spacing=24).add_params(theme.HIGHLIGHTED, theme.KEPT)
    return theme.finish(chart, {}, title="")
