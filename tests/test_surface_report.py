"""Campaigns of designs for response surfaces: models in sentences, terms with tests, and contours."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import mesonet as mn
from hill import plant
from mesonet import analysis
from mesonet.campaign import Campaign
from mesonet.reporting import write_analysis
from mesonet.reporting.campaign_view.surface import Surface
from mesonet.reporting.campaign_view.view import view_of
from mesonet.reporting.figures import response_surface, surface_terms
from mesonet.reporting.text.surface_text import surface_answers
from test_report import unpacked

pytestmark = pytest.mark.process
FACTORS = {"heat": (160.0, 190.0), "time": (78.0, 92.0), "stir": (1.0, 3.0)}


@pytest.fixture(scope="module")
def composite(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """A central composite design in two replicates; tests only read it."""
    design = {"kind": "central-composite"}
    chosen = mn.experiment(model=plant, factors=FACTORS, design=design, name="oven", replicates=2)
    return chosen.run(tmp_path_factory.mktemp("surface") / "oven", workers=1, progress=False)


def test_the_first_screen_is_the_model_of_the_runs(composite: Campaign, tmp_path: Path) -> None:
    page = Path(mn.report(composite, tmp_path / "report.html")).read_text(encoding="utf-8")
    answer = page[page.index('<section id="answer"') : page.index("</section>", page.index('<section id="answer"'))]
    settings = pl.DataFrame([{"condition": n, **composite_settings(composite, n)} for n in range(1, 19)])
    table = composite.response("yield").join(settings, on="condition").rename({"value": "Yield"})
    expected = analysis.fit_model(table, "Yield", factors=list(FACTORS))
    assert expected.stationary is not None
    assert "heat^2 (p below 0.0001)" in answer
    surface = Surface(view_of(composite))
    found = surface.model("yield", surface.view.main_period, "model")
    assert not isinstance(found, str)
    assert found.fit.coefficient == pytest.approx(expected.fit.coefficient)
    assert found.lack_of_fit is not None
    for sentence in surface_answers(surface, ["yield"])[0].sentences:
        assert sentence.replace("&", "&amp;") in answer
    assert "PRCC" not in re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
    data = unpacked(page)
    assert {"surface-terms", "response-surface", "points"} <= set(data["figures"])
    assert "sensitivity" not in data["figures"]


def composite_settings(campaign: Campaign, condition: int) -> dict[str, float]:
    found = next(each for each in campaign.experiment["scenarios"] if each["condition"] == condition)
    return dict(found["scenario"]["parameters"])


def test_the_contour_has_the_predictions_of_the_model(composite: Campaign) -> None:
    surface = Surface(view_of(composite))
    period = surface.view.main_period
    model, found = surface.model("yield", period, "model"), surface.section("yield", period, "model")
    assert not isinstance(model, str)
    assert found is not None
    assert {found.across, found.up} == {"heat", "time"}
    assert found.held == {"stir": pytest.approx(3.0)}
    one, x, y, xx, yy, xy = found.coefficients
    for place in ((-1.0, 0.5), (0.25, -0.75)):
        real = {name: np.mean(FACTORS[name]) + np.ptp(FACTORS[name]) / 2 * at
                for name, at in zip((found.across, found.up), place, strict=True)}  # fmt: skip
        u, v = place
        expected = model.predict({**real, "stir": 3.0})["mean"][0]
        assert one + x * u + y * v + xx * u * u + yy * v * v + xy * u * v == pytest.approx(expected)
    row = response_surface.table(surface, found)
    assert row["x0"][0] == ("160" if found.across == "heat" else "78")
    assert abs(row["best_x"][0]) < 0.2
    terms = surface_terms.table(model)
    assert terms.filter(term="heat^2")["active"][0]
    tests = {test.source: test.p for test in model.tests}
    assert terms["p"].to_list() == pytest.approx([tests[term] for term in terms["term"]])


def test_folder_and_responses_without_a_model(composite: Campaign, tmp_path: Path) -> None:
    files = {file.stem for file in write_analysis(composite, tmp_path)}
    assert {"coefficients", "anova"} <= files
    assert "sensitivity" not in files
    anova = pl.read_parquet(tmp_path / "analysis" / "tables" / "anova.parquet")
    assert {"residual", "lack of fit", "pure error", "total"} <= set(anova["source"])
    index = (tmp_path / "analysis" / "index.md").read_text()
    assert "No model: the same in all runs" in index
    assert "is predicted highest" in index
    assert not [file for file in tmp_path.rglob("*.svg") if re.search(r">(NaN|undefined|null)<", file.read_text())]


@pytest.mark.parametrize("kind", ["definitive-screening", "box-behnken"])
def test_other_designs_have_the_model_that_they_can_estimate(kind: str, tmp_path: Path) -> None:
    chosen = mn.experiment(model=plant, factors=FACTORS, design={"kind": kind}, name="oven")
    surface = Surface(view_of(chosen.run(tmp_path / "oven", workers=1, progress=False)))
    found = surface.model("yield", surface.view.main_period, "model")
    assert not isinstance(found, str)
    assert "heat^2" in found.terms
    assert found.fit.freedom > 0
