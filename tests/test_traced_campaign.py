"""Experiments without factors that keep traces: from the file to windows, latencies and figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from mesonet import core
from mesonet.campaign import Campaign, load
from mesonet.cli.scenario_targets import find_scenario
from mesonet.designs import two_level
from mesonet.errors import InputError
from mesonet.experiments.network import experiment
from mesonet.reporting import report_html, write_analysis
from mesonet.reporting.campaign_view.traced import traced_runs
from mesonet.reporting.folder.tables import traced_tables

pytestmark = pytest.mark.process

PAIR = """
name = "short-pair"
title = "Two flows, the second from 6 s, and three that come and go"
scenario = "dumbbell"
algorithms = ["tcp", "scalable"]
keep = ["flow_traces"]

[set]
preset = "sp500_282"
"transport.initial_ssthresh" = "140 segments"
"network.speed" = "2 seg/ms"
"network.buffer" = "60 segments"

[set.time]
duration = "12 s"
warmup = "0 s"
periods = 1

[set.trace]
flows = [1, 2]
every = "50 ms"

[[set.flows]]
from = "A"
to = "B"
interface = "1 seg/ms"

[[set.flows]]
from = "A"
to = "B"
start = "6 s"
stop = "9 s"
count = 3
algorithm = "tcp"
"""


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    folder = tmp_path_factory.mktemp("pair")
    (folder / "pair.toml").write_text(PAIR)
    return experiment(folder / "pair.toml").run(folder / "out", workers=2, progress=False)


def test_a_design_without_factors_is_one_run() -> None:
    design = two_level([])
    assert design.matrix.shape == (1, 0)
    assert (design.runs, design.word_lengths, design.aliases) == (1, {}, {})


def test_an_experiment_without_factors_has_one_condition(campaign: Campaign) -> None:
    assert campaign.factors == ()
    assert campaign.runs.select("condition", "algorithm", "status").rows() == [
        (1, "tcp", "done"),
        (1, "scalable", "done"),
    ]
    again = load(campaign.path)
    assert again.design.matrix.shape == (1, 0)
    assert again.responses.equals(campaign.responses)


def test_equal_flows_can_be_given_once(campaign: Campaign) -> None:
    flows = campaign.experiment["scenarios"][0]["scenario"]["flows"]
    assert len(flows) == 4
    assert flows[1] == flows[2] == flows[3]
    assert "count" not in flows[1]
    text = {row["path"]: row["value"] for row in campaign.experiment["parameters"]}["flows"]
    assert text == "A to B from 0 s; 3 times A to B from 6 s"


def test_kept_tables_lie_beside_the_responses(campaign: Campaign) -> None:
    key = campaign.runs["key"][0]
    assert {path.name for path in (campaign.path / "runs" / key).iterdir()} == {
        "responses.parquet", "groups.parquet", "flow_traces.parquet", "run.json",
    }  # fmt: skip
    assert set(campaign.kept("flow_traces", 1, "tcp")["flow"]) == {"flow 1", "flow 2"}
    with pytest.raises(InputError, match="unknown kept table"):
        campaign.kept("series", 1, "tcp")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ((2, "tcp"), "condition = 2: no such condition. Allowed: 1"),
        ((0, "tcp"), "condition = 0: no such condition. Allowed: 1"),
        ((1, "tpc"), 'algorithm = "tpc": unknown algorithm (nearest: tcp). Allowed: tcp, scalable'),
        ((1, "tcp", 3), "replicate = 3: no such replicate. Allowed: 1"),
    ],
)
def test_kept_tables_of_a_run_that_does_not_exist(campaign: Campaign, run: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError) as refused:
        campaign.kept("flow_traces", *run)
    assert str(refused.value) == message


def test_windows_and_latencies_of_every_run(campaign: Campaign) -> None:
    tables = traced_tables(campaign)
    windows = tables["windows"]
    assert windows.columns == [
        "condition", "algorithm", "replicate", "flow", "begin", "end", "window", "share", "rate", "queued",
    ]  # fmt: skip
    own = windows.filter(algorithm="tcp")
    assert own.select("flow", "begin", "end").rows() == [
        ("flow 1", 0, 6), ("flow 1", 6, 9), ("flow 1", 9, 12), ("flow 2", 6, 9), ("flow 2", 9, 12),
    ]  # fmt: skip
    shared = own.filter(begin=6)
    assert shared["share"].sum() == pytest.approx(1)
    assert (windows["window"] > 0).all()
    latencies = tables["latencies"]
    assert latencies["full_rate"].to_list() == [1000, 1000]
    # A window of 1 segment/ms x 162 ms against a threshold of 140: Scalable TCP gets there, and sooner.
    goodput = dict(latencies.select("algorithm", "goodput").iter_rows())
    assert goodput["scalable"] is not None
    assert 1 < goodput["scalable"] < (goodput["tcp"] or 100)
    assert (latencies["during"] < 0.95).all()


def test_latencies_need_a_flow_that_outlives_the_others(tmp_path: Path) -> None:
    (tmp_path / "pair.toml").write_text(PAIR.replace('stop = "9 s"\n', "").replace('"12 s"', '"7 s"'))
    campaign = experiment(tmp_path / "pair.toml", algorithms=["tcp"]).run(tmp_path / "out", progress=False)
    assert set(traced_tables(campaign)) == {"windows"}
    (run,) = traced_runs(campaign)
    assert run.congestion is None
    assert run.spans == [(0, 6), (6, 7)]


LONG_LIVED = """
name = "long-lived"
title = "Long-lived flows among the users"
scenario = "abilene"
algorithms = ["tcp"]
keep = ["flow_traces"]

