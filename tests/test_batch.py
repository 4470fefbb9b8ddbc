"""Batches: many small edits of one scenario, with the numbers of single runs."""

from __future__ import annotations

import json
import random
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import mesonet as mn
from fragments import holds
from mesonet.cli.verbs import main
from mesonet.errors import InputError, PluginFault
from mesonet.scenarios.scenario import Scenario
from mesonet.simulation import batch as module

RESPONSES = ["segment_rate", "loss_rate", "queueing_delay", "total_segments_dropped"]
PERIODS = ["1", "measured", "run"]
FAULTY = Path(__file__).parent / "plugins" / "faulty.c"


def template(**values: Any) -> Scenario:
    """Return two flows over a bottleneck, for 4 s."""
    flow = {"from": "A", "to": "B", "interface": "1 Gbit/s"}
    flows = [flow | {"algorithm": "cubic"}, flow | {"algorithm": "bbr3", "start": "1 s"}]
    small = {"time.duration": "4 s", "time.warmup": "1 s", "measurement.interval": "200 ms", "flows": flows}
    return mn.scenario("bottleneck").with_values({**small, "measurement.flow_records": 1, **values})


def drawn(draw: random.Random) -> dict[str, Any]:
    """Return a random edit."""
    variant = f"cubic(beta={draw.uniform(0.5, 0.9):.3f})"
    choices = {
        "network.speed": f"{draw.uniform(5, 30):.3f} Mbit/s",
        "delay_multiplier": draw.randrange(10, 100),
        "network.buffer": f"{draw.uniform(0.3, 3):.3f} bdp",
        "impairments.loss": draw.choice([draw.uniform(0, 0.05), [["0 s", 0.1], ["2 s", 0]]]),
        "impairments.capacity": [["0 s", "20 Mbit/s"], [f"{draw.uniform(1, 3):.3f} s", "3 Mbit/s"]],
        "flows[0].start": f"{draw.uniform(0, 1):.3f} s",
        "flows[1].algorithm": draw.choice(["tcp", variant]),
        "transport.segment_bytes": draw.choice([500, 1500]),
        "measurement.flow_series": draw.randrange(3),
    }
    return {path: choices[path] for path in draw.sample(sorted(choices), draw.randrange(len(choices)))}


def test_runs_have_an_edit_and_a_seed_of_their_own() -> None:
    runs = [({"flows[0].start": f"{number / 10} s"}, seed) for number, seed in enumerate([7, 3, 7])]
    found = module.run_edits(template(), runs, ("flows", "series"), threads=2)
    for (edit, seed), tables in zip(runs, found, strict=True):
        single = mn.simulate(template().with_values(edit), seed)
        assert tables["flows"] == single.flows
        assert tables["series"] == single.series


def test_numbers_are_the_numbers_of_single_runs_on_any_number_of_threads() -> None:
    chosen, edits = template(), [drawn(random.Random(seed)) for seed in range(12)]
    kept = ("flows", "series")
    found = mn.batch(chosen, edits, RESPONSES, seeds=[3, 1], periods=PERIODS, tables=kept, threads=1)
    rows = iter(found.responses.rows())
    flows = found.tables["flows"].frame
    for number, edit in enumerate(edits):
        for seed in (3, 1):
            alone = mn.simulate(chosen.with_values(edit), seed=seed)
            values = {(row["response"], row["period"]): row["value"] for row in alone.responses.rows()}
            for period in PERIODS:
                own = {name: values.get((name, period)) for name in RESPONSES}
                assert next(rows) == {"edit": number, "seed": seed, "period": period, **own}
            assert flows.filter(edit=number, seed=seed).drop("edit", "seed").equals(alone.flows.frame)
            series = found.tables["series"].frame.filter(edit=number, seed=seed)
            own = alone.series.frame
            assert series.select(pl.col(name).cast(own.schema[name]) for name in own.columns).equals(own)
    assert next(rows, None) is None
    again = mn.batch(chosen, edits, RESPONSES, seeds=[3, 1], periods=PERIODS, tables=kept, threads=3)
    assert again == found


