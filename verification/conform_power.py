"""Measure the power of ``mesonet conform``: defects that the contract finds, and changes that the baselines find.

``python -m verification.conform_power [contract | ALGORITHM...]`` writes docs/reference/conform-power.md: the contract
in a minute, the rows of the algorithms named, or of all, in about 20 minutes on one processor.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from mesonet import algorithms, core
from mesonet.conform import contract
from mesonet.conform.baseline import CHECKED, SCENARIOS, Baseline, check_baseline, read_baseline
from mesonet.conform.bench import Bench
from mesonet.conform.contract import check_contract
from mesonet.conform.finding import FAIL
from mesonet.errors import InputError
from mesonet.units import whole
from verification.defects import DEFECTS, UNSEEN

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "conform-power.md"
LEVELS = (0.02, 0.05, 0.1, 0.2, 0.5)
PRESET = "linux"
HEAD = """# Power of the checks of mesonet conform

Written by `verification/conform_power.py`.

## What each check of the contract can and cannot see

Congestion controls with one defect each, from `verification/defects`: standard TCP if nothing else is named. A cross
marks a check that fails. A row without a cross is a defect that the contract cannot see.

* The contract sees the first two minutes of a flow, loss rates of 3 and 10 %, and windows up to 2,000 segments.
* It does not see differences from standard TCP below a factor of two. A baseline does: a control that reduces its
  window at every second loss only breaks all scenarios of a baseline of the control without the defect.
* A long queue without losses passes, as with Reno and CUBIC (RFC 9743, section 5.1.2).
* No row breaks `window`: a plug-in whose window is below one segment or not a number ends its run.

"""
FOUR = """
## What conform and evidence see of four of them

Eight criteria of `mesonet evidence` against CUBIC, 5.1.2 to 5.1.5, 5.2.1, 6.4, 7.1 and 7.8, with four replicates. The
baseline is of the control without the defect.

| defect | contract | baseline | evidence |
|---|---|---|---|
| ignores marks, though its segments are ECN-capable | `marks` | `marks` and six others | 7.1 |
| never reduces its window after 130 s | `loss` | `cycle`, `losses`, `transfers` | none |
| a window of 1 segment after a time without data | `idle` | `idle` | none |
| reduces its window at every second loss only | none | all twelve | none |

* Behind queues that mark, CUBIC keeps a tenth of its goodput next to the first.
* Long flows of evidence run for 60 s, which its page states, and have no time without data.
* The last loses twice as much as CUBIC in a buffer of 0.1 BDP. That is a harm of 41 %, and the margin is 50 %.
"""
BASELINES = f"""
## What baselines can see

A baseline of the package is compared with runs in which one constant is larger by 2, 5, 10, 20 or 50 %, or smaller
where larger values are not allowed. The table has the smallest of these changes that is caught, and the first scenario
that catches it. Comparisons have {CHECKED} seeds.

A change of 50 % that is not caught is listed as `none`. Its constant has no effect in these scenarios, or less than
other seeds have: a cap, a floor or a timer that is not reached, or a rule that is off. Constants with the default 0 are
left out, and so are choices: whole numbers from 0 to at most 3. Algorithms that are not in the table were not measured.

The first 5 s of a run do not count, except in completion times. Constants of start-up are therefore checked by cases.

| algorithm | constant | default | smallest change caught | by |
|---|---|---|---|---|
"""


def contract_row(defect: str) -> str:
    """Return the row of a defect: the checks of the contract that find it."""
    algorithm = algorithms.resolve({**DEFECTS, **UNSEEN}[defect]).name
    found = check_contract(Bench(algorithm))
    return f"| {defect} | {' | '.join('x' if each.verdict == FAIL else ' ' for each in found)} |"


def matrix() -> str:
    """Return the table of defects and of the checks that find them."""
    checks = [each.id for each in contract.checks()]
    head = f"| defect | {' | '.join(checks)} |", f"|---|{':-:|' * len(checks)}"
    return "\n".join([*head, *map(contract_row, [*DEFECTS, *UNSEEN])]) + "\n"


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
    head = HEAD + matrix() + FOUR + BASELINES
    _write(head, known)
    for chosen in [] if names == ["contract"] else names or core.algorithms():
        known = [line for line in known if not line.startswith(f"| `{chosen}` |")]
        for row in rows(core.algorithms()[chosen]):
            known.append(f"| {' | '.join(row)} |")
            sys.stderr.write(f"{' '.join(row)}\n")
        _write(head, known)


def _write(head: str, lines: Sequence[str]) -> None:
    ordered = [line for name in core.algorithms() for line in lines if line.startswith(f"| `{name}` |")]
    PAGE.write_text(head + "\n".join(ordered) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
