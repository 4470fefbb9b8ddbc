"""Mutants: changes of a source in C and in Python, their verdicts, and refusals."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mesonet.cli.verbs import main
from mesonet.conform import contract
from mesonet.conform.bench import Bench
from mesonet.conform.conformance import by_cost, plan
from mesonet.conform.mutants import in_c, in_python, mutants
from mesonet.conform.mutants.mutants import EQUAL, INVALID, KILLED, SURVIVED, Mutant, Report, drawn
from mesonet.conform.mutants.mutation import NOTHING, Mutation, of_number

PLUGINS = Path(__file__).parents[1] / "examples" / "plugins"
TARGET = str(PLUGINS / "delay_target.py") + ":DelayTarget"
C_CODE = b"""#include "mesonet_cc.h"
#define BETA 0.7  /* kept */
static const struct mesonet_param params[] = {
    {"gain", "growth", "segments", 0.0, 100.0, 1.0, "chosen"},
};
static const int steps[3] = {0};

static void on_ack(void *flow, const struct mesonet_config *config, const struct mesonet_ack *ack) {
    struct mesonet_window *window = flow;
    if (ack->in_recovery) return;
    window->cwnd += 2 * ack->acked / window->cwnd; // a comment: 1 + 1
}

static double grown(double cwnd) {
    return cwnd >= 5 && cwnd < 10 ? cwnd : 0x10;
}
"""
PYTHON_CODE = b'''from mesonet.plugins.per_round import Param, PerRound

GAIN = 0.5


class Other:
    number = 3


class Mine(PerRound):
    """Adds 1."""

    params = (Param("target", "delay", 0.01, 0.0, 1.0), Param("rest", "delay", max=1.0, min=0.0, value=0.25))

    def on_round(self, config, round):
        grown = self.cwnd + GAIN
        if round.rtt > config.target and not round.in_recovery:
            self.cwnd = grown
        self.cwnd -= round.lost
'''


def call(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def changes(found: list[Mutation]) -> list[str]:
    return [f"{each.line}: {each}" for each in found]


# Changes of a source.


def test_mutations_of_c() -> None:
    pytest.importorskip("tree_sitter")
    found = in_c.mutations(Path("my_cc.c"), C_CODE)
    assert changes(found) == [
        "2: #define BETA 0.7 -> #define BETA 0.63",
        "2: #define BETA 0.7 -> #define BETA 0.77",
        "4: 1.0 -> 0.9",
        "4: 1.0 -> 1.1",
        "6: 0 -> 1",
        "8: on_ack does nothing",
        "10: ack->in_recovery -> !(ack->in_recovery)",
        "11: left out: window->cwnd += 2 * ack->acked / window->cwnd;",
        "11: window->cwnd += 2 * ack->acked / window->cwnd -> window->cwnd -= 2 * ack->acked / window->cwnd",
        "11: 2 * ack->acked -> 1 * ack->acked",
        "11: 2 * ack->acked -> 3 * ack->acked",
        "11: 2 * ack->acked -> 2 / ack->acked",
        "11: 2 * ack->acked / window->cwnd -> 2 * ack->acked * window->cwnd",
        "15: cwnd >= 5 && cwnd < 10 -> !(cwnd >= 5 && cwnd < 10)",
        "15: cwnd >= 5 -> cwnd > 5",
        "15: cwnd >= 5 -> cwnd >= 4",
        "15: cwnd >= 5 -> cwnd >= 6",
        "15: cwnd >= 5 && cwnd < 10 -> cwnd >= 5 || cwnd < 10",
        "15: cwnd < 10 -> cwnd <= 10",
        "15: cwnd < 10 -> cwnd < 11",
        "15: cwnd < 10 -> cwnd < 9",
        "15: return cwnd >= 5 && cwnd < 10 ? cwnd : 0x10; -> return cwnd >= 5 && cwnd < 10 ? cwnd : 14;",
        "15: return cwnd >= 5 && cwnd < 10 ? cwnd : 0x10; -> return cwnd >= 5 && cwnd < 10 ? cwnd : 18;",
    ]


def test_mutations_of_python_are_python() -> None:
    found = in_python.mutations(PYTHON_CODE, "Mine")
    assert changes(found) == [
        "3: GAIN = 0.5 -> GAIN = 0.45",
        "3: GAIN = 0.5 -> GAIN = 0.55",
        "13: 0.01 -> 0.009",
        "13: 0.01 -> 0.011",
        "13: 0.25 -> 0.225",
        "13: 0.25 -> 0.275",
        "16: on_round does nothing",
        "16: self.cwnd + GAIN -> self.cwnd - GAIN",
        "17: round.rtt > config.target and not round.in_recovery -> "
        "not (round.rtt > config.target and not round.in_recovery)",
        "17: round.rtt > config.target -> round.rtt >= config.target",
        "17: round.rtt > config.target and not round.in_recovery -> round.rtt > config.target or not round.in_recovery",
        "18: left out: self.cwnd = grown",
        "19: left out: self.cwnd -= round.lost",
        "19: self.cwnd -= round.lost -> self.cwnd += round.lost",
    ]
    original = ast.unparse(ast.parse(PYTHON_CODE))
    for each in found:
        assert ast.unparse(ast.parse(each.applied(PYTHON_CODE))) != original


@pytest.mark.parametrize("name", ["aimd.c", "aimd.cpp", "linux/tcp_aimd.c"])
def test_mutations_keep_the_lines_of_a_source(name: str) -> None:
    pytest.importorskip("tree_sitter")
    source = (PLUGINS / name).read_bytes()
    found = in_c.mutations(PLUGINS / name, source)
    assert len(found) > 20
    assert any(each.after == NOTHING for each in found)
    for each in found:
        assert each.applied(source) != source
        assert each.applied(source).count(b"\n") == source.count(b"\n")


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("0", ["1"]), ("1", ["2", "0"]), ("717", ["789", "645"]), ("10U", ["11U", "9U"]),
        ("0x10ULL", ["18ULL", "14ULL"]),
        ("0.0", ["1.0"]), ("0.5f", ["0.55f", "0.45f"]), ("1e3", ["1100.0", "900.0"]), ("010", ["9", "7"]), ("'a'", []),
    ],
)  # fmt: skip
def test_numbers_change_by_one_or_a_tenth(text: str, others: list[str]) -> None:
    source = text.encode()
    assert [each.after for each in of_number(source, 0, len(source), (0, len(source)))] == others


def test_a_draw_depends_on_its_seed_alone() -> None:
    found = in_python.mutations(PYTHON_CODE, "Mine")
    assert drawn(found, 5, 1) == drawn(found, 5, 1) != drawn(found, 5, 2)
    assert drawn(found, 5, 1) == sorted(drawn(found, 5, 1))
    assert drawn(found, 500, 1) == drawn(found, None, 1) == found


# Verdicts.


def test_cheap_checks_come_first() -> None:
    names = [each.name for each in by_cost(plan("bbr3"), Bench("bbr3"))]
    assert names[0] == "contract/window"
    assert names.index("baseline/marks") < names.index("baseline/large")
    assert sorted(names) == sorted(each.name for each in plan("bbr3").checks())


def test_the_share_leaves_out_what_nobody_can_notice() -> None:
    change = Mutation(0, 1, b"2", 1, "1", "2")
    verdicts = [KILLED] * 3 + [SURVIVED, EQUAL, INVALID]
    report = Report("mine", "mine.c", 9, 1, 10.0, [Mutant(change, each, "") for each in verdicts])
    assert report.share == 0.75
    assert report.document()["counts"] == {KILLED: 3, SURVIVED: 1, EQUAL: 1, INVALID: 1}


MINE = """
#include "mesonet_cc.h"
#include "grown.h"

