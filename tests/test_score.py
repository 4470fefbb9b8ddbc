"""Scores of controls that programs write: cells, cheats, limits, the command."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

import mesonet as mn
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.plugins.library import FLAGS
from mesonet.plugins.names import header
from mesonet.scoring.admission import IMPORTS, admit
from mesonet.scoring.cells import Parts, cells
from mesonet.scoring.evidence import LOOKS
from mesonet.scoring.score import Score

AIMD = Path(__file__).parents[1] / "examples" / "plugins" / "aimd.c"
ACK = "    if (!mesonet_may_grow(config, ack)) return;\n"
"""Line of the example before which the tests put the code of a cheat."""
SCREEN = {"stages": ["screen"], "secret_seed": 7, "progress": False}


def cheat(folder: Path, code: str, includes: str = "", top: str = "") -> str:
    source = AIMD.read_text()
    assert ACK in source
    head = "".join(f"#include <{each}>\n" for each in includes.split())
    file = folder / "cheat.c"
    mark = "static void on_ack"
    file.write_text(head + source.replace(mark, f"{top}\n{mark}", 1).replace(ACK, f"    {code}\n{ACK}", 1))
    return str(file)


def scored(candidate: str, **given: object) -> Score:
    (found,) = mn.score([candidate], **SCREEN | given)  # type: ignore[arg-type]
    return found


def test_cells_follow_from_the_secret_seed_alone() -> None:
    one, again, other = ([each.trial for each in cells("cubic", seed)] for seed in (1, 1, 2))
    assert one == again
    assert not set(one) & set(other)


def test_no_part_makes_up_for_another() -> None:
    assert Parts(1.0, 1.0, 1.0, 1.0).score == 1
    assert all(Parts(*(0.0 if part == zero else 1.0 for part in range(4))).score == 0 for zero in range(4))


def test_a_refused_candidate_has_no_score() -> None:
    assert Score("a", mean=0.5, worst=0.3).score == pytest.approx(0.4)
    assert Score("a", mean=0.5, worst=0.3, refused="because").score == 0


@pytest.mark.process
def test_variants_of_a_file_share_cells_and_equal_ones_score_alike() -> None:
    found = mn.score([str(AIMD), f"{AIMD}(increase=1)", f"{AIMD}(increase=50)"], **SCREEN)  # type: ignore[arg-type]
    assert [each.refused for each in found] == [None] * 3
    assert found[0].score == found[1].score > found[2].score > 0


CHEATS = {
    "static state shared by flows": (
        "shared += 1; if (shared > 5000) window->cwnd = 4;", "", "static double shared;", "static variables",
    ),
    "a counter that turns bad late": (
        "if (++seen > 2000000) window->cwnd = 2;", "", "static long seen;", "static variables",
    ),
    "state of a thread": (
        "if (++seen > 9) window->cwnd = 2;", "", "static __thread long seen;", "calls __tls_get_addr",
    ),
    "state in errno": ("errno += 1;", "errno.h", "", "calls __errno_location"),
    "state in the random numbers of the C library": ("window->cwnd += rand() % 2;", "stdlib.h", "", "calls rand"),
    "state in the rules of all flows": ("*(double *)&config->params[0] += 1;", "", "", "cast-qual"),
    "state in an event": ("*(double *)&ack->rtt = 1e-6;", "", "", "cast-qual"),
    "how the processor rounds": ("_MM_SET_ROUNDING_MODE(_MM_ROUND_UP);", "xmmintrin.h", "", "instruction ldmxcsr"),
    "an endless loop": ('for (volatile int i = 0;; i++);', "", "", "of processor time"),
    "exit(0)": ("exit(0);", "stdlib.h", "", "calls exit"),
    "_exit(0)": ("_exit(0);", "unistd.h", "", "calls _exit"),
    "writing behind its state": ("((char *)flow)[sizeof *window + 1] = 1;", "", "", "wrote behind its state"),
    "writing a file": ('fopen("/tmp/mesonet-cheat", "w");', "stdio.h", "", "calls fopen"),
    "reading the environment": ('if (getenv("PATH")) window->cwnd = 2;', "stdlib.h", "", "calls getenv"),
    "changing the environment": ('setenv("LD_PRELOAD", "cheat.so", 1);', "stdlib.h", "", "calls setenv"),
    "opening a socket": ("socket(2, 1, 0);", "sys/socket.h", "", "calls socket"),
    "starting a program": ('system("true");', "stdlib.h", "", "calls system"),
    "starting a process": ("fork();", "unistd.h", "", "calls fork"),
    "a thread that counts": ("pthread_t t; pthread_create(&t, 0, 0, 0);", "pthread.h", "", "calls pthread_create"),
    "a signal": ("raise(9);", "signal.h", "", "calls raise"),
    "memory at an address that runs share": (
        "mmap((void *)0x20000000000, 4096, 3, 0x32, -1, 0);", "sys/mman.h", "", "calls mmap",
    ),
    "functions of the program": ('dlsym(0, "clock");', "dlfcn.h", "", "calls dlsym"),
    "a clock": ("window->cwnd += (double)(clock() % 7) / 1e3;", "time.h", "", "calls clock"),
    "the clock of the processor": ("if (__builtin_ia32_rdtsc() % 2) window->cwnd = 2;", "", "", "instruction rdtsc"),
    "assembly": ('__asm__ volatile("syscall" : : "a"(39));', "", "", "has assembly|instruction syscall"),
    "machine code as data": (
        "((void (*)(void))(unsigned long)code)();", "",
        '__attribute__((section(".text#"))) static const unsigned char code[] = {0x0f, 0x31, 0xc3};', "data among",
    ),
    "code at loading": (
        "", "", "static volatile int seen;\n__attribute__((constructor)) static void early(void) { seen = 1; }",
        "while it is loaded",
    ),
    "growing memory": (
        "volatile char *held = malloc(1 << 26); for (int i = 0; i < 1 << 26; i += 4096) held[i] = 1;", "stdlib.h", "",
        "memory",
    ),
}  # fmt: skip
"""Code, headers, code before the function, and a pattern of the refusal."""


@pytest.mark.process
@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_is_refused(tmp_path: Path, name: str) -> None:
    *parts, reason = CHEATS[name]
    found = scored(cheat(tmp_path, *parts), time_limit=1.0, memory_limit=2**28)
    assert re.search(reason, str(found.refused))
    assert found.score == 0


COMPILED = {
    "forging a result": (
        r'''write(3, "{\"mean\": 1.0, \"worst\": 1.0, \"parts\": {}}\n", 41); _exit(0);''',
        "unistd.h", "", "channel of its result",
    ),
    "killing the process that scores": ("syscall(234, getppid(), getppid(), 9);", "unistd.h", "", "system call"),
    "a signal to another process": (
        "syscall(234, getpid() - 1, getpid() - 1, 9);", "unistd.h", "", "system call",
    ),
    "state of a thread": ("if (++seen > 999) window->cwnd = 2;", "", "static __thread long seen;", "other numbers"),
    "a clock without a system call": (
        "struct timespec t; clock_gettime(1, &t); window->cwnd += (double)t.tv_nsec / 1e12;", "time.h", "",
        "other numbers",
    ),
    "the clock of the processor": ("window->cwnd += __builtin_ia32_rdtsc() % 99 / 1e4;", "", "", "other numbers"),
    "a file": ('fopen("/tmp/mesonet-cheat", "w");', "stdio.h", "", "system call"),
    "a network": ("socket(2, 1, 0);", "sys/socket.h", "", "system call"),
    "a program": ('system("true");', "stdlib.h", "", "system call"),
    "a process": ("fork();", "unistd.h", "", "system call"),
    "a limit": ("struct rlimit r = {999, 999}; setrlimit(0, &r);", "sys/resource.h", "", "system call"),
    "ignoring the signal of a limit": (
        "signal(24, SIG_IGN); for (volatile int i = 0;; i++);", "signal.h", "", "processor time",
    ),
    "much memory": ("memset(mmap(0, 1L << 34, 3, 0x22, -1, 0), 1, 1L << 34);", "sys/mman.h string.h", "", "memory"),
}  # fmt: skip
"""As of `CHEATS`, of libraries that come compiled: the sandbox alone holds."""


@pytest.mark.process
@pytest.mark.parametrize("name", COMPILED)
def test_the_sandbox_ends_a_compiled_cheat(tmp_path: Path, name: str) -> None:
    *parts, reason = COMPILED[name]
    source = Path(cheat(tmp_path, *parts))
    built = source.with_suffix(".so")
    subprocess.run(["cc", *FLAGS, "-w", "-D_GNU_SOURCE", f"-I{header().parent}", "-o", built, source], check=True)
    found = scored(str(built), time_limit=1.0, memory_limit=2**28)
    assert re.search(reason, str(found.refused))
    assert not Path("/tmp/mesonet-cheat").exists()


@pytest.mark.process
def test_memory_that_runs_share_has_no_address(tmp_path: Path) -> None:
    code = "long *p = mmap((void *)0x20000000000, 4096, 3, 0x32, -1, 0); if (p != (void *)-1 && ++*p) window->cwnd = 2;"
    source = Path(cheat(tmp_path, code, "sys/mman.h"))
    subprocess.run(["cc", *FLAGS, f"-I{header().parent}", "-o", source.with_suffix(".so"), source], check=True)
    assert scored(str(source.with_suffix(".so"))).score == scored(str(AIMD)).score


PYTHON = {
    "a module of the system": ("import os\n", "pass"),
    "the simulator": ("import mesonet.scoring.cells as cells\ncells._parts = None\n", "pass"),
    "a module of a module": ("from mesonet.plugins.per_round import abi\n", "pass"),
    "a file at the import": ("FILE = open('/tmp/mesonet-cheat', 'w')\n", "pass"),
    "a file": ("", "open('/tmp/mesonet-cheat', 'w')"),
    "code as text": ("", "eval('1')"),
    "the way to all classes": ("", "().__class__.__base__"),
    "the way to the caller": ("", "(x for x in ()).gi_frame"),
    "text that leads out": ("", "'{0.a}'.format(self)"),
    "a list of the module": ("SEEN = []\n", "SEEN.append(1)"),
    "a list of the class": ("", "self.seen.append(1)\n    seen = []"),
    "a default that lives": ("", "pass\n    def helper(self, seen=[]):\n        seen.append(1)"),
    "a field of the class": ("", "Mine.count = 1"),
    "the class by another name": ("", "mine = Mine\n        mine.count = 1"),
    "the class of an object": ("", "type(self).count = 1"),
    "the state as declared": ("", "self.state['x'] = 1\n    state = {'x': int}"),
    "a field of a function": ("", "self.on_round.count = 1"),
    "a field of a module": ("import math\n", "math.pi = 3"),
    "a global variable": ("N = 0\n", "global N\n        N += 1"),
    "random numbers": ("import numpy as np\n", "self.cwnd += np.random.rand()"),
    "a file by numpy": ("import numpy as np\n", "np.fromfile('/etc/passwd')"),
    "a clock": ("import time\n", "self.cwnd += time.time() % 1"),
    "an address": ("", "self.cwnd += id(self) % 7"),
    "a hash, which differs by process": ("", "self.cwnd += hash('x') % 7"),
    "code of a decorator": ("", "pass\n    @print\n    def helper(self):\n        pass"),
    "code of an annotation": ("", "pass\n    def helper(self, x: print(1)):\n        pass"),
    "code of a metaclass": ("", "pass\n\nclass Other(metaclass=print):\n    pass"),
    "the interpreter in compiled code": ("from numba import objmode\n", "pass"),
}
"""Code of the module and of a function."""


def python(folder: Path, top: str, code: str) -> str:
    head = f"from mesonet.plugins.per_round import Param, PerRound\n{top}\n\nclass Mine(PerRound):\n"
    params = "    params = (Param('target', 'a target', 0.01, 0.0, 1.0),)\n"
    file = folder / "mine.py"
    file.write_text(f"{head}{params}    def on_round(self, config, round):\n        {code}\n")
    return f"{file}:Mine"


@pytest.mark.parametrize("name", PYTHON)
def test_a_cheat_in_python_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="line"):
        admit(python(tmp_path, *PYTHON[name]))
    assert not Path("/tmp/mesonet-cheat").exists()


def test_a_control_in_python_may_calculate(tmp_path: Path) -> None:
    code = "self.seen = [each for each in range(3)]\n        self.cwnd += np.sqrt(2) + K + min(self.seen)"
    admit(python(tmp_path, "import math\nimport numpy as np\nK = 3 * math.pi\n", code))
    admit(f"{AIMD.with_name('aimd.py')}:AIMD")
    admit(f"{AIMD.with_name('delay_target.py')}:DelayTarget(target=0.02)")


@pytest.mark.parametrize("module", ["per_round", "python"])
def test_a_file_may_import_what_plug_ins_need(module: str) -> None:
    assert set(IMPORTS[f"mesonet.plugins.{module}"]) == set(import_module(f"mesonet.plugins.{module}").__all__)


@pytest.mark.process
def test_candidates_of_each_language_pass_all_stages() -> None:
    plugins = AIMD.parent
    candidates = [
        f"{plugins}/aimd.c",
        f"{plugins}/aimd.cpp",
        f"{plugins}/aimd.py:AIMD",
        f"linux:{plugins}/linux/tcp_aimd.c",
    ]
    if shutil.which("c++") is None:
        del candidates[1]
    found = mn.score(candidates, secret_seed=7, progress=False)
    assert [each.refused for each in found] == [None] * len(candidates)
    assert all(each.evidence == found[0].evidence for each in found[:-1])


@pytest.mark.process
def test_the_evidence_separates_who_harms_from_who_does_not(tmp_path: Path) -> None:
    harms = cheat(tmp_path, "window->cwnd += 9 * ack->acked / window->cwnd;")
    fair, unfair = mn.score([str(AIMD), harms], stages=["evidence"], secret_seed=7, progress=False)
    assert fair.harmless == 1.0
    assert unfair.harmless is not None
    assert unfair.harmless < 0.9
    worse = {each["criterion"] for each in unfair.evidence if each["verdict"] == "worse"}
    assert "5.2.1" in worse
    for each in unfair.evidence:
        assert each["harm_low"] <= each["harm"] <= each["harm_high"]
        assert each["pairs"] in LOOKS
        assert each["verdict"] != "cannot tell" or each["pairs"] == LOOKS[-1]


@pytest.mark.process
@pytest.mark.parametrize(
    "code",
    ["window->cwnd = 400; return;", "if (ack->now > 0.4) window->cwnd = 1;"],
    ids=["fixed window", "stops"],
)
def test_the_contract_refuses_a_cheat(tmp_path: Path, code: str) -> None:
    found = scored(cheat(tmp_path, code), stages=["contract"])
    assert str(found.refused).startswith("contract: contract/")


@pytest.mark.process
def test_who_behaves_on_one_path_only_scores_low_on_hidden_cells(tmp_path: Path) -> None:
    code = "if (ack->rtt < 0.0799 || ack->rtt > 0.2) window->cwnd = 2;"
    assert scored(cheat(tmp_path, code)).score < 0.7 * scored(str(AIMD)).score


@pytest.mark.process
def test_the_command_writes_scores_and_what_stays_open() -> None:
    shown = CliRunner().invoke(main, ["score", "vegas", "--stages", "screen", "--secret-seed", "7", "--json"])
    assert shown.exit_code == 0
    document = json.loads(shown.stdout)
    assert 0 < document["candidates"][0]["score"] < 1
    assert document["not_blocked"]


def test_a_secret_seed_is_a_number_or_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "seed"
    file.write_text("x\n")
    shown = CliRunner().invoke(main, ["score", "cubic", "--secret-seed", str(file)])
    assert shown.exit_code == 2
    assert "--secret-seed" in shown.stderr


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"candidates": []}, "candidates"),
        ({"stages": ["sreen"]}, "stages"),
        ({"stages": []}, "stages"),
        ({"time_limit": 0.0}, "time_limit"),
        ({"memory_limit": 0}, "memory_limit"),
        ({"secret_seed": -1}, "secret_seed"),
    ],
)
def test_bad_input_is_refused(given: dict[str, object], path: str) -> None:
    with pytest.raises(InputError) as refused:
        mn.score(**{"candidates": ["cubic"], **given})  # type: ignore[arg-type]
    assert refused.value.path == path
