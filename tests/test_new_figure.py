"""A figure is added from docs/how-to/add-a-figure.md alone: its template is one file, and the list of its group."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mesonet.reporting import figures

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "mesonet"
FOLDER = "reporting/figures"
#: Most files that a new figure may add or change.
MOST = 3

#: Writes the page of a campaign with one figure, and prints what the page and the folder have of it.
DRAW = """
import json, re, sys
from dataclasses import replace
from fake_campaign import fake_campaign, few_responses
from mesonet.plots import to_svg
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures import figure_groups
from mesonet.reporting.folder.gallery import figures_of
from mesonet.reporting.page import document

def only(view):
    groups = [replace(g, figures=[f for f in g.figures if f.id == "spread"]) for g in figure_groups(view)]
    return [group for group in groups if group.figures]

document.figure_groups = only
campaign = few_responses(fake_campaign())
page = document.report_html(campaign, live=False)
files = [figure for figure in figures_of(CampaignView(campaign)) if figure.name.startswith("algorithms/spread/")]
chart, caption = files[0].make()
texts = re.findall(r"<text[^>]*>([^<]*)", to_svg(chart))
print(json.dumps({"page": page, "names": [figure.name for figure in files], "caption": caption, "texts": texts}))
"""


def template() -> str:
    text = (ROOT / "docs/how-to/add-a-figure.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"^```python part\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return str(found)


def files(folder: Path) -> dict[str, bytes]:
    """Return the files of a package by their paths in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.process
@pytest.mark.slow
def test_a_figure_from_the_template_is_on_the_page(tmp_path: Path) -> None:
    package = tmp_path / "mesonet"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / FOLDER / "spread.py").write_text(template(), encoding="utf-8")
    lists = package / FOLDER / "__init__.py"
    text = lists.read_text(encoding="utf-8")
    for line, more in (
        ("    sign_table,\n", "    spread,\n"),
        ("        responses.figure,\n", "        spread.figure,\n"),
    ):
        assert text.count(line) == 1
        text = text.replace(line, line + more)
    lists.write_text(text, encoding="utf-8")
    before, after = files(PACKAGE), files(package)
    assert len({name for name in after if after[name] != before.get(name)}) <= MOST

    path = os.pathsep.join([str(tmp_path), str(ROOT / "tests")])
    made = subprocess.run(
        [sys.executable, "-c", DRAW],
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    found = json.loads(made.stdout)
    assert 'data-figure="spread"' in found["page"]
    assert "How far apart are the conditions?" in found["page"]
    assert "algorithms/spread/loss_rate" in found["names"]
    assert "widest" in found["caption"]
    assert {"tcp", "cubic", "fast"} <= set(found["texts"])


def test_every_file_of_a_figure_is_in_a_list() -> None:
    folder = PACKAGE / FOLDER
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    listed = {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr.startswith("figure")
    }
    assert {file.stem for file in folder.glob("*.py")} - {"__init__", "figure"} == listed & set(dir(figures))
