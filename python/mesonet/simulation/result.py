"""Result of a run: tables with units, its cost, and its files."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mesonet.errors import InputError, needs_extra
from mesonet.files import checksums, places
from mesonet.files.locks import lock_file
from mesonet.responses.tables import UNIT, TableColumns
from mesonet.simulation import settling

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import xarray as xr

INDEX: Mapping[str, Sequence[str]] = {
    "responses": ("response", "period"),
    "series": ("time_s",),
    "flows": ("source", "transfer"),
    "groups": ("period", "category", "path_class", "rate_class", "algorithm"),
    "units": UNIT,
    "routers": ("period", "router"),
    "demands": (),
    "applications": ("period", "flow"),
    "flow_traces": ("flow", "time_s"),
    "router_traces": ("router", "time_s"),
    "packets": (),
    "stacks": ("source", "transfer"),
}
"""Columns that identify a row of a table of a result."""
TABLES = tuple(INDEX)
"""The tables of a result."""

FILES = (*(f"{name}.parquet" for name in TABLES), checksums.RECORD)
"""Files that `Result.write` writes."""


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Named columns with units, in whatever form the caller works with.

    Attributes
    ----------
    columns
        Values by name, one-dimensional and equally long: arrays of numbers, in which nothing measured is NaN, and lists
        of text.
    units
        Unit by column; ``1`` for a plain number; columns of text have none.
    index
        Columns that identify a row; `to_xarray` makes them dimensions.
    """

    columns: Mapping[str, Any]
    units: Mapping[str, str]
    index: tuple[str, ...] = ()

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The columns as a polars frame; nothing measured is null."""
        import polars as pl  # as long to import as a short run

        return pl.DataFrame(
            [
                pl.Series(name, values, nan_to_null=True) if name in self.units else pl.Series(name, values, pl.String)
                for name, values in self.columns.items()
            ]
        )

    def column(self, name: str) -> list[Any]:
        """Return a column as plain values.

        Parameters
        ----------
        name
            Name of the column.

        Returns
        -------
        Numbers or texts; nothing measured is None.

        Raises
        ------
        KeyError
            If there is no such column.
        """
        values = self.columns[name]
        return [None if value != value else value for value in values.tolist()] if name in self.units else list(values)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as plain values by column.

        Returns
        -------
        Mappings of names to numbers or texts; nothing measured is None.
        """
        plain = [self.column(name) for name in self.columns]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*plain, strict=True)]

    def to_arrow(self) -> pa.Table:
        """Return the table as an Arrow table.

        Returns
        -------
        An Arrow table; each field's metadata holds its ``unit``.

        Raises
        ------
        ImportError
            If pyarrow is not installed.
        """
        try:
            import pyarrow as pa
        except ImportError as error:
            raise needs_extra("to_arrow", "dataframes") from error
        arrow = self.frame.to_arrow()
        fields = [
            field.with_metadata({"unit": self.units[field.name]})
            if field.name in self.units
            else field.with_type(pa.string())
            for field in arrow.schema
        ]
        return arrow.cast(pa.schema(fields))

    def to_polars(self) -> pl.DataFrame:
        """Return the table as a polars frame.

        Returns
        -------
        A frame; nothing measured is null.
        """
        return self.frame

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a pandas frame.

        Returns
        -------
        A frame; nothing measured is NaN.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise needs_extra("to_pandas", "dataframes") from error
        return pandas.DataFrame(
            {
                column.name: column.to_numpy()
                if column.name in self.units
                else pandas.Series(column.to_list(), dtype=str)
                for column in self.frame
            }
        )

    def to_xarray(self) -> xr.Dataset:
        """Return a data set with the index columns as dimensions.

        Returns
        -------
        A data set; each variable has its unit in ``attrs["units"]``.

        Raises
        ------
        ImportError
            If pandas or xarray is not installed.
        """
        try:
            import xarray
        except ImportError as error:
            raise needs_extra("to_xarray", "dataframes") from error
        frame = self.to_pandas()
        frame = frame.set_index(list(self.index)) if self.index else frame.rename_axis("row")
        dataset = xarray.Dataset.from_dataframe(frame)
        for name, unit in self.units.items():
            if name in dataset.variables:
                dataset[name].attrs["units"] = unit
        return dataset

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Table)
            and (self.units, self.index) == (other.units, other.index)
            and self.frame.equals(other.frame)
        )

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __repr__(self) -> str:
        return repr(self.frame)


def table(columns: Mapping[str, Any], about: TableColumns, index: Sequence[str] = ()) -> Table:
    """Return a table of columns with units.

    The table, columns in the order given. `columns`: values by name, one-dimensional and equally long. NaN becomes null
    in columns of floats: nothing was measured.
    """
    units = {name: unit for name in columns if (unit := about.unit(name))}
    made = {name: np.asarray(values) if name in units else list(values) for name, values in columns.items()}
    return Table(made, units, tuple(index))


