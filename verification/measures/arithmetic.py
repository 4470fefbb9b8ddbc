"""Measures without a simulation: properties of topologies, levels and designs (Part A)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from mesonet.analysis.grubbs import critical_value
from mesonet.errors import unknown
from mesonet.experiments.network import Experiment, experiment
from mesonet.responses.sets import GROUPS, SETS
from mesonet.scenarios.scenario import scenario
from mesonet.units import SEGMENT_BYTES

if TYPE_CHECKING:
    from verification.scorecard.campaigns import Campaigns

ACCESS = ("normal access", "fast access", "direct access")
_GBPS = 8 * SEGMENT_BYTES / 1e9


def derived(
    campaigns: Campaigns, name: str, what: str, values: dict[str, Any] | None = None, factor: float = 1
) -> float:
    """Return a number that follows from a built-in scenario (`Scenario.describe`), times `factor`.

    The number, in base units times `factor`.
    """
    return float(scenario(name, **(values or {})).describe()[what]) * factor


def routers(campaigns: Campaigns, name: str, classes: Sequence[str]) -> float:
    """Return the routers of these classes in a built-in scenario; ``access`` stands for all access routers."""
    found = _by_class(scenario(name).describe(), "routers")
    return float(sum(found[each] for kind in classes for each in (ACCESS if kind == "access" else (kind,))))


def backbone_links(campaigns: Campaigns, name: str) -> float:
    """Return the links between backbone routers of a built-in scenario: all but one link of each router below them."""
    described = scenario(name).describe()
    below = described["routers"] - _by_class(described, "routers")["backbone"]
    return float(described["links"] - below)


def sources(campaigns: Campaigns, name: str, condition: int) -> float:
    """Return the number of sources in a condition of a study. `condition`: from 1."""
    return float(_condition(name, condition)["sources"])


def speed(campaigns: Campaigns, name: str, condition: int, router: str) -> float:
    """Return the speed of a class of routers in a condition of a study. `condition`: from 1."""
    return float(_by_class(_condition(name, condition), "speed")[router]) * _GBPS


def buffers(campaigns: Campaigns, name: str, factor: str, sign: int, router: str, which: str) -> float:
    """Return the buffer of a class of routers over the conditions with a factor at a level.

    `which`: ``least``, ``mean`` or ``most``.
    """
    chosen = _study(name)
    found = []
    for number in (int(place) + 1 for place in np.flatnonzero(chosen.design.column(factor) == sign)):
        described = _condition(name, number)
        least, count = _by_class(described, "buffer"), _by_class(described, "routers")
        classes = ACCESS if router == "access" else (router,)
        found.append(sum(least[each][0] * count[each] for each in classes) / sum(count[each] for each in classes))
    if which not in OF_SEVERAL:
        raise unknown("summary", which, OF_SEVERAL)
    return float(OF_SEVERAL[which](found))


def runs(campaigns: Campaigns, name: str) -> float:
    """Return conditions x algorithms of a study."""
    chosen = _study(name)
    return float(chosen.conditions * len(chosen.algorithms))


def conditions(campaigns: Campaigns, name: str) -> float:
    """Return the conditions of a study."""
    return float(_study(name).conditions)


def equations_that_fail(campaigns: Campaigns, name: str, equations: Sequence[str]) -> float:
    """Return the number of rows of a design in which an equation, such as ``X6=X2*X3*X5``, does not hold.

    A count; 0 if all hold.
    """
    design = _study(name).design
    failing = np.zeros(design.runs, dtype=bool)
    for equation in equations:
        left, _, right = equation.partition("=")
        failing |= design.column(left) != np.prod([design.column(id) for id in right.split("*")], axis=0)
    return float(np.count_nonzero(failing))


def level_of(campaigns: Campaigns, name: str, condition: int, path: str) -> float:
    """Return a value of a condition of a study, in base units. `condition`: from 1."""
    return float(_study(name).condition(condition).value(path))


def constant(campaigns: Campaigns, name: str, algorithm: str, constant: str) -> float:
    """Return a constant of an algorithm in a study. The value, in the unit of the constant."""
    (own,) = _study(name).canonical(1, algorithm)["algorithms"]
    return float(own["parameters"][constant])


def share_of_alternate(campaigns: Campaigns, name: str, condition: int) -> float:
    """Return the share of the alternate in a condition of a mixed study. 0 to 1. `condition`: from 1."""
    chosen = _study(name)
    return float(dict(chosen.condition(condition).value("algorithms"))[chosen.algorithms[0]])


def unbalanced(campaigns: Campaigns, name: str) -> float:
    """Return the number of factors of a design that are not at each level in half of the runs.

    A count; 0 if balanced.
    """
    matrix = _study(name).design.matrix
    return float(np.count_nonzero(matrix.sum(axis=0)))


def not_orthogonal(campaigns: Campaigns, name: str) -> float:
    """Return the number of pairs of factors of a design whose four cells are not of equal size.

    A count; 0 if orthogonal.
    """
    matrix = _study(name).design.matrix.astype(int)
    return float(
        sum(int(matrix[:, one] @ matrix[:, other]) != 0 for one, other in combinations(range(matrix.shape[1]), 2))
    )


def fewest_runs(campaigns: Campaigns, factors: int) -> float:
    """Return the count of constant, main effects and two-factor interactions: n = 1 + p + C(p, 2)."""
    return float(1 + factors + math.comb(factors, 2))


def power_of_ten(campaigns: Campaigns, levels: int, parameters: int) -> float:
    """Return log10 of the combinations of so many parameters with so many levels."""
    return parameters * math.log10(levels)


def responses(campaigns: Campaigns, name: str, of: str = "all") -> float:
    """Return the size of a set: responses of the ``network``, of the 24 flow ``groups`` together, or ``all``."""
    counts = {"network": len(SETS[name].entries), "groups": len(SETS[name].per_group) * GROUPS}
    return float(sum(counts.values()) if of == "all" else counts[of])


def pairs(campaigns: Campaigns, name: str) -> float:
    """Return the pairs of the responses of a set."""
    return float(math.comb(len(SETS[name].entries), 2))


def rank_cells(campaigns: Campaigns, name: str) -> float:
    """Return conditions x flow groups of a study."""
    return float(_study(name).design.runs * GROUPS)


def grubbs_threshold(campaigns: Campaigns, algorithms: int, alpha: float, sides: int) -> float:
    """Return the critical value of Grubbs' G."""
    return float(critical_value(algorithms, alpha=alpha, sides=sides))


