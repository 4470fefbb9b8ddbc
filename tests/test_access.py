"""Access of a user's own backbone: hosts at its routers, homes by profile, and speeds of classes of routers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import mesonet as mn
from fragments import holds
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.scenarios.access import network
from mesonet.scenarios.derived import access_notes
from mesonet.scenarios.kinds.access import KEYS
from mesonet.scenarios.profiles import PROFILES
from mesonet.scenarios.scaling import scaled
from mesonet.scenarios.scenario import Scenario
from mesonet.topologies import Topology

LINKS = "from,to,delay_ms,capacity_mbps\nParis,Madrid,8,1000\nParis,London,3,1000\n"
HOME = "Madrid.cable 50/10.1"
BASE = 2 * (0.008 + 0.005)
"""Propagation round trip between servers at Paris and a home with cable at Madrid, s."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("links.csv").write_text(LINKS)
    Path("matrix.csv").write_text("from,to,rate_mbps\nParis,Madrid,60\n")
    return tmp_path


def chosen(**values: Any) -> Scenario:
    """The backbone, with values by last part of their path."""
    fixed = {"topology": "links.csv", "queue": "port", "base_sources": 0, "duration": "60 s", "warmup": "20 s"}
    return mn.scenario("abilene", **(fixed | values))


def topology(scenario: Scenario) -> Topology:
    found = scenario.network.topology
    assert isinstance(found, Topology)
    return found


def homes(scenario: Scenario) -> dict[str, int]:
    """Number of homes by router and kind."""
    names = [router.name for router in topology(scenario).routers if router.router_class == "normal"]
    feeders = [name.rpartition(".")[0] for name in names]
    return {feeder: feeders.count(feeder) for feeder in feeders}


