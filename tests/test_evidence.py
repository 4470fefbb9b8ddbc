"""Evidence reports: criteria, plans, verdicts and the page."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import mesonet
from commands import ENVIRONMENT, MESONET, PATIENCE_S
from fragments import holds
from mesonet.analysis.decisions.decision import AT_MARGIN, BETTER, CANNOT_TELL, NO_WORSE, WORSE
from mesonet.cli import catalogue
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.evidence import cells, drafts, evaluation, measures, sentences, verdicts
from mesonet.evidence import suite as suite_module
from mesonet.evidence import summary as summary_module
from mesonet.evidence.criterion import read
from mesonet.evidence.page import document, html
from mesonet.evidence.plan import Cell, EvidencePlan, cells_of, look_cpu_s, plan
from mesonet.evidence.report_runs import Results
from mesonet.evidence.setups import algorithm_text, scenarios_of, setup
from mesonet.evidence.suite import DEFAULT, criteria, suite_of, suites
from mesonet.evidence.verdicts import NOT_RUN, judge
from verification import evidence_table

RFC9743 = criteria(suite_of(DEFAULT))
SECTIONS = [each.id for each in RFC9743]


def test_criteria_follow_the_sections_of_the_rfc() -> None:
    assert SECTIONS == [
        "5.1.1",
        "5.1.2",
        "5.1.3",
        "5.1.4",
        "5.1.5",
        "5.2",
        "5.2-feedback",
        "5.2.1",
        "5.2.2",
        "5.2.3",
        "5.3.1",
        "5.3.2",
        "6",
        "6.1",
        "6.2",
        "6.3",
        "6.4",
        "7.1",
        "7.2",
        "7.3",
        "7.4",
        "7.5",
        "7.6",
        "7.7",
        "7.8",
        "7.9",
        "7.10",
        "7.11",
    ]
    for each in RFC9743:
        assert each.demand


@pytest.mark.parametrize(
    ("suite", "case"), [(name, each.id) for name, suite in suites().items() for each in criteria(suite) if each.runs]
)
def test_every_campaign_can_run(suite: str, case: str) -> None:
    chosen = plan("prague", ["cubic", "prague"], 2, case, suite)
    assert "Runs of" in setup(chosen.criteria[0], scenarios_of(chosen, chosen.criteria[0]))
    kept = {table for each in chosen.criteria[0].quantities for table in measures.TABLES.get(each.value, ())}
    for name, each in chosen.campaigns.items():
        each.check()
        assert len({cell.label for cell in cells_of(chosen.criteria[0], each)}) == each.conditions, name
        # Roles count explicit flows only, and replicates differ only by random starts and arrivals.
        for scenario in (each.canonical(number, "prague") for number in range(1, each.conditions + 1)):
            assert scenario["users"]["base_sources"] == 0
            assert scenario.get("arrivals") or any(flow.get("start_within") for flow in scenario["flows"])
            if "series" in kept:
                assert len(scenario["flows"]) <= scenario["measurement"]["flow_series"]
            if any(each.value == "segments_entering" for each in chosen.criteria[0].quantities):
                assert scenario["measurement"]["interval"] == 1  # they are shown in segments/s


def test_the_catalogue_lists_suites() -> None:
    found = {each["name"]: each for each in catalogue.entries("suites")}
    assert list(found) == list(suites())
    assert (found["c4"]["cases"], found["c4"]["simulated"], found["c4"]["full"]) == (25, 24, 100)
    shown = CliRunner().invoke(main, ["list", "suites"])
    assert all(name in shown.stdout for name in found)


def test_suite_files_are_refused_if_malformed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (suite_of("c4").folder / "suite.toml").read_text(encoding="utf-8")
    (tmp_path / "mine").mkdir()
    monkeypatch.setattr(suite_module, "_FOLDER", tmp_path)
    for old, new, message in (
        ('short = "C4"', "", "short"),
        ("quick = 10", "quick = 1", "quick"),
        ("full = 100", "full = 2.5", "full"),
        ('cases = ["scenario", "scenarios"]', 'cases = ["scenario"]', "cases"),
        ("percentile = 90", "percentile = 190", "percentile"),
        ("[0.3, ", "[0.1, ", "bands.load"),
    ):
        assert old in text
        (tmp_path / "mine" / "suite.toml").write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(InputError) as error:
            suites()
        assert error.value.file == "mine/suite.toml"
        assert message in str(error.value)


def test_suites_are_complete() -> None:
    assert next(iter(suites())) == DEFAULT
    for name, suite in suites().items():
        cases = criteria(suite)
        assert len({each.id for each in cases}) == len(cases), name
        assert 2 <= suite.quick < suite.full
        for each in cases:
            assert each.question.endswith("?"), each.id
            assert all(measure.reason for measure in each.measures), each.id
            assert set(each.covered_by) <= {other.id for other in cases}
            if each.kind == "missing":
                assert each.reason, each.id
            if each.runs and name != DEFAULT:
                assert each.reading, each.id
                assert re.search(r"Documented|Recalled|Chosen", each.numbers), each.id
        for bands in suite.bands.values():
            assert [bound for bound, _ in bands] == sorted(bound for bound, _ in bands)
            assert np.isinf(bands[-1][0])


def test_an_incumbent_is_compared_with_other_runs_of_itself() -> None:
    chosen = plan("cubic", ["cubic", "tcp"], 2, "5.1.2,5.2.1")
    found = [(each.criterion.id, each.incumbent, each.tested, each.reference) for each in chosen.comparisons]
    assert found == [
        ("5.1.2", "cubic", "5.1.2", "5.1.2-again"),
        ("5.1.2", "tcp", "5.1.2", "5.1.2"),
        ("5.2.1", "cubic", "5.2.1-beside-cubic", "5.2.1-again-beside-cubic"),
        ("5.2.1", "tcp", "5.2.1-beside-tcp", "5.2.1-beside-tcp"),
    ]
    assert chosen.campaigns["5.1.2"].seed != chosen.campaigns["5.1.2-again"].seed
    assert chosen.campaigns["5.2.1-beside-tcp"].algorithms == ("cubic", "tcp")


Found = Callable[[str], np.ndarray]


def judged(
    monkeypatch: pytest.MonkeyPatch, tested: Any, reference: Any, section: str = "5.2.1"
) -> verdicts.CriterionVerdict:
    """Return the finding for given values, in every cell the same."""
    chosen = plan("bbr", ["cubic"], 4, section)

    def fake(campaign: Any, name: str, of: str, algorithm: str) -> Any:
        cells = chosen.campaigns[chosen.comparisons[0].tested].conditions
        return np.tile(np.asarray(tested if algorithm == "bbr" else reference, dtype=float), (cells, 1))

    patch_values(monkeypatch, fake)
    findings = judge(chosen, Results(dict.fromkeys(chosen.campaigns)))  # type: ignore[arg-type]
    common = summary_module.summary(chosen, findings)
    found = only_run(findings)
    assert html(chosen, findings, common).count(found.verdict)
    assert drafts.markdown(common).count(found.why)
    recount(document(chosen, findings, common))
    return found


def only_run(findings: Sequence[verdicts.CriterionVerdict]) -> verdicts.CriterionVerdict:
    """Return the finding of the only criterion of a report."""
    (found,) = (each for each in findings if each.verdict != NOT_RUN)
    return found


def patch_values(monkeypatch: pytest.MonkeyPatch, fake: Any) -> None:
    """Replace the values of measures, of those with a verdict and of those without."""
    for module in (cells, verdicts):
        monkeypatch.setattr(module, "values", fake)


def recount(report: dict[str, Any]) -> None:
    """Check that harm, verdicts and counts of a report follow from its pairs by the rule that it states."""
    for finding in report["findings"]:
        compared = finding["comparisons"]
        for each in compared:
            if not each["pairs"]:
                continue
            c, less = each["shift"], not each["more_is_better"]
            x, y = (
                np.exp(np.log(np.array(each["pairs"]) + c).mean(axis=0)) - c if c or np.all(each["pairs"]) else (0, 0)
            )
            assert (x, y) == pytest.approx((each["tested"], each["reference"]))
            lost, better = (x - y, y - x) if less else (y - x, x - y)
            worst = (x if less else y) if lost > 0 else (y if less else x)
            assert each["harm"] == pytest.approx((lost if lost > 0 else -better) / (worst + c) if worst + c else 0)
            if each["verdict"] == WORSE:
                assert each["low"] > each["margin"]
        for word, some, every in re.findall(r"“([^”]+)” in (\d+) of (\d+) comparisons?", finding["why"]):
            assert int(every) == len(compared)
            assert int(some) == sum(each["verdict"] == word for each in compared)
            levels = re.findall(r"(\d+) of (\d+) (?:in|at|against) ", finding["why"].partition(". ")[0])
            assert not levels or sum(int(each) for each, _ in levels) == int(some)


def labelled(cell: cells.CellComparison, label: str) -> cells.CellComparison:
    """Return a comparison with another label."""
    return dataclasses.replace(cell, decision=dataclasses.replace(cell.decision, label=label))


def test_verdicts_follow_margin_and_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    found = judged(monkeypatch, [50, 51, 49, 50], [100, 101, 99, 100])
    assert found.verdict == WORSE
    assert "is 50 instead of 100 Mbit/s, a harm of 50 % (48 to 52 %)" in found.why
    same = judged(monkeypatch, [90, 91, 89, 90], [100, 101, 99, 100])
    assert same.verdict == NO_WORSE
    assert holds(
        same.why, "“no worse” in 6 of 6 comparisons. The largest harm:", "is 90 instead of 100 Mbit/s", "13 %)"
    )
    noisy = judged(monkeypatch, [200, 10, 150, 30], [100, 101, 99, 100])
    assert noisy.verdict == CANNOT_TELL
    assert holds(noisy.why, "a harm of 99 % is not excluded", "97 more replicates would settle it")
    assert judged(monkeypatch, [np.nan] * 4, [100, 101, 99, 100]).verdict == CANNOT_TELL
    gain = judged(monkeypatch, [150, 151, 149, 150], [100, 101, 99, 100])
    assert (gain.verdict, holds(gain.why, "“better” in 6 of 6", "a gain of 33 %")) == (BETTER, True)
    edge = judged(monkeypatch, [80.2, 80.1, 80, 79.9], [100, 100, 100, 100.0])
    assert (edge.verdict, holds(edge.why, "a harm of 20 %", "margin 20 %")) == (AT_MARGIN, True)
    three = [labelled(found.cells[0], label) for label in (WORSE, CANNOT_TELL, NO_WORSE)]
    assert sentences.count(WORSE, three) == "“worse” in 1 of 3 comparisons; “cannot tell” in 1."
    # A loss rate of .4 % is below what the criterion calls relevant, whatever its ratio.
    assert judged(monkeypatch, [4e-3] * 4, [1e-4] * 4, "5.1.3").verdict == NO_WORSE
    lossy = judged(monkeypatch, [0.1, 0.11, 0.1, 0.09], [0.01, 0.011, 0.01, 0.009], "5.1.3")
    assert lossy.verdict == WORSE
    assert "is 10 % instead of 1 %, a harm" in lossy.why


def finding_of(monkeypatch: pytest.MonkeyPatch, section: str, kept: Callable[[str], float]) -> tuple[Any, Any]:
    """Return plan and findings where the incumbent keeps a part of 100 that depends on the cell."""
    chosen = plan("bbr", ["cubic", "tcp"], 4, section)
    (criterion,) = chosen.criteria
    labels = [cell.label for cell in cells_of(criterion, chosen.campaigns[chosen.comparisons[0].tested])]
    calm = np.array([100.0, 101, 99, 100])

    def fake(campaign: Any, name: str, of: str, algorithm: str) -> Any:
        return np.array([calm * (kept(label) if algorithm == "bbr" else 1.0) for label in labels])

    patch_values(monkeypatch, fake)
    return chosen, judge(chosen, Results(dict.fromkeys(chosen.campaigns)))  # type: ignore[arg-type]


def test_the_headline_follows_from_the_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen, findings = finding_of(monkeypatch, "5.2.1", lambda cell: 1.0 if "4 bdp" in cell else 0.5)
    common = summary_module.summary(chosen, findings)
    assert common.headline == (
        "With bbr, mean goodput of the incumbent's flows is 50 Mbit/s instead of 100 Mbit/s (a harm of 50 %) against "
        "cubic and tcp, at buffer 0.25 bdp and at buffer 1 bdp; not worse at buffer 4 bdp. Not run: 27 of 28 criteria."
    )
    (line,) = common.harm
    assert line == (
        "5.2.1 Competition with the incumbents (MUST): “worse” in 8 of 12 comparisons: 4 of 4 at buffer 0.25 bdp, 4 of "
        "4 at buffer 1 bdp."
    )
    recount(document(chosen, findings, common))
    # A level with a single harmful cell is neither harmful nor harmless.
    chosen, findings = finding_of(monkeypatch, "5.2.1", lambda cell: 0.5 if "4 bdp, round trip 80" in cell else 1.0)
    assert "cubic and tcp, in 2 of 4 at buffer 4 bdp; not worse at buffer 0.25 bdp and at buffer 1 bdp." in (
        summary_module.summary(chosen, findings).headline
    )
    chosen, findings = finding_of(monkeypatch, "5.2.1", lambda cell: 1.0)
    assert summary_module.summary(chosen, findings).headline == (
        "bbr is worse than cubic and tcp by no criterion of 1 judged. Not run: 27 of 28 criteria."
    )


def test_harm_of_demands_comes_first() -> None:
    order = [verdicts.CriterionVerdict(each, WORSE, "", ()) for each in RFC9743 if each.runs]
    found = [(each.criterion.demand, each.criterion.kind) for each in summary_module._harmful(order)]
    assert [demand for demand, _ in found] == sorted(demand for demand, _ in found)
    assert found[0] == ("must", "beside")


def test_cells_are_ranked_by_what_users_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loss of 2 % instead of .005 % has the higher ratio, 15 % instead of .9 % the larger effect."""
    few, many = (judged_quickly(monkeypatch, [x] * 4, [y] * 4, "5.1.3") for x, y in ((0.02, 5e-5), (0.15, 9e-3)))
    assert (few.verdict, many.verdict) == (WORSE, WORSE)
    assert sentences.leading([few, many]) is many
    # Beyond the ratio, c keeps small values from a large harm: .68 % instead of .005 % is about 1 % more than nothing.
    tiny = judged_quickly(monkeypatch, [0.0068] * 4, [5e-5] * 4, "5.1.3")
    assert tiny.harm == pytest.approx((0.0068 - 5e-5) / (0.0068 + 0.005))


