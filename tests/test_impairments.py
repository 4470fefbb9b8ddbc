"""Impaired links in scenarios: traces from lists and files, what is refused, and what a run makes of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mesonet as mn
from fragments import holds
from mesonet import plots
from mesonet.errors import InputError
from mesonet.maps.network import network_map
from mesonet.scenarios import settings
from mesonet.scenarios.derived import impairment_notes
from mesonet.scenarios.scaling import scaled
from mesonet.simulation.result import Result


def test_points_have_units() -> None:
    assert settings.parse("impairments.capacity", "none") is None
    rates = settings.parse("impairments.capacity", [["0 s", "12 Mbit/s"], ["500 ms", "100 seg/s"]])
    assert rates == {"kind": "rates", "points": [[0.0, 1000.0], [0.5, 100.0]], "period": None}
    delays = settings.parse("impairments.delays", {"points": [["0 s", "5 ms"]], "period": "1 min"})
    assert delays == {"points": [[0.0, 0.005]], "period": 60.0}
    assert settings.show("impairments.capacity", rates) == "2 points, 100 seg/s to 1 seg/ms"
    assert settings.show("impairments.delays", delays) == "1 point, 5 ms, again every 60 s"


def test_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "lte.csv").write_text("time_s,rate_mbps\n0,12\n2,1.2\n")
    (tmp_path / "leo.csv").write_text("time_s,delay_ms\n0,0\n15,12\n")
    (tmp_path / "up.trace").write_text("1\n1\n4\n10\n")
    scenario = tmp_path / "path.toml"
    scenario.write_text(
        'base = "dumbbell"\n[network]\nqueue = "port"\n[impairments]\nat = ["A -> B"]\ncapacity = "lte.csv"\n'
        'delays = {file = "leo.csv", period = "30 s"}\n[[flows]]\nfrom = "A"\nto = "B"\n'
    )
    given = mn.scenario(str(scenario)).canonical()["impairments"]
    assert given["capacity"]["points"] == [[0.0, 1000.0], [2.0, 100.0]]
    assert given["delays"] == {"points": [[0.0, 0.0], [15.0, 0.012]], "period": 30.0}
    found = settings.parse("impairments.capacity", str(tmp_path / "up.trace"))
    # The last opportunity, at 10 ms, is the beginning of the next round.
    points = [[0.0, 1.0], [0.001, 2.0], [0.004, 1.0]]
    assert found == {"kind": "opportunities", "points": points, "period": 0.01}
    small = mn.scenario("dumbbell", segment_bytes=750).set("impairments.capacity", str(tmp_path / "up.trace"))
    half = small.value("impairments.capacity")
    assert half["points"][1] == [0.001, 4.0]


LONGER = Path(__file__).parents[1] / "examples" / "paths" / "longer.toml"


def test_a_longer_path_slows_bbr3_less_with_room_for_bunches() -> None:
    """docs/explanation/bbr-longer-paths.md: without the room, the window falls to four segments."""

    def carried(**values: object) -> list[float]:
        """Return the part of 5 Mbit/s that each flow carries in 10 s, of which 5 s are before the growth."""
        flows = mn.simulate(mn.scenario(LONGER, duration="10 s", **values)).flows
        return [goodput * 12_000 / 5e6 for goodput in flows.column("goodput")]

    bbr3, bbr, cubic = carried()
    assert 0.72 < bbr3 < 0.85 < bbr < cubic
    without, *others = carried(**{"parameters.bbr3.extra_acked_gain": 0})
    assert without < 0.7
    assert others == [bbr, cubic]


@pytest.mark.parametrize("period", [None, "4 s"])
def test_the_first_rate_holds_from_the_start(period: str | None) -> None:
    def run(first: str) -> Result:
        points = [[first, "10 Mbit/s"], ["2 s", "5 Mbit/s"]]
        values = {
            "network.queue": "port", "network.buffer": "100 ms", "impairments.at": ["A -> B"], "duration": "6 s",
            "impairments.capacity": {"points": points} | ({"period": period} if period else {}),
        }  # fmt: skip
        return mn.simulate(mn.scenario("dumbbell", algorithm="tcp", flows=[{"from": "A", "to": "B"}], **values))

    late, early = run("1 s"), run("0 s")
    assert late.routers == early.routers, "speed and buffer follow the mean rate"
    assert late.series == early.series


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time_s,rate\n0,1\n", "rate"),
        ("time_s,rate_mbps\n0,x\n", "line 2, rate_mbps"),
        ("1\n4\n3\n", "line 3"),
        ("0\n", "no opportunity"),
        ("", "empty"),
    ],
)
def test_files_that_are_no_traces_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "trace"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        settings.parse("impairments.capacity", str(file))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("impairments.capacity", "missing.csv", "no such file"),
        ("impairments.capacity", [["0 s"]], "not a list of points"),
        ("impairments.capacity", [["0 s", "5"]], "unit"),
        ("impairments.capacity", {"points": [["0 s", "1 Mbit/s"]], "every": "1 s"}, "key of a trace"),
        ("impairments.delays", [], "a trace of 0 points"),
        ("impairments.jitter_mean", [["0 s", "1 Mbit/s"]], "unit"),
        ("impairments.jitter_mean", "missing.csv", "no such file"),
        ("impairments.loss", [["0 s", 1.5]], "too high"),
        ("impairments.loss", [["0 s"]], "not a list of points"),
        ("impairments.outages", [["1 s", "0 s"]], "too low"),
        ("impairments.buffers", "100 segments", "no such file"),
        ("impairments.loss", 1.5, "too high"),
        ("impairments.jitter", "gamma", "choice"),
    ],
)
def test_values_that_are_no_impairments_are_refused(path: str, value: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        mn.scenario("dumbbell").set(path, value)


def test_the_engine_refuses_what_contradicts_itself() -> None:
    port = mn.scenario("dumbbell").with_values({"network.queue": "port", "impairments.at": ["A -> B"]})
    with pytest.raises(InputError, match="nothing is served"):
        mn.simulate(port.set("impairments.capacity", [["0 s", "1 Mbit/s"], ["1 s", "0 bit/s"]]))
    with pytest.raises(InputError, match="names no link"):
        mn.simulate(port.with_values({"impairments.at": ["A -> C"], "impairments.loss": 0.1}))


def test_values_without_effect_are_noted() -> None:
    def notes(**values: object) -> list[str]:
        return impairment_notes(mn.scenario("dumbbell").with_values({f"impairments.{k}": v for k, v in values.items()}))

    assert notes(loss=0.1, jitter="uniform", jitter_mean="1 ms", keep_order=False) == []
    assert notes(to_good=0.5) == ["impairments.to_good has no effect: impairments.to_bad is 0"]
    assert notes(late=0.1) == ["impairments.late has no effect: impairments.late_by is 0"]
    means = [["0 s", "1 ms"], ["1 s", "12 ms"]]
    assert notes(jitter="wifi", jitter_mean=means, keep_order=False) == []
    assert notes(jitter_mean=means) == ["impairments.jitter_mean has no effect: impairments.jitter is none"]
    assert notes(to_bad=[["0 s", 0], ["1 s", 0.1]], to_good=0.5, outages=[["1 s", "1 s"]], outage="drop") == []
    [note] = notes(keep_order=False)
    assert holds(note, "impairments.keep_order", "no effect", "no delay")


def test_rates_of_links_scale_with_the_network() -> None:
    scenario = mn.scenario("dumbbell").with_values(
        {
            "network.queue": "port", "impairments.at": ["A -> B"], "impairments.policer_rate": "400 seg/s",
            "impairments.capacity": [["0 s", "12 Mbit/s"]],
        }
    )  # fmt: skip
    half = scaled(scenario, 0.5)
    assert half.value("impairments.policer_rate") == 200
    assert half.value("network.capacity_factor") == 0.5


def test_maps_mark_impaired_links() -> None:
    scenario = mn.scenario("abilene").with_values({"impairments.at": ["A - B"], "impairments.loss": 0.01})
    shown = network_map(scenario, scenario.describe())
    impaired = [link for link in shown.links if link.impaired]
    assert [{shown.routers[link.a].name, shown.routers[link.b].name} for link in impaired] == [{"A", "B"}]
    chart = json.dumps(plots.topology(shown).to_dict())
    assert "strokeDash" in chart
    clean = mn.scenario("abilene")
    assert "strokeDash" not in json.dumps(plots.topology(network_map(clean, clean.describe())).to_dict())


def test_means_of_jitter_follow_the_time(tmp_path: Path) -> None:
    flow = {
        "from": "A", "to": "B", "transport": "udp", "application": "constant", "rate": "100 seg/s",
        "interface": "1 Gbit/s",
    }  # fmt: skip
    (tmp_path / "means.csv").write_text("time_s,delay_ms\n0,0\n10,40\n")
    scenario = mn.scenario("dumbbell").with_values(
        {
            "network.queue": "port", "impairments.at": ["A -> B"], "impairments.jitter": "uniform", "flows": [flow],
            "impairments.jitter_mean": str(tmp_path / "means.csv"), "time.duration": "20 s", "time.warmup": "0 s",
            "time.periods": 2, "impairments.keep_order": False,
        }
    )  # fmt: skip
    assert "0 s" in scenario.settings["impairments.jitter_mean"].text
    result = mn.simulate(scenario, seed=1)
    calm, noisy = (result.value("datagram_delay_p50", period) for period in ("1", "2"))
    assert 80 < calm < 83  # 81 ms of propagation
    assert 30 < noisy - calm < 50


def test_a_link_loses_what_it_is_to_lose() -> None:
    scenario = mn.scenario("dumbbell").with_values(
        {
            "network.queue": "port", "network.buffer": "1 s", "impairments.at": ["A -> B"], "impairments.loss": 0.01,
            "time.duration": "60 s", "flows": [{"from": "A", "to": "B", "algorithm": "cubic"}],
        }
    )  # fmt: skip
    result = mn.simulate(scenario, seed=3)
    series = result.series.to_polars()
    lost = series["lost_on_links"].sum()
    assert lost > 30
    assert lost == series["segments_dropped"].sum()
    assert result.routers.to_polars()["segments_dropped"].sum() == 0


def test_sets_with_names_impair_other_links(tmp_path: Path) -> None:
    (tmp_path / "leo.csv").write_text("time_s,delay_ms\n0,0\n15,12\n")
    file = tmp_path / "two.toml"
    file.write_text(
        'base = "dumbbell"\nnetwork.queue = "port"\n[impairments]\nat = ["A -> B"]\nloss = 0.01\n'
        '[impairments.sky]\nat = ["B -> A"]\ndelays = {file = "leo.csv", period = "30 s"}\npolicer_rate = "12 Mbit/s"\n'
        '[[flows]]\nfrom = "A"\nto = "B"\n'
    )
    scenario = mn.scenario(str(file))
    canonical = scenario.canonical()
    assert canonical["impairments"]["loss"] == 0.01
    assert canonical["impairments"]["delays"] is None
    sky = canonical["impairment_sets"]["sky"]
    assert sky["delays"] == {"points": [[0, 0], [15, 0.012]], "period": 30}
    assert (sky["loss"], sky["policer_rate"], sky["at"]) == (0, 1000, ["B -> A"])
    assert set(sky) == set(canonical["impairments"])
    assert "impairment_sets" not in mn.scenario("dumbbell").canonical()
    shown = {row.path: row.value for row in scenario.explain()}
    assert (shown["impairments.sky.policer_rate"], shown["impairments.sky.loss"]) == ("1 seg/ms", "0")
    assert scaled(scenario, 0.5).value("impairments.sky.policer_rate") == 500
    assert impairment_notes(scenario.set("impairments.sky.late", 0.1)) == [
        "impairments.sky.late has no effect: impairments.sky.late_by is 0"
    ]
    assert mn.simulate(scenario.set("duration", "1 s"), seed=1)


@pytest.mark.parametrize(
    ("values", "path", "words"),
    [
        ({"impairments.air.los": 1}, "impairments.air.los", "nearest: loss"),
        ({"impairments.air.loss": 2}, "impairments.air.loss", "too high"),
        ({"impairments.air.loss": 0.1}, "impairments.air.at", "needs its links"),
        (
            {"impairments.loss": 0.1, "impairments.air.loss": 0.1, "impairments.air.at": ["A -> B"]},
            "impairments.air.at",
            "is a link of impairments already",
        ),
        ({"impairments.air.at": ["A -> Z"]}, "impairments.air.at[0]", "names no link"),
    ],
)
def test_refusals_name_the_set(values: dict[str, object], path: str, words: str) -> None:
    with pytest.raises(InputError, match=r".") as refused:
        mn.scenario("dumbbell").with_values(values).describe()
    assert refused.value.path == path
    assert words in str(refused.value)
