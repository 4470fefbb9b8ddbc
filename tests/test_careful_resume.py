"""Careful resume (RFC 9959), from a scenario file to the time of a transfer."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import mesonet as mn
from mesonet import core
from mesonet.errors import InputError
from mesonet.evidence.suite import suite_of

SATELLITE = """
title = "A transfer over a satellite"
base = "dumbbell"
network = { speed = "250 Mbit/s", delay_multiplier = 3.7, buffer = "12500 segments" }
time = { duration = "20 s", warmup = "0 s", periods = 1 }
flows = [{ from = "A", to = "B", size = "100 MB", interface = "1 Gbit/s" }]
"""
SAVED = {"transport.saved_window": "18750000 B", "transport.saved_rtt": "600 ms"}


@pytest.fixture
def satellite(tmp_path: Path) -> Path:
    file = tmp_path / "satellite.toml"
    file.write_text(SATELLITE)
    return file


def duration(file: Path, algorithm: str, **values: str) -> float:
    """Return the time in which the transfer ends, s."""
    result = mn.simulate(mn.scenario(file, algorithm=algorithm, **values))
    (flow,) = result.flows.to_polars().to_dicts()
    assert flow["completed"]
    return flow["last_acked_s"] - flow["started_s"]


@pytest.mark.parametrize("algorithm", core.algorithms())
def test_a_transfer_over_a_satellite_ends_two_round_trips_earlier(satellite: Path, algorithm: str) -> None:
    assert duration(satellite, algorithm, **SAVED) < duration(satellite, algorithm) - 2 * 0.6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"transport.saved_rtt": "0 s"},
            "0, but transport.saved_window is set. Allowed: both, or neither",
        ),
        ({"transport.saved_window": "0 segments"}, "0, but transport.saved_rtt is set. Allowed: both, or neither"),
        ({"transport.saved_window": "-1 B"}, "Allowed: at least 0 segments"),
        ({"transport.saved_rtt": "20 min"}, "Allowed: at least 0 s and at most 1000 s"),
        ({"transport.max_cwnd": "6000 segments"}, "half of transport.saved_window"),
    ],
)
def test_bad_saved_parameters_are_refused(satellite: Path, change: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as refused:
        mn.simulate(mn.scenario(satellite, **{**SAVED, **change}))
    assert message in str(refused.value)


def test_the_satellite_case_of_c4_resumes() -> None:
    folder = suite_of("c4").folder
    values = tomllib.loads((folder / "09-satellite.toml").read_text(encoding="utf-8"))["set"]
    scenario = mn.scenario(folder / "base.toml", **values)
    assert scenario.value("transport.saved_window") == 12_500  # segments of 1500 B
    assert scenario.value("transport.saved_rtt") == 0.600_123
