"""Block plot analysis: the two level means of a factor in every block of robustness factors.

Step 5 of Filliben's ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.5; Dataplot DEXBP). The robustness
factors are the most important other main factors: three for at least 16 runs (two of three factors), two for 8, one
for 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.estimable import ROUNDING
from mesonet.analysis.main_effects import main_effects
from mesonet.analysis.observations import DesignLike, design_signs, observations
from mesonet.analysis.result import AnalysisResult
from mesonet.analysis.sign_test import sign_test
from mesonet.words import own_names

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Blocks(AnalysisResult):
    """Mean responses at both levels of a target factor, by block: a combination of levels of the robustness factors."""

    target: str
    robustness: tuple[str, ...]  #: most important first
    levels: NDArray[np.int8]  #: shape (blocks, robustness factors)
    mean_minus: Floats  #: mean response at the - level of the target in the block; NaN without a run
    mean_plus: Floats
    higher_plus: int  #: blocks in which + gives more
    higher_minus: int  #: blocks in which - gives more
    p: float  #: sign test, two-sided: chance of a split at least as uneven

    UNITS: ClassVar = {}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"block": range(1, len(self.levels) + 1)}

    def _columns(self) -> dict[str, Any]:
        own = {"mean_minus": self.mean_minus, "mean_plus": self.mean_plus}
        return dict(zip(own_names(self.robustness, ["block", *own]), self.levels.T, strict=True)) | own

    def _attributes(self) -> dict[str, Any]:
        split = {"higher_plus": self.higher_plus, "higher_minus": self.higher_minus, "p": self.p}
        return {"target": self.target, **split}


def blocks(
    design: DesignLike | ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    target: str,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
) -> Blocks:
    """Return the blocks of one target factor.

    Parameters
    ----------
    design, y
        As for `main_effects`; replicates are averaged.
    target
        The factor whose levels are compared in each block.
    factors, algorithm
        As for `main_effects`.

    Returns
    -------
    Level means in each block, and the sign test over the blocks.

    Raises
    ------
    ValueError
        As `main_effects`; also for an unknown target.
    """
    matrix, names = design_signs(design, factors)
    if target not in names:
        raise ValueError(f"there is no factor {target!r}; allowed: {', '.join(names)}")
    observed = observations(y, design, algorithm)
    used, mean = observed.used, observed.mean
    signs = matrix[used]
    effect = np.abs(main_effects(design, y, mode="full", factors=names, algorithm=algorithm).effect)
    here = names.index(target)
    others = [int(i) for i in np.argsort(-np.nan_to_num(effect, nan=-1.0), kind="stable") if i != here]
    chosen = others[: _robustness(len(matrix), len(names))]
    levels = np.array(list(product((-1, 1), repeat=len(chosen))), dtype=np.int8).reshape(2 ** len(chosen), len(chosen))
    means = np.full((len(levels), 2), np.nan)
    for place, block in enumerate(levels):
        inside = (signs[:, chosen] == block).all(axis=1)
        for side, sign in enumerate((-1, 1)):
            there = mean[inside & (signs[:, here] == sign)]
            means[place, side] = there.mean() if len(there) else np.nan
    more, tiny = means[:, 1] - means[:, 0], ROUNDING * np.max(np.abs(mean), initial=0.0)
    plus, minus = int((more > tiny).sum()), int((more < -tiny).sum())
    p = sign_test(plus, minus)
    return Blocks(
        target=target,
        robustness=tuple(names[i] for i in chosen),
        levels=levels,
        mean_minus=means[:, 0],
        mean_plus=means[:, 1],
        higher_plus=plus,
        higher_minus=minus,
        p=p,
    )


def _robustness(runs: int, factors: int) -> int:
    """Return the number of robustness factors."""
    wanted = 3 if runs >= 16 else 2 if runs >= 8 else 1
    return min(wanted, factors - 1)
