"""Settling of the load: times by series, the rule for a run, and the record, tables and sentences that hold it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import mesonet
from fake_campaign import fake_campaign
from fragments import holds
from mesonet.campaign import load
from mesonet.campaign.export import study_table
from mesonet.cli.run import _settling_note
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text.summary import findings
from mesonet.simulation import settling

STEP_S = 0.2
pytestmark = pytest.mark.process

SMALL = {"users.base_sources": 2, "network.speed": "80 seg/ms", "users.start": "thinking"}


def ramp(until: float, length: float = 100.0) -> tuple[list[float], list[float]]:
    """Return instants, and a series that rises to 100 and then stays there with a little noise."""
    at = np.arange(1, round(length / STEP_S) + 1) * STEP_S
    noise = np.random.default_rng(1).standard_normal(len(at))
    return at.tolist(), (100 * np.minimum(1, at / until) + noise).tolist()


def scenario(**users: Any) -> dict[str, Any]:
    return {
        "time": {"warmup": 40, "duration": 100, "periods": 3},
        "users": {"base_sources": 10, "jumbo_period": 0, "jumbo_factor": 10, **users},
        "network": {"changes": []},
    }


def test_a_series_settles_when_its_rise_ends() -> None:
    assert settling.settling_time(*ramp(20), until_s=100) == pytest.approx(20, abs=3)
    assert settling.settling_time(*ramp(90), until_s=100) is None
    assert settling.settling_time(*ramp(20), until_s=9) is None  # fewer than 50 samples
    with pytest.raises(ValueError, match="finite"):
        settling.settling_time([0.2, 0.4], [1.0, float("nan")], until_s=1)


@pytest.mark.parametrize(
    ("times", "late", "settled"),  # by MSER-5 alone
    [
        ({"sending": 12.0, "segments_leaving": 40.0, "flows_completed": 3.0, "segments_dropped": 0.0}, [], True),
        ({"sending": None, "segments_leaving": 41.0}, ["sending", "segments_leaving"], False),
        ({"sending": 1.0, "segments_leaving": 40.2}, ["segments_leaving"], False),
        ({"sending": 1.0, "segments_leaving": 2.0, "segments_dropped": None}, ["segments_dropped"], True),
        ({"sending": 1.0}, [], True),
        ({"segments_dropped": 1.0}, [], None),
        (None, None, None),
    ],
)
def test_the_load_decides_and_rare_events_do_not(times: Any, late: list[str] | None, settled: bool | None) -> None:
    assert settling.load_settled(times, {}, scenario()) is settled
    assert settling.load_settled(times, {}, scenario(base_sources=0)) is True
    if late is not None:
        assert settling.late(times, 40.0) == late


@pytest.mark.parametrize(
    ("sending", "traffic", "late"),
    [
        (0.05, -0.05, []),
        (0.051, 0.0, ["sending"]),
        (0.0, -0.06, ["segments_leaving"]),
        (None, 0.0, ["sending"]),
    ],
)
def test_a_load_that_hardly_moves_has_settled(sending: float | None, traffic: float, late: list[str]) -> None:
    times = {"sending": None, "segments_leaving": 41.0, "segments_dropped": None}
    drifts = {"sending": sending, "segments_leaving": traffic}
    assert settling.unsettled(times, drifts, 40.0) == late
    assert settling.load_settled(times, drifts, scenario()) is not bool(late)
    assert settling.unsettled(dict.fromkeys(times, 40.0), dict.fromkeys(drifts, 0.5), 40.0) == []


def test_the_drift_is_between_the_halves_of_the_measured_time() -> None:
    instants = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert settling.drift(instants, [9.0, 2.0, 2.0, 3.0, 3.0, 9.0], from_s=1, until_s=5) == pytest.approx(0.5)
    assert settling.drift(instants, [0.0] * 6, from_s=1, until_s=5) is None
    assert settling.drift(instants, [1.0] * 6, from_s=5, until_s=6) is None  # one sample
    assert settling.drift([], [], from_s=0, until_s=1) is None


def test_the_latest_series_of_the_load_counts() -> None:
    assert settling.of_load({"sending": 3.0, "segments_leaving": 7.0, "segments_dropped": 50.0}) == 7.0
    assert settling.of_load({"sending": 3.0, "segments_leaving": None}) is None


def test_changes_of_the_scenario_end_the_span_that_counts() -> None:
    assert settling.steady_until(scenario()) == 100
    assert settling.steady_until(scenario(jumbo_period=2)) == 60
    assert settling.steady_until(scenario(jumbo_period=2, jumbo_factor=1)) == 100
    assert settling.steady_until(scenario(jumbo_period=2, base_sources=0)) == 100
    changed = {**scenario(jumbo_period=3), "network": {"changes": [{"time": 10}, {"time": 70}]}}
    assert settling.steady_until(changed) == 70


@pytest.fixture(scope="module")
def run() -> mesonet.simulation.result.Result:
    return mesonet.simulate(mesonet.scenario("abilene", duration="20 s", **SMALL), seed=1)


def test_a_run_records_the_time_of_each_series(run: mesonet.simulation.result.Result) -> None:
    about = json.loads(run.run_json())
    assert list(about["settling_s"]) == sorted(settling.SETTLING)
    assert about["settling_s"] == run.settling_times
    rates = run.series.to_polars().filter(pl.col("time_s") > 8)["segments_leaving"]
    moved = rates[len(rates) // 2 :].mean() / rates[: len(rates) // 2].mean() - 1
    assert about["load_drift"]["segments_leaving"] == pytest.approx(moved)
    assert about["settling_time_s"] == max(run.settling_time(name) for name in settling.LOAD) == run.settling_time()
    columns = run.series.to_polars()
    for name in settling.SETTLING:
        assert about["settling_s"][name] == settling.settling_time(columns["time_s"].to_list(), columns[name], 20)
    with pytest.raises(KeyError):
        run.settling_time("load")


def shown(*options: str) -> str:
    values = [word for path, value in SMALL.items() for word in ("--set", f"{path}={value}")]
    return CliRunner().invoke(main, ["run", "abilene", *values, *options], catch_exceptions=False).stdout


def test_the_command_names_series_that_had_not_settled() -> None:
    printed = shown("--duration", "4 s").splitlines()[-1]
    assert holds(printed, "note: the load had not settled", "warm-up of 1.6 s", "MSER-5")
    assert "transmitting sources (not by the end, +" in printed
    assert "; drops (not by the end)" in printed
    reported = json.loads(shown("--duration", "4 s", "--json"))
    assert (reported["load_settled"], reported["settling_time_s"]) == (False, None)
    assert reported["settling_s"] == dict.fromkeys(settling.SETTLING)
    assert set(reported["load_drift"]) == set(settling.LOAD)
    assert "settled" not in shown("--duration", "30 s", "--set", "warmup=15 s", "--seed", "2")
    late = shown("--duration", "30 s", "--set", "warmup=5 s", "--seed", "2").splitlines()[-1]
    assert holds(late, "the load had not settled", "warm-up of 5 s", "MSER-5", "traffic (after 6 s, +")


def test_a_note_on_rare_events_says_that_the_load_settled() -> None:
    times = {"sending": 1.0, "segments_leaving": None, "segments_dropped": None}
    provenance = {"scenario": {"users": {"base_sources": 5}}}
    result: Any = SimpleNamespace(
        settling_times=times, load_drift={"segments_leaving": -0.01}, load_settled=True, provenance=provenance
    )
    note = _settling_note(result, 2.0)
    assert holds(
        note,
        "counts as settled",
        "warm-up of 2 s",
        "MSER-5",
        "traffic (not by the end, -1.0%",
        "second half",
        "drops (not by the end)",
    )
    result.settling_times = {"sending": 2.0}
    assert _settling_note(result, 2.0) == ""
    assert "transmitting sources" not in note
    result.settling_times = times
    provenance["scenario"]["users"]["base_sources"] = 0  # only explicit flows
    assert _settling_note(result, 2.0) == ""


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two conditions, three replicates: 6 runs of 4 s, too short for a verdict of MSER-5."""
    folder = tmp_path_factory.mktemp("settling")
    (folder / "two.toml").write_text(
        """
name = "two"
title = "Two conditions"
scenario = "abilene"
algorithms = ["tcp"]
replicates = 3
responses = "exp-2"

[set]
"time.duration" = "4 s"
"users.base_sources" = 2

[[factors]]
id = "X1"
minus = "40 seg/ms"
plus = "80 seg/ms"
"""
    )
    return mesonet.experiment(folder / "two.toml").run(folder / "out", workers=1, progress=False).path


