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


def delivered(series: pl.DataFrame, start: float, end: float) -> float:
    """Part of the capacity that leaves the network; a row is 0.1 s."""
    leaving = series.with_columns(pl.col("segments_leaving").cast(pl.Float64))
    return mean(leaving, "segments_leaving", start, end) / 2100


def test_tcp_single_flow_b1() -> None:
    """Published mean window 2745 in the first 250 s, tolerance 12 % because it depends on the initial window."""
    assert mean(pair("tcp"), "flow_1_cwnd", 0, 250) == pytest.approx(2745, rel=0.12)
    # With an initial window of 10 slow start leaves near the 1975 that the figure implies: within 2 %.
    assert mean(pair("tcp", initial_window=10), "flow_1_cwnd", 0, 250) == pytest.approx(2745, rel=0.02)


def test_tcp_two_flows_b2() -> None:
    """Published: 89 % of the capacity together, shares approach each other."""
    series = pair("tcp")
    assert delivered(series, 251, 1000) == pytest.approx(0.89, abs=0.04)
    gap = [mean(series, "flow_1_cwnd", a, a + 100) / mean(series, "flow_2_cwnd", a, a + 100) for a in (300, 900)]
    assert abs(gap[1] - 1) < abs(gap[0] - 1)


def test_bic_single_flow_b4() -> None:
    """Published mean window 3607, tolerance 3 %."""
    assert mean(pair("bic"), "flow_1_cwnd", 0, 250) == pytest.approx(3607, rel=0.03)


def test_bic_two_flows_b5_b6() -> None:
    """Published: 3747 together, tolerance 3 %; 2243 and 1504, tolerance 15 %; 200 to 345 segments in buffers."""
    red, blue = both(pair("bic"))
    assert red + blue == pytest.approx(3747, rel=0.03)
    assert (red, blue) == (pytest.approx(2243, rel=0.15), pytest.approx(1504, rel=0.15))
    assert red + blue > CAPACITY


DELAY_WINDOW_FILLS_THE_PATH = (
    "found 98 %: without a queue the delay window grows by 30 to 55 segments per round trip, so the path is full again "
    "at 9 s, after the only loss at 2 s"
)


@pytest.mark.xfail(strict=True, reason=DELAY_WINDOW_FILLS_THE_PATH)
def test_ctcp_single_flow_is_like_tcp_b7() -> None:
    """Published: throughput similar to that of TCP, about 80 % of the capacity."""
    assert delivered(pair("ctcp"), 0, 250) == pytest.approx(0.80, abs=0.04)


def test_ctcp_two_flows_b8() -> None:
    """Published: windows that use the whole capacity with few segments queued, equal shares."""
    red, blue = both(pair("ctcp"))
    assert delivered(pair("ctcp"), 251, 1000) > 0.95
    assert CAPACITY < red + blue < CAPACITY + 200
    assert 0.4 < blue / (red + blue) < 0.6


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


ALPHAS_PART_AT_THE_SECOND_TUNING = (
    "found 11 and 89 % (initial window 2) or 18 and 82 % (10): at 400 s the first flow has at most half of 21000 "
    "segments/s, falls to alpha 20, and stays below the threshold back up, while the second keeps alpha 200"
)


@pytest.mark.parametrize("initial_window", [2, 10])
@pytest.mark.xfail(strict=True, reason=ALPHAS_PART_AT_THE_SECOND_TUNING)
def test_fast_at_shares_b11(initial_window: int) -> None:
    """Published: 30 and 70 %, tolerance 10 points. The thresholds of alpha are not published."""
    red, blue = both(pair("fast-at", initial_window))
    assert red / (red + blue) == pytest.approx(0.3, abs=0.1)


def test_fast_at_flows_diverge_b11() -> None:
    """Published: similar windows first, which then diverge; the whole capacity is used. Initial window 10, see B10."""
    series = pair("fast-at", initial_window=10)
    assert mean(series, "flow_1_cwnd", 300, 390) == pytest.approx(mean(series, "flow_2_cwnd", 300, 390), rel=0.02)
    assert mean(series, "flow_1_cwnd", 900, 1000) < 0.2 * mean(series, "flow_2_cwnd", 900, 1000)
    assert delivered(series, 251, 1000) > 0.99


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
