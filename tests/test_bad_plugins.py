"""Plug-ins that crash, hang or end the process: `mesonet conform` is red, and `mesonet run` is no success."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from commands import ENVIRONMENT, MESONET, PATIENCE_S, until
from mesonet.conform import contract
from test_plugins import FAULTY, command

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.usefixtures("own_plugins")]
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")

CALL = r"plug-in \w+: \w+ of source 0, transfer 0, at [\d.]+ s: "
CHECKED = ("fill", "thin-path")
"""Checks of the contract that are made."""
LEFT_OUT = [word for each in contract.checks() if each.id not in CHECKED for word in ("--skip", each.name)]
ONLY = ["--cases", "none", "--baseline", "none", *LEFT_OUT]


def conform(algorithm: str, folder: Path, *options: str) -> tuple[dict[str, Any], ElementTree.Element, int]:
    """Return the document, the JUnit file and the exit code."""
    junit = folder / "junit.xml"
    done = command("conform", algorithm, *ONLY, "--json", "--junit", str(junit), *options)
    return json.loads(done.stdout), ElementTree.parse(junit).getroot(), done.returncode


def findings(document: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {each["id"]: (each["verdict"], each["why"]) for each in document["findings"] if each["verdict"] != "skipped"}


@needs_compiler
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        pytest.param(1, f"PluginFault: {CALL}it left cwnd = NaN", id="NaN"),
        pytest.param(11, rf"ended by SIGSEGV \({CALL}SIGSEGV: ", id="SIGSEGV"),
        pytest.param(12, rf"ended by SIGABRT \({CALL}SIGABRT: abort", id="abort"),
        pytest.param(15, rf"ended with exit code 1 \({CALL}exit: it ended the process", id="exit"),
        pytest.param(16, "the process of the check ended with exit code 0, as by _exit$", id="_exit"),
        pytest.param(18, f"PluginFault: {CALL}it wrote behind its state; allowed: the 48 bytes", id="overrun"),
        pytest.param(21, rf"ended with exit code 1 \({CALL}exit: it ended the process", id="exit in init"),
    ],
)
def test_each_check_has_the_fault(kind: int, words: str, tmp_path: Path) -> None:
    document, junit, code = conform(f"{FAULTY}(kind={kind})", tmp_path)
    assert code == 1
    found = findings(document)
    assert set(found) == set(CHECKED)
    for verdict, why in found.values():
        assert verdict == "error"
        assert re.search(words, why), why
    assert [junit.get(key) for key in ("tests", "failures", "errors")] == [str(len(contract.checks())), "0", "2"]
    assert all(re.search(words, each.get("message", "")) for each in junit.iter("error"))


@needs_compiler
@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        pytest.param(17, ("--time-limit", "1 s"), r"longer than the time limit of 1 s \(" + CALL, id="endless loop"),
        pytest.param(20, ("--time-limit", "1 s"), r"longer than the time limit of 1 s \(" + CALL, id="huge work"),
        pytest.param(19, ("--memory-limit", "400 MiB"), r"more than 400 MiB of memory.*\(" + CALL, id="memory"),
    ],
)
def test_limits_end_a_check(kind: int, options: tuple[str, str], words: str, tmp_path: Path) -> None:
    document, junit, code = conform(f"{FAULTY}(kind={kind})", tmp_path, *options)
    assert code == 1
    assert junit.get("errors") == "2"
    for verdict, why in findings(document).values():
        assert verdict == "error"
        assert re.search(words, why), why


@needs_compiler
def test_the_other_checks_go_on(tmp_path: Path) -> None:
    document, junit, code = conform(f"{FAULTY}(kind=15, after=1000)", tmp_path)  # the thin path has fewer
    assert code == 1
    assert {id: verdict for id, (verdict, _) in findings(document).items()} == {"fill": "error", "thin-path": "pass"}
    assert junit.get("errors") == "1"


@needs_compiler
def test_an_end_of_the_process_with_another_code_is_found(tmp_path: Path) -> None:
    document, junit, code = conform(f"{FAULTY}(kind=22)", tmp_path)
    assert code == 1
    found = findings(document)
    assert found.pop("end") == ("error", "the process of the check ended with exit code 0, as by _exit")
    assert "error" not in {verdict for verdict, _ in found.values()}
    assert junit.get("errors") == "1"


PER_ROUND = """
import os, sys
from mesonet.plugins.per_round import PerRound

class Bad(PerRound):
    def on_round(self, config, round):
        BODY
