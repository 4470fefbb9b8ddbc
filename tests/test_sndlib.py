"""Networks and demands of SNDlib: native, XML and JSON have equal content."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mesonet as mn
from fragments import holds
from mesonet import topologies
from mesonet.errors import InputError
from mesonet.scenarios.parameters import TOPOLOGIES
from mesonet.topologies import Topology

NATIVE = """?SNDlib native format; type: network; version: 1.0
# network mini

META (
  granularity = 5min
  unit = MBITPERSEC
)

# NODE SECTION
NODES (
  Bonn ( 7.10 50.73 )
  Ulm ( 9.99 48.40 )
  Kiel ( 10.13 54.32 )
)

LINKS (
  L1 ( Bonn Ulm ) 9920.00 0.00 2.00 0.00 ( 40.00 1.00 )
  L2 ( Ulm Kiel ) 0.00 0.00 5.00 0.00 ( 155.00 10.00 622.00 20.00 )
)

DEMANDS (
  D1 ( Bonn Kiel ) 1 12.50 UNLIMITED
  D2 ( Kiel Bonn ) 1 3.00 4
  D3 ( Kiel Ulm ) 1 0.00 UNLIMITED
)

ADMISSIBLE_PATHS (
)
"""
XML = """<?xml version="1.0" encoding="UTF-8"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0">
 <meta><granularity>5min</granularity><unit>MBITPERSEC</unit></meta>
 <networkStructure>
  <nodes coordinatesType="geographical">
   <node id="Bonn"><coordinates><x>7.10</x><y>50.73</y></coordinates></node>
   <node id="Ulm"><coordinates><x>9.99</x><y>48.40</y></coordinates></node>
   <node id="Kiel"><coordinates><x>10.13</x><y>54.32</y></coordinates></node>
  </nodes>
  <links>
   <link id="L1"><source>Bonn</source><target>Ulm</target>
    <preInstalledModule><capacity>9920.0</capacity><cost>0.0</cost></preInstalledModule>
    <routingCost>2.0</routingCost>
    <additionalModules><addModule><capacity>40.0</capacity><cost>1.0</cost></addModule></additionalModules></link>
   <link id="L2"><source>Ulm</source><target>Kiel</target>
    <routingCost>5.0</routingCost><setupCost>0.0</setupCost>
    <additionalModules>
     <addModule><capacity>155.0</capacity><cost>10.0</cost></addModule>
     <addModule><capacity>622.0</capacity><cost>20.0</cost></addModule>
    </additionalModules></link>
  </links>
 </networkStructure>
 <demands>
  <demand id="D1"><source>Bonn</source><target>Kiel</target><routingUnit>1</routingUnit>
   <demandValue>12.5</demandValue></demand>
  <demand id="D2"><source>Kiel</source><target>Bonn</target><demandValue>3.0</demandValue></demand>
  <demand id="D3"><source>Kiel</source><target>Ulm</target><demandValue>0.0</demandValue></demand>
 </demands>
