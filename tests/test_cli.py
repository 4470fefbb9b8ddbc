from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import mesonet
from commands import ENVIRONMENT, MESONET, PATIENCE_S, messages, until
from fragments import holds
from mesonet import plugin_exit
from mesonet.cli import entry_point
from mesonet.cli.verbs import main
from mesonet.simulation.result import FILES

pytestmark = pytest.mark.process

SMALL = ("--set", "speed=40 seg/ms", "--set", "base_sources=2", "--duration", "2 s")


def call(*arguments: object) -> Result:
    """Runs the command line in this process."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "abilene", "--seed", "-1"],
        ["list", "nosuch"],
        ["explain"],
        ["explain", "cubik"],
        ["run", "exp-1a", "--condition", "x"],
        ["nosuch"],
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str]) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("mesonet: ")


def json_of(*arguments: object) -> object:
    result = call(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    assert messages(result.stderr) == []
    return json.loads(result.stdout, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_installed_command_prints_its_version() -> None:
    done = subprocess.run([*MESONET, "--version"], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    assert done.stdout == f"mesonet, version {mesonet.__version__}\n"


@pytest.mark.parametrize(("given", "used"), [(None, "1"), ("3", "3")])
def test_numpy_of_a_command_has_one_thread_unless_told_otherwise(
    given: str | None, used: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(sys, "argv", ["mesonet", "--version"])
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", given or "")
    if given is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    with pytest.raises(SystemExit):
        entry_point.main()
    signal.signal(signal.SIGINT, before)
    assert os.environ["OPENBLAS_NUM_THREADS"] == used


def test_a_process_continues_after_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plug-in that loads later, where tables have started threads, makes no child."""
    before, process = signal.getsignal(signal.SIGINT), os.getpid()
    monkeypatch.setattr(sys, "argv", ["mesonet", "--version"])
    with pytest.raises(SystemExit):
        entry_point.main()
    signal.signal(signal.SIGINT, before)
    plugin_exit.before("aimd.py:AIMD")
    assert os.getpid() == process


def test_numpy_is_loaded_after_its_number_of_threads_is_set() -> None:
    code = "import sys, mesonet.cli.entry_point; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("scenarios", "abilene"),
        ("experiments", "demo"),
        ("algorithms", "scalable"),
        ("topologies", "dumbbell"),
        ("disciplines", "fq_codel"),
        ("presets", "linux"),
        ("impairments", "impairments.outages"),
        ("access-profiles", "cable 50/10"),
        ("factors", "X13"),
        ("responses", "retransmission_rate"),
        ("parameters", "network.speed"),
    ],
)
def test_list(kind: str, name: str) -> None:
    entries = json_of("list", kind)
    assert isinstance(entries, list)
    assert name in [entry["name"] for entry in entries]
    text = call("list", kind).stdout
    assert name in text
    assert len(text.splitlines()) == len(entries) + 1
    assert f"\n{kind}\n" in "\n" + call("list").stdout


@pytest.mark.parametrize(
    ("term", "kinds"),
    [
        ("bdp", ["glossary"]),
        ("explicit flows", ["glossary"]),
        ("alternate", ["glossary", "glossary"]),
        ("FQ-CoDel", ["disciplines"]),
        ("y22", ["responses"]),
        ("X1", ["factors"]),
        ("network.speed", ["parameters"]),
        ("goodput", ["glossary"]),
    ],
)
def test_explain(term: str, kinds: list[str]) -> None:
    found = json_of("explain", term)
    assert [each["kind"] for each in found] == kinds
    shown = call("explain", *term.split()).stdout
    assert all(each["name"] in shown and each["text"] in shown for each in found)


def test_an_unknown_term_has_near_ones_or_says_where_terms_are() -> None:
    assert "nearest: cubic" in call("explain", "cubik").stderr
    assert "mesonet list" in call("explain", "zzzzqqq").stderr