def test_a_gain_in_the_worst_cell_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = plan("bbr", ["cubic"], 4, "6.4")
    conditions = chosen.campaigns["6.4"].conditions

    def fake(campaign: Any, name: str, of: str, algorithm: str) -> Any:
        mine = {"goodput": (19.0, 11.0), "queue_delay_p95_plain": (77.0, 0.8)}[name][algorithm != "bbr"]
        return np.full((conditions, 4), mine)

    patch_values(monkeypatch, fake)
    found = only_run(judge(chosen, Results(dict.fromkeys(chosen.campaigns))))  # type: ignore[arg-type]
    assert holds(
        found.why, "77 instead of 0.8 ms", "In this cell mean goodput is 19 instead of 11 Mbit/s, a gain of 42 %"
    )


def test_set_ups_and_algorithms_are_in_words() -> None:
    chosen = plan("bbr", ["cubic", "prague"], 2, "5.2.1,6")
    compete, search = (setup(each, scenarios_of(chosen, each)) for each in chosen.criteria)
    assert holds(
        compete, "joined by links of 20 Mbit/s", "20 to 80 ms", "Buffers of 12 kB to 800 kB", "drop-tail, without ECN",
        "Runs of 60 s, measured from 20 s on",
    )  # fmt: skip
    assert holds(search, "The screening: Bottleneck", "buffer 0.1 bdp, 0.25 bdp, 1 bdp, 4 bdp, 16 bdp")
    competition = chosen.campaigns["5.2.1-beside-cubic"]
    fields = [
        re.findall(r"ECN field where queues mark: (\S+)\.", algorithm_text(competition.canonical(1, name)))
        for name in ("bbr", "cubic", "prague")
    ]
    assert fields == [["Not-ECT"], ["ECT(0)"], ["ECT(1)"]]
    assert "decrease 0.2" in algorithm_text(competition.canonical(1, "tcp(decrease=0.2)"))


