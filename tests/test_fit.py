"""Fits of captures: readers, estimates against known paths, the gate, what-ifs, refusals."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import mesonet as mn
from capture_files import ACK, SYN, Packet, pcap, pcapng, qlog, samples, transfer
from mesonet.cli.verbs import main
from mesonet.conform import qlog as conform_qlog
from mesonet.conform.samples import Samples
from mesonet.errors import InputError
from mesonet.evidence.plan import cells_of, plan
from mesonet.fitting import what_if
from mesonet.fitting.estimates import estimate
from mesonet.fitting.fit import Fit
from mesonet.fitting.fits import Fits
from mesonet.fitting.gate import chosen, judge
from mesonet.fitting.paths import FittedPath, fitted, near
from mesonet.fitting.readers import flows, read
from mesonet.fitting.recording import Recording
from mesonet.fitting.tables import of_packets
from mesonet.fitting.what_if import refusal
from verification import fit_table

WAY = {"from": "A", "to": "B", "interface": "1 Gbit/s"}
CAPTURES = Path(__file__).parent / "captures"
CUBIC, RENO = (CAPTURES / f"{name}.pcap.gz" for name in ("p6-cubic", "p4-reno"))


@pytest.fixture(scope="module")
def plain() -> tuple[list[Packet], int, int]:
    return transfer()


@pytest.fixture(scope="module")
def cubic() -> Fit:
    """The capture of CUBIC with two what-ifs, on fewer paths than usual."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(what_if, "PATHS", 12)
        return mn.fit(CUBIC, control="cubic", what_if=["tcp", "bbr3"])


@pytest.mark.parametrize("form", ["pcap", "pcapng", "gzip", "ethernet", "ipv6"])
def test_every_form_of_a_file_gives_one_recording(tmp_path: Path, plain: tuple, form: str) -> None:
    packets, full, random = plain
    path = tmp_path / "capture"
    match form:
        case "pcap":
            pcap(path, packets)
        case "pcapng":
            pcapng(path, packets)
        case "gzip":
            path.write_bytes(gzip.compress(pcap(path, packets).read_bytes()))
        case "ipv6":
            pcap(path, packets, version=6)
        case "ethernet":
            pcap(path, packets, link=1, before=bytes(12) + b"\x81\x00\x00\x01\x08\x00")
    found = read(path)
    assert (found.total, found.read) == (len(packets), len(packets))
    assert (found.segment_bytes, int(found.lost.sum())) == (1520 if form == "ipv6" else 1500, full + random)
    assert found.handshake_s == pytest.approx(0.04, abs=1e-5)
    assert found.acked_s[0] == pytest.approx(2 * 0.04 + 0.0012, abs=1e-4)


@pytest.mark.parametrize("write", [pcap, pcapng])
def test_a_file_that_ends_in_a_packet_has_a_note(tmp_path: Path, plain: tuple, write: Callable[..., Path]) -> None:
    path = write(tmp_path / "a", plain[0])
    path.write_bytes(path.read_bytes()[:-7])
    found = read(path)
    assert (found.read, found.total) == (len(plain[0]) - 1, len(plain[0]))
    assert found.notes == ("the file ends early: 1 packet that the end of the file cuts",)


def test_a_few_packets_that_the_capture_lacks_have_a_note(tmp_path: Path, plain: tuple) -> None:
    data = [each for each in plain[0] if each.length]
    path = pcap(tmp_path / "a", [each for each in plain[0] if each is not data[1000]])
    assert read(path).notes == ("1,448 acknowledged bytes are in no packet: the capture lacks packets",)


def test_a_full_queue_gives_rate_round_trip_and_buffer(tmp_path: Path, plain: tuple) -> None:
    packets, full, _ = plain
    found = estimate(read(pcap(tmp_path / "a.pcap", packets)))
    assert found.rate.value == pytest.approx(10e6, rel=0.01)
    assert found.base_s.value == pytest.approx(0.04, abs=5e-4)
    assert found.buffer.value == pytest.approx(40, abs=1)
    assert found.buffer.within(40)
    assert (found.lost, found.lost_at_full) == (full, full)
    assert found.full_events == found.events >= 2
    assert not found.suspected


