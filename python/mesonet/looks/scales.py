"""Pilot of scales: one condition with equal seeds at several scales, and the answers that each scale keeps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from statistics import mean, stdev
from typing import Any, NamedTuple

from mesonet import units
from mesonet.errors import InputError
from mesonet.experiments.base import Designed
from mesonet.experiments.network import Experiment
from mesonet.looks.rule import MARGIN
from mesonet.reporting.campaign_view.events import DELAY_WITHOUT_RATIO, SHARE_WITHOUT_RATIO
from mesonet.scenarios.scaling import checked_scale
from mesonet.scenarios.scenario import Scenario
from mesonet.scenarios.timeline import lasting
from mesonet.simulation.simulate import simulate_part
from mesonet.simulation.size import refuse_large
from mesonet.words import difference, listed, percent

SEEDS = 3
"""Runs at each scale (chosen: the fewest replicates of a look)."""
PROBE = 0.2
"""Part of the time of the pilot that measures the speed of the largest scale (chosen)."""
SHORTEST = 20
"""Measurement intervals of the shortest run of a pilot (chosen)."""
QUANTILE = 4.303
"""Quantile .975 of Student's t with `SEEDS` - 1 degrees of freedom."""


class Compared(NamedTuple):
    """A response that a pilot compares."""

    words: str
    unit: str  #: `1` for shares
    floor: float  #: level below which it has no relative change, as in verdicts


ANSWERS = {
    "loss_rate": Compared("loss", "1", SHARE_WITHOUT_RATIO),
    "queueing_delay": Compared("queueing delay", "ms", DELAY_WITHOUT_RATIO),
    "rtt": Compared("round trip", "ms", 0.0),
    "slowdown_mean": Compared("slowdown", "", 0.0),
}
"""Responses that a pilot compares; the slowdown is the completion time beside the time alone."""
KEPT, CHANGED, OPEN = "kept", "changed", "open"


@dataclass(frozen=True)
class Answer:
    """Response at a scale, beside the response at the largest scale."""

    value: float | None  #: mean over the seeds, in the unit of the response; None: not measured
    difference: float | None  #: mean over the seeds, in the unit of the response
    half_width: float | None  #: of the interval of the difference at 95 %
    change: float | None  #: the difference as a share of the value at the largest scale; None where this is 0
    verdict: str  #: `kept`: within the margin; `changed`: beyond the margin; `open`: chance cannot be excluded


@dataclass(frozen=True)
class ScaleAnswers:
    """Pilot at one scale."""

    scale: float
    cpu_s: float  #: processor time of the whole campaign at this scale, s
    distorted: str  #: why the scale is refused without --force; empty: it is not
    answers: dict[str, Answer]  #: by response


@dataclass(frozen=True)
class ScalePilot:
    """Condition at several scales."""

    condition: int
    algorithm: str
    duration_s: float  #: simulated time of each run, s
    full_duration_s: float  #: simulated time of a run of the campaign, s
    seeds: int
    margin: float  #: relative change that counts
    scales: tuple[ScaleAnswers, ...]  #: ascending

    def sentences(self) -> list[str]:
        """Return a sentence on each scale but the largest."""
        return [_sentence(each, self.scales[-1].scale) for each in self.scales[:-1]]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {**asdict(self), "scales": [asdict(each) for each in self.scales], "sentences": self.sentences()}


def compare_scales(chosen: Designed, scales: Sequence[float | str], seconds: float) -> ScalePilot:
    """Return the pilot of an experiment at several scales. `seconds`: wall-clock time for it, about."""
    if not isinstance(chosen, Experiment):
        raise InputError("goes with networks only", path="--scales", value=", ".join(map(str, scales)))
    ordered = sorted({_checked(scale) for scale in scales})
    if len(ordered) < 2:
        raise InputError("one scale", path="--scales", value=ordered, allowed="two scales or more, such as 0.1,0.2,1")
    number = _central(chosen)
    networks = [replace(chosen, scale=scale).condition(number) for scale in ordered]
    for network in networks:
        refuse_large(network.to_json())
    duration = _length(networks[-1], sum(ordered) / ordered[-1], seconds)
    found = [_runs(network, duration) for network in networks]
    full = float(networks[-1].value("time.duration"))
    expected = chosen.expected_cost()
    runs = sum(expected) / expected[number - 1] * len(chosen.algorithms) * chosen.replicates * full / duration
    return ScalePilot(
        condition=number,
        algorithm=chosen.algorithms[0],
        duration_s=duration,
        full_duration_s=full,
        seeds=SEEDS,
        margin=MARGIN,
        scales=tuple(
            ScaleAnswers(
                scale=scale,
                cpu_s=cpu_s * runs,
                distorted=_distorted(replace(chosen, scale=scale), number),
                answers={name: _answer(values[name], found[-1][0][name], ANSWERS[name].floor) for name in ANSWERS},
            )
            for scale, (values, cpu_s) in zip(ordered, found, strict=True)
        ),
    )


