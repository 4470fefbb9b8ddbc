"""Options of a campaign that runs until its comparisons are decided."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from mesonet.cli import completion
from mesonet.errors import InputError

LOOKS = ("until", "margin", "at_most", "against")
"""Names of the options of `looks_options`."""


def looks_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options of a campaign that runs until its comparisons are decided.

    `command`: the function of the command; it gets the arguments `LOOKS`.
    """
    for option in (
        click.option(
            "--against",
            metavar="NAME",
            help="With --until: the incumbent; by default the incumbent of the report.",
            shell_complete=completion.ALGORITHM,
        ),
        click.option(
            "--at-most",
            type=click.IntRange(3),
            metavar="N",
            help="With --until: replicates at the last look; by default 12.",
        ),
        click.option(
            "--margin", metavar="SHARE", help="With --until: smallest relative change that counts; by default 10%."
        ),
        click.option(
            "--until",
            type=click.Choice(["decided"]),
            help="Run replicates until every comparison is decided.",
        ),
    ):
        command = option(command)
    return command


def rule_arguments(until: str | None, held: bool, **given: Any) -> dict[str, Any] | None:
    """Return the arguments of a rule; None for a campaign without one.

    `held`: the campaign has a rule. `given`: the options ``margin``, ``at_most`` and ``against``.
    """
    if until is None and not held:
        for name, value in given.items():
            if value is not None:
                raise InputError("goes with --until decided", path=f"--{name.replace('_', '-')}", value=value)
        return None
    return {**given, "margin": parse_margin(given["margin"])}


def parse_margin(text: str | None) -> float | None:
    """Return a relative change from its text: a share, or a number with %.

    Examples
    --------
    >>> parse_margin("10%"), parse_margin("0.05")
    (0.1, 0.05)
    """
    if text is None:
        return None
    allowed = "a relative change above 0, such as 10% or 0.1"
    match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*(%?)\s*", text)
    if match is None or float(match[1]) == 0:
        raise InputError("not a margin", path="--margin", value=text, allowed=allowed)
    share = float(match[1]) / (100 if match[2] else 1)
    if not match[2] and share >= 1:
        raise InputError(f"a change by {share:.0%}", path="--margin", value=text, allowed=f"{text}%, or {share:.0%}")
    return share
