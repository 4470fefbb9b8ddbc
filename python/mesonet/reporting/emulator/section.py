"""The section of the page with sliders: emulators of the key responses, which the script of the page evaluates."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from markupsafe import Markup
from scipy import special

from mesonet.assets import asset, carrier
from mesonet.browser import module
from mesonet.campaign.ledger import run_seed
from mesonet.emulation.emulator import Emulator, emulate
from mesonet.emulation.inputs import LEVELS, NUMBER, Input, inputs_of, leaf
from mesonet.emulation.surface import LEVEL, Surface
from mesonet.errors import InputError
from mesonet.reporting import packing
from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.text import html
from mesonet.words import counted, listed

MOST_CONDITIONS, MOST_EMULATORS = 400, 24
"""Larger campaigns have no sliders in their page: a fit takes seconds (chosen)."""
STEPS = 41
"""Steps of a slider, of a factor that is no count of few."""
_MOST_WHOLE = 201
DATA_ID = "emulator-data"
_asset = partial(asset, "mesonet.reporting.emulator")


@dataclass(frozen=True)
class EmulatorSection:
    """The section with its data."""

    html: Markup
    has_sliders: bool = False
    live: bool = False  #: the page simulates at the settings of the sliders, too


def emulator_section(sampled: Sampled, *, live: bool = True) -> EmulatorSection:
    """Return the section with sliders; empty before the first run. `live`: the page may hold the simulator."""
    view, campaign = sampled.view, sampled.campaign
    if not view.has_results or len(sampled.points) > MOST_CONDITIONS:
        return EmulatorSection(Markup(""))
    try:
        found, problems = _emulators(sampled)
    except ImportError as error:
        return EmulatorSection(html.render("emulator.html", problems=[str(error)], inputs=[], responses=[], **_NOTHING))
    if not found:
        return EmulatorSection(html.render("emulator.html", problems=problems, inputs=[], responses=[], **_NOTHING))
    inputs = inputs_of(campaign, found[0].algorithm)
    steps = [steps_of(each) for each in inputs]
    simulated = _simulated(sampled, inputs, steps) if live and module.is_built() else None
    decades = [each.id for each in inputs if each.log]
    problems += [f"On a logarithmic scale: {listed(decades)}."] if decades else []
    data = {
        "factors": [
            {
                "id": each.id,
                "log": each.log,
                "texts": [each.text(value) for value in own],
                "at": each.coordinates(own).round(9).tolist(),
            }
            for each, own in zip(inputs, steps, strict=True)
        ],
        "z": float(special.ndtri(0.975)),
        "level": LEVEL,
        "emulators": [_data(each) | {"title": view.label_of(each.response)} for each in found],
        "simulated": simulated,
    }
    body = html.render(
        "emulator.html",
        reading=READING,
        problems=problems,
        inputs=[(each.id, each.factor.name, len(own)) for each, own in zip(inputs, steps, strict=True)],
        responses=[(name, view.label_of(name)) for name in dict.fromkeys(each.response for each in found)],
        algorithms=list(dict.fromkeys(each.algorithm for each in found)),
        kilobytes=round(module.built().page_bytes / 1000) if simulated else 0,
    )
    carried = {DATA_ID: packing.pack(data), **(module.carriers() if simulated else {})}
    return EmulatorSection(Markup("").join([body, *itertools.starmap(carrier, carried.items())]), True, bool(simulated))


@cache
def emulator_script(live: bool) -> str:
    """Return the script of the section, without what unpacks its data. `live`: with the client of the simulator."""
    simulator = [module.script(name) for name in module.SCRIPTS] if live else ["const Simulator = null;"]
    return "\n".join((*simulator, _asset("emulator.js")))


def emulator_style() -> str:
    """Return the style sheet of the section."""
    return _asset("emulator.css")


READING = "An emulator of the finished runs: move a slider for a prediction, with a 95 % band for the mean of new runs."
_NOTHING: dict[str, Any] = {"algorithms": [], "kilobytes": 0}


def _emulators(sampled: Sampled) -> tuple[list[Emulator], list[str]]:
    """Return the emulators of key responses, and the reasons why others have none."""
    view, found, problems = sampled.view, [], []
    wanted = list(itertools.product(view.key_responses, view.algorithms))
    for response, algorithm in wanted[:MOST_EMULATORS]:
        try:
            found.append(emulate(view.campaign, response, algorithm=algorithm, period=view.main_period))
        except InputError as error:
            whose = f" with {algorithm}" if len(view.algorithms) > 1 else ""
            problems.append(f"No prediction of {view.label_of(response)}{whose}: {error.problem}.")
    if len(wanted) > MOST_EMULATORS:
        problems.append(f"The first {counted(MOST_EMULATORS, 'emulator')} of {len(wanted)} are here.")
    return found, list(dict.fromkeys(problems))


def steps_of(each: Input) -> np.ndarray:
    """Return the values at which a slider can stand."""
    if each.kind == LEVELS:
        return np.arange(float(len(each.factor.levels)))
    if each.whole and each.high - each.low < _MOST_WHOLE:
        return np.arange(each.low, each.high + 1)
    spread = np.geomspace if each.log else np.linspace
    found = spread(each.low, each.high, STEPS)
    return np.round(found) if each.whole else found


def _data(emulator: Emulator) -> dict[str, Any]:
    noise = emulator.noise
    return {
        "response": emulator.response,
        "algorithm": emulator.algorithm,
        "unit": "" if emulator.unit == "1" else emulator.unit,
        "log": emulator.log,
        "runs": emulator.runs,
        "widened": emulator.widened,
        "sentence": emulator.check.sentences[0],
        "surface": _surface(emulator.surface),
        "noise": {
            "level": noise.level if np.isfinite(noise.level) else None,
            "surface": None if noise.surface is None else _surface(noise.surface),
        },
    }


def _surface(surface: Surface) -> dict[str, Any]:
    shape = surface.shape
    numbers = {"centre": surface.centre, "scale": surface.scale, "signal": shape.signal, "nugget": shape.nugget}
    arrays = {"points": surface.points, "values": surface.values, "noise": surface.noise, "lengths": shape.lengths}
    return numbers | {name: _short(each) for name, each in arrays.items()}


def _short(values: np.ndarray) -> Any:
    """Return numbers with nine digits, so that they take half of the place."""
    return json.loads(json.dumps(values.tolist()), parse_float=lambda text: float(f"{float(text):.9g}"))


def _simulated(sampled: Sampled, inputs: Sequence[Input], steps: Sequence[np.ndarray]) -> dict[str, Any] | None:
    """Return the scenarios that the page completes and simulates; None if they do not follow from the sliders."""
    document = sampled.campaign.experiment
    if document.get("model") is not None or any(each.kind != NUMBER for each in inputs):
        return None
    scenarios: dict[str, Any] = {}
    paths: list[list[str | int]] = []
    for algorithm in sampled.view.algorithms:
        known = [each["scenario"] for each in document["scenarios"] if each["algorithm"] == algorithm]
        paths = [_place(known[0], each) for each in inputs]
        if not all(paths) or any("plugin" in each for each in known[0]["algorithms"]):
            return None
        for number, scenario in enumerate(known):
            values = [each.values[number] for each in inputs_of(sampled.campaign, algorithm)]
            if _completed(known[0], paths, values, inputs) != scenario:
                return None
        scenarios[algorithm] = known[0]
    return {
        "scenarios": scenarios,
        "paths": paths,
        "values": [
            [int(value) if each.whole else float(value) for value in own]
            for each, own in zip(inputs, steps, strict=True)
        ],
        "period": sampled.view.main_period,
        "seed": str(run_seed(document["seed"], 1, 1)),
    }


def _place(scenario: Mapping[str, Any], each: Input) -> list[str | int]:
    """Return the keys under which a scenario has the number of a factor; empty if it has none there."""
    found = leaf(scenario, each.factor.path)
    return [] if found is None else found[0]


def _completed(
    scenario: Mapping[str, Any], paths: Sequence[Sequence[str | int]], values: Sequence[float], inputs: Sequence[Input]
) -> dict[str, Any]:
    found: dict[str, Any] = copy.deepcopy(dict(scenario))
    for path, value, each in zip(paths, values, inputs, strict=True):
        there: Any = found
        for key in path[:-1]:
            there = there[key]
        there[path[-1]] = int(value) if each.whole else float(value)
    return found
