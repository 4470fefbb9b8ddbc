"""Conformance: the contract, cases, baselines, and what is written for other tools."""

from __future__ import annotations

import csv
import json
import shlex
import shutil
import tomllib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

from mesonet import algorithms, core
from mesonet.cli.verbs import main
from mesonet.conform import baseline as baselines
from mesonet.conform import behaviour, contract, junit, qlog, reproducible
from mesonet.conform import case as cases
from mesonet.conform.baseline import CHECKED, METRICS, SCENARIOS, read_baseline, reference
from mesonet.conform.bench import Bench, folder
from mesonet.conform.case import CaseSuite, check_suite, suites
from mesonet.conform.conformance import plan
from mesonet.conform.contract import check_contract
from mesonet.conform.expectation import expectation
from mesonet.conform.finding import ERROR, FAIL, KNOWN, PASS, SKIPPED, About, Finding
from mesonet.conform.process import Checker
from mesonet.conform.report import Outline, document, failed
from mesonet.conform.samples import Samples
from mesonet.errors import InputError
from mesonet.plugins import is_file
from mesonet.scenarios.scenario import load_scenario

pytestmark = pytest.mark.slow

APPENDIX = (
    "Exiting STARTUP on Bandwidth Plateau",
    "Exiting STARTUP on Loss When Application-Limited",
    "Exiting DRAIN Based on Inflight",
    "Exiting DRAIN Based on Time",
    "Exiting PROBE_UP on Bandwidth Plateau",
    "Exiting PROBE_UP on Loss When Application-Limited",
    "Never Exiting PROBE_UP (or STARTUP) When Application-Limited With No Loss",
    "Exiting PROBE_DOWN on Inflight",
    "Exiting PROBE_DOWN After Max Time",
    "Entering and Exiting PROBE_RTT",
    "Skipping PROBE_RTT Due to Application-Limited Sending",
    "Achieving Expected STARTUP Bandwidth on a Link With Aggregation",
    "Achieving Expected Cruise Bandwidth on a Link With Aggregation",
    "Correctly Managing Sub-Packet BDPs",
    "Increasing Bandwidth 10x and Ensuring Full Bandwidth is Reached",
    "Decreasing Bandwidth 10x and Ensuring Max Bandwidth Adapts Down",
    "Handling Token Bucket Policers",
    "Handling Spurious Fast Recovery",
    "Handling Spurious RTO Recovery",
    "Entering and Exiting PROBE_RTT During STARTUP",
    "Handling Loss During PROBE_UP After inflight_longterm is Set",
    "Handling Application-Limited Sending During PROBE_REFILL",
)
"""Sections of the appendix of draft-ietf-ccwg-bbr, in its order."""
DEFECTS = Path(__file__).parents[1] / "verification" / "defects"
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
ALL = [(suite.name, each) for suite in suites().values() for each in suite.cases]


def call(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def samples(queue: Any = None, scenario: Any = None, **columns: Any) -> Samples:
    """Return samples of one flow that were never simulated: a row every 10 ms, from 10 ms on."""
    count = len(next(iter(columns.values())))
    known = {
        "time_s": np.arange(1, count + 1) / 100,
        "flow": ["flow 1"] * count,
        "state": ["standard"] * count,
        "mode": [""] * count,
        **{name: np.full(count, np.nan) for name in ("ssthresh", "pacing_rate", "bandwidth")},
        "cwnd": np.full(count, 10.0),
        "rtt_ms": np.full(count, 80.0),
        **{
            name: np.zeros(count, dtype=np.uint64)
            for name in ("in_flight", "segments_sent", "segments_delivered", "loss_events", "losses", "timeouts")
        },
    }
    queue = np.zeros(count) if queue is None else queue
    routers = pl.DataFrame({"time_s": known["time_s"], "router": ["A -> B"] * count, "queue": queue,
                            "segments_marked": np.ones(count)})  # fmt: skip
    result = SimpleNamespace(
        flow_traces=SimpleNamespace(frame=pl.DataFrame({**known, **columns})),
        router_traces=SimpleNamespace(frame=routers),
        stacks=SimpleNamespace(frame=pl.DataFrame()),
    )
    return Samples(scenario or load_scenario("base.toml", folder()), result)  # type: ignore[arg-type]


class Fake(Bench):
    """A bench whose runs are given."""

    def __init__(self, given: dict[str, Samples], other: Samples | None = None) -> None:
        super().__init__("tcp", {})
        self.given, self.other = given, other

    def samples(self, run: str, name: str, values: Any = None, seed: int = 1) -> Samples:
        return self.runs.setdefault(run, self.given.get(run, self.other))  # type: ignore[arg-type]


def finding(id: str, bench: Bench) -> Finding:
    names = {each.name for each in contract.checks()}
    (found,) = [each for each in check_contract(bench, names - {f"contract/{id}"}) if each.about.id == id]
    return found


# The contract.


def test_standard_tcp_keeps_the_contract() -> None:
    found = list(check_contract(Bench("tcp")))
    assert [each.about.id for each in found] == [each.id for each in contract.checks()]
    assert {each.verdict for each in found} == {PASS}, [each.why for each in found if each.verdict != PASS]
    assert all(each.about.reason and each.about.source for each in found)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in core.algorithms() if name != "tcp"])
def test_every_algorithm_keeps_the_contract(name: str) -> None:
    found = list(check_contract(Bench(name)))
    assert not failed(found), [each.why for each in found if each.verdict == FAIL]
    assert {each.about.id for each in found if each.verdict == SKIPPED} == ({"marks"} if "bbr" in name else set())
    known = {id for id, causes in contract.KNOWN_FAILURES.items() if name in causes}
    assert {each.about.id for each in found if each.verdict == KNOWN} == known


def test_known_failures_name_checks_and_algorithms() -> None:
    assert set(contract.KNOWN_FAILURES) <= {each.id for each in contract.checks()}
    assert {name for causes in contract.KNOWN_FAILURES.values() for name in causes} <= set(core.algorithms())


