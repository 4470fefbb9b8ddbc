"""Read outcomes of a campaign or of a real test: names of columns, checks, and what is announced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from mesonet.analysis.pandas_data import polars_frame
from mesonet.deployment_tests import BY_TIME, SWEEP, TESTS
from mesonet.errors import InputError, unknown
from mesonet.words import counted, listed, number

UNIT, FLOW = "unit", "flow"
MORE_IS_BETTER = {
    "goodput": True, "throughput": True, "bitrate": True, "completion_time": False, "slowdown": False,
    "retransmission_rate": False, "rtt": False, "queueing_delay": False, "late_frames": False, "rebuffering": False,
}  # fmt: skip
"""Outcomes whose better direction is known."""

#: Columns of outcomes, with the value where there is no such column; None also where there must be one.
COLUMNS: Mapping[str, Any] = {
    "unit": None, "treated": None, "value": None, "outcome": "", "weight": 1.0, "share": None, "seed": "",
    "condition": "", "test": SWEEP, "period": 0, "place": "",
}  # fmt: skip
_MUST = ("unit", "treated", "value")


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Checked outcomes: a frame with all names of `COLUMNS` and the groups; units, seeds and periods are numbers."""

    rows: pl.DataFrame
    names: tuple[str, ...]  #: outcomes
    more_is_better: dict[str, bool]
    groups: tuple[str, ...]
    weighted: bool  #: the table has weights, or several rows per unit, each with the weight 1
    by_seed: bool  #: the table has several seeds: intervals are about runs
    notes: tuple[str, ...]

    def of(self, outcome: str, *tests: str) -> pl.DataFrame:
        """Return the rows of an outcome in runs of these tests."""
        return self.rows.filter((pl.col("outcome") == outcome) & pl.col("test").is_in(tests))

    @property
    def conditions(self) -> list[str]:
        """Names of the conditions in rising order."""
        return sorted(self.rows["condition"].unique().to_list())


def read(
    outcomes: Any,
    columns: Mapping[str, str | Sequence[str]],
    *,
    new: Any = None,
    groups: Sequence[str] = (),
    assignment: str = UNIT,
    more_is_better: Mapping[str, bool] | bool | None = None,
) -> Outcomes:
    """Return checked outcomes. `columns`: the user's names by names of `COLUMNS`; others as in `deployment`."""
    given = polars_frame(outcomes, "outcomes")
    groups = [groups] if isinstance(groups, str) else list(groups)
    frame, weighted, seeded = _named(given, columns, groups)
    notes: list[str] = []
    frame = frame.with_columns(_treated(frame["treated"], new))
    frame = _checked_numbers(frame, notes)
    frame = _checked_labels(frame)
    frame = _with_shares(frame, notes)
    frame = frame.with_columns(
        *(pl.col(name).rank("dense").cast(pl.Int64) for name in ("unit", "seed", "period")),
        *(pl.col(name).cast(pl.String) for name in ("condition", "place", *groups)),
    )
    for group in groups:
        if empty := frame[group].null_count():
            notes.append(f"{counted(empty, 'row')} without a level of {group}: no part in its levels.")
    _check_arms(frame, assignment, notes)
    names = tuple(sorted(frame["outcome"].unique().to_list()))
    return Outcomes(
        rows=frame,
        names=names,
        more_is_better=_directions(names, more_is_better),
        groups=tuple(groups),
        weighted=weighted or _has_several_rows(frame),
        by_seed=seeded and frame["seed"].n_unique() > 1,
        notes=tuple(notes),
    )


