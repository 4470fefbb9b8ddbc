"""Print our runs of an experiment beside those of ns-2, row by row.

    python -m verification.witness.ns2.compare [--campaigns FOLDER] [T1=EXPERIMENT] [ISDN=EXPERIMENT]

The experiments are names of campaigns.toml; many-flows and many-flows-isdn where none is given.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from verification.measures.many_flows import table
from verification.scorecard.campaigns import DEFAULT_FOLDER, Campaigns, load_entries
from verification.scorecard.comparison import deviations, read_table, shown

HERE = Path(__file__).parent
LINES = {"T1": "many-flows", "ISDN": "many-flows-isdn"}
LONGEST_S = 600.0


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--campaigns", type=Path, default=Path(DEFAULT_FOLDER))
    parser.add_argument("experiments", nargs="*", metavar="LINE=EXPERIMENT")
    given = parser.parse_args()
    chosen = dict(word.partition("=")[::2] for word in given.experiments) or LINES
    if unknown := [line for line in chosen if line not in LINES]:
        parser.error(f"unknown line {unknown[0]}; allowed: {', '.join(LINES)}")
    campaigns = Campaigns(load_entries(HERE.parents[1] / "campaigns.toml"), given.campaigns, LONGEST_S)
    rows = [row for line, name in chosen.items() for row in table(campaigns, name, line)]
    found = deviations(rows, read_table(HERE / "many-flows.csv"), read_table(HERE / "many-flows-chance.csv"))
    sys.stdout.write(shown(found) + "\n")


if __name__ == "__main__":
    main()
