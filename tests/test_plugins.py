"""Congestion controls of users: the C interface, examples beside tcp, refusals, faults, campaigns."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import mesonet as mn
from commands import MESONET, PATIENCE_S
from fragments import holds
from mesonet import algorithms, core, plugins
from mesonet.campaign.ledger import Ledger
from mesonet.cli.scenario_targets import find_scenario
from mesonet.cli.verbs import main
from mesonet.conform.baseline import read_baseline, shipped
from mesonet.errors import InputError, PluginFault
from mesonet.scenarios.scenario import load_scenario
from mesonet.simulation.simulate import simulate_part
from page_blocks import blocks

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "plugins"
PAGE = ROOT / "docs" / "how-to" / "your-own-algorithm.md"
PLUGINS = Path(__file__).parent / "plugins"
FAULTY, COUNTING = PLUGINS / "faulty.c", PLUGINS / "counting.c"
pytestmark = pytest.mark.usefixtures("own_plugins")
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")

SHORT = """
#include "mesonet_cc.h"
static void on_ack(void *f, const struct mesonet_config *c, const struct mesonet_ack *a) {
    struct mesonet_window *w = f;
    if (mesonet_may_grow(c, a)) w->cwnd += a->acked / w->cwnd;
}
static void on_loss(void *f, const struct mesonet_config *c, const struct mesonet_loss *l) {
    struct mesonet_window *w = f;
    mesonet_back_off(w, c, l, w->cwnd / 2, w->cwnd / 2);
}
static const struct mesonet_param params[] = {{"gain", "none", "1", 0, 9, 1, "chosen"}};
static const struct mesonet_algorithm table = {
    .abi = MESONET_CC_ABI, .size = sizeof(struct mesonet_algorithm), .state_size = sizeof(struct mesonet_window),
    .codepoint = 1, .param_count = 1, .params = params, .name = "NAME", .title = "T", .source = "S",
    .on_ack = on_ack, .on_loss = on_loss,
};
MESONET_EXPORT const struct mesonet_algorithm *mesonet_cc(void) { return &table; }
"""


def written(folder: Path, name: str, text: str = SHORT, *changes: tuple[str, str]) -> Path:
    """Write a plug-in in C, and return its file."""
    for old, new in (("NAME", name), *changes):
        assert old in text
        text = text.replace(old, new)
    file = folder / f"{name}.c"
    file.write_text(text)
    return file


def tables(result: mn.Result) -> list[str]:
    """Return what a run measured, without the names of algorithms."""
    return [str(result.series.to_polars().rows()), str(result.responses.to_polars().rows())]


def command(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MESONET, *words], capture_output=True, text=True, env={**os.environ, **environment}, timeout=PATIENCE_S
    )


# The interface


def structs_of_header() -> dict[str, list[tuple[str, str]]]:
    text = re.sub(r"/\*.*?\*/", "", plugins.header().read_text(), flags=re.DOTALL)
    found = {}
    for name, body in re.findall(r"struct mesonet_(\w+) \{(.*?)\n\};", text, flags=re.DOTALL):
        fields = []
        for line in filter(None, (" ".join(each.split()) for each in body.split(";"))):
            if function := re.fullmatch(r"void \(\*(\w+)\)\(.*", line):
                fields.append((function[1], "function"))
                continue
            kind, names = re.fullmatch(r"((?:const )?(?:struct )?\w+(?: \*)?) ?(.*)", line).groups()
            fields += [(each.strip(), "pointer" if "*" in kind else kind) for each in names.split(",")]
        found[name] = fields
    return found


def test_the_structs_of_rust_are_those_of_the_header() -> None:
    rust = (ROOT / "crates/cc/src/plugin/abi.rs").read_text()
    kinds = {"f64": "double", "u32": "uint32_t", "u64": "uint64_t"}
    header = structs_of_header()
    assert len(header) == 12
    for name, fields in header.items():
        body = re.search(rf"pub struct {name.capitalize()} \{{(.*?)\n\}}", rust, flags=re.DOTALL)
        assert body, name
        own = []
        for field, kind in re.findall(r"pub (\w+): ([^,]+),", body[1]):
            short = "pointer" if kind.startswith("*") else "function" if kind.startswith("Option") else kinds[kind]
            own.append((field, short))
        assert own == fields, name


def test_the_structs_of_python_are_those_of_the_header() -> None:
    from mesonet.plugins import abi

    kinds = {"f8": "double", "u4": "uint32_t", "u8": "uint64_t"}
    header = structs_of_header()
    events = {"start": "init", "ack": "on_ack", "loss": "on_loss", "idle": "on_idle", "send": "on_send"}
    python = {
        name: abi.EVENTS[event] for name, event in (*events.items(), ("round", "on_round"), ("lost", "on_segment_lost"))
    }
    for name, fields in {**python, "window": abi.WINDOW}.items():
        assert [(field, kinds[kind]) for field, kind in fields] == header[name], name
    rules = [(field, "pointer" if field == "params" else kinds[kind]) for field, kind in abi.RULES]
    assert rules == header["config"]
    assert [field for field, _ in abi.AlgorithmTable._fields_] == [field for field, _ in header["algorithm"]]
    assert [field for field, _ in abi.ParamRow._fields_] == [field for field, _ in header["param"]]
    assert ctypes.sizeof(abi.AlgorithmTable) == 168


# The examples


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("preset", ["standard", "linux", "sp500_282", "ns-2000"])
@pytest.mark.parametrize("file", ["aimd.c", "aimd.cpp", "aimd.py:AIMD", "aimd.zig"])
def test_aimd_is_the_built_in_algorithm(file: str, preset: str) -> None:
    if file.endswith(".cpp") and shutil.which("c++") is None:
        pytest.skip("no C++ compiler")
    if file.endswith(".zig") and shutil.which("zig") is None:
        pytest.skip("no zig")
    if ".py" in file:
        pytest.importorskip("numba")
    if file.endswith(".zig") and preset != "standard":
        pytest.skip("the example has the rules of the standard preset")
    plain = {"whole_segments": 0, "whole_reductions": 0}
    values = {"preset": preset, "duration": "60 s", "transport.slow_start": "classic"}
    tcp = mn.scenario(
        "dumbbell", algorithm="tcp", **values, **{f"parameters.tcp.{name}": value for name, value in plain.items()}
    )
    mine = mn.scenario("dumbbell", algorithm=str(EXAMPLES / file), **values)
    assert tables(mn.simulate(mine)) == tables(mn.simulate(tcp))


@needs_compiler
@pytest.mark.slow
def test_aimd_is_the_built_in_algorithm_in_a_large_network_with_a_variant() -> None:
    values = {"duration": "1.5 s", "warmup": "0.5 s", "network.speed": "100 seg/ms"}
    mine = mn.scenario("abilene", algorithm=f"{EXAMPLES / 'aimd.c'}(decrease=0.3)", **values)
    assert mine.value("algorithms") == [("aimd-c(decrease=0.3)", 1.0)]
    tcp = mn.scenario("abilene", algorithm="tcp(decrease=0.3)", **values)
    found = mn.simulate(mine, threads=2)
    assert tables(found) == tables(mn.simulate(tcp))
    assert found.responses.to_polars().filter(response="loss_rate")["value"].max() > 0


# Equal citizens: determinism, snapshots, mixes, designs


@needs_compiler
@pytest.mark.slow
def test_a_plug_in_with_every_event_is_deterministic() -> None:
    values = {"duration": "1 s", "warmup": "0.3 s", "network.speed": "100 seg/ms"}
    scenario = mn.scenario("abilene", algorithm={"tcp": 0.5, str(COUNTING): 0.5}, **values)
    one = tables(mn.simulate(scenario, seed=3))
    assert tables(mn.simulate(scenario, seed=3, threads=3)) == one
    assert tables(mn.simulate(scenario, seed=3, engine="reference")) == one
    assert tables(mn.simulate(scenario, seed=4)) != one


@needs_compiler
def test_traces_have_its_mode_and_its_bandwidth() -> None:
    changes = {"trace.flows": [1], "trace.every": "50 ms"}
    rows = mn.simulate(mn.scenario("dumbbell", algorithm=str(COUNTING), duration="3 s", **changes)).flow_traces
    found = rows.to_polars()
    modes = found["mode"].to_list()
    assert [mode for at, mode in enumerate(modes) if mode != modes[at - 1] or at == 0] == ["", "few", "many"]
    assert found["bandwidth"].drop_nans().max() > 100


@needs_compiler
def test_numbers_of_segments_reach_it(tmp_path: Path) -> None:
    change = (
        "if (mesonet_may_grow(c, a)) w->cwnd += a->acked / w->cwnd;",
        """
    if (a->next < a->una || a->next - a->una < a->delivered - a->una) __builtin_trap();
    if (!a->in_recovery && a->delivered == a->una) w->cwnd = 20.0 + (double)(a->una + a->next) / 1000.0;""",
    )
    file = written(tmp_path, "numbers", SHORT, change)
    found = mn.simulate(mn.scenario("dumbbell", algorithm=str(file), duration="3 s")).series.to_polars()
    assert found["flow_1_cwnd"][-1] > 20.1


@needs_compiler
def test_a_loss_after_a_mark_is_an_event_for_those_that_declare_it(tmp_path: Path) -> None:
    text = (EXAMPLES / "aimd.c").read_text(encoding="utf-8")
    values = {"duration": "60 s", "network.ecn_threshold": "2 segments", "impairments.loss": 0.005,
              "impairments.of": "data", "network.speed": "1 seg/ms", "network.delay_multiplier": 0.1}  # fmt: skip
    found = []
    for name, flags in {"covered": "", "told": ".flags = MESONET_LOSS_AFTER_MARK, "}.items():
        file, flagged = tmp_path / f"{name}.c", text.replace(".codepoint =", f"{flags}.codepoint =")
        file.write_text(flagged.replace('"aimd-c"', f'"{name}"'))
        flows = mn.simulate(mn.scenario("dumbbell", algorithm=str(file), **values)).flows.to_polars()
        found.append((flows["loss_events"][0], flows["losses"][0]))
    (covered, lost), (flagged_events, _) = found
    assert lost > 10
    assert flagged_events > covered


@needs_compiler
def test_its_state_goes_into_snapshots() -> None:
    scenario = mn.scenario("dumbbell", algorithm=str(COUNTING), duration="20 s").to_json()
    whole = core.module().Simulation(scenario, 1)
    whole.advance(20.0)
    first = core.module().Simulation(scenario, 1)
    first.advance(9.5)
    second = core.module().Simulation(scenario, 1, 1, "domains", first.snapshot())
    second.advance(20.0)
    ours, theirs = (run.finish(["series"])["series"] for run in (second, whole))
    assert all(str(list(column)) == str(list(theirs[name])) for name, column in ours.items())
    assert max(ours["flow_1_cwnd"][1:]) > 20


@needs_compiler
def test_a_state_with_pointers_has_no_snapshots_and_no_undo(tmp_path: Path) -> None:
    changes = (
        ("static const struct mesonet_algorithm", "#include <stdlib.h>\n"
         "struct s { struct mesonet_window w; int *p; };\n"
         "static void init(void *f, const struct mesonet_config *c, const struct mesonet_start *s)"
         " { (void)c; (void)s; ((struct s *)f)->p = malloc(64); }\n"
         "static void release(void *f) { free(((struct s *)f)->p); }\nstatic const struct mesonet_algorithm"),
        ("sizeof(struct mesonet_window)", "sizeof(struct s), .flags = MESONET_HAS_POINTERS, .init = init,"
         " .release = release"),
    )  # fmt: skip
    file = written(tmp_path, "pointing", SHORT, *changes)
    with pytest.raises(InputError, match=r"pointing has pointers: .*loss"):
        mn.scenario("dumbbell", algorithm=str(file))
    scenario = mn.scenario("dumbbell", algorithm=str(file), duration="5 s", **{"transport.undo": "false"})
    assert mn.simulate(scenario).series.to_polars().height > 0
    with mn.Checkpoint(tmp_path / "snapshot") as checkpoint, pytest.raises(InputError, match="cannot be resumed"):
        mn.simulate(scenario, checkpoint=checkpoint)
    with pytest.raises(ValueError, match="there are no snapshots"):
        core.module().Simulation(scenario.to_json(), 1).snapshot()


@needs_compiler
def test_a_scenario_file_names_a_plug_in_beside_it(tmp_path: Path) -> None:
    written(tmp_path, "beside")
    (tmp_path / "flows.csv").write_text("from,to,algorithm\nA,B,beside.c(gain=2)\n")
    (tmp_path / "mine.toml").write_text(
        'base = "dumbbell"\nflows = "flows.csv"\n[algorithms]\ntcp = 0.5\n"beside.c" = 0.5\n'
        "[parameters.beside]\ngain = 3\n"
    )
    loaded = load_scenario(str(tmp_path / "mine.toml"))
    assert loaded.value("algorithms") == [("tcp", 0.5), ("beside", 0.5)]
    entries = loaded._tree()["algorithms"]
    assert [(each["name"], each["parameters"].get("gain")) for each in entries[1:]] == [
        ("beside", 3), ("beside(gain=2)", 2),
    ]  # fmt: skip
    assert "plugin" not in entries[0]
    assert entries[1]["plugin"] == entries[2]["plugin"] == plugins.by_name()["beside"].digest


@needs_compiler
def test_a_table_of_flows_names_plug_ins_that_the_user_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tables").mkdir()
    file = written(tmp_path, "tabled")
    rows = "from,to,algorithm\nA,B,../tabled.c\nA,B,\nA,B,tabled.c(gain=2)\nA,B,tabled\n"
    (tmp_path / "tables" / "flows.csv").write_text(rows)
    (tmp_path / "mine.toml").write_text('base = "dumbbell"\nflows = "tables/flows.csv"\nalgorithms = "tabled.c"\n')
    names = ["tabled", None, "tabled(gain=2)", "tabled"]
    read = mn.scenario(tmp_path / "mine.toml")
    assert [flow["algorithm"] for flow in read.value("flows")] == names
    monkeypatch.chdir(tmp_path)
    in_code = mn.scenario("dumbbell", flows="tables/flows.csv", algorithm=str(file))
    assert [flow["algorithm"] for flow in in_code.value("flows")] == names


@pytest.mark.parametrize("cell", ["evil.c", "evil.c(gain=2)", "linux:evil.c", "evil.py:Evil", "./evil.c", "tcp evil.c"])
def test_files_of_data_load_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cell: str) -> None:
    monkeypatch.setattr(plugins.loaded, "load", lambda *_: pytest.fail("loaded"))
    monkeypatch.setattr(plugins, "load", lambda *_: pytest.fail("loaded"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.c").write_text("#error compiled")
    (tmp_path / "evil.py").write_text("raise SystemExit")
    (tmp_path / "flows.csv").write_text(f"from,to,algorithm\nA,B,cubic\nA,B,{cell}\n")
    (tmp_path / "mine.toml").write_text('base = "dumbbell"\nflows = "flows.csv"\n')
    refused = CliRunner().invoke(main, ["check", "mine.toml"])
    assert refused.exit_code == 2
    place = f'flows.csv: line 3, algorithm = "{cell}": a file of data names no code. Allowed: an algorithm'
    assert refused.stderr.startswith(f"mesonet: {place}")
    document = json.loads(shipped()["tcp"].read_text())
    (tmp_path / "baseline.json").write_text(json.dumps({**document, "algorithm": cell}))
    with pytest.raises(InputError, match=re.escape(cell)):
        read_baseline("baseline.json")


@needs_compiler
def test_options_set_its_constants(tmp_path: Path) -> None:
    file = written(tmp_path, "optional")
    chosen = find_scenario("dumbbell", algorithm=str(file), values=["parameters.optional.gain=4"])
    assert chosen.value("parameters.optional.gain") == 4
    with pytest.raises(InputError, match="too high"):
        find_scenario("dumbbell", algorithm=f"{file}(gain=10)")


@needs_compiler
def test_a_changed_file_is_another_scenario(tmp_path: Path) -> None:
    file = written(tmp_path, "changing")
    before = mn.scenario("dumbbell", algorithm=str(file)).to_json()
    (tmp_path / "rule.h").write_text("#define RULE 2\n")
    written(tmp_path, "changing", '#include "rule.h"\n' + SHORT, ("w->cwnd / 2, w", "w->cwnd / RULE, w"))
    after = mn.scenario("dumbbell", algorithm=str(file)).to_json()
    (tmp_path / "rule.h").write_text("#define RULE 3\n")
    last = mn.scenario("dumbbell", algorithm=str(file)).to_json()
    assert len({before, after, last}) == 3


# Refusals


@needs_compiler
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("= MESONET_CC_ABI", "= 2", "abi = 2: another version of the interface. Allowed: 1"),
        ("= sizeof(struct mesonet_algorithm)", "= 8", "size = 8: not the table of this version. Allowed: 168"),
        ("= sizeof(struct mesonet_window)", "= 8", "state_size = 8. Allowed: 40 to 65536"),
        ("= sizeof(struct mesonet_window)", "= 1 << 20", "state_size = 1048576. Allowed: 40 to 65536"),
        (".codepoint = 1", ".codepoint = 3", "codepoint = 3. Allowed: 0"),
        (".codepoint = 1", ".flags = 64", "flags = 64: an unknown flag"),
        (".codepoint = 1", ".timer_period = 1", "on_timer is NULL. Allowed: a function, which timer_period needs"),
        (".codepoint = 1", ".timer_period = 1e-9", "timer_period = 0.000000001 s. Allowed: 0"),
        (".on_ack = on_ack,", "", "on_ack is NULL"),
        (".params = params,", "", "params is NULL"),
        ('"T"', "0", "title is NULL. Allowed: text"),
        ('"T"', '"a\\nb"', r'title = "a\\nb". Allowed: 1 to 400 characters in a line'),
        ('"NAME"', '"tcp"', 'name = "tcp": a built-in algorithm has this name'),
        ('"NAME"', '"My CC"', 'name = "My CC". Allowed: a lower-case letter'),
        ("0, 9, 1,", "0, 9, 10,", r"params\[0\].value = 10. Allowed: 0 to 9"),
        ("0, 9, 1,", "5, 4, 4,", r"params\[0\].min = 5 to 4: not a range"),
        ("return &table", "return 0", "mesonet_cc returned NULL"),
        ("*mesonet_cc(void)", "*other(void)", "exports no function mesonet_cc"),
        ("w->cwnd +=", "w->cwmd +=", "the compiler refuses it:\n(.|\n)*cwmd"),
    ],
)
def test_what_is_not_allowed_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in SHORT
    file = tmp_path / "refused.c"
    file.write_text(SHORT.replace(old, new).replace("NAME", "refused"))
    with pytest.raises(InputError, match=message) as caught:
        plugins.load(str(file))
    assert "refused.c" in str(caught.value)


def test_files_that_cannot_be_plug_ins_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("no library")
    for name, message in {
        "absent.c": "no such file",
        "text.so": "not a library that can be loaded",
        "text.md": "not the file of a plug-in",
    }.items():
        with pytest.raises(InputError, match=message):
            plugins.load(name, tmp_path)
    with pytest.raises(InputError, match="unknown algorithm"):
        algorithms.resolve("my_cc")


@needs_compiler
def test_a_compiler_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(InputError, match="no compiler no-such-compiler"):
        plugins.load(str(written(tmp_path, "uncompiled")))


@needs_compiler
def test_two_files_cannot_have_one_name(tmp_path: Path) -> None:
    plugins.load(str(written(tmp_path, "twice")))
    (tmp_path / "copy.c").write_text((tmp_path / "twice.c").read_text() + "/* another */\n")
    with pytest.raises(InputError, match=r"its name is twice, .*twice\.c"):
        plugins.load("copy.c", tmp_path)


@needs_compiler
@pytest.mark.parametrize("path", ["a b.c", "a, b.c", "a(1).c", "a=b.c", "in b/x.c"])
def test_any_path_is_read_alone_in_lists_and_as_keys(path: str, tmp_path: Path) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    written(tmp_path, "odd").rename(tmp_path / path)
    assert plugins.load(path, tmp_path).algorithm.name == "odd"
    for given, named in (
        (path, "odd"),
        (f" {path} (gain=2)", "odd (gain=2)"),
        (["tcp", path], ["tcp", "odd"]),
        ({"tcp": 0.5, f"{path}(gain=2)": 0.5}, {"tcp": 0.5, "odd(gain=2)": 0.5}),
    ):
        assert algorithms.with_plugins(given, tmp_path) == named
    assert mn.scenario("dumbbell", algorithm=str(tmp_path / path)).value("algorithms") == [("odd", 1.0)]
    text = f"tcp=0.5, {path}=0.5"
    with pytest.raises(InputError, match="stands alone, in a list or as a key") as caught:
        algorithms.with_plugins(text, tmp_path)
    assert caught.value.value == text


def test_names_of_a_campaign_load_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins.loaded, "load", lambda *_: pytest.fail("loaded"))
    monkeypatch.setattr(plugins, "load", lambda *_: pytest.fail("loaded"))
    assert algorithms.among("evil.so", ["tcp"]) == "evil.so"
    assert algorithms.among("evil.so(gain=1)", ["tcp"]) == "evil.so(gain=1)"
    monkeypatch.chdir(tmp_path)
    for file in ("e vil.so", "evil(1).so", "evil.so"):
        (tmp_path / file).touch()
        assert algorithms.among(f"tcp, {file}", ["tcp"]) == f"tcp, {file}"
        assert algorithms.among(file, ["tcp"]) == file


def test_a_scenario_without_its_plug_in_is_refused() -> None:
    scenario = mn.scenario("dumbbell").canonical()
    scenario["algorithms"] = [{"name": "absent", "share": 1, "parameters": {}, "plugin": "0" * 64}]
    assert core.describe(json.dumps(scenario))["routers"], "its network can be read"
    with pytest.raises(ValueError, match="a plug-in that is not loaded"):
        core.module().Simulation(json.dumps(scenario), 1)


# Faults


@needs_compiler
@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (1, "cwnd = NaN; allowed: finite, at least 1"),
        (2, "cwnd = 0;"),
        (3, "cwnd = -1;"),
        (5, "cwnd = inf;"),
        (6, "ssthresh = NaN; allowed: a number, at least 0"),
        (7, "pacing_rate = -3; allowed: finite, at least 0"),
        (8, "pacing_rate = inf;"),
        (9, "phase = 7; allowed: 0, 1 or 2"),
    ],
)
def test_a_window_that_is_not_allowed_ends_the_run(kind: int, message: str) -> None:
    scenario = mn.scenario("dumbbell", algorithm=f"{FAULTY}(kind={kind})", duration="5 s")
    with pytest.raises(
        PluginFault, match=rf"^plug-in faulty: on_ack of source 0, transfer 0, at [\d.]+ s: it left {message}"
    ):
        mn.simulate(scenario)


@needs_compiler
def test_a_window_that_is_too_large_is_lowered() -> None:
    values = {"duration": "5 s", "transport.max_cwnd": "50 segments"}
    found = mn.simulate(mn.scenario("dumbbell", algorithm=f"{FAULTY}(kind=4)", **values)).series.to_polars()
    assert found["flow_1_cwnd"].max() == 50


@needs_compiler
@pytest.mark.slow
def test_the_first_fault_is_the_same_with_threads_and_on_both_engines() -> None:
    values = {"duration": "1 s", "warmup": "0.3 s"}
    scenario = mn.scenario("abilene", algorithm={"tcp": 0.5, f"{FAULTY}(kind=1)": 0.5}, **values)
    messages = set()
    for how in ({}, {"threads": 3}, {"engine": "reference"}):
        with pytest.raises(PluginFault) as caught:
            mn.simulate(scenario, **how)
        messages.add(str(caught.value))
    assert len(messages) == 1


@needs_compiler
@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize(("kind", "name"), [(10, "SIGFPE"), (11, "SIGSEGV"), (12, "SIGABRT"), (13, "SIGSEGV")])
def test_a_crash_is_named_before_the_process_dies(kind: int, name: str, threads: str) -> None:
    words = ("run", "dumbbell", "--duration", "5 s", "--threads", threads, "--algorithm", f"{FAULTY}(kind={kind})")
    done = command(*words)
    assert done.returncode < 0
    assert re.search(rf"mesonet: plug-in faulty: on_ack of source 0, transfer 0, at [\d.]+ s: {name}: ", done.stderr)


def interrupted_inside(scenario: str, algorithm: str, threads: int) -> str:
    """Return the messages of a run that Ctrl-C ends while a function of its algorithm does not return."""
    words = ("run", scenario, "--duration", "5 s", "--threads", str(threads), "--algorithm", algorithm)
    process = subprocess.Popen([*MESONET, *words], stderr=subprocess.PIPE, text=True)
    assert process.stderr
    try:
        while "no return from here" not in (line := process.stderr.readline()):
            assert line, "the function is called before the run ends"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    assert process.returncode == -signal.SIGINT
    return errors


@needs_compiler
@pytest.mark.slow
@pytest.mark.process
def test_ctrl_c_ends_a_function_that_does_not_return() -> None:
    errors = interrupted_inside("dumbbell", f"{FAULTY}(kind=14)", threads=1)
    assert "plug-in faulty: on_ack of source 0" in errors
    assert "the function does not return" in errors


@needs_compiler
@pytest.mark.slow
@pytest.mark.process
def test_a_function_that_does_not_return_on_another_thread_is_named() -> None:
    errors = interrupted_inside("abilene", f"{FAULTY}(kind=14, after=2)", threads=2)
    assert re.search(r"plug-in faulty: on_ack of source \d+, .*: no end: the function does not return", errors)


# Campaigns


def experiment(folder: Path, algorithm: str, factor: str) -> Path:
    file = folder / "exp.toml"
    file.write_text(
        f'name = "exp"\ntitle = "T"\nscenario = "dumbbell"\nalgorithms = ["tcp", "{algorithm}"]\n'
        f'[set]\n"time.duration" = "5 s"\n[[factors]]\nid = "F"\n{factor}\n'
    )
    return file


STEADY = """
    def on_ack(self, config, ack):
        self.cwnd = 2.0

    def on_loss(self, config, loss):
        self.cwnd = 2.0
