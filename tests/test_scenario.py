from __future__ import annotations

import json
from pathlib import Path

import pytest

from mesonet import core
from mesonet.cli import reference_pages
from mesonet.designs.factor import FACTORS
from mesonet.errors import InputError
from mesonet.responses.tables import TABLES
from mesonet.scenarios import settings
from mesonet.scenarios.parameters import PARAMETERS, PRESETS, TOPOLOGIES
from mesonet.scenarios.scenario import names, scenario
from mesonet.simulation.simulate import simulate

ROOT = Path(__file__).parents[1]


def explained(chosen, path: str) -> tuple[str, str]:
    return next((row.value, row.source) for row in chosen.explain() if row.path == path)


def test_built_in_scenarios_are_accepted_by_the_simulator() -> None:
    assert set(names()) == {
        "abilene", "bottleneck", "dumbbell", "dumbbell-pair", "dumbbell-two-rtt", "homes", "isp", "parking-lot",
        "shared-link", "video-beside-bulk",
    }  # fmt: skip
    for name in names():
        topology = scenario(name).value("topology")
        assert core.describe(scenario(name).to_json())["topology"] == getattr(topology, "name", topology)


def test_a_built_in_scenario_names_a_file_of_the_package(tmp_path, monkeypatch) -> None:
    (tmp_path / "homes.csv").write_text("from,to,delay_ms\nElsewhere,Town,1\n")
    (tmp_path / "own.toml").write_text('base = "homes"\n[tiers]\nhomes_per_pop = 10\n')
    monkeypatch.chdir(tmp_path)
    counts = {}
    for name in ("homes", "own.toml"):
        routers = [each["name"] for each in scenario(name).describe()["map"]["routers"]]
        assert "Internet" in routers
        counts[name] = sum(each.startswith("Town.") and each.count(".") == 2 for each in routers)
    assert counts == {"homes": 100, "own.toml": 10}
    assert scenario("homes", topology="homes.csv").value("topology").routers[0].name == "Elsewhere"


def test_abilene_has_the_published_counts() -> None:
    described = core.describe(scenario("abilene").to_json())
    assert [(entry["routers"], entry["sources"]) for entry in described["classes"]] == [
        (11, 0),
        (22, 0),
        (105, 6300),
        (28, 10080),
        (6, 1080),
    ]
    assert described["mean_hops"] == pytest.approx(9.43, abs=0.005)


def test_every_default_is_accepted_in_every_preset() -> None:
    for preset in PRESETS:
        core.describe(scenario("abilene", preset=preset).to_json())


def test_topologies_are_those_of_the_simulator() -> None:
    assert set(TOPOLOGIES) == set(core.module().topologies())


def test_canonical_form_is_in_base_units() -> None:
    tree = scenario("dumbbell").canonical()
    assert tree["network"]["speed"] == 21000
    assert tree["network"]["buffer"] == {"rule": "segments", "factor": 680}
    assert tree["time"] == {"duration": 1000, "warmup": 400, "periods": 3, "converged": 0}
    assert tree["flows"] == [
        {
            "from": "A", "to": "B", "start": 0, "stop": None, "size": None, "interface": 80000, "algorithm": None,
            "extra_delay": 0, "overhead": 0,
        },
    ]  # fmt: skip
    assert tree["algorithms"][0]["name"] == "tcp"
    assert tree["algorithms"][0]["share"] == 1
    assert set(tree["algorithms"][0]["parameters"]) == {c.name for c in core.algorithms()["tcp"].params}


def test_equal_values_have_equal_text_and_hash() -> None:
    one = scenario("abilene", duration="5 min", speed="252 Mbps")
    other = scenario("abilene", speed="21000 seg/s", duration="300 s")
    assert one.to_json() == other.to_json()
    assert one.hash == other.hash
    assert one.hash != one.set("duration", "301 s").hash
    assert json.loads(one.to_json()) == one.canonical()


def test_preset_may_be_chosen_after_other_values() -> None:
    chosen = scenario("abilene", initial_window="4 segments").set("preset", "sp500_282")
    assert chosen.value("transport.initial_window") == 4
    assert chosen.value("transport.initial_rto") == 3
    assert chosen.value("connection.window_after_retry") == 4  # follows the initial window in the study's preset
    assert chosen.set("preset", "standard").value("transport.initial_rto") == 1


