"""Runs many small edits of one scenario, and keeps the responses that the caller names."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from mesonet import core
from mesonet.errors import InputError, PluginFault, unknown
from mesonet.processes import processors
from mesonet.responses import tables as definitions
from mesonet.responses.definitions import BY_NAME
from mesonet.scenarios.scenario import Scenario
from mesonet.scenarios.scenario import scenario as named_scenario
from mesonet.simulation.result import INDEX, TABLES, Table, table
from mesonet.simulation.simulate import LARGEST_SEED, MOST_THREADS, SLICE_S, Progress, advance, faults
from mesonet.simulation.size import refuse_large
from mesonet.units import integer

RUN = ("edit", "seed")
"""Columns that identify a run of a batch: place of the edit, from 0, and seed."""
_KEPT = tuple(name for name in TABLES if name != "responses")


@dataclass(frozen=True)
class Batch:
    """Results of the runs of a batch.

    Attributes
    ----------
    responses
        One row per run and period: ``edit`` (its place, from 0), ``seed``, ``period``, and a column for each response.
    tables
        The other tables that were named. Their first columns are ``edit`` and ``seed``.
    """

    responses: Table
    tables: Mapping[str, Table]


@dataclass(frozen=True)
class _Run:
    """A run of a batch."""

    edit: int  #: place of its edit, from 0
    scenario: Scenario
    seed: int

    def tables(self, names: Sequence[str], ended: Event) -> dict[str, Any]:
        """Return tables of the run by name, as columns; none if the batch ends before."""
        try:
            run = core.module().Simulation(self.scenario.to_json(), self.seed)
            with faults():
                advance(run, float(self.scenario.value("time.duration")), lambda _: _go_on(ended))
        except ValueError as error:
            raise _of_edit(self.scenario.located(core.refused(error)), _place(self.edit)) from None
        except PluginFault as fault:
            raise PluginFault(f"{_place(self.edit)}, seed {self.seed}: {fault}") from None
        return dict(run.finish(names))


class _Ended(Exception):
    """The batch ended before the run."""


def _go_on(ended: Event) -> None:
    if ended.is_set():
        raise _Ended


def _place(edit: int) -> str:
    """Return the place of an edit in messages."""
    return f"edits[{edit}]"


def batch(
    scenario: Scenario | str | Path,
    edits: Iterable[Mapping[str, Any]],
    responses: Sequence[str] = (),
    *,
    seeds: Iterable[int] = (1,),
    periods: Sequence[str] = ("measured",),
    tables: Sequence[str] = (),
    threads: int | None = None,
    progress: Progress | None = None,
    memory: int | None = None,
) -> Batch:
    """Simulate edits of a scenario with each seed, on several threads.

    The numbers are those of `simulate` for ``scenario.with_values(edit)``. All edits are checked before the first run.

    Parameters
    ----------
    scenario
        A scenario, the name of a built-in scenario, or the path of a TOML file.
    edits
        Values by path, each as for `Scenario.with_values`; ``{}`` is the scenario itself.
    responses
        Names of responses, which become columns.
    seeds
        Seeds of each edit, each at least 0.
    periods
        ``measured`` for the whole measured span, a period such as ``1``, or ``run`` for totals.
    tables
        Names of other tables of a `Result` to keep, such as ``flows``.
    threads
        Runs at a time, 1 to 256; None: the number of processors. The result does not depend on it.
    progress
        Called several times a second with the number of finished runs and of all runs.
    memory
        Most memory that a run may be expected to need, bytes; None: 4 GiB.

    Returns
    -------
    The responses by edit, seed and period, and the tables.

    Raises
    ------
    InputError
        If an edit, a name or a number is not allowed; the path begins with the place of an edit, such as ``edits[3]``.
    PluginFault
        If a plug-in leaves a window that is not allowed; the error names edit, seed, plug-in, event and simulated time.

    Examples
    --------
    >>> edits = [{"network.speed": f"{speed} seg/ms"} for speed in (1, 2)]
    >>> found = batch("dumbbell-pair", edits, ["segment_rate"], periods=["1"], seeds=[1, 2])
    >>> found.responses.column("edit")
    [0, 0, 1, 1]
    """
    if isinstance(scenario, str | Path):
        scenario = named_scenario(scenario)
    threads = integer(processors() if threads is None else threads, "threads", 1, MOST_THREADS)
    edited = [_edited(scenario, number, values, memory) for number, values in enumerate(edits)]
    chosen = [integer(seed, f"seeds[{number}]", 0, LARGEST_SEED) for number, seed in enumerate(seeds)]
    _refuse_none(edits=edited, seeds=chosen, periods=periods, responses=(*responses, *tables))
    _refuse_unknown("table", "tables", tables, _KEPT)
    _refuse_without_values(responses, periods, most_periods=max(int(each.value("time.periods")) for each in edited))
    runs = [_Run(number, each, seed) for number, each in enumerate(edited) for seed in chosen]
    finished = _finished(runs, ("responses", *dict.fromkeys(tables)), threads, progress)
    keys = np.array([[run.edit for run in runs], [run.seed for run in runs]])
    return Batch(
        _responses([each["responses"] for each in finished], keys, responses, periods),
        {name: _stacked(name, [each[name] for each in finished], keys) for name in tables},
    )


def run_edits(
    scenario: Scenario,
    runs: Sequence[tuple[Mapping[str, Any], int]],
    tables: Sequence[str],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[dict[str, Table]]:
    """Return tables of runs by name, in the order of the runs: each is an edit of the scenario with its own seed."""
    made = [_Run(number, _edited(scenario, number, edit, None), seed) for number, (edit, seed) in enumerate(runs)]
    finished = _finished(made, tables, threads or processors(), progress)
    return [
        {name: table(columns, definitions.TABLES[name], INDEX[name]) for name, columns in each.items()}
        for each in finished
    ]


def _edited(scenario: Scenario, number: int, values: Mapping[str, Any], memory: int | None) -> Scenario:
    """Return the scenario of an edit, checked as far as no run is needed."""
    place = _place(number)
    if not isinstance(values, Mapping):
        raise InputError("not an edit", path=place, value=values, allowed="a mapping of paths to values")
    try:
        edited = scenario.with_values(values, place)
        edited.refuse_unused(values)
        text = edited.to_json()
        try:
            refuse_large(text, memory)
        except InputError as error:
            raise edited.located(error) from None
    except InputError as error:
        raise _of_edit(error, place) from None
    return edited


def _of_edit(error: InputError, place: str) -> InputError:
    """Return the refusal of an edit. Its place stands before the path, or among the files."""
    if error.file == place:
        return replace(error, file=None).below(place)
    return error if place in str(error.file) else replace(error, file=f"{place}, {error.file}")


def _refuse_none(**lists: Sequence[Any]) -> None:
    for path, entries in lists.items():
        if not entries:
            raise InputError("there is none", path=path, allowed="at least one")


def _refuse_unknown(what: str, path: str, names: Sequence[str], known: Iterable[str]) -> None:
    for number, name in enumerate(names):
        if name not in known:
            raise unknown(what, str(name), known, path=f"{path}[{number}]")


def _refuse_without_values(responses: Sequence[str], periods: Sequence[str], most_periods: int) -> None:
    """Raise an `InputError` for an unknown response or period, and for a response that has no value in the periods."""
    _refuse_unknown("response", "responses", responses, BY_NAME)
    _refuse_unknown("period", "periods", periods, [*map(str, range(1, most_periods + 1)), "measured", "run"])
    for number, name in enumerate(responses):
        is_total = BY_NAME[name].total
        if all((period == "run") != is_total for period in periods):
            problem, allowed = "no value in these periods", f"with {'' if is_total else 'a period other than '}run"
            raise InputError(problem, path=f"responses[{number}]", value=name, allowed=allowed)


def _finished(
    runs: Sequence[_Run], names: Sequence[str], threads: int, progress: Progress | None
) -> list[dict[str, Any]]:
    """Return tables of each run by name, as columns. If runs fail, the first of them, in their order, is raised.

    A thread takes the next run by itself: to hand each over would cost a tenth of a run of milliseconds. One thread is
    the thread of the caller where nobody follows the progress: a sandbox may allow no other.
    """
    todo = iter(enumerate(runs))
    found: dict[int, dict[str, Any]] = {}
    failed: dict[int, Exception] = {}
    ended = Event()

    def work() -> None:
        for place, run in todo:
            try:
                found[place] = run.tables(names, ended)
            except Exception as error:
                failed[place] = error
                deque(todo, maxlen=0)  # runs in progress end, and no other begins

    if threads == 1 and progress is None:
        work()
    else:
        _in_threads(work, min(threads, len(runs)), ended, lambda: progress and progress(len(found), len(runs)))
    if failed:
        raise failed[min(failed)]
    return [found[place] for place in range(len(runs))]


def _in_threads(work: Callable[[], None], threads: int, ended: Event, told: Callable[[], object]) -> None:
    """Work in threads until all have returned, and call `told` in between."""
    with ThreadPoolExecutor(threads) as pool:
        working = {pool.submit(work) for _ in range(threads)}
        try:
            while working:
                done, working = wait(working, SLICE_S)
                for worker in done:
                    worker.result()
                told()
        except BaseException:
            ended.set()
            raise


def _responses(
    runs: Sequence[Mapping[str, Any]], keys: np.ndarray, names: Sequence[str], periods: Sequence[str]
) -> Table:
    """Return a row for each run and period. `keys`: a row for each column of `RUN`, with an entry for each run."""
    found = []
    for columns in runs:
        values = dict(zip(zip(columns["name"], columns["period"], strict=True), columns["value"].tolist(), strict=True))
        found += [[values.get((name, period), np.nan) for name in names] for period in periods]
    made = dict(zip(RUN, (np.repeat(key, len(periods)) for key in keys), strict=True))
    by_response = np.array(found, dtype=np.float64).reshape(len(found), len(names)).T
    columns = {**made, "period": list(periods) * len(runs), **dict(zip(names, by_response, strict=True))}
    units = {**dict.fromkeys(RUN, "1"), **{name: BY_NAME[name].unit for name in names}}
    return Table(columns, units, (*RUN, "period"))


def _stacked(name: str, runs: Sequence[Mapping[str, Any]], keys: np.ndarray) -> Table:
    """Return a table of all runs, one below the other; a run may lack columns. `keys`: as for `_responses`."""
    about = definitions.TABLES[name]
    rows = [len(next(iter(columns.values()))) for columns in runs]
    made: dict[str, Any] = dict(zip(RUN, (np.repeat(key, rows) for key in keys), strict=True))
    units = dict.fromkeys(RUN, "1")
    for column in dict.fromkeys(chain.from_iterable(runs)):
        if unit := about.unit(column):
            units[column] = unit
            parts = [columns.get(column, np.full(count, np.nan)) for columns, count in zip(runs, rows, strict=True)]
            made[column] = np.concatenate(parts)
        else:
            made[column] = list(chain.from_iterable(columns[column] for columns in runs))
    return Table(made, units, (*RUN, *INDEX[name]))
