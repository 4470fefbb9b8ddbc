"""Table of the conditions: settings, congestion, and counts of runs."""

import numpy as np
import polars as pl

from mesonet.reporting.campaign_view.study import Study, level_text
from mesonet.reporting.text import html
from mesonet.words import counted, quantity, span


def conditions_table(study: Study) -> pl.DataFrame:
    """Return a row per condition: level of each factor, range of the congestion response, counts of runs."""
    design = study.campaign.design
    table: dict[str, list[object]] = {"condition": list(study.conditions)}
    for place, factor in enumerate(design.factors):
        table[factor] = [level_text(study, factor, signs[place]) for signs in study.signs.values()]
    if study.has_results:
        name = study.congestion_response
        values = study.values(name, study.main_period)
        some: list[bool] = [bool(np.isfinite(row).any()) for row in values]
        for word, pick in (("least", np.nanmin), ("mean", np.nanmean), ("most", np.nanmax)):
            table[f"{name}_{word}"] = [
                float(pick(row)) if any_ else None for row, any_ in zip(values, some, strict=True)
            ]
    return pl.DataFrame(table).join(study.status, on="condition", how="left", maintain_order="left")


def conditions_html(study: Study) -> str:
    """Return the table of conditions for the page; a condition can be highlighted from its row."""
    table = conditions_table(study)
    factors = study.campaign.design.factors
    name = study.congestion_response if study.has_results else ""
    head = ["condition", *([study.responses[name].title] if name else []), "runs", *factors]
    rows, attributes = [], []
    for row in table.iter_rows(named=True):
        number = row["condition"]
        cells = [f'<button type="button" data-condition="{number}">{number}</button>' if name else str(number)]
        if name:
            least, most = row[f"{name}_least"], row[f"{name}_most"]
            cells.append("–" if least is None else html.escape(span(least, most, study.unit_of(name))))
        cells.append(html.escape(_runs(row)))
        for factor, sign in zip(factors, study.signs[number], strict=True):
            mark = "+" if sign > 0 else "−"
            cells.append(f'<span class="sign">{mark}</span> {html.escape(row[factor])}')
        rows.append(cells)
        attributes.append(f'data-condition="{number}"')
    caption = "Ranges are over the algorithms." if name else ""
    return html.table(head, rows, caption=caption, classes="conditions", attributes=attributes) + _failures(study)


def factors_html(study: Study) -> str:
    """Return an HTML table of the factors and their levels."""
    rows = [
        [
            html.strong(f.id),
            html.escape(f.name),
            html.escape(f.minus),
            html.escape(f.plus),
            f"<code>{html.escape(f.path)}</code>",
        ]
        for f in study.campaign.factors
    ]
    return html.table(["factor", "name", "− level", "+ level", "sets"], rows)


def congestion_words(study: Study, condition: int) -> str:
    """Return the congestion of one condition, in words; empty without a value."""
    if not study.has_results:
        return ""
    value = float(study.congestion[condition - 1])
    if not np.isfinite(value):
        return ""
    return (
        f"mean {study.title_of(study.congestion_response)} {quantity(value, study.unit_of(study.congestion_response))}"
    )


def _runs(row: dict[str, object]) -> str:
    words = [f"{row[status]} {status}" for status in ("done", "failed", "missing") if row[status]]
    return ", ".join(words) or "none planned"


def _failures(study: Study) -> str:
    failed = study.campaign.runs.filter(pl.col("status") == "failed")
    if failed.is_empty():
        return ""
    rows = [
        [
            html.escape(row["condition"]),
            html.escape(row["algorithm"]),
            html.escape(row["replicate"]),
            html.escape(row["message"] or ""),
        ]
        for row in failed.iter_rows(named=True)
    ]
    table = html.table(["condition", "algorithm", "replicate", "message"], rows)
    return html.folded(f"{counted(len(rows), 'failed run')} and why", table)
