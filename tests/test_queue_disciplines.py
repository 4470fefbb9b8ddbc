"""Queue disciplines from the side of users: parameters, factors, tables, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import mesonet as mn
from mesonet import core
from mesonet.cli.verbs import main
from mesonet.responses.queues import busiest_rows, class_rows, measured_text
from mesonet.scenarios.parameters import PARAMETERS
from mesonet.scenarios.scenario import Scenario
from mesonet.units import RATE

BOTTLENECK = """
base = "dumbbell"
[network]
queue = "port"
speed = "24 Mbit/s"
delay_multiplier = 0.25
buffer = "400 ms"
[aqm]
at = ["A -> B"]
[time]
duration = "20 s"
warmup = "5 s"
"""


@pytest.fixture
def bottleneck(tmp_path: Path) -> Scenario:
    """One flow over 24 Mbit/s with a round trip of 40 ms."""
    file = tmp_path / "bottleneck.toml"
    file.write_text(BOTTLENECK)
    return mn.scenario(file)


def queue(scenario: Scenario) -> dict[str, float]:
    """The row of the bottleneck."""
    routers = mn.simulate(scenario).routers.to_polars()
    return routers.row(by_predicate=(pl.col("period") == "measured") & (pl.col("router") == "A -> B"), named=True)


def test_marks_and_delays_are_in_the_table(bottleneck: Scenario) -> None:
    plain = queue(bottleneck)
    assert [plain[name] for name in ("delay_p50_ms", "delay_p95_ms", "delay_p99_ms")] == [None] * 3
    assert plain["segments_marked"] == 0
    full = queue(bottleneck.with_values({"measurement.queue_delays": True}))
    assert full["delay_p95_ms"] > 100
    assert full["segments_marked"] == 0
    marking = queue(bottleneck.with_values({"aqm.discipline": "pie", "aqm.ecn": True}))
    assert marking["delay_p95_ms"] < 60
    assert marking["segments_marked"] > 0 == marking["segments_dropped"]
    # The target is a parameter.
    far = queue(bottleneck.with_values({"aqm.discipline": "pie", "aqm.ecn": True, "aqm.pie_target": "60 ms"}))
    assert far["delay_p50_ms"] > marking["delay_p50_ms"] + 10


def test_a_discipline_is_a_factor(bottleneck: Scenario, tmp_path: Path) -> None:
    file = tmp_path / "aqm.toml"
    file.write_text(
        'name = "aqm"\ntitle = "Which queue?"\nscenario = "bottleneck.toml"\nalgorithms = ["tcp"]\n'
        '[set]\n"time.duration" = "10 s"\n'
        '[[factors]]\nid = "Q"\nname = "discipline"\npath = "aqm.discipline"\nminus = "drop_tail"\nplus = "codel"\n'
        '[[factors]]\nid = "B"\nname = "buffer"\npath = "network.buffer"\nminus = "50 ms"\nplus = "400 ms"\n'
    )
    done = CliRunner().invoke(main, ["experiment", "run", str(file), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    rtt = mn.load(tmp_path / "out").response("rtt").sort("condition")["value"].to_list()
    assert max(rtt[1], rtt[3]) < rtt[0] < rtt[2], "conditions 2 and 4 have CoDel, 3 and 4 the large buffer"


def test_every_constant_has_its_range_default_and_source() -> None:
    constants = [path for path in PARAMETERS if path.startswith("aqm.") and path not in ("aqm.at",)]
    numbers = [path for path in constants if PARAMETERS[path].kind.name not in ("choice", "flag")]
    assert {path for path in core.bounds() if path.startswith("aqm.")} == set(numbers)
    assert all(PARAMETERS[path].source for path in constants)


@pytest.mark.parametrize(
    ("values", "path", "allowed"),
    [
        ({"aqm.discipline": "lifo"}, "aqm.discipline", "drop_tail, red, pie, pi2, codel, fq_codel, dualpi2"),
        ({"aqm.discipline": "red", "aqm.red_max": "4 segments"}, "aqm.red_max", "more than 5 segments"),
        ({"aqm.codel_target": "0 s"}, "aqm.codel_target", "at least"),
        ({"aqm.dualpi2_classic_share": 1.0}, "aqm.dualpi2_classic_share", "0.99"),
        ({"aqm.discipline": "pie", "aqm.at": ["A -> C"]}, "aqm.at[0]", "access, backbone"),
        ({"aqm.discipline": "pie", "network.ack_path": "direction", "network.queue": "router", "aqm.at": ["all"]},
         "network.ack_path", "delay, queued"),
        ({"network.ack_path": "direction"}, "network.ack_path", "delay, queued"),
        ({"network.ack_bytes": 0}, "network.ack_bytes", "at least 1"),
        ({"network.capacity_factor": 0}, "network.capacity_factor", "more than 0"),
        ({"network.buffer": "0 ms"}, "network.buffer", "more than 0 s"),
    ],
)  # fmt: skip
def test_impossible_values_are_refused(
    bottleneck: Scenario, tmp_path: Path, values: dict[str, object], path: str, allowed: str
) -> None:
    words = [f"{name}={','.join(value) if isinstance(value, list) else value}" for name, value in values.items()]
    arguments = [word for value in words for word in ("--set", value)]
    done = CliRunner().invoke(main, ["run", str(tmp_path / "bottleneck.toml"), *arguments])
    assert done.exit_code == 2, done.output
    assert path in done.stderr
    assert allowed in done.stderr
    assert "Traceback" not in done.output


def test_check_shows_disciplines_and_loads_of_ports(bottleneck: Scenario, tmp_path: Path) -> None:
    file = str(tmp_path / "bottleneck.toml")
    done = CliRunner().invoke(main, ["check", file, "--set", "aqm.discipline=codel", "--json"])
    assert done.exit_code == 0, done.output
    about = json.loads(done.stdout)
    settings = {row["path"]: row["value"] for row in about["settings"]}
    assert settings["aqm.discipline"] == "codel"
    assert settings["network.buffer"] == "400 ms"
    assert "no link has a capacity" in " ".join(about["notes"])


def test_delays_of_flows_and_marks_over_time(bottleneck: Scenario) -> None:
    """The means of a group are those of its flows; the marks of a trace are those of the table of routers."""
    values = {
        "aqm.discipline": "codel", "aqm.ecn": True, "trace.routers": ["A"], "trace.every": "1 s",
        "flows": [{"from": "A", "to": "B", "size": f"{size} segments", "interface": "1 Gbit/s", "start": "6 s"}
                  for size in (1000, 4000)],
    }  # fmt: skip
    result = mn.simulate(bottleneck.with_values(values))
    flows = result.flows.to_polars()
    group = result.groups.to_polars().filter(period="measured")
    assert flows["completed"].to_list() == [1, 1]
    assert group["queueing_delay_ms"].to_list() == [pytest.approx(flows["queueing_delay_ms"].mean(), rel=1e-9)]
    assert 0.5 < flows["queueing_delay_ms"].min() < flows["queueing_delay_ms"].max() < 60
    traced = result.router_traces.to_polars().filter(pl.col("time_s") > 5)
    table = result.routers.to_polars().filter(period="measured")
    for name in ("A -> B", "A -> hosts"):
        marked = traced.filter(router=name)["segments_marked"].sum()
        assert marked == table.filter(router=name)["segments_marked"].item()
    intervals = 15 / result.provenance["scenario"]["measurement"]["interval"]
    marks = table["segments_marked"].sum()
    assert marks > 10
    assert marks == pytest.approx(result.value("segments_marked") * intervals)


def test_commands_show_bits_bytes_and_queues(bottleneck: Scenario, tmp_path: Path) -> None:
    file = str(tmp_path / "bottleneck.toml")

    def text(*words: str) -> str:
        done = CliRunner().invoke(main, list(words))
        assert done.exit_code == 0, done.output
        return " ".join(done.stdout.split())

    checked = text("check", file)
    assert "network.speed 2 seg/ms (24 Mbit/s)" in checked
    assert "transport.initial_window 10 segments (15 kB)" in checked
    assert "plain 2 2 seg/ms (24 Mbit/s)" in checked
    ran = text("run", file, "--duration", "8 s", "--set", "measurement.queue_delays=true")
    result = mn.simulate(bottleneck.with_values({"time.duration": "8 s", "measurement.queue_delays": True}))
    rate = RATE.familiar(result.value("segment_rate"))
    assert f"{rate} goodput_long_lived_1" in ran
    head = "busiest queue dropped, % marked, % delay, ms: median 95 % 99 % plain: A -> B "
    assert head in ran
    assert "queue_delay_p95_plain" not in ran, "it is in the table of the queues"
    own = result.routers.to_polars().row(
        by_predicate=(pl.col("period") == "measured") & (pl.col("router") == "A -> B"), named=True
    )
    delays = [measured_text(f"delay_{name}", own[f"delay_{name}_ms"]) for name in ("p50", "p95", "p99")]
    assert ran.partition(head)[2].partition(" performance")[0].split()[2:] == delays
    planned = text("experiment", "plan", "demo", "--pilot", "0")
    assert "40 seg/ms (480 Mbit/s) 160 seg/ms (1.92 Gbit/s)" in planned
    assert "50 segments (75 kB) 100 segments (150 kB)" in planned


def test_the_busiest_queue_is_the_bottleneck(bottleneck: Scenario) -> None:
    """The queue behind a bottleneck carries as many segments, and has its utilisation; none of them wait there."""
    values = {"aqm.discipline": "dualpi2", "aqm.ecn": True, "time.duration": "8 s", "algorithm": "prague"}
    result = mn.simulate(bottleneck.with_values(values))
    (row,) = busiest_rows(result.routers.frame.to_dicts(), "measured")
    assert row[0] == "plain: A -> B"
    assert float(row[2]) == pytest.approx(2 * 100 * result.value("queue_mark_rate_plain"), rel=0.01), "of two queues"


def test_of_equally_busy_queues_the_longest_is_the_busiest() -> None:
    def queue(router: str, utilisation: float, length: float, kind: str = "fast access", taken: int = 9) -> dict:
        return {
            "period": "measured", "router": router, "class": kind, "utilisation": utilisation, "queue_mean": length,
            "segments_accepted": taken, "segments_dropped": 0, "segments_marked": 0, "loss_rate": 0.0,
            "delay_p50_ms": None, "delay_p95_ms": None, "delay_p99_ms": None,
        }  # fmt: skip

    queues = [
        queue("behind", 0.901, 0.9), queue("bottleneck", 0.9, 20.0), queue("slow", 0.5, 90.0),
        queue("other", 0.1, 0.0, "pop"), queue("idle", 0.0, 0.0, "direct access", 0),
    ]  # fmt: skip
    names = [row[0] for row in busiest_rows(queues, "measured")]
    assert names == ["PoP: other", "fast access: bottleneck"]
    assert busiest_rows(queues, "1") == []


def test_networks_without_ports_have_classes() -> None:
    done = CliRunner().invoke(main, ["run", "dumbbell", "--duration", "3 s"])
    assert done.exit_code == 0, done.output
    assert "queues of routers" in done.stdout


def test_drop_tail_queues_without_delays_say_so(bottleneck: Scenario) -> None:
    rows = mn.simulate(bottleneck.with_values({"time.duration": "8 s"})).responses.frame.to_dicts()
    (row,) = class_rows(rows, "measured")
    assert row[0] == "plain"
    assert row[3:] == ["not recorded"] * 3
