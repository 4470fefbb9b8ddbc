"""The report and the analysis files, made from a synthetic campaign and read back."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import mesonet as mn
from conftest import TINY
from fake_campaign import ALGORITHMS, FAILED, MISSING, RESPONSES, fake_campaign, few_responses
from fragments import holds
from mesonet.analysis import condition_response_summary, main_effects
from mesonet.plots import to_svg
from mesonet.reporting import report_html, write_report
from mesonet.reporting.campaign_view.events import NEGLIGIBLE
from mesonet.reporting.campaign_view.values import MEAN_OF_ALL
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text.summary import findings, glance
from mesonet.words import listed, quantity, span
from pages import report_of

pytestmark = pytest.mark.slow

NAMES = [response.name for response in RESPONSES]
FIGURES = [
    "forest", "effects-on-difference", "condition-response", "residuals", "responses", "condition-bars", "ranks",
    "clusters", "settings-of-outliers",
    "main-effects", "sign-table", "psi", "interactions", "half-normal", "effect-sizes", "youden", "blocks", "contour",
    "ordered", "factor-scatter", "correlations", "scatter-matrix", "groupings", "run-groups",
    "effects-pc1", "effects-pc2", "scatter", "components", "congestion",
]  # fmt: skip
#: Those of flow groups, of samples of the network, and of explicit flows, where a campaign has them.
OF_USERS = [
    "goodput", "available-share", "against-tcp", "differences", "rank-matrix", "rank-table", "rank-scatter",
    "goodput-ranges",
]  # fmt: skip
OF_NETWORK = ["flow-states", "buffers", "windows", "timeline"]
#: Figures about factors, terms, responses or means over conditions: no condition can be seen in them.
WITHOUT_CONDITIONS = (
    "sign-table", "psi", "interactions", "half-normal", "effect-sizes", "youden", "contour", "correlations",
    "settings-of-outliers", "scatter-matrix", "groupings", "goodput", "available-share",
    "rank-table", "rank-scatter", "goodput-ranges", "flow-states", "windows", "timeline",
)  # fmt: skip


@pytest.fixture(scope="module")
def campaign():
    return fake_campaign()


@pytest.fixture(scope="module")
def report(shared):
    """The file of the report of the synthetic campaign, in a folder that was not there."""
    return report_of(shared, "synthetic")


@pytest.fixture(scope="module")
def page(report):
    return report.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def data(page):
    return unpacked(page)


@pytest.fixture(scope="module")
def lean(campaign):
    return few_responses(campaign)


@pytest.fixture(scope="module")
def lean_page(shared):
    return report_of(shared, "few responses").read_text(encoding="utf-8")


def unpacked(page):
    text = re.search(r'<script type="text/plain" id="page-data">([^<]+)</script>', page)[1]
    return json.loads(gzip.decompress(base64.b64decode(text)))


def rows(table, **selection):
    """Rows of a packed table for one selection, as the page's script takes them."""
    columns = {
        name: column if isinstance(column, list) else [column["words"][place] for place in column["places"]]
        for name, column in table["columns"].items()
    }
    assert set(table["keys"]) <= set(selection)
    length = len(next(iter(columns.values())))
    wanted = [i for i in range(length) if all(columns[key][i] == selection[key] for key in table["keys"])]
    return [{name: column[i] for name, column in columns.items() if name not in table["keys"]} for i in wanted]


class Words(HTMLParser):
    """The text of a page, scripts and styles left out."""

    def __init__(self):
        super().__init__()
        self.skip, self.printed = 0, []

    def handle_starttag(self, tag, attrs):
        self.skip += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.skip -= tag in ("script", "style")

    def handle_data(self, text):
        if not self.skip:
            self.printed.append(text)


def words(page):
    parser = Words()
    parser.feed(page)
    return " ".join(" ".join(parser.printed).split())


