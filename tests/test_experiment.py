from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mesonet import core
from mesonet.campaign.ledger import run_seed
from mesonet.designs import rows
from mesonet.designs.factor import FACTORS
from mesonet.errors import InputError
from mesonet.experiments import model as model_experiment
from mesonet.experiments import reading as experiment_file
from mesonet.experiments.network import experiment, names
from mesonet.responses.definitions import RESPONSES
from mesonet.scenarios.parameters import PARAMETERS
from mesonet.scenarios.scenario import scenario


def test_every_key_of_an_experiment_file_is_in_the_reference() -> None:
    page = (Path(__file__).parents[1] / "docs/reference/experiment-file.md").read_text()
    keys = {*experiment_file._KEYS, *experiment_file._FACTOR_KEYS, *rows.KEYS, *model_experiment._KEYS, "base"}
    assert {key for key in keys if not re.search(rf"`\[*{key}\]*`", page)} == set()


def test_demo_is_a_half_fraction_over_six_factors_of_the_study() -> None:
    demo = experiment("demo")
    assert names()["demo"] == demo.title
    assert demo.algorithms == ("cubic", "bbr3", "scalable")
    assert [factor.id for factor in demo.factors] == ["X1", "X2", "X3", "X5", "X7", "X13"]
    assert demo.design.generators == ("X13=X1*X2*X3*X5*X7",)
    assert (demo.design.runs, demo.design.resolution) == (32, 6)
    assert demo.scenario.preset == "linux"
    assert demo.scenario.value("users.source_multiplier") == 2
    assert [demo.scenario.value(f"users.{kind}_probability") for kind in ("document", "service_pack", "movie")] == [
        0.1,
        0,
        0,
    ]
    demo.check()


def test_factors_of_the_study_name_existing_paths() -> None:
    assert [factor.id for factor in FACTORS] == [f"X{i}" for i in range(1, 21)]
    known = {*PARAMETERS, "algorithms", "flows"}
    for factor in FACTORS:
        assert not factor.path or set(factor.path.split(", ")) <= known
        for path in factor.path.split(", "):
            assert path not in PARAMETERS or PARAMETERS[path].study_id == factor.id
    tagged = {parameter.study_id for parameter in PARAMETERS.values()} - {""}
    assert tagged <= {factor.id for factor in FACTORS}


def test_responses_are_numbered_as_in_the_paper() -> None:
    assert [response.symbol for response in RESPONSES][:22] == [f"y{i}" for i in range(1, 23)]
    assert len({response.name for response in RESPONSES}) == len(RESPONSES) == 163
    table_6 = [response.symbol for response in RESPONSES if response.symbol.startswith("Y")]
    # The rest of Table 6 is in Tables 3 and 4: Y2, Y6, Y7, Y9, Y10 = y1, y10, y11, y15, y16.
    assert table_6 == [f"Y{i}" for i in (1, 3, 4, 5, 8, 11, 12, 13, 14, 15, 16, 17, 18)]


def test_plan_has_one_row_per_run_with_its_own_scenario(tiny: Path) -> None:
    plan = experiment(tiny, replicates=2).plan()
    assert plan.columns == ["condition", "algorithm", "replicate", "seed", "X1", "X5", "key", "scenario"]
    assert len(plan) == plan["key"].n_unique() == 16
    row = plan.filter((plan["condition"] == 4) & (plan["algorithm"] == "scalable") & (plan["replicate"] == 1))
    tree = json.loads(row["scenario"].item())
    assert (row["X1"].item(), row["X5"].item()) == ("80 seg/ms", "100 segments")
    assert (tree["network"]["speed"], tree["users"]["web_object_size"]) == (80_000, 100)
    assert tree["algorithms"][0]["name"] == "scalable"
    assert tree["time"] == {"duration": 2, "warmup": 0.8, "periods": 3, "converged": 0}


def test_algorithms_share_random_numbers_conditions_and_replicates_do_not(tiny: Path) -> None:
    plan = experiment(tiny, replicates=2).plan()
    assert plan.group_by("condition", "replicate").n_unique()["seed"].to_list() == [1] * 8
    assert plan["seed"].n_unique() == 8
    assert plan["seed"].to_list() != experiment(tiny, replicates=2, seed=6).plan()["seed"].to_list()
    assert run_seed(5, 1, 2) != run_seed(5, 2, 1)


