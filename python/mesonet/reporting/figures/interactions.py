"""Interaction effects matrix, for every response and algorithm."""

import numpy as np
import polars as pl

from mesonet.analysis import Interactions
from mesonet.plots import interactions
from mesonet.plots.half_normal import has_margins
from mesonet.plots.interactions import DATA, FACTORS, table
from mesonet.reporting.figures.figure import RESPONSE_AND_ALGORITHM, PageFigure, PageTable, caption, keyed, stacked
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions, method_captions
from mesonet.words import span


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with at least two factors."""
    study = sources.study
    rows, texts = [], []
    for (response, algorithm), terms in sources.terms.items():
        result = sources.interactions(response, algorithm)
        selection = {"response": response, "algorithm": algorithm}
        # In margins of error: the chart, drawn once for all selections, cuts at 1.
        cells = table(result).with_columns(size=pl.col("size") / (terms.noise.me if has_margins(terms) else np.inf))
        rows.append(keyed(cells, selection))
        heading = captions.effects_heading(study, response, study.main_period, algorithm)
        title, unit = study.title_of(response), study.unit_of(response)
        text = method_captions.interactions_caption(title, unit, result, terms)
        texts.append(caption(selection, heading, f"{text} {_ends(result, unit)}".strip()))
    first = sources.interactions(study.congestion_response, study.choices_of_algorithm[0])
    factors = len(first.factors)
    return PageFigure(
        id="interactions",
        short_title="Interactions",
        title="Which factors act together: interaction matrix",
        reading=(
            "On the diagonal the main effects, above it the interactions of two factors: a line from the mean where "
            "the product of their signs is − to the mean where it is +. The number is the effect, in the unit of the "
            "response (shares as parts of 1). All cells share one scale."
        ),
        chart=interactions(first, cut=1.0),
        main=DATA,
        tables={
            DATA: PageTable(stacked(rows), RESPONSE_AND_ALGORITHM),
            FACTORS: PageTable(
                pl.DataFrame({"factor": list(first.factors), "place": [place + 0.5 for place in range(factors)]})
            ),
        },
        captions=PageTable(pl.DataFrame(texts), RESPONSE_AND_ALGORITHM),
        marks=3 * factors * (factors + 1),
        height=60 + factors * max(34, min(76, 1150 // factors)),
    )


def _ends(result: Interactions, unit: str) -> str:
    k = len(result.factors)
    means = np.r_[result.mean_minus[np.triu_indices(k)], result.mean_plus[np.triu_indices(k)]]
    means = means[np.isfinite(means)]
    ends = span(float(means.min()), float(means.max()), unit) if len(means) else ""
    return f"The scale of every cell runs from {ends}." if len(means) else ""