@pytest.mark.parametrize(
    ("algorithm", "checks"),
    [
        ("tcp(increase=10)", {"beside"}),
        ("tcp(decrease=0.05)", {"beside"}),
        pytest.param(DEFECTS / "constant.c", {"start", "loss", "shallow", "beside", "fill"}, marks=needs_compiler),
        pytest.param(DEFECTS / "stopping.c", {"loss", "recovery", "burst", "fill", "steps"}, marks=needs_compiler),
    ],
)
def test_a_bad_control_breaks_the_contract(algorithm: str | Path, checks: set[str], own_plugins: None) -> None:
    others = {each.name for each in contract.checks() if each.id not in checks}
    found = list(check_contract(Bench(algorithms.resolve(str(algorithm)).name), others))
    assert {each.about.id for each in found if each.verdict == FAIL} == checks


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("cwnd", np.nan, "cwnd is nan"),
        ("cwnd", np.inf, "cwnd is inf"),
        ("cwnd", 0.0, "cwnd is 0"),
        ("cwnd", 0.5, "smallest window 0.5"),
        ("pacing_rate", 0.0, "pacing_rate is 0"),
    ],
)
def test_a_window_that_is_none_is_found(column: str, value: float, words: str) -> None:
    sent = np.arange(1, 101, dtype=np.uint64)
    values = np.full(100, 10.0)
    assert finding("window", Fake({}, samples(segments_sent=sent, **{column: values}))).verdict == PASS
    values[50] = value
    found = finding("window", Fake({}, samples(segments_sent=sent, **{column: values})))
    assert found.verdict == FAIL
    assert words in found.why


def test_the_equation_has_the_numbers_of_standard_tcp() -> None:
    # RFC 5348, section 3.1. For few losses the window is sqrt(1.5 / p) segments.
    assert behaviour.throughput(1e-6, 0.1) * 0.1 == pytest.approx(np.sqrt(1.5e6), rel=1e-3)
    assert behaviour.throughput(0.1, 0.08) == pytest.approx(22.1, rel=1e-2)


def moving(seconds: int, **rates: Any) -> Samples:
    """Return samples of a flow whose counts grow with given rates per second: a number, or a function of the time."""
    at = np.arange(1, 100 * seconds + 1) / 100
    counts = {name: np.cumsum(np.broadcast_to(rate(at) if callable(rate) else rate, at.shape)) / 100
              for name, rate in rates.items()}  # fmt: skip
    return samples(
        scenario=load_scenario("base.toml", folder()).set("time.duration", f"{seconds} s"),
        **{name: count.astype(np.uint64) for name, count in counts.items()},
    )


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(1, 1, PASS), (9.5, 9.5, PASS), (11, 1, FAIL), (1, 11, FAIL), (0.4, 1, FAIL), (1, 0.4, FAIL)],
)
def test_rates_under_losses_are_compared_with_the_equation(low: float, high: float, verdict: str) -> None:
    runs = {
        f"{loss:.0%} loss".replace("%", " %"): moving(60, segments_sent=ratio * behaviour.throughput(loss, 0.08))
        for loss, ratio in ((0.03, low), (0.1, high))
    }
    assert finding("loss", Fake(runs)).verdict == verdict


@pytest.mark.parametrize(
    ("first", "factor", "verdict"), [(10, 2.0, PASS), (10, 2.9, PASS), (20, 2.0, FAIL), (10, 4.0, FAIL)]
)
def test_a_start_that_leaps_is_found(first: int, factor: float, verdict: str) -> None:
    rounds = first * np.cumsum(factor ** np.arange(5))
    sent = np.repeat(rounds, 8).astype(np.uint64)  # a round trip of 80 ms has 8 samples
    run = samples(segments_sent=sent, loss_events=(sent >= rounds[-1]).astype(np.uint64))
    assert finding("start", Fake({"100 Mbit/s": run})).verdict == verdict


def test_the_use_of_a_link_must_last() -> None:
    link = 1666.7
    steady = moving(120, segments_delivered=link)
    late = moving(120, segments_delivered=lambda at: np.where((at < 100) | (at > 105), link, 0.5 * link))
    once = moving(120, segments_delivered=lambda at: np.where((at > 1) & (at < 2), link, 1.0))
    for run, verdict in ((steady, PASS), (late, FAIL), (once, FAIL)):
        assert finding("fill", Fake({"100 Mbit/s": run})).verdict == verdict
    assert "from 100 to 105 s" in finding("fill", Fake({"100 Mbit/s": late})).why


def test_losses_that_persist_are_found() -> None:
    for losses, verdict in ((1.0, PASS), (10.0, FAIL)):
        run = moving(60, segments_sent=100.0, losses=losses)
        assert finding("shallow", Fake({"four flows": run})).verdict == verdict


@pytest.mark.parametrize(
    ("times", "segments", "verdict"),
    [
        ((10.5, 11.5, 13.5, 17.5), 1, PASS),
        ((10.5, 11.5, 12.5, 13.5, 14.5), 1, FAIL),  # the gaps stay
        ((10.5, 11.5, 13.5, 17.5), 2, FAIL),  # two segments at once
        ((10.5, 14.5), 1, FAIL),  # too few to see a factor
        ((), 1, FAIL),
    ],
)
def test_a_blackout_has_one_segment_per_timeout(times: tuple[float, ...], segments: int, verdict: str) -> None:
    instants = np.arange(1, 7001) / 100
    expired = np.sum([instants >= time - 1e-9 for time in times], axis=0, dtype=np.uint64) * np.ones(7000, np.uint64)
    sent = np.minimum(instants, 10.0) * 1000 + segments * expired
    run = samples(segments_sent=sent.astype(np.uint64), timeouts=expired)
    assert finding("blackout", Fake({"blackout of 15 s": run})).verdict == verdict


def test_a_flow_that_never_recovers_is_found() -> None:
    def stopping(again: float, share: float = 1.0) -> Samples:
        return moving(70, segments_delivered=lambda at: 1666.7 * np.where(at < 10, 1, np.where(at < again, 0, share)))

    for run, verdict in ((stopping(30), PASS), (stopping(60), FAIL), (stopping(80), FAIL), (stopping(30, 0.5), FAIL)):
        assert finding("recovery", Fake({"blackout of 15 s": run})).verdict == verdict


def test_a_flow_that_ignores_marks_is_found() -> None:
    for size, verdict in ((5.0, PASS), (60.0, FAIL)):
        run = samples(queue=np.full(4000, size), cwnd=np.zeros(4000))
        assert finding("marks", Fake({"marks": run})).verdict == verdict


def test_a_slow_algorithm_fails_where_it_is_slow() -> None:
    slow = Bench("bbr(pacing_margin=0.9)")
    assert finding("fill", slow).verdict == FAIL
    assert finding("thin-path", slow).verdict == FAIL


