"""The table of units: flows by user, period and class, in a run and in a campaign."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner
from polars.testing import assert_frame_equal

import mesonet as mn
from mesonet import core
from mesonet.campaign.export import write_kept_table
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.experiments.network import experiment
from mesonet.responses.tables import UNIT, UNITS
from mesonet.scenarios.scenario import Scenario
from mesonet.simulation.size import refuse_large, run_size

LINKS = "from,to,delay_ms,capacity_mbps\nParis,Madrid,8,1000\nParis,London,30,1000\n"
CABLE, FIBRE = "cable 50/10", "fibre 1000"
HOME = f"Madrid.{CABLE}.1"
EXPERIMENT = """
name = "units"
title = "Shares of two algorithms"
scenario = "abilene"
algorithms = ["cubic", "bbr3"]
replicates = 2
keep = ["units"]

[set]
"network.speed" = "40 seg/ms"
"users.base_sources" = 1
"time.duration" = "4 s"
"time.warmup" = "1 s"
"time.periods" = 2

[[factors]]
id = "B"
path = "network.buffer"
minus = "20 segments"
plus = "200 segments"
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("links.csv").write_text(LINKS)
    Path("units.toml").write_text(EXPERIMENT)
    return tmp_path


def homes(**values: Any) -> Scenario:
    """Homes with cable and fibre, users, open-loop arrivals, a bulk flow, and one that sends at a rate."""
    constant = {"application": "constant", "rate": "2 Mbit/s", "from": "London.servers", "to": HOME}
    fixed = {
        "topology": "links.csv", "queue": "port", "preset": "linux", "algorithms": "cubic=.5, bbr3=.5",
        "duration": "4 s", "warmup": "1 s", "periods": 3, "flow_records": 1, "base_sources": 2, "think_time": "1 s",
        "access": [{"profile": CABLE, "homes": 2}, {"profile": FIBRE, "homes": 1, "at": ["Madrid"]}],
        "flows": [{"from": "Paris.servers", "to": HOME}, constant],
        "arrivals": [{"from": ["Paris.servers"], "to": ["all"], "rate": "40 flows/s", "sizes": "30 kB"}],
        "measurement.units": True,
    }  # fmt: skip
    return mn.scenario("abilene", **(fixed | values))


def test_homes_are_units_with_their_access() -> None:
    run = mn.simulate(homes())
    units = run.units.frame
    assert units.select(UNIT).is_unique().all()
    of_homes = units.filter(pl.col("user").str.starts_with("home "))
    assert of_homes.filter(pl.col("user") != "home " + pl.col("home")).is_empty()
    by_home = of_homes.select("home", "pop", "access").unique()
    assert by_home.filter(home=HOME).rows() == [(HOME, f"Madrid.{CABLE}", CABLE)]
    assert set(by_home["access"]) == {CABLE, FIBRE, "direct"}
    bulk = units.filter(user="flow 1")
    assert bulk.select("home", "access", "rtt_class", "flows").rows() == [(HOME, CABLE, "20 to 50 ms", 0)] * 3
    assert bulk["segments_delivered"].min() > 0
    assert bulk["goodput"].null_count() == 3
    of_sources = units.filter(pl.col("user").str.starts_with("source "))
    assert of_sources["home"].n_unique() > 1
    played = run.applications.frame.select("user", "algorithm", "path_class", "rtt_class", "pop", "access").unique()
    algorithm = run.flows.frame.filter(user="flow 2")["algorithm"].item()
    assert played.rows() == [("flow 2", algorithm, "typical", "50 to 100 ms", f"Madrid.{CABLE}", CABLE)]


def test_units_add_up() -> None:
    run = mn.simulate(homes())
    units, flows = run.units.frame, run.flows.frame.filter(completed=1).filter(pl.col("last_acked_s") > 1)
    classes = ["user", "pop", "access", "algorithm", "path_class", "rtt_class", "rate_class"]
    counted = flows.with_columns(period=(pl.col("last_acked_s") - 1).ceil().cast(pl.Int64).cast(pl.String))
    means = {
        "flows": pl.len(), "mean_size": pl.col("size").mean(), "segments_sent": pl.col("segments_sent").sum(),
        "slowdown_log": pl.col("slowdown").log().mean(), "goodput_log": pl.col("goodput").log().mean(),
        "rtt_ms": pl.col("rtt_ms").mean(),
    }  # fmt: skip
    expected = counted.group_by("period", *classes).agg(**means).sort("period", *classes)
    found = units.filter(pl.col("flows") > 0).select("period", *classes, *means).sort("period", *classes)
    assert_frame_equal(found, expected, check_dtypes=False, rel_tol=1e-6, abs_tol=1e-6)
    groups = run.groups.frame.filter(pl.col("period") != "measured", pl.col("algorithm") != "all")
    for column in ("flows", "flow_seconds"):
        assert units[column].sum() == pytest.approx(groups[column].sum(), rel=1e-12)
    assert units["segments_delivered"].sum() == pytest.approx((groups["throughput"] * groups["flow_seconds"]).sum())


