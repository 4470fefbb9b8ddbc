"""The raw values, for every response and period."""

import polars as pl

from mesonet.plots import responses
from mesonet.plots.responses import DATA
from mesonet.reporting.figures.figure import PageFigure, PageTable, caption, keyed, stacked
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions
from mesonet.reporting.text.labels import axis_title

KEYS = ("response", "period")
#: Rows of raw values above which the page holds those of the main period only; the tables of the analysis hold all.
MOST_VALUES = 150_000


def figure(sources: Sources) -> PageFigure:
    """Return the figure, which every campaign with results has."""
    study = sources.study
    rows, texts = [], []
    per_response = len(study.conditions) * len(study.algorithms)
    in_page = [study.main_period]
    if per_response * sum(len(names) for names in study.in_period.values()) <= MOST_VALUES:
        in_page = study.periods
    for period in in_page:
        for response in study.in_period[period]:
            selection = {"response": response, "period": period}
            rows.append(keyed(study.long(response, period), selection))
            heading = captions.values_heading(study, response, period)
            texts.append(caption(selection, heading, captions.values_caption(study, response, period)))
    response = study.congestion_response
    return PageFigure(
        id="responses",
        short_title="The values",
        title="The values: every condition, the algorithms side by side",
        reading=(
            f"One column per condition, {study.order_words}; one mark per algorithm. "
            "Where marks lie side by side at one height, the choice of algorithm makes no difference."
        ),
        chart=responses(
            study.long(response, study.main_period),
            study.algorithms,
            order=study.by_congestion,
            response=axis_title(study, response),
            order_title=f"condition, {study.order_words}",
        ),
        main=DATA,
        tables={DATA: PageTable(stacked(rows), KEYS)},
        captions=PageTable(pl.DataFrame(texts), KEYS),
        marks=per_response,
        height=380,
    )