def recorded(campaign: Path, folder: Path, entries: dict[int, Any]) -> mesonet.Campaign:
    """Return a copy of the campaign with other entries in the records of its runs, by place in the table."""
    copy = folder / "copy"
    shutil.copytree(campaign, copy)
    for place, key in enumerate(load(campaign).runs["key"]):
        file = copy / "runs" / key / "run.json"
        about = json.loads(file.read_text())
        del about["checksums"]
        for name, value in entries[place].items():
            about.pop(name) if value is ... else about.update({name: value})
        file.write_text(json.dumps(about))
    return load(copy)


def at(*seconds: float | None) -> dict[str, Any]:
    times = dict(zip(settling.SETTLING, seconds, strict=True))
    return {
        "settling_s": times,
        "settling_time_s": settling.of_load(times),
        "load_drift": {"sending": 0.2, "segments_leaving": -0.2},
    }


SETTLED, LATE, NEVER, RARE = at(0.2, 0.4, 0, 0), at(0.2, 3.0, 0, 0), at(None, 0.2, 0, 0), at(0.2, 0.2, 3.0, None)
UNKNOWN = {"settling_s": ..., "settling_time_s": ..., "load_drift": ...}


def test_a_campaign_has_the_times_of_its_runs(campaign: Path, tmp_path: Path) -> None:
    runs = load(campaign).runs
    assert runs["load_settled"].to_list() == [False] * 6
    assert runs["settling_time_s"].is_nan().all()
    found = recorded(campaign, tmp_path, dict(enumerate([SETTLED, LATE, NEVER, RARE, SETTLED, LATE])))
    assert found.runs["load_settled"].to_list() == [True, False, False, True, True, False]
    assert found.runs["settling_segments_leaving_s"].to_list() == [0.4, 3.0, 0.2, 0.2, 0.4, 3.0]
    assert found.runs["settling_segments_dropped_s"].is_nan().to_list() == [False] * 3 + [True] + [False] * 2
    assert found.unsettled == (1,)  # two of its three runs
    assert set(found.runs["drift_segments_leaving"]) == {-0.2}
    wandering = {**NEVER, "load_drift": {"sending": 0.04, "segments_leaving": None}}
    found = recorded(campaign, tmp_path / "wandering", dict.fromkeys(range(6), wandering))
    assert found.unsettled == ()
    found = load(tmp_path / "copy")
    table = study_table(found)
    by_run = table.select("condition", "replicate", "load_settled", "settling_time_s").unique(maintain_order=True)
    assert by_run["load_settled"].to_list() == found.runs["load_settled"].to_list()
    assert by_run["settling_time_s"].to_list()[:2] == [0.4, 3.0]


