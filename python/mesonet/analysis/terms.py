"""All terms that a two-level design can tell apart: main effects, and interactions by alias string.

In a fraction several terms share one column of signs, so that only their sum can be estimated: they are one entry,
named by its string of aliases. Every estimable string is there, not a capped list; half-normal quantiles, Lenth's
margins and the cumulative residual standard deviation follow from the same ordering.

Source: J. Filliben's ten-step analysis, steps 6 to 9 (Dataplot macros `lib/10step`; NIST/SEMATECH e-Handbook, section
5.5.9); order-statistic medians after Filliben 1975.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from mesonet.analysis.lenth import Lenth, lenth
from mesonet.analysis.main_effects import DesignLike, condition_means, design_signs
from mesonet.analysis.result import Result

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Terms(Result):
    """Estimable terms by falling |effect|. Arrays have one entry per term."""

    terms: tuple[str, ...]  #: a main effect or interaction, such as `X1*X2`, the first of its string
    strings: tuple[str, ...]  #: the whole alias string, such as `X1*X2 = -X3*X5`
    order: tuple[int, ...]  #: number of factors in the term
    effect: Floats  #: mean at + less mean at -
    mean_minus: Floats
    mean_plus: Floats
    half_normal: Floats  #: half-normal order-statistic median that belongs to |effect|
    residual_sd: Floats  #: residual SD of the model of the mean and all terms up to this one; NaN without freedom
    runs: int
    grand_mean: float
    sd: float  #: of the response: the residual SD of the model of the mean alone
    noise: Lenth  #: of all these effects
    notes: tuple[str, ...]

    UNITS: ClassVar = {"half_normal": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"term": self.terms}

    def _columns(self) -> dict[str, Any]:
        names = ("strings", "order", "effect", "mean_minus", "mean_plus", "half_normal", "residual_sd")
        return {**{name: getattr(self, name) for name in names}, "active": self.noise.active(self.effect)}

    def _attributes(self) -> dict[str, Any]:
        margins = {"pse": self.noise.pse, "me": self.noise.me, "sme": self.noise.sme}
        return {"runs": self.runs, "grand_mean": self.grand_mean, "sd": self.sd, **margins}


def terms(
    design: DesignLike | ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
    order: int = 2,
) -> Terms:
    """Effects of all estimable terms of up to `order` factors on the response `y`; arguments as `main_effects`.

    Raises ValueError for a design that is not two-level or a response that does not fit it.
    """
    matrix, names = design_signs(design, factors)
    if not 1 <= order <= matrix.shape[1]:
        raise ValueError(f"order is {order}; allowed: 1 to the number of factors, {matrix.shape[1]}")
    used, mean = condition_means(y, len(matrix), algorithm)
    columns, strings, orders, constant = sign_columns(matrix, names, order)
    notes = [f"Cannot be told from the mean: {', '.join(constant)}."] if constant else []
    if len(used) < len(matrix):
        notes.append(f"{len(matrix) - len(used)} of {len(matrix)} conditions have no value and are left out.")
    columns = columns[used]
    if 1 < len(used) < len(matrix):
        notes += _overlap(columns, [each[0] for each in strings])
    plus = columns > 0
    with np.errstate(all="ignore"):
        mean_plus = np.where(plus, mean[:, None], 0).sum(axis=0) / plus.sum(axis=0)
        mean_minus = np.where(plus, 0, mean[:, None]).sum(axis=0) / (~plus).sum(axis=0)
    effect = mean_plus - mean_minus
    n = len(mean)
    if n and np.ptp(mean) <= 1e-12 * np.max(np.abs(mean)):
        effect = np.zeros(len(effect))
        notes.append("The response is the same in all runs: every effect is zero.")
    rank = np.argsort(-np.nan_to_num(np.abs(effect), nan=-1.0), kind="stable")
    residual = _residual_sd(columns[:, rank], mean)
    return Terms(
        tuple(strings[i][0] for i in rank),
        tuple(" = ".join(strings[i]) for i in rank),
        tuple(orders[i] for i in rank),
        effect[rank],
        mean_minus[rank],
        mean_plus[rank],
        half_normal_medians(len(rank))[::-1],
        residual,
        n,
        float(mean.mean()) if n else float("nan"),
        float(mean.std(ddof=1)) if n > 1 else float("nan"),
        lenth(effect),
        tuple(notes),
    )


def _overlap(columns: Floats, names: Sequence[str]) -> list[str]:
    """What lost runs do to terms that the design tells apart: their columns are no longer orthogonal."""
    centred = columns - columns.mean(axis=0)
    size = np.linalg.norm(centred, axis=0)
    with np.errstate(all="ignore"):
        cosine = np.abs(centred.T @ centred / np.outer(size, size))
    cosine = np.triu(np.nan_to_num(cosine), 1)
    if not cosine.size or cosine.max() < 1e-9:
        return []
    first, second = (names[int(i)] for i in np.unravel_index(int(cosine.argmax()), cosine.shape))
    if cosine.max() < 1 - 1e-9:
        return [f"Without them terms overlap: up to {100 * cosine.max():.0f} % of one goes into another."]
    pairs = int((cosine > 1 - 1e-9).sum())
    others = f", and {pairs - 1} other {'pair' if pairs == 2 else 'pairs'}" if pairs > 1 else ""
    return [f"Without them terms overlap: {first} and {second} cannot be told apart any more{others}."]


def half_normal_medians(m: int) -> Floats:
    """Medians of the m order statistics of |N(0, 1)|, rising: where effects that are only noise would lie."""
    i = np.arange(1, m + 1)
    uniform = (i - 0.3175) / (m + 0.365)
    if m:
        uniform[-1] = 0.5 ** (1 / m)
        uniform[0] = 1 - uniform[-1] if m > 1 else 0.5
    return np.asarray(stats.norm.ppf((1 + uniform) / 2))


def sign_columns(
    matrix: Floats, names: Sequence[str], order: int
) -> tuple[Floats, list[list[str]], list[int], list[str]]:
    """Different columns of signs of the products of up to `order` factors, shape (n, columns); the aliases of each, the
    number of factors of the first, and the products that are the same in every run."""
    return _sign_columns(np.ascontiguousarray(matrix, dtype=np.int8).tobytes(), len(matrix), tuple(names), order)


@lru_cache(maxsize=8)
def _sign_columns(
    signs: bytes, runs: int, names: tuple[str, ...], order: int
) -> tuple[Floats, list[list[str]], list[int], list[str]]:
    """One design is looked at for hundreds of responses: its columns are found once. Callers change nothing."""
    matrix = np.frombuffer(signs, dtype=np.int8).reshape(runs, len(names)).astype(float)
    known: dict[bytes, int] = {}
    columns: list[Floats] = []
    strings: list[list[str]] = []
    orders: list[int] = []
    constant = []
    for size in range(1, order + 1):
        for chosen in combinations(range(matrix.shape[1]), size):
            column = matrix[:, chosen].prod(axis=1)
            name = "*".join(names[i] for i in chosen)
            sign = column[0] if runs else 1.0
            key = (column * sign).astype(np.int8).tobytes()
            if (column == sign).all():
                constant.append(name)
            elif key in known:
                place = known[key]
                strings[place].append(name if columns[place][0] == sign else f"-{name}")
            else:
                known[key] = len(columns)
                columns.append(column)
                strings.append([name])
                orders.append(size)
    found = np.column_stack(columns) if columns else np.empty((runs, 0))
    found.setflags(write=False)
    return found, strings, orders, constant


def _residual_sd(columns: Floats, y: Floats) -> Floats:
    """Residual SD of the models of the mean and the first 1, 2, ... columns."""
    n, m = columns.shape
    if n and m < n:
        basis = _orthonormal(columns)
        if basis is not None:
            # Projections from the mean of y on, so that nothing cancels.
            parts = basis.T @ (y - y.mean())
            whole = float(((y - y.mean()) ** 2).sum())
            left = np.maximum(whole - np.cumsum(parts**2), 0.0)
            # Where next to nothing is left the difference of sums is rounding: look at the residuals themselves.
            for place in np.flatnonzero(left < 1e-8 * whole):
                rest = y - y.mean() - basis[:, : place + 1] @ parts[: place + 1]
                left[place] = rest @ rest
            freedom = n - 1.0 - np.arange(1, m + 1)
            return np.asarray(np.where(freedom > 0, np.sqrt(left / np.where(freedom > 0, freedom, 1)), np.nan))
    return _residual_sd_of_dependent(columns, y)


def _orthonormal(columns: Floats) -> Floats | None:
    """An orthonormal basis of the columns less their means, one step per column; None if a column depends on others."""
    n, m = columns.shape
    products = columns.T @ columns
    if not columns.sum(axis=0).any() and not (products - n * np.eye(m)).any():
        return np.asarray(columns / np.sqrt(n))  # no run is lost: signs and their products are exact
    basis, triangle = np.linalg.qr(np.column_stack([np.ones(n), columns]))
    return basis[:, 1:] if np.abs(np.diag(triangle)).min() > 1e-9 * np.sqrt(n) else None


def _residual_sd_of_dependent(columns: Floats, y: Floats) -> Floats:
    """The same where runs are lost and columns depend on others: by successive orthogonal projection."""
    n, m = columns.shape
    found = np.full(m, np.nan)
    residual = y - y.mean() if n else y
    basis = [np.full(n, 1 / np.sqrt(n))] if n else []
    for place in range(m):
        column = columns[:, place].astype(float)
        for _ in range(2):  # twice is enough (Kahan, Parlett)
            for direction in basis:
                column = column - direction * (direction @ column)
        norm = np.linalg.norm(column)
        if norm > 1e-9 * np.sqrt(max(n, 1)):
            basis.append(column / norm)
            residual = residual - basis[-1] * (basis[-1] @ residual)
        freedom = n - len(basis)
        if freedom > 0:
            found[place] = np.sqrt(residual @ residual / freedom)
    return found
