"""Modules of Linux as plug-ins: a module in the kernel's style beside the built-in tcp, refusals, files of a kernel."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import mesonet as mn
from mesonet import core, plugins
from mesonet.cli.verbs import main
from mesonet.errors import InputError, PluginFault
from mesonet.plugins import loaded
from mesonet.plugins.files import companions
from mesonet.plugins.linux import OURS, WITNESSED, shim, threaded

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how-to" / "linux-modules.md"
AIMD = ROOT / "examples" / "plugins" / "linux" / "tcp_aimd.c"
KERNEL = os.environ.get("MESONET_LINUX_SOURCE", "")
"""Folder net/ipv4 of a Linux kernel, which the user has."""
MODULES = (
    "bbr", "bic", "cdg", "cubic", "dctcp", "highspeed", "htcp", "hybla", "illinois", "lp", "nv", "scalable", "vegas",
    "veno", "westwood", "yeah",
)  # fmt: skip
PHASES = ("standard", "alternate", "standard_share", "alternate_share")
pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler"),
    pytest.mark.usefixtures("own_plugins"),
]


def measured(result: mn.Result) -> tuple[str, str]:
    """Return what a run measured, without the phases: a module cannot say whether its rules are standard."""
    series, responses = result.series.to_polars(), result.responses.to_polars()
    kept = [name for name in series.columns if name not in PHASES]
    rows = [row for row in responses.rows() if row[0] not in PHASES]
    return str(series.select(kept).rows()), str(rows)


def changed(folder: Path, old: str, new: str) -> str:
    """Write a copy of the example with a change, and return its name as an algorithm."""
    text = AIMD.read_text()
    assert old in text
    file = folder / "tcp_changed.c"
    file.write_text(text.replace(old, new))
    return f"linux:{file}"


# A module beside the built-in algorithm


@pytest.mark.parametrize(("constants", "same"), [("", True), ("(increase=4, keep=717)", False)])
def test_a_module_is_the_built_in_algorithm_on_one_bottleneck(constants: str, same: bool) -> None:
    values = {"preset": "linux", "duration": "40 s", "network.buffer": "500 segments"}
    module = mn.scenario("dumbbell", algorithm=f"linux:{AIMD}{constants}", **values)
    found = mn.simulate(module)
    tcp = measured(mn.simulate(mn.scenario("dumbbell", algorithm="tcp", **values)))
    assert (measured(found) == tcp) is same
    assert (found.series.to_polars()["flow_1_cwnd"].diff() < -100).any(), "a loss"


@pytest.mark.slow
def test_a_module_is_the_built_in_algorithm_in_a_large_network() -> None:
    values = {"preset": "linux", "duration": "1.5 s", "warmup": "0.5 s", "network.speed": "100 seg/ms"}
    module = mn.scenario("abilene", algorithm=f"linux:{AIMD}", **values)
    found = mn.simulate(module, threads=2)
    assert found.responses.to_polars().filter(response="timeouts")["value"].max() > 10
    tcp = mn.scenario("abilene", algorithm="tcp", **values)
    assert measured(found) == measured(mn.simulate(tcp))


@pytest.mark.slow
def test_each_variant_has_variables_of_its_own() -> None:
    values = {"preset": "linux", "duration": "1 s", "warmup": "0.3 s", "network.speed": "100 seg/ms"}
    mix = {f"linux:{AIMD}": 0.5, f"linux:{AIMD}(increase=8, keep=900)": 0.5}
    scenario = mn.scenario("abilene", algorithm=mix, **values)
    assert [name for name, _ in scenario.value("algorithms")] == ["linux-aimd", "linux-aimd(increase=8, keep=900)"]
    one = measured(mn.simulate(scenario, seed=3))
    assert measured(mn.simulate(scenario, seed=3, threads=3)) == one
    assert measured(mn.simulate(scenario, seed=3, engine="reference")) == one
    alone = mn.scenario("abilene", algorithm=f"linux:{AIMD}", **values)
    assert measured(mn.simulate(alone, seed=3)) != one


def test_the_state_of_a_module_goes_into_snapshots() -> None:
    scenario = mn.scenario("dumbbell", algorithm=f"linux:{AIMD}", preset="linux", duration="20 s").to_json()
    whole = core.module().Simulation(scenario, 1)
    whole.advance(20.0)
    first = core.module().Simulation(scenario, 1)
    first.advance(9.5)
    second = core.module().Simulation(scenario, 1, 1, "domains", first.snapshot())
    second.advance(20.0)
    ours, theirs = (run.finish(["series"])["series"] for run in (second, whole))
    assert all(str(list(column)) == str(list(theirs[name])) for name, column in ours.items())


def test_parameters_of_a_module_are_constants() -> None:
    found = plugins.load(f"linux:{AIMD}")
    assert (found.algorithm.name, found.algorithm.title) == ("linux-aimd", "AIMD (Linux module)")
    assert [(each.name, each.standard, each.max) for each in found.algorithm.params] == [
        ("increase", 1, 2**32 - 1), ("keep", 512, 2**32 - 1),
    ]  # fmt: skip
    assert found.algorithm.params[1].doc == "part of the window that is left after a loss, of 1024"
    assert found.file == f"linux:{AIMD}"


def test_a_scenario_names_a_module_relative_to_its_folder(tmp_path: Path) -> None:
    shutil.copy(AIMD, tmp_path / "tcp_mine.c")
    (tmp_path / "mine.toml").write_text('base = "dumbbell"\n[algorithms]\n"linux:tcp_mine.c(keep=700)" = 1\n')
    assert mn.scenario(str(tmp_path / "mine.toml")).value("algorithms") == [("linux-aimd(keep=700)", 1.0)]


# What is written for the compiler


def test_variables_are_one_for_each_thread() -> None:
    text = "static u32 scale __read_mostly;\nstatic int list[4] = {1, 2};\nstatic unsigned int a = 1, b;\n"
    assert threaded(text).count("static _Thread_local ") == 3
    for kept in (
        "static const u32 table[] = {1};",
        "static struct tcp_congestion_ops ops __read_mostly = {",
        "static inline u32 rate(int x)\n{\n\tint y = x;\n}",
        "static u32 ssthresh(struct sock *sk);",
        "\tstatic int local = 1;",
    ):
        assert threaded(kept) == kept


def test_a_module_has_the_functions_of_the_headers_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaded, "_LOADED", {})  # another test may have loaded a module of this name
    base = AIMD.read_text()
    (tmp_path / "tcp_base.c").write_text(
        base.replace("static u32 aimd_ssthresh", '#include "tcp_base.h"\nu32 aimd_ssthresh')
    )
    (tmp_path / "tcp_base.h").write_text("u32 aimd_ssthresh(struct sock *sk);\n")
    start, end = base.index("static u32 aimd_ssthresh"), base.index("static void aimd_cong_avoid")
    file = tmp_path / "tcp_derived.c"
    file.write_text(f'#include <net/tcp.h>\n#include "tcp_base.h"\n{base[:start]}{base[end:]}')
    assert [each.name for each in companions(file)] == ["tcp_derived.c", "tcp_base.h", "tcp_base.c"]
    found = plugins.load(f"linux:{file}")
    (tmp_path / "tcp_base.c").write_text((tmp_path / "tcp_base.c").read_text() + "/* changed */\n")
    assert plugins.load(f"linux:{file}").digest != found.digest


def test_the_shim_has_no_text_of_the_kernel() -> None:
    text = shim().read_text()
    assert "SPDX-License-Identifier: GPL" not in text
    assert "EXPORT_SYMBOL_GPL(tcp_" not in text


# Refusals


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("module_init(aimd_register);", "", "not a module of Linux. Allowed: a module of Linux such as tcp_htcp.c"),
        ("return tcp_register_congestion_control(&aimd);", "return 0;", "it registers no struct tcp_congestion_ops"),
        ("	.ssthresh	= aimd_ssthresh,\n", "", "lacks ssthresh, undo_cwnd"),
        (
            "	.cong_avoid	= aimd_cong_avoid,\n",
            "",
            "lacks ssthresh, undo_cwnd, or both cong_avoid and cong_control",
        ),
        ("keep > 1024", "keep > 100", "its start function returns the error 34"),
        ("tcp_slow_start(tp, acked)", "tcp_no_start(tp, acked)", r"tcp_changed\.c:\d+(.|\n)*tcp_no_start"),
        (".init		=", ".begin	=", r"tcp_changed\.c:\d+(.|\n)*begin"),
        ("u32 losses;", "u64 losses[14];", "BUILD_BUG_ON of the module"),
    ],
)
def test_what_is_no_module_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        plugins.load(changed(tmp_path, old, new))
    assert "tcp_changed.c" in str(caught.value)


def test_other_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        plugins.load("linux:tcp_absent.c", tmp_path)
    with pytest.raises(InputError, match=r"not a module of Linux\. Allowed: a file \.c"):
        plugins.load("linux:tcp_htcp.so", tmp_path)
    with pytest.raises(InputError, match="gain"):
        mn.scenario("dumbbell", algorithm=f"linux:{AIMD}(gain=2)")
    with pytest.raises(InputError, match="too low"):
        mn.scenario("dumbbell", algorithm=f"linux:{AIMD}(keep=-1)")


@pytest.mark.parametrize(
    ("constants", "message"),
    [("keep=0.5", "the module refuses keep = 0.5"), ("keep=2000", "the module refuses its parameters (error 34)")],
)
def test_parameters_that_the_module_refuses_end_the_run(
    constants: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    scenario = mn.scenario("dumbbell", algorithm=f"linux:{AIMD}({constants})", duration="1 s")
    with pytest.raises(PluginFault, match="plug-in linux-aimd: init of source 0, transfer 0"):
        mn.simulate(scenario)
    assert message in capfd.readouterr().err


# Modules of a kernel, if the user has one


@pytest.mark.slow
@pytest.mark.skipif(not KERNEL, reason="MESONET_LINUX_SOURCE is not set")
@pytest.mark.parametrize("name", MODULES)
def test_modules_of_a_kernel_run(name: str) -> None:
    values = {"preset": "linux", "duration": "1 s", "warmup": "0.3 s", "network.speed": "100 seg/ms"}
    mix = f"linux:{KERNEL}/tcp_{name}.c=0.5, cubic=0.5"
    scenario = mn.scenario("abilene", algorithm=mix, **values)
    found = mn.simulate(scenario, seed=2)
    assert found.responses.to_polars().filter(response="loss_rate")["value"].max() > 0.01
    assert measured(mn.simulate(scenario, seed=2, threads=2)) == measured(found)


def test_pages_and_output_have_what_modules_were_compared_with() -> None:
    rows = re.findall(r"^\| `tcp_(\w+)` \| (.*?) \| (.*?) \|", PAGE.read_text(), re.MULTILINE)
    assert [name for name, _, _ in rows] == sorted(MODULES)
    for name, ours, kernel in rows:
        assert ours == (f"`{OURS[name]}`" if name in OURS else "never"), name
        assert kernel == (f"Linux {WITNESSED[name]}, by `{OURS[name]}`" if name in WITNESSED else "never"), name
    shown = CliRunner().invoke(main, ["plugin", f"linux:{AIMD}", "--json"])
    assert (
        json.loads(shown.stdout)["compared"]
        == "aimd was never compared with a kernel, nor with an algorithm of mesonet"
    )


def test_the_clock_of_the_receiver_begins_anywhere(tmp_path: Path) -> None:
    # A module that waits while both clocks show about the same, as TCP-LP divides by their difference.
    waits = changed(
        tmp_path,
        "!tcp_is_cwnd_limited(sk)",
        "(u32)(tp->rx_opt.rcv_tsval - tp->rx_opt.rcv_tsecr) < 1000U || !tcp_is_cwnd_limited(sk)",
    )
    values = {"preset": "linux", "duration": "30 s"}
    tcp = measured(mn.simulate(mn.scenario("bottleneck", algorithm="tcp", **values)))
    assert measured(mn.simulate(mn.scenario("bottleneck", algorithm=waits, **values))) == tcp


def test_a_module_with_memory_of_its_own_undoes_reductions(tmp_path: Path) -> None:
    release = "static void aimd_release(struct sock *sk)\n{\n}\n\nstatic struct tcp_congestion_ops"
    text = AIMD.read_text().replace("static struct tcp_congestion_ops", release, 1)
    (tmp_path / "tcp_own.c").write_text(text.replace("\t.owner", "\t.release\t= aimd_release,\n\t.owner", 1))
    values = {
        "preset": "linux",
        "duration": "30 s",
        "impairments.late": 0.01,
        "impairments.late_by": "40 ms",
        "impairments.at": ["all"],
    }
    own = mn.scenario("bottleneck", algorithm=f"linux:{tmp_path / 'tcp_own.c'}", **values)
    tcp = mn.scenario("bottleneck", algorithm="tcp", **values)
    assert measured(mn.simulate(own)) == measured(mn.simulate(tcp))


# Equal citizens


@pytest.mark.slow
@pytest.mark.process
def test_a_module_passes_the_contract_of_algorithms() -> None:
    words = ["conform", f"linux:{AIMD}", "--json", "--skip", "contract/loss", "--skip", "contract/recovery"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    findings = {each["id"]: each["verdict"] for each in json.loads(done.output)["findings"]}
    assert {findings[name] for name in ("same-seed", "threads", "resume", "window")} == {"pass"}


def test_evidence_about_a_module_can_be_planned() -> None:
    done = CliRunner().invoke(main, ["evidence", f"linux:{AIMD}", "--quick", "--plan"])
    assert done.exit_code == 0, done.output
    assert "Protection against congestion collapse" in done.output


def test_careful_resume_sets_the_window_of_a_module(tmp_path: Path) -> None:
    file = tmp_path / "resume.toml"
    file.write_text(
        'title = "A transfer"\nbase = "dumbbell"\npreset = "linux"\n'
        'time = { duration = "6 s", warmup = "0 s", periods = 1 }\n'
        'transport = { saved_window = "3402 segments", saved_rtt = "162 ms" }\n'
        'network.buffer = "3402 segments"\n'
        'flows = [{ from = "A", to = "B", size = "8000 segments", interface = "1 Gbit/s" }]\n'
    )
    module, tcp = (measured(mn.simulate(mn.scenario(file, algorithm=name))) for name in (f"linux:{AIMD}", "tcp"))
    assert module == tcp
    assert module != measured(mn.simulate(mn.scenario(file, algorithm=f"linux:{AIMD}", **NOTHING_SAVED)))


NOTHING_SAVED = {"transport.saved_window": "0 segments", "transport.saved_rtt": "0 s"}


def halving(folder: Path, name: str, flags: str) -> str:
    """Write a module that halves its window for losses in marked windows, and return its name as an algorithm."""
    reaction = (
        "static void aimd_state(struct sock *sk, u8 state)\n{\n"
        "\tif (state == TCP_CA_Recovery && inet_csk(sk)->icsk_ca_state == TCP_CA_CWR)\n"
        "\t\ttcp_sk(sk)->snd_ssthresh = max(tcp_snd_cwnd(tcp_sk(sk)) / 2, 2U);\n}\n\n"
    )
    text = AIMD.read_text().replace('"aimd"', f'"{name}"')
    text = text.replace("static struct tcp_congestion_ops", reaction + "static struct tcp_congestion_ops", 1)
    file = folder / f"tcp_{name}.c"
    file.write_text(text.replace("\t.owner", f"\t.set_state\t= aimd_state,\n\t.flags\t\t= {flags},\n\t.owner", 1))
    return f"linux:{file}(increase=8)"


def test_a_module_that_needs_ecn_sees_losses_in_marked_windows(tmp_path: Path) -> None:
    values = {
        "preset": "linux", "duration": "60 s", "network.speed": "2 seg/ms", "network.delay_multiplier": 0.1,
        "network.buffer": "200 segments", "network.ecn_threshold": "10 segments", "impairments.loss": 0.005,
        "impairments.at": ["all"],
    }  # fmt: skip

    def reductions(algorithm: str) -> int:
        result = mn.simulate(mn.scenario("dumbbell", algorithm=algorithm, **values))
        return int(result.series.to_polars()["loss_events"].sum())

    # With a gain of nearly nothing marks halve the window of DCTCP.
    dctcp = [reductions(f"dctcp(gain=0.0001, increase=8{rule})") for rule in ("", ", loss_after_mark=0")]
    module = [reductions(halving(tmp_path, *each)) for each in (("scalable", "TCP_CONG_NEEDS_ECN"), ("classic", "0"))]
    for loss_counts, loss_is_covered in (dctcp, module):
        assert loss_counts > 1.04 * loss_is_covered
    assert module == pytest.approx(dctcp, rel=0.03)
