"""Every value of a scenario at both ends of its range, and just beyond, through the command line.

What is refused has one style: path, value, problem, and what is allowed, each end with its unit.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mesonet import core
from mesonet.cli.verbs import main
from mesonet.scenarios import link_values, settings
from mesonet.scenarios.kinds.flow_applications import APPLICATIONS
from mesonet.scenarios.parameters import PARAMETERS

#: Keys that an application needs before the key is read, for each key.
_FRAMES, _ON_OFF = ', frame_rate = 30, frame_size = "3 segments"', ', idle_time = "1 s", burst_size = "3 segments"'
OTHERS = {
    "frames": {
        "frame_rate": ', frame_size = "3 segments"',
        "frame_size": ", frame_rate = 30", "key_frame_size": _FRAMES, "key_frame_every": _FRAMES,
        "late_after": _FRAMES, "report_interval": _FRAMES,
    },
    "constant": dict.fromkeys(("late_after", "report_interval"), ', rate = "3 seg/s"'),
    "on_off": {
        "rate": ', idle_time = "1 s", burst_time = "1 s"', "idle_time": ', burst_size = "3 segments"',
        "burst_size": ', idle_time = "1 s"', "burst_time": ', idle_time = "1 s"',
        "late_after": _ON_OFF, "report_interval": _ON_OFF,
    },
    "video": {
        "chunk_time": ', playback_buffer = "1000 s"',
        "playback_buffer": ', chunk_time = "1 ms", startup_buffer = "0 s", resume_buffer = "0 s"',
        "startup_buffer": ', playback_buffer = "1000000 s"', "resume_buffer": ', playback_buffer = "1000000 s"',
        "reservoir": ", cushion = 0", "cushion": ", reservoir = 0",
        "rate_chunks": ', abr = "rate"', "rate_safety": ', abr = "rate"',
        "rung": f', abr = "fixed", ladder = {[f"{rung + 1} kbit/s" for rung in range(1000)]}',
    },
}  # fmt: skip
UNITS = {
    "time": " s", "rate": " seg/s", "segments": " segments", "whole segments": " segments", "threshold": " segments",
    "flow rate": " flows/s",
}  # fmt: skip
WHOLE = ("count", "whole segments")
#: Units in which messages show the ends of a range.
SHOWN = {
    "time": "(s|ms|min)",
    "rate": "seg/m?s",
    "segments": "segments?",
    "whole segments": "segments?",
    "threshold": "segments?",
    "flow rate": "flows/s",
}
NUMBERS = [path for path in core.bounds() if path in PARAMETERS]
OTHER_KINDS = [path for path in PARAMETERS if path not in core.bounds()]
#: Values that go with an end but 0: both are 0, or neither.
TOGETHER = {
    "transport.saved_window": ("transport.saved_rtt=1 s",),
    "transport.saved_rtt": ("transport.saved_window=100 segments",),
}
#: Values that go with an end: without them it contradicts another value.
WITH = {
    "network.speed": ("buffer=1 segment", "buffer_floor=1 segment"),
    "network.delay_multiplier": ("buffer=1 segment",),
    "network.buffer_floor": ("network.speed=1000000 seg/ms",),
    "users.base_sources": ("users.source_multiplier=0.001",),
    "users.source_multiplier": ("users.base_sources=1",),
    "users.document_probability": ("users.service_pack_probability=0", "users.movie_probability=0"),
    "users.service_pack_probability": ("users.document_probability=0", "users.movie_probability=0"),
    "users.jumbo_period": ("time.periods=100",),
    "users.movie_probability": ("users.document_probability=0", "users.service_pack_probability=0"),
    "transport.min_rto": ("transport.initial_rto=10000 s", "transport.max_rto=10000 s"),
    "transport.timer_tick": ("transport.rtt_samples=round_trip",),
    "transport.max_cwnd": ("transport.initial_window=1 segment",),
    "transport.hystart_min_threshold": ("transport.hystart_max_threshold=1000 s",),
    "transport.hystart_max_threshold": ("transport.hystart_min_threshold=0 s",),
    "time.duration": ("measurement.interval=0.01 ms", "time.periods=1"),
    "time.warmup": ("time.duration=1000000 s", "time.periods=1"),
    "time.converged": ("time.periods=1",),
    "measurement.interval": ("time.duration=1000000 s",),
}
#: Networks on which an end is possible, if not on that of Abilene.
ON = {
    "network.speed": "dumbbell",
    "network.buffer_floor": "dumbbell",
    "time.duration": "dumbbell",
    "time.warmup": "dumbbell",
    "measurement.interval": "dumbbell",
}
_LONG = 'time.duration = "1000000 s"'
_FEW_SEGMENTS = 'network.buffer = "1 segment"\nnetwork.buffer_floor = "1 segment"'
_SHORT = 'time.duration = "1 ms"\nmeasurement.interval = "0.01 ms"'
#: Lines of a file beside an entry of a list: without them an end contradicts another value.
BESIDE = {
    "network.changes[].time": _LONG,
    "network.changes[].speed": _FEW_SEGMENTS,
    "network.changes[].delay": _FEW_SEGMENTS,
    "deployment[].time": _LONG,
    "flows[].start": _LONG,
    "arrivals[].start": _LONG,
    "arrivals[].rate": _SHORT,
    "arrivals[].load": _SHORT,
    "arrivals[].factor": _SHORT,
    "flows[].start_within": _LONG,
    "flows[].segment_bytes": 'network.queue = "port"',
    "users.traffic[].rate": "users.traffic_factor = 1e-9",
}
IN_LISTS = {
    "network.changes[].time": ("time", '[{time = "VALUE", router = "A", factor = 1}]'),
    "network.changes[].speed": ("rate", '[{time = "1 s", router = "A", speed = "VALUE"}]'),
    "network.changes[].delay": ("time", '[{time = "1 s", link = ["A", "B"], delay = "VALUE"}]'),
    "network.changes[].factor": ("number", '[{time = "1 s", link = ["A", "B"], factor = VALUE}]'),
    "network.changes[].cost": ("number", '[{time = "1 s", link = ["A", "B"], cost = VALUE}]'),
    "deployment[].time": ("time", '[{algorithm = "tcp", share = 1, time = "VALUE"}]'),
    "deployment[].share": ("probability", '[{algorithm = "cubic", share = VALUE}]'),
    "users.traffic[].rate": (
        "rate",
        '[{from = "A", to = "B", rate = "VALUE"}, {from = "B", to = "A", rate = "9 seg/s"}]',
    ),
    "users.traffic[].share": ("number", '[{from = "A", to = "B", share = VALUE}, {from = "B", to = "A", share = 9}]'),
    "flows[].start": ("time", '[{from = "A", to = "B", start = "VALUE"}]'),
    "flows[].start_within": ("time", '[{from = "A", to = "B", start_within = "VALUE"}]'),
    "flows[].stop": ("time", '[{from = "A", to = "B", stop = "VALUE"}]'),
    "flows[].size": ("segments", '[{from = "A", to = "B", size = "VALUE"}]'),
    "flows[].interface": ("rate", '[{from = "A", to = "B", interface = "VALUE"}]'),
    "flows[].extra_delay": ("time", '[{from = "A", to = "B", extra_delay = "VALUE"}]'),
    "flows[].overhead": ("time", '[{from = "A", to = "B", overhead = "VALUE"}]'),
    "flows[].segment_bytes": ("number", '[{from = "A", to = "B", segment_bytes = VALUE}]'),
    "flows[].ack_pieces": ("count", '[{from = "A", to = "B", receiver = "ack_division", ack_pieces = VALUE}]'),
    "arrivals[].matrix[].rate": (
        "rate",
        '[{sizes = "1 kB", factor = 1e-9, matrix = [{from = "A", to = "B", rate = "VALUE"}, '
        '{from = "B", to = "A", rate = "9 seg/s"}]}]',
    ),
    "arrivals[].matrix[].share": (
        "number",
        '[{sizes = "1 kB", rate = "1 flows/s", matrix = [{from = "A", to = "B", share = VALUE}, '
        '{from = "B", to = "A", share = 9}]}]',
    ),
    "arrivals[].factor": (
        "number",
        '[{sizes = "1 kB", matrix = [{from = "A", to = "B", rate = "1 seg/s"}], factor = VALUE}]',
    ),
    "arrivals[].rate": ("flow rate", '[{from = "A", to = "B", sizes = "1 kB", rate = "VALUE"}]'),
    "arrivals[].load": ("number", '[{from = "A", to = "B", sizes = "1 kB", of = "A", load = VALUE}]'),
    "arrivals[].sigma": (
        "number",
        '[{from = "A", to = "B", sizes = "1 kB", rate = "1 flows/s", process = "bursty", sigma = VALUE}]',
    ),
    "arrivals[].start": ("time", '[{from = "A", to = "B", sizes = "1 kB", rate = "1 flows/s", start = "VALUE"}]'),
    "arrivals[].stop": ("time", '[{from = "A", to = "B", sizes = "1 kB", rate = "1 flows/s", stop = "VALUE"}]'),
    "arrivals[].interface": (
        "rate",
        '[{from = "A", to = "B", sizes = "1 kB", rate = "1 flows/s", interface = "VALUE"}]',
    ),
    "arrivals[].sizes.size": ("segments", '[{from = "A", to = "B", rate = "1 flows/s", sizes = "VALUE"}]'),
    "arrivals[].sizes.mean": (
        "segments",
        '[{from = "A", to = "B", rate = "1 flows/s", sizes = {law = "exponential", mean = "VALUE"}}]',
    ),
    "arrivals[].sizes.shape": (
        "number",
        '[{from = "A", to = "B", rate = "1 flows/s", sizes = {law = "pareto", mean = "1 kB", shape = VALUE}}]',
    ),
}
#: Points and period of each trace, whose own lines come before it.
for _key, _kind, _value, _line in (
    ("capacity", "rate", "5 seg/s", 'network.queue = "port"\nimpairments.at = ["A -> B"]'),
    ("delays", "time", "5 ms", ""),
    ("outages", "time", "5 ms", ""),
    (
        "buffers",
        "segments",
        "5 segments",
        'network.queue = "port"\nnetwork.speed = "1000000 seg/ms"\nimpairments.at = ["A -> B"]',
    ),
    ("jitter_mean", "time", "5 ms", 'impairments.jitter = "uniform"'),
    ("late_by", "time", "5 ms", ""),
    ("policer_rate", "rate", "VALUE", ""),
    ("policer_burst", "segments", "5 segments", ""),
    *((key, "probability", 0.5, "") for key in ("loss", "loss_bad", "to_bad", "to_good", "late", "duplicate")),
):
    _path = f"impairments.{_key}"
    _quote = "" if _kind == "probability" else '"'
    _quoted, _number = f"{_quote}{_value}{_quote}", f"{_quote}VALUE{_quote}"
    _constant = _quoted.replace("VALUE", "5 seg/s")
    IN_LISTS[f"{_path}.points[].0"] = ("time", f'[["0 s", {_constant}], ["VALUE", {_constant}]]')
    IN_LISTS[f"{_path}.points[].1"] = (_kind, f'[["0 s", {_number}], ["1 ms", {_quoted}]]')
    IN_LISTS[f"{_path}.period"] = ("time", '"VALUE"')
    BESIDE |= {f"{_path}.points[].0": _line, f"{_path}.points[].1": _line}
    BESIDE[f"{_path}.period"] = f'{_line}\n{_path}.points = [["0 s", {_constant}]]'
#: Keys of applications by the path of their number.
OF_APPLICATIONS = {
    about.path: (application, key, about.kind.name)
    for application, keys in APPLICATIONS.items()
    for key, about in keys.items()
    if about.kind.name not in ("choice", "abr", "ladder")
} | {"flows[].application.source.video.ladder[]": ("video", "ladder[]", "rate")}
for _path, (_application, _key, _kind) in OF_APPLICATIONS.items():
    _value = "VALUE" if _kind in ("number", "count") else '"VALUE"'
    _value = f"[{_value}]" if _key.endswith("[]") else _value
    _rest = f"{_key.removesuffix('[]')} = {_value}{OTHERS[_application].get(_key, '')}"
    IN_LISTS[_path] = (_kind, f'[{{from = "A", to = "B", application = "{_application}", {_rest}}}]')


#: Numbers of links, with their kinds.
OF_LINKS = {
    each.path: each.kind.name for each in link_values.KEYS.values() if each.kind.name in ("rate", "time", "number")
}


def test_every_number_has_a_range() -> None:
    kinds = {"time", "rate", "segments", "number", "probability", "count", "threshold", "whole segments"}
    assert set(NUMBERS) == {p.path for p in PARAMETERS.values() if p.kind.name in kinds}
    assert {*IN_LISTS, *OF_LINKS} == set(core.bounds()) - set(NUMBERS)


def written(kind: str, number: float) -> str:
    """A number in base units as a user writes it."""
    text = str(int(number)) if kind in WHOLE or number == int(number) else repr(number)
    return text + UNITS.get(kind, "")


def beyond(kind: str, least: float, most: float, above: bool = False) -> list[tuple[str, float]]:
    """The nearest numbers that are not allowed, and what the message calls them."""
    step = 1 if kind in WHOLE else 0
    below = least if above else least - 1 if step else math.nextafter(least, -math.inf)
    over = most + 1 if step else math.nextafter(most, math.inf)
    return [("too low", below), ("too high", over)]


def ends(bound: core.Bound) -> list[float]:
    """The ends of a range that are allowed themselves."""
    return [bound.most] if bound.above else [bound.least, bound.most]


def check(scenario: str | Path, *values: str) -> Result:
    """The command that checks a scenario, with values of some paths."""
    return CliRunner().invoke(main, ["check", str(scenario), "--json", *(f"--set={value}" for value in values)])


def assert_refused(result: Result, path: str, value: str, problem: str, unit: str) -> None:
    """The one style of a refusal: path, value, problem, and both ends with their unit."""
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    message = result.stderr.removesuffix("\n")
    place, _, rest = message.partition(f"{path} = ")
    assert re.fullmatch(r"mesonet: (\S+: )?", place), message
    given, _, rest = rest.partition(f": {problem}. Allowed: ")
    assert given.strip('"') == value, message
    end = rf"-?[\d.]+(e[+-]\d+)?{f' {unit}' if unit else ''}"
    assert re.fullmatch(rf"(a whole number( of segments)?, )?(at least|more than) {end} and at most {end}", rest), (
        message
    )


@pytest.mark.parametrize("path", NUMBERS)
def test_numbers_beyond_their_range_are_refused_at_once(path: str) -> None:
    kind, bound = PARAMETERS[path].kind.name, core.bounds()[path]
    for problem, number in beyond(kind, bound.least, bound.most, bound.above):
        text = written(kind, number)
        assert_refused(check("abilene", f"{path}={text}"), path, text, problem, SHOWN.get(kind, ""))


@pytest.mark.parametrize("path", NUMBERS)
def test_numbers_at_both_ends_are_allowed(path: str) -> None:
    kind = PARAMETERS[path].kind.name
    for number in ends(core.bounds()[path]):
        others = (*WITH.get(path, ()), *(TOGETHER.get(path, ()) if number else ()))
        result = check(ON.get(path, "abilene"), *others, f"{path}={written(kind, number)}")
        assert result.exit_code == 0, result.output
        [shown] = [each["value"] for each in json.loads(result.stdout)["settings"] if each["path"] == path]
        assert settings.parse(path, shown) == pytest.approx(number, rel=1e-11, abs=0)


@pytest.mark.parametrize("path", [path for path in NUMBERS if path.startswith("impairments.")])
def test_numbers_of_a_set_of_impairments_have_the_same_ranges(path: str) -> None:
    kind, bound = PARAMETERS[path].kind.name, core.bounds()[path]
    own = path.replace("impairments.", "impairments.far.")
    for problem, number in beyond(kind, bound.least, bound.most, bound.above):
        text = written(kind, number)
        result = check("abilene", "impairments.far.at=A - B", f"{own}={text}")
        assert_refused(result, own, text, problem, SHOWN.get(kind, ""))


def in_list(folder: Path, path: str, kind: str, number: float) -> Path:
    """A file with an entry of a list that has a number at a path."""
    entry = IN_LISTS[path][1].replace("VALUE", written(kind, number))
    if path == "network.changes[].factor" and number > 1:
        entry = entry.replace('link = ["A", "B"]', 'router = "A"')  # the link would be too long
    file = folder / "own.toml"
    file.write_text(f'base = "dumbbell"\n{BESIDE.get(path, "")}\n{path.partition("[")[0]} = {entry}\n')
    return file


@pytest.mark.parametrize("path", IN_LISTS)
def test_numbers_in_lists_beyond_their_range_are_refused_at_once(path: str, tmp_path: Path) -> None:
    kind, bound = IN_LISTS[path][0], core.bounds()[path]
    shown = f"flows[].{OF_APPLICATIONS[path][1]}" if path in OF_APPLICATIONS else path
    shown = shown.replace("points[].0", "points[1]").replace("points[].1", "points[0]").replace("[]", "[0]")
    for problem, number in beyond(kind, bound.least, bound.most, bound.above):
        result = check(in_list(tmp_path, path, kind, number))
        assert_refused(result, shown, written(kind, number), problem, SHOWN.get(kind, ""))


@pytest.mark.parametrize("path", IN_LISTS)
def test_numbers_in_lists_at_both_ends_are_allowed(path: str, tmp_path: Path) -> None:
    kind = IN_LISTS[path][0]
    hashes = set()
    for number in ends(core.bounds()[path]):
        result = check(in_list(tmp_path, path, kind, number))
        assert result.exit_code == 0, result.output
        hashes.add(json.loads(result.stdout)["hash"])
    assert len(hashes) == len(ends(core.bounds()[path]))


@pytest.mark.parametrize("path", OF_LINKS)
def test_numbers_of_links_have_ranges(path: str) -> None:
    kind, bound = OF_LINKS[path], core.bounds()[path]
    own = path.replace("[]", '["A","B"]')
    for problem, number in beyond(kind, bound.least, bound.most, bound.above):
        text = written(kind, number)
        assert_refused(check("dumbbell", "queue=port", f"{own}={text}"), own, text, problem, SHOWN.get(kind, ""))
    if path in ("links[].cost", "links[].delay"):  # the longest buffer and the slowest link make runs too long
        for number in ends(bound):
            result = check("dumbbell", "queue=port", f"{own}={written(kind, number)}")
            assert result.exit_code == 0, result.output
            assert json.loads(result.stdout)["derived"]["links"] == 1


@pytest.mark.parametrize("name", core.algorithms())
def test_constants_beyond_their_range_are_refused_at_once(name: str) -> None:
    for about in core.algorithms()[name].params:
        path = f"parameters.{name}.{about.name}"
        if about.is_choice:
            continue
        unit = {"segments": "segments?", "1": ""}.get(about.unit, re.escape(about.unit))
        for problem, number in beyond("number", about.min, about.max):
            result = check("abilene", f"algorithms={name}", f"{path}={number!r}")
            assert_refused(result, path, repr(number), problem, unit)


@pytest.mark.parametrize("name", core.algorithms())
def test_numbers_that_are_no_choice_are_refused_at_once(name: str) -> None:
    for about in (each for each in core.algorithms()[name].params if each.is_choice):
        numbers = {"too low": -1.0, "not a whole number": 0.5, "too high": about.max + 0.5}
        for problem, number in numbers.items():
            result = check("abilene", f"algorithms={name}", f"parameters.{name}.{about.name}={number}")
            assert (result.exit_code, result.stdout) == (2, ""), result.output
            allowed = {1: "0 or 1", 2: "0, 1 or 2", 3: "0, 1, 2 or 3"}[int(about.max)]
            assert result.stderr.endswith(f'.{about.name} = "{number}": {problem}. Allowed: {allowed}\n')


@pytest.mark.parametrize("name", core.algorithms())
def test_constants_at_both_ends_are_allowed(name: str) -> None:
    params = core.algorithms()[name].params
    for at_end in ({p.name: p.min for p in params}, {p.name: p.max for p in params}):
        values = (f"parameters.{name}.{constant}={number!r}" for constant, number in at_end.items())
        result = check("abilene", f"algorithms={name}", *values)
        assert result.exit_code == 0, result.output
        shown = {each["path"]: each["value"] for each in json.loads(result.stdout)["settings"]}
        assert {each: float(shown[f"parameters.{name}.{each}"]) for each in at_end} == pytest.approx(at_end, rel=1e-11)


#: Values that make no sense by path or kind: negative, not a number, infinite, too large for a whole number.
NONSENSE = {
    "buffer": ("-1 bdp", "0 segments", "nan bdp", "inf s", "1e400 bdp", "1e13 segments", "9"),
    "numbers": ("-1", "nan", "inf", "1.5", "4294967296", "9007199254740993", "1e400"),
    "distribution": ("-1, 1, 1", "nan, 0, 1", "inf, 0, 0", "1e400, 0, 0", "0, 0, 0", "1"),
    "capacity": ("nan", "inf", "-1"), "delays": ("nan", "inf", "-1"), "outages": ("nan", "inf", "-1"),
    "points": ("nan", "inf", "-1"),
    "changes": ("nan", "-1"), "traffic": ("nan", "-1"),
    "topology": ("nan", "-1"), "choice": ("nan", "-1", "none such"), "flag": ("nan", "-1", "2", "yes"),
    "places": ("-1",), "names": ("-1",), "access": ("nan", "-1", "cabel"),
    "algorithm": ("nan", "-1", "none such"),
    "algorithms": ("tcp=-1, cubic=2", "tcp=nan", "tcp=inf", "tcp=1e400", "tcp=0"),
}  # fmt: skip
NONSENSE_POINTS = {
    "impairments.capacity": ('"nan Mbit/s"', '"inf Mbit/s"', '"1e400 Mbit/s"', "nan", "5"),
    "impairments.delays": ('"nan ms"', '"1e400 ms"', '"1001 s"', "inf", "5"),
    "impairments.jitter_mean": ('"nan ms"', '"1e400 ms"', '"1001 s"', "inf", "5"),
    "impairments.loss": ("nan", "inf", "-1", "1.5", '"x"'),
    "impairments.outages": ('"nan ms"', '"1e400 ms"', '"1001 s"', "inf", "5"),
    "impairments.buffers": ('"nan segments"', '"0 segments"', '"1e400 segments"', "inf", "5"),
}


@pytest.mark.parametrize("path", [*OTHER_KINDS, "algorithms"])
def test_nonsense_is_refused_where_there_is_no_range(path: str) -> None:
    kind = PARAMETERS[path].kind.name if path in PARAMETERS else path
    for value in NONSENSE.get(path) or NONSENSE[kind]:
        result = check("abilene", f"{path}={value}")
        assert (result.exit_code, result.stdout) == (2, ""), (value, result.output)
        assert re.fullmatch(rf"mesonet: --set: {path}(\[0\])? = \S.*: \S.*\. Allowed: \S.*\n", result.stderr), (
            result.stderr
        )


@pytest.mark.parametrize("path", NONSENSE_POINTS)
def test_points_of_a_trace_name_their_place(path: str, tmp_path: Path) -> None:
    for value in NONSENSE_POINTS[path]:
        for own in (path, path.replace("impairments.", "impairments.far.")):
            file = tmp_path / "own.toml"
            at = f'{own.rpartition(".")[0]}.at = ["A -> B"]'
            law = f'{own.rpartition(".")[0]}.jitter = "uniform"' if "jitter" in path else ""
            file.write_text(f'base = "dumbbell"\nnetwork.queue = "port"\n{at}\n{law}\n{own} = [["0 s", {value}]]\n')
            result = check(file)
            assert (result.exit_code, result.stdout) == (2, ""), (value, result.output)
            assert re.fullmatch(rf"mesonet: \S+: {own}(\.points\[0\])? = .*\. Allowed: \S.*\n", result.stderr), (
                result.stderr
            )


def test_contradictions_name_both_values_with_their_unit() -> None:
    for given, expected in {
        "initial_rto=0.1 s": 'initial_rto = "100 ms": less than transport.min_rto. Allowed: at least 1 s',
        "max_cwnd=5 seg": 'max_cwnd = "5 segments": less than transport.initial_window. Allowed: at least 10 segments',
        "jumbo_period=7": 'jumbo_period = "7": there is no such period. Allowed: 0 to time.periods, 3',
        "measurement.interval=5000 s": 'interval = "5000 s": longer than the run. Allowed: at most 60 s',
    }.items():
        result = CliRunner().invoke(main, ["check", "abilene", "--set", given])
        assert (result.exit_code, expected in result.stderr) == (2, True), result.stderr
