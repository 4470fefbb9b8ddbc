"""The two-flow dumbbell of the ASME paper (section 2; Figs. 3 and 17 to 23) against what it prints.

Two routers of 21 segments/ms, 680 buffers, 162 ms; the second flow starts at 250 s; 1000 s. The initial window of the
figures is not published: 2, as in the study's experiments. A claim that is not reproduced stays here as an expected
failure with what was found.
"""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest

import mesonet as mn

CAPACITY = 21 * 162


@cache
def pair(algorithm: str, initial_window: int = 2, alpha: float | None = None) -> pl.DataFrame:
    """Time series of the pair: flow 1 from 0 s, flow 2 from 250 s."""
    values = {"preset": "sp500_282", "transport.initial_window": f"{initial_window} segments", "warmup": "0 s"}
    scenario = mn.scenario("dumbbell-pair", algorithm=algorithm).with_values(values)
    if alpha is not None:
        scenario = scenario.set(f"parameters.{algorithm}.alpha", alpha)
    return mn.simulate(scenario, seed=1).series.to_polars()


def mean(series: pl.DataFrame, column: str, start: float, end: float) -> float:
    rows = series.filter((pl.col("time_s") > start) & (pl.col("time_s") <= end))
    value = rows[column].mean()
    assert isinstance(value, float)
    return value


def both(series: pl.DataFrame) -> tuple[float, float]:
    return mean(series, "flow_1_cwnd", 251, 1000), mean(series, "flow_2_cwnd", 251, 1000)


def test_tcp_single_flow_b1() -> None:
    """Published mean window 2745 in the first 250 s, tolerance 12 % because it depends on the initial window."""
    assert mean(pair("tcp"), "flow_1_cwnd", 0, 250) == pytest.approx(2745, rel=0.12)
    # With an initial window of 10 slow start leaves near the 1975 that the figure implies: within 2 %.
    assert mean(pair("tcp", initial_window=10), "flow_1_cwnd", 0, 250) == pytest.approx(2745, rel=0.02)


def test_tcp_two_flows_b2() -> None:
    """Published: 89 % of the capacity together, shares approach each other."""
    series = pair("tcp")
    delivered = mean(series.with_columns(pl.col("segments_leaving").cast(pl.Float64)), "segments_leaving", 251, 1000)
    assert delivered / 2100 == pytest.approx(0.89, abs=0.04)
    gap = [mean(series, "flow_1_cwnd", a, a + 100) / mean(series, "flow_2_cwnd", a, a + 100) for a in (300, 900)]
    assert abs(gap[1] - 1) < abs(gap[0] - 1)


def test_fast_single_flow_b9() -> None:
    """Alpha 80: theory and figure give a constant 3402 + 80."""
    series = pair("fast", alpha=80.0).filter(pl.col("time_s").is_between(150, 250))
    assert series["flow_1_cwnd"].mean() == pytest.approx(CAPACITY + 80, rel=0.01)
    assert float(series["flow_1_cwnd"].max() - series["flow_1_cwnd"].min()) < 2  # type: ignore[operator]


DELAY_INCLUDES_THE_FIRST_FLOW = (
    "found 1412 and 2203: the slow start of the second flow does not drain the queue, so it over-estimates its base "
    "round trip (the golden-ratio split of the theory)"
)


@pytest.mark.parametrize(
    "initial_window", [pytest.param(2, marks=pytest.mark.xfail(strict=True, reason=DELAY_INCLUDES_THE_FIRST_FLOW)), 10]
)
def test_fast_two_flows_share_equally_b10(initial_window: int) -> None:
    """Published: nearly equal shares, total 3562, full utilisation. It depends on the unpublished initial window."""
    red, blue = both(pair("fast", initial_window, alpha=80.0))
    assert red + blue == pytest.approx(CAPACITY + 160, rel=0.02)
    assert red / blue == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("algorithm", ["hstcp", "htcp"])
def test_newcomers_get_their_share_b12_b13(algorithm: str) -> None:
    """HSTCP and H-TCP: full path, quick convergence to equal shares."""
    red, blue = both(pair(algorithm))
    assert 0.4 < blue / (red + blue) < 0.6
    assert red + blue > CAPACITY


def test_scalable_single_flow_b14() -> None:
    """Published: 340 segments buffered, mean window 3742."""
    assert mean(pair("scalable"), "flow_1_cwnd", 0, 250) == pytest.approx(3742, rel=0.03)


SYNCHRONISED_LOSSES = (
    "found 14 %: from 253 s on both flows are cut together, so that the newcomer keeps and slowly enlarges the 400 of "
    "3800 segments that slow start gave it"
)


@pytest.mark.xfail(strict=True, reason=SYNCHRONISED_LOSSES)
def test_scalable_newcomer_share_b15() -> None:
    """Published: the second flow averages 2 % (tolerance: at most 6 %)."""
    red, blue = both(pair("scalable"))
    assert blue / (red + blue) <= 0.06
