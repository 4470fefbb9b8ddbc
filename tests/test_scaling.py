"""Smaller versions of a network: the values that a scale multiplies, and the networks that it would distort."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mesonet as mn
from fragments import holds
from mesonet.errors import InputError
from mesonet.scenarios.scaling import refuse_distorted, scale_notes, scaled
from mesonet.scenarios.scenario import Scenario

ENDS = {"from": "A", "to": "B"}


def users(**values: Any) -> Scenario:
    return mn.scenario("abilene", **{"queue": "port", "base_sources": 2, **values})


def at_bottleneck(**values: Any) -> Scenario:
    return mn.scenario("dumbbell", **{"queue": "port", **values})


def test_interfaces_scale_with_ports_only() -> None:
    paths = ("users.normal_interface", "users.fast_interface")
    assert [scaled(users(), 0.1).value(path) for path in paths] == [800, 8000]
    assert [scaled(users(queue="router"), 0.1).value(path) for path in paths] == [8000, 80000]


def test_interfaces_of_explicit_flows_and_arrivals_scale_with_ports_only() -> None:
    small = {**ENDS, "interface": "1 Mbit/s", "segment_bytes": 500}
    flows = [{**ENDS, "interface": "8 seg/ms", "count": 2}, ENDS, small]
    arrivals = [{**ENDS, "rate": "200 flows/s", "sizes": "10 segments"}]
    for queue, factor in (("port", 0.1), ("router", 1)):
        tenth = scaled(at_bottleneck(queue=queue, flows=flows, arrivals=arrivals), 0.1)
        found = [flow["interface"] for flow in tenth.value("flows")]
        assert found == pytest.approx([8000 * factor, 8000 * factor, 80000 * factor, 250 * factor])
        assert tenth.value("arrivals[0].interface") == pytest.approx(80000 * factor)
        assert tenth.value("arrivals[0].rate") == pytest.approx(20)
        tenth.check()


def test_flows_of_a_table_scale(tmp_path: Path) -> None:
    (tmp_path / "flows.csv").write_text("from,to,size,interface\nA,B,100 segments,2 seg/ms\nA,B,,1 seg/ms\n")
    tenth = scaled(at_bottleneck(flows=str(tmp_path / "flows.csv")), 0.1)
    assert [(flow["interface"], flow["size"]) for flow in tenth.value("flows")] == [(200, 100), (100, None)]


def test_data_that_applications_offer_scale() -> None:
    frames = {"application": "frames", "frame_rate": 30, "frame_size": "15 kB", "key_frame_size": "40 segments"}
    bursts = {"application": "on_off", "burst_time": "1 s", "rate": "6 Mbit/s", "idle_time": "1 s"}
    half = scaled(at_bottleneck(queue="router", flows=[{**ENDS, **frames}, {**ENDS, **bursts}]), 0.5)
    video, burst = (flow["application"]["source"] for flow in half.value("flows"))
    assert (video["frames"]["size"], video["frames"]["key_size"], video["frames"]["rate"]) == (5, 20, 30)
    assert burst["on_off"]["rate"] == 250
    for ladder, rates in ({}, [145, 7800]), ({"ladder": ["1 Mbit/s", "3 Mbit/s"]}, [1000, 3000]):
        flow = {**ENDS, "application": "video", **ladder}
        [found] = scaled(at_bottleneck(queue="router", flows=[flow]), 0.5).value("flows")
        found = found["application"]["source"]["video"]["ladder"]
        assert [found[0], found[-1]] == pytest.approx([0.5 * rate / 12 for rate in rates])
    # 145 kbit/s x 4 s are 48.3 segments.
    refuse_distorted(at_bottleneck(flows=[{**ENDS, "application": "video"}]), 0.03)
    with pytest.raises(InputError, match=r"flows\[0\]\.ladder \(0\.96\d* segments\) becomes smaller than a segment"):
        refuse_distorted(at_bottleneck(flows=[{**ENDS, "application": "video"}]), 0.02)
    refuse_distorted(at_bottleneck(flows=[{**ENDS, **frames}]), 0.1)
    with pytest.raises(InputError, match=r"flows\[0\]\.frame_size \(0\.5 segments\) becomes smaller than a segment"):
        refuse_distorted(at_bottleneck(flows=[{**ENDS, **frames}]), 0.05)


def test_queues_in_segments_keep_their_time() -> None:
    values = {"buffer": "500 segments", "network.ecn_threshold": "60 segments", "aqm.discipline": "red"}
    tenth = scaled(users(**values), 0.1)
    assert tenth.value("network.buffer") == {"rule": "segments", "factor": 50}
    assert tenth.value("network.ecn_threshold") == 6
    assert (tenth.value("aqm.red_min"), tenth.value("aqm.red_max")) == (0.5, 1.5)
    by_time = scaled(users(**{"aqm.discipline": "red", "aqm.red_adaptive": True}), 0.1)
    assert (by_time.value("aqm.red_min"), by_time.value("network.buffer")["factor"]) == (5, 1)


def test_capacities_of_single_links_scale() -> None:
    tenth = scaled(users(**{'links["A","B"].capacity': "10 Gbit/s"}), 0.1)
    assert tenth.value("network.capacity_factor") == pytest.approx(0.1)
    port = next(load for load in tenth.describe()["loads"] if load["queue"] == "A -> B")
    assert port["speed"] == pytest.approx(1e9 / 12000)


def test_ports_have_equal_loads_at_every_scale() -> None:
    whole = users(base_sources=100)
    before, after = ([each["load"] for each in of.describe()["classes"]] for of in (whole, scaled(whole, 0.1)))
    assert after == [pytest.approx(load) for load in before]
    refuse_distorted(whole, 0.1)


def test_the_notes_list_what_the_scale_multiplies() -> None:
    assert scale_notes(users()) == []
    notes = " ".join(scale_notes(scaled(users(flows=[ENDS | {"from": "Aa1", "to": "Ba1"}]), 0.5)))
    assert holds(notes, "network.speed", "users.normal_interface", "1 explicit flow")
    assert holds(" ".join(scale_notes(scaled(users(queue="router"), 0.5))), "interfaces", "network.queue = router")


def test_scales_that_distort_are_refused() -> None:
    with pytest.raises(InputError, match=r"normal access routers \(2 seg/ms\) become slower .*network\.queue = router"):
        refuse_distorted(users(queue="router", base_sources=100), 0.1)
    matrix = [{**ENDS, "rate": "1200 Mbit/s"}]
    refuse_distorted(users(traffic=matrix), 0.5)
    with pytest.raises(InputError, match="rounding moves"):
        refuse_distorted(users(traffic=matrix), 0.003)