</network>
"""
JSON = {
    "meta": {"unit": "KBITPERSEC"},
    "nodes": [
        {"id": "Bonn", "coordinates": {"x": 7.1, "y": 50.73}},
        {"id": "Ulm", "pos": [9.99, 48.4]},
        {"id": "Kiel", "longitude": 10.13, "latitude": 54.32},
    ],
    "links": [
        {"source": "Bonn", "target": "Ulm", "preInstalledModule": {"capacity": 9_920_000}, "routingCost": 2},
        {"source": "Ulm", "target": "Kiel", "additionalModules": [{"capacity": 155_000}], "routingCost": 5},
    ],
    "demands": [
        {"source": "Bonn", "target": "Kiel", "demandValue": 12_500},
        {"source": "Kiel", "target": "Bonn", "value": 3000},
    ],
}


def read(name: str) -> Topology:
    found = topologies.find(name, TOPOLOGIES)
    assert isinstance(found, Topology)
    return found


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("mini.txt").write_text(NATIVE)
    Path("mini.xml").write_text(XML)
    Path("mini.json").write_text(json.dumps(JSON))
    return ["mini.txt", "mini.xml", "mini.json"]


def test_three_forms_of_one_network(files: list[str]) -> None:
    native, xml, other = (read(name) for name in files)
    assert native.canonical() == xml.canonical() == other.canonical()
    assert native.routers == xml.routers == other.routers
    assert [(router.name, router.longitude, router.latitude) for router in native.routers] == [
        ("Bonn", 7.1, 50.73), ("Ulm", 9.99, 48.4), ("Kiel", 10.13, 54.32),
    ]  # fmt: skip
    assert [(link.a, link.b, link.cost, link.capacity) for link in native.links] == [
        (0, 1, 2.0, (9.92e9, 9.92e9)), (1, 2, 5.0, (155e6, 155e6)),
    ]  # fmt: skip
    for found in (native, xml, other):
        assert any(holds(note, "capacity of 1 of 2 links", "first module") for note in found.notes)


def test_three_forms_of_one_matrix(files: list[str]) -> None:
    matrices = []
    for name in files:
        chosen = mn.scenario("abilene", topology=name, traffic=name)
        matrices.append(chosen.value("users.traffic"))
        assert chosen.describe()["offered"] == pytest.approx(15.5e6 / 8 / 1500)
    assert matrices[0] == matrices[1] == matrices[2]
    assert [(demand["from"], demand["to"], demand["rate"]) for demand in matrices[0]] == [
        ("Bonn", "Kiel", 12.5e6 / 8 / 1500), ("Kiel", "Bonn", 3e6 / 8 / 1500),
    ]  # fmt: skip


def test_what_a_file_lacks_is_announced(files: list[str]) -> None:
    text = NATIVE.replace("  unit = MBITPERSEC\n", "").replace("5.00 0.00 (", "0.00 0.00 (")
    text = text.replace("7.10 50.73", "300 400").replace(
        "LINKS (", "LINKS (\n  L3 ( Kiel Bonn ) 0.00 0.00 0.00 0.00 ( )"
    )
    Path("mini.txt").write_text(text)
    found = topologies.find({"file": "mini.txt", "default_delay": "2 ms"}, TOPOLOGIES)
    assert isinstance(found, Topology)
    assert [(link.delay, link.cost, link.capacity) for link in found.links] == [
        (0.002, 0.002, None), (0.002, 0.002, (9.92e9, 9.92e9)), (0.002, 0.002, (155e6, 155e6)),
    ]  # fmt: skip
    for words in (
        ("no unit", "Mbit/s", "network.capacity_factor"),
        ("routing costs of 1 of 3 links ignored",),
        ("coordinates left out",),
        ("delay of 3 links", "the default delay"),
    ):
        assert any(holds(note, *words) for note in found.notes), (words, found.notes)


def test_json_of_networkx_and_of_topohub(files: list[str]) -> None:
    import networkx as nx
    import topohub

    graph = nx.DiGraph()
    graph.add_edge("A", "B", delay_ms=3.0, cost=2.0)
    graph.add_edge("B", "A", delay_ms=4.0, cost=9.0)
    Path("graph.json").write_text(json.dumps(nx.node_link_data(graph, edges="links")))
    assert [(link.delay, link.delay_back, link.cost, link.cost_back) for link in read("graph.json").links] == [
        (0.003, 0.004, 2.0, 9.0)
    ]
    data = topohub.get("sndlib/nobel-us")
    Path("hub.json").write_text(json.dumps(data))
    found = read("hub.json")
    assert [router.name for router in found.routers] == [node["name"] for node in data["nodes"]]
    assert [(link.a, link.b) for link in found.links] == [(edge["source"], edge["target"]) for edge in data["edges"]]
    matrix = mn.scenario("abilene", topology="hub.json", traffic="hub.json").value("users.traffic")
    given = data["graph"]["demands"]
    names = [node["name"] for node in data["nodes"]]
    expected = {(names[a], names[b]): rate for a, row in given.items() for b, rate in row.items()}
    assert {(row["from"], row["to"]): row["rate"] * 8 * 1500 / 1e6 for row in matrix} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "hello", "a.txt: not a network of SNDlib"),
        ("a.txt", NATIVE.replace("NODES", "PLACES"), "a.txt: no section NODES"),
        ("a.txt", NATIVE.replace("L1 ( Bonn Ulm )", "L1 ( Bonn )"), 'a.txt = "L1 ( Bonn ) 9920.00'),
        (
            "a.txt",
            NATIVE.replace("L1 ( Bonn Ulm )", "L1 ( Bonn Rom )"),
            'a.txt: link 0, target = "Rom": a link to a node',
        ),
        ("a.txt", NATIVE.replace("MBITPERSEC", "BOXES"), 'a.txt: unit = "BOXES": not a unit of rates'),
        ("a.txt", NATIVE.replace("9920.00", "many"), 'a.txt: link 0, capacity = "many": not a number'),
        ("a.xml", XML[:300], "a.xml: not valid XML of SNDlib"),
        ("a.xml", "<graphml/>", 'a.xml = "graphml": not a network of SNDlib'),
        ("a.xml", '<!DOCTYPE x [<!ENTITY a "b">]>' + XML.partition("?>")[2], "a.xml: XML with entities"),
        ("a.json", "{", "a.json: not valid JSON"),
        ("a.json", "[]", "a.json: not a network of SNDlib"),
        ("a.json", "{}", "a.json: no node"),
    ],
)
def test_bad_files_are_refused(files: list[str], name: str, text: str, message: str) -> None:
    Path(name).write_text(text)
    with pytest.raises(InputError) as caught:
        read(name)
    assert str(caught.value).startswith(message), caught.value
    assert caught.value.allowed


def test_demands_without_a_value_are_refused(files: list[str]) -> None:
    Path("a.json").write_text(json.dumps({**JSON, "demands": [{"source": "Bonn", "target": "Kiel"}]}))
    with pytest.raises(
        InputError, match=r"a\.json: demand 0, demandValue: a demand without a value. Allowed: a number"
    ):
        mn.scenario("abilene", topology="mini.txt", traffic="a.json")