def _checked(scale: Any) -> float:
    try:
        return checked_scale(scale)
    except InputError as error:
        raise InputError(error.problem, None, "--scales", error.value, error.allowed) from None


def _central(chosen: Experiment) -> int:
    """Return the condition in the middle of the offered loads, from 1."""
    loads = chosen.offered_loads()
    order = sorted(range(len(loads)), key=lambda place: (loads[place][0], place))
    return order[(len(order) - 1) // 2] + 1


def _length(network: Scenario, work: float, seconds: float) -> float:
    """Return the simulated time that runs at all scales have, s.

    `work`: cost of a run at each scale together, as a multiple of a run at the largest.
    """
    whole = float(network.value("time.duration"))
    reached = simulate_part(network.to_json(), 1, PROBE * seconds).marks[-1][0]
    within = reached * (1 - PROBE) / PROBE / (SEEDS * work)
    shortest = min(whole, SHORTEST * float(network.value("measurement.interval")))
    if within < shortest:
        allowed = f"about {math.ceil(seconds * shortest / within)} s" if within else "more time"
        problem = f"runs of {units.TIME.show(shortest)} at the largest scale do not fit"
        raise InputError(problem, path="--pilot", value=units.TIME.show(seconds), allowed=allowed)
    return min(whole, float(f"{within:.2g}"))


def _runs(network: Scenario, duration: float) -> tuple[dict[str, list[float]], float]:
    """Return each response by seed, and the mean processor time of a run in s."""
    share = float(network.value("time.warmup")) / float(network.value("time.duration"))
    short = lasting(network, f"{duration!r} s", "--pilot")[0].set("time.warmup", f"{share * duration!r} s")
    values: dict[str, list[float]] = {name: [] for name in ANSWERS}
    used = []
    for seed in range(1, SEEDS + 1):
        part = simulate_part(short.to_json(), seed, math.inf)
        columns = (part.responses.columns[name] for name in ("response", "period", "value"))
        measured = {name: value for name, period, value in zip(*columns, strict=True) if period == "measured"}
        for name in ANSWERS:
            values[name].append(float(measured.get(name, math.nan)))
        used.append(part.marks[-1][1])
    return values, mean(used)


def _distorted(chosen: Experiment, number: int) -> str:
    try:
        chosen.refuse_distortion(number)
    except InputError as error:
        return error.problem
    return ""


def _answer(values: list[float], largest: list[float], floor: float) -> Answer:
    """Return a response beside the response at the largest scale; `floor`: the level without a relative change."""
    pairs = [pair for pair in zip(values, largest, strict=True) if all(map(math.isfinite, pair))]
    if len(pairs) < len(values):
        return Answer(None, None, None, None, OPEN)
    differences = [one - other for one, other in pairs]
    found, reference = mean(differences), mean(largest)
    half = QUANTILE * stdev(differences) / math.sqrt(len(differences))
    most = MARGIN * (reference + floor)
    if abs(found) + half <= most:
        verdict = KEPT
    elif abs(found) - half > most:
        verdict = CHANGED
    else:
        verdict = OPEN
    return Answer(mean(values), found, half, found / reference if reference else None, verdict)


def deviation(name: str, answer: Answer) -> str:
    """Return the relative change, or the difference where the largest scale has too little for a ratio; empty: none."""
    if not answer.difference:
        return ""
    about = ANSWERS[name]
    assert answer.value is not None
    if answer.change is not None and answer.value - answer.difference >= about.floor:
        return percent(100 * answer.change, sign=True)
    return f"{'+' if answer.difference > 0 else '−'}{difference(abs(answer.difference), about.unit)}"


def _sentence(found: ScaleAnswers, largest: float) -> str:
    """Return the answers that a scale keeps, those that it changes, and those that are open."""
    words: dict[str, list[str]] = {KEPT: [], CHANGED: [], OPEN: []}
    for name, answer in found.answers.items():
        off = deviation(name, answer)
        words[answer.verdict].append(ANSWERS[name].words + (f" ({off})" if off else ""))
    parts = [
        f"{beginning} {listed(words[verdict])}"
        for verdict, beginning in ((KEPT, "use it for"), (CHANGED, "not for"), (OPEN, "a longer pilot decides on"))
        if words[verdict]
    ]
    refused = f"; refused without --force: {found.distorted}" if found.distorted else ""
    return f"scale {found.scale:g} beside {largest:g}: {'; '.join(parts)}{refused}"
