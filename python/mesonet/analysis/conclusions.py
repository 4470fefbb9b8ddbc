"""Conclusions under other assumptions: where a statement holds, and which factor changes that.

A conclusion is a statement that every condition of a two-level design confirms or contradicts. Its *support* in a
condition is positive if it holds there, and the larger the more clearly. The factors are assumptions. The effect of a
factor on the support is tested with Lenth's pseudo standard error, or with the scatter between replicates. All factors
of a conclusion are tested together (Bonferroni).

A level *confirms* the conclusion if the mean support at this level exceeds its own margin of error, and *contradicts*
it if the mean is below the negative margin of error. A factor *decides* if it has an effect and its levels differ in
this. It *shifts* the support if it has an effect and they do not.

Source of the test: R. V. Lenth, Quick and easy analysis of unreplicated factorials, Technometrics 31, 1989. The
standard error of a mean at one level is that of an effect divided by the root of 2, because a level has half of the
runs, and an effect is the difference of two such means.

If all replicates are equal, or the support is the same in all conditions, there is no noise: the margin of error is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.decisions.decision import CANNOT_TELL, DEPENDS
from mesonet.analysis.estimable import ROUNDING
from mesonet.analysis.observations import DesignLike, design_signs, observations
from mesonet.analysis.result import AnalysisResult
from mesonet.analysis.terms import Noise, terms

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

#: Verdicts on a conclusion; others are `DEPENDS` and `CANNOT_TELL`.
HOLDS, FAILS = "holds at all levels", "fails at all levels"
#: Roles of a factor.
DECIDES, SHIFTS, NONE_SEEN, NOT_TESTED = "decides", "shifts", "no effect seen", "not tested"
#: Error probability of all factors together, and probability of finding the smallest visible effect.
ALPHA, POWER = 0.05, 0.8


@dataclass(frozen=True, eq=False, repr=False)
class Conclusion(AnalysisResult):
    """Conclusion over the conditions of a design. Arrays have one entry per factor; NaN where not computable."""

    factors: tuple[str, ...]
    holds: int  #: conditions in which the support is above 0
    known: int  #: conditions that have a support
    mean: float  #: mean support
    verdict: str
    margin_of_error: float  #: of an effect: a larger effect is more than noise
    visible: float  #: smallest effect that would have been found with the probability `POWER`
    effect: Floats  #: mean support at + less that at -
    mean_minus: Floats
    mean_plus: Floats
    holds_minus: Counts  #: conditions at - in which it holds
    known_minus: Counts
    holds_plus: Counts
    known_plus: Counts
    role: tuple[str, ...]
    notes: tuple[str, ...]

    UNITS: ClassVar = {"effect": "%", "mean_minus": "%", "mean_plus": "%"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"factor": self.factors}

    def _columns(self) -> dict[str, Any]:
        names = ("effect", "mean_minus", "mean_plus", "holds_minus", "known_minus", "holds_plus", "known_plus", "role")
        return {name: getattr(self, name) for name in names}

    def _attributes(self) -> dict[str, Any]:
        names = ("verdict", "holds", "known", "mean", "margin_of_error", "visible")
        return {**{name: getattr(self, name) for name in names}, "notes": " ".join(self.notes)}

    @property
    def deciding(self) -> tuple[str, ...]:
        """The factors that decide."""
        return tuple(name for name, role in zip(self.factors, self.role, strict=True) if role == DECIDES)


def conclusion(
    design: DesignLike | ArrayLike,
    support: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    noise: Noise = "effects",
) -> Conclusion:
    """Return counts of the conditions in which a conclusion holds, and the factors that change its support.

    Parameters
    ----------
    design
        As for `mesonet.analysis.main_effects`; with at least one factor.
    support
        Support by condition, above 0 where the conclusion holds: values or a frame, as `mesonet.analysis.terms` takes
        responses.
    factors
        Names of the columns; by default the design's own.
    noise
        As for `mesonet.analysis.terms`.

    Returns
    -------
    Counts, effects and roles, shape (k,), in the unit of `support`.

    Raises
    ------
    ValueError
        As `mesonet.analysis.terms`.

    Examples
    --------
    >>> signs = [[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    >>> found = conclusion(signs, [9.2, 8.9, 9.1, 8.8, -9.0, -9.1, -8.8, -9.3], factors=["x", "y", "z"])
    >>> found.verdict, found.deciding, found.holds
    ('depends', ('x',), 4)
    """
    matrix, names = design_signs(design, factors)
    found = terms(design, support, factors=names, noise=noise)
    place = {name: i for i, name in enumerate(found.terms)}
    effect, minus, plus = (
        np.array([values[place[name]] if name in place else np.nan for name in names])
        for values in (found.effect, found.mean_minus, found.mean_plus)
    )
    error, freedom = found.noise.pse, found.noise.degrees_of_freedom
    observed = observations(support, design, None)
    used, mean = observed.used, observed.mean
    rounding = ROUNDING * float(np.max(np.abs(mean), initial=0.0))
    limit = visible = float("nan")
    if error > rounding and freedom > 0:
        limit = float(special.stdtrit(freedom, 1 - ALPHA / (2 * len(names)))) * error
        visible = limit + float(special.stdtrit(freedom, POWER)) * error
    elif (found.noise.replicated and freedom > 0) or (len(mean) > 1 and np.ptp(mean) <= rounding):
        limit = visible = 0.0
    at_plus, holds = matrix[used] > 0, (mean > 0)[:, None]
    levels = np.stack([_verdicts(level, np.maximum(limit / np.sqrt(2), rounding)) for level in (minus, plus)])
    return Conclusion(
        factors=names,
        holds=int(holds.sum()),
        known=len(mean),
        mean=float(mean.mean()) if len(mean) else float("nan"),
        verdict=_verdict(levels, _roles(effect, levels, limit)),
        margin_of_error=limit,
        visible=visible,
        effect=effect,
        mean_minus=minus,
        mean_plus=plus,
        holds_minus=(holds & ~at_plus).sum(axis=0),
        known_minus=(~at_plus).sum(axis=0),
        holds_plus=(holds & at_plus).sum(axis=0),
        known_plus=at_plus.sum(axis=0),
        role=_roles(effect, levels, limit),
        notes=found.notes,
    )


def _verdicts(mean: Floats, limit: np.float64) -> Floats:
    """Return 1 where a mean confirms, -1 where it contradicts, 0 where neither, NaN where it is not known."""
    return np.where(np.isfinite(mean) & np.isfinite(limit), np.sign(mean) * (np.abs(mean) > limit), np.nan)


def _roles(effect: Floats, levels: Floats, limit: float) -> tuple[str, ...]:
    roles = []
    for size, low, high in zip(np.abs(effect), *levels, strict=True):
        if not (np.isfinite(size) and np.isfinite(limit)):
            roles.append(NOT_TESTED)
        elif size <= limit:
            roles.append(NONE_SEEN)
        else:
            roles.append(SHIFTS if low == high else DECIDES)
    return tuple(roles)


def _verdict(levels: Floats, roles: Sequence[str]) -> str:
    if DECIDES in roles:
        return DEPENDS
    if (levels == 1).all():
        return HOLDS
    return FAILS if (levels == -1).all() else CANNOT_TELL
