"""Errors of mesonet against the kernel for the what-ifs of `mesonet fit`: `mesonet.fitting.what_if.MODEL_ERROR`.

.venv/bin/python -m verification.witness.kernel.model_error
"""

from __future__ import annotations

import math

import click

from verification.witness.kernel.compare import CHANGES
from verification.witness.kernel.runs import reference
from verification.witness.kernel.scenarios import KernelScenario, changing, every
from verification.witness.kernel.table import FILE, read

CONTROLS = {"reno": "tcp", "cubic": "cubic", "bbr": "bbr"}
"""Name of mesonet by name of the kernel."""
QUANTITIES = ("goodput", "mean RTT")
"""Beginnings of the quantities that a what-if has."""
_DIGITS = 3


def rows() -> list[KernelScenario]:
    """Return the scenarios: one flow, the floor of the timeout of a kernel that no administrator changed, or loss."""
    found = [each for each in every() if each.loss or "floor 200 ms" in each.name]
    return [each for each in [*found, *changing()] if len(each.algorithms) == 1 and not each.outage_s]


def errors() -> dict[str, dict[bool, tuple[float, float]]]:
    """Return the largest relative errors of goodput and mean round trip, by control and by random loss.

    The error of a row is the one from the run of the kernel that is farthest. Errors are rounded up to a thousandth.
    """
    kernel = read(FILE) | read(CHANGES)
    found = {name: {lossy: [0.0, 0.0] for lossy in (False, True)} for name in CONTROLS.values()}
    for scenario in rows():
        largest = found[CONTROLS[scenario.algorithms[0]]][scenario.loss > 0]
        for quantity, row in reference(scenario.name).items():
            theirs = kernel.get((scenario.name, quantity))
            for place, beginning in enumerate(QUANTITIES):
                if theirs and quantity.startswith(f"{beginning} ") and "smoothed" not in quantity:
                    farthest = max(abs(row.mean / end - 1) for end in (theirs.least, theirs.most))
                    largest[place] = max(largest[place], farthest)

    def rounded(value: float) -> float:
        return math.ceil(value * 10**_DIGITS) / 10**_DIGITS

    return {
        name: {lossy: (rounded(goodput), rounded(trip)) for lossy, (goodput, trip) in each.items()}
        for name, each in found.items()
    }


if __name__ == "__main__":
    for name, each in errors().items():
        click.echo(f'    "{name}": {each},')
