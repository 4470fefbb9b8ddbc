"""Scenarios on the kernel of this machine: translation, refusals, and a run where root and namespaces exist."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from mesonet.cli.verbs import main
from mesonet.errors import Broken, InputError
from mesonet.kernel import machine, packets, replays
from mesonet.kernel.setups import Setup
from mesonet.kernel.translation import steps, translated
from mesonet.scenarios.scenario import Scenario, scenario

FLOW = {"from": "A", "to": "B", "interface": "1 Gbit/s"}
RATE = 1e7 / 12_000
"""10 Mbit/s in segments per second."""


def chosen(**values: Any) -> Scenario:
    """Return CUBIC alone over 10 Mbit/s and 40 ms for 4 s."""
    given = {
        "preset": "linux",
        "algorithms": "cubic",
        "network.queue": "port",
        "network.speed": "10 Mbit/s",
        "network.delay_multiplier": 0.02 / 0.081,
        "network.buffer": "50 segments",
        "time.duration": "4 s",
        "time.warmup": "1 s",
        "time.periods": 1,
        "flows": [FLOW],
    }
    return scenario("dumbbell").with_values({**given, **{key.replace("__", "."): v for key, v in values.items()}})


def impaired(**values: Any) -> Setup:
    """Return the set-up with impairments on the way to the receiver."""
    named = {f"impairments.{key}": value for key, value in values.items()}
    return translated(chosen(**{"impairments.at": ["A -> B"], **named})).setup


def test_a_constant_path_has_the_numbers_of_the_scenario():
    found = translated(chosen())
    path = found.setup.bottleneck
    assert (found.queue, found.lossy, found.notes) == ("A -> B", False, [])
    assert (found.setup.algorithms, found.setup.starts_s, found.setup.duration_s) == (("cubic",), (0.0,), 4.0)
    assert path.rate == ((0.0, pytest.approx(RATE)),)
    assert path.places == ((0.0, 50),)
    # The router of the receiver and the interface of the sender serve each segment once more.
    assert path.forth_s == ((0.0, pytest.approx(0.02 + 1 / RATE + 12e-6)),)
    assert path.back_s == ((0.0, pytest.approx(0.02)),)


def test_values_that_follow_the_time_become_courses():
    path = impaired(
        capacity=[["0 s", "10 Mbit/s"], ["2 s", "0 Mbit/s"], ["3 s", "5 Mbit/s"]],
        buffers=[["0 s", "80 segments"], ["2 s", "20 segments"]],
        loss=[["0 s", 0.3], ["1 s", 0]],
        outages=[["1 s", "200 ms"], ["1.1 s", "400 ms"], ["3 s", "1 s"]],
        delays={"points": [["1 s", "40 ms"]], "period": "2 s"},
    ).bottleneck
    base_s = path.forth_s[0][1]
    assert path.rate == tuple((at, pytest.approx(rate)) for at, rate in ((0, RATE), (2, 0), (3, RATE / 2)))
    assert path.places == ((0, 80), (2, 20))
    assert path.loss == ((0, 0.3), (1, 0))
    assert path.outage == ((0, 0), (1, 1), (pytest.approx(1.5), 0), (3, 1), (4, 0))
    assert path.forth_s == ((0, base_s), (1, base_s + 0.04), (2, base_s), (3, base_s + 0.04))


def test_outages_by_start_length_and_period():
    path = impaired(outage_start="1 s", outage_length="100 ms", outage_period="1.5 s").bottleneck
    assert path.outage == ((0, 0), (1, 1), (pytest.approx(1.1), 0), (2.5, 1), (pytest.approx(2.6), 0))


def test_the_first_value_holds_before_its_instant_unless_there_is_another():
    points = {"points": [[1.0, 5.0]], "period": None}
    assert steps(points, 4.0) == ((0.0, 5.0), (1.0, 5.0))
    assert steps(points, 4.0, before=0.0) == ((0.0, 0.0), (1.0, 5.0))
    assert steps(7, 4.0) == ((0.0, 7.0),)


def test_the_file_of_the_path_counts_from_the_first_packet():
    setup = impaired(capacity=[["0 s", "10 Mbit/s"], ["2 s", "0 Mbit/s"], ["3 s", "10 Mbit/s"]])
    lines = setup.bottleneck.text(0.5).splitlines()
    assert lines[:2] == ["service -500000000 1200000.0", "service 1500000000 1000000000000000000"]
    assert {line.split()[0] for line in lines} == {"service", "places", "forth", "back", "loss", "outage"}


def test_a_place_less_where_the_segment_in_service_counts():
    assert translated(chosen(network__buffer_counts_in_service=True)).setup.bottleneck.places == ((0.0, 49),)


def test_hosts_of_the_kernel_take_what_they_can():
    values = {"transport.min_rto": "1 s", "transport.delayed_acks": False, "transport.burst": "0 segments"}
    setup = translated(chosen(**values, **{"transport.sack_compression": "0 s"})).setup
    assert (setup.floor_s, setup.delayed_acks, setup.gso_segments, setup.compressed_sacks) == (1.0, False, 1, False)
    assert translated(chosen(**{"transport.burst": "8 segments"})).setup.gso_segments == 8
    plain = translated(chosen()).setup
    assert (plain.floor_s, plain.delayed_acks, plain.gso_segments, plain.compressed_sacks) == (0.2, True, None, True)


def test_another_preset_is_noted():
    (note,) = translated(chosen(preset="standard")).notes
    assert "standard" in note
    assert "preset=linux" in note


REFUSED = {
    "users": ({"users.base_sources": 10}, "users.base_sources"),
    "discipline": ({"aqm.discipline": "codel"}, "aqm.discipline"),
    "acknowledgements": ({"network.ack_path": "queued"}, "network.ack_path"),
    "jitter": ({"impairments.jitter": "uniform", "impairments.jitter_mean": "1 ms"}, "impairments.jitter"),
    "bursts of loss": ({"impairments.to_bad": 0.1}, "impairments.to_bad"),
    "held outages": ({"impairments.outage": "hold"}, "impairments.outage"),
    "early end": ({"time.converged": 0.1}, "time.converged"),
    "size": ({"flows": [{**FLOW, "size": "1 MB"}]}, "flows[0].size"),
    "application": (
        {"flows": [{**FLOW, "application": "constant", "rate": "1 Mbit/s"}]}, "flows[0].application",
    ),
    "two paths": ({"flows": [FLOW, {**FLOW, "extra_delay": "5 ms"}]}, "flows[1].extra_delay"),
    "two ways": ({"flows": [FLOW, {**FLOW, "from": "B", "to": "A"}]}, "flows[1].from"),
    "no flow": ({"flows": []}, "flows"),
    "algorithm": ({"flows": [{**FLOW, "algorithm": "bbr3"}]}, "flows[0].algorithm"),
    "constant": ({"parameters.cubic.beta": 0.5}, "parameters.cubic.beta"),
    "constant in the name": ({"flows": [{**FLOW, "algorithm": "cubic(beta=0.5)"}]}, "flows[0].algorithm"),
    "mix": ({"algorithms": "cubic=0.5 bbr=0.5"}, "algorithms"),
    "sender": ({"transport.initial_window": "4 segments"}, "transport.initial_window"),
    "compression": ({"transport.sack_compression": "5 ms"}, "transport.sack_compression"),
    "bytes": ({"transport.segment_bytes": 9000}, "transport.segment_bytes"),
    "second bottleneck": (
        {"impairments.at": ["A -> B"], "impairments.capacity": [["0 s", "20 Mbit/s"]]}, "network.speed",
    ),
    "slow sender": ({"flows": [{**FLOW, "interface": "5 Mbit/s"}]}, "flows[0].interface"),
    "the way back": ({"impairments.at": ["B -> A"], "impairments.loss": 0.1}, "impairments.at"),
    "topology": ({"topology": "parking-lot", "flows": []}, "flows"),
    "long": ({"time.duration": "100000 s"}, "time.duration"),
}  # fmt: skip


@pytest.mark.parametrize(("values", "path"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_counterpart_is_refused_by_name(values: dict[str, Any], path: str):
    with pytest.raises(InputError) as caught:
        translated(chosen(**values))
    assert caught.value.path == path
    assert caught.value.allowed


def test_more_routers_than_two_are_refused():
    with pytest.raises(InputError, match="one bottleneck") as caught:
        translated(chosen(topology="dumbbell-two-rtt"))
    assert caught.value.path == "topology"


def test_a_value_of_the_preset_may_be_set():
    assert translated(chosen(**{"transport.initial_window": "10 segments"})).setup.algorithms == ("cubic",)


def test_mesonet_is_measured_in_the_measured_time():
    own = chosen()
    found = translated(own)
    values = replays.quantities(replays.in_mesonet(own, found, 1), own, found.setup)
    by_name = {(each.of, each.name): value for each, value in values.items()}
    assert by_name["flow 1, cubic", "goodput"] == pytest.approx(10, rel=0.02)
    assert 40 < by_name["flow 1, cubic", "mean smoothed RTT"] < 41.2 + 51 * 1.2
    assert 0 < by_name["queue", "mean length"] <= 51


def test_periods_have_equal_lengths():
    assert replays.periods(chosen(time__periods=3)) == {
        "measured": (1, 4), "1": (1, 2), "2": (2, 3), "3": (3, 4),
    }  # fmt: skip


def late_trace(late_ms: float) -> packets.Trace:
    """Return a run of which one packet was late."""
    log = np.zeros(1, dtype=packets.PACKET)
    log["late_ns"] = late_ms * 1e6
    return packets.Trace(0, log, np.zeros(0, dtype=packets.SAMPLE), {})


def test_a_slow_machine_is_refused_after_some_tries(monkeypatch: pytest.MonkeyPatch):
    times = iter([50.0, 25.0, 0.1, *[0.4] * replays.MOST_TRIES])
    monkeypatch.setattr(machine, "run", lambda *_: late_trace(next(times)))
    setup = translated(chosen()).setup
    assert replays.on_time(setup, 1, Path())[1]["rejected"] == 2
    with pytest.raises(Broken, match=r"0\.4 ms"):
        replays.on_time(setup, 1, Path())


def test_a_kernel_without_the_algorithm_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(machine, "algorithms", lambda: ["reno"])
    monkeypatch.setattr(machine, "refuse_machine", lambda: None)
    with pytest.raises(InputError, match="modprobe tcp_cubic") as caught:
        replays.replay(chosen())
    assert caught.value.allowed == "reno"


def test_a_machine_without_root_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    with pytest.raises(InputError, match="root") as caught:
        machine.refuse_machine()
    assert caught.value.path == "--kernel"


@pytest.mark.parametrize(
    ("words", "named"), [([], "--kernel"), (["--kernel", "--repeat", "0"], "--repeat"), (["--kernel"], "users")]
)
def test_the_verb_refuses(words: list[str], named: str):
    done = CliRunner().invoke(main, ["replay", "abilene", "--algorithm", "cubic", *words])
    assert done.exit_code == 2
    assert named in done.stderr


@pytest.mark.process
@pytest.mark.parametrize("text", ["service 0 1e6\n", "speed 0 1\n", "service now 1\n"])
def test_the_bottleneck_refuses_a_path_that_is_not_whole(text: str, tmp_path: Path):
    if not shutil.which(machine.COMPILER[0]):
        pytest.skip("no C compiler")
    path = tmp_path / "path"
    path.write_text(text)
    words = [machine.build(tmp_path), "a", "b", path, "1", "0", tmp_path / "log"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 2
    assert "PATH" in done.stderr


def reason() -> str:
    """Return why this machine cannot replay; empty if it can."""
    try:
        machine.refuse_machine()
    except InputError as error:
        return str(error)
    done = subprocess.run(["unshare", "-n", "true"], capture_output=True, text=True)
    return "" if not done.returncode and "cubic" in machine.algorithms() else "no namespaces, or no CUBIC"


@pytest.mark.slow
@pytest.mark.process
def test_cubic_alone_agrees_with_the_kernel(tmp_path: Path):
    if why := reason():
        pytest.skip(why)
    toml = tmp_path / "alone.toml"
    toml.write_text(
        'base = "dumbbell"\npreset = "linux"\nalgorithms = "cubic"\nnetwork.queue = "port"\n'
        'network.speed = "10 Mbit/s"\nnetwork.delay_multiplier = 0.247\nnetwork.buffer = "50 segments"\n'
        'time.duration = "6 s"\ntime.warmup = "2 s"\n[[flows]]\nfrom = "A"\nto = "B"\ninterface = "1 Gbit/s"\n'
    )
    done = CliRunner().invoke(main, ["replay", str(toml), "--kernel", "--repeat", "1", "--json"])
    if done.exit_code == 1:
        pytest.skip(done.stderr)  # too busy to emulate the path
    found = json.loads(done.stdout)
    assert found["check"]["measured_mbps"] == pytest.approx(10, rel=replays.RATE_ERROR)
    rows = {(row["name"], row["period"]): row for row in found["rows"]}
    for name in ("goodput", "mean smoothed RTT", "mean length"):
        row = rows[name, "measured"]
        assert row["kernel"]["mean"] == pytest.approx(row["mesonet"]["mean"], rel=0.05)
