"""Fits of random simulated paths as one table: docs/reference/fits.md.

``python -m verification.fit_table [COUNT]`` simulates one transfer on each path, fits its packets, and writes the table
and the page. 100 paths take about two minutes.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np

from mesonet.errors import InputError
from mesonet.fitting.estimates import estimate
from mesonet.fitting.gate import CONTROLS, chosen, median
from mesonet.fitting.paths import FittedPath, fitted
from mesonet.fitting.tables import of_packets
from mesonet.fitting.what_if import answers, refusal
from mesonet.simulation.simulate import simulate
from mesonet.words import listed

TABLE = Path(__file__).parent / "tables" / "fits.csv"
PAGE = Path(__file__).parent.parent / "docs" / "reference" / "fits.md"
SEED = 1
PACKETS = 12_000
"""Full packets that a path could carry in a transfer, which lasts 8 s or more."""


@dataclass(frozen=True)
class Row:
    """A path and its fit; rates in Mbit/s, times in ms, buffers in packets."""

    control: str
    rate: float
    base: float
    buffer: int
    loss: float
    refused: str = ""
    passed: str = ""
    fitted_rate: float = float("nan")
    rate_inside: str = ""
    fitted_base: float = float("nan")
    base_inside: str = ""
    fitted_buffer: float = float("nan")
    buffer_known: str = ""
    buffer_inside: str = ""
    loss_inside: str = ""
    goodput_error: float = float("nan")
    round_trip_error: float = float("nan")
    asked: str = ""
    asked_goodput_error: float = float("nan")
    asked_goodput_inside: str = ""
    asked_round_trip_error: float = float("nan")
    asked_round_trip_inside: str = ""


def paths(count: int) -> Iterator[tuple[FittedPath, str]]:
    """Yield random paths, each with a control: rates of 2 to 100 Mbit/s, 10 to 200 ms, buffers of .25 to 4 BDP."""
    draws = np.random.default_rng(SEED)
    for number in range(count):
        rate = 2e6 * 50 ** draws.uniform()
        base_s = 0.01 * 20 ** draws.uniform()
        bdp = rate * base_s / 8 / 1500
        buffer = max(4, round(bdp * 0.25 * 16 ** draws.uniform()))
        loss = 1e-4 * 100 ** draws.uniform() if draws.uniform() < 0.5 else 0.0
        duration_s = max(8.0, PACKETS * 12_000 / rate)
        path = FittedPath(((0.0, rate),), base_s, buffer, loss, 1500, True, duration_s)
        yield path, CONTROLS[number % len(CONTROLS)]


def row(path: FittedPath, control: str, seed: int) -> Row:
    """Return the fit of a transfer on a path, and what another control gets there."""
    rate = path.levels[0][1]
    own = Row(control, round(rate / 1e6, 3), round(1e3 * path.base_s, 2), path.buffer, float(f"{path.random_loss:.3g}"))
    scenario = path.scenario(control).with_values({"trace.packets": True})
    sender = {"segment_bytes": path.segment_bytes, "burst": float(scenario.value("transport.burst"))}
    recording = of_packets(simulate(scenario, seed).packets.frame, sender, "a simulated transfer")
    try:
        found = estimate(recording)
    except InputError as error:
        return replace(own, refused=error.problem)
    fit, gate = chosen(recording, found, fitted(recording, found), control)
    own = replace(
        own,
        passed=_yes(gate.passed),
        fitted_rate=round(found.rate.value / 1e6, 3),
        rate_inside=_yes(found.rate.within(rate)),
        fitted_base=round(1e3 * found.base_s.value, 2),
        base_inside=_yes(found.base_s.within(path.base_s)),
        fitted_buffer=found.buffer.value,
        buffer_known=_yes(found.is_buffer_known),
        buffer_inside=_yes(found.buffer.within(path.buffer)),
        loss_inside=_yes(found.random_loss.within(path.random_loss)),
        goodput_error=round(gate.errors[0], 4),
        round_trip_error=round(gate.errors[1], 4),
    )
    if refusal(found, gate, fit):
        return own
    asked = CONTROLS[(CONTROLS.index(control) + 1) % len(CONTROLS)]
    (answer,) = answers(found, fit, gate, [asked])
    true = median(path, asked).outcome
    return replace(
        own,
        asked=asked,
        asked_goodput_error=round(answer.expected.goodput / true.goodput - 1, 4),
        asked_goodput_inside=_yes(answer.goodput[0] <= true.goodput <= answer.goodput[1]),
        asked_round_trip_error=round(answer.expected.round_trip_s / true.round_trip_s - 1, 4),
        asked_round_trip_inside=_yes(answer.round_trip_s[0] <= true.round_trip_s <= answer.round_trip_s[1]),
    )


def _yes(value: bool) -> str:
    return "yes" if value else "no"


_PAGE = """# Fits of random paths

