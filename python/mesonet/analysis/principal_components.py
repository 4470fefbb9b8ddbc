"""Principal components of many responses: the directions in which runs differ most.

Singular value decomposition of the centred data, as they are (`covariance`) or with every response divided by its
standard deviation (`correlation`). The ASME paper warns that components may have no clear meaning in the domain.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.result import Result

Floats = NDArray[np.float64]
Form = Literal["correlation", "covariance"]
#: A response whose spread is below this share of its size does not vary.
_CONSTANT = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class PrincipalComponents(Result):
    """Components by falling variance; one row of the table per component and response."""

    responses: tuple[str, ...]  #: those that vary
    form: Form
    loadings: Floats  #: shape (components, responses); rows have length 1, their largest entry is positive
    scores: Floats  #: shape (runs, components); NaN in rows that were left out
    variance: Floats  #: of each component
    share: Floats  #: of each component, of the total
    left_out: tuple[int, ...]  #: rows with a missing value
    constant: tuple[str, ...]  #: responses that do not vary

    UNITS: ClassVar = {"loading": "1", "share": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"component": [f"PC{i + 1}" for i in range(len(self.variance))], "response": self.responses}

    def _columns(self) -> dict[str, Any]:
        return {"loading": self.loadings.ravel(), "share": np.repeat(self.share, len(self.responses))}

    def _attributes(self) -> dict[str, Any]:
        return {"form": self.form, "runs": len(self.scores) - len(self.left_out)}


def principal_components(
    data: ArrayLike, *, responses: Sequence[str], form: Form = "correlation"
) -> PrincipalComponents:
    """Principal components of the columns of `data`, shape (runs, responses). Rows with a NaN are left out and said.

    Raises ValueError if the data do not fit the names, or the form is unknown.
    """
    values = np.asarray(data, dtype=float)
    if values.ndim != 2 or values.shape[1] != len(responses):
        raise ValueError(f"the data have shape {values.shape}; expected (runs, {len(responses)} responses)")
    if form not in get_args(Form):
        raise ValueError(f"form is {form!r}; allowed: {', '.join(get_args(Form))}")
    complete = np.isfinite(values).all(axis=1)
    rows = values[complete]
    spread = np.ptp(rows, axis=0) if len(rows) else np.zeros(len(responses))
    varies = spread > _CONSTANT * np.max(np.abs(rows), axis=0, initial=0.0)
    centred = rows[:, varies] - rows[:, varies].mean(axis=0) if len(rows) else rows[:, varies]
    if form == "correlation" and len(rows) > 1:
        centred = centred / centred.std(axis=0, ddof=1)
    u, singular, loadings = np.linalg.svd(centred, full_matrices=False)
    # The sign of a component is free: the entry that weighs most is positive.
    if len(singular):
        sign = np.sign(loadings[np.arange(len(loadings)), np.abs(loadings).argmax(axis=1)])
        u, loadings = u * sign, loadings * sign[:, None]
    variance = singular**2 / max(len(rows) - 1, 1)
    scores = np.full((len(values), len(singular)), np.nan)
    scores[complete] = u * singular
    total = variance.sum()
    return PrincipalComponents(
        tuple(name for name, keep in zip(responses, varies, strict=True) if keep),
        form,
        loadings,
        scores,
        variance,
        variance / total if total > 0 else np.zeros(len(variance)),
        tuple(int(i) for i in np.flatnonzero(~complete)),
        tuple(name for name, keep in zip(responses, varies, strict=True) if not keep),
    )