def test_the_page_is_one_file_that_asks_for_nothing(report, page):
    assert report.stat().st_size < 3_000_000
    assert "default-src 'none'" in page
    markup = re.sub(r"<script type=\"module\">.*?</script>", "", page, flags=re.S)
    assert not re.search(r"(?:src|href)\s*=\s*\"(?!#)", markup)
    assert not re.search(r"url\(|@import|<link|<iframe|<img", markup)
    assert page.count('<script type="module">') == 3, "the address, the libraries, the figures"


def test_the_page_is_the_same_for_the_same_campaign(lean, lean_page):
    assert report_html(lean) == lean_page


def test_effects_on_the_page_are_those_of_the_analysis(campaign, data):
    shown = rows(data["tables"]["main_effects"], response="timeouts", period="2", algorithm="fast")
    result = main_effects(campaign.design, campaign.response("timeouts", "2"), algorithm="fast")
    assert [row["factor"] for row in shown] == list(result.factors)
    assert [row["mean_plus"] for row in shown] == pytest.approx(result.mean_plus.tolist(), rel=1e-5)
    assert [row["stars"] for row in shown] == [stars or "·" for stars in result.stars]


def test_the_mean_of_all_algorithms_needs_a_value_of_each(campaign, data):
    cube = campaign.cube(["loss_rate"], "measured")[:, :, 0]
    result = main_effects(campaign.design, cube.mean(axis=1))
    assert result.runs == 30
    shown = rows(data["tables"]["main_effects"], response="loss_rate", period="measured", algorithm=MEAN_OF_ALL)
    assert [row["mean_minus"] for row in shown] == pytest.approx(result.mean_minus.tolist(), rel=1e-5)


def test_every_response_period_and_algorithm_can_be_chosen(data):
    for response, periods in data["periods"].items():
        expected = ["measured", "1", "2", "3"] if response in NAMES else ["run"]
        assert [period for period, _ in periods] == expected
        for period, _ in periods:
            assert len(rows(data["tables"]["responses"], response=response, period=period)) <= 160
            for algorithm in (*ALGORITHMS, MEAN_OF_ALL):
                selection = {"response": response, "period": period, "algorithm": algorithm}
                assert len(rows(data["tables"]["main_effects"], **selection)) == 9
                (caption,) = rows(data["tables"]["main-effects-captions"], **selection)
                assert caption["heading"]
                assert caption["text"]


def test_values_on_the_page_are_those_of_the_campaign(campaign, data):
    shown = rows(data["tables"]["responses"], response="rtt", period="3")
    expected = campaign.response("rtt", "3").sort("condition", "algorithm")
    shown.sort(key=lambda row: (row["condition"], row["algorithm"]))
    assert [row["algorithm"] for row in shown] == expected["algorithm"].to_list()
    assert [row["value"] for row in shown] == pytest.approx(expected["value"].to_list(), rel=1e-5)


def test_outliers_on_the_page_are_those_of_the_analysis(campaign, data):
    cube = campaign.cube(NAMES, "2")
    view = CampaignView(campaign)
    about = {"responses": NAMES, "algorithms": ALGORITHMS, "too_few": view.too_few(view.of_period("2"))}
    plain = condition_response_summary(cube, **about)
    far = condition_response_summary(cube, **about, min_relative_effect=10.0)
    for way, result, flagged in (
        ("all", plain, plain.flagged), ("far", far, far.flagged), ("discoveries", plain, plain.q < 0.05),
    ):  # fmt: skip
        shown = rows(data["tables"]["condition_response"], period="2", outliers=way)
        assert len(shown) == 32 * 22
        assert [row["extreme"] for row in shown if row["text"]] == result.extreme[flagged].tolist()
        assert 0 < flagged.sum() < plain.cells_tested


def pairs(data, start):
    """What the page makes of the values: one response against another."""
    table = data["tables"]["responses"]
    keys = {"period": start["period"]}
    across = {
        (row["condition"], row["algorithm"]): row["value"] for row in rows(table, response=start["other"], **keys)
    }
    up = rows(table, response=start["response"], **keys)
    return [{**row, "x": across[row["condition"], row["algorithm"]], "y": row["value"]} for row in up]


