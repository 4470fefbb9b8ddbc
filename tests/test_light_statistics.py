"""Statistics that the analyses have in place of ``scipy.stats``, whose import takes half a second."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from mesonet.analysis.false_discovery import adjusted
from mesonet.analysis.ranks import ranks
from mesonet.analysis.sign_test import sign_test


@pytest.mark.parametrize("n", [1, 2, 7, 100])
def test_false_discovery_rates_are_those_of_scipy(n):
    p = np.random.default_rng(n).uniform(size=n)
    p[: n // 3] = p[0]
    assert np.array_equal(adjusted(p), stats.false_discovery_control(p))


@pytest.mark.parametrize("ties", ["average", "min"])
def test_ranks_are_those_of_scipy(ties):
    values = np.random.default_rng(1).integers(0, 5, size=(20, 3, 9)).astype(float)
    values[values == 4] = np.nan
    expected = np.asarray(stats.rankdata(values, method=ties, axis=-1, nan_policy="omit"), float)
    assert np.array_equal(ranks(values, ties=ties), expected, equal_nan=True)


def test_sign_tests_are_those_of_scipy():
    for plus in range(12):
        for minus in range(1, 12):
            assert sign_test(plus, minus) == pytest.approx(stats.binomtest(plus, plus + minus).pvalue, rel=1e-12)


@pytest.mark.process
def test_reports_load_without_the_statistics_of_scipy():
    code = "import sys, mesonet.reporting; sys.exit('scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
