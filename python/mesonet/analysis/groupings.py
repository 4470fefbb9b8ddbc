"""Groups of responses by principal components and by correlation, and their agreement.

A response belongs to the component that it follows most (the largest |loading| x SD of the component, which is its
correlation with the component where responses are scaled). The table also has its cluster of the correlation analysis
(CAC). The adjusted Rand index measures the agreement: 1 for equal groups, 0 for the expectation by chance.

Source: ASME paper, section 3.1.b, where CAC was developed because components may have no meaning; L. Hubert and
P. Arabie, Journal of Classification 2, 1985. Components with a variance above the mean of all count (H. F. Kaiser,
Educational and Psychological Measurement 20, 1960).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.correlation import Correlations
from mesonet.analysis.principal_components import PrincipalComponents
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Groupings(AnalysisResult):
    """Cluster and principal component of each response that both analyses have; rows by cluster."""

    responses: tuple[str, ...]
    cluster: NDArray[np.int_]  #: of the correlation analysis, from 1, the largest
    representative: tuple[str, ...]  #: of that cluster
    component: NDArray[np.int_]  #: that the response follows most, from 1
    weight: Floats  #: loading x SD of that component, with its sign
    components: int  #: how many count
    agreement: float  #: adjusted Rand index; NaN without responses
    left_out: tuple[str, ...]  #: responses that one of the analyses lacks

    UNITS: ClassVar = {}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"response": self.responses}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("cluster", "representative", "component", "weight")}

    def _attributes(self) -> dict[str, Any]:
        left_out = {"left out": ", ".join(self.left_out)} if self.left_out else {}
        return {"components": self.components, "agreement": self.agreement, **left_out}


def groupings(correlations: Correlations, components: PrincipalComponents) -> Groupings:
    """Return the groups of responses by correlation and by principal components, and their agreement.

    Parameters
    ----------
    correlations, components
        Both analyses of the same runs.

    Returns
    -------
    One row per response that both analyses have.
    """
    where = {name: place for place, cluster in enumerate(correlations.clusters, start=1) for name in cluster}
    column = {name: place for place, name in enumerate(components.responses)}
    both = sorted((name for name in where if name in column), key=lambda name: where[name])
    every = dict.fromkeys([*correlations.responses, *components.responses])
    variance = components.variance
    kept = max(1, int((variance > variance.mean()).sum())) if len(variance) else 0
    weights = components.loadings[:kept] * np.sqrt(variance[:kept, None])
    best = np.array([np.argmax(np.abs(weights[:, column[name]])) for name in both], dtype=int)
    cluster = np.array([where[name] for name in both], dtype=int)
    return Groupings(
        responses=tuple(both),
        cluster=cluster,
        representative=tuple(correlations.representatives[c - 1] for c in cluster),
        component=best + 1,
        weight=np.array([weights[b, column[name]] for b, name in zip(best, both, strict=True)]),
        components=kept,
        agreement=adjusted_rand(cluster, best),
        left_out=tuple(name for name in every if name not in both),
    )


def adjusted_rand(first: ArrayLike, second: ArrayLike) -> float:
    """Return the adjusted Rand index of two groupings.

    Parameters
    ----------
    first, second
        Group of each of n items, shape (n,); any labels.

    Returns
    -------
    1 for equal groups, 0 for the agreement expected by chance; NaN for no items.

    Raises
    ------
    ValueError
        For groupings of different length.

    Examples
    --------
    >>> adjusted_rand(["a", "a", "b"], [2, 2, 1])
    1.0
    """
    a, b = np.asarray(first), np.asarray(second)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"the groupings have shapes {a.shape} and {b.shape}; they must be equal and one-dimensional")
    if not len(a):
        return float("nan")
    rows, columns = (np.unique(each, return_inverse=True)[1] for each in (a, b))
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows, columns), 1)

    def pairs(counts: Floats) -> float:
        return float((counts * (counts - 1) / 2).sum())

    together, of_rows, of_columns = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    all_pairs = len(a) * (len(a) - 1) / 2
    expected = of_rows * of_columns / all_pairs if all_pairs else 0.0
    most = (of_rows + of_columns) / 2
    return 1.0 if most == expected else (together - expected) / (most - expected)
