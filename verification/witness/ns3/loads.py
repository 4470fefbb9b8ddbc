"""Puts loads that do not react through the queue discs of ns-3, and writes a row per two seconds.

python -m verification.witness.ns3.loads
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from pathlib import Path

from verification.witness.ns3.run_ns3 import build, output
from verification.witness.ns3.setups import DISCIPLINES, SEEDS

LOADS = {"step": "4:0.53,10:1.57,6:0.53", "constant": "20:1.07"}
"""Seconds:load, as parts of the rate of the queue. No load beats with the service of a packet."""
FLOWS = {"fq_codel": 3}
"""Flows where a discipline tells them apart; the first sends four times as much as each other."""
RANDOM = ("pie", "red")
KEYS = ("discipline", "ecn", "load", "seed")
COLUMNS = (*KEYS, "end_s", "arrivals", "served", "drops", "marks", "delay_mean_ms")


def main() -> None:
    parser = argparse.ArgumentParser(description="Put loads through the queue discs of ns-3.")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("loads.csv"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, options.out.open("w", newline="", encoding="utf-8") as file:
        program = build(Path(folder))
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for discipline in DISCIPLINES:
            for ecn in (0, 1):
                for name, load in LOADS.items():
                    for seed in SEEDS if discipline in RANDOM else SEEDS[:1]:
                        key = dict(zip(KEYS, (discipline, ecn, name, seed), strict=True))
                        arguments = [
                            "load",
                            f"--discipline={discipline}",
                            f"--load={load}",
                            f"--flows={FLOWS.get(discipline, 1)}",
                            f"--ecn={ecn}",
                            f"--seed={seed}",
                        ]
                        writer.writerows(key | row for row in csv.DictReader(output(program, arguments).splitlines()))


if __name__ == "__main__":
    main()
