"""Effects of two-level factors by one model: condition means, least squares, and the noise of each condition.

An effect is a weighted sum of condition means. Its variance is the sum of w^2 s^2 / n over the conditions, with the
degrees of freedom of Satterthwaite. It holds for lost conditions, unequal numbers of replicates and unequal variances,
in which a pooled variance calls up to 38 % of inert effects significant at a nominal 5 %.

The model is that of `mesonet.analysis.terms`: the mean or the blocks, and all alias strings that the runs can estimate.
In a design with lost conditions, strings that are left out would bias main effects. The result lists the main effects,
and the strings that are significant at 5 % divided by their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mesonet.analysis.decisions.pairs import Floats, moments_without_replicates
from mesonet.analysis.decisions.welch import p_values
from mesonet.analysis.estimable import fit, sign_columns
from mesonet.analysis.observations import DesignLike, design_blocks, design_signs, observations
from mesonet.analysis.overflow_units import in_unit, unit
from mesonet.analysis.pure_error import NO_REPLICATE, of_moments, pure_error
from mesonet.analysis.result import AnalysisResult

ALPHA = 0.05
"""Error probability of all alias strings together."""
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
    conditions: int  #: with a value
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
    A condition with one value has no noise of its own, and takes the mean noise of the others.

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
    block = design_blocks(design, len(matrix), blocks)
    by = unit(values)
    values = values / by
    if common_replicates:
        of = moments_without_replicates(values)
        used, mean, noise = np.flatnonzero(of.known), of.mean[of.known], of_moments(of).part(of.known)
    else:
        observed = observations(values, matrix, None, block)
        used, mean = observed.used, observed.mean
        noise = pure_error(matrix[used], observed, None if block is None else block[used])
    signs = sign_columns(matrix, names)
    found = fit(signs.columns[used], [each[0] for each in signs.strings], mean, None if block is None else block[used])
    error, freedom = noise.of(found.weights)
    p = p_values(found.effect, error, freedom)
    is_main = np.array(signs.orders) == 1
    candidates = int((np.isfinite(found.effect) & ~is_main).sum())
    chosen = [*np.flatnonzero(is_main), *np.flatnonzero(~is_main & (p < ALPHA / max(candidates, 1)))]
    notes = [*found.notes, *(noise.notes if noise.known else [NO_REPLICATE])]
    if signs.constant:
        notes.append(f"Cannot be distinguished from the mean: {', '.join(signs.constant)}.")
    result = ModelEffects(
        terms=tuple(signs.strings[i][0] for i in chosen),
        strings=tuple(" = ".join(signs.strings[i]) for i in chosen),
        effect=found.effect[chosen],
        error=error[chosen],
        freedom=freedom[chosen],
        p=p[chosen],
        stars=tuple("**" if each <= TWO_STARS else "*" if each <= ONE_STAR else "" for each in p[chosen]),
        conditions=len(used),
        candidates=candidates,
        notes=tuple(notes),
    )
    return in_unit(result, by, "effect", "error")
