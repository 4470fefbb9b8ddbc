from __future__ import annotations

import json
import math
import sys
import tomllib
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import mesonet
from mesonet import simulate as run
from mesonet.errors import InputError
from mesonet.responses.definitions import RESPONSES
from mesonet.scenarios.scenario import Scenario, scenario
from mesonet.simulation.result import FILES, Result

SECONDS = "2 s"


def small(**values: object) -> Scenario:
    return scenario("abilene", speed="40 seg/ms", base_sources=2, duration=SECONDS, flow_records=1, **values)


@pytest.fixture(scope="module")
def result() -> Result:
    return run(small(), seed=3)


def test_every_response_comes_for_every_period_and_totals_for_the_run(result: Result) -> None:
    rows = result.responses.frame.to_dicts()
    expected = [(r.name, period) for period in ("1", "2", "3", "measured") for r in RESPONSES if not r.total]
    expected += [(r.name, "run") for r in RESPONSES if r.total]
    assert {(row["response"], row["period"]) for row in rows} == set(expected)
    assert len(rows) == len(expected)
    units = {r.name: (r.symbol, r.unit) for r in RESPONSES}
    assert all(units[row["response"]] == (row["symbol"], row["unit"]) for row in rows)


def test_tables_hold_what_the_run_did(result: Result) -> None:
    series = result.series.to_polars()
    assert len(series) == 10  # 2 s in steps of 200 ms
    assert series["flows_completed"].sum() == result.value("total_flows_completed", "run")
    flows = result.flows.to_polars()
    assert flows["completed"].sum() == result.value("total_flows_completed", "run")
    assert (flows["completed"] == 0).any()  # flows that the end of the run cut short have a record too
    assert result.performance["data_segments_delivered"] == result.value("total_data_segments_delivered", "run")
    assert result.performance["router_hops"] > result.performance["data_segments_delivered"]
    assert result.performance["cpu_s"] > 0
    assert result.performance["peak_rss_bytes"] > 10_000_000
    with pytest.raises(KeyError, match="no response 'cwnd' in period 'run'"):
        result.value("cwnd", "run")


def test_numeric_columns_carry_units(result: Result) -> None:
    for table in (result.series, result.flows, result.groups):
        assert {column.name for column in table.frame if column.dtype != pl.String} == set(table.units)
    assert result.series.units["rtt_ms"] == "ms"
    assert result.flows.units["goodput"] == "segments/s"


def test_tables_come_in_every_form(result: Result) -> None:
    pandas = result.series.to_pandas()
    assert pandas["sending"].tolist() == result.series.to_polars()["sending"].to_list()
    series = result.series.to_xarray()
    assert series.sizes == {"time_s": 10}
    assert series["rtt_ms"].attrs["units"] == "ms"
    value = result.responses.to_xarray()["value"].sel(response="rtt", period="measured")
    assert float(value) == result.value("rtt")
    assert "sending" in repr(result.series)
    arrow = result.responses.to_arrow()
    assert arrow.to_pylist() == result.responses.frame.to_dicts() == result.responses.rows()
    assert result.series.rows() == result.series.frame.to_dicts()
    assert len(result.series) == result.series.frame.height == 10
    assert str(arrow.schema.field("period").type) == "string"
    assert result.series.to_arrow().schema.field("rtt_ms").metadata == {b"unit": b"ms"}


@pytest.mark.parametrize(("form", "package"), [("arrow", "pyarrow"), ("pandas", "pandas"), ("xarray", "xarray")])
def test_forms_without_their_package_name_the_extra(
    form: str, package: str, result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf'to_{form} needs an optional package: pip install "mesonet\[dataframes\]"'):
        getattr(result.series, f"to_{form}")()


def test_same_seed_same_tables_other_seed_other_tables(result: Result) -> None:
    again, other = run(small(), seed=3), run(small(), seed=4)
    for name in ("responses", "series", "flows", "groups"):
        assert getattr(again, name) == getattr(result, name)
    assert other.flows != result.flows


@pytest.mark.parametrize("wall_s", [1e-9, 1e9])
def test_slices_do_not_change_results(result: Result, monkeypatch: pytest.MonkeyPatch, wall_s: float) -> None:
    module = sys.modules["mesonet.simulation.simulate"]  # the name in the package is the function
    monkeypatch.setattr(module, "SLICE_S", wall_s)
    monkeypatch.setattr(module, "_MOST_SLICES", 500)
    sliced = run(small(), seed=3)
    for name in ("responses", "series", "flows", "groups"):
        assert getattr(sliced, name) == getattr(result, name)


def test_progress_reaches_the_end() -> None:
    seen: list[tuple[float, float]] = []
    run(small(), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (2.0, 2.0)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len(seen) > 3


def test_explicit_flows_have_their_own_columns() -> None:
    flows = [{"from": "A", "to": "B"}, {"from": "A", "to": "B", "start": "1 s"}]
    pair = run(scenario("dumbbell-pair", duration="3 s", warmup="0 s", flows=flows))
    assert {"flow_1_cwnd", "flow_1_rtt_ms", "flow_2_delivered"} <= set(pair.series.units)
    records = pair.flows.frame.to_dicts()
    assert [(record["from"], record["to"], record["size"]) for record in records] == [("A", "B", None)] * 2
    assert math.isnan(pair.value("retransmission_rate"))  # no flow completed
    assert np.isfinite(pair.value("rtt"))


def test_write_and_replace(result: Result, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    assert result.write(out) == out
    assert sorted(path.name for path in out.iterdir()) == sorted(FILES)
    assert [path.name for path in out.parent.iterdir()] == ["out"]
    about = json.loads((out / "run.json").read_text())
    assert about["scenario"] == small().canonical()
    assert about["seed"] == 3
    assert about["versions"]["code_version"]
    assert about["performance"]["data_segments_delivered"] == result.performance["data_segments_delivered"]
    first = {name: (out / name).read_bytes() for name in FILES if name.endswith("parquet")}
    run(small(), seed=3).write(out)
    assert {name: (out / name).read_bytes() for name in first} == first
    for name in ("responses", "series"):
        file, table = out / f"{name}.parquet", getattr(result, name)
        assert pl.read_parquet(file).equals(table.to_polars())
        assert json.loads(pl.read_parquet_metadata(file)["units"]) == table.units


def test_foreign_directories_are_left_alone(result: Result, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(InputError, match=r"other files \(thesis.tex\)"):
        result.write(tmp_path)
    with pytest.raises(InputError, match="not a folder"):
        result.write(tmp_path / "thesis.tex")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    "seed", [-1, 2**63, 1.5, True, "1", None, np.float64(1), np.bool_(True), np.int64(-1), np.uint64(2**63)]
)
def test_bad_seeds_are_refused(seed: object) -> None:
    with pytest.raises(InputError, match=r"^seed( = .*)?: (not a whole number|too low|too high)"):
        run(small(), seed=seed)


@pytest.mark.parametrize("kind", [np.int64, np.uint8])
def test_seeds_may_be_whole_numbers_of_numpy(kind: type) -> None:
    result = run(small(), seed=kind(3))
    assert result.responses == run(small(), seed=3).responses
    assert json.loads(result.run_json())["seed"] == 3


def test_version_is_that_of_the_package() -> None:
    workspace = tomllib.loads((Path(__file__).parents[1] / "Cargo.toml").read_text())["workspace"]
    assert mesonet.__version__ == workspace["package"]["version"]
