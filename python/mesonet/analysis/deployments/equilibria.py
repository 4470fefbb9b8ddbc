"""Equilibria: shares at which a unit gains nothing by switching, and the ends where all or none switch.

A unit switches where the naive effect is a gain: it compares outcomes with and without the new control at the share of
the day. An equilibrium is stable if the gain falls there: more units than at the equilibrium lose, and fewer gain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from mesonet.analysis.decisions.welch import quantiles
from mesonet.analysis.deployments.cells import Arm, Cells
from mesonet.analysis.deployments.clusters import Floats, contrast
from mesonet.analysis.deployments.effects import Asked, Part

SCHEMA = {
    "outcome": pl.String, "condition": pl.String, "share": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "kind": pl.String, "stable": pl.Boolean, "proved": pl.Boolean, "scale": pl.String, "weights": pl.String,
    "why": pl.String,
}  # fmt: skip
INSIDE, ALL_SWITCH, NONE_SWITCHES, NONE_KNOWN = "inside", "all switch", "none switches", "not known"
STEPS = 1000
"""Steps between two shares at which the end of an interval is looked for (chosen: finer than any share in use)."""


def equilibria_table(of: Sequence[Part], asked: Asked) -> pl.DataFrame:
    """Return the equilibria of each outcome and condition."""
    rows = []
    for part in of:
        if part.group:
            continue
        cells = part.sample.cells(*asked.lead)
        for condition in part.sample.conditions:
            labels = {"outcome": part.outcome, "condition": condition}
            labels |= {"scale": asked.lead[0], "weights": asked.lead[1]}
            rows += [dict.fromkeys(SCHEMA) | labels | row for row in _of_condition(part, cells, condition, asked.alpha)]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _of_condition(part: Part, cells: Cells, condition: str, alpha: float) -> Iterator[dict[str, Any]]:
    """Yield crossings in rising order of the share, then the ends."""
    shares = [share for share in part.sample.shares if _arms(condition, share) <= set(cells.of)]
    if len(shares) < 2 or cells.why:
        why = cells.why or f"{len(shares) or 'no'} share with both arms; a sweep over shares shows where the gain ends"
        yield {"kind": NONE_KNOWN, "why": why}
        return
    better = 1.0 if part.more_is_better else -1.0
    curve = Curve(cells, condition, shares)
    gain, low, high = (better * each for each in curve.at(np.arange(len(shares), dtype=float), alpha))
    low, high = np.minimum(low, high), np.maximum(low, high)
    for left, right in _sign_changes(gain):
        place = left + (right - left) * gain[left] / (gain[left] - gain[right])
        if right - left > 1:  # a gain of exactly 0 in between
            place = (left + right) / 2
        begin, end = curve.around(place, alpha)
        falls = bool(gain[left] > 0)
        sure_before, sure_after = (low > 0, high < 0) if falls else (high < 0, low > 0)
        yield {
            "share": curve.share(place), "low": curve.share(begin), "high": curve.share(end), "kind": INSIDE,
            "stable": falls, "proved": bool(sure_before[: left + 1].any() and sure_after[right:].any()),
            "why": _open(begin, end, len(shares), bool(np.isnan(low).any())),
        }  # fmt: skip
    if gain[0] < 0:
        yield {"share": 0.0, "kind": NONE_SWITCHES, "stable": True, "proved": bool(high[0] < 0), "why": ""}
    if gain[-1] > 0:
        yield {"share": 1.0, "kind": ALL_SWITCH, "stable": True, "proved": bool(low[-1] > 0), "why": ""}
    if not gain.any():
        yield {"kind": NONE_KNOWN, "why": "no gain and no loss at any share"}


def _open(begin: float, end: float, shares: int, unknown: bool) -> str:
    """Return the reason why an interval may be wider."""
    if unknown:
        return "the noise is unknown"
    ends = [name for name, is_end in (("smallest", begin <= 0), ("largest", end >= shares - 1)) if is_end]
    return f"the interval reaches the {' and the '.join(ends)} share" if ends else ""


def _arms(condition: str, share: float) -> set[Arm]:
    return {Arm(condition, share, True), Arm(condition, share, False)}


def _sign_changes(gain: Floats) -> Iterator[tuple[int, int]]:
    """Yield the places of neighbours with gains of different sign; gains of exactly 0 lie between them."""
    places = np.flatnonzero(gain)
    for left, right in zip(places[:-1].tolist(), places[1:].tolist(), strict=True):
        if gain[left] * gain[right] < 0:
            yield left, right


class Curve:
    """Naive effect over the shares, linear between them. A place is the number of a share, with parts between two."""

    def __init__(self, cells: Cells, condition: str, shares: Sequence[float]) -> None:
        self._shares = np.asarray(shares)
        self._cells = [[cells.of[Arm(condition, share, arm)] for arm in (True, False)] for share in shares]
        self._log = cells.log
        knots = [self._contrast([(place, 1.0)]) for place in range(len(shares))]
        middles = [self._contrast([(place, 0.5), (place + 1, 0.5)]) for place in range(len(shares) - 1)]
        self._value, self._error, self._freedom = np.array(knots).T
        between = np.array(middles)[:, 1] ** 2
        # Var(a/2 + b/2) = (Var a + Var b) / 4 + Cov(a, b) / 2
        self._covariance = 2 * between - (self._error[:-1] ** 2 + self._error[1:] ** 2) / 2

    def _contrast(self, parts: Sequence[tuple[int, float]]) -> tuple[float, float, float]:
        cells = [cell for place, _ in parts for cell in self._cells[place]]
        signs = [sign * part for _, part in parts for sign in (1, -1)]
        found = contrast(cells, signs, log=self._log)
        return found.value, found.error, found.freedom

    def share(self, place: float) -> float:
        """Return the share at a place."""
        return float(np.interp(place, np.arange(len(self._shares)), self._shares))

    def at(self, places: Floats, alpha: float) -> tuple[Floats, Floats, Floats]:
        """Return effects and the ends of their intervals."""
        left = np.minimum(places.astype(int), len(self._shares) - 2)
        b = places - left
        a = 1 - b
        value = a * self._value[left] + b * self._value[left + 1]
        square = (a * self._error[left]) ** 2 + (b * self._error[left + 1]) ** 2 + 2 * a * b * self._covariance[left]
        freedom = a * self._freedom[left] + b * self._freedom[left + 1]
        half = quantiles(freedom, np.full(len(freedom), alpha)) * np.sqrt(np.maximum(square, 0.0))
        return value, value - half, value + half

    def around(self, place: float, alpha: float) -> tuple[float, float]:
        """Return the ends of the places around one at which the interval of the effect has 0 in it.

        The test of each share is inverted: the interval holds the share at which the effect is 0 with the confidence of
        the test, for any number of seeds. A bootstrap of few seeds does not.
        """
        grid = np.linspace(0, len(self._shares) - 1, STEPS * (len(self._shares) - 1) + 1)
        _, low, high = self.at(grid, alpha)
        outside = (low > 0) | (high < 0)
        before, after = grid[outside & (grid < place)], grid[outside & (grid > place)]
        return float(before.max(initial=0.0)), float(after.min(initial=grid[-1]))
