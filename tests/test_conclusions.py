"""Conclusions of experiment files: what is read, what is refused, and what the report says of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import mesonet as mn
from fake_campaign import fake_campaign, few_responses
from fragments import holds
from mesonet.analysis import conclusion
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.reporting import write_analysis, write_report
from mesonet.reporting.campaign_view.conclusions import Evaluated, conclusions, support_of
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text.conclusions_text import conclusion_rows, why

EXPERIMENT = """
name = "small"
title = "Two factors"
scenario = "abilene"
algorithms = ["tcp", "scalable", "fast"]

[set]
"time.duration" = "2 s"
"users.base_sources" = 2
"network.speed" = "40 seg/ms"

[[factors]]
id = "X1"
minus = "40 seg/ms"
plus = "80 seg/ms"

[[factors]]
id = "X2"
minus = 1
plus = 2
"""
COMPARED = """
[[conclusions]]
id = "long-trips"
text = "Round trips with FAST are longer"
source = "a paper"
response = "rtt"
higher = "fast"
than = ["tcp", "scalable"]
by = 0.05
"""
ALIKE = """
[[conclusions]]
id = "alike"
text = "Two are alike"
source = "a paper"
response = "rtt"
alike = ["tcp", "scalable"]
within = 0.1
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "own.toml"
    file.write_text(text.replace('"network.speed" = "40 seg/ms"\n', ""))
    return file


def test_both_forms_are_read(tmp_path: Path) -> None:
    first, second = mn.experiment(written(tmp_path, EXPERIMENT + COMPARED + ALIKE)).document()["conclusions"]
    assert first == {
        "id": "long-trips", "text": "Round trips with FAST are longer", "source": "a paper", "response": "rtt",
        "period": "measured", "higher": "fast", "algorithms": ["tcp", "scalable"], "least": 0.05,
    }  # fmt: skip
    assert (second["higher"], second["algorithms"], second["least"]) == (None, ["tcp", "scalable"], 0.1)
    single = COMPARED.replace('["tcp", "scalable"]', '"tcp"').replace("by = 0.05", 'period = "2"')
    only = mn.experiment(written(tmp_path, EXPERIMENT + single)).document()["conclusions"][0]
    assert (only["algorithms"], only["least"], only["period"]) == (["tcp"], 0.0, "2")
    assert "conclusions" not in mn.experiment(written(tmp_path, EXPERIMENT)).document()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "long-trips"', 'id = "a b"', r'conclusions\[0\]\.id = "a b": not an id'),
        ('id = "long-trips"', 'id = "alike"', r'conclusions\[1\]\.id = "alike": another conclusion has this id'),
        ('source = "a paper"', 'source = ""', r"conclusions\[0\]\.source"),
        ('response = "rtt"\nhigher', 'response = "rrt"\nhigher', r"unknown response of the set asme-22.*nearest: rtt"),
        ('response = "rtt"\nhigher', 'response = "segment_rate"\nhigher', r"unknown response of the set asme-22"),
        ('higher = "fast"', 'higher = "bbr"', r"conclusions\[0\]\.higher.*Allowed: tcp, scalable, fast"),
        ('higher = "fast"', 'higher = "tcp"', r"conclusions\[0\]\.than.*an algorithm is compared with itself"),
        ('than = ["tcp", "scalable"]', "than = []", r"conclusions\[0\]\.than.*at least 1 of tcp, scalable, fast"),
        ('than = ["tcp", "scalable"]', "", r"conclusions\[0\].*Allowed: higher, than and by, or alike and within"),
        ("by = 0.05", "by = 2", r"conclusions\[0\]\.by = 2"),
        ("by = 0.05", "within = 0.05", "two forms, or none"),
        ("by = 0.05", 'period = "run"', r"conclusions\[0\]\.period.*not a period"),
        ("by = 0.05", "support = 1", r"unknown key of a conclusion"),
        ("within = 0.1", "", r"conclusions\[1\]\.within: missing"),
        ("within = 0.1", 'within = "wide"', r"conclusions\[1\]\.within.*not a number"),
        ('alike = ["tcp", "scalable"]', 'alike = ["tcp"]', r"conclusions\[1\]\.alike.*at least 2"),
        ('alike = ["tcp", "scalable"]', 'alike = ["tcp", "tcp"]', "an algorithm is named twice"),
        ('plus = 2\n', 'plus = 2\ninner = 1\n', "unknown key"),
        ('minus = 1\nplus = 2', 'levels."network.delay_multiplier" = [1, 2, 3]', "factors at two levels"),
    ],
)  # fmt: skip
def test_what_is_not_a_conclusion_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = EXPERIMENT + COMPARED + ALIKE
    assert old in text
    file = written(tmp_path, text.replace(old, new, 1))
    with pytest.raises(InputError, match=message) as refused:
        mn.experiment(file)
    assert str(file) in str(refused.value)


def test_conclusions_must_be_tables(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"conclusions\[0\].*not a table"):
        mn.experiment(written(tmp_path, 'conclusions = ["FAST loses"]\n' + EXPERIMENT))


def test_support_is_made_of_relative_differences() -> None:
    names = ("tcp", "fast", "scalable")
    values = np.array([[1.0, 3.0, 2.0], [3.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, np.nan, 1.0], [0.0, 1.0, 0.0]])
    above = {"higher": "fast", "algorithms": ["tcp", "scalable"], "least": 0.1}
    assert support_of(above, values, names) == pytest.approx([40 - 10, -100 - 10, -10, np.nan, 200 - 10], nan_ok=True)
    alike = {"higher": None, "algorithms": ["tcp", "fast", "scalable"], "least": 0.5}
    expected = [50 - 100, 50 - 120, 50, np.nan, 50 - 300]
    assert support_of(alike, values, names) == pytest.approx(expected, nan_ok=True)


