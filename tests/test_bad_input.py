"""Input that went wrong in a review: each is refused in one line, at once, and leaves nothing behind."""

from __future__ import annotations

import copy
import datetime
import json
import math
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import mesonet as mn
from conftest import TINY
from mesonet.cli.scenario_targets import pairs
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.experiments.inheritance import parts
from mesonet.experiments.model import from_table
from mesonet.experiments.network import Experiment
from mesonet.experiments.reading import read
from mesonet.scenarios import settings
from mesonet.simulation import provenance

pytestmark = pytest.mark.process


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == 2, (done.output, done.exception)
    assert done.stderr.startswith("mesonet: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize(
    ("path", "written", "read"),
    [
        ("trace.flows", "[1, 2]", [1, 2]),
        ("impairments.capacity", '[["0 s", "8 seg/s"], ["2 s", "2 seg/s"]]', [["0 s", "8 seg/s"], ["2 s", "2 seg/s"]]),
        ("aqm.at", '["A -> B", "B -> A"]', ["A -> B", "B -> A"]),
        ("trace.flows", "1, 2", [1, 2]),
    ],
)
def test_set_reads_the_lists_that_messages_allow(path: str, written: str, read: list[Any]) -> None:
    assert settings.parse(path, pairs([f"{path}={written}"])[path]) == settings.parse(path, read)


