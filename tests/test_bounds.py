"""Files of others and runs that would cost too much are refused early, with the place and what is allowed."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import mesonet as mn
from mesonet import core
from mesonet.errors import InputError
from mesonet.files.reading import MOST_DEPTH, MOST_DIGITS, MOST_TOML_BYTES, read_bytes, read_text
from mesonet.files.toml import read_toml
from mesonet.scenarios.scenario import load_scenario
from mesonet.simulation.size import MOST_MEMORY, refuse_large, run_size

MOST_S = 20.0
MOST_RSS = 2 * 2**30

_ENTITIES = "".join(f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(7))
LAUGHS = f'<!DOCTYPE l [<!ENTITY a "{"A" * 1000}">{_ENTITIES}]><graphml><graph><node id="&h;"/></graph></graphml>'
PREFIXED = '<g.h:graphml xmlns:g.h="http://graphml.graphdrawing.org/xmlns"><g.h:graph edgedefault="undirected">'

#: Topologies by name of the file: content, and what the message says.
TOPOLOGIES: dict[str, tuple[Callable[[], str | bytes], str]] = {
    "blank.gml": (lambda: "graph [\n" + "\n" * 2_000_000 + "]\n", "2,000,002 lines. Allowed: at most 1,000,000"),
    "values.gml": (lambda: "graph [\n" + "x 1 y 2 " * 1_000_000 + "]\n", "too many values. Allowed: at most 400,000"),
    "deep.gml": (lambda: "graph [" + "a [" * 100_000 + "]" * 100_001, "nested too deeply. Allowed: at most 50 levels"),
    "text.gml": (lambda: 'graph [\n label "' + "\n" * 500_000 + '"\n]\n', "at most 100 lines in quotes"),
    "open.gml": (lambda: 'graph [\n label "' + "x\n" * 300_000, "not valid GML"),
    "laughs.graphml": (lambda: LAUGHS, "XML with entities"),
    "utf16.graphml": (lambda: LAUGHS.encode("utf-16-le"), "not text in UTF-8"),
    "prefixed.graphml": (lambda: PREFIXED + "<g.h:node id='1'/>" * 100_000, "too many routers"),
    "deep.graphml": (lambda: "<a>" * 1_000_000, "nested too deeply. Allowed: at most 50 levels"),
    "wide.graphml": (lambda: "<a " + " ".join(f'a{i}="1"' for i in range(500_000)) + "/>", "too many values"),
    "data.graphml": (lambda: "<a>" + "<data key='d'/>" * 3_000_000 + "</a>", "too many values"),
    "utf16.csv": (lambda: "from,to\na,b\n".encode("utf-16-le"), "not text in UTF-8. Allowed: a CSV file"),
    "large.csv": (lambda: "x" * 50_000_001, "a file of 50 MB. Allowed: at most 50 MB"),
    "wide.csv": (lambda: "from,to\n" + "a," * 5_000_000 + "\n", "5000001 cells under 2 columns"),
    "quote.csv": (lambda: 'from,to\n"' + "x\n" * 5_000_000, "not CSV"),
}  # fmt: skip

SCENARIOS: dict[str, tuple[Callable[[], str | bytes], str]] = {
    "arrays": (lambda: "x = " + "[" * 100_000 + "]" * 100_000, "line 1: nested too deeply. Allowed: 50 levels"),
    "tables": (lambda: "\nx = " + "{a=" * 5_000 + "1" + "}" * 5_000, "line 2: nested too deeply"),
    "keys": (lambda: ".".join(["a"] * 50_000) + " = 1\n", "nested too deeply"),
    "heads": (lambda: "[" + ".".join(["'a'"] * 50_000) + "]\n", "nested too deeply"),
    "digits": (lambda: "seed = " + "1" * 4_000_000 + "\n", "line 1: a number that is too long. Allowed: at most 1,000"),
    "fraction": (lambda: "seed = 1." + "1_1" * 1_000_000 + "\n", "a number that is too long"),
    "size": (lambda: "title = '" + "x" * MOST_TOML_BYTES + "'", "a file of 5 MB. Allowed: at most 5 MB"),
    "keys of one table": (lambda: "".join(f"k{i}=1\n" for i in range(500_000)), "k0 = 1: unknown path"),
    "NUL": (lambda: "title = 'a\0b'\n", "not text in UTF-8"),
    "UTF-16": (lambda: "title = 'a'\n".encode("utf-16-le"), "not text in UTF-8"),
}  # fmt: skip


def write(file: Path, content: str | bytes) -> Path:
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def refused_soon(read: Callable[[], object], message: str) -> None:
    """The message comes within the limits of time and memory; both are of this process, so upper bounds."""
    began = time.process_time()
    with pytest.raises(InputError) as raised:
        read()
    assert message in str(raised.value)
    assert time.process_time() - began < MOST_S
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 < MOST_RSS


@pytest.mark.slow
@pytest.mark.parametrize("name", TOPOLOGIES)
def test_costly_topologies_are_refused(tmp_path: Path, name: str) -> None:
    make, message = TOPOLOGIES[name]
    file = write(tmp_path / name, make())
    refused_soon(lambda: mn.scenario("abilene", topology=str(file)), message)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_costly_scenarios_are_refused(tmp_path: Path, name: str) -> None:
    make, message = SCENARIOS[name]
    file = write(tmp_path / "x.toml", make())
    refused_soon(lambda: load_scenario(str(file)), message)


@pytest.mark.parametrize("suffix", ["csv", "gml", "graphml", "toml"])
def test_pipes_and_devices_are_no_files(tmp_path: Path, suffix: str) -> None:
    os.mkfifo(tmp_path / f"pipe.{suffix}")
    (tmp_path / f"zero.{suffix}").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        file = tmp_path / f"{name}.{suffix}"
        if suffix == "toml":
            with pytest.raises(InputError, match="unknown scenario"):
                load_scenario(str(file))
        else:
            with pytest.raises(InputError, match=f"{file}.*: not a regular file"):
                mn.scenario("abilene", topology=str(file))
        with pytest.raises(InputError, match="not a regular file"):
            read_bytes(file)
    with pytest.raises(InputError, match="not a regular file"):
        read_bytes(tmp_path)


def test_files_of_a_campaign_folder_are_regular(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "experiment.json").symlink_to("/dev/zero")
    with pytest.raises(InputError):
        mn.load(tmp_path)
    (tmp_path / "experiment.json").unlink()
    write(tmp_path / "experiment.json", "[" * 1_000_000)
    with pytest.raises(InputError, match="not JSON"):
        mn.load(tmp_path)


def test_what_is_allowed_is_read(tmp_path: Path) -> None:
    """The bounds themselves, and marks inside text and comments, which count nothing."""
    depth = MOST_DEPTH
    assert read_toml(f"x = {'[' * depth}{']' * depth}", "a")["x"]
    assert read_toml(f"{'.'.join(['a'] * (depth + 1))} = 1", "a")["a"]
    assert read_toml(f"x = 1.{'1' * (MOST_DIGITS - 1)}", "a")["x"] == pytest.approx(1.111, abs=1e-3)
    brackets = "[" * 100 + "." * 100
    text = (
        f'# {brackets}\nx = "{brackets}"\ny = \'{brackets}\'\nz = """\n{brackets}\\"""" \nw = \'\'\'{brackets}\'\'\'\n'
    )
    assert read_toml(text, "a")["y"] == brackets
    assert read_text(write(tmp_path / "a", "\ufeffa\r\nb\rc")) == "a\nb\nc"
    numbers = "x = [" + ", ".join(["1.5"] * 1000) + "]\n"
    assert len(read_toml(numbers, "a")["x"]) == 1000


def test_a_run_of_too_many_samples_is_refused_before_it_begins() -> None:
    began = time.process_time()
    scenario = mn.scenario("abilene", duration="100 s").set("measurement.interval", "10 us")
    with pytest.raises(InputError) as raised:
        mn.simulate(scenario)
    assert time.process_time() - began < MOST_S
    message = str(raised.value)
    assert "measurement.interval" in message
    assert "10,000,001 samples" in message
    assert "at most 4 GiB; --memory raises it" in message
    refuse_large(scenario.to_json(), memory=8 * 2**30)


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("trace.every", {"trace.routers": ["all"], "trace.every": "100 ns"}),
        ("trace.every", {"trace.sources": list(range(1000)), "trace.every": "1 us"}),
        ("users.base_sources", {"users.base_sources": 100_000}),
    ],
)
def test_the_message_names_the_cause(path: str, values: dict[str, object]) -> None:
    with pytest.raises(InputError) as raised:
        refuse_large(mn.scenario("abilene").with_values(values).to_json())
    assert raised.value.path == path


@pytest.mark.process
def test_a_campaign_of_too_large_runs_is_refused_and_memory_raises_the_limit(tmp_path: Path) -> None:
    chosen = mn.experiment("demo", values={"measurement.interval": "1 us"})
    with pytest.raises(InputError, match=r"condition 1: measurement.interval.*: the run would have") as raised:
        chosen.run(tmp_path / "out", progress=False)
    assert "--memory raises it" in str(raised.value)
    assert not (tmp_path / "out").exists()
    chosen.refuse_large(2**44)


MEASURE = """
import json, sys
import mesonet as mn
from mesonet import core
from mesonet.simulation.provenance import peak_rss_bytes, reset_peak_rss
from mesonet.simulation.size import run_size
values = json.loads(sys.argv[1])
small = mn.scenario("dumbbell", algorithm="tcp", duration="10 s")
mn.simulate(small, seed=1).responses.to_polars()
reset_peak_rss()
before = peak_rss_bytes()
scenario = small.with_values(values)
mn.simulate(scenario, seed=1).write(sys.argv[2])
used = peak_rss_bytes() - before
print(json.dumps([used, run_size(json.loads(scenario.to_json()), core.describe(scenario.to_json())).memory_bytes]))
"""


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    "values",
    [
        {"measurement.interval": "20 us"},
        {"trace.routers": ["all"], "trace.every": "20 us"},
        {"trace.flows": [1], "trace.every": "20 us"},
    ],
)
def test_the_expected_memory_is_about_the_memory_of_the_run(tmp_path: Path, values: dict[str, object]) -> None:
    command = [sys.executable, "-c", MEASURE, json.dumps(values), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    used, expected = json.loads(done.stdout)
    assert expected / 2 < used < expected * 1.3


@pytest.mark.slow
def test_every_published_experiment_fits() -> None:
    for name in ("exp-1a", "exp-2a", "demo", "sensitivity"):
        mn.experiment(name).refuse_large()
    scenario = mn.scenario("abilene")
    size = run_size(json.loads(scenario.to_json()), core.describe(scenario.to_json()))
    assert (size.samples, size.trace_rows, size.flows) == (301, 0, 17_460)
    assert size.memory_bytes < MOST_MEMORY / 100
