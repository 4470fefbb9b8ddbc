"""The tutorial notebook runs from its first cell to its last, and every result in it shows itself."""

from __future__ import annotations

from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from commands import PATIENCE_S
from mesonet import analysis, designs, plots

pytestmark = pytest.mark.process

NOTEBOOK = Path(__file__).parent.parent / "docs" / "tutorial" / "analysis.ipynb"


def test_the_notebook_runs(tmp_path):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "committed without outputs"
    client = NotebookClient(
        notebook,
        timeout=PATIENCE_S,
        startup_timeout=PATIENCE_S,
        kernel_name="python3",
        resources={"metadata": {"path": tmp_path}},
    )
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output]
    assert sum("image/svg+xml" in output["data"] for output in shown) >= 5
    tables = [output["data"]["text/html"] for output in shown if "text/html" in output["data"]]
    assert len(tables) >= 4
    assert not [
        output for cell in notebook.cells for output in cell.get("outputs", ()) if output.get("name") == "stderr"
    ]


def test_a_result_shows_itself():
    found = analysis.main_effects(designs.two_level(["A", "<b>"]), [1.0, 2.0, 3.0, np.nan])
    html = found._repr_html_()
    assert "<b>MainEffects</b>" in html
    assert "&lt;b&gt;" in html, "names are escaped"
    assert html.count("<tr>") == 3
    many = analysis.correlations(np.random.default_rng(1).normal(size=(9, 30)), responses=[f"r{i}" for i in range(30)])
    assert "of 900 rows" in many._repr_html_()


def test_a_chart_shows_itself():
    chart = plots.ordered_data(analysis.ordered_data(designs.two_level(["A"]), [1.0, 2.0]))
    assert chart._repr_svg_().startswith("<svg")
    assert chart._repr_mimebundle_() is None
    assert set(chart.copy().to_dict()["datasets"]) == set(chart.to_dict()["datasets"])
