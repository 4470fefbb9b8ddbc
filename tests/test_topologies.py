"""Networks of users' own: readers, what they fill in, what they refuse, and that they run."""

from __future__ import annotations

import json
import math
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import mesonet as mn
from fragments import holds
from mesonet import topologies
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.maps.network import map_rows, network_map
from mesonet.scenarios.derived import capacity_notes
from mesonet.scenarios.parameters import TOPOLOGIES
from mesonet.scenarios.scaling import scaled
from mesonet.scenarios.scenario import Scenario, scenario
from mesonet.topologies import Topology
from mesonet.topologies.cities import CITIES
from mesonet.topologies.complete import DELAY_PER_KM, EARTH_RADIUS, great_circle

NODES = "name,class,speed_factor,latitude,longitude\nP,,,0,0\nQ,,,0,90\nR,,3,90,0\n"
LINKS = "from,to,delay_ms,cost,length_km\nP,Q,5.1,,\nQ,R,,7,100\nR,P,,,\n"
QUARTER = math.pi / 2 * EARTH_RADIUS  # km, between two of P, Q, R

GML = """graph [
  Network "Zoo"
  node [ id 0 label "Rome" Longitude 12.5 Latitude 41.9 Internal 1 ]
  node [ id 1 label "Rome" Longitude 12.5 Latitude 43.9 Internal 1 ]
  node [ id 2 label "Paris" Longitude 2.5 Latitude 41.9 ]
  node [ id 3 label "Peer" Internal 0 ]
  node [ id 4 label "None" ]
  edge [ source 0 target 1 LinkLabel "OC-3" ]
  edge [ source 1 target 0 LinkLabel "OC-12" ]
  edge [ source 1 target 2 ]
  edge [ source 1 target 3 ]
  edge [ source 2 target 3 ]
  edge [ source 3 target 4 ]
]
"""
GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="Latitude" attr.type="double" for="node" id="d0" />
  <key attr.name="Longitude" attr.type="double" for="node" id="d1" />
  <key attr.name="label" attr.type="string" for="node" id="d2" />
  <key attr.name="delay_ms" attr.type="double" for="edge" id="d3" />
  <graph edgedefault="undirected">
    <node id="0"><data key="d0">0</data><data key="d1">0</data><data key="d2">North</data></node>
    <node id="1"><data key="d0">0</data><data key="d1">90</data><data key="d2">South</data></node>
    <node id="2"><data key="d2">West</data></node>
    <edge source="0" target="1" />
    <edge source="1" target="2"><data key="d3">2.5</data></edge>
  </graph>
</graphml>
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory of the test's own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def folder(nodes: str = NODES, links: str = LINKS, name: str = "net") -> str:
    Path(name).mkdir(parents=True)
    Path(name, "nodes.csv").write_text(nodes)
    Path(name, "links.csv").write_text(links)
    return name


def read(value: str) -> Topology:
    found = topologies.find(value, tuple(TOPOLOGIES))
    assert isinstance(found, Topology)
    return found


def small(topology: object) -> Scenario:
    return scenario("abilene", topology=topology, duration="2 s", base_sources=2, speed="80 seg/ms")


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


# -- readers and fill-ins ---------------------------------------------------------------------------------------------


def test_folder_of_csv_with_everything_that_can_be_filled_in(here: Path) -> None:
    found = read(folder())
    assert found.name == "net"
    assert [(r.name, r.router_class, r.speed_factor) for r in found.routers] == [
        ("P", "backbone", None),
        ("Q", "backbone", None),
        ("R", "backbone", 3.0),
    ]
    assert [(link.a, link.b) for link in found.links] == [(0, 1), (1, 2), (2, 0)]
    assert [link.delay for link in found.links] == pytest.approx(
        [0.0051, 100 * 0.0088272e-3, QUARTER * 0.0088272e-3], rel=0, abs=1e-9
    )
    assert [link.cost for link in found.links] == [found.links[0].delay, 7.0, found.links[2].delay]
    assert found.notes == (
        "delay of 1 link from length, 0.0088272 ms/km",
        "delay of 1 link from coordinates, 0.0088272 ms/km",
        "cost of 2 links = delay in s",
    )


def test_list_of_links_alone(here: Path) -> None:
    Path("ring.csv").write_text("\ufeffTo,From,Delay_ms\r\nB , A,1\r\n\r\nC,B,2\r\nA,C,3\r\n")
    found = read("ring.csv")
    assert [r.name for r in found.routers] == ["A", "B", "C"]
    assert [(e.a, e.b, e.delay) for e in found.links] == [(0, 1, 0.001), (1, 2, 0.002), (2, 0, 0.003)]
    assert found.notes == ("cost of 3 links = delay in s",)


