"""Cases of suites run: every measure has a value in every cell, with the algorithm and in the reference."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from mesonet.evidence.page import write
from mesonet.evidence.plan import plan
from mesonet.evidence.report_runs import run
from mesonet.evidence.suite import DEFAULT, suites
from mesonet.evidence.verdicts import judge


@pytest.mark.parametrize("suite", [name for name in suites() if name != DEFAULT])
def test_every_case_runs_and_has_values(suite: str, tmp_path: Path) -> None:
    chosen = plan("bbr", ["cubic"], 2, None, suite)
    results = run(chosen, tmp_path / "report", progress=False)
    assert [name for name, each in results.campaigns.items() if each.counts["failed"]] == []
    findings = judge(chosen, results)
    for found in findings:
        where = found.criterion.id
        assert bool(found.cells) == found.criterion.runs, where
        for cell in found.cells:
            assert cell.missing == 0, (where, cell.label, cell.measure.id)
        for each in found.observations:
            assert np.isfinite([each.tested, each.reference]).all(), (where, each.label)
            assert bool(each.word) == (each.observed.value in chosen.suite.bands), where
    for path in write(chosen, findings, tmp_path / "report"):
        assert not re.search(r"\bnan\b", path.read_text(encoding="utf-8"), re.IGNORECASE), path.name