def test_only_homes_name_their_access() -> None:
    given = [router for router in homes().canonical()["topology"]["routers"] if "access" in router]
    assert {router["access"] for router in given} == {CABLE, FIBRE}
    assert {router["class"] for router in given} == {"normal"}
    bare = homes(access="study", arrivals=[], flows=[]).canonical()["topology"]["routers"]
    assert all("access" not in router for router in bare)


def test_nothing_is_recorded_by_default() -> None:
    run = mn.simulate(mn.scenario("dumbbell", duration="1 s"))
    assert list(run.units.frame.columns) == list(UNITS.columns)
    assert len(run.units) == 0


def test_a_campaign_keeps_the_table(here: Path) -> None:
    chosen = experiment("units.toml")
    assert chosen.scenario.value("measurement.units") is True
    explained = {row["path"]: row["source"] for row in chosen.parameters()}
    assert explained["measurement.units"] == 'keep = ["units"]'
    planned = mn.load(chosen.run("out", workers=1, progress=False).path)
    rows = planned.scan("units").collect()
    assert rows.columns[:4] == ["condition", "algorithm", "replicate", "period"]
    assert "flow_algorithm" in rows.columns
    one = planned.kept("units", 2, "bbr3", 1)
    same = rows.filter(condition=2, algorithm="bbr3", replicate=1).drop("condition", "algorithm", "replicate")
    assert same.rename({"flow_algorithm": "algorithm"}).equals(one)
    some = planned.scan("units").filter(pl.col("replicate") == 2).select("user", "flows").collect()
    assert some.equals(rows.filter(replicate=2).select("user", "flows"))
    assert len(planned.scan("units").head(3).collect()) == 3
    for name in ("units.parquet", "units.csv"):
        done = CliRunner().invoke(main, ["export", "out", "--table", "units", "--out", name])
        assert done.exit_code == 0, done.output
    exported = pl.read_parquet("units.parquet")
    assert exported.drop("B").equals(rows)
    assert set(exported["B"]) == {-1, 1}
    assert len(pl.read_csv("units.csv")) == len(rows)
    default = CliRunner().invoke(main, ["export", "out", "--table", "units"])
    assert default.output.strip() == str(Path("out", "units.parquet"))
    assert Path(default.output.strip()).exists()
    refused = CliRunner().invoke(main, ["export", "out", "--table", "flows"])
    assert (refused.exit_code, refused.output) == (2, 'mesonet: "flows": unknown kept table. Allowed: units\n')
    begun = replace(planned, runs=planned.runs.with_columns(status=pl.lit("missing")))
    assert begun.scan("units").collect().is_empty()
    with pytest.raises(InputError, match="no run is done"):
        write_kept_table(begun, "units", Path("none.parquet"))


def test_what_is_not_recorded_cannot_be_kept() -> None:
    for given in ('"measurement.units" = false', ""):
        Path("units.toml").write_text(EXPERIMENT.replace("[set]", f"[set]\n{given}"))
        values = {} if given else {"measurement.units": False}
        with pytest.raises(InputError, match=r'keep = "units": units are not recorded.*measurement\.units = true'):
            experiment("units.toml", values=values)


def test_memory_is_expected_for_each_row() -> None:
    def size(scenario: Scenario) -> int:
        return run_size(json.loads(scenario.to_json()), core.describe(scenario.to_json())).memory_bytes

    on, off = homes(), homes(**{"measurement.units": False})
    rows = len(mn.simulate(on).units)
    assert rows * 1_000 < size(on) - size(off) < rows * 20_000
    large = mn.scenario("abilene", base_sources=2_000, duration="4000 s", warmup="10 s", periods=100)
    refuse_large(large.to_json(), 2**30)
    with pytest.raises(InputError, match=r"measurement.units.*GiB"):
        refuse_large(large.set("measurement.units", True).to_json(), 2**30)
