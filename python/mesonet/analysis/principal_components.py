"""Principal components of many responses: the directions in which runs differ most.

Singular value decomposition of the centred data, as they are (`covariance`) or with every response divided by its
standard deviation (`correlation`). The ASME paper warns that components may have no clear meaning in the domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.correlation import first_largest
from mesonet.analysis.estimable import ROUNDING
from mesonet.analysis.overflow_units import unit
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]
Form = Literal["correlation", "covariance"]
#: Part of the runs with a value below which a response is left out, because it would take the other runs away (chosen).
LEAST_MEASURED = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class PrincipalComponents(AnalysisResult):
    """Components by falling variance; one row of the table per component and response."""

    responses: tuple[str, ...]  #: those that vary
    form: Form
    loadings: Floats  #: shape (components, responses); rows have length 1, their largest entry is positive
    scores: Floats  #: shape (runs, components); NaN in rows that were left out
    variance: Floats  #: of each component
    share: Floats  #: of each component, of the total
    left_out: tuple[int, ...]  #: rows with a missing value
    constant: tuple[str, ...]  #: responses that do not vary over the runs that were used
    empty: tuple[str, ...] = ()  #: responses without any value; they take no run away
    sparse: tuple[str, ...] = ()  #: responses that lack a value in most of the runs with one; they take no run away
    notes: tuple[str, ...] = ()  #: what was left out, and why there are no components

    UNITS: ClassVar = {"loading": "1", "share": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"component": [f"PC{i + 1}" for i in range(len(self.variance))], "response": self.responses}

    def _columns(self) -> dict[str, Any]:
        return {"loading": self.loadings.ravel(), "share": np.repeat(self.share, len(self.responses))}

    def _attributes(self) -> dict[str, Any]:
        runs = len(self.scores) - len(self.left_out)
        return {"form": self.form, "runs": runs, **({"notes": " ".join(self.notes)} if self.notes else {})}


def principal_components(
    data: ArrayLike, *, responses: Sequence[str], form: Form = "correlation"
) -> PrincipalComponents:
    """Return the principal components of responses.

    A response is left out if it has no value, or lacks one in most of the runs that have any. So is every run that
    lacks any other response. The result lists all of them.

    Parameters
    ----------
    data
        Shape (runs, responses), NaN where missing.
    responses
        Names of the columns.
    form
        ``correlation``: every response is divided by its standard deviation. ``covariance``: responses stay as they
        are.

    Returns
    -------
    Loadings, scores and variances, by falling variance.

    Raises
    ------
    ValueError
        If the data do not fit the names, or the form is unknown.
    """
    values = np.asarray(data, dtype=float)
    if values.ndim != 2 or values.shape[1] != len(responses):
        raise ValueError(f"the data have shape {values.shape}; expected (runs, {len(responses)} responses)")
    if form not in get_args(Form):
        raise ValueError(f"form is {form!r}; allowed: {', '.join(get_args(Form))}")
    there = np.isfinite(values)
    sparse = there.any(axis=0) & (there.sum(axis=0) < LEAST_MEASURED * there.any(axis=1).sum())
    measured = there.any(axis=0) & ~sparse
    complete = there[:, measured].all(axis=1) & measured.any()
    rows = values[complete]
    spread = np.ptp(rows, axis=0) if len(rows) else np.zeros(len(responses))
    with np.errstate(invalid="ignore"):
        varies = measured & (spread > ROUNDING * np.max(np.abs(rows), axis=0, initial=0.0))
    scale = unit(rows[:, varies], axis=0 if form == "correlation" else None)
    rows = rows[:, varies] / scale
    centred = rows - rows.mean(axis=0) if len(rows) else rows
    if form == "correlation" and len(rows) > 1:
        centred = centred / centred.std(axis=0, ddof=1)
    u, singular, loadings = np.linalg.svd(centred, full_matrices=False)
    # The sign of a component is free: the entry that weighs most is positive, of equal entries the first.
    if len(singular):
        sign = np.array([np.sign(row[first_largest(np.abs(row))]) for row in loadings])
        u, loadings = u * sign, loadings * sign[:, None]
    variance = singular**2 / max(len(rows) - 1, 1)
    scores = np.full((len(values), len(singular)), np.nan)
    scores[complete] = u * singular
    total = variance.sum()
    share = variance / total if total > 0 else np.zeros(len(variance))
    if form != "correlation":
        with np.errstate(over="ignore"):
            scores, variance = scores * scale, variance * scale * scale
    # Without a run nothing is known of what varies.
    constant = measured & ~varies & bool(len(rows))
    empty, few = _named(responses, ~there.any(axis=0)), _named(responses, sparse)
    return PrincipalComponents(
        responses=_named(responses, varies),
        form=form,
        loadings=loadings,
        scores=scores,
        variance=variance,
        share=share,
        left_out=tuple(int(i) for i in np.flatnonzero(~complete)),
        constant=_named(responses, constant),
        empty=empty,
        sparse=few,
        notes=_notes(empty, few, _named(responses, constant), len(values), int(complete.sum())),
    )


def _named(names: Sequence[str], which: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(name for name, keep in zip(names, which, strict=True) if keep)


def _notes(
    empty: tuple[str, ...], sparse: tuple[str, ...], constant: tuple[str, ...], runs: int, used: int
) -> tuple[str, ...]:
    notes = []
    if empty:
        notes.append(f"Without any value: {', '.join(empty)}.")
    if sparse:
        notes.append(f"Left out without a value in most of the runs: {', '.join(sparse)}.")
    if constant:
        notes.append(f"The same in all runs: {', '.join(constant)}.")
    if runs and not used:
        notes.append("No run has a value of every response: there are no components.")
    elif used < runs:
        notes.append(f"{runs - used} of {runs} runs lack a value and are left out.")
    return tuple(notes)
