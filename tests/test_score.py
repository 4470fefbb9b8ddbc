"""Scores of controls that programs write: cells, cheats, limits, the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import mesonet as mn
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.scoring.cells import Parts, cells
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
    "static state shared by flows": ("shared += 1; if (shared > 5000) window->cwnd = 4;", "", "static double shared;"),
    "a counter that turns bad late": ("if (++seen > 2000000) window->cwnd = 2;", "", "static long seen;"),
    "an endless loop": ('for (;;) __asm__ volatile("");', "", ""),
    "exit(0)": ("exit(0);", "stdlib.h", ""),
    "_exit(0)": ("_exit(0);", "unistd.h", ""),
    "writing behind its state": ("((char *)flow)[sizeof *window + 1] = 1;", "", ""),
    "writing a file": ('fopen("/tmp/mesonet-cheat", "w");', "stdio.h", ""),
    "reading the command line": ('fopen("/proc/self/cmdline", "r");', "stdio.h", ""),
    "opening a socket": ("socket(2, 1, 0);", "sys/socket.h", ""),
    "starting a program": ('system("true");', "stdlib.h", ""),
    "growing memory": ("memset(malloc(1 << 26), 1, 1 << 26);", "stdlib.h string.h", ""),
}


@pytest.mark.process
@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_is_refused(tmp_path: Path, name: str) -> None:
    found = scored(cheat(tmp_path, *CHEATS[name]), time_limit=1.0, memory_limit=2**28)
    assert found.refused
    assert found.score == 0


@pytest.mark.process
@pytest.mark.parametrize(
    ("code", "includes"),
    [("window->cwnd = 400; return;", ""), ("window->cwnd += (double)(clock() % 7) / 1e3;", "time.h")],
    ids=["fixed window", "clock"],
)
def test_the_contract_refuses_a_cheat(tmp_path: Path, code: str, includes: str) -> None:
    found = scored(cheat(tmp_path, code, includes), stages=["contract"])
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
