"""Shares of algorithms by time and place, units and the incumbent, as users write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import mesonet as mn
from mesonet.errors import InputError
from mesonet.scenarios.scaling import scaled
from mesonet.scenarios.scenario import Scenario
from mesonet.scenarios.timeline import lasting, longer

HALF = {"algorithm": "bbr3", "share": 0.5}
LATER = {**HALF, "time": "3 s", "at": "B"}


def dumbbell(**values: Any) -> Scenario:
    """Forty short flows, ten at each of four instants, over two routers for 8 s; cubic unless values differ."""
    flows = [
        {"from": "A", "to": "B", "start": f"{start} s", "size": "20 segments", "count": 10} for start in (0, 2, 4, 6)
    ]
    common = {"algorithms": "cubic", "flows": flows, "base_sources": 0, "duration": "8 s", "warmup": "1 s"}
    return mn.scenario("dumbbell", **{**common, **values})


def newcomers(scenario: Scenario, algorithm: str = "bbr3") -> list[int]:
    """Return the numbers of flows with an algorithm, of those that start at each instant."""
    flows = mn.simulate(scenario, seed=1).flows.to_polars()
    starts = sorted({flow["start"] for flow in scenario.value("flows")})
    taken = flows.filter(flows["algorithm"] == algorithm)
    return [int((taken["started_s"] == start).sum()) for start in starts]


def test_canonical_form_has_every_key_in_base_units() -> None:
    scenario = dumbbell(deployment=[LATER, HALF])
    canonical = json.loads(scenario.to_json())
    assert canonical["deployment"] == [
        {"time": 3, "at": ["B"], "algorithm": "bbr3", "share": 0.5},
        {"time": 0, "at": ["all"], "algorithm": "bbr3", "share": 0.5},
    ]
    assert [(each["name"], each["share"]) for each in canonical["algorithms"]] == [("cubic", 1), ("bbr3", 0)]
    assert (canonical["users"]["assignment"], canonical["users"]["incumbent"]) == ("user", None)
    assert "deployment" not in json.loads(dumbbell(deployment=[]).to_json())
    assert dumbbell(deployment=[]).to_json() == dumbbell().to_json()


def test_the_schedule_is_shown_in_words() -> None:
    shown = {row.path: row.value for row in dumbbell(deployment=[LATER, HALF]).explain()}
    assert shown["deployment"] == "50 % bbr3 from 0 s; 50 % bbr3 at B from 3 s"
    assert {row.path: row.value for row in dumbbell().explain()}["deployment"] == "none"


def test_flows_take_the_algorithm_that_holds_when_they_begin() -> None:
    everywhere = [
        {"time": "2 s", "algorithm": "bbr3", "share": 1},
        {"time": "3 s", "algorithm": "bbr3", "share": 0},
        {"time": "6 s", "algorithm": "bbr3", "share": 0.5},
    ]
    first, second, third, fourth = newcomers(dumbbell(deployment=everywhere))
    assert (first, second, third) == (0, 10, 0)
    assert 0 < fourth < 10
    # The home end of an explicit flow between equal routers is its receiver.
    assert newcomers(dumbbell(deployment=[{"at": "B", "algorithm": "bbr3", "share": 1}])) == [10] * 4
    assert newcomers(dumbbell(deployment=[{"at": "plain", "algorithm": "bbr3", "share": 1}])) == [10] * 4


def test_flows_of_one_user_draw_together_and_named_flows_keep_their_algorithm(tmp_path: Path) -> None:
    flow = {"from": "A", "to": "B", "size": "20 segments", "count": 30}
    mixed = {"algorithms": {"cubic": 0.5, "bbr3": 0.5}}
    assert newcomers(dumbbell(flows=[{**flow, "user": "1"}], **mixed))[0] in (0, 30)
    assert 0 < newcomers(dumbbell(flows=[{**flow, "user": "1"}], **mixed, assignment="flow"))[0] < 30
    for word in ("mix", "none"):
        assert 0 < newcomers(dumbbell(flows=[{**flow, "algorithm": word}], **mixed))[0] < 30
    named = dumbbell(flows=[{**flow, "algorithm": "cubic"}, flow], deployment=[{**HALF, "share": 1}])
    assert newcomers(named) == [30]
    table = tmp_path / "flows.csv"
    table.write_text("from,to,size,user,algorithm\nA,B,9 segments,1,mix\nA,B,9 segments,1,\n", encoding="utf-8")
    rows = dumbbell(flows=str(table), **mixed).canonical()["flows"]
    assert [(row["user"], row["algorithm"]) for row in rows] == [("1", None), ("1", None)]


@pytest.mark.parametrize("order", [{"cubic": 0.7, "bbr3": 0.3}, {"bbr3": 0.3, "cubic": 0.7}])
def test_the_order_of_the_mix_does_not_matter(order: dict[str, float]) -> None:
    deployed = newcomers(dumbbell(deployment=[{**HALF, "share": 0.3}]))
    assert newcomers(dumbbell(algorithms=order)) == deployed
    assert [10 - taken for taken in newcomers(dumbbell(algorithms=order), "cubic")] == deployed


@pytest.mark.parametrize(
    ("values", "path", "words"),
    [
        ({"deployment": [{"share": 1}]}, "deployment[0].algorithm", "a deployment needs algorithm"),
        ({"deployment": [{"algorithm": "bbr3"}]}, "deployment[0].share", "a deployment needs share"),
        ({"deployment": [{**HALF, "when": "1 s"}]}, "deployment[0].when", "key of a deployment"),
        ({"deployment": [{**HALF, "time": "9 s"}]}, "deployment[0].time", "after the end of the run"),
        ({"deployment": [{**HALF, "time": 3}]}, "deployment[0].time", "needs its unit"),
        ({"deployment": [{**HALF, "share": 1.5}]}, "deployment[0].share", "at most 1"),
        ({"deployment": [{**HALF, "share": -0.5}]}, "deployment[0].share", "at least 0"),
        ({"deployment": [{**HALF, "at": []}]}, "deployment[0].at", "not names of routers"),
        ({"deployment": [HALF, {**HALF, "at": ["B", "Z"]}]}, "deployment[1].at[1]", 'no router "Z"'),
        ({"deployment": [{**HALF, "at": "normal"}]}, "deployment[0].at[0]", 'no router "normal"'),
        ({"deployment": [{**HALF, "at": "A"}]}, "deployment[0].at[0]", "no user is there"),
        ({"deployment": [{**HALF, "algorithm": "bbr33"}]}, "deployment[0].algorithm", "nearest: bbr3"),
        ({"deployment": [{**HALF, "algorithm": "cubic"}]}, "deployment[0].share", "no other algorithm than cubic"),
        ({"deployment": "bbr3"}, "deployment", "not a list of shares by time and place"),
        ({"deployment.share": 0.5}, "deployment.share", "can only be set as a whole"),
        ({"deployment[0].share": 0.5}, "deployment[0].share", "no such entry of a deployment"),
        ({"incumbent": "tcp"}, "users.incumbent", "Allowed: auto, cubic"),
        ({"incumbent": "tpc"}, "users.incumbent", "nearest: tcp"),
        ({"assignment": "house"}, "users.assignment", "user, home, flow, place"),
        ({"flows": [{"from": "A", "to": "B", "user": ""}]}, "flows[0].user", "not the name of a user"),
        *(
            ({"flows": [{"from": "A", "to": "B", "user": user}]}, "flows[0].user", f'"{user}" begins as')
            for user in ("source 17", "home A", "flow 2")
        ),
    ],
)
def test_refusals_name_the_value(values: dict[str, Any], path: str, words: str) -> None:
    with pytest.raises(InputError, match=r".") as refused:
        mn.simulate(dumbbell(**values), seed=1)
    assert refused.value.path == path
    assert words in str(refused.value)


def test_a_deployment_in_a_file_and_by_set(tmp_path: Path) -> None:
    file = tmp_path / "rollout.toml"
    file.write_text(
        'base = "abilene"\nalgorithms = "cubic"\nusers.assignment = "place"\n'
        '[[deployment]]\nat = ["A1", "fast"]\nalgorithm = "bbr3"\nshare = 1\n'
        '[[deployment]]\ntime = "20 s"\nalgorithm = "bbr3(headroom=0.1)"\nshare = "1/4"\n',
        encoding="utf-8",
    )
    scenario = mn.scenario(str(file))
    first, second = scenario.canonical()["deployment"]
    assert (first["at"], second["share"], second["time"]) == (["A1", "fast"], 0.25, 20)
    assert second["algorithm"] in [each["name"] for each in scenario.canonical()["algorithms"]]
    assert scenario.describe()["routers"] == 172
    changed = scenario.set("deployment[1].share", 0.5).set("deployment[1].time", "30 s")
    assert changed.value("deployment")[1]["share"] == changed.value("deployment[1].share") == 0.5
    assert changed.value("deployment")[1]["time"] == 30
    assert scaled(scenario, 0.5).value("deployment") == scenario.value("deployment")
    assert lasting(scenario, "120 s", "--duration")[0].value("deployment")[1]["time"] == 40
    assert longer(scenario.canonical(), 2)["deployment"][1]["time"] == 40


def experiment(folder: Path, text: str) -> Any:
    """Return the experiment of a file over the dumbbell."""
    file = folder / "deployments.toml"
    head = 'name = "deployments"\ntitle = "Deployments"\nscenario = "dumbbell"\nset."users.base_sources" = 2\n'
    file.write_text(head + text, encoding="utf-8")
    return mn.experiment(str(file))


def test_factors_vary_a_deployment(tmp_path: Path) -> None:
    varied = experiment(
        tmp_path,
        'algorithms = ["cubic"]\n[[set.deployment]]\nalgorithm = "bbr3"\nshare = 0\n'
        '[[factors]]\nid = "share"\npath = "deployment[0].share"\nminus = 0.1\nplus = 0.9\n'
        '[[factors]]\nid = "time"\npath = "deployment[0].time"\nminus = "10 s"\nplus = "20 s"\n',
    )
    found = [varied.condition(number).value("deployment")[0] for number in range(1, 5)]
    assert {(each["share"], each["time"]) for each in found} == {(0.1, 10), (0.1, 20), (0.9, 10), (0.9, 20)}
    assert varied.level_text("share", 0.0) == "0.5"
    assert varied.level_text("time", 0.0) == "15 s"
    whole = experiment(
        tmp_path,
        'algorithms = ["cubic"]\n[[factors]]\nid = "schedule"\npath = "deployment"\n'
        'minus = []\nplus = [{algorithm = "bbr3", share = 0.5}]\n',
    )
    assert [len(whole.condition(number).value("deployment")) for number in (1, 2)] == [0, 1]


def test_mixed_experiments_replace_the_algorithm_that_they_are_mixed_with(tmp_path: Path) -> None:
    text = 'algorithms = ["cubic", "bbr3"]\nmixed_with = "tcp"\n{set}[[factors]]\nid = "share"\npath = "mixed_share"\n'
    levels = "minus = 0.3\nplus = 0.7\n"
    mixed = experiment(tmp_path, text.format(set="") + levels)
    assert [mixed.condition(1, name).value("users.incumbent") for name in ("cubic", "bbr3")] == ["tcp", "tcp"]
    kept = experiment(tmp_path, text.format(set='set."users.incumbent" = "tcp"\n') + levels)
    assert kept.condition(1, "cubic").value("users.incumbent") == "tcp"