def test_a_condition_equals_the_scenario_set_by_hand(tiny: Path) -> None:
    by_hand = scenario("abilene", duration="2 s", base_sources=2, speed="80 seg/ms", web_object_size="50 segments")
    assert experiment(tiny).condition(2, "tcp").to_json() == by_hand.set("algorithms", "tcp").to_json()


def test_options_replace_what_the_file_says(tiny: Path) -> None:
    options = {"duration": "4 s", "algorithms": ["fast", "tcp"], "replicates": 3, "seed": 9}
    changed = experiment(tiny, **options, values={"warmup": "0 s"})
    assert changed.algorithms == ("fast", "tcp")
    assert (changed.replicates, changed.seed) == (3, 9)
    assert changed.condition(1, "fast").canonical()["time"] == {
        "duration": 4,
        "warmup": 0,
        "periods": 3,
        "converged": 0,
    }


def test_scale_multiplies_speeds_and_sources_but_not_interfaces(tiny: Path) -> None:
    whole, tenth = experiment(tiny), experiment(tiny, scale=0.1)
    for condition in (1, 4):
        one, other = whole.condition(condition, "tcp"), tenth.condition(condition, "tcp")
        assert other.value("network.speed") == pytest.approx(one.value("network.speed") / 10)
        assert other.value("users.base_sources") == pytest.approx(0.2)
        assert other.value("users.normal_interface") == one.value("users.normal_interface")
    assert [factor.minus for factor in tenth.factors] == ["4 seg/ms", "50 segments"]


def test_scale_that_distorts_the_network_is_refused(tmp_path: Path) -> None:
    text = """
    name = "large"
    title = "T"
    scenario = "abilene"
    algorithms = ["tcp"]
    [[factors]]
    id = "X1"
    minus = "800 seg/ms"
    plus = "1600 seg/ms"
    """
    file = tmp_path / "large.toml"
    file.write_text(text)
    experiment(file, scale=0.5).check()
    with pytest.raises(InputError, match=r"condition 1: --scale = 0\.1: normal access .*\(2 seg/ms\).*slower"):
        experiment(file, scale=0.1).check()
    assert any("slower than a normal interface" in warning for warning in experiment(file, scale=0.1).check(force=True))
    with pytest.raises(InputError, match="rounding moves the share of sources"):
        experiment(file, scale=0.45, values={"base_sources": 5}).check()
    with pytest.raises(InputError, match="not a scale"):
        experiment(file, scale=0)


def test_factor_that_sets_several_values(tmp_path: Path) -> None:
    file = tmp_path / "files.toml"
    file.write_text(
        """
    name = "files"
    title = "T"
    scenario = "abilene"
    algorithms = ["tcp"]
    [[factors]]
    id = "X6"
    levels."users.document_probability" = [0.02, 0.04]
    levels."users.movie_probability" = [0.0002, 0.0004]
    """
    )
    chosen = experiment(file)
    (factor,) = chosen.factors
    assert factor.name == "Larger files"
    assert factor.path == "users.document_probability, users.movie_probability"
    assert (factor.minus, factor.plus) == ("0.02, 0.0002", "0.04, 0.0004")
    assert chosen.condition(2, "tcp").value("users.movie_probability") == 0.0004


SHARE = """
[[factors]]
id = "share"
path = "mixed_share"
minus = 0.3
plus = "0.7"
"""


@pytest.fixture
def mixed(tiny: Path) -> Path:
    """The file of an experiment of 8 conditions, in which hstcp, scalable and tcp meet tcp."""
    tiny.write_text(mixed_with('"tcp"', algorithm='hstcp", "scalable')(tiny.read_text()))
    return tiny


def test_alternates_have_their_share_and_the_others_the_rest(mixed: Path) -> None:
    chosen = experiment(mixed)
    assert chosen.mixed_with == "tcp"
    for number in (1, 2, 3, 4):
        assert chosen.condition(number, "scalable").value("algorithms") == [("tcp", 0.7), ("scalable", 0.3)]
        assert chosen.condition(number + 4, "hstcp").value("algorithms") == [("tcp", 0.3), ("hstcp", 0.7)]
        assert chosen.condition(number, "tcp").value("algorithms") == [("tcp", 1.0)]
    assert chosen.condition(5).value("algorithms") == [("tcp", 1.0)]  # the first of the experiment
    assert chosen.condition(5, "fast").value("algorithms") == [("tcp", 0.3), ("fast", 0.7)]
    share = chosen.factors[2]
    assert (share.path, share.minus, share.plus) == ("mixed_share", "0.3", "0.7")
    assert [factor.minus for factor in experiment(mixed, scale=0.5).factors] == ["20 seg/ms", "50 segments", "0.3"]


