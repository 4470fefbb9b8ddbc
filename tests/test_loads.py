"""Loads of links: offered, measured, and the traffic matrix that explains them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import mesonet as mn
from fragments import holds
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.maps import matrix
from mesonet.maps.loads import bit_rate, link_loads, load_rows, load_sentences, read_measured
from mesonet.scenarios.scenario import Scenario

#: A square of plain routers, and a router in its middle that one corner reaches only.
NODES = "name,class\nA,plain\nB,plain\nC,plain\nD,plain\nE,plain\n"
LINKS = (
    "from,to,delay_ms,cost,capacity_mbps,capacity_back_mbps\n"
    "A,B,2,1,100,50\nB,C,2,1,100,\nC,D,2,1,100,\nD,A,2,1.5,100,\nA,E,1,1,200,\n"
)
MATRIX = "from,to,rate_mbps\nA,B,12\nA,C,8\nB,D,6\nC,E,9\nE,D,5\nD,B,3\nB,A,2\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("net").mkdir()
    Path("net/nodes.csv").write_text(NODES)
    Path("net/links.csv").write_text(LINKS)
    Path("matrix.csv").write_text(MATRIX)
    return tmp_path


def network(**values: object) -> Scenario:
    chosen: dict[str, object] = {"topology": "net", "queue": "port", "traffic": "matrix.csv", **values}
    return mn.scenario("abilene", **chosen)


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_loads_of_links_by_hand(here: Path) -> None:
    described = network(ack_path="queued", ack_bytes=75).describe()
    found = {link.name: link for link in link_loads(described, 1500)}
    # A to B 12, A to C over B 8, D to B over C 3, E to D over A 5, B to D over C 6, C to E over B and A 9, B to A 2.
    for name, data, capacity in (
        ("A -> B", 20, 100), ("B -> A", 11, 50), ("B -> C", 14, 100), ("C -> B", 12, 100), ("C -> D", 6, 100),
        ("D -> C", 3, 100), ("A -> D", 5, 100), ("D -> A", 0, 100), ("A -> E", 9, 200), ("E -> A", 5, 200),
    ):  # fmt: skip
        link = found[name]
        assert link.data == pytest.approx(data * 1e6), name
        assert link.capacity == pytest.approx(capacity * 1e6)
        # Acknowledgements are a twentieth of the data of the other direction: here each way is one way back.
        back = found[" -> ".join(reversed(name.split(" -> ")))]
        assert link.acks == pytest.approx(back.data / 20), name
        assert link.share == pytest.approx((link.data + link.acks) / link.capacity)
    assert found["B -> hosts"].data == pytest.approx(15e6)
    rows = load_rows(list(found.values()))
    assert rows[0][0] == "B -> A"
    assert rows[0][1:] == ["50 Mbit/s", "11 Mbit/s", "1 Mbit/s", "0.2400"]
    shares = [float(row[4]) for row in rows]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("key", ["sndlib/geant", "sndlib/nobel-us"])
def test_loads_of_ecmp_are_the_loads_that_topohub_publishes(here: Path, key: str) -> None:
    """Topohub lists loads of links under ECMP with a cost of 1, as shares of one scale.

    `uni`: equal demands of all pairs. `org`: the demands of SNDlib in both directions.
    """
    import topohub

    data = topohub.get(key)
    names = [node["name"] for node in data["nodes"]]
    ends = [(names[edge["source"]], names[edge["target"]]) for edge in data["edges"]]
    Path("hops.csv").write_text("from,to,delay_ms,cost\n" + "".join(f"{a},{b},1,1\n" for a, b in ends))
    given = {(names[a], names[b]): rate for a, row in data["graph"]["demands"].items() for b, rate in row.items()}
    pairs = [(a, b) for a in names for b in names if a != b]
    both = {(a, b): given.get((a, b), 0.0) + given.get((b, a), 0.0) for a, b in pairs}
    scale = 1e3 / sum(both.values())
    for field, demands in (("uni", dict.fromkeys(pairs, 1.0)), ("org", {p: r * scale for p, r in both.items()})):
        Path("demands.csv").write_text(
            "from,to,rate_mbps\n" + "".join(f"{a},{b},{rate}\n" for (a, b), rate in demands.items() if rate)
        )
        chosen = network(topology="hops.csv", traffic="demands.csv", routing="ecmp")
        loads = {(link.source, link.target): link.data for link in link_loads(chosen.describe(), 1500)}
        ours = np.array([loads[pair] for pair in ends] + [loads[b, a] for a, b in ends])
        theirs = np.array([edge[way][field] for way in ("ecmp_fwd", "ecmp_bwd") for edge in data["edges"]])
        assert ours / ours.sum() == pytest.approx(theirs / theirs.sum(), abs=2e-5), field


def test_check_prints_draws_and_writes_loads(here: Path) -> None:
    Path("measured.csv").write_text(
        "from,to,utilisation,rate,rate_mbps\nA,B,.2,,\nB,A,.3,,\nB,C,,14 Mbit/s,\nC,D,,,26\n"
    )
    options = ("--set", "topology=net", "--set", "queue=port", "--set", "traffic=matrix.csv")
    result = call("check", "abilene", *options, "--measured", "measured.csv", "--draw", "map.svg")
    assert result.exit_code == 0, result.output
    lines = {line.split("  ")[0]: line.split() for line in result.output.splitlines()}
    assert lines["A -> B"][-2:] == ["0.2000", "+0.0000"]
    assert lines["B -> A"][-3:] == ["0.2200", "0.3000", "-0.0800"]
    assert holds(
        result.output, "offered and measured shares of 4 links", "correlation", "C -> D 0.060 offered, 0.260 measured"
    )
    svg = Path("map.svg").read_text()
    assert "offered load" in svg
    document = json.loads(call("check", "abilene", *options, "--measured", "measured.csv", "--json").output)
    links = {f"{each['source']} -> {each['target']}": each for each in document["link_loads"]}
    assert links["C -> D"]["share"] == pytest.approx(0.06)
    assert links["C -> D"]["utilisation"] == pytest.approx(0.26)
    assert links["D -> A"]["measured"] is None
    # Routers with one queue have no load by link.
    without = call("check", "abilene", "--set", "topology=net", "--json")
    assert json.loads(without.output)["link_loads"] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("from,to,utilisation\nA,C,.5\n", 'measured.csv: line 2 = "A -> C": unknown link'),
        ("from,to,utilisation\nA,B,5\n", 'measured.csv: line 2, utilisation = "5": not a load. Allowed: a share'),
        ("from,to,rate\nA,B,5\n", 'measured.csv: line 2, rate = "5"'),
        ("from,to,rate_mbps\nA,B,x\n", 'measured.csv: line 2, rate_mbps = "x": not a number'),
        ("from,to,rate_mbps,rate\nA,B,1,1 Mbit/s\n", "measured.csv: line 2: a measurement has one amount"),
        ("from,to,rate_mbps\nA,B,1\nA,B,2\n", 'measured.csv: line 3 = "A -> B": a link that is measured twice'),
        ("from,to,rate_mbps\n", "measured.csv: no measurement"),
        ("from,to,load\nA,B,1\n", 'measured.csv: line 1 = "load": unknown column'),
    ],
)
def test_bad_measurements_are_refused(here: Path, text: str, message: str) -> None:
    Path("measured.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        link_loads(network().describe(), 1500, read_measured(Path("measured.csv")))
    assert str(caught.value).startswith(message), caught.value


def measured_of(chosen: Scenario, names: list[str] | None = None) -> list[dict[str, object]]:
    """Loads of all links between routers, or of some, as they are offered."""
    links = link_loads(chosen.describe(), 1500)
    kept = [link for link in links if (link.target != "hosts" if names is None else link.name in names)]
    return [{"from": link.source, "to": link.target, "rate_mbps": (link.data + link.acks) / 1e6} for link in kept]


def test_a_matrix_explains_the_loads(here: Path) -> None:
    chosen = network(ack_path="queued", ack_bytes=75)
    found = mn.traffic_matrix(chosen, measured_of(chosen), prior="gravity")
    assert found.prior == "gravity"
    assert (found.links["predicted"] - found.links["measured"]).abs().max() < 1e-3
    # Through the simulator: the loads of the estimated matrix.
    found.write("estimate.csv")
    again = {
        link.name: link
        for link in link_loads(network(traffic="estimate.csv", ack_path="queued", ack_bytes=75).describe(), 1500)
    }
    for link in link_loads(chosen.describe(), 1500):
        if link.target != "hosts":
            assert again[link.name].share == pytest.approx(link.share, abs=2e-3), link.name
    # The matrix itself as the prior stays, and a prior that is off by a factor is repaired where loads differ.
    same = mn.traffic_matrix(chosen, measured_of(chosen))
    assert same.prior == "the matrix of the scenario"
    rates = {(row["from"], row["to"]): row["rate_mbps"] for row in same.demands.to_dicts()}
    assert rates["A", "B"] == pytest.approx(12, rel=1e-3)
    assert sum(rates.values()) == pytest.approx(45, rel=1e-3)


def test_the_part_that_is_not_identifiable_is_stated(here: Path) -> None:
    Path("line").mkdir()
    Path("line/nodes.csv").write_text("name,class\nA,plain\nB,plain\nC,plain\n")
    Path("line/links.csv").write_text("from,to,delay_ms,capacity_mbps\nA,B,2,100\nB,C,2,100\n")
    Path("line.csv").write_text("from,to,rate_mbps\nA,B,10\nA,C,20\nB,C,5\n")
    chosen = network(topology="line", traffic="line.csv")
    # Of three demands from A to C two sums are known: A - B + A - C and B - C + A - C.
    found = mn.traffic_matrix(chosen, measured_of(chosen, ["A -> B", "B -> C"]), prior="gravity")
    assert found.rank == 2
    assert found.unseen == 3
    assert found.groups == []
    rates = {(row["from"], row["to"]): row["rate_mbps"] for row in found.demands.to_dicts()}
    assert rates["A", "B"] + rates["A", "C"] == pytest.approx(30, rel=1e-3)
    assert rates["B", "C"] + rates["A", "C"] == pytest.approx(25, rel=1e-3)
    # By hand: A = [[1, 1, 0], [0, 1, 1]] has the null vector (1, -1, 1)/sqrt 3.
    determined = {(row["from"], row["to"]): row["determined"] for row in found.demands.to_dicts()}
    assert determined["A", "B"] == pytest.approx(2 / 3)
    assert determined["C", "A"] == 0
    # One load alone determines the sum of the two demands that cross it.
    one = mn.traffic_matrix(chosen, measured_of(chosen, ["A -> B"]))
    assert one.groups == [[("A", "B"), ("A", "C")]]
    assert any(holds(sentence, "2 demands in 1 groups", "A to B + A to C") for sentence in one.sentences)
    # The port towards hosts adds what arrives at C.
    ports = mn.traffic_matrix(chosen, measured_of(chosen, ["A -> B", "B -> C", "B -> hosts"]))
    assert ports.rank == 3


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_any_loads_of_a_matrix_are_explained(data: st.DataObject) -> None:
    """The estimate is not negative, explains loads that some matrix has, and is the prior where that explains them."""
    links, pairs = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 10))
    numbers = st.floats(0, 1).map(lambda x: round(x, 2))
    shares = np.array(
        data.draw(st.lists(st.lists(numbers, min_size=pairs, max_size=pairs), min_size=links, max_size=links))
    )
    true = np.array(data.draw(st.lists(st.integers(0, 50), min_size=pairs, max_size=pairs)), dtype=float) * 1e6
    prior = np.array(data.draw(st.lists(st.integers(1, 50), min_size=pairs, max_size=pairs)), dtype=float) * 1e6
    y = shares @ true
    found = matrix._smallest_change(shares, y, prior)
    assert (found >= 0).all()
    assert np.abs(shares @ found - y).max() <= 0.02 * max(y.max(), 1e6)
    assert matrix._smallest_change(shares, shares @ prior, prior) == pytest.approx(prior, rel=1e-6)


@pytest.mark.slow
def test_from_simulated_loads_the_matrix_predicts_utilisations(here: Path) -> None:
    """Open-loop arrivals of known rates are simulated; the matrix from their loads has these within 5 %."""
    pairs = [("A", "B", 30), ("A", "C", 15), ("B", "D", 20), ("C", "E", 25), ("E", "D", 20), ("D", "B", 12)]
    flows = [
        {"from": [a], "to": [b], "rate": f"{rate} flows/s", "sizes": "60 segments", "interface": "8 seg/ms"}
        for a, b, rate in pairs
    ]
    chosen = mn.scenario(
        "abilene", topology="net", queue="port", ack_path="queued", base_sources=0, arrivals=flows,
        buffer="100 ms", duration="80 s", warmup="20 s",
    )  # fmt: skip
    table = mn.simulate(chosen).routers.to_polars().filter(pl.col("period") == "measured")
    rows = [
        {"from": name.split(" -> ")[0], "to": name.split(" -> ")[1], "utilisation": used}
        for name, used in table.select("router", "utilisation").iter_rows()
        if not name.endswith("hosts")
    ]
    found = mn.traffic_matrix(chosen, rows, prior="gravity")
    found.write("estimate.csv")
    predicted = {
        link.name: link.share
        for link in link_loads(network(traffic="estimate.csv", ack_path="queued").describe(), 1500)
    }
    busy = [row for row in rows if row["utilisation"] > 0.02]
    assert len(busy) >= 7
    for row in busy:
        name = f"{row['from']} -> {row['to']}"
        assert predicted[name] == pytest.approx(row["utilisation"], rel=0.05), name


def test_the_verb_writes_a_matrix(here: Path) -> None:
    pl.DataFrame(measured_of(network())).write_csv("loads.csv")
    options = ("--set", "topology=net", "--set", "queue=port")
    result = call("matrix", "abilene", *options, "--loads", "loads.csv", "--out", "estimate.csv")
    assert result.exit_code == 0, result.output
    assert holds(result.output, "loads determine", "gravity", "written to estimate.csv")
    assert call("check", "abilene", *options, "--set", "traffic=estimate.csv").exit_code == 0
    prior = call("matrix", "abilene", *options, "--loads", "loads.csv", "--prior", "matrix.csv", "--json")
    document = json.loads(prior.output)
    assert {row["from"] for row in document["demands"]} == set("ABCDE")
    assert document["prior"] == "matrix.csv"
    for arguments, message in (
        (("--loads", "loads.csv", "--prior", "none.csv"), "none.csv"),
        (("--loads", "none.csv"), "none.csv"),
    ):
        refused = call("matrix", "abilene", *options, *arguments)
        assert refused.exit_code == 2
        assert message in refused.output
    refused = call("matrix", "abilene", "--set", "topology=net", "--loads", "loads.csv")
    assert refused.exit_code == 2
    assert holds(refused.output, "network.queue = port")


def test_a_matrix_by_gravity_needs_no_loads(here: Path) -> None:
    chosen = network()
    links = {(each["from"], each["to"]): each["speed"] for each in chosen.describe()["loads"] if each["to"]}
    weight = {name: sum(speed for (a, _), speed in links.items() if a == name) for name in "ABCDE"}
    found = mn.traffic_matrix(chosen, prior="gravity", total="20 Mbit/s").demands
    assert len(found) == 20
    assert found["rate_mbps"].sum() == pytest.approx(20)
    products = np.array([weight[a] * weight[b] for a, b in found.select("from", "to").iter_rows()])
    assert found["rate_mbps"].to_numpy() == pytest.approx(20 * products / products.sum())

    options = ("abilene", "--set", "topology=net", "--set", "queue=port")
    done = call("matrix", *options, "--total", "20 Mbit/s", "--out", "gravity.csv")
    assert done.exit_code == 0, done.output
    assert holds(done.output, "20 demands", "20 Mbit/s", "no load")
    assert call("check", *options, "--set", "traffic=gravity.csv").exit_code == 0
    pl.DataFrame(measured_of(network())).write_csv("loads.csv")
    for arguments, fragments in (
        ((), ("--loads", "--total")),
        (("--loads", "loads.csv", "--total", "1 Mbit/s"), ("--loads", "--total")),
        (("--total", "0 Mbit/s"), ("--total", "0 Mbit/s", "more than 0")),
        (("--total", "20"), ("--total", "20", "unit")),
        (("--total", "1 Mbit/s", "--prior", "matrix.csv"), ("--prior", "matrix.csv", "gravity")),
    ):
        refused = call("matrix", *options, *arguments)
        assert refused.exit_code == 2, arguments
        assert holds(refused.output, *fragments)


def test_sentences_and_rates() -> None:
    assert [bit_rate(value) for value in (0, 12.5, 4e3, 9.92e9)] == ["0 bit/s", "12.5 bit/s", "4 kbit/s", "9.92 Gbit/s"]
    assert load_sentences([]) == []
