"""What-if: other controls on all paths that reproduce a capture, as ranges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mesonet.errors import InputError
from mesonet.fitting.estimates import PathEstimate
from mesonet.fitting.gate import Gate, differences, median
from mesonet.fitting.paths import DROP_TAIL, FittedPath, near
from mesonet.fitting.replays import Outcome, replays

PATHS = 60
"""Paths that are tried (chosen): with the replays of those that reproduce the capture, about 120 runs."""
MODEL_ERROR = {
    "tcp": {False: (0.004, 0.004), True: (0.171, 0.207)},
    "cubic": {False: (0.001, 0.009), True: (0.234, 0.009)},
    "bbr": {False: (0.033, 0.09), True: (0.003, 0.038)},
}
"""Largest relative errors of goodput and mean round trip against a Linux kernel, by control and by random loss.

Source: `verification.witness.kernel.model_error`, which computes them from the frozen tables: preset `linux`, and the
run of the kernel that is farthest. `verification/test_fit_model_error.py` compares.
"""
_BBR = ("bbr", "bbr3")


@dataclass(frozen=True)
class Answer:
    """Outcome of a control on the paths that reproduce a capture, each as its least and largest value."""

    control: str
    goodput: tuple[float, float]  #: bit/s
    round_trip_s: tuple[float, float]  #: median over time
    lost: tuple[int, int]  #: packets
    expected: Outcome  #: on the fitted path; with random loss the median of some replays
    paths: int
    #: Relative errors of goodput and round trip that widen the ranges: of the model, or of the replay if it is larger.
    widened: tuple[float, float]
    warnings: tuple[str, ...]


def answers(
    found: PathEstimate,
    path: FittedPath,
    gate: Gate,
    controls: Sequence[str],
    progress: Callable[[float, float], None] | None = None,
) -> list[Answer]:
    """Return the outcomes of other controls; refuse where the path is not known well enough."""
    if reason := refusal(found, gate, path):
        raise InputError(reason, path="what_if", value=",".join(controls), allowed="a capture that its fit reproduces")
    of_each = PATHS // (1 + len(gate.others))
    tried = [each for one in (path, *gate.others) for each in near(one, found, of_each)]
    own = replays([(each, gate.control, seed) for seed, each in enumerate(tried, 1)], progress)
    kept = [
        (each, seed)
        for seed, (each, replay) in enumerate(zip(tried, own, strict=True), 1)
        if not differences(gate.recorded, replay.outcome, each)
    ] or [(path, 1)]
    return [
        _answer(control, [run.outcome for run in replays([(each, control, seed) for each, seed in kept])], path, gate)
        for control in controls
    ]


def refusal(found: PathEstimate, gate: Gate, path: FittedPath) -> str:
    """Return why no what-if is possible; empty if it is."""
    if not gate.passed:
        return f"the fit does not reproduce the capture: {gate.reason}"
    if not found.is_buffer_known and path.discipline == DROP_TAIL:
        return f"the buffer never filled: it holds at least {found.buffer.value:.0f} packets, and its size is unknown"
    return ""


def _answer(control: str, outcomes: Sequence[Outcome], path: FittedPath, gate: Gate) -> Answer:
    model = MODEL_ERROR.get(control, {}).get(path.random_loss > 0)
    goodput, trip = (max(abs(own), error) for own, error in zip(gate.errors, model or (0.0, 0.0), strict=True))
    warnings = []
    if model is None:
        warnings.append("no measurement of a kernel confirms this control: the range lacks the error of the model")
    if gate.control in _BBR and control not in _BBR:
        warnings.append("a capture of BBR hides the buffer: round trips of other controls may be wrong by 20 to 60 %")
    goodputs = [each.goodput for each in outcomes]
    trips = [each.round_trip_s for each in outcomes]
    fastest = max(rate for _, rate in path.levels)
    return Answer(
        control=control,
        goodput=(min(goodputs) * (1 - goodput), min(max(goodputs) * (1 + goodput), fastest)),
        round_trip_s=(max(min(trips) * (1 - trip), path.base_s), max(trips) * (1 + trip)),
        expected=median(path, control).outcome,
        lost=(min(each.lost for each in outcomes), max(each.lost for each in outcomes)),
        paths=len(outcomes),
        widened=(goodput, trip),
        warnings=tuple(warnings),
    )
