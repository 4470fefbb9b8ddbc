"""Average windows, what a flow queues by its own measure, and what is drawn of a long series."""

from __future__ import annotations

import numpy as np
import pytest

from mesonet.analysis import average_windows, envelope, queued

TIME = np.arange(1, 11) / 10.0


def test_each_flow_is_averaged_over_the_part_of_a_span_in_which_it_sends() -> None:
    second = np.array([np.nan] * 5 + [0.0 + 20] * 5)
    cwnd = np.stack([np.r_[np.full(5, 10.0), np.full(5, 30.0)], second], axis=1)
    delivered = np.stack([np.arange(1, 11) * 100.0, np.r_[np.full(5, np.nan), np.arange(1, 6) * 50.0]], axis=1)
    found = average_windows(TIME, cwnd, delivered, [(0, 0.5), (0.5, 1), (0, 1)])
    np.testing.assert_allclose(found.window, [[10, 30, 20], [np.nan, 20, 20]])
    np.testing.assert_allclose(found.share, [[1, 0.6, 0.5], [np.nan, 0.4, 0.5]])
    np.testing.assert_allclose(found.total, [10, 50, 40])
    # From the sample before the span to its last: none before 0, when nothing had been delivered.
    np.testing.assert_allclose(found.rate, [[1000, 1000, 1000], [np.nan, 500, 250]])
    table = found.to_polars()
    assert table.columns == ["flow", "span", "begin", "end", "window", "share", "rate"]
    assert table["window"].to_list() == [10, 30, 20, None, 20, 20]
    assert table["begin"].to_list() == [0, 0.5, 0, 0, 0.5, 0]
    assert found.to_arrow().schema.field("rate").metadata[b"unit"] == b"segments/s"


def test_a_span_excludes_its_beginning_and_includes_its_end() -> None:
    found = average_windows([1.0, 2.0, 3.0], [[1.0], [2.0], [4.0]], [[1.0], [2.0], [4.0]], [(1, 3)], flows=["a"])
    assert found.flows == ("a",)
    assert found.window[0, 0] == 3
    assert found.rate[0, 0] == 1.5


def test_what_does_not_fit_is_refused() -> None:
    one = [[1.0]]
    with pytest.raises(ValueError, match="no sample between 5 and 6 s"):
        average_windows([1.0], one, one, [(5, 6)])
    with pytest.raises(ValueError, match="instants"):
        average_windows([1.0, 2.0], one, one, [(0, 2)])
    with pytest.raises(ValueError, match="2 names for 1 flows"):
        average_windows([1.0], one, one, [(0, 1)], flows=["a", "b"])


def test_a_flow_counts_what_it_queues_from_the_smallest_round_trip_it_has_seen() -> None:
    # FAST alone with alpha 80: the published fixed point, 3482 segments at 165.8095 ms on a path of 162 ms.
    assert queued([100.0, 3482.0], [162.0, 3482 / 21])[1] == pytest.approx(80)
    # A newcomer that never saw the path empty takes the queue of the first for propagation (Jin, Wei and Low 2004).
    seen = queued([[np.nan, 50.0], [np.nan, 2232.0]], [[np.nan, 162 + 80 / 21], [np.nan, 162 + 9.9735]])
    assert np.isnan(seen[:, 0]).all()
    assert seen[1, 1] == pytest.approx(80, rel=0.01)


def test_the_envelope_keeps_every_peak_and_the_ends() -> None:
    values = np.zeros(100_000)
    values[[12_345, 77_777]] = 5, -3
    values[:10] = np.nan
    places = envelope(values, 500)
    assert 2 <= len(places) <= 502
    assert {10, 12_345, 77_777, 99_999} <= set(places.tolist())
    assert (np.diff(places) > 0).all()
    assert envelope([1.0, np.nan, 2.0], 10).tolist() == [0, 2]
