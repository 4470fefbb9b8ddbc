"""The model of one response that main effects, terms, interactions and their tests share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.estimable import ROUNDING, Fit, SignColumns, fit, incomplete, sign_columns
from mesonet.analysis.observations import DesignLike, Observations, Places, design_blocks, design_signs, observations
from mesonet.analysis.overflow_units import unit
from mesonet.analysis.pure_error import PureError, pure_error

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Model:
    """Values, columns of signs and fitted effects, in the unit `by`. Conditions are those with a value."""

    names: tuple[str, ...]  #: of the factors
    by: Floats
    observed: Observations
    settings: Floats  #: of each condition, shape (n, k)
    block: Places | None  #: of each condition
    signs: SignColumns  #: of all rows of the design
    columns: Floats  #: of the conditions, shape (n, m)
    fit: Fit
    notes: tuple[str, ...]

    @property
    def mean(self) -> Floats:
        """Mean of each condition."""
        return self.observed.mean

    @property
    def deviation(self) -> Floats:
        """Mean of each condition less the first, without rounding if values are alike."""
        return np.asarray(self.mean - self.mean[:1].sum())

    @property
    def grand_mean(self) -> float:
        """Mean of the conditions; NaN without a value."""
        return float(self.mean.mean()) if len(self.mean) else float("nan")

    @property
    def constant(self) -> bool:
        """True if the response is the same in all conditions."""
        return bool(len(self.mean) and np.ptp(self.mean) <= ROUNDING * np.max(np.abs(self.mean)))

    @property
    def effect(self) -> Floats:
        """Effect of each column; 0 for a constant response."""
        return 0.0 * self.fit.effect if self.constant else self.fit.effect

    def pure_error(self) -> PureError:
        """Return the noise between values of equal settings."""
        return pure_error(self.settings, self.observed, self.block)


def model(
    design: DesignLike | ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None,
    algorithm: str | None,
    order: int | None = None,
) -> Model:
    """Return the fitted model of one response; arguments as for `terms`."""
    matrix, names = design_signs(design, factors)
    block = design_blocks(design, len(matrix))
    observed = observations(y, design, algorithm, block)
    by = unit(observed.value)
    observed = observed.per(by)
    used = observed.used
    own = None if block is None else block[used]
    signs = sign_columns(matrix, names, order)
    columns = signs.columns[used]
    found = fit(columns, [each[0] for each in signs.strings], observed.mean, own)
    notes = [*observed.notes, *found.notes]
    if found.notes and not signs.complete:
        notes.append(incomplete(signs, len(names)))
    return Model(
        names,
        by,
        observed,
        settings=matrix[used],
        block=own,
        signs=signs,
        columns=columns,
        fit=found,
        notes=tuple(notes),
    )
