"""Our runs of many connections against those of ns-2, row by row: ``make verify``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mesonet.verification.campaigns import Campaigns, load_entries
from mesonet.verification.comparison import COMPARED, Cause, deviations, read_table, shown, unexplained
from mesonet.verification.measures.many_flows import lines, table

FOLDER = Path(__file__).parent
WITNESS = FOLDER / "witness" / "ns2"
LONGEST_S = 600.0
EXPERIMENTS = {"T1": "many-flows", "ISDN": "many-flows-isdn"}
"""The experiment of each line."""
CAUSES: tuple[Cause, ...] = ()
"""Why rows differ by more than the bound and chance."""


@pytest.mark.parametrize("line", EXPERIMENTS)
def test_rows_of_ns2(line: str, tmp_path: Path) -> None:
    campaigns = Campaigns(load_entries(FOLDER / "campaigns.toml"), tmp_path, LONGEST_S, progress=False)
    rows = list(table(campaigns, EXPERIMENTS[line], line))
    found = deviations(rows, read_table(WITNESS / "many-flows.csv"), read_table(WITNESS / "many-flows-chance.csv"))
    assert len(found) == len(COMPARED) * len(lines(campaigns.load(EXPERIMENTS[line])))
    left = len(unexplained(found, CAUSES))
    sys.stdout.write(f"{shown(found)}\n{left} of {len(found)} numbers differ without a named cause\n")
