"""The experiment that runs all combinations of some levels of a scenario, an experiment or a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mesonet.errors import InputError
from mesonet.experiments.base import Designed
from mesonet.experiments.deployed import base_of
from mesonet.experiments.grids import factor_tables
from mesonet.experiments.inheritance import parts
from mesonet.experiments.network import experiment_of_model, experiment_of_parts
from mesonet.files.names import file_stem
from mesonet.numpy_data import plain
from mesonet.words import capitalised

COMMAND = "mesonet grid"
"""Stands for the file of the experiment in messages."""
REPLICATES = 3
"""Runs of each combination and algorithm, unless a number is given (chosen): the fewest with an interval of use."""


def grid(
    target: str | Path | Sequence[str] | Mapping[str, Any] | Callable[..., Any],
    vary: Mapping[str, Sequence[Any]],
    /,
    *,
    algorithms: str | Sequence[str] | None = None,
    replicates: int = REPLICATES,
    duration: str | None = None,
    scale: float = 1.0,
    seed: int | None = None,
    values: Mapping[str, Any] | None = None,
    responses: Mapping[str, str] | None = None,
    name: str | None = None,
    title: str | None = None,
) -> Designed:
    """Return the experiment that runs all combinations of some levels.

    Parameters
    ----------
    target
        A scenario, a topology or an experiment (a built-in name or a path), or a model: a function of (parameters,
        seed), a command line, or the table ``model`` of an experiment file.
    vary
        Levels by path, at least two each. Paths of a model are its parameters. ``"rtt:network.delay_multiplier"`` names
        the factor ``rtt``; without a name it is called by the last words of its path.
    algorithms
        Algorithms that each run in every combination: a list, or names separated by commas. By default the algorithms
        of the experiment, else ``cubic``. A model gets the algorithm as the parameter ``algorithm``.
    replicates
        Runs of each combination and algorithm, 1 to 10 000.
    duration, scale, seed, values
        As for `experiment`.
    responses
        Units by response; only for a model.
    name, title
        Texts of the experiment; the name is also the default folder of the campaign.

    Returns
    -------
    The experiment; its campaign is run, analysed and reported as any other.

    Raises
    ------
    InputError
        If there is no such target, path or level; the message names path, value and what is allowed.

    Examples
    --------
    >>> chosen = grid("bottleneck", {"flows[0].count": [2, 10], "aqm.discipline": ["pie", "fq_codel"]})
    >>> chosen.conditions, list(chosen.levels)
    (4, ['flows', 'discipline'])
    """
    if not isinstance(vary, Mapping) or not vary:
        allowed = 'levels by path, such as {"flows[0].count": [2, 10, 50]}'
        raise InputError("no levels", path="vary", value=vary, allowed=allowed)
    chosen = algorithms.split(",") if isinstance(algorithms, str) else algorithms
    listed = None if chosen is None else [each.strip() if isinstance(each, str) else each for each in chosen]
    own = {"name": name, "title": title, "algorithms": listed, "seed": seed, "replicates": replicates}
    given: dict[str, Any] = {key: value for key, value in own.items() if value is not None}
    levels = {path: list(values) for path, values in _checked(vary).items()}
    table: dict[str, Any] = {**given, "grid": levels}
    if not isinstance(target, str | Path):
        entries = {"parameters": values, "responses": responses, "duration": duration}
        table |= {key: value for key, value in entries.items() if value is not None}
        function = target.get("function") if isinstance(target, Mapping) else getattr(target, "__name__", None)
        called = str(function or "model").partition(".py:")[0]
        return experiment_of_model(target, {"name": _name(called), "title": _crossed(levels), **table}, COMMAND, scale)
    if responses is not None:
        raise InputError("goes with a model only", path="responses", value=responses)
    base, held = base_of(str(target))
    table = {
        "name": _name(Path(str(target)).stem),
        "title": f"{capitalised(_crossed(levels))} in {Path(str(target)).stem}",
        **base,
        **({} if "algorithms" in held else {"algorithms": ["cubic"]}),
        **table,
    }
    options = {"duration": duration} if duration is not None else {}
    return experiment_of_parts(parts(plain(table), COMMAND, None), options, plain(values or {}), scale)


def _name(target: str) -> str:
    """Return the name of a grid over a target."""
    return file_stem(re.sub(r"[^A-Za-z0-9._-]+", "-", f"grid-{Path(target).name}").strip("-"))


def _checked(vary: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    for path, levels in vary.items():
        if isinstance(levels, str | bytes) or not hasattr(levels, "__iter__"):
            allowed = "a list of at least two levels"
            raise InputError("not a list of levels", COMMAND, f"grid.{path}", levels, allowed)
    return vary


def _crossed(vary: Mapping[str, list[Any]]) -> str:
    """Return the names of the factors as a title."""
    try:
        return " x ".join(each["name"] for each in factor_tables(vary, ()).values())
    except InputError as error:
        raise error.located(file=COMMAND) from None
