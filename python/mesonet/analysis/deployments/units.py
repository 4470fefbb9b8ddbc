"""Outcomes of the table of units of simulated runs."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from mesonet.errors import InputError, unknown

#: By outcome: its value, and the weight behind the value, as columns of the table of units.
OUTCOMES = {
    "goodput": (pl.col("goodput"), "flows"),
    "throughput": (pl.col("segments_delivered") / pl.col("flow_seconds"), "flow_seconds"),
    "completion_time": (pl.col("completion_time"), "flows"),
    "slowdown": (pl.col("slowdown"), "slowdown_flows"),
    "retransmission_rate": (pl.col("retransmission_rate"), "segments_sent"),
    "rtt": (pl.col("rtt_ms"), "rtt_flows"),
    "queueing_delay": (pl.col("queueing_delay_ms"), "queueing_delay_flows"),
}
#: Columns that say whose and which flows a row has, and the run; others are counts and means.
LABELS = (
    "condition", "test", "seed", "share", "period", "user", "home", "pop", "access", "path_class", "rtt_class",
    "rate_class",
)  # fmt: skip


def outcomes_of(
    units: pl.DataFrame,
    *,
    new: str,
    against: str | None = None,
    unit: str = "user",
    outcomes: Sequence[str] | None = None,
) -> pl.DataFrame:
    """Return the outcomes of tables of units, as `deployment` takes them.

    Parameters
    ----------
    units
        Tables `units` of runs below each other, with columns ``share``, ``seed``, and ``condition`` and ``test`` where
        they differ.
    new
        The new control: units with its flows are treated.
    against
        The incumbent; flows of all other controls are left out. None: all flows without the new control count.
    unit
        Column of what is assigned, such as ``user`` or ``home``.
    outcomes
        Of goodput, throughput (segments delivered in the time for which flows sent), completion_time, slowdown,
        retransmission_rate, rtt and queueing_delay. None: all that the table has columns for.

    Returns
    -------
    A row per outcome and row of the table, with the columns ``unit``, ``treated``, ``outcome``, ``value``, ``weight``
    and the labels of the table. The weight is the number that the value is a mean over: flows, seconds or segments. A
    sum of weighted values is therefore exact over any rows.

    Raises
    ------
    InputError
        If a column is missing, an outcome is unknown, or no flow has the new control.

    Examples
    --------
    >>> table = {"user": ["a", "b"], "algorithm": ["bbr3", "cubic"], "goodput": [9.0, 8.0], "flows": [3, 5]}
    >>> outcomes_of(pl.DataFrame(table), new="bbr3").select("unit", "treated", "outcome", "value", "weight").rows()
    [('a', True, 'goodput', 9.0, 3.0), ('b', False, 'goodput', 8.0, 5.0)]
    """
    there = set(units.columns)
    for path, column in (("unit", unit), ("units", "algorithm")):
        if column not in there:
            raise unknown("column", column, units.columns, path=path)
    algorithms = units["algorithm"].unique().sort().to_list()
    for path, name in (("new", new), ("against", against)):
        if name is not None and name not in algorithms:
            raise unknown("algorithm of the table", name, [str(each) for each in algorithms], path=path)
    has = [name for name, (value, weight) in OUTCOMES.items() if {*value.meta.root_names(), weight} <= there]
    for name in outcomes or ():
        if name not in has:
            raise unknown("outcome of the table", name, has, path="outcomes")
    if not has:
        raise InputError("no columns of an outcome", path="units", allowed="a table of units")
    rows = units if against is None else units.filter(pl.col("algorithm").is_in([new, against]))
    labels = [pl.col(name) for name in LABELS if name in there and name != unit]
    return pl.concat(
        [
            rows.select(
                pl.col(unit).alias("unit"),
                (pl.col("algorithm") == new).alias("treated"),
                pl.lit(name).alias("outcome"),
                OUTCOMES[name][0].cast(pl.Float64).alias("value"),
                pl.col(OUTCOMES[name][1]).cast(pl.Float64).alias("weight"),
                *labels,
            )
            for name in outcomes or has
        ]
    )