def test_steps_of_the_rate_are_found(tmp_path: Path) -> None:
    packets, *_ = transfer(rate=lambda at: 5e6 if 3 <= at < 6 else 12e6, places=60, seconds=9.0)
    levels = estimate(read(pcap(tmp_path / "a.pcap", packets))).levels
    assert [level.rate.value for level in levels] == pytest.approx([12e6, 5e6, 12e6], rel=0.01)
    assert [level.start_s for level in levels] == pytest.approx([0, 3, 6], abs=0.3)


def test_random_losses_are_told_from_losses_at_a_full_queue(tmp_path: Path) -> None:
    packets, full, random = transfer(loses=lambda number: number % 2001 == 400, places=10, seconds=9.0)
    assert min(full, random) > 0
    found = estimate(read(pcap(tmp_path / "a.pcap", packets)))
    assert found.lost - found.lost_at_full == pytest.approx(random, abs=1)
    assert found.random_loss.within(1 / 2001)


def test_a_buffer_that_never_filled_has_no_upper_bound(tmp_path: Path) -> None:
    packets, *_ = transfer(places=1000, most=60)
    recording = read(pcap(tmp_path / "a.pcap", packets))
    found = estimate(recording)
    assert not found.is_buffer_known
    assert found.buffer.low == pytest.approx(60 - 34, abs=2)  # window less the product of rate and round trip
    assert fitted(recording, found).buffer >= found.buffer.value


def test_packets_of_others_between_those_of_the_flow_are_suspected(tmp_path: Path, plain: tuple) -> None:
    # Every 16 packets, the queue serves 24 of others.
    packets, *_ = transfer(rate=_interrupted(), seconds=8.0, places=100)
    found = estimate(read(pcap(tmp_path / "a.pcap", packets)))
    assert any("competing load" in each for each in found.suspected)
    assert found.rate.value == pytest.approx(10e6, rel=0.05)


def _interrupted() -> Callable[[float], float]:
    count = 0

    def rate(_: float) -> float:
        nonlocal count
        count += 1
        return 10e6 / 25 if count % 16 == 0 else 10e6

    return rate


@pytest.mark.parametrize("version", ["0.3", "0.4"])
@pytest.mark.parametrize("form", ["json", "lines", "sequence"])
def test_logs_of_quic_have_the_path(tmp_path: Path, plain: tuple, form: str, version: str) -> None:
    packets, full, _ = plain
    recording = read(pcap(tmp_path / "a.pcap", packets))
    found = read(qlog(tmp_path / "a.qlog", recording, form=form, version=version))
    assert (found.protocol, found.segment_bytes, int(found.lost.sum())) == ("QUIC", 1500, full)
    assert estimate(found).rate.value == pytest.approx(10e6, rel=0.01)
    assert estimate(found).buffer.value == pytest.approx(40, abs=1)


def test_logs_of_quic_that_do_not_show_the_path_are_refused(tmp_path: Path, plain: tuple) -> None:
    recording = read(pcap(tmp_path / "a.pcap", plain[0]))
    path = tmp_path / "a.qlog"
    refused(qlog(path, recording, form="lines", unit_s=1e-6), "latest_rtt", "times in ms")
    path.write_text(path.read_text().replace("metrics_updated", "metrics"))
    refused(path, "its packets took 41.2 s at least", "times in ms")
    text = qlog(path, recording, form="json").read_text()
    for old, new, words in (
        ('"0.3"', '"draft-01"', "another version"),
        ('"qlog_version"', '"version"', "no version"),
        ("packet_sent", "packet_gone", "0 packets of data"),
        ('"packet_number"', '"number"', "an event without its fields"),
        ("}", "", "neither JSON nor lines of JSON"),
    ):
        path.write_text(text.replace(old, new))
        refused(path, words)
    path.write_text(text.replace("packet_received", "packet_gone"))
    refused(path, "acknowledged")


