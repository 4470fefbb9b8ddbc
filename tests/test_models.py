"""Experiments with models that are no networks."""

from __future__ import annotations

import importlib
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import mesonet
from commands import ENVIRONMENT, PATIENCE_S
from fragments import holds
from mesonet import models
from mesonet.campaign.ledger import Ledger, planned
from mesonet.campaign.process import Worker
from mesonet.campaign.record import record, schema
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.experiments import model
from mesonet.models.workplace import MOST_COPIED_BYTES, located
from mesonet.simulation import provenance

pytestmark = pytest.mark.process

PROGRAM = """
import json, sys
given = json.load(sys.stdin)
p = given["parameters"]
print(json.dumps({"sum": p["a"] + 10 * p["b"] + p.get("more", 0), "seed": given["seed"] % 7, "nothing": None}))
"""

FILE = f"""
name = "sums"
title = "A program that adds"
model = {{command = ["{sys.executable}", "program.py"]}}

[parameters]
more = 100

[responses]
sum = "m"
nothing = {{missing = true}}

[[factors]]
id = "a"
minus = 1
plus = 2

[[factors]]
id = "B"
path = "b"
name = "The second"
minus = 0.5
plus = 1.5
"""


def plane(parameters: dict, seed: int) -> dict:
    """A function for tests: known effects, and noise that the seed names."""
    noise = np.random.default_rng(seed).standard_normal()
    higher = {"up": 1.0, "down": -1.0}[parameters.get("algorithm", "up")]
    return {"height": higher * (3 * parameters["x"] + parameters["y"]) + 1e-6 * noise, "noise": noise}


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    """The file of an experiment of 4 conditions with a program."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "sums.toml").write_text(FILE)
    return tmp_path / "sums.toml"


def test_a_function_goes_the_whole_line(tmp_path: Path) -> None:
    chosen = mesonet.experiment(
        model=plane, factors={"x": (0.0, 1.0), "y": (0.0, 10.0)}, algorithms=["up", "down"], replicates=2,
        responses={"height": "m"}, name="plane",
    )  # fmt: skip
    assert chosen.plan().select("condition", "algorithm", "x", "y").rows()[:3] == [
        (1, "up", "0", "0"), (1, "up", "0", "0"), (1, "down", "0", "0"),
    ]  # fmt: skip
    campaign = chosen.run(tmp_path / "out", workers=2, progress=False)
    assert campaign.counts == {"done": 16, "failed": 0, "missing": 0}
    up = mesonet.analysis.main_effects(campaign.design, campaign.response("height"), algorithm="up")
    assert up.effect == pytest.approx([3, 10], abs=1e-5)
    down = mesonet.analysis.main_effects(campaign.design, campaign.response("height"), algorithm="down")
    assert down.effect == pytest.approx([-3, -10], abs=1e-5)
    assert set(campaign.responses["unit"]) == {"m", "1"}
    noise = campaign.response("noise")
    assert noise["value"].n_unique() == 8, "algorithms meet the same random numbers, conditions and replicates do not"
    assert mesonet.load(tmp_path / "out").cube(["height"]).shape == (4, 2, 1)


def test_a_program_goes_the_whole_line(sums: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    cli = CliRunner()
    planned = cli.invoke(main, ["experiment", "plan", str(sums), "--json"])
    assert planned.exit_code == 0, planned.output
    plan = json.loads(planned.stdout)
    assert [run["B"] for run in plan["runs"]] == ["0.5", "0.5", "1.5", "1.5"]
    assert plan["cost"]["total_cpu_s"] > 0
    assert plan["cost"]["memory_bytes"] > 1_000_000
    run = cli.invoke(main, ["experiment", "run", str(sums), "--out", str(out), "--workers", "2", "--json"])
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["done"] == 4
    campaign = mesonet.load(out)
    assert campaign.response("sum")["value"].to_list() == [106, 107, 116, 117]
    assert campaign.response("nothing")["value"].null_count() == 4
    assert {row["path"]: row["value"] for row in campaign.experiment["parameters"]} == {
        "more": "100", "a": "1 or 2", "b": "0.5 or 1.5",
    }  # fmt: skip
    for verb in (["analyze", "--workers", "1"], ["report"]):
        done = cli.invoke(main, [*verb, str(out)])
        assert done.exit_code == 0, done.output
    assert "The second" in (out / "report.html").read_text()
    for key in campaign.runs["key"]:
        jsonschema.validate(json.loads((out / "runs" / key / "run.json").read_text()), schema("run"))


def test_points_between_the_levels(tmp_path: Path) -> None:
    three = {"x": (0.0, 1.0), "y": (0.0, 10.0), "z": (1, 9)}
    chosen = mesonet.experiment(model=plane, factors=three, design={"kind": "latin-hypercube", "runs": 7})
    assert (chosen.conditions, chosen.design.runs) == (7, 0)
    values = [chosen.condition(number) for number in range(1, 8)]
    assert sorted(int(7 * value["x"]) for value in values) == list(range(7)), "one in each slice"
    assert all(isinstance(value["z"], int) for value in values), "whole numbers stand between whole numbers"
    campaign = chosen.run(tmp_path / "out", workers=2, progress=False)
    heights = campaign.response("height")["value"].to_list()
    assert heights == pytest.approx([3 * value["x"] + value["y"] for value in values], abs=1e-4)


def test_centre_points_are_run_and_left_out_of_the_effects(tmp_path: Path) -> None:
    factors = {"x": (0.0, 1.0), "y": (0.0, 10.0)}
    chosen = mesonet.experiment(model=plane, factors=factors, design={"centre_points": 2})
    campaign = chosen.run(tmp_path / "out", workers=2, progress=False)
    assert campaign.counts["done"] == 6
    assert campaign.response("height")["value"].to_list()[4:] == pytest.approx([6.5, 6.5], abs=1e-5)
    assert campaign.cube(["height"]).shape == (4, 1, 1)
    assert campaign.rows.matrix[4:].tolist() == [[0, 0], [0, 0]]
    for verb in (["analyze", "--workers", "1"], ["report"]):
        done = CliRunner().invoke(main, [*verb, str(campaign.path)])
        assert done.exit_code == 0, done.output


def test_changed_code_is_refused_or_mixed_by_force(sums: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (sums.parent / "helper.py").write_text("MORE = 0")
    (sums.parent / "program.py").write_text("import helper" + PROGRAM.replace('"sum": ', '"sum": helper.MORE + '))
    first = mesonet.experiment(sums).run(out, progress=False)
    lost = first.runs["key"][0]
    shutil.rmtree(out / "runs" / lost)
    (sums.parent / "helper.py").write_text("MORE = 1000")
    assert mesonet.load(out).counts["done"] == 3  # read as what they are
    with pytest.raises(InputError, match=r"come from other code .*--out.*--force"):
        mesonet.experiment(sums).run(out, progress=False)
    refused = CliRunner().invoke(main, ["experiment", "run", str(out)])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert mesonet.load(out).counts["done"] == 3
    mixed = mesonet.experiment(sums).run(out, progress=False, force=True)
    assert mixed.counts["done"] == 4
    assert mixed.response("sum")["value"].to_list() == [1106, 107, 116, 117], "what was done is kept"
    assert mixed.runs["key"].to_list()[1:] == first.runs["key"].to_list()[1:]
    assert len(mixed.provenance["code_versions"]) == 2
    assert mesonet.experiment(sums).run(out, progress=False).counts["done"] == 4  # the mix is known by now
    assert "2 versions of the code" in CliRunner().invoke(main, ["experiment", "status", str(out)]).stdout


def test_a_process_for_runs_forgets_the_modules_of_other_code(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("from helper import VALUE\ndef f(parameters, seed): return {'y': VALUE}")
    table = {"name": "m", "model": {"function": "m.py:f"}, "factors": [{"id": "a", "minus": 0, "plus": 1}]}
    worker, found = Worker(), []
    for value in ("1", "20"):
        (tmp_path / "helper.py").write_text(f"VALUE = {value}")
        chosen = model.from_table(table, "m.toml", tmp_path)
        ledger = Ledger.create(tmp_path / value, {**chosen.document(), "expected_cost": []})
        run = planned(chosen.document(), models.code_version(chosen.model))[0]
        assert worker.make(ledger, run, chosen.model, lambda: False) == {}
        found += pl.read_parquet(ledger.runs / run.key / "responses.parquet")["value"].to_list()
    worker.close()
    assert found == [1, 20]


WRITER = """
import json, sys
from pathlib import Path
p = json.load(sys.stdin)["parameters"]
data = {name: Path(name).read_text().strip() for name in ("small.txt", "large.txt", "folder/more.txt")}
assert not Path("result.txt").exists(), "another run was here"
Path("result.txt").write_text(f'{{"a": {p["a"]}, "data": {"".join(data.values())}}}')
Path("small.txt").write_text("9")
if p["a"] == 2 and not Path("again").exists(): END
print(Path("result.txt").read_text())
"""


ENDS = ("raise SystemExit('it fails')", "import os; os.kill(os.getppid(), 9)")


@pytest.mark.parametrize("end", ENDS, ids=["fails", "dies"])
def test_each_run_of_a_program_has_a_folder_of_its_own(sums: Path, tmp_path: Path, end: str) -> None:
    beside = {
        "program.py": WRITER.replace("END", end),
        "small.txt": "1",
        "large.txt": "2".rjust(MOST_COPIED_BYTES + 1),
        "folder/more.txt": "3",
    }
    (tmp_path / "folder").mkdir()
    for name, text in beside.items():
        (tmp_path / name).write_text(text)
    sums.write_text(FILE.replace('sum = "m"\nnothing = {missing = true}', ""))
    campaign = mesonet.experiment(sums).run(tmp_path / "out", workers=2, progress=False, tries=1)
    assert campaign.response("data")["value"].drop_nulls().to_list() == [123, 123]
    assert {name: (tmp_path / name).read_text() for name in beside} == beside
    assert not (tmp_path / "result.txt").exists()
    failed = campaign.runs.filter(status="failed")["key"].to_list()
    assert len(failed) == 2
    for key in failed:
        assert '"a": 2' in (campaign.path / "runs" / key / "work" / "result.txt").read_text()
    assert sorted(each.name for each in campaign.path.glob("runs/*")) == sorted(campaign.runs["key"])
    (tmp_path / "again").touch()
    done = mesonet.experiment(sums).run(tmp_path / "out", workers=2, progress=False, retry=True)
    assert done.counts["done"] == 4
    assert not list(campaign.path.glob("runs/*/work"))


def test_the_program_of_a_command_is_found_from_anywhere(tmp_path: Path) -> None:
    for name in ("m.py", "sim", "input"):
        (tmp_path / name).touch()
    for words, place in ((["python3", "-u", "m.py", "input"], 2), (["./sim", "input"], 0), (["/bin/sh", "sim"], 1)):
        expected = [*words[:place], str(tmp_path / words[place]), *words[place + 1 :]]
        assert located(words, tmp_path) == expected
    assert located(["sim", "-v"], tmp_path) == ["sim", "-v"], "found in the PATH"


def test_failures_are_rows_with_message_log_and_tries(sums: Path, tmp_path: Path) -> None:
    program = sums.parent / "program.py"
    program.write_text(PROGRAM + "\nif p['a'] == 2: print('why it fails', file=sys.stderr); sys.exit(3)\n")
    arguments = ["experiment", "run", str(sums), "--out", str(tmp_path / "out"), "--tries", "2", "--json"]
    for tries in (1, 2, 2):  # the third time they are left alone
        run = CliRunner().invoke(main, arguments)
        assert run.exit_code == 1, run.output
        status = json.loads(run.stdout)
        assert (status["done"], status["failed"], status["missing"]) == (2, 2, 0)
        assert [failure["tries"] for failure in status["failures"]] == [tries] * 2
        assert status["quarantined"] == (2 if tries == 2 else 0)
        assert all("exit code 3: why it fails" in failure["message"] for failure in status["failures"])
    for failure in status["failures"]:
        about = json.loads(Path(failure["log"]).read_text())
        jsonschema.validate(about, schema("failure"))
        assert about["log"] == "why it fails\n"
        assert "Traceback" in about["traceback"]
    again = json.loads(CliRunner().invoke(main, [*arguments, "--retry"]).stdout)
    assert [failure["tries"] for failure in again["failures"]] == [1, 1]


def test_shards_share_a_campaign_without_doing_anything_twice(tmp_path: Path) -> None:
    chosen = mesonet.experiment(model=plane, factors={"x": (0.0, 1.0), "y": (0.0, 10.0)}, replicates=3)
    done: set[str] = set()
    for place in (3, 1, 2):
        campaign = chosen.run(tmp_path / "out", workers=1, progress=False, shard=(place, 3))
        now = set(campaign.runs.filter(status="done")["key"])
        assert len(now - done) == 4
        done |= now
    assert len(done) == 12
    status = CliRunner().invoke(main, ["experiment", "run", str(tmp_path / "out"), "--shard", "4/3"])
    assert status.exit_code == 2
    assert "--shard" in status.output


def test_seeds_fit_into_31_bits_and_earlier_campaigns_keep_theirs() -> None:
    chosen = mesonet.experiment(model=plane, factors={"x": (0.0, 1.0), "y": (0.0, 10.0)}, replicates=50)
    document = chosen.document()
    seeds = [run.seed for run in planned(document, "code")]
    assert max(seeds) < 2**31
    assert len(set(seeds)) == 200
    del document["seed_bits"]
    before = [run.seed for run in planned(document, "code")]
    assert max(before) > 2**31
    assert seeds == [seed // 2 for seed in before]


def test_longest_expected_first(tmp_path: Path) -> None:
    from mesonet.campaign.backlog import RunOptions, backlog

    chosen = mesonet.experiment(model=plane, factors={"x": (0.0, 1.0), "y": (0.0, 10.0)})
    document = {**chosen.document(), "expected_cost": [2.0, 4.0, 1.0, 3.0]}
    ledger = Ledger.create(tmp_path / "out", document)
    code = models.code_version(chosen.model)
    assert [run.condition for run in backlog(ledger, document, [code], RunOptions()).runs] == [2, 4, 1, 3]
    place = next(run for run in backlog(ledger, document, [code], RunOptions()).runs if run.condition == 1)
    about = record(chosen.model, json.loads(place.scenario), place.seed, provenance.Stopwatch())
    with ledger.writing(place.key) as aside:  # condition 1 took 20 s: ten seconds per unit
        (aside / "run.json").write_text(json.dumps({**about, "performance": {**about["performance"], "wall_s": 20}}))
        pl.DataFrame({"value": [1.0]}).write_parquet(aside / "responses.parquet")
    rest = backlog(ledger, document, [code], RunOptions())
    assert [(run.condition, rest.costs.of(run.condition)) for run in rest.runs] == [
        (2, pytest.approx(40)), (4, pytest.approx(30)), (3, pytest.approx(10)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('command = ["', 'comand = ["'), r"model\.comand: unknown key"),
        (("minus = 0.5\nplus = 1.5", "minus = 1.5\nplus = 1.5"), r"factors\[1\]\.b = 1.5: both levels are the same"),
        (('path = "b"', 'path = "a"'), "a is set twice"),
        (('[responses]\nsum = "m"', "[responses]\nsum = 3"), r"responses\.sum = 3: not a unit"),
        (("{missing = true}", "{missing = 1}"), r"responses\.nothing\.missing = 1: not true or false"),
        (("{missing = true}", "{mising = true}"), r'responses\.nothing\.mising = "mising": unknown key .*missing'),
        (("{missing = true}", "{unit = 1}"), r"responses\.nothing = \{.*\}: not a unit"),
        (("[parameters]", "[parameter]"), r"parameter: unknown key .*parameters"),
        (('name = "sums"', 'name = "a/b"'), 'name = "a/b": not a name'),
    ],
)
def test_mistakes_in_a_file_are_named(sums: Path, change: tuple[str, str], message: str) -> None:
    assert change[0] in FILE
    sums.write_text(FILE.replace(*change))
    with pytest.raises(InputError, match=message) as caught:
        mesonet.experiment(sums)
    assert caught.value.file == str(sums)


def test_models_that_cannot_be_run_are_refused(sums: Path) -> None:
    with pytest.raises(InputError, match="other processes cannot import it"):
        mesonet.experiment(model=lambda parameters, seed: {}, factors={"x": (0, 1)})
    with pytest.raises(InputError, match=r"--duration.*networks only"):
        mesonet.experiment(sums, duration="5 min")
    condition = CliRunner().invoke(main, ["run", str(sums), "--condition", "1"])
    assert (condition.exit_code, "no network" in condition.output) == (2, True)


def test_answers_that_are_no_numbers_fail_the_run(tmp_path: Path) -> None:
    words = {"command": [sys.executable, "-c", "print('no JSON')"], "directory": str(tmp_path)}
    with pytest.raises(RuntimeError, match="printed no JSON object: 'no JSON'"):
        models.evaluate(words, {}, 1)
    listed = {"command": [sys.executable, "-c", "print('[1]')"], "directory": str(tmp_path)}
    with pytest.raises(TypeError, match="not a mapping"):
        models.evaluate(listed, {}, 1)
    assert models.code_version(words) != models.code_version(listed)
    assert models.code_version({**words, "version": "1"}) == models.code_version({**listed, "version": "1"})


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"y": 1}, None),
        ({"y": np.float64(2), "z": 3}, None),
        ({"y": 1, "free": None}, None),
        ({"y": 1, "free": math.nan}, None),
        ({"y": None}, "y: the model gave no value"),
        ({"y": math.nan}, "y = nan: the model gave no value"),
        ({"z": 1}, "y: the model gave no value"),
        ({"y": 1, "z": None}, "z: the model gave no value"),
        ({"y": math.inf}, "y = inf: the model gave no finite number"),
        ({"y": 1, "free": -math.inf}, "free = -inf: the model gave no finite number"),
        ({"y": 10**400}, "the model gave no finite number"),
        ({"y": "3.0"}, 'y = "3.0": the model gave no finite number'),
        ({"y": True}, "y = true: the model gave no finite number"),
        ({"y": np.bool_(True)}, "the model gave no finite number"),
        ({"y": [1]}, r"y = \[1\]: the model gave no finite number"),
    ],
)
@pytest.mark.parametrize("kind", ["function", "command"])
def test_answers_are_compared_with_the_declared_responses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, answer: dict, message: str | None
) -> None:
    declared = {"units": {"y": "s", "free": "1"}, "missing": ["free"], "directory": str(tmp_path)}
    if kind == "command":
        try:
            text = json.dumps(answer)
        except TypeError:
            pytest.skip("no JSON")
        described = {**declared, "command": [sys.executable, "-c", f"print({text!r})"]}
    else:
        monkeypatch.setattr("mesonet.models.model._imported", lambda *_: lambda *_: answer)
        described = {**declared, "module": "m", "function": "f"}
    if message:
        with pytest.raises(InputError, match=message):
            models.evaluate(described, {}, 1)
    else:
        assert models.evaluate(described, {}, 1) == {**answer, "free": None}


def test_missing_responses_are_failures_that_are_counted(sums: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM.replace('"sum": ', '"sum": float("nan") if p["a"] == 2 else '))
    out = str(tmp_path / "out")
    run = CliRunner().invoke(main, ["experiment", "run", str(sums), "--out", out, "--workers", "2"])
    assert run.exit_code == 1, run.output
    assert holds(run.output, "2 of 4 runs done", "2 failed", "sum = nan: the model gave no value")


def test_the_example_follows_theory_and_goes_the_whole_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = Path(__file__).parents[1] / "examples" / "clinic"
    monkeypatch.syspath_prepend(str(example))
    clinic = importlib.import_module("clinic")
    days = [clinic.simulate({"returning": 0.0, "patients": 20_000}, seed) for seed in range(3)]
    means = [sum(day[name] for day in days) / 3 for name in ("registration_wait", "treatment_wait", "clerks_busy")]
    # M/M/c (Erlang C): the second queue is fed by the output of the first, which is Poisson (Burke 1956)
    assert means == pytest.approx([erlang_wait(0.5, 1 / 3, 2), erlang_wait(0.5, 1 / 9, 6), 0.75], rel=0.1)
    few = {"values": {"patients": 300}, "algorithms": ["fifo"], "replicates": 1}
    campaign = mesonet.experiment(example / "clinic.toml", **few).run(tmp_path / "out", workers=2, progress=False)
    assert campaign.counts["done"] == 16
    effects = mesonet.analysis.main_effects(campaign.design, campaign.response("clerks_busy"))
    signs = dict(zip(effects.factors, np.sign(effects.effect), strict=True))
    assert (signs["A"], signs["B"], signs["D"]) == (1, -1, 1)


def erlang_wait(arrivals: float, service: float, servers: int) -> float:
    """Mean time in the queue M/M/c."""
    load = arrivals / service
    all_busy = load**servers / math.factorial(servers) / (1 - load / servers)
    waiting = all_busy / (sum(load**k / math.factorial(k) for k in range(servers)) + all_busy)
    return waiting / (servers * service - arrivals)


def test_records_of_networks_follow_the_schema(one_factor: Path, tmp_path: Path) -> None:
    campaign = mesonet.experiment(one_factor).run(tmp_path / "out", workers=2, progress=False)
    for name in ("experiment", "provenance"):
        jsonschema.validate(json.loads((campaign.path / f"{name}.json").read_text()), schema(name))
    for key in campaign.runs["key"]:
        record = json.loads((campaign.path / "runs" / key / "run.json").read_text())
        jsonschema.validate(record, schema("run"))
        constants = {"increase": 1, "decrease": 0.5, "whole_segments": 0, "whole_reductions": 0, "ecn": 1, "paced": 0}
        assert record["scenario"]["algorithms"][0]["parameters"] == constants
        assert record["environment"]["host"] == os.uname().nodename
        broken = {**record, "performance": {}}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, schema("run"))


UNGUARDED = """
import os, sys
depth = int(os.environ.get("DEPTH", "0"))
if depth > 2:
    sys.exit("campaigns begin campaigns")
os.environ["DEPTH"] = str(depth + 1)
import mesonet

def double(parameters, seed):
    return {"twice": 2 * parameters["x"]}

campaign = mesonet.experiment(model=double, factors={"x": (1, 2)}).run("out", workers=1, progress=False)
print(sorted(campaign.runs["status"]))
"""


def test_a_script_that_begins_a_campaign_whenever_it_is_imported_does_so_once(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(UNGUARDED)
    command = [sys.executable, "script.py"]
    ended = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE_S)
    assert "campaigns begin campaigns" not in ended.stdout + ended.stderr
    status = json.loads(CliRunner().invoke(main, ["experiment", "status", str(tmp_path / "out"), "--json"]).stdout)
    (message,) = {failure["message"] for failure in status["failures"]}
    assert "script.py: its import begins a campaign" in message
    assert 'if __name__ == "__main__":' in message
