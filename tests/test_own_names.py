"""Names of factors and responses that columns of ours have, too, and names that are numbers, long or odd."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import mesonet as mn
from mesonet import analysis, designs
from mesonet.cli.verbs import main
from mesonet.reporting import report_html, write_analysis
from mesonet.words import own_names

pytestmark = pytest.mark.slow

#: Columns that functions add to those of the factors.
OURS = ("run", "condition", "algorithm", "replicate", "block", "value", "response", "rank", "seed", "key", "scenario",
        "mean_minus", "effect", "term", "factor", "period", "unit", "status", "place")  # fmt: skip
ODD = ("1", "a b", "x" * 300, "größe", "ab", "a, b", "a.b", 'say "hi"', "<b>", "0", "None", "nan")


def design_of(names: tuple[str, ...]) -> designs.Design:
    return designs.two_level(list(names[:4]))


def noisy(design: Any) -> np.ndarray:
    """A response with two effects and an interaction."""
    signs = np.asarray(design.matrix, dtype=float)
    return 3 * signs[:, 0] + 2 * signs[:, 1] * signs[:, 2] + np.random.default_rng(1).normal(size=len(signs))


ANALYSES: dict[str, Callable[[Any, np.ndarray], Any]] = {
    "main_effects": analysis.main_effects,
    "terms": analysis.terms,
    "interactions": analysis.interactions,
    "ordered_data": analysis.ordered_data,
    "factor_scatter": analysis.factor_scatter,
    "contour": analysis.contour,
    "blocks": lambda design, y: analysis.blocks(design, y, target=design.factors[0]),
    "curvature": lambda design, y: analysis.curvature(
        np.vstack([design.matrix, np.zeros((2, design.matrix.shape[1]))]), [*y, 1.0, 1.1]
    ),
    "ten_steps": lambda design, y: analysis.ten_steps(design, y).terms,
    "sensitivity": lambda design, y: analysis.sensitivity(design.matrix.astype(float), y, factors=design.factors),
    "follow_up": lambda design, _: analysis.follow_up(design, ["*".join(design.factors[:2])]),
    "group_rules": lambda design, y: analysis.group_rules(
        design.matrix.astype(float), ["high" if each > 0 else "low" for each in y], factors=design.factors
    ),
    "separating_settings": lambda design, y: analysis.separating_settings(design, y > 0, known=np.isfinite(y)),
}


@pytest.mark.parametrize("name", ANALYSES)
@pytest.mark.parametrize("names", [OURS[place : place + 4] for place in range(0, 16, 4)] + [ODD[:4], ODD[4:8], ODD[8:]])
def test_every_analysis_takes_every_name(name: str, names: tuple[str, ...]) -> None:
    plain, design = design_of(("p", "q", "r", "s")), design_of(names)
    here, there = (ANALYSES[name](each, noisy(each)).to_polars() for each in (design, plain))
    assert here.shape == there.shape, "no column replaces another"
    for column in there.select(pl_numeric(there)).columns:
        if column in here.columns and column not in names:
            assert here[column].to_list() == pytest.approx(there[column].to_list(), nan_ok=True), column


def pl_numeric(table: Any) -> list[str]:
    return [name for name, kind in table.schema.items() if kind.is_numeric() and not table[name].null_count()]


def test_follow_up_of_a_factor_named_run() -> None:
    design = designs.by_runs(["run", "b", "c", "run (factor)"], 8)
    found = analysis.follow_up(design, ["run*b = c*run (factor)"])
    table = found.to_polars()
    assert table["run"].to_list() == list(range(1, 9))
    assert table.columns == ["run", "run (factor) (factor)", "b", "c", "run (factor)"]
    assert np.array_equal(table.drop("run").to_numpy(), found.matrix)


@pytest.mark.parametrize("name", [name for name in ANALYSES if name not in ("curvature", "sensitivity", "group_rules")])
@pytest.mark.parametrize("form", ["foldover", "blocks"])
def test_augmented_and_blocked_designs_are_designs(name: str, form: str) -> None:
    plain = design_of(("a", "b", "c", "d"))
    half = designs.by_runs(["a", "b", "c", "d"], 8)
    design: Any = designs.foldover(half, ["a"]) if form == "foldover" else designs.blocks(plain, 2)
    assert ANALYSES[name](design, noisy(design)).to_polars().height


@pytest.mark.parametrize("names", [OURS[:4], OURS[4:8], OURS[8:12], ODD[:4], ODD[4:8], ODD[8:]])
def test_tables_take_every_name(names: tuple[str, ...], tmp_path: Path) -> None:
    names = tuple("a=b" if name == "ab" else name for name in names)
    design = design_of(("p", "q", "r", "s"))
    table = {name: design.matrix[:, place] for place, name in enumerate(names)} | {"y": noisy(design)}
    found = analysis.experiment(table, "y")
    assert found.design.factors == names
    page = mn.report(found, tmp_path / "report.html").read_text()
    assert "<b>" not in page.replace("<body>", "")


def free(given: dict[str, Any], seed: int) -> dict[str, float]:
    """A model whose responses have the names of columns."""
    return {"condition": given["run"] + seed % 3, "period": 2.0 * given["algorithm"] + given["block"], "done": 1.0}


@pytest.mark.process
@pytest.mark.parametrize("kind", ["two-level", "latin-hypercube"])
def test_campaigns_take_the_names_of_columns(tmp_path: Path, kind: str) -> None:
    factors = dict.fromkeys(("run", "algorithm", "block", "condition", "done"), (0.0, 1.0))
    how: dict[str, Any] = {} if kind == "two-level" else {"design": {"kind": kind, "runs": 8}}
    chosen = mn.experiment(model=free, factors=factors, **how)
    plan = chosen.plan()
    assert {"algorithm", "algorithm (factor)", "condition", "condition (factor)", "run"} <= set(plan.columns)
    assert plan["condition"].to_list() == list(range(1, chosen.conditions + 1))
    campaign = chosen.run(tmp_path / "out", workers=2, progress=False)
    write_analysis(campaign, tmp_path, figures="none")
    assert "condition" in report_html(campaign)
    header = (tmp_path / "analysis" / "tables" / "responses.csv").read_text().splitlines()[0].split(",")
    renamed = ("condition (response)", "period (response)")
    assert header == ["condition", "model", "replicate", "period", *renamed, "done"]
    conditions = (tmp_path / "analysis" / "tables" / "conditions.csv").read_text().splitlines()[0].split(",")
    assert {"condition", "condition (factor)", "done", "done (factor)"} <= set(conditions)


def test_a_design_prints_a_factor_named_run() -> None:
    done = CliRunner().invoke(main, ["design", "--factors", "run,block", "--runs", "4", "--rows"])
    assert "run (factor)" in done.output


def test_names_stay_apart() -> None:
    assert own_names(["a", "run"], ["run"]) == ["a", "run (factor)"]
    assert own_names(["run (factor)", "run"], ["run"]) == ["run (factor)", "run (factor) (factor)"]