@pytest.mark.slow
def test_false_alarms_are_rarer_than_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the margin itself; at no harm, alarms are rarer still."""
    draws = np.random.default_rng(5)
    alarms = 0
    for _ in range(100):
        tested, reference = (np.exp(0.5 * draws.standard_normal(4)) for _ in range(2))
        alarms += judged_quickly(monkeypatch, 0.8 * tested, reference).verdict == WORSE
    assert alarms <= 11  # 100 draws of .05 exceed 11 with a probability of .4 %


def test_what_pairs_gain_counts_as_much_as_what_they_lose(monkeypatch: pytest.MonkeyPatch) -> None:
    """Losses in seven of ten runs of the incumbent only: three small losses beside the algorithm are no harm."""
    tested, reference = [0.0] * 7 + [0.010, 0.011, 0.012], [0.05] * 7 + [0.001] * 3
    assert judged(monkeypatch, tested, reference, "5.1.3").verdict not in (WORSE, CANNOT_TELL)


def test_a_cell_with_a_missing_pair_is_not_called_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    found = judged(monkeypatch, [100, 101, 99, np.nan], [100, 101, 99, 100])
    assert found.verdict == CANNOT_TELL
    assert "1 of 4 pairs of runs have no value" in found.why
    assert judged(monkeypatch, [50, 51, 49, np.nan], [100, 101, 99, 100]).verdict == WORSE


def test_exchanged_sides_have_the_mirrored_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = np.random.default_rng(3)
    mirrored = {WORSE: BETTER, BETTER: WORSE}
    for factor in (0.4, 0.9, 1.0, 2.5):
        one, other = (100 * np.exp(0.01 * draws.standard_normal(6)) for _ in range(2))
        pair = [judged_quickly(monkeypatch, *both) for both in ((factor * one, other), (other, factor * one))]
        assert pair[1].verdict == mirrored.get(pair[0].verdict, NO_WORSE)
        assert pair[1].harm == pytest.approx(-pair[0].harm)


_planned = cache(lambda section: plan("bbr", ["cubic"], 4, section))


def judged_quickly(
    monkeypatch: pytest.MonkeyPatch, tested: Any, reference: Any, section: str = "5.2.1"
) -> cells.CellComparison:
    """Return one comparison alone."""
    chosen = _planned(section)
    both = {"bbr": np.asarray(tested, dtype=float), "cubic": np.asarray(reference, dtype=float)}
    patch_values(monkeypatch, lambda campaign, name, of, algorithm: both[algorithm][np.newaxis])
    comparison = chosen.comparisons[0]
    campaigns: Any = dict.fromkeys(chosen.campaigns)
    (cell,) = cells.compare(
        comparison,
        comparison.criterion.measures[0],
        algorithm="bbr",
        campaigns=campaigns,
        cells=[Cell("a cell", ("a cell",))],
        count=1,
    )
    return cell


def test_roles_and_times_of_flows() -> None:
    flows = [
        {"algorithm": "cubic", "size": 10.0}, {"algorithm": None, "size": 20.0},
        {"algorithm": None, "size": None, "transport": "udp"},
    ]  # fmt: skip
    megabit = {"segment_bytes": 125_000}
    scenario = {"flows": flows, "time": {"warmup": 2.0, "duration": 9.0}, "transport": megabit}
    series = pl.DataFrame({
        "time_s": [1.0, 2.0, 3.0, 4.0], "flow_1_delivered": [None, 10, 20, 40],
        "flow_2_delivered": [None, None, None, 6],
    })  # fmt: skip
    ended = pl.DataFrame({
        "category": ["explicit"] * 2, "source": [0, 1], "completed": [1, 0], "started_s": [1.0, 2.0],
        "last_acked_s": [4.0, 5.0],
    })  # fmt: skip
    campaign: Any = SimpleNamespace(table=lambda key, name: {"series": series, "flows": ended}[name])
    goodput, time = measures.NAMED["goodput"], measures.NAMED["completion_time"]
    assert goodput(campaign, "", scenario, "incumbent") == 15.0
    assert goodput(campaign, "", scenario, "newcomer") == 3.0
    assert goodput(campaign, "", scenario, "all") == 9.0
    # A flow that did not complete counts to the end of the run.
    assert [time(campaign, "", scenario, of) for of in ("incumbent", "newcomer")] == [3.0, 7.0]


def test_the_load_of_the_main_flow_counts_while_both_are_in_progress() -> None:
    flows = [{"algorithm": None, "size": 10.0}, {"algorithm": "cubic", "size": 20.0}]
    scenario = {"flows": flows, "time": {"warmup": 0.0, "duration": 9.0}, "network": {"speed": 10.0}}
    series = pl.DataFrame({
        "time_s": [1.0, 2.0, 3.0, 4.0], "flow_1_delivered": [None, 10, 20, 24], "flow_2_delivered": [3, 6, 9, 12],
    })  # fmt: skip
    ended = pl.DataFrame({
        "category": ["explicit"] * 2, "source": [0, 1], "completed": [1, 0], "started_s": [2.0, 1.0],
        "last_acked_s": [3.5, 4.0],
    })  # fmt: skip
    campaign: Any = SimpleNamespace(table=lambda key, name: {"series": series, "flows": ended}[name])
    # From 2 s to 3.5 s the main flow delivers 12 segments of 15.
    assert measures.NAMED["load"](campaign, "", scenario, "newcomer") == pytest.approx(0.8)
    # Flows that are never in progress together have no load.
    apart = ended.with_columns(started_s=pl.Series([4.0, 1.0]), last_acked_s=pl.Series([5.0, 3.0]), completed=1)
    campaign = SimpleNamespace(table=lambda key, name: {"series": series, "flows": apart}[name])
    assert np.isnan(measures.NAMED["load"](campaign, "", scenario, "newcomer"))


def test_messages_are_those_of_applications_in_a_role() -> None:
    flows: list[dict[str, Any]] = [{"algorithm": None}, {"algorithm": None}, {"algorithm": "cubic"}]
    rows = pl.DataFrame({
        "period": ["measured"] * 3 + ["1"], "flow": [1, 2, 3, 1],
        "application": ["frames", "bulk", "constant", "frames"],
        "messages": [10, 0, 30, 99], "messages_late": [5, 0, 3, 99], "message_delay_p95_ms": [40.0, None, 20.0, 9.0],
    })  # fmt: skip
    campaign: Any = SimpleNamespace(table=lambda key, name: {"applications": rows}[name])
    late, delay = measures.NAMED["late_messages"], measures.NAMED["message_delay_p95"]
    assert [late(campaign, "", {"flows": flows}, of) for of in ("newcomer", "incumbent", "all")] == [0.5, 0.1, 0.2]
    assert [delay(campaign, "", {"flows": flows}, of) for of in ("newcomer", "all")] == [40.0, 30.0]


def test_words_of_bands_follow_their_bounds() -> None:
    suite = suite_of("c4")
    found = [suite.word("load", number) for number in (0.1, 0.2, 0.29, 0.3, 0.5, 0.7, 0.8, 0.99, np.nan)]
    assert found == [
        "really too timid", "too timid", "too timid", "good", "between good and bad", "bad", "really bad", "really bad",
        "",
    ]  # fmt: skip
    assert suite.word("goodput", 0.1) == ""


def test_percentiles_and_observations_of_a_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = plan("bbr", ["cubic"], 4, "main_after", "c4")

    def fake(campaign: Any, name: str, of: str, algorithm: str) -> Any:
        return np.array([[0.1, 0.1, 0.1, 0.5]]) if name == "load" else np.array([[1.0, 2.0, 3.0, 4.0]])

    patch_values(monkeypatch, fake)
    findings = judge(chosen, Results(dict.fromkeys(chosen.campaigns)))  # type: ignore[arg-type]
    found = only_run(findings)
    assert all(cell.percentiles == pytest.approx((3.7, 3.7)) for cell in found.cells)
    assert [each.word for each in found.observations] == ["too timid"]
    assert found.observations[0].tested == pytest.approx(0.2)
    assert holds(found.why, "Load of the main flow against cubic", "20%, too timid")
    page = html(chosen, findings, summary_module.summary(chosen, findings))
    assert "90th percentile with bbr" in page
    assert "Word of C4" in page
    assert "below 20% really too timid, below 30% too timid" in page
    assert "from 80% on really bad" in page


def test_gains_from_nothing_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(monkeypatch, [0.0] * 4, [0.1, 0.2, 0.1, 0.2], "5.1.3").verdict == BETTER
    assert judged(monkeypatch, [0.0, 0.0, 0.003, 0.0], [0.004] * 4, "5.1.3").verdict == NO_WORSE
    assert judged(monkeypatch, [0.1, 0.2, 0.1, 0.2], [0.0] * 4, "5.1.3").verdict == WORSE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuch"], 'ALGORITHM = "nosuch": unknown algorithm'),
        (["bbr", "--against", "cubic,nosuch"], '--against = "nosuch": unknown algorithm'),
        (["bbr", "--against", "cubic,cubic"], "not a list of different incumbents"),
        (["bbr", "--only", "5.9"], '--only = "5.9": unknown criterion'),
        (["bbr", "--suite", "c4", "--only", "5.1.2"], '--only = "5.1.2": unknown scenario'),
        (["bbr", "--suite", "nosuch"], '--suite = "nosuch": unknown suite'),
        (["bbr", "--full", "--replicates", "3"], "goes without --full"),
        (["tcp(nosuch=1)"], 'ALGORITHM = "tcp(nosuch=1)"'),
    ],
)
def test_wrong_arguments_are_refused(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["evidence", *arguments, "--plan"])
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr


def test_malformed_criteria_are_refused(tmp_path: Path) -> None:
    text = (suite_of(DEFAULT).folder / "7.7.toml").read_text(encoding="utf-8")
    for old, new, message in (
        ('kind = "alone"', 'kind = "nosuch"', "kind"),
        ('value = "goodput"', 'value = "nosuch"', "unknown measure"),
        ('better = "higher"', 'better = "more"', "higher, lower"),
        ('title = "Reordering"', 'heading = "Reordering"', "unknown key of a criterion"),
        ('of = "all"', 'of = "incumbent"', "of the kind beside"),
    ):
        assert old in text
        (tmp_path / "1.toml").write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(InputError) as error:
            read(tmp_path / "1.toml")
        assert message in str(error.value)


@pytest.mark.process
def test_parts_of_a_report_are_as_good_as_the_whole(tmp_path: Path) -> None:
    call = ["evidence", "bbr", "--against", "cubic", "--only", "7.4", "--replicates", "2"]
    for part in ("1/2", "2/2"):
        shard = CliRunner().invoke(main, [*call, "--out", str(tmp_path / "parts"), "--shard", part])
        assert (shard.exit_code, f"part {part} is done" in shard.stdout) == (0, True), shard.stderr
    assert not (tmp_path / "parts" / "index.html").exists()
    pages = []
    for out in ("parts", "whole"):
        assert CliRunner().invoke(main, [*call, "--out", str(tmp_path / out)]).exit_code == 0
        pages.append((tmp_path / out / "index.html").read_text(encoding="utf-8"))
    assert pages[0] == pages[1]


VOCABULARY = {
    "section", "name", "t", "tt", "ul", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
"""Elements of RFC 7991 that a section may have."""


@pytest.mark.process
def test_a_report_from_the_command_line(tmp_path: Path) -> None:
    out = tmp_path / "report"
    call = ["evidence", "bbr", "--against", "cubic", "--only", "6.1,7.4,7.10", "--replicates", "2", "--out", str(out)]
    result = CliRunner().invoke(main, [*call, "--json"])
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    # The table has every criterion of the document, those that were not run included.
    assert [each["section"] for each in found["verdicts"]] == SECTIONS
    run = [each["section"] for each in found["verdicts"] if each["verdict"] != NOT_RUN]
    assert run == ["6.1", "7.4", "7.10"]
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "<script" not in page
    text = (out / "evidence.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| ([\d.a-z-]+) \|.*\|.*(?:MUST|SHOULD) \|", text, re.MULTILINE) == SECTIONS
    assert re.findall(r'<th scope="row">(?:<a [^>]*>)?([^<]*)<', page) == SECTIONS
    section = ElementTree.parse(out / "evidence.xml").getroot()
    assert {each.tag for each in section.iter()} <= VOCABULARY
    verdict_table, margins = section.findall("table")
    assert [row[0].text for row in verdict_table.iterfind("tbody/tr")] == SECTIONS
    assert [row[0].text for row in margins.iterfind("tbody/tr")] == ["7.4", "7.4"]
    for form in (page, text, "".join(section.itertext())):
        assert holds(form, "Not run: 25 of 28 criteria", "What an algorithm does only later", "Margins are choices")
        assert holds(
            form, f"mesonet {mesonet.__version__}", "code ", "2 replicates", "seeds 1 (tested)", "preset linux"
        )
    report = json.loads((out / "verdicts.json").read_text(encoding="utf-8"))
    recount(report)
    rows = re.findall(r"<tr[^>]*>(?:<td>[^<]*</td>){6}<td>([^<]*)</td><td>\d+</td></tr>", page)
    compared = [each for finding in report["findings"] for each in finding["comparisons"]]
    assert sorted(rows) == sorted(each["verdict"] for each in compared)
    assert len(rows) == 4
    # A repeated command runs nothing again; another report has no place there.
    again = CliRunner().invoke(main, [*call, "--json"])
    assert json.loads(again.stdout) == found
    other = CliRunner().invoke(main, [*call[:2], "--only", "7.4", "--out", str(out)])
    assert other.exit_code == 2
    assert "the folder holds a report with" in other.stderr


def test_the_plan_shows_what_each_criterion_costs() -> None:
    result = CliRunner().invoke(main, ["evidence", "bbr", "--plan", "--json", "--only", "5.1.2,5.3.1"])
    cost = json.loads(result.stdout)["cost"]
    assert [(row["section"], row["cells"], row["runs"]) for row in cost] == [("5.1.2", "4", "120"), ("5.3.1", "0", "0")]
    assert float(cost[0]["about CPU s"]) > 0
    assert isinstance(plan("bbr", ["cubic"], 2), EvidencePlan)
    without_name = CliRunner().invoke(main, ["evidence", "--plan", "--json", "--suite", "c4", "--full"])
    found = json.loads(without_name.stdout)
    assert (found["suite"], found["replicates"]) == ("c4", 100)
    assert [(row["case"], row["runs"]) for row in found["cost"]][:1] == [("simple", "300")]


def test_the_table_of_all_algorithms_is_the_page_of_its_rows() -> None:
    root = Path(__file__).parent.parent
    rows = evidence_table.read()
    assert {row["section"] for row in rows} <= set(SECTIONS)
    assert (root / "docs/reference/evidence.md").read_text(encoding="utf-8") == evidence_table.page(rows)


@pytest.mark.slow
@pytest.mark.process
def test_every_printed_command_runs_in_another_process(tmp_path: Path) -> None:
    """With the tested algorithm and an incumbent from a file, which another process has not loaded."""
    file = shutil.copy(Path(__file__).parent.parent / "examples" / "plugins" / "aimd.c", tmp_path)
    tested, incumbent = f"{file}(increase=2)", str(file)
    call = ["evidence", tested, "--against", incumbent, "--only", "7.4", "--replicates", "2"]
    call += ["--out", str(tmp_path / "first")]
    first = CliRunner().invoke(main, call)
    assert first.exit_code == 0, first.stderr
    page = unescape((tmp_path / "first" / "index.html").read_text(encoding="utf-8"))
    assert holds(page, "AIMD in C. Source: RFC 5681", f"Plug-in {file}, SHA-256 of its files", "increase 2")
    commands = dict.fromkeys(re.findall(r"<code>(mesonet [^<]*)</code>", page))
    assert len(commands) == 2
    for command in commands:
        words = shlex.split(command)
        again = subprocess.run(
            [*MESONET, *words[1:]], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False,
            timeout=PATIENCE_S,
        )  # fmt: skip
        assert again.returncode == 0, again.stderr
        made = tmp_path / words[words.index("--out") + 1]
        reports = [json.loads((each / "verdicts.json").read_text()) for each in (tmp_path / "first", made)]
        assert reports[0] == reports[1]


def looks_of_report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tested: Any, **how: Any) -> tuple[list[int], Any]:
    """Return the replicates at the looks of a report with given values of all ten replicates, and its finding."""
    chosen = plan("bbr", ["cubic"], 10, "5.2.1", until_decided=True)
    looks: list[int] = []

    def run_look(experiment: Any, folder: Path, replicates: int, **how: Any) -> Any:
        looks.append(replicates)
        return SimpleNamespace(counts={"missing": how.get("missing", 0)}, replicates=replicates)

    def fake(campaign: Any, name: str, of: str, algorithm: str) -> Any:
        cells = chosen.campaigns[chosen.comparisons[0].tested].conditions
        kept = np.asarray(tested if algorithm == "bbr" else [100, 101, 99, 100, 100, 101, 99, 100, 100, 100.0])
        return np.tile(kept[: campaign.replicates], (cells, 1))

    monkeypatch.setattr(evaluation, "run_look", run_look)
    patch_values(monkeypatch, fake)
    _, found = evaluation.evaluate(chosen, tmp_path, **how)
    return looks, only_run(found)


def test_a_criterion_runs_until_it_is_decided(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calm = np.tile([0.0, 1.0, -1.0], 4)[:10]
    looks, found = looks_of_report(monkeypatch, tmp_path / "harm", 20 + calm)
    assert (looks, found.verdict) == ([3], WORSE)
    same = np.array([100, 101, 99, 100, 100, 101, 99, 100, 100, 100.0])
    looks, found = looks_of_report(monkeypatch, tmp_path / "same", same)
    assert (looks, found.verdict) == ([3], NO_WORSE)
    # Two thirds of the margin without noise: an interval of the least half-width has the margin in it.
    looks, found = looks_of_report(monkeypatch, tmp_path / "near", same * (1 - 0.65 * found.cells[0].measure.margin))
    assert (looks, found.verdict) == ([3, 4], NO_WORSE)
    noisy = np.array([30, 200, 90, 20, 150, 10, 180, 60, 120, 40.0])
    looks, found = looks_of_report(monkeypatch, tmp_path / "noisy", noisy)
    assert (looks, found.verdict) == ([3, 4, 5, 6, 8, 10], CANNOT_TELL)
    assert "No further look" not in found.why


def test_the_budget_ends_the_looks_of_a_report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    noisy = np.array([30, 200, 90, 20, 150, 10, 180, 60, 120, 40.0])
    chosen = plan("bbr", ["cubic"], 10, "5.2.1", until_decided=True)
    enough = look_cpu_s(chosen, chosen.criteria, 5)
    assert enough == pytest.approx(float(chosen.rows()[0][-1]) / 2, abs=0.5)
    monkeypatch.setattr(evaluation, "BUDGET_S", enough * 1.001)
    lines: list[str] = []
    looks, found = looks_of_report(monkeypatch, tmp_path, noisy, told=lines.append)
    assert looks == [3, 4, 5]
    assert lines[-1] == "1 criterion not decided: the budget is spent"
    assert "No further look: the expected processor time of 15 min was spent" in found.why
    assert json.loads((tmp_path / "evidence.json").read_text())["budget_s"] == 900


def test_looks_share_the_error_probability(monkeypatch: pytest.MonkeyPatch) -> None:
    patch_values(monkeypatch, lambda *_: np.tile([50.0, 51, 49, 50], (6, 1)))
    one, several = plan("bbr", ["cubic"], 4, "5.2.1"), plan("bbr", ["cubic"], 4, "5.2.1", until_decided=True)
    assert (one.looks, several.looks) == ((4,), (3, 4))
    results: Any = Results(dict.fromkeys(one.campaigns))  # type: ignore[arg-type]
    narrow, wide = (only_run(judge(each, results)) for each in (one, several))
    assert wide.cells[0].decision.alpha[0] == pytest.approx(narrow.cells[0].decision.alpha[0] / 2)


@pytest.mark.slow
def test_a_quick_report_ends_when_it_is_decided(tmp_path: Path) -> None:
    out = tmp_path / "report"
    call = ["evidence", "tcp(increase=8, decrease=0.1)", "--against", "tcp", "--only", "7.4", "--out", str(out)]
    shard = CliRunner().invoke(main, [*call, "--shard", "1/2"])
    assert shard.exit_code == 0, shard.stderr
    first = CliRunner().invoke(main, [*call, "--json"])
    assert first.exit_code == 0, first.stderr
    campaign = mesonet.load(out / "7.4")
    used = campaign.runs["replicate"].max()
    assert used in (3, 4, 5, 6, 8, 10)
    assert campaign.counts == {"done": 4 * used, "failed": 0, "missing": 0}
    assert "3 to 10 replicates" in (out / "index.html").read_text(encoding="utf-8")
    # A repeated command runs nothing again; a report with all replicates has no place there.
    again = CliRunner().invoke(main, [*call, "--json"])
    assert again.stdout == first.stdout
    other = CliRunner().invoke(main, [*call, "--replicates", "10"])
    assert other.exit_code == 2
    assert "the folder holds a report with looks = [3, 4, 5, 6, 8, 10]" in other.stderr
    shown = CliRunner().invoke(main, [*call, "--plan"])
    assert "looks after 3, 4, 5, 6, 8, 10 replicates, or 15 min" in shown.stdout


# Values for every scenario.


def test_values_hold_in_every_scenario_that_does_not_set_them() -> None:
    chosen = plan("bbr", ["cubic"], 2, "5.1.2,5.2.1,7.4", values={"initial_window": "3 segments", "preset": "standard"})
    assert chosen.values == {"preset": "standard", "transport.initial_window": "3 segments"}
    assert chosen.document()["set"] == chosen.values
    for each in chosen.campaigns.values():
        for number in range(1, each.conditions + 1):
            scenario = each.condition(number)
            assert (scenario.preset, scenario.value("transport.initial_window")) == ("standard", 3)
    assert "set" not in plan("bbr", ["cubic"], 2, "7.4").document()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "network.buffer=2 bdp"], 'network.buffer = "2 bdp": the '),
        (["--set", "algorithms=tcp"], "varies the algorithms"),
        (["--set", "initial_window=-3"], "transport.initial_window"),
        (["--preset", "nosuch"], 'preset = "nosuch"'),
        (["--set", "nosuch=1"], "nosuch"),
    ],
)
def test_values_that_criteria_set_are_refused(words: list[str], message: str) -> None:
    done = CliRunner().invoke(main, ["evidence", "bbr", "--plan", "--only", "5.1.2", *words])
    assert done.exit_code == 2, done.output
    assert message in done.stderr
