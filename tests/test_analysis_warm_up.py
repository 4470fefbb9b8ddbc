"""The initial transient of a series."""

from __future__ import annotations

import numpy as np
import pytest

from mesonet.analysis import warm_up


def test_a_transient_is_cut_where_it_ends() -> None:
    rng = np.random.default_rng(1)
    steady = 100 + rng.standard_normal(1000)
    found = warm_up(np.concatenate([np.linspace(0, 100, 200), steady]))
    assert found.settled
    assert 185 <= found.samples <= 230
    assert found.mean == pytest.approx(100, abs=0.2)
    assert found.before < 60


def test_a_steady_series_needs_no_cut_and_a_trend_has_no_verdict() -> None:
    rng = np.random.default_rng(2)
    assert warm_up(5 + rng.standard_normal(1000)).samples < 300
    assert warm_up(np.full(100, 7.0)).samples == 0
    assert not warm_up(np.arange(1000.0)).settled
    assert not warm_up(np.ones(40)).settled
    assert np.isnan(warm_up([]).mean)


def test_large_means_do_not_hide_the_transient() -> None:
    rng = np.random.default_rng(3)
    series = 1e12 + np.concatenate([np.linspace(-50, 0, 100), rng.standard_normal(900)])
    assert 70 <= warm_up(series).samples <= 130


@pytest.mark.parametrize("series", [[[1.0, 2.0]], [1.0, np.nan], [np.inf]])
def test_what_is_not_a_series_is_refused(series: object) -> None:
    with pytest.raises(ValueError, match="one-dimensional and finite"):
        warm_up(series)
