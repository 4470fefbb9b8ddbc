"""The page of a campaign with points between the levels: what it has in place of levels and effects."""

from __future__ import annotations

from markupsafe import Markup

from mesonet.designs import grid
from mesonet.reporting.campaign_view.sampled import Sampled, left_out
from mesonet.reporting.page.payload import Conditions
from mesonet.reporting.text import html
from mesonet.reporting.text.conditions import factors_html
from mesonet.words import capitalised, counted, listed, number


def summary(sampled: Sampled) -> Markup:
    """Return HTML on the comparison, the parts left out, and the strongest factors of the responses."""
    campaign, view = sampled.campaign, sampled.view
    counts = campaign.counts
    done = ", ".join(f"{count:,} {status}" for status, count in counts.items() if count)
    how = "over all their levels" if campaign.rows.kind == grid.KIND else "between two values"
    what = (
        f"{listed(campaign.algorithms)} in {counted(len(sampled.points), 'condition')} of a design of kind "
        f"{campaign.rows.kind}, which vary {counted(len(sampled.factors), 'factor')} {how}. Runs: {done}."
    )
    pairs = [("What was compared", what), ("What is not here", f"{capitalised(left_out(campaign))}.")]
    if view.has_results:
        pairs += [(view.label_of(name), sampled.follows(name)) for name in view.key_responses]
    return html.definitions(pairs, "findings")


def answer(sampled: Sampled) -> str:
    """Return the sentence at the top of the page: what the first response follows."""
    view = sampled.view
    return sampled.follows(view.key_responses[0]) if view.has_results else "No run has given a result yet."


def conditions(sampled: Sampled) -> Conditions:
    """Return the conditions as the script of the page uses them.

    Conditions by rising mean of the first response of the page.
    """
    levels = {place: row.tolist() for place, row in enumerate(sampled.inputs, start=1)}
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
    table = sampled.conditions()
    highlights = sampled.view.has_results
    rows = [
        [html.condition_button(first) if highlights else first]
        + [number(cell, 4) if isinstance(cell, float) else cell for cell in rest]
        for first, *rest in table.iter_rows()
    ]
    return html.table(
        table.columns, rows, caption="Factors from −1 (minus) to +1 (plus), and what they set.", classes="conditions",
        attributes=[{"data-condition": condition} for condition in table["condition"]],
    )  # fmt: skip


def methods_html(sampled: Sampled) -> Markup:
    """Return HTML on the factors and the meaning of the coefficients."""
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