def test_presets_hold_the_values_of_the_study_and_of_the_rfcs() -> None:
    paths = ["initial_window", "initial_rto", "timeout_rule", "reduce_from", "grow_only_if_cwnd_limited"]
    values = {
        preset: [scenario("abilene", preset=preset).value(f"transport.{path}") for path in paths]
        for preset in ("standard", "sp500_282")
    }
    assert values == {
        "standard": [10, 1, "rfc", "flight", True],
        "sp500_282": [2, 3, "own_reduction", "cwnd", False],
    }


def test_constants_of_algorithms_follow_the_preset_unless_set() -> None:
    differing = [
        (algorithm.name, constant)
        for algorithm in core.algorithms().values()
        for constant in algorithm.params
        if constant.presets
    ]
    assert {preset for _, constant in differing for preset, _ in constant.presets} == set(PRESETS) - {"standard"}
    for name, constant in differing:
        for preset in PRESETS:
            canonical = scenario("abilene", algorithm=name, preset=preset).canonical()
            assert canonical["algorithms"][0]["parameters"][constant.name] == constant.default(preset)
    name, constant = differing[0]
    chosen = scenario("abilene", algorithm=name).set(f"parameters.{name}.{constant.name}", constant.max)
    assert chosen.canonical()["algorithms"][0]["parameters"][constant.name] == constant.max


def test_warmup_is_two_fifths_unless_set() -> None:
    assert scenario("abilene", duration="25 min").value("time.warmup") == 600
    assert scenario("abilene", warmup="0 s").value("time.warmup") == 0


def test_explanations_name_the_place_or_the_source() -> None:
    chosen = scenario("abilene").set("duration", "5 min", "--set").set("preset", "sp500_282")
    assert explained(chosen, "time.duration") == ("300 s", "--set")
    assert explained(chosen, "network.speed") == ("800 seg/ms", "set in abilene.toml")
    value, source = explained(chosen, "transport.initial_rto")
    assert value == "3 s"
    assert source.startswith("preset sp500_282: ")
    assert "RFC 6675" in explained(chosen, "transport.duplicate_threshold")[1]
    assert {row.path for row in chosen.explain()} >= set(PARAMETERS) | {"algorithms", "parameters.tcp.increase"}


def test_mix_of_algorithms() -> None:
    chosen = scenario("abilene", algorithms={"tcp": 0.8, "scalable": 0.2})
    assert [(each["name"], each["share"]) for each in chosen.canonical()["algorithms"]] == [
        ("tcp", 0.8),
        ("scalable", 0.2),
    ]
    assert chosen.to_json() == scenario("abilene", algorithm="tcp=0.8, scalable = 0.2").to_json()
    core.describe(chosen.to_json())


def test_algorithm_of_an_explicit_flow_is_known_to_the_simulator() -> None:
    flow = {"from": "A", "to": "B", "size": "1000 segments", "start": "2 s", "algorithm": "scalable"}
    chosen = scenario("dumbbell", flows=[flow])
    assert [(each["name"], each["share"]) for each in chosen.canonical()["algorithms"]] == [("tcp", 1), ("scalable", 0)]
    core.describe(chosen.to_json())


