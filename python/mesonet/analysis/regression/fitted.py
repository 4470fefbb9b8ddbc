"""The fitted model of chosen terms: coefficients, analysis of variance, lack of fit, predictions and best settings.

Source: D. C. Montgomery, Design and Analysis of Experiments, chapters 10 and 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product
from typing import Any, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import optimize, special

from mesonet.analysis.pandas_data import polars_frame
from mesonet.analysis.regression.box_cox import BoxCox, box_cox
from mesonet.analysis.regression.columns import Coded, Runs, runs_of
from mesonet.analysis.regression.least_squares import Errors, LeastSquares, Part, Test, refuse_dependent
from mesonet.analysis.regression.stationary import Stationary, kind_of, stationary
from mesonet.analysis.result import AnalysisResult
from mesonet.designs.model_terms import columns, named, powers, sum_coded, terms_of
from mesonet.errors import InputError, unknown
from mesonet.words import counted, listed, number, some

Floats = NDArray[np.float64]
_LEVEL = 0.05
_BLOCKS = "blocks"
_MOST_STARTS, _MOST_WORDS = 5, 64
_SUSPICIOUS = 10.0
"""Least ratio of the largest to the smallest value for which the power is well known (chosen)."""


@dataclass(frozen=True)
class Optimum:
    """Settings within the runs at which the model predicts its highest or lowest value."""

    settings: Mapping[str, Any]
    value: float
    low: float  #: lower end of the 95 % interval of the mean there
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class FittedModel(AnalysisResult):
    """A model of one response. Its own table has the coefficients, for numbers coded from -1 to +1."""

    response: str
    unit: str
    factors: tuple[Coded, ...]  #: names and levels
    terms: tuple[str, ...]
    fit: LeastSquares
    block: Floats | None  #: columns of the blocks
    notes: tuple[str, ...]
    units: Mapping[str, str] = field(default_factory=dict)  #: of factors, for sentences

    def _dimensions(self) -> Mapping[str, Sequence[Any]]:
        return {"term": ("mean", *(label for part in self.fit.parts for label in part.labels))}

    def _columns(self) -> Mapping[str, Any]:
        own, error = self.fit.coefficient, np.sqrt(np.diag(self.fit.covariance))
        half = self._quantile * error
        with np.errstate(all="ignore"):
            t = own / error
        p = 2 * special.stdtr(max(self.fit.freedom, 1), -np.abs(t))
        known = np.isfinite(error)
        return {
            "coefficient": own, "error": error, "low": own - half, "high": own + half,
            "t": np.where(known, t, np.nan), "p": np.where(known, p, np.nan),
        }  # fmt: skip

    def _attributes(self) -> dict[str, Any]:
        shares = {"r_squared": self.r_squared, "adjusted": self.adjusted, "predicted": self.predicted_r_squared}
        return {"response": self.response, "unit": self.unit, **shares, "notes": " ".join(self.notes)}

    @property
    def _quantile(self) -> float:
        freedom = self.fit.freedom
        return float(special.stdtrit(freedom, 1 - _LEVEL / 2)) if freedom > 0 else float("nan")

    @property
    def r_squared(self) -> float:
        """Share of the variation about the mean that the model explains, 0 to 1."""
        return 1 - self.fit.squares / self.fit.total

    @property
    def adjusted(self) -> float:
        """The same share of variances: more terms do not raise it by themselves. NaN without freedom."""
        runs = len(self.fit.y)
        return 1 - self.fit.variance / (self.fit.total / (runs - 1))

    @property
    def predicted_r_squared(self) -> float:
        """Share that the model would explain of runs that it has not seen, by leaving out one after another."""
        return 1 - self.fit.press / self.fit.total

    @property
    def sd(self) -> float:
        """Standard deviation of a run about the model, in the unit of the response; NaN without freedom."""
        return float(np.sqrt(self.fit.variance))

    @cached_property
    def tests(self) -> tuple[Test, ...]:
        """The test of each term, and of the blocks, given all others."""
        return tuple(self.fit.tests())

    @cached_property
    def lack_of_fit(self) -> tuple[Test, Test] | None:
        """Lack of fit and pure error; None if no run is replicated."""
        return self.fit.lack_of_fit(self.block)

    def anova(self) -> pl.DataFrame:
        """Return the analysis of variance.

        Returns
        -------
        Columns source, squares, freedom, mean_square, f and p; a row for each term given all others, the residuals,
        their parts if runs are replicated, and the total about the mean.
        """
        nan = float("nan")
        rest = Test("residual", self.fit.squares, self.fit.freedom, nan, nan)
        total = Test("total", self.fit.total, len(self.fit.y) - 1, nan, nan)
        rows = [*self.tests, rest, *(self.lack_of_fit or ()), total]
        return pl.DataFrame(
            {
                "source": [row.source for row in rows],
                "squares": [row.squares for row in rows],
                "freedom": [row.freedom for row in rows],
                "mean_square": [row.squares / row.freedom if row.freedom else None for row in rows],
                "f": pl.Series([row.f for row in rows], dtype=pl.Float64).fill_nan(None),
                "p": pl.Series([row.p for row in rows], dtype=pl.Float64).fill_nan(None),
            }
        )

    @cached_property
    def stationary(self) -> Stationary | None:
        """The point without a slope; None unless all factors are numbers with squares, and for a ridge."""
        names = [each.name for each in self.factors]
        place = {term: at for at, term in enumerate(self.terms, start=1)}
        expected = set(terms_of("quadratic", names, names))
        if not all(each.numeric for each in self.factors) or set(self.terms) - expected:
            return None
        if not all(f"{name}^2" in place for name in names):
            return None
        own, k = self.fit.coefficient, len(names)
        linear = np.array([own[place[name]] if name in place else 0.0 for name in names])
        square = np.diag([own[place[f"{name}^2"]] for name in names])
        upper = [f"{names[i]}*{names[j]}" for i, j in zip(*np.triu_indices(k, 1), strict=True)]
        for (i, j), term in zip(zip(*np.triu_indices(k, 1), strict=True), upper, strict=True):
            square[i, j] = square[j, i] = own[place[term]] / 2 if term in place else 0.0
        at = [place.get(term, 0) for term in [*(f"{name}^2" for name in names), *upper]]
        there = np.array([1.0 if each else 0.0 for each in at])
        covariance = self.fit.covariance[np.ix_(at, at)] * np.outer(there, there)
        found = stationary(names, linear, square, covariance, self._quantile)
        if found is None:
            return None
        point, values, half = found
        settings = {each.name: each.real(x) for each, x in zip(self.factors, point, strict=True)}
        low, high = values - half, values + half
        return Stationary(
            settings=settings,
            value=float(own[0] + linear @ point / 2),
            kind=kind_of(values),
            is_proven=bool(((low > 0) | (high < 0)).all()),
            is_inside=bool((np.abs(point) <= 1 + 1e-9).all()),
            eigenvalues=tuple(values.tolist()),
            low=tuple(low.tolist()),
            high=tuple(high.tolist()),
        )

    @cached_property
    def box_cox(self) -> BoxCox | None:
        """The power of the response at which the model fits best; None for a response that is not above 0."""
        return box_cox(self.fit.x, self.fit.y)

    def predict(self, settings: Any) -> pl.DataFrame:
        """Return predictions with 95 % intervals.

        Parameters
        ----------
        settings
            A value for each factor by name, a list of such mappings, or a frame. All within the runs.

        Returns
        -------
        Columns of the factors, ``mean``, ``low`` and ``high`` of the mean, and ``run_low`` and ``run_high`` of a new
        run. With blocks, of the mean of all blocks.

        Raises
        ------
        InputError
            If a factor is missing or unknown, or a setting lies outside of the runs.
        """
        if isinstance(settings, Mapping) and not any(isinstance(each, list | tuple) for each in settings.values()):
            settings = [settings]
        if isinstance(settings, list | tuple):
            names = list(dict.fromkeys(name for each in settings for name in each))
            settings = {name: [each.get(name) for each in settings] for name in names}
        frame = polars_frame(settings, "settings")
        known = [each.name for each in self.factors]
        for name in frame.columns:
            if name not in known:
                raise unknown("factor", name, known, path="settings")
        given: dict[str, list[Any]] = {}
        for each in self.factors:
            if each.name not in frame.columns:
                raise InputError("missing", path=f"settings, {each.name}", allowed="a value for each factor")
            given[each.name] = [each.checked(value) for value in frame[each.name].to_list()]
        return pl.DataFrame({**given, **self._interval(self._row(given))}, strict=False)

    def _row(self, values: Mapping[str, Sequence[Any]]) -> Floats:
        """Return the columns of the model at settings; blocks at their mean."""
        coded = {each.name: each.columns(values[each.name]) for each in self.factors}
        names = list(coded)
        runs = len(next(iter(coded.values())))
        blocks = 0 if self.block is None else self.block.shape[1]
        own = [columns(powers(term, names), coded) for term in self.terms]
        return np.column_stack([np.ones(runs), *own, np.zeros((runs, blocks))])

    def section(self, across: str, up: str, settings: Mapping[str, Any]) -> tuple[float, ...]:
        """Return the model over two factors of numbers.

        Parameters
        ----------
        across, up
            Names of the factors.
        settings
            A setting of each factor, at which all others are held.

        Returns
        -------
        Coefficients of 1, x, y, x^2, y^2 and x y, for both factors coded from -1 to +1.
        """
        x, y = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1)], dtype=float).T
        given = {
            each.name: [each.real(place) for place in {across: x, up: y}[each.name]]
            if each.name in (across, up)
            else [settings[each.name]] * len(x)
            for each in self.factors
        }
        value = self._row(given) @ self.fit.coefficient
        known = np.column_stack([np.ones(len(x)), x, y, x**2, y**2, x * y])
        return tuple(np.linalg.solve(known, value).tolist())

    def coded(self, name: str, setting: float) -> float:
        """Return the place of a setting of a factor of numbers.

        Parameters
        ----------
        name
            Name of the factor.
        setting
            Setting in the unit of the factor.

        Returns
        -------
        The place, from -1 at the lowest level to +1 at the highest.
        """
        return float(next(each for each in self.factors if each.name == name).columns([setting])[0, 0])

    def setting(self, name: str, value: Any) -> str:
        """Return a setting in words.

        Parameters
        ----------
        name
            Name of the factor.
        value
            Its setting.

        Returns
        -------
        Text such as ``speed 12 Mbit/s``.
        """
        unit = self.units.get(name, "")
        return f"{name} {number(value, 4) if isinstance(value, float) else value} {unit}".rstrip()

    def _at_settings(self, settings: Mapping[str, Any]) -> str:
        return listed([self.setting(name, value) for name, value in settings.items()])

    def _interval(self, row: Floats) -> dict[str, Floats]:
        mean = row @ self.fit.coefficient
        variance = np.einsum("ij,jk,ik->i", row, self.fit.covariance, row)
        half, wide = self._quantile * np.sqrt(variance), self._quantile * np.sqrt(variance + self.fit.variance)
        own = {"mean": mean, "low": mean - half, "high": mean + half}
        return {**own, "run_low": mean - wide, "run_high": mean + wide}

    @cached_property
    def highest(self) -> Optimum:
        """The settings within the runs at which the model predicts most."""
        return self._extreme(1.0)

    @cached_property
    def lowest(self) -> Optimum:
        """The settings within the runs at which the model predicts least."""
        return self._extreme(-1.0)

    def _extreme(self, sign: float) -> Optimum:
        """Return the best settings: the best combination of words, and a climb from the best corners."""
        numbers = [each for each in self.factors if each.numeric]
        words = [each for each in self.factors if not each.numeric]
        best: tuple[float, Floats, tuple[Any, ...]] | None = None
        for chosen in islice(product(*(each.levels for each in words)), _MOST_WORDS):

            def loss(places: Floats, chosen: tuple[Any, ...] = chosen) -> float:
                return -sign * float((self._at(places, chosen) @ self.fit.coefficient)[0])

            grid = islice(product((-1.0, 0.0, 1.0), repeat=len(numbers)), 3**7)
            starts = sorted((loss(np.array(each)), each) for each in grid)[:_MOST_STARTS]
            for value, each in starts:
                found = optimize.minimize(loss, each, bounds=[(-1, 1)] * len(numbers)) if numbers else None
                place = np.array(each) if found is None or found.fun > value else found.x
                if best is None or loss(place) < best[0]:
                    best = (loss(place), place, chosen)
        assert best is not None
        _, place, chosen = best
        interval = self._interval(self._at(place, chosen))
        settings = {each.name: each.real(x) for each, x in zip(numbers, place, strict=True)}
        settings |= {each.name: value for each, value in zip(words, chosen, strict=True)}
        ordered = {each.name: settings[each.name] for each in self.factors}
        return Optimum(ordered, *(float(interval[name][0]) for name in ("mean", "low", "high")))

    def _at(self, places: Floats, chosen: Sequence[Any]) -> Floats:
        """Return the columns of the model at coded numbers and words."""
        numbers, words = iter(places), iter(chosen)
        return self._row(
            {each.name: [each.real(next(numbers)) if each.numeric else next(words)] for each in self.factors}
        )

    def __repr__(self) -> str:
        levels = [f"  {each.name}: {_levels(each)}" for each in self.factors]
        points = [f"* {sentence}" for sentence in self.sentences()]
        notes = [f"  {note}" for note in self.notes]
        head = f"{self.response}: {counted(len(self.terms), 'term')}, {counted(len(self.fit.y), 'run')}"
        return "\n".join([head, *levels, "", *points, *(["", "Notes", *notes] if notes else [])])

    def sentences(self) -> list[str]:
        """Return the answer in sentences.

        Returns
        -------
        Sentences on the terms beyond chance, the fit, the stationary point, the best settings, and a transformation.
        """
        return [*self._of_terms(), *self._of_fit(), *self._of_point(), *self._of_power()]

    def _value(self, value: float) -> str:
        return f"{number(value, 4)} {self.unit}".rstrip()

    def _of_terms(self) -> list[str]:
        known = [test for test in self.tests if not np.isnan(test.p) and test.source != _BLOCKS]
        if not known:
            return ["No term is tested: the runs leave no degree of freedom. Replicate some, or take fewer terms."]
        active = sorted((test for test in known if test.p < _LEVEL), key=lambda test: test.p)
        others = [test.source for test in known if test.p >= _LEVEL]
        lines = []
        if active:
            lines.append(f"Beyond chance: {listed([f'{test.source} ({_p(test.p)})' for test in active])}.")
        if others:
            error = np.sqrt(np.diag(self.fit.covariance))
            places = [self.fit.places(at) for at, test in enumerate(self.tests) if test.source in others]
            widest = 2 * self._quantile * max(float(error[at].max()) for at in places)
            lines.append(
                f"Not beyond chance: {some(others)}. Their intervals reach {self._value(widest)} to each side of an "
                "effect, from the lowest to the highest level."
            )
        return lines

    def _of_fit(self) -> list[str]:
        shares = f"The model explains {self.r_squared:.1%} of the variation"
        if not np.isnan(self.predicted_r_squared):
            shares += f", and would explain {max(self.predicted_r_squared, 0):.1%} in new runs"
        lines = [f"{shares}."]
        if self.fit.freedom > 0:
            lines[0] = f"{shares}; a run scatters by {self._value(self.sd)} about it."
        if self.lack_of_fit is None:
            return [*lines, "Lack of fit is not tested: no run is replicated."]
        lack, pure = self.lack_of_fit
        if np.isnan(lack.p):
            return lines
        size = f"{_p(lack.p)}, {lack.freedom} and {counted(pure.freedom, 'degree')} of freedom"
        if lack.p < _LEVEL:
            return [*lines, f"The model lacks fit ({size}): add terms, or a transformation."]
        return [*lines, f"No lack of fit is shown ({size})."]

    def _of_point(self) -> list[str]:
        lines = []
        found = self.stationary
        if found is not None and self.fit.freedom > 0:
            proof = "proven" if found.is_proven else "not proven, an interval of its curvatures has zero"
            at = f" at {self._at_settings(found.settings)}" if found.is_inside or found.is_proven else ""
            where = "" if found.is_inside else ", outside of the runs"
            lines.append(f"The stationary point is a {found.kind} ({proof}){at}{where}.")
        return [*lines, *self.best_sentences()]

    def best_sentences(self) -> list[str]:
        """Return the highest and the lowest prediction within the runs.

        Returns
        -------
        Two sentences, with the settings and the interval of the mean.
        """
        lines = []
        for word, best in (("highest", self.highest), ("lowest", self.lowest)):
            size = self._value(best.value)
            if not np.isnan(best.low):
                size += f" ({self._value(best.low)} to {self._value(best.high)})"
            lines.append(f"{self.response} is predicted {word}, {size}, at {self._at_settings(best.settings)}.")
        return lines

    def _of_power(self) -> list[str]:
        found = self.box_cox
        if found is None or not found.advice:
            return []
        size = f"power {found.power:.2g}, {found.low:.2g} to {found.high:.2g}"
        doubt = "" if found.ratio >= _SUSPICIOUS else " Its values differ by little, so that the power matters little."
        return [f"The model would fit {found.advice} better than {self.response} ({size}).{doubt}"]


def fit_model(
    table: Any,
    response: str | Sequence[str],
    *,
    terms: str | Sequence[str] = "quadratic",
    factors: Sequence[str] | None = None,
    block: str | None = None,
    unit: str = "",
    errors: Errors = "equal",
) -> FittedModel:
    """Return the model of chosen terms of a response, from a table with a row for each run.

    Factors can have any number of levels. Numbers are numbers, and words are levels without an order. Rows of equal
    settings are replicates.

    Parameters
    ----------
    table
        A frame of polars, pandas or Arrow, or columns by name.
    response
        Column of the measured values. Several columns are replicates of their row. Nothing and NaN mark a lost run.
    terms
        ``linear``, ``interactions`` (single factors and products of two), ``quadratic`` (also squares of numbers with
        three levels or more), or terms such as ``["heat", "salt", "heat*salt", "heat^2"]``.
    factors
        Columns of the factors. None: all other columns that vary.
    block
        Column that labels the block of each run, such as a day.
    unit
        Unit of the response, for sentences.
    errors
        ``equal``: runs have equal variance. ``hc3``: variances may differ, and errors are robust (MacKinnon and White
        1985); intervals of a new run still take the mean variance.

    Returns
    -------
    Coefficients, analysis of variance, lack of fit, predictions and best settings. Printed, it is the answer.

    Raises
    ------
    InputError
        If a column is missing, the response is text or always equal, or the runs cannot estimate the terms.

    Examples
    --------
    >>> table = {"heat": [1, 2, 3, 1, 2, 3], "yield": [4.0, 7.0, 4.2, 4.1, 7.2, 4.3]}
    >>> found = fit_model(table, "yield")
    >>> found.terms, found.stationary.kind, round(found.stationary.settings["heat"], 2)
    (('heat', 'heat^2'), 'maximum', 2.02)
    """
    names = [response] if isinstance(response, str) else [str(name) for name in response]
    if not names:
        raise InputError("no response", path="response", allowed="the name of a column, or several")
    if isinstance(factors, str):
        raise InputError("not a list of names", path="factors", value=factors, allowed="a sequence of names")
    if errors not in get_args(Errors):
        raise unknown("kind of errors", str(errors), get_args(Errors), path="errors")
    chosen = None if factors is None else [str(name) for name in factors]
    runs = runs_of(polars_frame(table, "table"), names, chosen, block)
    found, factors_used = _terms(terms, runs)
    coded = {each.name: each.columns(runs.values[each.name]) for each in runs.factors}
    labels = {each.name: each.labels for each in runs.factors}
    parts = []
    for term in found:
        power = powers(term, list(coded))
        parts.append(Part(term, columns(power, coded), _labels(power, labels)))
    block_columns = None
    if runs.block is not None and len(set(runs.block)) > 1:
        different = list(dict.fromkeys(runs.block))
        at = np.array([different.index(label) for label in runs.block])
        block_columns = sum_coded(at, len(different))
        own = tuple(f"{_BLOCKS}[{label}]" for label in different[:-1])
        parts.append(Part(_BLOCKS, block_columns, own))
    if np.ptp(runs.y) == 0:
        problem = "the same in all runs: it has no effects"
        raise InputError(problem, path="response", value=float(runs.y[0]), allowed="values that differ")
    refuse_dependent(parts, len(runs.y))
    return FittedModel(
        response=" and ".join(names),
        unit=unit,
        factors=tuple(each for each in runs.factors if each.name in factors_used),
        terms=found,
        fit=LeastSquares(tuple(parts), runs.y, errors, runs.settings),
        block=block_columns,
        notes=(*runs.notes, *_notes(found, runs, factors_used)),
    )


def _terms(given: str | Sequence[str], runs: Runs) -> tuple[tuple[str, ...], set[str]]:
    """Return the terms, and the factors that they name."""
    names = [each.name for each in runs.factors]
    for each in names:
        if "*" in each or each.startswith("-"):
            raise InputError("not a name of a factor", path="factors", value=each, allowed="a name without * and -")
    curved = [each.name for each in runs.factors if each.numeric and len(each.levels) > 2]
    asked = terms_of(given, names, curved) if isinstance(given, str) else [str(term) for term in given]
    found = [named(powers(term, names), names) for term in asked]
    for place, term in enumerate(found):
        if term in found[:place]:
            raise InputError("named twice", path=f"terms[{place}]", value=term, allowed="each term once")
    if not found:
        raise InputError("no terms", path="terms", allowed="at least one")
    return tuple(found), {name for term in found for name in powers(term, names)}


def _labels(power: Mapping[str, int], labels: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    parts = [
        [f"{label}^{exponent}" if exponent > 1 else label for label in labels[name]] for name, exponent in power.items()
    ]
    return tuple("*".join(each) for each in product(*parts))


def _notes(terms: Sequence[str], runs: Runs, used: set[str]) -> list[str]:
    """Return remarks on factors without a term, and on terms without the terms that they are made of."""
    names = [each.name for each in runs.factors]
    notes = []
    if idle := [name for name in names if name not in used]:
        notes.append(f"No term has {some(idle)}: runs that differ in it alone count as noise.")
    known = set(terms)
    missing = []
    for term in terms:
        power = powers(term, names)
        below = [{**power, name: exponent - 1} for name, exponent in power.items()]
        parents = [named({name: e for name, e in each.items() if e}, names) for each in below]
        missing += [parent for parent in parents if parent and parent not in known]
    if missing:
        notes.append(
            f"Terms without those they are made of: {some(list(dict.fromkeys(missing)))} left out, taken as zero."
        )
    return notes


def _levels(each: Coded) -> str:
    if each.numeric:
        return f"{each.levels[0]:.10g} to {each.levels[-1]:.10g}, {counted(len(each.levels), 'level')}"
    return some([str(level) for level in each.levels])


def _p(p: float) -> str:
    return "p below 0.0001" if p < 0.0001 else f"p {number(p)}"