@pytest.mark.parametrize("id", ["same-seed", "threads", "resume"])
def test_bytes_that_differ_are_found(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def differing(*_: Any) -> dict[str, str]:
        calls.append(1)
        return {"series": str(len(calls))}

    monkeypatch.setattr(reproducible, "_digest", differing)
    monkeypatch.setattr(reproducible, "_same", lambda *_: False)
    found = finding(id, Bench("tcp"))
    assert found.verdict == FAIL
    assert "differ" in found.why


# Cases.


def test_every_case_of_the_appendix_is_there() -> None:
    source = "draft-ietf-ccwg-bbr, appendix BBR Example Test Cases"
    found = [each.about.source.removeprefix(f"{source}, ") for each in suites()["bbr"].cases]
    assert tuple(dict.fromkeys(found)) == APPENDIX


def test_names_of_cases_differ() -> None:
    names = [each.about.name for _, each in ALL]
    assert len(set(names)) == len(names)
    assert {name for each in suites().values() for name in each.algorithms} <= set(core.algorithms())


@pytest.mark.parametrize("each", [each for _, each in ALL], ids=lambda each: each.about.name)
def test_every_case_has_a_scenario(each: cases.Case) -> None:
    Bench("bbr3").scenario(each.scenario, each.values)
    assert each.about.reason
    assert len({one.text for one in each.expectations if not one.only}) == sum(not o.only for o in each.expectations)


@pytest.mark.parametrize("name", ["bbr", "bbr3", "tcp", "cubic", "hstcp", "scalable"])
@pytest.mark.slow
def test_algorithms_pass_the_cases_of_their_suites(name: str) -> None:
    found = [f for suite in suites().values() if name in suite.algorithms for f in check_suite(suite, Bench(name))]
    assert not failed(found), [each.why for each in found if each.verdict == FAIL]
    assert not [each.about.id for each in found if each.verdict == KNOWN]


def only(id: str) -> CaseSuite:
    suite = next(each for each in suites().values() if any(one.about.id == id for one in each.cases))
    return CaseSuite(suite.name, "", (), suite.needs_modes, tuple(each for each in suite.cases if each.about.id == id))


@pytest.mark.parametrize(
    ("id", "algorithm"),
    [
        ("startup-plateau", "bbr3(full_rounds=8)"),
        ("drain-inflight", "bbr3(drain_gain=0.75)"),
        ("drain-time", "bbr3(drain_rounds=20)"),
        ("up-plateau", "bbr3(full_rounds=6)"),
        ("down-inflight", "bbr3(down_gain=0.75)"),
        ("down-time", "bbr3(probe_rounds=10)"),
        ("probe-rtt", "bbr3(probe_rtt_interval=10)"),
        ("probe-rtt", "bbr(min_rtt_time=5)"),
        ("sub-packet", "bbr3(pacing_margin=0.2)"),
        ("up-loss-bound", "bbr3(loss_threshold=0.5)"),
        ("aggregation-startup", "bbr3(extra_acked_gain=0)"),
    ],
)
def test_another_constant_fails_its_case(id: str, algorithm: str) -> None:
    (found,) = check_suite(only(id), Bench(algorithm))
    assert found.verdict == FAIL, found.why


def test_a_case_about_another_version_is_skipped_with_its_reason() -> None:
    (found,) = check_suite(only("drain-time"), Bench("bbr"))
    assert (found.verdict, found.why) == (SKIPPED, "BBRv1 drains without a limit of rounds")
    (found,) = check_suite(only("never-exits"), Bench("tcp"))
    assert (found.verdict, found.why) == (SKIPPED, "tcp reports no modes")


def test_a_known_failure_is_no_failure_and_its_end_is_one() -> None:
    (case,) = only("never-exits").cases
    never = replace(case, known={"bbr3": "a cause"}, expectations=(replace(case.expectations[0], at_least=1e9),))
    suite = CaseSuite("bbr", "", (), True, (never,))
    (found,) = check_suite(suite, Bench("bbr3"))
    assert found.verdict == KNOWN
    assert "a cause" in found.why
    (found,) = check_suite(suite, Bench("bbr3(beta=0.69)"))
    assert found.verdict == FAIL, "a variant has no known failures"
    passing = cases.Case(**{**case.__dict__, "known": {"bbr3": "a cause"}})
    (found,) = check_suite(CaseSuite("bbr", "", (), True, (passing,)), Bench("bbr3"))
    assert found.verdict == FAIL
    assert "remove the statement" in found.why


@pytest.fixture
def own_suite(tmp_path: Path) -> Path:
    """A suite of a user, with a scenario of its own."""
    folder = tmp_path / "mine"
    (folder / "scenarios").mkdir(parents=True)
    (folder / "suite.toml").write_text('title = "Mine"\nsource = "a paper"\n')
    (folder / "scenarios" / "slow.toml").write_text('network.speed = "2 Mbit/s"\ntime.duration = "12 s"\n')
    (folder / "1.toml").write_text(
        HEAD + 'scenario = "slow"\n[[expect]]\ntext = "used"\nmeasure = "utilisation"\nstart = 5\nat_least = 0.9\n'
    )
    return folder


def test_a_suite_of_a_user_is_checked(own_suite: Path) -> None:
    alone = ("conform", "tcp", "--no-contract", "--baseline", "none", "--json")
    found = json.loads(call(*alone, "--cases", f"{own_suite},tcp", "--list").stdout)
    assert [each["check"] for each in found][:2] == ["mine/a", "tcp/response-1e-2"]
    good = call(*alone, "--cases", own_suite)
    assert good.exit_code == 0, good.output
    (finding,) = json.loads(good.stdout)["findings"]
    assert (finding["group"], finding["source"]) == ("mine", "a paper, 1")
    case = own_suite / "1.toml"
    case.write_text(case.read_text().replace("0.9", "1.1"))
    assert call(*alone, "--cases", own_suite).exit_code == 1


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("1.toml", '"slow"', '"slo"', 'scenario = "slo": unknown scenario (nearest: slow'),
        ("1.toml", "[[expect]]", "set.nosuch = 1\n[[expect]]", "nosuch"),
        ("1.toml", "[[expect]]", "[expect]", "expect = "),
        ("1.toml", "[[expect]]", "event.delay = 1\n[[expect]]", "event.mode: missing"),
        ("1.toml", "[[expect]]", "set = 1\n[[expect]]", "set = 1: of another kind. Allowed: a table"),
        ("1.toml", "title", "= title", "1.toml: not valid TOML"),
        ("suite.toml", "source", "sauce", "unknown key of a case (nearest: source)"),
        ("scenarios/slow.toml", "network", 'base = "dumbbell"\nnetwork', "unknown scenario of mesonet conform"),
        ("scenarios/slow.toml", "2 Mbit/s", "2 MB", "network.speed"),
    ],
)
def test_a_suite_that_is_wrong_is_refused(own_suite: Path, file: str, old: str, new: str, message: str) -> None:
    text = (own_suite / file).read_text()
    assert old in text
    (own_suite / file).write_text(text.replace(old, new, 1))
    result = call("conform", "tcp", "--cases", own_suite)
    assert result.exit_code == 2, result.output
    assert message in result.stderr


