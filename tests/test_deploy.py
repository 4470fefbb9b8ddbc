"""Deployments: the table ``[deploy]``, the verb ``mesonet deploy``, and the effects that follow from the runs."""

from __future__ import annotations

import json
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import mesonet as mn
from commands import ENVIRONMENT, MESONET, until
from fragments import holds
from mesonet import plots
from mesonet.analysis import deployment as effects
from mesonet.cli.verbs import main
from mesonet.deployment_tests import TESTS
from mesonet.errors import InputError
from mesonet.experiments.deployed import deploy
from mesonet.experiments.deployment import SHARES, UNITS
from mesonet.reporting.campaign_view.deployment import effects_of, lead_outcome, outcomes, rows_of
from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.campaign_view.view import view_of
from mesonet.reporting.figures import sampled_groups
from mesonet.reporting.text.deployment_text import sentences, share_rows
from mesonet.words import change, change_span
from test_checkpoint import is_held_in_a_run, makers

SHORT = {"time.warmup": "1 s", "network.speed": "40 Mbit/s", "flows[0].interface": "100 Mbit/s"}


def small(**changes):
    given = {"against": "cubic", "shares": [0.1, 0.5], "duration": "4 s", "values": SHORT, "replicates": 2}
    return deploy("bbr3", "shared-link", **{**given, **changes})


def test_shares_are_levels_of_a_factor_with_common_random_numbers():
    chosen = small()
    assert [level.share for level in chosen.deployment.levels] == [0, 0.1, 0.5, 1]
    assert chosen.factors[0].levels == ("0", "0.1", "0.5", "1")
    assert chosen.common_random_numbers
    assert chosen.comparisons == ("share=1 : share=0",)
    assert {"units"} <= set(chosen.keep)
    mixes = [dict(chosen.condition(number).value("algorithms")) for number in range(1, 5)]
    assert [mix.get("bbr3", 0.0) for mix in mixes] == [0, 0.1, 0.5, 1]
    assert chosen.condition(2).value("users.ranks") == "even"
    assert [level.share for level in small(shares=None).deployment.levels] == list(SHARES)


def test_a_deployment_is_crossed_with_a_design(tmp_path):
    file = tmp_path / "crossed.toml"
    file.write_text(
        """
name = "crossed"
title = "Crossed"
scenario = "shared-link"
algorithms = ["bbr3"]
mixed_with = "tcp"
[deploy]
shares = [0.5]
[[factors]]
id = "X3"
minus = "1 bdp"
plus = "4 bdp"
[[factors]]
id = "X2"
minus = 10
plus = 40
[[factors]]
id = "X1"
minus = "40 Mbit/s"
plus = "80 Mbit/s"
[design]
generators = ["X1=X3*X2"]
"""
    )
    chosen = mn.experiment(str(file))
    assert chosen.conditions == 3 * 4
    assert [factor.id for factor in chosen.factors] == ["share", "X3", "X2", "X1"]
    matrix = chosen.rows.matrix
    assert np.allclose(matrix[:, 3], matrix[:, 1] * matrix[:, 2])
    other = deploy("vegas", file, shares=[0.1])
    assert (other.algorithms, other.mixed_with, other.conditions) == (("vegas",), "tcp", 12)


def test_tests_have_schedules_over_time_and_place():
    chosen = deploy(
        "bbr3", "abilene", shares=[0.5], tests=["switchback", "rollout", "event-study"], period="10 s", burn_in="2 s",
        duration="70 s", values={"time.warmup": "10 s"},
    )  # fmt: skip
    by_test = {
        level.test: chosen.condition(number).value("deployment")
        for number, level in enumerate(chosen.deployment.levels, start=1)
    }
    assert chosen.condition(1).value("time.periods") == 30
    assert by_test["sweep"] == []
    switched = [(entry["time"], entry["share"]) for entry in by_test["switchback"]]
    assert switched == [(20, 1), (30, 0), (40, 1), (50, 0), (60, 1)]
    assert [(entry["time"], entry["share"]) for entry in by_test["event-study"]] == [(40, 1)]
    steps = by_test["rollout"]
    assert [entry["time"] for entry in steps] == [20, 30, 40, 50, 60]
    places = [name for entry in steps for name in entry["at"]]
    assert len(places) == len(set(places)) == 28  # 22 points of presence, and 6 backbone routers with direct access
    assert {entry["algorithm"] for entry in steps} == {"bbr3"}


