"""Inputs with which random changes once found a defect: a traceback, a warning, minutes of work or all memory.

Hypothesis draws the same cases every time and keeps no failures. What `make fuzz` and reviews have found stands here,
and for tests with plain arguments as an example beside them.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from mesonet.errors import InputError
from test_fuzz import TARGETS

_SIZES = (
    b'\n[[arrivals]]\nfrom = "A"\nto = "B"\nrate = "1 flows/s"\nsizes = {law = "cdf", name = "x", points = [1, 2]}\n'
)
#: Name of the file, its content from sound content, and the refusal; none where the file is read.
FOUND = {
    "an unknown encoding": ("net.graphml", lambda s: s.replace(b"UTF-8", b"UTF-88"), "unknown encoding: UTF-88"),
    "a key without a type": ("net.graphml", lambda s: s.replace(b' attr.type="double"', b""), None),
    "many blank lines": ("net.gml", lambda s: s + b"\n" * 300_000, None),
    "a text of many lines": (
        "net.gml",
        lambda s: s.replace(b'"P"', b'"' + b"\n" * 200_000 + b'"'),
        "a text of many lines. Allowed: at most 100 lines in quotes",
    ),
    "deep lists": (
        "scenario.toml",
        lambda s: s + b"a = " + b"[" * 3000 + b"]" * 3000,
        "nested too deeply. Allowed: 50 levels",
    ),
    "long keys": ("scenario.toml", lambda s: s + b"a." * 20_000 + b"b = 1", "nested too deeply. Allowed: 50 levels"),
    "a number of many digits": (
        "scenario.toml",
        lambda s: s.replace(b"count = 3", b"count = " + b"9" * 5000),
        "a number that is too long. Allowed: at most 1,000 digits",
    ),
    "points that are no pairs": (
        "scenario.toml",
        lambda s: s + _SIZES,
        'arrivals[0].sizes = [1, 2]: not a list of points. Allowed: pairs such as ["10 kB", 0.5]',
    ),
    "a word for a number": (
        "experiment.json",
        lambda s: s.replace(b'"seed": 5', b'"seed": "5"'),
        'seed = "5": not a whole number. Allowed: a file that `mesonet experiment run` wrote',
    ),
}


@pytest.mark.parametrize("what", FOUND)
def test_inputs_that_once_failed_are_read_or_refused(what: str, tmp_path: Path) -> None:
    name, changed, refusal = FOUND[what]
    sound, read = TARGETS[name]
    content = changed(sound())
    assert content != sound()
    (tmp_path / name).write_bytes(content)
    began = time.process_time()
    if refusal is None:
        read(tmp_path / name)
    else:
        with pytest.raises(InputError) as caught:
            read(tmp_path / name)
        assert refusal in str(caught.value)
    assert time.process_time() - began < 20