"""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param("sys.exit(0)", f"PluginFault: {CALL}it raised SystemExit: 0, line 7 of bad.py", id="exit"),
        pytest.param("os._exit(0)", "the process of the check ended with exit code 0, as by _exit$", id="_exit"),
        pytest.param("1 / 0", f"PluginFault: {CALL}it raised ZeroDivisionError", id="exception"),
        pytest.param("while True: pass", r"longer than the time limit of 2 s \(" + CALL, id="endless loop"),
    ],
)
def test_classes_in_python_are_watched_too(body: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(PER_ROUND.replace("BODY", body))
    document, _, code = conform(f"{tmp_path / 'bad.py'}:Bad", tmp_path, "--time-limit", "2 s")
    assert code == 1
    for verdict, why in findings(document).values():
        assert verdict == "error"
        assert re.search(words, why), why


@pytest.mark.parametrize("text", ["import sys\nsys.exit(0)\n", "import os\nos._exit(0)\n"])
def test_a_plug_in_that_ends_the_process_when_it_is_loaded_is_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(text)
    junit = tmp_path / "junit.xml"
    done = command("conform", f"{tmp_path / 'bad.py'}:Bad", "--junit", str(junit))
    assert done.returncode in (1, 2)
    assert done.stderr.startswith("mesonet: ")
    root = ElementTree.parse(junit).getroot()
    assert [root.get(key) for key in ("tests", "errors")] == ["1", "1"]


@needs_compiler
def test_ctrl_c_leaves_a_test_for_every_check(tmp_path: Path) -> None:
    junit = tmp_path / "junit.xml"
    words = ("conform", f"{FAULTY}(kind=17)", *ONLY, "--junit", str(junit))
    process = subprocess.Popen([*MESONET, *words], stderr=subprocess.PIPE, env=ENVIRONMENT, text=True)
    until(lambda: junit.exists() and "contract" in junit.read_text(), process)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert errors.splitlines()[-1] == "mesonet: interrupted"
    root = ElementTree.parse(junit).getroot()
    assert [root.get(key) for key in ("tests", "errors")] == [str(len(contract.checks())), "2"]
    assert {each.get("message") for each in root.iter("error")} == {"not run: the command ended before"}


@needs_compiler
@pytest.mark.parametrize("verb", [("run", "dumbbell", "--algorithm"), ("conform",)])
def test_exit_in_the_function_of_a_library_is_an_error(verb: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "bad.c"
    file.write_text("#include <stdlib.h>\nconst void *mesonet_cc(void) { exit(0); }\n")
    done = command(*verb, str(file))
    assert done.returncode == 1
    assert f"plug-in {file}: exit: it ended the process while it was loaded" in done.stderr


@needs_compiler
@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("kind", [15, 21])
def test_a_run_that_a_plug_in_ends_is_no_success(kind: int, threads: str) -> None:
    words = ("run", "dumbbell", "--duration", "5 s", "--threads", threads, "--algorithm", f"{FAULTY}(kind={kind})")
    done = command(*words)
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.search(f"mesonet: {CALL}exit: it ended the process", done.stderr)


VERBS = {
    "run": ("run", "bottleneck", "--duration", "30 s", "--algorithm", "PLUGIN"),
    "batch": ("batch", "bottleneck", "edits.csv", "--responses", "segment_rate", "--set", "algorithm=PLUGIN"),
    "check": ("check", "bottleneck", "--algorithm", "PLUGIN"),
    "adversary": ("adversary", "PLUGIN", "--evaluations", "5", "--out", "out"),
    "evidence": ("evidence", "PLUGIN", "--only", "6.4", "--out", "out"),
    "deploy": ("deploy", "PLUGIN", "--out", "out"),
    "experiment": ("experiment", "plan", "bad.toml"),
    "conform": ("conform", "PLUGIN"),
    "score": ("score", "PLUGIN"),
    "plugin": ("plugin", "PLUGIN"),
}
"""Verbs that load a plug-in, and their arguments."""


def ends(folder: Path, verb: str, text: str) -> subprocess.CompletedProcess[str]:
    """Return a command whose plug-in calls ``_exit(0)``."""
    file = folder / "bad.py"
    file.write_text(text)
    (folder / "edits.csv").write_text("network.speed\n10 Mbit/s\n")
    (folder / "bad.toml").write_text(f'name = "bad"\nscenario = "bottleneck"\nalgorithms = ["{file}:Bad"]\n')
    words = [word.replace("PLUGIN", f"{file}:Bad") for word in VERBS[verb]]
    return subprocess.run([*MESONET, *words], capture_output=True, text=True, cwd=folder, env=ENVIRONMENT)


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_works_with_a_plug_in_that_ends_its_process(verb: str, tmp_path: Path) -> None:
    done = ends(tmp_path, verb, "import os\nos._exit(0)\n")
    assert done.returncode == 1
    assert "bad.py" in done.stderr + done.stdout


@pytest.mark.parametrize("verb", ["run", "batch", "adversary"])
def test_no_run_of_a_command_is_hidden_by_a_plug_in_that_ends_its_process(verb: str, tmp_path: Path) -> None:
    base = "import os\nfrom mesonet.plugins.per_round import PerRound\n\n\nclass Bad(PerRound):\n"
    done = ends(tmp_path, verb, f"{base}    def on_round(self, config, round):\n        os._exit(0)\n")
    assert done.returncode == 1
    assert f"plug-in {tmp_path}/bad.py:Bad ended the process with exit code 0, as by _exit" in done.stderr


def test_a_command_with_a_plug_in_ends_as_without(tmp_path: Path) -> None:
    plugin = Path(__file__).parents[1] / "examples" / "plugins" / "delay_target.py"
    words = ("run", "bottleneck", "--duration", "30 s", "--algorithm")
    fine, refused = command(*words, f"{plugin}:DelayTarget"), command(*words, f"{plugin}:DelayTarget(x=1)")
    assert (fine.returncode, refused.returncode) == (0, 2)
    assert "segments_delivered" in fine.stdout
    assert "ended the process" not in fine.stderr + refused.stderr
    process = subprocess.Popen([*MESONET, *words[:2], "--duration", "9000 s", "--algorithm", f"{plugin}:DelayTarget"])
    time.sleep(3.0)
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE_S) in (143, -signal.SIGTERM)