@pytest.mark.parametrize("order", ["place", "access"])
def test_adopters_in_order_are_nested(order):
    chosen = deploy("bbr3", "abilene", shares=[0.2, 0.5, 0.8], order=order)
    sources = {router["name"]: router["sources"] for router in chosen.condition(1).describe()["map"]["routers"]}
    whole = []
    for number, share in enumerate((0, 0.2, 0.5, 0.8, 1), start=1):
        schedule = chosen.condition(number).value("deployment")
        whole.append({name for entry in schedule if entry["share"] == 1 for name in entry["at"]})
        assert (schedule == []) == (share == 0)
        assert sum(0 < entry["share"] < 1 for entry in schedule) <= 1
    assert all(one <= other for one, other in pairwise(whole))
    assert sum(sources.values()) == 17460


NESTED = {
    "time.warmup": "0.5 s", "users.base_sources": 2, "users.think_time": "0.5 s", "measurement.flow_records": 1,
    "measurement.interval": "0.2 s",
}  # fmt: skip


@pytest.mark.parametrize(
    ("unit", "order"),
    [(unit, "random") for unit in UNITS] + [("user", "place"), ("home", "access"), ("home", "C1"), ("place", "place")],
)
def test_adopters_are_nested_and_swapped_roles_mirror_them(unit, order, tmp_path):
    """The first 30 % adopt at 70 %, too. With roles swapped, the last 30 % have the old newcomer at a share of 70 %."""
    if order == "C1":
        (tmp_path / "order.csv").write_text("place\nC1\nA\n")
        order = str(tmp_path / "order.csv")

    def with_bbr3(new, against, share):
        chosen = deploy(
            new, "abilene", against=against, shares=[share], unit=unit, order=order, duration="1.5 s", values=NESTED
        )
        flows = mn.simulate(chosen.condition(2), seed=1).flows.to_polars()
        return {(source, k): name == "bbr3" for source, k, name in flows.select(
            "source", "transfer", "algorithm").iter_rows()}  # fmt: skip

    few, many = (with_bbr3("bbr3", "cubic", share) for share in (0.3, 0.7))
    swapped = with_bbr3("cubic", "bbr3", 0.7)
    common = few.keys() & many.keys() & swapped.keys()
    assert 20 < sum(few[flow] for flow in common) < sum(many[flow] for flow in common) < len(common) - 20
    assert all(many[flow] for flow in common if few[flow])
    assert all(swapped[flow] != many[flow] for flow in common)


def test_servers_are_no_homes():
    """The flows of the shared link go from A to B: B is a home, and A is none."""
    chosen = deploy("bbr3", "shared-link", unit="home", order="place", shares=[0.5])
    (entry,) = chosen.condition(2).value("deployment")
    assert (entry["at"], entry["share"]) == (["B"], 0.5)


def test_an_order_is_a_file_of_routers(tmp_path):
    file = tmp_path / "order.csv"
    file.write_text("place\nC1\nA\n")
    chosen = deploy("bbr3", "abilene", shares=[0.01], order=str(file))
    assert chosen.condition(2).value("deployment")[0]["at"] == ["C1"]
    everywhere = deploy("bbr3", "abilene", shares=[0.01], order=str(file)).condition(3)
    (entry,) = everywhere.value("deployment")
    routers = {each["name"]: each for each in everywhere.describe()["map"]["routers"]}
    assert entry["share"] == 1
    below = {name for name in routers if name.startswith(("C1", "A")) or name in entry["at"]}
    assert all(name in below for name, each in routers.items() if each["sources"])
    file.write_text("place\nC1\nC1\n")
    with pytest.raises(InputError, match="twice"):
        deploy("bbr3", "abilene", order=str(file))
    file.write_text("place\nZ9\n")
    with pytest.raises(InputError, match=r"line 2.*no such router"):
        deploy("bbr3", "abilene", order=str(file))


@pytest.mark.parametrize(
    ("path", "value"), [("users.ranks", "independent"), ("users.assignment", "flow"), ("time.periods", 5)]
)
def test_values_that_a_deployment_would_replace_are_refused(path, value):
    with pytest.raises(InputError) as caught:
        deploy("bbr3", "abilene", tests=["switchback"], unit="user", values={path: value})
    assert holds(str(caught.value), f"--set {path}", "[deploy]")


