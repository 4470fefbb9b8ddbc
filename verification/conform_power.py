"""Measure the power of the baselines of ``mesonet conform``: the smallest change of each constant that is caught.

``python -m verification.conform_power [ALGORITHM]...`` writes docs/reference/conform-power.md, in about 20 minutes on
one processor.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from mesonet import core
from mesonet.conform.baseline import CHECKED, SCENARIOS, Baseline, check_baseline, read_baseline
from mesonet.conform.bench import Bench
from mesonet.conform.finding import FAIL
from mesonet.errors import InputError
from mesonet.units import whole

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "conform-power.md"
LEVELS = (0.02, 0.05, 0.1, 0.2, 0.5)
PRESET = "linux"
HEAD = f"""# Power of the baselines of mesonet conform

Written by `verification/conform_power.py`. A baseline of the package is compared with runs in which one constant is
larger by 2, 5, 10, 20 or 50 %, or smaller where larger values are not allowed. The table has the smallest of these
changes that is caught, and the first scenario that catches it. Comparisons have {CHECKED} seeds.

A change of 50 % that is not caught stands as `none`. Its constant has no effect in these scenarios, or less than other
seeds have: a cap, a floor or a timer that is not reached, or a rule that is off. Constants with the default 0 are left
out, and so are choices: whole numbers from 0 to at most 3. Algorithms that are not in the table were not measured.

The first 5 s of a run do not count, except in completion times. Constants of start-up are therefore checked by cases.

| algorithm | constant | default | smallest change caught | by |
|---|---|---|---|---|
"""


def caught(baseline: Baseline, constant: str, value: float) -> str:
    """Return the first scenario that catches another value of a constant; empty if none does."""
    bench = Bench(f"{baseline.algorithm}({constant}={whole(value)!r})")
    for name in SCENARIOS:
        skip = {f"baseline/{each}" for each in SCENARIOS if each != name}
        if any(each.verdict == FAIL for each in check_baseline(baseline, bench, skip=skip)):
            return name
    return ""


def changed(constant: core.AlgorithmParameter, level: float) -> float:
    default = constant.default(PRESET)
    larger = default * (1 + level)
    return larger if constant.min <= larger <= constant.max else default * (1 - level)


def rows(algorithm: core.Algorithm) -> Iterator[list[str]]:
    baseline = read_baseline(algorithm.name)
    for constant in algorithm.params:
        default = constant.default(PRESET)
        is_choice = constant.min == 0 and constant.max <= 3 and default == round(default)
        if default == 0 or is_choice:
            continue
        smallest, by = "none", ""
        try:
            if caught(baseline, constant.name, changed(constant, LEVELS[-1])):
                for level in LEVELS:
                    if by := caught(baseline, constant.name, changed(constant, level)):
                        sign = "+" if changed(constant, level) > default else "-"
                        smallest = f"{sign}{level:.0%}".replace("%", " %")
                        break
        except InputError as error:
            smallest = f"not measured: {error.problem}"
        yield [f"`{algorithm.name}`", f"`{constant.name}`", f"{default:g}", smallest, by]


def main(names: Sequence[str]) -> None:
    """Write the page; rows of algorithms that are not named stay."""
    known = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []
    for chosen in names or core.algorithms():
        known = [line for line in known if not line.startswith(f"| `{chosen}` |")]
        for row in rows(core.algorithms()[chosen]):
            known.append(f"| {' | '.join(row)} |")
            sys.stderr.write(f"{' '.join(row)}\n")
        ordered = [line for name in core.algorithms() for line in known if line.startswith(f"| `{name}` |")]
        PAGE.write_text(HEAD + "\n".join(ordered) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
