"""Criteria for whole transport stacks: what a stack does not show or cannot do is not evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mesonet.algorithms import STACK
from mesonet.errors import InputError
from mesonet.evidence.criterion import Criterion
from mesonet.experiments.network import Experiment

NOT_VISIBLE = ("segment_delay_p50", "segment_delay_p95", "segment_delay_p99")
"""Responses that runs with stacks do not have: delays of single packets."""


def stacks_among(names: Iterable[str]) -> list[str]:
    """Return the names of whole transport stacks."""
    return [name for name in names if name.startswith(STACK)]


def visible(criterion: Criterion, stacks: Sequence[str], networks: Iterable[Experiment]) -> Criterion:
    """Return a criterion as stacks can be judged by it.

    Measures that a stack does not show are left out, and the reading says so. A criterion without any measure, or with
    a network that refuses a stack, is not evaluated. `networks`: experiments of the criterion, with these stacks.
    """
    names = ", ".join(stacks)
    for network in networks:
        for number in range(1, network.conditions + 1):
            for name in stacks:
                try:
                    network.condition(number, name).check()
                except InputError as error:
                    if name not in str(error):
                        raise
                    return _missing(criterion, f"{names}: {error.path} = {error.value}. Allowed: {error.allowed}")
    hidden = [each.title for each in criterion.quantities if each.value in NOT_VISIBLE]
    if not hidden:
        return criterion
    measures = tuple(each for each in criterion.measures if each.value not in NOT_VISIBLE)
    if not measures:
        return _missing(criterion, f"{names}: {', '.join(hidden)}")
    observed = tuple(each for each in criterion.observed if each.value not in NOT_VISIBLE)
    reading = f"{criterion.reading} Not visible with {names}: {', '.join(hidden)}.".strip()
    return replace(criterion, measures=measures, observed=observed, reading=reading)


def _missing(criterion: Criterion, reason: str) -> Criterion:
    return replace(criterion, kind="missing", measures=(), observed=(), reason=f"Not visible with {reason}.")
