"""Numbers of processes and threads follow from the processors that this process may use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mesonet
from commands import ENVIRONMENT
from mesonet.processes import processors

PACKAGE = Path(mesonet.__file__).parent


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity of processes")
def test_a_process_on_one_processor_counts_one() -> None:
    program = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); "
        "from mesonet.processes import processors; print(processors())"
    )
    made = subprocess.run([sys.executable, "-c", program], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert made.stdout == "1\n"


def test_there_is_at_least_one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= processors() <= (os.cpu_count() or 1)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert processors() == 1


def test_one_place_counts_processors() -> None:
    counting = {str(file.relative_to(PACKAGE)) for file in PACKAGE.rglob("*.py") if "cpu_count(" in file.read_text()}
    assert counting == {"processes.py", "simulation/provenance.py"}, "the other one describes the machine"
