"""Service that flows and frames get in a campaign: slowdown by flow size, late frames and their delay."""

from __future__ import annotations

from typing import Any

import polars as pl

from mesonet.reporting.campaign_view.values import ARRIVALS, FRAMES
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.responses.definitions import SIZE_CLASSES

#: Measures of the summary: the share of the flows or frames that get at most this.
SHARES = ("p50", "p95", "p99")
#: Measure of the summary: late frames over frames sent.
LATE = "late"
#: Rows of the summary: classes of flow sizes in words, and frames.
SIZES = {"": "all flows"} | {end: f"flows {words}" for end, words in SIZE_CLASSES.items() if words}
OF_FRAMES = "frames"

_SCHEMA: dict[str, Any] = {
    "subject": pl.String, "row": pl.String, "algorithm": pl.String, "measure": pl.String, "conditions": pl.Int64,
    "median": pl.Float64, "least": pl.Float64, "most": pl.Float64,
}  # fmt: skip


def service_summary(view: CampaignView) -> pl.DataFrame:
    """Return slowdown by flow size, late frames and delays of frames: medians over the conditions, and their ranges.

    Parameters
    ----------
    view
        View of the campaign.

    Returns
    -------
    A row per subject (`ARRIVALS` or `FRAMES`), row (of `SIZES`, or `OF_FRAMES`), algorithm and measure (of `SHARES`, or
    `LATE`): columns subject, row, algorithm, measure, conditions (that have a value), median, least and most, of means
    over replicates. Slowdowns are ratios, delays ms, and late frames a share from 0 to 1. Only traffic that the
    campaign has, and only what it recorded.
    """
    frames = []
    if ARRIVALS in view.traffic:
        names = {f"slowdown_{share}{end}": (text, share) for end, text in SIZES.items() for share in SHARES}
        frames.append(_summary(_values(view, names), ARRIVALS))
    if FRAMES in view.traffic:
        delays = {f"frame_delay_{share}": (OF_FRAMES, share) for share in SHARES}
        counts = {"frames_late": (OF_FRAMES, LATE), "frames_sent": (OF_FRAMES, "sent")}
        late, sent = (_values(view, {name: place}) for name, place in counts.items())
        keys = ["row", "algorithm", "condition"]
        share = late.join(sent.select(*keys, sent="value"), on=keys, maintain_order="left").with_columns(
            pl.col("value") / pl.col("sent")
        )
        frames.append(_summary(pl.concat([share.drop("sent"), _values(view, delays)]), FRAMES))
    return pl.concat(frames) if frames else pl.DataFrame(schema=_SCHEMA)


def _values(view: CampaignView, names: dict[str, tuple[str, str]]) -> pl.DataFrame:
    """Return a row per row, measure, algorithm and condition, in the order of the names."""
    rows = view.campaign.responses.filter(
        pl.col("response").is_in(list(names)) & (pl.col("period") == view.main_period) & pl.col("value").is_finite()
    )
    # Conditions of a design with two levels; of a grid or a sample, whose design has none, all.
    if view.conditions:
        rows = rows.filter(pl.col("condition").is_in(view.conditions))
    order = {name: place for place, name in enumerate(names)}
    means = rows.group_by("response", "algorithm", "condition").agg(pl.col("value").mean())
    to_row = {name: row for name, (row, _) in names.items()}
    to_measure = {name: measure for name, (_, measure) in names.items()}
    return means.sort(pl.col("response").replace_strict(order, return_dtype=pl.Int64), "algorithm", "condition").select(
        pl.col("response").replace_strict(to_row, return_dtype=pl.String).alias("row"),
        pl.col("response").replace_strict(to_measure, return_dtype=pl.String).alias("measure"),
        "algorithm",
        "condition",
        "value",
    )


def _summary(rows: pl.DataFrame, subject: str) -> pl.DataFrame:
    value = pl.col("value")
    return rows.filter(value.is_finite()).group_by("row", "algorithm", "measure", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("conditions"), value.median().alias("median"), value.min().alias("least"),
        value.max().alias("most"),
    ).with_columns(subject=pl.lit(subject)).select(list(_SCHEMA))  # fmt: skip
