"""The report of a campaign with points between the levels: one HTML file without scripts."""

from base64 import b64encode
from importlib.resources import files
from string import Template

from mesonet.plots import to_svg
from mesonet.plots.numbers import number
from mesonet.progress import Update
from mesonet.reporting import html
from mesonet.reporting.conditions import factors_html
from mesonet.reporting.methods import provenance_html
from mesonet.reporting.sampled import Sampled, left_out
from mesonet.reporting.sampled_files import figures
from mesonet.reporting.study import Study, status_counts
from mesonet.reporting.words import capitalised, counted, listed


def sampled_html(study: Study, style: str, progress: Update | None = None) -> str:
    """The report as one HTML document."""
    sampled = Sampled(study)
    drawn = []
    chosen = figures(study.campaign)
    for place, figure in enumerate(chosen):
        if progress:
            progress(place, len(chosen), figure.name)
        chart, caption = figure.make()
        picture = b64encode(to_svg(chart).encode()).decode("ascii")
        drawn.append(
            f'<section><h2>{html.escape(figure.question)}</h2><p class="reading">{html.escape(caption)}</p>'
            f'<div class="scroll" tabindex="0" role="region" aria-label="{html.escape(figure.name)}">'
            f'<img alt="{html.escape(caption)}" src="data:image/svg+xml;base64,{picture}"></div></section>'
        )
    page = files("mesonet.reporting.page").joinpath("sampled.html").read_text(encoding="utf-8")
    return Template(page).substitute(
        title=html.escape(study.campaign.title or study.campaign.name),
        style=style,
        summary=_summary(sampled),
        figures="".join(drawn),
        conditions=_conditions(sampled),
        methods=_methods(sampled),
        provenance=provenance_html(study),
    )


def _summary(sampled: Sampled) -> str:
    campaign, study = sampled.campaign, sampled.study
    counts = status_counts(campaign)
    done = ", ".join(f"{count:,} {status}" for status, count in counts.items() if count)
    what = (
        f"{listed(campaign.algorithms)} in {counted(len(sampled.points), 'condition')} of a design of kind "
        f"{campaign.rows.kind}, which vary {counted(len(sampled.factors), 'factor')} between two values. Runs: {done}."
    )
    pairs = [("What was compared", what), ("What is not here", f"{capitalised(left_out(campaign))}.")]
    if study.has_results:
        pairs += [(study.label_of(name), sampled.sentence(name)) for name in study.key_responses]
    items = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd>" for name, text in pairs)
    return f'<dl class="findings">{items}</dl>'


def _conditions(sampled: Sampled) -> str:
    table = sampled.conditions()
    rows = [
        [html.escape(number(cell, 4) if isinstance(cell, float) else cell) for cell in row] for row in table.iter_rows()
    ]
    return html.table(table.columns, rows, caption="Factors from −1 (minus) to +1 (plus), and what they set.")


def _methods(sampled: Sampled) -> str:
    texts = [
        (
            "SRC",
            "standardised coefficient of a factor in a linear model of all; its square is the share of the variance",
        ),
        ("SRRC", "the same of ranks"),
        ("PRCC", "correlation of the ranks of response and factor, without what the other factors explain of both"),
        ("R²", "share of the variance that the model explains: near 1 the coefficients say it all"),
        ("design", sampled.campaign.rows.kind),
    ]
    return factors_html(sampled.study) + html.definitions(texts)
