"""Reasons why a number has no verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mesonet.words import listed


class NotEvaluated(Exception):
    """Error of a number that cannot be measured: the reason, or a way to measure it."""


class NotRun(NotEvaluated):
    """The campaign of a number is not there and takes too long to be run."""


def unsettled_text(unsettled: Mapping[str, Sequence[int]]) -> str:
    """Return a sentence on conditions whose load had not settled.

    Text without a full stop; empty if all had settled.
    """
    found = [
        f"condition{'s' if len(each) > 1 else ''} {listed([str(number) for number in each])} of {name}"
        for name, each in unsettled.items()
        if each
    ]
    return f"the load had not settled in {listed(found)}" if found else ""