def test_a_mixed_experiment_says_so(mixed: Path) -> None:
    document = experiment(mixed).document()
    assert document["mixed_with"] == "tcp"
    shares = {entry["algorithm"]: entry["scenario"]["algorithms"] for entry in document["scenarios"][:3]}
    assert [(each["name"], each["share"]) for each in shares["hstcp"]] == [("tcp", 0.7), ("hstcp", 0.3)]
    assert [(each["name"], each["share"]) for each in shares["tcp"]] == [("tcp", 1)]
    parameters = {row["path"]: row for row in document["parameters"]}
    assert parameters["algorithms"]["value"] == "tcp, hstcp, scalable, each mixed with tcp"
    assert "parameters.scalable.increase" in parameters


def test_a_mixed_experiment_runs(mixed: Path, tmp_path: Path) -> None:
    text = mixed.read_text().replace('"tcp", "hstcp", "scalable"', '"scalable"')
    first, second = text.index('[[factors]]\nid = "X1"'), text.index('[[factors]]\nid = "share"')
    mixed.write_text(text[:first] + text[second:])
    campaign = experiment(mixed).run(tmp_path / "out", workers=2, progress=False)
    assert campaign.counts == {"done": 2, "failed": 0, "missing": 0}
    assert campaign.experiment["mixed_with"] == "tcp"


def test_a_duration_that_a_factor_varies_is_shortened_in_proportion(tiny: Path) -> None:
    text = tiny.read_text().replace('"time.duration" = "2 s"', "").replace('id = "X5"', 'id = "X19"')
    tiny.write_text(text.replace('"50 segments"', '"50 min"').replace('"100 segments"', '"25 min"'))
    assert experiment(tiny).factors[1].plus == "25 min"
    factor = experiment(tiny, duration="1.5 s").factors[1]
    assert (factor.minus, factor.plus) == ("3 s", "1.5 s")
    with pytest.raises(InputError, match=r'^--duration: time\.duration = "5": .*unit'):
        experiment(tiny, duration="5")
    with pytest.raises(InputError, match=r"^--set duration: factor X19 varies time\.duration"):
        experiment(tiny, values={"duration": "5 s"})


def test_conditions_count_from_1(tiny: Path) -> None:
    chosen = experiment(tiny)
    assert chosen.condition(np.int64(4)).name == "tiny condition 4"
    for number in (0, -1, 5, 1.0, True, "1"):
        with pytest.raises(InputError, match=r"^--condition.*at least 1 and at most 4"):
            chosen.condition(number)
    with pytest.raises(InputError, match=r'^--algorithm = "scaleable": unknown algorithm \(nearest: scalable\)'):
        chosen.condition(1, "scaleable")


def test_scenario_beside_the_experiment(tmp_path: Path, tiny: Path) -> None:
    (tmp_path / "mine.toml").write_text('base = "abilene"\n[users]\nthink_time = "9 s"\n')
    tiny.write_text(tiny.read_text().replace('scenario = "abilene"', 'scenario = "mine.toml"'))
    assert experiment(tiny).condition(1, "tcp").value("users.think_time") == 9


