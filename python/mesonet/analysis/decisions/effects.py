"""Effects of two-level factors by one model: condition means, least squares, and the noise of each condition.

An effect is a weighted sum of condition means. Its variance is the sum of w^2 s^2 / n over the conditions, with the
degrees of freedom of Satterthwaite. It holds for lost conditions, unequal numbers of replicates and unequal variances,
in which a pooled variance calls up to 38 % of inert effects significant at a nominal 5 %.

The model has the mean, all main effects and the blocks. Alias strings of interactions are added while one is
significant at 5 % divided by their number: in a design with lost conditions, they would otherwise bias main effects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.decisions.pairs import Floats, Moments, moments
from mesonet.analysis.decisions.welch import p_values, satterthwaite
from mesonet.analysis.estimable import ROUNDING, SignColumns, sign_columns
from mesonet.analysis.main_effects import DesignLike, design_signs
from mesonet.analysis.overflow_units import in_unit, unit
from mesonet.analysis.result import AnalysisResult

ALPHA = 0.05
"""Error probability of all alias strings together."""
ONE_STAR, TWO_STARS = 0.05, 0.01
"""P-values from which an effect has its stars, as in the tests of the study."""
#: Part of a column that the model must leave for it to be estimated, relative to its length.
_INDEPENDENT = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class ModelEffects(AnalysisResult):
    """Effects on one response. Arrays have an entry per term: main effects, then the chosen alias strings."""

    terms: tuple[str, ...]  #: a factor, or the shortest product of a string
    strings: tuple[str, ...]  #: the whole alias string, such as `x1*x2 = x3*x4`
    effect: Floats  #: mean at + less mean at -, in the unit of the response; NaN where it cannot be estimated
    error: Floats  #: standard error
    freedom: Floats  #: degrees of freedom
    p: Floats  #: two-sided
    stars: tuple[str, ...]  #: "**" if p <= .01, "*" if p <= .05, else ""
    conditions: int  #: with at least two values
    candidates: int  #: alias strings that could have been chosen
    notes: tuple[str, ...]

    UNITS: ClassVar = {"p": "1", "freedom": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"term": self.terms}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("strings", "effect", "error", "freedom", "p", "stars")}

    def _attributes(self) -> dict[str, Any]:
        return {"conditions": self.conditions, "candidates": self.candidates, "notes": " ".join(self.notes)}


def model_effects(
    design: DesignLike | ArrayLike,
    y: ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    blocks: Sequence[Any] | None = None,
    common_replicates: bool = False,
) -> ModelEffects:
    """Return main effects and interactions of replicated runs, each tested with the noise of its own conditions.

    Parameters
    ----------
    design
        Array of -1 and +1, shape (conditions, factors), or an object with such a `matrix` and with the names `factors`.
    y
        Response, shape (conditions, replicates); NaN where a run has no value.
    factors
        Names of the columns; by default the design's own, else x1, x2 and so on.
    blocks
        Block of each condition; by default the design's own. A difference between blocks is part of the model.
    common_replicates
        True if a replicate has the same random numbers in all conditions. Their common part is then taken out of the
        noise: each replicate is a block.

    Returns
    -------
    Effects, errors and p-values by term, in the unit of `y`.

    Raises
    ------
    InputError
        For names that are text in place of a list, repeat, or hold ``*``.
    ValueError
        If the design is not two-level, or the response or the blocks do not fit it.

    Notes
    -----
    Conditions with fewer than two values have no noise of their own, and are left out with a note.

    Source: F. E. Satterthwaite, Biometrics Bulletin 2, 1946; least squares for lost runs: D. C. Montgomery, Design and
    Analysis of Experiments, section 6.10.

    Examples
    --------
    >>> y = [[10.0, 10.2], [14.1, 13.9], [11.0, 11.1], [15.0, 14.9]]
    >>> found = model_effects([[-1, -1], [1, -1], [-1, 1], [1, 1]], y)
    >>> found.effect.round(3), found.stars
    (array([3.9 , 0.95]), ('**', '**'))
    """
    matrix, names = design_signs(design, factors)
    values = np.asarray(y, dtype=float)
    if values.ndim != 2 or len(values) != len(matrix):
        raise ValueError(f"the response has shape {values.shape}; expected ({len(matrix)}, replicates)")
    block = getattr(design, "block", None) if blocks is None else blocks
    if block is not None and len(block) != len(matrix):
        raise ValueError(f"{len(block)} blocks for {len(matrix)} conditions")
    by = unit(values)
    values = values / by
    signs = sign_columns(matrix, names)
    of = _moments(values, common_replicates)
    used = of.count > 1
    notes = []
    if left := int((~used).sum()):
        verb = "condition has" if left == 1 else "conditions have"
        notes.append(f"{left} of {len(used)} {verb} fewer than two values, and no part in the effects.")
    means = Moments(of.mean[used], of.sd[used], of.count[used])
    shifts = _shifts(block, used)
    mains = [place for place, order in enumerate(signs.orders) if order == 1]
    chosen, candidates = _model(signs.columns[used], mains, shifts, means)
    weights = _weights(signs.columns[used][:, chosen], shifts)
    effect, error, freedom, p = _tested(weights, means)
    if lost := [signs.strings[i][0] for i, each in zip(chosen, effect, strict=True) if np.isnan(each)]:
        notes.append(f"Cannot be estimated from these runs: {', '.join(lost)}.")
    if signs.constant:
        notes.append(f"Cannot be distinguished from the mean: {', '.join(signs.constant)}.")
    found = ModelEffects(
        terms=tuple(signs.strings[i][0] for i in chosen),
        strings=_strings(signs, chosen),
        effect=effect,
        error=error,
        freedom=freedom,
        p=p,
        stars=tuple("**" if each <= TWO_STARS else "*" if each <= ONE_STAR else "" for each in p),
        conditions=int(used.sum()),
        candidates=candidates,
        notes=tuple(notes),
    )
    return in_unit(found, by, "effect", "error")


def _strings(signs: SignColumns, chosen: list[int]) -> tuple[str, ...]:
    return tuple(" = ".join(signs.strings[i]) for i in chosen)


def _moments(values: Floats, common: bool) -> Moments:
    """Return the moments of each condition. `common`: without the mean of each replicate, as in a two-way table."""
    if not common:
        return moments(values)
    there = np.isfinite(values)
    kept = there.sum(axis=1) > 1
    count = int(there[kept].sum())
    replicate = np.eye(values.shape[1])[np.nonzero(there[kept])[1]]
    rows = np.nonzero(there[kept])[0]
    inside = np.eye(int(kept.sum()))[rows]
    share = inside / np.maximum(inside.sum(axis=0), 1)
    shifted = replicate - inside @ (share.T @ replicate)  # within conditions
    target = values[kept][there[kept]]
    shift, _, rank, _ = np.linalg.lstsq(shifted, target - inside @ (share.T @ target), rcond=None)
    found = moments(values - shift)
    freedom = count - len(share.T)
    # The replicates take some of the degrees of freedom.
    scale = np.sqrt(freedom / (freedom - int(rank))) if freedom > rank else np.nan
    return Moments(found.mean, found.sd * scale, found.count)


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