def test_suites_have_names_and_cases_of_their_own(own_suite: Path) -> None:
    (own_suite / "2.toml").write_text((own_suite / "1.toml").read_text())
    assert "two cases have this id" in call("conform", "tcp", "--cases", own_suite).stderr
    (own_suite / "2.toml").unlink()
    other = own_suite.rename(own_suite.with_name("tcp"))
    assert "another group of checks has the name tcp" in call("conform", "tcp", "--cases", f"tcp,{other}").stderr


HEAD = 'id = "a"\ntitle = "A"\nreason = "why"\nsection = "1"\n'
ONE = '[[expect]]\ntext = "window"\nat_least = 1\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD, "case.toml: expect: a case has either expectations or a reason why it is missing"),
        (HEAD + 'missing = "no"\n' + ONE, "a case has either"),
        (HEAD.replace("title", "titel") + ONE, "unknown key of a case (nearest: title)"),
        ('id = "a"\n' + ONE, "title: missing"),
        (HEAD + 'only = ["bbr"]\n' + ONE, "only and only_reason go together"),
        (HEAD + ONE + 'quantity = "cwmd"\n', 'expect[0].quantity = "cwmd": unknown quantity (nearest: cwnd)'),
        (HEAD + ONE + 'measure = "sample"\n', "unknown measure (nearest: samples"),
        (HEAD + ONE + 'at_most = "2"\n', 'expect[0].at_most = "2": not a number'),
        (HEAD + ONE + "most = 2\n", "unknown key of an expectation"),
        (HEAD + ONE + 'visit = "second"\n', "Allowed: each, first, last"),
        (HEAD + '[[expect]]\ntext = "window"\n', "expect[0]: no bounds"),
        (HEAD + '[event]\nmode = "drain"\nvisit = 0\n' + ONE, "event.visit = 0: no number of a visit"),
        (HEAD + '[event]\nmod = "drain"\n' + ONE, "unknown key of an event (nearest: mode)"),
    ],
)
def test_a_malformed_case_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "case.toml").write_text(text)
    with pytest.raises(InputError) as error:
        cases.read(tmp_path / "case.toml", "bbr", "source")
    assert message in str(error.value)


def measure(run: Samples, event: float = 0.0, **given: Any) -> list[float]:
    values = expectation({"text": "x", "at_least": 0, **given}, "file", "expect[0]").values(run, event)
    return [round(float(value), 6) for value in values]


def test_measures_of_modes() -> None:
    modes = ["a"] * 10 + ["b"] * 20 + ["a"] * 30 + ["c"] * 40
    run = samples(mode=modes, cwnd=np.arange(100.0))
    assert measure(run, measure="visits", modes=["a"]) == [2]
    assert measure(run, measure="duration", modes=["a"]) == [0.1, 0.3]
    assert measure(run, measure="duration", modes=["c"]) == []  # the end of the run cuts it short
    assert measure(run, measure="duration", modes=["a"], before=["c"]) == [0.3]
    assert measure(run, measure="duration", modes=["a"], visit="first") == [0.1]
    assert measure(run, measure="rounds", modes=["b"]) == [2.5]
    assert measure(run, measure="interval", modes=["a"]) == [0.3]
    assert measure(run, measure="followed_by", modes=["a"], next=["b"]) == [1, 0]
    assert measure(run, measure="share", modes=["a", "b"]) == [0.6]
    assert measure(run, modes=["b"], take="first") == [10]
    assert measure(run, modes=["a"], take="max", start=0.2) == [59]
    assert measure(run, event=0.2, modes=["a"], take="last", visit="last") == [59]
    assert measure(run, start=0.505, take="min") == [50]


