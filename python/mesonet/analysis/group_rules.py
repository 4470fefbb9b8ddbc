"""Rules that explain groups of runs by settings: "group 1 is X1 at -; group 2 is X1 at + and X2 at +".

A decision tree of at most three questions, each about the setting of one factor. Groups may come from the plane of two
principal components (`score_groups`), from a split of a cluster tree, or from anywhere else. The rules are an
association, not a cause.

Source: L. Breiman et al., Classification and Regression Trees, 1984 (Gini impurity). That groups in the plane of the
components were explained by settings is SP 500-282 ch. 10, section 10.2.5.1; there it was done by eye.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

from mesonet.analysis.checks import factor_names
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]

#: Most questions between the root and a leaf: more do not fit into a sentence.
DEEPEST = 3
#: Fewer runs than this are not parted further.
FEWEST = 2
#: Groups that `score_groups` looks for at most.
MOST_GROUPS = 6
#: Mean silhouette below which points are one cloud (L. Kaufman and P. J. Rousseeuw, Finding Groups in Data, 1990: up to
#: 0.25 there is no structure, up to 0.5 it is weak).
NO_STRUCTURE = 0.25


@dataclass(frozen=True)
class Rule:
    """Leaf of the decision tree: the settings on its path and its most frequent group."""

    settings: tuple[tuple[str, int], ...]  #: factor and setting, -1 or +1, from the root down; empty: all runs
    group: Any  #: the most frequent group there
    runs: int
    right: int  #: runs of that group

    @property
    def text(self) -> str:
        """The settings in words."""
        wording = [f"{name} at {'+' if level > 0 else '−'}" for name, level in self.settings]
        return " and ".join(wording) if wording else "all runs"


@dataclass(frozen=True, eq=False, repr=False)
class GroupRules(AnalysisResult):
    """Rules that explain groups of runs; the table has a row per rule."""

    rules: tuple[Rule, ...]
    right: int  #: runs whose group is the group of their rule
    largest: int  #: runs of the largest group: as many would be right without a rule
    runs: int
    equally_good: tuple[tuple[str, ...], ...]  #: per question, other factors that separate the runs as well
    notes: tuple[str, ...]

    UNITS: ClassVar = {}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"rule": range(1, len(self.rules) + 1)}

    def _columns(self) -> dict[str, Any]:
        columns = {name: [getattr(rule, name) for rule in self.rules] for name in ("text", "group", "runs", "right")}
        return {"settings": columns.pop("text"), **columns}

    def _attributes(self) -> dict[str, Any]:
        return {"right": self.right, "largest": self.largest, "runs": self.runs, "notes": " ".join(self.notes)}


def group_rules(
    signs: ArrayLike, groups: ArrayLike, *, factors: Sequence[str] | None = None, depth: int = DEEPEST
) -> GroupRules:
    """Return the settings that explain groups.

    Parameters
    ----------
    signs
        Shape (runs, k), -1 and +1: settings, or anything with two values, such as "is algorithm fast".
    groups
        Shape (runs,), the group of each run; None or NaN for runs without a group, which are left out.
    factors
        Names of the columns; by default x1, x2, and so on.
    depth
        Most questions between the root and a leaf, 1 to 3.

    Returns
    -------
    One rule per leaf of the decision tree.

    Raises
    ------
    ValueError
        For signs that are not two-level, groups or names that do not fit them, or a depth outside 1 to 3.

    Examples
    --------
    >>> signs = [[-1, -1], [1, -1], [-1, 1], [1, 1]]
    >>> found = group_rules(signs, ["slow", "fast", "slow", "fast"], factors=["speed", "delay"])
    >>> [(rule.settings, rule.group) for rule in found.rules]
    [((('speed', -1),), 'slow'), ((('speed', 1),), 'fast')]
    """
    matrix = np.asarray(signs, dtype=float)
    if matrix.ndim != 2 or not np.all(np.abs(matrix) == 1):
        raise ValueError("the signs must be an (n, k) array of -1 and +1")
    names = factor_names(factors, matrix.shape[1], interactions=False)  # algorithms of models have any name
    label = np.asarray(groups, dtype=object)
    if label.shape != (len(matrix),) or len(names) != matrix.shape[1]:
        raise ValueError(f"groups of shape {label.shape} and {len(names)} names do not fit signs {matrix.shape}")
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"depth is {depth}; allowed: 1 to {DEEPEST}")
    known = np.array([each is not None and each == each for each in label], dtype=bool)
    notes = [f"{int((~known).sum())} runs belong to no group and are left out."] if not known.all() else []
    matrix, label = matrix[known], label[known]
    counts = Counter(label.tolist())
    if len(counts) < 2:
        notes.append("There is one group: nothing to explain." if counts else "There are no groups.")
    rules: list[Rule] = []
    equally_good: list[tuple[str, ...]] = []

    def grow(rows: NDArray[np.intp], settings: tuple[tuple[str, int], ...]) -> None:
        best = _questions(matrix[rows], label[rows]) if len(settings) < depth else []
        if not best:
            group, right = Counter(label[rows].tolist()).most_common(1)[0]
            rules.append(Rule(settings, group, len(rows), right))
            return
        equally_good.append(tuple(names[i] for i in best[1:]))
        for sign in (-1, 1):
            grow(rows[matrix[rows, best[0]] == sign], (*settings, (names[best[0]], sign)))

    if len(label):
        grow(np.arange(len(label)), ())
    right = sum(rule.right for rule in rules)
    if len(counts) > 1 and len(rules) == 1:
        notes.append("No setting parts the groups.")
    largest = max(counts.values(), default=0)
    return GroupRules(
        rules=tuple(rules),
        right=right,
        largest=largest,
        runs=len(label),
        equally_good=tuple(equally_good),
        notes=tuple(notes),
    )


def _questions(matrix: Floats, label: NDArray[np.object_]) -> list[int]:
    """Return the factor that separates the groups best, and equally good ones; empty where no factor helps."""
    n = len(label)
    kinds, place = np.unique(label.astype(str), return_inverse=True)
    if n < FEWEST or len(kinds) < 2:
        return []
    member = np.eye(len(kinds))[place]
    plus = (matrix > 0).astype(float)
    at_plus = plus.T @ member  # (factors, groups)
    at_minus = member.sum(axis=0) - at_plus
    with np.errstate(all="ignore"):
        # n x the mean impurity, less a constant: the larger, the purer
        pure = sum(np.nan_to_num((side**2).sum(axis=1) / side.sum(axis=1)) for side in (at_plus, at_minus))
    base = (member.sum(axis=0) ** 2).sum() / n
    best = float(np.max(pure, initial=0.0))
    if best <= base * (1 + 1e-9):
        return []
    return [int(i) for i in np.flatnonzero(pure >= best * (1 - 1e-9))]


def score_groups(points: ArrayLike, *, most: int = MOST_GROUPS) -> NDArray[np.object_]:
    """Return groups of points, numbered from 1 by falling size.

    Average linkage, cut where the mean silhouette is largest; one group where no cut has one above 0.25.

    Parameters
    ----------
    points
        Shape (n, d), such as scores of d principal components.
    most
        Most groups to look for.

    Returns
    -------
    Group of each point, shape (n,); None for a point that is not finite.

    Raises
    ------
    ValueError
        For points that are not two-dimensional.
    """
    array = np.asarray(points, dtype=float)
    if array.ndim != 2:
        raise ValueError(f"points have shape (n, d); these have {array.shape}")
    there = np.isfinite(array).all(axis=1)
    found = np.full(len(array), None, dtype=object)
    known = array[there]
    label = np.ones(len(known), dtype=int)
    if len(known) > 2 and np.ptp(known, axis=0).max(initial=0.0) > 0:
        distance = pdist(known)
        tree = hierarchy.linkage(distance, method="average")
        square, best = squareform(distance), NO_STRUCTURE
        for number in range(2, min(most, len(known) - 1) + 1):
            cut = hierarchy.fcluster(tree, number, criterion="maxclust").astype(int)
            if cut.max() > 1 and (quality := _silhouette(square, cut)) > best:
                best, label = quality, cut
    order = {group: place for place, (group, _) in enumerate(Counter(label.tolist()).most_common(), start=1)}
    found[there] = [order[int(each)] for each in label]
    return found


def _silhouette(distance: Floats, label: NDArray[np.int_]) -> float:
    member = np.eye(label.max())[label - 1]
    count = member.sum(axis=0)
    total = distance @ member
    own = label - 1
    rows = np.arange(len(label))
    with np.errstate(all="ignore"):
        inside = total[rows, own] / (count[own] - 1)
        mean = total / count
        mean[rows, own] = np.inf
        outside = mean.min(axis=1)
        value = (outside - inside) / np.maximum(outside, inside)
    return float(np.where(count[own] > 1, np.nan_to_num(value), 0.0).mean())
