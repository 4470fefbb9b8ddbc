"""Importance of factors over many responses: sign and star tables, and Psi.

Psi of a factor over a set of responses = (number with p < .01 + half the number with .01 <= p < .05) / number of
responses.

Source: Mills et al., ASME paper, Tables 7 and 8 (which prints Psi x 100).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.main_effects import Mode, main_effects
from mesonet.analysis.observations import DesignLike, design_signs
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class FactorTable(AnalysisResult):
    """Signs and stars of every response and factor; one row of the table per pair."""

    responses: tuple[str, ...]
    factors: tuple[str, ...]
    sign: NDArray[np.int8]  #: shape (responses, factors): the level that raises it; 0 for no effect or none known
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
    """Return signs, stars and Psi of the main effects of every response.

    Parameters
    ----------
    design
        As for `main_effects`.
    data
        Shape (runs, responses), or with replicates (runs, replicates, responses).
    responses
        Names along the last axis.
    factors
        As for `main_effects`.
    mode
        Noise that effects are tested against, as for `main_effects`.

    Returns
    -------
    Arrays of shape (responses, factors).

    Raises
    ------
    ValueError
        If the data do not fit the names or the design.
    """
    matrix, names = design_signs(design, factors)
    values = np.asarray(data, dtype=float)
    if values.ndim not in (2, 3) or (values.shape[0], values.shape[-1]) != (len(matrix), len(responses)):
        raise ValueError(f"the data have shape {values.shape}; expected ({len(matrix)}, {len(responses)})")
    sign = np.zeros((len(responses), len(names)), dtype=np.int8)
    p = np.full((len(responses), len(names)), np.nan)
    for place in range(len(responses)):
        found = main_effects(design, values[..., place], factors=names, mode=mode)
        sign[place] = np.sign(np.nan_to_num(found.effect))
        p[place] = found.p
    tested = np.isfinite(p)
    with np.errstate(invalid="ignore"):
        weight = np.where(p < 0.01, 1.0, np.where(p < 0.05, 0.5, 0.0))
        psi = np.where(tested, weight, 0).sum(axis=0) / tested.sum(axis=0)
    return FactorTable(
        responses=tuple(responses),
        factors=names,
        sign=sign,
        p=p,
        psi=psi,
        tested=int(tested.any(axis=1).sum()),
        mode=mode,
    )


@dataclass(frozen=True, eq=False, repr=False)
class PsiTable(AnalysisResult):
    """Psi of every factor over several sets of responses; one row of the table per set and factor."""

    sets: tuple[str, ...]
    factors: tuple[str, ...]
    psi: Floats  #: shape (sets, factors); NaN for a set without a test
    responses: NDArray[np.int_]  #: per set: responses with a test
    weight: Floats  #: per set, of those with a test; their sum is 1
    average: Floats  #: per factor: weighted mean over the sets
    mode: Mode

    UNITS: ClassVar = {"psi": "1", "weight": "1", "average": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"set": self.sets, "factor": self.factors}

    def _columns(self) -> dict[str, Any]:
        factors = len(self.factors)
        return {
            "psi": self.psi.ravel(),
            "responses": np.repeat(self.responses, factors),
            "weight": np.repeat(self.weight, factors),
            "average": np.tile(self.average, len(self.sets)),
        }

    def _attributes(self) -> dict[str, Any]:
        return {"mode": self.mode}

    @property
    def order(self) -> tuple[int, ...]:
        """Places of the factors by falling average."""
        return tuple(int(i) for i in np.argsort(-np.nan_to_num(self.average, nan=-1.0), kind="stable"))


def psi_table(tables: Mapping[str, FactorTable], *, weights: Mapping[str, float] | None = None) -> PsiTable:
    """Return Psi over several sets of responses, and its weighted average.

    The ASME paper's Table 8 weighs three time periods with 1/6 each and the flow throughputs of two algorithms with 1/4
    each. A set without a test has no weight.

    Parameters
    ----------
    tables
        The result of `factor_table` by name of the set.
    weights
        Weight of each set, above 0, in any scale; by default equal.

    Returns
    -------
    Psi of shape (sets, factors), 0 to 1, and its average per factor.

    Raises
    ------
    ValueError
        Without tables, for tables of different factors or modes, and for a weight that is missing or not positive.
    """
    if not tables:
        raise ValueError("Psi needs at least one set of responses")
    names = tuple(tables)
    first = tables[names[0]]
    if any((table.factors, table.mode) != (first.factors, first.mode) for table in tables.values()):
        raise ValueError("the sets of responses have different factors or modes")
    given = weights if weights is not None else dict.fromkeys(names, 1.0)
    if bad := [name for name in names if not given.get(name, 0.0) > 0]:
        raise ValueError(f"the weight of {bad[0]!r} is {given.get(bad[0])}; allowed: above 0")
    tested = np.array([tables[name].tested for name in names])
    weight = np.where(tested > 0, [given[name] for name in names], 0.0)
    weight = weight / weight.sum() if weight.sum() > 0 else weight
    psi = np.array([tables[name].psi for name in names])
    there = np.isfinite(psi)
    with np.errstate(all="ignore"):
        shares = weight[:, None] * there
        average = np.where(there, shares * np.where(there, psi, 0), 0).sum(axis=0) / shares.sum(axis=0)
    return PsiTable(
        sets=names, factors=first.factors, psi=psi, responses=tested, weight=weight, average=average, mode=first.mode
    )
