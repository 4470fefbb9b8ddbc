"""Comparison of alternatives by their means: paired t, Tukey's test of all pairs, Dunnett's test against one.

Alternatives that run on equal blocks, such as days or random seeds, are compared within them, which takes the
differences between blocks off.

Source: D. C. Montgomery, Design and Analysis of Experiments, sections 2.5, 3.5.7, 3.5.8 and 4.1; C. W. Dunnett, A
multiple comparison procedure for comparing several treatments with a control, JASA 50, 1955; C. Y. Kramer, Extension of
multiple range tests to group means with unequal numbers of replications, Biometrics 12, 1956; B. L. Welch, Biometrika
34, 1947.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from mesonet.analysis.checks import checked_alpha
from mesonet.analysis.frames.coding import column_numbers, column_values
from mesonet.analysis.pandas_data import polars_frame
from mesonet.analysis.result import AnalysisResult
from mesonet.errors import InputError, unknown
from mesonet.words import counted, number, signed, some

Floats = NDArray[np.float64]
_POWER = 0.8
_UNEQUAL = 3.0
"""Ratio of standard deviations from which a note doubts that they are equal (chosen)."""
_NODES = 96


@dataclass(frozen=True, eq=False, repr=False)
class Alternatives(AnalysisResult):
    """Differences of alternatives, with intervals that hold together. Arrays have one entry per pair."""

    response: str
    unit: str
    method: str  #: ``paired t``, ``Welch's t``, ``Tukey`` or ``Dunnett``
    names: tuple[str, ...]  #: of the alternatives
    means: Floats  #: of the alternatives
    counts: NDArray[np.int_]  #: values of the alternatives
    blocks: int  #: 0 without blocks
    pairs: tuple[tuple[str, str], ...]
    difference: Floats  #: mean of the first less mean of the second
    low: Floats
    high: Floats
    p: Floats  #: adjusted for the number of pairs
    detectable: Floats  #: difference that this comparison finds with probability 0.8
    notes: tuple[str, ...]

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"pair": [f"{one} - {other}" for one, other in self.pairs]}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("difference", "low", "high", "p", "detectable")}

    def _attributes(self) -> dict[str, Any]:
        return {"response": self.response, "method": self.method, "notes": " ".join(self.notes)}

    def __repr__(self) -> str:
        size = f"{self.response}: {counted(len(self.names), 'alternative')}, {counted(int(self.counts.sum()), 'value')}"
        head = size + (f", {counted(self.blocks, 'block')}" if self.blocks else "")
        means = [
            f"  {name}: mean {number(mean, 4)}{self._tail}" for name, mean in zip(self.names, self.means, strict=True)
        ]
        notes = [f"  {note}" for note in self.notes]
        points = [f"* {sentence}" for sentence in self.sentences()]
        return "\n".join([head, *means, "", *points, *(["", "Notes", *notes] if notes else [])])

    @property
    def _tail(self) -> str:
        return f" {self.unit}" if self.unit else ""

    def sentences(self) -> list[str]:
        """Return the answer in sentences.

        Returns
        -------
        A sentence on each pair, the difference that would have been found, and the method.
        """
        lines = []
        for place, (one, other) in enumerate(self.pairs):
            low, high = (f"{signed(float(each[place]), 4)}" for each in (self.low, self.high))
            size = (
                f"{signed(float(self.difference[place]), 4)}{self._tail} ({low} to {high}, {_p(float(self.p[place]))})"
            )
            if not np.isfinite(self.p[place]):
                lines.append(f"{one} and {other} are not tested: replicate them.")
            elif self.low[place] <= 0 <= self.high[place]:
                least = f"{number(float(self.detectable[place]), 3)}{self._tail}"
                lines.append(
                    f"No difference of {one} and {other} is shown: {size}. A difference of {least} would be found "
                    "with probability 0.8."
                )
            else:
                lines.append(f"{one} is {'above' if self.difference[place] > 0 else 'below'} {other}: {size}.")
        return lines


def compare_alternatives(
    table: Any,
    response: str,
    alternative: str,
    *,
    block: str | None = None,
    against: Any = None,
    unit: str = "",
    alpha: float = 0.05,
) -> Alternatives:
    """Return the comparison of alternatives by the mean of a response.

    Two alternatives: a paired t test with blocks, and Welch's t test without. More: Tukey's test of all pairs, or
    Dunnett's test of each against one, both with one variance for all.

    Parameters
    ----------
    table
        A frame of polars, pandas or Arrow, or columns by name, with a row for each value.
    response
        Column of the measured values; nothing and NaN mark a lost one.
    alternative
        Column that names the alternative of each row.
    block
        Column that labels what the alternatives share in a row, such as a day, a machine or a random seed. Several
        values of an alternative in a block count by their mean; a block that lacks an alternative is left out.
    against
        The alternative that all others are compared with. None: all pairs.
    unit
        Unit of the response, for sentences.
    alpha
        Probability that any interval misses, above 0 and below 1.

    Returns
    -------
    Differences with intervals that hold together, and adjusted p-values. Printed, it is the answer.

    Raises
    ------
    InputError
        If a column or alternative is missing, fewer than two alternatives have values, or no block has all.

    Examples
    --------
    >>> times = {"rule": ["a", "b"] * 4, "day": [1, 1, 2, 2, 3, 3, 4, 4], "wait": [9, 7, 8, 7, 12, 9, 10, 8]}
    >>> found = compare_alternatives(times, "wait", "rule", block="day")
    >>> found.method, found.difference.tolist(), bool(found.p[0] < 0.05)
    ('paired t', [2.0], True)
    """
    alpha = checked_alpha(alpha)
    frame = polars_frame(table, "table")
    given = (("response", response), ("alternative", alternative), *((("block", block),) if block else ()))
    for path, name in given:
        if name not in frame.columns:
            raise unknown("column", str(name), frame.columns, path=path)
    value = column_numbers(frame[response])
    of = [None if each is None else _text(each) for each in column_values(frame[alternative])]
    label = [0] * len(value) if block is None else column_values(frame[block])
    rows = [
        row for row in range(len(value)) if np.isfinite(value[row]) and of[row] is not None and label[row] is not None
    ]
    notes = []
    if lost := len(value) - len(rows):
        notes.append(f"{counted(lost, 'row')} without a value, an alternative or a block: left out.")
    names = list(dict.fromkeys(str(of[row]) for row in rows))
    if len(names) < 2:
        problem = "fewer than two alternatives have values"
        raise InputError(problem, path="alternative", value=", ".join(names), allowed="two or more")
    base = None if against is None else _text(against)
    if base is not None and base not in names:
        raise unknown("alternative", base, names, path="against")
    cells: dict[tuple[str, Any], list[float]] = {}
    for row in rows:
        cells.setdefault((str(of[row]), label[row]), []).append(float(value[row]))
    pairs = list(combinations(names, 2)) if base is None else [(name, base) for name in names if name != base]
    samples, error, freedom, blocks = (
        _without_blocks(names, cells) if block is None else _with_blocks(names, cells, notes)
    )
    means = np.array([sample.mean() for sample in samples])
    counts = np.array([len(sample) for sample in samples])
    at = [(names.index(one), names.index(other)) for one, other in pairs]
    difference = np.array([means[one] - means[other] for one, other in at])
    if len(names) == 2 and blocks == 0:
        method, error, freedom = "Welch's t", *_welch(samples)
        errors = np.array([error])
    else:
        method = "paired t" if len(names) == 2 else "Tukey" if base is None else "Dunnett"
        errors = error * np.array([np.sqrt(1 / counts[one] + 1 / counts[other]) for one, other in at])
    if method in ("Tukey", "Dunnett"):
        notes += [] if blocks else _unequal(names, samples)
    quantile, p = _limits(method, difference, errors, freedom=freedom, counts=counts, at=at, alpha=alpha)
    half = quantile * errors
    more = float(special.stdtrit(freedom, _POWER)) if freedom > 0 else float("nan")
    return Alternatives(
        response=response,
        unit=unit,
        method=method,
        names=tuple(names),
        means=means,
        counts=counts,
        blocks=blocks,
        pairs=tuple(pairs),
        difference=difference,
        low=difference - half,
        high=difference + half,
        p=p,
        detectable=(quantile + more) * errors,
        notes=tuple(notes),
    )


def _text(value: Any) -> str:
    return (
        f"{value:.10g}" if isinstance(value, float) else str(value).lower() if isinstance(value, bool) else str(value)
    )


def _without_blocks(
    names: Sequence[str], cells: dict[tuple[str, Any], list[float]]
) -> tuple[list[Floats], float, float, int]:
    """Return the samples, the standard deviation of a value, its degrees of freedom, and no blocks."""
    samples = [np.array(cells[name, 0]) for name in names]
    freedom = sum(len(sample) for sample in samples) - len(samples)
    squares = sum(float(((sample - sample.mean()) ** 2).sum()) for sample in samples)
    return samples, float(np.sqrt(squares / freedom)) if freedom else float("nan"), float(freedom), 0


def _with_blocks(
    names: Sequence[str], cells: dict[tuple[str, Any], list[float]], notes: list[str]
) -> tuple[list[Floats], float, float, int]:
    """Return the means by block, the standard deviation within blocks, its degrees of freedom, and the blocks."""
    labels = list(dict.fromkeys(label for _, label in cells))
    whole = [label for label in labels if all((name, label) in cells for name in names)]
    if len(whole) < len(labels):
        notes.append(f"{counted(len(labels) - len(whole), 'block')} of {len(labels)} lack an alternative: left out.")
    if not whole:
        allowed = "blocks in which every alternative has a value"
        raise InputError(
            "no block has all alternatives", path="block", value=some([str(each) for each in labels]), allowed=allowed
        )
    table = np.array([[np.mean(cells[name, label]) for label in whole] for name in names])
    rest = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    freedom = (len(names) - 1) * (len(whole) - 1)
    sd = float(np.sqrt((rest**2).sum() / freedom)) if freedom else float("nan")
    return list(table), sd, float(freedom), len(whole)


def _welch(samples: Sequence[Floats]) -> tuple[float, float]:
    """Return the standard error of a difference with unequal variances, and its degrees of freedom."""
    if min(len(sample) for sample in samples) < 2:
        return float("nan"), 0.0
    parts = [sample.var(ddof=1) / len(sample) for sample in samples]
    whole = float(sum(parts))
    if whole == 0:
        return 0.0, float(sum(len(sample) - 1 for sample in samples))
    below = sum(part**2 / (len(sample) - 1) for part, sample in zip(parts, samples, strict=True))
    return float(np.sqrt(whole)), float(whole**2 / below)


def _unequal(names: Sequence[str], samples: Sequence[Floats]) -> list[str]:
    """Return a note on standard deviations that differ much."""
    sd = {name: float(sample.std(ddof=1)) for name, sample in zip(names, samples, strict=True) if len(sample) > 2}
    if len(sd) < 2 or max(sd.values()) <= _UNEQUAL * min(sd.values()):
        return []
    most = max(sd, key=lambda name: sd[name])
    return [
        f"{most} scatters much more than others, and one variance is taken for all: analyse the logarithm of a "
        "response above 0, or compare two at a time."
    ]


def _limits(
    method: str,
    difference: Floats,
    errors: Floats,
    *,
    freedom: float,
    counts: NDArray[np.int_],
    at: Sequence[tuple[int, int]],
    alpha: float,
) -> tuple[float, Floats]:
    """Return the multiplier of the errors, and the adjusted p-values."""
    if not freedom > 0:
        return float("nan"), np.full(len(errors), np.nan)
    with np.errstate(all="ignore"):
        t = np.where(difference == 0, 0.0, np.abs(difference) / errors)
    if method == "Tukey":
        from scipy import stats  # takes half a second

        q = np.sqrt(2)
        quantile = float(stats.studentized_range.isf(alpha, len(counts), freedom)) / q
        return quantile, np.array([float(stats.studentized_range.sf(q * each, len(counts), freedom)) for each in t])
    if method == "Dunnett":
        base = at[0][1]
        share = np.sqrt(np.array([counts[one] / (counts[one] + counts[base]) for one, _ in at]))

        def beyond(limit: float) -> float:
            return dunnett_tail(limit, share, freedom)

        quantile = float(optimize.brentq(lambda limit: beyond(limit) - alpha, 0.01, 1000.0))
        return quantile, np.array([0.0 if np.isinf(each) else beyond(float(each)) for each in t])
    return float(special.stdtrit(freedom, 1 - alpha / 2)), np.asarray(2 * special.stdtr(freedom, -t))


def dunnett_tail(limit: float, share: Floats, freedom: float) -> float:
    """Return the probability that any of several t values, correlated by one shared mean, exceeds a limit in size.

    `share`: square roots of the correlations with the shared mean. An integral over this mean and the noise.
    """
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    z, z_weight = 8 * node, 8 * weight * np.exp(-0.5 * (8 * node) ** 2) / np.sqrt(2 * np.pi)
    u, u_weight = (node + 1) / 2, weight / 2
    scale = np.sqrt(2 * special.gammaincinv(freedom / 2, u) / freedom)
    rest = np.sqrt(1 - share**2)
    shift = share[:, None, None] * z[None, None, :]
    edge = limit * scale[None, :, None]
    inside = special.ndtr((edge - shift) / rest[:, None, None]) - special.ndtr((-edge - shift) / rest[:, None, None])
    return float(max(1 - (u_weight[:, None] * z_weight[None, :] * inside.prod(axis=0)).sum(), 0.0))


def _p(p: float) -> str:
    return "p below 0.0001" if p < 0.0001 else f"p {number(p)}"
