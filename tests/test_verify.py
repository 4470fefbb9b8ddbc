"""``mesonet verify``: what it refuses, and that verdicts follow from numbers."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy import stats

from fragments import holds
from mesonet.analysis.flow_metrics import flow_metrics, jain_index
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from verification.measures import MEASURES, comparisons, fast, many_flows, mixed, theory, windows
from verification.measures.many_flows import pftk
from verification.scorecard.campaigns import Campaigns, ListedCampaign
from verification.scorecard.claims import Claim, load_claim, load_claims
from verification.scorecard.flows import FEWEST_FLOWS
from verification.scorecard.reasons import NotEvaluated, NotRun
from verification.scorecard.record import Record, read_record
from verification.scorecard.scorecard import RECORD, Scorecard, load_scorecard
from verification.scorecard.shares import Share
from verification.scorecard.verdicts import NumberVerdict, judge, of_claim

pytestmark = pytest.mark.process

FOLDER = Path(__file__).parent.parent / "verification"

CLAIM = """
id = "T1"
claim = "Two numbers."
source = "a test"
setup = "none"
kind = "independent"

[[values]]
name = "ours"
measure = "share"
of = { experiment = "none", algorithm = "tcp", flow = 1, span = [0, 1] }
published = 0.5
absolute = 0.1
class = "S2"
unit = "1"
because = "of the test"
"""


class Seeds:
    """Campaigns of which every measure gives a number for each seed."""

    def __init__(self, values: list[float], *, random: bool) -> None:
        self.values, self.random, self.replicate = values, random, 1

    def of(self, replicate: int) -> Seeds:
        other = Seeds(self.values, random=self.random)
        other.replicate = replicate
        return other

    def seeds(self, name: str) -> int:
        return len(self.values)

    def is_random(self, name: str) -> bool:
        return self.random

    def unsettled(self, name: str) -> tuple[int, ...]:
        return ()

    def of_any_load(self) -> Seeds:
        return self


def written(folder: Path, text: str) -> Path:
    (folder / "T1.toml").write_text(text)
    return folder / "T1.toml"


def found(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, values: list[float], random: bool) -> NumberVerdict:
    monkeypatch.setitem(MEASURES, "share", lambda campaigns, experiment, algorithm, flow, span: _of(campaigns))
    (finding,) = judge(load_claim(written(folder, text)), Seeds(values, random=random))  # type: ignore[arg-type]
    return finding


def _of(campaigns: Seeds) -> float:
    return campaigns.values[campaigns.replicate - 1]


@pytest.mark.parametrize(
    ("limits", "strictness", "measured", "verdict"),
    [
        ("absolute = 0.1", "S2", 0.59, "reproduced"),
        ("absolute = 0.1", "S2", 0.61, "not reproduced"),
        ("relative = 0.1", "S2", 0.56, "not reproduced"),
        ("least = 0.6", "S4", 0.7, "reproduced"),
        ("most = 0.6", "S4", 0.7, "not reproduced"),
        ("absolute = 0.1", "S2", float("nan"), "not evaluated"),
        ("", "S5", 9.0, "for the record"),
    ],
)
def test_the_verdict_follows_from_the_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: str, strictness: str, measured: float, verdict: str
) -> None:
    text = CLAIM.replace("absolute = 0.1", limits).replace('"S2"', f'"{strictness}"')
    finding = found(tmp_path, monkeypatch, text, [measured], random=False)
    assert finding.verdict == of_claim([finding]) == verdict
    assert (finding.seeds, finding.low) == (0, None)


@pytest.mark.parametrize(
    ("values", "verdict", "reason"),
    [
        ([0.7], "not evaluated", "a sign needs 3 seeds, not 1"),
        ([0.7, 0.71, 0.72], "reproduced", ""),
        ([0.5, 0.51, 0.49], "not reproduced", ""),
        ([0.7, 0.61, 0.62], "not evaluated", "the interval of 3 seeds holds the limit"),
    ],
)
def test_a_sign_that_depends_on_chance_needs_three_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: list[float], verdict: str, reason: str
) -> None:
    text = CLAIM.replace("absolute = 0.1", "least = 0.6").replace('"S2"', '"S4"')
    finding = found(tmp_path, monkeypatch, text, values, random=True)
    assert (finding.verdict, finding.reason) == (verdict, reason)
    assert finding.measured == pytest.approx(np.mean(values))


def test_the_interval_is_that_of_student(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = found(tmp_path, monkeypatch, CLAIM, [0.4, 0.5, 0.6], random=True)
    half = 4.302653 * 0.1 / math.sqrt(3)  # t(0.975; 2)
    assert (finding.low, finding.high) == (pytest.approx(0.5 - half, rel=1e-6), pytest.approx(0.5 + half, rel=1e-6))


def test_what_cannot_be_measured_is_not_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(campaigns: object, experiment: str, algorithm: str, flow: int, span: list[float]) -> float:
        raise NotEvaluated("12 flows; 30 are the fewest")

    monkeypatch.setitem(MEASURES, "share", fails)
    (finding,) = judge(load_claim(written(tmp_path, CLAIM)), Seeds([1.0], random=False))  # type: ignore[arg-type]
    assert (finding.verdict, finding.reason) == ("not evaluated", "12 flows; 30 are the fewest")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "T1"', 'id = "T2"', "not the name of the file"),
        ('source = "a test"\n', "", "source: missing"),
        ('kind = "independent"', 'kind = "independent"\nverdict = "reproduced"', '"verdict": unknown key'),
        ('kind = "independent"', 'kind = "mine"', "unknown kind of claim"),
        ("absolute = 0.1", "", "no limit"),
        ("published = 0.5\n", "", "a margin about nothing"),
        ("absolute = 0.1", "tolerance = 0.1", '"tolerance": unknown key'),
        ('measure = "share"', 'measure = "luck"', "unknown measure"),
        ("flow = 1, ", "", "missing a required argument: 'flow'"),
        ('because = "of the test"', 'because = ""', r"values\[0\].because"),
        ('unit = "1"', 'unit = "1"\nany_load = "yes"', r'values\[0\].any_load = "yes": not a truth value'),
        ("[[values]]", "not_evaluated = 'why'\n\n[[values]]", "either values or a reason"),
    ],
)
def test_a_claim_that_is_not_one_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in CLAIM
    with pytest.raises(InputError, match=message) as refused:
        load_claims(written(tmp_path, CLAIM.replace(old, new)).parent)
    assert refused.value.file == str(tmp_path / "T1.toml")


def test_every_claim_of_the_study_is_there_and_its_campaigns_exist() -> None:
    card = load_scorecard(FOLDER)
    ids = {claim.id for claim in card.claims}
    expected = {"A": 20, "B": 16, "D": 15, "G": 19, "H": 14, "I": 8}
    missing = {f"{part}{n}" for part, last in expected.items() for n in range(1, last + 1)} - ids
    assert missing <= ids_without_a_number()
    for claim in card.claims:
        for name in claim.campaigns:
            card.entries[name].designed()


def ids_without_a_number() -> set[str]:
    """I8 is about which plots the authors liked."""
    return {"I8"}


def test_quick_claims_need_a_minute() -> None:
    card = load_scorecard(FOLDER).chosen([], quick=True)
    names = {name for claim in card.claims for name in claim.campaigns}
    assert sum(card.entries[name].cpu_s for name in names) <= 60
    assert {"A1", "T1"} <= {claim.id for claim in card.claims}


def test_the_verb(tmp_path: Path) -> None:
    page = tmp_path / "RESULTS.md"

    def call(*words: str) -> str:
        return CliRunner().invoke(main, ["verify", *words], catch_exceptions=False).output

    unrecorded = tmp_path / "verification"
    shutil.copytree(FOLDER, unrecorded, ignore=shutil.ignore_patterns(RECORD))
    where = ("--campaigns", str(tmp_path), "--longest", "0", "--claims", str(unrecorded))
    reported = json.loads(call("A", "B3", "dumbbell-pairs", *where, "--out", str(page), "--json"))
    verdicts = {claim["id"]: claim["verdict"] for claim in reported}
    assert verdicts["A1"] == "reproduced"
    assert verdicts["B3"] == verdicts["B2"] == "not evaluated"
    assert set(reported[0]) >= {"id", "published", "measured", "verdict", "values", "explanation"}
    needed = next(claim for claim in reported if claim["id"] == "B2")["values"][0]["reason"]
    assert needed.endswith("mesonet experiment run dumbbell-pairs --out verify/dumbbell-pairs")
    assert str(tmp_path) not in page.read_text()
    assert "### A1: reproduced" in page.read_text()
    assert "unknown claim, part or campaign" in call("Z9", *where)
    assert holds(call("Z9", *where), "parts A, B, D, F, G, H, I, K, L, T", "theory", "campaigns ")
    assert holds(call("mix-short", *where), "no claim", "Allowed: ", "mesonet exp")
    assert "no claims here" in call("--claims", str(tmp_path))


def test_outside_of_a_checkout_the_verb_names_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mesonet.cli.verify.CHECKOUT", tmp_path)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["verify", "A1"])
    assert result.exit_code == 2
    assert holds(result.output, "claims and measures", "source checkout", "Allowed: ")


def test_metrics_of_flows() -> None:
    assert jain_index([1, 1, 1, 1]) == 1
    assert jain_index([1, 0, 0, 0]) == 0.25
    assert math.isnan(jain_index([0, 0]))
    rates = np.array([[0.0, 2], [3, 2], [3, 2], [2, 2]])
    metrics = flow_metrics(rates)
    assert metrics.throughput == 4
    assert metrics.fairness == 1
    assert metrics.stability == pytest.approx(np.std(rates[:, 0], ddof=1) / 2 / 2)
    assert metrics.responsiveness == 2  # running averages of the first flow: 0, 1.5, 2, 2
    with pytest.raises(ValueError, match="at least two samples"):
        flow_metrics([[1.0, 2.0]])


def test_the_model_of_padhye() -> None:
    """Full and approximate agree where losses are rare, and with the root rule; both fall with the loss rate."""
    rare = np.array([1e-6])
    assert pftk(rare, 0.1, 1.0, full=True) == pytest.approx(math.sqrt(1.5 / 1e-6) / 0.1, rel=0.02)
    assert pftk(rare, 0.1, 1.0, full=False) == pytest.approx(math.sqrt(1.5 / 1e-6) / 0.1, rel=0.02)
    losses = np.logspace(-4, -0.4, 20)
    for full in (True, False):
        assert (np.diff(pftk(losses, 0.1, 1.0, full=full)) < 0).all()


@pytest.mark.parametrize(("of", "to", "ratio"), [(100, 200, 0.5), (100, 0, 4.0), (0, 0, 0.0)])
def test_convergence_from_the_start_is_no_division_by_zero(
    monkeypatch: pytest.MonkeyPatch, of: float, to: float, ratio: float
) -> None:
    monkeypatch.setattr(windows, "convergence", lambda _, __, name, ___: {"first": of, "second": to}[name])
    assert windows.earlier_convergence(Campaigns({}, Path()), "first", "second", "none", (250, 1000)) == ratio


def test_a_command_names_no_folder_of_this_machine() -> None:
    """Commands go into a page that is read on other machines: the same ones, whatever --campaigns was given."""
    for name, entry in load_scorecard(FOLDER).entries.items():
        assert entry.command.endswith(f" --out verify/{name}")
        assert str(FOLDER.parent) not in entry.command


@pytest.mark.parametrize(
    ("hits", "verdict"), [(32, "reproduced"), (26, "reproduced"), (17, "not evaluated"), (5, "not reproduced")]
)
def test_conditions_stand_for_seeds_in_a_part_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hits: int, verdict: str
) -> None:
    text = CLAIM.replace("absolute = 0.1", "least = 0.6").replace('"S2"', '"S4"')
    monkeypatch.setitem(MEASURES, "share", lambda campaigns, experiment, algorithm, flow, span: Share(hits, 32))
    (finding,) = judge(load_claim(written(tmp_path, text)), Seeds([0.0], random=True))  # type: ignore[arg-type]
    assert (finding.verdict, finding.conditions, finding.seeds) == (verdict, 32, 1)
    assert finding.low is not None
    assert finding.high is not None
    assert stats.binom.sf(hits - 1, 32, finding.low) == pytest.approx(0.025)  # Clopper and Pearson's definition
    assert hits == 32 or stats.binom.cdf(hits, 32, finding.high) == pytest.approx(0.025)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Campaigns:
    """Five algorithms in a small experiment 1a for 2 s, in which few documents complete."""
    options = {"duration": "2 s", "algorithms": ["tcp", "bic", "ctcp", "fast", "scalable"]}
    entry = ListedCampaign("short", str(FOLDER / "experiments/exp-1a-small.toml"), options, 1.0, FOLDER)
    return Campaigns({"short": entry}, tmp_path_factory.mktemp("campaigns"), 60.0, progress=False)


def test_a_mean_over_few_flows_is_not_evaluated(short: Campaigns) -> None:
    short = short.of_any_load()  # two seconds are too short for a load that settles
    campaign = short.load("short")
    counted = campaign.groups.filter(period="measured", path_class="typical", category="document")
    flows = counted.group_by("condition", "algorithm").agg(pl.col("flows").sum())
    few = flows.filter(pl.col("flows") < FEWEST_FLOWS).row(0, named=True)
    with pytest.raises(NotEvaluated, match=r"goodput_nn_document: .*fewer than 30 flows"):
        short.value("short", few["algorithm"], few["condition"], "goodput_nn_document")
    table = short.table("short", "goodput_nn_document")
    assert math.isnan(table[few["condition"] - 1, campaign.algorithms.index(few["algorithm"])])
    many = campaign.groups.filter(period="measured").group_by("condition", "algorithm").agg(pl.col("flows").sum())
    enough = many.filter(pl.col("flows") >= FEWEST_FLOWS).row(0, named=True)
    place = campaign.algorithms.index(enough["algorithm"])
    assert (
        short.value("short", enough["algorithm"], enough["condition"], "retransmission_rate")
        == (short.table("short", "retransmission_rate")[enough["condition"] - 1, place])
    )
    assert np.isfinite(short.table("short", "loss_rate")).all()  # no mean over flows


def settled(short: Campaigns, folder: Path, unsettled: set[int], record: bool = True) -> Campaigns:
    """Return a copy of the campaigns whose load had settled in all but some conditions, or has no record."""
    campaign = short.load("short")  # runs it, if no other test did
    shutil.copytree(short.folder / "short", folder / "short")
    for key, condition in campaign.runs.select("key", "condition").iter_rows():
        file = folder / "short" / "runs" / key / "run.json"
        about = json.loads(file.read_text())
        for name in ("settling_s", "settling_time_s", "load_drift", "checksums"):
            del about[name]
        if record:
            time = None if condition in unsettled else 0.2
            about |= {"settling_s": {"sending": 0.2, "segments_leaving": time}, "settling_time_s": time}
        file.write_text(json.dumps(about))
    return replace(short, folder=folder)


def of_short(folder: Path, measure: str, of: str, more: str = "", strictness: str = "S4") -> Claim:
    """Return a claim about the short campaign."""
    head, _, _ = CLAIM.partition("[[values]]")
    limits = "" if strictness == "S5" else "least = 0\n"
    folder.mkdir(exist_ok=True)
    number = f'name = "ours"\nmeasure = "{measure}"\nof = {{ experiment = "short", {of} }}\nclass = "{strictness}"\n'
    return load_claim(written(folder, f'{head}[[values]]\n{number}{limits}unit = "1"\nbecause = "of the test"\n{more}'))


LOSS = 'algorithm = "tcp", condition = {}, name = "loss_rate"'


def test_a_condition_whose_load_had_not_settled_is_not_judged(short: Campaigns, tmp_path: Path) -> None:
    unsettled = ("load had not settled", "condition 3 of short")
    given = settled(short, tmp_path / "campaigns", {3, 7})
    (found,) = judge(of_short(tmp_path / "a", "response", LOSS.format(3)), given)
    assert (found.verdict, found.measured) == ("not evaluated", None)
    assert holds(found.reason, *unsettled)
    assert "(counted)" not in found.reason
    (found,) = judge(of_short(tmp_path / "b", "response", LOSS.format(4), strictness="S3"), given)
    assert (found.verdict, found.reason) == ("reproduced", "")
    assert found.unsettled == {"short": [3, 7]}
    (found,) = judge(of_short(tmp_path / "c", "response", LOSS.format(3), "any_load = true\n", "S3"), given)
    assert found.verdict == "reproduced"
    assert holds(found.reason, *unsettled, "(counted)")
    (found,) = judge(of_short(tmp_path / "d", "response", LOSS.format(3), strictness="S5"), given)
    assert found.measured is not None
    assert found.verdict == "for the record"
    assert holds(found.reason, *unsettled, "(counted)")


def test_measures_over_conditions_leave_out_those_that_had_not_settled(short: Campaigns, tmp_path: Path) -> None:
    given = settled(short, tmp_path / "campaigns", {3, 7})
    rest = [place for place in range(32) if place not in (2, 6)]
    whole = short.of_any_load().table("short", "segment_rate")
    np.testing.assert_array_equal(given.table("short", "segment_rate"), whole[rest])
    claim = of_short(tmp_path / "a", "sum_larger", 'of = "fast", to = ["tcp"], names = ["segment_rate"], period = "1"')
    (found,) = judge(claim, given)
    table = short.of_any_load().table("short", "segment_rate", "1")[rest]
    assert found.measured == np.mean(table[:, 3] > table[:, 0])
    assert found.conditions == 30
    assert holds(found.reason, "not settled", "conditions 3 and 7 of short (left out)")
    (found,) = judge(of_short(tmp_path / "b", "extreme", 'name = "loss_rate", which = "most"'), given)
    assert (found.verdict, found.measured) == ("not evaluated", None)
    assert holds(found.reason, "not settled", "conditions 3 and 7 of short", "30 of 32", "32 are the fewest")
    matrix = given.load("short").rows.matrix[rest]
    assert MEASURES["linear_part"](given, "short") <= 1
    assert np.linalg.matrix_rank(matrix) == matrix.shape[1]
    assert set(mixed.advantages(given.of_any_load(), "short", "web object")["condition"]) <= set(range(1, 33))


def test_a_claim_with_too_few_conditions_is_not_evaluated(short: Campaigns, tmp_path: Path) -> None:
    claim = of_short(tmp_path / "a", "sum_larger", 'of = "fast", to = ["tcp"], names = ["segment_rate"], period = "1"')
    enough = settled(short, tmp_path / "enough", set(range(1, 9)))
    assert judge(claim, enough)[0].conditions == 24
    few = settled(short, tmp_path / "few", set(range(1, 10)))
    (found,) = judge(claim, few)
    assert (found.verdict, found.measured) == ("not evaluated", None)
    assert holds(found.reason, "not settled", "1, 2, 3, 4, 5, 6, 7, 8 and 9 of short", "23 of 32", "24 are the fewest")


def test_a_campaign_without_a_record_of_its_load_is_judged_whole_and_named(
    short: Campaigns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = settled(short, tmp_path / "campaigns", set(), record=False)
    claim = of_short(tmp_path / "a", "response", LOSS.format(3), strictness="S3")
    card = Scorecard((claim,), given.entries, Record())
    findings = card.judge(given)
    assert findings["T1"][0].verdict == "reproduced"
    assert findings["T1"][0].unsettled is None
    assert card.unrecorded(findings) == ["short"]
    assert card.page(findings, given).splitlines()[-1].endswith(" | not recorded |")
    assert card.document(findings)[0]["values"][0]["unsettled"] is None
    known = settled(short, tmp_path / "known", {3, 7})
    findings = card.judge(known)
    assert card.unrecorded(findings) == []
    assert card.page(findings, known).splitlines()[-1].endswith(" | not settled in 3, 7 |")
    record = card.measured(findings, known)
    record.write(tmp_path / RECORD)
    record = read_record(tmp_path / RECORD)
    assert record.unsettled(given.entries["short"]) == [3, 7]
    monkeypatch.setattr(Campaigns, "load", lambda *_: (_ for _ in ()).throw(NotRun("not here")))
    card = Scorecard((claim,), given.entries, record)
    (found,) = card.judge(known)["T1"]
    assert found.verdict == "not evaluated"
    assert holds(found.reason, "not settled", "condition 3 of short")
    assert card.page({"T1": [found]}, known).splitlines()[-1].endswith(" | not settled in 3, 7 |")


class Given:
    """A campaign of five conditions in which an algorithm of one's choice is far from four others in every response."""

    algorithms = ("tcp", "bic", "ctcp", "htcp", "fast")

    def __init__(self, far: list[str], loss: list[float]) -> None:
        self.far, self.loss = far, loss

    def load(self, name: str) -> Given:
        return self

    def judged(self, name: str, *, whole: bool = False) -> np.ndarray:
        return np.arange(1, len(self.far) + 1)

    def table(self, name: str, response: str, period: str = "measured") -> np.ndarray:
        if response == "loss_rate":
            return np.repeat(np.array(self.loss)[:, None], len(self.algorithms), axis=1)
        near = {"tcp": 10.0, "bic": 10.01, "ctcp": 10.3, "htcp": 10.31, "fast": 10.1}
        return np.array([[near[name] + 50 * (name == far) for name in self.algorithms] for far in self.far])