`mesonet fit` on {count} transfers that mesonet simulated with the preset `linux`, each on a path of
its own. Rates are 2 to 100 Mbit/s, round trips 10 to 200 ms, and buffers 0.25 to 4 BDP. Half of the
paths have random loss of 0.01 to 1 %. The controls are {controls}, in turn.
[What a capture cannot show](../explanation/captures.md) has the limits.

| outcome | paths |
|---|---:|
{outcomes}

## Estimates

The interval of an estimate should have the true value. Errors are relative, of {fitted} fitted
paths, and of the buffers that were seen full.

| quantity | true value inside | median error | 90 % | largest |
|---|---:|---:|---:|---:|
{estimates}

A rate that is wrong by more than 1 % has a replay that fails.

## What-ifs

Another of the three controls was asked for on each path whose replay passed, with a buffer that was
seen full: {asked} paths. The answer is compared with the control on the true path; with random loss
it is the median of nine runs there, too. Errors are of the outcome on the fitted path.

| quantity | true value inside | median error | 90 % | largest |
|---|---:|---:|---:|---:|
{answers}

These errors are of the fit alone, because one simulator made both. Against a kernel the errors of
the model are added, by which a what-if is widened.

Repeat it; the rows are in `verification/tables/fits.csv`:

```sh elsewhere
python -m verification.fit_table 100
```
"""


def read() -> list[dict[str, str]]:
    """Return the rows of the table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def page(rows: list[dict[str, str]]) -> str:
    """Return the page."""
    fits = [each for each in rows if not each["refused"]]
    passed = [each for each in fits if each["passed"] == "yes"]
    asked = [each for each in fits if each["asked"]]
    outcomes = {
        "refused: packets rarely wait, so that the rate is unknown": len(rows) - len(fits),
        "the replay fails: no what-if": len(fits) - len(passed),
        "the replay passes, the buffer never filled: no what-if": len(passed) - len(asked),
        "the replay passes: what-ifs": len(asked),
    }
    known = [each for each in fits if each["buffer_known"] == "yes"]
    estimates = [
        _line("rate", fits, "rate_inside", _errors(fits, "fitted_rate", "rate")),
        _line("base round trip", fits, "base_inside", _errors(fits, "fitted_base", "base")),
        _line("buffer", fits, "buffer_inside", _errors(known, "fitted_buffer", "buffer")),
        _line("random loss", fits, "loss_inside", []),
    ]
    answered = [
        _line(name, asked, f"asked_{key}_inside", [abs(float(each[f"asked_{key}_error"])) for each in asked])
        for name, key in (("goodput", "goodput"), ("median round trip", "round_trip"))
    ]
    return _PAGE.format(
        count=len(rows),
        controls=listed(CONTROLS),
        outcomes="\n".join(f"| {name} | {count} |" for name, count in outcomes.items()),
        fitted=len(fits),
        asked=len(asked),
        estimates="\n".join(estimates),
        answers="\n".join(answered),
    )


def _errors(rows: list[dict[str, str]], found: str, true: str) -> list[float]:
    return [abs(float(each[found]) / float(each[true]) - 1) for each in rows]


def _line(name: str, rows: list[dict[str, str]], inside: str, errors: list[float]) -> str:
    share = sum(each[inside] == "yes" for each in rows) / len(rows)
    shown = [f"{100 * value:.2g} %" for value in np.quantile(errors, [0.5, 0.9, 1])] if errors else ["–"] * 3
    return f"| {name} | {100 * share:.0f} % | {' | '.join(shown)} |"


def main() -> int:
    """Write the table and the page."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [each.name for each in fields(Row)], lineterminator="\n")
        writer.writeheader()
        for seed, (path, control) in enumerate(paths(count), 1):
            found = row(path, control, seed)
            sys.stderr.write(f"{seed} {found}\n")
            writer.writerow({key: "" if value != value else value for key, value in asdict(found).items()})
    PAGE.write_text(page(read()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