def test_gml_of_the_topology_zoo(here: Path) -> None:
    Path("zoo.gml").write_text(GML)
    found = read("zoo.gml")
    assert [r.name for r in found.routers] == ["Rome", "Rome 2", "Paris", "Peer", "4"]
    places = [(r.latitude, r.longitude) for r in found.routers]
    assert places[3] == pytest.approx(((43.9 + 41.9) / 2, (12.5 + 2.5) / 2))
    assert places[4] == places[3]
    assert [(e.a, e.b) for e in found.links] == [(0, 1), (1, 2), (1, 3), (2, 3), (3, 4)]
    assert found.links[0].delay == pytest.approx(math.radians(2) * EARTH_RADIUS * DELAY_PER_KM, abs=1e-9)
    assert found.links[4].delay == 0
    fragments = [
        ("1 router without a label", "number"),
        ("1 duplicate label", "number appended"),
        ("1 external router (Internal = 0)", "kept"),
        ("1 parallel link left out", "shortest", "sum of their capacities"),
        ("coordinates of 2 routers", "mean", "neighbours"),
        ("delay of 5 links", "coordinates", "0.0088272 ms/km"),
        ("1 link of no length", "delay 0"),
        ("cost of 5 links", "delay in s"),
    ]
    for note, parts in zip(found.notes, fragments, strict=True):
        assert holds(note, *parts)


def test_graphml(here: Path) -> None:
    Path("compass.graphml").write_text(GRAPHML)
    found = read("compass.graphml")
    assert [r.name for r in found.routers] == ["North", "South", "West"]
    assert [e.delay for e in found.links] == pytest.approx([QUARTER * DELAY_PER_KM, 0.0025], abs=1e-9)
    assert (found.routers[2].latitude, found.routers[2].longitude) == (0, 90)


def test_directed_graphml_counts_both_directions_once(here: Path) -> None:
    back = '<edge source="1" target="0"><data key="d3">1.5</data></edge></graph>'
    Path("two-way.graphml").write_text(GRAPHML.replace("undirected", "directed").replace("</graph>", back))
    found = read("two-way.graphml")
    assert [(e.a, e.b, e.delay) for e in found.links] == [(1, 0, 0.0015), (1, 2, 0.0025)]
    assert any(
        holds(note, "directed graph", "both directions", "delay, cost, capacity", "of each") for note in found.notes
    )


def test_neighbours_over_the_antimeridian_meet_there(here: Path) -> None:
    nodes = "name,latitude,longitude\nFiji,-18,179\nSamoa,-14,-173\nBetween,,\n"
    found = read(folder(nodes, "from,to\nFiji,Between\nBetween,Samoa\n"))
    assert (found.routers[2].latitude, found.routers[2].longitude) == pytest.approx((-16, -177))


def test_great_circles_of_the_built_in_maps_fit_their_delays() -> None:
    for name, cities in CITIES.items():
        described = scenario("abilene", topology=name).describe()
        routers = [router for router in described["map"]["routers"] if router["class"] == "backbone"]
        assert [router["name"] for router in routers] == list(cities)
        links = [link for link in described["map"]["links"] if max(link["a"], link["b"]) < len(routers)]
        assert len(links) == {"abilene": 14, "isp": 24}[name]
        for link in links:
            a, b = (cities[routers[link[end]]["name"]][1:] for end in "ab")
            assert great_circle(a, b) * DELAY_PER_KM == pytest.approx(link["delay"], rel=0.02)


def test_abilene_of_the_topology_zoo_is_the_built_in_abilene() -> None:
    found = read("topohub:topozoo/Abilene")
    assert (len(found.routers), len(found.links)) == (11, 14)
    described = scenario("abilene", topology="topohub:topozoo/Abilene").describe()
    built_in = scenario("abilene").describe()
    assert described["mean_routers_per_path"] == pytest.approx(193 / 55)
    assert described["mean_rtt"] == pytest.approx(built_in["mean_rtt"], rel=1e-3)
    assert described["paths"] == built_in["paths"] == 110


@pytest.mark.parametrize(
    ("key", "routers", "links"),
    [("sndlib/geant", 22, 36), ("sndlib/nobel-eu", 28, 41), ("topozoo/Geant2012", 37, 58)],
)
def test_real_networks_run_with_tiers_below(key: str, routers: int, links: int) -> None:
    chosen = small(f"topohub:{key}")
    described = chosen.describe()
    classes = {entry["class"]: entry["routers"] for entry in described["classes"]}
    assert classes["backbone"] == routers
    assert classes["pop"] == 2 * routers
    assert sum(link["delay"] > 0 for link in described["map"]["links"]) == links
    result = mn.simulate(chosen, seed=1)
    assert result.value("segments_leaving", "measured") > 0
    assert result.responses.to_polars().equals(mn.simulate(chosen, seed=1).responses.to_polars())


def test_planar_coordinates_are_left_out() -> None:
    found = read("topohub:gabriel/25/0")
    assert all(router.latitude is None for router in found.routers)
    assert any(holds(note, "coordinates left out", "lengths", "km") for note in found.notes)


