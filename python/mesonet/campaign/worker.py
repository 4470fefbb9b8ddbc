"""The process that makes runs, one after the other: ``python -m mesonet.campaign.worker``.

Each line of standard input is a task, a JSON object with ``folder``, ``key``, ``seed``, ``scenario`` (canonical JSON),
``model`` (`mesonet.models`, null for the network), ``code_version``, ``snapshot_every`` and ``memory`` (most memory
that a run of the network may be expected to need, bytes; null: any). The reply (`mesonet.campaign.serving`) is empty,
or has ``message``, ``traceback`` and, if the result could not be written, ``errno`` and ``file``.

Plug-ins among the algorithms are loaded from the files that the campaign folder names (`mesonet.plugins`). Their
content must be as it was at the start.

A run of the network leaves a snapshot in the campaign folder now and then, and on a signal to end. From the snapshot it
continues, here or elsewhere.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars  # noqa: F401 - a process that cannot load it starts no run

from mesonet import models, plugins
from mesonet.campaign.ledger import EXPERIMENT, Ledger
from mesonet.campaign.record import record
from mesonet.campaign.serving import Update, error_reply, serve
from mesonet.files import checksums
from mesonet.simulation import provenance
from mesonet.simulation.checkpoint import Checkpoint, Stopped
from mesonet.simulation.result import Table, write_parquet
from mesonet.simulation.simulate import without_snapshots


def main() -> int:
    """Serve tasks until there are no more."""
    try:
        serve(outcome)
    except Stopped as stopped:
        signal.raise_signal(stopped.number)  # as it would have ended without a snapshot
    return 0


def outcome(task: dict[str, Any], update: Update) -> dict[str, Any]:
    """Make the run of a task, and return the reply."""
    provenance.reset_peak_rss()
    made = False
    try:
        _refuse_other_code(task)
        _load_plugins(task)
        with _checkpoint(task) as checkpoint:
            tables, about = answer_tables(task, checkpoint, update)
            made = True
            _write(task, tables, about)
    except OSError as error:
        return {**error_reply(error), **({"errno": error.errno, "file": error.filename} if made else {})}
    except Exception as error:
        return error_reply(error)
    return {}


def _checkpoint(task: dict[str, Any]) -> AbstractContextManager[Checkpoint | None]:
    """Return the checkpoint of the run, None for models; a snapshot that cannot be used does not fail a campaign."""
    if task["model"] is not None:
        return nullcontext()
    if name := without_snapshots(json.loads(task["scenario"])):
        print(f"no snapshots: the state of {name} cannot be written", file=sys.stderr)  # noqa: T201 - the log
        return nullcontext()
    return Checkpoint(Ledger(task["folder"]).snapshot(task["key"]), task["snapshot_every"], forgiving=True)


def _load_plugins(task: dict[str, Any]) -> None:
    """Load the plug-ins of the campaign, whose folder the runner trusts."""
    if task["model"] is None and '"plugin":' in task["scenario"]:
        plugins.use(Ledger(task["folder"]).document().get("plugins", {}))


def _refuse_other_code(task: dict[str, Any]) -> None:
    """Raise RuntimeError if the code changed since the start: a result must not get the key of other code."""
    here = models.code_version(task["model"])
    if here != task["code_version"]:
        raise RuntimeError(f"the code changed from {task['code_version'][:12]} to {here[:12]} after the start")


def _write(task: dict[str, Any], tables: dict[str, Table], about: Mapping[str, Any]) -> None:
    with Ledger(task["folder"]).writing(task["key"], about["performance"]["wall_s"]) as aside:
        for name, table in tables.items():
            write_parquet(table, aside / f"{name}.parquet")
        checksums.write_record(about, aside)


def answer_tables(
    task: dict[str, Any], checkpoint: Checkpoint | None = None, update: Update | None = None
) -> tuple[dict[str, Table], dict[str, Any]]:
    """Return the tables of a run and its record. Errors of the simulator or the model pass through.

    Tables by name, and the content of ``run.json`` without checksums. `update`: called with the simulated time reached
    and the whole simulated time, s; models do not call it.
    """
    return _network(task, checkpoint, update) if task["model"] is None else _model(task)


def _network(
    task: dict[str, Any], checkpoint: Checkpoint | None, update: Update | None
) -> tuple[dict[str, Table], dict[str, Any]]:
    from mesonet.simulation.simulate import simulate_json
    from mesonet.simulation.size import refuse_large

    if memory := task.get("memory"):
        refuse_large(task["scenario"], memory)
    result = simulate_json(task["scenario"], task["seed"], update, checkpoint=checkpoint)
    changed = (Path(task["folder"]) / EXPERIMENT).stat().st_mtime_ns
    kept = {name: getattr(result, name) for name in _kept(task["folder"], changed)}
    return {"responses": result.responses, "groups": result.groups, **kept}, result.record()


@lru_cache(maxsize=1)
def _kept(folder: str, changed_ns: int) -> tuple[str, ...]:
    """Return the tables that runs keep; reading the experiment takes as long as a short run, so once per change."""
    return tuple(Ledger(folder).document().get("keep", ()))


def _model(task: dict[str, Any]) -> tuple[dict[str, Table], dict[str, Any]]:
    from mesonet.responses.tables import RESPONSES
    from mesonet.simulation.result import table

    watch = provenance.Stopwatch()
    scenario = json.loads(task["scenario"])
    in_folder = "folder" in task and "command" in task["model"]
    with Ledger(task["folder"]).working(task["key"]) if in_folder else nullcontext() as folder:
        reply = models.evaluate(task["model"], scenario["parameters"], task["seed"], folder)
    units = task["model"].get("units", {})
    columns = {
        "response": list(reply),
        "symbol": [""] * len(reply),
        "period": ["measured"] * len(reply),
        "unit": [units.get(name, "1") for name in reply],
        "value": [float("nan") if value is None else value for value in reply.values()],
    }
    responses = table(columns, RESPONSES, ("response", "period"))
    return {"responses": responses}, record(task["model"], scenario, task["seed"], watch)


if __name__ == "__main__":
    sys.exit(main())
