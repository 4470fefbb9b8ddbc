"""The ten-step graphical analysis of one response: everything that its ten plots show.

Source: J. Filliben's Dataplot macros `lib/10step`; NIST/SEMATECH e-Handbook, section 5.5.9. The steps are 1 ordered
data, 2 multi-factor scatter, 3 main effects, 4 interactions, 5 blocks, 6 Youden, 7 |effects|, 8 half-normal, 9
cumulative residual SD, 10 contour; steps 6 to 9 are about the same terms.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from numpy.typing import ArrayLike

from mesonet.analysis.blocks import Blocks, blocks
from mesonet.analysis.contour import Contour, contour
from mesonet.analysis.factor_scatter import FactorScatter, factor_scatter
from mesonet.analysis.interactions import Interactions, interactions
from mesonet.analysis.main_effects import MainEffects, Mode, main_effects
from mesonet.analysis.observations import DesignLike, design_signs
from mesonet.analysis.ordered import OrderedData, ordered_data
from mesonet.analysis.terms import Terms, terms


@dataclass(frozen=True)
class TenSteps:
    """The results of the steps."""

    ordered: OrderedData  #: step 1
    scatter: FactorScatter  #: step 2
    effects: MainEffects  #: step 3
    interactions: Interactions  #: step 4
    blocks: dict[str, Blocks]  #: step 5: by target factor
    terms: Terms  #: steps 6 to 9: every estimable string
    contour: Contour | None  #: step 10; None for fewer than two factors that are not categorical


def ten_steps(
    design: DesignLike | ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
    mode: Mode = "nist",
    categorical: Collection[str] = (),
) -> TenSteps:
    """Return the results of all steps for one response.

    Parameters
    ----------
    design, y, factors, algorithm, mode
        As for `main_effects`. Mode ``replicates`` also tests the terms against the scatter of replicates.
    categorical
        Factors without settings between their levels; the contour takes no axis from them.

    Returns
    -------
    One result per step; steps 6 to 9 share one.

    Raises
    ------
    ValueError
        As `main_effects`.
    """
    _, names = design_signs(design, factors)
    about: dict[str, Any] = {"factors": names, "algorithm": algorithm}
    return TenSteps(
        ordered=ordered_data(design, y, **about),
        scatter=factor_scatter(design, y, **about),
        effects=main_effects(design, y, mode=mode, **about),
        interactions=interactions(design, y, **about),
        blocks={name: blocks(design, y, target=name, **about) for name in names},
        terms=terms(design, y, noise="replicates" if mode == "replicates" else "effects", **about),
        contour=contour(design, y, categorical=categorical, **about)
        if len(set(names) - set(categorical)) > 1
        else None,
    )
