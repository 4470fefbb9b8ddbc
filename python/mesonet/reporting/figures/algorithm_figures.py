"""Figures that compare the algorithms in every condition, and settings associated with the differences."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from mesonet import plots
from mesonet.analysis import residuals
from mesonet.files.names import file_stem
from mesonet.reporting.campaign_view.method import Method
from mesonet.reporting.campaign_view.study import LARGE
from mesonet.reporting.figures.drawable import ChartAndCaption, Drawable
from mesonet.reporting.figures.reduction_figures import spelt_settings
from mesonet.reporting.text import captions, method_captions
from mesonet.reporting.text.labels import axis_title, settings
from mesonet.words import counted, listed, number, percent, period_title, verb


def algorithm_figures(method: Method, chosen: Sequence[str], detailed: Sequence[str] = ()) -> list[Drawable]:
    """Return the figures of algorithms that the campaign can have.

    Raw values and residuals are drawn for the responses `chosen`, of the main period, and residuals for the
    responses of the space `detailed`.

    Raw values and residuals are drawn for the responses `chosen`, of the main period, and residuals for the responses
    of the space `detailed`.
    """
    study = method.study
    figures = [
        Drawable(
            f"algorithms/values/{file_stem(name)}",
            "What was measured, algorithm by algorithm?",
            partial(_values, method, name),
        )
        for name in chosen
    ]
    if len(study.algorithms) < 2:
        return figures
    asked = "In which conditions does an algorithm stand apart, and by how much?"
    figures += [
        Drawable(f"algorithms/residuals/{file_stem(name)}", asked, partial(_residuals, method, name)) for name in chosen
    ]
    others = [name for name in detailed if name not in chosen]
    figures += [
        Drawable(f"algorithms/residuals/{file_stem(name)}", asked, partial(_residuals_of, method, name))
        for name in others
    ]
    asked = "Where in the whole response space does an algorithm stand out?"
    for name, least, adjust in (
        ("condition_response", 0.0, "none"),
        ("condition_response_above_10_percent", LARGE, "none"),
        ("condition_response_adjusted", 0.0, "benjamini-hochberg"),
    ):
        figures.append(Drawable(f"algorithms/{name}", asked, partial(_summary, method, least, adjust)))
    for name, places in method.space.sets.items():
        # The whole measured time is what the figures above show.
        if name != period_title(study.main_period):
            asked = f"Where does an algorithm stand out in the {name}?"
            stem = f"algorithms/condition_response_{name.replace(' ', '_')}"
            figures.append(Drawable(stem, asked, partial(_summary_of, method, name, tuple(places))))
    if len(study.algorithms) > 2:
        asked = "Who behaves alike, who apart?"
        figures.append(Drawable("algorithms/clusters", asked, partial(_clusters, method)))
    if method.separations:
        asked = "Which factor settings are associated with an algorithm standing out?"
        figures.append(Drawable("algorithms/settings_of_outliers", asked, partial(_separations, method)))
    return figures


def _values(method: Method, response: str) -> ChartAndCaption:
    study = method.study
    values: Any = plots.responses(
        study.long(response, study.main_period),
        study.algorithms,
        order=study.by_congestion,
        title=captions.values_heading(study, response, study.main_period),
        response=axis_title(study, response),
        order_title=f"condition, {study.order_words}",
    )
    return values, captions.values_caption(study, response, study.main_period)


def _residuals(method: Method, response: str) -> ChartAndCaption:
    study = method.study
    values = study.values(response, study.main_period)
    detail = residuals(
        values, algorithms=study.algorithms, conditions=study.conditions, response=response,
        too_few=study.too_few_of(response, study.main_period),
    )  # fmt: skip
    heading = captions.values_heading(study, response, study.main_period)
    axis = f"{axis_title(study, response)}, less the mean of all algorithms"
    plot: Any = plots.residuals(detail, settings(study), title=heading, response=axis)
    return plot, method_captions.residuals_caption(study, detail, response)


def _residuals_of(method: Method, name: str) -> ChartAndCaption:
    """Return chart and caption of the residuals of a response of the space: of a period or a flow group."""
    study, place = method.study, method.space.place(name)
    column = method.space.columns[place]
    values = method.space.cube[:, :, place]
    detail = residuals(
        values, algorithms=study.algorithms, conditions=study.conditions, response=name, too_few=method.too_few(place)
    )
    axis = f"{column.title}{'' if column.unit == '1' else f', {column.unit}'}, less the mean of all algorithms"
    plot: Any = plots.residuals(detail, settings(study), title=column.title, response=axis)
    return plot, method_captions.residuals_sentence(detail, method.titles[name], column.unit)


def _summary(method: Method, least: float, adjust: str) -> ChartAndCaption:
    study = method.study
    cells = study.summary(study.main_period, least) if adjust == "none" else method.adjusted_summary
    title = "Condition-response summary"
    if least:
        title += f", relative effect above {percent(least)}"
    if adjust != "none":
        title += ", adjusted for the number of cells (Benjamini-Hochberg)"
    labels = {name: study.label_of(name) for name in study.responses}
    chart = plots.condition_response(cells, settings(study), labels=labels, order=study.by_congestion, title=title)
    return chart, captions.summary_caption(study, cells)


def _summary_of(method: Method, name: str, places: tuple[int, ...]) -> ChartAndCaption:
    study, cells = method.study, method.summary_of(places)
    title = f"Condition-response summary, {name}"
    chart = plots.condition_response(
        cells, settings(study), labels=method.labels, order=study.by_congestion, title=title
    )
    return chart, captions.summary_caption(study, cells)


def _clusters(method: Method) -> ChartAndCaption:
    trees: Any = plots.dendrograms(
        method.clusterings, order=method.study.by_congestion, title="The algorithms in every condition"
    )
    said = method_captions.clusters_caption(method.clusterings, method.study.algorithms, method.titles)
    return trees, f"{said} {split_sentence(method)}".rstrip()


def split_sentence(method: Method) -> str:
    """Return the settings associated with an algorithm that joins its tree last and alone, as text."""
    said = []
    for name, rules in method.split_rules.items():
        alone = [rule for rule in rules.rules if rule.group == "alone" and rule.settings]
        if not alone or rules.right <= rules.largest:
            continue
        best = max(alone, key=lambda rule: rule.right)
        where = spelt_settings(method.study, best.settings)
        said.append(f"{name} in {best.right} of {best.runs} conditions with {where}")
    return f"Standing alone is associated with: {'; '.join(said)}." if said else ""


def _separations(method: Method) -> ChartAndCaption:
    study = method.study
    rows = {
        f"{algorithm}: {study.label_of(response)}": found for (algorithm, response), found in method.separations.items()
    }
    chart = plots.separation(rows, factors=study.campaign.design.factors, title="Settings of flagged conditions")
    return chart, separation_caption(method)


def separation_caption(method: Method) -> str:
    """Return the clearest associations, with aliases, and where to look first."""
    clear = []
    for (algorithm, response), found in method.separations.items():
        if np.isfinite(found.q[0]) and found.q[0] < 0.05 and found.level[0]:
            where = f"{found.strings[0]} at {'+' if found.level[0] > 0 else '−'}"
            if found.strings[0] in method.study.campaign.design.factors:
                where = spelt_settings(method.study, ((found.strings[0], int(found.level[0])),))
            clear.append((float(found.q[0]), f"{algorithm} for {method.study.title_of(response)} with {where}"))
    clear.sort(key=lambda pair: pair[0])
    rows = counted(len(method.separations), "row")
    counts = f"{len(clear)} of {rows} {verb(len(clear), 'show')} an association with a setting"
    said = f"{counts}: {listed([text for _, text in clear[:4]])}." if clear else (
        "No setting is clearly associated with an algorithm standing out."
    )  # fmt: skip
    first = method.extremes
    if first.algorithm:
        effect = float(first.relative_effect[0])
        size = f", {percent(effect, sign=True)} from the mean of all" if np.isfinite(effect) else ""
        said += (
            f" Look first at condition {first.condition[0]}, {method.study.title_of(first.response[0])}: "
            f"{first.algorithm[0]} ({first.side[0]}{size}) beside {first.against[0]} (in the middle)."
        )
    return said + " An association is not yet a cause."


#: Series to look at first, by what a response is about; the columns of `series.parquet`.
SERIES = {
    "loss": ("segments_dropped", "cwnd", "queueing_delay_ms"),
    "retransmission": ("segments_dropped", "loss_events", "cwnd"),
    "rtt": ("rtt_ms", "queueing_delay_ms", "cwnd"),
    "queueing": ("queueing_delay_ms", "cwnd"),
    "goodput": ("cwnd", "segments_leaving", "segments_dropped"),
    "flows": ("flows_completed", "connecting", "sending"),
    "connect": ("connecting", "connection_failures", "segments_dropped"),
    "cwnd": ("cwnd", "cwnd_increases", "loss_events"),
    "timeouts": ("timeouts", "segments_dropped", "cwnd"),
}
_OTHERWISE = ("cwnd", "queueing_delay_ms", "segments_dropped")


def where_to_look(method: Method) -> pl.DataFrame:
    """Return the most extreme condition of each outlying algorithm and response, with a guide to the time series.

    Columns name the algorithm to compare with, the series to look at, and the files of the series where the runs
    kept them.

    Columns name the algorithm to compare with, the series to look at, and the files of the series where the runs
    kept them.
    """
    found = method.extremes
    table = found.to_polars().drop("place")
    keys = {
        (condition, algorithm): key
        for condition, algorithm, key in method.study.campaign.runs.select("condition", "algorithm", "key").iter_rows()
    }

    def file(condition: int, algorithm: str) -> str:
        path = method.study.campaign.path / "runs" / keys.get((condition, algorithm), "-") / "series.parquet"
        return f"runs/{path.parent.name}/{path.name}" if path.exists() else ""

    series = [next((s for word, s in SERIES.items() if word in name), _OTHERWISE) for name in found.response]
    pairs = list(zip(found.condition.tolist(), found.algorithm, found.against, strict=True))
    return table.with_columns(
        pl.Series("series", [", ".join(names) for names in series], dtype=pl.String),
        pl.Series("file", [file(c, a) for c, a, _ in pairs], dtype=pl.String),
        pl.Series("file_against", [file(c, b) for c, _, b in pairs], dtype=pl.String),
    )


def follow_up_sentence(method: Method, response: str, algorithm: str) -> str:
    """Return the effects that follow-up runs would separate, as text."""
    found = method.follow_up(response, algorithm)
    if found is None:
        return "No active effect is aliased: there is nothing to break."
    errors = found.standard_error[np.isfinite(found.standard_error)]
    said = f"{counted(len(found.matrix), 'follow-up run')} would tell {listed(found.separated)} apart"
    if len(errors):
        said += f", with standard errors of up to {number(float(errors.max()), 2)} SD of a run"
    return said + (f"; still aliased: {listed(found.still_aliased)}." if found.still_aliased else ".")