def test_half_of_the_runs_are_not_a_majority(campaign: Path, tmp_path: Path) -> None:
    entries = dict(enumerate([SETTLED, LATE, SETTLED, SETTLED, SETTLED, SETTLED]))
    assert recorded(campaign, tmp_path, entries).unsettled == ()


def test_earlier_records_are_read(campaign: Path, tmp_path: Path) -> None:
    """Records without `settling_s` have the transmitting sources only; the oldest have nothing."""
    earlier = {"settling_s": ..., "settling_time_s": 0.4, "load_drift": ...}
    found = recorded(campaign, tmp_path, dict(enumerate([earlier] * 6)))
    assert found.runs["load_settled"].all()
    assert found.runs["settling_sending_s"].to_list() == [0.4] * 6
    assert found.runs["settling_segments_leaving_s"].is_null().all()
    assert found.unsettled == ()
    found = recorded(campaign, tmp_path / "mixed", dict(enumerate([SETTLED] * 5 + [UNKNOWN])))
    assert found.unsettled is None
    assert study_table(found).filter(condition=2, replicate=3)["load_settled"].is_null().all()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"sending": "late"}, r"settling_s = .*: a value in it is not a number or null"),
        ({"sending": -1.0}, r"settling_s = .*: a value in it is too low. Allowed: at least 0"),
        ([1.0], r"settling_s = \[1.0\]: not an object"),
    ],
)
def test_a_damaged_record_is_refused(campaign: Path, tmp_path: Path, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        recorded(campaign, tmp_path, dict(enumerate([SETTLED] * 5 + [{"settling_s": value}])))


def sentence(campaign: mesonet.Campaign) -> str:
    return dict(findings(CampaignView(campaign))).get("Warm-up", "")


def test_the_report_names_the_series_of_the_load(campaign: Path, tmp_path: Path) -> None:
    found = recorded(campaign, tmp_path, dict(enumerate([SETTLED, LATE, NEVER, RARE, SETTLED, LATE])))
    printed = sentence(found)
    assert holds(
        printed,
        "3 of 6 runs",
        "not settled",
        "transmitting sources in 1 run",
        "traffic in 2 runs",
        "conditions 1 and 2",
    )
    calm = recorded(campaign, tmp_path / "calm", dict.fromkeys(range(6), RARE))
    assert sentence(calm) == ""
    unknown = recorded(campaign, tmp_path / "unknown", dict.fromkeys(range(6), UNKNOWN))
    assert holds(sentence(unknown), "settled", "not known", "did not record")
    assert sentence(fake_campaign()) == ""


def test_explicit_flows_have_no_load_that_settles(tmp_path: Path) -> None:
    file = tmp_path / "pair.toml"
    file.write_text(
        'name = "pair"\ntitle = "A pair"\nscenario = "dumbbell"\nalgorithms = ["tcp"]\n[set]\nduration = "2 s"\n'
    )
    found = mesonet.experiment(file).run(tmp_path / "out", workers=1, progress=False)
    assert found.runs["load_settled"].to_list() == [True]
    assert found.unsettled == ()


def test_models_have_no_load(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("def one(parameters, seed):\n    return {'cost': 1.0}\n")
    file = tmp_path / "one.toml"
    file.write_text(
        'name = "one"\ntitle = "One"\nmodel = {function = "one.py:one"}\n[[factors]]\nid = "a"\nminus = 1\nplus = 2\n'
    )
    found = mesonet.experiment(file).run(tmp_path / "out", workers=1, progress=False)
    assert found.runs["load_settled"].is_null().all()
    assert found.runs.schema["settling_sending_s"] == pl.Float64