def put_together(data, name, highlighted=0):
    """The chart of a figure as the page puts it together, one condition highlighted."""
    figure = data["figures"][name]
    spec = figure["spec"]
    spec["datasets"] = {
        **spec.get("datasets", {}),
        **{
            table: pairs(data, data["start"]) if table == "pairs" else rows(data["tables"][table], **data["start"])
            for table in figure["tables"]
        },
    }
    now = {"hl": highlighted, "levels": data["levels"].get(str(highlighted), [])}
    for parameter in spec.get("params", []):
        parameter["value"] = now.get(parameter["name"], parameter["value"])
    return spec


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_put_together_as_the_page_does_it_has_marks(data, name):
    svg = to_svg(put_together(data, name))
    assert len(re.findall(r"<path|<text", svg)) > 30
    assert not re.search(r">[^<]*(undefined|NaN|null)[^<]*<", svg)
    assert (to_svg(put_together(data, name, 19)) != svg) is (name not in WITHOUT_CONDITIONS)


def test_every_figure_is_on_the_page(data):
    assert list(data["figures"]) == FIGURES


@pytest.fixture(scope="module")
def mixed(shared):
    """The page of three algorithms, each mixed with standard TCP, with flow groups; two runs keep a time series."""
    return unpacked(report_of(shared, "mixed").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [*OF_USERS, *OF_NETWORK, "goodput-groups"])
def test_figures_of_users_and_of_the_network(mixed, name):
    svg = to_svg(put_together(mixed, name))
    assert len(re.findall(r"<path|<text", svg)) > 20
    assert not re.search(r">[^<]*(undefined|NaN|null)[^<]*<", svg)
    assert (to_svg(put_together(mixed, name, 3)) != svg) is (name not in WITHOUT_CONDITIONS)


def test_selections_of_users_are_those_of_the_campaign(mixed):
    start = mixed["start"]
    assert (start["file"], start["flows"]) == ("movie", "own flows")
    for kind in ("movie", "service pack", "document", "web object"):
        (caption,) = rows(mixed["tables"]["goodput-captions"], **{**start, "file": kind})
        assert kind in caption["heading"]
        assert "gets most in" in caption["text"]
    ranks = rows(mixed["tables"]["rank-matrix-matrix"], **{**start, "algorithm": "fast", "flows": "competing flows"})
    assert len(ranks) == 32 * 24
    assert {row["text"] for row in ranks} <= {"1", "1.5", "2", "2.5", "3"}


def test_the_summary_is_made_from_the_numbers(campaign, page):
    view = CampaignView(campaign)
    printed = dict(findings(view))
    result = view.summary("measured")
    of_fast = int((result.flagged & (result.extreme == "fast")).sum())
    assert printed["Who stands out"].startswith("fast most often")
    assert f" in {of_fast} of {result.cells_tested} comparisons" in printed["Who stands out"]
    assert holds(printed["What was compared"], "158 of 160 runs are done", "1 failed", "1 not run yet")
    assert holds(printed["What drives it"], "Network speed (X1)", "strongest", "loss rate", "every algorithm")
    loss = campaign.cube(["loss_rate"], "measured")[:, :, 0]
    worst = int(np.argmax(np.nanmean(loss, axis=1))) + 1
    assert f"It is highest in condition {worst}" in printed["How congested"]
    for text in printed.values():
        assert text in words(page)


def test_the_summary_says_what_the_algorithms_are_mixed_with(campaign):
    mixed = replace(campaign, experiment={**campaign.experiment, "mixed_with": "tcp"})
    printed = dict(findings(CampaignView(mixed)))["What was compared"]
    assert holds(printed, "fast and illinois", "with tcp", "other sources", "32 network conditions")


