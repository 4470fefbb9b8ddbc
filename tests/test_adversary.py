"""The search for the worst path: paths, scores, search, simplest path, files, the command."""

from __future__ import annotations

import json
import re
import runpy
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import mesonet as mn
from mesonet.adversarial import files
from mesonet.adversarial.adversary import answered
from mesonet.adversarial.answer import SIMPLEST as SIMPLEST_FILE
from mesonet.adversarial.answer import Adversary
from mesonet.adversarial.judge import COPIES, SIMPLEST, Judge
from mesonet.adversarial.minimise import KEPT, minimised
from mesonet.adversarial.objective import OBJECTIVES, Outcome
from mesonet.adversarial.path import ChangingPath, Episode, Phase, path_of, title
from mesonet.adversarial.question import question
from mesonet.adversarial.space import DIMENSIONS, Space, shaken
from mesonet.adversarial.trials import LEDGER, Ledger, Trial, Trials
from mesonet.cli.verbs import main
from mesonet.conform.bench import Bench
from mesonet.conform.case import check_suite, read_suite
from mesonet.errors import InputError
from mesonet.evidence.criterion import read
from mesonet.simulation.simulate import simulate

pytestmark = pytest.mark.slow

GROWN = ChangingPath(20.0, 60.0, (Phase(0.0, 10.0, 0.0), Phase(1.0, 10.0, 60.0)), losses=(Episode(3.0, 0.2, 0.01),))
"""A round trip of 20 ms that grows to 80 ms, which halves the goodput of BBR; the losses change little."""
SLOW = "tcp(increase=0.05)"
"""An algorithm that takes 20 times as long as standard TCP to recover from an outage."""
MAKE = Path(__file__).parents[1] / "docs/worst-paths/make.py"
SMALL = {"evaluations": 20, "duration": "2 s", "rate_limit": "10 Mbit/s", "space": ("outage",), "seed": 1}


def trials_of(**given: Any) -> Trials:
    asked = question(**{"algorithm": "bbr", "against": ["cubic"], "duration": "4 s", "rate_limit": "10 Mbit/s"} | given)
    return Trials(asked, Ledger(asked, None), 2)


def search(folder: Path, **given: Any) -> Adversary:
    return answered(question(SLOW, against=["cubic"], **SMALL | given), folder, progress=False)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Adversary, Path]:
    folder = tmp_path_factory.mktemp("found")
    return search(folder), folder


def test_a_path_has_the_capacity_that_losses_and_outages_leave() -> None:
    path = ChangingPath(
        20.0, 50.0, (Phase(0.0, 10.0, 0.0), Phase(2.0, 4.0, 0.0)), (Episode(0.5, 1.0, 0.1),), (Episode(3.0, 0.5, 0.0),)
    )
    assert path.capacity(0.0, 4.0) == pytest.approx(10 * 1 + 10 * 0.9 + 4 * 1.5)
    assert path.capacity(1.0, 2.5) == pytest.approx(10 * 0.5 * 0.9 + 10 * 0.5 + 4 * 0.5)


def test_a_drawn_path_is_within_its_space_and_is_plain_data() -> None:
    space = Space(DIMENSIONS, 10.0, 20.0)
    rng = np.random.default_rng(1)
    for _ in range(200):
        path = space.path(space.changed(space.drawn(rng), rng))
        assert path.is_ordered(10.0)
        assert all(1.0 <= each.rate <= 20.0 for each in path.phases)
        assert path_of(json.loads(json.dumps(path.document()))) == path
        assert all(title(name)[0] for name in path.numbers())
        copy = shaken(path, 10.0, rng)
        assert copy.is_ordered(10.0)
        assert all(abs(a.rate / b.rate - 1) < 0.021 for a, b in zip(copy.phases, path.phases, strict=True))


def test_episodes_stay_in_their_order() -> None:
    outages = (Episode(3.0, 0.1, 0.0), Episode(3.4, 0.1, 0.0))
    path = ChangingPath(20.0, 50.0, (Phase(0.0, 10.0, 0.0),), outages=outages)
    assert not path.with_number("outages[1].start", 2.5).is_ordered(10.0)
    copies = [shaken(path, 10.0, np.random.default_rng(seed)) for seed in range(50)]
    assert all(a.start + a.length < b.start for a, b in (each.outages for each in copies))


def test_a_late_start_is_a_change_that_still_phases_lack() -> None:
    assert [each.join for each in replace(GROWN, join=0.5).still()] == [0.0, 0.0]


def test_what_does_not_vary_stays() -> None:
    space = Space(("outage",), 10.0, 20.0)
    paths = [space.path(space.drawn(np.random.default_rng(seed))) for seed in range(20)]
    assert {each.phases for each in paths} == {(Phase(0.0, 20.0, 0.0),)}
    assert len({each.outages for each in paths}) > 5
    assert not any(each.losses or each.cross or each.join for each in paths)


