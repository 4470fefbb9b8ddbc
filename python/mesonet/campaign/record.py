"""Records of the runs in a campaign folder, and their JSON Schemas.

``run.json`` is the provenance of a run that is done: parameters in full, seed, versions, machine, resources.
``failure.json`` is the record of a failed run: the message, the log, and every try.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from mesonet import models
from mesonet.errors import unknown
from mesonet.simulation import provenance

SCHEMAS = ("run", "failure")


def schema(name: str) -> dict[str, Any]:
    """Return a JSON Schema (draft 2020-12) of a record.

    Parameters
    ----------
    name
        ``run`` for ``run.json``, ``failure`` for ``failure.json``.

    Returns
    -------
    The schema as plain data.

    Raises
    ------
    InputError
        If `name` is neither ``run`` nor ``failure``.
    """
    if name not in SCHEMAS:
        raise unknown("schema", name, SCHEMAS)
    text = (resources.files("mesonet") / "campaign" / f"{name}.schema.json").read_text()
    return dict(json.loads(text))


def record(model: models.Description, scenario: Mapping[str, Any], seed: int, watch: provenance.Stopwatch) -> str:
    """Return the text of ``run.json`` of a run of a model that is no network.

    Parameters
    ----------
    model
        Description of the model.
    scenario
        Parameters of the run.
    seed
        Seed of the run.
    watch
        Stopwatch that was made when the run began.

    Returns
    -------
    JSON.
    """
    about = {
        "scenario": scenario,
        "seed": seed,
        "model": model,
        "versions": provenance.versions(models.code_version(model)),
        "environment": provenance.environment(),
        "started": watch.started,
        "finished": provenance.now(),
        "performance": watch.resources(children="command" in model),
    }
    return json.dumps(about, indent=1, sort_keys=True) + "\n"
