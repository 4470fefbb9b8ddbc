"""Random changes of input files: a reader returns a value or raises `InputError`, and nothing else.

``make test`` tries the same few changes every time; ``make fuzz`` tries thousands of new ones.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import capture_files
import mesonet as mn
from conftest import TINY
from mesonet import core
from mesonet.campaign import documents
from mesonet.errors import InputError
from mesonet.fitting.estimates import estimate
from mesonet.fitting.readers import read as read_recording
from mesonet.scenarios.kinds import flow_table
from mesonet.scenarios.kinds.traffic import TRAFFIC

GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="label" attr.type="string"/>
<key id="d1" for="edge" attr.name="delay_ms" attr.type="double"/>
<graph edgedefault="undirected"><node id="0"><data key="d0">P</data></node><node id="1"><data key="d0">Q</data></node>
<node id="2"/>
<edge source="0" target="1"><data key="d1">1.5</data></edge><edge source="1" target="2"><data key="d1">2</data>
</edge></graph></graphml>
"""
GML = """graph [
  directed 0
  node [ id 0 label "P" Latitude 50.1 Longitude 8.6 ]
  node [ id 1 label "Q" Latitude 48.2 Longitude 16.3 ]
  node [ id 2 label "R" ]
  edge [ source 0 target 1 LinkSpeedRaw 1000000.0 delay_ms 3 ]
  edge [ source 1 target 2 ]
]
"""
LINKS = "from,to,delay_ms,capacity_mbps\nP,Q,1,1000\nQ,R,2.5,\nR,P,3,10000\n"
SNDLIB = """?SNDlib native format; type: network; version: 1.0
META (
  unit = MBITPERSEC
)
NODES (
  P ( 8.6 50.1 )
  Q ( 16.3 48.2 )
  R
)
LINKS (
  L1 ( P Q ) 1000.00 0.00 1.00 0.00 ( 40.00 1.00 )
  L2 ( Q R ) 0.00 0.00 2.00 0.00 ( )
)
DEMANDS (
  D1 ( P Q ) 1 5.00 UNLIMITED
)
"""
SNDLIB_XML = """<network><networkStructure><nodes><node id="P"><coordinates><x>8.6</x><y>50.1</y></coordinates></node>
<node id="Q"/></nodes><links><link id="L"><source>P</source><target>Q</target><routingCost>1.5</routingCost></link>
</links>
</networkStructure><demands><demand id="D"><source>P</source><target>Q</target><demandValue>5</demandValue></demand>
</demands>
</network>
"""
SNDLIB_JSON = (
    '{"nodes": [{"id": "P", "pos": [8.6, 50.1]}, {"id": "Q"}], "links": [{"source": "P", "target": "Q", "cost": 2}], '
    '"demands": [{"source": "P", "target": "Q", "demandValue": 5}]}'
)
FLOWS = (
    "from,to,start,stop,size,interface,algorithm,count\n"
    "A,B,0 s,,unlimited,80 seg/ms,tcp,1\nA,B,1 s,9 s,50 segments,,,20\n"
)
DEMANDS = "from,to,share\nP,Q,0.5\nQ,P,0.25\nP,R,0.25\n"
SCENARIO = """base = "dumbbell"
title = "fuzzed"
[network]
speed = "21 seg/ms"
[[network.changes]]
time = "2 s"
router = "A"
speed = "10 seg/ms"
[[flows]]
from = "A"
to = "B"
count = 3
user = "1"
[[deployment]]
time = "1 s"
at = ["B", "plain"]
algorithm = "cubic"
share = 0.5
[time]
duration = "5 s"
"""
WORDS = [
    b"0", b"-1", b"1e309", b"nan", b"inf", b"9" * 40, b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"'", b"[", b"]", b"{",
    b"}", b"<", b">", b"&amp;", b"&x;", b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b",", b",,,", b"\n", b"\r", b"=", b".", b"#",
    b" s", b" seg/ms", b"true", b"null", b"[[flows]]\n", b"count = 100000\n", b"node [ id 0 ]", "é\u202e".encode(),
    b"../../x", b"/dev/zero",
]  # fmt: skip
"""Pieces that are inserted: numbers at the edges, marks of every syntax, words of the formats."""


