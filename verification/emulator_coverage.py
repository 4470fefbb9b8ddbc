"""Measure emulators in conditions that they did not see: 64 conditions to learn from, 32 others to predict.

``python -m verification.emulator_coverage`` writes docs/explanation/emulator-coverage.md, in about ten minutes.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import mesonet
from mesonet.campaign import Campaign
from mesonet.emulation.emulator import Emulator, shown, values_of
from mesonet.emulation.inputs import inputs_of

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "emulator-coverage.md"
LEARNT, HELD_OUT, ADDED = 64, 32, 16
SEEDS, HELD_OUT_SEED = (1, 3, 4, 5), 2
"""Seeds of the hypercubes to learn from, and of the held-out one."""
LEAST = 0.9
"""Share of the held-out conditions in their 95 % bands that is wanted."""
NETWORK = """
name = "{name}"
title = "A backbone with other speeds, delays, buffers and think times"
scenario = "abilene"
algorithms = ["cubic"]
replicates = 2

[set]
"time.duration" = "10 s"
"time.warmup" = "4 s"
"users.base_sources" = 4

[[factors]]
id = "speed"
path = "network.speed"
minus = "6 seg/ms"
plus = "40 seg/ms"

[[factors]]
id = "delay"
path = "network.delay_multiplier"
minus = 0.5
plus = 2

[[factors]]
id = "buffer"
path = "network.buffer"
minus = "0.25 bdp"
plus = "1 bdp"

[[factors]]
id = "think"
path = "users.think_time"
minus = "2 s"
plus = "5 s"
"""
CLINIC = """
name = "{name}"
title = "Times of patients in a clinic"
model = {{ function = "clinic.py:simulate" }}
algorithms = ["fifo"]
replicates = 3

[parameters]
patients = 2000

[responses]
treatment_wait = "min"
stay = "min"

[[factors]]
id = "arrivals"
minus = 0.4
plus = 0.6

[[factors]]
id = "clerks"
minus = 2
plus = 4

[[factors]]
id = "doctors"
minus = 6
plus = 9

[[factors]]
id = "registration"
minus = 2.0
plus = 3.0

[[factors]]
id = "treatment"
minus = 6.0
plus = 8.0
"""
RESPONSES: Mapping[str, tuple[str, ...]] = {
    NETWORK: ("goodput", "rtt", "loss_rate", "flows_completed"),
    CLINIC: ("stay", "treatment_wait", "doctors_busy"),
}
HEAD = """# How far emulators can be trusted

Written by `verification/emulator_coverage.py`.

An [emulator](../how-to/emulate.md) learns from {learnt} conditions of a Latin hypercube. It then predicts {held_out}
other conditions of the same region, which it has not seen. The band of 95 % should hold about 95 % of the conditions;
at least {least:.0%} are required.

* The network is the Abilene backbone in runs of 10 s, with 4 factors and 2 replicates.
* The model is the clinic of `examples/clinic`, with 5 factors, two of them counts, and 3 replicates. Waiting times rise
  steeply near saturation, and so does their noise.
* The error is the root of the mean squared difference between prediction and mean of the runs.
* The error of conditions left out is the check that `mesonet emulate` shows. It needs no further runs.
* The last column repeats the measurement: {seeds} hypercubes of {learnt} conditions, each with the {others} conditions
  of the others. It has the mean share in the band, and the least.
* Rows with {more} conditions follow `mesonet experiment run --add {added} --for RESPONSE`.

