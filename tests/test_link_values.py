"""Values of single links as paths, in scenarios and as levels of factors."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import mesonet as mn
from fragments import holds
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.maps.loads import link_loads

LINKS = "from,to,delay_ms,cost,capacity_mbps\nA,B,2,1,100\nB,C,2,1,100\nC,A,2,5,100\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("net").mkdir()
    Path("net/nodes.csv").write_text("name,class\nA,plain\nB,plain\nC,plain\n")
    Path("net/links.csv").write_text(LINKS)
    Path("matrix.csv").write_text("from,to,rate_mbps\nA,C,10\n")
    return tmp_path


def loads(**values: object) -> dict[str, tuple[float, float]]:
    """Capacity in Mbit/s and offered share of the ports with a load."""
    paths = {path: value for path, value in values.items() if "[" in path}
    chosen = mn.scenario("abilene", topology="net", queue="port", traffic="matrix.csv").with_values(paths, "test")
    links = link_loads(chosen.describe(), 1500)
    return {link.name: (round(link.capacity / 1e6, 6), round(link.share, 6)) for link in links if link.share}


def test_values_of_links_replace_those_of_the_topology(here: Path) -> None:
    assert loads() == {
        "A -> B": (100, 0.1), "B -> C": (100, 0.1), "C -> hosts": pytest.approx((9600, 10 / 9600), abs=1e-6),
    }  # fmt: skip
    found = loads(**{'links["B","A"].capacity': "40 Mbit/s"})
    assert found["A -> B"] == (40, 0.25)
    # The path over B costs 2, and the link to C 1 in place of 5.
    assert "A -> C" in loads(**{"links['A','C'].cost": 1})
    assert "A -> C" in loads(**{'links["A","B"].state': "down"})
    chosen = mn.scenario("abilene", topology="net", queue="port")
    longer = chosen.with_values({'links["A","B"].delay': "7 ms", 'links["A","B"].buffer': "3 ms"}, "test")
    assert chosen.value('links["A","B"].delay') is None
    assert longer.value('links["B","A"].delay') == 0.007
    assert longer.canonical()["links"] == [{"between": ["A", "B"], "buffer": 0.003, "delay": 0.007}]
    assert "links" not in chosen.canonical()
    # By hand: A - B 14 ms, B - C 4 ms, A - C 18 ms over B, as A - C costs 5.
    assert longer.describe()["max_rtt"] == pytest.approx(0.018)
    rows = {row.path: row for row in longer.explain()}
    assert (rows['links["A","B"].delay'].value, rows['links["A","B"].delay'].source) == ("7 ms", "test")


def test_built_in_networks_have_links_with_values_too() -> None:
    chosen = mn.scenario("abilene", base_sources=1)
    longer = chosen.with_values({'links["A","B"].delay': "100 ms"}, "test")
    assert longer.describe()["mean_rtt"] > chosen.describe()["mean_rtt"]


def test_a_place_names_several_links_and_the_smaller_set_has_precedence(here: Path) -> None:
    assert loads(**{'links["plain"].capacity_factor': 2})["A -> B"] == (200, 0.05)
    values = {
        'links["all"].capacity': "10 Mbit/s",
        'links["plain"].capacity': "20 Mbit/s",
        'links["B"].capacity': "40 Mbit/s",
        'links["C","B"].capacity': "80 Mbit/s",
        'links["all"].capacity_factor': 3,
    }
    chosen = mn.scenario("abilene", topology="net", queue="port").with_values(values, "test")
    speeds = {load["queue"]: round(load["speed"] * 12e3) / 1e6 for load in chosen.describe()["loads"]}
    assert {name: speeds[name] for name in ("C -> A", "A -> B", "B -> C")} == {"C -> A": 20, "A -> B": 40, "B -> C": 80}
    assert [entry.get("at") or entry["between"] for entry in chosen.canonical()["links"]] == [
        "all", "plain", "B", ["B", "C"],
    ]  # fmt: skip
    up = mn.scenario("abilene", topology="net", traffic="matrix.csv", queue="port")
    up = up.with_values({'links["A"].state': "down", 'links["A","B"].state': "up"}, "test")
    assert {load["queue"] for load in up.describe()["loads"] if load["data"]} == {"A -> B", "B -> C", "C -> hosts"}


def test_the_class_of_a_link_is_the_class_of_its_outer_end() -> None:
    chosen = mn.scenario("abilene", base_sources=1)
    before = chosen.describe()["class_rtt"]
    longer = {
        place: chosen.with_values({f'links["{place}"].delay': "100 ms"}, "test").describe()["class_rtt"]
        for place in ("pop", "direct", "access")
    }
    # Links of PoPs and of access routers have no delay of their own. A path has one such link at each end, and flows
    # between direct routers cross no PoP.
    assert longer["access"] == [pytest.approx(rtt + 0.4) for rtt in before]
    assert (longer["direct"][0], longer["pop"][0]) == (pytest.approx(before[0] + 0.4), pytest.approx(before[0]))
    assert longer["direct"][1] < before[1] + 0.1


def test_values_of_links_are_factors(here: Path) -> None:
    Path("upgrade.toml").write_text(
        """name = "upgrade"
