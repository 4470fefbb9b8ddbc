"""Worked examples of textbooks and of the NIST/SEMATECH e-Handbook, through the public functions, as plain arrays."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from mesonet import analysis

TWO_CUBED = np.array([[1 if run >> k & 1 else -1 for k in range(3)] for run in range(8)])
TWO_TO_THE_FOURTH = np.array([[1 if run >> k & 1 else -1 for k in range(4)] for run in range(16)])

#: Eddy-current probe sensitivity (e-Handbook, section 5.5.9), in standard order.
EDDY = [1.70, 4.57, 0.55, 3.39, 1.51, 4.59, 0.67, 4.29]
#: Process development study (Box, Hunter and Hunter, Statistics for Experimenters, 1978, chapter 10), conversion in %.
PROCESS = [71, 61, 90, 82, 68, 61, 87, 80, 61, 50, 89, 83, 59, 51, 85, 78]
PROCESS_EFFECTS = {
    "1": -8.0, "2": 24.0, "3": -2.25, "4": -5.5, "1*2": 1.0, "1*3": 0.75, "1*4": 0.0, "2*3": -1.25, "2*4": 4.5,
    "3*4": -0.25, "1*2*3": -0.75, "1*2*4": 0.5, "1*3*4": -0.25, "2*3*4": -0.75, "1*2*3*4": -0.25,
}  # fmt: skip


def test_eddy_current_effects_and_residual_standard_deviations():
    found = analysis.terms(TWO_CUBED, EDDY, order=3)
    assert found.grand_mean == pytest.approx(2.65875, abs=5e-6)
    assert found.terms[:2] == ("x1", "x2")
    assert found.effect[:2] == pytest.approx([3.10250, -0.86750], abs=5e-6)
    assert found.sd == pytest.approx(1.74106, abs=5e-6)
    published = [0.57272, 0.30429, 0.26737, 0.23341, 0.19121, 0.18031]
    assert found.residual_sd[:6] == pytest.approx(published, abs=5e-6)
    assert np.isnan(found.residual_sd[6])


def test_eddy_current_main_effects_are_tested_one_factor_at_a_time():
    """One-way analyses of variance by hand: F(1, 6) of each factor alone."""
    found = analysis.main_effects(TWO_CUBED, EDDY)
    total = np.var(EDDY) * 8
    explained = 2 * found.effect**2
    assert found.t**2 == pytest.approx(explained / ((total - explained) / 6))
    assert found.stars == ("**", "", "")


def test_process_development_effects():
    found = analysis.terms(TWO_TO_THE_FOURTH, PROCESS, order=4, factors=["1", "2", "3", "4"])
    assert dict(zip(found.terms, found.effect.tolist(), strict=True)) == pytest.approx(PROCESS_EFFECTS)
    assert found.grand_mean == 72.25


def test_margins_of_error_of_the_process_development_study():
    """Pseudo standard error 1.125 on 5 degrees of freedom; multipliers of Lenth's table for 15 effects."""
    found = analysis.lenth(list(PROCESS_EFFECTS.values()))
    assert found.pse == pytest.approx(1.125)
    assert found.degrees_of_freedom == 5
    assert found.me / found.pse == pytest.approx(2.571, abs=5e-4)
    assert found.sme / found.pse == pytest.approx(5.219, abs=5e-4)
    active = [
        name for name, on in zip(PROCESS_EFFECTS, found.active(list(PROCESS_EFFECTS.values())), strict=True) if on
    ]
    assert active == ["1", "2", "4", "2*4"]


@pytest.mark.parametrize(("effects", "me", "sme"), [(7, 3.764, 9.008), (15, 2.571, 5.219), (31, 2.218, 4.218)])
def test_factors_of_lenth_s_margins(effects, me, sme):
    """t quantiles at m/3 degrees of freedom, as in Lenth's table of multipliers."""
    found = analysis.lenth(np.r_[np.ones(effects)])
    assert found.pse == 1.5
    assert found.me / found.pse == pytest.approx(me, abs=1e-3)
    assert found.sme / found.pse == pytest.approx(sme, abs=2e-3)


def test_grubbs_test_of_the_uranium_measurements():
    """e-Handbook, section 1.3.5.17.1: G = 2.4687; critical value for 8 values, one-sided 5 %: 2.032."""
    found = analysis.grubbs([199.31, 199.53, 200.19, 200.82, 201.92, 201.95, 202.18, 245.57], sides=1)
    assert found.statistic == pytest.approx(2.4687, abs=1e-4)
    assert found.critical == pytest.approx(2.032, abs=5e-4)
    assert found.value == 245.57
    assert found.p < 0.05


def test_principal_components_of_the_handbook():
    """e-Handbook, section 6.5.5.2: eigenvalues of the correlation matrix 1.769, 0.927 and 0.304."""
    data = [
        [7, 4, 3],
        [4, 1, 8],
        [6, 3, 5],
        [8, 6, 1],
        [8, 5, 7],
        [7, 2, 9],
        [5, 3, 3],
        [9, 5, 8],
        [7, 4, 5],
        [8, 2, 2],
    ]
    found = analysis.principal_components(data, responses=["x1", "x2", "x3"])
    assert found.variance == pytest.approx([1.769, 0.927, 0.304], abs=5e-4)
    r = analysis.correlations(data, responses=["x1", "x2", "x3"]).r
    assert r[0, 1] == pytest.approx(0.67, abs=5e-3)
    assert (r[0, 2], r[1, 2]) == pytest.approx((-0.10, -0.29), abs=5e-3)


def test_every_public_function_says_what_it_takes_and_gives():
    for name in analysis.__all__:
        thing = getattr(analysis, name)
        assert inspect.getdoc(thing), name
        if inspect.isfunction(thing):
            signature = inspect.signature(thing)
            assert signature.return_annotation is not inspect.Signature.empty, name
            assert all(p.annotation is not inspect.Parameter.empty for p in signature.parameters.values()), name
