"""Map of the aliases of a two-level design: a cell for each pair of factors."""

from __future__ import annotations

from itertools import combinations_with_replacement

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.charts.matrix import Look, matrix
from mesonet.designs.two_level import Design

CLEAR, SHARED, BIASED = "clear", "aliased with interactions", "aliased with a main effect"
_COLOURS = {CLEAR: theme.HIGH, SHARED: theme.LOW, BIASED: "#eab8a0"}


def alias_map(design: Design, *, title: str = "") -> alt.LayerChart:
    """Draw which main effects and two-factor interactions a design separates.

    Parameters
    ----------
    design
        A two-level design.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: main effects on the diagonal, interactions below it. Effects with an equal number are aliased with each
    other.
    """
    number = {
        effect.removeprefix("-"): place for place, group in enumerate(design.alias_strings, 1) for effect in group
    }
    cells = []
    for i, j in combinations_with_replacement(range(len(design.factors)), 2):
        column, row = design.factors[i], design.factors[j]
        effect = column if i == j else f"{column}*{row}"
        others = [other.removeprefix("-") for other in design.aliases[effect]]
        kind = CLEAR if not others else SHARED if all("*" in other for other in others) else BIASED
        tip = f"{effect}: {kind}" + (f", {', '.join(design.aliases[effect])}" if others else "")
        cells.append({"row": row, "column": column, "text": str(number.get(effect, "")), "kind": kind, "tip": tip})
    kinds = {cell["kind"] for cell in cells}
    clear = len(design.clear_interactions)
    pairs = len(design.factors) * (len(design.factors) - 1) // 2
    return matrix(
        pl.DataFrame(cells),
        rows=design.factors,
        columns=design.factors,
        look=Look(cell=40, row=24, colours=_COLOURS, font=11, unlabelled=[k for k in _COLOURS if k not in kinds]),
        title=title or f"{len(design.factors)} factors in {design.runs:,} runs",
        subtitle=[
            f"Main effects on the diagonal, interactions below: {clear} of {pairs} are clear.",
            "Effects with an equal number cannot be distinguished.",
        ],
    )
