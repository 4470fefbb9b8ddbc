"""A grid of levels is shown as lines, heat maps and changes over the levels, with the numbers that the factors set."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

import mesonet
from fragments import holds
from mesonet.campaign import Campaign
from mesonet.campaign.tidy import levels_of
from mesonet.charts.export import to_svg
from mesonet.reporting import write_analysis
from mesonet.reporting.campaign_view.grid import Grid
from mesonet.reporting.campaign_view.view import CampaignView, view_of
from mesonet.reporting.figures.levels import level_lines
from mesonet.reporting.folder.gallery import figures_of
from mesonet.reporting.page.document import report_html
from mesonet.reporting.text.grid_text import grid_answers, note

pytestmark = pytest.mark.process

GRID = """
name = "grid"
title = "Flows by buffer"
scenario = "dumbbell"
algorithms = ["tcp", "scalable"]

[set]
"network.speed" = "1 seg/ms"
"network.delay_multiplier" = 0.1
"time.duration" = "4 s"
"time.warmup" = "1 s"

[[factors]]
id = "B"
name = "Buffer"
levels."network.buffer" = ["10 segments", "40 segments"]

[[factors]]
id = "N"
name = "Flows"
levels."flows" = [
  [{ from = "A", to = "B", count = 1 }],
  [{ from = "A", to = "B", count = 2 }],
  [{ from = "A", to = "B", count = 50 }],
]
"""


NUMBERS = [("15", 15.0), ("63", 63.0), ("255", 255.0)]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    folder = tmp_path_factory.mktemp("grid")
    (folder / "grid.toml").write_text(GRID)
    return mesonet.experiment(folder / "grid.toml").run(folder / "out", workers=1, progress=False)


@pytest.fixture(scope="module")
def thesis(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """A grid whose flows start at random: three factors, a word among them, two algorithms, three replicates."""
    folder = tmp_path_factory.mktemp("thesis")
    vary = {
        "flows[0].count": [2, 8],
        "rtt:network.delay_multiplier": [10, 40],
        "aqm.discipline": ["drop_tail", "fq_codel"],
    }
    values = {"network.speed": "20 Mbit/s", "time.warmup": "1 s"}
    chosen = mesonet.grid("shared-link", vary, algorithms="cubic,bbr3", duration="3 s", values=values)
    return chosen.run(folder / "out", workers=1, progress=False)


def test_levels_are_the_numbers_that_factors_set(campaign: Campaign) -> None:
    buffer, flows = levels_of(campaign)
    assert [buffer.numbers, buffer.unit, buffer.texts] == [(10, 40), "segments", ("10 segments", "40 segments")]
    assert flows.numbers == (1, 2, 50)
    assert buffer.place.tolist() == [0, 1] * 3
    assert flows.place.tolist() == [0, 0, 1, 1, 2, 2]


def test_a_line_per_algorithm_holds_what_was_measured(campaign: Campaign) -> None:
    view = CampaignView(campaign)
    (figure,) = (each for each in figures_of(view, responses=["loss_rate"]) if each.name.startswith("levels/"))
    chart, caption = figure.make()
    assert holds(caption, "y5 Loss rate", "6 combinations")
    (rows,) = chart["datasets"].values()
    found = {(row["algorithm"], row["panel"], row["across"]): row["value"] for row in rows}
    assert len(found) == 12
    for condition, (flows, buffer) in enumerate([(1, 10), (1, 40), (2, 10), (2, 40), (50, 10), (50, 40)], start=1):
        for algorithm in campaign.algorithms:
            measured = campaign.response("loss_rate").filter(condition=condition, algorithm=algorithm)["value"][0]
            assert found[algorithm, f"buffer {buffer} segments", flows] == measured
    assert found["tcp", "buffer 10 segments", 50] > found["tcp", "buffer 10 segments", 1]
    assert {row["low"] for row in rows} == {None}  # one run each
    assert '"type": "log"' in json.dumps(chart)  # 1 to 50


def test_the_axis_has_the_numbers_in_full() -> None:
    rows = [(name, number, 1.0, 2.0, 3.0, name, "cubic", 0) for name, number in NUMBERS]
    columns = ("level", "across", "low", "value", "high", "algorithm", "line", "place")
    values = pl.DataFrame(rows, schema=columns, orient="row")
    chart = level_lines(values, across="Senders", levels=NUMBERS, is_number=True, names=["cubic"], panels=[""])
    texts = ["".join(each.itertext()) for each in ElementTree.fromstring(to_svg(chart)).iter(f"{SVG}text")]
    assert [text for text in texts if text in dict(NUMBERS)] == ["15", "63", "255"]


def test_what_does_not_vary_has_no_figure(campaign: Campaign) -> None:
    names = [figure.name for figure in figures_of(CampaignView(campaign))]
    assert {"levels/loss_rate", "level_maps/loss_rate", "level_changes/loss_rate"} <= {*names}
    assert "levels/flows_completed" not in names  # none completes
    assert not [name for name in names if name.startswith(("sensitivity", "scatter"))]


def test_one_run_of_each_has_no_interval_and_says_so(campaign: Campaign) -> None:
    grid = Grid(CampaignView(campaign))
    assert holds(note(grid), "6 combinations", "1 replicate of", "one run of each")
    (answer,) = grid_answers(grid, ["loss_rate"])
    assert holds(answer.sentences[0], "With tcp", "highest", "50 flows", "lowest", "From 1 to 50 flows it rises by")


def test_a_response_that_never_varies_takes_no_interval_from_others(
    thesis: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = Grid(view_of(thesis))
    constant, *others = grid.key_responses
    assert others
    remark = ["All are equal: nothing is random."] * len(grid.view.algorithms)
    monkeypatch.setattr(Grid, "notes", lambda _, name: remark if name == constant else [])
    assert holds(note(grid), "intervals of 95 %", "Not known", grid.view.label_of(constant))
    monkeypatch.setattr(Grid, "notes", lambda *_: remark)
    assert holds(note(grid), "nothing is random")
    assert not holds(note(grid), "intervals of 95 %")


def test_maps_hold_each_mean_with_its_shade(thesis: Campaign) -> None:
    (figure,) = (f for f in figures_of(CampaignView(thesis), responses=["rtt"]) if f.name.startswith("level_maps/"))
    (rows,) = figure.make()[0]["datasets"].values()
    found = {(row["panel"], row["across"], row["down"]): row for row in rows}
    assert len(found) == len(rows) == 16
    tidy = thesis.tidy(["rtt"])
    own = tidy.filter(algorithm="bbr3", flows="8", factor_rtt="40", discipline="fq_codel")["value"]
    assert found["bbr3, fq_codel", "8", "40"]["value"] == pytest.approx(own.mean())
    values = [row["value"] for row in rows]
    for row in rows:
        assert row["shade"] == pytest.approx((row["value"] - min(values)) / (max(values) - min(values)))
        assert row["low"] <= row["value"] <= row["high"]


def test_sentences_are_the_means_of_the_runs(thesis: Campaign) -> None:
    grid = Grid(CampaignView(thesis))
    assert grid.key_responses[0] == "goodput"
    (answer,) = grid_answers(grid, ["goodput"])
    tidy = thesis.tidy(["goodput"]).filter(algorithm="cubic")
    means = (
        tidy.group_by("condition", "flows").agg(pl.col("value").mean()).group_by("flows").agg(pl.col("value").mean())
    )
    at = dict(means.iter_rows())
    fall = format(float(f"{at['2'] - at['8']:.3g}"), "g")
    assert holds(
        answer.sentences[0], "With cubic", "goodput per flow", "2 flows", f"From 2 to 8 flows it falls by {fall} Mbit/s"
    )
    assert holds(answer.sentences[-1], "bbr3", "cubic", "Of 8 combinations")
    change = grid.changes("goodput", "measured", "cubic")
    row = change.largest("flows")
    assert row is not None
    assert change.change[row] == pytest.approx(at["8"] - at["2"])
    assert change.low[row] < change.change[row] < change.high[row] < 0


def test_the_page_begins_with_levels_and_asked_responses(thesis: Campaign) -> None:
    page = report_html(thesis, responses=["queueing_delay"], live=False)
    assert "What changes with the levels?" in page
    assert "<h3>Queueing delay</h3>" in page
    assert "PRCC" not in page
    assert "design of kind" not in page


def test_asked_responses_are_refused_where_no_run_has_them(thesis: Campaign, tmp_path: Path) -> None:
    with pytest.raises(mesonet.InputError, match=r"responses.*nope.*unknown response"):
        view_of(thesis, asked=["nope"])
    with pytest.raises(mesonet.InputError, match="unknown response"):
        write_analysis(thesis, tmp_path, responses=["nope"])


def test_tables_have_levels_and_changes(thesis: Campaign, tmp_path: Path) -> None:
    write_analysis(thesis, tmp_path, figures="none")
    tables = tmp_path / "analysis" / "tables"
    levels = pl.read_parquet(tables / "levels.parquet").filter(response="goodput", period="measured")
    assert levels.height == 16
    assert levels["flows_number"].unique().sort().to_list() == [2.0, 8.0]
    assert levels["discipline_number"].null_count() == 16
    changes = pl.read_parquet(tables / "changes.parquet").filter(
        response="goodput", period="measured", algorithm="cubic"
    )
    assert changes.select("factor", "first", "second").rows() == [
        ("flows", "2", "8"), ("rtt", "10", "40"), ("discipline", "drop_tail", "fq_codel"),
    ]  # fmt: skip
    index = (tmp_path / "analysis" / "index.md").read_text()
    assert holds(index, "Goodput per flow", "With cubic", "With bbr3")
    assert "PRCC" not in index
