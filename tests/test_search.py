"""The search for the worst cell on surfaces whose worst cell is known, and the files that it leaves."""

from __future__ import annotations

import dataclasses
import json
import shlex
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mesonet as mn
from commands import ENVIRONMENT, MESONET, PATIENCE_S
from mesonet.errors import InputError
from mesonet.evidence.confirmed_search import Searched
from mesonet.evidence.criterion import Criterion
from mesonet.evidence.domain import Domain, SearchPoint, domain
from mesonet.evidence.minimal import scenario_files, scenario_text
from mesonet.evidence.plan import SEEDS, Comparison, experiment_for, plan
from mesonet.evidence.suite import criteria, suite_of
from mesonet.evidence.worst_cell import KEPT, Pair, Trail, screening_cells, search

SUITE = suite_of("rfc9743")


def worst_criterion() -> Criterion:
    (found,) = criteria(SUITE, "6")
    return found


def searched(
    goodput: Any, extra: Any = lambda place: 0.0, noise: float = 0.01, missing: Any = lambda place: 0
) -> tuple[Domain, list[Trail], set[SearchPoint]]:
    """Search where the incumbent keeps `goodput` of 100, and loss and delay grow by `extra`.

    The first `missing` of three replicates of a cell have no value.
    """
    chosen = domain(worst_criterion())
    draws = np.random.default_rng(7)
    seen: set[SearchPoint] = set()

    def measured(stage: str, places: Sequence[SearchPoint]) -> list[Pair]:
        assert not seen.intersection(places), "a cell runs once"
        seen.update(places)
        shape = len(places), 3
        error = 1 + noise * draws.standard_normal(shape)
        error[np.arange(3) < np.array([missing(place) for place in places])[:, np.newaxis]] = np.nan
        kept = np.array([goodput(place) for place in places])[:, np.newaxis] * error
        more = np.array([extra(place) for place in places])[:, np.newaxis] * error
        return [
            (100 * kept, np.full(shape, 100.0)), (0.001 + more, np.full(shape, 0.001)),
            (1 + 1000 * more, np.full(shape, 1.0)),
        ]  # fmt: skip

    return chosen, search(chosen, measured, lambda line: None), seen


def number(chosen: Domain, id: str) -> int:
    return [factor.id for factor in chosen.factors].index(id)


def test_a_climb_ends_at_the_worst_cell() -> None:
    # Each factor has one worst level. It is no corner of the screening design for rate, delay and buffer.
    peak = (3, 4, 0, 2, 1, 0, 1, 4)
    chosen, (trail, loss, delay), seen = searched(
        lambda place: 1 - 0.9 * np.exp(-0.05 * sum((a - b) ** 2 for a, b in zip(place, peak, strict=True)))
    )
    assert trail.worst == peak
    assert trail.cells == len(seen) < 200
    assert trail.visits[-1].score == pytest.approx(0.9, abs=0.02)
    scores = [visit.score for visit in trail.visits]
    assert scores == sorted(scores)
    # Nothing is lost in losses and delays: no climb, and nothing to confirm but the cell with the most of it.
    assert [each.visits[-1].score for each in (loss, delay)] == [0, 0]
    assert {visit.stage for visit in loss.visits} == {"screen", "fold", "corners", "end"}
    assert chosen.label(peak).startswith("rate 100 Mbit/s, round trip 600 ms, buffer 0.1 bdp, CoDel")


def test_the_simplest_cell_keeps_most_of_the_harm() -> None:
    chosen = domain(worst_criterion())
    buffer, newcomers = number(chosen, "buffer"), number(chosen, "newcomers")

    def goodput(place: SearchPoint) -> float:  # two factors matter, and only together
        return 0.95 - 0.2 * (4 - place[buffer]) * place[newcomers] / 4

    _, (trail, *_), _ = searched(goodput, noise=0.001)
    assert (trail.worst[buffer], trail.worst[newcomers]) == (0, 4)
    plain = [factor.plain for factor in chosen.factors]
    differing = {place for place, level in enumerate(trail.simplest) if level != plain[place]}
    assert differing == {buffer, newcomers}
    assert 1 - goodput(trail.simplest) >= KEPT * (1 - goodput(trail.worst)) - 0.01
    active = {id for id, p in zip(trail.effects.factors, trail.effects.p, strict=True) if p < trail.significant}
    assert active == {"buffer", "newcomers"}
    assert trail.folded in active


@pytest.mark.parametrize(("missing", "found"), [(1, True), (2, False)])
def test_a_cell_needs_two_replicates_with_a_value(missing: int, found: bool) -> None:
    peak = (3, 4, 0, 2, 1, 0, 1, 4)

    def distance(place: SearchPoint) -> int:
        return sum((a - b) ** 2 for a, b in zip(place, peak, strict=True))

    _, (trail, *_), _ = searched(
        lambda place: 1 - 0.9 * np.exp(-0.05 * distance(place)), missing=lambda place: missing * (distance(place) == 0)
    )
    assert (trail.worst == peak) is found
    assert trail.visits[-1].score > 0.8


