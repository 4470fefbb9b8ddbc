"""Main effects, for every response, period and algorithm."""

from itertools import product

import polars as pl

from mesonet.plots import main_effects
from mesonet.plots.main_effects import DATA
from mesonet.plots.main_effects import table as effects_table
from mesonet.reporting.figures.figure import PageFigure, PageTable, caption, keyed, stacked
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions
from mesonet.reporting.text.labels import axis_title

KEYS = ("response", "period", "algorithm")


def figure(sources: Sources) -> PageFigure:
    """Return the figure, which every campaign with factors has."""
    study = sources.study
    rows, texts = [], []
    for period, names in study.in_period.items():
        for response, algorithm in product(names, study.choices_of_algorithm):
            result = study.effects(response, period, algorithm)
            selection = {"response": response, "period": period, "algorithm": algorithm}
            rows.append(keyed(effects_table(result, study.campaign.factors), selection))
            heading = captions.effects_heading(study, response, period, algorithm)
            texts.append(caption(selection, heading, captions.effects_caption(study, result, response)))
    response, period, algorithm = study.congestion_response, study.main_period, study.choices_of_algorithm[0]
    first = study.effects(response, period, algorithm)
    return PageFigure(
        id="main-effects",
        short_title="Main effects",
        title="What drives it: main effects",
        reading=(
            "For each factor, the mean of the response over the conditions at its − level (open) and at its + level "
            "(filled); the dashed line is the mean over all. A steep line is a large effect. ** and * mark effects "
            f"significant at 99 % and 95 % {captions.AGAINST[first.mode]}. Highlight a condition to ring its levels."
        ),
        chart=main_effects(first, study.campaign.factors, response=axis_title(study, response)),
        main=DATA,
        tables={DATA: PageTable(stacked(rows), KEYS)},
        captions=PageTable(pl.DataFrame(texts), KEYS),
        marks=20 * len(study.campaign.design.factors),
        height=500,
    )
