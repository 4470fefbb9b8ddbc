"""Main effects of two-level factors on one response, with the significance test of the NIST study.

The effect of a factor is the mean response at its + level less the mean at its - level. It is tested by
t = effect / (SD of the effect). `mode` chooses the noise:

* `nist`: the residual of the mean and *that one factor*, with n - 2 degrees of freedom. The variation of all other
  factors stays in the noise, so small effects hide behind large ones: conservative. For a balanced design this is the
  one-way analysis of variance of the response on that factor.
* `full`: the residual of the mean and *all* main effects together, with n - 1 - k degrees of freedom.
* `replicates`: the scatter between replicates of each run, the only noise that does not hold lack of fit. Each effect
  has the noise of its own conditions, with the degrees of freedom of Satterthwaite, because variances differ between
  conditions.

Blocks take the place of the mean. If runs are lost, or the design is not regular, effects are from the model of all
terms that the runs can estimate, in every mode, as in `terms`.

Source of the definitions: J. Filliben's Dataplot macros for two-level designs (`lib/10step`) and the NIST/SEMATECH
e-Handbook, section 5.5.9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.decisions.welch import p_values
from mesonet.analysis.estimable import ROUNDING, shifts
from mesonet.analysis.observations import DesignLike, Places
from mesonet.analysis.one_model import Model, model
from mesonet.analysis.overflow_units import in_unit
from mesonet.analysis.pure_error import NO_REPLICATE
from mesonet.analysis.result import AnalysisResult

Mode = Literal["nist", "full", "replicates"]
Floats = NDArray[np.float64]

#: 100 x F distribution function from which an effect gets its stars.
ONE_STAR, TWO_STARS = 95.0, 99.0


@dataclass(frozen=True, eq=False, repr=False)
class MainEffects(AnalysisResult):
    """Main effects of k factors on one response. Arrays have one entry per factor; NaN where not computable."""

    factors: tuple[str, ...]
    mode: Mode
    runs: int  #: rows of the design that had a value
    grand_mean: float
    mean_minus: Floats  #: mean response at the - level
    mean_plus: Floats  #: mean response at the + level
    effect: Floats  #: mean_plus - mean_minus; of runs that are not balanced, the least-squares estimate
    relative_effect: Floats  #: 100 x effect / grand mean
    residual_sd: Floats  #: standard deviation of the noise; with replicates, of a run with the same noise everywhere
    effect_sd: Floats  #: standard deviation of the effect
    t: Floats
    degrees_of_freedom: Floats
    p: Floats  #: two-sided
    f_cdf: Floats  #: 100 x F(t^2; 1, degrees of freedom)
    stars: tuple[str, ...]  #: "**" if f_cdf >= 99, "*" if >= 95, else ""
    notes: tuple[str, ...]  #: remarks for readers: lost runs, a constant response, ...

    UNITS: ClassVar = {"relative_effect": "%", "f_cdf": "%", "t": "1", "p": "1", "degrees_of_freedom": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"factor": self.factors}

    def _columns(self) -> dict[str, Any]:
        names = ("mean_minus", "mean_plus", "effect", "relative_effect", "residual_sd", "effect_sd", "t")
        more = ("degrees_of_freedom", "p", "f_cdf", "stars")
        return {name: getattr(self, name) for name in names + more}

    def _attributes(self) -> dict[str, Any]:
        return {"mode": self.mode, "runs": self.runs, "grand_mean": self.grand_mean, "notes": " ".join(self.notes)}


def main_effects(
    design: DesignLike | ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    mode: Mode = "nist",
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
) -> MainEffects:
    """Return the main effects of the factors of a two-level design on one response.

    Parameters
    ----------
    design
        Array of -1 and +1, shape (n, k), or an object with such a `matrix` and with the names `factors`. Its attribute
        `block`, if it has one, labels the block of each row: differences between blocks are part of the model.
    y
        Values in the order of the design's rows, shape (n,) or (n, replicates). Or a frame with the columns `condition`
        (1 ... n) and `value`, and optionally `algorithm` and `replicate`. Several values for one condition, or in rows
        of equal settings, are replicates: their mean is the response of the condition. NaN or null marks a lost run. A
        series of pandas is aligned with the rows by its labels.
    mode
        Noise that effects are tested against: ``nist``, ``full`` or ``replicates``, as the module describes them.
    factors
        Names of the columns; by default the design's own, else x1 ... xk.
    algorithm
        The algorithm to take from a frame with several. Algorithms are never pooled as if they were replicates.

    Returns
    -------
    Effects and tests, shape (k,), in the unit of `y`. Notes name the terms that the runs cannot estimate.

    Raises
    ------
    InputError
        For names that are text in place of a list, repeat, or hold ``*``, and for labels of `y` that match no rows.
    ValueError
        For an unknown mode, a design that is not two-level, or a wrong number of names or values. Also for a frame with
        several algorithms while `algorithm` is None, and for a frame without the algorithm.

    Examples
    --------
    >>> found = main_effects([[-1, -1], [1, -1], [-1, 1], [1, 1]], [10.0, 14.0, 11.0, 15.0])
    >>> found.effect
    array([4., 1.])
    """
    if mode not in get_args(Mode):
        raise ValueError(f"mode is {mode!r}; allowed: {', '.join(get_args(Mode))}")
    of = model(design, y, factors=factors, algorithm=algorithm)
    place, sign = _of_factors(of.names, of.signs.strings)
    names, mean, n = of.names, of.mean, len(of.mean)
    weights, effect = of.fit.weights[place], np.where(sign == 0, np.nan, sign * of.effect[place])
    notes = list(of.notes)
    if mode == "replicates":
        noise = of.pure_error()
        notes += noise.notes if noise.known else [NO_REPLICATE]
        effect_sd, freedom = noise.of(weights)
        residual_sd = effect_sd / np.linalg.norm(weights / np.sqrt(noise.count), axis=1)
    else:
        if n < len(of.observed.value):
            notes.append("Replicates are averaged; their scatter is not the noise of this test.")
        residual_sd, freedom = (_of_all if mode == "full" else _of_each)(of, effect)
        effect_sd = residual_sd * np.linalg.norm(weights, axis=1)
        if mode == "full" and n and np.isnan(residual_sd).all():
            notes.append("Too few runs with a value for a model of all main effects: effects are shown without a test.")
    tested = (freedom > 0) & np.isfinite(effect)
    freedom = np.where(tested, freedom, np.nan)
    with np.errstate(all="ignore"):
        t = np.where(tested, np.where(effect == 0, 0.0, effect / effect_sd), np.nan)
        f_cdf = np.asarray(100 * special.fdtr(1, freedom, t**2), dtype=float)
        # No effect is relative to a mean that is zero but for rounding, such as the mean of centred data.
        zero = not abs(of.grand_mean) > ROUNDING * np.max(np.abs(mean), initial=0.0)
        relative = np.full(len(names), np.nan) if zero else 100 * effect / of.grand_mean
    middle = (of.fit.mean_minus + of.fit.mean_plus)[place] / 2
    found = MainEffects(
        factors=names,
        mode=mode,
        runs=n,
        grand_mean=of.grand_mean,
        mean_minus=middle - effect / 2,
        mean_plus=middle + effect / 2,
        effect=effect,
        relative_effect=relative,
        residual_sd=residual_sd,
        effect_sd=effect_sd,
        t=t,
        degrees_of_freedom=freedom,
        p=p_values(effect, effect_sd, freedom),
        f_cdf=f_cdf,
        stars=tuple("**" if f >= TWO_STARS else "*" if f >= ONE_STAR else "" for f in f_cdf),
        notes=(*notes, *_remarks(of, freedom)),
    )
    return in_unit(found, of.by, "grand_mean", "mean_minus", "mean_plus", "effect", "residual_sd", "effect_sd")


def _of_factors(names: tuple[str, ...], strings: Sequence[Sequence[str]]) -> tuple[Places, Floats]:
    """Return the column of each factor and its sign there; 0 for a factor that is the same in all rows."""
    at = {alias: place for place, string in enumerate(strings) for alias in string}
    place = [at.get(name, at.get(f"-{name}", 0)) for name in names]
    sign = [1.0 if name in at else -1.0 if f"-{name}" in at else 0.0 for name in names]
    return np.array(place, dtype=np.intp), np.array(sign)


def _of_each(of: Model, effect: Floats) -> tuple[Floats, Floats]:
    """Return the residual SD of the mean, or the blocks, and one factor at a time, and its degrees of freedom."""
    own = shifts(of.block, len(of.mean))
    y, signs = (each - own @ np.linalg.lstsq(own, each)[0] for each in (of.deviation, of.settings))
    freedom = float(len(y) - own.shape[1] - 1)
    return _sd(y[:, None] - signs * effect / 2, of, freedom), np.full(len(effect), freedom)


def _of_all(of: Model, effect: Floats) -> tuple[Floats, Floats]:
    """Return the residual SD of the mean, or the blocks, and all main effects, and its degrees of freedom."""
    columns = np.column_stack([shifts(of.block, len(of.mean)), of.settings[:, np.isfinite(effect)]])
    rest = of.deviation - columns @ np.linalg.lstsq(columns, of.deviation)[0]
    freedom = float(len(rest) - np.linalg.matrix_rank(columns))
    return np.tile(_sd(rest[:, None], of, freedom), len(effect)), np.full(len(effect), freedom)


def _sd(rest: Floats, of: Model, freedom: float) -> Floats:
    """Return the residual SD of each column of residuals, 0 if they are nothing but rounding; NaN without freedom."""
    if not freedom > 0:
        return np.full(rest.shape[1], np.nan)
    found = np.sqrt((rest**2).sum(axis=0) / freedom)
    return np.where(found <= ROUNDING * np.ptp(of.mean), 0.0, found)


def _remarks(of: Model, freedom: Floats) -> list[str]:
    if not len(of.mean):
        return ["Nothing was measured: there are no effects to show."]
    remarks = []
    if of.constant:
        remarks.append("The response is the same in all runs: every effect is zero.")
    one_level = np.abs(of.settings.sum(axis=0)) == len(of.settings)
    if one_level.any():
        lost = ", ".join(name for name, gone in zip(of.names, one_level, strict=True) if gone)
        remarks.append(f"Only one level has values left, so there is no effect to compute for: {lost}.")
    if np.isnan(freedom).all():
        remarks.append("No degrees of freedom are left for the noise: effects have no test.")
    return remarks
