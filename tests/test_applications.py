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
from mesonet.scenarios.ladders import LADDERS
from mesonet.scenarios.scenario import Scenario
from mesonet.simulation.size import run_size

ENDS = {"from": "A", "to": "B"}
VIDEO = ENDS | {
    "application": "frames", "frame_rate": 30, "frame_size": "3750 B", "key_frame_size": "37500 B",
    "key_frame_every": 30,
}  # fmt: skip
ADAPTIVE = ENDS | {"application": "video"}


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
        ({"application": "film"}, "application", "film", "frames, constant, on_off, video"),
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
        (ADAPTIVE | {"abr": "bola"}, "abr", "bola", "buffer, rate, fixed"),
        (ADAPTIVE | {"abr": "fixed"}, "rung", None, "a whole number, at least 1"),
        (ADAPTIVE | {"rung": 2}, "rung", 2, 'rung with application = "video" and abr = "fixed"'),
        (
            ADAPTIVE | {"abr": "rate", "reservoir": 0.2},
            "reservoir", 0.2, 'reservoir with application = "video" and abr = "buffer"',
        ),
        (ADAPTIVE | {"late_after": "1 s"}, "late_after", "1 s", 'application = "frames"'),
        (VIDEO | {"ladder": "apple"}, "ladder", "apple", 'ladder with application = "video"'),
        (ADAPTIVE | {"ladder": "youtube"}, "ladder", "youtube", "apple, netflix; or bitrates from low to high, each"),
        (ADAPTIVE | {"ladder": []}, "ladder", [], "apple, netflix; or bitrates"),
        (ADAPTIVE | {"ladder": ["1 Mbit/s", "2"]}, "ladder[1]", "2", "Mbit/s"),
        (ADAPTIVE | {"ladder": "1 Mbit/s, 0 Mbit/s"}, "ladder[1]", "0 Mbit/s", "at least 0.001 seg/s"),
        (ADAPTIVE | {"chunk_time": "0 s"}, "chunk_time", "0 s", "at least 1 ms and at most 1000 s"),
        (ADAPTIVE | {"reservoir": 1.1}, "reservoir", 1.1, "at least 0 and at most 1"),
        (ADAPTIVE | {"abr": "rate", "rate_chunks": 0}, "rate_chunks", 0, "at least 1 and at most 1000"),
        (ADAPTIVE | {"abr": "rate", "rate_safety": 0}, "rate_safety", 0, "more than 0"),
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
        (ADAPTIVE | {"size": "1 MB"}, "size"),
        (ADAPTIVE | {"transport": "udp"}, "transport"),
        (ADAPTIVE | {"receiver": "optimistic"}, "receiver"),
        (ADAPTIVE | {"ladder": ["3 Mbit/s", "1 Mbit/s"]}, "ladder"),
        (ADAPTIVE | {"playback_buffer": "3.9 s"}, "playback_buffer"),
        (ADAPTIVE | {"startup_buffer": "29 s"}, "startup_buffer"),
        (ADAPTIVE | {"resume_buffer": "31 s"}, "resume_buffer"),
        (ADAPTIVE | {"cushion": 0.7}, "cushion"),
        (ADAPTIVE | {"abr": "fixed", "rung": 10}, "rung"),
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
    (tmp_path / "flows.csv").write_text(
        "from,to,application,ladder,abr,rung\n"
        'A,B,video,"1 Mbit/s, 3 Mbit/s",fixed,2\n'
        "A,B,video,netflix,,\n"
        "A,B,video,,rate,\n"
    )
    fixed = ADAPTIVE | {"ladder": ["1 Mbit/s", "3 Mbit/s"], "abr": "fixed", "rung": 2}
    adaptive = (ADAPTIVE | {"ladder": "netflix"}, ADAPTIVE | {"abr": "rate"})
    assert mn.scenario(tmp_path / "table.toml").value("flows") == with_flows(fixed, *adaptive).value("flows")
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


def test_a_video_has_a_ladder_a_buffer_and_a_rule() -> None:
    [flow] = with_flows(ADAPTIVE | {"ladder": ["600 kbit/s", "1.2 Mbit/s"]}).value("flows")
    assert flow["application"] == {
        "source": {
            "video": {
                "ladder": [50.0, 100.0], "chunk_time": 4.0, "playback_buffer": 30.0, "startup_buffer": 2.5,
                "resume_buffer": 5.0, "abr": {"buffer": {"reservoir": 0.375, "cushion": 0.525}},
            }
        }
    }  # fmt: skip
    scenario = with_flows(ADAPTIVE)
    assert [round(rate * 12) for rate in scenario.value("flows[0].ladder")] == list(LADDERS["apple"].rates)
    assert (scenario.value("flows[0].rung"), scenario.value("flows[0].reservoir")) == (None, 0.375)
    longer = scenario.with_values({"flows[0].playback_buffer": "1 min", "flows[0].abr": "rate"})
    assert (longer.value("flows[0].playback_buffer"), longer.value("flows[0].reservoir")) == (60.0, None)
    for ladder in LADDERS.values():
        assert list(ladder.rates) == sorted(set(ladder.rates))


@pytest.mark.parametrize("engine", ["domains", "reference"])
def test_a_video_beside_a_long_flow(engine: Any) -> None:
    """The bitrate is of the ladder or between its ends; time is played or stalled; others have no such values."""
    fixed = ADAPTIVE | {"abr": "fixed", "rung": 3, "ladder": "netflix", "start": "5 s"}
    values = {"network.speed": "4 Mbit/s", "network.buffer": "1 bdp", "time.duration": "60 s"}
    result = mn.simulate(with_flows(ADAPTIVE, fixed, ENDS, VIDEO, **values), engine=engine)
    table = result.applications.to_polars().filter(pl.col("period") == "measured")
    assert table["application"].to_list() == ["video", "video", "frames"]
    videos, frames = table.filter(pl.col("application") == "video"), table.filter(pl.col("application") == "frames")
    columns = [name for name in table.columns if name.startswith("video_")]
    assert frames.select(pl.col(columns).is_null()).row(0) == (True,) * 7
    assert videos["video_bitrate"][1] == pytest.approx(560 / 12)
    assert 145 / 12 <= videos["video_bitrate"][0] <= 7800 / 12
    spent = videos["video_played_s"] + videos["video_stalled_s"]
    assert spent[0] == pytest.approx(56)
    assert spent[1] + videos["video_startup_delay_s"][1] == pytest.approx(55)
    assert videos["video_startup_delay_s"][0] is None
    assert result.value("video_startup_delay") == videos["video_startup_delay_s"][1]
    assert result.value("video_rebuffering") == pytest.approx(videos["video_stalled_s"].sum() / spent.sum())
    assert videos["messages"].to_list() == [0, 0]
    alone = mn.simulate(with_flows(VIDEO, ENDS), engine=engine)
    assert all(np.isnan(alone.value(name)) for name in ("video_bitrate", "video_stalls", "video_startup_delay"))


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
