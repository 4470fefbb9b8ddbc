"""The state of a run does not grow with simulated time, beyond samples and the histograms of flow groups, which fill.

The size of a snapshot is the measure: it has every value that changes, and is equal on all machines.
"""

from __future__ import annotations

from statistics import fmean

import pytest

import mesonet as mn
from mesonet import core

pytestmark = pytest.mark.slow


def sizes(warmup: str) -> list[int]:
    """Sizes of 19 snapshots of 600 s of 229 sources, bytes; with 60 samples, no records of flows and one period."""
    values = {"flow_records": 0, "interval": "10 s", "base_sources": 1, "periods": 1}
    scenario = mn.scenario("abilene", duration="600 s", warmup=warmup, **values)
    run = core.module().Simulation(scenario.to_json(), 1)
    found = []
    for part in range(1, 20):
        run.advance(30.0 * part)
        found.append(len(run.snapshot()))
    return found


def test_flows_and_routers_need_no_more_memory_with_time() -> None:
    found = sizes("590 s")  # nothing is measured before
    assert fmean(found[-6:]) < 1.1 * fmean(found[:6])
    assert max(found) < 2 * fmean(found)


def test_histograms_of_flow_groups_fill_and_then_stay() -> None:
    measured, flows = sizes("0 s"), sizes("590 s")
    own = [with_them - without for with_them, without in zip(measured, flows, strict=True)]
    assert own[-1] > 100_000, "they are most of the state"
    assert own[-1] - own[9] < 0.5 * (own[9] - own[0])
