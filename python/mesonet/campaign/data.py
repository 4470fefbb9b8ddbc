"""A campaign folder as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl

from mesonet import models
from mesonet.campaign import tables
from mesonet.campaign.backlog import counted, known_versions
from mesonet.campaign.ledger import Ledger
from mesonet.designs import Design
from mesonet.designs.factor import Factor
from mesonet.designs.grid import KIND
from mesonet.designs.rows import Rows, from_document
from mesonet.errors import InputError, unknown
from mesonet.files import checksums
from mesonet.responses.sets import DEFAULT, SETS, SetMember
from mesonet.simulation.settling import LOAD, SETTLING, load_settled, of_load

_RUNS = {
    "condition": pl.Int64,
    "algorithm": pl.String,
    "replicate": pl.Int64,
    "seed": pl.Int64,
    "key": pl.String,
    "status": pl.String,
    "message": pl.String,
    "load_settled": pl.Boolean,
    "settling_time_s": pl.Float64,
    **{f"settling_{name}_s": pl.Float64 for name in SETTLING},
    **{f"drift_{name}": pl.Float64 for name in LOAD},
    "cpu_s": pl.Float64,
    "data_segments_delivered": pl.Int64,
    "peak_rss_bytes": pl.Int64,
}
_OWN = {"algorithm_of_row": "flow_algorithm"}
_RESPONSES = {
    "condition": pl.Int64,
    "algorithm": pl.String,
    "replicate": pl.Int64,
    "response": pl.String,
    "symbol": pl.String,
    "period": pl.String,
    "unit": pl.String,
    "value": pl.Float64,
}


@dataclass(frozen=True, eq=False)
class Campaign:
    """The runs of an experiment, as far as they are done.

    Attributes
    ----------
    path
        The campaign folder.
    name, title
        Texts of the experiment.
    factors
        The factors with their levels as text.
    design
        The conditions at which all factors are at a level, and their aliases.
    algorithms
        Algorithms that each ran in every condition.
    runs
        One row per run: condition and replicate (from 1), algorithm, seed, key, status (``done``, ``failed``,
        ``missing``), message of a failed run, load_settled (`mesonet.simulation.settling`; True in every network
        without users; null: not known), settling_time_s of the load and settling_sending_s and so on of each series
        (NaN: not by the end; null: not recorded), drift_sending and so on of each series of the load, cpu_s,
        data_segments_delivered, peak_rss_bytes (null unless done).
    responses
        One row per run that is done, response and period: condition, algorithm, replicate, response, symbol, period,
        unit, value (null where nothing was measured).
    experiment
        The content of ``experiment.json``.
    provenance
        ``versions``, ``started`` and ``finished`` of the runs; empty before the first.
    checksums
        SHA-256 of the files of each run that is done, by key and name; empty for runs of earlier code.
    """

    path: Path
    name: str
    title: str
    factors: tuple[Factor, ...]
    design: Design
    algorithms: tuple[str, ...]
    runs: pl.DataFrame = field(repr=False)
    responses: pl.DataFrame = field(repr=False)
    experiment: dict[str, Any] = field(repr=False)
    provenance: dict[str, Any] = field(repr=False)
    checksums: dict[str, Mapping[str, str]] = field(repr=False, default_factory=dict)

    def response(self, name: str, period: str = "measured") -> pl.DataFrame:
        """Return a response of a period in all runs.

        Parameters
        ----------
        name
            Name of the response.
        period
            ``measured`` for the whole measured span, a period such as ``1``, or ``run``.

        Returns
        -------
        Columns condition, algorithm, replicate, value (in the unit of the response); empty before the first run is
        done.

        Raises
        ------
        InputError
            If runs are done and none has the response in this period.
        """
        rows = self.responses.filter((pl.col("response") == name) & (pl.col("period") == period))
        if rows.is_empty() and not self.responses.is_empty():
            self._refuse_unknown(name, period)
        return rows.select("condition", "algorithm", "replicate", "value")

    @cached_property
    def has_groups(self) -> bool:
        """True if every finished run kept its flow groups, and there is one."""
        done = self.runs.filter(status="done")["key"]
        return len(done) > 0 and all((self.path / "runs" / key / "groups.parquet").exists() for key in done)

    @cached_property
    def groups(self) -> pl.DataFrame:
        """Flow groups of every run that is done.

        Columns condition, algorithm (of the run), replicate, period, group (1 to 24), flow_algorithm (of the flows),
        then the measures of `mesonet.responses.tables.GROUPS`.
        """
        if self.experiment.get("model") is not None:
            return pl.DataFrame()
        return tables.read(self.path / "runs", self.runs, "groups", self.checksums).rename(_OWN, strict=False)

    def kept(self, name: str, condition: int, algorithm: str, replicate: int = 1) -> pl.DataFrame:
        """Return a table that the experiment has its runs keep, such as ``flow_traces``.

        Parameters
        ----------
        name
            Name of the table.
        condition, algorithm, replicate
            The run; condition and replicate count from 1.

        Returns
        -------
        The table; empty if the run is not done, or not planned in a campaign with unequal replicates.

        Raises
        ------
        InputError
            If the runs of the experiment do not keep the table, or there is no such condition, algorithm or replicate.
        """
        self._refuse_not_kept(name)
        if algorithm not in self.algorithms:
            raise unknown("algorithm", str(algorithm), self.algorithms, path="algorithm")
        for what, number in (("condition", condition), ("replicate", replicate)):
            if number not in (numbers := self.runs[what].unique().sort().to_list()):
                allowed = f"{numbers[0]} to {numbers[-1]}" if numbers[1:] else str(numbers[0])
                raise InputError(f"no such {what}", path=what, value=number, allowed=allowed)
        runs = self.runs.filter(condition=condition, algorithm=algorithm, replicate=replicate, status="done")
        return pl.DataFrame() if runs.is_empty() else self.table(runs["key"].item(), name)

    def scan(self, name: str) -> pl.LazyFrame:
        """Return a table that the experiment has its runs keep, of all runs that are done.

        Runs are read one after the other when the frame is collected, so that one run at a time is in memory.

        Parameters
        ----------
        name
            Name of the table, such as ``units``.

        Returns
        -------
        Columns condition, algorithm (of the run) and replicate, then those of the table, whose own algorithm is
        flow_algorithm; without columns before the first run is done.

        Raises
        ------
        InputError
            If the runs of the experiment do not keep the table, or a file is damaged.
        """
        self._refuse_not_kept(name)
        return tables.scan(self.path / "runs", self.runs, name, self.checksums).rename(_OWN, strict=False)

    def _refuse_not_kept(self, name: str) -> None:
        if name not in (kept := self.experiment.get("keep", [])):
            raise unknown("kept table", name, kept)

    def table(self, key: str, name: str) -> pl.DataFrame:
        """Return a table of a run that is done.

        Parameters
        ----------
        key
            Key of the run.
        name
            Name of the table.

        Returns
        -------
        The table.

        Raises
        ------
        InputError
            If the run did not keep the table, or the file is damaged.
        """
        return tables.table(self.path / "runs" / key / f"{name}.parquet", self.checksums.get(key))

    def tidy(self, responses: Sequence[str] | None = None, period: str | None = "measured") -> pl.DataFrame:
        """Return one long table for other programs: runs, the real levels of their factors, and responses.

        Parameters
        ----------
        responses
            Names of the responses; None: all. ``goodput`` is of explicit flows, by the algorithm of the flows.
        period
            As for `response`; None: all periods.

        Returns
        -------
        One row per run, response and period. Columns condition, algorithm (of the run), replicate; for each factor its
        level as text, as it was given, and in ``NAME_number`` as a number in the unit of the text, null unless all its
        levels are numbers; response, flow_algorithm (whose flows a goodput is of; else ``all``), period, unit and
        value. A factor that is named as a response or as another column has ``factor_`` in front.

        Raises
        ------
        InputError
            If runs are done and none has one of the responses, or the period.
        """
        from mesonet.campaign.tidy import tidy

        return tidy(self, responses, period)

    def set_values(self) -> pl.DataFrame:
        """Return the response set of the experiment.

        One row per run and entry of the set; for entries about flow groups one row per group too.

        Returns
        -------
        Columns condition, algorithm, replicate, symbol, group (null for the whole network), response, period, and value
        (null where nothing was measured).

        Raises
        ------
        InputError
            If the campaign has a model that is no network.
        """
        if self.experiment.get("model") is not None:
            raise InputError("a model that is no network has no response set", value=self.name, allowed="responses")
        chosen = SETS[self.experiment.get("response_set", DEFAULT)]
        run = ["condition", "algorithm", "replicate"]
        parts = []
        for entry in chosen.entries:
            rows = self.response(entry.name, entry.period or "measured")
            parts.append(_entry(rows.with_columns(group=pl.lit(None, pl.Float64)), entry, run))
        for entry in chosen.per_group:
            tcp = pl.lit(self.experiment.get("mixed_with") or "tcp")
            whose = pl.col("flow_algorithm") == (tcp if entry.of == "tcp" else pl.col("algorithm"))
            rows = self.groups.filter((pl.col("period") == "measured") & whose & pl.col("group").is_not_null())
            parts.append(_entry(rows.select(*run, "group", value=pl.col(entry.name).cast(pl.Float64)), entry, run))
        return pl.concat(parts)

    def cube(self, responses: Sequence[str], period: str = "measured") -> npt.NDArray[np.float64]:
        """Return means of responses over replicates as an array.

        Conditions with factors between their levels, such as centre points, are in `responses` only.

        Parameters
        ----------
        responses
            Names of the responses.
        period
            As for `response`.

        Returns
        -------
        Shape (conditions of `design`, algorithms, responses), in the unit of each response; NaN where missing.

        Raises
        ------
        InputError
            If runs are done and none has one of the responses in this period.
        """
        cube = np.full((self.design.runs, len(self.algorithms), len(responses)), np.nan)
        places = {algorithm: place for place, algorithm in enumerate(self.algorithms)}
        for place, name in enumerate(responses):
            means = self.response(name, period).group_by("condition", "algorithm").agg(pl.col("value").mean())
            for condition, algorithm, value in means.filter(pl.col("condition") <= len(cube)).iter_rows():
                cube[condition - 1, places[algorithm], place] = np.nan if value is None else value
        return cube

    @cached_property
    def rows(self) -> Rows:
        """All conditions, including conditions with factors between their levels."""
        return from_document(self.experiment["design"])

    @cached_property
    def unsettled(self) -> tuple[int, ...] | None:
        """Conditions whose load had not settled in half of their runs or more; None if a run has no record of it.

        The runs of a condition have a majority because MSER-5 finds no verdict by chance in some runs of a steady load.
        """
        done = self.runs.filter(status="done")
        if done["load_settled"].has_nulls():
            return None
        parts = done.group_by("condition").agg(pl.col("load_settled").mean())
        return tuple(parts.filter(pl.col("load_settled") <= 0.5)["condition"].sort().to_list())

    @property
    def counts(self) -> dict[str, int]:
        """Number of runs by status."""
        statuses = self.runs["status"].to_list()
        return {status: statuses.count(status) for status in ("done", "failed", "missing")}

    def _refuse_unknown(self, name: str, period: str) -> None:
        names = self.responses["response"].unique(maintain_order=True).to_list()
        if name not in names:
            raise unknown("response", name, names)
        periods = self.responses.filter(pl.col("response") == name)["period"].unique(maintain_order=True).to_list()
        raise unknown("period", period, periods, path=name)


def _entry(rows: pl.DataFrame, entry: SetMember, run: list[str]) -> pl.DataFrame:
    about = {"symbol": entry.symbol, "response": entry.name, "period": entry.period or "measured"}
    rows = rows.with_columns(**{name: pl.lit(text) for name, text in about.items()})
    return rows.select(*run, "symbol", pl.col("group").cast(pl.Int64), "response", "period", "value")


def _settling(about: dict[str, Any], scenario: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a run about its settling; times are NaN if it had not settled, null without a record."""
    times = about.get("settling_s")
    if times is None and "settling_time_s" in about:  # earlier records: of the transmitting sources only
        times = {"sending": about["settling_time_s"]}
    drifts = about.get("load_drift", {})
    settled = load_settled(times, drifts, scenario) if "users" in scenario else None  # a model has none
    if not times or not set(LOAD).intersection(times):
        return {"load_settled": settled}
    columns = {f"settling_{name}_s": times[name] for name in SETTLING if name in times}
    columns["settling_time_s"] = of_load(times)
    return {
        "load_settled": settled,
        **{name: float("nan") if at is None else float(at) for name, at in columns.items()},
        **{f"drift_{name}": drifts.get(name) for name in LOAD},
    }