def bulk(source: str, target: str, **values: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Flow and queues of one transfer without end."""
    flow = {"from": source, "to": target, "interface": "1 Gbit/s"}
    run = mn.simulate(chosen(preset="linux", algorithm="cubic", homes_per_pop=1, flows=[flow], **values))
    return run.flows.frame, run.routers.frame.filter(period="measured")


# -- hosts at the routers ---------------------------------------------------------------------------------------------


def test_without_access_hosts_are_at_the_routers() -> None:
    scenario = chosen(access="none", traffic="matrix.csv")
    described = scenario.describe()
    assert [each["name"] for each in described["map"]["routers"]] == ["Paris", "Madrid", "London"]
    assert {each["class"] for each in described["map"]["routers"]} == {"plain"}
    speeds = {
        each["queue"]: each["speed"] * 12000
        for each in chosen(access="none", speed="1 seg/s", buffer="1 segment").describe()["loads"]
    }
    assert speeds["Paris -> hosts"] == pytest.approx(2e9)
    assert speeds["Madrid -> hosts"] == pytest.approx(1e9)
    assert access_notes(scenario, described) == []
    assert chosen(tiers="none").hash == chosen(access="none").hash


def test_routers_of_the_study_are_announced_with_the_remedy() -> None:
    scenario = chosen()
    [note] = access_notes(scenario, scenario.describe())
    assert holds(note, "46 routers", "3 routers", 'tiers.access = "none"', 'tiers.access = "cable 50/10"')
    result = CliRunner().invoke(main, ["check", "abilene", "--set", "topology=links.csv"])
    assert note in result.stdout
    assert not any(
        "tiers.access" in note for note in access_notes(mn.scenario("abilene"), mn.scenario("abilene").describe())
    )


def test_a_network_with_access_of_its_own_is_taken_as_it_is() -> None:
    Path("own").mkdir()
    Path("own/nodes.csv").write_text("name,class\nParis,backbone\nMadrid,backbone\nA,fast\nB,fast\n")
    Path("own/links.csv").write_text("from,to,delay_ms\nParis,Madrid,8\nParis,A,0\nMadrid,B,0\n")
    assert chosen(topology="own", access="none").hash == chosen(topology="own").hash
    with pytest.raises(InputError, match=r"tiers\.access.*own has access routers of its own"):
        chosen(topology="own", access="dsl").check()


# -- one home ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ends", "rate", "buffer"),
    [(("Paris.servers", HOME), 50e6, 4e6 * 8 / 50e6), ((HOME, "Paris.servers"), 10e6, 0.25)],
)
def test_a_transfer_gets_the_rate_and_the_buffer_of_the_profile(
    ends: tuple[str, str], rate: float, buffer: float
) -> None:
    flows, queues = bulk(*ends, access="cable 50/10", **{"measurement.queue_delays": True})
    assert flows["goodput"][0] * 12000 == pytest.approx(rate, rel=0.005)
    feeder = "Madrid.cable 50/10"
    port = f"{feeder} -> {HOME}" if ends[1] == HOME else f"{HOME} -> {feeder}"
    [queue] = queues.filter(router=port).to_dicts()
    assert queue["speed"] * 12000 == pytest.approx(rate)
    assert queue["buffer"] * 12000 / rate == pytest.approx(buffer, rel=0.003)
    assert queue["queue_max"] == pytest.approx(queue["buffer"], abs=1)
    assert queue["delay_p99_ms"] / 1e3 == pytest.approx(buffer, rel=0.03)
    assert queue["segments_dropped"] > 0
    assert queues["segments_dropped"].sum() == queue["segments_dropped"]


def test_a_full_buffer_adds_its_time_to_the_round_trip() -> None:
    values = {"transport.receiver_window": "100000 segments", "trace.flows": 1}
    flow = {"from": "Paris.servers", "to": HOME, "interface": "1 Gbit/s"}
    run = mn.simulate(chosen(access="cable 50/10", homes_per_pop=1, flows=[flow], **values))
    trips = run.flow_traces.frame["rtt_ms"].drop_nulls()
    assert trips.min() / 1e3 == pytest.approx(BASE, rel=0.03)
    assert trips.max() / 1e3 == pytest.approx(0.64 + BASE, rel=0.03)


def test_a_trace_a_policer_and_jitter_limit_their_homes() -> None:
    server = "Paris.servers"
    mobile, _ = bulk(server, "Madrid.5g.1", access="5g")
    policed, _ = bulk(server, "Madrid.policed.1", access="policed")
    assert 0.8 * 50e6 < mobile["goodput"][0] * 12000 < 50e6
    assert 0.2 * 50e6 < policed["goodput"][0] * 12000 < 50e6
    sets = chosen(access="wi-fi").canonical()["impairment_sets"]
    assert [(name, values["jitter"], values["jitter_mean"]) for name, values in sets.items()] == [
        ("tiers.access[0].down", "wifi", 0.007),
        ("tiers.access[0].up", "wifi", 0.007),
    ]
    assert sets["tiers.access[0].up"]["at"][0] == "Paris.wi-fi.1 -> Paris.wi-fi"


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_has_sources_and_can_be_simulated(profile: str) -> None:
    assert all(source for _, source in PROFILES[profile].values())
    assert {"down", "down_trace"} & set(PROFILES[profile])
    assert set(PROFILES[profile]) <= set(KEYS)
    run = mn.simulate(chosen(access=profile, duration="4 s", warmup="1 s", base_sources=1))
    assert run.value("flows_completed") > 0


# -- many homes -------------------------------------------------------------------------------------------------------


def test_largest_remainders_divide_homes_by_share_and_place() -> None:
    entries = [
        {"profile": "cable 50/10", "share": 0.5},
        {"profile": "fibre 1000", "share": 0.3, "at": ["Paris"]},
        {"profile": "dsl", "share": 0.2},
        {"name": "office", "down": "200 Mbit/s", "up": "100 Mbit/s", "homes": 2, "at": "Madrid"},
    ]
    scenario = chosen(access=entries, homes_per_pop=7)
    assert homes(scenario) == {
        "Paris.cable 50/10": 4, "Paris.fibre 1000": 2, "Paris.dsl": 1,
        "Madrid.cable 50/10": 5, "Madrid.dsl": 2, "Madrid.office": 2,
        "London.cable 50/10": 5, "London.dsl": 2,
    }  # fmt: skip
    [note] = access_notes(scenario, scenario.describe())
    assert holds(note, "23 homes below 3 routers", "14 cable 50/10 (60.9 %)", "2 office (8.7 %)", "send", "receive")
    assert scenario.explain()[0].path == "topology"
    [shown] = [row.value for row in scenario.explain() if row.path == "tiers.access"]
    assert holds(
        shown, "cable 50/10 (share 0.5)", "fibre 1000 at Paris (share 0.3)", "office at Madrid (down ", "2 homes"
    )


def test_servers_send_and_homes_receive() -> None:
    entries = [{"profile": "cable 50/10", "at": ["Madrid"]}]
    scenario = chosen(access=entries, homes_per_pop=4, traffic="matrix.csv", speed="1 seg/s", buffer="50 ms")
    described = scenario.describe()
    loads = {each["queue"]: each["data"] * 12000 for each in described["loads"] if each["data"]}
    each_home = {f"Madrid.cable 50/10 -> Madrid.cable 50/10.{n}": pytest.approx(15e6) for n in range(1, 5)}
    assert loads.items() >= each_home.items()
    assert loads["Paris -> Madrid"] == pytest.approx(60e6)
    classes = {each["name"]: each["class"] for each in described["map"]["routers"]}
    assert (classes["Paris"], classes["London"], classes["Madrid"]) == ("plain", "plain", "backbone")
    assert classes["Madrid.servers"] == "direct access"
    back = scenario.set("users.source_distribution", [1, 0, 0]).set("users.receiver_distribution", [0, 0, 1])
    assert back.set("users.traffic", [{"from": "Madrid", "to": "Paris", "rate": "1 Mbit/s"}]).describe()["sources"] > 0


def test_links_of_homes_are_links_as_any_other() -> None:
    feeder = "Madrid.cable 50/10"
    path = f'links["{feeder}","{HOME}"].capacity'
    scenario = chosen(access="cable 50/10", **{"aqm.discipline": "fq_codel", "aqm.at": [f"{feeder} -> {HOME}"]})
    speeds = {each["queue"]: each["speed"] * 12000 for each in scenario.set(path, "20 Mbit/s").describe()["loads"]}
    assert speeds[f"{feeder} -> {HOME}"] == pytest.approx(20e6)
    assert speeds[f"{feeder} -> {feeder}.2"] == pytest.approx(50e6)


def test_a_value_of_an_entry_is_a_path() -> None:
    scenario = chosen(access="cable 50/10").set("tiers.access[0].down", "100 Mbit/s")
    assert scenario.value("tiers.access[0].down") * 12000 == pytest.approx(100e6)
    assert scenario.value("tiers.access[0].up") * 12000 == pytest.approx(10e6)
    assert topology(scenario).links[-1].capacity == (100e6, 10e6)
    assert topology(scenario).links[-1].buffer == (0.32, 0.25)
    assert topology(scenario.set("transport.segment_bytes", 9000)).links[-1].capacity == (100e6, 10e6)
    mobile = chosen(access="5g").set("tiers.access[0].down", "100 Mbit/s")
    assert list(mobile.network.impairment_sets) == []


@pytest.mark.slow
def test_access_is_a_factor() -> None:
    Path("cable.toml").write_text(
        'name = "cable"\ntitle = "Cable or fibre"\nscenario = "abilene"\nalgorithms = ["tcp"]\n'
        '[set]\ntopology = "links.csv"\n"network.queue" = "port"\n"users.base_sources" = 1\n'
        '"time.duration" = "2 s"\n"time.warmup" = "1 s"\n'
        '[[factors]]\nid = "ACCESS"\nname = "access"\nlevels."tiers.access" = ["study", "none", "dsl"]\n'
        '[[factors]]\nid = "HOMES"\nname = "homes"\nlevels."tiers.homes_per_pop" = [2, 3]\n'
    )
    result = CliRunner().invoke(main, ["experiment", "plan", "cable.toml"])
    assert result.exit_code == 0, result.output
    assert holds(result.stdout, "none", "dsl")


def test_scales_keep_loads_and_queueing_times() -> None:
    scenario = chosen(access=[{"profile": "policed"}, {"profile": "cable 50/10"}], traffic="matrix.csv")
    small = scaled(scenario, 0.1)
    before, after = (
        {each["queue"]: (each["data"] / each["speed"], each["speed"]) for each in each.describe()["loads"]}
        for each in (scenario, small)
    )
    port = f"Madrid.cable 50/10 -> {HOME}"
    assert after[port][1] == pytest.approx(before[port][1] / 10)
    assert after[port][0] == pytest.approx(before[port][0], rel=0.1)
    rates = [each.network.impairment_sets["tiers.access[0].down"]["policer_rate"] for each in (scenario, small)]
    assert rates[1] == pytest.approx(rates[0] / 10)


def test_the_note_names_values_without_effect() -> None:
    scenario = chosen(access="none", homes_per_pop=3, **{"tiers.normal_per_pop": 2})
    [note] = access_notes(scenario, scenario.describe())
    assert holds(note, "tiers.normal_per_pop", "tiers.homes_per_pop", "have no effect")


# -- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("access", "path", "words"),
    [
        ("cabel", "tiers.access", ("unknown access", "nearest: cable", *PROFILES)),
        ([], "tiers.access", ("not an access",)),
        ([{"profile": "cabel"}], "tiers.access[0].profile", ("unknown profile", *PROFILES)),
        ([{"profile": "dsl", "share": 0}], "tiers.access[0].share", ("no router has such a home",)),
        ([{"profile": "dsl", "share": -1}], "tiers.access[0].share", ("too low",)),
        ([{"profile": "dsl", "homes": 1001}], "tiers.access[0].homes", ("too high", "1000")),
        ([{"profile": "dsl", "homes": 1, "share": 1}], "tiers.access[0].homes", ("share is given, too",)),
        ([{"profile": "dsl", "at": ["Rome"]}], "tiers.access[0].at[0]", ('"links" has no router',)),
        ([{"profile": "dsl", "at": []}], "tiers.access[0].at", ("homes at no router",)),
        ([{"profile": "dsl"}, {"profile": "dsl"}], "tiers.access[1].name", ("two entries have this name",)),
        ([{"down": "1 Mbit/s", "name": "x"}], "tiers.access[0].up", ("homes need up",)),
        ([{"down": "1 Mbit/s", "up": "1 Mbit/s"}], "tiers.access[0].name", ("a name, or a profile",)),
        ([{"profile": "dsl", "down_buffer": "1 bdp"}], "tiers.access[0].down_buffer", ("4 MB",)),
        ([{"profile": "dsl", "speed": 1}], "tiers.access[0].speed", ("unknown key of access",)),
        ([{"profile": "wi-fi", "jitter_mean": "0.5 ms"}], "tiers.access[0].down.jitter_mean", ("wi-fi", "1 ms")),
        ([{"profile": "dsl", "policer_burst": "20 kB"}], "tiers.access[0].policer_burst", ("without policer",)),
        ([{"profile": "dsl", "jitter": "wifi"}], "tiers.access[0].jitter", ("without jitter_mean",)),
        ([{"profile": "dsl", "jitter_mean": "2 ms"}], "tiers.access[0].jitter_mean", ("without jitter",)),
    ],
)
def test_bad_access_is_refused(access: Any, path: str, words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as refused:
        chosen(access=access).describe()
    assert refused.value.path == path, refused.value
    assert holds(str(refused.value), *words)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"access": "none", "topology": "abilene"}, ("tiers.access", "none", "abilene", "topology of your own")),
        ({"access": "dsl", "topology": "dumbbell"}, ("tiers.access", "dsl", "dumbbell")),
        ({"access": "dsl", "queue": "router"}, ("network.queue", "router", "Allowed: port")),
    ],
)
def test_networks_that_cannot_have_the_access_are_refused(values: dict[str, Any], words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as refused:
        chosen(**values).check()
    assert holds(str(refused.value), *words)


def test_too_many_homes_are_refused_before_they_are_built() -> None:
    rows = "".join(f"P{n},P{n + 1},1,1000\n" for n in range(12))
    Path("long.csv").write_text("from,to,delay_ms,capacity_mbps\n" + rows)
    with pytest.raises(InputError, match=r"tiers\.access.*13,039 routers.*too many.*at most 10,000"):
        network(chosen(topology="long.csv", access="dsl", homes_per_pop=1000).value)


# -- speeds of classes ------------------------------------------------------------------------------------------------


def test_a_class_of_routers_has_a_speed_of_its_own() -> None:
    def speeds(scenario: Scenario) -> dict[str, float]:
        return {each["class"]: each["speed"] for each in scenario.describe()["classes"]}

    before = speeds(mn.scenario("abilene"))
    own = mn.scenario("abilene", pop_speed="6 Gbit/s", normal_speed="100 seg/ms")
    assert speeds(own) == pytest.approx(before | {"pop": 500_000, "normal access": 100_000})
    assert speeds(scaled(own, 0.5)) == pytest.approx({name: speed / 2 for name, speed in speeds(own).items()})
    two = mn.scenario("abilene", topology="dumbbell-two-rtt", plain_speed="1 seg/ms").describe()["loads"]
    assert {each["queue"]: each["speed"] for each in two} == pytest.approx({"A": 1e3, "B": 1e3, "F": 8e6})
    Path("net").mkdir()
    Path("net/nodes.csv").write_text("name,class,speed_factor\nA,plain,2\nB,plain,\n")
    Path("net/links.csv").write_text("from,to,delay_ms,capacity_mbps\nA,B,1,100000\n")
    ports = chosen(topology="net", plain_speed="1 Gbit/s").describe()["loads"]
    found = {each["queue"]: each["speed"] * 12000 for each in ports}
    assert found["B -> hosts"] == pytest.approx(1e9)
    assert found["A -> hosts"] == pytest.approx(2 * 800_000 * 12000)


def test_json_of_check_has_the_notes() -> None:
    result = CliRunner().invoke(
        main, ["check", "abilene", "--set=topology=links.csv", "--set=queue=port", "--set=tiers=dsl", "--json"]
    )
    assert any(holds(note, "30 homes below 3 routers: 30 dsl (100 %)") for note in json.loads(result.stdout)["notes"])