@dataclass(frozen=True)
class Result:
    """Result of a run.

    Attributes
    ----------
    responses
        One row per response and period: response, symbol, period, unit, value.
    series
        One row per measurement interval.
    flows
        One row per recorded flow.
    groups
        Goodput, completion times and losses by period and group of flows: file category, path class, interface,
        algorithm.
    units
        Flows by period, user and class, where the scenario records them (``measurement.units``); else empty.
    routers
        Queue, drops and utilisation by period and router.
    demands
        Offered and carried data by pair of routers, of a traffic matrix of rates and of open-loop arrivals; else empty.
    applications
        Messages, delays and losses by period and explicit flow with an application; else empty.
    flow_traces, router_traces
        Detailed traces of flows, sources and routers that the scenario's ``trace`` names; else empty.
    packets
        Events of single segments of these flows and sources, where the scenario has ``trace.packets``; else empty.
    stacks
        Connections of whole transport stacks (``--algorithm stack:quinn/cubic``), with how each ended; else empty.
    performance
        ``cpu_s``, ``wall_s``, ``data_segments_delivered``, ``router_hops``, ``peak_rss_bytes`` (of the process so far).
    provenance
        Scenario, seed and versions, with which the run can be repeated.
    """

    responses: Table
    series: Table
    flows: Table
    groups: Table
    units: Table
    routers: Table
    demands: Table
    applications: Table
    flow_traces: Table
    router_traces: Table
    packets: Table
    stacks: Table
    performance: Mapping[str, Any]
    provenance: Mapping[str, Any]

    def value(self, response: str, period: str = "measured") -> float:
        """Return a response of a period.

        Parameters
        ----------
        response
            Name of the response.
        period
            ``measured`` for the whole measured span, or the name of a period, as in the table.

        Returns
        -------
        The value in the unit of the response; NaN where nothing was measured.

        Raises
        ------
        KeyError
            If there is no such response in this period.
        """
        columns = (self.responses.columns[name] for name in ("response", "period", "value"))
        for name, when, value in zip(*columns, strict=True):
            if (name, when) == (response, period):
                return float(value)
        raise KeyError(f"no response {response!r} in period {period!r}")

    def settling_time(self, name: str | None = None) -> float | None:
        """Return the time after which a series, or the load, has left its initial transient, by MSER-5.

        See `mesonet.simulation.settling`. Changes that the scenario makes after the warm-up end the span that counts.

        Parameters
        ----------
        name
            A column of `series` that has a number at every instant; None: the latest of the series of the load.

        Returns
        -------
        Seconds from the beginning; None where the run is too short for a verdict.

        Raises
        ------
        KeyError
            If there is no such column.
        ValueError
            If the column has no number at some instant.
        """
        if name is None:
            return settling.of_load(self.settling_times)
        until = settling.steady_until(self.provenance["scenario"])
        return settling.settling_time(self.series.column("time_s"), self.series.column(name), until)

    @cached_property
    def settling_times(self) -> dict[str, float | None]:
        """Settling time by series of `mesonet.simulation.settling.SETTLING`, s; None: not before the end."""
        return {name: self.settling_time(name) for name in settling.SETTLING}

    @cached_property
    def load_drift(self) -> dict[str, float | None]:
        """Relative change of each series of the load from the first to the second half of the measured time."""
        scenario = self.provenance["scenario"]
        span = float(scenario["time"]["warmup"]), settling.steady_until(scenario)
        times = self.series.column("time_s")
        return {name: settling.drift(times, self.series.column(name), *span) for name in settling.LOAD}

    @property
    def load_settled(self) -> bool:
        """True if the load had settled when the warm-up ended; always True without users."""
        return bool(settling.load_settled(self.settling_times, self.load_drift, self.provenance["scenario"]))

    def record(self) -> dict[str, Any]:
        """Return provenance, resources and the settling times: the content of ``run.json`` without checksums.

        Returns
        -------
        Plain data.
        """
        return {
            **self.provenance,
            "performance": self.performance,
            "load_drift": self.load_drift,
            "settling_s": self.settling_times,
            "settling_time_s": self.settling_time(),
        }

    def run_json(self) -> str:
        """Return the record as text.

        Returns
        -------
        JSON text.
        """
        return json.dumps(self.record(), indent=1, sort_keys=True) + "\n"

    def write(self, directory: str | Path) -> Path:
        """Write the tables and run.json; files of an earlier run are replaced.

        All files are written to a temporary place and renamed, so that a reader never sees half a file.

        Parameters
        ----------
        directory
            The folder; it is made if it does not exist.

        Returns
        -------
        The folder.

        Raises
        ------
        InputError
            If the directory holds other things or cannot be written to.
        """
        with reserved(directory) as put:
            return put(self)

    def _write_files(self, aside: Path) -> None:
        for name in TABLES:
            write_parquet(getattr(self, name), aside / f"{name}.parquet")
        checksums.write_record(self.record(), aside)


@contextmanager
def reserved(directory: str | Path) -> Iterator[Callable[[Result], Path]]:
    """Reserve a directory for a result that is still to come."""
    with places.folder(directory) as path:
        _refuse_foreign(path)
        with places.aside(path) as aside:
            yield partial(_put, path=path, aside=aside)


def _put(result: Result, path: Path, aside: Path) -> Path:
    result._write_files(aside)
    for name in FILES:
        (aside / name).replace(path / name)
    return path


def write_parquet(table: Table, path: Path) -> None:
    """Write a table so that equal tables have equal bytes for one version of polars; a file is replaced.

    The metadata of the file hold the units by column, as JSON in ``units``.
    """
    content = io.BytesIO()  # polars would raise errors of the file system without their number
    table.frame.write_parquet(content, metadata={"units": json.dumps(table.units)})
    path.write_bytes(content.getbuffer())


def _refuse_foreign(path: Path) -> None:
    """Raise an `InputError` if the directory holds anything but an earlier run, and a checkpoint in use."""
    there = {entry.name for entry in path.iterdir()}
    in_use = {name for name in (*there, *FILES) if lock_file(path / name).name in there}
    if taken := sorted(in_use.intersection(FILES)):
        allowed = "a file other than the files that --out writes"
        raise InputError("one of the results", path="--checkpoint", value=str(path / taken[0]), allowed=allowed)
    foreign = sorted(name for name in there - in_use if name not in FILES and not name.startswith(places.ASIDE))
    if foreign:
        problem = f"the directory holds other files ({', '.join(foreign[:3])})"
        raise InputError(problem, path="--out", value=str(path), allowed="a new or empty directory, or an earlier run")