def test_everything_listed_has_a_line_of_text_that_explains_it(monkeypatch) -> None:
    from mesonet.cli import catalogue
    from mesonet.cli.glossary import meanings

    entries = cache(catalogue.entries)
    monkeypatch.setattr(catalogue, "entries", entries)
    for kind in catalogue.KINDS:
        for entry in entries(kind):
            texts = [each["text"] for each in meanings(entry["name"]) if each["kind"] == kind]
            assert len(texts) == 1, entry["name"]
            assert len(texts[0]) > 3, entry["name"]


def test_run_prints_responses_and_cost() -> None:
    about = json_of("run", "abilene", *SMALL)
    assert {"name", "value", "unit", "period"} <= set(about["responses"][0])
    names = {(each["name"], each["period"]) for each in about["responses"]}
    assert {("loss_rate", "measured"), ("total_flows_completed", "run")} <= names
    assert {"cpu_s", "data_segments_delivered", "router_hops", "peak_rss_bytes"} <= set(about["performance"])
    text = call("run", "abilene", *SMALL).stdout
    assert any(line.split()[:3] == ["retransmission_rate", "y10", "1"] for line in text.splitlines())
    assert "data_segments_delivered" in text


def test_run_writes_the_same_bytes_for_one_seed(here: Path) -> None:
    for out in ("a", "b"):
        assert call("run", "abilene", *SMALL, "--algorithm", "scalable", "--seed", 7, "--out", out).exit_code == 0
    assert sorted(path.name for path in (here / "a").iterdir()) == sorted(FILES)
    for name in FILES:
        if name != "run.json":
            assert (here / "a" / name).read_bytes() == (here / "b" / name).read_bytes()
    about = json.loads((here / "a" / "run.json").read_text())
    assert about["seed"] == 7
    assert about["scenario"]["algorithms"][0]["name"] == "scalable"


