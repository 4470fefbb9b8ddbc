"""Notes on values about marks that have no effect."""

from __future__ import annotations

import pytest

import mesonet as mn
from mesonet.scenarios.derived import ecn_notes


@pytest.mark.parametrize(
    ("values", "notes"),
    [
        ({}, []),
        ({"connection.ecn": True}, ["connection.ecn has no effect: aqm.ecn and network.ecn_threshold are off"]),
        ({"connection.ecn": True, "network.ecn_threshold": "5 segments"}, []),
        (
            {"aqm.ecn": True},
            ["aqm.ecn has no effect on queues with drop_tail, which mark above network.ecn_threshold only"],
        ),
        ({"aqm.ecn": True, "aqm.discipline": "pie"}, []),
        (
            {"aqm.ecn": True, "aqm.discipline": "pie", "parameters.tcp.ecn": 0},
            ["no segment is marked: the constant ecn of each algorithm is 0"],
        ),
    ],
)
def test_values_without_effect_are_noted(values: dict[str, object], notes: list[str]) -> None:
    scenario = mn.scenario("abilene")
    for path, value in values.items():
        scenario = scenario.set(path, value)
    assert ecn_notes(scenario) == notes


def test_the_description_has_the_codepoint_of_each_algorithm() -> None:
    scenario = mn.scenario("dumbbell", algorithms="bbr=0.4, cubic=0.3, prague=0.3")
    assert scenario.describe()["codepoints"] == ["Not-ECT", "ECT(0)", "ECT(1)"]
    assert scenario.set("parameters.cubic.ecn", 0).describe()["codepoints"][1] == "Not-ECT"