def test_the_summary_changes_with_the_numbers(campaign):
    renamed = {"fast": "illinois", "illinois": "fast"}
    swapped = replace(
        campaign,
        responses=campaign.responses.with_columns(pl.col("algorithm").replace(renamed)),
        runs=campaign.runs.with_columns(pl.col("algorithm").replace(renamed)),
    )
    assert dict(findings(CampaignView(swapped)))["Who stands out"].startswith("illinois most often")
    flat = replace(campaign, responses=campaign.responses.with_columns(value=pl.lit(0.02)))
    printed = dict(findings(CampaignView(flat)))
    assert printed["What drives it"] == "No factor changes loss rate."
    assert "above 1 % in 32 of 32 conditions" in printed["How congested"]
    assert holds(printed["Who stands out"], "704 of 704 cells", "not distinguishable")


def test_at_a_glance_better_and_worse_follow_the_direction_of_the_response(page):
    table = re.search(r'<table class="glance">.*?</table>', page, re.S)[0]
    fast = re.search(r"<strong>fast</strong>.*?</tr>", table, re.S)[0]
    cells = re.findall(r"<td>(.*?)</td>", fast)
    assert 'class="worse"' in cells[0], "more loss is worse"
    assert "% worse" in cells[0]
    tcp = re.search(r"<strong>tcp</strong>.*?</tr>", table, re.S)[0]
    assert 'class="worse"' not in tcp


def test_conditions_and_failed_runs_are_listed(page):
    text = words(page)
    assert "memory: 3.1 GiB wanted, 2 GiB allowed" in text
    assert page.count('<tr data-condition="') == 32
    row = re.search(rf'<tr data-condition="{FAILED[0]}">.*?</tr>', page)[0]
    assert "4 done, 1 failed" in row
    row = re.search(rf'<tr data-condition="{MISSING[0]}">.*?</tr>', page)[0]
    assert "4 done, 1 missing" in row


def test_the_methods_sheet(campaign, page):
    text = words(page)
    assert "resolution IV" in text
    for generator in campaign.design.generators:
        assert generator in text
    for parameter in campaign.experiment["parameters"]:
        assert parameter["path"] in text
        assert parameter["source"] in text
        assert parameter["doc"] in text
    for response in RESPONSES:
        assert response.definition in text
    assert "c0ffee" in text
    assert "X1 × X2" in text


def test_six_responses_are_enough_for_every_figure(lean_page):
    assert list(unpacked(lean_page)["figures"]) == FIGURES


def test_text_from_outside_is_escaped(lean):
    runs = lean.runs.with_columns(
        message=pl.when(pl.col("status") == "failed").then(pl.lit("<img src=x onerror=alert(1)>"))
    )
    hostile = replace(lean, title="A <script>alert(1)</script> & co", runs=runs)
    page = report_html(hostile)
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "A <script>alert(1)</script> & co" in words(page)


def test_a_campaign_that_says_nothing_about_itself(lean):
    bare = replace(lean, experiment={}, provenance={}, title="")
    page = report_html(bare)
    assert "<h1>synthetic</h1>" in page


@pytest.mark.parametrize("status", ["failed", "missing"])
def test_nothing_done_is_said_and_no_figure_is_shown(status):
    campaign = fake_campaign(all_status=status)
    page = report_html(campaign)
    text = words(page)
    assert holds(text, "No run has given a result", "nothing to analyse")
    assert ("The message of the first failure: memory" in text) == (status == "failed")
    assert "<figure" not in page
    assert "page-data" not in page


def test_one_algorithm(shared):
    page = report_of(shared, "one algorithm").read_text(encoding="utf-8")
    compare = {"condition-response", "residuals", "condition-bars", "ranks", "clusters", "settings-of-outliers"}
    compare |= {"effects-on-difference", "forest"}
    assert list(unpacked(page)["figures"]) == [name for name in FIGURES if name not in compare]
    assert holds(words(page), "Only one congestion control", "nothing to compare")


