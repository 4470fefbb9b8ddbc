"""Detailed traces, explicit flows, and sizes in bytes, from a scenario file to the tables."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import mesonet as mn
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.scenarios.scenario import scenario

PAIR = """
title = "Two flows, one of which stops"
base = "dumbbell"
time.duration = "6 s"
time.warmup = "0 s"
time.periods = 1

[trace]
flows = [1, 2]
routers = ["A"]
every = "50 ms"

[[flows]]
from = "A"
to = "B"
interface = "12 Mbps"
stop = "3 s"

[[flows]]
from = "A"
to = "B"
start = "1 s"
interface = "12 Mbps"
extra_delay = "20 ms"
overhead = "1 ms"
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory):
    file = tmp_path_factory.mktemp("pair") / "pair.toml"
    file.write_text(PAIR)
    return mn.simulate(scenario(file), seed=1)


def test_traces_have_a_row_per_flow_or_router_and_instant(result) -> None:
    flows, routers = result.flow_traces.to_polars(), result.router_traces.to_polars()
    assert len(routers) == 120
    assert set(routers["router"]) == {"A"}
    assert set(flows["flow"]) == {"flow 1", "flow 2"}
    assert flows.filter(pl.col("flow") == "flow 1")["time_s"].max() < 3.3  # it ended
    second = flows.filter(pl.col("flow") == "flow 2")
    assert second["state"][0] == "connecting"
    assert second["rtt_ms"].max() == pytest.approx(162 + 40 + 2 * 1000 / 21_000, abs=0.01)
    assert result.flow_traces.units["cwnd"] == "segments"


def test_a_stopped_flow_is_complete(result) -> None:
    flows = result.flows.to_polars().sort("source")
    assert flows["completed"].to_list() == [1, 0]
    assert flows["size"][0] == flows["segments_delivered"][0]


def test_traces_are_written_beside_the_results(result, tmp_path: Path) -> None:
    folder = result.write(tmp_path / "out")
    assert pl.read_parquet(folder / "flow_traces.parquet").equals(result.flow_traces.to_polars())
    assert pl.read_parquet(folder / "routers.parquet")["router"].unique().sort().to_list() == ["A", "B"]


def test_nothing_is_traced_unless_asked_for() -> None:
    quiet = mn.simulate(scenario("dumbbell", duration="1 s"), seed=1)
    assert (len(quiet.flow_traces), len(quiet.router_traces), len(quiet.packets)) == (0, 0, 0)


def test_packets_are_the_segments_of_the_traced_flows(tmp_path: Path) -> None:
    (tmp_path / "pair.toml").write_text(PAIR)
    values = {"network.buffer": "20 segments", "network.speed": "600 seg/s"}
    shallow = scenario(tmp_path / "pair.toml").with_values(values)
    plain, traced = (mn.simulate(shallow.set("trace.packets", wanted), seed=1) for wanted in (False, True))
    assert len(plain.packets) == 0
    for name in ("series", "flows", "flow_traces", "responses"):
        assert getattr(traced, name).to_polars().equals(getattr(plain, name).to_polars()), name
    packets = traced.packets.to_polars()
    assert packets["time_s"].is_sorted()
    is_sent = pl.col("event").is_in(["sent", "retransmitted"])
    counted = packets.group_by("flow").agg(
        is_sent.sum().alias("segments_sent").cast(pl.UInt64),
        (pl.col("event") == "dropped").sum().alias("losses").cast(pl.UInt64),
        pl.col("transmission").max(),
    )
    flows = traced.flows.to_polars().select(pl.col("user").alias("flow"), "segments_sent", "losses")
    together = counted.join(flows, on=["flow", "segments_sent", "losses"])
    assert len(together) == 2
    assert together["losses"].sum() > 0
    assert (together["transmission"] == together["segments_sent"]).all()
    dropped, lost = (packets.filter(event=event) for event in ("dropped", "lost"))
    assert len(lost) > 0.5 * len(dropped)
    assert len(lost.join(dropped, on=["flow", "transmission"], how="anti")) == 0
    assert packets.filter(is_sent)["cwnd"].null_count() == 0
    assert packets.filter(~is_sent)["in_flight"].is_null().all()
    folder = traced.write(tmp_path / "out")
    assert pl.read_parquet(folder / "packets.parquet").equals(packets)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"trace.flows": [1.5]}, "1.5 is not a whole number"),
        ({"trace.every": "2 h", "trace.flows": 1}, 'trace.every = "120 min": longer than the run'),
        ({"flows": [{"from": "A", "to": "B", "start": "2 s", "stop": "1 s"}]}, "cannot stop before it starts"),
        ({"flows": [{"from": "A", "to": "B", "start_within": "2 s", "stop": "1 s"}]}, "cannot stop before it starts"),
        ({"flows": [{"from": "A", "to": "B", "start_within": "-2 s"}]}, "start_within"),
        (
            {"flows": [{"from": "A", "to": "B", "overhead": "-1 ms"}]},
            "too low. Allowed: at least 0 s and at most 100 s",
        ),
        ({"flows": [{"from": "A", "to": "B", "extra_delay": 3}]}, 'a time needs its unit: write "3 ms"'),
    ],
)
def test_what_cannot_be_is_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        mn.simulate(scenario("dumbbell").with_values(values), seed=1)
    assert message in str(error.value)