@pytest.mark.parametrize("objective", list(OBJECTIVES))
def test_a_scenario_file_runs_as_the_search_does(objective: str, tmp_path: Path) -> None:
    trials = trials_of(objective=objective)
    path = replace(GROWN, cross=(Episode(2.0, 1.0, 3.0),), outages=(Episode(2.5, 0.1, 0.0),))
    if trials.lineups[0].incumbent:
        path = replace(path, join=0.5)
    (of_search,) = trials.outcomes([Trial(path, 7)])
    for lineup, outcome in of_search.items():
        result = simulate(trials.scenario(path, lineup), 7)
        assert trials.outcome(path, lineup, vars(result)) == outcome


def test_cross_traffic_leaves_less_capacity() -> None:
    trials = trials_of()
    path = ChangingPath(20.0, 60.0, (Phase(0.0, 10.0, 0.0),), cross=(Episode(0.5, 3.0, 6.0),))
    (outcomes,) = trials.outcomes([Trial(path, 1)])
    assert all(each.used > 0.75 for each in outcomes.values())  # of what cross traffic leaves, about half of the link


@pytest.mark.parametrize(
    ("name", "tested", "reference", "score"),
    [
        ("utilisation", Outcome(0.4, 1, 0, 0), Outcome(0.9, 1, 0, 0), 0.5),
        ("utilisation", Outcome(0.2, 1, 0, 0), Outcome(0.6, 1, 0, 0), 0.4 - 3 * 0.2),
        ("delay", Outcome(1, 1, 0.3, 0), Outcome(0.9, 1, 0.1, 0), 0.2),
        ("starves", Outcome(1, 0.9, 0, 0), Outcome(1, 0.5, 0, 0), 0.4),
        ("starved", Outcome(1, 0.1, 0, 0), Outcome(1, 0.4, 0, 0), 0.3),
        ("starved", Outcome(1, 0.1, 0, 0), Outcome(1, 0.2, 0, 0), 0.1 - 3 * 0.1),
        ("starves", Outcome(1, 0.9, 0, 0), Outcome(1, 0.8, 0, 0), 0.1 - 3 * 0.1),
        ("frames", Outcome(1, 1, 0, 0.7), Outcome(1, 1, 0, 0.1), 0.6),
    ],
)
def test_harm_counts_where_a_reference_serves_the_path(
    name: str, tested: Outcome, reference: Outcome, score: float
) -> None:
    assert OBJECTIVES[name].judged("cubic", tested, reference).score == pytest.approx(score)


def test_harm_of_a_phase_held_still_does_not_count() -> None:
    judge = Judge(trials_of())
    tiny = ChangingPath(80.0, 10.0, (Phase(0.0, 10.0, 0.0), Phase(2.0, 9.9, 0.0)))  # a buffer of a seventh of a BDP
    assert judge.still([tiny])[0] == pytest.approx(max(0.0, *judge.alone(tiny.still())))
    (alone,) = judge.alone([tiny])
    assert judge.sure(tiny, alone, 1) <= alone - judge.still([tiny])[0] + 1e-12 or alone <= 0


def test_the_simplest_path_keeps_the_harm() -> None:
    judge = Judge(trials_of())
    simplest = minimised(judge, GROWN)
    assert not simplest.losses
    assert len(simplest.phases) == 2
    before, after = judge.medians([GROWN, simplest], COPIES, (SIMPLEST,))
    assert after >= KEPT * before > 0.1


def test_a_search_finds_a_known_weakness(found: tuple[Adversary, Path]) -> None:
    answer, folder = found
    assert answer.worst is not None
    known = answer.worst.confirmed
    assert known.holds
    assert known.median("reference") - known.median("tested") > 0.1
    assert len(answer.worst.simplest.outages) == 1
    assert len(known.copies) == 11
    for each in answer.worst.neighbours:
        assert each.holds[0] <= each.value <= each.holds[1]
    document = json.loads((folder / "adversary.json").read_text())
    assert document["worst"]["score"] == known.score
    page = (folder / "index.html").read_text()
    assert answer.sentences()[0] in page
    assert all(f"mesonet run worst.toml --algorithm {name}" in page for name in (f"&#39;{SLOW}&#39;", "cubic"))


def test_a_search_that_was_killed_continues_to_the_same_bytes(found: tuple[Adversary, Path], tmp_path: Path) -> None:
    _, folder = found
    lines = (folder / LEDGER).read_bytes().splitlines(keepends=True)
    (tmp_path / LEDGER).write_bytes(b"".join(lines[:30]) + lines[30][:50])
    answered(question(SLOW, against=["cubic"], **SMALL), tmp_path, threads=1, progress=False)
    assert contents(tmp_path) == contents(folder)


def test_the_folder_of_another_search_is_refused(found: tuple[Adversary, Path]) -> None:
    with pytest.raises(InputError, match="the folder has another search: seed = 1, not 4"):
        search(found[1], seed=4)


def test_a_damaged_ledger_is_refused(tmp_path: Path) -> None:
    (tmp_path / LEDGER).write_text("not JSON\n")
    with pytest.raises(InputError, match="damaged"):
        search(tmp_path)