def _named(
    frame: pl.DataFrame, columns: Mapping[str, str | Sequence[str]], groups: Sequence[str]
) -> tuple[pl.DataFrame, bool, bool]:
    """Return the frame with the names of `COLUMNS`, and whether it has weights and seeds."""
    for name in columns:
        if name not in COLUMNS:
            raise unknown("column of outcomes", name, COLUMNS, path="columns")
    asked = {name: columns.get(name, name) for name in COLUMNS}
    several = not isinstance(asked["value"], str)
    values = list(asked["value"]) if several else [str(asked["value"])]
    there = set(frame.columns)
    if several and "outcome" in columns:
        problem = "names of outcomes twice: the columns of `value` are the outcomes"
        raise InputError(
            problem, path="outcome", value=columns["outcome"], allowed="one column as `value`, or no outcome"
        )
    for name, own in [*((n, o) for n, o in asked.items() if n != "value"), *(("value", each) for each in values)]:
        if own not in there and (name in _MUST or name in columns):
            raise unknown("column", str(own), frame.columns, path=name)
    for place, group in enumerate(groups):
        if group not in there:
            raise unknown("column", group, frame.columns, path=f"groups[{place}]")
        if group in COLUMNS and asked[group] != group:
            raise InputError("means another column here", path=f"groups[{place}]", value=group, allowed="another name")
    has_outcome = not several and asked["outcome"] in there
    parts = []
    for value in values:
        taken = [pl.col(value).alias("value")]
        for name, default in COLUMNS.items():
            if name == "outcome":
                taken.append(pl.col(str(asked[name])).alias(name) if has_outcome else pl.lit(value).alias(name))
            elif name != "value":
                own = str(asked[name])
                taken.append(pl.col(own).alias(name) if own in there else pl.lit(default).alias(name))
        own_groups = [pl.col(group) for group in groups if group not in COLUMNS]
        parts.append(frame.select(taken + own_groups))
    found = pl.concat(parts, how="vertical_relaxed") if len(parts) > 1 else parts[0]
    if found.is_empty():
        raise InputError("no rows", path="outcomes", allowed="a row per unit and outcome")
    return found, asked["weight"] in there, asked["seed"] in there


def _treated(column: pl.Series, new: Any) -> pl.Series:
    """Return True for units with the new control. `new`: its label; None for a column of true and false, or 1 and 0."""
    if column.null_count():
        raise InputError("a row without an arm", path="treated", allowed="an arm in each row")
    labels = column.unique().sort().to_list()
    if new is not None:
        if new not in labels:
            shown = listed([str(each) for each in labels[:10]])
            raise InputError("no such arm", path="new", value=new, allowed=shown)
        if len(labels) > 2:
            shown = listed([str(each) for each in labels[:10]])
            raise InputError(f"{len(labels)} arms ({shown})", path="treated", allowed="two; leave the others out")
        return column.is_in([new]).alias("treated")
    if not set(labels) <= {0, 1}:  # false and true are equal to them
        shown = listed([f'"{each}"' for each in labels[:10]])
        allowed = f'true and false, or 1 and 0; or name the new arm: new="{labels[-1]}"'
        raise InputError(f"arms are {shown}", path="treated", allowed=allowed)
    return column.cast(pl.Boolean).alias("treated")