def test_an_experiment_without_factors(shared):
    page = report_of(shared, "no factors").read_text(encoding="utf-8")
    text = words(page)
    assert holds(text, "in 1 network condition.", "All 5 runs are done")
    assert "No factor was varied" in text
    shown = [name for name in FIGURES if name in unpacked(page)["figures"]]
    compare = ["forest", "condition-response", "residuals", "responses", "condition-bars", "ranks", "clusters"]
    assert shown == [*compare, "correlations", "scatter", "components", "congestion"]


def test_responses_that_nobody_answered(shared):
    data = unpacked(report_of(shared, "responses that nobody answered").read_text(encoding="utf-8"))
    assert set(data["figures"]) == set(FIGURES)
    for name in FIGURES:
        table = f"{name}-captions"
        for response in ("rtt", "loss_rate"):
            start = data["start"] | {"response": response, "algorithm": "fast"}
            if "maker" not in data["tables"][table]:
                (caption,) = rows(data["tables"][table], **start)
                assert caption["text"], name
                assert "nan" not in caption["text"].split(), name


@pytest.mark.parametrize("count", [2, 4])
def test_too_few_algorithms_for_verdicts(lean, count):
    few = ALGORITHMS[:count]
    frames = {name: getattr(lean, name).filter(pl.col("algorithm").is_in(few)) for name in ("runs", "responses")}
    page = report_html(replace(lean, algorithms=few, experiment={**lean.experiment, "algorithms": list(few)}, **frames))
    assert holds(words(page), f"{count} algorithms", "Grubbs' test", "at least 5")
    cells = rows(unpacked(page)["tables"]["condition_response"], period="measured", outliers="all")
    assert not [cell for cell in cells if "▲" in cell["text"] or "▼" in cell["text"]]
    assert [cell for cell in cells if "%" in cell["text"]]


@pytest.mark.parametrize("conditions", [[19], [1, 2, 3]])
def test_a_campaign_that_has_just_begun(lean, conditions):
    done = pl.col("condition").is_in(conditions)
    begun = replace(
        lean,
        responses=lean.responses.filter(done),
        runs=lean.runs.with_columns(status=pl.when(done).then("status").otherwise(pl.lit("missing"))),
    )
    text = words(report_html(begun))
    assert f"of {160} runs are done" in text


def test_an_algorithm_without_any_result(lean):
    without = replace(lean, responses=lean.responses.filter(pl.col("algorithm") != "illinois"))
    data = unpacked(report_html(without))
    selection = {"response": "rtt", "period": "measured", "algorithm": "illinois"}
    (caption,) = rows(data["tables"]["main-effects-captions"], **selection)
    assert "Nothing was measured" in caption["text"]


def test_a_model_that_is_not_a_network(campaign):
    renamed = {name: f"yield_{i}" for i, name in enumerate(NAMES[:3])}
    responses = campaign.responses.filter(
        pl.col("response").is_in(list(renamed)), pl.col("period") == "measured"
    ).with_columns(pl.col("response").replace(renamed), symbol=pl.lit(""), unit=pl.lit("kg"), period=pl.lit("harvest"))
    page = report_html(replace(campaign, responses=responses))
    assert "has the strongest effect on yield 0" in words(page)
    start = {"response": "yield_0", "algorithm": "tcp", "period": "harvest"}
    assert unpacked(page)["start"].items() >= start.items()


def test_very_many_values_stay_in_the_tables(lean, monkeypatch):
    monkeypatch.setattr("mesonet.reporting.figures.responses.MOST_VALUES", 1000)
    data = unpacked(report_html(lean))
    assert rows(data["tables"]["responses"], response="rtt", period="measured")
    assert not rows(data["tables"]["responses"], response="rtt", period="1")