def test_a_network_with_other_classes_is_taken_as_it_is(here: Path) -> None:
    links = "from,to,delay_ms\nA,B,3\nA,a,0.1\nB,b,0.1\n"
    name = folder("name,class,speed_factor\nA,backbone,\nB,backbone,\na,fast,0.5\nb,normal,\n", links)
    described = small(name).describe()
    assert described["routers"] == 4
    speeds = {entry["class"]: entry["speed"] for entry in described["classes"]}
    assert speeds == {"backbone": 160_000, "fast access": 40_000, "normal access": 2_000}


# -- places of access routers ------------------------------------------------------------------------------------------


def placed(name: str, **values: object) -> Scenario:
    return small(name).with_values(values)


def direct(chosen: Scenario) -> str:
    routers = chosen.describe()["map"]["routers"]
    return "".join(router["name"][0] for router in routers if router["class"] == "direct access")


def test_places_by_rule_and_by_name() -> None:
    assert direct(placed("abilene")) == "BCHIJK"
    assert direct(placed("abilene", direct_at="far")) == "ABCFJK"
    named = placed("abilene", direct_at=["A", "K"])
    assert named.value("tiers.second_fast_at") == ["A", "K"]
    assert direct(named) == direct(placed("abilene", direct_at="A, K")) == "AK"
    assert named.hash == placed("abilene", direct_at="A,K").hash != placed("abilene").hash
    rows = {row.path: row for row in named.explain()}
    assert rows["tiers.direct_at"].value == "A, K"
    assert rows["tiers.second_fast_at"].source.startswith("as tiers.direct_at; ")
    assert rows["tiers.double_normal_at"].value == "none"
    assert placed("abilene", double_normal_at="none").hash == placed("abilene").hash


def test_check_prints_round_trips_of_path_classes(here: Path) -> None:
    for rule, expected in (("near", "23.15 ms, 36.26 ms, 39.93 ms"), ("far", "51.65 ms, 44.34 ms, 42.4 ms")):
        result = call("check", "abilene", "--set", f"direct_at={rule}", "--draw", f"{rule}.svg")
        assert result.exit_code == 0, result.output
        assert f"mean propagation round trip of these     {expected}" in result.stdout
        assert "mean hops, hosts counted                 9.43" in result.stdout
    assert Path("near.svg").read_text() != Path("far.svg").read_text()
    empty = call("check", "abilene", "--set", "base_sources=0").stdout
    assert "mean propagation round trip of these     none, none, none" in empty


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("direct_at=nearest", r'"abilene" has no backbone router "nearest"\. Allowed: metropolitan, near, far, spread'),
        ("direct_at=A1", '"abilene" has no backbone router "A1"'),
        ("second_fast_at=A1,A3", 'tiers.second_fast_at = "A1, A3".*no backbone router or point of presence "A3"'),
        ("double_normal_at=Seattle", '"abilene" has no backbone router "Seattle"'),
    ],
)
def test_places_that_do_not_exist_are_refused(value: str, message: str) -> None:
    result = call("check", "abilene", "--set", value)
    assert result.exit_code == 2
    assert re.search(message, result.stderr), result.stderr


def test_places_are_refused_where_nothing_is_built(here: Path) -> None:
    for topology in ("dumbbell", folder(NODES.replace("R,,", "R,direct,"))):
        result = call("check", "abilene", "--set", f"topology={topology}", "--set", "direct_at=near")
        assert result.exit_code == 2
        assert "which has its own. Allowed: metropolitan" in result.stderr
    with pytest.raises(
        InputError, match=r"neither a rule nor names.*Allowed: metropolitan, near, far, spread, or names"
    ):
        placed("abilene", direct_at=3)


def test_places_as_a_factor(here: Path, one_factor: Path) -> None:
    text = one_factor.read_text()
    text = text[: text.index("[[factors]]")]
    text += '[[factors]]\nid = "places"\npath = "tiers.direct_at"\nminus = "near"\nplus = ["A", "B"]\n'
    Path("places.toml").write_text(text)
    chosen = mn.experiment("places.toml")
    assert [(factor.minus, factor.plus) for factor in chosen.factors] == [("near", "A, B")]
    assert [direct(chosen.condition(number)) for number in (1, 2)] == ["DEFGHI", "AB"]
    assert chosen.run("campaign", workers=1, progress=False).counts["done"] == 2
    Path("places.toml").write_text(text.replace('"B"', '"Z"'))
    with pytest.raises(InputError, match='no backbone router "Z"'):
        mn.experiment("places.toml").check()


# -- in scenarios and experiments -------------------------------------------------------------------------------------


def test_hash_is_of_the_content_and_text_is_the_path(here: Path) -> None:
    one, other = small(folder()), small(folder(name="elsewhere/net"))
    assert one.hash == other.hash
    Path("net/links.csv").write_text(LINKS.replace("5.1", "5.2"))
    assert small("net").hash != one.hash
    assert one.canonical()["topology"]["links"][0] == {
        "a": 0, "b": 1, "delay": 0.0051, "cost": 0.0051, "capacity": None,
    }  # fmt: skip
    assert one.hash == pickle.loads(pickle.dumps(one)).hash
    row = next(row for row in other.explain() if row.path == "topology")
    assert (row.value, row.source) == ("elsewhere/net", "set in code")