def test_a_deployment_has_the_unit_of_its_scenario(tmp_path):
    file = tmp_path / "homes.toml"
    file.write_text('base = "abilene"\n[users]\nassignment = "home"\n')
    chosen = deploy("bbr3", file, shares=[0.5])
    assert chosen.deployment.unit == chosen.condition(1).value("users.assignment") == "home"


@pytest.mark.parametrize(
    ("changes", "fragments"),
    [
        ({"shares": [0.1, 2]}, ["deploy.shares[1]", "at most 1"]),
        ({"shares": [0.1, 0.1]}, ["deploy.shares[1]", "twice"]),
        ({"shares": []}, ["deploy.shares"]),
        ({"unit": "city"}, ["deploy.unit", "home"]),
        ({"order": "alphabet.csv"}, ["alphabet.csv"]),
        ({"unit": "flow", "order": "place"}, ["deploy.order", "random"]),
        ({"tests": ["a/b"]}, ["deploy.tests[0]", "ab", "switchback"]),
        ({"tests": ["switchback"], "period": "0.7 s"}, ["deploy.period", "0.7"]),
        ({"tests": ["switchback"], "period": "1 s", "burn_in": "0.3 s"}, ["deploy.burn_in", "part"]),
        ({"tests": ["rollout"]}, ["deploy.tests", "two places"]),
        ({"period": "1 s"}, ["deploy.period", "tests"]),
        ({"tests": ["ab"], "burn_in": "1 s"}, ["deploy.burn_in", "switchback"]),
        ({"outcome": "joy"}, ["deploy.outcome", "goodput"]),
        ({"by": ["country"]}, ["deploy.by[0]", "rtt_class"]),
        ({"against": "bbr3"}, ["bbr3"]),
    ],
)
def test_bad_input_is_refused(changes, fragments):
    with pytest.raises(InputError) as caught:
        small(**changes).document()
    assert holds(str(caught.value), *fragments)


def test_random_numbers_of_a_deployment_are_common(tmp_path):
    file = tmp_path / "own.toml"
    text = 'name = "own"\ntitle = "Own"\nscenario = "shared-link"\nalgorithms = ["bbr3"]\nmixed_with = "cubic"\n'
    file.write_text(text + "common_random_numbers = false\n[deploy]\n")
    with pytest.raises(InputError, match="common_random_numbers"):
        mn.experiment(str(file))
    factor = '[[factors]]\nid = "share"\npath = "network.speed"\nminus = "1 seg/ms"\nplus = "2 seg/ms"\n'
    file.write_text(text + "[deploy]\n" + factor)
    with pytest.raises(InputError, match="share"):
        mn.experiment(str(file))


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    return small().run(tmp_path_factory.mktemp("deployed") / "run", progress=False)


@pytest.mark.slow
def test_effects_follow_from_units(campaign):
    view = view_of(campaign)
    assert lead_outcome(view) == "throughput"  # flows without end complete nothing
    rows = outcomes(campaign, "bbr3")
    by_share = rows.filter(outcome="throughput", seed=1).group_by("share").agg(pl.col("treated").sum()).sort("share")
    assert by_share["treated"].to_list() == [0, 1, 5, 10]  # shares hold exactly
    found = effects_of(view, "bbr3")
    means = rows_of(found, "throughput").filter(pl.col("estimand").is_in(["mu_T", "mu_C"]))
    seeds = rows.filter((pl.col("outcome") == "throughput") & (pl.col("share") == 0.5))
    by_hand = seeds.group_by("treated").agg(pl.col("value").mean()).sort("treated")["value"].to_list()
    at_half = means.filter(share=0.5).sort("estimand")["value"].to_list()
    assert at_half == pytest.approx(by_hand, rel=1e-9)
    assert [row.share for row in share_rows(view, "bbr3")] == ["0 %", "10 %", "50 %", "100 %"]
    assert holds(" ".join(sentences(view, "bbr3")), "When all users have bbr3", "A/B test", "keep cubic")


def figures_of(view):
    return {figure.id: figure for group in sampled_groups(Sampled(view)) for figure in group.figures}


