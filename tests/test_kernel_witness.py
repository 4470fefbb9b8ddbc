"""The arithmetic of the kernel witness; running it needs root and is no test."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
import pytest

from mesonet.kernel import observations, packets, replays
from mesonet.scenarios import kernel_witness
from mesonet.scenarios.scenario import scenario
from mesonet.units import SEGMENT_BYTES
from verification.measures import kernel
from verification.scorecard.claims import load_claims
from verification.witness.kernel import (
    bursts,
    claims,
    metrics,
    relay,
    rules,
    runs,
    scenarios,
    small_pipe,
    table,
    witness,
)

FOLDER = Path(__file__).parents[1] / "verification" / "witness" / "kernel"

SERVICE_NS = round(scenarios.SERVICE_S * 1e9)


def data(*rows: tuple[int, int]) -> np.ndarray:
    """Data packets of (sequence number, kind)."""
    found = np.zeros(len(rows), dtype=packets.PACKET)
    found["sequence"], found["kind"] = np.array(rows, dtype="u4").T
    found["bytes"] = packets.MSS
    return found


def flow(time_s: np.ndarray, **columns: np.ndarray) -> observations.Flow:
    """A flow whose other columns are 0."""
    zero = np.zeros_like(time_s)
    names = ("cwnd", "ssthresh", "in_flight", "srtt_s", "delivered", "reductions", "timeouts", "drops")
    return observations.Flow(time_s, **{name: columns.get(name, zero) for name in names}, retransmissions=3, spurious=1)


def test_a_retransmission_is_spurious_where_no_copy_was_lost():
    sent = data((0, packets.ACCEPTED), (1448, packets.TAIL_DROP), (2896, packets.ACCEPTED), (1448, packets.ACCEPTED))
    assert observations.retransmissions(sent) == (1, 0)
    assert observations.retransmissions(np.append(sent, data((2896, packets.ACCEPTED), (1448, packets.ACCEPTED)))) == (
        3,
        2,
    )


def test_a_copy_that_is_lost_again_is_no_spurious_one():
    sent = data((0, packets.TAIL_DROP), (0, packets.TAIL_DROP), (0, packets.RANDOM_LOSS), (0, packets.ACCEPTED))
    assert observations.retransmissions(sent) == (3, 0)


def test_sequence_numbers_may_wrap():
    sent = data((2**32 - 1000, packets.TAIL_DROP), (448, packets.ACCEPTED), (2**32 - 1000, packets.ACCEPTED))
    assert observations.retransmissions(sent) == (1, 0)


def test_completion_ends_when_the_sender_has_the_last_acknowledgement():
    log = np.zeros(4, dtype=packets.PACKET)
    log["read_ns"] = [0, 40_000_000, 60_000_000, 70_000_000]
    log["kind"] = [packets.ACCEPTED, packets.ACCEPTED, packets.ACK, packets.ACK]
    log["flags"] = [packets.SYN, 0, 0, 0]
    log["sequence"] = [2**32 - 1, 0, packets.MSS, 2 * packets.MSS]
    assert observations.completion_s(log, scenarios.short("cubic", 2).setup) == pytest.approx(0.09)
    assert math.isnan(observations.completion_s(log, scenarios.short("cubic", 3).setup))
    assert math.isnan(observations.completion_s(log[1:], scenarios.short("cubic", 2).setup))


def test_cuts_and_means_of_a_saw_tooth():
    scenario = scenarios.single("reno", 67)
    time_s = packets.SAMPLE_S * np.arange(2001)
    cut = np.isin(np.arange(2001), [100, 500, 900, 1300])
    reductions = np.cumsum(cut).astype(float)
    cwnd = np.where(cut, 70.0, 140.0)
    rate = 1e6 * scenarios.RATE_MBPS / 8 / SEGMENT_BYTES
    own = flow(time_s, cwnd=cwnd, ssthresh=cwnd / 2, reductions=reductions, delivered=rate * time_s)
    own.ssthresh[cut] = 70.0
    queue = np.tile([10.0, 20.0], 1001)[:2001]
    accepted, dropped = rate * time_s, np.where(time_s >= 2, 50.0, 0.0) + np.where(time_s >= 10, 10.0, 0.0)
    run = observations.Observation(time_s, queue, accepted, dropped, 0.5 * time_s, [own])
    found = metrics.quantities(run, scenario)
    assert found["goodput Mb/s"] == pytest.approx(20.0)
    assert found["utilisation"] == pytest.approx(0.5)
    assert found["mean RTT ms"] == pytest.approx(40 + 0.6 * 15)
    assert found["p95 RTT ms"] == pytest.approx(40 + 0.6 * 20)
    assert found["drop rate %"] == pytest.approx(100 * 10 / (17 * rate + 10))
    assert found["drops in first 3 s"] == 50
    assert found["time between cuts s"] == pytest.approx(4.0)
    assert found["decrease factor"] == pytest.approx(0.5)
    assert found["reductions"] == 3  # the one at 1 s is before the span
    assert (found["retransmissions"], found["spurious retransmissions"]) == (3, 1)


def test_share_and_drops_of_each_flow_of_a_pair():
    scenario = scenarios.pair("bbr", "cubic", 67)
    assert scenario.algorithms == ("cubic", "bbr")
    time_s = packets.SAMPLE_S * np.arange(4501)
    late = time_s[500:]
    first = flow(time_s, delivered=100 * time_s, drops=time_s)
    newcomer = flow(late, delivered=300 * (late - 5), drops=2 * (late - 5))
    run = observations.Observation(time_s, time_s, time_s, time_s, time_s, [first, newcomer])
    found = metrics.quantities(run, scenario)
    assert found["share of newcomer"] == pytest.approx(0.75)
    assert found["drops of first"] == pytest.approx(35)
    assert found["drops of newcomer"] == pytest.approx(70)
    assert "decrease factor" not in found


def test_the_queue_of_the_log_counts_the_packet_in_service():
    scenario = scenarios.single("cubic", 1)
    log = data((0, packets.ACCEPTED), (1448, packets.ACCEPTED), (2896, packets.TAIL_DROP))
    log["read_ns"] = [10_000_000 - 100_000, 10_000_000 - 50_000, 10_000_000 - 10_000]
    log["leaves_ns"] = [9_900_000 + SERVICE_NS, 9_900_000 + 2 * SERVICE_NS, 0]
    log["port"] = 1
    samples = np.zeros(4, dtype=packets.SAMPLE)
    samples["time_s"] = [0.0, 0.01002, 0.02, 0.0301]
    samples["state"] = [0, 3, 3, 0]
    samples["bytes_acked"] = [0, 0, 2 * packets.MSS, 2 * packets.MSS]
    run = observations.of_kernel(packets.Trace(0, log, samples, {}), scenario.setup)
    assert run.queue[:3].tolist() == [0, 2, 0]
    assert (run.accepted[-1], run.dropped[-1]) == (2, 1)
    assert run.busy_s[-1] == pytest.approx(2 * scenarios.SERVICE_S)
    own = run.flows[0]
    assert own.time_s.tolist() == pytest.approx([0.0, 0.01, 0.02, 0.03])
    assert own.reductions.tolist() == [0, 1, 1, 1]
    assert own.delivered.tolist() == [0, 0, 2, 2]
    assert own.drops.tolist() == [0, 1, 1, 1]


def test_marks():
    def mark(value: float, *row: float, quantity: str = "drop rate %") -> str:
        return table.mark(quantity, value, replays.Row(*row, runs=3))

    assert mark(5.0, 4.0, 3.0, 5.0) == table.INSIDE
    assert mark(5.4, 5.0, 4.9, 5.1) == table.CLOSE
    assert mark(5.6, 5.0, 4.9, 5.1) == table.OUTSIDE
    assert mark(0.1, 0.0, 0.0, 0.0) == table.OUTSIDE
    assert mark(math.nan, 5.0, 4.9, 5.1) == table.OUTSIDE


def test_more_time_outs_than_the_kernel_are_outside_however_few():
    row = replays.Row(2.0, 1.0, 3.0, runs=3)
    marks = [table.mark(table.TIMEOUTS, value, row) for value in (0.0, 3.0, 3.1)]
    assert marks == [table.CLOSE, table.INSIDE, table.OUTSIDE]


def test_runs_without_a_value_do_not_count(tmp_path):
    found = replays.merged([{"a": 1.0, "b": math.nan}, {"a": 3.0, "b": math.nan}])
    assert found == {"a": (2.0, 1.0, 3.0, 2)}
    path = tmp_path / "table.csv"
    witness.write(path, [("one", "a", *found["a"])])
    assert table.read(path) == {("one", "a"): found["a"]}


def test_the_frozen_table_has_every_scenario():
    rows = table.read()
    assert {scenario for scenario, _ in rows} == {scenario.name for scenario in scenarios.every()}
    assert all(least <= mean <= most and runs >= 1 for mean, least, most, runs in rows.values())


def test_mesonet_runs_the_same_set_up():
    scenario = scenarios.short("reno", 10)
    run = runs.observe(scenario, "standard", {}, seed=1)
    # Two round trips, the service of the SYN and of ten segments.
    assert run.completion_s == pytest.approx(0.08 + 11 * scenarios.SERVICE_S, abs=1e-4)
    assert run.flows[0].retransmissions == 0


def test_newcomers_start_at_phases_of_one_round_trip():
    starts = [runs.in_phase(scenarios.pair("reno", "cubic", 67), run, 5).starts_s for run in range(1, 6)]
    assert [first for first, _ in starts] == [0.0] * 5
    assert [newcomer for _, newcomer in starts] == pytest.approx([5.0, 5.008, 5.016, 5.024, 5.032])
    assert runs.in_phase(scenarios.single("reno", 67), 3, 5) == scenarios.single("reno", 67)


def test_uncompressed_acknowledgements_are_a_setting():
    pair = scenarios.pair("bbr", "cubic", 67)
    plain = [
        runs.of_scenario(each, "linux", {}).value("transport.sack_compression")
        for each in (pair, scenarios.with_every("sack", pair))
    ]
    assert plain == [0.001, 0.0]


def test_receivers_that_do_not_delay_are_a_setting():
    alone = scenarios.single("reno", 67)
    delays = [
        runs.of_scenario(each, "linux", {}).value("transport.delayed_acks")
        for each in (alone, scenarios.with_every("ack", alone))
    ]
    assert delays == [True, False]


def test_hosts_send_pieces_where_the_kernel_does():
    pieces = [
        runs.of_scenario(scenarios.single("bbr", 67, gso_segments=most), "linux", {}).value("transport.burst")
        for most in (1, None)
    ]
    assert pieces == [0, 45]


def test_the_kernel_paces_the_flows_that_mesonet_paces():
    both = next(each for each in bursts.every() if each.name.startswith("2 of 4"))
    flows = runs.of_scenario(both, "linux", {}).value("flows")
    assert {n for n, flow in enumerate(flows) if flow["algorithm"] == "tcp(paced=1)"} == both.paced == {0, 2}


def test_pieces_are_what_arrives_together():
    at_s = np.array([0, 10, 65, 200, 300, 310, 320]) * 1e-6
    found = bursts.of_arrivals(at_s, np.array([1, 1, 2, 1, 1, 1, 1]))
    assert found["segments of a piece"] == pytest.approx(8 / 3)


def test_claims_are_those_of_the_table():
    texts = claims.texts()
    assert {path.stem: path.read_text(encoding="utf-8") for path in claims.FOLDER.glob("K*.toml")} == texts


def test_claims_have_every_published_row_of_the_table_once():
    loaded = [claim for claim in load_claims(claims.FOLDER) if claim.part == "K"]
    numbers = [number for claim in loaded for number in claim.numbers]
    reported = [
        (number.of["scenario"], number.of["quantity"]) for number in numbers if number.measure == "kernel_quantity"
    ]
    able = {scenario.name for scenario in scenarios.every()}
    assert sorted(reported) == sorted(key for key in table.read() if key[0] in able and key[1] in table.PUBLISHED)
    whole = loaded[0].numbers[0]
    # The luck of random losses is not the kernel's: K24 has them alone.
    # Those with every segment acknowledged came later, to find a cause.
    without_loss = {
        each.name for each in scenarios.every() if each.gso_segments and not each.loss and each.delayed_acks
    }
    assert (set(whole.of["scenarios"]), set(whole.of["quantities"])) == (without_loss, set(table.PUBLISHED))


def test_the_share_of_rows_counts_marks(monkeypatch: pytest.MonkeyPatch):
    rows = table.read()
    name = "reno buffer 33"
    theirs = {quantity: row for (scenario, quantity), row in rows.items() if scenario == name}
    monkeypatch.setattr(kernel, "reference", lambda scenario: theirs)
    wanted = ("goodput Mb/s", "drop rate %", "utilisation", "p95 RTT ms")
    assert kernel.kernel_share(None, [name], wanted) == 1
    goodput, drops = theirs["goodput Mb/s"], theirs["drop rate %"]
    theirs |= {"goodput Mb/s": goodput._replace(mean=1.09 * goodput.mean), "drop rate %": drops._replace(mean=0.0)}
    assert kernel.kernel_share(None, [name], wanted) == 0.75
    del theirs["utilisation"]
    assert kernel.kernel_share(None, [name], wanted) == 0.5


def test_a_small_pipe_is_the_same_set_up_in_mesonet():
    pipe = small_pipe.PIPES[0]
    scenario = runs.of_scenario(pipe.scenario(), "linux", {"time.duration": "1 s"})
    assert scenario.value("network.speed") == pytest.approx(50e6 / 12e3)
    assert scenario.value("network.delay_multiplier") == pytest.approx(5 / 40)
    assert scenario.value("transport.min_rto") == 0.2
    assert pipe.service_s == pytest.approx(0.24e-3)


def test_congestion_control_learns_round_trips_of_retransmissions_by_timestamps():
    """BBR alone in a shallow queue: its smallest round trip is the same, and what it sends differs."""
    pair = next(each for each in scenarios.every() if each.name == "bbr+bbr buffer 33")
    sent = [
        runs.observe(pair, "linux", {"transport.timestamp_tick": tick, "time.duration": "12 s"}, 1)
        .flows[0]
        .delivered[-1]
        for tick in ("0 s", "1 ms")
    ]
    assert sent[0] != sent[1]


def test_a_path_that_changes_is_measured_by_spans():
    steps, hole = scenarios.steps("reno"), scenarios.black_hole("reno")
    assert [steps.rate_at(at) for at in (0.0, 9.99, 10.0, 20.0)] == [20.0, 20.0, 5.0, 20.0]
    time_s = packets.SAMPLE_S * np.arange(round(steps.duration_s / packets.SAMPLE_S) + 1)
    delivered = 1000 * np.minimum(time_s, 8.0) + 1000 * np.maximum(time_s - 10.25, 0)
    own = flow(time_s, delivered=delivered, timeouts=np.where(time_s > 9, 3.0, 0.0))
    run = observations.Observation(time_s, np.full_like(time_s, 10.0), delivered, 0 * time_s, 0 * time_s, [own])
    found = metrics.quantities(run, hole)
    assert found["goodput 3 to 8 s Mb/s"] == pytest.approx(12)
    assert found["goodput 10 to 12 s Mb/s"] == pytest.approx(12 * 1.75 / 2)
    assert found["mean RTT 12 to 18 s ms"] == pytest.approx(46)
    assert found["timeouts"] == 3
    assert found["first delivery after the outage s"] == pytest.approx(0.26)
    slow = metrics.quantities(run, steps)
    assert slow["mean RTT 10 to 20 s ms"] == pytest.approx(40 + 10 * 2.4)


def test_changes_of_a_path_are_impairments_of_mesonet():
    steps, hole = (runs.of_scenario(make("cubic"), "linux", {}) for make in (scenarios.steps, scenarios.black_hole))
    assert steps.value("network.queue") == "port"
    assert (hole.value("impairments.outage_start"), hole.value("impairments.outage_length")) == (8.0, 2.0)
    assert steps.value("impairments.capacity") is not None
    starts = [runs.in_phase(scenarios.black_hole("reno"), run, 5).starts_s for run in (1, 3)]
    assert starts[0] == (0.0,)
    assert starts[1] == pytest.approx((0.016,))


def test_every_value_of_preset_linux_has_a_witness_or_a_note():
    assert [path for path in kernel_witness.needed() if path not in kernel_witness.WITNESSES] == []
    assert [path for path in kernel_witness.WITNESSES if path not in kernel_witness.needed()] == []


def test_witnesses_are_rows_of_tables_or_names_in_documents_of_the_kernel():
    for path, (source, name) in kernel_witness.WITNESSES.items():
        if source.endswith(".csv"):
            assert name in {scenario for scenario, _ in table.read(FOLDER / source)}, path
        else:
            assert (not name) == (source in {"", "unused"}), path
            assert not name or source.startswith("Documentation/"), path


def test_check_names_the_values_without_a_witness():
    chosen = scenario("dumbbell").set("preset", "linux")
    (note,) = kernel_witness.notes(chosen)
    assert "transport.prr" in note
    assert "transport.second_reduction" not in note
    (fewer,) = kernel_witness.notes(chosen.set("transport.prr", "crb"))
    assert "transport.prr" not in fewer
    assert kernel_witness.notes(scenario("dumbbell")) == []


def test_a_relay_drops_the_first_copies():
    drops = rules.losing({-1: 1, 3: 2})
    packet = relay.Packet(0.0, from_sender=True, is_syn=False, segment=3, bytes=packets.MSS, sacked=())
    syn = packet._replace(is_syn=True, segment=0, bytes=0)
    assert [drops(each) for each in (syn, syn, packet, packet, packet)] == [True, False, True, True, False]


def test_a_relay_reads_numbers_and_blocks():
    options = struct.pack(">BBBBII", 1, 1, 5, 10, 1000 + 3 * packets.MSS, 1000 + 5 * packets.MSS)
    header = struct.pack(">HHIIBBHHH", 5201, 1, 7, 1000 + 2 * packets.MSS, 8 << 4, 16, 0, 0, 0)
    found = relay._described(b"\x45" + bytes(8) + b"\x06" + bytes(10) + header + options, 0.5, False, [1000])
    assert found == relay.Packet(0.5, False, False, 2, 0, ((3, 5),))


def test_cubic_at_a_low_rate_is_as_in_the_kernel():
    frozen = table.read(FOLDER / "linux-6.18-rules.csv")
    unchanged = {"transport.receive_buffer": "57 segments"}

    def observed(rate_mbps: float, rtt_s: float, places: int, duration_s: float) -> observations.Observation:
        each = scenarios.KernelScenario(
            "low rate", ("cubic",), places, duration_s, (0.0, duration_s), rate_mbps=rate_mbps, rtt_s=rtt_s, floor_s=0.2
        )
        return runs.observe(each, "linux", unchanged, 1)

    (flow,) = observed(*rules.CUTS, 14.0).flows
    at = flow.time_s[1:][np.diff(flow.reductions) > 0]
    late = np.diff(at[at > 3]).mean()
    assert table.mark("time between cuts s", late, frozen["cuts at 5 Mb/s", "time between cuts s"]) != table.OUTSIDE
    for name, path in rules.SLOW_STARTS.items():
        drops = observed(*path, 3.0).dropped[-1]
        least, most = table.limits("", frozen[f"slow start at {name}", "drops in first 3 s"])
        # The first overflow differs by a segment, as in the scenarios of the queue.
        assert least - 1 <= drops <= most, name
