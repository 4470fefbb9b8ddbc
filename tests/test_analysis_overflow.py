"""Responses multiplied by 1e200 or 1e-200: the verdicts are those of the responses, the numbers their multiples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mesonet import analysis, designs
from mesonet.analysis.overflow_units import unit

DESIGN = designs.two_level(["A", "B", "C", "D"])
NOISE = np.random.default_rng(1)
Y = 3 + DESIGN.matrix @ [1, 0.5, 0.2, 0.1] + 0.1 * NOISE.standard_normal(16)
CUBE = 10 + NOISE.standard_normal((16, 6, 3))
CUBE[3, 2, 1] = 30
ROWS = CUBE.reshape(-1, 3)
CENTRED = np.r_[DESIGN.matrix, np.zeros((3, 4))]
#: The call with values multiplied by a number; what stays the same; what is multiplied, too.
CASES: dict[str, tuple[Callable[[float], Any], str, str]] = {
    "main effects": (lambda by: analysis.main_effects(DESIGN, by * Y), "t p relative_effect stars",
                     "effect residual_sd effect_sd grand_mean mean_plus mean_minus"),
    "main effects, full": (lambda by: analysis.main_effects(DESIGN, by * Y, mode="full"), "t p", "residual_sd"),
    "main effects, replicates": (
        lambda by: analysis.main_effects(DESIGN.matrix[:, :2], by * Y, mode="replicates"), "t p", "residual_sd"),
    "terms": (lambda by: analysis.terms(DESIGN, by * Y), "terms half_normal", "effect residual_sd sd grand_mean"),
    "noise": (lambda by: analysis.terms(DESIGN, by * Y).noise, "effects", "pse me sme"),
    "factor scatter": (lambda by: analysis.factor_scatter(DESIGN, by * Y), "spread_p far_out", "mean sd"),
    "sensitivity": (lambda by: analysis.sensitivity(DESIGN.matrix, by * Y), "src srrc prcc r_squared", ""),
    "grubbs": (lambda by: analysis.grubbs(by * CUBE[3, :, 1]), "statistic p", "value"),
    "residuals": (lambda by: analysis.residuals(by * CUBE[:, :, 1], algorithms="abcdef").summary,
                  "statistic p q flagged", "mean residual"),
    "summary": (lambda by: analysis.condition_response_summary(by * CUBE, responses="rst", algorithms="abcdef"),
                "statistic p q flagged", "mean residual"),
    "correlations": (lambda by: analysis.correlations(by * ROWS, responses="rst"), "r order hint", ""),
    "components": (lambda by: analysis.principal_components(by * ROWS, responses="rst"), "loadings scores share", ""),
    "clustering": (lambda by: analysis.clustering(by * CUBE[0], algorithms="abcdef", responses="rst"),
                   "linkage leaves group", ""),
    "classes": (lambda by: analysis.condition_classes(by * Y), "number", "limits value"),
    "curvature": (lambda by: analysis.curvature(CENTRED, by * np.r_[Y, 3, 3.1, 2.9]), "t p relative_difference",
                  "difference pure_error_sd mean_centre"),
}  # fmt: skip


@pytest.mark.parametrize("by", [1e200, 1e-200])
@pytest.mark.parametrize("name", CASES)
def test_no_square_overflows_or_vanishes(name: str, by: float) -> None:
    call, same, multiplied = CASES[name]
    found, plain = call(by), call(1.0)
    for field in same.split():
        one, other = np.asarray(getattr(found, field)), np.asarray(getattr(plain, field))
        if one.dtype.kind in "OUb":
            assert one.tolist() == other.tolist(), field
        else:
            assert one == pytest.approx(other, rel=1e-6, nan_ok=True), field
    for field in multiplied.split():
        one, other = (np.asarray(getattr(each, field), dtype=float) for each in (found, plain))
        assert (np.isfinite(one) == np.isfinite(other)).all(), field
        assert one / by == pytest.approx(other, rel=1e-6, nan_ok=True), field


def test_the_unit_of_common_values_is_1() -> None:
    assert unit([1e99, -3.0, np.nan]) == unit([]) == unit([0.0]) == 1
    assert unit([[1.0, 1e200], [2.0, np.inf]], axis=0).tolist() == [[1.0, 2.0 ** np.floor(np.log2(1e200))]]
    assert np.isfinite(unit([1.7e308]))
    assert unit([5e-324]) == 5e-324
