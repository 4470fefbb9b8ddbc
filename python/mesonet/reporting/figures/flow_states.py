"""Numbers of flows connecting and transmitting, by state, over time or by period.

(SP 500-282 ch. 9, Fig. 2: one panel per condition, one condition of each class of congestion.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import altair as alt
import numpy as np
import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.series import kept_series
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.responses.definitions import PERIODS
from mesonet.words import percent

DATA = "flow_states"
STATES = ("connecting", "initial slow start", "standard congestion avoidance", "own congestion avoidance")
_COLOURS = ("#c9ced4", theme.ORANGE, theme.SKY, theme.BLUE)
WIDTH, HEIGHT = 300, 200  # px
#: Responses that give the numbers of flows by state: connecting, transmitting, and shares of the transmitting flows.
_CONNECTING, _SENDING = "connecting_sources", "transmitting_sources"
_SHARES = dict(zip(STATES[1:], ("initial_slow_start_share", "standard_share", "alternate_share"), strict=True))
#: Columns of a time series with the same numbers.
_SERIES = dict(zip(STATES, ("connecting", "initial_slow_start", "standard", "alternate"), strict=True))


def figure(view: CampaignView) -> Figure | None:
    """Return the states of the flows in a condition of each class of congestion."""
    if flow_state_table(view).is_empty():
        return None
    return Figure(
        id="flow-states",
        short_title="States of flows",
        title="In what state is the network?",
        reading=(
            "For one condition of each class of congestion: how many flows are connecting, and in which phase "
            "of congestion control the others are."
        ),
        draw=partial(_draw, view),
        selections=[{"algorithm": name} for name in view.algorithms],
        height=560,
        varied=True,
        own_tables=True,
        file="network/flow_states_{algorithm}",
    )


def flow_state_table(view: CampaignView) -> pl.DataFrame:
    """Return mean numbers of flows by state, means over replicates.

    Columns period, condition, algorithm, state (one of `STATES`) and flows; no rows if the states were not measured.
    """
    # Runs have these responses, whether or not the response set contains them.
    there = set(view.campaign.responses.select("response", "period").unique().iter_rows())
    frames = []
    for period in (p for p in PERIODS if p != "run"):
        if not {(name, period) for name in (_SENDING, *_SHARES.values())} <= there:
            continue
        shares = view.campaign.cube([_SENDING, *_SHARES.values()], period)
        # If no source was sending there are no shares, and no flows in any state.
        parts = np.where(shares[:, :, :1] == 0, 0.0, shares[:, :, 1:])
        numbers = {state: parts[:, :, i] * shares[:, :, 0] for i, state in enumerate(_SHARES)}
        if (_CONNECTING, period) in there:
            numbers = {STATES[0]: view.campaign.cube([_CONNECTING], period)[:, :, 0], **numbers}
        for state, values in numbers.items():
            condition, algorithm = np.indices(values.shape)
            names = np.asarray(view.algorithms, dtype=object)[algorithm.ravel()]
            frames.append(
                pl.DataFrame(
                    {
                        "condition": condition.ravel() + 1, "algorithm": names.tolist(), "state": state,
                        "flows": values.ravel(),
                    }
                ).select(pl.lit(period).alias("period"), pl.all())
            )  # fmt: skip
    schema = {
        "period": pl.String, "condition": pl.Int64, "algorithm": pl.String, "state": pl.String, "flows": pl.Float64,
    }  # fmt: skip
    return pl.concat(frames).with_columns(pl.col("flows").fill_nan(None)) if frames else pl.DataFrame(schema=schema)


def _draw(view: CampaignView, algorithm: str) -> Drawing:
    classes = view.classes
    typical = [
        (place, condition)
        for place in range(1, len(classes.names) + 1)
        if (condition := classes.typical(place)) is not None
    ]
    panels = {c: f"condition {c}, congestion {classes.names[place - 1]}" for place, c in typical}
    series = {c: kept_series(view.campaign, c, algorithm) for c in panels}
    over_time = bool(series) and all(frame is not None for frame in series.values())
    if over_time:
        rows = pl.concat(
            [
                _thinned(frame).select(pl.lit(panels[c]).alias("panel"), pl.col("time_s").alias("time"),
                                       pl.lit(state).alias("state"), pl.col(name).cast(pl.Float64).alias("flows"))
                for c, frame in series.items() if frame is not None
                for state, name in _SERIES.items() if name in frame.columns
            ]
        )  # fmt: skip
    else:
        table = flow_state_table(view).filter(
            (pl.col("algorithm") == algorithm) & pl.col("condition").is_in(list(panels))
        )
        periods = table["period"].unique().to_list()
        rows = table.filter(pl.col("period") != "measured") if len(periods) > 1 else table
        rows = rows.select(
            pl.col("condition").replace_strict(panels, return_dtype=pl.String).alias("panel"),
            pl.col("period").alias("time"), "state", "flows",
        )  # fmt: skip
    title = f"States of the flows, {algorithm}, one condition of each class of congestion"
    chart = flow_states(rows, panels=list(panels.values()), over_time=over_time, title=title)
    return drawing(chart, caption(rows, list(panels.values()), over_time))


def _thinned(frame: pl.DataFrame, most: int = 400) -> pl.DataFrame:
    """Return every n-th row, so that at most 400 stay."""
    return frame.gather_every(max(1, -(-frame.height // most)))


def flow_states(
    values: pl.DataFrame, *, panels: Sequence[str], over_time: bool, title: str = "", unit: str = "flows"
) -> alt.FacetChart:
    """Return a panel of stacked numbers of flows for each condition.

    Parameters
    ----------
    values
        Columns panel, time (s, or the name of a period), state (one of `STATES`) and flows.
    panels
        Titles of the panels, in their order.
    over_time
        True: time is in s and drawn as areas. False: a bar per period.
    title
        As for every plot, see `mesonet.plots`.
    unit
        Title of the vertical axis.

    Returns
    -------
    The chart; panels without values are left out.
    """
    rows = values.drop_nulls("flows").with_columns(
        place=pl.col("state").replace_strict({s: i for i, s in enumerate(STATES)}, default=9)
    )
    there = set(rows["panel"])
    scale = alt.Scale(domain=list(STATES), range=list(_COLOURS))
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=HEIGHT)
    mark = base.mark_area() if over_time else base.mark_bar(size=46)
    x = (
        alt.X("time:Q", title="time, s", scale=alt.Scale(nice=False, zero=False))
        if over_time
        else alt.X("time:N", title="measured period", axis=alt.Axis(labelAngle=0, ticks=False))
    )
    chart = mark.encode(
        x=x,
        y=alt.Y("flows:Q", title=unit, stack="zero"),
        order=alt.Order("place:Q"),
        color=alt.Color("state:N", scale=scale, legend=alt.Legend(title=None, orient="top", columns=4, labelLimit=260)),
        tooltip=theme.tooltips("state:N", "time:Q" if over_time else "time:N", ("flows:Q", "", ".4~g")),
    ).facet(
        facet=alt.Facet("panel:N", sort=[p for p in panels if p in there], title=None,
                        header=alt.Header(labelFontSize=11, labelLimit=WIDTH)),
        columns=2 if len(there) == 4 else 3,
    ).resolve_scale(y="independent")  # fmt: skip
    return theme.finish(chart, {DATA: rows}, title=title)


def caption(rows: pl.DataFrame, panels: Sequence[str], over_time: bool) -> str:
    """Return the most frequent state of flows in each panel, as text. `rows`: columns panel, state and flows."""
    text = []
    for panel in panels:
        means = rows.filter(pl.col("panel") == panel).group_by("state", maintain_order=True).agg(pl.mean("flows"))
        total = float(means["flows"].sum() or 0.0)
        if total > 0:
            state, flows = means.sort("flows", descending=True, nulls_last=True).select("state", "flows").row(0)
            text.append(f"{panel}: {percent(100 * flows / total)} {state}")
    how = "over time" if over_time else "mean of the measured periods: not all of these runs kept a time series"
    return f"The most frequent state ({how}): {'; '.join(text)}." if text else "No flow was counted."
