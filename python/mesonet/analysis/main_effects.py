"""Main effects of two-level factors on one response, with the significance test of the NIST study.

The effect of a factor is the mean response at its + level less the mean at its - level. It is tested by
t = effect / (SD of the effect). `mode` chooses the noise:

* `nist`: the residual of the mean and *that one factor*, with n - 2 degrees of freedom. The variation of all other
  factors stays in the noise, so small effects hide behind large ones: conservative. For a balanced design this is the
  one-way analysis of variance of the response on that factor.
* `full`: the residual of the mean and *all* main effects together, with n - 1 - k degrees of freedom.
* `replicates`: the scatter between replicates of each run, the only noise that does not hold lack of fit. Each effect
  has the noise of its own conditions, with the degrees of freedom of Satterthwaite, because variances differ between
  conditions. Alias strings of interactions join the model where they matter, as in `model_effects`.

Source of the definitions: J. Filliben's Dataplot macros for two-level designs (`lib/10step`) and the NIST/SEMATECH
e-Handbook, section 5.5.9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, get_args, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.checks import factor_names
from mesonet.analysis.decisions.model import fitted
from mesonet.analysis.decisions.pairs import moments
from mesonet.analysis.estimable import ROUNDING, block_notes, is_orthogonal, sign_columns
from mesonet.analysis.overflow_units import in_unit, unit
from mesonet.analysis.result import AnalysisResult

Mode = Literal["nist", "full", "replicates"]
Floats = NDArray[np.float64]

#: 100 x F distribution function from which an effect gets its stars.
ONE_STAR, TWO_STARS = 95.0, 99.0


@runtime_checkable
class DesignLike(Protocol):
    """Protocol of designs that `main_effects` accepts."""

    @property
    def factors(self) -> Sequence[str]:
        """Names of the k factors."""
        ...

    @property
    def matrix(self) -> Any:
        """Signs, -1 and +1, shape (n, k)."""
        ...


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
        Array of -1 and +1, shape (n, k), or an object with such a `matrix` and with the names `factors`.
    y
        n values in the order of the design's rows, or a frame with the columns `condition` (1 ... n) and `value`, and
        optionally `algorithm` and `replicate`. Several values for one condition are replicates: they are averaged, but
        for mode ``replicates``. NaN or null marks a lost run.
    mode
        Noise that effects are tested against: ``nist``, ``full`` or ``replicates``, as the module describes them.
    factors
        Names of the columns; by default the design's own, else x1 ... xk.
    algorithm
        The algorithm to take from a frame with several. Algorithms are never pooled as if they were replicates.

    Returns
    -------
    Effects and tests, shape (k,), in the unit of `y`. If the design has blocks, a note names the factors whose effect
    would hold a difference between blocks.

    Raises
    ------
    InputError
        For names that are text in place of a list, repeat, or hold ``*``.
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
    matrix, names = design_signs(design, factors)
    row, value = observations(y, len(matrix), algorithm)
    scale = unit(value)
    value = value / scale
    notes = block_notes(design, matrix, names)
    if mode == "replicates":
        # Rows of a design with the same settings are replicates, too.
        _, first, same = np.unique(matrix > 0, axis=0, return_index=True, return_inverse=True)
        matrix, row = (matrix[first], same.ravel()[row]) if len(first) < len(matrix) else (matrix, row)
    used, within, count = np.unique(row, return_inverse=True, return_counts=True)
    if len(used) < len(matrix):
        lost = len(matrix) - len(used)
        verb = "has no value and is" if lost == 1 else "have no value and are"
        notes.append(f"{lost} of {len(matrix)} conditions {verb} left out.")
    if mode == "replicates" and np.any(count > 1):
        found = _replicated(matrix, row, value, names, notes)
    else:
        if mode == "replicates":
            notes.append("No run is replicated: there is no pure error to test against.")
        elif np.any(count > 1):
            notes.append("Replicates are averaged; their scatter is not the noise of this test.")
        mean = np.bincount(within, value, len(used)) / count
        found = _effects(design=matrix, used=used, y=mean, names=names, mode=mode, notes=notes)
    return in_unit(found, scale, "grand_mean", "mean_minus", "mean_plus", "effect", "residual_sd", "effect_sd")


def replicate_frame(values: ArrayLike) -> pl.DataFrame | Floats:
    """Return values as `main_effects` takes replicates.

    For two dimensions a frame with `condition` and `replicate` from 1, and `value`; other values as they are. `values`:
    shape (runs, replicates), or any other shape.
    """
    array = np.asarray(values, dtype=float)
    if array.ndim != 2:
        return array
    runs, replicates = array.shape
    condition = np.repeat(np.arange(1, runs + 1), replicates)
    replicate = np.tile(np.arange(1, replicates + 1), runs)
    return pl.DataFrame({"condition": condition, "replicate": replicate, "value": array.ravel()})


def design_signs(design: DesignLike | ArrayLike, factors: Sequence[str] | None) -> tuple[Floats, tuple[str, ...]]:
    """Return the signs and the factor names of a design. Signs, shape (n, k), and k names."""
    own = design.factors if isinstance(design, DesignLike) else None
    matrix = np.asarray(design.matrix if isinstance(design, DesignLike) else design, dtype=float)
    if matrix.ndim != 2 or not np.all(np.abs(matrix) == 1):
        raise ValueError("the design must be an (n, k) array of -1 and +1")
    return matrix, factor_names(factors, matrix.shape[1], own)


def observations(y: pl.DataFrame | ArrayLike, runs: int, algorithm: str | None) -> tuple[NDArray[np.intp], Floats]:
    """Return the design row and the value of every observation that has a value.

    Rows, from 0, and values, both of shape (observations,).
    """
    if isinstance(y, pl.DataFrame):
        row, value = _from_frame(y, runs, algorithm)
    else:
        value = np.asarray(y, dtype=float)
        if value.shape != (runs,):
            raise ValueError(f"the response has shape {value.shape}; a design of {runs} runs needs ({runs},)")
        row = np.arange(runs)
    there = np.isfinite(value)
    return row[there], value[there]


def condition_means(y: pl.DataFrame | ArrayLike, runs: int, algorithm: str | None) -> tuple[NDArray[np.intp], Floats]:
    """Return the rows of the design that have a value, and the mean over the replicates of each.

    Rows, from 0, rising, and means, both of shape (rows with a value,).
    """
    row, value = observations(y, runs, algorithm)
    used, within, count = np.unique(row, return_inverse=True, return_counts=True)
    return used, np.bincount(within, value, len(used)) / count


def _from_frame(frame: pl.DataFrame, runs: int, algorithm: str | None) -> tuple[NDArray[np.intp], Floats]:
    missing = {"condition", "value"} - set(frame.columns)
    if missing:
        raise ValueError(f"the response frame lacks the column {' and '.join(sorted(missing))}")
    if "algorithm" in frame.columns:
        present = sorted(frame["algorithm"].drop_nulls().unique())
        if algorithm is not None:
            if algorithm not in present:
                raise ValueError(f"no values of algorithm {algorithm!r}; there are: {', '.join(present)}")
            frame = frame.filter(pl.col("algorithm") == algorithm)
        elif len(present) > 1:
            raise ValueError(
                f"the response holds {len(present)} algorithms ({', '.join(present)}); they are not replicates of one "
                "another: choose one with algorithm=..."
            )
    row = frame["condition"].to_numpy().astype(np.intp) - 1
    if len(row) and (row.min() < 0 or row.max() >= runs):
        raise ValueError(f"conditions must be 1 to {runs}, the rows of the design")
    return row, frame["value"].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _effects(
    design: Floats,
    used: NDArray[np.intp],
    y: Floats,
    names: tuple[str, ...],
    mode: Mode,
    notes: list[str],
) -> MainEffects:
    """Return effects against the variation between conditions; mode ``replicates``: without a test."""
    matrix = design[used]
    n, k = matrix.shape
    plus = matrix > 0
    n_plus, n_minus = plus.sum(axis=0), (~plus).sum(axis=0)
    with np.errstate(all="ignore"):
        mean_plus = np.where(plus, y[:, None], 0).sum(axis=0) / n_plus
        mean_minus = np.where(plus, 0, y[:, None]).sum(axis=0) / n_minus
        grand_mean = float(y.mean()) if n else float("nan")
        effect = mean_plus - mean_minus
        one_level = (n_plus == 0) | (n_minus == 0)
        constant = n > 0 and np.ptp(y) <= ROUNDING * np.max(np.abs(y))
        # Effects that are nothing but rounding are not tested.
        effect = np.where(np.abs(effect) <= ROUNDING * np.max(np.abs(y), initial=0.0), 0.0, effect)
        if constant:
            effect = np.where(one_level, np.nan, 0.0)
        together = None if is_orthogonal(matrix) or constant else _together(design, used, names, y, notes)
        if mode == "full":
            effect, residual_sd, effect_sd, freedom = _full_model(matrix, y, effect, one_level, notes)
        elif together is not None:
            effect, mean_minus, mean_plus, residual_sd, effect_sd, freedom = _adjusted(matrix, y, together)
        else:
            ss = np.sum((y[:, None] - np.where(plus, mean_plus, mean_minus)) ** 2, axis=0)
            freedom = np.full(k, float(n - 2))
            residual_sd = np.where(freedom > 0, np.sqrt(ss / freedom), np.nan)
            effect_sd = residual_sd * np.sqrt(1 / n_plus + 1 / n_minus)
        if mode == "replicates":
            freedom = np.zeros(k)
            residual_sd = effect_sd = np.full(k, np.nan)
        t = np.where(effect == 0, 0.0, effect / effect_sd)
        t = np.where(one_level | (freedom <= 0), np.nan, t)
        freedom = np.where(freedom > 0, freedom, np.nan)
        p = np.asarray(2 * special.stdtr(freedom, -np.abs(t)))
        f_cdf = np.asarray(100 * special.fdtr(1, freedom, t**2), dtype=float)
        # No effect is relative to a mean that is zero but for rounding, such as the mean of centred data.
        zero = not abs(grand_mean) > ROUNDING * np.max(np.abs(y), initial=0.0)
        relative = np.full(k, np.nan) if zero else 100 * effect / grand_mean
    notes += _remarks(names, n, bool(constant), one_level, freedom)
    return MainEffects(
        factors=names,
        mode=mode,
        runs=n,
        grand_mean=grand_mean,
        mean_minus=mean_minus,
        mean_plus=mean_plus,
        effect=effect,
        relative_effect=relative,
        residual_sd=residual_sd,
        effect_sd=effect_sd,
        t=t,
        degrees_of_freedom=freedom,
        p=p,
        f_cdf=f_cdf,
        stars=_stars(f_cdf),
        notes=tuple(notes),
    )


def _stars(f_cdf: Floats) -> tuple[str, ...]:
    return tuple("**" if f >= TWO_STARS else "*" if f >= ONE_STAR else "" for f in f_cdf)


def _replicated(
    design: Floats, row: NDArray[np.intp], value: Floats, names: tuple[str, ...], notes: list[str]
) -> MainEffects:
    """Return effects against the scatter between replicates of the same condition."""
    of = moments(by_replicate(row, value, len(design)))
    if single := int((of.count == 1).sum()):
        verb = "has one value and is" if single == 1 else "have one value and are"
        notes.append(f"{single} of {len(design)} conditions {verb} left out.")
    used, k = of.count > 1, len(names)
    mean, n = of.mean[used], int(used.sum())
    signs = sign_columns(design, names)
    fit = fitted(signs, of)
    effect, effect_sd, freedom, p = (np.full(k, np.nan) for _ in range(4))
    for place, column in enumerate(fit.chosen):
        for string in signs.strings[column]:
            if string.removeprefix("-") in names:
                own, sign = names.index(string.removeprefix("-")), -1 if string.startswith("-") else 1
                effect[own], effect_sd[own] = sign * fit.effect[place], fit.error[place]
                freedom[own], p[own] = fit.freedom[place], fit.p[place]
    one_level = np.abs(design[used].sum(axis=0)) == n
    constant = bool(np.ptp(mean) <= ROUNDING * np.max(np.abs(mean)))
    if not is_orthogonal(design[used]):
        notes.append("The runs are not balanced: effects are fitted together by least squares.")
    if more := [signs.strings[column][0] for column in fit.chosen if signs.orders[column] > 1]:
        notes.append(f"Interactions in the model: {', '.join(more)}.")
    notes += _remarks(names, n, constant, one_level, freedom)
    grand_mean = float(mean.mean())
    zero = not abs(grand_mean) > ROUNDING * np.max(np.abs(mean))
    with np.errstate(all="ignore"):
        t = np.where(effect == 0, 0.0, effect / effect_sd)
        f_cdf = np.asarray(100 * special.fdtr(1, freedom, t**2), dtype=float)
        relative = np.full(k, np.nan) if zero else 100 * effect / grand_mean
    return MainEffects(
        factors=names,
        mode="replicates",
        runs=n,
        grand_mean=grand_mean,
        mean_minus=fit.middle - effect / 2,
        mean_plus=fit.middle + effect / 2,
        effect=effect,
        relative_effect=relative,
        residual_sd=effect_sd * np.sqrt(of.count[used].sum()) / 2,
        effect_sd=effect_sd,
        t=np.where(np.isnan(effect), np.nan, t),
        degrees_of_freedom=freedom,
        p=p,
        f_cdf=f_cdf,
        stars=_stars(f_cdf),
        notes=tuple(notes),
    )


def by_replicate(row: NDArray[np.intp], value: Floats, runs: int) -> Floats:
    """Return values as a table, shape (runs, replicates), NaN where a run has fewer; `row`: run of each value."""
    order = np.argsort(row, kind="stable")
    count = np.bincount(row, minlength=runs)
    place = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    table = np.full((runs, int(count.max(initial=0))), np.nan)
    table[row[order], place] = value[order]
    return table


def _together(
    design: Floats, used: NDArray[np.intp], names: tuple[str, ...], y: Floats, notes: list[str]
) -> tuple[Floats, Floats] | None:
    """Return the columns of a model whose effects the runs can estimate together, main effects first, and its inverse.

    Pairs of factors are in the model where the runs can estimate all of them; otherwise they would bias the effects,
    and a note is added. None if the runs cannot estimate all main effects.
    """
    k = len(names)
    for order in (2, 1) if k > 1 else (1,):
        columns = sign_columns(design, names, order).columns[used]
        model = np.column_stack([np.ones(len(used)), columns])
        if len(used) >= model.shape[1] and np.linalg.matrix_rank(model) == model.shape[1]:
            bias = "" if order == 2 or k == 1 else " Interactions are taken to be zero; they would bias the effects."
            notes.append(f"The runs are not balanced: effects are fitted together by least squares.{bias}")
            return model, np.linalg.pinv(model)
    notes.append("The runs are not balanced and too few to fit the effects together: each is mixed with others.")
    return None


def _adjusted(matrix: Floats, y: Floats, together: tuple[Floats, Floats]) -> tuple[Floats, ...]:
    """Return effects, adjusted means at both levels, residual SD, SD of the effects and degrees of freedom."""
    n, k = matrix.shape
    inverse = together[1]
    beta = inverse @ y
    half = beta[1 : k + 1]
    effect = _cleared(half, y)
    rest = y[:, None] - y.mean() - (matrix - matrix.mean(axis=0)) * half
    freedom = np.full(k, float(n - 2))
    residual_sd = np.where(freedom > 0, np.sqrt((rest**2).sum(axis=0) / freedom), np.nan)
    error = 2 * residual_sd * np.sqrt((inverse[1 : k + 1] ** 2).sum(axis=1))
    return effect, beta[0] - effect / 2, beta[0] + effect / 2, residual_sd, error, freedom


def _cleared(half: Floats, y: Floats) -> Floats:
    """Return the effects of least-squares coefficients of signs, 0 where they are nothing but rounding."""
    return np.where(np.abs(half) <= 10 * ROUNDING * np.max(np.abs(y)), 0.0, 2 * half)


def _full_model(
    matrix: Floats, y: Floats, effect: Floats, one_level: NDArray[np.bool_], notes: list[str]
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return effects, residual SD, SD of the effects and degrees of freedom of a fit of all main effects."""
    k = matrix.shape[1]
    model = np.column_stack([np.ones(len(y)), matrix[:, ~one_level]])
    freedom = len(y) - model.shape[1]
    nothing = np.full(k, np.nan)
    solvable = np.linalg.matrix_rank(model) == model.shape[1]
    estimate, estimate_sd = effect.copy(), nothing.copy()
    if solvable:
        beta = np.asarray(np.linalg.lstsq(model, y)[0], dtype=float)
        estimate[~one_level] = _cleared(beta[1:], y)
    if not solvable or freedom <= 0:
        notes.append("Too few runs with a value for a model of all main effects: effects are shown without a test.")
        return estimate, nothing, nothing, np.zeros(k)
    sd = np.sqrt(np.sum((y - model @ beta) ** 2) / freedom)
    estimate_sd[~one_level] = 2 * sd * np.sqrt(np.diag(np.linalg.inv(model.T @ model)))[1:]
    return estimate, np.full(k, sd), estimate_sd, np.full(k, float(freedom))


def _remarks(
    names: tuple[str, ...], n: int, constant: bool, one_level: NDArray[np.bool_], freedom: Floats
) -> list[str]:
    if n == 0:
        return ["Nothing was measured: there are no effects to show."]
    remarks = []
    if constant:
        remarks.append("The response is the same in all runs: every effect is zero.")
    if one_level.any():
        lost = ", ".join(name for name, gone in zip(names, one_level, strict=True) if gone)
        remarks.append(f"Only one level has values left, so there is no effect to compute for: {lost}.")
    if np.isnan(freedom).all():
        remarks.append("No degrees of freedom are left for the noise: effects carry no test.")
    return remarks
