"""Measured periods that samples do not divide: what is counted belongs to the period in which it happened."""

from __future__ import annotations

import pytest

import mesonet as mn
from mesonet.simulation.result import Result

#: Responses that are means over samples, or look at samples.
SAMPLED = (
    "transmitting", "connecting_", "completion_ratio", "connection_failure_ratio", "cwnd", "rtt", "queueing_delay",
    "_share", "goodput_dd", "goodput_df", "goodput_dn", "goodput_ff", "goodput_fn", "goodput_nn", "goodput_very_fast",
    "goodput_fast", "goodput_typical", "buffer_use_", "goodput_ratio_", "fair_windows", "convergence_time",
)  # fmt: skip
VALUES = {
    "time.duration": "10 s", "time.warmup": "1 s", "time.periods": 4, "users.base_sources": 2,
    "users.long_lived_flows": 2, "network.speed": "4 seg/ms", "measurement.fair_window": "1 s",
}  # fmt: skip


def results(interval: str, **more: object) -> Result:
    return mn.simulate(mn.scenario("abilene").with_values(VALUES | {"measurement.interval": interval} | more), seed=3)


@pytest.fixture(scope="module")
def divided() -> Result:
    return results("50 ms")


def counted(result: Result, interval: float) -> dict[tuple[str, str], float]:
    """Responses that are counts, those per interval per second."""
    return {
        (row["response"], row["period"]): (row["value"] or 0.0) / (interval if row["unit"].endswith("/interval") else 1)
        for row in result.responses.rows()
        if not row["response"].startswith(SAMPLED) and not row["response"].endswith(SAMPLED)
    }


@pytest.mark.parametrize("interval", [0.4, 0.7, 1.9])
def test_counts_do_not_depend_on_the_interval(divided: Result, interval: float) -> None:
    """Periods last 2.25 s: no whole number of these intervals, but of 50 ms."""
    wanted, found = counted(divided, 0.05), counted(results(f"{interval} s"), interval)
    assert found == {key: pytest.approx(value, rel=1e-9, nan_ok=True) for key, value in wanted.items()}
    assert sum(value != 0 for value in found.values()) > 100
