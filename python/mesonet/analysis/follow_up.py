"""Follow-up runs: a few more runs that separate aliased effects.

Runs are added one at a time, then exchanged, to maximise the determinant of the information matrix of all runs, old
and new (a D-optimal augmentation; V. V. Fedorov, Theory of Optimal Experiments, 1972). The model has the mean, a
shift between both sets, all main effects and the effects of the strings in question. All other effects are assumed
to be zero: the effect sparsity of screening experiments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.observations import DesignLike, design_signs
from mesonet.analysis.result import AnalysisResult
from mesonet.words import own_names

Floats = NDArray[np.float64]

#: Allowed number of follow-up runs.
FEWEST_RUNS, MOST_RUNS = 4, 32
#: Factors up to which every combination of settings is a candidate; above, the runs done with one or two factors
#: switched and their mirror images.
_ALL_COMBINATIONS = 12
#: Keeps the determinant above 0 while fewer runs than effects are known; a thousandth of one run.
_RIDGE = 1e-3
_PASSES = 10


@dataclass(frozen=True, eq=False, repr=False)
class FollowUp(AnalysisResult):
    """The runs to add; one row of the table per run. The column of a factor named run is ``run (factor)``."""

    factors: tuple[str, ...]
    matrix: NDArray[np.int8]  #: shape (runs, k): settings of the added runs
    effects: tuple[str, ...]  #: effects in question: all effects of the strings
    separated: tuple[str, ...]  #: effects in question that all runs together can estimate
    still_aliased: tuple[str, ...]
    standard_error: Floats  #: per effect in question, in units of the SD of one run; NaN where it stays aliased
    runs_done: int
    notes: tuple[str, ...]

    UNITS: ClassVar = {}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"run": range(1, len(self.matrix) + 1)}

    def _columns(self) -> dict[str, Any]:
        return dict(zip(own_names(self.factors, ["run"]), self.matrix.T, strict=True))

    def _attributes(self) -> dict[str, Any]:
        words = {"separated": ", ".join(self.separated), "still aliased": ", ".join(self.still_aliased)}
        return {"runs done": self.runs_done, **words, "notes": " ".join(self.notes)}


def follow_up(
    design: DesignLike | ArrayLike,
    strings: Sequence[str],
    *,
    runs: int = 8,
    factors: Sequence[str] | None = None,
) -> FollowUp:
    """Return more runs that separate aliased effects.

    Parameters
    ----------
    design
        The runs done, as for `main_effects`.
    strings
        Alias strings, such as ``"X1*X2 = X6*X7"``, as `terms` returns them.
    runs
        Number of runs to add, 4 to 32.
    factors
        Names of the factors, as for `main_effects`.

    Returns
    -------
    Settings of the added runs, shape (runs, k), and the effects that they separate.

    Raises
    ------
    ValueError
        For a design that is not two-level, an effect that is no product of its factors, or a number of runs outside 4
        to 32.
    """
    matrix, names = design_signs(design, factors)
    if not FEWEST_RUNS <= runs <= MOST_RUNS:
        raise ValueError(f"{runs} follow-up runs; allowed: {FEWEST_RUNS} to {MOST_RUNS}")
    effects = list(dict.fromkeys(_bare(effect) for string in strings for effect in string.split(" = ")))
    products = [_places(effect, names) for effect in effects]
    notes = [] if any(" = " in string for string in strings) else ["No string has two effects: nothing is aliased."]
    asked = [product for product in products if len(product) > 1]
    model = [*((place,) for place in range(len(names))), *asked]
    done = _terms(matrix, model, shift=0.0)
    candidates = _candidates(matrix)
    new = _terms(candidates, model, shift=1.0)
    chosen = _exchange(done.T @ done, new, runs)
    everything = np.vstack([done, new[chosen]])
    error = _standard_errors(everything)
    at = {product: 2 + place for place, product in enumerate(model)}
    found = np.array([error[at[product]] for product in products])
    known = np.isfinite(found)
    if known.all() and len(effects):
        notes.append("All effects in question can be separated, if all other effects are zero.")
    return FollowUp(
        factors=names,
        matrix=candidates[chosen].astype(np.int8),
        effects=tuple(effects),
        separated=tuple(e for e, ok in zip(effects, known, strict=True) if ok),
        still_aliased=tuple(e for e, ok in zip(effects, known, strict=True) if not ok),
        standard_error=found,
        runs_done=len(matrix),
        notes=tuple(notes),
    )


def _bare(effect: str) -> str:
    return effect.strip().removeprefix("-")


def _places(effect: str, names: Sequence[str]) -> tuple[int, ...]:
    parts = effect.split("*")
    if unknown := [part for part in parts if part not in names]:
        raise ValueError(f"there is no factor {unknown[0]!r}; allowed: {', '.join(names)}")
    return tuple(sorted(names.index(part) for part in parts))


def _terms(matrix: Floats, model: Sequence[tuple[int, ...]], shift: float) -> Floats:
    """Return the columns of the model: mean, shift of the new runs (1) from the runs done (0), products of factors."""
    columns = [matrix[:, list(product)].prod(axis=1) for product in model]
    return np.column_stack([np.ones(len(matrix)), np.full(len(matrix), shift), *columns])


def _candidates(matrix: Floats) -> Floats:
    k = matrix.shape[1]
    if k <= _ALL_COMBINATIONS:
        places = np.arange(2**k)[:, None] >> np.arange(k) & 1
        return np.asarray(2.0 * places - 1)
    # Every run of a regular design looks alike to the determinant: a part of them is enough.
    runs = matrix[:: max(1, len(matrix) // 32)]
    switched = [runs, -runs]
    for chosen in [*combinations(range(k), 1), *combinations(range(k), 2)]:
        other = runs.copy()
        other[:, list(chosen)] *= -1
        switched.append(other)
    return np.unique(np.vstack(switched), axis=0)


def _exchange(information: Floats, new: Floats, runs: int) -> list[int]:
    """Return the candidates that maximise the determinant: a greedy choice, then exchanges until none helps."""
    matrix = information + _RIDGE * np.eye(len(information))
    chosen: list[int] = []
    for _ in range(runs):
        chosen.append(_best(_inverse(matrix), new))
        matrix = matrix + np.outer(new[chosen[-1]], new[chosen[-1]])
    for _ in range(_PASSES):
        changed = False
        for place in range(runs):
            without = matrix - np.outer(new[chosen[place]], new[chosen[place]])
            inverse = _inverse(without)
            better = _best(inverse, new)
            gain = new[better] @ inverse @ new[better] - new[chosen[place]] @ inverse @ new[chosen[place]]
            if gain > 1e-9 * (1 + abs(gain)):
                chosen[place], changed = better, True
            matrix = without + np.outer(new[chosen[place]], new[chosen[place]])
        if not changed:
            break
    return sorted(chosen)


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), dtype=float)


def _best(inverse: Floats, new: Floats) -> int:
    """Return the candidate that the model knows least about; of equals the first, whatever the rounding."""
    gain = np.einsum("ij,jk,ik->i", new, inverse, new)
    return int(np.flatnonzero(gain >= gain.max() * (1 - 1e-9))[0])


def _standard_errors(columns: Floats) -> Floats:
    """Return standard errors of effects (twice the coefficients) per SD of a run; NaN where not estimable."""
    _, singular, right = np.linalg.svd(columns, full_matrices=True)
    tolerance = singular[0] * 1e-9
    rank = int((singular > tolerance).sum())
    null = right[rank:]
    free = (np.abs(null) > 1e-7).any(axis=0) if len(null) else np.zeros(columns.shape[1], dtype=bool)
    variance = ((right[:rank] / singular[:rank, None]) ** 2).sum(axis=0)
    return np.asarray(np.where(free, np.nan, 2 * np.sqrt(variance)))
