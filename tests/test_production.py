"""Congestion controls of production software: by name in builds that have them, and named in builds that do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import mesonet as mn
from fragments import holds
from mesonet import algorithms, plugins
from mesonet.cli.verbs import main
from mesonet.errors import InputError

BUILT = {*algorithms.PRODUCTION} <= {*plugins.by_name()}
built = pytest.mark.skipif(not BUILT, reason="needs a build with the cargo feature s2n: make dev FEATURES=s2n")


@pytest.mark.skipif(BUILT, reason="this build has them")
@pytest.mark.parametrize("name", algorithms.PRODUCTION)
def test_a_build_without_them_names_the_feature(name: str) -> None:
    with pytest.raises(
        InputError, match=rf'"{name}": this build lacks it. Allowed: a build with the cargo feature s2n'
    ):
        mn.scenario("dumbbell", algorithm=name)


@built
@pytest.mark.parametrize("name", algorithms.PRODUCTION)
def test_a_run_is_reproducible_and_threads_change_nothing(name: str) -> None:
    scenario = mn.scenario("abilene", algorithm=f"{name}=0.5 cubic=0.5", duration="4 s", warmup="1 s")
    one, two = (mn.simulate(scenario, seed=3, threads=threads).responses.to_polars() for threads in (1, 2))
    assert one.equals(two)


@built
def test_cubic_is_near_ours() -> None:
    windows = []
    for name in ("s2n-cubic", "cubic"):
        trace = {"trace.flows": [1], "trace.every": "100 ms"}
        scenario = mn.scenario("bottleneck", algorithm=name, preset="linux", duration="60 s", **trace)
        flow = mn.simulate(scenario, seed=1).flow_traces.to_polars()
        windows.append(flow.filter(flow["time_s"] > 10)["cwnd"].mean())
    assert windows[0] == pytest.approx(windows[1], rel=0.05)


@built
def test_a_campaign_records_no_file_and_goes_on(tmp_path: Path) -> None:
    command = ["experiment", "run", "demo", "--algorithms", "tcp,s2n-bbr2", "--duration", "1 s", "--set", "warmup=0 s"]
    out = ["--out", str(tmp_path / "out")]
    done = CliRunner().invoke(main, [*command, *out])
    assert done.exit_code == 0, done.stderr
    assert not (tmp_path / "out" / "plugins.json").exists()
    again = CliRunner().invoke(main, [*command, *out])
    assert again.exit_code == 0, again.stderr


@built
def test_a_run_without_snapshots_says_so(tmp_path: Path) -> None:
    run = [
        "run",
        "dumbbell",
        "--algorithm",
        "s2n-cubic",
        "--duration",
        "2 s",
        "--checkpoint",
        str(tmp_path / "snapshot"),
    ]
    done = CliRunner().invoke(main, run)
    assert done.exit_code == 2
    assert holds(done.stderr, "s2n-cubic", "resumed")
