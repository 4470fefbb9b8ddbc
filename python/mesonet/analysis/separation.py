"""Factor settings that are associated with a verdict, such as "this algorithm stands out in this condition".

Each factor, and on request each product of two, gives a two-by-two table: setting against flagged or not. It is
tested by Fisher's exact test, which is right for few conditions. An association in a designed experiment is not yet
a cause: a product of two factors cannot be distinguished from its aliases.

Source: R. A. Fisher, Journal of the Royal Statistical Society 98, 1935. The use is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.estimable import sign_columns
from mesonet.analysis.false_discovery import adjusted
from mesonet.analysis.observations import DesignLike, design_signs
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Separation(AnalysisResult):
    """Association of each term with the flags, smallest p first. Arrays have an entry per term."""

    terms: tuple[str, ...]  #: a factor, or a product of two, the first of its string of aliases
    strings: tuple[str, ...]  #: the whole string of aliases
    level: NDArray[np.int8]  #: setting (-1 or +1 of the product) at which more is flagged; 0 for neither
    flagged_minus: NDArray[np.int_]  #: conditions at - that are flagged
    runs_minus: NDArray[np.int_]
    flagged_plus: NDArray[np.int_]
    runs_plus: NDArray[np.int_]
    p: Floats  #: Fisher's exact test, two-sided
    q: Floats  #: p adjusted for the number of terms (Benjamini and Hochberg)
    flagged: int
    known: int  #: conditions with a verdict
    notes: tuple[str, ...]

    UNITS: ClassVar = {"p": "1", "q": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"term": self.terms}

    def _columns(self) -> dict[str, Any]:
        counts = ("flagged_minus", "runs_minus", "flagged_plus", "runs_plus")
        return {name: getattr(self, name) for name in ("strings", "level", *counts, "p", "q")}

    def _attributes(self) -> dict[str, Any]:
        return {"flagged": self.flagged, "known": self.known, "notes": " ".join(self.notes)}


def separating_settings(
    design: DesignLike | ArrayLike,
    flagged: ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    known: ArrayLike | None = None,
    order: int = 1,
) -> Separation:
    """Return the factor settings that separate flagged conditions from the others.

    Parameters
    ----------
    design
        As for `main_effects`.
    flagged
        Shape (conditions,): True for a flagged condition.
    factors
        As for `main_effects`.
    known
        Shape (conditions,): False for a condition without a verdict, which is left out. None: all have one.
    order
        1: factors; 2: products of two factors as well.

    Returns
    -------
    One row per term, smallest p first.

    Raises
    ------
    ValueError
        For a design that is not two-level, flags that do not fit it, or another order than 1 or 2.
    """
    matrix, names = design_signs(design, factors)
    chosen = np.asarray(flagged, dtype=bool)
    part = np.ones(len(matrix), dtype=bool) if known is None else np.asarray(known, dtype=bool)
    if chosen.shape != (len(matrix),) or part.shape != chosen.shape:
        raise ValueError(f"{len(matrix)} conditions need as many flags, not shape {chosen.shape} and {part.shape}")
    if order not in (1, 2):
        raise ValueError(f"order is {order}; allowed: 1, 2")
    signs = sign_columns(matrix, names, min(order, matrix.shape[1]))
    strings = signs.strings
    plus = signs.columns[part] > 0
    hits = chosen[part]
    both, n = int(hits.sum()), len(hits)
    runs_plus = plus.sum(axis=0)
    flagged_plus = (plus & hits[:, None]).sum(axis=0)
    runs_minus, flagged_minus = n - runs_plus, both - flagged_plus
    counts = zip(flagged_plus, flagged_minus, runs_plus, runs_minus, strict=True)
    p = np.array([_fisher(int(a), int(b), int(at_plus), int(at_minus)) for a, b, at_plus, at_minus in counts])
    rank = np.argsort(np.nan_to_num(p, nan=2.0), kind="stable")
    there = np.isfinite(p)
    q = np.full(len(p), np.nan)
    if there.any():
        q[there] = adjusted(p[there])
    with np.errstate(all="ignore"):
        difference = np.nan_to_num(flagged_plus / runs_plus - flagged_minus / runs_minus)
    notes = []
    if n < len(matrix):
        notes.append(f"{len(matrix) - n} of {len(matrix)} conditions have no verdict and are left out.")
    if both in (0, n):
        notes.append(f"{'No' if not both else 'Every'} condition is flagged: there is nothing to part.")
    return Separation(
        terms=tuple(strings[i][0] for i in rank),
        strings=tuple(" = ".join(strings[i]) for i in rank),
        level=np.sign(difference[rank]).astype(np.int8),
        flagged_minus=flagged_minus[rank],
        runs_minus=runs_minus[rank],
        flagged_plus=flagged_plus[rank],
        runs_plus=runs_plus[rank],
        p=p[rank],
        q=q[rank],
        flagged=both,
        known=n,
        notes=tuple(notes),
    )


def _fisher(first: int, second: int, of_first: int, of_second: int) -> float:
    if not of_first or not of_second:
        return float("nan")
    from scipy import stats  # slow to import, and only flags need it

    table = np.array([[first, of_first - first], [second, of_second - second]])
    return float(stats.fisher_exact(table).pvalue)
