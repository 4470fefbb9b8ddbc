"""Whole transport stacks of a build: `make stacks`. A build without them refuses their names."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import mesonet as mn
from mesonet import core, plugins
from mesonet.algorithms import STACKS
from mesonet.errors import InputError

BUILT = {*STACKS} <= {*plugins.by_name()}
built = pytest.mark.skipif(not BUILT, reason="needs a build with stacks: make stacks")
#: Seconds of a short run, and what is measured of it.
SHORT = {"duration": "12 s", "warmup": "4 s", "measurement.interval": "1 s"}


@pytest.mark.skipif(BUILT, reason="a build without stacks")
@pytest.mark.parametrize("name", ["stack:quinn/cubic", "stack:noq/bbr3", "stack:smoltcp/reno"])
def test_a_build_without_stacks_names_what_it_lacks(name: str) -> None:
    for text in (name, f"{name}(batch=10)"):
        with pytest.raises(InputError, match=r"this build lacks it. Allowed: a build with the cargo feature \w+"):
            mn.scenario("bottleneck", algorithm=text)


def test_a_run_without_stacks_has_an_empty_table() -> None:
    result = mn.simulate(mn.scenario("bottleneck", **SHORT))
    assert len(result.stacks) == 0
    assert "reason" in result.stacks.columns


@built
@pytest.mark.parametrize("name", STACKS)
def test_a_stack_moves_data_over_a_bad_path_and_repeats_its_bytes(name: str) -> None:
    changes = {"impairments.jitter": "exponential", "impairments.jitter_mean": "1 ms", "impairments.loss": 0.0005}
    scenario = mn.scenario("bottleneck", algorithm=name, **SHORT, **changes)
    first, second, reference = (
        mn.simulate(scenario, threads=threads, engine=engine)  # type: ignore[arg-type]
        for threads, engine in ((1, "domains"), (2, "domains"), (1, "reference"))
    )
    for other in (second, reference):
        for table in ("responses", "series", "flows", "routers", "stacks"):
            assert getattr(first, table) == getattr(other, table), table
    row = first.stacks.to_polars().row(0, named=True)
    assert row["outcome"] == "cut short"
    assert row["packets_sent"] > 1000
    assert row["bytes_read"] > 0
    path = first.routers.to_polars().filter(pl.col("router") == "A -> B", pl.col("period") == "measured")
    assert 0.05 < path["utilisation"].item() <= 1


@built
def test_stacks_and_built_in_controls_share_a_link() -> None:
    scenario = mn.scenario("bottleneck", algorithm="stack:quinn/cubic=0.5, cubic=0.5", **SHORT)
    scenario = scenario.set("flows", [{"from": "A", "to": "B", "interface": "1 Gbit/s", "count": 4}])
    result = mn.simulate(scenario)
    flows = result.flows.to_polars()
    assert set(flows["algorithm"]) == {"stack:quinn/cubic", "cubic"}
    assert len(result.stacks) == flows["algorithm"].is_in(["stack:quinn/cubic"]).sum()
    assert result.value("segment_rate") == pytest.approx(20e6 / 12_000, rel=0.03)


@built
def test_the_version_of_a_stack_is_a_part_of_the_scenario() -> None:
    (entry,) = json.loads(mn.scenario("bottleneck", algorithm="stack:noq/bbr3(batch=10)").to_json())["algorithms"]
    assert entry["plugin"].startswith("noq-proto-1.4.0-")
    assert entry["parameters"]["batch"] == 10


@built
def test_what_a_stack_cannot_do_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"network.queue .*stack:quinn/cubic has packets of several sizes"):
        mn.scenario("dumbbell", algorithm="stack:quinn/cubic")
    scenario = mn.scenario("bottleneck", algorithm="stack:quinn/cubic", **SHORT)
    with mn.Checkpoint(tmp_path / "snapshot") as checkpoint, pytest.raises(InputError, match="cannot be resumed"):
        mn.simulate(scenario, checkpoint=checkpoint)
    with pytest.raises(ValueError, match="there are no snapshots"):
        core.module().Simulation(scenario.to_json(), 1).snapshot()
