"""The record of a run of a model, and the JSON Schemas of the files of a campaign folder."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import msgspec

from mesonet import models
from mesonet.campaign.documents import (
    DOCUMENTS,
    FORMAT,
    Environment,
    ModelDescription,
    Performance,
    RunDocument,
    Versions,
    plain,
)
from mesonet.errors import unknown
from mesonet.simulation import provenance


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a file of a campaign folder.

    The schema of what this version of the code writes, as plain data. Readers accept further entries. `name`:
    ``experiment``, ``provenance``, ``run`` or ``failure``.
    """
    if name not in DOCUMENTS:
        raise unknown("schema", name, DOCUMENTS)
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:mesonet:schema:{name}:{FORMAT}"}
    found = msgspec.json.schema(DOCUMENTS[name])
    for each in found["$defs"].values():
        each["description"] = cleandoc(each["description"])  # Python 3.13 cleans docstrings, earlier ones do not
    return about | found


def record(
    model: models.Description, scenario: dict[str, Any], seed: int, watch: provenance.Stopwatch
) -> dict[str, Any]:
    """Return the content of ``run.json`` of a run of a model that is no network, without checksums."""
    about = RunDocument(
        scenario=scenario,
        seed=seed,
        model=msgspec.convert(model, ModelDescription),
        versions=Versions(**provenance.versions(models.code_version(model))),
        environment=Environment(**provenance.environment()),
        started=watch.started,
        finished=provenance.now(),
        performance=Performance(**watch.resources(children="command" in model)),
    )
    return plain(about)