def entry(id: str, response: str, higher: str | None, names: list[str], least: float = 0.0) -> dict[str, object]:
    about = {"id": id, "text": f"About {id} < all", "source": "a paper", "response": response, "period": "measured"}
    return {**about, "higher": higher, "algorithms": names, "least": least}


ENTRIES = [
    entry("loss", "loss_rate", "fast", ["tcp", "scalable"], 0.05),
    entry("flows", "flows_completed", None, ["tcp", "cubic"], 0.2),
    entry("absent", "loss_rate", "bbr", ["tcp"]),
]


@pytest.mark.slow
@pytest.mark.usefixtures("few_figures")
def test_the_report_says_on_which_factor_a_conclusion_depends(tmp_path: Path) -> None:
    """FAST loses more wherever anything is lost, which takes the slower network."""
    campaign = few_responses(fake_campaign(tmp_path))
    campaign = replace(campaign, experiment={**campaign.experiment, "conclusions": ENTRIES})
    view = CampaignView(campaign)
    loss, flows, absent = conclusion_rows(view)
    lossy = view.values("loss_rate", "measured")[:, [0, 2, 3]]
    more = lossy[:, 2] > 1.05 * lossy[:, :2].max(axis=1)
    known = np.isfinite(lossy).all(axis=1)
    assert (loss["holds"], loss["known"]) == (int((more & known).sum()), int(known.sum()))
    assert loss["verdict"] == "depends"
    speed = next(row for row in loss["factors"] if row["factor"] == "X1")
    assert (speed["role"], speed["effect"] < 0, speed["holds_minus"] > speed["holds_plus"]) == ("decides", True, True)
    assert "Depends on network speed (X1) (800 seg/ms: " in loss["why"]
    assert (flows["verdict"], flows["holds"]) == ("holds at all levels", 31)
    assert (absent["verdict"], absent["why"]) == ("not evaluated", "No runs of bbr.")
    page = write_report(campaign, tmp_path / "report.html").read_text()
    assert "Conclusions under other assumptions" in page
    assert "About loss &lt; all" in page
    write_analysis(campaign, tmp_path, figures="none")
    tables = tmp_path / "analysis" / "tables"
    found = pl.read_parquet(tables / "conclusions.parquet")
    assert found["conclusion"].to_list() == ["loss", "flows"]
    assert holds(found["statement"][0], "loss_rate of fast above tcp, scalable", "by more than 5 %")
    assert pl.read_parquet(tables / "conclusions_by_factor.parquet").height == 2 * 9
    by_condition = pl.read_parquet(tables / "conclusions_by_condition.parquet")
    assert by_condition.columns == ["condition", "loss", "flows"]
    assert by_condition["loss"].null_count() == 1
    assert "**About loss < all** (a paper): depends" in (tmp_path / "analysis" / "index.md").read_text()


def test_the_report_says_whether_there_is_noise(tmp_path: Path) -> None:
    view = CampaignView(fake_campaign(tmp_path))
    design = view.campaign.design
    for support, text in (
        (np.full(design.runs, 5.0), "There is no noise: any difference is an effect."),
        (5.0 + design.matrix[:, 0], "No noise is known to test effects against."),
    ):
        assert why(view, Evaluated(ENTRIES[0], support, conclusion(design, support))).endswith(text)


def test_campaigns_without_conclusions_or_results_have_none(tmp_path: Path) -> None:
    assert conclusion_rows(CampaignView(fake_campaign(tmp_path))) == []
    empty = fake_campaign(tmp_path, all_status="missing")
    empty = replace(empty, experiment={**empty.experiment, "conclusions": ENTRIES})
    assert conclusion_rows(CampaignView(empty)) == []


@pytest.mark.process
@pytest.mark.usefixtures("few_figures")
def test_a_campaign_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, EXPERIMENT + COMPARED + ALIKE)
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    command = ["experiment", "run", str(file), "--out", "out", "--algorithms", "tcp,scalable", "--replicates", "2"]
    assert runner.invoke(main, command).exit_code == 0
    result = runner.invoke(main, ["report", "out", "--replay", "none", "--json"])
    assert result.exit_code == 0, result.output
    compared, alike = json.loads(result.stdout)["conclusions"]
    assert (compared["verdict"], compared["why"]) == ("not evaluated", "No runs of fast.")
    assert alike["known"] == 4
    assert {row["factor"] for row in alike["factors"]} == {"X1", "X2"}
    view = CampaignView(mn.load("out"))
    rtt = view.values("rtt", "measured")
    spread = 100 * np.abs(rtt[:, 0] - rtt[:, 1]) / rtt.mean(axis=1)
    assert conclusions(view)[1].support == pytest.approx(10 - spread, abs=0.5)


def test_the_published_experiment_names_its_sources() -> None:
    chosen = mn.experiment("assumptions")
    assert (chosen.conditions, chosen.design.resolution) == (32, 4)
    entries = chosen.document()["conclusions"]
    assert len(entries) == 10
    assert all(entry["source"].startswith(("ASME paper", "NIST SP 500-282")) for entry in entries)
    minus, plus = (chosen.condition(1).describe()["class_rtt"], chosen.condition(5).describe()["class_rtt"])
    assert minus[0] < 0.024 < 0.051 < plus[0], "near and far places"
    fewer = mn.experiment("assumptions", algorithms=["tcp", "fast"])
    assert fewer.document()["conclusions"] == entries
