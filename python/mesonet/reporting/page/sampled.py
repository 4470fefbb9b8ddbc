"""The page of a campaign with points between the levels: what it has in place of levels and effects."""

from __future__ import annotations

from markupsafe import Markup

from mesonet.reporting.campaign_view.grid import title_of
from mesonet.reporting.campaign_view.sampled import Sampled, left_out
from mesonet.reporting.page.payload import Conditions
from mesonet.reporting.text import html
from mesonet.reporting.text.answer_text import plain
from mesonet.reporting.text.conditions import factors_html
from mesonet.reporting.text.grid_text import FIRST, grid_answers, note
from mesonet.reporting.text.surface_text import surface_answers
from mesonet.units import with_bits
from mesonet.words import capitalised, counted, listed, number

GRID_METHODS = (
    ("of a combination", "Student's t of its own replicates; a combination with one run has the pooled variance"),
    (
        "of a change",
        "Welch's t of the mean over the other factors, at 95 % for all pairs of levels of a factor (Bonferroni)",
    ),
    ("of two algorithms", "differences of runs with equal seeds, in each combination and in the mean"),
)
"""How the intervals of a grid are made."""
SURFACE_METHODS = (
    ("model", "least squares; the first of quadratic, linear with squares, with interactions, and linear that the "
     "runs can estimate"),
    ("beyond chance", "the test of a term given all others, at 5 %"),
    ("lack of fit", "the distance of means from the model against the scatter of replicates"),
    ("stationary point", "where a quadratic model has no slope; proven if no curvature along its axes can be zero"),
    ("common random numbers", "runs of one replicate share them: the model has a shift for each replicate"),
)  # fmt: skip
"""The way in which models of a response surface are made, for readers."""


def summary(sampled: Sampled) -> Markup:
    """Return HTML on the comparison, the parts left out, and the strongest factors of the responses."""
    campaign, view, grid = sampled.campaign, sampled.view, sampled.grid
    counts = campaign.counts
    done = ", ".join(f"{count:,} {status}" for status, count in counts.items() if count)
    what = (
        f"{listed(campaign.algorithms)} in {counted(len(sampled.points), 'condition')} of a design of kind "
        f"{campaign.rows.kind}, which vary {counted(len(sampled.factors), 'factor')} between two values. Runs: {done}."
    )
    if grid is not None:
        sizes = listed([f"{len(each.texts)} of {title_of(each)}" for each in grid.factors])
        what = f"{listed(campaign.algorithms)} at all combinations of levels: {sizes}. Runs: {done}."
        found = grid_answers(grid, grid.key_responses[FIRST:]) if view.has_results else []
        pairs = [("What was compared", what)]
        pairs += [(each.title, " ".join(each.sentences)) for each in found]
        return html.definitions([(name, with_bits(text, view.data_bytes)) for name, text in pairs], "findings")
    pairs = [("What was compared", what), ("What is not here", f"{capitalised(left_out(campaign))}.")]
    if view.has_results and sampled.surface is not None:
        found = surface_answers(sampled.surface, view.key_responses[FIRST:])
        pairs += [(each.title, with_bits(" ".join(each.sentences), view.data_bytes)) for each in found]
    elif view.has_results:
        pairs += [(view.label_of(name), plain(view, sampled.follows(name))) for name in view.key_responses]
    return html.definitions(pairs, "findings")


def answer(sampled: Sampled) -> str:
    """Return the sentence at the top of the page: what the first response follows; empty for grids and surfaces."""
    view = sampled.view
    if not view.has_results:
        return "No run has given a result yet."
    has_own = sampled.grid is not None or sampled.surface is not None
    return "" if has_own else plain(view, sampled.follows(view.key_responses[0]))


def conditions(sampled: Sampled) -> Conditions:
    """Return the conditions as the script of the page uses them.

    Conditions by rising mean of the first response of the page.
    """
    levels = {place: row.tolist() for place, row in enumerate(sampled.inputs, start=1)}
    if sampled.grid is not None:
        texts = {place: sampled.grid.condition_words(place - 1) for place in levels}
        return Conditions(sampled.by_first_response, levels, texts)
    words = {
        place: ", ".join(f"{factor} {number(value)}" for factor, value in zip(sampled.factors, row, strict=True))
        for place, row in levels.items()
    }
    return Conditions(sampled.by_first_response, levels, words)


def range_filters(sampled: Sampled) -> Markup:
    """Return two inputs per factor, from and to: in values of the factor or, if no number, from -1 to +1."""
    columns = zip(sampled.factors, sampled.inputs.T.tolist(), strict=True)
    return html.render("filters.html", ranges=[(name, number(min(each)), number(max(each))) for name, each in columns])


def conditions_html(sampled: Sampled) -> Markup:
    """Return the table of conditions; a condition can be highlighted from its row."""
    table = sampled.conditions() if sampled.grid is None else sampled.grid.conditions()
    highlights = sampled.view.has_results
    rows = [
        [html.condition_button(first) if highlights else first]
        + [number(cell, 4) if isinstance(cell, float) else cell for cell in rest]
        for first, *rest in table.iter_rows()
    ]
    return html.table(
        table.columns, rows, caption=_CAPTION if sampled.grid is None else "", classes="conditions",
        attributes=[{"data-condition": condition} for condition in table["condition"]],
    )  # fmt: skip


_CAPTION = "Factors from −1 (minus) to +1 (plus), and what they set."


def methods_html(sampled: Sampled) -> Markup:
    """Return HTML on the factors, and the meaning of the coefficients or the intervals."""
    if sampled.grid is not None:
        factors = [
            [html.strong(each.factor.id), each.factor.name, ", ".join(each.texts), html.code(each.factor.path)]
            for each in sampled.grid.factors
        ]
        table = html.table(["factor", "name", "levels", "sets"], factors)
        return table + html.definitions([("intervals", note(sampled.grid)), *GRID_METHODS])
    if sampled.surface is not None:
        return factors_html(sampled.view) + html.definitions([*SURFACE_METHODS, ("design", sampled.campaign.rows.kind)])
    texts = [
        (
            "SRC",
            "standardised coefficient of a factor in a linear model of all; its square is the share of the variance",
        ),
        ("SRRC", "the same of ranks"),
        ("PRCC", "correlation of the ranks of response and factor, without what the other factors explain of both"),
        ("R²", "share of the variance that the model explains: near 1 the coefficients describe it completely"),
        ("design", sampled.campaign.rows.kind),
    ]
    return factors_html(sampled.view) + html.definitions(texts)
