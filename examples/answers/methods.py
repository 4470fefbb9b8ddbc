"""Four methods look for the factors that matter, in a function whose answer is known: which needs how many runs?

Run ``python methods.py methods.svg``. The function is of Ishigami and Homma (1990): x1 acts on both sides of zero, x2
in the middle of its range, and x3 only together with x1. Their total shares of the variance are 0.56, 0.44 and 0.24.
"""

import json
import sys

import numpy as np
import polars as pl

import mesonet as mn
from mesonet import plots

FACTORS = ["x1", "x2", "x3"]
SHARES = (0.5576, 0.4424, 0.2437)


def ishigami(coded):
    """Return the function at settings from -1 to 1, which stand for -pi to pi."""
    x1, x2, x3 = np.pi * np.asarray(coded, dtype=float).T
    return np.sin(x1) + 7 * np.sin(x2) ** 2 + 0.1 * x3**4 * np.sin(x1)


def answers():
    """Return what each method finds, by its name and number of runs."""
    found = {"known shares of the variance": np.array(SHARES)}
    corners = mn.designs.two_level(FACTORS).matrix
    found["two-level design, 8 runs: effects"] = np.abs(corners.T @ ishigami(corners)) / 4
    points = np.asarray(mn.designs.sobol(FACTORS, 64))
    ranks = mn.analysis.sensitivity(points, ishigami(points), factors=FACTORS)
    found["rank correlations, 64 runs"] = np.abs(ranks.prcc)
    paths = mn.designs.morris(FACTORS, 4 * 20)
    found["Morris, 80 runs: mean effects"] = mn.analysis.morris_effects(paths, ishigami(paths), factors=FACTORS).size
    plan = mn.designs.saltelli(FACTORS, 5 * 256)
    found["Sobol', 1,280 runs: total shares"] = mn.analysis.sobol_indices(plan, ishigami(plan), factors=FACTORS).total
    return found


def draw(found):
    """Return a table of the answers; shades compare the factors within a row."""
    cells = []
    for row, values in found.items():
        shades = np.clip(values / max(values.max(), 0.05), 0, 1).tolist()
        for factor, value, shade in zip(FACTORS, values, shades, strict=True):
            cells.append({"row": row, "column": factor, "text": f"{value:.2f}", "shade": shade})
    look = plots.Look(cell=70, row=28, font=12)
    title = "Which factor matters? Four methods, one function"
    return plots.matrix(pl.DataFrame(cells), rows=list(found), columns=FACTORS, look=look, title=title)


if __name__ == "__main__":
    found = answers()
    plots.save(draw(found), sys.argv[1])
    print(json.dumps({row: values.tolist() for row, values in found.items()}, indent=1))
