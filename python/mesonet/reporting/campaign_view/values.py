"""Values of a campaign by condition and algorithm: its responses, their meaning, and the order of its conditions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.main_effects import Mode
from mesonet.analysis.terms import Noise
from mesonet.campaign.goodputs import NAME as GOODPUT
from mesonet.campaign.goodputs import OF as GOODPUT_OF
from mesonet.designs.factor import Factor
from mesonet.reporting.campaign_view import columns as columns_of
from mesonet.reporting.campaign_view.cached import cached
from mesonet.reporting.campaign_view.columns import WHOLE, Column
from mesonet.reporting.campaign_view.events import too_few_events
from mesonet.reporting.campaign_view.flow_groups import (
    as_response,
    as_rows,
    group_columns,
    groups_of_conditions,
    replicates,
)
from mesonet.reporting.campaign_view.tables import filled
from mesonet.reporting.campaign_view.thresholds import DEFAULTS, Thresholds
from mesonet.reporting.campaign_view.vocabulary import Vocabulary, vocabulary
from mesonet.responses.definitions import BY_NAME, PERIODS, Response
from mesonet.responses.segment_sizes import data_bytes
from mesonet.responses.sets import DEFAULT, SETS, ResponseSet
from mesonet.words import period_title, uncapitalised

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

Floats = NDArray[np.float64]

#: Responses that measure congestion; the first one present orders the conditions.
CONGESTION = ("loss_rate", "retransmission_rate")
#: Responses that compare the algorithms at a glance.
KEY_RESPONSES = (
    "loss_rate", "retransmission_rate", "rtt", "flows_completed", "connection_failure_ratio", "goodput_dd",
    "goodput_nn",
)  # fmt: skip
#: Responses that follow the goodputs of explicit flows.
FLOW_RESPONSES = ("rtt", "loss_rate", "jain_index", "utilisation_bottleneck")
#: Traffic whose service is shown first: flows that arrive at random, frames of media, and adaptive video.
ARRIVALS, FRAMES, VIDEO = "arrivals", "frames", "video"
#: Responses that compare the algorithms at a glance where there is such traffic; before the others.
SERVICE = {
    ARRIVALS: ("slowdown_p50", "slowdown_p95"), FRAMES: ("frames_late", "frame_delay_p95"),
    VIDEO: ("video_bitrate", "video_rebuffering"),
}  # fmt: skip
#: Incumbents if the experiment does not mix the algorithms with another, the most deployed one first: CUBIC is the
#: default of Linux, Windows and macOS (RFC 9438, section 1), and standard TCP came before it.
DEPLOYED = ("cubic", "tcp")
#: Choice in place of one algorithm: the mean of all algorithms, condition by condition.
MEAN_OF_ALL = "mean of all"
#: A number and its unit.
_NUMBER = re.compile(r"[-+−]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?\s*([^\d\s].*)?")
#: Relative effect, in %, above which a difference counts as large in practice.
LARGE = 10.0


class Described(Protocol):
    """Factors and responses of an experiment, in words."""

    @property
    def factors(self) -> Sequence[Factor]:
        """The factors with their levels as text."""
        ...

    def title_of(self, response: str) -> str:
        """Return the title of a response, for use in a sentence."""
        ...

    def unit_of(self, response: str) -> str:
        """Return the unit of a response."""
        ...


@dataclass(frozen=True)
class Values:
    """Values of a campaign; goodputs of flow groups are responses if the experiment's response set asks for them."""

    campaign: Campaign
    against: str | None = None  #: incumbent, or level such as ``share=0``, that the user chose; None: by the experiment
    compare: tuple[str, ...] = ()  #: comparisons that the user chose, such as ``share=0.3 : share=0``
    beside: Campaign | None = None  #: campaign that the user compares with
    thresholds: Thresholds = DEFAULTS
    flow_groups: bool = True  #: False leaves the goodputs of flow groups out
    asked: tuple[str, ...] = field(default=(), kw_only=True)  #: responses that the user wants to see first

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The factors with their levels as text."""
        return self.campaign.factors

    @property
    def is_model(self) -> bool:
        """True if a model ran in place of a network."""
        return self.campaign.experiment.get("model") is not None

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Words of the experiment."""
        return vocabulary(self.campaign)

    @cached_property
    def better(self) -> dict[str, str | float]:
        """Direction by response of a model: lower, higher, or the best value."""
        return dict(self.campaign.experiment.get("words", {}).get("better", {}))

    def period_title(self, period: str) -> str:
        """Return the title of a period. Runs of a model have no periods."""
        return "all runs" if self.is_model else period_title(period)

    def in_period_words(self, period: str) -> str:
        """Return the end of a heading that names the period; empty for a model."""
        return "" if self.is_model else f", {period_title(period)}"

    @cached_property
    def segment_bytes(self) -> float | None:
        """Bytes of a segment in settings, in all conditions; None for a model, or if conditions differ."""
        sizes = {float(each["transport"]["segment_bytes"]) for each in self.networks}
        return sizes.pop() if len(sizes) == 1 else None

    @cached_property
    def data_bytes(self) -> float | None:
        """Bytes of the segments that results count; None for a model, or if conditions or flows differ."""
        sizes: set[float] = set().union(*map(data_bytes, self.networks))
        return sizes.pop() if len(sizes) == 1 else None

    @cached_property
    def networks(self) -> list[dict[str, Any]]:
        """Canonical scenarios of the conditions; none for a model."""
        scenarios = (entry.get("scenario", {}) for entry in self.campaign.experiment.get("scenarios") or [])
        return [each for each in scenarios if "transport" in each]

    @cached_property
    def network(self) -> Self:
        """The same view without flow groups."""
        return replace(self, flow_groups=False)

    @cached_property
    def _set(self) -> ResponseSet | None:
        """The response set that the experiment names."""
        return SETS.get(str(self.campaign.experiment.get("response_set", "")))

    @cached_property
    def _pairs(self) -> set[tuple[str, str]]:
        """Responses and periods with rows, without flow groups."""
        return set(self.campaign.responses.select("response", "period").unique().iter_rows())

    @cached_property
    def _members(self) -> list[Column]:
        """Network responses that the response set asks for and the campaign has."""
        entries = self._set.entries if self._set and not self.is_model else ()
        there = [entry for entry in entries if (entry.name, entry.period or WHOLE) in self._pairs]
        return [columns_of.of_member(BY_NAME[entry.name], entry) for entry in there]

    @cached_property
    def _groups(self) -> list[tuple[Column, Floats]]:
        """Columns of flow groups, with values of the shape (conditions, replicates, algorithms)."""
        # Only the goodput of flow groups is published; their other measures are in the tables of the runs.
        asked = [member for member in self._set.per_group if member.basis == "published"] if self._set else []
        if not (self.flow_groups and asked and self._members and self.conditions and self.campaign.has_groups):
            return []
        found = []
        for member in asked:
            columns, values = group_columns(self.campaign, member)
            found += [(column, values[..., place]) for place, column in enumerate(columns)]
        return found

    @cached_property
    def _campaign(self) -> Campaign:
        """The campaign with the goodputs of flow groups among its responses."""
        rows = [as_rows(self.campaign, column, values) for column, values in self._groups]
        return replace(self.campaign, responses=pl.concat([self.campaign.responses, *rows])) if rows else self.campaign

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Columns of the response space: of the response set, else the responses of the main period."""
        found = (*self._members, *(column for column, _ in self._groups))
        return found or self.of_period(self.main_period)

    @cached
    def of_period(self, period: str) -> tuple[Column, ...]:
        """Return the responses of a period as columns with the names of the responses."""
        found = (columns_of.of_period(self.responses[name], period) for name in self.in_period[period])
        return tuple(replace(each, set=self.period_title(period)) for each in found)

    def column(self, name: str) -> Column:
        """Return the column with a name. `name`: one of `column_names`."""
        return next(column for column in self.columns if column.name == name)

    @cached_property
    def column_names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    @cached_property
    def sets(self) -> dict[str, list[Column]]:
        """Columns of each set of responses."""
        found: dict[str, list[Column]] = {}
        for column in self.columns:
            found.setdefault(column.set, []).append(column)
        return found

    @property
    def titles(self) -> dict[str, str]:
        """Titles of the columns, for use in a sentence."""
        return {column.name: uncapitalised(column.title) for column in self.columns}

    @property
    def labels(self) -> dict[str, str]:
        """Symbols and titles of the columns, for axes and tables."""
        return {column.name: column.label for column in self.columns}

    @property
    def notes(self) -> list[str]:
        """Statements on responses that the response set asks for and the campaign lacks."""
        found = []
        if self._members and self._set and (lacking := len(self._set.entries) - len(self._members)):
            found.append(f"{lacking} of {len(self._set.entries)} responses of the network have no values.")
        if self._members and self._set and self._set.per_group and not self.campaign.has_groups:
            found.append("Flow groups were not kept.")
        return found

    @cached_property
    def traffic(self) -> list[str]:
        """Keys of `SERVICE` whose traffic a condition of the campaign has."""
        found = set()
        for entry in self.campaign.experiment.get("scenarios") or []:
            scenario = entry.get("scenario", {})
            if scenario.get("arrivals"):
                found.add(ARRIVALS)
            # A model may have any scenario.
            flows = [flow for flow in scenario.get("flows") or [] if isinstance(flow, dict)]
            for source in ((flow.get("application") or {}).get("source", {}) for flow in flows):
                found |= {FRAMES, VIDEO} & source.keys()
        return [name for name in SERVICE if name in found]

    @cached_property
    def responses(self) -> dict[str, Response]:
        """Responses of the experiment's response set that have values, totals, and goodputs of flow groups, by name.

        With responses of `SERVICE` where the campaign has such traffic.

        Known responses come in their order; then unknown ones, in the order of appearance.
        """
        if self.is_model:
            return self._responses_of_model
        service = [name for traffic in self.traffic for name in SERVICE[traffic]]
        wanted = {*SETS[self.campaign.experiment.get("response_set", DEFAULT)].names, *service, *self.asked}
        rows = self.campaign.responses.select("response", "symbol", "unit").unique(maintain_order=True)
        present = {
            name: BY_NAME.get(name)
            or Response(
                name=name,
                symbol=symbol or "",
                title=self._title(name),
                unit=unit,
                definition="",
                direction="neutral",
                source="",
            )
            for name, symbol, unit in rows.iter_rows()
        }
        order = [
            *(name for name, about in BY_NAME.items() if name in present and (name in wanted or about.total)),
            *(name for name in present if name not in BY_NAME),
        ]
        found = {name: present[name] for name in order}
        found |= {column.name: as_response(column) for column, _ in self._groups}
        # Experiments number their responses: a response that is in one period only has the number of its experiment.
        times = Counter(column.response for column in self._members)
        for column in self._members:
            if self.flow_groups and times[column.response] == 1:
                found[column.response] = replace(found[column.response], symbol=column.symbol)
        return found

    @property
    def _responses_of_model(self) -> dict[str, Response]:
        """Responses of a model. A number without a unit is a share only if the experiment declares it."""
        words = self.campaign.experiment.get("words", {})
        rows = self.campaign.responses.select("response", "unit").unique(maintain_order=True)
        return {
            name: Response(
                name=name,
                symbol="",
                title=words.get("titles", {}).get(name) or name.replace("_", " ").capitalize(),
                unit=("1" if name in words.get("shares", ()) else "") if unit == "1" else unit,
                definition="",
                direction=next((each for each in ("lower", "higher") if each == self.better.get(name)), "neutral"),
                source="",
            )
            for name, unit in rows.iter_rows()
        }

    def _title(self, name: str) -> str:
        """Return the title of a response that the list of responses lacks."""
        if self.networks and name.startswith(GOODPUT_OF):
            return f"Goodput per flow of {name.removeprefix(GOODPUT_OF)}"
        return "Goodput per flow" if self.networks and name == GOODPUT else name.replace("_", " ").capitalize()

    @cached_property
    def in_period(self) -> dict[str, list[str]]:
        """Responses of each period: the whole measured time first, totals last."""
        pairs = self._pairs | {(column.name, column.period) for column, values in self._groups
                               if np.isfinite(values).any()}  # fmt: skip
        periods = {period for _, period in pairs}
        first = [period for period in (WHOLE, *PERIODS) if period in periods]
        order = [*dict.fromkeys(first), *sorted(periods.difference(first))]
        return {period: [name for name in self.responses if (name, period) in pairs] for period in order}

    @property
    def periods(self) -> list[str]:
        """All periods that have a response."""
        return list(self.in_period)

    @property
    def main_period(self) -> str:
        """The first of `periods`, with which figures and tables begin."""
        return self.periods[0]

    def selections(self, algorithms: Sequence[str] = ()) -> list[dict[str, str]]:
        """Return every response of every period, alone or with each of some algorithms.

        Values of response, period and, if there are algorithms, algorithm, in this order. Periods and their responses
        come as in `in_period`.
        """
        found = [{"response": name, "period": period} for period, names in self.in_period.items() for name in names]
        return [{**each, "algorithm": name} for each in found for name in algorithms] if algorithms else found

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Names of the algorithms compared."""
        return self.campaign.algorithms

    @property
    def conditions(self) -> list[int]:
        """Condition numbers, in the order of the design."""
        return list(range(1, len(self.campaign.design.matrix) + 1))

    @cached_property
    def has_results(self) -> bool:
        """True if any run has a value."""
        return any(self.in_period.values())

    def title_of(self, response: str) -> str:
        """Return the title of a response, for use in a sentence."""
        return uncapitalised(self.responses[response].title)

    def label_of(self, response: str) -> str:
        """Return symbol and title of a response, for axes and tables."""
        about = self.responses[response]
        return f"{about.symbol} {about.title}".strip()

    def unit_of(self, response: str) -> str:
        """Return the unit of a response."""
        return self.responses[response].unit

    @cached
    def cube(self, period: str) -> Floats:
        """Return the values of all responses of a period, means over replicates.

        Shape (conditions, algorithms, responses of the period); NaN where missing.
        """
        return np.asarray(self._campaign.cube(self.in_period[period], period), dtype=float)

    def values(self, response: str, period: str) -> Floats:
        """Return the values of a response, means over replicates.

        Shape (conditions, algorithms), in the unit of the response; NaN where missing.
        """
        return self.cube(period)[:, :, self.in_period[period].index(response)]

    def values_of(self, columns: Sequence[Column]) -> Floats:
        """Return the values of some columns, means over replicates.

        Shape (conditions, algorithms, columns); NaN where missing.
        """
        found = np.empty((len(self.conditions), len(self.algorithms), len(columns)))
        for place, column in enumerate(columns):
            found[:, :, place] = self.values(column.response, column.period)
        return found

    @cached_property
    def replicates(self) -> list[int]:
        """Numbers of the replicates."""
        return replicates(self.campaign)

    @cached_property
    def mode(self) -> Mode:
        """The noise that effects are tested against: the scatter between replicates if there are any."""
        done = self.campaign.runs.filter(status="done").group_by("condition", "algorithm").len()
        return "replicates" if len(done) and int(done["len"].to_numpy().max()) > 1 else "nist"

    @cached
    def replicate_cube(self, period: str) -> Floats:
        """Return the values of all responses of a period in every run.

        Shape (conditions, replicates, algorithms, responses of the period); NaN where missing.
        """
        names = self.in_period[period]
        rows = self._campaign.responses.filter(
            (pl.col("period") == period)
            & pl.col("response").is_in(names)
            & (pl.col("condition") <= len(self.conditions))
        )
        axes = {
            "condition": self.conditions, "replicate": self.replicates, "algorithm": self.algorithms, "response": names,
        }  # fmt: skip
        return filled(rows, axes)

    @property
    def noise(self) -> Noise:
        """Noise that `terms` uses: replicates if there are any, else the effects themselves."""
        return "replicates" if self.mode == "replicates" else "effects"

    def cube_for_tests(self, period: str) -> Floats:
        """Return the values of a period as tests of effects use them."""
        return self.replicate_cube(period) if self.mode == "replicates" else self.cube(period)

    def for_algorithm(self, response: str, period: str, algorithm: str) -> Floats:
        """Return a response by condition for an algorithm, or for the mean of all.

        Shape (conditions,); NaN where a value is missing.
        """
        return of_algorithm(self, self.values(response, period), algorithm)

    def for_test(self, response: str, period: str, algorithm: str) -> Floats:
        """Return a response for tests of effects.

        Shape (conditions, replicates) if runs are replicated, else (conditions,); NaN where a value is missing.
        """
        return of_algorithm(self, self.cube_for_tests(period)[..., self.in_period[period].index(response)], algorithm)

    @cached_property
    def choices_of_algorithm(self) -> list[str]:
        """Algorithms that main effects can be computed for, and the mean of all."""
        return [*self.algorithms, *([MEAN_OF_ALL] if len(self.algorithms) > 1 else [])]

    def too_few(self, columns: Sequence[Column]) -> NDArray[np.bool_]:
        """Return a mask of the values of some columns that count too few events. Shape (conditions, columns)."""
        found = np.empty((len(self.conditions), len(columns)), dtype=bool)
        for place, column in enumerate(columns):
            found[:, place] = self.too_few_of(column.response, column.period)
        return found

    def too_few_of(self, response: str, period: str) -> NDArray[np.bool_]:
        """Return a mask of the conditions in which a response counts too few events. Shape (conditions,)."""
        values, unit = self.values(response, period), self.unit_of(response)
        if self.is_model and unit != "1":
            return np.zeros(len(values), dtype=bool)
        return too_few_events(values, unit, self.campaign.experiment, period)

    @cached_property
    def key_responses(self) -> list[str]:
        """The responses that compare the algorithms at a glance."""
        there = self.in_period[self.main_period]
        if self.asked:
            return [name for name in self.asked if name in there]
        if self.is_model:
            return [*(name for name in there if name in self.better), *(n for n in there if n not in self.better)][:6]
        service = [name for traffic in self.traffic for name in SERVICE[traffic] if name in there]
        others = [name for name in KEY_RESPONSES if name in there]
        flows = [name for name in there if self.networks and (name == GOODPUT or name.startswith(GOODPUT_OF))]
        if flows:
            others = [name for name in FLOW_RESPONSES if name in there]
        return [*service, *flows, *others] or there[:6]

    def varies(self, response: str, period: str) -> bool:
        """Return True if runs have different values of a response."""
        rows = self._campaign.responses.filter((pl.col("response") == response) & (pl.col("period") == period))
        return rows.filter(pl.col("value").is_finite())["value"].n_unique() > 1

    @cached_property
    def congestion_response(self) -> str:
        """The response by which conditions are ordered."""
        if self.is_model:
            return self.key_responses[0]
        there = self.in_period[self.main_period]
        return next((name for name in CONGESTION if name in there), there[0])

    @cached_property
    def congestion(self) -> Floats:
        """Mean of the congestion response over the algorithms, per condition; NaN where no run has a value."""
        values = self.values(self.congestion_response, self.main_period)
        count = np.isfinite(values).sum(axis=1)
        return np.where(count > 0, np.nansum(values, axis=1) / np.maximum(count, 1), np.nan)

    @cached_property
    def by_congestion(self) -> list[int]:
        """Condition numbers from the least to the most congested; conditions without a value last."""
        return [int(place) + 1 for place in np.argsort(self.congestion, kind="stable")]

    @property
    def order_words(self) -> str:
        """Order of the conditions in words."""
        return f"by rising mean {self.title_of(self.congestion_response)}"

    @cached_property
    def signs(self) -> dict[int, list[int]]:
        """Level, -1 or +1, of each factor, by condition."""
        return {number: [int(s) for s in row] for number, row in enumerate(self.campaign.design.matrix, start=1)}

    @cached_property
    def groups(self) -> pl.DataFrame:
        """Flow groups of the conditions of the design (`groups_of_conditions`)."""
        return groups_of_conditions(self.campaign)

    @cached_property
    def status(self) -> pl.DataFrame:
        """Number of runs done, failed and missing in each condition."""
        counts = [
            (pl.col("status") == status).sum().cast(pl.Int64).alias(status) for status in ("done", "failed", "missing")
        ]
        return self.campaign.runs.group_by("condition", maintain_order=True).agg(counts).sort("condition")

    def long(self, response: str, period: str) -> pl.DataFrame:
        """Return a response of a period as rows, means over replicates.

        Columns condition, algorithm and value; conditions without a value have no row.
        """
        values = self.values(response, period)
        condition, algorithm = np.nonzero(np.isfinite(values))
        return pl.DataFrame(
            {
                "condition": condition + 1,
                "algorithm": [self.algorithms[place] for place in algorithm],
                "value": values[condition, algorithm],
            },
            schema={"condition": pl.Int64, "algorithm": pl.String, "value": pl.Float64},
        )