def _checked_numbers(frame: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Return the rows that have a value, with a note on the others."""
    for name in ("value", "weight", "share"):
        try:
            frame = frame.with_columns(pl.col(name).cast(pl.Float64).fill_nan(None))
        except pl.exceptions.InvalidOperationError:
            raise InputError("not numbers", path=name, value=str(frame[name].dtype), allowed="numbers") from None
    if frame["value"].is_infinite().any():
        raise InputError("infinite", path="value", allowed="finite numbers, or empty where nothing was measured")
    weight = frame["weight"]
    if (bad := frame.filter((weight < 0) | weight.is_infinite())).height:
        raise InputError("not a weight", path="weight", value=bad["weight"][0], allowed="at least 0")
    has = pl.col("value").is_not_null() & (pl.col("weight") > 0).fill_null(value=False)
    kept = frame.filter(has)
    if left := frame.height - kept.height:
        by_arm = frame.filter(~has)["treated"].sum()
        what = f"{counted(left, 'row')} of {frame.height:,} without a value or with the weight 0"
        notes.append(f"{what}: left out, {by_arm:,} of them with the new control.")
    if kept.is_empty():
        raise InputError("no row has a value", path="value", allowed="numbers")
    return kept


def _checked_labels(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with a known test in each row; an empty label of a unit, seed, period or outcome is refused."""
    for name in ("unit", "seed", "period", "outcome", "condition"):
        if frame[name].null_count():
            raise InputError("empty in some rows", path=name, allowed="a label in each row")
    frame = frame.with_columns(
        pl.col("outcome").cast(pl.String), pl.col("test").cast(pl.String).fill_null(SWEEP).replace("", SWEEP)
    )
    for test in sorted(frame["test"].unique().to_list()):
        if test not in (SWEEP, *TESTS):
            raise unknown("design of a test", test, (SWEEP, *TESTS), path="test")
    return frame


def _with_shares(frame: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Return the frame with shares: the given ones, or the part of all units that have the new control."""
    share = frame["share"]
    bad = share.filter((share < 0) | (share > 1))
    if len(bad):
        raise InputError("not a share", path="share", value=bad[0], allowed="0 to 1, such as 0.05 for 5 % of all units")
    missing = share.is_null()
    if not missing.any():
        return frame
    if not missing.all():
        raise InputError("empty in some rows", path="share", allowed="a share in each row, or no column of shares")
    arms = frame.select("unit", "treated").unique()
    part = float(arms["treated"].mean())  # type: ignore[arg-type]
    notes.append(f"The share is the part of the units of the table that have the new control: {number(part)}.")
    return frame.with_columns(pl.lit(part).alias("share"))


def _check_arms(frame: pl.DataFrame, assignment: str, notes: list[str]) -> None:
    """Refuse outcomes without two arms or two units, and units in both arms unless flows are assigned."""
    if assignment not in (UNIT, FLOW):
        raise InputError("unknown assignment", path="assignment", value=assignment, allowed=f"{UNIT}, {FLOW}")
    for treated, what in ((True, "with the new control"), (False, "without it")):
        if not (frame["treated"] == treated).any():
            raise InputError(f"no unit {what}", path="treated", allowed="units with and without the new control")
    if frame["unit"].n_unique() < 2:
        raise InputError("one unit", path="unit", allowed="at least 2 units: their differences are the noise")
    steady = frame.filter(~pl.col("test").is_in(BY_TIME))
    keys = ["condition", "test", "seed", "share", "period", "outcome", "unit"]
    both = steady.group_by(keys).agg(pl.col("treated").n_unique()).filter(pl.col("treated") > 1)
    if not both.is_empty():
        units = both["unit"].n_unique()
        if assignment == UNIT:
            problem = f"{counted(units, 'unit')} with and without the new control in one period"
            allowed = f'one arm per unit; or assignment="{FLOW}", if each flow draws its control'
            raise InputError(problem, path="treated", allowed=allowed)
        notes.append(f"{counted(units, 'unit')} have flows of both arms: intervals are clustered by unit.")
    for share, treated, what in ((0.0, True, "have the new control at share 0"), (1.0, False, "lack it at share 1")):
        odd = steady.filter((pl.col("share") == share) & (pl.col("treated") == treated))["unit"].n_unique()
        if odd:
            notes.append(f"{counted(odd, 'unit')} {what}: no part of the total effect.")


def _has_several_rows(frame: pl.DataFrame) -> bool:
    """Return True if a unit has several rows of one outcome in one arm of a run."""
    keys = ["outcome", "condition", "test", "seed", "share", "period", "treated", "unit"]
    return frame.select(keys).is_duplicated().any()


def _directions(names: Sequence[str], given: Mapping[str, bool] | bool | None) -> dict[str, bool]:
    """Return True by outcome if more is better."""
    if isinstance(given, bool):
        return dict.fromkeys(names, given)
    known = {**MORE_IS_BETTER, **(given or {})}
    for name in given or {}:
        if name not in names:
            raise unknown("outcome", name, names, path="more_is_better")
    for name in names:
        if name not in known:
            allowed = f'true or false, such as more_is_better={{"{name}": True}}'
            raise InputError("direction is not known", path="more_is_better", value=name, allowed=allowed)
    return {name: bool(known[name]) for name in names}
