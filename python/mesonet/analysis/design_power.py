"""The chance that an experiment finds an effect, before it runs: power by number of replicates.

Source: D. C. Montgomery, Design and Analysis of Experiments, sections 3.7 and 6.2; noncentral t distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.checks import checked_alpha, factor_names
from mesonet.analysis.lenth_limits import lenth_power
from mesonet.analysis.observations import first_equal
from mesonet.analysis.result import AnalysisResult
from mesonet.analysis.terms import FEWEST_EFFECTS
from mesonet.designs.model_terms import columns, powers, terms_of
from mesonet.designs.two_level import whole_number
from mesonet.errors import InputError
from mesonet.words import counted

Floats = NDArray[np.float64]
_MOST_REPLICATES = 100
_WANTED = (0.8, 0.9)


@dataclass(frozen=True, eq=False, repr=False)
class DesignPower(AnalysisResult):
    """Power by number of replicates. Arrays have one entry per number, from 1."""

    effect: float  #: change of the response from the lowest to the highest level
    sd: float  #: of a run
    term: str  #: the factor whose effect is estimated worst
    noise: tuple[str, ...]  #: source of the noise of the test: ``Lenth``, ``replicates``, ``residuals`` or ``none``
    runs: NDArray[np.int_]
    freedom: Floats  #: degrees of freedom of the noise
    power: Floats  #: chance to find the effect of `term`; NaN where nothing can be tested
    alpha: float
    notes: tuple[str, ...]

    UNITS: ClassVar = {"power": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"replicates": list(range(1, len(self.runs) + 1))}

    def _columns(self) -> dict[str, Any]:
        return {"runs": self.runs, "noise": np.array(self.noise), "freedom": self.freedom, "power": self.power}

    def _attributes(self) -> dict[str, Any]:
        return {"effect": self.effect, "sd": self.sd, "term": self.term, "notes": " ".join(self.notes)}

    def needed(self, power: float) -> int | None:
        """Return the fewest replicates that reach a power.

        Parameters
        ----------
        power
            Chance to find the effect, above 0 and below 1.

        Returns
        -------
        Number of replicates; None if no number of the table does.
        """
        enough = np.flatnonzero(np.nan_to_num(self.power) >= power)
        return int(enough[0]) + 1 if len(enough) else None

    def sentences(self) -> list[str]:
        """Return the answer in sentences.

        Returns
        -------
        Sentences on the power of one replicate, and on the replicates for a power of 0.8 and 0.9.
        """
        ratio = self.effect / self.sd
        lines = []
        for wanted in _WANTED:
            number = self.needed(wanted)
            if number is None:
                lines.append(
                    f"No number of replicates up to {len(self.runs)} finds an effect of {ratio:.3g} standard "
                    f"deviations with probability {wanted}."
                )
            else:
                lines.append(
                    f"An effect of {ratio:.3g} standard deviations of a run is found with probability {wanted} in "
                    f"{counted(number, 'replicate')}, {counted(int(self.runs[number - 1]), 'run')}."
                )
        return list(dict.fromkeys(lines))


def design_power(
    design: Any,
    effect: float,
    *,
    sd: float = 1.0,
    terms: str | Sequence[str] | None = None,
    replicates: int = 10,
    factors: Sequence[str] | None = None,
    alpha: float = 0.05,
) -> DesignPower:
    """Return the chance that a design finds an effect of a factor, by number of replicates.

    Parameters
    ----------
    design
        A design with ``factors`` and ``matrix``, or coded settings, shape (n, k).
    effect
        The change of the response, from the lowest to the highest level of a factor, that must not be missed.
    sd
        Standard deviation of a run, in the unit of `effect`.
    terms
        Of the model that will be fitted, as for `fit_model`: the noise is then that of its residuals. None: the noise
        of replicates; for one replicate of two levels, Lenth's margin, with one effect among noise.
    replicates
        Largest number of replicates of the table, 1 to 100.
    factors
        Names of the columns; by default those of the design.
    alpha
        Level of significance of the test, above 0 and below 1.

    Returns
    -------
    Power of the factor whose effect is estimated worst.

    Raises
    ------
    InputError
        If a number is outside of its range, or the design cannot estimate the terms.

    Examples
    --------
    >>> from mesonet.designs import two_level
    >>> found = design_power(two_level(2), 2.0, sd=1.0, replicates=6)
    >>> found.power.round(2).tolist(), found.needed(0.9)
    ([nan, 0.57, 0.86, 0.96, 0.99, 1.0], 4)
    """
    alpha = checked_alpha(alpha)
    x = np.asarray(getattr(design, "matrix", design), dtype=float)
    if x.ndim != 2 or not x.size or not np.isfinite(x).all():
        raise InputError("not a design", path="design", allowed="coded settings, shape (runs, factors)")
    names = factor_names(factors, x.shape[1], getattr(design, "factors", None))
    for path, value in (("effect", effect), ("sd", sd)):
        if not (np.isfinite(value) and value > 0):
            raise InputError("not above 0", path=path, value=value, allowed="a finite number above 0")
    most = whole_number(replicates)
    if most is None or not 1 <= most <= _MOST_REPLICATES:
        allowed = f"1 to {_MOST_REPLICATES}"
        raise InputError("not a number of replicates", path="replicates", value=replicates, allowed=allowed)
    n, settings = len(x), len(np.unique(first_equal(x)))
    model = _model(x, names, "linear" if terms is None else terms)
    p = model.shape[1]
    if np.linalg.matrix_rank(model) < p:
        raise InputError("the runs cannot estimate the terms", path="terms", allowed="fewer terms, or another design")
    spread = np.ptp(x, axis=0)
    error = np.sqrt(np.diag(np.linalg.inv(model.T @ model)))[1 : 1 + x.shape[1]] * spread
    worst = int(np.argmax(error))
    number = np.arange(1, most + 1)
    runs = n * number
    shift = effect / (sd * error[worst]) * np.sqrt(number)
    freedom = (runs - p if terms is not None else runs - settings).astype(float)
    noise = ["residuals" if terms is not None else "replicates"] * most
    with np.errstate(all="ignore"):
        limit = special.stdtrit(freedom, 1 - alpha / 2)
        chance = special.nctdtr(freedom, -shift, -limit) + special.nctdtr(freedom, shift, -limit)
    power: Floats = np.where(freedom > 0, chance, np.nan).astype(np.float64)
    notes = []
    if terms is None and freedom[0] <= 0:
        noise[0] = "none"
        if n - 1 >= FEWEST_EFFECTS and (np.abs(x) == 1).all():
            noise[0], freedom[0], power[0] = "Lenth", (n - 1) / 3, lenth_power(n - 1, float(shift[0]), alpha)
            notes.append("One replicate: most effects must be noise, and each further large effect lowers the power.")
        else:
            notes.append("One replicate shows no noise.")
    return DesignPower(
        effect=float(effect),
        sd=float(sd),
        term=names[worst],
        noise=tuple(noise),
        runs=runs,
        freedom=freedom,
        power=power,
        alpha=alpha,
        notes=tuple(notes),
    )


def _model(x: Floats, names: Sequence[str], terms: str | Sequence[str]) -> Floats:
    """Return the columns of the mean, all factors, and the other terms."""
    curved = [name for name, column in zip(names, x.T, strict=True) if len(np.unique(column)) > 2]
    asked = terms_of(terms, names, curved) if isinstance(terms, str) else tuple(str(term) for term in terms)
    coded: dict[str, ArrayLike] = {name: x[:, [place]] for place, name in enumerate(names)}
    found = [columns(powers(term, names), coded) for term in asked if term not in names]  # type: ignore[arg-type]
    return np.column_stack([np.ones(len(x)), x, *found])
