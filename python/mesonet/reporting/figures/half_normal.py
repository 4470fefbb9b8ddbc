"""Half-normal plot and Lenth's margins, for every response and algorithm."""

import polars as pl

from mesonet.analysis import Terms
from mesonet.plots import half_normal
from mesonet.plots.half_normal import DATA, FEWEST_EFFECTS, MARGINS, margins_table
from mesonet.reporting.campaign_view.study import Study
from mesonet.reporting.figures.figure import RESPONSE_AND_ALGORITHM, PageFigure, PageTable, caption, keyed, stacked
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions, method_captions
from mesonet.reporting.text.labels import axis_title


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with at least two factors."""
    study = sources.study
    margins, texts = [], []
    first = (study.congestion_response, study.choices_of_algorithm[0])
    for (response, algorithm), result in sources.terms.items():
        selection = {"response": response, "algorithm": algorithm}
        margins.append(keyed(margins_table(result), selection))
        heading = captions.effects_heading(study, response, study.main_period, algorithm)
        texts.append(caption(selection, heading, _text(study, response, result)))
    return PageFigure(
        id="half-normal",
        short_title="Half-normal plot",
        title="Which effects are more than noise: half-normal plot",
        reading=_reading(sources.terms[first]),
        chart=half_normal(sources.terms[first], response=axis_title(study, first[0])),
        main=DATA,
        axis="|effect| on {}",
        tables={DATA: sources.terms_table, MARGINS: PageTable(stacked(margins), RESPONSE_AND_ALGORITHM)},
        captions=PageTable(pl.DataFrame(texts), RESPONSE_AND_ALGORITHM),
        marks=3 * len(sources.terms[first].terms),
        height=460,
    )


def _reading(result: Terms) -> str:
    text = "Effects of factors and of their interactions by size. "
    text += "Those that are only noise lie on a line through the origin. "
    if result.noise.replicated:
        text += "The margin of error (dashed) comes from the scatter between replicates"
    elif len(result.terms) < FEWEST_EFFECTS:
        text += f"Lenth's margin of error needs at least {FEWEST_EFFECTS} effects: none is drawn. "
    else:
        text += "The margin of error (dashed) comes from the small effects, most of which are taken to be noise (Lenth)"
    if result.noise.replicated or len(result.terms) >= FEWEST_EFFECTS:
        text += ": of effects that are only noise one in 20 exceeds it. The largest of them exceeds the simultaneous "
        text += "margin in one of 20 campaigns. "
    if any(" = " in string for string in result.strings):
        text += "Terms that the design cannot tell apart are one entry, listed with all their names."
    return text.strip()


def _text(study: Study, response: str, result: Terms) -> str:
    return method_captions.terms_caption(study.title_of(response), study.unit_of(response), result)