def test_comparisons_over_conditions() -> None:
    far, loss = ["fast", "fast", "fast", "tcp", "fast"], [0.1, 0.1, 0.0, 0.1, 0.0]
    given: Any = Given(far, loss)
    assert comparisons.stands_apart(given, "x", "fast") == Share(4, 5)
    assert comparisons.stands_apart(given, "x", "tcp") == Share(1, 5)
    assert comparisons.parted(given, "x", ["fast"], congested=True) == Share(2, 3)
    assert comparisons.nearest(given, "x", "tcp", "bic") == Share(4, 5)
    assert comparisons.trees_with(given, "x", [["tcp", "bic"], ["ctcp", "htcp"]], "fast") == 4
    assert comparisons.most_outliers(given, "x", "fast") == Share(2, 3)
    names = comparisons.RESPONSES
    others = [name for name in names if name != "loss_rate"]
    assert comparisons.outliers_by_congestion(given, "x", "fast") == pytest.approx(len(others) * (2 / 3 - 1))
    assert comparisons.outlier_share(given, "x", "fast", 10) == 0.8
    assert comparisons.outlier_in(given, "x", "fast", others[:3], 10) == 3
    assert comparisons.outlier_contrast(given, "x", "fast", others[:2], ["loss_rate"], 10) == 0.8
    assert comparisons.told_apart(given, "x") == Share(5, 5)
    assert comparisons.alike(given, "x", ["fast"], 10) == Share(4, 5)
    assert comparisons.alike(given, "x", ["fast"], 10, congested=True) == Share(2, 3)
    assert comparisons.alike(given, "x", [], 10) == Share(0, 5)
    assert comparisons.spread_without(given, "x", ["fast"], "rtt") == pytest.approx(10.31 / 10.155 - 1)
    most = comparisons.spread_without(Given(far, [0.1, 0.1, 0, 0.2, 0]), "x", ["fast"], "rtt", most=True)  # type: ignore[arg-type]
    assert most == pytest.approx(60 / 22.655 - 1)  # tcp is far there: 60, 10.01, 10.3, 10.31
    assert comparisons.beyond_others(given, "x", "fast", "rtt") == Share(2, 3)
    assert comparisons.distance_from(given, "x", ["bic", "htcp"], "tcp", "rtt") == pytest.approx(0.031)
    assert comparisons.distance_from(given, "x", ["fast"], "tcp", "rtt", most=True) == pytest.approx(5.01)
    assert comparisons.largest_residual(given, "x", "fast", "rtt") == pytest.approx(60.1 - (60.1 + 40.62) / 5)
    assert comparisons.low_outliers(given, "x", "rtt") == 0
    assert comparisons.sum_larger(given, "x", "fast", ["bic", "htcp"], ["rtt", "cwnd"], "1") == Share(4, 5)
    assert comparisons.sum_larger(given, "x", "htcp", ["tcp"], ["rtt", "cwnd"], "1") == Share(4, 5)


