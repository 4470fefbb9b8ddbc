"""The sliders of a report: predictions of the page are those of Python, and a run there is a run of the simulator."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager

import numpy as np
import polars as pl
import pytest
from scipy import stats

import mesonet as mn
from hill import plant
from mesonet.analysis import terms
from mesonet.campaign.ledger import run_seed
from mesonet.experiments.composed import Composer
from mesonet.reporting import write_report
from mesonet.simulation.simulate import simulate_json
from test_browser import CHROMIUM, PATIENCE_MS, browser  # noqa: F401

pytest.importorskip("sklearn")
pytestmark = [pytest.mark.process, pytest.mark.browser, pytest.mark.skipif(not CHROMIUM, reason="no Chromium")]

PATHS = """
name = "paths"
title = "Two factors"
scenario = "abilene"
algorithms = ["cubic"]
replicates = 2
seed = 3

[set]
"time.duration" = "2 s"
"users.base_sources" = 2

[[factors]]
id = "speed"
path = "network.speed"
minus = "6 seg/ms"
plus = "40 seg/ms"

[[factors]]
id = "buffer"
path = "network.buffer"
minus = "0.25 bdp"
plus = "1 bdp"

[design]
kind = "latin-hypercube"
runs = 16
"""


@pytest.fixture(scope="module")
def folder(shared):
    """A sampled campaign of networks, and its report."""

    def make(folder):
        (folder / "paths.toml").write_text(PATHS)
        campaign = mn.experiment(folder / "paths.toml").run(folder / "out", workers=2, progress=False)
        write_report(campaign, folder / "report.html")

    return shared.folder("emulator-page", make)


@contextmanager
def opened(browser, folder):  # noqa: F811
    """The open report of a folder, on a phone without a network; at the end it must have had no error."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, offline=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto((folder / "report.html").as_uri())
    page.wait_for_selector("#emulator[data-ready]")
    yield page
    assert errors == []
    context.close()


@pytest.fixture
def page(browser, folder):  # noqa: F811
    with opened(browser, folder) as page:
        yield page


def numbers(text):
    return [float(each.replace(",", "")) for each in re.findall(r"(?<![\w.])-?\d[\d,]*\.?\d*(?:e-?\d+)?", text)]


@pytest.mark.parametrize("response", ["rtt", "loss_rate"])
def test_the_page_predicts_as_python_does(page, folder, response):
    emulator = mn.emulate(mn.load(folder / "out"), response)
    page.select_option("#emulator [name=response]", response)
    for steps in ((0, 40), (13, 7), (40, 0)):
        for place, step in enumerate(steps):
            page.locator("#emulator input[type=range]").nth(place).fill(str(step))
        texts = page.locator("#emulator .sliders output").all_inner_texts()
        expected = emulator.predict({"speed": texts[0], "buffer": texts[1]})
        shown = numbers(page.inner_text("#emulator .emulated").partition(":")[2].replace("95 %:", ""))
        assert shown == pytest.approx([expected.mean, expected.low, expected.high], rel=2e-3)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_the_page_simulates_the_settings_of_the_sliders(page, folder):
    campaign = mn.load(folder / "out")
    page.select_option("#emulator [name=response]", "rtt")
    for place, step in enumerate((13, 7)):
        page.locator("#emulator input[type=range]").nth(place).fill(str(step))
    page.click("#emulator-run")
    page.locator("#emulator-now", has_text="One run:").wait_for()
    known = [each["scenario"] for each in campaign.experiment["scenarios"]]
    composer = Composer(campaign.rows.matrix, [factor.paths for factor in campaign.factors])
    scenario = composer.scenario(known, np.array([2 * 13 / 40 - 1, 2 * 7 / 40 - 1]))
    responses = simulate_json(json.dumps(scenario), run_seed(3, 1, 1)).responses
    table = {(r["response"], r["period"]): r["value"] for r in responses.to_polars().iter_rows(named=True)}
    shown = numbers(page.inner_text("#emulator-now").partition("One run:")[2])[0]
    assert shown == pytest.approx(table["rtt", "measured"], rel=2e-3)


@pytest.mark.parametrize("design", [{"kind": "two-level"}, {"kind": "latin-hypercube", "runs": 20}])
def test_models_have_sliders_in_their_words(browser, tmp_path, design):  # noqa: F811
    """At two levels the page has the model of the effects; its prediction is least squares through the conditions."""
    factors = {"heat": (160.0, 190.0), "time": (78.0, 92.0), "stir": (1.0, 20.0)}
    chosen = mn.experiment(model=plant, factors=factors, design=design, name="oven", replicates=2)
    campaign = chosen.run(tmp_path / "out", workers=1, progress=False)
    write_report(campaign, tmp_path / "report.html")
    with opened(browser, tmp_path) as page:
        page.select_option("#emulator [name=response]", "cost")
        for place, step in enumerate((30, 10, 20)):
            page.locator("#emulator input[type=range]").nth(place).fill(str(step))
        settings = [float(text) for text in page.locator("#emulator .sliders output").all_inner_texts()]
        shown = numbers(page.inner_text("#emulator .emulated").partition(":")[2].replace("95 %:", ""))
        check = page.inner_text("#emulator-check")
    if design["kind"] != "two-level":
        return
    assert settings == pytest.approx([182.5, 81.5, 20**0.5], rel=1e-3), "stir varies over a decade"
    means = campaign.response("cost").group_by("condition").agg(value=pl.col("value").mean()).sort("condition")
    signs = campaign.design.matrix.astype(float)
    found = terms(signs, campaign.response("cost"), factors=list(factors))
    active = [name for name, on in zip(found.terms, found.active, strict=True) if on]
    names = [*active, *(name for name in factors if name not in active)]
    places = [[list(factors).index(part) for part in name.split("*")] for name in names]
    x = np.column_stack([np.ones(8), *(signs[:, each].prod(axis=1) for each in places)])
    own, squares = np.linalg.lstsq(x, means["value"].to_numpy())[:2]
    row = np.array([1, *(np.prod(np.array([0.5, -0.5, 0.0])[each]) for each in places)])
    variance = float(squares[0]) / (8 - x.shape[1])
    half = stats.t.ppf(0.975, 8 - x.shape[1]) * np.sqrt(variance * (1 + row @ np.linalg.inv(x.T @ x) @ row))
    mean = float(row @ own)
    assert shown == pytest.approx([mean, mean - half, mean + half], rel=2e-3)
    left = (means["value"].to_numpy() - x @ own) / (1 - np.diag(x @ np.linalg.inv(x.T @ x) @ x.T))
    predicted = 1 - left @ left / (8 * means["value"].to_numpy().var())
    assert numbers(check.partition("explain")[2])[0] == pytest.approx(100 * predicted, rel=0.01)