@pytest.mark.slow
def test_every_selection_of_a_figure_has_values(campaign):
    figures = figures_of(view_of(campaign))
    assert {"deploy-shares", "deploy-tests", "forest"} <= set(figures)
    assert "deploy-conditions" not in figures  # no other factor
    assert "deploy-map" not in figures  # no places
    explicit = {"comparison": "share of units = 100 % (bbr3)", "quantity": "goodput of explicit flows"}
    assert explicit in figures["forest"].selections
    for name in ("deploy-shares", "deploy-tests", "forest"):
        for selection in figures[name].selections:
            first = next(iter(figures[name].draw(**selection).tables.values()))
            assert first.height, (name, selection)


@pytest.mark.slow
def test_a_factor_on_the_unit_has_the_total_effect_and_the_ab_test_of_each_condition(tmp_path):
    file = tmp_path / "unit.toml"
    file.write_text(UNITS)
    campaign = mn.experiment(str(file)).run(tmp_path / "out", progress=False)
    view = view_of(campaign)
    drawn = figures_of(view)["deploy-conditions"].draw(deployed="bbr3", outcome="throughput", tested="50")
    rows = drawn.tables["deploy_conditions"]
    names = ["unit = user, queue = drop_tail", "unit = flow, queue = drop_tail"]
    names += [name.replace("drop_tail", "fq_codel") for name in names]
    assert set(rows["name"]) == set(names)
    total = rows.filter(effect="total").sort("name")["value"].to_list()
    assert total[0] == pytest.approx(total[2], rel=1e-9)  # shares 0 and 1 do not depend on the unit
    assert total[1] == pytest.approx(total[3], rel=1e-9)
    by_hand = rows_of(effects_of(view, "bbr3"), "throughput", names[1]).filter(estimand="naive", share=0.5)
    naive = rows.filter((pl.col("effect") == "naive") & (pl.col("name") == names[1]))
    assert naive["value"].to_list() == pytest.approx((100 * by_hand["value"]).to_list())
    assert holds(drawn.text, "50 %", "4 conditions")
    page = mn.report(campaign, tmp_path / "report.html").read_text()
    assert holds(page, "with unit = flow, queue = fq_codel?", "Where would an A/B test mislead?")


UNITS = """
name = "units"
title = "Units"
scenario = "shared-link"
algorithms = ["bbr3"]
mixed_with = "cubic"
replicates = 2
[set]
time.duration = "3 s"
time.warmup = "1 s"
network.speed = "20 Mbit/s"
flows = [
    {from = "A", to = "B", interface = "100 Mbit/s", user = "1", count = 2},
    {from = "A", to = "B", interface = "100 Mbit/s", user = "2", count = 2},
]
[deploy]
shares = [0.5]
[[factors]]
id = "unit"
path = "users.assignment"
minus = "user"
plus = "flow"
[[factors]]
id = "queue"
path = "aqm.discipline"
minus = "drop_tail"
plus = "fq_codel"
"""


@pytest.mark.slow
def test_effects_by_place_are_on_the_map(tmp_path):
    chosen = deploy(
        "bbr3", "abilene", shares=[0.5], by=["pop"], replicates=1, duration="3 s",
        values={"time.warmup": "1 s", "users.think_time": "200 ms", "users.base_sources": 1},
    )  # fmt: skip
    view = view_of(chosen.run(tmp_path / "out", progress=False))
    figures = figures_of(view)
    drawn = figures["deploy-map"].draw(deployed="bbr3", outcome="goodput", effect="total")
    rows = drawn.tables["deploy_map"]
    groups = figures["deploy-groups"].draw(deployed="bbr3", outcome="goodput").tables["deploy_groups"]
    by_place = dict(groups.filter(effect="total").select("level", "value").iter_rows())
    assert dict(rows.select("place", "value").iter_rows()) == by_place
    assert rows.height > 20
    assert set(rows["way"]) == {"rise", "fall"}
    ends = rows.filter("known").select("low", "high").rows()
    assert 0 < len(ends) < rows.height
    assert all(low > 0 or high < 0 for low, high in ends)
    svg = plots.to_svg(drawn.chart())
    assert "Seattle" in svg


