"""The model behind effects: condition means, least squares, alias strings that matter, and the noise of each condition.

No check of arguments: `mesonet.analysis.model_effects` and `mesonet.analysis.main_effects` have them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet.analysis.decisions.pairs import Floats, Moments
from mesonet.analysis.decisions.welch import p_values, satterthwaite
from mesonet.analysis.estimable import ROUNDING, SignColumns

ALPHA = 0.05
"""Error probability of all alias strings together."""
#: Part of a column that the model must leave for it to be estimated, relative to its length.
_INDEPENDENT = 1e-6


@dataclass(frozen=True)
class Fitted:
    """Effects of the columns of a model. Arrays have an entry per chosen column."""

    chosen: list[int]  #: columns: main effects, then alias strings
    candidates: int  #: alias strings that could have been chosen
    effect: Floats  #: NaN where it cannot be estimated
    error: Floats
    freedom: Floats
    p: Floats
    middle: float  #: mean response at the middle of all columns


def fitted(signs: SignColumns, of: Moments, block: Any = None) -> Fitted:
    """Return the effects of all main effects and of the alias strings that matter.

    `of`: moments of each condition; conditions with fewer than two values are left out. `block`: block of each
    condition; None without.
    """
    used = of.count > 1
    means = Moments(of.mean[used], of.sd[used], of.count[used])
    columns, shifts = signs.columns[used], _shifts(block, used)
    mains = [place for place, order in enumerate(signs.orders) if order == 1]
    chosen, candidates = _model(columns, mains, shifts, means)
    effect, error, freedom, p = _tested(_weights(columns[:, chosen], shifts), means)
    middle = np.nan
    if len(means.mean):
        middle = float(means.mean.mean() - columns[:, chosen].mean(axis=0) @ np.nan_to_num(effect) / 2)
    return Fitted(chosen=chosen, candidates=candidates, effect=effect, error=error, freedom=freedom, p=p, middle=middle)


def _shifts(block: Any, used: NDArray[np.bool_]) -> Floats:
    """Return a column for the mean, or for each block with a used condition."""
    if block is None:
        return np.ones((int(used.sum()), 1))
    labels = [each for each, is_used in zip(block, used, strict=True) if is_used]
    different = list(dict.fromkeys(labels))
    return np.array([[float(label == each) for each in different] for label in labels]).reshape(len(labels), -1)


def _model(columns: Floats, mains: list[int], shifts: Floats, means: Moments) -> tuple[list[int], int]:
    """Return the columns of the model, main effects first, and the number of alias strings that were candidates."""
    chosen = list(mains)
    rest = [place for place in range(columns.shape[1]) if place not in set(mains)]
    candidates = 0
    while rest and len(columns):
        residual = _residual(columns[:, rest], np.column_stack([shifts, columns[:, chosen]]))
        size = (residual**2).sum(axis=0)
        there = size > _INDEPENDENT**2 * len(columns)
        rest = [place for place, is_there in zip(rest, there, strict=True) if is_there]
        candidates = candidates or len(rest)
        if not rest:
            break
        *_, p = _tested((2 * residual / np.where(there, size, 1.0)).T[there], means)
        best = int(np.argmin(p))
        if not p[best] < ALPHA / candidates:
            break
        chosen.append(rest.pop(best))
    return chosen, candidates


def _residual(columns: Floats, model: Floats) -> Floats:
    """Return the part of columns that a model does not explain."""
    return np.asarray(columns - model @ (np.linalg.pinv(model) @ columns))


def _weights(columns: Floats, shifts: Floats) -> Floats:
    """Return the weights of the condition means in each effect, shape (terms, conditions); NaN if it is not estimable.

    Twice the rows of the pseudoinverse: an effect is a difference of two levels, a coefficient half of it.
    """
    weights = np.full(columns.T.shape, np.nan)
    for place in range(columns.shape[1]):
        others = np.column_stack([shifts, np.delete(columns, place, axis=1)])
        own = _residual(columns[:, [place]], others)[:, 0]
        size = float(own @ own)
        if size > _INDEPENDENT**2 * len(own):
            weights[place] = 2 * own / size
    return weights


def _tested(weights: Floats, means: Moments) -> tuple[Floats, Floats, Floats, Floats]:
    """Return effects, standard errors, degrees of freedom and p-values."""
    known = np.isfinite(weights).all(axis=1) & (weights.shape[1] > 0)
    used = np.where(known[:, None], weights, 0.0)
    effect = used @ means.mean
    effect = np.where(np.abs(effect) <= 10 * ROUNDING * np.max(np.abs(means.mean), initial=0.0), 0.0, effect)
    error, freedom = satterthwaite(used, means.sd, means.count)
    p = p_values(effect, error, freedom)
    return tuple(np.where(known, each, np.nan) for each in (effect, error, freedom, p))  # type: ignore[return-value]