"""


@needs_compiler
@pytest.mark.slow
@pytest.mark.process
def test_a_campaign_runs_plug_ins_and_notices_a_changed_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    written(tmp_path, "planned")
    file = experiment(tmp_path, "planned.c", 'path = "parameters.planned.gain"\nminus = 1\nplus = 2')
    chosen = mn.experiment(str(file))
    assert chosen.algorithms == ("tcp", "planned")
    campaign = chosen.run(tmp_path / "out", workers=1, progress=False)
    assert campaign.counts["done"] == 4
    document = read_json(tmp_path / "out" / "experiment.json")
    assert document["plugins"]["planned"]["file"] == str(tmp_path / "planned.c")
    assert mn.load(tmp_path / "out").algorithms == ("tcp", "planned")

    # The folder continues by itself, and refuses the file as it is now.
    for run in (tmp_path / "out" / "runs").iterdir():
        shutil.rmtree(run)
    written(tmp_path, "planned", SHORT + "/* changed */\n")
    done = command("experiment", "run", str(tmp_path / "out"), "--workers", "1")
    failed = [json.loads(each.read_text())["message"] for each in (tmp_path / "out").glob("runs/*/failure.json")]
    assert done.returncode != 0
    assert len(failed) == 2
    assert all("a file of plug-in planned changed from" in message for message in failed)
    with pytest.raises(InputError, match=r"planned\.c or a file that it reaches has changed since"):
        mn.experiment(str(file)).run(tmp_path / "out", workers=1, progress=False)


def test_a_changed_plug_in_is_named_not_its_place_among_the_algorithms(tmp_path: Path) -> None:
    """A second plug-in is as it was."""
    for name in ("constant", "renewed"):
        (tmp_path / f"{name}.py").write_text(f"class {name.capitalize()}:\n{STEADY}")
    toml = experiment(tmp_path, "constant.py:Constant", 'path = "network.delay_multiplier"\nminus = 1\nplus = 2')
    toml.write_text(toml.read_text().replace('"constant.py:Constant"', '"constant.py:Constant", "renewed.py:Renewed"'))
    Ledger.create(tmp_path / "out", {**mn.experiment(str(toml)).document(), "expected_cost": []})
    (tmp_path / "renewed.py").write_text(f"class Renewed:\n{STEADY}# changed\n")
    with pytest.raises(InputError) as refused:
        mn.experiment(str(toml)).run(tmp_path / "out", progress=False)
    changed = f"{tmp_path / 'renewed.py'}:Renewed or a file that it reaches has changed since this campaign began"
    assert changed in str(refused.value)
    assert "constant.py" not in str(refused.value)


@needs_compiler
@pytest.mark.slow
@pytest.mark.process
def test_a_campaign_folder_of_others_loads_nothing_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    written(tmp_path, "foreign")
    file = experiment(tmp_path, "foreign.c", 'path = "parameters.foreign.gain"\nminus = 1\nplus = 2')
    Ledger.create(tmp_path / "theirs", {**mn.experiment(str(file)).document(), "expected_cost": []})
    done = command("experiment", "run", str(tmp_path / "theirs"), "--workers", "1")
    assert done.returncode == 2
    assert holds(done.stderr, "not run before", "the plug-ins")
    assert not list((tmp_path / "theirs" / "runs").iterdir())
    done = command("experiment", "run", str(tmp_path / "theirs"), "--workers", "1", "--trust")
    assert done.returncode == 0, done.stderr


@needs_compiler
@pytest.mark.slow
@pytest.mark.process
def test_failures_of_a_campaign_name_the_plug_in(tmp_path: Path) -> None:
    file = experiment(tmp_path, str(FAULTY), 'levels."parameters.faulty.kind" = [1, 11, 14, 15]')
    words = ("experiment", "run", str(file), "--out", str(tmp_path / "out"), "--workers", "2", "--time-limit", "5 s")
    command(*words, "--tries", "1", XDG_STATE_HOME=str(tmp_path / "state"))
    failed = sorted(json.loads(each.read_text())["message"] for each in (tmp_path / "out").glob("runs/*/failure.json"))
    assert len(failed) == 4
    assert all("plug-in faulty: on_ack of source 0, transfer 0, at " in message for message in failed)
    assert failed[0].startswith("PluginFault: ")
    assert "ended with exit code 1 (plug-in" in failed[1]
    assert failed[1].endswith("exit: it ended the process)")
    assert "ended by SIGSEGV (plug-in" in failed[2]
    assert "the function does not return" in failed[3]


def read_json(file: Path) -> dict[str, dict[str, dict[str, str]]]:
    return dict(json.loads(file.read_text()))


# Python


def test_a_class_in_python_is_a_plug_in(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    (tmp_path / "cc.py").write_text(
        "from mesonet.plugins.python import Param\n\n\n"
        "class Timed:\n"
        '    """Counts rounds."""\n\n'
        '    params = (Param("gain", "growth", 1.0, 0.0, 10.0, "segments"),)\n'
        '    state = {"rounds": int, "last": float}\n'
        "    timer_period = 0.1\n\n"
        "    def on_ack(self, config, ack):\n"
        "        self.rounds += ack.round_start\n"
        "        self.last = ack.now\n\n"
        "    def on_timer(self, config, now):\n"
        "        self.cwnd = min(config.gain + self.rounds, config.max_cwnd)\n\n"
        "    def on_loss(self, config, loss):\n"
        "        self.cwnd = max(self.cwnd / 2, 2)\n"
    )
    scenario = mn.scenario("dumbbell", algorithm=f"{tmp_path / 'cc.py'}:Timed(gain=3)", duration="10 s")
    about = plugins.by_name()["timed"].algorithm
    assert (about.title, about.params[0].unit) == ("Counts rounds", "segments")
    found = mn.simulate(scenario).series.to_polars()
    assert found["flow_1_cwnd"].max() > 10
    assert tables(mn.simulate(scenario)) == tables(mn.simulate(scenario, engine="reference"))


@needs_compiler
def test_the_examples_of_the_page_in_c_and_in_python_are_one_algorithm(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    examples = {b.mark.removeprefix("file="): b.code for b in blocks(PAGE) if b.mark.startswith("file=my_cc.")}
    series = []
    for name, part in (("my_cc.c", ""), ("my_cc.py", ":MyCC")):
        (tmp_path / name).write_text(examples[name])
        scenario = mn.scenario("dumbbell", algorithm=f"{tmp_path / name}{part}", duration="5 s")
        series.append(mn.simulate(scenario).series.to_polars())
    measured = ["flow_1_cwnd", "flow_1_delivered", "loss_events"]
    assert series[0]["loss_events"].sum() > 0
    assert series[0].select(measured).equals(series[1].select(measured))


def test_traces_have_the_mode_of_a_class_in_python(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    (tmp_path / "cc.py").write_text(
        "class Moody:\n"
        '    modes = ("few", "many")\n\n'
        "    def on_ack(self, config, ack):\n"
        "        self.cwnd += ack.acked\n\n"
        "    def on_loss(self, config, loss):\n"
        "        self.cwnd = 2\n\n"
        "    def report(self, config, report):\n"
        "        report.mode = 1 + (self.cwnd > 100)\n"
        "        report.bandwidth = 7 * self.cwnd\n"
    )
    changes = {"trace.flows": [1], "trace.every": "10 ms"}
    scenario = mn.scenario("dumbbell", algorithm=f"{tmp_path / 'cc.py'}:Moody", duration="1 s", **changes)
    found = mn.simulate(scenario).flow_traces.to_polars().filter(pl.col("mode") != "")
    assert set(found["mode"]) == {"few", "many"}
    assert (found["mode"] == pl.Series(["many" if wide else "few" for wide in found["cwnd"] > 100])).all()
    assert found["bandwidth"].to_list() == pytest.approx((7 * found["cwnd"]).to_list())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "the file has no such class"),
        ("class Mien:\n    color = 1\n", "the file has no such class. Allowed: Mien"),
        ("import sys\nsys.exit(0)\n", "cannot be imported: SystemExit: 0"),
        ("import no_such_module\n", "cannot be imported: ModuleNotFoundError"),
        ("class Mine:\n    color = 1\n", "unknown attribute. Allowed: name, title"),
        ("class Mine:\n    state = {'cwnd': float}\n", "a field of the window has this name"),
        ("class Mine:\n    state = {'a': str}\n", "not a state"),
        ("class Mine:\n    codepoint = 'ect2'\n", "not a codepoint. Allowed: none, ect0, ect1"),
        ("class Mine:\n    params = [1]\n", "not a list of constants"),
        ("class Mine:\n    modes = ['Few']\n", "not a list of modes"),
        ("class Mine:\n    def on_ack(self, config, ack):\n        self.cwnd = {}\n", "numba does not compile it"),
        (
            "class Mine:\n    def on_ack(self, config, ack):\n        self.cwmd = 1\n",
            r'cc.py:Mine: on_ack: line 3: self = "cwmd": unknown field \(nearest: cwnd\). Allowed: cwnd, ssthresh',
        ),
        (
            "class Mine:\n    def on_ack(self, config, ack):\n        self.cwnd += ack.ackd\n",
            r'on_ack: line 3: ack = "ackd": unknown field \(nearest: acked',
        ),
        ("class Mine:\n    def on_ack(self, config, ack):\n        self.cwnd = 1\n", "on_loss is NULL"),
    ],
)
def test_a_class_that_is_not_a_plug_in_is_refused(tmp_path: Path, text: str, message: str) -> None:
    pytest.importorskip("numba")
    (tmp_path / "cc.py").write_text(text)
    with pytest.raises(InputError, match=message):
        plugins.load("cc.py:Mine", tmp_path)


def test_a_file_without_the_name_of_a_class_is_refused_with_its_classes(tmp_path: Path) -> None:
    (tmp_path / "cc.py").write_text("class One: pass\nclass Other: pass\nraise SystemExit\n")
    for text in ("cc.py", "tcp=0.5, cc.py=0.5"):
        with pytest.raises(InputError, match=r"no class of the file is named\. Allowed: cc\.py:One or cc\.py:Other"):
            algorithms.with_plugins(text, tmp_path)


# The verb


@needs_compiler
def test_the_verb_shows_the_header_and_what_a_file_declares(tmp_path: Path) -> None:
    def shown(*words: str) -> str:
        done = CliRunner().invoke(main, ["plugin", *words])
        assert done.exit_code == 0, done.output
        return done.output

    assert Path(shown().strip()) == plugins.header()
    assert Path(json.loads(shown("--json"))["header"]).is_file()
    file = str(written(tmp_path, "shown"))
    about = json.loads(shown(file, "--json"))
    assert (about["name"], about["params"][0]["max"], about["snapshots"]) == ("shown", 9, True)
    assert "gain" in shown(file)
    refused = CliRunner().invoke(main, ["plugin", "tcp"])
    assert refused.exit_code == 2
    assert "not the file of a plug-in" in refused.output


# Plain Python, once per round trip

SMALL = {"users.base_sources": 10}
PER_ROUND = """
from mesonet.plugins.per_round import Param, PerRound, TIMEOUT

