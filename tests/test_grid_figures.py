"""A grid of levels is shown as lines over the levels, with the numbers that the factors set."""

from __future__ import annotations

import pytest

import mesonet
from fragments import holds
from mesonet.campaign import Campaign
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.levels import levels
from mesonet.reporting.folder.gallery import figures_of

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


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    folder = tmp_path_factory.mktemp("grid")
    (folder / "grid.toml").write_text(GRID)
    return mesonet.experiment(folder / "grid.toml").run(folder / "out", workers=1, progress=False)


def test_levels_are_the_numbers_that_factors_set(campaign: Campaign) -> None:
    assert levels(campaign, 0) == [10, 40, 10, 40, 10, 40]
    assert levels(campaign, 1) == [1, 1, 2, 2, 50, 50]


def test_a_line_per_level_holds_what_was_measured(campaign: Campaign) -> None:
    view = CampaignView(campaign)
    (figure,) = (each for each in figures_of(view, responses=["loss_rate"]) if each.name.startswith("levels/"))
    chart, caption = figure.make()
    assert holds(caption, "y5 Loss rate", "6 combinations")
    document = chart.to_dict()
    (rows,) = document["datasets"].values()
    found = {(row["algorithm"], row["lines"], row["across"]): row["value"] for row in rows}
    assert len(found) == 12
    for condition, (flows, buffer) in enumerate([(1, 10), (1, 40), (2, 10), (2, 40), (50, 10), (50, 40)], start=1):
        for algorithm in campaign.algorithms:
            measured = campaign.response("loss_rate").filter(condition=condition, algorithm=algorithm)["value"][0]
            assert found[algorithm, buffer, flows] == measured
    assert found["tcp", 10, 50] > found["tcp", 10, 1]
    assert '"type": "log"' in chart.to_json()  # 1 to 50


def test_a_grid_has_them_and_what_does_not_vary_has_none(campaign: Campaign) -> None:
    names = [figure.name for figure in figures_of(CampaignView(campaign))]
    assert "levels/loss_rate" in names
    assert "scatter/loss_rate" in names
    assert "levels/flows_completed" not in names  # none completes