def test_losses_and_delays_are_ranked_by_their_difference() -> None:
    chosen = domain(worst_criterion())
    rate = number(chosen, "rate")
    _, (_, loss, delay), _ = searched(lambda place: 1.0, lambda place: 0.02 * (1 + place[rate]))
    assert loss.worst[rate] == delay.worst[rate] == 4
    assert loss.visits[-1].score == pytest.approx(0.1, rel=0.05)
    assert delay.visits[-1].score == pytest.approx(100, rel=0.05)


def test_chance_is_no_active_factor() -> None:
    alarms = 0
    for seed in range(20):
        draws = np.random.default_rng(seed)
        _, (trail, *_), _ = searched(lambda place, draws=draws: 0.95 + 0.001 * draws.standard_normal(), noise=0.05)
        alarms += trail.folded is not None
    assert alarms <= 4  # 20 draws of .05 exceed 4 with a probability of .3 %


def test_cells_become_one_experiment_with_a_condition_each() -> None:
    criterion = worst_criterion()
    chosen = domain(criterion)
    places = screening_cells(chosen)
    assert len(places) == len(set(places)) == 16
    one = dataclasses.replace(criterion, table=chosen.table(places))
    found = experiment_for(SUITE, one, "cells", ["bbr", "tcp"], "tcp", 3, SEEDS["tested"])
    assert found.conditions == 16
    for condition, place in enumerate(places, start=1):
        there = found.condition(condition, "bbr")
        flows = [each["algorithm"] for each in there.value("flows")]
        counts = [chosen.factors[factor].levels[place[factor]] for factor in (6, 7)]
        assert [flows.count("tcp"), flows.count(None)] == counts
        assert there.canonical()["impairments"]["loss"] == chosen.factors[4].levels[place[4]]
    single = dataclasses.replace(criterion, table=chosen.table(places[:1]))
    alone = experiment_for(SUITE, single, "cell", ["bbr"], "tcp", 3, SEEDS["tested"])
    assert alone.canonical(1, "bbr") == found.canonical(1, "bbr")


@pytest.mark.parametrize("place", [(2, 2, 2, 0, 0, 0, 0, 0), (4, 3, 1, 1, 2, 2, 1, 1)])
def test_the_file_of_a_cell_is_its_scenario(place: SearchPoint, tmp_path: Path) -> None:
    criterion = worst_criterion()
    chosen = domain(criterion)
    text = scenario_text(chosen, place, criterion.measures[0], "bbr", "tcp")
    (tmp_path / "cell.toml").write_text(text, encoding="utf-8")
    found = mn.scenario(str(tmp_path / "cell.toml"), algorithms="bbr")
    one = dataclasses.replace(criterion, table=chosen.table([place]))
    wanted = experiment_for(SUITE, one, "cell", ["bbr"], "tcp", 3, SEEDS["tested"]).condition(1)
    runs = [mn.simulate(each.set("time.duration", "8 s").set("time.warmup", "1 s"), seed=5) for each in (found, wanted)]
    assert runs[0].series.to_polars().equals(runs[1].series.to_polars())
    # It names only what is not plain.
    named = set(tomllib.loads(text))
    assert ("network" in named, "impairments" in named) == (chosen.label(place) != "plain levels",) * 2


@pytest.mark.process
def test_the_commands_of_a_file_run_in_another_process(tmp_path: Path) -> None:
    """With an algorithm and an incumbent of a plug-in, which another process has not loaded."""
    file = Path(__file__).parent.parent / "examples" / "plugins" / "aimd.c"
    chosen = plan(f"{file}(increase=2)", [str(file)], 2, "6")
    cells, trails, _ = searched(lambda place: 0.95 - 0.2 * place[-1])
    comparison = Comparison(chosen.criteria[0], chosen.against[0], "6", "6")
    found = Searched(comparison, cells, tuple(trails), (trails[0].worst, trails[0].simplest))
    ((name, text, commands),) = scenario_files(chosen, found)
    (tmp_path / name).write_text(text, encoding="utf-8")
    for command in commands:
        words = shlex.split(command)[1:]
        done = subprocess.run(
            [*MESONET, *words, "--json"], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False,
            timeout=PATIENCE_S,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)


def test_the_plan_expects_a_search() -> None:
    (row,) = plan("bbr", ["cubic", "tcp"], 10, "6").rows()
    assert row[:2] == ["6", "Worst cell of a wide range of paths"]
    assert row[2].startswith("about ")
    assert float(row[4]) > 10


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("screen", [20, 21], "no level of the factor"),
        ("plain", 21, "no level of the factor"),
        ("levels", [20], "needs two levels or more"),
        ("labels", ["one"], "needs two levels or more"),
        ("level", 1, "unknown key of a factor"),
    ],
)
def test_malformed_factors_are_refused(key: str, value: Any, message: str) -> None:
    criterion = worst_criterion()
    factors = [dict(each) for each in criterion.table["factors"]]
    factors[1][key] = value
    with pytest.raises(InputError, match=message):
        domain(dataclasses.replace(criterion, table={**criterion.table, "factors": factors}))
