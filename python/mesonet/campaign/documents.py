"""The JSON files of a campaign folder: what they hold, checked when they are read.

A shape is a type, a list of one shape (any number of those) or a dict of shapes (these keys at least). Users edit and
copy these files, so that anything may stand there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.responses.sets import SETS

FORMAT = 1
MOST_RUNS = 1_000_000
"""Runs of one campaign: chosen, about as many folders as file systems bear in one."""

KEEPABLE = ("series", "flows", "routers", "flow_traces", "router_traces")
"""Tables of a run that a campaign keeps where its experiment says so: see `mesonet.simulation.result.TABLES`."""

_ALLOWED = "a file that `mesonet experiment run` wrote"
_TEXT_OR_NONE = (str, type(None))
_FACTOR = dict.fromkeys(("id", "name", "path", "minus", "plus"), str)
_PARAMETER = dict.fromkeys(("path", "value", "unit", "source", "doc"), str)
_EXPERIMENT = {
    "name": str,
    "title": str,
    "description": str,
    "scenario": str,
    "scale": (int, float),
    "seed": int,
    "replicates": int,
    "algorithms": [str],
    "mixed_with": _TEXT_OR_NONE,
    "response_set": str,
    "factors": [_FACTOR],
    "design": {"factors": [str], "generators": [str]},
    "parameters": [_PARAMETER],
    "scenarios": [{"condition": int, "algorithm": str, "scenario": dict}],
}
_PROVENANCE = {"versions": {"code_version": str}, "started": str, "finished": _TEXT_OR_NONE}
_DONE = {"performance": {"cpu_s": (int, float), "peak_rss_bytes": int}}
_FAILED = {"message": str}

_NAMES = {
    str: "text",
    int: "a whole number",
    dict: "an object",
    (int, float): "a number",
    _TEXT_OR_NONE: "text or null",
}


def experiment(file: Path) -> dict[str, Any]:
    """Return the content of ``experiment.json``.

    Raises
    ------
    InputError
        If it is not what `mesonet.experiments.network.Experiment.document` gives; names the file and the path in it.
    """
    document = _read(file, {"format": int})
    if document["format"] != FORMAT:
        raise InputError("another format", file=str(file), path="format", value=document["format"], allowed=str(FORMAT))
    try:
        _refuse_shape(document, _EXPERIMENT, "")
        _refuse_strangers(document)
    except InputError as error:
        raise error.located(file=file) from None
    return document


def provenance(file: Path) -> dict[str, Any]:
    """Return the content of ``provenance.json``; refused as `experiment` does."""
    return _read(file, _PROVENANCE)


def done(file: Path) -> dict[str, Any]:
    """Return the content of a run's ``run.json``; refused as `experiment` does."""
    return _read(file, _DONE)


def failed(file: Path) -> dict[str, Any]:
    """Return the content of a run's ``failure.json``; refused as `experiment` does."""
    return _read(file, _FAILED)


def _read(file: Path, shape: Mapping[str, Any]) -> dict[str, Any]:
    try:
        content = json.loads(file.read_bytes())
    except FileNotFoundError:
        allowed = "a folder as it was written; without the folder the run is made again"
        raise InputError("the file is missing", file=str(file), allowed=allowed) from None
    except (ValueError, RecursionError) as error:
        problem = f"not JSON: {error}" if isinstance(error, json.JSONDecodeError) else "not JSON"
        raise InputError(problem, file=str(file), allowed=_ALLOWED) from None
    try:
        _refuse_shape(content, shape, "")
    except InputError as error:
        raise error.located(file=file) from None
    return dict(content)


def _refuse_shape(value: Any, shape: Any, path: str) -> None:
    """Raise an `InputError` at the first place where `value` has another shape."""
    if isinstance(shape, dict):
        _refuse_type(value, dict, path)
        for key, inner in shape.items():
            if key not in value:
                raise InputError("missing", path=f"{path}.{key}".lstrip("."), allowed=_ALLOWED)
            _refuse_shape(value[key], inner, f"{path}.{key}".lstrip("."))
    elif isinstance(shape, list):
        _refuse_type(value, list, path)
        for place, entry in enumerate(value):
            _refuse_shape(entry, shape[0], f"{path}[{place}]")
    else:
        _refuse_type(value, shape, path)


def _refuse_type(value: Any, wanted: Any, path: str) -> None:
    if isinstance(value, bool) or not isinstance(value, wanted):
        name = "a list" if wanted is list else _NAMES[wanted]
        raise InputError(f"not {name}", path=path or None, value=value, allowed=_ALLOWED)


def _refuse_strangers(document: Mapping[str, Any]) -> None:
    """Raise an `InputError` where parts of an experiment do not fit each other."""
    from mesonet.designs.rows import from_document

    factors = [factor["id"] for factor in document["factors"]]
    if document["design"]["factors"] != factors:
        raise InputError("not the factors of the experiment", path="design.factors", allowed=", ".join(factors))
    try:
        conditions = from_document(document["design"]).conditions
    except InputError as error:
        raise InputError(error.problem, path=f"design.{error.path}", value=error.value, allowed=error.allowed) from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError("not the rows of a design", path="design", allowed=_ALLOWED) from None
    _refuse_model(document.get("model"))
    if document["replicates"] < 1:
        raise InputError("too low", path="replicates", value=document["replicates"], allowed="at least 1")
    if document["response_set"] not in SETS:
        raise unknown("set of responses", document["response_set"], SETS, path="response_set")
    _refuse_shape(document.get("keep", []), [str], "keep")
    for place, name in enumerate(document.get("keep", [])):
        if name not in KEEPABLE:
            raise unknown("table to keep", name, KEEPABLE, path=f"keep[{place}]")
    refuse_too_many(conditions, len(document["algorithms"]), document["replicates"])
    there = [(entry["condition"], entry["algorithm"]) for entry in document["scenarios"]]
    if there != list(product(range(1, conditions + 1), document["algorithms"])):
        allowed = "one scenario per condition and algorithm, in this order"
        raise InputError("not the scenarios of the design and the algorithms", path="scenarios", allowed=allowed)


def _refuse_model(model: Any) -> None:
    """Raise an `InputError` where a model is not what `mesonet.models.model` describes."""
    if model is None:
        return
    shape: dict[str, Any] = {"directory": str}
    shape |= {"command": [str]} if isinstance(model, dict) and "command" in model else {"module": str, "function": str}
    _refuse_shape(model, shape, "model")


def refuse_too_many(conditions: int, algorithms: int, replicates: int) -> None:
    """Raise an `InputError` for more than `MOST_RUNS` runs."""
    runs = conditions * algorithms * replicates
    if runs > MOST_RUNS:
        product = f"{conditions:,} conditions x {algorithms:,} algorithms x {replicates:,} replicates = {runs:,} runs"
        raise InputError(f"too many runs: {product}", allowed=f"at most {MOST_RUNS:,} runs")
