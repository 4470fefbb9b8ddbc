"""The sliders of a report: predictions of the page are those of Python, and a run there is a run of the simulator."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import mesonet as mn
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


@pytest.fixture
def page(browser, folder):  # noqa: F811
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
