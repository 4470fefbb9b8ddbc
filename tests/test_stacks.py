"""Whole transport stacks of a build: `make stacks`. A build without them refuses their names."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import mesonet as mn
from mesonet import core, plugins
from mesonet.algorithms import STACKS
from mesonet.conform import baseline, conformance, reproducible, stacks
from mesonet.conform.bench import Bench
from mesonet.conform.conformance import plan
from mesonet.conform.finding import FAIL, PASS, SKIPPED, Finding
from mesonet.errors import InputError
from mesonet.evidence.criterion import Criterion
from mesonet.evidence.evaluation import evaluate
from mesonet.evidence.plan import plan as evidence_plan

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


def test_a_name_with_a_checkout_names_the_build() -> None:
    allowed = r"Allowed: stack:quinn/bbr in a build of: make stacks QUINN=\.\./quinn"
    with pytest.raises(InputError, match=allowed):
        mn.scenario("bottleneck", algorithm="stack:quinn@../quinn/bbr(batch=10)")


@built
def test_constants_of_stacks_take_no_short_paths_from_parameters() -> None:
    scenario = mn.scenario("bottleneck", initial_window="3 segments")
    assert scenario.value("transport.initial_window") == 3


# Applications.


@built
@pytest.mark.parametrize("name", ["stack:quinn/cubic", "stack:noq/bbr3", "stack:smoltcp/cubic(nagle=0)"])
def test_the_messages_of_an_application_arrive_in_time_on_a_fast_path(name: str) -> None:
    frames = {"application": "frames", "frame_rate": 25, "frame_size": "12 kB", "interface": "1 Gbit/s"}
    scenario = mn.scenario("bottleneck", algorithm=name, **SHORT)
    scenario = scenario.set("flows", [{"from": "A", "to": "B", **frames}])
    row = mn.simulate(scenario).applications.to_polars().filter(period="measured").row(0, named=True)
    assert row["messages"] == pytest.approx(25 * 8, abs=5)  # the last ones may still be in time
    assert row["messages_late"] == 0
    # A way of 40 ms, and 8 or 9 packets of 0.6 ms; the first ones do not wait for the last.
    assert 42 < row["message_delay_p50_ms"] < 60


@built
def test_a_source_pauses_with_its_application() -> None:
    bursts = {"application": "on_off", "burst_size": "500 segments", "idle_time": "4 s", "idle": "constant"}
    scenario = mn.scenario("bottleneck", algorithm="stack:quinn/cubic", **SHORT, **{"trace.flows": [1]})
    scenario = scenario.set("flows", [{"from": "A", "to": "B", "interface": "1 Gbit/s", "stop": "9 s", **bursts}])
    result = mn.simulate(scenario)
    flow = result.flow_traces.to_polars()
    delivered = [flow.filter(pl.col("time_s") <= at)["segments_delivered"].max() for at in (3.9, 7.9, 11.9)]
    assert delivered == [500, 1000, 1500]
    assert result.stacks.to_polars()["outcome"].to_list() == ["completed"]


@built
def test_a_video_is_refused() -> None:
    scenario = mn.scenario("bottleneck", algorithm="stack:quinn/cubic", **SHORT)
    with pytest.raises(InputError, match=r"flows\[0\].application.*a video.*frames, constant, on_off, or none"):
        scenario.set("flows", [{"from": "A", "to": "B", "interface": "1 Gbit/s", "application": "video"}]).check()


# Conformance.


def stack_finding(name: str, check: str) -> Finding:
    chosen = plan(name, baseline="none", cases="none")
    return conformance.check(chosen, check, Bench(chosen.algorithm))


@built
def test_a_stack_without_defect_passes_the_checks_of_stacks() -> None:
    chosen = plan("stack:noq/cubic", baseline="none")
    bench = Bench(chosen.algorithm)
    checks = stacks.checks()
    found = [conformance.check(chosen, each.name, bench) for each in checks]
    assert [each.about.id for each in found] == ["completion", "reordering", "hold", "share", "process"]
    assert {each.verdict for each in found} == {PASS}, [each.why for each in found]
    assert {each.name for each in checks} <= {each.name for each in chosen.checks()}


@built
@pytest.mark.parametrize(
    ("name", "check", "why"),
    [
        ("stack:quinn/cubic(packet_threshold=1)", "stack/reordering", "declared lost and had arrived"),
        ("stack:quinn/cubic(idle_timeout=5)", "stack/completion", r"blackout of 15 s\), the first at .* s: timed out"),
        ("stack:quinn/cubic(receive_window=90000)", "stack/hold", "of the link from 20 to 120 s"),
    ],
)
def test_a_defect_of_a_stack_is_found(name: str, check: str, why: str) -> None:
    found = stack_finding(name, check)
    assert found.verdict == FAIL
    assert re.search(why, found.why)


@built
def test_flows_of_a_stack_that_do_not_share_are_found() -> None:
    # Half of the flows cannot have their fair share of 5 Mbit/s, which takes 40 kB in a round trip with its queue.
    bench = Bench("stack:quinn/cubic=0.5, stack:quinn/cubic(receive_window=20000)=0.5")
    verdict, why, values = stacks.share(bench)
    assert verdict == FAIL, why
    assert values["jain"] < stacks.LEAST_JAIN
    assert values["lowest"] < 0.5
    (seed,) = re.findall(r"with seed (\d) ", why)
    assert int(seed) in stacks.SHARE_SEEDS


# A run that depends on the process: the comparisons get runs that differ, as a stack with a count would give them. The
# stacks themselves have such defects in crates/stacks/tests/repeat.rs and verification/stack_defects.py.


def test_a_run_that_does_not_repeat_is_found_with_its_first_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = iter([1, 2, 3])
    monkeypatch.setattr(reproducible, "simulate", lambda scenario, _: mn.simulate(scenario, next(seeds)))
    found = conformance.check(plan("cubic", baseline="none"), "contract/same-seed", Bench("cubic"))
    assert found.verdict == FAIL
    expected = r"tables (\w+), .* differ between two runs with one seed: \1 has \w+ \S+ and \S+ in row \d+"
    assert re.match(expected, found.why), found.why


def test_a_run_that_differs_in_another_process_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench("cubic")
    assert stacks.process(bench)[0] == PASS
    monkeypatch.setattr(reproducible, "SEED", 2)  # of this process only
    verdict, why, _ = stacks.process(bench)
    assert verdict == FAIL
    assert re.match(r"tables responses, .* differ in another process with the same seed", why), why


def test_the_reason_of_another_process_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = subprocess.CompletedProcess([], 3, "", "cause of the end")
    monkeypatch.setattr(reproducible.subprocess, "run", lambda *_, **__: ended)
    with pytest.raises(RuntimeError, match="ended with 3: cause of the end"):
        stacks.process(Bench("cubic"))


@built
@pytest.mark.parametrize(
    ("name", "check", "what"),
    [
        ("stack:smoltcp/cubic", "contract/window", "the window of the stack"),
        ("stack:quinn/cubic", "contract/blackout", "timeouts of a stack"),
        ("stack:quinn/cubic", "contract/start", "packets of the handshake"),
    ],
)
def test_a_check_says_what_a_stack_does_not_show(name: str, check: str, what: str) -> None:
    found = stack_finding(name, check)
    assert found.verdict == SKIPPED
    assert found.why.startswith(f"not visible: {what}")


@built
def test_a_baseline_has_the_version_of_the_stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baseline, "SCENARIOS", ("shallow",))
    monkeypatch.setattr(baseline, "SEEDS", 8)
    monkeypatch.setattr(baseline.measured, "__defaults__", (None, ("shallow",)))
    file = tmp_path / "stack.json"
    written = baseline.write_baseline(Bench("stack:smoltcp/reno"), file)
    assert written.version.startswith("smoltcp-0.14.0-")
    read = baseline.read_baseline(str(file))
    assert read.version == written.version
    assert written.version in baseline.about(read, "shallow").title
    assert "window_p50" not in read.numbers["shallow"]
    (found,) = baseline.check_baseline(read, Bench("stack:smoltcp/reno"))
    assert (found.verdict, "numbers equal" in found.why) == (PASS, True)
    (found,) = baseline.check_baseline(read, Bench("stack:smoltcp/reno(receive_buffer=20000)"))
    assert found.verdict == FAIL


# Evidence.


@built
def test_evidence_says_what_is_not_visible_of_a_stack() -> None:
    def criterion(algorithm: str, id: str, suite: str = "rfc9743", against: tuple[str, ...] = ("cubic",)) -> Criterion:
        (found,) = evidence_plan(algorithm, against, 2, id, suite).criteria
        return found

    name = "stack:quinn/bbr"
    refused = criterion(name, "7.6")
    assert refused.kind == "missing"
    assert refused.reason.startswith(f"Not visible with {name}: flows[1].receiver = ack_division")
    assert not evidence_plan(name, ("cubic",), 2, "7.6").campaigns
    assert criterion("cubic", "7.6").kind == "beside"
    assert criterion("tcp", "7.6", against=(name,)).reason == refused.reason
    some = criterion(name, "5.1", "rfc8867")
    assert "Not visible with stack:quinn/bbr: 95th percentile of the one-way delay." in some.reading
    before = criterion("cubic", "5.1", "rfc8867").measures
    assert [each.value for each in before if each not in some.measures] == ["segment_delay_p95"]


@built
def test_evidence_judges_a_stack(tmp_path: Path) -> None:
    chosen = evidence_plan("stack:noq/cubic", ("cubic",), 2, "7.4")
    _, found = evaluate(chosen, tmp_path / "evidence", workers=1)
    (finding,) = [each for each in found if each.criterion.id == "7.4"]
    assert finding.cells
    assert all(np.isfinite(cell.tested) and not cell.missing for cell in finding.cells)