def test_paths_in_a_file_start_beside_it_and_others_in_the_working_directory(here: Path) -> None:
    folder(name="work/net")
    text = 'base = "abilene"\ntopology = "net"\n[users]\nbase_sources = 2\n[time]\nduration = "2 s"\n'
    Path("work/mine.toml").write_text(text)
    assert str(scenario("work/mine.toml").value("topology")) == "net"
    for command in ("run", "check"):
        assert call(command, "abilene", "--set", "topology=net").exit_code == 2
        assert call(command, "work/mine.toml").exit_code == 0
    about = json.loads(call("check", "work/mine.toml", "--set", "topology=work/net", "--json").stdout)
    assert about["hash"] == scenario("work/mine.toml").hash
    assert about["notes"][:-1] == list(read("work/net").notes)
    assert holds(about["notes"][-1], "46 routers", "3 routers", "tiers.access")
    assert {row["path"]: row["value"] for row in about["settings"]}["topology"] == "work/net"


def test_topology_as_a_factor(here: Path, one_factor: Path) -> None:
    folder(name="files/net")
    text = one_factor.read_text()
    levels = text[: text.index("[[factors]]")] + '[[factors]]\nid = "X4"\nminus = "abilene"\nplus = "net"\n'
    Path("files/x4.toml").write_text(levels)
    chosen = mn.experiment("files/x4.toml")
    assert [(factor.minus, factor.plus) for factor in chosen.factors] == [("abilene", "net")]
    campaign = chosen.run("campaign", workers=1, progress=False)
    assert campaign.counts["done"] == 2
    document = json.loads(Path("campaign/experiment.json").read_text())
    used = [entry["scenario"]["topology"] for entry in document["scenarios"]]
    assert used[0] == "abilene"
    assert [router["name"] for router in used[1]["routers"]] == ["P", "Q", "R"]
    Path("files/net/links.csv").write_text("from,to,delay_ms\nP,X,1\n")
    assert call("experiment", "run", "campaign").exit_code == 0  # needs the file no more
    with pytest.raises(InputError, match=r"files/net/links\.csv: line 2, to"):
        mn.experiment("files/x4.toml")