def small_losses(campaign, largest):
    """The campaign with a loss rate of `largest` everywhere, and a tenth of that with fast."""
    name, share = pl.col("response") == "loss_rate", pl.when(pl.col("algorithm") == "fast").then(0.1).otherwise(1.0)
    return replace(
        campaign,
        responses=campaign.responses.with_columns(value=pl.when(name).then(share * largest).otherwise("value")),
    )


@pytest.mark.parametrize(("largest", "judged"), [(0.99 * NEGLIGIBLE, False), (1.01 * NEGLIGIBLE, True)])
def test_shares_below_a_tenth_of_a_percent_are_not_judged(campaign, largest, judged):
    view = CampaignView(small_losses(campaign, largest))
    printed = dict(findings(view))["How they differ"]
    assert ("Too small to compare: loss rate" in printed) is not judged
    assert ("loss rate -90 % with fast" in printed.replace("−", "-")) is judged
    fast = re.search(r"<strong>fast</strong>.*?</tr>", glance(view), re.S)[0]
    loss = re.findall(r"<td>(.*?)</td>", fast)[0]
    assert ("better" in loss) is judged
    assert "-90 %" in loss.replace("−", "-")


def test_a_report_that_fails_leaves_the_earlier_one(campaign, report, tmp_path, monkeypatch):
    (tmp_path / "new").mkdir()
    earlier = shutil.copy(report, tmp_path / "new" / "report.html").read_bytes()

    def broken(*_, **__):
        raise MemoryError

    monkeypatch.setattr("mesonet.reporting.page.document.report_html", broken)
    for path in (tmp_path / "new" / "report.html", tmp_path / "a" / "b" / "report.html"):
        with pytest.raises(MemoryError):
            write_report(campaign, path)
    assert [p.name for p in tmp_path.rglob("*")] == ["new", "report.html"]
    assert (tmp_path / "new" / "report.html").read_bytes() == earlier


def test_a_response_that_is_zero_everywhere_has_values(campaign):
    name = pl.col("response") == "connection_failure_ratio"
    zero = campaign.responses.with_columns(value=pl.when(name).then(0.0).otherwise("value"))
    printed = dict(findings(CampaignView(replace(campaign, responses=zero))))["How they differ"]
    assert "Zero in every run: connection failure ratio" in printed
    assert "Without values" not in printed
    gone = replace(campaign, responses=campaign.responses.filter(~(name & (pl.col("algorithm") != "tcp"))))
    printed = dict(findings(CampaignView(gone)))["How they differ"]
    assert "Without values to compare: connection failure ratio" in printed


def test_runs_that_are_not_done_are_not_called_replicates(campaign):
    runs = pl.concat([campaign.runs, campaign.runs.with_columns(replicate=pl.lit(2, pl.Int64))])
    text = dict(findings(CampaignView(replace(campaign, runs=runs))))["How far to trust it"]
    assert holds(text, "is to be run 2 times", "means over the runs done")
    done = runs.with_columns(status=pl.lit("done"))
    text = dict(findings(CampaignView(replace(campaign, runs=done))))["How far to trust it"]
    assert holds(text, "was run 2 times", "means over these replicates")


def test_a_share_differs_by_percentage_points(data):
    start = {"response": "loss_rate", "period": "measured", "algorithm": "fast"}
    (caption,) = rows(data["tables"]["effects-on-difference-captions"], **start)
    assert "The mean difference is " in caption["text"]
    assert caption["text"].count("percentage points") >= 4
    assert "relative" not in rows(data["tables"]["effects-on-difference-main_effects"], **start)[0]
    (caption,) = rows(data["tables"]["residuals-captions"], response="loss_rate")
    assert "percentage points, before condition" in caption["text"]


def test_two_algorithms_are_compared_by_name(shared):
    data = unpacked(report_of(shared, "two algorithms").read_text(encoding="utf-8"))
    start = {"response": "loss_rate", "period": "measured", "algorithm": MEAN_OF_ALL}
    (caption,) = rows(data["tables"]["effects-on-difference-captions"], **start)
    assert caption["heading"].startswith("Loss rate, tcp minus cubic")
    (caption,) = rows(data["tables"]["residuals-captions"], response="loss_rate")
    assert holds(caption["text"], "No verdict", "Grubbs' test", "at least 5")