def without_runs(path: Path, document: Mapping[str, Any]) -> Campaign:
    """Return the campaign of an experiment document before its first run."""
    return _campaign(path, document, pl.DataFrame(schema=_RUNS), pl.DataFrame(schema=_RESPONSES))


def _campaign(
    path: Path, document: Mapping[str, Any], runs: pl.DataFrame, responses: pl.DataFrame, **more: Any
) -> Campaign:
    return Campaign(
        path=path,
        name=document["name"],
        title=document["title"],
        factors=msgspec.convert(document["factors"], tuple[Factor, ...]),
        design=from_document(document["design"]).design,
        algorithms=tuple(document["algorithms"]),
        runs=runs,
        responses=responses.select([pl.col(name).cast(kind) for name, kind in _RESPONSES.items()]),
        experiment=dict(document),
        provenance=more.pop("provenance", {}),
        **more,
    )


def load(path: str | Path) -> Campaign:
    """Return the campaign in a folder, whatever part of it is done.

    Runs of the code that last ran the campaign count, and runs of earlier code if that was allowed (``--force``). Runs
    of other code are left out.
    """
    ledger = Ledger(path)
    document = ledger.document()
    provenance = ledger.provenance()
    versions = known_versions(provenance) or [models.code_version(document.get("model"))]
    statuses = ledger.statuses()
    scenarios = {(each["condition"], each["algorithm"]): each["scenario"] for each in document["scenarios"]}
    rows = []
    known = {}
    for run in counted(document, versions, statuses):
        status = statuses.get(run.key, "missing")
        about = ledger.run_json(run.key, status) if status != "missing" else {}
        known[run.key] = checksums.of_record(about)
        cost = about.get("performance", {})
        rows.append(
            {
                "condition": run.condition,
                "algorithm": run.algorithm,
                "replicate": run.replicate,
                "seed": run.seed,
                "key": run.key,
                "status": status,
                "message": about.get("message"),
                **(_settling(about, scenarios[run.condition, run.algorithm]) if status == "done" else {}),
                **{name: cost.get(name) for name in ("cpu_s", "data_segments_delivered", "peak_rss_bytes")},
            }
        )
    runs = pl.DataFrame(rows, schema=_RUNS)
    responses = tables.read(ledger.runs, runs, "responses", known)
    if responses.is_empty():
        responses = pl.DataFrame(schema=_RESPONSES)
    found = _campaign(ledger.path, document, runs, responses, provenance=provenance, checksums=known)
    return _with_goodputs(found) if found.rows.kind == KIND and document.get("model") is None else found


def _with_goodputs(campaign: Campaign) -> Campaign:
    """Return a grid with the goodputs of its explicit flows among its responses."""
    from mesonet.campaign.goodputs import as_responses

    rows = as_responses(campaign)
    return replace(campaign, responses=pl.concat([campaign.responses, *rows])) if rows else campaign
