"""All terms that a two-level design can distinguish: main effects, and interactions by alias string.

In a fraction several terms share one column of signs, so that only their sum can be estimated: they are one entry,
named by its string of aliases. Every estimable string is there, of any order; half-normal quantiles, Lenth's
margins and the cumulative residual standard deviation follow from the same ordering.

Source: J. Filliben's ten-step analysis, steps 6 to 9 (Dataplot macros `lib/10step`; NIST/SEMATECH e-Handbook, section
5.5.9); order-statistic medians after Filliben 1975.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.decisions.welch import quantiles
from mesonet.analysis.estimable import incomplete, is_orthogonal, shifts
from mesonet.analysis.lenth import Lenth, Limits, lenth, margins_of_error
from mesonet.analysis.observations import DesignLike, Places, design_signs
from mesonet.analysis.one_model import model
from mesonet.analysis.overflow_units import in_unit
from mesonet.analysis.pure_error import NO_REPLICATE
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]
Noise = Literal["effects", "replicates"]
#: Fewest effects for Lenth's margins: they have a third as many degrees of freedom, and of fewer effects most may be
#: active. A full design of three factors has 7 (chosen).
FEWEST_EFFECTS = 7
#: Part of a column that others must leave for it to be another column, relative to its length.
_DEPENDENT = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Terms(AnalysisResult):
    """Estimable terms by falling |effect|. Arrays have one entry per term."""

    terms: tuple[str, ...]  #: a main effect or interaction, such as `X1*X2`, the first of its string
    strings: tuple[str, ...]  #: the whole alias string, such as `X1*X2 = -X3*X5`
    order: tuple[int, ...]  #: number of factors in the term
    effect: Floats  #: mean at + less mean at -
    mean_minus: Floats
    mean_plus: Floats
    half_normal: Floats  #: half-normal order-statistic median that belongs to |effect|
    residual_sd: Floats  #: residual SD of the model of the mean and all terms up to this one; NaN without freedom
    active: NDArray[np.bool_]  #: effects beyond the margin of error; of overlapping columns by their own errors
    runs: int
    grand_mean: float
    sd: float  #: of the response: the residual SD of the model of the mean alone
    noise: Lenth  #: of all these effects
    notes: tuple[str, ...]

    UNITS: ClassVar = {"half_normal": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"term": self.terms}

    def _columns(self) -> dict[str, Any]:
        names = ("strings", "order", "effect", "mean_minus", "mean_plus", "half_normal", "residual_sd")
        return {**{name: getattr(self, name) for name in names}, "active": self.active}

    def _attributes(self) -> dict[str, Any]:
        margins = {"pse": self.noise.pse, "me": self.noise.me, "sme": self.noise.sme}
        return {
            "runs": self.runs,
            "grand_mean": self.grand_mean,
            "sd": self.sd,
            **margins,
            "notes": " ".join(self.notes),
        }


def terms(
    design: DesignLike | ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
    order: int | None = None,
    noise: Noise = "effects",
    limits: Limits = "t",
) -> Terms:
    """Return the effects of all estimable terms on one response, by falling size.

    Parameters
    ----------
    design, y, factors, algorithm
        As for `main_effects`.
    order
        Most factors of a term, 1 to k. None: every string that the runs of a regular design can estimate. Lenth's
        margins need all strings, because most effects are noise and show how large noise is.
    noise
        ``effects``: Lenth's pseudo standard error. ``replicates``: the scatter between replicates of each condition,
        which `y` must hold; the degrees of freedom are those of Satterthwaite.
    limits
        Of Lenth's margins, as for `lenth`.

    Returns
    -------
    Effects in the unit of `y`, their half-normal quantiles and margins. A term that cannot be distinguished from
    differences between blocks has no effect, and a note names it.

    Raises
    ------
    InputError
        If `limits` is none of its values.
    ValueError
        If the design is not two-level, the response does not fit the design, `order` is no number of factors, or
        `noise` is none of its values.

    Examples
    --------
    >>> found = terms([[-1, -1], [1, -1], [-1, 1], [1, 1]], [10.0, 14.0, 11.0, 19.0])
    >>> found.terms, found.effect
    (('x1', 'x2', 'x1*x2'), array([6., 3., 2.]))
    """
    if noise not in get_args(Noise):
        raise ValueError(f"noise is {noise!r}; allowed: {', '.join(get_args(Noise))}")
    matrix, names = design_signs(design, factors)
    if order is not None and not 1 <= order <= matrix.shape[1]:
        raise ValueError(f"order is {order}; allowed: 1 to the number of factors, {matrix.shape[1]}")
    of = model(design, y, factors=names, algorithm=algorithm, order=order)
    signs, found, mean, effect, n = of.signs, of.fit, of.mean, of.effect, len(of.mean)
    notes = [f"Cannot be distinguished from the mean: {', '.join(signs.constant)}."] if signs.constant else []
    notes += of.notes
    if order is None and not signs.complete and not found.notes:
        notes.append(incomplete(signs, len(names)))
    if of.constant:
        notes.append("The response is the same in all runs: every effect is zero.")
    # Effects of overlapping columns have different standard errors: Lenth's margins compare equal ones.
    equal = 2 / np.sqrt(n) if n else np.nan
    margins = lenth(effect * equal / found.error, limits=limits)
    active = margins.active(effect * equal / found.error)
    if noise == "replicates":
        pure = of.pure_error()
        error, freedom = pure.of(np.full((1, n), 2 / max(n, 1)))
        margins = margins_of_error(float(error[0]), float(freedom[0]), margins.effects)
        own, freedom = pure.of(found.weights)
        active = np.abs(effect) > quantiles(freedom, np.asarray(0.05)) * own
        notes += pure.notes if pure.known else [NO_REPLICATE]
    elif margins.pse == 0 and not of.constant:
        notes.append("More than half of the effects are zero: there is no noise to test effects against.")
    rank = np.argsort(-np.nan_to_num(np.abs(effect), nan=-1.0), kind="stable")
    result = Terms(
        terms=tuple(signs.strings[i][0] for i in rank),
        strings=tuple(" = ".join(signs.strings[i]) for i in rank),
        order=tuple(signs.orders[i] for i in rank),
        effect=effect[rank],
        mean_minus=found.mean_minus[rank],
        mean_plus=found.mean_plus[rank],
        half_normal=half_normal_medians(len(rank))[::-1],
        residual_sd=_residual_sd(of.columns[:, rank], mean, of.block),
        active=active[rank],
        runs=n,
        grand_mean=of.grand_mean,
        sd=float(mean.std(ddof=1)) if n > 1 else float("nan"),
        noise=margins,
        notes=tuple(notes),
    )
    fields = ("effect", "mean_minus", "mean_plus", "residual_sd", "grand_mean", "sd")
    return in_unit(result, of.by, *fields, noise=in_unit(margins, of.by, "pse", "me", "sme"))


def half_normal_medians(m: int) -> Floats:
    """Return the medians of the order statistics of |N(0, 1)|: the sizes expected of effects that are noise.

    Parameters
    ----------
    m
        Number of effects.

    Returns
    -------
    Medians, rising, shape (m,).
    """
    i = np.arange(1, m + 1)
    uniform = (i - 0.3175) / (m + 0.365)
    if m:
        uniform[-1] = 0.5 ** (1 / m)
        uniform[0] = 1 - uniform[-1] if m > 1 else 0.5
    return np.asarray(special.ndtri((1 + uniform) / 2))


def _residual_sd(columns: Floats, y: Floats, block: Places | None) -> Floats:
    """Return the residual SD of the models of the mean, or the blocks, and the first 1, 2, ... columns."""
    n, m = columns.shape
    first = np.linalg.qr(shifts(block, n))[0]
    rest = y - first @ (first.T @ (y - y[0])) - y[0] if n else y
    if n and m + first.shape[1] <= n:
        basis = _orthonormal(columns, first)
        if basis is not None:
            # Projections from the mean of y on, so that nothing cancels.
            parts = basis.T @ rest
            whole = float((rest**2).sum())
            left = np.maximum(whole - np.cumsum(parts**2), 0.0)
            # Where next to nothing is left the difference of sums is rounding: look at the residuals themselves.
            for place in np.flatnonzero(left < 1e-8 * whole):
                own = rest - basis[:, : place + 1] @ parts[: place + 1]
                left[place] = own @ own
            freedom = n - first.shape[1] - np.arange(1.0, m + 1)
            return np.asarray(np.where(freedom > 0, np.sqrt(left / np.where(freedom > 0, freedom, 1)), np.nan))
    return _residual_sd_of_dependent(columns, rest, first)


def _orthonormal(columns: Floats, first: Floats) -> Floats | None:
    """Return an orthonormal basis of the columns, one step per column, behind the basis of the mean or the blocks.

    None if columns depend on each other.
    """
    n = len(columns)
    if is_orthogonal(columns) and not np.abs(first.T @ columns).max(initial=0.0) > _DEPENDENT:
        return np.asarray(columns / np.sqrt(n))  # no run is lost: signs and their products are exact
    basis, triangle = np.linalg.qr(np.column_stack([first, columns]))
    return basis[:, first.shape[1] :] if np.abs(np.diag(triangle)).min() > _DEPENDENT * np.sqrt(n) else None


def _residual_sd_of_dependent(columns: Floats, residual: Floats, first: Floats) -> Floats:
    """Return the residual SD of the models where runs are lost and columns depend on others, by orthogonalisation."""
    n, m = columns.shape
    found = np.full(m, np.nan)
    basis = list(first.T) if n else []
    for place in range(m):
        column = columns[:, place].astype(float)
        for _ in range(2):  # twice is enough (Kahan, Parlett)
            for direction in basis:
                column = column - direction * (direction @ column)
        norm = np.linalg.norm(column)
        if norm > _DEPENDENT * np.sqrt(max(n, 1)):
            basis.append(column / norm)
            residual = residual - basis[-1] * (basis[-1] @ residual)
        freedom = n - len(basis)
        if freedom > 0:
            found[place] = np.sqrt(residual @ residual / freedom)
    return found


def has_margins(result: Terms) -> bool:
    """Return True if the margins of error are known: from replicates, or from enough effects."""
    noise = result.noise
    return bool(np.isfinite(noise.me)) and (noise.replicated or noise.effects >= FEWEST_EFFECTS)