static void on_ack(void *flow, const struct mesonet_config *config, const struct mesonet_ack *ack) {
    struct mesonet_window *window = flow;
    unsigned left = mesonet_may_grow(config, ack) * mesonet_slow_start(window, config, ack->acked);
    for (; left > 0; left--) window->cwnd = grown(window->cwnd);
}

static void on_loss(void *flow, const struct mesonet_config *config, const struct mesonet_loss *loss) {
    if (0 > 1) return;
    mesonet_back_off(flow, config, loss, mesonet_basis(flow, config, loss) / 2, 3.0);
}

static const struct mesonet_algorithm mine = {
    .abi = MESONET_CC_ABI,
    .size = sizeof(struct mesonet_algorithm),
    .state_size = sizeof(struct mesonet_window),
    .codepoint = MESONET_ECT0,
    .name = "mine",
    .title = "Mine",
    .source = "a test",
    .on_ack = on_ack,
    .on_loss = on_loss,
};

MESONET_EXPORT const struct mesonet_algorithm *mesonet_cc(void) { return &mine; }
"""


KEPT = ("blackout", "recovery")
"""Checks of the contract that the test makes: both use one run."""


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.usefixtures("own_plugins")
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_mutants_of_a_plug_in_in_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tree_sitter")
    monkeypatch.setattr(mutants, "LEAST_S", 4.0)
    all_of_them, kept = mutants.mutations_of, ("does nothing", "0 > 1 -> 0 >= 1", "left > 0 -> left >= 0", "3.3)")
    monkeypatch.setattr(
        mutants, "mutations_of", lambda name: [each for each in all_of_them(name) if str(each).endswith(kept)]
    )
    (tmp_path / "mine.c").write_text(MINE)
    (tmp_path / "grown.h").write_text("static double grown(double cwnd) { return cwnd + 1 / cwnd; }\n")
    skip = [word for each in contract.checks() if each.id not in KEPT for word in ("--skip", each.name)]
    words = ["conform", "--mutants", tmp_path / "mine.c", "--baseline", "none", *skip]
    done = call(*words, "--fail-under", "99%", "--json")
    assert done.exit_code == 1, done.output
    assert "fewer than 99%" in done.stderr
    report = json.loads(done.stdout)
    found = {f"{each['before']} -> {each['after']}": (each["verdict"], each["by"]) for each in report["mutants"]}
    assert found["on_loss -> does nothing"] == (KILLED, "contract/blackout")
    assert found["on_ack -> does nothing"] == (KILLED, "contract/recovery")
    assert found["0 > 1 -> 0 >= 1"] == (EQUAL, "")
    assert found["left > 0 -> left >= 0"] == (KILLED, "contract/blackout"), "a loop that never ends"
    assert ("survived", "no number changes") in found.values(), "the threshold after a timeout is not used here"
    assert sum(report["counts"].values()) == report["mutations"] == len(found)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["grown.h", "mine.c"], "the folder is as it was"


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.usefixtures("own_plugins")
def test_a_mutant_that_raises_is_killed(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_bytes(PYTHON_CODE)
    skip = [word for each in contract.checks() if each.id not in KEPT for word in ("--skip", each.name)]
    words = ["conform", "--mutants", f"{tmp_path / 'mine.py'}:Mine", "--baseline", "none", *skip]
    done = call(*words, "--max-mutants", 3, "--mutant-seed", 4)
    assert done.exit_code == 0, done.output
    assert "3 of 14 mutants, drawn with seed 4" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--mutants", "cubic"], '--mutants = "cubic": no source that can be changed. Allowed: a plug-in in C, C++'),
        (["cubic", "--max-mutants", "3"], "--max-mutants = 3: goes with --mutants"),
        (["cubic", "--fail-under", "0", "--write-baseline", "/proc/x"], "--fail-under = 0.0: goes with --mutants"),
        (["--mutants", TARGET, "--mutant-seed", "3"], "--mutant-seed = 3: goes with --max-mutants"),
        (["--mutants", TARGET, "--junit", "x.xml"], '--junit = "x.xml": goes without --mutants'),
        (["--mutants", TARGET, "--fail-under", "120%"], "--fail-under"),
        (["--mutants", TARGET, "--cases", "nosuch"], '--cases = "nosuch": unknown suite of cases'),
    ],
)
def test_bad_input_is_refused(arguments: list[str], message: str) -> None:
    done = call("conform", *arguments)
    assert done.exit_code == 2, done.output
    assert message in done.stderr
