"""Cost of a whole run from its beginning: a load that settled, that rises as a power of time, that falls."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from mesonet.campaign import growth
from mesonet.campaign.growth import whole_run

STEP_S = 0.2


def pilot(power: float, end: float, noise: float = 0.01) -> tuple[list[tuple[float, float]], dict[str, list[float]]]:
    """Return marks and series of a run whose cost and load are a power of time."""
    at = np.arange(1, round(end / STEP_S) + 1) * STEP_S
    load = 1000 * at**power * (1 + noise * np.random.default_rng(1).standard_normal(len(at)))
    marks = [(0.0, 0.0), *((t, cost(power, t)) for t in np.linspace(end / 40, end, 40))]
    return marks, {"time_s": at.tolist(), "sending": load.tolist(), "segments_leaving": load.tolist()}


def cost(power: float, end: float) -> float:
    return end ** (power + 1) / (power + 1)


@pytest.mark.parametrize("power", [0.2, 0.4, 0.8])
def test_a_load_that_rises_is_followed(power: float) -> None:
    found = whole_run(*pilot(power, 60), 600, users=True)
    assert found.growth == pytest.approx(power, abs=0.03)
    assert found.cpu_s == pytest.approx(cost(power, 600), rel=0.08)
    assert found.least_cpu_s < 0.8 * cost(power, 600)
    assert not found.settled


def test_a_load_that_settled_is_not_extrapolated() -> None:
    found = whole_run(*pilot(0.0, 60), 600, users=True)
    assert (found.growth, found.settled) == (0, True)
    assert found.cpu_s == pytest.approx(found.least_cpu_s) == pytest.approx(600, rel=1e-3)


def test_few_steady_loads_seem_to_rise() -> None:
    at = np.arange(1, 301) * STEP_S
    rng = np.random.default_rng(2)
    marks = [(0.0, 0.0), (30.0, 30.0), (60.0, 60.0)]
    found = []
    for _ in range(300):
        load = (1000 + 30 * rng.standard_normal(len(at))).tolist()
        series = {"time_s": at.tolist(), "sending": load, "segments_leaving": load}
        found.append(whole_run(marks, series, 600, users=True).growth > 0)
    assert np.mean(found) < 0.03


def test_a_load_that_falls_is_unsettled_and_keeps_its_pace() -> None:
    found = whole_run(*pilot(-0.5, 20), 600, users=True)
    assert (found.growth, found.settled) == (0, False)
    assert found.cpu_s == pytest.approx(found.least_cpu_s)


def test_growth_is_at_most_linear() -> None:
    assert whole_run(*pilot(2.0, 60), 600, users=True).growth == 1


def test_explicit_flows_and_whole_runs_have_no_growth() -> None:
    marks, series = pilot(0.5, 60)
    explicit = whole_run(marks, series, 600, users=False)
    assert (explicit.growth, explicit.settled, explicit.cpu_s) == (0, True, explicit.least_cpu_s)
    whole = whole_run(marks, series, 60, users=True)
    assert (whole.cpu_s, whole.settled) == (marks[-1][1], True)


@pytest.mark.parametrize("samples", [0, 1, 7])
def test_a_pilot_of_a_moment_has_an_estimate(samples: int) -> None:
    series = {"time_s": [STEP_S * (place + 1) for place in range(samples)]}
    found = whole_run(
        [(0.0, 0.0), (2.0, 1.0)],
        {**series, "sending": [0.0] * samples, "segments_leaving": [0.0] * samples},
        20,
        users=True,
    )
    assert (found.cpu_s, found.growth, found.settled) == (10, 0, False)


def test_the_limit_of_a_rise_is_that_of_student() -> None:
    assert stats.t.ppf(0.99, growth._BATCHES - 2) == pytest.approx(growth._SURE, abs=5e-4)


@pytest.mark.process
def test_a_pilot_needs_no_scipy() -> None:
    """The memory of a pilot is the memory of a run."""
    found = subprocess.run(
        [sys.executable, "-c", "import sys, mesonet.campaign.pilot as _; print('scipy' in sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert found.stdout == "False\n"