@pytest.mark.slow
def test_adopters_are_nested_in_every_share(campaign):
    rows = outcomes(campaign, "bbr3").filter((pl.col("outcome") == "throughput") & pl.col("treated"))
    for seed in (1, 2):
        adopters = [set(rows.filter(seed=seed, share=share)["unit"]) for share in (0.1, 0.5, 1.0)]
        assert adopters[0] < adopters[1] < adopters[2]


@pytest.mark.slow
@pytest.mark.process
def test_shares_and_replicates_added_later_run_only_what_is_missing(campaign):
    known = {path.name: path.stat().st_mtime_ns for path in (campaign.path / "runs").iterdir() if path.is_dir()}
    assert len(known) == 8
    longer = small(shares=[0.1, 0.2, 0.5], replicates=3).run(campaign.path, progress=False)
    now = {path.name: path.stat().st_mtime_ns for path in (campaign.path / "runs").iterdir() if path.is_dir()}
    assert len(now) == 15
    assert known.items() <= now.items()
    assert longer.counts == {"done": 15, "failed": 0, "missing": 0}
    with pytest.raises(InputError, match="holds"):
        small().run(campaign.path, progress=False)  # fewer shares than the folder has


UNITS_OF_RUNS = "runs/[!.]*/units.parquet"
TWO_WAYS = """
base = "shared-link"
title = "Five users of each direction"
network = { queue = "port", speed = "40 Mbit/s", delay_multiplier = 40, buffer = "1 bdp" }
flows = [
  { from = "A", to = "B", interface = "100 Mbit/s", count = 5, start_within = "1 s" },
  { from = "B", to = "A", interface = "100 Mbit/s", count = 5, start_within = "1 s" },
]
"""


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="nothing tells whether a run has begun")
def test_a_killed_deployment_ends_with_the_bytes_of_an_undisturbed_one(tmp_path):
    """Kill driver and worker in the middle of a run, and continue with a further share."""
    (tmp_path / "ways.toml").write_text(TWO_WAYS)

    def command(out, shares):
        options = ["--shares", shares, "--tests", ",".join(TESTS), "--replicates", "2", "--duration", "7 s"]
        options += ["--set", "time.warmup=1 s", "--set", "measurement.interval=0.5 s", "--burn-in", "0.5 s"]
        return ["deploy", "bbr3", str(tmp_path / "ways.toml"), *options, "--workers", "1", "--out", str(out)]

    def written(out, pattern):
        return {file.relative_to(out): file.read_bytes() for file in sorted(out.glob(pattern))}

    killed, whole = tmp_path / "killed", tmp_path / "whole"
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    driver = subprocess.Popen([*MESONET, *command(killed, "50")], env=ENVIRONMENT, **silent)
    until(lambda: written(killed, UNITS_OF_RUNS) and any(map(is_held_in_a_run, makers(driver))), driver)
    (worker,) = makers(driver)
    driver.kill()
    worker.kill()
    driver.wait()
    assert 1 <= len(written(killed, UNITS_OF_RUNS)) < 2 * 6
    for out in (killed, whole):
        shown = CliRunner().invoke(main, command(out, "20,50"))
        assert shown.exit_code == 0, shown.output
        assert CliRunner().invoke(main, ["analyze", str(out), "--figures", "none"]).exit_code == 0
    assert len(written(whole, UNITS_OF_RUNS)) == 2 * 7
    assert len(written(whole, "analysis/tables/deployment_*")) == 8  # four tables of two formats
    for pattern in ("runs/[!.]*/*.parquet", "analysis/tables/deployment_*"):
        assert written(killed, pattern) == written(whole, pattern)


@pytest.mark.slow
@pytest.mark.process
def test_the_verb_prints_outcomes_by_share_and_sentences(tmp_path):
    options = ["--duration", "4 s", "--out", str(tmp_path / "out")]
    for path, value in SHORT.items():
        options += ["--set", f"{path}={value}"]
    shown = CliRunner().invoke(main, ["deploy", "bbr3", "--quick", *options])
    assert shown.exit_code == 0, shown.output
    assert holds(shown.output, "What happens when bbr3 is deployed beside cubic?", "90 %", "When all users")
    as_json = CliRunner().invoke(main, ["deploy", "bbr3", "--quick", "--json", *options])
    document = json.loads(as_json.stdout)
    (answer,) = document["deployments"]
    assert {row["estimand"] for row in answer["effects"]} >= {"mu_T", "mu_C", "naive", "total", "spill-over", "harm"}
    report = CliRunner().invoke(main, ["report", str(tmp_path / "out")])
    assert report.exit_code == 0, report.output
    page = (tmp_path / "out" / "report.html").read_text()
    assert holds(page, "What happens when bbr3 is deployed beside cubic?", "an A/B test finds")
    analysis = CliRunner().invoke(main, ["analyze", str(tmp_path / "out"), "--figures", "none"])
    assert analysis.exit_code == 0, analysis.output
    table = pl.read_parquet(tmp_path / "out" / "analysis" / "tables" / "deployment_effects.parquet")
    assert table.filter(estimand="total", outcome="throughput").height