def test_columns_have_units_and_rows_an_index() -> None:
    found = mn.batch(template(), [{}], ["segment_rate"], tables=["flows"], seeds=range(1, 3))
    assert found.responses.units == {"edit": "1", "seed": "1", "segment_rate": "segments/s"}
    assert found.responses.index == ("edit", "seed", "period")
    assert found.tables["flows"].units["rtt_ms"] == "ms"
    assert found.tables["flows"].index == ("edit", "seed", "source", "transfer")
    assert found.tables["flows"].column("seed") == [1, 1, 2, 2]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"impairments.loss": 2}, r"^edits\[1\]\.impairments\.loss = 2: too high\. Allowed: at least 0"),
        ({"duration": "5"}, r'^edits\[1\]\.time\.duration = "5": a time needs its unit'),
        ({"flows[2].size": "3 MB"}, r'^edits\[1\]\.flows\[2\]\.size = "3 MB": the scenario has no such flow'),
        ({"flows[0].stat": "1 s"}, r"^edits\[1\]\.flows\[0\]\.stat = .*: unknown key of a flow"),
        ({"speeed": 1}, r"^edits\[1\]\.speeed = 1: unknown path \(nearest: network\.speed"),
        ({"warmup": "9 s"}, r'^edits\[1\]\.time\.duration = "4 s": the run ends inside the warm-up of 9 s'),
        ({"flows[0].to": "X"}, r'^edits\[1\]\.flows\[0\]\.to = "X": '),
        ({"parameters.fast.alpha": 9}, r"^edits\[1\]\.parameters\.fast\.alpha = .*: no flow uses fast"),
        ({"duration": "100 h", "interval": "1 ms"}, r"^edits\[1\]\.measurement\.interval = .*GiB of memory"),
        ({"impairments.capacity": "none.csv"}, r'^edits\[1\]\.impairments\.capacity = "none\.csv": no such file'),
        ({"trace.flows": [9]}, r"^edits\[1\]\.trace\.flows = "),
        ("loss=2", r'^edits\[1\] = "loss=2": not an edit\. Allowed: a mapping'),
    ],
)
def test_a_refused_edit_is_named(edit: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        mn.batch(template(), [{}, edit], ["segment_rate"])


def test_a_file_of_an_edit_is_named_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "rates.csv"
    file.write_text("time_s,rate_mbps\n0,fast\n")
    with pytest.raises(InputError, match=rf"^edits\[0\], {file}: line 2, rate_mbps"):
        mn.batch(template(), [{"impairments.capacity": str(file)}], ["segment_rate"])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"edits": []}, "edits: there is none"),
        ({"seeds": []}, "seeds: there is none"),
        ({"seeds": [1, -1]}, r"seeds\[1\] = -1: too low"),
        ({"responses": []}, "responses: there is none"),
        ({"responses": ["goodput"]}, r'responses\[0\] = "goodput": unknown response'),
        (
            {"responses": ["total_segments_dropped"]},
            r"responses\[0\] = .*no value in these periods\. Allowed: with run",
        ),
        ({"periods": ["run"]}, r"responses\[0\] = .*Allowed: with a period other than run"),
        ({"periods": ["measured", "2"]}, r'periods\[1\] = "2": unknown period.*Allowed: 1, measured, run'),
        ({"tables": ["responses"]}, r'tables\[0\] = "responses": unknown table'),
        ({"threads": 0}, "threads = 0: too low"),
    ],
)
def test_bad_arguments_are_refused(values: dict[str, Any], words: str) -> None:
    given = {"edits": [{}], "responses": ["segment_rate"], **values}
    with pytest.raises(InputError, match=words):
        mn.batch(template(), given.pop("edits"), given.pop("responses"), **given)


def test_an_interrupt_ends_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[float] = []

    def endless_but_the_first(_: Any, duration: float, look: Any) -> None:
        begun.append(duration)
        while duration != 3:
            look(0.0)
            time.sleep(0.001)

    def interrupt(done: float, total: float) -> None:
        assert (done <= 1, total) == (True, 60)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(module, "advance", endless_but_the_first)
    with pytest.raises(KeyboardInterrupt):
        mn.batch(template(), [{"duration": "3 s"}, *[{}] * 59], ["loss_rate"], threads=2, progress=interrupt)
    assert len(begun) <= 3


@pytest.mark.slow
@pytest.mark.usefixtures("own_plugins")
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_plug_in_is_an_edit_and_its_fault_is_named() -> None:
    chosen = template()
    edits = [{"flows[1].algorithm": f"{FAULTY}(kind=1)"}]
    with pytest.raises(PluginFault, match=r"^edits\[0\], seed 2: plug-in faulty: "):
        mn.batch(chosen, edits, ["segment_rate"], seeds=[2])


# The command


def call(*words: object) -> Any:
    return CliRunner().invoke(main, ["batch", *map(str, words)])


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    file = tmp_path / "edits.csv"
    file.write_text('network.speed,impairments.loss,flows[1].start\n10 Mbit/s,,\n,"[[""0 s"", 0.1]]",250.5 s\n')
    return file


def test_the_command_runs_each_line(edits: Path, tmp_path: Path) -> None:
    options = ("--duration", "8 s", "--set", "warmup=2 s", "--responses", "segment_rate,loss_rate", "--seeds", 2)
    out = tmp_path / "new" / "table.csv"
    done = call("bottleneck", edits, *options, "--json", "--out", out)
    assert done.exit_code == 2
    assert holds(done.output, "edits.csv", "line 3", "flows[1].start", "no such flow")
    edits.write_text(edits.read_text().replace("flows[1].start", "flows[0].start").replace("250.5", "0.5"))
    done = call("bottleneck", edits, *options, "--json", "--out", out)
    found = json.loads(done.stdout)
    changes = [{"network.speed": "10 Mbit/s"}, {"impairments.loss": [["0 s", 0.1]], "flows[0].start": "0.5 s"}]
    chosen = mn.scenario("bottleneck", duration="8 s", warmup="2 s")
    same = mn.batch(chosen, changes, ["segment_rate", "loss_rate"], seeds=[1, 2]).responses
    assert found["runs"] == same.rows()
    assert found["units"]["loss_rate"] == "1"
    assert pl.read_csv(out)["segment_rate"].to_list() == same.column("segment_rate")
    assert len(call("bottleneck", edits, *options).stdout.splitlines()) == 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--responses", "loss_rat"], 'responses[0] = "loss_rat": unknown response (nearest: loss_rate'),
        (["--responses", "loss_rate", "--out", "x.txt"], '--out = "x.txt": not a form of a table. Allowed: .csv'),
        (["--responses", "loss_rate", "--memory", "much"], "--memory"),
    ],
)
def test_bad_options_are_refused(edits: Path, words: list[str], message: str) -> None:
    edits.write_text("network.speed\n9 Mbit/s\n")
    done = call("bottleneck", edits, *words)
    assert done.exit_code == 2
    assert message in done.output


def test_an_empty_file_is_refused(edits: Path) -> None:
    edits.write_text("")
    done = call("bottleneck", edits, "--responses", "loss_rate")
    assert holds(done.output, "edits.csv", "empty", "names of columns")