@pytest.mark.parametrize("verb", ["check", "run"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("dumbbell trace.flows=1,2", 'trace.flows = "1, 2": there is no flow 2. Allowed: a number from 1 to 1'),
        ("dumbbell trace.flows=3 long_lived_flows=1", "there is no flow 3. Allowed: a number from 1 to 2"),
        ("dumbbell trace.packets=true", "packets of no flow. Allowed: with trace.flows or trace.sources"),
        ("dumbbell trace.flows=1 trace.packets=2", 'trace.packets = "2": not true or false. Allowed: true, false'),
        ("abilene trace.flows=1", "there is no flow 1. Allowed: none, the scenario has no explicit flows"),
        ("dumbbell trace.sources=7", "there is no source 7. Allowed: none, the scenario has no sources"),
        ("abilene trace.sources=17460", "there is no source 17460. Allowed: at least 0 and less than 17460"),
        ("dumbbell trace.routers=Z", 'trace.routers = "Z": there is no router "Z". Allowed: all, A, B\n'),
        ("dumbbell long_lived_flows=3", "3 is too many for the topology dumbbell. Allowed: at most 1\n"),
    ],
)
def test_a_check_refuses_what_a_run_refuses(verb: str, options: str, message: str) -> None:
    result = CliRunner().invoke(main, [verb, *options.replace(" ", " --set=").split()])
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert message in result.stderr


def test_a_long_lived_flow_can_be_traced() -> None:
    assert (
        CliRunner().invoke(main, ["check", "dumbbell", "--set=long_lived_flows=1", "--set=trace.flows=2"]).exit_code
        == 0
    )


def test_bits_and_bytes_follow_the_size_of_a_segment() -> None:
    small = scenario("dumbbell", segment_bytes=500, speed="1.6 Mbps", web_object_size="50 kB")
    assert small.value("network.speed") == 400
    assert small.value("users.web_object_size") == 100
    # Whatever comes first; what was not given in bits or bytes stays, flows included.
    assert scenario("dumbbell", speed="1.6 Mbps").set("segment_bytes", 500).value("network.speed") == 400
    assert small.value("flows")[0]["interface"] == 80_000
    flow = {"from": "A", "to": "B", "interface": "10 Mbps", "size": "1 MB"}
    assert small.set("flows", [flow]).value("flows")[0]["interface"] == 2_500
    assert small.set("flows", [flow]).value("flows")[0]["size"] == 2_000
    assert scenario("dumbbell", speed="1.6 Mbps").value("network.speed") == pytest.approx(1.6e6 / 12_000)
    assert small.hash != scenario("dumbbell", segment_bytes=500, speed="1.6 Mbps", web_object_size="51 kB").hash


def test_a_run_knows_when_it_settled() -> None:
    run = mn.simulate(scenario("abilene", base_sources=2, speed="80 seg/ms", duration="20 s", start="thinking"), seed=1)
    assert 0 < run.settling_time() < 15
    assert (
        mn.simulate(scenario("abilene", base_sources=2, speed="80 seg/ms", duration="2 s"), seed=1).settling_time()
        is None
    )


def test_an_interval_longer_than_a_period_is_refused() -> None:
    with pytest.raises(InputError, match=r"longer than a measured period of 85.7142857"):
        mn.simulate(scenario("dumbbell", duration="1 s", periods=7), seed=1)
