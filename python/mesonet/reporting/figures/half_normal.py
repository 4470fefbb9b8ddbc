"""Half-normal plot and Lenth's margins, for every response and algorithm."""

import polars as pl

from mesonet.numbers import number
from mesonet.plots import half_normal
from mesonet.plots.half_normal import DATA, MARGINS
from mesonet.reporting.figures.figure import RESPONSE_AND_ALGORITHM, PageFigure, PageTable, caption, stacked
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions, method_captions
from mesonet.reporting.text.labels import axis_title


def figure(sources: Sources) -> PageFigure:
    """The figure of a campaign with at least two factors."""
    study = sources.study
    margins, texts = [], []
    for (response, algorithm), result in sources.terms.items():
        selection = {"response": response, "algorithm": algorithm}
        named = (("margin of error", result.noise.me), ("simultaneous margin", result.noise.sme))
        rows = pl.DataFrame(
            [{**selection, "size": size, "name": f"{name} {number(size)}"} for name, size in named],
            schema={"response": pl.String, "algorithm": pl.String, "size": pl.Float64, "name": pl.String},
        )
        margins.append(rows.filter(pl.col("size").is_finite()))
        heading = captions.effects_heading(study, response, study.main_period, algorithm)
        texts.append(caption(selection, heading, method_captions.terms_caption(study.title_of(response), result)))
    first = (study.congestion_response, study.choices_of_algorithm[0])
    return PageFigure(
        id="half-normal",
        short_title="Half-normal plot",
        title="Which effects are more than noise: half-normal plot",
        reading=(
            "Effects of factors and of their interactions by size. Those that are only noise lie on a line through the "
            "origin; those above the margin of error (Lenth) are more than noise. Terms that the design "
            "cannot tell apart are one entry, listed with all their names."
        ),
        chart=half_normal(sources.terms[first], response=axis_title(study, first[0])),
        main=DATA,
        axis="|effect| on {}",
        tables={DATA: sources.terms_table, MARGINS: PageTable(stacked(margins), RESPONSE_AND_ALGORITHM)},
        captions=PageTable(pl.DataFrame(texts), RESPONSE_AND_ALGORITHM),
        marks=3 * len(sources.terms[first].terms),
        height=460,
    )
