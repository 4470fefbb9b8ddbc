"""Sliders of a two-level design: the model of its main effects and active interactions, which the page evaluates."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from scipy import special

from mesonet.assets import carrier
from mesonet.emulation.inputs import NUMBER, Input, inputs_of
from mesonet.errors import InputError
from mesonet.reporting import packing
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.emulator.section import DATA_ID, EmulatorSection, steps_of
from mesonet.reporting.text import html
from mesonet.words import counted, listed, percent

Floats = NDArray[np.float64]
MOST_MODELS = 24
READING = (
    "The model of the main effects and active interactions: move a slider for a prediction, with a 95 % band for the "
    "mean of new runs. Between the levels nothing was run: the model is a straight line there."
)


def effects_section(view: CampaignView) -> EmulatorSection:
    """Return the section with sliders; empty without results, factors or known settings."""
    campaign = view.campaign
    names = campaign.design.factors
    known = {"design", "scenarios"} <= {*campaign.experiment}
    if not (view.has_results and names and known):
        return EmulatorSection(Markup(""))
    try:
        inputs = inputs_of(campaign, view.algorithms[0])
    except InputError:
        return EmulatorSection(Markup(""))
    wanted = list(itertools.product(view.key_responses, view.algorithms))[:MOST_MODELS]
    models = [found for response, algorithm in wanted if (found := _model(view, response, algorithm)) is not None]
    if not models:
        return EmulatorSection(Markup(""))
    steps = [steps_of(each) for each in inputs]
    data = {
        "factors": [
            {"id": each.id, "log": each.log, "texts": [each.text(value) for value in own], "at": _coded(each, own)}
            for each, own in zip(inputs, steps, strict=True)
        ],
        "emulators": models,
        "simulated": None,
    }
    decades = [each.id for each in inputs if each.log]
    body = html.render(
        "emulator.html",
        reading=READING,
        problems=[f"On a logarithmic scale: {listed(decades)}."] if decades else [],
        inputs=[(each.id, each.factor.name, len(own)) for each, own in zip(inputs, steps, strict=True)],
        responses=[(name, view.label_of(name)) for name in dict.fromkeys(each["response"] for each in models)],
        algorithms=list(dict.fromkeys(each["algorithm"] for each in models)),
        kilobytes=0,
    )
    return EmulatorSection(body + carrier(DATA_ID, packing.pack(data)), has_sliders=True)


def _coded(each: Input, values: Floats) -> list[list[float]]:
    """Return values as places from -1 at minus to +1 at plus."""
    places = 2 * each.coordinates(values)[:, :1] - 1
    sign = -1 if each.kind == NUMBER and each.minus > each.plus else 1
    return [[round(float(place) * sign, 9)] for place in places[:, 0]]


def _model(view: CampaignView, response: str, algorithm: str) -> dict[str, Any] | None:
    """Return the model of a response; None if the runs leave no degree of freedom for its noise."""
    period, design = view.main_period, view.campaign.design
    values = view.for_algorithm(response, period, algorithm)
    known = np.isfinite(values)
    found = view.terms(response, period, algorithm)
    active = [term for term, on in zip(found.terms, found.active, strict=True) if on]
    single = [name for name in design.factors if name not in active]
    for terms in ([*active, *single], active):
        fit = _fitted(design, terms, values, known)
        if fit is not None:
            break
    else:
        return None
    unit = view.unit_of(response)
    explained = percent(100 * max(fit.pop("predicted"), 0.0))
    return {
        "response": response,
        "algorithm": algorithm,
        "title": view.label_of(response),
        "unit": "" if unit == "1" else unit,
        "runs": max(len(view.replicates), 1),
        "sentence": (
            f"A model of {counted(len(terms), 'term')} through {counted(int(known.sum()), 'condition')}. It would "
            f"explain {explained} of the differences between conditions that it has not seen."
        ),
        "model": fit,
    }


def _fitted(design: Any, terms: Sequence[str], values: Floats, known: NDArray[np.bool_]) -> dict[str, Any] | None:
    """Return the least-squares fit of terms to conditions with a value; None if they cannot be estimated with noise."""
    places = [[design.factors.index(name) for name in term.split("*")] for term in terms]
    signs = np.asarray(design.matrix, dtype=float)[known]
    x = np.column_stack([np.ones(len(signs)), *(signs[:, each].prod(axis=1) for each in places)])
    freedom = len(x) - x.shape[1]
    if freedom < 1 or np.linalg.matrix_rank(x) < x.shape[1]:
        return None
    y = values[known]
    inverse = np.linalg.inv(x.T @ x)
    own = inverse @ x.T @ y
    rest = y - x @ own
    variance = float(rest @ rest) / freedom
    left = rest / np.maximum(1 - np.einsum("ij,jk,ik->i", x, inverse, x), 1e-12)
    total = float(((y - y.mean()) ** 2).sum())
    return {
        "terms": places,
        "coefficients": own.tolist(),
        "inverse": inverse.tolist(),
        "variance": variance,
        "t": float(special.stdtrit(freedom, 0.975)),
        "predicted": 1 - float(left @ left) / total if total > 0 else 0.0,
    }
