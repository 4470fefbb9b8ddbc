"""The report of a table of any experiment: the answer, the ten steps, and no word of networks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

import mesonet as mn
from mesonet import analysis
from mesonet.cli.verbs import main
from mesonet.reporting import experiment_html
from shown_words import foreign, of_page

pytestmark = pytest.mark.slow

STEPS = (
    "ordered-data", "values-by-factor", "main-effects", "interactions", "block-plot", "youden-plot", "sizes-of-effects",
    "half-normal-plot", "contour-plot",
)  # fmt: skip


def table(centre: int = 4, factors: int = 3) -> dict[str, Any]:
    """Two replicates of a full factorial in two blocks, with centre points; two effects and an interaction."""
    draw = np.random.default_rng(2)
    signs = np.array([[1 if run >> place & 1 else -1 for place in range(factors)] for run in range(2**factors)] * 2)
    signs = np.vstack([signs, np.zeros((centre, factors))])
    names = ["heat", "time", "stirring", "catalyst"][:factors]
    found: dict[str, Any] = {name: (150 + 10 * signs[:, place]).tolist() for place, name in enumerate(names)}
    day = ["Mon", "Tue"] * (len(signs) // 2)
    shift = np.where(np.array(day) == "Mon", 40, 0)
    response = 80 + 5 * signs[:, 0] + 3 * signs[:, 0] * signs[:, -1] + shift + draw.normal(size=len(signs))
    return {**found, "day": day, "yield": response.tolist()}


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in words])


def test_the_page_has_the_answer_and_all_steps() -> None:
    found = analysis.experiment(table(), "yield", block="day", unit="kg")
    page = experiment_html(found, title="An oven")
    texts = " ".join(of_page(page))
    assert all(sentence in texts for sentence in found.sentences())
    assert all(note in texts for note in found.notes)
    assert [name for name in STEPS if f'<section id="{name}">' in page] == list(STEPS)
    assert page.count("<svg") == len(STEPS)
    assert "<h1>An oven</h1>" in page
    assert "No proof of curvature" in texts
    assert page == experiment_html(found, title="An oven"), "equal data, equal bytes"
    assert "<script" not in page
    assert not re.search(r"""(src|href)=["']http""", page)


@pytest.mark.parametrize("factors", [1, 2, 4])
def test_no_word_of_networks(factors: int) -> None:
    found = analysis.experiment(table(centre=0, factors=factors), "yield", block="day")
    page = experiment_html(found)
    assert foreign(of_page(page)) == set()
    assert foreign(of_page(page), re.compile("algorithm|campaign|simulat", re.IGNORECASE)) == set()
    assert ('id="interactions"' in page) == (factors > 1)


@pytest.mark.process
def test_a_report_of_a_table_loads_no_simulator(tmp_path: Path) -> None:
    """ADR 0043."""
    code = (
        "import sys, mesonet as mn; mn.designs.by_runs(4, 8); "
        "mn.report({'a': [0, 1, 0, 1], 'b': [0, 0, 1, 1], 'y': [1, 2, 4, 7]}, sys.argv[1], response='y'); "
        "sys.exit('mesonet._core' in sys.modules)"
    )
    file = tmp_path / "report.html"
    assert subprocess.run([sys.executable, "-c", code, str(file)], check=False).returncode == 0
    assert file.exists()


def test_words_have_no_settings_between_them() -> None:
    given = table(centre=0) | {"time": ["short", "long"] * 8, "heat": ["low", "high"] * 8}
    given["stirring"] = [150 + 10 * (1 if run >> 1 & 1 else -1) for run in range(16)]
    del given["time"]
    page = experiment_html(analysis.experiment(given, "yield", factors=["heat", "stirring"]))
    assert '<section id="contour-plot">' not in page


@pytest.mark.parametrize("form", ["columns", "polars", "pandas", "arrow", "result"])
def test_every_form_gives_one_page(form: str, tmp_path: Path) -> None:
    data: Any = table()
    about: dict[str, Any] = {"response": "yield", "factors": ["heat", "time"], "block": "day"}
    first = mn.report(data, tmp_path / "first.html", **about).read_bytes()
    if form == "polars":
        data = pl.DataFrame(data)
    elif form == "pandas":
        data = pytest.importorskip("pandas").DataFrame(data)
    elif form == "arrow":
        data = pytest.importorskip("pyarrow").table(data)
    elif form == "result":
        data, about = analysis.experiment(data, "yield", factors=["heat", "time"], block="day"), {}
    assert mn.report(data, tmp_path / "other.html", **about).read_bytes() == first


@pytest.mark.parametrize(
    ("about", "problem"),
    [
        ({}, "response: missing"),
        ({"response": "y"}, "unknown column"),
        ({"response": "yield", "against": "heat=140"}, "against"),
        ({"response": "yield", "better": {"yield": "higher"}}, "better"),
        ({"response": "yield", "colour": "red"}, "unknown argument"),
    ],
)
def test_what_does_not_go_with_a_table_is_refused(about: dict[str, Any], problem: str, tmp_path: Path) -> None:
    with pytest.raises(mn.InputError, match=problem):
        mn.report(table(), tmp_path / "page.html", **about)
    assert not list(tmp_path.iterdir())


def test_what_does_not_go_with_a_result_or_a_campaign_is_refused(tiny_campaign: Path, tmp_path: Path) -> None:
    found = analysis.experiment(table(), "yield", block="day")
    with pytest.raises(mn.InputError, match="unit"):
        mn.report(found, tmp_path / "page.html", unit="kg")
    with pytest.raises(mn.InputError, match="response"):
        mn.report(mn.load(tiny_campaign), tmp_path / "page.html", response="rtt")


def test_both_verbs_write_the_page(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    pl.DataFrame(table()).write_csv(file)
    done = run("report", file, "--response", "yield", "--block", "day", "--unit", "kg", "--title", "An oven")
    assert done.exit_code == 0, done.output
    assert done.stdout.strip() == str(tmp_path / "report.html")
    other = tmp_path / "other.html"
    done = run("analyze", file, "--response", "yield", "--block", "day", "--unit", "kg", "--report", other)
    assert done.exit_code == 0, done.output
    first, second = ((tmp_path / "report.html").read_text(), other.read_text())
    assert first.replace("An oven", "What changes yield") == second
    told = json.loads(run("report", file, "--response", "yield", "--block", "day", "--json").stdout)
    assert {"path", "sentences", "terms"} <= set(told)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ([], "--response: missing"),
        (["--response", "y"], "unknown column"),
        (["--response", "yield", "--against", "x"], "--against: has no meaning for a table"),
        (["--response", "yield", "--live"], "--live: has no meaning for a table"),
    ],
)
def test_wrong_options_are_refused(options: list[str], problem: str, tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    pl.DataFrame(table()).write_csv(file)
    done = run("report", file, *options)
    assert done.exit_code == 2
    assert problem in done.output
    assert not (tmp_path / "report.html").exists()


def test_options_of_tables_are_refused_for_a_campaign(tiny_campaign: Path) -> None:
    done = run("report", tiny_campaign, "--unit", "kg")
    assert done.exit_code == 2
    assert "--unit: has no meaning for a campaign" in done.output
