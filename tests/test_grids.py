"""Grids of levels as experiments: files, commands and Python, names that do not collide, and the tidy table."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

import mesonet
from fragments import holds
from mesonet.campaign.tidy import column_names
from mesonet.cli.verbs import main
from mesonet.designs.grid import KIND
from mesonet.errors import InputError
from mesonet.experiments.grids import names_of

FILE = """
name = "small"
title = "Flows and queues"
scenario = "shared-link"
algorithms = ["cubic", "bbr3"]
replicates = 2
{more}
[set]
"time.duration" = "2 s"
"time.warmup" = "1 s"
"network.speed" = "10 Mbit/s"

[grid]
"flows[0].count" = [1, 2, 4]
aqm.discipline = ["drop_tail", "fq_codel"]
"""
MODEL = '''
def wait(parameters, seed):
    """Return a made-up wait."""
    return {"wait": parameters["load"] * 10 + parameters["servers"] + seed % 7 / 100}
'''


def command(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


def written(folder: Path, text: str) -> Path:
    file = folder / "small.toml"
    file.write_text(text)
    return file


def test_a_file_has_a_grid(tmp_path: Path) -> None:
    chosen = mesonet.experiment(written(tmp_path, FILE.format(more="")))
    assert (chosen.rows.kind, chosen.conditions) == (KIND, 6)
    assert [(factor.id, factor.levels) for factor in chosen.factors] == [
        ("flows", ("1", "2", "4")), ("discipline", ("drop_tail", "fq_codel")),
    ]  # fmt: skip
    assert [len(chosen.condition(number).value("flows")) for number in (1, 2, 3)] == [1, 2, 4]
    assert chosen.condition(4).value("aqm.discipline") == "fq_codel"
    assert chosen.response_set == "fairness"  # no users


def test_two_levels_each_are_a_grid_too() -> None:
    chosen = mesonet.grid("bottleneck", {"network.buffer": ["0.5 bdp", "100kB"]})
    assert (chosen.rows.kind, chosen.replicates, chosen.algorithms) == (KIND, 3, ("cubic",))
    assert chosen.factors[0].levels == ("0.5 bdp", "100 kB")  # as they were given, not 66.7 segments


def test_a_factor_has_a_list_of_levels(tmp_path: Path) -> None:
    more = '\n[[factors]]\nid = "rtt"\npath = "network.delay_multiplier"\nlevels = [10, 40]\n'
    chosen = mesonet.experiment(written(tmp_path, FILE.format(more="") + more))
    assert chosen.conditions == 12
    assert [factor.id for factor in chosen.factors] == ["rtt", "flows", "discipline"]


def test_a_file_inherits_a_grid(tmp_path: Path) -> None:
    written(tmp_path, FILE.format(more=""))
    (tmp_path / "more.toml").write_text('base = "small.toml"\nname = "more"\ntitle = "More"\nreplicates = 5\n')
    chosen = mesonet.experiment(tmp_path / "more.toml")
    assert (chosen.conditions, chosen.replicates) == (6, 5)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[1, 2, 4]", "[1]", ("small.toml", "grid.flows[0].count", "not two levels or more", "[2, 10, 50]")),
        ("[1, 2, 4]", "[1, 2, 1]", ("small.toml", "grid.flows[0].count[2] = 1", "two levels are the same")),
        ("[1, 2, 4]", "2", ("small.toml", "grid.flows[0].count = 2", "not a list of levels")),
        ('"drop_tail"', '"lifo"', ("small.toml", "grid.aqm.discipline[0]", "lifo", "drop_tail")),
        ('"drop_tail", "fq_codel"', '"fifo", "drop_tail"', ("small.toml", "grid.aqm.discipline", "same")),
        ("aqm.discipline", "aqm.disciplin", ("small.toml", "grid.aqm.disciplin", "unknown path")),
        ('"flows[0].count"', '"9:flows[0].count"', ("small.toml", "grid.9:flows[0].count", "not NAME:PATH")),
        ("[grid]", "[design]\nruns = 4\n[grid]", ("small.toml", "design", "[grid] are all combinations")),
        ("[grid]", "[grid]\ntime.duration = ['1 s', '2 s']", ("set.time.duration", "varies", "cannot be set")),
    ],
)
def test_bad_grids_are_refused(tmp_path: Path, old: str, new: str, message: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as error:
        mesonet.experiment(written(tmp_path, FILE.format(more="").replace(old, new)))
    assert holds(str(error.value), *message), str(error.value)


def test_names_do_not_collide() -> None:
    assert names_of(["flows[0].count", "flows[1].count", "aqm.red_target"]) == [
        "flows_0_count", "flows_1_count", "red_target",
    ]  # fmt: skip
    assert names_of(["a", "b.a", "c.a"]) == ["a", "b_a", "c_a"]
    assert names_of(["network.rtt", "rtt", "condition"]) == ["network_rtt", "factor_rtt", "factor_condition"]
    assert names_of(["x.buffer", "network.buffer"], ["", "buffer"]) == ["x_buffer", "buffer"]
    assert names_of(["network.buffer"], taken=["buffer"]) == ["network_buffer"]
    names = [name for pair in column_names(["a", "a_number", "value", "rtt"], ["rtt"]) for name in pair]
    assert len({*names, "value", "rtt"}) == len(names) + 2
    assert column_names(["a", "a_number"], [])[1][0] == "a_number"


@pytest.mark.process
def test_a_grid_from_the_command_line(tmp_path: Path) -> None:
    options = [
        "--vary",
        "flows[0].count=1,4",
        "--vary",
        "aqm.discipline=drop_tail,fq_codel",
        "--algorithms",
        "cubic,bbr3",
    ]
    short = ["--duration", "2 s", "--set", "time.warmup=1 s", "--set", "network.speed=10 Mbit/s", "--replicates", "2"]
    out, plot = tmp_path / "out", tmp_path / "figure.svg"
    more = ["--responses", "goodput,rtt", "--plot", plot, "--out", out, "--workers", "1"]
    done = command("grid", "shared-link", *options, *short, *more)
    assert done.exit_code == 0, done.output
    assert holds(done.stdout, "Goodput per flow:", "With cubic", "From 1 to 4 flows it falls", "Round-trip time:")
    assert f"next: mesonet report {out} --responses goodput,rtt" in done.stdout
    assert "Goodput per flow" in plot.read_text()
    again = command("grid", "shared-link", *options, *short, "--out", out, "--json")
    assert holds(again.stdout, '"levels"', '"goodput"', "With bbr3")

    assert command("export", out, "--long", "--responses", "goodput,rtt", "--out", tmp_path / "t.csv").exit_code == 0
    table = pl.read_csv(tmp_path / "t.csv")
    goodput = table.filter((pl.col("response") == "goodput") & (pl.col("period") == "measured"))
    assert goodput.height == 4 * 2 * 2
    assert (goodput["algorithm"] == goodput["flow_algorithm"]).all()
    assert goodput["unit"].unique().to_list() == ["Mbit/s"]
    assert goodput["flows_number"].unique().sort().to_list() == [1.0, 4.0]
    one = goodput.filter((pl.col("flows") == 1) & (pl.col("discipline") == "drop_tail"))
    assert 5 < one["value"].min() <= one["value"].max() <= 10  # one flow of a link of 10 Mbit/s
    assert command("export", out, "--responses", "rtt").exit_code == 2
    assert command("export", out, "--long", "--table", "units").exit_code == 2


def test_a_plan_has_no_row_per_combination() -> None:
    levels = "flows[0].count=" + ",".join(map(str, range(1, 31)))
    done = command("grid", "shared-link", "--vary", levels, "--vary", "network.delay_multiplier=10,20,40", "--plan")
    assert holds(done.stdout, "270 runs", "all 90 combinations of 30 x 3 levels", "flows[0].count", "1, 2, 3")
    assert len(done.stdout.splitlines()) < 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--vary", "flows[0].count=2"), ("--vary flows[0].count", "not two levels or more")),
        (("--vary", "flows[0].count"), ("--vary", "not PATH=A,B,...")),
        (("--vary", "flows[0].count=1,,2"), ("--vary", "a level is empty")),
        (("--vary", "flows[0].count=1,2", "--vary", "flows[0].count=3,4"), ("--vary", "given twice")),
        (("--vary", "flows[0].count=1,2", "--responses", "nope"), ("--responses", "nope", "unknown response")),
        (("--vary", "flows[0].count=1,2", "--plot", "x.gif"), ("--plot", "x.gif", ".svg")),
        (("--vary", "flows[0].count=1,2", "--algorithms", "cubik"), ("--algorithms", "cubik", "cubic")),
    ],
)
def test_bad_options_are_refused_before_a_run(
    tmp_path: Path, arguments: tuple[str, ...], message: tuple[str, ...]
) -> None:
    done = command("grid", "shared-link", *arguments, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert holds(done.stderr, *message), done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.process
def test_a_grid_of_a_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    done = command("grid", "shop.py:wait", "--vary", "load=0.5,0.7,0.9", "--vary", "servers=1,4", "--workers", "1")
    assert done.exit_code == 0, done.output
    assert holds(done.stdout, "Wait:", "highest", "load 0.9 and servers 4", "From load 0.5 to 0.9 it rises by")
    tidy = mesonet.load(tmp_path / "grid-shop").tidy()
    assert tidy.height == 6 * 3
    assert tidy["load_number"].unique().sort().to_list() == [0.5, 0.7, 0.9]
    assert tidy["servers"].unique().sort().to_list() == ["1", "4"]


def test_a_model_has_more_than_two_levels() -> None:
    chosen = mesonet.experiment(model=["python3", "q.py"], factors={"a": [1, 2, 5], "b": ("x", "y")}, name="q")
    assert (chosen.rows.kind, chosen.conditions) == (KIND, 6)
    assert chosen.condition_texts()[2] == {"a": "5", "b": "x"}
    with pytest.raises(InputError, match=r"factors\[0\].levels = 3: not a list of levels"):
        mesonet.experiment(model=["python3", "q.py"], factors={"a": 3}, name="q")


@pytest.mark.process
def test_goodput_is_of_the_algorithm_of_the_flows(tmp_path: Path) -> None:
    flows = [{"from": "A", "to": "B", "start_within": "500 ms"}, {"from": "A", "to": "B", "algorithm": "cubic"}]
    values = {"flows": flows, "network.speed": "10 Mbit/s", "time.warmup": "1 s"}
    vary = {"flows[0].count": [1, 3], "flows[1].count": [1, 2]}
    chosen = mesonet.grid("shared-link", vary, algorithms=["bbr3"], duration="8 s", values=values, replicates=2)
    campaign = chosen.run(tmp_path / "out", workers=1, progress=False)
    assert [factor.id for factor in campaign.factors] == ["flows_0_count", "flows_1_count"]
    tidy = campaign.tidy(["goodput"])
    assert tidy["flow_algorithm"].unique().sort().to_list() == ["bbr3", "cubic"]
    of_cubic = tidy.filter(flow_algorithm="cubic").select("condition", "replicate", "value")
    assert of_cubic.rows() == campaign.response("goodput_of_cubic").select("condition", "replicate", "value").rows()
    count = pl.when(pl.col("flow_algorithm") == "bbr3").then("flows_0_count_number").otherwise("flows_1_count_number")
    total = tidy.with_columns(sent=pl.col("value") * count).group_by("condition", "replicate").agg(pl.col("sent").sum())
    assert total["sent"].to_list() == pytest.approx([10.0] * 8, rel=0.1)  # together the rate of the link


def test_tidy_refuses_what_no_run_has(one_factor_campaign: Path) -> None:
    campaign = mesonet.load(one_factor_campaign)
    found = campaign.tidy(["loss_rate"])
    assert found["response"].unique().to_list() == ["loss_rate"]
    assert found.height == campaign.runs.height
    with pytest.raises(InputError, match="unknown response"):
        campaign.tidy(["nope"])
    with pytest.raises(InputError, match="unknown period"):
        campaign.tidy(period="nope")


@pytest.mark.process
def test_fifo_is_drop_tail_and_the_first_algorithm_is_compared_with(tmp_path: Path) -> None:
    """Without an algorithm that is deployed widely the first one is the incumbent. The rate of flows has one name."""
    levels = ["--vary", "aqm.discipline=fifo,codel", "--algorithms", "bbr3,scalable", "--replicates", "2"]
    short = ["--duration", "2 s", "--set", "time.warmup=1 s", "--set", "network.speed=10 Mbit/s", "--workers", "1"]
    planned = command("grid", "shared-link", *levels, *short, "--plan")
    assert "aqm.discipline = fifo is drop_tail here" in planned.stdout
    done = command("grid", "shared-link", *levels, *short, "--out", tmp_path / "out", "--responses", "goodput")
    assert done.exit_code == 0, done.output
    assert done.stderr.count("aqm.discipline = fifo is drop_tail here") == 1
    assert holds(done.stdout, "with drop_tail", "bbr3 replaced by", "scalable")
    campaign = mesonet.load(tmp_path / "out")
    scenarios = {each["scenario"]["aqm"]["discipline"] for each in campaign.experiment["scenarios"]}
    assert scenarios == {"drop_tail", "codel"}
    (verdict,) = mesonet.verdict(campaign)
    assert (verdict["algorithm"], verdict["against"]) == ("scalable", "bbr3")
    assert [each["title"] for each in verdict["responses"] if "throughput" in each["title"]] == []
    checked = command("check", "shared-link", "--set", "aqm.discipline=fifo")
    assert "aqm.discipline = fifo is drop_tail here" in checked.output
