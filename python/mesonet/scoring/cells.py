"""Hidden cells: paths that a secret seed draws, with the flows on them, and the score of a run."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from mesonet.adversarial.objective import Lineup
from mesonet.adversarial.path import ChangingPath, Phase
from mesonet.adversarial.question import question
from mesonet.adversarial.space import Space
from mesonet.adversarial.trials import Ledger, Trial, Trials, queueing_delay
from mesonet.simulation.result import Result
from mesonet.simulation.simulate import simulate_json

INCUMBENT = "cubic"
"""Algorithm next to which a candidate runs."""
_VARIED = ("rate", "delay", "buffer", "loss")
_DURATION_S, _RATE_LIMIT_MBIT = 8.0, 20.0
_PATHS = 8
"""Paths of an evaluation (chosen): with three lineups each they cost 60 ms."""
_HORIZON_S, _HORIZON_MBIT = 30.0, 40.0
"""Duration and rate of the path on which a candidate that changes with time shows it (chosen)."""
PARTS = ("fill", "fairness", "delay", "loss")
"""Parts of the score of a cell."""
_MOST_USED = 1.05
"""Part of the capacity that is delivered at most (chosen: the queue at the start of a phase, and rounding)."""


@dataclass(frozen=True)
class Cell:
    """Flows on a hidden path."""

    trials: Trials
    trial: Trial
    lineup: Lineup

    @property
    def is_long(self) -> bool:
        """True for the cell on which a candidate that changes with time shows it."""
        return self.trials.question.space.duration > _DURATION_S

    def prepared(self) -> str:
        """Return the scenario in canonical form."""
        return self.trials.canonical(self.trial.path, self.lineup)

    def score(self, prepared: str) -> Parts:
        """Return the score of the run of a scenario."""
        result = simulate_json(prepared, self.trial.seed)
        return _parts(self.trials, self.trial.path, self.lineup, result)


@dataclass(frozen=True)
class Parts:
    """Parts of the score of a cell, each 0 to 1."""

    fill: float  #: part of the capacity that all flows deliver
    fairness: float  #: part of its fair share that the poorer of two flows gets; 1 alone
    delay: float  #: smallest round trip, divided by itself with the mean queueing delay
    loss: float  #: part of the sent segments that are not lost
    used: float = 1.0  #: part of the capacity that all flows deliver, above 1 too
    windows: str = ""  #: digest of all traced windows

    @property
    def is_forged(self) -> bool:
        """True if more is delivered than a path can carry."""
        return self.used > _MOST_USED

    @property
    def score(self) -> float:
        """Score of the cell, 0 to 1: a product, so that no part makes up for another."""
        return float(self.fill * self.fairness * np.sqrt(self.delay) * self.loss)


def cells(algorithm: str, secret: int) -> list[Cell]:
    """Return the cells of an evaluation in random order: alone, next to CUBIC, and next to itself."""
    rng = np.random.default_rng(secret)
    space = Space(_VARIED, _DURATION_S, _RATE_LIMIT_MBIT)
    short = _trials(algorithm, _DURATION_S, _RATE_LIMIT_MBIT)
    found = [
        Cell(short, Trial(space.path(space.drawn(rng)), int(rng.integers(1, 2**31))), Lineup(algorithm, beside))
        for beside in (None, INCUMBENT, algorithm)
        for _ in range(_PATHS)
    ]
    rate, trip = rng.uniform(0.7, 1.0) * _HORIZON_MBIT, rng.uniform(20.0, 60.0)
    still = ChangingPath(round(trip, 1), 200.0, (Phase(0.0, round(rate, 2), 0.0),))
    long = _trials(algorithm, _HORIZON_S, _HORIZON_MBIT)
    found.append(Cell(long, Trial(still, int(rng.integers(1, 2**31))), Lineup(algorithm, INCUMBENT)))
    return [found[place] for place in rng.permutation(len(found))]


def _trials(algorithm: str, duration: float, rate: float) -> Trials:
    asked = question(algorithm, against=(INCUMBENT,), duration=f"{duration:g} s", rate_limit=f"{rate:g} Mbit/s")
    return Trials(asked, Ledger(asked, None), 1)


def _parts(trials: Trials, path: ChangingPath, lineup: Lineup, result: Result) -> Parts:
    outcome = trials.outcome(path, lineup, vars(result))
    used, fairness = outcome.used, 1.0
    if lineup.incumbent is not None:
        used = used / outcome.share if outcome.share else 1.0
        fairness = 2 * min(outcome.share, 1 - outcome.share)
    traces = result.flow_traces.columns
    last = np.asarray(traces["time_s"]) == np.max(traces["time_s"])
    sent, lost = (float(np.sum(np.asarray(traces[name])[last])) for name in ("segments_sent", "losses"))
    delay = float(np.mean(queueing_delay(path, result.router_traces))) * 1e3
    return Parts(
        fill=min(1.0, used),
        fairness=fairness,
        delay=path.round_trip / (path.round_trip + delay),
        loss=max(0.0, 1 - lost / sent) if sent else 1.0,
        used=used,
        windows=hashlib.sha256(np.asarray(traces["cwnd"]).tobytes()).hexdigest(),
    )
