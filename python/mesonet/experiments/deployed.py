"""The experiment that deploys an algorithm in a network, or in the conditions of another experiment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mesonet.errors import InputError
from mesonet.experiments.inheritance import parts
from mesonet.experiments.network import Experiment, experiment_of_parts
from mesonet.files.names import file_stem
from mesonet.files.toml import EXPERIMENTS, SCENARIOS, builtin_names, find_toml, read_toml
from mesonet.numpy_data import plain

REPLICATES = 4
"""Runs of each share, unless the target has a number (chosen): total effects are pairs of equal seeds."""
_WITH_TOPOLOGY = "abilene"
"""The scenario whose users a topology of a file gets."""
_OF_EXPERIMENTS = ("factors", "scenario", "name")
COMMAND = "mesonet deploy"
"""Stands for the file of the experiment in messages."""
DEFAULT = "shared-link"
"""The network that is used if none is named."""


def deploy(
    algorithm: str,
    target: str | Path,
    /,
    *,
    against: str | None = None,
    shares: Sequence[float] | None = None,
    unit: str | None = None,
    order: str | None = None,
    tests: Sequence[str] | None = None,
    period: str | None = None,
    burn_in: str | None = None,
    outcome: str | None = None,
    by: Sequence[str] | None = None,
    replicates: int | None = None,
    duration: str | None = None,
    scale: float = 1.0,
    seed: int | None = None,
    values: Mapping[str, Any] | None = None,
) -> Experiment:
    """Return the experiment that deploys an algorithm at several shares of the users.

    Parameters
    ----------
    algorithm
        The new algorithm.
    target
        A scenario, a topology, or an experiment, whose conditions are crossed with the shares: a built-in name or a
        path.
    against
        The incumbent; by default the algorithm that the experiment mixes with, else ``cubic``.
    shares
        Shares of the units that have the algorithm, 0 to 1; 0 and 1 always run.
    unit
        What has one algorithm: ``user``, ``home``, ``flow`` or ``place``.
    order
        Who adopts first: ``random``, ``place``, ``access``, or a CSV file of routers.
    tests
        Tests to evaluate: ``ab`` and ``paired-links``, by default both, and with runs of their own ``switchback``,
        ``rollout`` and ``event-study``.
    period, burn_in
        Length of the periods of such runs, and of the beginning of each that does not count, such as ``"10 s"``.
    outcome
        The outcome that leads: ``goodput``, ``throughput``, ``completion_time``, ``slowdown``,
        ``retransmission_rate``, ``rtt`` or ``late_frames``.
    by
        Groups of units: ``path_class``, ``rtt_class``, ``rate_class``, ``access``, ``pop``.
    replicates
        Runs of each share and test; by default 4, or the number of the experiment.
    duration, scale, seed, values
        As for `experiment`.

    Returns
    -------
    The experiment; its campaign is run, analysed and reported as any other.

    Raises
    ------
    InputError
        If there is no such target or a value is not allowed.

    Examples
    --------
    >>> deploy("bbr3", "abilene", against="cubic", shares=[0.1, 0.5], scale=0.05).conditions
    4
    """
    given = {
        "shares": shares, "unit": unit, "order": order, "tests": tests, "period": period, "burn_in": burn_in,
        "outcome": outcome, "by": by,
    }  # fmt: skip
    if algorithm in (*builtin_names(EXPERIMENTS), *builtin_names(SCENARIOS)):
        allowed = f"an algorithm first, such as {COMMAND} bbr3 {algorithm}"
        raise InputError("a network or an experiment", COMMAND, "algorithms", algorithm, allowed)
    base, held = base_of(str(target))
    options = {"duration": duration, "seed": seed, "replicates": replicates}
    table = {
        "name": file_stem(re.sub(r"[^A-Za-z0-9._-]+", "-", f"deploy-{algorithm}").strip("-")),
        "title": f"{algorithm} deployed in {Path(str(target)).stem}",
        "algorithms": [algorithm],
        **base,
        **({"mixed_with": against or "cubic"} if against or "mixed_with" not in held else {}),
        **({} if "replicates" in held else {"replicates": REPLICATES}),
        "deploy": {**held.get("deploy", {}), **{key: value for key, value in given.items() if value is not None}},
    }
    return experiment_of_parts(
        parts(plain(table), COMMAND, None),
        {key: value for key, value in options.items() if value is not None},
        values or {},
        scale,
    )


def base_of(target: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the entries that name a target, and what an experiment of that name has already."""
    if target in builtin_names(SCENARIOS):
        return {"scenario": target}, {}
    if target not in builtin_names(EXPERIMENTS) and not target.endswith(".toml"):
        return {"scenario": _WITH_TOPOLOGY, "set": {"topology": target}}, {}
    text, file, directory = find_toml(target, EXPERIMENTS, "scenario or experiment")
    table = read_toml(text, file)
    if set(_OF_EXPERIMENTS).isdisjoint(table):
        return {"scenario": target}, {}
    if "model" in table:
        raise InputError("an experiment with a model that is no network", value=target, allowed="one with a network")
    held: dict[str, Any] = {}
    for part in parts(table, file, directory):
        held |= part.table
    return {"base": target}, held
