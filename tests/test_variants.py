"""Variants: an algorithm with other constants, beside the algorithm with its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mesonet
from mesonet import algorithms, experiment
from mesonet import simulate as run
from mesonet.cli.experiment_targets import find_experiment
from mesonet.cli.scenario_targets import pairs
from mesonet.errors import InputError
from mesonet.reporting.page.document import report_html
from mesonet.scenarios import settings
from mesonet.scenarios.scenario import Scenario, scenario
from mesonet.simulation.result import Result

VARIANT = "tcp(increase=4, decrease=0.2)"


def small(**values: object) -> Scenario:
    return scenario("abilene", speed="40 seg/ms", base_sources=2, duration="2 s", flow_records=1, **values)


def tables(result: Result, *names: str) -> list[list[dict[str, object]]]:
    """Return tables as rows, without the name of the algorithm."""
    found = [getattr(result, name).frame.to_dicts() for name in names]
    return [[{key: value for key, value in row.items() if key != "algorithm"} for row in rows] for rows in found]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("tcp", "tcp"),
        (" tcp ( decrease = 0.20,increase=4.0 ) ", VARIANT),
        ("tcp(decrease=1/3)", "tcp(decrease=0.3333333333333333)"),
        ("cubic(beta=0.1)", "cubic(beta=0.1)"),
    ],
)
def test_a_name_has_one_canonical_text(text: str, name: str) -> None:
    assert algorithms.resolve(text).name == name
    assert algorithms.resolve(name).name == name


@pytest.mark.parametrize(
    ("text", "problem", "allowed"),
    [
        ("tpc(increase=4)", r"unknown algorithm \(nearest: tcp", "tcp, "),
        ("tcp(incraese=4)", r"incraese: unknown constant of tcp \(nearest: increase", "increase, decrease"),
        ("tcp(increase=-4)", "increase = -4: too low", "at least 0 segments and at most "),
        ("tcp(increase=x)", "increase = x: not a number", "a bare number"),
        ("tcp(increase=4, increase=5)", "increase is there twice", "each constant once"),
        ("tcp()", "a variant needs constants with values", r"tcp, or tcp\(constant=value, ...\)"),
        ("tcp(4)", "a variant needs constants with values", r"tcp, or tcp\(constant=value, ...\)"),
        ("tcp(increase=4", "not the name of an algorithm", "a name such as tcp, or a variant"),
        ("tcp(increase=4)x", "not the name of an algorithm", "a name such as tcp, or a variant"),
    ],
)
def test_bad_names_are_refused_with_what_is_allowed(text: str, problem: str, allowed: str) -> None:
    with pytest.raises(InputError, match=rf"^algorithms = .*: {problem}.* Allowed: .*{allowed}"):
        scenario("abilene", algorithm=text)


def test_a_mix_holds_variants_beside_their_algorithm() -> None:
    mix = [("tcp", 0.5), (VARIANT, 0.25), ("tcp(increase=4)", 0.25)]
    text = "tcp = 0.5, tcp (decrease = 0.2, increase=4)=0.25 tcp(increase=4) =0.25"
    for given in (text, dict(mix), mix, settings.show("algorithms", mix)):
        assert settings.parse("algorithms", given) == mix
    with pytest.raises(InputError, match=r"tcp\(increase=4\) is there twice"):
        settings.parse("algorithms", {"tcp(increase=4)": 0.5, "tcp( increase=4.0)": 0.5})


def test_a_variant_equals_its_constants_set_by_path() -> None:
    named, by_path = (
        run(small(**values), seed=3)
        for values in (
            {"algorithm": VARIANT},
            {"parameters.tcp.increase": 4, "parameters.tcp.decrease": 0.2},
        )
    )
    names = ("responses", "series", "flows", "groups")
    assert tables(named, *names) == tables(by_path, *names)
    assert set(named.flows.to_polars()["algorithm"]) == {VARIANT}
    assert tables(named, "flows") != tables(run(small(), seed=3), "flows")


def test_a_variant_runs_beside_its_algorithm() -> None:
    """Shares, flows and arrivals may each name a variant; the rows of each have its name."""
    flows = [{"from": "A1a", "to": "B1a", "algorithm": "tcp(decrease=0.3)"}]
    arrivals = [
        {"from": "A1a", "to": "B1a", "rate": "20 flows/s", "sizes": "60 segments", "algorithm": "tcp(increase = 2)"}
    ]
    chosen = small(algorithm=f"tcp=0.5, {VARIANT}=0.5").with_values({"flows": flows, "arrivals": arrivals})
    result = run(chosen, seed=3)
    counts = dict(result.flows.to_polars().group_by("algorithm").len().iter_rows())
    assert set(counts) == {"tcp", VARIANT, "tcp(decrease=0.3)", "tcp(increase=2)"}
    assert counts["tcp(decrease=0.3)"] == 1
    assert min(counts["tcp"], counts[VARIANT]) > 100
    assert {*counts, "all"} <= set(result.groups.to_polars()["algorithm"])
    again = run(chosen, seed=3, engine="reference")
    assert again.flows == result.flows


def test_a_variant_starts_from_the_constants_of_its_algorithm() -> None:
    chosen = scenario("abilene", algorithm="tcp(increase=4)").set("parameters.tcp.decrease", 0.3)
    assert (
        chosen.canonical()["algorithms"][0]["parameters"] | {"increase": 4, "decrease": 0.3}
        == (chosen.canonical()["algorithms"][0]["parameters"])
    )
    assert chosen.value("parameters.tcp(increase=4).increase") == 4
    assert chosen.value("parameters.tcp(increase=4).decrease") == 0.3
    assert chosen.unused() == []
    chosen.refuse_unused(["parameters.tcp.decrease"])
    explained = {row.path: (row.value, row.source) for row in chosen.explain()}
    assert explained["parameters.tcp(increase=4).increase"] == ("4", "in the name tcp(increase=4)")
    assert explained["parameters.tcp(increase=4).decrease"] == ("0.3", "set in code")


def test_a_constant_that_every_variant_names_itself_has_no_effect() -> None:
    chosen = scenario("abilene", algorithm="tcp(increase=4)").set("parameters.tcp.increase", 3)
    assert chosen.unused() == ["parameters.tcp.increase"]
    with pytest.raises(InputError, match=r"tcp\(increase=4\): .*increase. Allowed: tcp or a variant"):
        chosen.refuse_unused(["parameters.tcp.increase"])
    assert chosen.set("algorithms", "tcp=0.5, tcp(increase=4)=0.5").unused() == []


@pytest.mark.parametrize("path", ["parameters.tcp(decrease=0.2).increase", "tcp(increase=4).decrease"])
def test_constants_of_a_variant_cannot_be_set_by_path(path: str) -> None:
    with pytest.raises(InputError, match=r"variant.*constants\. Allowed: tcp"):
        scenario("abilene").set(path, 2)


def test_a_run_without_variants_keeps_its_text() -> None:
    """The canonical text holds names as before, so that keys of runs stay."""
    shares = [
        (entry["name"], entry["share"]) for entry in small(algorithm="tcp=0.5, cubic=0.5").canonical()["algorithms"]
    ]
    assert shares == [("tcp", 0.5), ("cubic", 0.5)]


MIXED = """
name = "mixed"
title = "A variant beside its algorithm"
scenario = "abilene"
algorithms = ["tcp(increase=4)", "tcp( decrease = 0.2,increase=4.0)"]
mixed_with = "tcp"
[set]
"time.duration" = "2 s"
"time.warmup" = "1 s"
base_sources = 2
"network.speed" = "40 seg/ms"
[[factors]]
id = "X15"
path = "mixed_share"
minus = 0.3
plus = 0.5
[[factors]]
id = "S"
name = "share of a third"
path = "mixed_share.tcp(decrease = 0.3)"
minus = 0.1
plus = 0.2
[[conclusions]]
id = "more"
text = "The variant loses more"
source = "chosen"
response = "loss_rate"
higher = "tcp(increase=4.0, decrease=0.2)"
than = ["tcp(increase=4)"]
"""


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    file = tmp_path / "mixed.toml"
    file.write_text(MIXED)
    return file


def test_an_experiment_compares_variants_by_their_canonical_names(mixed: Path) -> None:
    chosen = experiment(mixed)
    assert chosen.algorithms == ("tcp(increase=4)", VARIANT)
    mix = chosen.condition(4, "tcp(increase=4, decrease=0.20)").canonical()["algorithms"]
    assert {entry["name"]: entry["share"] for entry in mix} == {"tcp": 0.3, VARIANT: 0.5, "tcp(decrease=0.3)": 0.2}
    assert [chosen.conclusions[0].higher, *chosen.conclusions[0].algorithms] == [VARIANT, "tcp(increase=4)"]
    assert {"parameters.tcp(increase=4).increase", f"parameters.{VARIANT}.ecn"} <= {
        row["path"] for row in chosen.parameters()
    }
    assert find_experiment(str(mixed), algorithms=f"cubic, {VARIANT},tcp(increase=4)").algorithms == (
        "cubic", VARIANT, "tcp(increase=4)"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('mixed_with = "tcp"', 'mixed_with = "tcp(x=1)"', r"mixed_with = .*: x: unknown constant of tcp"),
        ('mixed_with = "tcp"', 'mixed_with = "tcp(increase=4)"', r"mixed_share: tcp\(increase=4\) has two shares"),
        ("decrease = 0.2,", "", r"algorithms\[1\] = .*: named twice"),
        ('higher = "tcp(', 'higher = "cubic(', "unknown algorithm of the experiment"),
        ("mixed_share.tcp(decrease = 0.3)", "mixed_share.tcp(decrease = 3)", r"decrease = 3: too high"),
    ],
)  # fmt: skip
def test_bad_variants_of_an_experiment_are_refused(mixed: Path, before: str, after: str, message: str) -> None:
    assert before in MIXED
    mixed.write_text(MIXED.replace(before, after))
    with pytest.raises(InputError, match=rf"mixed.toml.*{message}"):
        experiment(mixed).check()


@pytest.mark.slow
@pytest.mark.usefixtures("few_figures")
def test_an_incumbent_may_be_written_in_another_way(mixed: Path, tmp_path: Path) -> None:
    path = experiment(mixed).run_missing(tmp_path / "out", 1)
    page = report_html(mesonet.load(path), against="tcp(decrease=0.2, increase=4)")
    assert VARIANT in page
    with pytest.raises(InputError, match=r"against = \"tcp\(increase=5\)\": not an algorithm"):
        report_html(mesonet.load(path), against="tcp(increase=5)")


def test_a_constant_may_equal_its_default() -> None:
    """A sweep of constants comes across it."""
    flows = [{"from": "A", "to": "B", "size": "300 segments"}]
    names = ("fast", "fast(alpha=200)")
    one, other = (mesonet.simulate(mesonet.scenario("bottleneck", algorithm=name, flows=flows)) for name in names)
    np.testing.assert_array_equal(one.responses.columns["value"], other.responses.columns["value"])


def test_an_option_with_a_variant_is_refused_by_its_path() -> None:
    assert pairs(["algorithms=tcp(increase=4)"]) == {"algorithms": "tcp(increase=4)"}
    assert pairs(["algorithms={tcp=0.5, 'cubic(beta=0.5)'=0.5}"]) == {
        "algorithms": {"tcp": 0.5, "cubic(beta=0.5)": 0.5}
    }
    assert pairs(["parameters.tcp(increase=4).decrease=0.3"]) == {"parameters.tcp(increase=4).decrease": "0.3"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Reno", "tcp"),
        ("newreno", "tcp"),
        ("COMPOUND", "ctcp"),
        ("BBR3", "bbr3"),
        ("Cubic(beta=0.5)", "cubic(beta=0.5)"),
        ("fast-AT", "fast-at"),
    ],
)
def test_names_that_people_type_are_understood(text: str, name: str) -> None:
    assert algorithms.resolve(text).name == name
    found, wanted = (scenario("dumbbell", algorithms=each) for each in (text, name))
    assert found.canonical() == wanted.canonical()


def test_an_alias_is_its_algorithm_and_no_second_one() -> None:
    with pytest.raises(InputError, match="tcp is there twice"):
        scenario("dumbbell", algorithms="tcp=0.5, reno=0.5")