def test_check_shows_values_sources_and_what_follows() -> None:
    about = json_of("check", "abilene", "--set", "preset=sp500_282")
    assert about["derived"]["sources"] == 17460
    rows = {row["path"]: row for row in about["settings"]}
    assert rows["preset"]["source"] == "--set"
    assert rows["transport.initial_rto"]["value"] == "3 s"
    text = call("check", "abilene", "--set", "preset=sp500_282").stdout
    assert "mean routers per path" in text
    assert "note: a normal access router" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("run", "abilen"),
            '"abilen": unknown scenario or experiment (nearest: abilene, bottleneck). Allowed: abilene',
        ),
        (("run", "abilene", "--algorithm", "cubik"), '--algorithm: algorithms = "cubik": unknown algorithm'),
        (
            ("run", "abilene", "--set", "duration=60"),
            '--set: time.duration = "60": a time needs its unit: write',
        ),
        (
            ("run", "abilene", "--set", "network.sped=1"),
            '--set: network.sped = "1": unknown path (nearest: network.speed',
        ),
        (
            ("check", "abilene", "--set", "algorithms.bbr3.startup_gain=3"),
            '--set: algorithms.bbr3.startup_gain = "3": constants of algorithms have a path of their own',
        ),
        (("run", "abilene", "--set", "speed"), '--set = "speed": not PATH=VALUE'),
        (("run", "abilene", "--set", "delay_multiplier=-2"), '--set: network.delay_multiplier = "-2": too low'),
        (
            ("run", "abilene", "--duration", "10 s", "--set", "warmup=10 s"),
            "ends inside the warm-up of 10 s",
        ),
        (("run", "dumbbell-pair", "--duration", "9 s"), "before flows[1] starts at 250 s. Allowed: at least 250 s"),
        (("check", "abilene", "--set", "source_distribution=.1,.6,.4"), "sum to 1.1, not to 1"),
        (("experiment", "plan", "dmo"), '"dmo": unknown experiment (nearest: demo)'),
        (("experiment", "run", "dmo"), '"dmo": no such experiment or campaign'),
        (("experiment", "plan", "demo", "--algorithms", "tcp,x"), '--algorithms = "x": unknown algorithm'),
        (("experiment", "plan", "demo", "--scale", "-1"), "scale = -1.0: not a scale"),
        (("experiment", "plan", "demo", "--duration", "5"), 'time.duration = "5": a time needs its unit'),
        (("experiment", "plan", "exp-2a", "--duration", "9 s"), "or a shorter time.warmup: --set warmup='4.5 s'"),
        (("experiment", "plan", "demo", "--set", "warmup"), '--set = "warmup": not PATH=VALUE'),
        (("experiment", "plan", "demo", "--set", "warmup=5"), '--set: time.warmup = "5": a time needs its unit'),
        (("experiment", "run", "demo", "--set", "speed=1 seg/ms"), "--set speed: factor X1 varies network.speed"),
        (("run", "demo"), "--condition: demo is an experiment of 32 conditions: name one of them. Allowed: 1 to 32"),
        (("check", "demo"), "--condition: demo is an experiment of 32 conditions"),
        (("run", "demo", "--condition", "33"), "--condition = 33: too high. Allowed: a whole number, at least 1 and"),
        (("run", "demo", "--condition", "0"), "--condition = 0: too low"),
        (("run", "abilene", "--condition", "1"), "--condition = 1: a scenario has no conditions. Allowed: an exper"),
        (("run", "demo", "--condition", "1", "--algorithm", "x"), '--algorithm = "x": unknown algorithm'),
        (("run", "demo", "--condition", "1", "--algorithm", "tcp=1 fast=1"), "--algorithm = "),
        (
            ("run", "demo", "--condition", "1", "--set", "speed=1 seg/ms"),
            "mesonet: --set speed: factor X1 varies network.speed",
        ),
        (
            ("run", "demo", "--condition", "1", "--set", "sped=1 seg/ms"),
            '--set: sped = "1 seg/ms": unknown path (nearest: network.speed',
        ),
        (
            ("run", "demo", "--condition", "1", "--set", "algorithm=fast"),
            "--set algorithm: an experiment varies the algo",
        ),
        (("run", "demo", "--condition", "1", "--duration", "1"), "--duration: time.duration"),
        (("experiment", "run", "demo", "--time-limit", "5"), 'write "5 h"'),
        (("run", "demo", "--condition", "1", "--set", "warmup=200 s"), "the run ends inside the warm-up of 200 s"),
        (("run", "abilene", "--scale", "0"), "--scale = 0.0: not a scale"),
        (("run", "abilene", "--scale", "nan"), "--scale = nan: not a finite number"),
        (("run", "dmo"), '"dmo": unknown scenario or experiment (nearest: demo)'),
        (("experiment", "status", "demo"), '"demo": not a campaign folder'),
        (("report", "."), '".": not a campaign folder'),
        (("analyze", "nowhere"), '"nowhere": not a campaign folder'),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(here: Path, arguments: tuple[str, ...], message: str) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("mesonet: ")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert list(here.iterdir()) == []


def test_check_compares_the_load_with_the_routers() -> None:
    light, heavy = (
        CliRunner().invoke(main, ["check", "abilene", "--set", f"think_time={time}", "--set", "ack_path=queued"]).stdout
        for time in ("100 s", "2 s")
    )
    assert "accumulate" not in light
    assert holds(heavy, "times the load", "class normal access", "accumulate")


def test_run_and_check_one_condition_of_an_experiment(tiny: Path) -> None:
    about = json_of("run", tiny, "--condition", 4, "--algorithm", "scalable", "--duration", "1 s")
    assert about["scenario"] == "tiny condition 4"
    by_hand = ("speed=80 seg/ms", "base_sources=2", "web_object_size=100 segments")
    options = [option for value in by_hand for option in ("--set", value)]
    same = json_of("run", "abilene", *options, "--algorithm", "scalable", "--duration", "1 s")
    assert same["responses"] == about["responses"]
    rows = {row["path"]: row for row in json_of("check", tiny, "--condition", 2)["settings"]}
    assert (rows["network.speed"]["value"], rows["algorithms"]["value"]) == ("80 seg/ms", "tcp")
    assert rows["network.speed"]["source"] == f"set in {tiny}"