def test_measures_of_spans() -> None:
    at = np.arange(1000)
    delivered = (at * 5).astype(np.uint64)  # 500 segments/s of 1666.7
    events = (at // 250).astype(np.uint64)
    run = samples(
        segments_delivered=delivered,
        segments_sent=delivered * 2,
        losses=delivered // 5,
        loss_events=events,
        scenario=load_scenario("base.toml", folder()).with_values({"time.duration": "10 s", "time.warmup": "1 s"}),
        ssthresh=np.full(1000, 5.0),
    )
    assert measure(run, measure="utilisation", start=1) == [pytest.approx(0.3, rel=1e-3)]
    assert measure(run, measure="loss_share", start=1) == [pytest.approx(0.1, rel=1e-2)]
    assert measure(run, measure="count", quantity="loss_events") == [3]
    assert measure(run, measure="loss_interval") == [2.5]
    assert measure(run, measure="decrease") == [0.5, 0.5, 0.5]
    assert measure(run, measure="seconds_until", quantity="delivered / link", start=0.5, level=0.9) == []
    (took,) = measure(run, measure="rounds_until", quantity="cwnd", start=0.5, level=10)
    assert took == 0.125  # the next sample
    low = measure(run, measure="seconds_until", quantity="cwnd", start=0.5, level=-10)
    assert low == [0.01]


def test_the_plateau_begins_with_the_last_growth_by_a_quarter() -> None:
    estimate = np.concatenate([np.linspace(100, 1000, 50), np.full(30, 1100.0), np.full(20, 1100.0)])
    run = samples(mode=["startup"] * 80 + ["drain"] * 20, bandwidth=estimate)
    grown = float(np.argmax(estimate >= 1100 / 1.25) + 1) / 100
    (rounds,) = measure(run, measure="plateau", modes=["startup"])
    assert rounds == pytest.approx((0.81 - grown) / 0.08, abs=1e-6)


def test_a_change_of_the_rate_is_known() -> None:
    run = Samples(Bench("tcp").scenario("baseline/steps"), None)  # type: ignore[arg-type]
    mbit = run.link(np.array([5.0, 15.0, 25.0, 35.0])) * 12_000 / 1e6
    assert mbit.round(6).tolist() == [20, 5, 20, 5]
    policed = Bench("tcp").scenario("base", {"impairments.policer_rate": "10 Mbit/s"})
    assert Samples(policed, None).link(np.array([1.0]))[0] * 12_000 == pytest.approx(10e6)  # type: ignore[arg-type]
    late = run.scenario.with_values({"impairments.capacity": [["1 s", "20 Mbit/s"], ["2 s", "5 Mbit/s"]]})
    rates = Samples(late, None).link(np.array([0.5, 1.5, 3.0])) * 12_000  # type: ignore[arg-type]
    assert rates.tolist() == pytest.approx([20e6, 20e6, 5e6])


# Baselines.


@pytest.mark.parametrize("name", core.algorithms())
def test_every_algorithm_has_a_baseline(name: str) -> None:
    found = read_baseline(name)
    assert found.algorithm == name
    assert tuple(found.numbers) == SCENARIOS
    for metrics in found.numbers.values():
        assert set(metrics) <= set(METRICS)
        assert all(each.tolerance > 0 for each in metrics.values())


def compared(name: str, algorithm: str, scenarios: set[str], seeds: range | None = None) -> list[Finding]:
    skip = {f"baseline/{each}" for each in SCENARIOS if each not in scenarios}
    found = baselines.check_baseline(read_baseline(name), Bench(algorithm), seeds, skip=skip)
    return [each for each in found if each.verdict != SKIPPED]


def test_the_same_algorithm_has_equal_numbers() -> None:
    found = compared("cubic", "cubic", {"steady", "marks"})
    assert [(each.verdict, each.why) for each in found] == [(PASS, "8 numbers equal")] * 2


@pytest.mark.parametrize(
    ("name", "algorithm", "scenario"),
    [
        ("tcp", "tcp(decrease=0.45)", "steady"),
        ("tcp", "tcp(decrease=0.475)", "steady"),
        ("tcp", "tcp(increase=1.05)", "shallow"),
        ("cubic", "cubic(c=0.3)", "cycle"),
        ("cubic", "cubic(c=0.37)", "cycle"),
        ("bbr3", "bbr3(cwnd_gain=2.1)", "jitter"),  # a window that the jitter of the path fills
    ],
)
def test_a_changed_constant_is_found(name: str, algorithm: str, scenario: str) -> None:
    (found,) = compared(name, algorithm, {scenario})
    assert found.verdict == FAIL, found.why
    assert "within" in found.why


@pytest.mark.slow
def test_other_seeds_give_no_alarm() -> None:
    found = compared("tcp", "tcp", {"steady", "shallow", "marks", "outages"}, range(501, 501 + CHECKED))
    assert {each.verdict for each in found} == {PASS}, [each.why for each in found]


def test_tolerances_follow_the_spread() -> None:
    values = np.linspace(99, 101, 24)
    found = reference(values, "goodput", 80)
    assert found.sd == pytest.approx(values.std(ddof=1), rel=1e-4)
    # Student's t at 1 - .01 / 80 / 2 with 23 degrees of freedom is 4.604.
    spread = np.sqrt(np.pi / 2 * (1 / 24 + 1 / 8))
    assert found.tolerance == pytest.approx(4.604 * found.sd * spread, rel=1e-3)
    assert reference(np.full(24, 100.0), "goodput", 80).tolerance == pytest.approx(0.5)
    assert reference(np.zeros(24), "loss_rate", 80).tolerance == 1e-5
    rare = np.concatenate([np.full(22, 100.0), [150.0, 150.0]])
    assert reference(rare, "goodput", 80).median == 100


def test_a_baseline_knows_the_values_that_were_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "SCENARIOS", ("marks",))
    monkeypatch.setattr(baselines, "SEEDS", CHECKED)
    file = tmp_path / "mine.json"
    words = ("--preset", "standard", "--set", "initial_window=3 segments")
    assert call("conform", "tcp", "--write-baseline", file, *words).exit_code == 0
    values = {"preset": "standard", "transport.initial_window": "3 segments"}
    assert read_baseline(str(file)).values == values
    same = plan("tcp", baseline=str(file), values={"initial_window": "3 segments", "preset": "standard"})
    (good,) = baselines.check_baseline(same.baseline, Bench("tcp", values=same.values))  # type: ignore[arg-type]
    assert good.why.endswith("numbers equal")
    (bad,) = baselines.check_baseline(same.baseline, Bench("tcp"))  # type: ignore[arg-type]
    assert not bad.why.endswith("numbers equal")
    assert Bench("tcp", values=same.values).shown() == values
    assert document(Outline("tcp", None, (), values), [good])["set"] == values
    refused = call("conform", "tcp", "--baseline", file)
    assert refused.exit_code == 2
    assert "a baseline of other values: preset=standard, transport.initial_window=3 segments" in refused.stderr


@pytest.mark.slow
def test_a_baseline_is_written_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "SCENARIOS", ("marks",))
    monkeypatch.setattr(baselines, "SEEDS", CHECKED)
    file = tmp_path / "mine.json"
    assert call("conform", "tcp(decrease=0.4)", "--write-baseline", file).exit_code == 0
    found = read_baseline(str(file))
    assert (found.algorithm, found.seeds) == ("tcp(decrease=0.4)", tuple(range(1, CHECKED + 1)))
    (good,) = baselines.check_baseline(found, Bench("tcp(decrease=0.4)"))
    (bad,) = baselines.check_baseline(found, Bench("tcp(decrease=0.45)"))
    assert (good.verdict, good.why[2:], bad.verdict) == (PASS, "numbers equal", FAIL)


