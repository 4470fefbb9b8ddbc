"""What several tests share: networks and experiments that take a fraction of a second."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import hypothesis
import pytest

# A shell that starts the tests in its background has them ignore SIGINT, and so the programs that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples every time; HYPOTHESIS_PROFILE=search looks for new ones. No deadline: it would measure the machine.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

TINY = """
name = "tiny"
title = "Two factors, two algorithms, eight short runs"
scenario = "abilene"
algorithms = ["tcp", "scalable"]
seed = 5

[set]
"time.duration" = "2 s"
"users.base_sources" = 2

[[factors]]
id = "X1"
minus = "40 seg/ms"
plus = "80 seg/ms"

[[factors]]
id = "X5"
minus = "50 segments"
plus = "100 segments"
"""


ONE_FACTOR = TINY.replace('"tcp", "scalable"', '"tcp"').partition('[[factors]]\nid = "X5"')[0]


@pytest.fixture
def one_factor(tmp_path: Path) -> Path:
    """The file of an experiment of 2 conditions and one algorithm."""
    file = tmp_path / "one_factor.toml"
    file.write_text(ONE_FACTOR)
    return file


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """The file of an experiment of 4 conditions x 2 algorithms."""
    file = tmp_path / "tiny.toml"
    file.write_text(TINY)
    return file
