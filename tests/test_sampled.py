"""Campaigns without two levels, or with other points too: what stands in place of main effects."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import mesonet
from conftest import Shared
from fragments import holds
from hill import FACTORS, hill
from mesonet.analysis import curvature, sensitivity
from mesonet.campaign import Campaign
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.reporting import write_analysis
from mesonet.reporting.campaign_view.sampled import is_sampled
from pages import sampled_campaign
from test_report import unpacked

pytestmark = pytest.mark.process


@pytest.fixture(scope="module", params=["latin-hypercube", "sobol"])
def sampled(request: pytest.FixtureRequest, shared: Shared) -> Campaign:
    """A campaign of 16 points and two algorithms; tests only read it."""
    kind = request.param
    return mesonet.load(shared.folder(f"sampled-{kind}", partial(sampled_campaign, kind=kind)) / "out")


def call(*arguments: str) -> str:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == 0, done.output
    return done.stderr


def test_analyze_gives_sensitivities_and_says_what_is_left_out(sampled: Campaign, tmp_path: Path) -> None:
    assert is_sampled(sampled)
    text = call("analyze", str(sampled.path), "--out", str(tmp_path), "--workers", "1")
    assert holds(text, "no two levels", "Main effects, interactions")
    assert text.count("note: ") == 1
    tables, index = tmp_path / "analysis" / "tables", (tmp_path / "analysis" / "index.md").read_text()
    assert {file.stem for file in tables.iterdir()} == {"conditions", "decisions", "responses", "sensitivity"}
    found = pl.read_parquet(tables / "sensitivity.parquet").filter(algorithm="double", response="steep")
    inputs = np.array([[each["scenario"]["parameters"][id] for id in "xyz"] for each in
                       sampled.experiment["scenarios"] if each["algorithm"] == "double"])  # fmt: skip
    values = sampled.response("steep").filter(algorithm="double").sort("condition")["value"]
    expected = sensitivity(inputs, values.to_numpy(), factors=list("xyz"))
    assert found["prcc"].to_list() == pytest.approx(expected.prcc.tolist())
    assert found["src"].to_list() == pytest.approx(expected.src.tolist())
    assert found["prcc"][0] > 0.9
    assert found["prcc"][1] < -0.5
    same = pl.read_parquet(tables / "sensitivity.parquet").filter(response="same")
    assert same["prcc"].null_count() == same.height == 6
    assert "the same in all runs" in same["note"][0]
    assert pl.read_parquet(tables / "responses.parquet").height == 32
    conditions = pl.read_parquet(tables / "conditions.parquet")
    assert conditions.columns == [
        "condition", "x", "x_value", "y", "y_value", "z", "z_value", "done", "failed", "missing",
    ]  # fmt: skip
    assert conditions["z_value"].to_list() == inputs[:, 2].tolist()
    figures = {file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.svg")}
    assert len(figures) == 2 + 3
    for figure in figures:
        assert figure.removeprefix("analysis/") in index
        assert not re.search(r">(NaN|undefined|null)<", (tmp_path / figure).read_text())
    assert "no coefficients with single" in index
    again = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.svg")}
    write_analysis(sampled, tmp_path)
    assert {file: file.stat().st_mtime_ns for file in again} == again, "what is up to date is not drawn again"


def test_chosen_responses(sampled: Campaign, tmp_path: Path) -> None:
    write_analysis(sampled, tmp_path, responses=["bent"])
    assert [file.stem for file in (tmp_path / "analysis" / "figures" / "scatter").iterdir()] == ["bent"]
    with pytest.raises(InputError, match="unknown response"):
        write_analysis(sampled, tmp_path, responses=["bend"])
    write_analysis(sampled, tmp_path / "none", figures="none")
    assert not list((tmp_path / "none").rglob("*.svg"))


def test_report_of_points(sampled: Campaign, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    assert "no two levels to compare" in call("report", str(sampled.path), "--out", str(file))
    page = file.read_text()
    assert "no two levels to compare" in page
    data = unpacked(page)
    assert set(data["figures"]) == {"forest", "sensitivity", "points", "responses", "scatter"}
    assert len(data["order"]) == 16
    inputs = [row["scenario"]["parameters"] for row in sampled.experiment["scenarios"] if row["algorithm"] == "double"]
    assert data["levels"]["3"] == pytest.approx([inputs[2][name] for name in "xyz"], rel=1e-5)
    cells = data["tables"]["matrix"]
    assert set(cells["keys"]) == {"algorithm", "period"}
    assert not re.search(r"\b(nan|None)\b", re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL))
    refused = CliRunner().invoke(main, ["report", str(sampled.path), "--replay", "1"])
    assert refused.exit_code == 2
    assert "only networks are replayed" in refused.output


def test_too_few_points_say_so(tmp_path: Path) -> None:
    chosen = mesonet.experiment(model=hill, factors=FACTORS, design={"kind": "latin-hypercube", "runs": 4})
    campaign = chosen.run(tmp_path / "out", workers=2, progress=False)
    call("analyze", str(campaign.path), "--workers", "1")
    index = (campaign.path / "analysis" / "index.md").read_text()
    assert holds(index, "3 factors", "at least 5 conditions", "there are 4")


def test_centre_points_are_tested_for_curvature(tmp_path: Path) -> None:
    factors = {"x": (0.0, 1.0), "y": (0.0, 10.0)}
    chosen = mesonet.experiment(model=hill, factors=factors, design={"centre_points": 4}, replicates=2)
    campaign = chosen.run(tmp_path / "out", workers=2, progress=False)
    call("analyze", str(campaign.path), "--workers", "1")
    table = pl.read_parquet(campaign.path / "analysis" / "tables" / "curvature.parquet")
    assert table["response"].to_list() == ["steep", "bent", "same"]
    bent = table.row(by_predicate=pl.col("response") == "bent", named=True)
    assert bent["difference"] == pytest.approx(-0.25, abs=3e-3), "the hill is 0.25 high half-way and 0 at both levels"
    assert 1 <= bent["degrees_of_freedom"] <= 4 + 7
    assert bent["p"] < 1e-6
    own = curvature(campaign.rows.matrix, campaign.response("bent"))
    assert bent["t"] == pytest.approx(own.t)
    same = table.row(by_predicate=pl.col("response") == "same", named=True)
    assert same["p"] == 1
    assert "any difference is curvature" in same["note"]
    index = (campaign.path / "analysis" / "index.md").read_text()
    assert holds(index, "curvature at 5 %", "2 of 3 responses")
    call("report", str(campaign.path))
    assert "Centre points show curvature" in (campaign.path / "report.html").read_text()


def test_one_centre_point_carries_no_test(tmp_path: Path) -> None:
    chosen = mesonet.experiment(model=hill, factors={"x": (0.0, 1.0), "y": (0.0, 1.0)}, design={"centre_points": 1})
    campaign = chosen.run(tmp_path / "out", workers=2, progress=False)
    call("analyze", str(campaign.path), "--figures", "none")
    assert "Curvature could not be tested" in (campaign.path / "analysis" / "index.md").read_text()