def test_outliers_below_the_others_are_counted() -> None:
    class Low(Given):
        def table(self, name: str, response: str, period: str = "measured") -> np.ndarray:
            return np.array([[10.0, 10.1, 9.9, 10.05, 1.0], [10, 10.1, 9.9, 10.05, 20], [3, 3, 3, 3, 3]])

    assert comparisons.low_outliers(Low([], []), "x", "rtt") == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("law", "what", "options", "value"),
    [
        ("power", "exponent", {"most": 20}, 1.7),
        ("power", "exponent", {"pipe": "large"}, 1.7),  # W_c of 100 is more than three times 4, 8 and 16
        ("line", "slope", {"most": 8}, 100 * (3e-4 * 8**1.7 - 3e-4 * 4**1.7) / 4),
        ("hyperbola", "b", {"pipe": "small"}, 0.9),
    ],
)
def test_laws_fitted_to_a_curve(
    monkeypatch: pytest.MonkeyPatch, law: str, what: str, options: dict[str, Any], value: float
) -> None:
    lines = [many_flows.Line(n, x, 60, 400, 0.1, (0, 1)) for n, x in enumerate((4, 8, 16, 100, 200, 400), start=1)]
    monkeypatch.setattr(many_flows, "lines", lambda _: lines)
    monkeypatch.setattr(Campaigns, "load", lambda *_: None)
    loss = {**{x: 3e-4 * x**1.7 for x in (4, 8, 16)}, **{x: 0.9 * x / (x + 150) for x in (100, 200, 400)}}
    monkeypatch.setattr(many_flows, "_loss", lambda _, __, line: loss[line.connections])
    found = many_flows.fit(Campaigns({}, Path()), "none", "loss", law, buffer=60, what=what, **options)
    assert found == pytest.approx(value)


