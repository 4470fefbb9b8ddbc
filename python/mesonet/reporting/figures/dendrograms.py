"""The trees of the algorithms in every condition (Fig. 12 of Mills et al., ASME 2011)."""

import polars as pl

from mesonet.plots import dendrograms
from mesonet.plots.dendrograms import DATA, HEIGHT, PER_ROW, tables
from mesonet.reporting.figures.figure import PageFigure, PageTable
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import method_captions
from mesonet.words import capitalised, percent, period_title


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with at least three algorithms."""
    study = sources.study
    results = sources.method.clusterings
    brackets, leaves = tables(results)
    algorithms = max(len(result.algorithms) for result in results.values())
    rows = -(-len(results) // PER_ROW)
    text = method_captions.clusters_caption(results, study.algorithms, sources.method.titles)
    return PageFigure(
        id="clusters",
        short_title="Who behaves alike",
        title="Who behaves alike: the algorithms as trees",
        reading=(
            f"One tree per condition, {study.order_words}: algorithms that join low behave alike over all responses. "
            f"Blue: groups below {percent(100 * sources.thresholds.cut)} of the largest distance. Orange name: joins "
            "last and alone. No tree: all the same."
        ),
        chart=dendrograms(results, order=[c for c in study.by_congestion if c in results]),
        main=DATA,
        tables={DATA: PageTable(pl.concat([brackets, leaves], how="diagonal"))},
        captions=PageTable(pl.DataFrame([{"heading": capitalised(period_title(study.main_period)), "text": text}])),
        marks=len(results) * 2 * algorithms,
        height=40 + rows * (HEIGHT + 90),
    )