def replace(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


def append(more: str) -> Callable[[str], str]:
    return lambda text: text + more


def mixed_with(other: str, minus: str = "0.3", algorithm: str = "scalable") -> Callable[[str], str]:
    """Makes the experiment a mixed one."""

    def change(text: str) -> str:
        text = text.replace("seed = 5", f"mixed_with = {other}").replace("scalable", algorithm)
        return text + SHARE.replace("minus = 0.3", f"minus = {minus}")

    return change


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        (replace('plus = "80 seg/ms"', 'plus = "80 ms"'), "factors[0].plus", "not a level of network.speed"),
        (replace('plus = "80 seg/ms"', "plus = 80"), "factors[0].plus", 'write "80 seg/ms"'),
        (replace('minus = "50 segments"', "minus = true"), "factors[1].minus", "not a number of segments"),
        (replace('plus = "100 segments"', 'plus = "50 segments"'), "factors[1].plus", "the same"),
        (replace('plus = "100 segments"\n', ""), "factors[1].plus", "two levels"),
        (replace('id = "X5"', 'id = "X1"'), "factors[1].id", "two factors"),
        (replace('id = "X5"', 'id = "mine"'), "factors[1].path", "needs a path"),
        (replace('id = "X5"', "id = 5"), "factors[1].id", "needs an id"),
        (replace('id = "X5"', 'id = "a"\npath = "network.speed"'), "factors[1].minus", "not a level of network.speed"),
        (replace('id = "X5"', 'id = "a"\npath = "sped"'), "factors[1].path", "nearest: network.speed"),
        (replace('id = "X5"', 'id = "X5"\nlow = 1'), "factors[1].low", "unknown key"),
        (replace('"scalable"]', '"scaleable"]'), "algorithms[1]", "nearest: scalable"),
        (replace('"scalable"]', '"tcp"]'), "algorithms[1]", "named twice"),
        (replace('algorithms = ["tcp", "scalable"]', ""), "algorithms", "needs algorithms"),
        (replace("seed = 5", "seed = -1"), "seed", "at least 0"),
        (replace("seed = 5", "seed = 5\nreplicates = 0"), "replicates", "at least 1"),
        (replace("seed = 5", "sede = 5"), "sede", "nearest: seed"),
        (replace('scenario = "abilene"', 'scenario = "abilen"'), "scenario", "nearest: abilene"),
        (replace('"time.duration" = "2 s"', '"time.duration" = 2'), "set.time.duration", 'write "2 s"'),
        (replace('"time.duration" = "2 s"', '"network.speed" = "2 seg/ms"'), "set.network.speed", "factor X1 varies"),
        (
            replace('"time.duration" = "2 s"', "network.sped = 2"),
            "set.network.sped",
            "unknown path (nearest: network.speed",
        ),
        (replace('"time.duration" = "2 s"', "network.buffer = 2"), "set.network.buffer", 'write "2 segments"'),
        (replace('"time.duration" = "2 s"', "duration = 2"), "set.duration", 'write "2 s"'),
        (replace('"time.duration" = "2 s"', 'flows = [{from = "A"}]'), "set.flows[0].to", 'such as to = "A"'),
        (replace('"time.duration" = "2 s"', "flows = [{}]"), "set.flows[0].from", "a router of the topology in quotes"),
        (replace('"users.base_sources" = 2', "users = 3"), "set.users", "unknown path"),
        (replace("[set]", '[set]\nalgorithms = "fast"'), "set.algorithms", "varies the algorithms"),
        (replace("[set]", "[sets]"), "sets", "nearest: set"),
        (replace("seed = 5", 'seed = "5"'), "seed", "not a whole number"),
        (replace("seed = 5", "seed = 9223372036854775807000"), "seed", "too high"),
        (replace("seed = 5", "seed = 5\nreplicates = 1_000_001"), "replicates", "too high"),
        (replace('"tcp", "scalable"', '"tcp", 3'), "algorithms[1]", "not a mix"),
        (replace('algorithms = ["tcp", "scalable"]', 'algorithms = "tcp"'), "algorithms", "not a list"),
        (replace('title = "Two', "title = 2 #"), "title", "not text"),
        (replace("seed = 5", 'mixed_with = "tcp"'), "mixed_with", "no factor varies the share"),
        (append(SHARE), "mixed_with", "factor share varies mixed_share"),
        (mixed_with('"tpc"'), "mixed_with", "nearest: tcp"),
        (mixed_with('["tcp"]'), "mixed_with", "unknown algorithm"),
        (mixed_with('"tcp"', minus="1.2"), "factors[2].minus", "too high"),
        (mixed_with('"tcp"', minus='"0.7"'), "factors[2].plus", "both levels are the same"),
        (mixed_with('"tcp"', algorithm="tcp=0.5 fast=0.5"), "algorithms[1]", "needs to be one"),
        (append('[design]\ngenerators = ["X5=X1"]'), "design.generators[0]", "not a generator"),
        (append('[design]\ngenerator = "X5=X1"'), "design.generator", "nearest: generators"),
        (append("[design]\nruns = 8"), "design.runs", "more runs than 2 factors have combinations"),
        (append('[design]\nruns = "4"'), "design.runs", "not a number of runs"),
        (append('[design]\nresolution = "II"'), "design.resolution", "not a resolution"),
        (append('[design]\nname = "nist-2021"'), "design.name", "nearest: nist-2012"),
        (append('[design]\nname = ["nist-2012"]'), "design.name", "unknown design"),
        (append('[design]\nname = "nist-2012"'), "design.factors", "for 20 factors"),
        (append('[design]\nname = "nist-2012"\nruns = 4'), "design", "in two ways"),
    ],
)
def test_bad_experiments_are_refused_with_file_and_path(
    tiny: Path, change: Callable[[str], str], path: str, message: str
) -> None:
    tiny.write_text(change(tiny.read_text()))
    with pytest.raises(InputError) as caught:
        experiment(tiny)
    assert (caught.value.file, caught.value.path) == (str(tiny), path)
    assert message in str(caught.value)