# -- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "links", "message"),
    [
        ("name,latitude\nA,1\nB,1\n", "from,to\nA,B\n", "nodes.csv: line 2, longitude: one coordinate without the oth"),
        ("nom\nA\n", LINKS, 'nodes.csv: line 1 = "nom": unknown column'),
        ("latitude\n1\n", LINKS, 'nodes.csv: line 1 = "latitude": no column "name"'),
        ("name,name\nA,A\n", LINKS, 'nodes.csv: line 1 = "name": a column that is there twice'),
        ("", LINKS, "nodes.csv: empty"),
        (NODES, "from\nP\n", 'links.csv: line 1 = "from": no column "to"'),
        (
            NODES,
            "from,to,delay\nP,Q,1\n",
            'links.csv: line 1 = "delay": unknown column (nearest: delay_ms, ',
        ),
        (NODES, "from,to\nP,Q,1\n", 'links.csv: line 2 = "P,Q,1": 3 cells under 2 columns'),
        (NODES, 'from,to\n"P,Q\n', "links.csv: line 2: not CSV"),
        (NODES, LINKS + "P,Rome,1,,\n", 'links.csv: line 5, to = "Rome": unknown router'),
        (NODES, LINKS + "P,P,1,,\n", 'links.csv: line 5 = "P": a link from a router to itself'),
        (NODES, LINKS.replace("5.1", "nan"), 'links.csv: line 2, delay_ms = "nan": not a number'),
        (NODES, LINKS.replace("5.1", "-1"), 'links.csv: line 2, delay_ms = "-1": too low'),
        (NODES, LINKS.replace("5.1", "1e7"), 'links.csv: line 2, delay_ms = "1e7": too high'),
        (NODES, LINKS.replace(",7,", ",-7,"), 'links.csv: line 3, cost = "-7": too low'),
        (NODES, LINKS.replace(",100", ",inf"), 'links.csv: line 3, length_km = "inf": not a number'),
        (NODES.replace("90", "91"), LINKS, 'nodes.csv: line 4, latitude = "91": too high'),
        (NODES.replace(",3,", ",0,"), LINKS, 'nodes.csv: line 4, speed_factor = "0": too low'),
        (NODES.replace("P,,", "P,core,"), LINKS, 'nodes.csv: line 2, class = "core": unknown class of routers'),
        (NODES + "P,,,,\n", LINKS, 'nodes.csv: line 5, name = "P": two routers have this name'),
        (NODES + ",fast,,,\n", LINKS, 'nodes.csv: line 5, name = "": a router without a name'),
        (NODES + "S\x07,,,,\n", LINKS, "nodes.csv: line 5, name = "),
        (NODES + "Alone,,,,\n", LINKS, 'links.csv: the network is not connected: no way from "P" to "Alone"'),
        ("name\nP\nQ\n", "from,to\nP,Q\n", 'links.csv: line 2 = "P - Q": a link without a delay'),
        ("name\nP\n", "from,to\n", "nodes.csv = 1: too few routers"),
    ],
)
def test_bad_csv_is_refused_with_file_line_and_value(here: Path, nodes: str, links: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(folder(nodes, links))
    assert str(caught.value).startswith(f"net/{message}"), caught.value
    assert caught.value.allowed or "not CSV" in message


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.gml", "graph [ node [ id 0 ", "a.gml: not valid GML"),
        ("a.gml", "nothing", "a.gml: not valid GML"),
        ("a.gml", GML.replace("target 3", "target 9"), "a.gml: not valid GML: edge #3 has undefined target"),
        ("a.gml", GML.replace("target 4", "target 3"), 'a.gml: edge 5 = "Peer": a link from a router to itself'),
        ("a.gml", GML.replace("Latitude 41.9", "Latitude 141.9"), "a.gml: node 0, latitude = 141.9: too high"),
        ("a.gml", GML.replace("Latitude 41.9", "Latitude NAN"), "a.gml: node 0, latitude = nan: not a finite number"),
        ("a.gml", 'graph [ node [ id 0 label "A" ] ]', "a.gml = 1: too few routers"),
        ("a.graphml", GRAPHML[:400], "a.graphml: not valid GraphML"),
        ("a.graphml", "<html></html>", "a.graphml: not valid GraphML"),
        ("a.graphml", "", "a.graphml: not valid GraphML"),
        ("a.graphml", '<!DOCTYPE x [<!ENTITY a "b">]>' + GRAPHML, "a.graphml: XML with entities"),
        ("a.graphml", GRAPHML.replace(">2.5<", ">-2.5<"), "a.graphml: edge 1, delay_ms = -2.5: too low"),
        ("a.graphml", GRAPHML.replace('"d0">0<', '"d0">x<'), "a.graphml: not valid GraphML"),
        ("a.csv", "from,to,delay_ms\nA,,1\n", 'a.csv: line 2, to = "": a router without a name'),
        ("a.csv", "from,to,delay_ms\nA,B,1\nC,D,1\n", 'a.csv: the network is not connected: no way from "A" to "C"'),
        ("a.yaml", "{}", "a.yaml: not a kind of file"),
    ],
)
def test_bad_files_are_refused(here: Path, name: str, text: str, message: str) -> None:
    Path(name).write_text(text)
    with pytest.raises(InputError) as caught:
        read(name)
    assert str(caught.value).startswith(message), caught.value
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a.csv", "a.gml", "a.graphml"])
def test_files_that_are_not_text_are_refused(here: Path, name: str) -> None:
    Path(name).write_bytes(b"\xff\xfe\x00graph")
    with pytest.raises(InputError, match="not text in UTF-8"):
        read(name)


def test_a_folder_without_its_files_is_refused(here: Path) -> None:
    Path("net").mkdir()
    with pytest.raises(InputError, match=r"net/nodes\.csv: no such file"):
        read("net")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("abilen", "unknown topology (nearest: abilene, bottleneck). Allowed: abilene, isp, dumbbell"),
        ("nets/mine", "no such file"),
        ("mine.csv", "no such file"),
        ("", "unknown topology"),
        (3, "not a topology"),
        ("topohub:topozoo/Abilen", "no such network in topohub"),
        ("topohub:../../../etc/passwd", "no such network in topohub"),
        ("topohub:", "no such network in topohub"),
    ],
)
def test_unknown_topologies_are_refused(here: Path, value: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        scenario("abilene", topology=value)
    assert caught.value.path == "topology"
    assert message in str(caught.value)
    assert "topohub:GROUP/NAME" in str(caught.value)


def test_topohub_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "topohub", None)
    with pytest.raises(ImportError, match=r"mesonet\[topologies\]"):
        scenario("abilene", topology="topohub:topozoo/Abilene")


MILLION = range(10**6)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", lambda: "from,to,delay_ms\n" + "".join(f"{n},{n + 1},1\n" for n in MILLION)),
        ("a.gml", lambda: "graph [\n" + "".join(f"node [ id {n} ]\n" for n in MILLION) + "]\n"),
        (
            "a.graphml",
            lambda: "<graphml><graph>" + "".join(f'<node id="{n}"/>' for n in MILLION) + "</graph></graphml>",
        ),
    ],
)
def test_a_million_routers_are_refused_before_any_work(here: Path, name: str, text) -> None:
    Path(name).write_text(text())
    with pytest.raises(InputError, match=r"too many routers. Allowed: at most 10,000"):
        read(name)


def test_files_over_the_limit_are_not_read(here: Path) -> None:
    with Path("a.csv").open("wb") as file:
        file.truncate(60_000_000)
    with pytest.raises(InputError, match=r"a\.csv: .*60 MB.*Allowed: at most 50 MB"):
        read("a.csv")