def test_known_paths_of_a_kernel() -> None:
    """Captures of Linux over an emulated link: 5 Mbit/s, 100 ms, 60 packets; 20 Mbit/s, 40 ms, random loss of .005."""
    found = estimate(read(CUBIC))
    assert found.rate.value == pytest.approx(5e6, rel=0.01)
    assert found.base_s.value == pytest.approx(0.1, abs=5e-4)
    assert found.buffer.value == pytest.approx(60, rel=0.1)
    assert (found.lost, found.lost_at_full) == (87, 87)
    found = estimate(read(RENO))
    assert found.rate.within(20e6)
    assert found.base_s.value == pytest.approx(0.04, abs=5e-4)
    assert (found.lost, found.lost_at_full) == (29, 0)
    assert found.random_loss.within(0.005)


def test_the_gate_passes_and_guesses_the_control() -> None:
    recording = read(CUBIC)
    found = estimate(recording)
    gate = judge(recording, found, fitted(recording, found), None)
    assert (gate.control, gate.is_guessed, gate.passed) == ("cubic", True, True)


def test_the_gate_fails_for_another_path() -> None:
    recording = read(CUBIC)
    found = estimate(recording)
    path = fitted(recording, found)
    gate = judge(recording, found, replace(path, buffer=2 * path.buffer), "cubic")
    assert not gate.passed
    assert "median round trip" in gate.reason
    assert "random losses" in judge(read(RENO), estimate(read(RENO)), path, "tcp").reason


def test_a_what_if_is_a_range_over_paths(cubic: Fit) -> None:
    tcp, bbr3 = cubic.answers
    assert 10 < tcp.paths <= 12
    # The kernel's own Reno on this path: 4.896 Mbit/s and 194.4 ms (another capture).
    assert tcp.goodput[0] < 4.896e6 < tcp.goodput[1]
    assert 0.99 * tcp.round_trip_s[0] < 0.1944 < tcp.round_trip_s[1]
    assert tcp.widened[0] >= 0.003
    assert any("no measurement of a kernel" in each for each in bbr3.warnings)


def test_paths_fill_the_intervals() -> None:
    recording = read(CUBIC)
    found = estimate(recording)
    paths = near(fitted(recording, found), found, 40)
    assert len(set(paths)) == 40
    assert all(found.buffer.low <= path.buffer <= found.buffer.high for path in paths)
    assert all(found.rate.low <= path.levels[0][1] <= found.rate.high for path in paths)


def test_the_path_is_a_scenario_that_runs(tmp_path: Path, cubic: Fit) -> None:
    target = cubic.write(tmp_path / "out")
    chosen = mn.scenario(target)
    assert chosen.value("network.buffer")["factor"] == cubic.path.buffer
    result = mn.simulate(mn.scenario(target, duration="2 s", algorithm="bbr3"))
    assert result.flow_traces.frame["segments_delivered"][-1] > 100
    page = (target.parent / "replay.html").read_text()
    assert all(
        part in page for part in ("<svg", "Other controls on this path", "bbr3", "60 segments", "What is not known")
    )
    assert "<script" not in page
    text = target.read_text() + page
    assert not re.search(r"\b10\.\d+\.\d+\.\d+\b", text), "an address of the capture"