def of_algorithm(view: Values, values: Floats, algorithm: str) -> Floats:
    """Return the values of an algorithm, or their mean over all.

    Shape (...). The mean is NaN where any algorithm has no value. `values`: shape (..., algorithms); NaN where missing.
    """
    return values.mean(axis=-1) if algorithm == MEAN_OF_ALL else values[..., view.algorithms.index(algorithm)]


def level_text(view: Described, factor: str, sign: int) -> str:
    """Return the text of a level of a factor, such as "800 seg/ms"."""
    about = {f.id: f for f in view.factors}.get(factor)
    if about is None:
        return "+" if sign > 0 else "−"
    return about.plus if sign > 0 else about.minus


def factor_title(view: Described, factor: str) -> str:
    """Return the name and the short name of a factor, such as "network speed (X1)".

    The text; only the short name for a factor that the campaign does not describe.
    """
    names: Mapping[str, str] = {f.id: f.name for f in view.factors}
    return f"{uncapitalised(names[factor])} ({factor})" if names.get(factor, factor) != factor else factor


def ordered(names: Sequence[str], counts: Mapping[str, int]) -> list[str]:
    """Return names by falling count. Names with a count above 0."""
    return sorted((name for name in names if counts.get(name)), key=lambda name: -counts[name])


def categorical(view: Values) -> set[str]:
    """Return the factors that have no settings between their levels: levels that are not numbers of one unit."""
    return {factor.id for factor in view.campaign.factors if not _is_quantitative(factor.minus, factor.plus)}


def _is_quantitative(minus: str, plus: str) -> bool:
    low, high = (str(level).split(",") for level in (minus, plus))
    matches = [(_NUMBER.fullmatch(a.strip()), _NUMBER.fullmatch(b.strip())) for a, b in zip(low, high, strict=False)]
    return len(low) == len(high) and all(a and b and a[1] == b[1] for a, b in matches)
