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
from numpy.typing import ArrayLike

from mesonet.analysis.decisions.model import fitted
from mesonet.analysis.decisions.pairs import Floats, moments, moments_without_replicates
from mesonet.analysis.estimable import sign_columns
from mesonet.analysis.main_effects import DesignLike, design_signs
from mesonet.analysis.overflow_units import in_unit, unit
from mesonet.analysis.result import AnalysisResult

ONE_STAR, TWO_STARS = 0.05, 0.01
"""P-values from which an effect has its stars, as in the tests of the study."""


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
    of = moments_without_replicates(values) if common_replicates else moments(values)
    fit = fitted(signs, of, block)
    used = of.count > 1
    notes = []
    if left := int((~used).sum()):
        verb = "condition has" if left == 1 else "conditions have"
        notes.append(f"{left} of {len(used)} {verb} fewer than two values, and no part in the effects.")
    if lost := [signs.strings[i][0] for i, each in zip(fit.chosen, fit.effect, strict=True) if np.isnan(each)]:
        notes.append(f"Cannot be estimated from these runs: {', '.join(lost)}.")
    if signs.constant:
        notes.append(f"Cannot be distinguished from the mean: {', '.join(signs.constant)}.")
    found = ModelEffects(
        terms=tuple(signs.strings[i][0] for i in fit.chosen),
        strings=tuple(" = ".join(signs.strings[i]) for i in fit.chosen),
        effect=fit.effect,
        error=fit.error,
        freedom=fit.freedom,
        p=fit.p,
        stars=tuple("**" if each <= TWO_STARS else "*" if each <= ONE_STAR else "" for each in fit.p),
        conditions=int(used.sum()),
        candidates=fit.candidates,
        notes=tuple(notes),
    )
    return in_unit(found, by, "effect", "error")
