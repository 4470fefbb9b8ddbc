"""Grids of levels: the table ``[grid]`` of an experiment file, and the experiment that varies paths of a scenario.

A key is a path, with its levels::

    [grid]
    "flows[0].count" = [2, 10, 50]
    "aqm.discipline" = ["fifo", "fq_codel"]
    "rtt:network.delay_multiplier" = [10, 40]       # with a name for the factor in front

All combinations run. A factor without a name is called by the last words of its path (`names_of`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet.designs.factor import FACTORS
from mesonet.errors import InputError
from mesonet.files.names import file_stem
from mesonet.numpy_data import plain
from mesonet.responses.definitions import BY_NAME
from mesonet.responses.tables import TIDY
from mesonet.words import capitalised

if TYPE_CHECKING:
    from mesonet.experiments.base import Designed

COMMAND = "mesonet grid"
"""Stands for the file of the experiment in messages."""
REPLICATES = 3
"""Runs of each combination and algorithm, unless a number is given (chosen): the fewest with an interval of use."""
_WORD = re.compile(r"[A-Za-z]\w*")
_TITLES = {factor.path: factor.name for factor in FACTORS} | {"aqm.discipline": "Queue discipline"}


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
    >>> chosen = grid("bottleneck", {"flows[0].count": [2, 10], "aqm.discipline": ["fifo", "fq_codel"]})
    >>> chosen.conditions, list(chosen.levels)
    (4, ['flows', 'discipline'])
    """
    from mesonet.experiments.deployed import base_of
    from mesonet.experiments.inheritance import parts
    from mesonet.experiments.network import experiment_of_model, experiment_of_parts

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


def factor_tables(
    given: Any, taken: Collection[str], resolved: Callable[[str, str], str] | None = None
) -> dict[str, dict[str, Any]]:
    """Return the factors of a table ``[grid]`` as entries of ``[[factors]]``, by the key that each has there.

    `taken`: names that a factor without a name of its own does not get. `resolved`: called with a place of the file and
    a path, returns the full path; None: paths are full.
    """
    if not isinstance(given, Mapping) or not given:
        allowed = 'paths with lists of levels, such as "flows[0].count" = [2, 10, 50]'
        raise InputError("no levels", path="grid", value=given, allowed=allowed)
    named = {key: _divided(key) for key in given}
    ids = names_of([path for _, path in named.values()], [name for name, _ in named.values()], taken)
    found = {}
    for id, (key, (name, written)) in zip(ids, named.items(), strict=True):
        path = resolved(f"grid.{key}", written) if resolved else written
        if not isinstance(given[key], list):
            allowed = "a list such as [2, 10, 50]"
            raise InputError("not a list of levels", path=f"grid.{key}", value=given[key], allowed=allowed)
        title = name.replace("_", " ") if name else _TITLES.get(path, id.replace("_", " "))
        found[key] = {"id": id, "name": title, "path": path, "levels": given[key]}
    return found


def names_of(paths: Sequence[str], own: Sequence[str] = (), taken: Collection[str] = ()) -> list[str]:
    """Return a name for each path: its own, else its last word; more words where that is taken or needed twice.

    A count of the entries of a list has the name of the list. Taken are responses, the columns of tidy tables, and
    `taken`.

    Examples
    --------
    >>> names_of(["flows[0].count", "network.buffer", "flows[0].rtt"])
    ['flows', 'buffer', 'flows_0_rtt']
    >>> names_of(["flows[0].count", "flows[1].count"])
    ['flows_0_count', 'flows_1_count']
    """
    named = own or [""] * len(paths)
    choices = [[name] if name else _choices(path) for path, name in zip(paths, named, strict=True)]
    found = [names.pop(0) for names in choices]
    held = {*taken, *BY_NAME, *TIDY.columns, *own}
    while clash := [n for n, name in enumerate(found) if choices[n] and (name in held or found.count(name) > 1)]:
        for number in clash:
            found[number] = choices[number].pop(0)
    return [
        f"factor_{name}" if not own_name and (name in held or name in found[:number]) else name
        for number, (name, own_name) in enumerate(zip(found, named, strict=True))
    ]


def _choices(path: str) -> list[str]:
    """Return names for a path, the shortest first."""
    words = re.findall(r"\w+", path) or ["factor"]
    is_count = len(words) > 2 and words[-1] == "count" and words[-2].isdigit()
    first = [words[-3]] if is_count else words[-1:]
    longer = ["_".join(words[-size:]) for size in range(3 if is_count else 2, len(words) + 1)]
    return [name if _WORD.fullmatch(name) else f"factor_{name}" for name in (*first, *longer)]


def _divided(key: Any) -> tuple[str, str]:
    """Return the name of a factor, which may be empty, and its path."""
    name, colon, path = str(key).partition(":")
    if not colon:
        return "", name.strip()
    if not _WORD.fullmatch(name.strip()) or not path.strip():
        raise InputError("not NAME:PATH", path=f"grid.{key}", allowed='such as "rtt:network.delay_multiplier"')
    return name.strip(), path.strip()


def _crossed(vary: Mapping[str, list[Any]]) -> str:
    """Return the names of the factors as a title."""
    try:
        return " x ".join(each["name"] for each in factor_tables(vary, ()).values())
    except InputError as error:
        raise error.located(file=COMMAND) from None
