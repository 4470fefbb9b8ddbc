"""Which factors matter over many responses: sign and star tables, and Psi.

Psi of a factor over a set of responses = (number with p < .01 + half the number with .01 <= p < .05) / number of
responses.

Source: Mills et al., ASME paper, Tables 7 and 8 (which prints Psi x 100).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.main_effects import DesignLike, Mode, design_signs, main_effects
from mesonet.analysis.result import Result

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class FactorTable(Result):
    """Signs and stars of every response and factor; one row of the table per pair."""

    responses: tuple[str, ...]
    factors: tuple[str, ...]
    sign: NDArray[
        np.int8
    ]  #: shape (responses, factors): the level that raises the response; 0 for no effect or none known
    p: Floats  #: shape (responses, factors)
    psi: Floats  #: per factor, over the responses with a test; NaN without any
    tested: int  #: responses with a test
    mode: Mode

    UNITS: ClassVar = {"p": "1"}

    @property
    def stars(self) -> NDArray[np.str_]:
        """`**` for p < .01, `*` for p < .05."""
        with np.errstate(invalid="ignore"):
            return np.where(self.p < 0.01, "**", np.where(self.p < 0.05, "*", ""))

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"response": self.responses, "factor": self.factors}

    def _columns(self) -> dict[str, Any]:
        return {"sign": self.sign.ravel(), "stars": self.stars.ravel(), "p": self.p.ravel()}

    def _attributes(self) -> dict[str, Any]:
        shares = ", ".join(f"{name} {value:.3g}" for name, value in zip(self.factors, self.psi, strict=True))
        return {"mode": self.mode, "psi": shares}


def factor_table(
    design: DesignLike | ArrayLike,
    data: ArrayLike,
    *,
    responses: Sequence[str],
    factors: Sequence[str] | None = None,
    mode: Mode = "nist",
) -> FactorTable:
    """Main effects of every column of `data`, shape (runs, responses), as signs and stars, and Psi of every factor.

    Raises ValueError if the data do not fit the names or the design.
    """
    matrix, names = design_signs(design, factors)
    values = np.asarray(data, dtype=float)
    if values.shape != (len(matrix), len(responses)):
        raise ValueError(f"the data have shape {values.shape}; expected ({len(matrix)}, {len(responses)})")
    sign = np.zeros((len(responses), len(names)), dtype=np.int8)
    p = np.full((len(responses), len(names)), np.nan)
    for place, column in enumerate(values.T):
        found = main_effects(matrix, column, factors=names, mode=mode)
        sign[place] = np.sign(np.nan_to_num(found.effect))
        p[place] = found.p
    tested = np.isfinite(p)
    with np.errstate(invalid="ignore"):
        weight = np.where(p < 0.01, 1.0, np.where(p < 0.05, 0.5, 0.0))
        psi = np.where(tested, weight, 0).sum(axis=0) / tested.sum(axis=0)
    return FactorTable(tuple(responses), names, sign, p, psi, int(tested.any(axis=1).sum()), mode)