class Agent(PerRound):
    "An agent"
    name = "NAME"
    params = (Param("step", "growth", 1.0, 0.0, 9.0, unit="segments"),)

    def init(self, config, start):
        self.rounds = 0

    def on_round(self, config, round):
        self.rounds += 1
        BODY
"""


def agent(folder: Path, name: str, body: str) -> str:
    """Write a plug-in in plain Python, and return its name."""
    (folder / f"{name}.py").write_text(PER_ROUND.replace("NAME", name).replace("BODY", body))
    return f"{folder / name}.py:Agent"


def test_an_agent_per_round_trip_keeps_the_delay_that_it_wants() -> None:
    file = f"{EXAMPLES / 'delay_target.py'}:DelayTarget"
    series = mn.simulate(mn.scenario("bottleneck", algorithm=file, duration="30 s"), seed=1).series.to_polars()
    assert series["queueing_delay_ms"][-50:].mean() == pytest.approx(10, rel=0.3)
    assert series["segments_dropped"].sum() == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_additive_increase_per_round_trip_is_near_that_of_tcp(threads: int, tmp_path: Path) -> None:
    body = "self.cwnd += 0 if round.in_recovery else (self.cwnd if self.cwnd < self.ssthresh else config.step)"
    file = agent(tmp_path, f"additive{threads}", body)
    both = [
        mn.simulate(mn.scenario("abilene", algorithm=each, duration="3 s", **SMALL), seed=1, threads=threads)
        for each in (file, file, "tcp")
    ]
    assert tables(both[0]) == tables(both[1])
    entering = [
        next(row["value"] for row in each.responses.to_polars().to_dicts() if row["response"] == "segments_entering")
        for each in both
    ]
    assert entering[0] == pytest.approx(entering[2], rel=0.1)


def test_what_an_agent_raises_ends_the_run_with_its_line(tmp_path: Path) -> None:
    scenario = mn.scenario("dumbbell", algorithm=agent(tmp_path, "raising", "1 / (self.rounds - 3)"), duration="30 s")
    with pytest.raises(PluginFault, match=r"raising: on_round of source 0.* it raised ZeroDivisionError.*line 14 of"):
        mn.simulate(scenario)
    with pytest.raises(PluginFault, match=r"line 14 of raising\.py"):  # and once more
        mn.simulate(scenario)


def test_the_fault_of_another_function_has_no_reason_of_this_one(tmp_path: Path) -> None:
    from mesonet.plugins import interpreted

    scenario = mn.scenario("dumbbell", algorithm=agent(tmp_path, "left", "self.cwnd = 0"), duration="30 s")
    interpreted._RAISED.append((0.0, "plug-in other: on_round", "ValueError: of an earlier run"))
    with pytest.raises(PluginFault, match=r"left: on_round .* it left cwnd = 0"):
        mn.simulate(scenario)


def test_a_fault_in_a_pilot_run_is_named(tmp_path: Path) -> None:
    scenario = mn.scenario("dumbbell", algorithm=agent(tmp_path, "pilot", "1 / (self.rounds - 3)"), duration="30 s")
    with pytest.raises(PluginFault, match=r"pilot: on_round .* it raised ZeroDivisionError"):
        simulate_part(scenario.to_json(), 1, 60.0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("def on_round", "def on_rounds", "on_round: it is missing"),
        (
            "def init",
            "def on_ack(self, config, ack): pass\n\n    def init",
            "on_ack: a function that would never be called",
        ),
        ("def init", "def undo(self, config, before): pass\n\n    def init", "undo: a function that would never be"),
    ],
)
def test_an_agent_has_the_functions_that_are_called(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "other.py"
    file.write_text(PER_ROUND.replace("NAME", "other").replace("BODY", "pass").replace(old, new))
    with pytest.raises(InputError, match=re.escape(message)):
        plugins.load(f"{file}:Agent")


def test_what_an_agent_leaves_must_be_a_window(tmp_path: Path) -> None:
    scenario = mn.scenario("dumbbell", algorithm=agent(tmp_path, "text", "self.cwnd = 'wide'"), duration="30 s")
    with pytest.raises(PluginFault, match="it raised TypeError"):
        mn.simulate(scenario)
    scenario = mn.scenario("dumbbell", algorithm=agent(tmp_path, "zero", "self.cwnd = 0"), duration="30 s")
    with pytest.raises(PluginFault, match="it left cwnd = 0; allowed: finite, at least 1"):
        mn.simulate(scenario)


def test_objects_of_flows_that_ended_are_gone(tmp_path: Path) -> None:
    from mesonet.plugins import interpreted

    before = len(interpreted._FLOWS)
    file = agent(tmp_path, "gone", "self.cwnd += 1")
    mn.simulate(mn.scenario("abilene", algorithm=file, duration="2 s", **SMALL), seed=1)
    assert len(interpreted._FLOWS) == before


def test_agents_have_no_snapshots(tmp_path: Path) -> None:
    file = agent(tmp_path, "unwritten", "self.cwnd += 1")
    done = CliRunner().invoke(main, ["run", "dumbbell", "--algorithm", file, "--checkpoint", str(tmp_path / "s")])
    assert done.exit_code == 2
    assert "unwritten" in done.output