def test_a_text_that_only_begins_as_a_list_stays() -> None:
    for text in ("[1", "[1]\n x = 2", "[a].csv", "{", "[" * 10_000):
        assert pairs([f"topology={text}"]) == {"topology": text}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--set", "think_time=1e999999999 s"), "users.think_time"),
        (("--set", "delay_multiplier=1e99999999"), "network.delay_multiplier"),
        (("--set", "buffer=1e300 bdp"), "at most 1000000000000 bdp"),
        (("--set", "buffer=3"), 'write "3 segments"'),
        (("--algorithm", "tcp=0.5 tcp=1"), "tcp is there twice"),
        (("--set", "base_sources=10000000", "--set", "source_multiplier=10000"), "at most 50000000"),
    ],
)
def test_values(arguments: tuple[str, ...], words: str) -> None:
    assert words in refused("run", "abilene", *arguments)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('base = "abilene"\nalgorithms = ["tcp"]', "not a mix of algorithms"),
        ('base = "dumbbell"\n[[flows]]\nfrom = "A"\nto = "B"\nalgorithm = ["tcp"]', "flows[0].algorithm"),
        ("", "a scenario without values. Allowed: values, or a base"),
        ('# nothing\ntitle = "empty"\n', "a scenario without values"),
        ('base = "dumbbell"\n[[flows]]\nfrom = "A"\nto = "C"', "flows[0].to"),
        ('base = "dumbbell"\n[[flows]]\nfrom = ["A"]\nto = "B"', "flows[0].from"),
        (
            'base = "dumbbell"\n[[flows]]\nfrom = "A"',
            "flows[0].to: a flow needs the name of a router. Allowed: a router",
        ),
        ('base = "dumbbell"\n[[flows]]\nfrom = "A"\nto = "B"\nstart = "-1 s"', "flows[0].start"),
        ('base = "dumbbell"\n[[flows]]\nfrom = "A"\nto = "B"\nsize = "0 segments"', "flows[0].size"),
        ('base = "dumbbell"\n[[flows]]\nfrom = "A"\nto = "B"\nspeed = 3', "unknown key of a flow"),
        ('base = "dumbbell"\n[flows]\nfrom = "A"', "flows"),
        ("base = 3", "base = 3: not text"),
        ('base = "abilene"\nusers = []', "users"),
        ('base = "abilene"\n[users]\nthink_time = [5]', "users.think_time"),
        ('base = "abilene"\n[users]\nsource_distribution = {normal = 1}', "users.source_distribution"),
        ('base = "abilene"\n[users]\nsource_distribution = [nan, 1, 0]', "users.source_distribution"),
        ('base = "abilene"\n[users]\nbase_sources = inf', "users.base_sources = inf: not a finite number"),
        ('base = "abilene"\n[users]\nallow_same_backbone = 1', "users.allow_same_backbone"),
        ('base = "abilene"\n[time]\nperiods = 2.5', "time.periods"),
        ('base = "abilene"\n[time]\nduration = 2020-01-01', "time.duration"),
        ('base = "abilene"\n[network]\nbuffer = "-1 bdp"', "network.buffer"),
        ('base = "abilene"\n[network]\nspeed = ""', "network.speed"),
        ('base = "abilene"\nalgorithms = {}', "algorithms"),
        ('base = "abilene"\nalgorithms = {tcp = "1/0"}', "algorithms"),
        ('base = "abilene"\nalgorithms = {tcp = true}', "algorithms"),
        ('base = "abilene"\n[parameters.scalable]\nincrease = "a"', "parameters.scalable.increase"),
        ('base = "abilene"\n[parameters]\nscalable = 1', "parameters.scalable"),
        ('base = "abilene"\ntopology = ["isp"]', "topology"),
    ],
)
def test_scenario_files(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    message = refused("run", str(file))
    assert words in message
    assert str(file) in message or "flows" in words


@pytest.mark.parametrize(
    "content",
    ['{"format": 1}', "[]", "not JSON", '{"format": 1, "scenarios": 3}', "[" * 100_000, "\x00", '{"format": true}'],
)
@pytest.mark.parametrize("verb", [("experiment", "status"), ("experiment", "run"), ("analyze",), ("report",)])
def test_folder_with_a_strange_experiment(verb: tuple[str, ...], content: str, tmp_path: Path) -> None:
    (tmp_path / "experiment.json").write_text(content)
    assert "experiment.json" in refused(*verb, str(tmp_path))
    assert [p.name for p in tmp_path.iterdir()] == ["experiment.json"]


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The ``experiment.json`` of the tiny experiment."""
    file = tmp_path_factory.mktemp("planned") / "tiny.toml"
    file.write_text(TINY)
    return json.dumps(mn.experiment(str(file)).document())


def changed(document: Any, path: Sequence[str | int], value: Any) -> str:
    """A document with another value at a path."""
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["format"], 2, "format = 2: another format"),
        (["format"], "1", 'format = "1": not a whole number'),
        (["name"], ["tiny"], "name"),
        (["title"], None, "title"),
        (["scale"], "1", "scale"),
        (["seed"], 1.5, "seed"),
        (["replicates"], True, "replicates"),
        (["replicates"], 0, "replicates"),
        (["replicates"], 10**7, "4 conditions x 2 algorithms x 10,000,000 replicates = 80,000,000 runs"),
        (["algorithms"], "tcp", "algorithms"),
        (["algorithms", 1], 5, "algorithms[1]"),
        (["algorithms", 1], "fast", "scenarios"),
        (["mixed_with"], 3, "mixed_with = 3: not text or null"),
        (["factors"], {}, "factors"),
        (["factors", 0], "X1", "factors[0]"),
        (["factors", 1, "minus"], 50, "factors[1].minus"),
        (["factors", 1, "id"], "X6", "design.factors"),
        (["design"], [], "design"),
        (["design", "generators"], None, "design.generators"),
        (["design", "generators"], ["X5=X1"], "design.generators[0]"),
        (["design", "factors"], ["X1"], "design.factors"),
        (["parameters", 3, "doc"], {}, "parameters[3].doc"),
        (["scenarios"], {"1": {}}, "scenarios"),
        (["scenarios", 2], None, "scenarios[2]"),
        (["scenarios", 2, "condition"], 99, "scenarios"),
        (["scenarios", 2, "condition"], "1", "scenarios[2].condition"),
        (["scenarios", 7, "scenario"], [1], "scenarios[7].scenario"),
        (["scenarios"], [], "scenarios"),
    ],
)
def test_experiment_of_the_wrong_shape(planned: str, path: list[Any], value: Any, words: str, tmp_path: Path) -> None:
    file = tmp_path / "experiment.json"
    file.write_text(changed(json.loads(planned), path, value))
    for verb in (("experiment", "status"), ("experiment", "run"), ("report",)):
        message = refused(*verb, str(tmp_path))
        assert message.startswith(f"mesonet: {file}")
        assert words in message
    assert [p.name for p in tmp_path.iterdir()] == ["experiment.json"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", "not an object"),
        ("{}", "versions: missing"),
        ('{"versions": []}', "versions"),
        ('{"versions": {"code_version": 3}}', "versions.code_version"),
        ('{"versions": {"code_version": "0123456789"}}', "versions.mesonet: missing"),
        (json.dumps({"versions": provenance.versions(), "started": None, "finished": None}), "started: not text"),
        (json.dumps({"versions": provenance.versions(), "started": ""}), "finished: missing"),
        ("", "not JSON"),
    ],
)
def test_provenance_of_the_wrong_shape(planned: str, content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "experiment.json").write_text(planned)
    file = tmp_path / "provenance.json"
    file.write_text(content)
    for verb in (("experiment", "status"), ("experiment", "run"), ("analyze",)):
        message = refused(*verb, str(tmp_path))
        assert message.startswith(f"mesonet: {file}")
        assert words in message


def test_run_files_of_the_wrong_shape(one_factor: Path, tmp_path: Path) -> None:
    campaign = mn.experiment(str(one_factor)).run(tmp_path / "campaign", progress=False)
    folder = campaign.path / "runs" / campaign.runs["key"][0]
    (folder / "run.json").write_text('{"performance": []}')
    assert f"{folder / 'run.json'}: performance" in refused("experiment", "status", str(campaign.path))
    (folder / "responses.parquet").unlink()
    (folder / "failure.json").write_text('{"message": 3}')
    assert f"{folder / 'failure.json'}: message" in refused("experiment", "status", str(campaign.path))


def test_no_replicates() -> None:
    done = CliRunner().invoke(main, ["experiment", "plan", "demo", "--replicates", "0"])
    assert done.exit_code == 2
    assert "x>=1" in done.stderr


def test_too_many_runs() -> None:
    message = refused("experiment", "plan", "demo", "--replicates", "20000")
    assert "32 conditions x 3 algorithms x 20,000 replicates = 1,920,000 runs" in message
    assert "at most 1,000,000 runs" in message
    assert "too high" in refused("experiment", "plan", "demo", "--replicates", "1000000000")
    assert len(mn.experiment("demo", replicates=15625, algorithms=["tcp", "bbr3"]).algorithms) == 2  # exactly 1,000,000


def test_name_stays_in_the_folder(tiny: Path) -> None:
    tiny.write_text(tiny.read_text().replace('name = "tiny"', 'name = "../tiny"'))
    assert "name" in refused("experiment", "plan", str(tiny))


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that takes time fails the test."""

    def never(*_: object, **__: object) -> None:
        pytest.fail("worked although the result cannot be written")

    monkeypatch.setattr(mn, "simulate", never)
    monkeypatch.setattr(Experiment, "document", never)
    monkeypatch.setattr("mesonet.reporting.page.document.report_html", never)
    monkeypatch.setattr("mesonet.reporting.folder.analysis_files.two_level_tables", never)


@pytest.fixture(scope="module")
def campaign(one_factor_campaign: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a campaign that is done; its report may write replays into it."""
    return shutil.copytree(one_factor_campaign, tmp_path_factory.mktemp("one") / "campaign")


def verbs(campaign: Path, tiny: Path) -> list[tuple[str, ...]]:
    return [
        ("run", "dumbbell", "--duration", "1 s"),
        ("experiment", "run", str(tiny)),
        ("analyze", str(campaign)),
        ("report", str(campaign)),
    ]


@pytest.mark.usefixtures("idle")
def test_a_place_that_cannot_be_written_is_noticed_before_the_work(campaign: Path, tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    before = sorted(tmp_path.rglob("*"))
    for verb in verbs(campaign, tiny):
        for out in (tmp_path / "file" / "below" / "this", Path("/proc/mesonet/out"), tmp_path / ("long" * 100)):
            message = refused(*verb, "--out", str(out))
            assert f'--out = "{out}"'[:100] in message, verb
    for verb in verbs(campaign, tiny)[:3]:
        assert "--out" in refused(*verb, "--out", str(tmp_path / "file"))
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.usefixtures("idle")
def test_a_report_replaces_files_only(campaign: Path, tmp_path: Path) -> None:
    for out in (tmp_path, Path("/dev/null")):
        assert "not a file" in refused("report", str(campaign), "--out", str(out))


def test_a_report_keeps_the_link_that_leads_to_it(campaign: Path, tmp_path: Path) -> None:
    (tmp_path / "latest.html").symlink_to(tmp_path / "one.html")
    (tmp_path / "one.html").write_text("earlier")
    assert CliRunner().invoke(main, ["report", str(campaign), "--out", str(tmp_path / "latest.html")]).exit_code == 0
    assert (tmp_path / "latest.html").is_symlink()
    assert "<html" in (tmp_path / "one.html").read_text()


@pytest.mark.parametrize("there", [False, True])
def test_a_run_that_fails_leaves_what_was_there(there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(mn, "simulate", broken)
    if there:
        (tmp_path / "new").mkdir()
    out = tmp_path / "new" / "out"
    for _ in range(2):
        done = CliRunner().invoke(main, ["run", "dumbbell", "--duration", "1 s", "--out", str(out)])
        assert (done.exit_code, "not enough memory" in done.stderr) == (1, True)
        assert [p.name for p in tmp_path.rglob("*")] == (["new"] if there else [])
    out.mkdir(parents=True)
    done = CliRunner().invoke(main, ["run", "dumbbell", "--duration", "1 s", "--out", str(out)])
    assert (done.exit_code, "not enough memory" in done.stderr) == (1, True)
    assert list(out.iterdir()) == []


def test_an_experiment_that_is_refused_leaves_what_was_there(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for out in ("new", "there"):
        assert "--scale" in refused("experiment", "run", str(tiny), "--scale", "0.1", "--out", str(tmp_path / out))
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["there", "tiny.toml"]


def test_workers(tiny: Path, tmp_path: Path) -> None:
    for workers in (0, -1):
        with pytest.raises(mn.InputError, match="workers"):
            mn.experiment(str(tiny)).run(tmp_path / "campaign", workers=workers)
    assert not (tmp_path / "campaign").exists()


@pytest.mark.parametrize(
    ("name", "text"), [("bad.gml", "graph [ node ["), ("bad.graphml", "<graphml"), ("bad.csv", 'a,b\nA,"B\n')]
)
def test_a_file_that_cannot_be_read_says_what_its_form_is(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    message = refused("check", "dumbbell", "--set", f"topology={tmp_path / name}")
    assert f"{tmp_path / name}: " in message
    assert "Allowed: " in message


@pytest.mark.parametrize("verb", [("check",), ("experiment", "plan")])
def test_a_toml_file_that_cannot_be_read_says_what_its_form_is(tmp_path: Path, verb: tuple[str, ...]) -> None:
    (tmp_path / "bad.toml").write_text("speed = 1 seg/s\n")
    message = refused(*verb, str(tmp_path / "bad.toml"))
    assert f"{tmp_path / 'bad.toml'}: not valid TOML: " in message
    assert "Allowed: lines such as key = " in message


@pytest.mark.parametrize(
    ("text", "options", "start"),
    [
        ("[network]\nspeed = '1 seg/s'", (), "f.toml: network.buffer = "),
        ("[network]\nspeed = '8 seg/ms'", ("--set", "speed=1 seg/s"), "f.toml, --set: network.buffer = "),
        ("[network]\nbuffer = '1e9 segments'", (), "f.toml: network.buffer = "),
        ("[impairments.wifi]\nloss = 0.1", (), "f.toml: impairments.wifi.at"),
        ("[users]\nmovie_probability = 0.99\nbase_sources = 1", (), "f.toml: users.document_probability = "),
    ],
)
def test_a_message_names_what_a_user_can_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, options: tuple[str, ...], start: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.toml").write_text(f'base = "dumbbell"\n{text}\n')
    assert refused("check", "f.toml", *options).startswith(f"mesonet: {start}")


@pytest.mark.parametrize("path", ["network.buffer_floor", "aqm.dualpi2_step_floor"])
def test_whole_numbers_of_segments_are_whole(path: str) -> None:
    message = refused("check", "dumbbell", "--set", f"{path}=4.5 segments")
    assert f'{path} = "4.5 segments": not a whole number of segments. Allowed: a whole number' in message
    assert mn.scenario("dumbbell", **{path: "10 kB"}).value(path) == 7


TYPES = (
    5,
    5.5,
    True,
    "x",
    "",
    [],
    {},
    [1],
    ["a"],
    [[1]],
    [{}],
    {"a": {}},
    datetime.date(2020, 1, 1),
    math.nan,
    10**400,
)
"""Values of every type of TOML, some of them out of every range."""
COMPLETE = {
    "name": "x", "title": "t", "description": "d", "scenario": "dumbbell", "algorithms": ["tcp", "cubic"],
    "mixed_with": "hstcp", "seed": 1, "replicates": 2, "responses": "asme-22", "keep": ["series"],
    "set": {"time.duration": "2 s"}, "proportional": True,
    "factors": [
        {"id": "A", "name": "a", "path": "network.speed", "minus": "1 seg/ms", "plus": "2 seg/ms"},
        {"id": "X15", "path": "mixed_share", "minus": 0.3, "plus": 0.7},
        {"id": "L", "levels": {"network.buffer": ["1 bdp", "2 bdp"]}},
    ],
    "design": {"kind": "two-level", "generators": ["L=A*X15"], "centre_points": 1, "seed": 1},
    "conclusions": [
        {"id": "q", "text": "s", "source": "z", "response": "loss_rate", "higher": "tcp", "than": "cubic",
         "period": "measured"}
    ],
}  # fmt: skip
OF_MODEL = {
    "name": "m", "title": "t", "description": "", "model": {"command": ["python3", "q.py"]}, "algorithms": ["a", "b"],
    "seed": 1, "replicates": 1, "parameters": {"p": 1}, "responses": {"r": "s"},
    "factors": [{"id": "A", "name": "b", "path": "q", "minus": 1, "plus": 2}, {"id": "C", "levels": {"z": [1, 2]}}],
    "design": {"runs": 4},
}  # fmt: skip


def places_in(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if above:
        yield above
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in entries:
        yield from places_in(part, (*above, key))


def with_value(table: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    copied: Any = copy.deepcopy(table)
    place = copied
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return dict(copied)


def test_the_experiments_are_sound_before() -> None:
    Experiment(**read(parts(COMPLETE, "x.toml", None), {}, {}), file="x.toml").document()
    from_table(OF_MODEL, "m.toml", Path()).document()


@pytest.mark.parametrize("path", list(places_in(COMPLETE)), ids=str)
def test_a_value_of_any_type_in_an_experiment_is_read_or_refused(path: tuple[Any, ...]) -> None:
    for value in TYPES:
        with suppress(InputError):
            files = parts(with_value(COMPLETE, path, value), "x.toml", None)
            Experiment(**read(files, {}, {}), file="x.toml").document()


@pytest.mark.parametrize("path", list(places_in(OF_MODEL)), ids=str)
def test_a_value_of_any_type_in_an_experiment_of_a_model_is_read_or_refused(path: tuple[Any, ...]) -> None:
    for value in TYPES:
        with suppress(InputError):
            from_table(with_value(OF_MODEL, path, value), "m.toml", Path()).document()


def test_names_of_other_bytes_do_not_end_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b\udcff.toml").write_text('base = "dumbbell"\n[time]\nduration = "1 s"\nwarmup = "0 s"\n')
    done = CliRunner().invoke(main, ["run", "b\udcff.toml", "--out", "out", "--plot", "p.svg"])
    assert (done.exit_code, done.exception) == (0, None), done.output
    assert "b\ufffd" in (tmp_path / "p.svg").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "dumbbell", "--out", "o\udcff"), ("experiment", "run", "demo", "--out", "o\udcff"),
        ("experiment", "status", "o\udcff"), ("report", "o\udcff"), ("playground", "--out", "o\udcff.html"),
        ("run", "dumbbell", "--set", "aqm.at=q\udcff"),
    ],
)  # fmt: skip
def test_paths_that_are_not_utf8_are_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    message = refused(*arguments)
    assert "in UTF-8. Allowed: " in message
    assert not list(tmp_path.iterdir())


def test_a_run_without_memory_ends_with_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: Any, **__: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("mesonet.cli.check.find_scenario", exhausted)
    done = CliRunner().invoke(main, ["check", "dumbbell"])
    assert (done.exit_code, done.stderr.startswith("mesonet: not enough memory. Allowed: ")) == (1, True)
