"""Clusters of algorithms in a condition: average linkage on standardised responses.

Distance is Euclidean after every response was divided by its standard deviation over the algorithms (n - 1). Groups are
what lies below 70 % of the largest linkage (the defaults of the MATLAB functions that the study used).

Source: Mills et al., ASME paper, section 3.2.c and Figs. 11 and 12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

from mesonet.analysis.overflow_units import unit
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]

#: Share of the largest linkage below which algorithms are a group.
CUT = 0.7
#: Algorithms whose responses differ by less than this share of their size are the same.
INDISTINCT = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Clustering(AnalysisResult):
    """Cluster tree of the algorithms in a condition; the table has a row per algorithm."""

    algorithms: tuple[str, ...]  #: those with values
    linkage: (
        Floats  #: shape (algorithms - 1, 4) as in scipy: both clusters, distance, size; empty where all are the same
    )
    leaves: tuple[int, ...]  #: order of the algorithms from one end of the tree to the other
    group: NDArray[np.int_]  #: group of each algorithm, from 1 in the order of the leaves
    distinct: bool  #: False where no response distinguishes any two algorithms
    responses_used: tuple[str, ...]  #: those that vary over the algorithms and have all values
    absent: tuple[str, ...]  #: algorithms without values
    incomplete: tuple[str, ...] = ()  #: responses left out because only some of the algorithms have a value
    cut: float = CUT  #: share of the largest linkage below which algorithms are a group
    notes: tuple[str, ...] = ()  #: remark on ties

    UNITS: ClassVar = {}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"algorithm": self.algorithms}

    def _columns(self) -> dict[str, Any]:
        return {"group": self.group, "place": np.argsort(self.leaves) + 1}

    def _attributes(self) -> dict[str, Any]:
        left_out = {"algorithms left out": self.absent, "responses left out": self.incomplete}
        text = {what: ", ".join(names) for what, names in left_out.items() if names}
        text |= {"notes": " ".join(self.notes)} if self.notes else {}
        return {"responses": len(self.responses_used), "distinct": self.distinct, "cut": self.cut, **text}

    @property
    def most_distant(self) -> str | None:
        """The algorithm that joins the tree last and alone, if there is one."""
        n = len(self.algorithms)
        if not self.distinct or n < 3:
            return None
        alone = [int(c) for c in self.linkage[-1, :2] if c < n]
        return self.algorithms[alone[0]] if len(alone) == 1 else None


def clustering(data: ArrayLike, *, algorithms: Sequence[str], responses: Sequence[str], cut: float = CUT) -> Clustering:
    """Return the cluster tree of the algorithms of one condition.

    An algorithm without any value is left out. A response is left out if it does not vary, or if another algorithm with
    values lacks it. The result names the algorithms, and the responses that only some algorithms have. A note reports
    equal distances, if they let the order of the algorithms decide the tree.

    Parameters
    ----------
    data
        Shape (algorithms, responses), NaN where missing.
    algorithms, responses
        Names of the rows and of the columns.
    cut
        Share of the largest linkage below which algorithms are a group, above 0 and below 1.

    Returns
    -------
    The tree and the group of each algorithm.

    Raises
    ------
    ValueError
        If the data do not fit the names, or `cut` does not lie between 0 and 1.
    """
    if not 0 < cut < 1:
        raise ValueError(f"cut is {cut}; allowed: between 0 and 1")
    values = np.asarray(data, dtype=float)
    if values.shape != (len(algorithms), len(responses)):
        raise ValueError(f"the data have shape {values.shape}; expected ({len(algorithms)}, {len(responses)})")
    there = np.isfinite(values).any(axis=1)
    values = values[there]
    names = tuple(name for name, keep in zip(algorithms, there, strict=True) if keep)
    complete = np.isfinite(values).all(axis=0) if len(values) else np.zeros(len(responses), dtype=bool)
    spread = np.ptp(values, axis=0) if len(values) else np.zeros(len(responses))
    with np.errstate(invalid="ignore"):
        used = complete & (spread > INDISTINCT * np.max(np.abs(values), axis=0, initial=0.0))
    absent = tuple(name for name, keep in zip(algorithms, there, strict=True) if not keep)
    used_names = tuple(name for name, keep in zip(responses, used, strict=True) if keep)
    partly = np.isfinite(values).any(axis=0) & ~complete
    incomplete = tuple(name for name, some in zip(responses, partly, strict=True) if some)
    if len(names) < 2 or not used.any():
        one = np.ones(len(names), dtype=int)
        return Clustering(
            algorithms=names,
            linkage=np.empty((0, 4)),
            leaves=tuple(range(len(names))),
            group=one,
            distinct=False,
            responses_used=used_names,
            absent=absent,
            incomplete=incomplete,
            cut=cut,
        )
    values = values[:, used] / unit(values[:, used], axis=0)
    scaled = values / values.std(axis=0, ddof=1)
    tree = hierarchy.linkage(pdist(scaled), method="average")
    leaves = tuple(int(i) for i in hierarchy.leaves_list(tree))
    label = hierarchy.fcluster(tree, cut * tree[-1, 2], criterion="distance")
    order = {each: place for place, each in enumerate(dict.fromkeys(label[list(leaves)]), start=1)}
    group = np.array([order[each] for each in label])
    return Clustering(
        algorithms=names,
        linkage=tree,
        leaves=leaves,
        group=group,
        distinct=True,
        responses_used=used_names,
        absent=absent,
        incomplete=incomplete,
        cut=cut,
        notes=_ties(scaled, tree),
    )


def _ties(scaled: Floats, tree: Floats) -> tuple[str, ...]:
    """Return a remark if equal distances let the order of the algorithms decide the tree."""
    back = hierarchy.cophenet(hierarchy.linkage(pdist(scaled[::-1]), method="average"))
    own = squareform(hierarchy.cophenet(tree))
    if np.abs(own[::-1, ::-1] - squareform(back)).max() <= INDISTINCT * tree[-1, 2]:
        return ()
    return ("Some distances are equal: the order of the algorithms decides which algorithms join first.",)