def test_two_factors_may_not_set_the_same_value(tiny: Path) -> None:
    tiny.write_text(tiny.read_text() + '[[factors]]\nid = "again"\npath = "speed"\nminus = "1 Mbps"\nplus = "2 Mbps"\n')
    with pytest.raises(InputError, match=r"factors\[2\]\.path.*factor X1 sets network\.speed too"):
        experiment(tiny)


def test_options_may_not_set_what_a_factor_varies(tiny: Path) -> None:
    with pytest.raises(InputError, match=r"factor X1 varies network\.speed"):
        experiment(tiny, values={"speed": "1 seg/ms"})
    with pytest.raises(InputError, match="unknown algorithm"):
        experiment(tiny, algorithms=["cubik"])
    with pytest.raises(InputError, match="needs algorithms"):
        experiment(tiny, algorithms=[])


@pytest.mark.parametrize("every", ["all", ["all"]])
def test_the_algorithms_may_be_a_text(every: str | list[str], tiny: Path) -> None:
    assert experiment(tiny, algorithms=every).algorithms == tuple(core.algorithms())
    assert experiment(tiny, algorithms="cubic, tcp(increase=4, decrease=0.3)").algorithms == (
        "cubic", "tcp(increase=4, decrease=0.3)",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "option", "message"),
    [
        ({"duration": "5"}, "--duration: time.duration", 'write "5 s"'),
        ({"duration": 5}, "--duration: time.duration", 'write "5 s"'),
        ({"duration": ""}, "--duration: time.duration", "not a time"),
        ({"duration": "-1 s"}, "--duration: time.duration", "too low"),
        ({"algorithms": ["tcp", "scaleable"]}, "--algorithms", "nearest: scalable"),
        ({"algorithms": ["tcp", "tcp"]}, "--algorithms", "named twice"),
        ({"algorithms": []}, "--algorithms", "needs algorithms"),
        ({"replicates": 0}, "--replicates", "too low"),
        ({"replicates": 1.5}, "--replicates", "not a whole number"),
        ({"seed": 2**63}, "--seed", "too high"),
        ({"scale": 0}, "--scale", "not a scale"),
        ({"scale": float("nan")}, "--scale", "not a finite number"),
        ({"scale": True}, "--scale", "not a number"),
        ({"values": {"network.sped": 1}}, "--set: network.sped", "nearest: network.speed"),
        ({"values": {"users.think_time": 1}}, "--set: users.think_time", 'write "1 s"'),
    ],
)
def test_bad_options_are_named_as_such(tiny: Path, options: dict[str, object], option: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        experiment(tiny, **options)
    assert str(caught.value).startswith(option)
    assert str(tiny) not in str(caught.value)


def test_options_may_be_numbers_of_numpy(tiny: Path) -> None:
    options = {"replicates": np.int64(2), "seed": np.uint8(7), "scale": np.float32(0.5)}
    chosen = experiment(tiny, **options)
    assert (chosen.replicates, chosen.seed, chosen.scale) == (2, 7, 0.5)
    assert [type(value) for value in (chosen.replicates, chosen.seed, chosen.scale)] == [int, int, float]
    json.dumps(chosen.document())


def test_run_shorter_than_its_warmup_is_refused(tiny: Path) -> None:
    with pytest.raises(InputError, match="inside the warm-up"):
        experiment(tiny, values={"warmup": "10 s"}).document()


def test_unknown_experiment_lists_the_built_in_ones() -> None:
    with pytest.raises(InputError, match=r"unknown experiment.*Allowed: aqm, assumptions, demo"):
        experiment("dmo")