def test_nothing_is_found_against_the_algorithm_itself(tmp_path: Path) -> None:
    asked = question(SLOW, against=[SLOW], **SMALL)
    answer = answered(asked, tmp_path, progress=False)
    assert answer.worst is None
    assert "No path found" in (tmp_path / "index.html").read_text()
    assert not (tmp_path / SIMPLEST_FILE).exists()


def test_the_files_run(found: tuple[Adversary, Path]) -> None:
    answer, folder = found
    tested, reference = answer.lineups()
    assert answer.worst is not None
    for lineup in (tested, reference):
        written = mn.scenario(folder / SIMPLEST_FILE).set("algorithm", lineup.tested)
        assert written.to_json() == answer.trials.scenario(answer.worst.simplest, lineup).to_json()
    assert read(folder / files.SUITE / "01-worst.toml").kind == "alone"
    suite = read_suite(folder / files.CASE)
    verdicts = [next(check_suite(suite, Bench(each.tested))).verdict for each in (tested, reference)]
    assert verdicts == ["fail", "pass"]
    assert tomllib.loads((folder / files.SUITE / "suite.toml").read_text())["quick"] == 10


def test_variants_and_references_are_resolved() -> None:
    asked = question("tcp( decrease = 0.40)", against=["Reno", "cubic", "tcp"])
    assert (asked.algorithm, asked.against) == ("tcp(decrease=0.4)", ("tcp", "cubic"))


def test_a_matrix_has_a_cell_for_each_pair(tmp_path: Path) -> None:
    options = ["--evaluations", "3", "--duration", "1 s", "--space", "rate", "--out", str(tmp_path), "--json"]
    shown = CliRunner().invoke(
        main, ["adversary", "bbr", "--against", "cubic", "--matrix", "--objective", "utilisation,starves", *options]
    )
    assert shown.exit_code == 0, shown.output
    cells = json.loads(shown.stdout)["cells"]
    pairs = [(each["objective"], each["algorithm"], each["against"]) for each in cells]
    duel = ("starves", "bbr", "cubic")  # cubic is the reference of duels
    assert pairs == [("utilisation", "bbr", "cubic"), ("utilisation", "cubic", "bbr"), duel]
    page = (tmp_path / "index.html").read_text()
    assert all(f'href="{each["folder"]}/index.html"' in page for each in cells)
    assert all((tmp_path / each["folder"] / "adversary.json").exists() for each in cells)


def test_the_numbers_of_the_page_of_a_matrix_lead_to_scenarios(tmp_path: Path) -> None:
    out, page = tmp_path / "matrix", tmp_path / "page"
    page.mkdir()
    options = ["--evaluations", "20", "--duration", "2 s", "--space", "outage", "--rate-limit", "10 Mbit/s"]
    options += ["--objective", "utilisation,starves", "--out", str(out)]
    shown = CliRunner().invoke(main, ["adversary", SLOW, "--against", "cubic", "--matrix", *options])
    assert shown.exit_code == 0, shown.output
    runpy.run_path(str(MAKE))["write"](out, page)
    text = (page / "README.md").read_text()
    cells = [each for each in json.loads((out / "matrix.json").read_text()) if each["confirmed"]]
    links = re.findall(r"\[(0\.\d+)\]\((cells/[^)]+\.toml)\)", text)
    assert {link for _, link in links} == {f"cells/{each['folder']}.toml" for each in cells}
    assert any(float(harm) == pytest.approx(cells[0]["score"], abs=0.01) for harm, _ in links)
    for _, link in links:
        assert mn.scenario(page / link).to_json()
    assert "none" in text
    assert {file.name for file in page.glob("*.svg")} == {"utilisation.svg", "starves.svg"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["bbbr"], "unknown algorithm"),
        (["bbr", "--against", "cubik"], "--against"),
        (["bbr", "--objective", "speed"], '--objective = "speed": unknown objective'),
        (["bbr", "--objective", "delay,frames"], "Allowed: one, or a list with --matrix"),
        (["cubic", "--objective", "starves"], "the objective starves compares with cubic in the same place"),
        (["bbr", "--space", "rate,colour"], "unknown dimension"),
        (["bbr", "--space", ","], "--space: empty"),
        (["bbr", "--space", "join"], "no second flow with the objective utilisation"),
        (["bbr", "--evaluations", "0"], "--evaluations = 0"),
        (["bbr", "--seed", "-1"], "--seed = -1"),
        (["bbr", "--duration", "10"], "--duration"),
        (["bbr", "--duration", "2 h"], "Allowed: 1 to 600 s"),
        (["bbr", "--rate-limit", "2 Tbit/s"], "Allowed: 0.1 to 1000 Mbit/s"),
        (["bbr", "--against", "bbr", "--matrix"], "no pair of two algorithms"),
    ],
)
def test_bad_input_is_refused(options: list[str], message: str, tmp_path: Path) -> None:
    shown = CliRunner().invoke(main, ["adversary", *options, "--out", str(tmp_path / "out")])
    assert shown.exit_code == 2, shown.output
    assert message in shown.output
    assert not (tmp_path / "out").exists()