def test_a_path_object_names_a_file_as_text_does(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("name\nA\nB\n")
    (tmp_path / "links.csv").write_text("from,to,delay_ms,capacity_mbps\nA,B,5,10\n")
    (tmp_path / "rates.csv").write_text("time_s,rate_mbps\n0,10\n5,2\n")
    for path, file, base in (
        ("topology", tmp_path, "abilene"),
        ("impairments.capacity", tmp_path / "rates.csv", "bottleneck"),
    ):
        assert scenario(base, **{path: file}).to_json() == scenario(base, **{path: str(file)}).to_json()


def test_file_with_a_base(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('base = "abilene"\n[network]\nspeed = "400 seg/ms"\n')
    (tmp_path / "twice.toml").write_text('base = "mine.toml"\ntitle = "T"\n[algorithms]\ntcp = 0.5\nscalable = 0.5\n')
    chosen = scenario(tmp_path / "twice.toml")
    assert (chosen.name, chosen.title) == ("twice", "T")
    assert chosen.value("network.speed") == 400_000
    assert chosen.value("users.document_probability") == 0.02
    assert explained(chosen, "network.speed")[1] == f"set in {tmp_path / 'mine.toml'}"
    assert chosen.value("algorithms") == [("tcp", 0.5), ("scalable", 0.5)]


@pytest.mark.parametrize(
    ("overrides", "path", "message"),
    [
        ({"duration": 60}, "time.duration", 'write "60 s"'),
        ({"duration": "24 s", "warmup": "24 s"}, "time.duration", "inside the warm-up of 24 s"),
        ({"think_time": "-1 s"}, "users.think_time", "too low"),
        ({"delay_multiplier": -1}, "network.delay_multiplier", "too low"),
        ({"speed": "0.5 seg/s"}, "network.speed", "at least 1 seg/s"),
        ({"speed": "81 ms"}, "network.speed", "not a unit of a rate"),
        ({"algorithm": "scaleable"}, "algorithms", "nearest: scalable"),
        ({"algorithms": {"tcp": 0.5, "scalable": 0.4}}, "algorithms", "sum to 0.9"),
        ({"algorithms": {"tcp": 1.5, "scalable": -0.5}}, "algorithms", "at least 0 and at most 1"),
        ({"algorithms.tcp": 0.5}, "algorithms.tcp", "as a whole"),
        ({"source_distribution": [0.1, 0.6, 0.4]}, "users.source_distribution", "sum to 1.1"),
        ({"document_probability": 0.9, "movie_probability": 0.2}, "users.document_probability", "at most 1"),
        ({"network.sped": "1 seg/ms"}, "network.sped", "nearest: network.speed"),
        ({"sped": "1 seg/ms"}, "sped", "nearest: network.speed"),
        ({"increase": 1}, "increase", "ambiguous"),
        ({"parameters.tcp.increase": -5}, "parameters.tcp.increase", "too low"),
        ({"parameters.tcp.incraese": 1}, "parameters.tcp.incraese", "nearest: increase"),
        ({"parameters.tpc.increase": 1}, "parameters.tpc.increase", "nearest: tcp"),
        ({"start": "early"}, "users.start", "thinking, half_early"),
        ({"size_shape": 1}, "users.size_shape", "at least 1.000001"),
        ({"min_rto": "5 s"}, "transport.initial_rto", "at least 5 s"),
        ({"interval": "2 min"}, "measurement.interval", "at most 60 s"),
        ({"flows": [{"from": "A", "to": "B", "start": 3}]}, "flows[0].start", 'write "3 ms"'),
        ({"flows": [{"from": "A"}]}, "flows[0].to", "name of a router"),
        ({"flows": [{"from": "A", "to": "B", "sise": "1 segment"}]}, "flows[0].sise", "nearest: size"),
        ({"flows": [{"from": "A", "to": "B", "algorithm": "x"}]}, "flows[0].algorithm", "unknown algorithm"),
        ({"flows": "many"}, "flows", "no such file"),
        ({"flows": {"from": "A"}}, "flows", "not a list of flows"),
    ],
)
def test_bad_values_are_refused_with_path_and_remedy(overrides: dict, path: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        scenario("abilene", **overrides)
    assert caught.value.path == path
    assert message in str(caught.value)


def test_errors_in_a_file_name_file_path_value_and_what_is_allowed(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('base = "abilene"\n[network]\nspeed = 1600\n')
    with pytest.raises(InputError) as caught:
        scenario(file)
    error = caught.value
    assert (error.file, error.path, error.value) == (str(file), "network.speed", 1600)
    assert str(error).startswith(f'{file}: network.speed = 1600: a rate needs its unit: write "1600 seg/ms". Allowed: ')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("speed = ", "not valid TOML"),
        ('base = "nowhere"', "unknown scenario"),
        ('base = "self.toml"', "its own base"),
        ('speed = "1 seg/ms"', "write the full path"),
        ('[network]\nsped = "1 seg/ms"', "nearest: network.speed"),
        ("title = 3", "not text"),
        ("[time]\nperiods = 0", "at least 1"),
        ('[network]\nbuffer = {rule = "bdp"}', "not a buffer size"),
    ],
)
def test_bad_files_are_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "self.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=r"self\.toml") as caught:
        scenario(file)
    assert message in str(caught.value)


def test_files_that_are_not_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not text"):
        scenario(tmp_path / "binary.toml")


def test_unknown_scenario_lists_the_built_in_ones() -> None:
    with pytest.raises(
        InputError,
        match=r"nearest: abilene.*two-rtt, homes, isp, parking-lot, shared-link, video-beside-bulk, or the path",
    ):
        scenario("abilen")


def test_refusals_of_the_simulator_become_input_errors() -> None:
    with pytest.raises(InputError) as caught:
        scenario("dumbbell", flows=[{"from": "A", "to": "B", "start": "2000 s"}])
    assert caught.value.path == "flows[0].start"
    assert 'flows[0].start = "2000 s": after the end' in str(caught.value)
    assert caught.value.allowed == "at most 1000 s"
    unknown_router = scenario("dumbbell", flows=[{"from": "A", "to": "Z"}])
    with pytest.raises(InputError, match="Z"):
        simulate(unknown_router)


@pytest.mark.parametrize("name", ["parameters.md", "factors.md", "responses.md", "tables.md", "suites.md"])
def test_reference_pages_are_up_to_date(name: str) -> None:
    assert (ROOT / "docs/reference" / name).read_text() == reference_pages.pages()[name]


def test_the_scenario_of_the_simulators_tests_is_up_to_date() -> None:
    assert (ROOT / reference_pages.DEFAULTS).read_text() == reference_pages.defaults()


def test_every_column_of_a_run_is_explained() -> None:
    run = simulate(scenario("dumbbell", duration="2 s", flow_records=1, **{"trace.flows": "1", "trace.routers": "all"}))
    for name, table in TABLES.items():
        columns = getattr(run, name).to_polars().columns
        assert [each.replace("flow_1_", "flow_N_") for each in columns] == list(table.columns), name


@pytest.mark.parametrize("factor", FACTORS, ids=lambda factor: factor.id)
def test_both_levels_of_every_factor_of_the_study_can_be_set(factor) -> None:
    paths = factor.path.split(", ")
    levels = [factor.minus.split(", "), factor.plus.split(", ")] if len(paths) > 1 else [[factor.minus], [factor.plus]]
    for place, path in enumerate(paths):
        minus, plus = (settings.parse(path, level[place]) for level in levels)
        assert minus != plus


def test_slow_start_is_a_choice_with_constants() -> None:
    flow = {"from": "A", "to": "B"}
    chosen = scenario("dumbbell", duration="4 s", flows=[flow])

    def cwnd(**values: object) -> float:
        changes = {f"transport.{name}": value for name, value in values.items()}
        result = simulate(chosen.with_values({"network.buffer": "20000 segments", **changes}))
        return result.series.to_polars()["flow_1_cwnd"][-1]

    classic, hystart = cwnd(), cwnd(slow_start="hystart++")
    assert classic == cwnd(slow_start="classic", hystart_css_rounds=9, limited_slow_start_from="50 segments")
    assert hystart < classic
    assert cwnd(slow_start="hystart++", hystart_css_divisor=8) < hystart
    assert cwnd(slow_start="limited", limited_slow_start_from="50 segments") < cwnd(slow_start="limited") < hystart
    with pytest.raises(InputError) as caught:
        cwnd(hystart_min_threshold="20 ms")
    assert caught.value.path == "transport.hystart_max_threshold"


def test_no_buffer_is_smaller_than_the_floor() -> None:
    """Buffers of a slow network with short paths come from the floor, and a larger floor makes them larger."""
    slow = scenario("abilene", speed="1 seg/ms", delay_multiplier=0.01, base_sources=2)
    for floor in (8, 20):
        classes = slow.set("network.buffer_floor", f"{floor} segments").describe()["classes"]
        buffers = [size for each in classes for size in each["buffer"]]
        assert min(buffers) == floor
        assert sum(buffer == floor for buffer in buffers) > 1
    long = scenario("abilene", speed="800 seg/ms").describe()["classes"]
    assert min(size for each in long for size in each["buffer"]) > 20


def test_flows_have_segments_of_their_own_size(tmp_path: Path) -> None:
    own = {"from": "A", "to": "B", "interface": "24 Mbit/s", "size": "3 MB", "segment_bytes": 300}
    [first, second] = scenario("dumbbell", flows=[own, {**own, "segment_bytes": None}]).value("flows")
    assert (first["interface"], first["size"], first["segment_bytes"]) == (10_000, 10_000, 300)
    assert (second["interface"], second["size"], "segment_bytes" in second) == (2_000, 2_000, False)
    (tmp_path / "f.csv").write_text("from,to,interface,size,segment_bytes\nA,B,24 Mbit/s,3 MB,300\n")
    assert scenario("dumbbell", flows=str(tmp_path / "f.csv")).value("flows") == [first]
    with pytest.raises(InputError, match=r"flows\[0\]\.segment_bytes.*network.queue = port"):
        scenario("dumbbell", flows=[own]).describe()
    scenario("dumbbell", flows=[own]).set("network.queue", "port").describe()
