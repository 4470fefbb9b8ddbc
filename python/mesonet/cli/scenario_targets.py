"""Targets of the verbs ``run`` and ``check``: a scenario, or a condition of an experiment, with options as typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from mesonet.algorithms import OUTSIDE, with_plugins
from mesonet.errors import InputError, unknown
from mesonet.files.reading import printable
from mesonet.files.toml import EXPERIMENTS, SCENARIOS, builtin_names, find_toml, read_toml
from mesonet.scenarios import settings
from mesonet.scenarios.scaling import checked_scale, refuse_distorted, scaled
from mesonet.scenarios.scenario import Scenario, load_scenario


def find_scenario(
    target: str,
    *,
    values: Sequence[str] = (),
    algorithm: str | None = None,
    duration: str | None = None,
    condition: int | None = None,
    scale: Any = None,
    force: bool = False,
    component: str | None = None,
    default_delay: str | None = None,
) -> Scenario:
    """Return the scenario of a name or a file, or a condition of an experiment.

    `values`: ``PATH=VALUE`` each. `duration`: simulated time, such as ``5 min``. `condition`: counts from 1, in the
    order of the experiment's design. `scale`: multiplies router speeds and the number of sources; refused where that
    distorts the network, unless `force`. `component`, `default_delay`: options of the file that is the topology.
    """
    scale = 1.0 if scale is None else checked_scale(scale)
    algorithm = _loaded(algorithm)
    given = _with_reader(pairs(values), {"component": component, "default_delay": default_delay})
    if _is_experiment(target):
        return _condition(
            target=target,
            number=condition,
            algorithm=algorithm,
            duration=duration,
            values=given,
            scale=scale,
            force=force,
        )
    if condition is not None:
        problem = "a scenario has no conditions"
        raise InputError(problem, path="--condition", value=condition, allowed=f"an experiment: {_names(EXPERIMENTS)}")
    chosen = load_scenario(target)
    chosen = chosen.with_values(given, "--set")
    for option, path, text in (("--algorithm", "algorithms", algorithm), ("--duration", "time.duration", duration)):
        if text is not None:
            settings.refuse_beside(option, path, given)
            chosen = chosen.set(path, text, option)
    chosen.refuse_unused(given)
    chosen.check()
    if scale != 1 and not force:
        refuse_distorted(chosen, scale)
    return scaled(chosen, scale)


def _with_reader(given: dict[str, Any], options: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the values of ``--set`` with options of the reader in the topology."""
    chosen = {key: text for key, text in options.items() if text is not None}
    if not chosen:
        return given
    path = next((path for path in given if _resolved(path) == "topology"), None)
    if path is None or not isinstance(given[path], str):
        option = "--" + next(iter(chosen)).replace("_", "-")
        raise InputError("no topology of a file to read", option, allowed="with --set topology=FILE")
    return given | {path: {"file": given[path], **chosen}}


def _loaded(algorithm: str | None) -> str | None:
    """Return the option with the names of its plug-ins, whose constants other options may set."""
    try:
        return None if algorithm is None else str(with_plugins(algorithm))
    except InputError as error:
        raise error.located(path="--algorithm") from None


def _condition(
    target: str,
    number: int | None,
    algorithm: str | None,
    duration: str | None,
    values: Mapping[str, Any],
    scale: float,
    force: bool,
) -> Scenario:
    from mesonet.experiments.network import Experiment, experiment

    chosen = experiment(target, duration=duration, values=values, scale=scale)
    if not isinstance(chosen, Experiment):
        allowed = f"mesonet experiment run {target}"
        raise InputError("an experiment with a model that is no network", value=target, allowed=allowed)
    if number is None:
        if chosen.conditions > 1:
            problem = f"{target} is an experiment of {chosen.conditions} conditions: name one of them"
            raise InputError(problem, path="--condition", allowed=f"1 to {chosen.conditions}")
        number = 1
    there = chosen.condition(number, algorithm)
    there.refuse_unused(values)
    there.check()
    if not force:
        chosen.refuse_distortion(number)
    return there


def pairs(values: Sequence[str]) -> dict[str, Any]:
    """Return the values of the ``--set`` options: lists and tables in the syntax of TOML, all others as text.

    `values`: ``PATH=VALUE`` each.

    Examples
    --------
    >>> pairs(["warmup=0 s", "trace.flows=[1, 2]"])
    {'warmup': '0 s', 'trace.flows': [1, 2]}
    """
    found: dict[str, Any] = {}
    for given in values:
        if printable(given) != given:
            raise InputError("not text in UTF-8", "--set", value=printable(given), allowed="text in UTF-8")
        path, *rest = re.split(f"={OUTSIDE}", given, maxsplit=1)
        if not rest:
            raise InputError("not PATH=VALUE", "--set", value=given, allowed="such as --set warmup='0 s'")
        path, value = path.strip(), list_or_text(rest[0].strip())
        for other, before in found.items():
            if _resolved(path) == _resolved(other):
                problem = f'set twice, first to "{before}"' + (f" as {other}" if other != path else "")
                raise InputError(problem, "--set", path, value, "one value for each path")
        found[path] = value
    return found


def pairs_with_preset(values: Sequence[str], preset: str | None) -> dict[str, Any]:
    """Return the values of the options ``--set`` and ``--preset``, as `pairs`."""
    found = pairs(values)
    if preset is None:
        return found
    settings.refuse_beside("--preset", settings.PRESET, found)
    return {**found, settings.PRESET: preset}


def list_or_text(text: str) -> Any:
    """Return a value as typed: lists and tables in the syntax of TOML, all others as text."""
    if text.startswith(("[", "{")):
        with suppress(InputError):  # a text that only begins so
            table = read_toml(f"value = {text}", "--set")
            if len(table) == 1:
                return table["value"]
    return text


def _resolved(path: str) -> str:
    """Return the full path where there is one; parameters of models have paths of their own."""
    try:
        return settings.resolve(path)
    except InputError:
        return path


def _is_experiment(target: str) -> bool:
    """Return True if this is an experiment; a file is one if it has factors, names a scenario, or has a name."""
    scenarios, experiments = builtin_names(SCENARIOS), builtin_names(EXPERIMENTS)
    if target in scenarios or target in experiments:
        return target in experiments
    if not Path(target).is_file():
        problem = unknown("scenario or experiment", target, [*scenarios, *experiments]).problem
        allowed = f"{_names(SCENARIOS)}, a condition of {_names(EXPERIMENTS)}, or the path of a TOML file"
        raise InputError(problem, value=target, allowed=allowed)
    text, file, _ = find_toml(target, EXPERIMENTS, "experiment")
    return not {"factors", "scenario", "name"}.isdisjoint(read_toml(text, file))


def _names(folder: str) -> str:
    return ", ".join(builtin_names(folder))