def test_what_only_the_simulator_can_refuse_names_the_topology(here: Path) -> None:
    Path("chain.csv").write_text("from,to,delay_ms\n" + "".join(f"{n},{n + 1},1\n" for n in range(2000)))
    with pytest.raises(InputError) as caught:
        scenario("abilene", topology="chain.csv").describe()
    assert "at most 1000" in str(caught.value)
    assert caught.value.value == "chain.csv"


def with_capacities(path: Path, graph: Any, links: dict[tuple[int, int], dict[str, Any]]) -> list[Any]:
    """Links of the graph, written with attributes as GraphML and GML."""
    import networkx as nx

    nx.set_edge_attributes(graph, 2.0, "delay_ms")
    nx.set_edge_attributes(graph, links)
    nx.write_graphml(graph, path / "net.graphml")
    nx.write_gml(graph, path / "net.gml")
    files = [str(path / f"net.{kind}") for kind in ("graphml", "gml")]
    found = [mn.scenario("abilene", topology=file).value("topology") for file in files]
    assert found[0].links == found[1].links
    return [*found[0].links]


def test_files_that_need_networkx_name_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.gml").write_text("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]")
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match=r'net.gml: GML needs an optional package: .*"mesonet\[topologies\]"'):
        mn.scenario("abilene", topology=str(tmp_path / "net.gml"))


