"""Goodput latency and recovery latency of flows whose course is known."""

from __future__ import annotations

import numpy as np
import pytest

from mesonet.analysis import latencies, rates

STEP = 0.01


def flow(rate: np.ndarray, start: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Instants and segments delivered of a flow with these rates, one per step."""
    return start + STEP * np.arange(1, len(rate) + 1), np.cumsum(rate) * STEP


def test_a_rate_is_that_of_the_window_before_an_instant() -> None:
    time, delivered = flow(np.r_[np.full(100, 10.0), np.full(100, 30.0)])
    found = rates(time, delivered, 0.5)
    assert np.isnan(found[:50]).all()
    assert found[60] == pytest.approx(10)
    assert found[99 + 25] == pytest.approx(20)
    assert found[-1] == pytest.approx(30)


def test_both_latencies_of_a_flow_that_grows_by_one_segment_a_round_trip() -> None:
    """Window 100 at 2 s, 48.5 ms, 80 segments/ms: (0.98 x 3880 - 100) round trips, and half of the window of a rate."""
    rtt, full = 0.0485, 80_000.0
    window = np.minimum(np.r_[np.linspace(1, 100, 200), 100 + np.arange(20_000) * STEP / rtt], 2 * full * rtt)
    before = np.minimum(window / rtt, full)
    dip = np.full(3000, 0.1 * full)
    again = np.minimum(50 + np.arange(20_000) * STEP / rtt, full * rtt) / rtt
    time, delivered = flow(np.r_[before, dip, again])
    cwnd = np.r_[window, np.full(3000, 50.0), again * rtt]
    begin = len(before) * STEP
    found = latencies(time, cwnd, delivered, ssthresh=100, full=full, congestion=(begin, begin + 30))
    assert found.entered == pytest.approx(2.0, abs=0.02)
    # A rate over 0.2 s trails a rising one by 0.1 s.
    assert found.goodput == pytest.approx((0.98 * full * rtt - 100) * rtt + 0.1, abs=0.05)
    assert found.recovery == pytest.approx((0.98 * full * rtt - 50) * rtt + 0.1, abs=0.05)
    assert found.during == pytest.approx(0.1)


def test_what_never_comes_about_is_not_a_number() -> None:
    time, delivered = flow(np.full(1000, 50.0))
    found = latencies(time, np.full(1000, 10.0), delivered, ssthresh=100, full=100)
    assert all(np.isnan([found.entered, found.goodput, found.recovery, found.during]))
    slow = latencies(time, np.full(1000, 200.0), delivered, ssthresh=100, full=100, congestion=(5, 7))
    assert slow.entered == STEP
    assert np.isnan([slow.goodput, slow.recovery]).all()
    assert slow.during == pytest.approx(0.5)


def test_the_first_latency_does_not_look_into_the_congestion_nor_the_second_before_its_end() -> None:
    time, delivered = flow(np.r_[np.full(500, 10.0), np.full(500, 100.0)])
    found = latencies(time, np.full(1000, 200.0), delivered, ssthresh=100, full=100, congestion=(4, 8))
    assert np.isnan(found.goodput)
    assert found.recovery == 0


@pytest.mark.parametrize("wrong", [{"full": 0.0}, {"ssthresh": -1.0}, {"reached": 1.5}, {"window": 0.0}])
def test_numbers_without_meaning_are_refused(wrong: dict[str, float]) -> None:
    time, delivered = flow(np.ones(10))
    with pytest.raises(ValueError, match="positive"):
        latencies(time, np.ones(10), delivered, **{"ssthresh": 1.0, "full": 1.0, **wrong})
    with pytest.raises(ValueError, match="instants"):
        rates(time, np.ones(9))