[set]
"users.base_sources" = 1
"users.long_lived_flows" = 3
"time.duration" = "3 s"
"time.warmup" = "1 s"
"time.periods" = 1
"trace.flows" = [1, 2, 3]
"trace.every" = "100 ms"
"""


def test_long_lived_flows_have_windows_and_no_latencies(tmp_path: Path) -> None:
    """Long-lived flows are numbered like explicit flows, but are not listed in the scenario."""
    (tmp_path / "long.toml").write_text(LONG_LIVED)
    campaign = experiment(tmp_path / "long.toml").run(tmp_path / "out", progress=False)
    tables = traced_tables(campaign)
    assert set(tables) == {"windows"}
    assert set(tables["windows"]["flow"]) == {"flow 1", "flow 2", "flow 3"}
    assert "No factor was varied" in report_html(campaign)


def test_figures_and_report(campaign: Campaign, tmp_path: Path) -> None:
    files = {path.name for path in write_analysis(campaign, tmp_path)}
    assert {"tcp.svg", "scalable.svg", "latencies.svg", "windows.csv", "latencies.parquet"} <= files
    assert not any(name.startswith(("main_effects", "half_normal", "interactions")) for name in files)
    svg = (tmp_path / "analysis" / "figures" / "windows" / "tcp.svg").read_text()
    assert "the path holds 324" in svg
    average = pl.read_csv(tmp_path / "analysis" / "tables" / "windows.csv")["window"][0]
    assert f"{average:,.0f}" in svg
    index = (tmp_path / "analysis" / "index.md").read_text()
    assert "Average windows of tcp, segments. 0 to 6 s: flow 1 " in index
    page = report_html(campaign)
    assert "What drives it" not in page
    assert "No factor was varied" in page


def test_a_condition_of_an_experiment_without_factors_runs_alone(tmp_path: Path) -> None:
    (tmp_path / "pair.toml").write_text(PAIR)
    assert find_scenario(str(tmp_path / "pair.toml"), condition=1, algorithm="bic").value("algorithms") == [("bic", 1)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('keep = ["flow_traces"]', 'keep = ["traces"]', "keep[0]"),
        ('keep = ["flow_traces"]', 'keep = "series"', "keep"),
        ('algorithms = ["tcp", "scalable"]', 'algorithms = "every"', "algorithms"),
        ("count = 3", "count = 0", "set.flows[1].count"),
        ("count = 3", 'count = "some"', "set.flows[1].count"),
        ('name = "short-pair"', 'name = "short-pair"\ndesign.generators = []', "design"),
    ],
)
def test_bad_files_are_refused_with_the_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(PAIR.replace(old, new))
    with pytest.raises(InputError) as refused:
        experiment(file)
    assert f"{file}: {message}" in str(refused.value)


def test_all_stands_for_every_algorithm(tmp_path: Path) -> None:
    (tmp_path / "pair.toml").write_text(PAIR.replace('["tcp", "scalable"]', '"all"'))
    assert experiment(tmp_path / "pair.toml").algorithms == tuple(core.algorithms())


@pytest.mark.parametrize("name", ["dumbbell-pairs", "dumbbell-starts", "latencies"])
def test_built_in_studies_of_single_flows(name: str) -> None:
    chosen = experiment(name)
    assert chosen.keep == ("flow_traces",)
    assert chosen.scenario.preset == "sp500_282"
    chosen.check()
    if name != "dumbbell-starts":
        assert chosen.algorithms == tuple(core.algorithms())
        assert chosen.design.runs == 1