@st.composite
def changed(draw: st.DrawFn, sound: bytes) -> bytes:
    """The bytes after one to six changes: a flipped bit, a cut, a repetition, a piece of its own or from `WORDS`."""
    data = sound
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 40))
        kind = draw(st.sampled_from(["bit", "cut", "again", "word", "move"]))
        if kind == "bit" and place < len(data):
            data = data[:place] + bytes([data[place] ^ (1 << draw(st.integers(0, 7)))]) + data[place + 1 :]
        elif kind == "cut":
            data = data[:place] + data[place + length :]
        elif kind == "again":
            data = data[:place] + data[place : place + length] * draw(st.integers(2, 30)) + data[place + length :]
        elif kind == "word":
            data = data[:place] + draw(st.sampled_from(WORDS)) + data[place:]
        else:
            there = draw(st.integers(0, len(data)))
            data = data[:there] + data[place : place + length] + data[there:]
    return data


def _topology(file: Path) -> None:
    scenario = mn.scenario("abilene", topology=str(file), duration="1 s")
    core.describe(scenario.to_json())


def _scenario(file: Path) -> None:
    core.describe(mn.scenario(file).to_json())


def _snapshot(file: Path) -> None:
    """Read a state as the simulator does; the checksum of a checkpoint comes before that."""
    scenario, _ = _state()
    try:
        core.module().Simulation(scenario, 1, 1, "domains", file.read_bytes())
    except ValueError as error:
        raise core.refused(error) from None


@cache
def _state() -> tuple[str, bytes]:
    scenario = mn.scenario("dumbbell", algorithm="cubic", duration="5 s").to_json()
    run = core.module().Simulation(scenario, 1)
    run.advance(1.0)
    return scenario, run.snapshot()


@cache
def _experiment_json() -> bytes:
    with tempfile.TemporaryDirectory() as name:
        (file := Path(name) / "tiny.toml").write_text(TINY)
        return json.dumps(mn.experiment(file).document()).encode()


@cache
def _capture(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write = capture_files.pcapng if name == "pcapng" else capture_files.pcap
        seconds = 3.0 if name in ("csv", "ss") else 1.0
        file = write(Path(folder) / "capture", capture_files.transfer(seconds=seconds)[0])
        if name == "qlog":
            file = capture_files.qlog(file, read_recording(file), form="lines")
        elif name in ("csv", "ss"):
            file = capture_files.samples(file, read_recording(file), form=name)
        return file.read_bytes()


def _fit(file: Path) -> None:
    estimate(read_recording(file))


TARGETS: dict[str, tuple[Callable[[], bytes], Callable[[Path], object]]] = {
    "net.graphml": (GRAPHML.encode, _topology),
    "net.gml": (GML.encode, _topology),
    "net.csv": (LINKS.encode, _topology),
    "net.txt": (SNDLIB.encode, _topology),
    "net.xml": (SNDLIB_XML.encode, _topology),
    "net.json": (SNDLIB_JSON.encode, _topology),
    "flows.csv": (FLOWS.encode, lambda file: flow_table.read(file.name, file.parent)),
    "demands.csv": (DEMANDS.encode, lambda file: TRAFFIC.with_file(file.name, file.parent)),
    "scenario.toml": (SCENARIO.encode, _scenario),
    "experiment.toml": (TINY.encode, lambda file: mn.experiment(file).document()),
    "experiment.json": (_experiment_json, documents.experiment),
    **{name: (partial(_capture, name), _fit) for name in ("pcap", "pcapng", "qlog", "csv", "ss")},
    "snapshot": (lambda: _state()[1], _snapshot),
}
"""Sound bytes and reader by name of the file."""


@pytest.mark.parametrize("name", TARGETS)
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_changed_files_are_read_or_refused(name: str, data: st.DataObject) -> None:
    sound, read = TARGETS[name]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(data.draw(changed(sound())))
        with suppress(InputError):
            read(file)


@pytest.mark.parametrize("name", ["pcap", "pcapng", "qlog", "csv", "ss"])
def test_captures_that_end_early_are_read_or_refused(name: str, tmp_path: Path) -> None:
    sound = _capture(name)
    for length in range(0, len(sound), len(sound) // 60):
        (tmp_path / name).write_bytes(sound[:length])
        with suppress(InputError):
            _fit(tmp_path / name)


@pytest.mark.parametrize("name", TARGETS)
def test_the_files_are_sound_before(name: str, tmp_path: Path) -> None:
    sound, read = TARGETS[name]
    (tmp_path / name).write_bytes(sound())
    read(tmp_path / name)