def processor_hours(campaigns: Campaigns, runs: float, hours: float, processors: int, unit: float = 1) -> float:
    """Return hours that so many runs take on so many processors, in units of so many hours.

    Wall-clock time, in units of `unit` hours.
    """
    return runs * hours / processors / unit


def dumbbell(campaigns: Campaigns, what: str) -> float:
    """Return a property of the dumbbell.

    ``outstanding``, ``path``: segments that the path holds with and without its buffer. ``line``, ``interface``: speed
    of its line and of the fast interface of its hosts.
    """
    there = scenario("dumbbell")
    described = there.describe()
    if what in ("line", "interface"):
        speeds = {"line": _by_class(described, "speed")["plain"], "interface": there.value("users.fast_interface")}
        return float(speeds[what]) * _GBPS * 1e3
    path = float(_by_class(described, "speed")["plain"]) * float(described["max_rtt"])
    return path + (float(there.value("network.buffer")["factor"]) if what == "outstanding" else 0.0)


MEASURES = (
    derived, routers, backbone_links, sources, speed, buffers, runs, conditions, equations_that_fail, level_of,
    constant, share_of_alternate, unbalanced, not_orthogonal, fewest_runs, power_of_ten, responses, pairs, rank_cells,
    grubbs_threshold, processor_hours, dumbbell,
)  # fmt: skip

OF_SEVERAL: dict[str, Callable[..., Any]] = {"least": min, "mean": np.mean, "most": max}


def _study(name: str) -> Experiment:
    found = experiment(name)
    assert isinstance(found, Experiment)
    return found


def _condition(name: str, number: int) -> dict[str, Any]:
    return _study(name).condition(number).describe()


def _by_class(described: dict[str, Any], what: str) -> dict[str, Any]:
    return {entry["class"]: entry[what] for entry in described["classes"]}
