"""The table of a study: every response, every flow group, and whose flows they are."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import mesonet
from mesonet.campaign.export import SCHEMA, study_table
from mesonet.cli.verbs import main

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> mesonet.Campaign:
    folder = tmp_path_factory.mktemp("small")
    (folder / "mixed.toml").write_text(
        """
name = "mixed"
title = "A mixed experiment of two conditions"
scenario = "abilene"
algorithms = ["ctcp"]
mixed_with = "tcp"
responses = "exp-2"

[set]
preset = "sp500_282"
"users.base_sources" = 4
"users.document_probability" = 0.2

[set.time]
duration = "12 s"
warmup = "2 s"
periods = 1

[[factors]]
id = "X15"
path = "mixed_share"
minus = 0.3
plus = 0.7
"""
    )
    return mesonet.experiment(folder / "mixed.toml").run(folder / "out", workers=1, progress=False)


def test_the_table_holds_what_the_runs_answered(campaign: mesonet.Campaign) -> None:
    table = study_table(campaign)
    assert table.columns == [*SCHEMA, "X15"]
    network = table.filter(of="network", period="measured")
    assert network.group_by("condition").len().sort("condition").rows() == [(1, 16), (2, 16)]
    loss = campaign.response("loss_rate").sort("condition")["value"].to_list()
    assert network.filter(response="loss_rate").sort("condition")["value"].to_list() == loss
    assert set(table["of"]) == {"network", "alternate", "tcp"}
    assert set(table.select("condition", "X15").unique().rows()) == {(1, -1.0), (2, 1.0)}
    groups = campaign.groups.filter(period="measured", flow_algorithm="tcp", condition=2).filter(pl.col("flows") > 0)
    ours = table.filter(of="tcp", condition=2, period="measured").filter(pl.col("flows") > 0)
    found, expected = (
        each.sort("group").select("group", "flows", "value", "spread").rows()
        for each in (ours, groups.rename({"goodput": "value", "goodput_sd": "spread"}))
    )
    assert found == expected
    assert len(found) > 3
    assert set(ours["symbol"]) == {"y16(u)"}
    by_owner = table.filter(period="measured", condition=1).group_by("of").agg(pl.col("flows").sum())
    flows = dict(by_owner.rows())
    assert flows["tcp"] > flows["alternate"] > 0  # three in ten sources use the alternate


def test_the_verb_writes_it(campaign: mesonet.Campaign, tmp_path: Path) -> None:
    for name, read in (("a.parquet", pl.read_parquet), ("b.csv", pl.read_csv)):
        done = CliRunner().invoke(main, ["export", str(campaign.path), "--out", str(tmp_path / name)])
        assert done.exit_code == 0, done.output
        assert read(tmp_path / name).height == study_table(campaign).height
    refused = CliRunner().invoke(main, ["export", str(campaign.path), "--out", str(tmp_path / "a.xlsx")])
    assert refused.exit_code == 2
    assert "Allowed: .parquet, .csv" in refused.output