@pytest.mark.parametrize(("small_pipe", "change"), [(None, 0.3), (False, 0.1), (True, 0.3)])
def test_changes_of_throughput_by_pipe(monkeypatch: pytest.MonkeyPatch, small_pipe: bool | None, change: float) -> None:
    lines = [many_flows.Line(n, count, 60, 400, 0.1, (0, 1)) for n, count in ((1, 50), (2, 300))]
    monkeypatch.setattr(many_flows, "lines", lambda _: lines)
    given = {("with", 50): 0.9, ("without", 50): 1.0, ("with", 300): 0.6, ("without", 300): 0.9}
    monkeypatch.setattr(many_flows, "goodput", lambda _, name, count, buffer: given[name, count])
    monkeypatch.setattr(Campaigns, "load", lambda *_: None)
    found = many_flows.throughput_change(Campaigns({}, Path()), "with", "without", "goodput", small_pipe)
    assert found == pytest.approx(change)


def test_losses_against_the_response_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theory, "_cycles", lambda _, __, name, ___: (3e-4 if name == "hstcp" else 1.5e-4, 100.0))
    given = Campaigns({}, Path())
    assert theory.loss_over_law(given, "none", "tcp", 1) == pytest.approx(1)
    assert theory.loss_over_law(given, "none", "hstcp", 1) == pytest.approx(3e-4 / (0.078 / 100**1.2))
    assert theory.loss_on_path(given, "none", "hstcp", "tcp", 1) == 2


def test_who_varies_least(monkeypatch: pytest.MonkeyPatch) -> None:
    spread = {"fast": {"throughput": [1, 1], "fairness": [1, 3]}, "tcp": {"throughput": [0, 1], "fairness": [1, 2]}}
    monkeypatch.setattr(Campaigns, "load", lambda *_: Given([], []))
    monkeypatch.setattr(Given, "algorithms", ("fast", "tcp"))
    monkeypatch.setattr(fast, "metrics", lambda _, __, name, what: spread[name].get(what, [1, 1]))
    assert fast.not_steadiest(Campaigns({}, Path()), "none", "fast") == 1
    assert fast.not_steadiest(Campaigns({}, Path()), "none", "tcp") == 1


def test_arithmetic_of_the_study() -> None:
    none = Campaigns({}, Path())
    assert MEASURES["backbone_links"](none, "abilene") == 14
    assert MEASURES["responses"](none, "sensitivity", "groups") == 48
    assert MEASURES["processor_hours"](none, 100, 28, 10, unit=7) == 40
    assert MEASURES["constant"](none, "exp-1b", "hstcp", "low_window") == 31
    assert MEASURES["dumbbell"](none, "line") == pytest.approx(252)