| campaign | conditions | response | in the band | error | error, left out | Q², left out | repeated: mean, least |
|---|---:|---|---:|---:|---:|---:|---:|
"""


@dataclass(frozen=True)
class Row:
    """An emulator of one response and its held-out conditions."""

    campaign: str
    conditions: int
    response: str
    inside: int
    error: float
    own_error: float
    q2: float
    unit: str
    repeated: tuple[float, ...]  #: share in the band of each further emulator; empty: not repeated

    def text(self) -> str:
        """Return the row of the page."""
        errors = [shown(float(f"{each:.2g}"), self.unit) for each in (self.error, self.own_error)]
        again = f"{fmean(self.repeated):.0%}, {min(self.repeated):.0%}" if self.repeated else ""
        return (
            f"| {self.campaign} | {self.conditions} | {self.response} | {self.inside} of {HELD_OUT} | "
            f"{' | '.join(errors)} | {self.q2:.2f} | {again} |"
        )


def campaign(folder: Path, text: str, name: str, seed: int, runs: int) -> Campaign:
    """Run a Latin hypercube of a campaign file; return the campaign."""
    file = folder / f"{name}.toml"
    shutil.copy(ROOT / "examples" / "clinic" / "clinic.py", folder)
    design = f'\n[design]\nkind = "latin-hypercube"\nruns = {runs}\nseed = {seed}\n'
    file.write_text(f"seed = {seed}\n{text.format(name=name).lstrip()}{design}", encoding="utf-8")
    return mesonet.experiment(file).run(folder / name, progress=False)


def row_of(learnt: Campaign, other: Campaign, response: str, repeated: Sequence[float] = ()) -> Row:
    """Return the row of a response: the emulator of a campaign in the conditions of another one."""
    emulator = mesonet.emulate(learnt, response)
    inside, error = held_out(emulator, other)
    return Row(
        campaign=str(learnt.name).partition("-")[0],
        conditions=len(emulator.conditions),
        response=response,
        inside=int(inside.sum()),
        error=error,
        own_error=emulator.check.rmse,
        q2=emulator.check.q2,
        unit=emulator.unit,
        repeated=tuple(repeated),
    )


def held_out(emulator: Emulator, other: Campaign) -> tuple[NDArray[np.bool_], float]:
    """Return which conditions of another campaign lie in the band, and the error of their predictions."""
    values, _ = values_of(other, emulator.response, "measured", emulator.algorithm)
    means = values.group_by("condition").agg(pl.col("value").mean()).sort("condition")["value"].to_numpy()
    predicted = emulator.predict(settings_of(other))
    error = float(np.sqrt(np.mean((predicted.mean - means) ** 2)))
    return np.asarray((predicted.low <= means) & (means <= predicted.high)), error


def settings_of(chosen: Campaign) -> list[dict[str, Any]]:
    """Return the values that the factors of a campaign set, by condition."""
    inputs = inputs_of(chosen, chosen.algorithms[0])
    rows = zip(*(each.values for each in inputs), strict=True)
    return [{each.id: each.text(value) for each, value in zip(inputs, row, strict=True)} for row in rows]


def measure(folder: Path, text: str) -> list[Row]:
    """Return the rows of a campaign, and a row after conditions were added to it."""
    name, responses = ("network" if text is NETWORK else "clinic"), RESPONSES[text]
    learnt = {seed: campaign(folder, text, f"{name}-{seed}", seed, LEARNT) for seed in SEEDS}
    other = campaign(folder, text, f"{name}-held-out", HELD_OUT_SEED, HELD_OUT)
    rows = []
    for response in responses:
        shares = []
        for seed, own in learnt.items():
            emulator = mesonet.emulate(own, response)
            others = [other, *(each for number, each in learnt.items() if number != seed)]
            shares.append(float(np.mean(np.concatenate([held_out(emulator, each)[0] for each in others]))))
        rows.append(row_of(learnt[SEEDS[0]], other, response, shares))
    more = mesonet.add_conditions(learnt[SEEDS[0]].path, ADDED, response=responses[0], progress=False)
    return [*rows, row_of(more, other, responses[0])]


def main() -> int:
    """Write the page; return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for text in RESPONSES for row in measure(Path(folder), text)]
    head = HEAD.format(
        learnt=LEARNT,
        held_out=HELD_OUT,
        least=LEAST,
        added=ADDED,
        more=LEARNT + ADDED,
        seeds=len(SEEDS),
        others=HELD_OUT + LEARNT * (len(SEEDS) - 1),
    )
    PAGE.write_text(head + "\n".join(row.text() for row in rows) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