def test_capacities_of_links_are_read_with_their_units(tmp_path: Path) -> None:
    import networkx as nx

    links = with_capacities(
        tmp_path,
        nx.path_graph(6),
        {
            (0, 1): {"LinkSpeedRaw": 1e10, "capacity": 5.0},
            (1, 2): {"LinkSpeed": "622", "LinkSpeedUnits": "M"},
            (2, 3): {"bandwidth": "2.5 Gbit/s"},
            (3, 4): {"capacity_mbps": 100.0, "capacity_back_mbps": 20.0},
            (4, 5): {"capacity": 5.0},
        },
    )
    assert [link.capacity for link in links] == [
        (1e10, 1e10), (622e6, 622e6), (2.5e9, 2.5e9), (100e6, 20e6), None,
    ]  # fmt: skip
    result = CliRunner().invoke(
        main, ["run", "abilene", "--set", f"topology={tmp_path / 'net.gml'}", "--duration", "1 s", "--set",
               "warmup=0 s", "--set", "users.base_sources=2"]
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert holds(result.stderr, "note: capacity of 1 link ignored", "unit", "10 Gbit/s\n")
    assert holds(
        result.stderr, "note: capacities of 4 links", "no effect", "network.queue = router", "network.queue = port"
    )


def test_values_with_units_are_read_and_numbers_without_are_named(tmp_path: Path) -> None:
    import networkx as nx

    graph = nx.path_graph(["A", "B", "C", "D", "E"])
    attributes = [
        {"latency": "50 ms", "LinkLabel": "45 Mbps DS-3"},
        {"length": "120 km", "LinkLabel": "2x10Gb/s"},
        {"delay": 5.0, "dist": 7.0, "weight": 3.0, "delay_ms": 1.0},
        {"propagation_delay": "2 ms", "bandwidth": "1Gbit", "id": 4.0},
    ]
    nx.set_edge_attributes(graph, dict(zip(graph.edges, attributes, strict=True)))
    nx.write_graphml(graph, tmp_path / "net.graphml")
    found = read(str(tmp_path / "net.graphml"))
    assert [r.name for r in found.routers] == ["A", "B", "C", "D", "E"]
    assert [e.delay for e in found.links] == pytest.approx([0.05, 120 * DELAY_PER_KM, 0.001, 0.002], abs=1e-9)
    assert [e.capacity and e.capacity[0] for e in found.links] == [45e6, 20e9, None, 1e9]
    assert found.notes[:3] == (
        "delay of 1 link ignored: no time with a unit, such as 5 ms",
        "dist of 1 link ignored: no length with a unit, such as 120 km",
        "weight of 1 link ignored: not an attribute of links here",
    )
    # FNSS gives units for the whole graph.
    fnss = nx.path_graph(3)
    nx.set_edge_attributes(fnss, 5.0, "delay")
    nx.set_edge_attributes(fnss, 10.0, "capacity")
    fnss.graph.update(delay_unit="ms", capacity_unit="Gbps")
    nx.write_graphml(fnss, tmp_path / "fnss.graphml")
    links = read(str(tmp_path / "fnss.graphml")).links
    assert [(e.delay, e.capacity) for e in links] == [(0.005, (1e10, 1e10))] * 2


def test_rows_between_the_same_routers_follow_the_rule_of_graphs(here: Path) -> None:
    header = "from,to,delay_ms,capacity_mbps\n"
    Path("parallel.csv").write_text(f"{header}A,B,2,10\nA,B,1,20\nB,C,3,5\n")
    found = read("parallel.csv")
    assert [(e.delay, e.capacity) for e in found.links] == [(0.001, (30e6, 30e6)), (0.003, (5e6, 5e6))]
    assert "parallel link left out" in found.notes[0]
    Path("ways.csv").write_text(f"{header}A,B,1,10\nB,A,2,20\nB,C,3,5\nC,B,3,6\n")
    found = read("ways.csv")
    assert [(e.delay, e.delay_back, e.capacity) for e in found.links] == [
        (0.001, 0.002, (10e6, 20e6)), (0.003, None, (5e6, 6e6)),
    ]  # fmt: skip
    assert "listed in both directions" in found.notes[0]


def test_the_parts_of_a_network_that_is_not_connected_are_listed(here: Path) -> None:
    Path("parts.csv").write_text("from,to,delay_ms\nA,B,1\nC,D,1\nD,E,1\n")
    with pytest.raises(InputError, match=r'its parts: 3 routers with "C", 2 routers with "A"'):
        read("parts.csv")


def test_parallel_links_add_their_capacities_and_directed_ones_keep_theirs(tmp_path: Path) -> None:
    import networkx as nx

    many = nx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    speeds = {(0, 1, 0): {"LinkSpeedRaw": 1e9}, (0, 1, 1): {"LinkSpeedRaw": 3e9}, (1, 2, 0): {"LinkSpeedRaw": 2e9}}
    assert [link.capacity for link in with_capacities(tmp_path, many, speeds)] == [(4e9, 4e9), (2e9, 2e9)]
    arrows = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    speeds = {(0, 1): {"LinkSpeedRaw": 1e9}, (1, 0): {"LinkSpeedRaw": 3e9}, (1, 2): {"LinkSpeedRaw": 2e9}}
    assert [link.capacity for link in with_capacities(tmp_path, arrows, speeds)] == [(1e9, 3e9), (2e9, 2e9)]


def test_directions_of_a_link_have_delays_and_buffers(tmp_path: Path) -> None:
    import networkx as nx

    columns = "from,to,delay_ms,delay_back_ms,buffer_ms,buffer_back_ms"
    (tmp_path / "net.csv").write_text(f"{columns}\nA,B,9,30,50,\nB,C,4,4,,20\nC,D,5,,,\n")
    chosen = mn.scenario("abilene", topology=str(tmp_path / "net.csv"))
    links = chosen.value("topology").links
    assert [(link.delay, link.delay_back, link.buffer) for link in links] == [
        (0.009, 0.03, (0.05, 0.05)), (0.004, None, (None, 0.02)), (0.005, None, None),
    ]  # fmt: skip
    assert [set(link.canonical()) - {"a", "b", "delay", "cost", "capacity"} for link in links] == [
        {"delay_back", "buffer", "cost_back"}, {"buffer"}, set(),
    ]  # fmt: skip
    described = chosen.describe()
    found = {(link["delay"], link["delay_back"]) for link in described["map"]["links"]}
    assert {(0.009, 0.03), (0.004, 0.004), (0.005, 0.005)} <= found
    assert map_rows(network_map(chosen, described))[1][2] == "A 30, C 4"
    arrows = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    links = with_capacities(tmp_path, arrows, {(0, 1): {"delay_ms": 3.0}, (1, 0): {"delay_ms": 8.0, "buffer_ms": 7.0}})
    assert [(link.delay, link.delay_back, link.buffer) for link in links] == [
        (0.003, 0.008, (None, 0.007)), (0.002, None, None),
    ]  # fmt: skip


#: A - B costs 1 and 100 back, and 40 over C in both directions. Each link takes 15 ms.
TRIANGLE = "from,to,delay_ms,cost,cost_back\nA,B,15,1,100\nA,C,15,20,\nC,B,15,20,20\n"


def test_directions_of_a_link_have_costs(here: Path) -> None:
    import networkx as nx

    Path("triangle.csv").write_text(TRIANGLE)
    each_way = "from,to,delay_ms,cost\nA,B,15,1\nB,A,15,100\nA,C,15,20\nC,A,15,20\nC,B,15,20\nB,C,15,20\n"
    Path("rows.csv").write_text(each_way)
    graph = nx.DiGraph()
    for line in each_way.split()[1:]:
        a, b, delay, cost = line.split(",")
        graph.add_edge(a, b, delay_ms=float(delay), cost=float(cost))
    nx.write_graphml(graph, "triangle.graphml")
    for name in ("triangle.csv", "rows.csv", "triangle.graphml"):
        chosen = mn.scenario("abilene", topology=name, base_sources=1)
        links = chosen.value("topology").links
        assert [(link.cost, link.cost_back) for link in links] == [(1, 100), (20, None), (20, None)]
        # A - B: 15 ms there, 30 ms back over C. The other pairs take their link there and back.
        described = chosen.describe()
        assert described["max_rtt"] == pytest.approx(0.045)
        assert described["longest_paths"] == [["A", "B"]]
        assert described["mean_rtt"] == pytest.approx(0.035)
    # A cost of one direction alone holds for both.
    Path("one.csv").write_text("from,to,delay_ms,cost\nA,B,15,\nB,A,20,7\n")
    assert [(link.cost, link.cost_back) for link in read("one.csv").links] == [(7, None)]
    # A cost that is missing is the delay of its direction.
    Path("delays.csv").write_text("from,to,delay_ms,delay_back_ms\nA,B,15,20\n")
    assert [(link.cost, link.cost_back) for link in read("delays.csv").links] == [(0.015, 0.02)]
    Path("back.csv").write_text("from,to,delay_ms,cost,cost_back\nA,B,15,,20\n")
    with pytest.raises(InputError, match=r"back\.csv: line 2, cost_back: cost_back without cost. Allowed: both costs"):
        read("back.csv")


def test_the_largest_part_and_a_default_delay(here: Path) -> None:
    Path("parts.csv").write_text("from,to,delay_ms\nA,B,1\nC,D,1\nD,E,\n")
    found = read({"file": "parts.csv", "component": "largest", "default_delay": "5 ms"})
    assert [router.name for router in found.routers] == ["C", "D", "E"]
    assert [(link.a, link.b, link.delay, link.cost) for link in found.links] == [
        (0, 1, 0.001, 0.001),
        (1, 2, 0.005, 0.005),
    ]
    assert str(found) == "parts.csv, component = largest, default_delay = 5 ms"
    assert found.notes[:2] == (
        "largest part of the network kept; 2 routers left out: A, B",
        "delay of 1 link without length and coordinates: the default delay",
    )
    result = call(
        "check", "abilene", "--set", "topology=parts.csv", "--component", "largest", "--default-delay", "5 ms"
    )
    assert result.exit_code == 0, result.output
    assert "note: largest part of the network kept; 2 routers left out: A, B" in result.output
    Path("own.toml").write_text('base = "abilene"\n[topology]\nfile = "parts.csv"\ncomponent = "largest"\n')
    with pytest.raises(InputError, match=r'parts.csv: line 4 = "D - E".*or default_delay'):
        mn.scenario("own.toml")
    with pytest.raises(InputError, match=r"parts.csv: the network is not connected.*or component = largest"):
        read("parts.csv")
    for value, message in (
        ({"file": "parts.csv", "component": "first"}, r'topology.component = "first": .*Allowed: all, largest'),
        ({"file": "parts.csv", "default_delay": "5"}, r'topology.default_delay = "5"'),
        (
            {"file": "parts.csv", "default_delay": "-5 ms"},
            r'topology.default_delay = "-5 ms".*Allowed: from 0 s to 1000 s',
        ),
        ({"file": "parts.csv", "delay": "5 ms"}, r"topology = .*unknown key"),
        ({"component": "largest"}, r"topology = .*a table without a file"),
    ):
        with pytest.raises(InputError, match=message):
            mn.scenario("abilene", topology=value)
    refused = call("check", "abilene", "--component", "largest")
    assert refused.exit_code == 2
    assert "--component: no topology of a file to read" in refused.output


def test_delay_back_needs_a_delay(tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text("from,to,delay_ms,delay_back_ms\nA,B,,30\n")
    with pytest.raises(InputError, match=r"net\.csv: line 2, delay_back_ms.*without delay_ms.*Allowed: both"):
        mn.scenario("abilene", topology=str(tmp_path / "net.csv"))


@pytest.mark.parametrize("value", ["0", "-1", "2e7", "fast", "nan"])
def test_impossible_capacities_are_refused(here: Path, value: str) -> None:
    Path("links.csv").write_text(f"from,to,delay_ms,capacity_mbps\nA,B,1,10\nB,C,1,{value}\n")
    with pytest.raises(InputError) as caught:
        read("links.csv")
    message = str(caught.value)
    assert "links.csv" in message
    assert "capacity_mbps" in message
    assert value in message


def test_ports_serve_at_the_capacities_of_the_file(here: Path) -> None:
    folder(
        "name,class\nA,plain\nB,plain\nC,plain\n",
        "from,to,delay_ms,capacity_mbps,capacity_back_mbps\nA,B,1,1000,\nB,C,2,120,12\nA,C,9,,\n",
    )
    Path("mine.toml").write_text(
        'base = "dumbbell"\ntopology = "net"\n[network]\nqueue = "port"\nbuffer = "50 ms"\n[time]\nduration = "4 s"\n'
        'warmup = "0 s"\n[[flows]]\nfrom = "A"\nto = "C"\ninterface = "1 Gbit/s"\n'
    )
    chosen = mn.scenario("mine.toml")
    assert scaled(chosen, 2).value("network.capacity_factor") == 2
    (note,) = capacity_notes(chosen)
    assert holds(note, "1 link without a capacity", "speed of the slower router")
    routers = mn.simulate(chosen).routers.to_polars().filter(period="measured")
    speeds = dict(routers.select("router", "speed").iter_rows())
    assert speeds["B -> C"] == pytest.approx(10_000)
    assert speeds["C -> B"] == pytest.approx(1_000)
    assert speeds["A -> B"] == pytest.approx(1e9 / 12_000)
    assert speeds["A -> C"] == mn.scenario("dumbbell").value("network.speed")
    assert dict(routers.select("router", "buffer").iter_rows())["B -> C"] == 500
    assert dict(routers.select("router", "utilisation").iter_rows())["B -> C"] > 0.8
