"""Emulator of a finished campaign: a response at settings that were not run, with a band."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special

from mesonet import units
from mesonet.analysis.result import AnalysisResult
from mesonet.campaign.data import Campaign
from mesonet.designs.factor import Factor
from mesonet.emulation import surface as process
from mesonet.emulation.inputs import NUMBER, PLACE, Floats, Input, inputs_of
from mesonet.errors import InputError, unknown
from mesonet.words import counted, listed, number

FEWEST, FEWEST_PER_FACTOR = 10, 5
"""Least conditions, and least conditions for each factor (chosen)."""
GOOD_PER_FACTOR = 10
"""Conditions for each factor that are enough as a rule: Loeppky, Sacks and Welch, *Technometrics* 51 (2009) 366."""
MOST = 2000
"""Most conditions: time grows with their third power."""
SCALES = ("auto", "linear", "log")
GOODPUT = "goodput"
"""Mean goodput of a network, which is no response of its own."""
_CANDIDATES = 1024
_MOST_NEXT = 256
_BETTER = 2.0
"""Gain of the log likelihood of conditions left out from which a logarithmic scale is taken (chosen)."""


@dataclass(frozen=True, eq=False, repr=False)
class Predictions(AnalysisResult):
    """A response at settings that were not run.

    Attributes
    ----------
    mean
        Prediction, in the unit of the response; a number, or shape (settings,). On a logarithmic scale it is the
        median.
    low, high
        Band in which the mean of `runs` new runs at the settings lies.
    mean_low, mean_high
        Band in which the mean of very many runs at the settings lies. Equal to `low` and `high` if the campaign has one
        run of each condition: noise cannot be separated then.
    response, unit
        Name and unit of the response.
    level
        Probability of the bands.
    runs
        Runs of a new condition, as many as in the campaign.
    """

    mean: Any
    low: Any
    high: Any
    mean_low: Any
    mean_high: Any
    response: str
    unit: str
    level: float
    runs: int

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"setting": list(range(1, np.size(self.mean) + 1))}

    def _columns(self) -> dict[str, Any]:
        return {name: np.atleast_1d(getattr(self, name)) for name in _BANDS}

    def _attributes(self) -> dict[str, Any]:
        return {"response": self.response, "unit": self.unit, "level": self.level, "runs": self.runs}


_BANDS = ("mean", "low", "high", "mean_low", "mean_high")


@dataclass(frozen=True, eq=False, repr=False)
class Check(AnalysisResult):
    """Each condition predicted from all others.

    Attributes
    ----------
    conditions
        Numbers of the conditions, from 1; shape (n,).
    observed, mean, low, high
        Mean of the runs of each condition, its prediction without the condition, and the 95 % band; shape (n,), in the
        unit of the response.
    rmse
        Root of the mean squared error of the predictions, in the unit of the response.
    q2
        Share of the variance between conditions that the predictions explain: 1 is perfect, 0 is no better than the
        mean of all conditions, and less is worse.
    coverage
        Share of the conditions whose mean lies in its band.
    coverage_before
        The share in bands that are not widened.
    widened
        Factor, at least 1, by which all bands were widened, so that errors of conditions left out fit their bands.
    unit
        Unit of the response.
    """

    conditions: tuple[int, ...]
    observed: Floats
    mean: Floats
    low: Floats
    high: Floats
    rmse: float
    q2: float
    coverage: float
    coverage_before: float
    widened: float
    unit: str

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"condition": self.conditions}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("observed", "mean", "low", "high")}

    def _attributes(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("rmse", "unit", "q2", "coverage", "coverage_before", "widened")}

    @property
    def sentences(self) -> tuple[str, ...]:
        """The quality of the predictions in words."""
        n = len(self.conditions)
        words: tuple[str, ...] = (
            f"Each of {counted(n, 'condition')}, predicted from the others: error {shown(self.rmse, self.unit)} (root "
            f"mean square); {self.q2:.0%} of the differences between conditions explained (Q²).",
            f"The 95 % band holds {round(self.coverage * n)} of {n} conditions."
            + (
                f" It is wider by a factor of {self.widened:.2f} than the surface alone gives, which would hold "
                f"{round(self.coverage_before * n)}."
                if self.widened > 1
                else ""
            ),
        )
        if self.q2 < 0.5:
            poor = "no better than the mean of all conditions" if self.q2 <= 0 else "poor"
            words += (f"The predictions are {poor}: run more conditions, or choose another response.",)
        return words


@dataclass(frozen=True, eq=False, repr=False)
class NextPoints(AnalysisResult):
    """Settings at which a run makes the emulator surer, in the order of their use.

    Attributes
    ----------
    settings
        Settings of each point by factor, as text with units.
    values
        Numbers that the factors set, shape (points, factors); of a factor with several values its place from -1 to 1.
    places
        Coded places of the factors, from -1 for minus to +1 for plus; shape (points, factors).
    uncertainty
        Root of the mean variance of the surface over the region after each point, relative to before; shape (points,).
    """

    settings: tuple[dict[str, str], ...]
    values: Floats
    places: Floats
    uncertainty: Floats

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"point": list(range(1, len(self.settings) + 1))}

    def _columns(self) -> dict[str, Any]:
        ids = list(self.settings[0]) if self.settings else []
        return {id: [row[id] for row in self.settings] for id in ids} | {"uncertainty": self.uncertainty}


@dataclass(frozen=True, eq=False)
class Emulator:
    """Predictor of one response of a campaign with one algorithm.

    Attributes
    ----------
    response, unit, period, algorithm
        What is predicted.
    conditions
        Numbers of the conditions with a value, from 1.
    runs
        Fewest finished runs of a condition.
    log
        True if the surface goes through the logarithms of the response.
    notes
        Remarks for readers: few conditions, one run each, a factor of two levels, ...
    """

    response: str
    unit: str
    period: str
    algorithm: str
    conditions: tuple[int, ...] = field(repr=False)
    runs: int
    log: bool
    notes: tuple[str, ...]
    inputs: tuple[Input, ...] = field(repr=False)
    surface: process.Surface = field(repr=False)
    noise: process.Noise = field(repr=False)  #: on the scale of the surface
    observed: Floats = field(repr=False)  #: means of the conditions, in the unit of the response

    @property
    def known_noise(self) -> bool:
        """True if replicates separate the noise of runs from the surface."""
        return bool(np.isfinite(self.noise.level)) or self.runs > 1

    def predict(self, settings: Mapping[str, Any] | Sequence[Mapping[str, Any]], *, level: float = 0.95) -> Predictions:
        """Return the response at settings, with bands.

        Parameters
        ----------
        settings
            A value of every factor by its id, name or path, as users write it: ``{"X1": "40 seg/ms", "X2": 1.5}``. Of a
            factor that sets several values, a place from -1 for minus to 1 for plus. A list: several settings.
        level
            Probability of the bands, above 0 and below 1.

        Returns
        -------
        Numbers for one setting, or arrays of shape (settings,) for a list, in the unit of the response.

        Raises
        ------
        InputError
            If a factor is missing or unknown, or if a value is outside of the range of the campaign.
        """
        rows = [settings] if isinstance(settings, Mapping) else list(settings)
        if not 0 < level < 1:  # NaN too
            raise InputError("not a probability", path="level", value=level, allowed="above 0 and below 1")
        values = np.array([self._values(row) for row in rows], dtype=np.float64).reshape(len(rows), len(self.inputs))
        found = self._bands(self._coordinates(values), 1 - level)
        shaped = found.T[0] if isinstance(settings, Mapping) and len(rows) else found
        columns = dict(zip(_BANDS, map(float, shaped) if shaped.ndim == 1 else shaped, strict=True))
        return Predictions(**columns, response=self.response, unit=self.unit, level=float(level), runs=self.runs)

    @cached_property
    def check(self) -> Check:
        """Each condition predicted from all others: errors, the share in the band, and Q²."""
        mean, sd = self._left_out
        narrow = _normal(0.05) * sd
        half = self.widened * narrow
        middle, low, high = (self._back(each) for each in (mean, mean - half, mean + half))
        error = self.observed - middle
        return Check(
            conditions=self.conditions,
            observed=self.observed,
            mean=middle,
            low=low,
            high=high,
            rmse=float(np.sqrt(np.mean(error**2))),
            q2=float(1 - np.sum(error**2) / np.sum((self.observed - self.observed.mean()) ** 2)),
            coverage=float(np.mean((low <= self.observed) & (self.observed <= high))),
            coverage_before=float(np.mean(np.abs(self._scaled(self.observed) - mean) <= narrow)),
            widened=self.widened,
            unit=self.unit,
        )

    def next_points(self, number: int) -> NextPoints:
        """Return the settings at which a run lowers the uncertainty of the whole region most.

        Each point is chosen as if the points before it had been run.

        Parameters
        ----------
        number
            Number of points, 1 to 256.

        Returns
        -------
        Settings, with the uncertainty that is left after each.

        Raises
        ------
        InputError
            If the number is not allowed.

        Notes
        -----
        Cohn, *Neural Networks* 9 (1996) 1071: the mean variance of the predictions, over 1024 points that fill the
        region.
        """
        return next_points([self], number)

    def as_dict(self, predicted: Predictions | None = None, following: NextPoints | None = None) -> dict[str, Any]:
        """Return the emulator as plain data, with predictions and next points if they are given.

        Parameters
        ----------
        predicted, following
            Results of `predict` and `next_points`.

        Returns
        -------
        Names, ranges of the factors, the check, and notes; a prediction has the names of its attributes.
        """
        check = self.check
        about: dict[str, Any] = {
            "response": self.response, "unit": self.unit, "period": self.period, "algorithm": self.algorithm,
            "conditions": len(self.conditions), "runs": self.runs, "scale": "log" if self.log else "linear",
            "factors": [{"id": each.id, "name": each.factor.name, "allowed": each.allowed} for each in self.inputs],
            "check": {
                **{name: getattr(check, name) for name in ("rmse", "q2", "coverage", "coverage_before", "widened")},
                "sentences": list(check.sentences),
            },
            "notes": list(self.notes),
        }  # fmt: skip
        if predicted is not None:
            values = {name: np.asarray(getattr(predicted, name)).tolist() for name in _BANDS}
            about["prediction"] = {**values, "level": predicted.level, "runs": predicted.runs}
        if following is not None:
            about["next"] = [
                {"settings": row, "uncertainty": float(left)}
                for row, left in zip(following.settings, following.uncertainty, strict=True)
            ]
        return about

    @cached_property
    def widened(self) -> float:
        """Factor, at least 1, by which bands are widened, so that errors of conditions left out fit them.

        Both their mean square and their 95 % quantile fit (split conformal prediction).
        """
        mean, sd = self._left_out
        errors = np.sort(np.abs((self._scaled(self.observed) - mean) / sd))
        place = min(len(errors), math.ceil(0.95 * (len(errors) + 1))) - 1
        return max(1.0, float(np.sqrt(np.mean(errors**2))), float(errors[place]) / _normal(0.05))

    @cached_property
    def _left_out(self) -> tuple[Floats, Floats]:
        mean, variance = self.surface.left_out(process.without_parts(self.surface))
        return mean, np.sqrt(variance + self.surface.nugget + self._noise_at(self.surface.points))

    def _noise_at(self, points: Floats) -> Floats:
        """Return the variance of the mean of `runs` runs at points, on the scale of the surface."""
        return self.noise.at(points) / self.runs if self.known_noise else np.zeros(len(points))

    def _coordinates(self, values: Floats) -> Floats:
        """Return the coordinates of values, shape (settings, coordinates)."""
        return np.hstack([each.coordinates(column) for each, column in zip(self.inputs, values.T, strict=True)])

    def _bands(self, points: Floats, alpha: float) -> Floats:
        mean, variance = self.surface.at(points)
        many = variance + self.surface.nugget
        far = _normal(alpha) * self.widened
        new, means = far * np.sqrt(many + self._noise_at(points)), far * np.sqrt(many)
        return np.array([self._back(each) for each in (mean, mean - new, mean + new, mean - means, mean + means)])

    def _back(self, values: Floats) -> Floats:
        return np.exp(values) if self.log else values

    def _scaled(self, values: Floats) -> Floats:
        return np.log(values) if self.log else values

    def _values(self, settings: Mapping[str, Any]) -> list[float]:
        if not isinstance(settings, Mapping):
            allowed = 'a value by factor, such as {"X1": "40 seg/ms"}'
            raise InputError("no settings", path="settings", value=settings, allowed=allowed)
        found: dict[str, float] = {}
        for name, value in settings.items():
            each = self._input(str(name))
            if each.id in found:
                raise InputError("given twice", path=str(name), value=value, allowed="each factor once")
            found[each.id] = each.read(value)
        for each in self.inputs:
            if each.id not in found:
                raise InputError("missing", path=each.id, allowed=each.allowed)
        return [found[each.id] for each in self.inputs]

    def _input(self, name: str) -> Input:
        wanted = name.casefold()
        for names in (_ids, _names, _paths, _last_words):
            found = [each for each in self.inputs if wanted in map(str.casefold, names(each.factor))]
            if len(found) == 1:
                return found[0]
        raise unknown("factor", name, [each.id for each in self.inputs])


def emulate(
    campaign: Campaign,
    response: str,
    *,
    algorithm: str | None = None,
    period: str = "measured",
    scale: str = "auto",
    log: Sequence[str] | None = None,
) -> Emulator:
    """Return the emulator of a response of a campaign, as `mesonet.emulate` does."""
    algorithm = _algorithm(campaign, algorithm)
    if not campaign.counts["done"]:
        raise InputError("no run of the campaign is done", value=str(campaign.path), allowed="run it first")
    rows, unit = values_of(campaign, response, period, algorithm)
    rows = rows.filter(pl.col("value").is_not_null() & pl.col("value").is_finite())
    about = {"response": response, "unit": unit, "period": period, "algorithm": algorithm}
    return through(rows, inputs_of(campaign, algorithm, log), len(campaign.rows.matrix), about, scale)


def through(
    rows: pl.DataFrame, inputs: Sequence[Input], conditions: int, about: Mapping[str, Any], scale: str
) -> Emulator:
    """Return the emulator of runs with columns condition, from 1, and value.

    `inputs`: with a value for each of the `conditions`. `about`: response, unit, period and algorithm.
    """
    response = about["response"]
    if scale not in SCALES:
        raise unknown("scale", str(scale), SCALES, path="scale")
    means = rows.group_by("condition").agg(
        pl.col("value").mean().alias("mean"), pl.col("value").var(ddof=1).alias("variance"), pl.len().alias("runs")
    ).sort("condition")  # fmt: skip
    known = tuple(means["condition"].to_list())
    _refuse_few(len(inputs), response, len(known))
    observed = means["mean"].to_numpy()
    if np.ptp(observed) <= 1e-12 * max(float(np.max(np.abs(observed))), 1e-300):
        raise InputError("the response is the same in all conditions", path="response", value=response)
    there = np.array(known) - 1
    inputs = tuple(_at(each, there) for each in inputs)
    constant = [each.id for each in inputs if np.ptp(each.values) == 0]
    if constant:
        raise InputError("the factor has one value in all conditions", path=constant[0])
    points = np.hstack([each.coordinates(each.values) for each in inputs])
    variances, runs = means["variance"].fill_null(0.0).to_numpy(), means["runs"].to_numpy().astype(np.int64)
    if scale == "log" and observed.min() <= 0:
        allowed = "linear, because a value is not above 0"
        raise InputError("no logarithm of the response", path="scale", value=scale, allowed=allowed)
    scales = {"linear": [False], "log": [True]}.get(scale, [False, *([True] if observed.min() > 0 else [])])
    found = [
        Emulator(
            **about, conditions=known, runs=int(runs.min()), log=is_log,
            notes=_notes(conditions, inputs, means, is_log), inputs=inputs, observed=observed,
            **_fitted(points, observed, variances, runs, is_log),
        )
        for is_log in scales
    ]  # fmt: skip
    if len(found) == 1:
        return found[0]
    gain = _likelihood(found[1]) - _likelihood(found[0])
    return found[1] if gain > _BETTER else found[0]


def values_of(campaign: Campaign, response: str, period: str, algorithm: str) -> tuple[pl.DataFrame, str]:
    """Return a response in the runs of an algorithm, and its unit.

    `GOODPUT` of a network is the mean goodput of the flows of users that ended, from the table of flow groups.
    """
    known = campaign.responses["response"].unique().to_list()
    if response == GOODPUT and GOODPUT not in known and not (groups := campaign.groups).is_empty():
        ended = pl.col("flows") > 0
        rows = groups.filter(
            (pl.col("algorithm") == algorithm)
            & (pl.col("period") == period)
            & pl.col("group").is_not_null()
            & ended
            & (pl.col("flow_algorithm") != "all")
        )
        mean = (pl.col("goodput") * pl.col("flows")).sum() / pl.col("flows").sum()
        return rows.group_by("condition", "replicate").agg(mean.alias("value")), "segments/s"
    rows = campaign.response(response, period).filter(pl.col("algorithm") == algorithm)
    unit = campaign.responses.filter((pl.col("response") == response) & (pl.col("period") == period))["unit"][0]
    return rows, str(unit)


def next_points(emulators: Sequence[Emulator], number: int, places: Floats | None = None) -> NextPoints:
    """Return the points that lower the uncertainty of all emulators most. `places`: candidates, from -1 to +1."""
    number = units.integer(number, "number", 1, _MOST_NEXT)
    first = emulators[0]
    candidates = _candidates(len(first.inputs)) if places is None else places
    values = np.column_stack([each.at_places(column) for each, column in zip(first.inputs, candidates.T, strict=True)])
    covariances, noises, before = [], [], []
    for each in emulators:
        points, shape = each._coordinates(values), each.surface.shape
        explained = process.explained(each.surface, points)
        covariance = shape.covariance(points, points) - explained.T @ explained
        covariances.append(covariance)
        noises.append(shape.nugget + each._noise_at(points) / each.surface.scale**2)
        before.append(float(np.trace(covariance)))
    chosen: list[int] = []
    left = []
    for _ in range(number):
        gains = np.zeros(len(values))
        for covariance, noise, total in zip(covariances, noises, before, strict=True):
            gains += np.sum(covariance**2, axis=0) / (np.diag(covariance) + noise) / total
        gains[chosen] = -np.inf
        place = int(np.argmax(gains.round(12)))
        chosen.append(place)
        for number_of, (covariance, noise) in enumerate(zip(covariances, noises, strict=True)):
            column = covariance[:, place]
            covariances[number_of] = covariance - np.outer(column, column) / (column[place] + noise[place])
        shares = [np.trace(each) / total for each, total in zip(covariances, before, strict=True)]
        left.append(float(np.sqrt(max(np.mean(shares), 0.0))))
    texts = tuple(
        {each.id: each.text(value) for each, value in zip(first.inputs, values[place], strict=True)} for place in chosen
    )
    return NextPoints(texts, values[chosen], candidates[chosen], np.array(left))


def _candidates(inputs: int) -> Floats:
    from mesonet.designs.sampling import sobol

    return np.asarray(sobol(inputs, _CANDIDATES, seed=1))


def _fitted(points: Floats, observed: Floats, variances: Floats, runs: NDArray[np.int64], log: bool) -> dict[str, Any]:
    """Return the surface and the noise. The variance of a logarithm is that of the value, relative."""
    means, own = (np.log(observed), variances / observed**2) if log else (observed, variances)
    if (runs > 1).any():
        noise = process.noise_of(points, own, runs)
        of_means = noise.at(points) / runs
    else:
        noise, of_means = process.Noise(-np.inf, None), np.zeros(len(points))
    return {"noise": noise, "surface": process.fit(points, means, of_means, known_noise=bool((runs > 1).any()))}


def _likelihood(emulator: Emulator) -> float:
    """Return the log likelihood of the conditions that are left out, in the unit of the response."""
    mean, sd = emulator._left_out
    sd = sd * emulator.widened
    values = emulator._scaled(emulator.observed)
    own = -0.5 * np.sum(((values - mean) / sd) ** 2) - np.sum(np.log(sd))
    return float(own - np.sum(np.log(emulator.observed)) if emulator.log else own)


def _algorithm(campaign: Campaign, algorithm: str | None) -> str:
    if algorithm is None:
        if len(campaign.algorithms) > 1:
            allowed = ", ".join(campaign.algorithms)
            raise InputError("an emulator is of one algorithm", path="algorithm", value="", allowed=allowed)
        return campaign.algorithms[0]
    if algorithm not in campaign.algorithms:
        raise unknown("algorithm", str(algorithm), campaign.algorithms, path="algorithm")
    return algorithm


def _refuse_few(factors: int, response: str, number: int) -> None:
    least = max(FEWEST, FEWEST_PER_FACTOR * factors)
    if not least <= number <= MOST:
        raise InputError(
            f"{counted(number, 'condition')} with a value for {counted(factors, 'factor')}",
            path=response,
            allowed=f"{least} to {MOST} conditions",
        )


def _notes(total: int, inputs: Sequence[Input], means: pl.DataFrame, log: bool) -> tuple[str, ...]:
    notes = []
    number = means.height
    if number < total:
        notes.append(f"{number} of {total} conditions have a value; the emulator uses these.")
    if number < GOOD_PER_FACTOR * len(inputs):
        notes.append(
            f"{counted(number, 'condition')} for {counted(len(inputs), 'factor')}: "
            f"{GOOD_PER_FACTOR * len(inputs)} are enough as a rule."
        )
    if means["runs"].max() == 1:
        notes.append("One run of each condition: the band holds the noise of a run, which cannot be separated.")
    two = [each.id for each in inputs if each.kind in (NUMBER, PLACE) and len(np.unique(each.values)) == 2]
    if two:
        notes.append(f"{listed(two)}: only two values were run. Nothing is known of a curve between them.")
    if decades := [each.id for each in inputs if each.log]:
        notes.append(f"On a logarithmic scale: {listed(decades)}.")
    if log:
        notes.append("The surface goes through the logarithms of the response.")
    return tuple(notes)


def _ids(factor: Factor) -> list[str]:
    return [factor.id]


def _names(factor: Factor) -> list[str]:
    return [factor.name]


def _paths(factor: Factor) -> list[str]:
    return [factor.path]


def _last_words(factor: Factor) -> list[str]:
    return [path.rpartition(".")[2] for path in factor.paths]


def _at(each: Input, there: NDArray[np.int64]) -> Input:
    return replace(each, values=each.values[there])


def shown(value: float, unit: str) -> str:
    """Return a value with its unit, to four digits."""
    return number(value, 4) if unit == "1" else f"{number(value, 4)} {unit}"


def _normal(alpha: float) -> float:
    """Return the two-sided quantile of the normal distribution."""
    return float(special.ndtri(1 - alpha / 2))