def test_the_only_condition_of_an_experiment_need_not_be_named() -> None:
    for scale in ("1", "0.5"):
        arguments = ("check", "dumbbell-pairs", "--scale", scale)
        assert json_of(*arguments) == json_of(*arguments, "--condition", 1)


def test_run_and_check_at_a_scale(tiny: Path) -> None:
    rows = {row["path"]: row for row in json_of("check", "abilene", "--scale", "0.5")["settings"]}
    assert (rows["network.speed"]["value"], rows["users.base_sources"]["value"]) == ("400 seg/ms", "50")
    assert rows["users.normal_interface"]["value"] == "8 seg/ms"
    values = ("--set", "speed=80 seg/ms", "--set", "base_sources=4", "--duration", "1 s")
    result = call("run", "abilene", *values, "--scale", "0.5", "--force", "--json")
    assert holds(result.stderr, "--scale multiplies", "network.speed", "users.base_sources", "interfaces")
    half = json.loads(result.stdout)
    by_hand = json_of("run", "abilene", "--set", "speed=40 seg/ms", "--set", "base_sources=2", "--duration", "1 s")
    assert half["responses"] == by_hand["responses"]
    about = json_of("check", tiny, "--condition", 1, "--scale", "2", "--set", "base_sources=3", "--force")
    rows = {row["path"]: row for row in about["settings"]}
    assert (rows["network.speed"]["value"], rows["users.base_sources"]["value"]) == ("80 seg/ms", "6")
    for distorted in (("check", "abilene"), ("run", "demo", "--condition", 1)):
        result = call(*distorted, "--scale", "0.02")
        assert result.exit_code == 2
        assert "--scale = 0.02: " in result.stderr
        assert "or --force" in result.stderr


def test_a_scenario_file_is_told_from_an_experiment_file(here: Path, tiny: Path) -> None:
    (here / "mine.toml").write_text('base = "abilene"\n[users]\nbase_sources = 2\n')
    assert json_of("check", "mine.toml")["name"] == "mine"
    assert json_of("check", tiny.name, "--condition", "3")["name"] == "tiny condition 3"


def test_bad_output_directory_is_refused_before_the_run(here: Path) -> None:
    (here / "out").mkdir()
    (here / "out" / "thesis.tex").write_text("")
    result = call("run", "abilene", "--out", "out")
    assert result.exit_code == 2
    assert holds(result.stderr, '--out = "out": ', "other files (thesis.tex)")


def test_unknown_options_and_verbs_exit_with_2() -> None:
    assert call("run", "abilene", "--seed", "-1").exit_code == 2
    assert call("rnu").exit_code == 2
    assert call("list", "algoritms").exit_code == 2


def test_plan_shows_design_and_runs(tiny: Path) -> None:
    about = json_of("experiment", "plan", "demo", "--replicates", "2")
    assert (about["design"]["resolution"], len(about["design"]["matrix"])) == (6, 32)
    assert len(about["runs"]) == 192
    text = call("experiment", "plan", tiny).stdout
    assert "8 runs = 4 conditions x 2 algorithms x 1 replicate" in text
    assert "80 seg/ms" in text


def test_values_of_every_run_are_set(here: Path, one_factor: Path) -> None:
    about = json_of("experiment", "run", one_factor, "--set", "think_time=9 s", "--set", "periods=2", "--out", "other")
    assert about["done"] == 2
    runs = mesonet.load("other").experiment["scenarios"]
    assert {(each["scenario"]["users"]["think_time"], each["scenario"]["time"]["periods"]) for each in runs} == {(9, 2)}
    assert len({run["key"] for run in json_of("experiment", "plan", one_factor, "--pilot", 0)["runs"]}) == 2