def test_the_command_prints_lists_and_writes(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(main, ["fit", *words])
        assert done.exit_code == 0, done.output
        return done.stdout

    text = run(str(CUBIC), "--control", "cubic", "--out", str(tmp_path / "path"))
    assert all(part in text for part in ("rate 5.00", "PASSED", "read 8,256 of 8,256 packets"))
    assert (tmp_path / "path" / "path.toml").is_file()
    found = json.loads(run(str(CUBIC), "--control", "cubic", "--json"))
    assert found["gate"]["passed"] is True
    assert found["estimates"]["buffer"]["value"] == 60
    assert run(str(CUBIC), "--list").splitlines()[0].split()[0] == "number"
    assert json.loads(run(str(CUBIC), "--list", "--json"))[0]["begins"] is True


def test_a_folder_has_a_row_for_each_file(tmp_path: Path, plain: tuple) -> None:
    (folder := tmp_path / "captures").mkdir()
    pcap(folder / "a.pcap", plain[0])
    (folder / "b.txt").write_text("no capture")
    done = CliRunner().invoke(main, ["fit", str(folder), "--control", "tcp", "--out", str(tmp_path / "paths")])
    assert done.exit_code == 0, done.output
    _, first, second = done.stdout.splitlines()
    assert first.split()[:3] == ["a.pcap", "tcp", "10"]
    assert second.endswith("neither pcap nor pcapng")
    assert (tmp_path / "paths" / "a.pcap" / "path.toml").is_file()
    documents = json.loads(CliRunner().invoke(main, ["fit", str(folder), "--json"]).stdout)
    assert "refused" in documents[1]
    assert CliRunner().invoke(main, ["fit", str(folder), "--flow", "1"]).exit_code == 2


def test_a_run_of_mesonet_can_be_fitted(tmp_path: Path) -> None:
    """Both records of one run, the table and the qlog, have the path with which it was simulated."""
    path = FittedPath(((0.0, 20e6),), 0.04, 67, 0.0, 1500, True, 8.0)
    scenario = path.scenario("cubic").with_values({"trace.packets": True})
    result = mn.simulate(scenario, 1)
    result.write(tmp_path / "run")
    conform_qlog.write(tmp_path / "run.sqlog", Samples(scenario, result), 1, "a run")
    for file, protocol in (("run/packets.parquet", "TCP"), ("run.sqlog", "mesonet")):
        recording = read(tmp_path / file)
        found = estimate(recording)
        assert (recording.protocol, recording.segment_bytes, found.buffer.value) == (protocol, 1500, 67)
        assert found.rate.value == pytest.approx(20e6, rel=1e-3)
        assert found.base_s.value == pytest.approx(0.04, abs=1e-5)
        assert judge(recording, found, fitted(recording, found), "cubic").passed
    (tmp_path / "run" / "run.json").unlink()
    refused(tmp_path / "run" / "packets.parquet", "its folder has no run.json")
    refused(tmp_path / "run" / "flows.parquet", "not a table", "time_s")
    result.write(tmp_path / "again")
    with pytest.raises(InputError, match="no such flow"):
        read(tmp_path / "again" / "packets.parquet", 2)


@pytest.mark.parametrize(("rate", "base_s"), [(20e6, 0.04), (2e6, 0.003)])
def test_a_path_has_its_round_trip(rate: float, base_s: float) -> None:
    path = FittedPath(((0.0, rate),), base_s, 20, 0.0, 1500, True, 2.0)
    scenario = path.scenario("cubic").with_values({"trace.packets": True, "flows[0].size": "1 segments"})
    sent, acked = mn.simulate(scenario, 1).packets.column("time_s")[:2]
    assert acked - sent == pytest.approx(base_s + 8 * 1500 / rate, abs=2e-5)


@pytest.mark.parametrize("form", ["csv", "ss"])
def test_samples_have_the_path(tmp_path: Path, form: str) -> None:
    recording = read(CUBIC)
    found = estimate(read(samples(tmp_path / f"a.{form}", recording, form=form)))
    assert found.rate.value == pytest.approx(5e6, rel=0.01)
    assert found.base_s.value == pytest.approx(0.1, abs=1e-3)
    assert found.buffer.value == pytest.approx(60, rel=0.1)
    assert found.buffer.within(60)
    assert found.buffer.high > 1.2 * 60  # lost data counts as in flight
    assert found.lost == pytest.approx(87, abs=3)
    fit = mn.fit(tmp_path / f"a.{form}", control="cubic")
    assert fit.gate.passed
    assert any("samples every 50 ms" in line for line in fit.sentences())


def test_samples_that_do_not_show_the_path_are_refused(tmp_path: Path) -> None:
    recording = read(CUBIC)
    path = samples(tmp_path / "a.csv", recording, form="csv")
    text = path.read_text()
    lines = text.splitlines()
    for changed, *words in (
        (text.replace("tcpi_rtt", "srtt"), 'no column "rtt"'),
        ("\n".join(lines[:10]), "9 samples", "at least 20 samples"),
        ("\n".join([*lines[:30], lines[29], *lines[30:]]), "sample 30 is not after"),
        (text.replace(lines[40], lines[40].replace(",", ",x", 1)), "line 41", "rtt", "not a number"),
        (
            "\n".join(
                [*lines[:30], lines[90].replace(lines[90].split(",")[0], lines[30].split(",")[0], 1), *lines[31:]]
            ),
            "a count falls",
        ),
    ):
        path.write_text(changed)
        refused(path, *words)
    samples(path, recording, form="csv", unit=1e-3)
    refused(path, "rtt in us")
    samples(path, recording, form="ss")
    path.write_text("\n".join(line for line in path.read_text().splitlines() if not line[:1].isdecimal()))
    refused(path, "without a time before it")
    with pytest.raises(InputError, match="no such flow"):
        read(samples(path, recording, form="ss"), 2)


def test_codel_is_told_from_drop_tail_by_replays() -> None:
    path = FittedPath(((0.0, 20e6),), 0.04, 400, 0.0, 1500, True, 12.0, "codel")
    recording = simulated(path, "cubic")
    found = estimate(recording)
    assert not judge(recording, found, fitted(recording, found), "cubic").passed
    codel, gate = chosen(recording, found, fitted(recording, found), "cubic")
    assert (codel.discipline, gate.passed, refusal(found, gate, codel)) == ("codel", True, "")
    assert codel.values()["aqm.discipline"] == "codel"
    drop_tail = replace(path, discipline="drop_tail", buffer=67)
    recording = simulated(drop_tail, "cubic")
    found = estimate(recording)
    own, gate = chosen(recording, found, fitted(recording, found), "cubic")
    assert (own.discipline, gate.passed, gate.others) == ("drop_tail", True, ())


@pytest.mark.parametrize(
    ("values", "suspected"),
    [
        ({"impairments.policer_rate": "20 Mbit/s", "impairments.policer_burst": "60 segments"}, "a policer"),
        ({"flows": [WAY, {**WAY, "start": "2 s", "algorithm": "cubic"}]}, "competing load"),
        (
            {"impairments.jitter": "wifi", "impairments.jitter_mean": "3 ms", "impairments.jitter_slot": "1 ms"},
            "or jitter",
        ),
    ],
)
def test_what_a_path_is_not_is_suspected(values: dict[str, object], suspected: str) -> None:
    place = {"impairments.at": ["A -> B"], "impairments.of": "data"} if "flows" not in values else {}
    rate = 100e6 if suspected == "a policer" else 20e6
    path = FittedPath(((0.0, rate),), 0.04, 67, 0.0, 1500, True, 12.0)
    recording = simulated(path, "cubic", **place, **values)
    if suspected == "a policer":
        with pytest.raises(InputError, match=suspected):
            estimate(recording)
        return
    found = estimate(recording)
    assert suspected in "; ".join(found.suspected)
    assert not judge(recording, found, fitted(recording, found), "cubic").passed


def simulated(path: FittedPath, control: str, **values: object) -> Recording:
    """A transfer on a path, as the table of its packets shows it."""
    scenario = path.scenario(control).with_values({"trace.packets": True, **values})
    frame = mn.simulate(scenario, 1).packets.frame.filter(flow="flow 1")
    return of_packets(frame, {"segment_bytes": path.segment_bytes, "burst": 1.0}, "a simulated transfer")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three runs, two of them on one path, and a text."""
    folder = tmp_path_factory.mktemp("runs")
    for name, buffer in (("a", 40), ("b", 60), ("c", 60)):
        path = FittedPath(((0.0, 20e6),), 0.04, buffer, 0.0, 1500, True, 10.0)
        mn.simulate(path.scenario("cubic").with_values({"trace.packets": True}), 1).write(folder / name)
    (folder / "note.txt").write_text("no capture")
    return folder


def test_paths_are_the_conditions_of_an_experiment(tmp_path: Path, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["fit", str(runs), "--control", "cubic", "--experiment"])
    assert done.exit_code == 0, done.output
    assert "conditions: 2 paths\nleft out: c: b has an equal path\nleft out: note.txt" in done.stdout
    chosen = mn.experiment("paths.toml")
    assert (chosen.conditions, chosen.algorithms) == (2, ("cubic",))
    buffers = [chosen.canonical(number, "cubic")["network"]["buffer"]["factor"] for number in (1, 2)]
    assert buffers == [40, 60]
    found = mn.fit_folder(runs, control="cubic")
    assert found.as_dicts()[2]["left_out"] == "b has an equal path"
    # Paths with and without random loss, steps and CoDel have values for all of these.
    fits = list(found.fits.values())
    plain, other = fits[0], fits[1]
    lossy = replace(other.path, random_loss=0.001, levels=((0.0, 20e6), (4.0, 5e6)), discipline="codel")
    mixed = Fits({"a": plain, "b": replace(other, path=lossy)}, {})
    chosen = mn.experiment(mixed.write_experiment(tmp_path / "two paths.toml"))
    first, second = (chosen.canonical(number, "bbr") for number in (1, 2))
    assert (first["impairments"]["loss"], second["impairments"]["loss"]) == (0, 0.001)
    assert first["impairments"]["capacity"] is None
    assert len(second["impairments"]["capacity"]["points"]) == 2
    assert (first["aqm"]["discipline"], second["aqm"]["discipline"]) == ("drop_tail", "codel")


def test_a_path_is_the_only_condition(tmp_path: Path, runs: Path) -> None:
    found = mn.fit_folder(runs, control="cubic")
    only = Fits({"a": found.fits["a"]}, {})
    assert mn.experiment(only.write_experiment(tmp_path / "one.toml")).conditions == 1
    failed = replace(found.fits["a"], gate=replace(found.fits["a"].gate, reason="goodput"))
    with pytest.raises(InputError, match="no path can be a condition"):
        Fits({"a": failed}, {}).write_experiment(tmp_path / "none.toml")
    assert not (tmp_path / "none.toml").exists()
    for words in (["--experiment"], ["--suite", "x"]):
        refusal = CliRunner().invoke(main, ["fit", str(runs / "a"), *words])
        assert (refusal.exit_code, "with a folder of captures" in refusal.output) == (2, True)


def test_paths_are_the_cells_of_a_suite(tmp_path: Path, runs: Path) -> None:
    folder = mn.fit_folder(runs, control="cubic").write_suite(tmp_path / "suite")
    chosen = plan("bbr3", ["cubic"], 2, suite=str(folder))
    assert [each.id for each in chosen.criteria] == ["alone", "beside"]
    assert [each.label for each in cells_of(chosen.criteria[0], chosen.campaigns["alone"])] == [
        "fitted path 1", "fitted path 2",
    ]  # fmt: skip
    assert f"--suite {folder}" in chosen.command()
    case = folder / "01-alone.toml"
    text = case.read_text()
    for old, new, words in (
        ('labels = ["1", "2"]', 'labels = ["1"]', "labels are missing"),
        ("margin = 0.2", "margin = 2", "measures[0].margin"),
        ('better = "higher"', "", "measures[0].better"),
        ('id = "alone"', 'id = "beside"', "two cases have this id"),
        ("title =", "title ==", "not valid TOML"),
    ):
        case.write_text(text.replace(old, new, 1))
        with pytest.raises(InputError) as caught:
            plan("bbr3", ["cubic"], 2, suite=str(folder))
        assert words in str(caught.value)


def test_the_page_of_random_paths_follows_from_the_table() -> None:
    rows = fit_table.read()
    assert len(rows) == 100
    assert fit_table.PAGE.read_text(encoding="utf-8") == fit_table.page(rows)
    path, control = next(iter(fit_table.paths(1)))
    assert (round(path.levels[0][1] / 1e6, 3), control) == (float(rows[0]["rate"]), rows[0]["control"])


def test_one_of_several_flows(tmp_path: Path, plain: tuple) -> None:
    packets, *_ = plain
    both = [*packets, *(replace(each, port=40001, time_s=each.time_s + 0.5) for each in packets)]
    path = pcap(tmp_path / "two.pcap", both)
    assert [flow.packets for flow in flows(path)] == [len(packets)] * 2
    assert flows(path)[1].start_s == pytest.approx(0.5, abs=1e-3)
    assert read(path, 2).read == len(packets)
    refused(path, "2 of its 2 flows carry data", "--list")
    with pytest.raises(InputError, match="no such flow"):
        read(path, 3)


def refused(path: Path, *words: str) -> None:
    with pytest.raises(InputError) as caught:
        mn.fit(path)
    assert all(word in str(caught.value) for word in (str(path), *words)), caught.value


def test_captures_that_do_not_show_the_path_are_refused(tmp_path: Path, plain: tuple) -> None:
    packets, *_ = plain
    path = tmp_path / "bad.pcap"
    data = pcap(path, packets).read_bytes()
    path.write_bytes(data[:5000] + data[5040:])
    refused(path, "cannot be separated")
    refused(pcap(path, [each for each in packets if not each.flags & SYN]), "no SYN")
    refused(pcap(path, packets, snaplen=60), "snaplen")
    refused(pcap(path, packets[:100]), "bytes of data")
    refused(pcap(path, [each for each in packets if not 2 < each.time_s < 3]), "the capture lacks packets")
    refused(
        pcap(path, [replace(each, flags=each.flags & ~ACK) for each in packets if each.forth]),
        "packets of one direction only",
    )
    at_receiver = [replace(each, time_s=each.time_s + (0.04 if each.forth else 0)) for each in packets]
    at_receiver[2] = replace(at_receiver[2], time_s=0.08)
    refused(pcap(path, at_receiver), "from its receiver", "at the sender")
    refused(pcap(path, transfer(most=8)[0]), "of the time: the rate of the link is unknown")
    tunnel = bytearray(pcap(path, packets).read_bytes())
    for place in _protocols(tunnel):
        tunnel[place] = 50
    path.write_bytes(tunnel)
    refused(path, "no packet of TCP", "ESP")
    path.write_bytes(b"not a capture")
    refused(path, "neither pcap nor pcapng")
    path.write_bytes(gzip.compress(data)[:5000])
    refused(path, "not a whole gzip file")
    refused(tmp_path / "none.pcap", "no such file")
    refused(tmp_path, "Allowed: a capture")
    with pytest.raises(InputError, match="not a path in UTF-8"):
        mn.fit("a\0.pcap")


def _protocols(data: bytearray) -> list[int]:
    places, at = [], 24
    while at < len(data):
        places.append(at + 16 + 9)
        at += 16 + int.from_bytes(data[at + 8 : at + 12], "little")
    return places


def test_no_what_if_without_a_fit_that_reproduces_the_capture(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the buffer never filled"):
        mn.fit(RENO, control="tcp", what_if=["cubic"])
    done = CliRunner().invoke(main, ["fit", str(CUBIC), "--control", "bbr", "--what-if", "cubic"])
    assert done.exit_code == 2
    assert "does not reproduce the capture" in done.output
    for words in (["--control", "cubik"], ["--what-if", ""], ["--list", "--control", "cubic"]):
        assert CliRunner().invoke(main, ["fit", str(CUBIC), *words]).exit_code == 2