@pytest.mark.process
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: "{", "not a baseline"),
        (lambda d: json.dumps([d]), "not a baseline"),
        (lambda d: json.dumps(d | {"format": 9}), "format = 9: a baseline of another version"),
        (lambda d: json.dumps(d | {"algorithm": "nosuch"}), "unknown algorithm"),
        (lambda d: json.dumps(d | {"seeds": [1]}), "not 8 seeds or more"),
        (lambda d: json.dumps(d | {"seeds": d["seeds"][:-1]}), "not one value for each seed"),
        (lambda d: json.dumps(d | {"numbers": {}}), "not a baseline: 'steady'"),
        (lambda d: json.dumps(d).replace('"median": ', '"median": NaN, "x": ', 1), "nan is not a finite number"),
        (lambda d: json.dumps(d).replace('"goodput"', '"badput"', 1), "unknown metric badput"),
    ],
)
def test_a_file_that_is_no_baseline_is_refused(change: Any, message: str, tmp_path: Path) -> None:
    document = json.loads(baselines.shipped()["tcp"].read_text())
    (tmp_path / "b.json").write_text(change(document))
    result = call("conform", "tcp", "--baseline", tmp_path / "b.json")
    assert result.exit_code == 2
    assert message in result.stderr


# Outputs.

ABOUT = About("contract", "window", "A title", "why", "RFC")
FOUND = [
    Finding(ABOUT, PASS, "good", {"x": 1.0}, 0.25),
    Finding(About("bbr", "idle", "B < C & \x01", "why", "RFC"), FAIL, 'bad "<&>" \x07', {"x": float("nan")}, 0.5),
    Finding(About("bbr", "deep", "B", "why", "RFC"), KNOWN, "cause"),
    Finding(About("bbr", "old", "B", "why", "RFC"), SKIPPED, "v1"),
    Finding(About("bbr", "crash", "B", "why", "RFC"), ERROR, "ended by SIGSEGV"),
]


def test_junit_is_xml_with_counts() -> None:
    root = ElementTree.fromstring(junit.xml("tcp", FOUND))
    assert root.tag == "testsuites"
    assert [root.get(key) for key in ("tests", "failures", "skipped", "errors")] == ["5", "1", "2", "1"]
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [("contract", "1"), ("bbr", "4")]
    good, bad, known, skipped, ended = root.iter("testcase")
    assert (good.find("failure"), good.find("skipped"), good.get("time")) == (None, None, "0.250")
    assert bad.find("failure").get("message") == 'bad "<&>" �'  # type: ignore[union-attr]
    assert known.find("skipped").get("message") == "known failure: cause"  # type: ignore[union-attr]
    assert skipped.find("skipped").get("message") == "skipped: v1"  # type: ignore[union-attr]
    assert ended.find("error").get("message") == "ended by SIGSEGV"  # type: ignore[union-attr]
    assert ended.find("failure") is None


def test_junit_has_the_values_that_were_set() -> None:
    root = ElementTree.fromstring(junit.xml("tcp", FOUND, {"preset": "standard"}))
    found = [each.attrib for each in root.iter("property")]
    assert found == [{"name": "preset", "value": "standard"}] * 2
    assert not list(ElementTree.fromstring(junit.xml("tcp", FOUND)).iter("properties"))


def test_a_report_has_all_that_was_measured() -> None:
    about = document(Outline("tcp", None, tuple(each.about for each in FOUND)), FOUND)
    assert about["counts"] == {"pass": 1, "fail": 1, "error": 1, "known failure": 1, "skipped": 1}
    assert about["findings"][0]["values"] == {"x": 1.0}
    assert failed(FOUND)
    assert failed(FOUND[4:])
    assert not failed([FOUND[0], *FOUND[2:4]])


def test_qlog_follows_the_samples() -> None:
    bench = Bench("bbr3")
    run = bench.samples("lossy", "base", {"time.duration": "12 s", "impairments.loss": 0.01})
    head, *events = qlog.records(run, 1, "a title")
    assert (head["qlog_version"], head["qlog_format"], head["title"]) == ("0.3", "JSON-SEQ", "a title")
    flow = run.flow()
    times = [event["time"] for event in events]
    assert times == sorted(times)
    kinds = [event["name"] for event in events]
    recovery = {f"recovery:{k}" for k in ("metrics_updated", "congestion_state_updated", "packet_lost")}
    assert set(kinds) == {*recovery, "mesonet:mode_updated"}
    assert kinds.count("recovery:packet_lost") == int(flow["losses"][-1]) > 10
    for kind, first in (("recovery:congestion_state_updated", "slow_start"), ("mesonet:mode_updated", "startup")):
        states = [event["data"] for event in events if event["name"] == kind]
        assert states[0] == {"new": first}
        assert all(one["new"] == two["old"] for one, two in pairwise(states))
    metrics: dict[str, float] = {}
    for event in events:
        if event["name"] == "recovery:metrics_updated":
            assert event["data"].items() - metrics.items(), "only what changed"
            metrics |= event["data"]
    assert metrics["congestion_window"] == round(float(flow["cwnd"][-1]) * 1500)
    assert metrics["pacing_rate"] == round(float(flow["pacing_rate"][-1]) * 12_000)
    assert metrics["min_rtt"] == round(float(np.nanmin(flow["rtt_ms"])), 3)
    assert "ssthresh" not in metrics, "a threshold that was never set"


def test_qlog_numbers_each_transmission() -> None:
    bench = Bench("tcp", has_packets=True)
    run = bench.samples("lossy", "base", {"time.duration": "12 s", "impairments.loss": 0.01})
    _, *events = qlog.records(run, 1, "a title")
    assert [event["time"] for event in events] == sorted(event["time"] for event in events)

    def numbers(name: str) -> list[int]:
        return [event["data"]["header"]["packet_number"] for event in events if event["name"] == name]

    sent, lost, dropped = map(numbers, ("transport:packet_sent", "recovery:packet_lost", "mesonet:packet_dropped"))
    assert sent == list(range(1, len(sent) + 1))
    assert len(sent) == int(run.flow()["segments_sent"][-1])
    assert len(dropped) == int(run.flow()["losses"][-1]) > 10
    assert set(lost) <= set(dropped), "nothing overtakes here"
    streams = [event["data"]["frames"][0] for event in events if event["name"] == "transport:packet_sent"]
    assert {each["length"] for each in streams} == {1500}
    offsets = [each["offset"] for each in streams]
    again = [number for number in sent if offsets[number - 1] in offsets[: number - 1]]
    assert {offsets[number - 1] for number in again} <= {offsets[number - 1] for number in lost}
    acks = [event["data"]["frames"][0] for event in events if event["name"] == "transport:packet_received"]
    acked = {each["acked_ranges"][0][0] for each in acks}
    assert not acked & set(dropped)
    assert len(acked) == int(run.flow()["segments_delivered"][-1])


