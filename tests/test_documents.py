"""The JSON files of a campaign folder: schemas, exact messages, and entries of other versions of the code."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import mesonet
from mesonet.campaign import documents, load
from mesonet.campaign.ledger import Ledger
from mesonet.campaign.record import record, schema
from mesonet.errors import InputError
from mesonet.simulation import provenance

PACKAGE = Path(__file__).parents[1] / "python" / "mesonet"
Steps = Sequence[str | int]


def price(parameters: dict[str, Any], seed: int) -> dict[str, float]:
    return {"price": parameters["load"] + seed % 3}


@pytest.fixture(scope="module")
def planned() -> dict[str, Any]:
    """The document of an experiment with a model and with all rows of its design."""
    factors = {"load": (1, 2), "rate": (0.5, 0.7)}
    return mesonet.experiment(model=price, factors=factors, design={"kind": "plackett-burman"}, replicates=2).document()


@pytest.fixture(scope="module")
def made(planned: dict[str, Any]) -> dict[str, Any]:
    """The record of a run."""
    scenario = planned["scenarios"][0]["scenario"]
    return record(planned["model"], scenario, 1, provenance.Stopwatch())


@pytest.mark.parametrize("name", documents.DOCUMENTS)
def test_schema_files_are_up_to_date(name: str) -> None:
    generated = schema(name)
    jsonschema.Draft202012Validator.check_schema(generated)
    file = PACKAGE / "campaign" / f"{name}.schema.json"
    same = file.read_text() == json.dumps(generated, indent=2) + "\n"
    assert same, f"write json.dumps(mesonet.campaign.record.schema({name!r}), indent=2) and a newline to {file}"


def test_no_other_schema() -> None:
    with pytest.raises(
        InputError, match=r"unknown schema.*Allowed: experiment, replicates, added, provenance, run, failure"
    ):
        schema("runs")


def test_a_run_of_a_network_names_engine_and_threads(made: dict[str, Any]) -> None:
    jsonschema.validate(made, schema("run"))
    network = {key: value for key, value in made.items() if key != "model"}
    with pytest.raises(jsonschema.ValidationError, match="engine"):
        jsonschema.validate(network, schema("run"))
    jsonschema.validate({**network, "engine": "domains", "threads": 1}, schema("run"))


def refusal(read: Callable[[Path], Any], content: Any, folder: Path, path: Steps, value: Any) -> str:
    """Return the message about a document with another value at a path, without the file."""
    place = changed = json.loads(json.dumps(content))
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    file = folder / "file.json"
    file.write_text(json.dumps(changed))
    with pytest.raises(InputError) as caught:
        read(file)
    assert caught.value.file == str(file)
    return str(caught.value).removeprefix(f"{file}: ")


WRITTEN = "Allowed: a file that `mesonet experiment run` wrote"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["name"], 3, f"name = 3: not text. {WRITTEN}"),
        (["scale"], True, f"scale = true: not a number. {WRITTEN}"),
        (["seed"], -1, "seed = -1: too low. Allowed: at least 0"),
        (["seed"], 2**63, "seed = 9223372036854775808: too high. Allowed: at most 9223372036854775807"),
        (["replicates"], 0, "replicates = 0: too low. Allowed: at least 1"),
        (["mixed_with"], 3, f"mixed_with = 3: not text or null. {WRITTEN}"),
        (["response_set"], "asme", "response_set = \"asme\": unknown set of responses (nearest: asme-22)"),
        (["factors", 1, "minus"], 0.5, f"factors[1].minus = 0.5: not text. {WRITTEN}"),
        (["factors", 1], {"id": "rate"}, f"factors[1].name: missing. {WRITTEN}"),
        (["design", "kind"], 3, f"design.kind = 3: not text. {WRITTEN}"),
        (["design", "rows", 2], {}, f"design.rows[2] = {{}}: not a list. {WRITTEN}"),
        (["design", "rows", 2, 1], "1", f'design.rows[2][1] = "1": not a number. {WRITTEN}'),
        (["design", "rows", 2, 1], 2, "design.rows: not rows of levels. Allowed: lists of a number from -1 to 1"),
        (["design", "word_lengths"], {"3": 1.5}, "design.word_lengths = {'3': 1.5}: a value in it is not a whole"),
        (["design", "word_lengths"], {"a": 1}, f"design: not the rows of a design. {WRITTEN}"),
        (["parameters", 0, "doc"], None, f"parameters[0].doc: not text. {WRITTEN}"),
        (["scenarios", 1, "scenario"], [1], f"scenarios[1].scenario = [1]: not an object. {WRITTEN}"),
        (["keep"], "flows", f'keep = "flows": not a list. {WRITTEN}'),
        (["keep"], ["flows", "flow"], 'keep[1] = "flow": unknown table to keep (nearest: flows, flow_traces). '),
        (["expected_cost"], ["much"], f'expected_cost[0] = "much": not a number. {WRITTEN}'),
        (["model"], {}, f"model.directory: missing. {WRITTEN}"),
        (["model", "command"], [], "model.command = []: too short. Allowed: a length of at least 1"),
        (["model"], {"directory": "."}, "model = {'directory': '.'}: neither a command nor a module and a function."),
    ],
)  # fmt: skip
def test_messages_about_an_experiment(
    planned: dict[str, Any], path: Steps, value: Any, message: str, tmp_path: Path
) -> None:
    assert refusal(documents.experiment, planned, tmp_path, path, value).startswith(message)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["performance"], {}, f"performance.cpu_s: missing. {WRITTEN}"),
        (["performance", "wall_s"], -1, "performance.wall_s = -1: too low. Allowed: at least 0"),
        (["settling_time_s"], "late", f'settling_time_s = "late": not a number or null. {WRITTEN}'),
        (["settling_s"], [1.0], f"settling_s = [1.0]: not an object. {WRITTEN}"),
        (["load_drift"], {"sending": "up"}, "load_drift = {'sending': 'up'}: a value in it is not a number or null"),
        (["engine"], "steam", f'engine = "steam": unknown value. {WRITTEN}'),
        (["scenario"], {}, "scenario = {}: too short. Allowed: a length of at least 1"),
        (["environment", "variables"], {"A": 1}, "environment.variables = {'A': 1}: a value in it is not text"),
        (["versions", "code_version"], "c0ffee", 'versions.code_version = "c0ffee": too short. Allowed: a length of'),
        (["model"], None, f"model: not an object. {WRITTEN}"),
    ],
)
def test_messages_about_a_run(made: dict[str, Any], path: Steps, value: Any, message: str, tmp_path: Path) -> None:
    assert refusal(documents.done, made, tmp_path, path, value).startswith(message)


def test_messages_about_a_failure(tmp_path: Path) -> None:
    tries = [documents.Attempt("broke", "now", "later", "here")]
    failure = documents.plain(documents.FailureDocument("broke", "", "", 1, tries))
    jsonschema.validate(failure, schema("failure"))
    for path, value, message in (
        (["message"], "", 'message = "": too short. Allowed: a length of at least 1'),
        (["tries"], [], "tries = []: too short. Allowed: a length of at least 1"),
        (["tries", 0, "host"], 7, "tries[0].host = 7: not text. "),
    ):
        assert refusal(documents.failed, failure, tmp_path, path, value).startswith(message)


def test_entries_of_other_versions_are_allowed(planned: dict[str, Any], tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "out", planned)
    document = json.loads((ledger.path / "experiment.json").read_text())
    del document["checksums"]  # as for every change by hand
    for place in (document, document["factors"][0], document["design"], document["model"], document["scenarios"][3]):
        place["later"] = [1, {"two": None}]
    (ledger.path / "experiment.json").write_text(json.dumps(document))
    assert load(ledger.path).experiment == document
    assert [factor.id for factor in load(ledger.path).factors] == ["load", "rate"]


def test_python_writes_numbers_that_json_has_not(planned: dict[str, Any], tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "out", {**planned, "expected_cost": [float("nan"), float("inf")]})
    assert str(ledger.document()["expected_cost"]) == "[nan, inf]"


def test_documents_hold_plain_data() -> None:
    class Name(str):
        """Text of a type of its own."""

        __slots__ = ()

    scenario = {"parameters": {"x": np.float64(0.1), "name": Name("a")}}
    held = documents.plain(documents.ConditionScenario(1, "a", scenario))["scenario"]["parameters"]
    assert [(value, type(value)) for value in held.values()] == [(0.1, float), ("a", str)]
    with pytest.raises(TypeError, match="PosixPath is no plain data"):
        documents.plain(documents.ConditionScenario(1, "a", {"file": Path("x")}))
