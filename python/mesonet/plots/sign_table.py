"""Signs and stars of all factors over many responses, and Psi.

A cell holds the level that raises the response, with ** for p < .01 and * for p < .05. (ASME paper, Tables 7 and 8.)
"""

from collections.abc import Mapping

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.psi import FactorTable, PsiTable
from mesonet.plots import theme
from mesonet.plots.matrix import Look, matrix
from mesonet.words import number

UP, DOWN, NONE, UNKNOWN = "raised by +, p < .05", "raised by −, p < .05", "not significant", "no test, or constant"
_COLOURS = {UP: "#9ccbe8", DOWN: theme.LOW, NONE: "#f4f5f7", UNKNOWN: "#d5dae0"}


def varies(result: FactorTable) -> NDArray[np.bool_]:
    """Return per response whether any factor has an effect on it: where none has, it is constant."""
    return np.asarray((result.sign != 0).any(axis=1))


def sign_table(result: FactorTable, *, labels: Mapping[str, str] | None = None, title: str = "") -> alt.LayerChart:
    """Return the figure of one result; `labels` name the responses."""
    rows, stars, varying = [], result.stars, varies(result)
    for i, response in enumerate(result.responses):
        for j, factor in enumerate(result.factors):
            sign, p = int(result.sign[i, j]), float(result.p[i, j])
            tested = varying[i] and p == p
            mark = "" if sign == 0 or not tested else f"{'+' if sign > 0 else '−'}{stars[i, j]}"
            kind = UNKNOWN if not tested else (UP if sign > 0 else DOWN) if stars[i, j] else NONE
            said = f"{mark or 'no effect'}, p {number(p, 2)}" if tested else UNKNOWN
            rows.append(
                {"row": (labels or {}).get(response, response), "column": factor, "text": mark, "kind": kind,
                 "tip": said}
            )  # fmt: skip
    psi = [f"{name} {100 * value:.0f}" for name, value in zip(result.factors, result.psi, strict=True)
           if value == value]  # fmt: skip
    schema = dict.fromkeys(("row", "column", "text", "kind", "tip"), pl.String)
    return matrix(
        pl.DataFrame(rows, schema=schema),
        rows=[(labels or {}).get(name, name) for name in result.responses],
        columns=result.factors,
        look=Look(cell=34, row=16, colours=_COLOURS),
        title=title,
        subtitle=[f"Psi x 100 over {result.tested} responses with a test:", *_lines(psi)] if psi else [],
    )


def _lines(parts: list[str]) -> list[str]:
    """Return the parts as a list, ten to a line."""
    lines = [", ".join(parts[start : start + 10]) for start in range(0, len(parts), 10)]
    return (",\n".join(lines) + ".").splitlines()


def psi_table(result: PsiTable, *, names: Mapping[str, str] | None = None, title: str = "") -> alt.LayerChart:
    """Draw Psi x 100 of every factor and set of responses, and its weighted average; `names` are titles of factors."""
    order = [result.factors[i] for i in result.order]
    columns = {name: f"{name} {names[name]}" if names and name in names else name for name in order}
    # Of one set the average is the set itself.
    average = ["weighted average"] if len(result.sets) > 1 else []
    rows = []
    for i, name in enumerate((*result.sets, *average)):
        for j, factor in enumerate(result.factors):
            value = float(result.average[j] if i == len(result.sets) else result.psi[i, j])
            known = value == value
            rows.append(
                {"row": name, "column": columns[factor], "text": f"{100 * value:.0f}" if known else "–",
                 "shade": value if known else 0.0, "tip": f"Psi {number(value)}"}
            )  # fmt: skip
    said = ", ".join(f"{name} {number(w, 2)}" for name, w in zip(result.sets, result.weight, strict=True))
    return matrix(
        pl.DataFrame(rows, infer_schema_length=None),
        rows=[*result.sets, *average],
        columns=list(columns.values()),
        look=Look(cell=38, row=22, font=11),
        title=title,
        subtitle=["Psi x 100." + (f" Weights: {said}." if average else "")],
    )
