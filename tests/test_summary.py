"""The sentences on a run before its table, recomputed from its tables."""

from __future__ import annotations

import json

from click.testing import CliRunner

import mesonet as mn
from mesonet.cli.verbs import main
from mesonet.simulation.result import Result
from mesonet.simulation.summary import summary

OPEN = {
    "flows": [], "network.queue": "port", "network.speed": "10 Mbit/s", "time.duration": "40 s", "time.warmup": "10 s",
    "network.delay_multiplier": 0.1, "network.buffer": "20 ms",
}  # fmt: skip


def sentences(load: float) -> tuple[list[str], Result]:
    arrivals = [{"from": "A", "to": "B", "load": load, "of": "A -> B", "sizes": "30 kB"}]
    chosen = mn.scenario("dumbbell").with_values(OPEN | {"arrivals": arrivals})
    result = mn.simulate(chosen, seed=1)
    scenario = result.provenance["scenario"]
    return summary(scenario, chosen.describe(), result.responses.rows(), result.routers.rows()), result


def test_what_is_offered_carried_and_lost() -> None:
    [carried, lost, got], result = sentences(0.5)
    value = {row["response"]: row["value"] for row in result.responses.rows() if row["period"] == "measured"}
    assert carried.startswith(f"Carried: {value['segment_rate'] * 12e3 / 1e6:.3g} Mbit/s of data, ")
    assert "that arrivals offer" in carried
    assert "did not arrive" not in carried
    assert "A -> B" in lost
    assert f"a mean round trip of {value['rtt']:.3g} ms" in got
    [carried, lost, got], _ = sentences(2.0)
    assert "of the 20 Mbit/s that arrivals offer. The rest did not arrive in this time" in carried
    assert "at A -> B (" in lost


def test_explicit_flows_offer_no_load_and_have_no_note_on_settling() -> None:
    call = ["run", "dumbbell", "--duration", "20 s", "--set", "warmup=1 s"]
    shown = CliRunner().invoke(main, call)
    assert shown.output.startswith("Carried: ")
    assert " offer" not in shown.output.splitlines()[0]
    assert "settled" not in shown.output
    found = json.loads(CliRunner().invoke(main, [*call, "--json"]).stdout)["summary"]
    assert [text.split(":")[0] for text in found] == ["Carried", "Lost", "Users got"]
    assert shown.output.splitlines()[:3] == found