@pytest.mark.slow
@pytest.mark.process
def test_runs_until_the_total_effect_is_precise(tmp_path):
    options = ["--shares", "50", "--duration", "4 s", "--until", "60%", "--out", str(tmp_path / "out")]
    for path, value in SHORT.items():
        options += ["--set", f"{path}={value}"]
    shown = CliRunner().invoke(main, ["deploy", "vegas", *options])
    assert shown.exit_code == 0, shown.output
    assert holds(shown.output, "the total effect is known to")
    assert mn.load(tmp_path / "out").runs["replicate"].max() >= 3


@pytest.mark.parametrize(
    ("arguments", "fragments"),
    [
        (["--shares", "0,120"], ["--shares", "0 to 100"]),
        (["--shares", "a"], ["--shares", "percent"]),
        (["--unit", "city"], ["--unit", "home"]),
        (["--tests", "a/b"], ["--tests", "paired-links"]),
        (["--quick", "--shares", "5"], ["--shares", "--quick"]),
        (["--until", "x"], ["--until"]),
        (["--until", "3%", "--replicates", "2"], ["--replicates", "--until"]),
        (["--against", "nothing"], ["--against", "nothing"]),
    ],
)
def test_the_verb_names_the_option_of_bad_input(arguments, fragments, tmp_path):
    shown = CliRunner().invoke(main, ["deploy", "bbr3", "--out", str(tmp_path / "out"), *arguments])
    assert shown.exit_code == 2
    assert holds(shown.output, *fragments)
    assert not (tmp_path / "out").exists()


def test_a_network_in_the_place_of_the_algorithm_is_named():
    for name in ("abilene", "deploy-bbr3-homes"):
        shown = CliRunner().invoke(main, ["deploy", name])
        assert shown.exit_code == 2
        assert holds(shown.output, "ALGORITHM", "a network or an experiment", f"mesonet deploy bbr3 {name}")


def test_a_plan_runs_nothing(tmp_path):
    shown = CliRunner().invoke(main, ["deploy", "bbr3", "--plan", "--shares", "5", "--out", str(tmp_path / "out")])
    assert shown.exit_code == 0, shown.output
    assert holds(shown.output, "0.05", "3 conditions", "12 runs")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("tests", [None, ["ab"], ["paired-links", "event-study"]])
def test_tests_are_chosen(tests):
    chosen = small(tests=tests, duration="37 s")
    assert chosen.document()["deploy"]["tests"] == (tests or ["ab", "paired-links"])
    own = [level.test for level in chosen.deployment.levels if level.share is None]
    assert own == [test for test in tests or [] if test == "event-study"]


def test_large_changes_are_factors():
    assert [change(value) for value in (-0.31, 0.0, 8.99, 9.0, 47.74, None)] == [
        "−31 %", "0 %", "+899 %", "10 times", "49 times", "–",
    ]  # fmt: skip
    assert change_span(-0.35, -0.13) == "−35 to −13 %"
    assert change_span(-0.98, 16.2) == "−98 % to 17 times"
    assert change_span(11.0, 59.0) == "12 to 60 times"


def test_outcomes_of_a_real_test_need_no_campaign():
    table = pl.DataFrame({"user": list("abcdef"), "new": [1, 1, 1, 0, 0, 0], "rate": [2.0, 3.0, 4.0, 1.0, 2.0, 3.0]})
    found = effects(table, unit="user", treated="new", value="rate", more_is_better=True)
    naive = found.effects.filter(estimand="naive", scale="difference")
    assert naive["value"][0] == pytest.approx(1.0)