@pytest.mark.parametrize(
    ("low", "high", "unit", "text"),
    [(0.0, 0.451, "1", "0 to 45 %"), (12.0, 14.0, "ms", "12 to 14 ms"), (3.0, 3.0, "ms", "3 ms")],
)
def test_ranges_in_words(low, high, unit, text):
    assert span(low, high, unit) == text


def test_lists_and_quantities_in_words():
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert quantity(0.0123, "1") == "1.2 %"
    assert quantity(1234.0, "segments/s") == "1,230 segments/s"


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (3.0, "; the same in all."),
        (float("nan"), "nothing is known of what drives it. How they differ No two algorithms have values"),
        (float("inf"), "No run has a value of loss rate."),
    ],
)
def test_the_summary_of_degenerate_values_says_nothing_that_is_not_so(campaign, value, printed):
    view = CampaignView(replace(campaign, responses=campaign.responses.with_columns(value=pl.lit(value))))
    text = " ".join(f"{name} {sentence}" for name, sentence in findings(view))
    assert printed in text
    assert "highest in condition" not in text


def test_conditions_without_a_value_and_flags_that_may_be_chance_are_said(campaign):
    gone = campaign.responses.with_columns(
        value=pl.when(pl.col("condition") == 3).then(float("inf")).otherwise("value")
    )
    printed = dict(findings(CampaignView(replace(campaign, responses=gone))))
    assert holds(printed["How congested"], "No run has a value", "condition 3.")
    alone = campaign.responses.filter(pl.col("response") == "rtt")
    printed = dict(findings(CampaignView(replace(campaign, responses=alone))))
    assert "nothing but chance" in printed["Who stands out"]
    assert "nothing but chance" not in dict(findings(CampaignView(campaign)))["Who stands out"]


def test_the_report_names_the_network_that_was_simulated(tmp_path):
    (tmp_path / "ring.csv").write_text("from,to,delay_ms\nA,B,5\nB,C,5\nC,A,5\n")
    (tmp_path / "tiny.toml").write_text(TINY.replace("[set]", '[set]\ntopology = "ring.csv"'))
    campaign = mn.experiment(tmp_path / "tiny.toml").run(tmp_path / "out", workers=1, progress=False)
    text = words(report_html(campaign))
    assert holds(text, "network ring (3 backbone routers, 3 links", "user's own", "scenario abilene", "unless set")


def test_the_first_screen_states_runs_length_and_senders(tiny_campaign: Path) -> None:
    page = report_html(mn.load(tiny_campaign))
    assert holds(
        page, "runs of", "are measured", "Senders of the preset", "The traffic offers", "bit/s", "of it arrived"
    )


def test_the_first_screen_states_what_arrived_of_what_was_offered(tmp_path: Path) -> None:
    (tmp_path / "open.toml").write_text(
        'name = "open"\ntitle = "T"\nscenario = "bottleneck"\nalgorithms = ["tcp"]\n[set]\n"time.duration" = "4 s"\n'
        '"time.warmup" = "1 s"\nflows = []\n[[set.arrivals]]\nfrom = "A"\nto = "B"\nsizes = "12 kB"\n'
        'rate = "100 flows/s"\n'
        '[[factors]]\nid = "buffer"\npath = "network.buffer"\nminus = "1 bdp"\nplus = "2 bdp"\n'
    )
    campaign = mn.experiment(tmp_path / "open.toml").run(tmp_path / "out", workers=1, progress=False)
    page = report_html(campaign)
    offered, low, high = re.search(r"The traffic offers (\S+ \S+); ([\d.]+) to ([\d.]+) % of it arrived", page).groups()
    assert offered == "9.6 Mbit/s"
    assert 80 < float(low) <= float(high) < 130
