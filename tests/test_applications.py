"""Applications of explicit flows from the keys of a file to the tables of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import mesonet as mn
from mesonet.errors import InputError
from mesonet.scenarios.scenario import Scenario
from mesonet.simulation.size import run_size

ENDS = {"from": "A", "to": "B"}
VIDEO = ENDS | {
    "application": "frames", "frame_rate": 30, "frame_size": "3750 B", "key_frame_size": "37500 B",
    "key_frame_every": 30,
}  # fmt: skip


def with_flows(*flows: dict[str, Any], **values: Any) -> Scenario:
    times = {"time.duration": "20 s", "time.warmup": "4 s", "time.periods": 2}
    return mn.scenario("dumbbell").with_values(times | values | {"flows": list(flows)})


def test_sizes_in_bytes_are_those_of_the_segments_of_the_flow() -> None:
    flow = with_flows(VIDEO | {"segment_bytes": 1250}, **{"network.queue": "port"}).value("flows")[0]
    frames = flow["application"]["source"]["frames"]
    assert frames == {"rate": 30.0, "size": 3.0, "key_size": 30.0, "key_every": 30}
    assert "transport" not in flow
    audio = ENDS | {"transport": "udp", "application": "constant", "rate": "32 kbit/s", "segment_bytes": 80}
    flow = with_flows(audio, **{"network.queue": "port"}).value("flows")[0]
    assert flow["application"]["source"] == {"constant": {"rate": 50.0}}
    assert (flow["transport"], flow["application"]["late_after"]) == ("udp", 0.25)
    # A flow without an application looks as it did before there were any.
    assert not {"application", "transport"} & set(with_flows(ENDS).value("flows")[0])


@pytest.mark.parametrize(
    ("flow", "path", "value", "allowed"),
    [
        ({"application": "film"}, "application", "film", "frames, constant, on_off"),
        ({"transport": "sctp"}, "transport", "sctp", "tcp, udp"),
        ({"frame_rate": 30}, "frame_rate", 30, 'frame_rate with application = "frames"'),
        ({"application": "constant"}, "rate", None, "at least 0.001 seg/s and at most 1000000 seg/ms"),
        ({"application": "constant", "rate": "0 seg/s"}, "rate", "0 seg/s", "at least 0.001 seg/s and at most"),
        ({"application": "constant", "rate": 5}, "rate", 5, "seg/s"),
        (
            {"application": "constant", "rate": "5 seg/s", "idle_time": "1 s"},
            "idle_time", "1 s", 'idle_time with application = "on_off"',
        ),
        (VIDEO | {"key_frame_every": 0}, "key_frame_every", 0, "at least 1 and at most 1000000"),
        (VIDEO | {"frame_size": "0 B"}, "frame_size", "0 B", "more than 0 segments"),
        (VIDEO | {"late_after": "0 s"}, "late_after", "0 s", "more than 0 s"),
        (
            {"application": "on_off", "burst_size": "1 kB", "idle_time": "1 s", "idle": "uniform"},
            "idle", "uniform", "constant, exponential",
        ),
        (
            {"application": "on_off", "burst_time": "1 s", "idle_time": "1 s", "burst": "pareto"},
            "burst", "pareto", "constant, exponential",
        ),
    ],
)  # fmt: skip
def test_bad_keys_are_refused(flow: dict[str, Any], path: str, value: Any, allowed: str) -> None:
    with pytest.raises(InputError) as refused:
        with_flows(ENDS, ENDS | flow)
    assert refused.value.path == f"flows[1].{path}"
    assert refused.value.value == value
    assert allowed in str(refused.value)


@pytest.mark.parametrize(
    ("flow", "path"),
    [
        (VIDEO | {"size": "1 MB"}, "size"),
        (ENDS | {"transport": "udp"}, "application"),
        (VIDEO | {"transport": "udp", "algorithm": "cubic"}, "algorithm"),
        (VIDEO | {"transport": "udp", "interface": "10 seg/s"}, "interface"),
        (ENDS | {"application": "on_off", "idle_time": "1 s"}, "burst_size"),
    ],
)
def test_contradictions_are_refused(flow: dict[str, Any], path: str) -> None:
    with pytest.raises(InputError) as refused:
        mn.simulate(with_flows(flow, **({"algorithms": {"cubic": 1.0}} if "algorithm" in flow else {})))
    assert refused.value.path == f"flows[0].{path}"
    assert refused.value.allowed


def test_a_table_of_flows_has_applications(tmp_path: Path) -> None:
    (tmp_path / "flows.csv").write_text(
        "from,to,application,frame_rate,frame_size,key_frame_size,key_frame_every,transport,rate\n"
        "A,B,frames,30,3750 B,37500 B,30,,\n"
        "A,B,,,,,,,\n"
        "A,B,constant,,,,,udp,50 seg/s\n"
    )
    (tmp_path / "table.toml").write_text('base = "dumbbell"\nflows = "flows.csv"\n')
    from_table = mn.scenario(tmp_path / "table.toml").value("flows")
    audio = ENDS | {"application": "constant", "rate": "50 seg/s", "transport": "udp"}
    assert from_table == with_flows(VIDEO, ENDS, audio).value("flows")
    (tmp_path / "flows.csv").write_text("from,to,application,key_frame_every\nA,B,frames,two\n")
    with pytest.raises(InputError, match=r"line 2.*key_frame_every|key_frame_every.*two"):
        mn.scenario(tmp_path / "table.toml")


def test_watched_receivers_count_in_the_expected_memory() -> None:
    def memory(flow: dict[str, Any]) -> int:
        scenario = with_flows(flow | {"count": 1000})
        return run_size(json.loads(scenario.to_json()), scenario.describe()).memory_bytes

    # Two periods, and what lies outside of them.
    assert memory(VIDEO) - memory(ENDS) == 1000 * 3 * 20_000
    assert memory(ENDS | {"receiver": "ignores_ce"}) == memory(VIDEO)


def test_check_shows_what_feeds_a_flow() -> None:
    audio = ENDS | {"transport": "udp", "application": "constant", "rate": "50 seg/s"}
    rows = {row.path: row.value for row in with_flows(VIDEO, ENDS, audio).explain()}
    assert rows["flows"] == "A to B from 0 s (frames); A to B from 0 s; A to B from 0 s (constant, udp)"


def test_the_built_in_scenario_tells_algorithms_apart() -> None:
    late = {}
    for algorithm in ("cubic", "bbr3"):
        result = mn.simulate(mn.scenario("video-beside-bulk", algorithm=algorithm))
        late[algorithm] = result.value("frames_late")
        table = result.applications.to_polars()
        assert table["flow"].to_list() == [1, 1]
        assert table["messages_late"].to_list() == [late[algorithm]] * 2
        assert np.isnan(result.value("datagrams_sent"))
    assert all(count > 0 for count in late.values())
    assert late["cubic"] != late["bbr3"]


@pytest.mark.parametrize("engine", ["domains", "reference"])
def test_counts_add_up(engine: Any) -> None:
    """Of two floods beside a flow of TCP: what was sent was delivered, dropped or is in flight."""
    flood = ENDS | {"transport": "udp", "application": "constant", "rate": "40 seg/ms"}
    result = mn.simulate(with_flows(flood, ENDS, flood | {"rate": "5 seg/ms", "from": "B", "to": "A"}), engine=engine)
    table = result.applications.to_polars().filter(pl.col("period") == "measured")
    assert table["flow"].to_list() == [1, 3]
    assert table["segments_sent"].to_list() == [640_000, 80_000]
    # 21,000 segments/s leave the router that all pass.
    assert table["segments_received"][0] / 16 < 21_000
    ends = table["segments_received"] + table["segments_dropped"]
    assert all(abs(ends - table["segments_sent"]) < 21_000 * 0.3)
    dropped = result.routers.to_polars().filter(pl.col("period") == "measured")["segments_dropped"].sum()
    tcp = result.flows.to_polars()["losses"].sum()
    assert 0 <= dropped - table["segments_dropped"].sum() <= tcp


PIECES = "a whole number, at least 2 and at most 10000"


@pytest.mark.parametrize(
    ("flow", "path", "value", "allowed"),
    [
        ({"receiver": "lazy"}, "receiver", "lazy", "standard, ack_division, optimistic, ignores_ce"),
        ({"receiver": "ack_division"}, "ack_pieces", None, PIECES),
        ({"receiver": "ack_division", "ack_pieces": 1}, "ack_pieces", 1, PIECES),
        ({"ack_pieces": 3}, "ack_pieces", 3, 'ack_pieces with receiver = "ack_division"'),
    ],
)
def test_bad_receivers_are_refused(flow: dict[str, Any], path: str, value: Any, allowed: str) -> None:
    with pytest.raises(InputError) as refused:
        with_flows(ENDS | flow)
    assert (refused.value.path, refused.value.value, refused.value.allowed) == (f"flows[0].{path}", value, allowed)


def test_receivers_that_cheat_take_from_others() -> None:
    def shares(receiver: dict[str, Any], **values: Any) -> tuple[float, float]:
        cheat = ENDS | {"interface": "30 seg/ms"} | receiver
        result = mn.simulate(with_flows(ENDS, cheat, **({"network.ack_path": "delay"} | values)))
        last = result.series.to_polars()[-1]
        return last["flow_1_delivered"].item(), last["flow_2_delivered"].item()

    honest, _ = shares({})
    for receiver, values in (
        ({"receiver": "optimistic"}, {}),
        ({"receiver": "ignores_ce"}, {"network.ecn_threshold": "60 segments"}),
        ({"receiver": "ack_division", "ack_pieces": 20}, {"transport.window_growth": "acks"}),
    ):
        robbed, cheat = shares(receiver, **values)
        assert robbed < 0.7 * honest, receiver
        assert cheat > robbed, receiver
    assert shares({"receiver": "ack_division", "ack_pieces": 20})[0] == pytest.approx(honest, rel=0.3)
