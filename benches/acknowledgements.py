"""What one acknowledgement costs each congestion control when 100,000 flows are there: CPU nanoseconds.

Runs ``crates/cc/examples/acknowledgements.rs`` with and without acknowledgements and divides the difference of the CPU
times (user and system) of the processes, so that set-up does not count. There are three ways to meet the flows: 1,000
flows, whose state stays in the caches (what the rules alone cost); 100,000 one after the other; 100,000 scattered, so
that the state of each has to come from memory. What other programs push out of the caches they share costs too: the
smallest of several runs counts, and the median beside it says how noisy the machine was. Costs above `LIMIT_NS` are
bold.

    make bench            or            python benches/acknowledgements.py --repeat 7 tcp cubic
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys

from processes import ran
from run import HERE, dated, machine

WAYS = {
    "1,000 flows": (1_000, "in-order"),
    "100,000 in order": (100_000, "in-order"),
    "scattered": (100_000, "scattered"),
}
ROUND_TRIPS = {1_000: 100, 100_000: 5}
"""Round trips of 100 segments for so many flows: long enough for BBR to have found its path."""
LIMIT_NS = 60
"""What no algorithm should exceed: about a fifth of what a data segment costs on the Abilene backbone."""


def build() -> str:
    """The path of the program."""
    command = ["cargo", "build", "--release", "--quiet", "-p", "mesonet-cc", "--example", "acknowledgements"]
    subprocess.run(command, cwd=HERE.parent, check=True)
    target = os.environ.get("CARGO_TARGET_DIR", str(HERE.parent / "target"))
    return f"{target}/release/examples/acknowledgements"


def cost_ns(program: str, name: str, flows: int, order: str) -> float:
    """CPU nanoseconds of one acknowledgement."""
    rounds = 100 * ROUND_TRIPS[flows]
    with_work, without = (ran([program, name, str(flows), str(count), order]).cpu_s for count in (rounds, 0))
    return (with_work - without) / (flows * rounds) * 1e9


def cell(costs: list[float]) -> str:
    least = f"{min(costs):.1f}"
    return f"{f'**{least}**' if min(costs) > LIMIT_NS else least} ({statistics.median(costs):.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("algorithms", nargs="*", help="by default all")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    program = build()
    known = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    if unknown := set(options.algorithms) - set(known):
        sys.exit(f"no such algorithm: {', '.join(sorted(unknown))}. Allowed: {', '.join(known)}")
    found: dict[str, dict[str, list[float]]] = {name: {way: [] for way in WAYS} for name in options.algorithms or known}
    for _ in range(options.repeat):  # in turn, so that a busy minute does not hit one of them alone
        for name, by_way in found.items():
            for way, costs in by_way.items():
                costs.append(cost_ns(program, name, *WAYS[way]))
    when = dated()
    title = f"CPU ns per acknowledgement, {when}, {machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    lines = [
        f"\n## {title}, least (median) of {options.repeat}\n",
        f"| algorithm | {' | '.join(WAYS)} |",
        f"|---|{'---:|' * len(WAYS)}",
    ]
    for name, by_way in found.items():
        lines.append(f"| {name} | {' | '.join(cell(costs) for costs in by_way.values())} |")
    sys.stderr.write("\n".join(lines[1:]) + "\n")
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
