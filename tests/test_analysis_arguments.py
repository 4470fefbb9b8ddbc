"""What callers hand to analyses and designs: refused with a reason, or taken in every common form."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import polars as pl
import pytest

import mesonet
from mesonet import analysis, designs
from mesonet.errors import InputError

DESIGN = designs.two_level(["A", "B", "C"])
VALUES = [3.0, 5.0, 4.0, 8.0, 3.5, 5.5, 4.5, 9.0]
CUBE = np.arange(48.0).reshape(2, 6, 4) ** 1.5
SALTELLI, MORRIS = designs.saltelli(3, 40), designs.morris(3, 40)
GRID, GRID_VALUES = np.indices((2, 2, 2)).reshape(3, -1).T, np.arange(16.0).reshape(8, 2) ** 1.5
PAIRS = np.array([VALUES, VALUES[1:] + VALUES[:1], VALUES[::-1]]).T
TAKE_ALPHA = {
    "critical_value": lambda alpha: analysis.critical_value(8, alpha=alpha),
    "grubbs": lambda alpha: analysis.grubbs(VALUES, alpha=alpha),
    "lenth": lambda alpha: analysis.lenth(VALUES, alpha=alpha),
    "residuals": lambda alpha: analysis.residuals(CUBE[0], algorithms="abcd", alpha=alpha),
    "condition_response_summary": lambda alpha: analysis.condition_response_summary(
        CUBE, responses="rstu", algorithms="abcdef", alpha=alpha
    ),
    "partial_aliasing": lambda alpha: analysis.partial_aliasing(DESIGN, VALUES, alpha=alpha),
    "design_power": lambda alpha: analysis.design_power(DESIGN, 1.0, alpha=alpha),
    "sobol_indices": lambda alpha: analysis.sobol_indices(SALTELLI, np.arange(40.0), alpha=alpha),
    "morris_effects": lambda alpha: analysis.morris_effects(MORRIS, np.arange(40.0), alpha=alpha),
    "outliers": lambda alpha: analysis.outliers(VALUES, most=2, alpha=alpha),
    "batch_means": lambda alpha: analysis.batch_means(np.arange(50.0), batches=5, alpha=alpha),
    "compare_alternatives": lambda alpha: analysis.compare_alternatives(
        {"rule": list("aabb"), "wait": VALUES[:4]}, "wait", "rule", alpha=alpha
    ),
}
TAKE_FACTORS = {
    "level_means": lambda names: analysis.level_means(GRID_VALUES, GRID, factors=names),
    "level_changes": lambda names: analysis.level_changes(GRID_VALUES, GRID, factors=names),
    "box_meyer": lambda names: analysis.box_meyer(DESIGN.matrix, VALUES, factors=names),
    "partial_aliasing": lambda names: analysis.partial_aliasing(DESIGN.matrix, VALUES, factors=names),
    "design_power": lambda names: analysis.design_power(DESIGN.matrix, 1.0, factors=names),
    "sobol_indices": lambda names: analysis.sobol_indices(SALTELLI, np.arange(40.0), factors=names),
    "morris_effects": lambda names: analysis.morris_effects(MORRIS, np.arange(40.0), factors=names),
    "main_effects": lambda names: analysis.main_effects(DESIGN.matrix, VALUES, factors=names),
    "terms": lambda names: analysis.terms(DESIGN.matrix, VALUES, factors=names),
    "interactions": lambda names: analysis.interactions(DESIGN.matrix, VALUES, factors=names),
    "blocks": lambda names: analysis.blocks(DESIGN.matrix, VALUES, target="a", factors=names),
    "sensitivity": lambda names: analysis.sensitivity(DESIGN.matrix, VALUES, factors=names),
    "group_rules": lambda names: analysis.group_rules(DESIGN.matrix, [0, 1] * 4, factors=names),
    "factor_table": lambda names: analysis.factor_table(
        DESIGN.matrix, np.array([VALUES]).T, responses=["y"], factors=names
    ),
    "conclusion": lambda names: analysis.conclusion(DESIGN.matrix, VALUES, factors=names),
    "contour": lambda names: analysis.contour(DESIGN.matrix, VALUES, factors=names),
    "factor_scatter": lambda names: analysis.factor_scatter(DESIGN.matrix, VALUES, factors=names),
    "follow_up": lambda names: analysis.follow_up(
        DESIGN.matrix, analysis.terms(DESIGN.matrix, VALUES, factors=names).strings, factors=names
    ),
    "model_effects": lambda names: analysis.model_effects(DESIGN.matrix, PAIRS, factors=names),
    "ordered_data": lambda names: analysis.ordered_data(DESIGN.matrix, VALUES, factors=names),
    "separating_settings": lambda names: analysis.separating_settings(DESIGN.matrix, [True, False] * 4, factors=names),
    "ten_steps": lambda names: analysis.ten_steps(DESIGN.matrix, VALUES, factors=names),
    "decide": lambda names: analysis.decide(PAIRS, 1.1 * PAIRS, design=DESIGN.matrix, factors=names),
    "until_decided": lambda names: analysis.until_decided(
        PAIRS[..., None], PAIRS[..., None], design=DESIGN.matrix, factors=names
    ),
    "condition_check": lambda names: analysis.condition_check(
        analysis.decide(PAIRS, 1.1 * PAIRS), PAIRS, 1.1 * PAIRS, design=DESIGN.matrix, factors=names
    ),
}
#: Names as columns of tables have them.
ODD_NAMES = [(1, 2, 3), ("a b", "x" * 80, "é"), ("A:B", "mean", "effect"), ("A=B", "a.b", "%"), (0.5, True, "run")]


def test_every_function_that_takes_factors_is_here() -> None:
    public = {name: getattr(analysis, name) for name in analysis.__all__}
    take = {
        name
        for name, each in public.items()
        if inspect.isfunction(each) and "factors" in inspect.signature(each).parameters
    }
    of_tables = {"experiment", "fit_model"}  # tests of their own
    assert take - of_tables == set(TAKE_FACTORS)


@pytest.mark.parametrize("names", ODD_NAMES, ids=str)
@pytest.mark.parametrize("name", sorted(set(TAKE_FACTORS) - {"blocks"}))
def test_names_of_factors_can_be_numbers_long_and_odd(name: str, names: tuple[Any, ...]) -> None:
    found = TAKE_FACTORS[name](names)
    plain = TAKE_FACTORS[name](["a", "b", "c"])
    if hasattr(found, "to_polars"):
        assert found.to_polars().height == plain.to_polars().height


@pytest.mark.parametrize("alpha", [2, 1, 0, -0.05, float("nan")])
@pytest.mark.parametrize("name", TAKE_ALPHA)
def test_a_level_of_significance_lies_between_0_and_1(name: str, alpha: float) -> None:
    TAKE_ALPHA[name](0.01)
    with pytest.raises(InputError, match=r"alpha = .*Allowed: above 0 and below 1") as caught:
        TAKE_ALPHA[name](alpha)
    assert caught.value.path == "alpha"


@pytest.mark.parametrize("name", TAKE_FACTORS)
def test_factors_are_named_once_and_without_a_star(name: str) -> None:
    call = TAKE_FACTORS[name]
    call(["a", "b", "c"])
    with pytest.raises(InputError, match=r'factors\[2\] = "a": .*twice.*Allowed: .*once'):
        call(["a", "b", "a"])
    if name in ("group_rules", "level_means", "level_changes"):  # they name no interactions
        call(["a", "b*c", "c"])
    else:
        with pytest.raises(InputError, match=r'factors\[1\] = "b\*c": \*.*interaction'):
            call(["a", "b*c", "c"])
    with pytest.raises(InputError, match=r'= "b\*c": .*\bid\b.*factor'):
        designs.two_level(["a", "b*c"])
    with pytest.raises(InputError, match="factor ids must differ"):
        designs.two_level(["a", "a"])
    with pytest.raises(InputError, match=r'factors = "abc": .*list'):
        call("abc")


@pytest.mark.parametrize("form", ["pandas", "numpy", "polars"])
def test_columns_of_a_table_name_factors(form: str) -> None:
    listed = ["a", "b", "c"]
    if form == "pandas":
        names: Any = pytest.importorskip("pandas").Index(listed)
    else:
        names = np.array(listed) if form == "numpy" else pl.Series(listed)
    for call in TAKE_FACTORS.values():
        call(names)
    found = analysis.main_effects(DESIGN.matrix, VALUES, factors=names)
    assert found.factors == ("a", "b", "c")
    assert found.to_polars()["factor"].to_list() == listed
    assert designs.two_level(names).factors == ("a", "b", "c")


def test_rows_with_the_same_settings_are_replicates() -> None:
    """The pure error of two values per setting is that of the same values as replicates in a frame."""
    matrix = designs.replicates(designs.two_level(2).matrix, 2)
    y = np.array([1.0, 4.0, 2.0, 8.0, 1.5, 4.5, 2.5, 7.0])
    found = analysis.main_effects(matrix, y, mode="replicates")
    frame = pl.DataFrame({"condition": [1, 2, 3, 4] * 2, "replicate": [1] * 4 + [2] * 4, "value": y})
    expected = analysis.main_effects(designs.two_level(2), frame, mode="replicates")
    for name in ("effect", "residual_sd", "effect_sd", "t", "degrees_of_freedom", "p"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name)), name
    pure = np.array([(a - b) ** 2 / 2 for a, b in zip(y[:4], y[4:], strict=True)])
    assert found.residual_sd == pytest.approx([np.sqrt(pure.mean())] * 2)
    assert found.degrees_of_freedom == pytest.approx([pure.sum() ** 2 / (pure**2).sum()] * 2)
    assert found.notes == ()


def test_replicates_stand_in_rows_columns_or_a_frame() -> None:
    columns = np.array([VALUES, [2 * value for value in VALUES]]).T
    places = np.repeat(np.arange(1, 9), 2)
    frame = pl.DataFrame({"condition": places, "value": columns.ravel()})
    found = analysis.main_effects(DESIGN, columns, mode="replicates")
    assert found.t.tolist() == analysis.main_effects(DESIGN, frame, mode="replicates").t.tolist()
    with pytest.raises(ValueError, match=r"needs \(8,\) or \(8, replicates\)"):
        analysis.main_effects(DESIGN, columns.T)


def test_blocked_and_augmented_designs_go_where_designs_go() -> None:
    blocked = designs.blocks(DESIGN, 2)
    for shift in (0.0, 100.0):
        found = analysis.main_effects(blocked, np.array(VALUES) + shift * blocked.block)
        assert found.effect == pytest.approx(analysis.main_effects(DESIGN, VALUES).effect)
        assert any("differences between blocks" in note for note in found.notes)
    folded = designs.foldover(DESIGN)
    values = np.array(VALUES * 2) + np.repeat([0, 100], 8)
    assert "2 blocks" in " ".join(analysis.main_effects(folded, values).notes)


def test_designs_take_integers_of_numpy() -> None:
    number = np.int64
    assert designs.two_level(number(3)).factors == designs.two_level(3).factors
    assert designs.by_runs(number(5), number(16), number(5), number(1)).matrix.shape == (16, 5)
    assert designs.by_resolution(number(5), number(5)).resolution == 5
    assert designs.plackett_burman(number(11), number(12)).shape == (12, 11)
    assert designs.centre_points(DESIGN.matrix, number(2)).shape == designs.centre_points(DESIGN.matrix, 2).shape
    for sampled in (designs.latin_hypercube, designs.sobol):
        assert (sampled(number(3), number(8), number(7)) == sampled(3, 8, 7)).all()


def answer(parameters: dict[str, Any], seed: int) -> dict[str, float]:
    """A model that is never run here."""
    return {"y": float(parameters["a"])}


def test_experiments_take_numbers_of_numpy() -> None:
    number = np.int64
    given: dict[str, Any] = {"factors": {"a": (number(0), np.float64(1.5)), "b": (0, 1)}, "values": {"c": number(3)}}
    plain: dict[str, Any] = {"factors": {"a": (0, 1.5), "b": (0, 1)}, "values": {"c": 3}}
    for kind, plain_kind in (({"runs": number(4)}, {"runs": 4}), ({"resolution": number(5)}, {"resolution": 5})):
        made = mesonet.experiment(model=answer, design=kind, seed=number(2), replicates=number(3), **given)
        same = mesonet.experiment(model=answer, design=plain_kind, seed=2, replicates=3, **plain)
        assert made.document() == same.document()
    with pytest.raises(InputError, match=r"factors = .*Allowed: a mapping"):
        mesonet.experiment(model=answer, factors=[{"id": "a"}])  # type: ignore[arg-type]


def test_series_of_pandas_are_aligned_by_label_or_refused() -> None:
    pandas = pytest.importorskip("pandas")
    signs = [[-1, -1], [1, -1], [-1, 1], [1, 1]]
    y = pandas.Series([10.0, 14.0, 11.0, 15.0])
    plain = analysis.main_effects(signs, y.to_numpy()).effect.tolist()
    shuffled = y.iloc[[2, 0, 3, 1]]
    assert analysis.main_effects(signs, shuffled).effect.tolist() == plain
    frame = pandas.DataFrame(signs, columns=["a", "b"], index=list("wxyz"))
    assert analysis.main_effects(frame, y.set_axis(list("wxyz")).iloc[::-1]).effect.tolist() == plain
    points = np.arange(4.0)[:, None]
    assert analysis.sensitivity(points, shuffled).src == pytest.approx(analysis.sensitivity(points, y.to_numpy()).src)
    for wrong in ([5, 6, 7, 8], [1, 2, 3, 4], [0, 0, 1, 2]):
        with pytest.raises(InputError, match=r"y\.index = .*: labels that match no rows\. Allowed: .*to_numpy"):
            analysis.main_effects(signs, y.set_axis(wrong))
    assert analysis.log_ratios(shuffled, y).tolist() == [0, 0, 0, 0]