title = "Is the upgrade the better answer?"
scenario = "abilene"
algorithms = ["cubic"]
[set]
topology = "net"
"network.queue" = "port"
"users.traffic" = "matrix.csv"
"time.duration" = "1 s"
"time.warmup" = "0 s"
[[factors]]
id = "UP"
name = "capacity of A - B"
path = 'links["A","B"].capacity'
minus = "100 Mbit/s"
plus = "400 Mbit/s"
[[factors]]
id = "FAIL"
name = "link B - C"
path = 'links["B","C"].state'
minus = "up"
plus = "down"
"""
    )
    chosen = mn.experiment("upgrade.toml")
    found = [chosen.condition(number, "cubic").canonical()["links"] for number in range(1, 5)]
    assert sorted((links[0]["capacity"], links[1]["state"]) for links in found) == [
        (pytest.approx(100e6 / 12000), "down"), (pytest.approx(100e6 / 12000), "up"),
        (pytest.approx(400e6 / 12000), "down"), (pytest.approx(400e6 / 12000), "up"),
    ]  # fmt: skip
    assert chosen.run("campaign", workers=1, progress=False).counts["done"] == 4


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ('links["A","X"].cost', "1", ('links["A","X"].cost', 'no router "X"')),
        ('links["A","B"].width', "1", ("unknown key of links", "capacity")),
        ('links["A","B"].cost', "-1", ("too low",)),
        ('links["A","B"].capacity', "40", ("40 Mbit/s",)),
        ('links["A","B"].state', "away", ("up, down",)),
        ('links["pop"].cost', "1", ('links["pop"].cost', "names no link", "backbone, pop")),
        ('links["all"].capacity_factor', "0", ("too low",)),
    ],
)
def test_bad_values_of_links_are_refused(here: Path, path: str, value: str, words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as caught:
        mn.scenario("abilene", topology="net", queue="port").with_values({path: value}, "--set").describe()
    assert holds(str(caught.value), *words), caught.value


def test_links_that_would_divide_the_network_or_change_nothing_are_refused(here: Path) -> None:
    chosen = mn.scenario("abilene", topology="net", queue="port")
    apart = {'links["A","B"].state': "down", 'links["A","C"].state': "down"}
    with pytest.raises(InputError, match=r'routers "A" and "B" cannot reach each other'):
        chosen.with_values(apart, "test").describe()
    with pytest.raises(InputError, match=r'links\["A","B"\]\.capacity.*one queue.*Allowed: network\.queue = port'):
        mn.scenario("abilene", topology="net").with_values({'links["A","B"].capacity': "40 Mbit/s"}, "test").describe()
    result = CliRunner().invoke(
        main,
        [
            "check",
            "abilene",
            "--set",
            "topology=net",
            "--set",
            "queue=port",
            "--set",
            'links["A","B"].capacity=40 Mbit/s',
        ],
    )
    assert result.exit_code == 0, result.output
    assert 'links["A","B"].capacity' in result.output