UINT64, FLOAT, TEXT = ("uint64",), ("float",), ("text",)
PACKET_TYPES = ("initial", "handshake", "0RTT", "1RTT", "retry", "version_negotiation", "stateless_reset", "unknown")
HEADER = {"packet_type": PACKET_TYPES, "packet_number?": UINT64}
QLOG: dict[str, Any] = {
    "recovery:metrics_updated": {
        **dict.fromkeys(("min_rtt?", "smoothed_rtt?", "latest_rtt?", "rtt_variance?"), FLOAT),
        **dict.fromkeys(("pto_count?", "congestion_window?", "bytes_in_flight?", "ssthresh?"), UINT64),
        **dict.fromkeys(("packets_in_flight?", "pacing_rate?"), UINT64),
    },
    "recovery:congestion_state_updated": {
        "old?": TEXT, "new": TEXT, "trigger?": ("persistent_congestion", "ECN"),
    },
    "recovery:packet_lost": {
        "header?": HEADER, "trigger?": ("reordering_threshold", "time_threshold", "pto_expired"),
    },
    "transport:packet_sent": {
        "header": HEADER,
        "frames?": [{"frame_type": ("stream",), "stream_id": UINT64, "offset": UINT64, "length": UINT64}],
        "raw?": {"length?": UINT64, "payload_length?": UINT64},
    },
    "transport:packet_received": {
        "header": HEADER, "frames?": [{"frame_type": ("ack",), "ack_delay?": FLOAT, "acked_ranges?": [[UINT64]]}],
    },
    "mesonet:mode_updated": {"old?": TEXT, "new": TEXT},
    "mesonet:packet_dropped": {"header": HEADER},
}  # fmt: skip
"""Data of events: draft-ietf-quic-qlog-quic-events-02, sections 4 and 5, and appendix A. A field that may be missing
ends with ``?``. Events that begin with ``mesonet`` are our own."""
QLOG_HEAD = {
    "qlog_version": ("0.3",),
    "qlog_format": ("JSON-SEQ",),
    "title?": TEXT,
    "description?": TEXT,
    "trace": {
        "title?": TEXT,
        "description?": TEXT,
        "common_fields?": {"time_format?": ("absolute", "delta", "relative"), "reference_time?": FLOAT},
        "vantage_point?": {"name?": TEXT, "type": ("client", "server", "network", "unknown")},
    },
}
"""Header: draft-ietf-quic-qlog-main-schema-02, sections 3 and 10.2."""


def breaks(value: object, rule: Any, place: str) -> list[str]:
    """Return what breaks a rule: a mapping of fields, a list of one rule, a kind, or the allowed texts."""
    if isinstance(rule, dict):
        if not isinstance(value, dict):
            return [f"{place}: no object"]
        fields = {key.rstrip("?"): key for key in rule}
        found = [f"{place}.{key}: unknown" for key in value if key not in fields]
        found += [f"{place}.{key}: missing" for key, full in fields.items() if full == key and key not in value]
        return found + [
            b for k, each in value.items() if k in fields for b in breaks(each, rule[fields[k]], f"{place}.{k}")
        ]
    if isinstance(rule, list):
        if not isinstance(value, list) or not value:
            return [f"{place}: no list"]
        return [broken for each in value for broken in breaks(each, rule[0], f"{place}[]")]
    fits = {
        UINT64: type(value) is int and 0 <= value < 2**64,
        FLOAT: type(value) in (int, float) and np.isfinite(value),
        TEXT: isinstance(value, str) and value != "",
    }.get(rule, value in rule)
    return [] if fits else [f"{place} = {value!r}"]


@pytest.mark.parametrize("has_packets", [False, True])
@pytest.mark.parametrize("algorithm", ["bbr3", "cubic"])
def test_qlog_keeps_its_schema(algorithm: str, has_packets: bool) -> None:
    outage = {"impairments.outage_start": "5 s", "impairments.outage_length": "2 s", "impairments.loss": 0.01}
    bench = Bench(algorithm, has_packets=has_packets)
    head, *events = qlog.records(bench.samples("dark", "base", {**outage, "time.duration": "12 s"}), 1, "a title")
    assert not breaks(head, QLOG_HEAD, "head")
    seen = set()
    for event in json.loads(json.dumps(events)):
        assert set(event) == {"time", "name", "data"}
        assert not breaks(event["time"], FLOAT, "time")
        assert event["name"] in QLOG
        assert not breaks(event["data"], QLOG[event["name"]], event["name"])
        seen.add(event["name"])
        for frame in event["data"].get("frames", ()):
            assert all(len(each) <= 2 for each in frame.get("acked_ranges", ()))
    packets = {"transport:packet_sent", "transport:packet_received", "mesonet:packet_dropped"}
    modes = {"mesonet:mode_updated"} if algorithm == "bbr3" else set()
    assert seen == {*QLOG} - (set() if has_packets else packets) - {"mesonet:mode_updated"} | modes


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({"min_rtt": "80"}, "min_rtt"), ({"pacing_rate": 1.5}, "pacing_rate"), ({"cwnd": 1}, "cwnd"),
        ({"ssthresh": -1}, "ssthresh"),
    ],
)  # fmt: skip
def test_the_schema_of_qlog_can_break(data: dict[str, object], place: str) -> None:
    assert place in breaks(data, QLOG["recovery:metrics_updated"], "data")[0]
    assert breaks({"header": {"packet_type": "1rtt"}}, QLOG["transport:packet_sent"], "data")
    assert breaks({}, QLOG["transport:packet_sent"], "data") == ["data.header: missing"]


@pytest.mark.process
def test_states_of_qlog_are_those_of_its_document() -> None:
    bench = Bench("tcp")
    outage = {"impairments.outage_start": "5 s", "impairments.outage_length": "5 s", "time.duration": "20 s"}
    run = bench.samples("dark", "base", outage)
    assert set(run.flow()["state"]) == {"slow start", "standard", "fast recovery", "after a timeout"}
    _, *events = qlog.records(run, 1, "a title")
    changes = [event["data"] for event in events if event["name"].endswith("congestion_state_updated")]
    assert {each["new"] for each in changes} == {"slow_start", "congestion_avoidance", "recovery"}
    assert {"old": "congestion_avoidance", "new": "recovery", "trigger": "persistent_congestion"} in changes


