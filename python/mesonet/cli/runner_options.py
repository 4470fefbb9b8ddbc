"""Options that choose where and how the runs of a campaign are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from mesonet import units
from mesonet.cli.memory_size import in_bytes
from mesonet.errors import InputError

HOW = ("memory", "time_limit", "dask", "shard", "tries", "retry")
"""Names of the options of `runner_options`."""


def runner_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options of the runner.

    `command`: the function of the command; it gets the arguments `HOW`.
    """
    for option in (
        click.option("--retry", is_flag=True, help="Retry runs that failed too often (quarantine)."),
        click.option(
            "--tries", default=3, show_default=True, type=click.IntRange(1), help="Tries of a run that fails."
        ),
        click.option("--time-limit", metavar="TIME", help="Longest time of one try of a run, such as '2 h'."),
        click.option("--memory", metavar="SIZE", help="Largest memory of one run, such as '4 GiB'."),
        click.option("--shard", metavar="i/N", help="Run only the i-th of N parts, for job arrays."),
        click.option("--dask", metavar="ADDRESS|FILE", help="Run on the Dask cluster of this scheduler."),
    ):
        command = option(command)
    return command


def how(
    workers: int | None,
    memory: str | None,
    time_limit: str | None,
    dask: str | None,
    shard: str | None,
    tries: int,
    retry: bool,
) -> dict[str, Any]:
    """Return the arguments of a run for the options of `runner_options`."""
    if dask is not None and workers is not None:
        raise InputError("the cluster sets the number of workers", path="--workers", value=workers, allowed="no --dask")
    parsed: dict[str, Any] = {
        "memory": in_bytes(memory),
        "time_limit": parse_time_limit(time_limit),
        "shard": parse_shard(shard),
    }
    if dask is not None:
        from mesonet.campaign.cluster import exposure

        if note := exposure(dask):
            click.echo(f"note: {note}", err=True)
    return {**parsed, "dask": dask, "tries": tries, "retry": retry}


def parse_shard(text: str | None) -> tuple[int, int] | None:
    """Return a part of a campaign from its text.

    (i, N), or None. `text`: ``i/N`` with i from 1 to N; None: the whole campaign.

    Examples
    --------
    >>> parse_shard("1/16")
    (1, 16)
    """
    if text is None:
        return None
    first, slash, second = text.partition("/")
    if not (slash and first.strip().isdecimal() and second.strip().isdecimal()):
        raise InputError("not a part of a campaign", path="--shard", value=text, allowed="i/N, such as 1/16")
    place, parts = int(first), int(second)
    if not 1 <= place <= parts:
        raise InputError("not a part of a campaign", path="--shard", value=text, allowed="i/N with i from 1 to N")
    return place, parts


def parse_time_limit(text: str | None) -> float | None:
    """Return the seconds of a time limit. Seconds, or None. `text`: a time above 0, such as ``2 h``; None: no limit."""
    if text is None:
        return None
    try:
        seconds = units.TIME.parse(text, "2 h")
    except InputError as error:
        raise InputError(error.problem, None, "--time-limit", text, error.allowed) from None
    if seconds <= 0:
        raise InputError("no time", path="--time-limit", value=text, allowed="more than 0 s")
    return seconds
