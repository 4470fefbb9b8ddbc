"""Every number of a scenario at both ends of its range, through the command line: one style of message, with a unit."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from mesonet import core
from mesonet.cli.main import main
from mesonet.scenarios import settings
from mesonet.scenarios.flow_applications import APPLICATIONS
from mesonet.scenarios.parameters import PARAMETERS

#: Keys that an application needs before the key is read, for each key.
_FRAMES, _ON_OFF = ', frame_rate = 30, frame_size = "3 segments"', ', idle_time = "1 s", burst_size = "3 segments"'
OTHERS = {
    "frames": {
        "frame_size": ", frame_rate = 30", "key_frame_size": _FRAMES, "key_frame_every": _FRAMES,
        "late_after": _FRAMES, "report_interval": _FRAMES,
    },
    "constant": dict.fromkeys(("late_after", "report_interval"), ', rate = "3 seg/s"'),
    "on_off": {
        "rate": ', idle_time = "1 s", burst_time = "1 s"', "idle_time": ', burst_size = "3 segments"',
        "burst_size": ', idle_time = "1 s"', "burst_time": ', idle_time = "1 s"',
        "late_after": _ON_OFF, "report_interval": _ON_OFF,
    },
}  # fmt: skip
UNITS = {"time": " s", "rate": " seg/s", "segments": " segments", "threshold": " segments", "flow rate": " flows/s"}
NUMBERS = [path for path in core.bounds() if "[]" not in path]
IN_LISTS = {
    "network.changes[].time": ("time", '[{time = "VALUE", router = "A", factor = 1}]'),
    "network.changes[].speed": ("rate", '[{time = "1 s", router = "A", speed = "VALUE"}]'),
    "network.changes[].delay": ("time", '[{time = "1 s", link = ["A", "B"], delay = "VALUE"}]'),
    "network.changes[].factor": ("number", '[{time = "1 s", link = ["A", "B"], factor = VALUE}]'),
    "network.changes[].cost": ("number", '[{time = "1 s", link = ["A", "B"], cost = VALUE}]'),
    "users.traffic[].rate": ("rate", '[{from = "A", to = "B", rate = "VALUE"}]'),
    "users.traffic[].share": ("number", '[{from = "A", to = "B", share = VALUE}]'),
    "flows[].start": ("time", '[{from = "A1", to = "B1", start = "VALUE"}]'),
    "flows[].start_within": ("time", '[{from = "A1", to = "B1", start_within = "VALUE"}]'),
    "flows[].stop": ("time", '[{from = "A1", to = "B1", stop = "VALUE"}]'),
    "flows[].size": ("segments", '[{from = "A1", to = "B1", size = "VALUE"}]'),
    "flows[].interface": ("rate", '[{from = "A1", to = "B1", interface = "VALUE"}]'),
    "flows[].extra_delay": ("time", '[{from = "A1", to = "B1", extra_delay = "VALUE"}]'),
    "flows[].overhead": ("time", '[{from = "A1", to = "B1", overhead = "VALUE"}]'),
    "flows[].segment_bytes": ("number", '[{from = "A1", to = "B1", segment_bytes = VALUE}]'),
    "flows[].ack_pieces": ("count", '[{from = "A1", to = "B1", receiver = "ack_division", ack_pieces = VALUE}]'),
    "arrivals[].rate": ("flow rate", '[{from = "A1", to = "B1", sizes = "1 kB", rate = "VALUE"}]'),
    "arrivals[].load": ("number", '[{from = "A1", to = "B1", sizes = "1 kB", of = "A", load = VALUE}]'),
    "arrivals[].sigma": ("number", '[{from = "A1", to = "B1", sizes = "1 kB", sigma = VALUE}]'),
    "arrivals[].start": ("time", '[{from = "A1", to = "B1", sizes = "1 kB", start = "VALUE"}]'),
    "arrivals[].stop": ("time", '[{from = "A1", to = "B1", sizes = "1 kB", stop = "VALUE"}]'),
    "arrivals[].interface": ("rate", '[{from = "A1", to = "B1", sizes = "1 kB", interface = "VALUE"}]'),
    "arrivals[].sizes.size": ("segments", '[{from = "A1", to = "B1", sizes = "VALUE"}]'),
    "arrivals[].sizes.mean": (
        "segments",
        '[{from = "A1", to = "B1", sizes = {law = "exponential", mean = "VALUE"}}]',
    ),
    "arrivals[].sizes.shape": (
        "number",
        '[{from = "A1", to = "B1", sizes = {law = "pareto", mean = "1 kB", shape = VALUE}}]',
    ),
}
#: Keys of applications by the path of their number.
OF_APPLICATIONS = {
    f"flows[].application.{about.path}": (application, key, about.kind)
    for application, keys in APPLICATIONS.items()
    for key, about in keys.items()
    if about.kind != "choice"
}
for _path, (_application, _key, _kind) in OF_APPLICATIONS.items():
    _value = "VALUE" if _kind in ("number", "count") else '"VALUE"'
    _rest = f"{_key} = {_value}{OTHERS[_application].get(_key, '')}"
    IN_LISTS[_path] = (_kind, f'[{{from = "A1", to = "B1", application = "{_application}", {_rest}}}]')


def test_every_number_has_a_range() -> None:
    kinds = {"time", "rate", "segments", "number", "probability", "count", "threshold"}
    assert set(NUMBERS) == {p.path for p in PARAMETERS.values() if p.kind in kinds}
    assert set(IN_LISTS) == set(core.bounds()) - set(NUMBERS)


def written(kind: str, number: float) -> str:
    """A number in base units as a user writes it."""
    text = str(int(number)) if kind == "count" or number == int(number) else repr(number)
    return text + UNITS.get(kind, "")


def beyond(kind: str, bound: core.Bound) -> list[tuple[str, float]]:
    """The nearest numbers that are not allowed, and what the message calls them."""
    step = 1 if kind == "count" else 0
    below = bound.least if bound.above else bound.least - 1 if step else math.nextafter(bound.least, -math.inf)
    over = bound.most + 1 if step else math.nextafter(bound.most, math.inf)
    return [("too low", below), ("too high", over)]


@pytest.mark.parametrize("path", NUMBERS)
def test_numbers_outside_of_their_range_are_refused_at_once(path: str) -> None:
    kind, bound = PARAMETERS[path].kind, core.bounds()[path]
    for problem, number in beyond(kind, bound):
        text = written(kind, number)
        result = CliRunner().invoke(main, ["check", "abilene", "--set", f"{path}={text}"])
        assert result.exit_code == 2, result.output
        message = result.stderr.strip()
        if message.count(": ") and "negative" in message:
            continue  # refused by its kind, before any range
        assert f'{path} = "{text}": {problem}. Allowed: ' in message, message
        allowed = message.partition("Allowed: ")[2]
        assert re.fullmatch(r"(at least|more than) \S+.* and at most \S+.*", allowed), allowed
        if kind in UNITS:
            assert len(re.findall(r"[\d.e+-]+ (seg|s\b|ms|us|min|h)", allowed)) == 2, allowed


@pytest.mark.parametrize("path", NUMBERS)
def test_numbers_at_both_ends_are_allowed(path: str) -> None:
    kind, bound = PARAMETERS[path].kind, core.bounds()[path]
    ends = [bound.most] if bound.above else [bound.least, bound.most]
    for number in ends:
        assert settings.parse(path, written(kind, number)) == number


@pytest.mark.parametrize("path", IN_LISTS)
def test_numbers_in_lists_have_ranges_too(path: str, tmp_path: Path) -> None:
    kind, table = IN_LISTS[path]
    bound = core.bounds()[path]
    for problem, number in beyond(kind, bound):
        file = tmp_path / "own.toml"
        entry = table.replace("VALUE", written(kind, number))
        file.write_text(f'base = "abilene"\n{path.partition("[")[0]} = {entry}\n')
        result = CliRunner().invoke(main, ["check", str(file)])
        assert result.exit_code == 2, result.output
        message = result.stderr
        shown = f"flows[].{OF_APPLICATIONS[path][1]}" if path in OF_APPLICATIONS else path
        assert shown.replace("[]", "[0]") in message, message
        assert problem in message, message
        assert "negative" in message or " and at most " in message, message


def test_contradictions_name_both_values_with_their_unit() -> None:
    for given, expected in {
        "initial_rto=0.1 s": 'initial_rto = "100 ms": less than transport.min_rto. Allowed: at least 1 s',
        "max_cwnd=5 seg": 'max_cwnd = "5 segments": less than transport.initial_window. Allowed: at least 10 segments',
        "jumbo_period=7": 'jumbo_period = "7": there is no such period. Allowed: 0 to time.periods, 3',
        "measurement.interval=5000 s": 'interval = "5000 s": longer than the run. Allowed: at most 60 s',
    }.items():
        result = CliRunner().invoke(main, ["check", "abilene", "--set", given])
        assert (result.exit_code, expected in result.stderr) == (2, True), result.stderr
