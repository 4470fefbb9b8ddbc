"""Table of the conditions: settings, congestion, and counts of runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from markupsafe import Markup

from mesonet.reporting.campaign_view.values import level_text
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text import html
from mesonet.units import with_bits
from mesonet.words import counted, own_names, quantity, span


def conditions_table(view: CampaignView) -> pl.DataFrame:
    """Return a row per condition: level of each factor, range of the congestion response, counts of runs.

    Columns condition, one per factor (text), and the numbers of runs by status. With results also least, mean and most
    of the response that measures congestion, over the algorithms, in its unit; null without a value.
    """
    design = view.campaign.design
    table: dict[str, list[object]] = {"condition": list(view.conditions)}
    for name, factor, place in zip(factor_columns(view), design.factors, range(len(design.factors)), strict=True):
        table[name] = [level_text(view, factor, signs[place]) for signs in view.signs.values()]
    if view.has_results:
        name = view.congestion_response
        values = view.values(name, view.main_period)
        some: list[bool] = [bool(np.isfinite(row).any()) for row in values]
        for word, pick in (("least", np.nanmin), ("mean", np.nanmean), ("most", np.nanmax)):
            table[f"{name}_{word}"] = [
                float(pick(row)) if any_ else None for row, any_ in zip(values, some, strict=True)
            ]
    return pl.DataFrame(table).join(view.status, on="condition", how="left", maintain_order="left")


def factor_columns(view: CampaignView) -> list[str]:
    """Return the names of the columns of the factors in the table of conditions."""
    measures = [f"{view.congestion_response}_{word}" for word in ("least", "mean", "most")] if view.has_results else []
    return own_names(view.campaign.design.factors, ["condition", "done", "failed", "missing", *measures])


def conditions_html(view: CampaignView) -> Markup:
    """Return the table of conditions for the page; a condition can be highlighted from its row."""
    table = conditions_table(view)
    factors = view.campaign.design.factors
    name = view.congestion_response if view.has_results else ""
    head = ["condition", *([view.responses[name].title] if name else []), "runs", *factors]
    rows, attributes = [], []
    for row in table.iter_rows(named=True):
        number = row["condition"]
        cells: list[Any] = [html.condition_button(number) if name else number]
        if name:
            least, most = row[f"{name}_least"], row[f"{name}_most"]
            cells.append("–" if least is None else span(least, most, view.unit_of(name)))
        cells.append(_runs(row))
        for factor, sign in zip(factor_columns(view), view.signs[number], strict=True):
            mark = "+" if sign > 0 else "−"
            cells.append(html.signed(mark, row[factor]))
        rows.append(cells)
        attributes.append({"data-condition": number})
    caption = "Ranges are over the algorithms." if name else ""
    return html.table(head, rows, caption=caption, classes="conditions", attributes=attributes) + _failures(view)


def factors_html(view: CampaignView) -> Markup:
    """Return an HTML table of the factors and their levels."""
    size = view.segment_bytes
    rows = [
        [html.strong(f.id), f.name, with_bits(f.minus, size), with_bits(f.plus, size), html.code(f.path)]
        for f in view.campaign.factors
    ]
    return html.table(["factor", "name", "− level", "+ level", "sets"], rows)


def congestion_words(view: CampaignView, condition: int) -> str:
    """Return the congestion of one condition, in words; empty without a value.

    The mean over the algorithms, with title and unit. `condition`: number of the condition, from 1.
    """
    if not view.has_results:
        return ""
    value = float(view.congestion[condition - 1])
    if not np.isfinite(value):
        return ""
    return f"mean {view.title_of(view.congestion_response)} {quantity(value, view.unit_of(view.congestion_response))}"


def _runs(row: dict[str, object]) -> str:
    words = [f"{row[status]} {status}" for status in ("done", "failed", "missing") if row[status]]
    return ", ".join(words) or "none planned"


def _failures(view: CampaignView) -> Markup:
    failed = view.campaign.runs.filter(pl.col("status") == "failed")
    if failed.is_empty():
        return Markup("")
    head = ["condition", "algorithm", "replicate", "message"]
    rows = failed.select(head).with_columns(pl.col("message").fill_null("")).rows()
    table = html.table(head, rows)
    return html.folded(f"{counted(len(rows), 'failed run')} and why", table)