def test_traces_are_written(tmp_path: Path) -> None:
    result = call("conform", "bbr3", "--no-contract", "--baseline", "none", "--traces", tmp_path / "traces",
                  "--packets", "--junit", tmp_path / "junit.xml", "--json",
                  *(word for each in suites()["bbr"].cases if each.about.id != "startup-plateau"
                    for word in ("--skip", each.about.name)))  # fmt: skip
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    names = [Path(path).name for path in report["traces"]]
    assert names == ["bbr-startup-plateau-flow-1.csv", "bbr-startup-plateau-flow-1.sqlog"]
    with (tmp_path / "traces" / names[0]).open() as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["mode"] == "startup"
    assert {"time_s", "cwnd", "pacing_rate", "bandwidth"} <= set(rows[0])
    texts = (tmp_path / "traces" / names[1]).read_text().split("\x1e")
    assert texts[0] == ""
    assert [json.loads(text).get("qlog_format") for text in texts[1:3]] == ["JSON-SEQ", None]
    assert any('"transport:packet_sent"' in text for text in texts)
    assert ElementTree.parse(tmp_path / "junit.xml").getroot().get("failures") == "0"


# The verb.


@pytest.mark.process
def test_exit_codes_follow_the_findings() -> None:
    skip = [word for each in contract.checks() if each.id != "thin-path" for word in ("--skip", each.name)]
    good = call("conform", "tcp", "--cases", "none", "--baseline", "none", *skip)
    assert good.exit_code == 0
    assert good.stdout.splitlines()[-1] == f"1 passed, 0 failed, {len(contract.checks()) - 1} skipped"
    bad = call("conform", "bbr(pacing_margin=0.9)", "--cases", "none", *skip)
    assert bad.exit_code == 1
    assert "RFC 9743, section 7.4" in bad.stdout


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuch"], 'ALGORITHM = "nosuch": unknown algorithm'),
        (["tcp(decrease=2)"], "too high"),
        (["tcp=0.5 cubic=0.5"], "unknown algorithm"),
        (["tcp", "--cases", "bbr4"], '--cases = "bbr4": unknown suite of cases (nearest: bbr)'),
        (["tcp", "--baseline", "nosuch.json"], '--baseline = "nosuch.json": no such baseline'),
        (["tcp", "--baseline", "."], "no such baseline"),
        (["tcp", "--skip", "idle"], '--skip = "idle": unknown check'),
        (["tcp", "--seed", "-1"], "-1"),
        (["tcp", "--seed", "9223372036854775807"], "--seed"),
        (["tcp", "--seed", "1", "--baseline", "none"], "goes with a baseline"),
        (["tcp", "--no-contract", "--cases", "none", "--baseline", "none"], "nothing is left to check"),
        (["tcp", "--write-baseline", "x.json", "--seed", "1"], "goes without --write-baseline"),
        (["tcp", "--write-baseline", "."], '--write-baseline = ".": not a file'),
        (["tcp", "--time-limit", "0 s"], '--time-limit = "0 s": no time'),
        (["tcp", "--memory-limit", "much"], '--memory-limit = "much": not a size of memory'),
        (["tcp", "--junit", "."], '--junit = ".": not a file'),
        (["tcp", "--junit", "/proc/version/j.xml"], '--junit = "/proc/version/j.xml": '),
        (["tcp", "--packets"], "--packets: goes with --traces. Allowed: with --traces DIR"),
        (["tcp", "--traces", "/proc/version"], '--traces = "/proc/version": not a folder'),
        (["tcp", "--set", "speed=3 Mbit/s"], 'speed = "3 Mbit/s": the scenario base or its check sets it, too'),
        (["tcp", "--set", "algorithm=cubic"], 'algorithm = "cubic": the scenario base or its check sets it, too'),
        (["tcp", "--set", "parameters.cubic.c=0.3"], "no flow uses cubic"),
        (["tcp", "--preset", "nosuch"], 'preset = "nosuch": unknown choice'),
        (["tcp", "--preset", "linux", "--set", "preset=linux"], "--preset sets it, too"),
        (["tcp", "--preset", "standard", "--baseline", "tcp"], "a baseline of other values: none"),
        ([], "Missing argument 'ALGORITHM'"),
    ],
)
def test_bad_input_is_refused_before_any_run(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Checker, "finding", lambda *_, **__: pytest.fail("ran"))
    result = call("conform", *arguments)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.process
def test_the_list_has_every_check() -> None:
    listed = json.loads(call("conform", "bbr3", "--list", "--json").stdout)
    names = [each["check"] for each in listed]
    assert names[0] == "contract/window"
    assert "bbr/idle" in names
    assert names[-1] == f"baseline/{SCENARIOS[-1]}"
    assert all(each["source"] for each in listed)
    assert "bbr/idle" not in call("conform", "tcp", "--list").stdout


def test_a_suite_can_be_asked_for() -> None:
    assert [each.name for each in plan("tcp(decrease=0.45)").suites] == ["tcp"]
    assert plan("tcp(decrease=0.45)").baseline is None
    assert [each.name for each in plan("cubic", cases="bbr,tcp").suites] == ["bbr", "tcp"]


def test_the_workflow_names_commands_that_exist() -> None:
    yaml = pytest.importorskip("yaml")
    file = Path(__file__).parents[1] / "examples" / "conform" / "conform.yml"
    workflow = yaml.safe_load(file.read_text())
    (job,) = workflow["jobs"].values()
    commands = [
        shlex.split(line) for step in job["steps"] for line in step.get("run", "").replace("\\\n", " ").splitlines()
    ]
    (installs, *ours) = commands
    assert installs[:4] == ["pip", "install", "--only-binary", ":all:"], "a wheel, which needs no Rust"
    assert [words[:2] for words in ours] == [["mesonet", "conform"]] * 2
    for given in job["strategy"]["matrix"]["include"]:
        assert {"algorithm", "baseline"} == set(given)
        assert is_file(given["algorithm"])
        for words in ours:
            entries = {f"${{{{ matrix.{key} }}}}": value for key, value in given.items()}
            chosen = [entries.get(word, word) for word in words[2:]]
            verb = main.get_command(None, "conform")  # type: ignore[arg-type]
            assert verb is not None
            values = verb.make_context("conform", chosen).params
            assert (values["algorithm"], values["baseline"]) == (given["algorithm"], given["baseline"])
    assert workflow[True]["pull_request"] is None  # YAML 1.1 reads the key "on" as true


def test_package_data_is_valid() -> None:
    for path in sorted(folder().rglob("*.toml")):
        assert tomllib.loads(path.read_text())["title"], path