NOTHING_TO_COMPARE = (
    "Only tcp was run, so there is nothing to compare it with. "
    'mesonet report --compare "X1=80 seg/ms : X1=40 seg/ms" compares two levels.'
)


def test_experiment_runs_continues_and_reports_its_status(here: Path, one_factor: Path) -> None:
    about = json_of("experiment", "run", one_factor, "--workers", 2)
    done = {"name": "tiny", "path": "tiny", "runs": 2, "done": 2, "failed": 0, "missing": 0, "failures": []}
    idle = {"running": 0, "on_from_snapshot": 0, "quarantined": 0, "seconds_left": 0, "processor_s_left": 0}
    sound = {"set_aside": 0, "verified": None, "without_checksums": None, "damaged": None}
    answers = {"verdicts": [], "no_verdict": NOTHING_TO_COMPARE, "disciplines": []}
    assert about == {**done, **idle, **sound, "code_versions": [mesonet.core.code_version()], **answers}
    for target in (one_factor, "tiny"):
        assert {**json_of("experiment", "status", target), **answers} == about
        assert json_of("experiment", "run", target) == about
    assert call("experiment", "status", "tiny").stdout == "tiny: 2 of 2 runs done in tiny\n"
    begun = call("experiment", "run", "tiny", "--duration", "9 s")
    assert begun.exit_code == 2
    assert "continues without changes" in begun.stderr
    begun = call("experiment", "run", "tiny", "--set", "think_time=9 s")
    assert begun.exit_code == 2
    assert holds(begun.stderr, '--set = "think_time=9 s": ', "in progress", "without changes")
    other = call("experiment", "run", one_factor, "--seed", "9")
    assert other.exit_code == 2
    assert "seed is 5 there and 9 here" in other.stderr


def test_interrupted_campaign_says_how_to_continue(here: Path, tiny: Path) -> None:
    command = [*MESONET, "experiment", "run", str(tiny), "--workers", "1"]
    process = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    until(lambda: list(here.glob("tiny/runs/*/run.json")), process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    [message] = messages(errors)
    assert holds(message, "mesonet: interrupted", "finished runs stay", "same command")
    assert json_of("experiment", "status", "tiny")["missing"] > 0


def test_analysis_and_report_of_a_campaign(here: Path, one_factor: Path) -> None:
    assert call("experiment", "run", one_factor).exit_code == 0
    files = json_of("analyze", "tiny", "--workers", 1)["files"]
    assert files
    assert {Path(file).parts[:2] for file in files} == {("tiny", "analysis")}
    assert all(Path(file).stat().st_size for file in files)
    assert json_of("report", "tiny", "--out", "page.html") == {
        "path": "page.html", "verdicts": [], "no_verdict": NOTHING_TO_COMPARE, "conclusions": [], "disciplines": [],
    }  # fmt: skip
    assert "tiny" in (here / "page.html").read_text()
    assert mesonet.report(mesonet.load("tiny"), here / "again.html").exists()


def test_failed_runs_exit_with_1(here: Path, one_factor: Path) -> None:
    document = mesonet.experiment(one_factor).document()
    document["scenarios"][0]["scenario"]["network"]["speed"] = -1
    (here / "broken").mkdir()
    (here / "broken" / "experiment.json").write_text(json.dumps(document))
    result = call("experiment", "run", "broken", "--workers", "2")
    assert result.exit_code == 1
    assert "1 of 2 runs done in broken, 1 failed" in result.stdout
    assert "network.speed" in result.stdout
    assert call("experiment", "status", "broken").exit_code == 0


def test_report_needs_a_finished_run(here: Path, one_factor: Path) -> None:
    (here / "begun").mkdir()
    (here / "begun" / "experiment.json").write_text(json.dumps(mesonet.experiment(one_factor).document()))
    for verb in ("report", "analyze"):
        result = call(verb, "begun")
        assert result.exit_code == 2
        assert "no run of the campaign is done" in result.stderr
    assert json_of("experiment", "status", "begun")["missing"] == 2
